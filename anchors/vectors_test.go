package anchors

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"os"
	"strings"
	"testing"
)

type vectors struct {
	Spans []struct {
		Name        string
		LinesHex    []string `json:"lines_hex"`
		Tags        []string
		LineDigests []string `json:"line_digests"`
		Anchor      string
		FullDigest  string `json:"full_digest"`
	}
	LineSplitting []struct {
		Text  string
		Lines []string
	} `json:"line_splitting"`
	Relocation []struct {
		Lines, Span []string
		Near        int
		Start       *int
	}
	Selectors struct{ Good, Bad []string }
}

func readVectors(t *testing.T) vectors {
	t.Helper()
	data, err := os.ReadFile("testdata/vectors.json")
	if err != nil {
		t.Fatal(err)
	}
	var v vectors
	if err := json.Unmarshal(data, &v); err != nil {
		t.Fatal(err)
	}
	if len(v.Spans) < 18 || len(v.LineSplitting) < 9 || len(v.Relocation) < 4 ||
		len(v.Selectors.Good) < 3 || len(v.Selectors.Bad) < 11 {
		t.Fatal("testdata/vectors.json has lost entries")
	}
	return v
}

// text makes a text of lines that each end in \n.
func text(lines ...string) []byte {
	if len(lines) == 0 {
		return nil
	}
	return []byte(strings.Join(lines, "\n") + "\n")
}

func all(t *Table) Span { return Span{1, t.Len()} }

func TestVectorsSpans(t *testing.T) {
	for _, v := range readVectors(t).Spans {
		t.Run(v.Name, func(t *testing.T) {
			var lines []string
			for _, h := range v.LinesHex {
				line, err := hex.DecodeString(h)
				if err != nil {
					t.Fatal(err)
				}
				lines = append(lines, string(line))
			}
			for _, nl := range []string{"\n", "\r\n", "\r"} {
				tab := NewTable(bytes.ReplaceAll(text(lines...), []byte("\n"), []byte(nl)))
				if tab.Len() != len(lines) {
					t.Fatalf("%q: %d lines, want %d", nl, tab.Len(), len(lines))
				}
				for i, line := range lines {
					d := tab.LineDigest(i + 1)
					if got := hex.EncodeToString(d[:]); got != v.LineDigests[i] || d != DigestLine([]byte(line)) {
						t.Errorf("line %d: digest %s, want %s", i+1, got, v.LineDigests[i])
					}
					if got := tab.Tag(i + 1); got != v.Tags[i] || got != d.Tag() {
						t.Errorf("line %d: tag %s, want %s", i+1, got, v.Tags[i])
					}
				}
				d := tab.Digest(all(tab))
				if got := hex.EncodeToString(d[:]); got != v.FullDigest {
					t.Errorf("digest %s, want %s", got, v.FullDigest)
				}
				if got := d.Anchor().String(); got != v.Anchor {
					t.Errorf("anchor %s, want %s", got, v.Anchor)
				}
			}
		})
	}
}

func TestVectorsLineSplitting(t *testing.T) {
	for _, v := range readVectors(t).LineSplitting {
		tab := NewTable([]byte(v.Text))
		var got []string
		for n := 1; n <= tab.Len(); n++ {
			got = append(got, string(tab.Line(n)))
		}
		if strings.Join(got, "|") != strings.Join(v.Lines, "|") || len(got) != len(v.Lines) {
			t.Errorf("%q: lines %q, want %q", v.Text, got, v.Lines)
		}
	}
}

func TestVectorsRelocation(t *testing.T) {
	for _, v := range readVectors(t).Relocation {
		tab, minted := NewTable(text(v.Lines...)), NewTable(text(v.Span...))
		known := minted.Known(all(minted))
		sel := Selector{Span{v.Near, v.Near + len(v.Span) - 1}, known.Full.Anchor(), true}
		for _, k := range []*Known{nil, &known} {
			r := tab.Resolve(sel, k, nil)
			start := 0
			if v.Start != nil {
				start = *v.Start
			}
			if r.Span.First != start || (r.Outcome == Lost) != (start == 0) {
				t.Errorf("%v in %v near %d: %v at %v, want start %d", v.Span, v.Lines, v.Near, r.Outcome, r.Span, start)
			}
		}
	}
}

func TestVectorsSelectors(t *testing.T) {
	v := readVectors(t)
	for _, s := range v.Selectors.Good {
		sel, err := ParseSelector(s)
		if err != nil || sel.String() != s {
			t.Errorf("%q reads as %q, %v", s, sel, err)
		}
	}
	for _, s := range v.Selectors.Bad {
		if sel, err := ParseSelector(s); err == nil {
			t.Errorf("%q is not refused: %v", s, sel)
		}
	}
}
