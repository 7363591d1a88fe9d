package lsp

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"go.lsp.dev/protocol"
)

// Several editors type into the same files of one tree at once, and others write them on disk, while all ask: each gets
// what stands in its own buffers, at the moment of its question.
func TestEditorsAtOnce(t *testing.T) {
	const editors, steps = 4, 60
	h := tree(t, "-- m.py --\ndef shared(): pass\n-- user.py --\nfrom m import shared\nshared()\n")
	var all sync.WaitGroup
	for n := range editors {
		e := h.edit("")
		name := fmt.Sprintf("mine%d", n)
		all.Go(func() {
			r := rand.New(rand.NewPCG(uint64(n), 7))
			lines := 0 // before the definition
			e.open("m.py", "def "+name+"(): pass\n")
			e.open("user.py", "from m import "+name+"\n"+name+"()\n")
			type question struct {
				c    <-chan answer
				want string
			}
			var asked []question
			for version := range steps {
				switch r.IntN(4) {
				case 0:
					e.change("m.py", version+2, part(0, 0, 0, 0, "\n"), part(0, 0, 0, 0, "# é😀\n"))
					lines += 2
				case 1:
					if lines > 0 {
						e.change("m.py", version+2, part(0, 0, 1, 0, ""))
						lines--
					}
				case 2:
					e.change("m.py", version+2, whole(strings.Repeat("\n", version)+"def "+name+"(): pass\n"))
					lines = version
				}
				p := e.doc("user.py")
				p["position"] = pos(1, 2)
				asked = append(asked, question{e.send("textDocument/definition", p), fmt.Sprintf("m.py:%d:4", lines)})
				if r.IntN(5) == 0 {
					e.send("workspace/symbol", map[string]any{"query": name})
					e.send("textDocument/references", p)
					e.send("textDocument/documentSymbol", e.doc("m.py"))
				}
			}
			for i, q := range asked {
				var got []protocol.Location
				a, ok := e.got(q.c)
				if !ok {
					t.Errorf("editor %d, question %d: no answer", n, i)
					return
				}
				if a.Error != nil || json.Unmarshal(a.Result, &got) != nil || e.where(got) != q.want {
					t.Errorf("editor %d, question %d: got %s %+v, want %s", n, i, e.where(got), a.Error, q.want)
					return
				}
			}
		})
	}
	for i := range 20 {
		h.write("m.py", strings.Repeat("#\n", i)+"def shared(): pass\n")
		var def struct{ Definitions []struct{ Lines []int } }
		if err := h.shell("ctx/def", map[string]any{"target": "shared"}, &def); err != nil || len(def.Definitions) != 1 || def.Definitions[0].Lines[0] != i+1 {
			t.Errorf("the shell, write %d: %+v, %v", i, def, err)
		}
	}
	all.Wait()
}
