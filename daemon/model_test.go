package daemon

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"ctxd/anchors"
	"ctxd/client/wire"
)

// TestModel writes, renames and deletes files and directories, and edits ignore rules, at random from
// several goroutines, which ask after each step; meanwhile the root is removed and made again, the queue
// of events overflows, and in some runs reads are slow or most watches are refused. It holds that
//
//   - a request sees every write that finished before it was sent: new names are found, old ones not, by
//     def and by search;
//   - an anchored read gives exactly the addressed lines or a refusal, and refuses only when they
//     are really gone;
//   - a captured span gives the bytes that were there, whatever happened since;
//   - at the end, the live state equals that of a cold start on the same tree, by another daemon.
//
// CASES F2, F6.
//
// CTX_MODEL_SEEDS sets how many seeds are tried.
func TestModel(t *testing.T) {
	seeds := 6
	if s, err := strconv.Atoi(os.Getenv("CTX_MODEL_SEEDS")); err == nil {
		seeds = s
	}
	for seed := range seeds {
		t.Run(strconv.Itoa(seed), func(t *testing.T) { runModel(t, uint64(seed)) })
	}
}

const (
	modelWriters = 4
	modelSteps   = 60
)

func runModel(t *testing.T, seed uint64) {
	var user UserConfig
	if user = ParseUserConfig("", nil); seed%3 == 1 {
		user.Watch.MaxWatches = 3
	}
	if seed%5 == 2 {
		rnd := rand.New(rand.NewPCG(seed, 99))
		var mu sync.Mutex
		slowly = func() {
			mu.Lock()
			d := time.Duration(rnd.IntN(1_000_000))
			mu.Unlock()
			time.Sleep(d)
		}
		t.Cleanup(func() { slowly = func() {} }) // after the daemon's end
	}
	d := newDaemonWith(t, user)
	root := filepath.Join(t.TempDir(), "root")
	if err := os.Mkdir(root, 0o755); err != nil {
		t.Fatal(err)
	}
	world := &modelWorld{t: t, ws: use(t, d, root), root: root, rnd: rand.New(rand.NewPCG(seed, 98))}
	for k := range modelWriters {
		world.writers = append(world.writers, &modelWriter{
			t: t, ws: world.ws, root: root, id: k,
			rnd: rand.New(rand.NewPCG(seed, uint64(k))), files: map[string]string{}, past: map[string][]string{},
		})
	}
	var writers sync.WaitGroup
	for _, w := range world.writers {
		writers.Go(func() {
			for step := range modelSteps {
				if t.Failed() {
					return
				}
				if w.id == 0 && step%15 == 14 {
					world.shake()
				}
				world.mu.RLock()
				w.step(step)
				world.mu.RUnlock()
			}
		})
	}
	watched, stop := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(watched)
		world.bystand(stop)
	}()
	writers.Wait()
	close(stop)
	<-watched
	if t.Failed() {
		return
	}
	if live, want := dump(t, world.ws), dump(t, use(t, newDaemon(t), root)); live != want {
		t.Errorf("the live state differs from a cold start:\nlive:\n%s\ncold:\n%s", live, want)
	}
}

