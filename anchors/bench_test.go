package anchors

import (
	"bytes"
	"fmt"
	"testing"
)

// source is n lines of about 35 bytes, as source code has them.
func source(n int) []byte {
	var b bytes.Buffer
	for i := range n {
		switch i % 5 {
		case 0:
			b.WriteString("}\n")
		case 1:
			b.WriteString("\n")
		default:
			fmt.Fprintf(&b, "\t\tif err := step(%d); err != nil { return nil, err }\n", i)
		}
	}
	return b.Bytes()
}

const million = 1_000_000

func BenchmarkNewTable(b *testing.B) {
	src := source(million)
	for name, s := range map[string][]byte{"lf": src, "crlf": bytes.ReplaceAll(src, []byte("\n"), []byte("\r\n"))} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(s)))
			b.ReportAllocs()
			for b.Loop() {
				NewTable(s)
			}
		})
	}
}

func BenchmarkKnown(b *testing.B) {
	tab := NewTable(source(1000))
	b.ReportAllocs()
	for b.Loop() {
		tab.Known(Span{100, 124})
	}
}

// BenchmarkResolve has spans of 5 and 25 lines in 1,000,000; 5 lines also in 1,000.
func BenchmarkResolve(b *testing.B) {
	tab := NewTable(source(million))
	small := NewTable(source(1000))
	lost := NewTable(bytes.ReplaceAll(source(million), []byte("step(150"), []byte("stop(150")))
	for _, m := range []int{5, 25} {
		at := 150_000
		sel, known := mint(tab, Span{at, at + m - 1})
		far := sel
		far.Span = Span{million - m, million - 1}
		for _, c := range []struct {
			name string
			t    *Table
			sel  Selector
			want Outcome
		}{
			{"verified", tab, sel, Verified},
			{"far", tab, far, Relocated},
			{"lost", lost, sel, Lost},
		} {
			run(b, fmt.Sprintf("%s/%d", c.name, m), c.t, c.sel, known, c.want)
		}
	}
	sel, known := mint(small, Span{500, 504})
	run(b, "small", small, sel, known, Verified)
}

// BenchmarkRepetitive has a span of 1,000 lines in 1,000,000 equal ones, and in a repeated block.
func BenchmarkRepetitive(b *testing.B) {
	equal := NewTable(bytes.Repeat([]byte("x\n"), million))
	odd := NewTable(append(bytes.Repeat([]byte("x\n"), 999), "y\n"...))
	period := NewTable(bytes.Repeat(numbered(1000), million/1000))
	sel, known := mint(equal, Span{500_001, 501_000})
	run(b, "equal/verified", equal, sel, known, Verified)
	sel, known = mint(odd, Span{1, 1000})
	sel.Span = Span{500_001, 501_000}
	run(b, "equal/lost", equal, sel, known, Lost)
	run(b, "period/lost", period, sel, known, Lost)
}

func run(b *testing.B, name string, t *Table, sel Selector, known Known, want Outcome) {
	for how, k := range partial(known) {
		b.Run(name+"/"+how, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if r := t.Resolve(sel, k, nil); r.Outcome != want {
					b.Fatalf("%+v, want %v", r, want)
				}
			}
		})
	}
}

// BenchmarkCommonHead has a span of 1,000 lines whose first line is every 10th line of 1,000,000.
func BenchmarkCommonHead(b *testing.B) {
	table := func(from int) *Table {
		var src bytes.Buffer
		for i := range million {
			if i%10 == 0 {
				src.WriteString("  {\n")
				continue
			}
			fmt.Fprintf(&src, "    \"key\": %d,\n", from+i)
		}
		return NewTable(src.Bytes())
	}
	sel, known := mint(table(1), Span{500_001, 501_000})
	run(b, "lost", table(2), sel, known, Lost)
}
