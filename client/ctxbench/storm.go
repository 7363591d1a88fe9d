package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"ctxd/client"
	"ctxd/client/wire"
)

const (
	// clientPause is between two questions of one client: eight without a pause would leave git no core
	// of two.
	clientPause = 10 * time.Millisecond
	// stepEvery is from the beginning of one change to that of the next, and stepGap at least from its
	// end: without a gap no answer would have to be exactly one state's.
	stepEvery = 500 * time.Millisecond
	stepGap   = 200 * time.Millisecond
	// quietFor is how long the clients ask before the storm.
	quietFor = 2 * time.Second
	// mostFaults are printed of each storm.
	mostFaults = 5
)

// storm changes the tree between two states, 0 and 1, again and again.
type storm struct {
	name  string
	times int
	// set makes one of the states of the other; the tree is in state 0 at first.
	set func(ctx context.Context, b *bench, root string, state int) error
	// prepare, if there is one, comes before everything else and leaves the tree in state 0.
	prepare func(ctx context.Context, b *bench, root string) error
	// steady says that no file that is indexed changes: every answer is exact.
	steady bool
}

// stormy is the tree that the storms go over, and what they are judged by.
type stormy struct {
	root         string
	older, newer string // commits
	names        []string
	daemon       process
	settled      int64 // resident memory after the last rest
}

// branches is the switching of branches alone; storms are all there are.
func branches(ctx context.Context, b *bench) error {
	only := allStorms[0]
	only.times = b.times(only.times)
	return b.weather(ctx, []storm{only})
}

func storms(ctx context.Context, b *bench) error { return b.weather(ctx, allStorms) }

// weather prepares one tree and lets the storms go over it, one after the other.
func (b *bench) weather(ctx context.Context, all []storm) error {
	if b.git == "" {
		return errors.New("--git REPO is needed, a repository with at least a year of history")
	}
	w := &stormy{root: filepath.Join(b.tmp, "storm")}
	if err := b.clone(ctx, w.root); err != nil {
		return err
	}
	var err error
	if w.older, w.newer, err = yearApart(ctx, w.root, b.from, b.to); err != nil {
		return err
	}
	b.from, b.to = w.older, w.newer
	diff, err := git(ctx, w.root, "diff", "--unified=0", "--no-ext-diff", w.older, w.newer)
	if err != nil {
		return err
	}
	words := candidates(diff)
	if _, err := git(ctx, w.root, "checkout", "--quiet", "--detach", w.older); err != nil {
		return err
	}
	c, s, err := b.warm(ctx, w.root)
	if err != nil {
		return err
	}
	defer c.Close()
	w.daemon = process{s.PID}
	before, err := learn(ctx, c, w.root, words)
	if err != nil {
		return err
	}
	if _, err := git(ctx, w.root, "checkout", "--quiet", "--detach", w.newer); err != nil {
		return err
	}
	after, err := learn(ctx, c, w.root, words)
	if err != nil {
		return err
	}
	var kinds [4]int
	w.names, kinds = sample(words, after, before)
	files, err := git(ctx, w.root, "diff", "--name-only", w.older, w.newer)
	if err != nil {
		return err
	}
	fmt.Fprintf(b.out, "  %.12s and %.12s differ in %d files; names: %d only in the newer, %d only in the older, %d the same in both, %d not\n",
		w.newer, w.older, countLines(files), kinds[0], kinds[1], kinds[2], kinds[3])
	if len(w.names) == 0 {
		return errors.New("no names to ask for: the commits differ in no definition")
	}
	if err := pause(ctx, b.idle); err != nil {
		return err
	}
	w.settled = w.daemon.resident()
	for _, s := range all {
		if err := b.goOver(ctx, c, w, s); err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
	}
	return nil
}

