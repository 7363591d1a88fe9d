package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"ctxd/client"
	"ctxd/client/wire"
)

const (
	// subscribed is how many addresses are held, in subscribedFiles files.
	subscribed      = 10_000
	subscribedFiles = 500
	// slowly is how long the slow subscriber takes for each notification.
	slowly = 200 * time.Millisecond
	// newsLimit bounds the wait for what should be told; after it, what was is compared.
	newsLimit = 2 * time.Second
)

// subscribe holds 10,000 addresses and edits their files. First one edit at a time: what is told must be what a replay that
// looks for the lines of every address in the new text says, no more and no less; the time is from the beginning
// of the write to the last of it. Then all edits at once, with a second subscriber that is slow: both must
// end with the truth, and neither the first nor a bystander may wait for the second.
func subscribe(ctx context.Context, b *bench) error {
	m, err := newReplay(b)
	if err != nil {
		return err
	}
	for path := range m.files {
		if err := m.save(path, 0); err != nil {
			return err
		}
	}
	c, before, err := b.warm(ctx, m.root)
	if err != nil {
		return err
	}
	defer c.Close()
	s := &subscriber{arrived: make(chan struct{}, 1), state: map[string]*wire.Lines{}}
	if s.Client, err = client.Dial(ctx, client.Options{OnAnchorChanged: s.changed}); err != nil {
		return err
	}
	defer s.Close()
	if err := m.take(ctx, c); err != nil {
		return err
	}
	took, err := timed(func() error { return s.subscribe(ctx, m) })
	if err != nil {
		return err
	}
	after, err := c.Status(ctx, wire.StatusParams{})
	if err != nil {
		return err
	}
	fmt.Fprintf(b.out, "  %d addresses in %d files: subscribed in %s, resident %s before and %s after\n", len(m.held), len(m.files), took.Round(time.Millisecond/10),
		megabytes(before.Process.Resident), megabytes(after.Process.Resident))
	if err := b.oneByOne(ctx, m, s, c); err != nil {
		return err
	}
	return b.atOnce(ctx, m, s, c)
}

func megabytes(n int64) string { return fmt.Sprintf("%.1f MB", float64(n)/1e6) }

// oneByOne edits, and waits for what is told of each edit.
func (b *bench) oneByOne(ctx context.Context, m *replay, s *subscriber, c *client.Client) error {
	bell, err := newBell(m.root)
	if err != nil {
		return err
	}
	defer bell.close()
	var moved, gone, floor, echo samples
	told, wrong, refused := 0, 0, 0
	for i := range b.times(10_000) {
		path := m.edit()
		began := time.Now()
		if err := m.save(path, i); err != nil {
			return err
		}
		want := m.expect(path)
		rang, err := bell.rang(path)
		if err != nil {
			return err
		}
		news, last, err := s.wait(ctx, len(want))
		if err != nil {
			return err
		}
		if len(want) > 0 && len(news) >= len(want) {
			into := &moved
			if slices.ContainsFunc(want, func(c string) bool { return strings.HasSuffix(c, whereIs(nil)) }) {
				into = &gone
			}
			*into, floor = append(*into, last.Sub(began)), append(floor, rang.Sub(began))
		}
		more, err := s.rest(ctx, m.root)
		if err != nil {
			return err
		}
		news = append(news, more...)
		slices.Sort(news)
		told += len(news)
		if !slices.Equal(news, want) {
			gone, err := m.refused(ctx, c, s, path)
			if err != nil {
				return err
			}
			refused += len(gone)
			if want = slices.DeleteFunc(want, gone.has); slices.Equal(slices.DeleteFunc(news, gone.has), want) {
				continue
			}
			if wrong++; wrong <= b.misses {
				fmt.Fprintf(b.out, "  WRONG: edit %d of %s told\n    %s\n  and should have told\n    %s\n", i, path, strings.Join(news, "\n    "), strings.Join(want, "\n    "))
			}
		}
		e, err := timed(func() error { _, err := c.Echo(ctx, struct{}{}); return err })
		if err != nil {
			return err
		}
		echo = append(echo, e)
	}
	b.row("write → told, of what moved or came back", moved, floor)
	b.row("write → told, with what is gone and became", gone, floor)
	b.row("  an echo call, for comparison", echo, nil)
	fmt.Fprintf(b.out, "  %d changes were told in %d edits; %d addresses were let go because ctx/resolve, too, refuses them though their lines are there\n",
		told, b.times(10_000), refused)
	b.judge(none("edits after which the log differs from the replay", wrong, b.times(10_000)))
	b.judge(atMost("write → told, p99", slices.Concat(moved, gone).at(0.99), 25*time.Millisecond))
	return nil
}

