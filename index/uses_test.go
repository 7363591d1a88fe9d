package index

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

// TestUses: the counts are those of AllRefs, name by name and way by way.
func TestUses(t *testing.T) {
	for _, name := range []string{"fmt/print.go", "net/http/server.go", "go/ast/ast.go"} {
		src, err := os.ReadFile(filepath.Join(runtime.GOROOT(), "src", name))
		if err != nil {
			t.Fatal(err)
		}
		f := Build(name, src)
		type way struct {
			name uint32
			via  Via
		}
		want := map[way]int{}
		for r := range f.AllRefs() {
			if r.Role != Declaration {
				want[way{NameHash(string(src[r.Start:r.End])), r.Via}]++
			}
		}
		vias, uses := f.Uses()
		total := 0
		for u := range uses {
			w := way{u.Name, vias[u.Via]}
			if want[w] != u.Places {
				t.Errorf("%s: %+v: %d places, want %d", name, w, u.Places, want[w])
			}
			delete(want, w)
			total += u.Places
		}
		if len(want) > 0 || total < 100 {
			t.Errorf("%s: %d counted, missed %v", name, total, want)
		}
	}
	vias, uses := (&File{}).Uses()
	for range uses {
		t.Error("a file without references has uses")
	}
	if vias != nil {
		t.Error(vias)
	}
	// Facts from a damaged cache end the counting.
	for _, refs := range []string{"\xff", "\x01", "\x00\x01\x04\x09\x00\x00\x00", "\x00\x01\x03\x7f\x00\x01abcd\x01\x02\x00\x00"} {
		vias, uses := (&File{refs: refs}).Uses()
		for u := range uses {
			if u.Via >= len(vias) || vias[u.Via].Root == RootAlias {
				t.Errorf("%q: %+v", refs, u)
			}
		}
	}
}
