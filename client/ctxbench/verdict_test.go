package main

import (
	"strings"
	"testing"
	"time"
)

func TestVerdicts(t *testing.T) {
	const ms = time.Millisecond
	for _, c := range []struct {
		verdict
		want string
	}{
		{atMostTimes("a", 13*ms, 10*ms, 1.3), "a 1.30 × bar 1.30 × met"},
		{atMostTimes("b", 13001*time.Microsecond, 10*ms, 1.3), "b 1.30 × bar 1.30 × NOT MET"},
		{atMostTimes("no floor", ms, 0, 1.3), "no floor 1000000.00 × bar 1.30 × NOT MET"},
		{atMostRatio("c", 1.99, 2), "c 1.99 × bar 2.00 × met"},
		{atMost("d", 25*ms, 25*ms), "d 25ms bar 25ms met"},
		{atMost("e", 25*ms+1, 25*ms), "e 25ms bar 25ms NOT MET"},
		{none("f", 0, 10_000), "f 0 of 10000 bar 0 met"},
		{none("g", 1, 10_000), "g 1 of 10000 bar 0 NOT MET"},
		{atLeast("h", 10, 10), "h 10 bar ≥ 10 met"},
		{atLeast("i", 9, 10), "i 9 bar ≥ 10 NOT MET"},
		{atMostCount("j", 50, 50), "j 50 bar 50 met"},
		{atMostCount("k", 51, 50), "k 51 bar 50 NOT MET"},
		{same("l", 7, 7), "l 7 bar 7 met"},
		{same("m", 8, 7), "m 8 bar 7 NOT MET"},
		{same("not told", 0, 0), "not told 0 bar 0 NOT MET"},
		{atMostBytes("n", 125, 100, 1.25), "n 1.25 × bar 1.25 × met"},
		{atMostBytes("o", 126, 100, 1.25), "o 1.26 × bar 1.25 × NOT MET"},
		{atMostBytes("gone", 0, 100, 1.25), "gone 0.00 × bar 1.25 × NOT MET"},
		{none("nothing was tried", 0, 0), "nothing was tried 0 of 0 bar 0 NOT MET"},
	} {
		if got := strings.Join(strings.Fields(c.String()), " "); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

func TestSummary(t *testing.T) {
	var out strings.Builder
	b := &bench{out: &out}
	if b.summary(); out.Len() > 0 {
		t.Errorf("%q without a verdict", out.String())
	}
	b.judge(none("lost", 2, 3))
	b.judge(atMost("slow", time.Second, time.Minute))
	b.summary()
	if got := out.String(); strings.Count(got, "\n") != 3 || !strings.Contains(got, "NOT MET\n") || !strings.HasSuffix(got, " met\n") {
		t.Errorf("%s", got)
	}
}

func TestReadings(t *testing.T) {
	if p, err := readParsed("7711 files, 92123456 bytes, 12.345 s\n"); err != nil || p != (parsed{7711, 92123456, 12.345}) {
		t.Errorf("%+v, %v", p, err)
	}
	if _, err := readParsed("ctxd: unknown argument"); err == nil {
		t.Error("no error for what is no reading")
	}
	status := "Name:\tctxd\nVmHWM:\t  2048 kB\nVmRSS:\t  1024 kB\n"
	if statusField(status, "VmRSS:") != 1<<20 || statusField(status, "VmHWM:") != 2<<20 || statusField(status, "VmSwap:") != 0 {
		t.Error("the wrong figure of /proc/PID/status")
	}
}
