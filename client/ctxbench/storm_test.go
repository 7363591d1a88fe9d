package main

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestCandidates(t *testing.T) {
	const diff = "diff --git a/x.go b/x.go\n--- a/x.go\n+++ b/x.go\n@@ -1 +1 @@ func context\n-func gone(a int)\n+func came(a int)\n unchanged\n"
	got := candidates(diff)
	again := candidates(diff)
	if !slices.Equal(got, again) {
		t.Errorf("%q, then %q", got, again)
	}
	slices.Sort(got)
	if strings.Join(got, " ") != "came func gone" {
		t.Errorf("%q", got)
	}
}

func TestSample(t *testing.T) {
	x, y := []row{{path: "x"}}, []row{{path: "y"}}
	a := truth{"new": x, "old": nil, "both": x, "moved": x, "nowhere": nil, "cut": x}
	b := truth{"new": nil, "old": x, "both": x, "moved": y, "nowhere": nil}
	names, kinds := sample([]string{"nowhere", "moved", "cut", "both", "old", "new", "unasked"}, a, b)
	if strings.Join(names, " ") != "moved both old new" || kinds != [4]int{1, 1, 1, 1} {
		t.Errorf("%q, %v", names, kinds)
	}
	var many []string
	all := truth{}
	for i := range 3 * perKind {
		many = append(many, markName(0, i))
		all[many[i]] = x
	}
	if names, _ := sample(many, all, all); len(names) != perKind {
		t.Errorf("%d names", len(names))
	}
}

// What is wrong depends on when it was asked and answered.
func TestJudgeAnswers(t *testing.T) {
	start := time.Now()
	at := func(ms int) time.Time { return start.Add(time.Duration(ms) * time.Millisecond) }
	old, now := row{path: "f.go", text: "old"}, row{path: "f.go", text: "now"}
	states := []truth{{"f": {old}}, {"f": {now}, "g": {now}}}
	steps := []step{{state: 0}, {at(100), at(200), 1}, {at(300), at(400), 0}}
	refused := errors.New("refused")
	for _, c := range []struct {
		what       string
		sent, came int
		name       string
		rows       []row
		err        error
		faults     int
		during     int
	}{
		{"before all", 0, 99, "f", []row{old}, nil, 0, 0},
		{"before all, of the future", 0, 99, "f", []row{now}, nil, 1, 0},
		{"between", 201, 299, "f", []row{now}, nil, 0, 0},
		{"between, stale", 201, 299, "f", []row{old}, nil, 1, 0},
		{"between, missed", 201, 299, "g", nil, nil, 1, 0},
		{"between, one too many", 201, 299, "f", []row{now, old}, nil, 1, 0},
		{"between, refused", 201, 299, "f", nil, refused, 1, 0},
		{"after all", 401, 500, "g", nil, nil, 0, 0},
		{"in a change, before it", 50, 150, "f", []row{old}, nil, 0, 1},
		{"in a change, after it", 150, 160, "f", []row{now}, nil, 0, 1},
		{"in a change, missing", 150, 160, "f", nil, nil, 0, 1},
		{"in a change, refused", 150, 160, "f", nil, refused, 0, 1},
		{"in a change, of no state", 150, 160, "f", []row{{path: "f.go", text: "o"}}, nil, 1, 1},
		{"over two changes", 150, 350, "f", []row{old}, nil, 0, 1},
	} {
		j := judgeAnswers(nil, []asked{{name: c.name, sent: at(c.sent), came: at(c.came), rows: c.rows, err: c.err}}, steps, states, false)
		if len(j.faults) != c.faults || j.during != c.during || j.of != 1 {
			t.Errorf("%s: %+v", c.what, j)
		}
	}
	same := []truth{{"f": {old}}, {"f": {old}}}
	if j := judgeAnswers(nil, []asked{{name: "f", sent: at(150), came: at(160)}}, steps, same, true); len(j.faults) != 1 || j.during != 0 {
		t.Errorf("missing while nothing that counts changes: %+v", j)
	}
	if j := judgeAnswers([]asked{{name: "f", sent: at(-10), came: at(-5), rows: []row{now}}}, nil, steps, states, false); len(j.faults) != 1 {
		t.Errorf("wrong before the storm: %+v", j)
	}
}

func TestOlderBy(t *testing.T) {
	const history = "ccc 100000000\nbbb 99000000\naaa 60000000\nzzz 1\n"
	if got, err := olderBy(history, aYear); err != nil || got != "aaa" {
		t.Errorf("%q, %v", got, err)
	}
	for _, short := range []string{"", "ccc 100\nbbb 50\n", "ccc x\n"} {
		if got, err := olderBy(short, aYear); err == nil {
			t.Errorf("%q of %q", got, short)
		}
	}
}
