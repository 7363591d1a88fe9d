package index

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"testing"
)

// TestPythonSyntax: testdata/python_syntax.txt has pieces of Python, each below a line that says what CPython 3.11 says of
// it: ok, or the line that it refuses and why. So do we, within a line. What it refuses and we do not is left out there; it
// is named in docs/languages.md.
func TestPythonSyntax(t *testing.T) {
	text, err := os.ReadFile("testdata/python_syntax.txt")
	if err != nil {
		t.Fatal(err)
	}
	refused := 0
	for piece := range strings.SplitSeq(string(text), "---\n") {
		want, src, _ := strings.Cut(piece, "\n")
		d := Diagnose("a.py", []byte(src), Base{Sound: true})
		if want == "ok" {
			if len(d.Faults) > 0 {
				t.Errorf("blamed: %s\n%s", told([]byte(src), d), src)
			}
			continue
		}
		refused++
		line := 0
		fmt.Sscanf(want, "L%d", &line)
		if len(d.Faults) == 0 {
			t.Errorf("missed: %s\n%s", want, src)
		} else if at := 1 + bytes.Count([]byte(src)[:d.Faults[0].Start], []byte("\n")); at < line-1 || at > line+1 {
			t.Errorf("%s, not %s\n%s", told([]byte(src), d), want, src)
		}
	}
	if refused < 200 {
		t.Errorf("%d pieces are refused: the file is cut off", refused)
	}
}
