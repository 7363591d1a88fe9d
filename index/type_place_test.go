package index

import (
	"strings"
	"testing"
)

// typePlaceCases: | stands before the name that is asked about; want is the name that tells its type, with () behind it
// where that is called.
var typePlaceCases = []struct{ path, src, want string }{
	{"a.go", "func f() { var x T; use(|x) }", "T"},
	{"a.go", "func f() { var x *a.T; use(|x) }", "T"},
	{"a.go", "func f() { x := T{1}; use(|x) }", "T"},
	{"a.go", "func f() { x := &a.T{}; |x.m() }", "T"},
	{"a.go", "func f() { x := T[int]{}; use(|x) }", "T"},
	{"a.go", "func f() { x := v.(T); use(|x) }", "T"},
	{"a.go", "func f() { x, err := a.New(1); use(|x) }", "New()"},
	{"a.go", "func f() { x, err := a.New(1); use(|err) }", ""},
	{"a.go", "func f() { x := New[int](1); use(|x) }", "New()"},
	{"a.go", "func f() { x := New; use(|x) }", "New"},
	{"a.go", "func f() { x := y; use(|x) }", "y"},
	{"a.go", "func f() { x := ys[0]; use(|x) }", ""},
	{"a.go", "func f() { x := a.ys[i]; use(|x) }", ""},
	{"a.go", "func f() { x := 1 + y; use(|x) }", ""},
	{"a.go", "func f() { x := <-c; use(|x) }", ""},
	{"a.go", "func f() { for _, x := range xs { use(|x) } }", ""},
	{"a.go", "func f(p T) { use(|p) }", "T"},
	{"a.go", "func f(p []T) { use(|p) }", ""},
	{"a.go", "func f(p ...T) { use(|p) }", ""},
	{"a.go", "func (r *T) m() { |r.n() }", "T"},
	{"a.go", "func f() { x := T{}; { x := U{}; use(|x) } }", "U"},
	{"a.go", "func f() { x := T{}; { x := U{}; use(x) }; use(|x) }", "T"},
	{"a.go", "func |f() (T, error) { panic(1) }", "T"},
	{"a.go", "type S struct { |n T }", "T"},
	{"a.go", "var |v = T{}", "T"},
	{"a.go", "func f[T any](x T) { use(|x) }", "T"},
	{"a.py", "def f(x: T):\n    |x.m()\n", "T"},
	{"a.py", "def f(x: \"a.T\"):\n    |x.m()\n", "T"},
	{"a.py", "def f(x: Optional[T] = None):\n    |x.m()\n", "T"},
	{"a.py", "def f():\n    x = T(1)\n    |x.m()\n", "T()"},
	{"a.py", "def f():\n    x = T\n    |x.m()\n", ""},
	{"a.py", "def f():\n    x = T()\n    x = U()\n    |x.m()\n", ""},
	{"a.py", "def f():\n    x: T = make()\n    |x.m()\n", "T"},
	{"a.py", "class A:\n    def m(self):\n        |self.n()\n", "A"},
	{"a.py", "class A:\n    @staticmethod\n    def m(a):\n        |a.n()\n", ""},
	{"a.py", "def |f(x: Callable[[], U]) -> T:\n    pass\n", "T"},
	{"a.py", "class A:\n    def |m(self) -> \"a.T\": pass\n", "T"},
	{"a.py", "async def |f() -> T:\n    pass\n", ""},
	{"a.py", "@cached\ndef |f() -> T:\n    pass\n", ""},
	{"a.py", "def |f() -> None:\n    pass\n", ""},
	{"a.py", "def |f(x=lambda: 1):\n    pass\n", ""},
	{"a.py", "def f():\n    x = a.make(1)\n    |x.m()\n", "make()"},
	{"a.ts", "function f(x: T) { use(|x) }", "T"},
	{"a.ts", "function f(x: ns.T<U>) { use(|x) }", "T"},
	{"a.ts", "function f(x: T[]) { use(|x) }", ""},
	{"a.ts", "function f() { const x = new T(); use(|x) }", "T()"},
	{"a.ts", "function f() { const x = new ns.T<U>(1); use(|x) }", "T()"},
	{"a.ts", "function f() { const x: T | null = g(); use(|x) }", "T"},
	{"a.ts", "class A { m() { |this.n() } }", "A"},
	{"a.js", "function f() { const x = new T(); use(|x) }", "T()"},
	{"A.java", "class A { void m(T p) { use(|p); } }", "T"},
	{"A.java", "class A { void m() { T x = make(); use(|x); } }", "T"},
	{"A.java", "class A { void m() { var x = new T<U>(); use(|x); } }", "T()"},
	{"A.java", "class A { void m() { |this.n(); } }", "A"},
	{"a.rs", "fn f(x: &T) { g(|x) }", "T"},
	{"a.rs", "fn f() { let x = T { a: 1 }; g(|x) }", "T"},
	{"a.rs", "fn f() { let x: m::T<u8> = g(); h(|x) }", "T"},
	{"a.rs", "struct A; impl A { fn m(&self) { |self.n() } }", "A"},
	{"a.c", "void f(void) { struct T *x = g(); use(|x); }", "T"},
	{"a.c", "void f(T *x) { use(|x); }", "T"},
	{"a.cpp", "void f() { ns::T x; use(|x); }", "T"},
	{"a.cpp", "void f(const T& x) { use(|x); }", "T"},
	{"a.txt", "x |y", ""},
}

// typeBetween is what TypePlace finds for what stands behind before, as it is written, with () when it is called.
func typeBetween(path, before, after string) string {
	at, called, ok := TypePlace(path, []byte(before+after), len(before))
	got := ""
	if ok {
		got = (before + after)[at.Start:at.End]
	}
	if called {
		got += "()"
	}
	return got
}

func TestTypePlace(t *testing.T) {
	for _, test := range typePlaceCases {
		src := test.src
		if strings.HasSuffix(test.path, ".go") {
			src = "package p\n" + src
		}
		before, after, _ := strings.Cut(src, "|")
		if strings.Count(src, "|") > 1 { // a union: the last one is the mark
			at := strings.LastIndexByte(src, '|')
			before, after = src[:at], src[at+1:]
		}
		if got := typeBetween(test.path, before, after); got != test.want {
			t.Errorf("%s: %s: got %q, want %q", test.path, test.src, got, test.want)
		}
	}
}
