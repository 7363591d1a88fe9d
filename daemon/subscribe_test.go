package daemon

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"ctxd/anchors"
	"ctxd/client"
	"ctxd/client/wire"
)

// holder is a client that is told of changes.
type holder struct {
	*client.Client
	t      *testing.T
	root   string
	socket string

	arrived chan struct{} // holds a token when something was told
	ended   chan error    // why the connection ended

	mu   sync.Mutex
	told []wire.AnchorChange
}

// serveHolders is a daemon with a real socket, and a way to connect to it.
func serveHolders(t *testing.T, files map[string]string) (ws *Workspace, d *Daemon, connect func() *holder) {
	t.Helper()
	return serveHoldersWith(t, UserConfig{}, files)
}

func serveHoldersWith(t *testing.T, user UserConfig, files map[string]string) (ws *Workspace, d *Daemon, connect func() *holder) {
	t.Helper()
	root := t.TempDir()
	for path, content := range files {
		write(t, filepath.Join(root, path), content)
	}
	d = newDaemonWith(t, user)
	r := serveAt(t, ServerOptions{Handler: d.Handle}, nil)
	ws, release, err := d.Workspace(root)
	if err != nil {
		t.Fatal(err)
	}
	release()
	return ws, d, func() *holder {
		h := &holder{t: t, root: root, socket: r.path, arrived: make(chan struct{}, 1), ended: make(chan error, 2)}
		c, err := client.Dial(t.Context(), client.Options{Socket: r.path, OnAnchorChanged: h.changed, OnEnd: func(err error) { h.ended <- err }})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { c.Close() })
		h.Client = c
		return h
	}
}

func (h *holder) changed(c wire.AnchorChanged) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if c.Root != h.root || len(c.Changes) == 0 || len(c.Changes) > maxChanges {
		h.t.Errorf("%s: %d changes", c.Root, len(c.Changes))
	}
	h.told = append(h.told, c.Changes...)
	select {
	case h.arrived <- struct{}{}:
	default:
	}
}

// hold subscribes, and must succeed.
func (h *holder) hold(p wire.SubscribeParams) *wire.SubscribeResult {
	h.t.Helper()
	p.Root = h.root
	res, err := h.Subscribe(h.t.Context(), p)
	if err != nil {
		h.t.Fatal(err)
	}
	return res
}

// news is what was told since the last call. A subscription without addresses is answered when all before it was told.
func (h *holder) news() []wire.AnchorChange {
	h.t.Helper()
	h.hold(wire.SubscribeParams{})
	h.mu.Lock()
	defer h.mu.Unlock()
	news := h.told
	h.told = nil
	slices.SortStableFunc(news, func(a, b wire.AnchorChange) int { return cmp.Compare(a.Address, b.Address) })
	return news
}

// brief is one change in a line.
func brief(c wire.AnchorChange) string {
	s := c.Address + " " + c.Kind
	if c.From != nil {
		s += fmt.Sprintf(" from %d:%d", c.From[0], c.From[1])
	}
	if c.Lines != nil {
		s += fmt.Sprintf(" to %d:%d", c.Lines[0], c.Lines[1])
	}
	if c.Live != nil {
		s += " " + c.Live.Address
	}
	return s
}

func briefly(all []wire.AnchorChange) (lines []string) {
	for _, c := range all {
		lines = append(lines, brief(c))
	}
	return lines
}

const beta = "repo:m.py --lines 4:5@07407f1c"

