package index

import (
	"strings"
	"testing"
)

// typeSettledCases: ~ stands before the name that is asked about. Of a name that may have got its value at another place, or
// that is declared as an array, nothing is told; what looks like that and is not leaves the answer.
var typeSettledCases = []struct{ path, src, want string }{
	{"a.js", "let x = new T(); f(); use(~x)", "T()"},
	{"a.js", "let x = new T(); x = new U(); use(~x)", ""},
	{"a.js", "let ~x = new T(); function f() { x = 3 }", ""},
	{"a.js", "function f() { let x = new T(); if (c) x = new U(); use(~x) }", ""},
	{"a.js", "function f() { let x = new T(); use(~x); g(() => { x = 3 }) }", ""},
	{"a.js", "function f() { let x = new T(); x ||= y; use(~x) }", ""},
	{"a.js", "function f() { let x = new T(); x ??= y; use(~x) }", ""},
	{"a.js", "function f() { let x = new T(); x += y; use(~x) }", ""},
	{"a.js", "function f() { let x = new T(); x--; use(~x) }", ""},
	{"a.js", "function f() { let x = new T(); ++x; use(~x) }", ""},
	{"a.js", "function f() { let x = new T(); (x) = y; use(~x) }", ""},
	{"a.js", "function f() { let x = new T(); z = x = y; use(~x) }", ""},
	{"a.js", "function f() { let x = new T(); [x] = y; use(~x) }", ""},
	{"a.js", "function f() { let x = new T(); [z, [x = 1]] = y; use(~x) }", ""},
	{"a.js", "function f() { let x = new T(); [...x] = y; use(~x) }", ""},
	{"a.js", "function f() { let x = new T(); ({x} = y); use(~x) }", ""},
	{"a.js", "function f() { let x = new T(); ({x = 1} = y); use(~x) }", ""},
	{"a.js", "function f() { let x = new T(); ({a: x} = y); use(~x) }", ""},
	{"a.js", "function f() { let x = new T(); ({a: {b: x = 2}, ...z} = y); use(~x) }", ""},
	{"a.js", "function f() { let x = new T(); ({a, ...x} = y); use(~x) }", ""},
	{"a.js", "function f() { let x = new T(); for (x of y); use(~x) }", ""},
	{"a.js", "function f() { let x = new T(); for (x in y); use(~x) }", ""},
	{"a.js", "function f() { let x = new T(); for ([x] of y); use(~x) }", ""},
	{"a.js", "function f() { let x = new T(); for ({a: x} of y); use(~x) }", ""},
	{"a.js", "async function f() { let x = new T(); for await (x of y); use(~x) }", ""},
	{"a.js", "function f() { let x = new T(); for (x = y; x; x = x.next); use(~x) }", ""},
	{"a.js", "function f() { var x = new T(); for (var x of y); use(~x) }", ""},
	{"a.js", "function f() { var x = new T(); var x = new U(); use(~x) }", ""},
	{"a.js", "function f() { var x = new T(); var {x} = y; use(~x) }", ""},
	{"a.js", "function f() { var x = new T(); var [x] = y; use(~x) }", ""},
	{"a.js", "var x = new T(); var x = new U(); use(~x)", ""},
	{"a.js", "function f() { if (c) { var x = new T(); use(~x) } x = 3 }", ""},
	{"a.js", "function f() { for (var x = new T(); ; ) { use(~x); var x = 3 } }", ""},
	{"a.js", "function f() { var x = new T(); { x = 3 } use(~x) }", ""},
	{"a.ts", "function f() { let x = new T(); x! = y; use(~x) }", ""},
	{"a.ts", "function f() { let x = new T(); (x as any) = y; use(~x) }", ""},
	{"a.ts", "function f() { let x = y as T; x = z; use(~x) }", ""},
	{"a.tsx", "function f() { let x = new T(); x = <b/>; use(~x) }", ""},
	{"a.vue", "<script>\nlet x = new T()\nx = new U()\nuse(~x)\n</script>\n", ""},
	{"a.vue", "<script>\nlet x = new T()\nuse(~x)\n</script>\n", "T()"},
	{"a.svelte", "<script>\nlet x = new T()\nx = new U()\nuse(~x)\n</script>\n", ""},
	{"a.js", "class A { x = new T(); r() { this.x = y } m() { this.z } }; ~x", ""},
	{"a.js", "class A { ~x = new T(); r() { this.x = y } }", ""},
	{"a.js", "class A { ~x = new T(); r() { [this.x] = y } }", ""},
	{"a.js", "class A { ~x = new T(); r() { this.x++ } }", ""},
	{"a.js", "class A { ~x = new T(); r() { this.x = null } }", "T()"},
	{"a.js", "class A { ~x = new T(); r() { this.x.y = 3; z = this.x } }", "T()"},
	{"a.js", "class T {}; T = make(); function f() { const x = new T(); use(~x) }", ""},
	{"a.js", "let T = make(); if (c) T = U; const x = new T(); use(~x)", ""},
	// What gives x no value.
	{"a.js", "function f() { let x = new T(); x = null; x = undefined; use(~x) }", "T()"},
	{"a.js", "function f() { let x = new T(); x.a = 3; x.b++; x[0] = 1; use(~x) }", "T()"},
	{"a.js", "function f() { let x = new T(); [x.a, y] = z; ({a: x.b} = z); use(~x) }", "T()"},
	{"a.js", "function f() { let x = new T(); y = x; y = [x]; y = {x}; use(~x) }", "T()"},
	{"a.js", "function f() { let x = new T(); for (const y of [x]); for (y in x); use(~x) }", "T()"},
	{"a.js", "function f() { let x = new T(); { let x; x = 3 } use(~x) }", "T()"},
	{"a.js", "function f() { let x = new T(); g(x => { x = 3 }); use(~x) }", "T()"},
	{"a.js", "function f() { const x = new T(); y.x = 3; use({x: 3}, ~x) }", "T()"},
	{"a.ts", "function f(x: T) { x = g(); use(~x) }", "T"},
	{"a.ts", "function f() { let x: T; x = g(); use(~x) }", "T"},
	// this
	{"a.ts", "class A { m(this: T) { ~this.n() } }", "T"},
	{"a.ts", "class A { m(this: ns.T<U>) { return () => ~this.n() } }", "T"},
	{"a.ts", "class A { m(this: T | U) { ~this.n() } }", ""},
	{"a.ts", "class A { m(~this: T) { } }", "T"},
	{"a.ts", "class A { m(this) { ~this.n() } }", ""},
	{"a.ts", "function g(this: T) { ~this.n() }", "T"},
	{"a.ts", "class A { m(this: T) { g(function () { ~this.n() }) } }", ""},
	{"a.ts", "class A { [~this.x]() {} }", ""},
	{"a.ts", "class A { [~this.x] = 3 }", ""},
	{"a.ts", "class A { m() { return { [~this.x]: 1 } } }", "A"},
	{"a.ts", "class A extends f(~this) { }", ""},
	{"a.ts", "class A { @d(~this.x) m() {} }", ""},
	{"a.ts", "class A { m() { return class extends ~this.B {} } }", ""},
	{"a.ts", "class A { m(a = ~this.x) {} }", "A"},
	// Python
	{"a.py", "def f():\n    x = T()\n    def g():\n        nonlocal x\n        x = U()\n    ~x\n", ""},
	{"a.py", "def f():\n    x = T()\n    def g():\n        def h():\n            nonlocal x\n            for x in y: pass\n    ~x\n", ""},
	{"a.py", "def f(x=None):\n    x = T()\n    def g():\n        nonlocal x\n        x += 1\n        ~x\n", ""},
	{"a.py", "def f():\n    x = T()\n    ~x\ndef h():\n    x = 3\n    def g():\n        nonlocal x\n        x = U()\n", "T()"},
	{"a.py", "class T: pass\nT = make()\nx = T()\n~x\n", ""},
	{"a.py", "class T: pass\ndef g():\n    global T\n    T = make()\ndef f():\n    x = T()\n    ~x\n", ""},
	{"a.py", "class T: pass\nfor T in y: pass\nx = T()\n~x\n", ""},
	{"a.py", "class T: pass\nwith y as T: pass\ndef f():\n    x = T()\n    ~x\n", ""},
	{"a.py", "class T: pass\n[T] = y\ndef f():\n    x = T()\n    ~x\n", ""},
	{"a.py", "class T: pass\ndef f():\n    T = 3\ndef g():\n    x = T()\n    ~x\n", "T()"},
	{"a.py", "class T: pass\ndef ~f() -> T: pass\nf = deco(f)\n", ""},
	{"a.py", "class A:\n    def ~f(self) -> T: pass\n    def g(self):\n        self.f = 3\n", ""},
	// Go
	{"a.go", "func f() { var x I; x, y := T{}, 1; use(~x) }", "I"},
	{"a.go", "func f(x I) { x, y := T{}, 1; use(~x) }", "I"},
	{"a.go", "func f() (err error) { err, y := g(); use(~err); return }", "error"},
	{"a.go", "func f() { a, err := g(); err, b := h(); use(~err) }", ""},
	{"a.go", "func f(x I) { { x, y := T{}, 1; use(~x) } }", "T"},
	{"a.go", "func f(x I) { if x, y := g(), 1; y { use(~x) } }", "g()"},
	{"a.go", "func f(x I) { func() { x, y := T{}, 1; use(~x) }() }", "T"},
	// Arrays
	{"A.java", "class A { void m() { T x[] = y; use(~x); } }", ""},
	{"A.java", "class A { void m() { T x /* c */ [] = y; use(~x); } }", ""},
	{"A.java", "class A { void m() { T x, y[]; use(~x, y); } }", "T"},
	{"A.java", "class A { void m() { T x, y[]; use(~y); } }", ""},
	{"A.java", "class A { void m(T x[]) { use(~x); } }", ""},
	{"A.java", "class A { T f, ~g[]; }", ""},
	{"A.java", "class A { T ~f, g[]; }", "T"},
	{"A.java", "class A { void m() { for (T x[] : y) use(~x); } }", ""},
	{"A.java", "class A { void m() { F g = (T x[]) -> use(~x); } }", ""},
	{"a.c", "void f(void) { T x[3]; use(~x); }", ""},
	{"a.c", "void f(void) { T *x[3]; use(~x); }", ""},
	{"a.c", "void f(void) { T (x)[3]; use(~x); }", ""},
	{"a.c", "void f(void) { T (*x)[3]; use(~x); }", ""},
	{"a.c", "void f(void) { T x[] = {1}; use(~x); }", ""},
	{"a.c", "void f(void) { T x[2][3]; use(~x); }", ""},
	{"a.c", "void f(void) { T x, *y, z[2]; use(~y); }", "T"},
	{"a.c", "void f(void) { T x, *y, z[2]; use(~z); }", ""},
	{"a.c", "void f(void) { T (*x)(void); use(~x); }", ""},
	{"a.c", "void f(void) { T (*x[3])(void); use(~x); }", ""},
	{"a.c", "void f(T x[]) { use(~x); }", ""},
	{"a.c", "struct S { T ~x[3]; };", ""},
	{"a.c", "static T ~x[3];", ""},
	{"a.c", "static T *~x;", "T"},
	{"a.cpp", "void f() { T x[2]{}; use(~x); }", ""},
	{"a.cpp", "void f(T (&x)[3]) { use(~x); }", ""},
	{"a.cpp", "struct S { T ~x[3]; };", ""},
	{"a.cpp", "void f() { T x{y[0]}; use(~x); }", "T"},
	{"a.rs", "fn f(x: [T; 3]) { g(~x) }", ""},
	{"a.rs", "fn f(x: &[T]) { g(~x) }", ""},
	{"a.rs", "fn f(x: fn(T) -> U) { g(~x) }", ""},
}

func TestTypeSettled(t *testing.T) {
	for _, test := range typeSettledCases {
		src := test.src
		if strings.HasSuffix(test.path, ".go") {
			src = "package p\n" + src
		}
		before, after, _ := strings.Cut(src, "~")
		at, called, ok := TypePlace(test.path, []byte(before+after), len(before))
		got := ""
		if ok {
			got = (before + after)[at.Start:at.End]
		}
		if called {
			got += "()"
		}
		if got != test.want {
			t.Errorf("%s: %s: got %q, want %q", test.path, test.src, got, test.want)
		}
	}
}
