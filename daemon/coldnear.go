package daemon

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"ctxd/index"
)

// resemblance says which names are like what was asked for: those equal to its last part but for case, those that
// begin with that, and those that it begins with, up to two bytes shorter.
type resemblance struct {
	folded string // all of it, in small letters
	last   string // of folded, what follows the last dot
}

func resemblances(query string) (all []resemblance) {
	for _, form := range spellings(query) {
		folded := strings.ToLower(form)
		if last := folded[strings.LastIndexByte(folded, '.')+1:]; last != "" {
			all = append(all, resemblance{folded, last})
		}
	}
	return all
}

func (r resemblance) of(name string) bool {
	return r.same(name) || r.longer(name) ||
		utf8.RuneCountInString(name) >= 3 && len(name)+2 >= len(r.last) && len(name) < len(r.last) && strings.EqualFold(r.last[:len(name)], name)
}

func (r resemblance) same(name string) bool { return strings.EqualFold(name, r.last) }

func (r resemblance) longer(name string) bool {
	return utf8.RuneCountInString(r.last) >= 3 && len(name) > len(r.last) && strings.EqualFold(name[:len(r.last)], r.last)
}

// stem is what all names of r begin with, but for case: the last two bytes may be missing, down to three letters.
func (r resemblance) stem() string {
	runes, end := 0, len(r.last)
	for i := range r.last {
		if runes == 3 || runes > 3 && i <= len(r.last)-2 {
			end = i
		}
		runes++
	}
	return r.last[:end]
}

// begins orders names that begin like what was asked for, the best first.
func begins(a, b string) int { return cmp.Or(len(a)-len(b), strings.Compare(a, b)) }

// settleNear is the snapshot, brought so far that near is of it what it is of a warm one: pending files may define
// names that resemble query.
//
// They are read once, for the words that resemble it, and then parsed in the order in which near would list those
// words, until it has enough: nothing that could still be found would be listed. To parse all files with such a
// word would be to wait for the index, after a slip of the pen.
func (ws *Workspace) settleNear(ctx context.Context, query string) (*Snapshot, error) {
	ws.courtesy.begin(time.Now())
	defer func() { ws.courtesy.end(time.Now()) }()
	select {
	case ws.looking <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	snap := ws.cur.Load()
	words := newNearWords(query)
	if snap.pending == 0 || len(words.begin) == 0 {
		<-ws.looking
		return ws.over(ctx, snap), nil
	}
	look := &coldLook{ws: ws, may: words.note}
	look.each(ctx, snap.files, look.sift)
	ws.land(ctx, landing{changes: look.known, done: make(chan struct{})})
	<-ws.looking
	snap = snap.with(look.known)
	ranked := words.ranked()
	for len(ranked) > 0 && ctx.Err() == nil {
		w := ranked[0]
		ranked = ranked[1:]
		if near := snap.near(query); len(near) == nearMost && words.behind(w, near) {
			break
		}
		for files := w.files; len(files) > 0 && ctx.Err() == nil; {
			if w.ranked && snap.defines(w.text) { // where names are words, the others can only define it once more
				files = slices.DeleteFunc(files, func(f nearFile) bool { return f.words })
			}
			n := min(len(files), nearBatch)
			if !w.ranked {
				n = len(files)
			}
			snap = ws.parseFor(ctx, snap, files[:n], w)
			files = files[n:]
		}
	}
	return ws.over(ctx, snap), ctx.Err()
}

// nearBatch is how many files are parsed for a word before it is looked whether one of them defines it.
const nearBatch = 8

// parseFor parses those of the files that may define w.
func (ws *Workspace) parseFor(ctx context.Context, snap *Snapshot, files []nearFile, w *nearWord) *Snapshot {
	look := &coldLook{ws: ws}
	var pending []*File
	for _, file := range files {
		if f := snap.file(file.path); f != nil && f.Facts == nil {
			pending = append(pending, f)
		}
	}
	look.each(ctx, pending, func(ctx context.Context, f *File, buf []byte) []byte {
		src, _, _, err := ws.disk.Load().readStable(ctx, f.Path, buf)
		if err == nil && !w.open && !index.MayDefine(f.Path, src, []byte(w.text)) {
			return buf
		}
		return look.parse(ctx, f, buf)
	})
	ws.land(ctx, landing{changes: look.known})
	return snap.with(look.known)
}

// defines says whether a file of s defines name.
func (s *Snapshot) defines(name string) (found bool) {
	s.catalog.named(name, func(facts *Facts, _ int32) { found = found || len(s.holding(facts)) > 0 })
	return found
}

// nearWord is one word of pending files with which a name that resembles the query may begin.
type nearWord struct {
	text   string
	open   bool // it may be longer or shorter than text
	ranked bool // no name that begins with it comes before it in near
	files  []nearFile
}

// nearFile is a pending file with such a word. With words, all names of its language are words.
type nearFile struct {
	path  string
	words bool
}

// wordy says whether all names of a language are words: no heading of several, no operator, no $, no string.
func wordy(language string) bool { return language == "Go" || language == "Python" }

// nearWords are the words of pending files that may resemble a query.
type nearWords struct {
	like  []resemblance
	begin []*index.Beginning // of each of like
	all   map[string]*nearWord
}

func newNearWords(query string) *nearWords {
	w := &nearWords{all: map[string]*nearWord{}}
	for _, r := range resemblances(query) {
		if b, ok := index.NewBeginning(r.stem()); ok {
			w.like, w.begin = append(w.like, r), append(w.begin, b)
		}
	}
	return w
}

// note is coldLook.may: it never says yes, it keeps the words.
func (w *nearWords) note(l *coldLook, f *File, src []byte) bool {
	language := index.Language(f.Path, src)
	if language == "" {
		return false
	}
	for i, r := range w.like {
		for _, word := range w.begin[i].Words(src) {
			plain := !word.Open && isWord(r.last)
			if plain && !r.of(word.Text) {
				continue // a longer name would resemble r as little
			}
			l.mu.Lock()
			n := w.all[word.Text]
			if n == nil {
				n = &nearWord{text: word.Text, ranked: true}
				w.all[word.Text] = n
			}
			n.open = n.open || word.Open
			n.ranked = n.ranked && plain && !r.same(word.Text)
			n.files = append(n.files, nearFile{f.Path, wordy(language)})
			l.mu.Unlock()
		}
	}
	return false
}

// isWord says whether text is of ASCII letters, digits and underscores.
func isWord(text string) bool {
	for i := range len(text) {
		if c := text[i]; c != '_' && (c < '0' || '9' < c) && (c < 'a' || 'z' < c) && (c < 'A' || 'Z' < c) {
			return false
		}
	}
	return true
}

// ranked lists the words: first those of which every file must be parsed, then the others as near lists them.
func (w *nearWords) ranked() []*nearWord {
	var all []*nearWord
	for _, n := range w.all {
		slices.SortFunc(n.files, func(a, b nearFile) int { return strings.Compare(a.path, b.path) })
		n.files = slices.Compact(n.files)
		all = append(all, n)
	}
	slices.SortFunc(all, func(a, b *nearWord) int {
		if a.ranked != b.ranked {
			if b.ranked {
				return -1
			}
			return 1
		}
		return begins(a.text, b.text)
	})
	return all
}

// behind says that no name that begins with n would be among near, which is full.
func (w *nearWords) behind(n *nearWord, near []string) bool {
	if !n.ranked {
		return false
	}
	last := near[len(near)-1]
	for _, r := range w.like {
		if r.of(last) && !r.same(last) {
			return begins(last, n.text) < 0
		}
	}
	return true // they are the same name but for case, or qualified
}