// TestSubscribe: what is held is told when it moves, goes and comes back, and to those who hold it.
func TestSubscribe(t *testing.T) {
	ws, _, connect := serveHolders(t, map[string]string{"m.py": seedFile, "d/n.py": seedFile, ".gitignore": "out\n", ".git/HEAD": "", "out/o.py": seedFile})
	if err := os.Symlink("d/n.py", filepath.Join(ws.Root, "l.py")); err != nil {
		t.Fatal(err)
	}
	h, other := connect(), connect()
	if _, err := h.Get(t.Context(), wire.GetParams{Common: wire.Common{Root: ws.Root}, Ref: "repo:m.py", Lines: "4:5"}); err != nil {
		t.Fatal(err) // what was minted is remembered
	}
	res := h.hold(wire.SubscribeParams{Addresses: []string{
		beta, "n.py --lines 4:5@07407f1c", "repo:l.py --lines 4:5@07407f1c", "repo:m.py --lines 9:9@07407f1c", "repo:none.py --lines 4:5@07407f1c",
		beta, "repo:m.py", "repo:m.py --lines 4:5", "repo:../m.py --lines 4:5@07407f1c", "snapshot:0123456789ab --lines 4:5@07407f1c",
		"repo:out/o.py --lines 4:5@07407f1c",
	}, Common: wire.Common{Dir: "d"}})
	var got []string
	for _, o := range res.Outcomes {
		got = append(got, o.Outcome)
	}
	same(t, got, "verified", "verified", "verified", "lost", "lost", "verified", "error", "error", "error", "lost", "verified")
	if res.Held != 6 || res.Unheard != 1 {
		t.Errorf("%d held, %d of them unheard", res.Held, res.Unheard)
	}
	same(t, briefly(h.news()))
	path := filepath.Join(ws.Root, "m.py")

	write(t, path, "# new\n"+seedFile)
	same(t, briefly(h.news()), beta+" moved from 4:5 to 5:6 repo:m.py --lines 5:6@07407f1c")
	write(t, path, "# newer\n# new\n"+seedFile)
	same(t, briefly(h.news()), beta+" moved from 5:6 to 6:7 repo:m.py --lines 6:7@07407f1c")
	write(t, path, strings.ReplaceAll(seedFile, "return 2", "return 22"))
	news := h.news()
	if len(news) != 1 || news[0].Error == nil || news[0].Error.Error != wire.AnchorStale || news[0].Error.Captured == nil || news[0].From == nil || *news[0].From != (wire.Lines{6, 7}) {
		t.Errorf("%+v", news)
	}
	write(t, path, "\n"+strings.ReplaceAll(seedFile, "return 2", "return 22")) // still gone
	for _, c := range h.news() {
		if c.Kind != wire.Edited { // what it became may move
			t.Errorf("%+v", c)
		}
	}
	write(t, path, seedFile)
	same(t, briefly(h.news()), beta+" restored to 4:5")

	// Through a link, by the name that was held; and a file that is born, or born again.
	write(t, filepath.Join(ws.Root, "d/n.py"), "# new\n"+seedFile)
	write(t, filepath.Join(ws.Root, "none.py"), seedFile)
	same(t, briefly(h.news()), "n.py --lines 4:5@07407f1c moved from 4:5 to 5:6 repo:d/n.py --lines 5:6@07407f1c",
		"repo:l.py --lines 4:5@07407f1c moved from 4:5 to 5:6 repo:l.py --lines 5:6@07407f1c", "repo:none.py --lines 4:5@07407f1c restored to 4:5")
	if err := os.Rename(path, path+"~"); err != nil {
		t.Fatal(err)
	}
	if news := h.news(); len(news) != 1 || news[0].Kind != wire.Lost && news[0].Kind != wire.Edited {
		t.Errorf("%+v", news)
	}
	if err := os.Rename(path+"~", path); err != nil {
		t.Fatal(err)
	}
	same(t, briefly(h.news()), beta+" restored to 4:5")

	// What is let go is told no more; who holds nothing is told nothing.
	if res := h.hold(wire.SubscribeParams{Drop: []string{beta, "repo:m.py --lines 1:1@07407f1c"}}); res.Held != 5 {
		t.Errorf("%d held", res.Held)
	}
	write(t, path, "# new\n"+seedFile)
	same(t, briefly(h.news()))
	same(t, briefly(other.news()))
}

// TestSubscribeIgnored: no event tells of an ignored file; it is looked at all the same.
func TestSubscribeIgnored(t *testing.T) {
	ws, _, connect := serveHolders(t, map[string]string{".gitignore": "out\n", ".git/HEAD": "", "out/o.py": seedFile})
	h := connect()
	h.hold(wire.SubscribeParams{Addresses: []string{"repo:out/o.py --lines 4:5@07407f1c"}})
	write(t, filepath.Join(ws.Root, "out/o.py"), "# new\n"+seedFile)
	select {
	case <-h.arrived:
	case <-time.After(patience):
		t.Fatal("nothing was told")
	}
	same(t, briefly(h.news()), "repo:out/o.py --lines 4:5@07407f1c moved from 4:5 to 5:6 repo:out/o.py --lines 5:6@07407f1c")
}

// TestSubscribeUnwatched: a directory that the system does not watch for us is looked at, without being asked.
func TestSubscribeUnwatched(t *testing.T) {
	files := map[string]string{"m.py": seedFile}
	for i := range 20 {
		files[fmt.Sprintf("d%d/n.py", i)] = seedFile
	}
	ws, _, connect := serveHoldersWith(t, ParseUserConfig("", []byte("[watch]\nmax_watches = 3\n")), files)
	h := connect()
	var all []string
	for i := range 20 {
		all = append(all, fmt.Sprintf("repo:d%d/n.py --lines 4:5@07407f1c", i))
	}
	h.hold(wire.SubscribeParams{Addresses: all})
	if len(ws.cur.Load().told.blind) == 0 {
		t.Fatal("everything is watched")
	}
	write(t, filepath.Join(ws.Root, ws.cur.Load().told.blind[0].Path, "n.py"), "# new\n"+seedFile)
	select {
	case <-h.arrived:
	case <-time.After(patience):
		t.Fatal("nothing was told")
	}
}

