package main

import (
	"fmt"
	"slices"
	"time"
)

// samples are durations of one kind of event.
type samples []time.Duration

// at is the quantile q in [0, 1] by nearest rank: the smallest sample that at least the share q of all
// are not above. 0 without samples.
func (s samples) at(q float64) time.Duration {
	if len(s) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(s))
	// 1e-9: 0.99 × 100 is a little more than 99 in binary.
	rank := int(q*float64(len(sorted)) + 1 - 1e-9)
	return sorted[min(max(rank, 1), len(sorted))-1]
}

// round keeps four digits or so.
func round(d time.Duration) time.Duration {
	switch {
	case d > time.Second:
		return d.Round(10 * time.Millisecond)
	case d > time.Millisecond:
		return d.Round(10 * time.Microsecond)
	}
	return d.Round(100 * time.Nanosecond)
}

// timed is how long f takes.
func timed(f func() error) (time.Duration, error) {
	start := time.Now()
	err := f()
	return time.Since(start), err
}

// turn is one of several things that are timed in turns: what disturbs the machine for a while
// disturbs them all alike.
type turn struct {
	into *samples
	call func() error
}

// inTurns times each of the turns n times, after one round that is not counted. The order rotates, so
// that none always runs in the wake of the same other.
func inTurns(n int, turns ...turn) error {
	for i := -1; i < n; i++ {
		for k := range turns {
			t := turns[(max(i, 0)+k)%len(turns)]
			d, err := timed(t.call)
			if err != nil {
				return err
			}
			if i >= 0 {
				*t.into = append(*t.into, d)
			}
		}
	}
	return nil
}

// row prints a measurement, beside its floor if there is one.
func (b *bench) row(what string, got, floor samples) {
	fmt.Fprintf(b.out, "  %-44s p50 %-9v p99 %-9v max %-9v", what, round(got.at(0.5)), round(got.at(0.99)), round(got.at(1)))
	if len(floor) > 0 {
		fmt.Fprintf(b.out, " floor p50 %-9v ratio %.2f", round(floor.at(0.5)), ratio(got.at(0.5), floor.at(0.5)))
	}
	fmt.Fprintln(b.out)
}
