package main

import (
	"errors"
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

func TestQuantiles(t *testing.T) {
	hundred := make(samples, 100)
	for i := range hundred {
		hundred[i] = time.Duration(i + 1)
	}
	rand.New(rand.NewPCG(1, 2)).Shuffle(len(hundred), func(i, j int) { hundred[i], hundred[j] = hundred[j], hundred[i] })
	before := slices.Clone(hundred)
	for _, c := range []struct {
		in   samples
		q    float64
		want time.Duration
	}{
		{hundred, 0, 1}, {hundred, 0.01, 1}, {hundred, 0.5, 50}, {hundred, 0.99, 99}, {hundred, 0.991, 100}, {hundred, 1, 100},
		{samples{7}, 0.5, 7}, {samples{3, 1, 2}, 0.5, 2}, {samples{2, 1}, 0.5, 1}, {samples{2, 1}, 0.99, 2}, {nil, 0.5, 0},
	} {
		if got := c.in.at(c.q); got != c.want {
			t.Errorf("quantile %v of %d samples: %d, want %d", c.q, len(c.in), got, c.want)
		}
	}
	if !slices.Equal(hundred, before) {
		t.Error("the samples were reordered")
	}
}

// Every turn is timed as often, after one round that does not count, and goes first in its turn.
func TestInTurns(t *testing.T) {
	var order string
	var a, b samples
	step := func(name string) func() error { return func() error { order += name; return nil } }
	if err := inTurns(3, turn{&a, step("a")}, turn{&b, step("b")}); err != nil {
		t.Fatal(err)
	}
	if len(a) != 3 || len(b) != 3 || order != "ab"+"ab"+"ba"+"ab" {
		t.Errorf("%d and %d samples in the order %s", len(a), len(b), order)
	}
	broken := errors.New("broken")
	if err := inTurns(3, turn{&a, func() error { return broken }}); !errors.Is(err, broken) || len(a) != 3 {
		t.Errorf("%v after %d samples", err, len(a))
	}
}

func TestSpread(t *testing.T) {
	for _, c := range []struct {
		all, n int
		want   []int
	}{
		{0, 3, []int{}}, {2, 3, []int{0, 1}}, {3, 3, []int{0, 1, 2}}, {10, 3, []int{0, 3, 6}}, {10, 0, []int{}},
	} {
		all := make([]int, c.all)
		for i := range all {
			all[i] = i
		}
		if got := spread(all, c.n); !slices.Equal(got, c.want) {
			t.Errorf("%d of %d: %v, want %v", c.n, c.all, got, c.want)
		}
	}
}