// TestSubscribeUnasked: nobody has to ask for news to come.
func TestSubscribeUnasked(t *testing.T) {
	ws, _, connect := serveHolders(t, map[string]string{"m.py": seedFile})
	h := connect()
	h.hold(wire.SubscribeParams{Addresses: []string{beta}})
	write(t, filepath.Join(ws.Root, "m.py"), "# new\n"+seedFile)
	select {
	case <-h.arrived: // without a request of any kind
	case <-time.After(patience):
		t.Fatal("nothing was told")
	}
	same(t, briefly(h.news()), beta+" moved from 4:5 to 5:6 repo:m.py --lines 5:6@07407f1c")
}

// TestSubscribeReplay: the log of what was told is that of the brute-force replay, edit by edit.
func TestSubscribeReplay(t *testing.T) {
	refillsLate(t)
	for seed := range uint64(4) {
		ws, _, connect := serveHolders(t, nil)
		m := newModel(seed, ws.Root, 6, 40)
		for path := range m.lines {
			m.save(t, path)
		}
		h := connect()
		h.hold(wire.SubscribeParams{Addresses: m.addresses(200)})
		told := 0
		for i := range 60 {
			path := m.edit()
			m.save(t, path)
			got := plainly(h.news())
			told += len(got)
			if want := m.expect(path); !slices.Equal(got, want) {
				t.Fatalf("seed %d, edit %d of %s: told\n%s\nwant\n%s", seed, i, path, strings.Join(got, "\n"), strings.Join(want, "\n"))
			}
		}
		if told < 100 {
			t.Errorf("seed %d: only %d changes", seed, told)
		}
	}
}

