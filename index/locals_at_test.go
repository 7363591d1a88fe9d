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
		{"var in a block is the function's", "a.js", "function f(a) {\n  if (a) { var «[x]» = new T() }\n  return [x]\n}\n"},
		{"var taken apart in a block", "a.js", "function f(a) {\n  [x]\n  if (a) { var { b, c: { x: [x] = 1 } } = a }\n  return () => «[x]»\n}\n"},
		{"var of a list in a block", "a.ts", "function f(a: any) {\n  try { var [b, ...[x]] = a } catch (e) {}\n  return «[x]»\n}\n"},
		{"var with a type in a block", "a.ts", "function f(a: any) {\n  { { var «[x]»: T = a } }\n  return [x]\n}\n"},
		{"var with a cast in a block", "a.tsx", "function f(a: any) {\n  switch (a) { case 1: var [x] = a as T; break }\n  return «[x]»\n}\n"},
		{"var of a loop", "a.js", "function f(a) {\n  for (var { y: [x] } of a) [x]\n  for (var i = 0, z = a; i; i++) {}\n  return «[x]»\n}\n"},
		{"var that has the name of a parameter", "a.js", "function f([x]) {\n  if ([x]) { var [x] = 1 }\n  return «[x]»\n}\n"},
		{"var behind let of another block", "a.js", "function f(a) {\n  { let x = 1; x }\n  { var «[x]» = 2 }\n  return [x]\n}\n"},
		{"let in a block", "a.js", "function f(a) {\n  var [x] = 0\n  if (a) { let x = 1; const y = a; x }\n  return «[x]»\n}\n"},
		{"let taken apart in a block", "a.js", "function f(a) {\n  if (a) { let { «[x]», y = [x] } = a; [x] }\n  return x\n}\n"},
		{"a function in a default value", "a.js", "function f(a) {\n  if (a) { var { b = function (c) { let «[x]» = c; return [x] } } = a }\n  return x\n}\n"},
		{"var in a function in a block", "a.js", "function f(x) {\n  if (x) { return function () { { var «[x]» = 1 } return [x] } }\n  return x\n}\n"},
		{"var in a method of a class in a block", "a.js", "function f(x) {\n  { class C { static { { var «[x]» = 1 } [x] } m() { return x } } }\n}\n"},
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