// atOnce edits without a pause: first for the one subscriber, then with another that is slow.
func (b *bench) atOnce(ctx context.Context, m *replay, s *subscriber, c *client.Client) error {
	alone, err := b.edits(ctx, m, c, s)
	if err != nil {
		return err
	}
	slow := &subscriber{arrived: make(chan struct{}, 1), state: map[string]*wire.Lines{}, pause: slowly}
	if slow.Client, err = client.Dial(ctx, client.Options{OnAnchorChanged: slow.changed}); err != nil {
		return err
	}
	defer slow.Close()
	before, err := m.agree(ctx, c, s)
	if err != nil {
		return err
	}
	if err := slow.subscribe(ctx, m); err != nil {
		return err
	}
	beside, err := b.edits(ctx, m, c, s, slow)
	if err != nil {
		return err
	}
	after, err := m.agree(ctx, c, s)
	if err != nil {
		return err
	}
	fmt.Fprintf(b.out, "  %d more addresses were let go; %d in all had been told to be there\n", before+after, m.unsteady)
	b.row("a bystander's call during edits, with a slow peer", beside, alone)
	untrue, slowly := m.untrue(s), m.untrue(slow)
	for _, what := range slices.Concat(untrue, slowly)[:min(b.misses, len(untrue)+len(slowly))] {
		fmt.Fprintf(b.out, "  UNTRUE: %s\n", what)
	}
	b.judge(none("addresses of which the last that was told is not true", len(untrue), len(m.held)))
	b.judge(none("  told to the slow subscriber", len(slowly), len(m.held)))
	b.judge(none("  told from another state than the one before", s.broken+slow.broken, s.changes+slow.changes))
	return nil
}

