package index

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestLocals: «x» is where a local is asked for, and each of its places is marked [x] in want.
func TestLocals(t *testing.T) {
	tests := []struct{ name, path, src string }{
		{"an attribute of a class in the function", "a.py",
			"def f():\n    «[x]» = 1\n    class C:\n        x = 2\n        y = x\n        def m(self): return [x]\n    return [x]\n"},
		{"what the class does not bind is the function's", "a.py", "def f([x]):\n    class C:\n        y = «[x]»\n        z = lambda: [x]\n"},
		{"a method of a class in the function", "a.py", "def f([x]):\n    class C:\n        def x(self): return [x].y, «[x]»\n"},
		{"the first iterable of a comprehension", "a.py", "def f([x]):\n    return [x for x in «[x]» if x]\n"},
		{"another iterable of a comprehension", "a.py", "def f(x):\n    return [«[x]» for [x] in x if [x] for y in [x]]\n"},
		{"what a comprehension assigns", "a.py", "def f(y):\n    [[x] := z for z in y]\n    return «[x]»\n"},
		{"a field of a class in the function", "a.ts", "function f(«[x]»: number) {\n  class C { x = [x]; m() { return this.x + [x] } }\n}\n"},
		{"a field of a class in the method", "A.java", "class A { void f(int «[x]») { class B { int x = 1; } g([x]); } }\n"},
		{"a field of a type in the function", "a.go", "package a\nfunc f(«[x]» int) { type t struct{ x int }; _ = t{x: [x]} }\n"},
		{"a field of a type in the function", "a.rs", "fn f(«[x]»: i32) { struct T { x: i32 } let t = T { x: [x] }; t.x; }\n"},
		{"a member of a type in the function", "a.c", "int f(int «[x]») { struct t { int x; } v; v.x = [x]; return v.x; }\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name+" in "+tt.path, func(t *testing.T) {
			plain := strings.NewReplacer("[x]", "x", "«", "", "»", "")
			at := len(plain.Replace(tt.src[:strings.Index(tt.src, "«")]))
			src := plain.Replace(tt.src)
			var want, got []string
			offset := 0
			for part := range strings.SplitSeq(strings.NewReplacer("«", "", "»", "").Replace(tt.src), "[x]") {
				offset += len(part)
				want = append(want, fmt.Sprint(offset))
				offset++
			}
			want = want[:len(want)-1]
			for _, r := range Locals(tt.path, []byte(src), at) {
				got = append(got, fmt.Sprint(r.Start))
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s\n(-want +got)\n%s", src, diff)
			}
		})
	}
}