// dump is the whole state of a workspace, files and names, as text.
func dump(t *testing.T, ws *Workspace) string {
	t.Helper()
	settled(t, ws)
	s := ws.cur.Load()
	var b strings.Builder
	fmt.Fprintf(&b, "pending %d parsed %d unparsed %d defs %d\n", s.pending, s.parsed, s.unparsed, s.defs)
	names := map[string]bool{}
	for _, f := range s.files {
		fmt.Fprintf(&b, "%s %s %+v\n", f.Path, f.blob(), f.Facts.File)
		for _, def := range f.Facts.Defs {
			names[def.Name] = true
		}
	}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		fmt.Fprintf(&b, "%s:", name)
		for _, sym := range s.lookup([]string{name}) {
			fmt.Fprintf(&b, " %s#%d", sym.file.Path, sym.def)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// modelWriter owns a few files; nobody else touches them, so it knows what every answer must be.
type modelWriter struct {
	t     *testing.T
	ws    *Workspace
	root  string
	id    int
	rnd   *rand.Rand
	next  int                 // number of the next function name
	files map[string]string   // path → content
	past  map[string][]string // by path, all texts that stood there
	rules string              // of its own .gitignore or .ctxignore: one path below its directory, "" for none
	by    string              // the name of the file that holds rules
	held  []heldAddress
}

// heldAddress is an address that was returned, with what it addressed.
type heldAddress struct {
	path string
	live string
	span string
	text []string
}

func (w *modelWriter) step(n int) {
	path := fmt.Sprintf("w%d/d%d/f%d.py", w.id, w.rnd.IntN(3), w.rnd.IntN(3))
	old, exists := w.files[path]
	switch k := w.rnd.IntN(10); {
	case exists && k == 0:
		w.must(os.Remove(filepath.Join(w.root, path)))
		delete(w.files, path)
	case exists && k == 1:
		to := fmt.Sprintf("w%d/d%d/g%d.py", w.id, w.rnd.IntN(3), w.rnd.IntN(3))
		w.must(os.MkdirAll(filepath.Dir(filepath.Join(w.root, to)), 0o755))
		w.must(os.Rename(filepath.Join(w.root, path), filepath.Join(w.root, to)))
		delete(w.files, path)
		w.files[to] = old
		w.past[to] = append(w.past[to], old)
	case exists && k == 2: // a whole directory moves
		from, to := fmt.Sprintf("w%d/d%d", w.id, w.rnd.IntN(3)), fmt.Sprintf("w%d/e%d", w.id, n)
		if os.Rename(filepath.Join(w.root, from), filepath.Join(w.root, to)) == nil {
			for _, p := range slices.Collect(maps.Keys(w.files)) {
				if rest, ok := strings.CutPrefix(p, from+"/"); ok {
					w.files[to+"/"+rest] = w.files[p]
					w.past[to+"/"+rest] = append(w.past[to+"/"+rest], w.files[p])
					delete(w.files, p)
				}
			}
		}
	case k == 3:
		w.ignore([]string{"", "d0/", "d1/", "f2.py", "g*.py"}[w.rnd.IntN(5)], []string{".gitignore", ".ctxignore"}[w.rnd.IntN(2)])
	default:
		w.write(path, w.mutate(old))
	}
	w.ask()
}

// ignore replaces the writer's ignore rule.
func (w *modelWriter) ignore(rule, by string) {
	dir := filepath.Join(w.root, fmt.Sprintf("w%d", w.id))
	w.must(os.MkdirAll(dir, 0o755))
	if w.by != "" && w.by != by {
		w.must(os.Remove(filepath.Join(dir, w.by)))
	}
	w.must(os.WriteFile(filepath.Join(dir, by), []byte(rule+"\n"), 0o644))
	w.rules, w.by = rule, by
}

// ignored says whether the writer's rule hides one of its files.
func (w *modelWriter) ignored(path string) bool {
	parts := strings.Split(path, "/")
	if dir, ok := strings.CutSuffix(w.rules, "/"); ok {
		return parts[1] == dir
	}
	hidden, err := filepath.Match(w.rules, parts[len(parts)-1])
	w.must(err)
	return hidden
}

// mutate edits a text of small functions: adds, removes, moves, doubles or changes one.
func (w *modelWriter) mutate(text string) string {
	var blocks []string
	if text != "" {
		blocks = strings.SplitAfter(text, "\n\n")
	}
	fresh := func() string {
		w.next++
		return fmt.Sprintf("def f_%d_%d():\n    x = %d\n    return x\n\n", w.id, w.next, w.rnd.IntN(5))
	}
	for range 1 + w.rnd.IntN(3) {
		at := w.rnd.IntN(len(blocks) + 1)
		switch k := w.rnd.IntN(5); {
		case k == 0 && at < len(blocks):
			blocks = slices.Delete(blocks, at, at+1)
		case k == 1 && at < len(blocks):
			blocks = slices.Insert(blocks, w.rnd.IntN(len(blocks)+1), blocks[at])
		case k == 2 && at < len(blocks):
			blocks[at] = fresh()
		default:
			blocks = slices.Insert(blocks, at, fresh())
		}
	}
	return strings.Join(blocks, "")
}

// write saves in one of the ways that editors do.
func (w *modelWriter) write(path, text string) {
	full := filepath.Join(w.root, path)
	w.must(os.MkdirAll(filepath.Dir(full), 0o755))
	switch w.rnd.IntN(4) {
	case 0:
		w.must(os.WriteFile(full, []byte(text), 0o644))
	case 3: // in two parts: others see the file half written
		f, err := os.Create(full)
		w.must(err)
		_, err = f.WriteString(text[:len(text)/2])
		w.must(err)
		w.must(w.ws.sync(w.t.Context()))
		_, err = f.WriteString(text[len(text)/2:])
		w.must(errors.Join(err, f.Close()))
	case 1:
		w.must(os.WriteFile(full+".tmp", []byte(text), 0o644))
		w.must(os.Rename(full+".tmp", full))
	case 2:
		os.Rename(full, full+"~")
		w.must(os.WriteFile(full, []byte(text), 0o644))
		os.Remove(full + "~")
	}
	w.files[path] = text
	w.past[path] = append(w.past[path], text)
}

// ask checks answers against what this writer knows.
func (w *modelWriter) ask() {
	ctx := w.t.Context()
	if w.next == 0 {
		return
	}
	name := fmt.Sprintf("f_%d_%d", w.id, 1+w.rnd.IntN(w.next))
	if w.rnd.IntN(2) == 0 {
		name = fmt.Sprintf("f_%d_%d", w.id, w.next)
	}
	want := w.definitions(name)
	res, err := w.ws.Def(ctx, wire.DefParams{Target: name})
	if err != nil {
		var refused *wire.Error
		if !errors.As(err, &refused) || refused.Data.Error != wire.NotFound || len(want) > 0 {
			w.t.Errorf("def %s: %v; want %v", name, err, want)
		}
	} else {
		var got []string
		for _, d := range res.Definitions {
			got = append(got, fmt.Sprintf("%s:%d", d.Path, d.Lines[0]))
			w.hold(d)
		}
		if !slices.Equal(got, want) {
			w.t.Errorf("def %s: got %v, want %v", name, got, want)
		}
	}
	if w.rnd.IntN(3) == 0 {
		w.search(ctx, name, want)
	}
	if w.rnd.IntN(3) == 0 {
		w.refs(ctx, name, want)
	}
	if len(w.held) > 0 {
		w.checkHeld(ctx, w.held[w.rnd.IntN(len(w.held))])
	}
}

// search looks for the definitions by their text.
func (w *modelWriter) search(ctx context.Context, name string, want []string) {
	res, err := w.ws.Search(ctx, wire.SearchParams{Patterns: []string{"def " + name + "():"}})
	if err != nil {
		w.t.Errorf("search %s: %v", name, err)
		return
	}
	var got []string
	for _, m := range res.Matches {
		got = append(got, fmt.Sprintf("%s:%d", m.Path, m.Lines[0]))
	}
	if !slices.Equal(got, want) || res.Total != len(want) {
		w.t.Errorf("search %s: got %v, total %d, want %v", name, got, res.Total, want)
	}
}

// refs looks for the declarations of name, which are its only references.
func (w *modelWriter) refs(ctx context.Context, name string, want []string) {
	res, err := w.ws.Refs(ctx, wire.RefsParams{Target: name})
	if err != nil {
		var refused *wire.Error
		if !errors.As(err, &refused) || refused.Data.Error != wire.NotFound || len(want) > 0 {
			w.t.Errorf("refs %s: %v; want %v", name, err, want)
		}
		return
	}
	var got []string
	for _, r := range res.References {
		if r.Text != "def "+name+"():" {
			w.t.Errorf("refs %s: a row quotes %q", name, r.Text)
		}
		got = append(got, fmt.Sprintf("%s:%d", r.Path, r.Lines[0]))
	}
	slices.Sort(got)
	if !slices.Equal(got, slices.Sorted(slices.Values(want))) {
		w.t.Errorf("refs %s: got %v, want %v", name, got, want)
	}
}

// definitions lists where name is defined, in the order of an answer.
func (w *modelWriter) definitions(name string) (found []string) {
	for _, path := range slices.Sorted(maps.Keys(w.files)) {
		if w.ignored(path) {
			continue
		}
		for i, line := range strings.Split(w.files[path], "\n") {
			if line == "def "+name+"():" {
				found = append(found, fmt.Sprintf("%s:%d", path, i+1))
			}
		}
	}
	return found
}

func (w *modelWriter) hold(d wire.Definition) {
	if d.Captured == nil || d.Live == nil || !d.Complete {
		w.t.Errorf("an incomplete row: %+v", d)
		return
	}
	table := anchors.NewTable([]byte(strings.Join(d.Text, "\n")))
	if a := table.Digest(anchors.Span{First: 1, Last: table.Len()}).Anchor().String(); a != d.Live.Anchor {
		w.t.Errorf("%s: text and anchor come from different bytes: %s != %s", d.Path, a, d.Live.Anchor)
	}
	w.held = append(w.held, heldAddress{d.Path, d.Live.Address, d.Captured.Address, d.Text})
}

func (w *modelWriter) checkHeld(ctx context.Context, h heldAddress) {
	span, err := w.ws.Get(ctx, wire.GetParams{Ref: h.span})
	if err != nil || !slices.Equal(span.Text, h.text) {
		w.t.Errorf("%s: %v %+v; want %q", h.span, err, span, h.text)
	}
	stands := strings.Contains("\n"+w.files[h.path], "\n"+strings.Join(h.text, "\n")+"\n")
	res, err := w.ws.Get(ctx, wire.GetParams{Ref: h.live})
	var refused *wire.Error
	switch {
	case err == nil && !slices.Equal(res.Text, h.text):
		w.t.Errorf("%s: other content: %q, want %q", h.live, res.Text, h.text)
	case err == nil && !stands:
		w.t.Errorf("%s: found what is not there", h.live)
	case err != nil && (!errors.As(err, &refused) || refused.Data.Error != wire.AnchorStale):
		w.t.Errorf("%s: %v", h.live, err)
	case err != nil && stands:
		// A copy of it does: it is lost all the same where it is known to be another one.
		if b := refused.Data.Became; b == nil || b.Twin == "" || !w.twinned(h) {
			w.t.Errorf("%s: lost, but the content stands in the file: %+v", h.live, b)
		}
	}
}

// twinned says that what h addresses once stood twice in its file.
func (w *modelWriter) twinned(h heldAddress) bool {
	return slices.ContainsFunc(w.past[h.path], func(text string) bool {
		return strings.Count("\n"+text, "\n"+strings.Join(h.text, "\n")+"\n") > 1
	})
}

func (w *modelWriter) must(err error) {
	if err != nil {
		w.t.Error(err)
	}
}