// edits makes all edits at once, and times what somebody else asks meanwhile.
func (b *bench) edits(ctx context.Context, m *replay, c *client.Client, told ...*subscriber) (asked samples, err error) {
	for _, s := range told {
		s.reset()
	}
	changes, n := 0, b.times(10_000)
	took, err := timed(func() error {
		for i := range n {
			path := m.edit()
			if err := m.save(path, i); err != nil {
				return err
			}
			changes += len(m.expect(path))
			if i%10 > 0 {
				continue
			}
			d, err := timed(func() error {
				_, err := c.Resolve(ctx, wire.ResolveParams{Common: wire.Common{Root: m.root}, Addresses: m.order[:1]})
				return err
			})
			if asked = append(asked, d); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	fmt.Fprintf(b.out, "  %d edits at once, in %s, made %d changes\n", n, took.Round(time.Millisecond), changes)
	for i, s := range told {
		later, err := timed(func() error { _, err := s.rest(ctx, m.root); return err })
		if err != nil {
			return nil, err
		}
		who := "told"
		if i > 0 {
			who = "told to the slow peer"
		}
		fmt.Fprintf(b.out, "    %s: %d changes in %d notifications, the last %s behind\n", who, s.changes, s.notifications, later.Round(time.Millisecond))
	}
	return asked, nil
}

// subscriber is a client and what it was told.
type subscriber struct {
	*client.Client
	pause   time.Duration
	arrived chan struct{} // holds a token when something was told

	mu                     sync.Mutex
	news                   []string
	last                   time.Time
	state                  map[string]*wire.Lines // where each address was told to be
	changes, notifications int
	broken                 int // changes that do not begin where the one before ended
}

func (s *subscriber) changed(c wire.AnchorChanged) {
	now := time.Now()
	time.Sleep(s.pause) // a peer that is slow; nothing is waited for
	s.mu.Lock()
	defer s.mu.Unlock()
	s.last = now
	s.notifications++
	for _, one := range c.Changes {
		if one.Lines == nil && one.From == nil {
			continue // what a lost one became is now another place
		}
		s.changes++
		if was := s.state[one.Address]; (was == nil) != (one.From == nil) || was != nil && *was != *one.From {
			s.broken++
		}
		s.state[one.Address] = one.Lines
		s.news = append(s.news, entry(one.Address, one.From, one.Lines))
	}
	select {
	case s.arrived <- struct{}{}:
	default:
	}
}

// entry is one line of the log. What became of a lost one is not compared: the replay does not know it.
func entry(address string, from, to *wire.Lines) string {
	return fmt.Sprintf("%s: %s → %s", address, whereIs(from), whereIs(to))
}

func whereIs(l *wire.Lines) string {
	if l == nil {
		return "lost"
	}
	return fmt.Sprintf("%d:%d", l[0], l[1])
}

func (s *subscriber) subscribe(ctx context.Context, m *replay) error {
	res, err := s.Subscribe(ctx, wire.SubscribeParams{Common: wire.Common{Root: m.root}, Addresses: m.order})
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, o := range res.Outcomes {
		if h := m.held[m.order[i]]; whereIs(o.Lines) != whereIs(h.lines()) {
			return fmt.Errorf("%s is at %s, and was found at %s", m.order[i], whereIs(h.lines()), whereIs(o.Lines))
		}
		s.state[m.order[i]] = o.Lines
	}
	if res.Held != len(m.order) {
		return fmt.Errorf("%d of %d addresses are held", res.Held, len(m.order))
	}
	return nil
}

func (s *subscriber) reset() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.news, s.changes, s.notifications, s.broken = nil, 0, 0, 0
}

// wait returns what was told once that are n changes, and when the last came; nothing when they do not come.
func (s *subscriber) wait(ctx context.Context, n int) (news []string, last time.Time, err error) {
	limit := time.NewTimer(newsLimit)
	defer limit.Stop()
	for {
		s.mu.Lock()
		if len(s.news) >= n {
			news, s.news = s.news, nil
			last = s.last
			s.mu.Unlock()
			return news, last, nil
		}
		s.mu.Unlock()
		select {
		case <-s.arrived:
		case <-limit.C:
			return nil, last, nil
		case <-ctx.Done():
			return nil, last, ctx.Err()
		}
	}
}

// rest is what else is told: a subscription of nothing is answered when all is.
func (s *subscriber) rest(ctx context.Context, root string) ([]string, error) {
	if _, err := s.Subscribe(ctx, wire.SubscribeParams{Common: wire.Common{Root: root}}); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	news := s.news
	s.news = nil
	return news, nil
}

// untrue lists the addresses that were last told to be where they are not.
func (m *replay) untrue(s *subscriber) (all []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for address, h := range m.held {
		if told, is := whereIs(s.state[address]), whereIs(h.lines()); told != is {
			all = append(all, fmt.Sprintf("%s was last told to be at %s, and is at %s", address, told, is))
		}
	}
	slices.Sort(all)
	return all
}

// longEnough lists files of the tree that have enough lines to edit.
func longEnough(root string, n int) (paths []string, err error) {
	enough := errors.New("enough")
	err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() || filepath.Ext(path) != ".go" {
			return err
		}
		if info, err := d.Info(); err != nil || info.Size() < 2<<10 || info.Size() > 64<<10 {
			return err
		}
		if paths = append(paths, path); len(paths) == n {
			return enough
		}
		return nil
	})
	if errors.Is(err, enough) {
		err = nil
	}
	if err == nil && len(paths) == 0 {
		err = fmt.Errorf("no Go files of 2 to 64 KiB in %s", root)
	}
	return paths, err
}

// readLines are the lines of a file, each made one of its kind.
func readLines(path string, next func(string) string) ([]string, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var lines []string
	for line := range strings.Lines(string(text)) {
		lines = append(lines, next(strings.TrimRight(line, "\r\n")))
	}
	return lines, nil
}
