package sitter

import (
	"bytes"
	"runtime"
	"sync"
	"testing"
	"time"
)

// TestWork: what a parse may do is a function of the bytes: the least budget that is enough is the same for a parser that
// is new and for one that was used, and while every processor is busy with something else. A limit of time let a file
// have other definitions on a busy machine.
// CASES P2.
func TestWork(t *testing.T) {
	l := open(t, "python", `(class_definition name: (identifier) @name)`)
	for what, src := range map[string][]byte{
		"sound":            bytes.Repeat([]byte("class A:\n    def m(self): return [1, 2, 3]\n"), 400),
		"broken":           bytes.Repeat([]byte("class ( def ]: return {1, 2\n"), 60),
		"unclosed strings": bytes.Repeat([]byte("f(\""), 1000),
	} {
		least := leastWork(l, src)
		if least < 2 {
			t.Fatalf("%s: %d is enough for %d bytes", what, least, len(src))
		}
		stop := make(chan struct{})
		var busy sync.WaitGroup
		for range 2 * runtime.GOMAXPROCS(0) {
			busy.Go(func() {
				for {
					select {
					case <-stop:
						return
					default:
					}
				}
			})
		}
		for range 2 {
			if o := l.Parse(src, Budget{Work: least}); o != Done {
				t.Errorf("%s: outcome %d with the work that was enough", what, o)
			}
			if o := l.Parse(src, Budget{Work: least - 1}); o != ParseTooMuch {
				t.Errorf("%s: outcome %d with less work than it takes", what, o)
			}
		}
		close(stop)
		busy.Wait()
	}
}

// leastWork is the least budget with which a new parser reads src.
func leastWork(l *Language, src []byte) uint64 {
	enough, short := plenty.Work, uint64(0)
	for enough-short > 1 {
		w := &Language{name: l.name, grammar: l.grammar, query: l.query}
		if half := short + (enough-short)/2; w.Parse(src, Budget{Work: half}) == Done {
			enough = half
		} else {
			short = half
		}
		for _, idle := range w.idle {
			idle.discard()
		}
	}
	return enough
}

// TestTime: what takes long in few steps ends by the processor's time, and what waits does not.
func TestTime(t *testing.T) {
	l := open(t, "css", `(class_selector (class_name) @name)`)
	src := bytes.Repeat([]byte("f(\""), 8000)
	if o := l.Parse(src, Budget{Work: plenty.Work, Time: time.Millisecond}); o != ParseTooMuch {
		t.Errorf("outcome %d in a millisecond", o)
	}
	if o := l.Parse([]byte(".a { b: c }"), Budget{Work: plenty.Work, Time: time.Hour}); o != Done {
		t.Errorf("outcome %d of a small file", o)
	}
}

// TestPieces: a text is read in pieces, and what stands at their edges is read as it is: characters of several bytes,
// bytes that are no characters, and the ends of lines.
func TestPieces(t *testing.T) {
	l := open(t, "go", `(function_declaration name: (identifier) @name)`)
	for _, odd := range []string{"é", "世", "\U0001f600", "\xff", "\xe4\xb8", "\r\n"} {
		for shift := range 8 {
			src := []byte("package p\n\n/*" + string(bytes.Repeat([]byte("x"), 4096-14-shift)) + odd + "*/ func " + odd + "f() {}\nfunc last() {}\n")
			whole := l.Run(src, plenty)
			pad := bytes.Repeat([]byte("\n"), 8192-len(src)%4096) // the same text, elsewhere in its pieces
			moved := l.Run(append(pad, src...), plenty)
			if len(whole.Captures) == 0 || len(whole.Captures) != len(moved.Captures) || len(whole.Errors) != len(moved.Errors) {
				t.Fatalf("%q at %d: %v %v, moved %v %v", odd, shift, whole.Captures, whole.Errors, moved.Captures, moved.Errors)
			}
			for i, c := range whole.Captures {
				if m := moved.Captures[i]; c.Start+uint32(len(pad)) != m.Start || c.End+uint32(len(pad)) != m.End {
					t.Errorf("%q at %d: %v, moved %v", odd, shift, c, m)
				}
			}
		}
	}
}
