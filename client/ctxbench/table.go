package main

import (
	"fmt"
	"slices"
	"time"
)

// samples are durations of one kind of event.
type samples []time.Duration

func (s samples) at(q float64) time.Duration {
	if len(s) == 0 {
		return 0
	}
	sorted := slices.Clone(s)
	slices.Sort(sorted)
	return sorted[min(len(sorted)-1, int(q*float64(len(sorted))))]
}

// row prints one measurement beside its floor. bar is the most that the ratio may be; 0: no bar.
func (b *bench) row(what string, got, floor samples, bar float64) {
	ratio := float64(got.at(0.5)) / float64(max(floor.at(0.5), 1))
	verdict := ""
	if bar > 0 {
		verdict = "met"
		if ratio > bar {
			verdict = "MISSED"
		}
		verdict = fmt.Sprintf("  bar %.2f %s", bar, verdict)
	}
	fmt.Fprintf(b.out, "%-44s p50 %-10v p99 %-10v floor p50 %-10v ratio %.2f%s\n",
		what, round(got.at(0.5)), round(got.at(0.99)), round(floor.at(0.5)), ratio, verdict)
}

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
