package daemon

import (
	"cmp"
	"context"
	"errors"
	"runtime"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"ctxd/index"
)

// Symbol is one definition of the workspace that a fuzzy query found; nothing was read for it.
type Symbol struct {
	Path  string
	Facts *index.File
	Def   int
	score int
}

// Symbols lists the definitions whose name matches a query, the best first, at most limit. The letters of the query
// stand in the name in that order, whatever their case; with a dot, or ::, it is matched with the qualified name. An
// empty query matches everything.
func (ws *Workspace) Symbols(ctx context.Context, query string, limit int) ([]Symbol, error) {
	if err := bounded(query); err != nil {
		return nil, err
	}
	p := newPattern(query)
	matching := sought{any: func(d *index.Def) bool { return p.score(d) > 0 }}
	found, err := upToDate(ctx, ws, asking{sought: matching}, func(*Snapshot) ([]Symbol, error) {
		snap, err := ws.whole(ctx)
		if err != nil {
			return nil, err
		}
		var mu sync.Mutex
		var best []Symbol
		var workers sync.WaitGroup
		for part := range slices.Chunk(snap.files, max(1, (len(snap.files)+runtime.GOMAXPROCS(0)-1)/runtime.GOMAXPROCS(0))) {
			workers.Go(func() {
				mine := p.best(ctx, part, limit)
				mu.Lock()
				defer mu.Unlock()
				best = append(best, mine...)
			})
		}
		workers.Wait()
		if len(best) == 0 && query != "" && ctx.Err() == nil {
			return nil, errNone
		}
		return bestOf(best, limit), ctx.Err()
	})
	if errors.Is(err, errNone) {
		return nil, nil
	}
	return found, err
}

// best are the best matches of the definitions of files.
func (p pattern) best(ctx context.Context, files []*File, limit int) (best []Symbol) {
	for _, f := range files {
		if f.Facts == nil {
			continue
		}
		for i := range f.Facts.Defs {
			if score := p.score(&f.Facts.Defs[i]); score > 0 {
				best = append(best, Symbol{f.Path, &f.Facts.File, i, score})
			}
		}
		if len(best) > 4*limit+1024 {
			best = bestOf(best, limit)
		}
		if ctx.Err() != nil {
			break
		}
	}
	return bestOf(best, limit)
}

// bestOf sorts symbols, and gives the first.
func bestOf(all []Symbol, limit int) []Symbol {
	slices.SortFunc(all, func(a, b Symbol) int {
		return cmp.Or(cmp.Compare(b.score, a.score), strings.Compare(a.Path, b.Path), cmp.Compare(a.Def, b.Def))
	})
	return all[:min(len(all), limit)]
}

// pattern is a fuzzy query.
type pattern struct {
	runes     []rune // folded, without white space
	qualified bool
	exact     string // as it was written
	ascii     subsequence
}

// subsequence is the ASCII letters of a query, folded, in their order: names without them are passed over in a few
// nanoseconds each, of which a tree has 400,000.
type subsequence string

func (s subsequence) in(name string) bool {
	if len(s) > len(name) {
		return false
	}
	at := 0
	for i := 0; i < len(name) && at < len(s); i++ {
		c := name[i]
		if 'A' <= c && c <= 'Z' {
			c |= 0x20
		}
		if c == s[at] {
			at++
		}
	}
	return at == len(s)
}

func newPattern(query string) pattern {
	query = strings.ReplaceAll(strings.Join(strings.Fields(query), ""), "::", ".")
	folded := strings.ToLower(query)
	ascii := strings.Map(func(r rune) rune {
		if r < utf8.RuneSelf && r != 'k' && r != 's' { // K and ſ fold to these
			return r
		}
		return -1
	}, folded)
	return pattern{runes: []rune(folded), qualified: strings.Contains(query, "."), exact: query, ascii: subsequence(ascii)}
}

// score is 0 for what does not match. Best is the name itself, then the name but for case, then what begins with it,
// then what has it at the beginnings of its words, then any subsequence; the shorter name is the better one.
func (p pattern) score(d *index.Def) int {
	name := d.Name
	if len(p.runes) == 0 {
		return 1
	}
	if p.qualified {
		if d.Container == "" && !p.ascii.in(name) {
			return 0
		}
		name = d.Qualified()
	}
	if !p.ascii.in(name) {
		return 0
	}
	short := max(0, 200-utf8.RuneCountInString(name))
	switch {
	case name == p.exact:
		return 6000
	case strings.EqualFold(name, p.exact):
		return 5000
	case len(name) >= len(p.exact) && strings.EqualFold(name[:len(p.exact)], p.exact):
		return 4000 + short
	}
	at, starts, runs, before := 0, 0, 0, rune(0)
	matched := false // the letter before
	for _, r := range name {
		if at < len(p.runes) && unicode.ToLower(r) == p.runes[at] {
			start := before == 0 || !unicode.IsLetter(before) && !unicode.IsDigit(before) || unicode.IsUpper(r) && !unicode.IsUpper(before)
			if start {
				starts++
			} else if matched {
				runs++
			}
			at++
			matched = true
		} else {
			matched = false
		}
		before = r
	}
	if at < len(p.runes) {
		return 0
	}
	if starts+runs == len(p.runes) {
		return 3000 + 10*starts + short
	}
	return 1000 + 20*starts + 10*runs + short
}
