package daemon

import (
	"fmt"
	"path/filepath"
	"testing"

	"ctxd/client/wire"
)

// TestManyOrigins: an address that was made for one copy and then, from however many later versions, for another one is
// not proven to mean the later.
func TestManyOrigins(t *testing.T) {
	for _, later := range []int{1, 3, 4, 5, 70} {
		t.Run(fmt.Sprint(later), func(t *testing.T) {
			ws := newWorkspace(t, map[string]string{"m.txt": "return None\nfoo one\nfoo two\nfoo three\nfoo four\n"})
			file := filepath.Join(ws.Root, "m.txt")
			live := get(t, ws, wire.GetParams{Ref: "repo:m.txt", Lines: "1:1"}).Live.Address
			write(t, file, "new one\nreturn None\nnew two\nreturn None\nfoo one\nfoo two\nfoo three\nfoo four\n")
			if res := get(t, ws, wire.GetParams{Ref: live}); res.Lines[0] != 4 || res.Identity != identityProven {
				t.Fatalf("L%d %s", res.Lines[0], res.Identity)
			}
			for i := range later {
				write(t, file, fmt.Sprintf("return None\nnew two\nreturn None\nfoo one\nfoo two\nfoo three\nfoo four\n%d\n", i))
				if again := get(t, ws, wire.GetParams{Ref: "repo:m.txt", Lines: "1:1"}).Live.Address; again != live {
					t.Fatal(again)
				}
			}
			if res := get(t, ws, wire.GetParams{Ref: live}); res.Identity != identityContent || res.Copies != 2 {
				t.Errorf("L%d %s of %d", res.Lines[0], res.Identity, res.Copies)
			}
			write(t, file, "top\nreturn None\nnew two\nreturn None\nfoo one\nfoo two\nfoo three\nfoo four\n")
			if res := get(t, ws, wire.GetParams{Ref: live}); res.Identity != identityContent || res.Copies != 2 {
				t.Errorf("L%d %s of %d", res.Lines[0], res.Identity, res.Copies)
			}
		})
	}
}

// TestBuffersAreNoPast: what one client typed and did not save is no version through which the lines of the file on disk came.
func TestBuffersAreNoPast(t *testing.T) {
	buffers := map[string]string{
		"gone":    "def a():\n    x = 1\n    return None\n\ndef b():\n    y = 2\n\ndef c():\n    z = 3\n    return None\n",
		"empty":   "",
		"swapped": "def a():\n    x = 1\n    return None\n\ndef c():\n    z = 3\n    return None\n\ndef b():\n    y = 2\n    return None\n",
	}
	for name, typed := range buffers {
		t.Run(name, func(t *testing.T) {
			ws := newWorkspace(t, map[string]string{"m.py": twins})
			live := get(t, ws, wire.GetParams{Ref: "repo:m.py", Lines: "7:7"}).Live.Address
			mine := under(ws, map[string]string{"m.py": typed})
			if _, err := mine.Resolve(t.Context(), wire.ResolveParams{Addresses: []string{live}}); err != nil {
				t.Fatal(err)
			}
			if typed != "" {
				get(t, mine, wire.GetParams{Ref: "repo:m.py", Lines: "3:3"})
			}
			write(t, filepath.Join(ws.Root, "m.py"), "# one more\n"+twins)
			res, err := ws.Get(t.Context(), wire.GetParams{Ref: live})
			if err != nil || res.Lines != (wire.Lines{8, 8}) || res.Identity != identityProven {
				t.Errorf("%+v, %v", res, err)
			}
		})
	}
}