// TestSubscribeSlowPeer: a peer that does not read what it is told stalls nobody, is remembered by no queue, and is told the
// last state of each address when it reads again.
func TestSubscribeSlowPeer(t *testing.T) {
	ws, _, connect := serveHolders(t, nil)
	m := newModel(1, ws.Root, 4, 300)
	for path := range m.lines {
		m.save(t, path)
	}
	addresses := m.addresses(2000)
	quick := connect()
	quick.hold(wire.SubscribeParams{Addresses: addresses})
	stalled, read := make(chan struct{}), make(chan struct{})
	var once sync.Once
	at := map[string]*wire.Lines{}
	notifications, changes := 0, 0
	slow := &holder{t: t, root: ws.Root}
	c, err := client.Dial(t.Context(), client.Options{Socket: quick.socket, OnAnchorChanged: func(c wire.AnchorChanged) {
		once.Do(func() { close(stalled) })
		<-read
		slow.mu.Lock()
		defer slow.mu.Unlock()
		notifications++
		for _, one := range c.Changes {
			if was, ok := at[one.Address]; ok && !sameLines(was, one.From) {
				t.Errorf("%s: told %v, then from %v", one.Address, was, one.From)
			}
			changes++
			at[one.Address] = one.Lines
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	slow.Client = c
	defer c.Close()
	slow.hold(wire.SubscribeParams{Addresses: addresses})
	all := 0
	for i := range 120 {
		path := m.edit()
		m.save(t, path)
		all += len(plainly(quick.news()))
		m.expect(path)
		if i == 0 {
			<-stalled
		}
	}
	close(read)
	slow.hold(wire.SubscribeParams{})
	slow.mu.Lock()
	defer slow.mu.Unlock()
	for address, h := range m.held {
		lines, told := at[address]
		if now := h.at; told && !sameLines(lines, linesOrNil(now)) || !told && now != h.sel.Span {
			t.Errorf("%s was told to be at %v and is at %v", address, lines, now)
		}
	}
	if changes >= all/2 {
		t.Errorf("%d changes in %d notifications, of %d", changes, notifications, all)
	}
	t.Logf("quick: %d changes; slow: %d in %d notifications", all, changes, notifications)
}

func linesOrNil(s anchors.Span) *wire.Lines {
	if s.First == 0 {
		return nil
	}
	return &wire.Lines{s.First, s.Last}
}

func sameLines(a, b *wire.Lines) bool {
	return a == nil && b == nil || a != nil && b != nil && *a == *b
}

// TestSubscribeRootReplaced: what is held is held at the path, whatever directory stands there (CASES F8).
func TestSubscribeRootReplaced(t *testing.T) {
	ws, _, connect := serveHolders(t, map[string]string{"m.py": seedFile})
	h := connect()
	h.hold(wire.SubscribeParams{Addresses: []string{beta}})
	if err := os.Rename(ws.Root, ws.Root+"-old"); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(ws.Root, "m.py"), "# new\n"+seedFile)
	same(t, briefly(h.news()), beta+" moved from 4:5 to 5:6 repo:m.py --lines 5:6@07407f1c")
	write(t, filepath.Join(ws.Root, "m.py"), seedFile)
	same(t, briefly(h.news()), beta+" moved from 5:6 to 4:5")
}

// TestSubscribeMovedAway: what is gone is told with where it went, once.
func TestSubscribeMovedAway(t *testing.T) {
	ws, _, connect := serveHolders(t, map[string]string{"m.py": seedFile})
	h := connect()
	res, err := h.Get(t.Context(), wire.GetParams{Common: wire.Common{Root: ws.Root}, Ref: "repo:m.py", Lines: "4:5"})
	if err != nil {
		t.Fatal(err)
	}
	h.hold(wire.SubscribeParams{Addresses: []string{res.Live.Address}})
	if err := os.Rename(filepath.Join(ws.Root, "m.py"), filepath.Join(ws.Root, "n.py")); err != nil {
		t.Fatal(err)
	}
	news := h.news()
	if len(news) != 1 || news[0].Error == nil || news[0].Error.Became == nil {
		t.Fatalf("%+v", news)
	}
	if b := news[0].Error.Became; b.Kind != wire.Renamed || b.Address != "repo:n.py --lines 4:5@07407f1c" {
		t.Errorf("%+v", b)
	}
}

// TestSubscribeSettles: an answer waits for what was changed before the question, and not for what never ends.
func TestSubscribeSettles(t *testing.T) {
	ws, _, connect := serveHolders(t, map[string]string{"m.py": seedFile, "n.py": seedFile})
	h := connect()
	h.hold(wire.SubscribeParams{Addresses: []string{beta, "repo:n.py --lines 4:5@07407f1c"}})
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() { // ends with the test
		defer close(stopped)
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			default:
				write(t, filepath.Join(ws.Root, "n.py"), strings.Repeat("#\n", i%50)+seedFile)
			}
		}
	}()
	for i := range 20 {
		write(t, filepath.Join(ws.Root, "m.py"), strings.Repeat("# new\n", i+1)+seedFile)
		told := false
		for _, c := range h.news() {
			told = told || c.Address == beta && c.Lines != nil && c.Lines[0] == 5+i
		}
		if !told {
			t.Errorf("edit %d was not told", i)
		}
	}
	close(stop)
	<-stopped
}

// TestSubscriptionEnds: with its connection, whatever it was doing; until then its workspace stays.
func TestSubscriptionEnds(t *testing.T) {
	ws, d, connect := serveHolders(t, map[string]string{"m.py": seedFile})
	h := connect()
	h.hold(wire.SubscribeParams{Addresses: []string{beta}})
	d.rest(time.Now().Add(2 * unloadAfter))
	if len(d.opened()) != 1 {
		t.Fatal("unloaded while somebody holds addresses")
	}
	h.Close()
	if err := <-h.ended; !errors.Is(err, client.ErrClosed) || len(h.ended) > 0 {
		t.Errorf("%v", err)
	}
	for ws.listeners.any() {
		if err := ws.sync(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	d.sessions.mu.Lock()
	open := len(d.sessions.open)
	d.sessions.mu.Unlock()
	if open != 0 {
		t.Errorf("%d sessions are left", open)
	}
	d.rest(time.Now().Add(2 * unloadAfter))
	if len(d.opened()) != 0 {
		t.Error("not unloaded")
	}
}

// TestSubscribeRefuses: too much, and from nowhere.
func TestSubscribeRefuses(t *testing.T) {
	ws, d, connect := serveHolders(t, map[string]string{"m.py": seedFile})
	if _, err := d.Subscribe(ws, t.Context(), wire.SubscribeParams{}); word(err) != wire.Unsupported {
		t.Errorf("%v", err)
	}
	h := connect()
	_, err := h.Subscribe(t.Context(), wire.SubscribeParams{Common: wire.Common{Root: ws.Root}, Addresses: make([]string, maxAddresses+1)})
	if word(err) != wire.InvalidRequest {
		t.Errorf("%v", err)
	}
	sub, file := newSubscription(ws, nil), &heldFile{paths: []string{"m.py"}, ignored: []bool{false}}
	some := func(from, n int) (all []*held) {
		for i := range n {
			all = append(all, &held{address: fmt.Sprintf("repo:m.py --lines %d:%d@07407f1c", from+i, from+i), file: file})
		}
		return all
	}
	if added, err := sub.hold(some(1, maxHeld)); err != nil || len(added) != maxHeld {
		t.Errorf("%d, %v", len(added), err)
	}
	if _, err := sub.hold(some(maxHeld+1, 1)); word(err) != wire.InvalidRequest {
		t.Errorf("%v", err)
	}
	sub.drop([]string{"repo:m.py --lines 1:1@07407f1c"})
	if added, err := sub.hold(some(maxHeld+1, 1)); err != nil || len(added) != 1 {
		t.Errorf("%d, %v", len(added), err)
	}
}