// goOver is one storm: what is true in each state first, then quiet questions, the storm, and rest.
func (b *bench) goOver(ctx context.Context, c *client.Client, w *stormy, s storm) error {
	if s.prepare != nil {
		if err := s.prepare(ctx, b, w.root); err != nil {
			return err
		}
	}
	states := make([]truth, 2)
	for _, state := range []int{1, 0} {
		if err := s.set(ctx, b, w.root, state); err != nil {
			return err
		}
		var err error
		if states[state], err = learn(ctx, c, w.root, w.names); err != nil {
			return err
		}
	}
	// In a state of this storm an answer may be too large to compare, and its truth is not known.
	names := slices.DeleteFunc(slices.Clone(w.names), func(name string) bool {
		_, one := states[0][name]
		_, other := states[1][name]
		return !one || !other
	})
	if len(names) == 0 {
		return errors.New("no names to ask for")
	}
	quiet, err := b.ask(ctx, w.root, names, func() error { return pause(ctx, quietFor) })
	if err != nil {
		return err
	}
	if err := w.daemon.forgetPeak(); err != nil {
		return err
	}
	spent, err := w.daemon.cpu()
	if err != nil {
		return err
	}
	steps := []step{{state: 0}}
	var began, ended time.Time
	answers, err := b.ask(ctx, w.root, names, func() error {
		began = time.Now()
		defer func() { ended = time.Now() }()
		for i := range s.times {
			next := step{state: (i + 1) % 2, begin: time.Now()}
			if err := s.set(ctx, b, w.root, next.state); err != nil {
				return err
			}
			next.end = time.Now()
			steps = append(steps, next)
			if err := pause(ctx, max(stepEvery-next.end.Sub(next.begin), stepGap)); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	if _, _, err := indexed(ctx, c, w.root); err != nil {
		return err
	}
	caughtUp := time.Since(ended)
	busy, err := w.daemon.cpu()
	if err != nil {
		return err
	}
	peak := w.daemon.peak()
	if err := pause(ctx, b.idle); err != nil {
		return err
	}
	b.stormReport(s, began, quiet, answers, judgeAnswers(quiet, answers, steps, states, s.steady))
	rest := w.daemon.resident()
	fmt.Fprintf(b.out, "  %d changes in %v; nothing pending %v after; daemon's processor time %v\n",
		s.times, round(ended.Sub(began)), round(caughtUp), round(busy-spent))
	fmt.Fprintf(b.out, "  resident before %d MB, peak %d MB, after %v of rest %d MB\n", w.settled>>20, peak>>20, b.idle, rest>>20)
	b.judge(atMostBytes(s.name+": resident memory after, beside before", rest, w.settled, 1.25))
	w.settled = rest
	return nil
}

func (b *bench) stormReport(s storm, began time.Time, quiet, answers []asked, j judgement) {
	fmt.Fprintf(b.out, "%s\n", s.name)
	b.row("def, 8 clients, quiet", latencies(quiet), echoes(quiet))
	b.row("def, 8 clients, in the storm", latencies(answers), echoes(answers))
	b.row("  an echo call after each", echoes(answers), nil)
	fmt.Fprintf(b.out, "  %d answers: %d before the storm, %d between changes, %d while something changed; %d wrong\n",
		j.of, len(quiet), j.of-j.during-len(quiet), j.during, len(j.faults))
	slow := slices.MaxFunc(answers, func(x, y asked) int { return cmp.Compare(x.came.Sub(x.sent), y.came.Sub(y.sent)) })
	fmt.Fprintf(b.out, "  the slowest: def %s, asked for %v after the beginning\n", slow.name, round(slow.sent.Sub(began)))
	for _, fault := range j.faults[:min(len(j.faults), mostFaults)] {
		fmt.Fprintln(b.out, "  WRONG:", fault)
	}
	b.judge(none(s.name+": wrong answers", len(j.faults), j.of))
	b.judge(atMost(s.name+": def in the storm, p99", latencies(answers).at(0.99), 25*time.Millisecond))
}

// step is one change of the tree: it is in state from end on.
type step struct {
	begin, end time.Time
	state      int
}

// asked is one question and what came back.
type asked struct {
	name       string
	sent, came time.Time
	rows       []row
	err        error         // a refusal
	echo       time.Duration // an echo call by the same client at once after it: what the processors and the socket take
}

func latencies(all []asked) samples {
	s := make(samples, len(all))
	for i, a := range all {
		s[i] = a.came.Sub(a.sent)
	}
	return s
}

func echoes(all []asked) samples {
	s := make(samples, len(all))
	for i, a := range all {
		s[i] = a.echo
	}
	return s
}

// ask has eight clients ask while f runs.
func (b *bench) ask(ctx context.Context, root string, names []string, f func() error) ([]asked, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var all []asked
	var failed error
	var mu sync.Mutex
	var clients sync.WaitGroup
	done := make(chan struct{})
	for k := range askers {
		clients.Go(func() {
			got, err := b.keepAsking(ctx, root, names[k*len(names)/askers:], names, done)
			mu.Lock()
			defer mu.Unlock()
			if all = append(all, got...); err != nil {
				failed = err
			}
		})
	}
	err := f()
	close(done)
	clients.Wait()
	if err == nil {
		err = failed
	}
	return all, err
}

// keepAsking is one client: it asks for the first names, and then for all of them again and again,
// until done.
func (b *bench) keepAsking(ctx context.Context, root string, first, names []string, done chan struct{}) ([]asked, error) {
	c, err := b.start(ctx)
	if err != nil {
		return nil, err
	}
	defer c.Close()
	var all []asked
	for left := first; ; left = left[1:] {
		if len(left) == 0 {
			left = names
		}
		a := asked{name: left[0], sent: time.Now()}
		a.rows, _, a.err = askRows(ctx, c, root, a.name)
		a.came = time.Now()
		if _, refused := errors.AsType[*wire.Error](a.err); a.err != nil && !refused {
			return all, a.err
		}
		if a.echo, err = timed(func() error { _, err := c.Echo(ctx, wire.DefParams{Target: a.name}); return err }); err != nil {
			return all, err
		}
		all = append(all, a)
		select {
		case <-done:
			return all, nil
		case <-time.After(clientPause):
		}
	}
}

// judgement counts answers.
type judgement struct {
	of, during int // all; those that were given while the tree changed
	faults     []string
}

// judgeAnswers compares answers with what was true: those whose question was sent after one change had
// ended and that came before the next began with that state, the others with all states that the
// changes beside them lead from and to. Refusals are right while the tree changes only.
func judgeAnswers(quiet, answers []asked, steps []step, states []truth, steady bool) judgement {
	var j judgement
	for _, a := range slices.Concat(quiet, answers) {
		last := steps[0].state
		beside := []truth(nil)
		for i, s := range steps[1:] {
			switch {
			case s.end.Before(a.sent):
				last = s.state
			case s.begin.Before(a.came):
				beside = append(beside, states[steps[i].state], states[s.state])
			}
		}
		j.of++
		exact := steady || len(beside) == 0
		if exact {
			beside = []truth{states[last]}
		} else {
			j.during++
		}
		if a.err != nil {
			if exact || len(a.rows) > 0 {
				j.faults = append(j.faults, fmt.Sprintf("def %s: refused: %v", a.name, a.err))
			}
			continue
		}
		if f := fault(a.name, a.rows, beside, exact); f != "" {
			j.faults = append(j.faults, f)
		}
	}
	return j
}

func countLines(text string) (n int) {
	for _, c := range text {
		if c == '\n' {
			n++
		}
	}
	return n
}
