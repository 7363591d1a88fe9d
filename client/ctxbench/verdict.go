package main

import (
	"fmt"
	"time"
)

// verdict is one bar of the contract and what was measured against it.
type verdict struct {
	what, got, bar string
	met            bool
}

// ratio is got/floor; a floor of nothing counts as a nanosecond.
func ratio(got, floor time.Duration) float64 { return float64(got) / float64(max(floor, 1)) }

// atMostTimes judges a duration that may be at most so many times its floor.
func atMostTimes(what string, got, floor time.Duration, most float64) verdict {
	return atMostRatio(what, ratio(got, floor), most)
}

// atMostRatio judges a ratio.
func atMostRatio(what string, got, most float64) verdict {
	return verdict{what, fmt.Sprintf("%.2f ×", got), fmt.Sprintf("%.2f ×", most), got <= most}
}

// atMost judges a duration.
func atMost(what string, got, most time.Duration) verdict {
	return verdict{what, round(got).String(), most.String(), got <= most}
}

// none judges a count of what must not happen.
func none(what string, got, of int) verdict {
	return verdict{what, fmt.Sprintf("%d of %d", got, of), "0", got == 0 && of > 0}
}

// atLeast judges a count of what must have happened.
func atLeast(what string, got, least int) verdict {
	return verdict{what, fmt.Sprint(got), fmt.Sprintf("≥ %d", least), got >= least}
}

// atMostCount judges a count.
func atMostCount(what string, got, most int) verdict {
	return verdict{what, fmt.Sprint(got), fmt.Sprint(most), got <= most}
}

// same judges a count that must be what it was; one of nothing was not told, and is not judged well.
func same(what string, got, want int) verdict {
	return verdict{what, fmt.Sprint(got), fmt.Sprint(want), got == want && want > 0}
}

// atMostBytes judges memory by what it was before.
func atMostBytes(what string, got, before int64, most float64) verdict {
	v := atMostRatio(what, float64(got)/float64(max(before, 1)), most)
	v.met = v.met && got > 0
	return v
}

func (v verdict) String() string {
	word := "met"
	if !v.met {
		word = "NOT MET"
	}
	return fmt.Sprintf("%-58s %12s   bar %-8s %s", v.what, v.got, v.bar, word)
}

// judge keeps a verdict for the summary.
func (b *bench) judge(v verdict) { b.verdicts = append(b.verdicts, v) }

// summary lists the verdicts.
func (b *bench) summary() {
	if len(b.verdicts) == 0 {
		return
	}
	fmt.Fprintf(b.out, "bars (%s at the end)\n", load())
	for _, v := range b.verdicts {
		fmt.Fprintln(b.out, " ", v)
	}
}
