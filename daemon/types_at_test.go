package daemon

import (
	"fmt"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

// TestTypeAt: ~ stands in the first file before the name that is asked about; want is where its type is defined, by file,
// line and kind.
func TestTypeAt(t *testing.T) {
	for _, test := range []struct{ tree, want string }{
		{"-- a.py --\nclass T: pass\ndef f():\n    x = T()\n    ~x\n", "a.py:1 class"},
		{"-- a.py --\nclass T: pass\nT = make()\ndef f():\n    x = T()\n    ~x\n", ""},
		{"-- a.py --\nclass T: pass\ndef g():\n    global T\n    T = make()\ndef f():\n    x = T()\n    ~x\n", ""},
		{"-- a.py --\nclass T: pass\nclass U: pass\ndef f():\n    x = T()\n    def g():\n        nonlocal x\n        x = U()\n    ~x\n", ""},
		{"-- a.py --\nfrom m import T\ndef f():\n    x = T()\n    ~x\n-- m.py --\nclass T: pass\n", "m.py:1 class"},
		{"-- a.py --\nfrom m import T\ndef f():\n    x = T()\n    ~x\n-- m.py --\nclass T: pass\nT = deco(T)\n", ""},
		{"-- a.py --\nfrom m import T\ndef f():\n    x = T()\n    ~x\n-- m.py --\nclass T: pass\nfor T in y: pass\n", ""},
		{"-- a.py --\nfrom m import T\nT = make()\ndef f():\n    x = T()\n    ~x\n-- m.py --\nclass T: pass\n", ""},
		{"-- a.py --\nfrom m import T\nfor T in y: pass\ndef f():\n    x = T()\n    ~x\n-- m.py --\nclass T: pass\n", ""},
		{"-- a.py --\nclass T: pass\ndef T(): pass\nx = T()\n~x\n", ""},
		{"-- a.py --\nclass T: pass\nimport T\nx = T()\n~x\n", ""},
		{"-- a.py --\nclass T: pass\nfrom m import T\nx = T()\n~x\n-- m.py --\nclass T: pass\n", ""},
		{"-- a.py --\nclass T: pass\ndef g() -> T: pass\ng = deco(g)\ndef f():\n    x = g()\n    ~x\n", ""},
		{"-- a.py --\nclass T: pass\nclass A:\n    def g(self) -> T: pass\n    def m(self):\n        self.g = 3\n        x = self.g()\n        ~x\n", ""},
		{"-- a.py --\nclass T: pass\nclass U: pass\nif c:\n    def g() -> T: pass\nelse:\n    def g() -> U: pass\nx = g()\n~x\n", "a.py:1 class a.py:2 class"},
		{"-- a.py --\nclass T: pass\nif c:\n    def g() -> T: pass\nelse:\n    def g(): pass\nx = g()\n~x\n", ""},
		{"-- a.py --\nclass T: pass\ndef h() -> T: pass\nif c:\n    def g() -> T: pass\nelse:\n    g = h\nx = g()\n~x\n", ""},
		{"-- a.js --\nclass T {}\nlet x = new T()\nuse(~x)\n", "a.js:1 class"},
		{"-- a.js --\nclass T {}\nlet x = new T()\nx = make()\nuse(~x)\n", ""},
		{"-- a.js --\nclass T {}\nlet x = new T()\nfunction f() { use(~x) }\n[x] = y\n", ""},
		{"-- a.js --\nclass T {}\nT = make()\nconst x = new T()\nuse(~x)\n", ""},
		{"-- a.js --\nimport { T } from './m'\nconst x = new T()\nuse(~x)\n-- m.js --\nexport class T {}\n", "m.js:1 class"},
		{"-- a.js --\nimport { T } from './m'\nconst x = new T()\nuse(~x)\n-- m.js --\nexport class T {}\nT = make()\n", ""},
		{"-- a.js --\nimport { x } from './m'\nuse(~x)\n-- m.js --\nclass T {}\nexport let x = new T()\nexport function f() { x = 3 }\n", ""},
		{"-- a.js --\nlet { T } = require('./m')\nT = U\nconst x = new T()\nuse(~x)\n-- m.js --\nclass T {}\nmodule.exports = { T }\n", ""},
		{"-- a.js --\nclass T {}\nclass A { x = new T(); r() { this.x = 3 }; m() { use(this.~x) } }\n", ""},
		{"-- a.js --\nclass T {}\nclass A { x = new T(); m() { use(this.~x) } }\n", "a.js:1 class"},
		{"-- a.ts --\nclass T {}\nclass A { m(this: T) { use(~this) } }\n", "a.ts:1 class"},
		{"-- a.ts --\nclass A { m() { use(~this) } }\n", "a.ts:1 class"},
		{"-- a.ts --\nclass A { [~this.x]() {} }\n", ""},
		{"-- a.ts --\ninterface T {}\nfunction f(x: T) { x = g(); use(~x) }\n", "a.ts:1 interface"},
		{"-- A.java --\nclass T {}\nclass A { void m() { T x[] = y; use(~x); } }\n", ""},
		{"-- A.java --\nclass T {}\nclass A { T f[]; void m() { use(this.~f); } }\n", ""},
		{"-- A.java --\nclass T {}\nclass A { void m() { for (var x : new T()) use(~x); } }\n", ""},
		{"-- a.c --\nstruct T { int a; };\nvoid f(void) { struct T x[3]; use(~x); }\n", ""},
		{"-- a.c --\nstruct T { int a; };\nvoid f(void) { struct T *x; use(~x); }\n", "a.c:1 struct"},
		{"-- a.go --\npackage p\ntype T struct{}\ntype I interface{}\nfunc f(x I) { x, y := T{}, 1; use(~x, y) }\n", "a.go:3 interface"},
	} {
		files := map[string]string{}
		first := ""
		for _, f := range txtar.Parse([]byte(test.tree)).Files {
			files[f.Name] = string(f.Data)
			if first == "" {
				first = f.Name
			}
		}
		before, after, _ := strings.Cut(files[first], "~")
		files[first] = before + after
		ws := newWorkspace(t, files)
		settled(t, ws)
		found, err := ws.TypeAt(t.Context(), first, len(before))
		var got []string
		for _, f := range found {
			got = append(got, fmt.Sprintf("%s:%d %v", f.Text.Path, 1+strings.Count(string(f.Text.Src()[:f.Def.NameStart]), "\n"), f.Def.Kind))
		}
		if got := strings.Join(got, " "); err != nil || got != test.want {
			t.Errorf("%s\ngot %q, want %q (%v)", test.tree, got, test.want, err)
		}
	}
}
