package daemon

import (
	"fmt"
	"strings"
	"testing"
)

// Only what says that it inherits does; | stands before the name that is asked about.
func TestImplementations(t *testing.T) {
	for _, test := range []struct{ name, src, want string }{
		{"a.py", "class |A: pass\nclass B(A): pass\nclass C(x.Y, A): pass\nclass D(List[A]): pass\nclass E(metaclass=A): pass\nclass F(Generic[T], A): pass\n", "B C F"},
		{"a.py", "class A:\n    def |m(self): pass\nclass B(A):\n    def m(self): pass\n    def n(self): pass\n", "B.m"},
		{"a.ts", "interface |A {}\nclass B implements A {}\nclass C extends D<A> implements E, A {}\nclass F extends G<A> {}\nclass H<T extends A> {}\ninterface I extends A {}\ntype J = A\n", "B C I"},
		{"A.java", "interface |A {}\nclass B implements A, Comparable<A> {}\nclass C implements Comparable<A> {}\nsealed interface D permits A {}\nrecord E(A a) implements A {}\nclass F<T extends A> {}\n", "B E"},
		{"a.rs", "trait |A {}\nstruct B(Box<dyn A>);\nstruct C<T: A>(T);\nstruct D<T>(T) where T: A;\ntrait E: A {}\nimpl A for B {}\nimpl<T: A> crate::A for C<T> {}\nunsafe impl<'a> A for &'a mut D<u8> {}\nimpl F for Box<dyn A> {}\nimpl !A for G {}\n", "E B C D"},
		{"a.rs", "trait A { fn |m(&self); }\nstruct B;\nimpl A for B { fn m(&self) {} }\nimpl B { fn m2(&self) {} }\nimpl Z for B { fn m(&self) {} }\n", "B.m"},
		{"a.rs", "trait A { fn |m(&self); }\nimpl A for B { fn m(&self) {} }\nmod n { impl<T> crate::A for C<T> { fn m(&self) {} } }\nunsafe impl A for D { fn m(&self) {} }\n", "B.m n.C.m D.m"},
		{"a.cpp", "struct |A {};\nstruct B : A {};\nclass C : public D<A> {};\nclass E final : private F, public A {};\ntemplate <class T = A> struct G {};\n", "B E"},
		{"a.go", "package p\ntype |A interface{}\ntype B struct{ A }\ntype C A\n", ""},
	} {
		before, after, _ := strings.Cut(test.src, "|")
		ws := newWorkspace(t, map[string]string{test.name: before + after})
		found, err := ws.Implementations(t.Context(), test.name, len(before))
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, d := range found {
			got = append(got, d.Def.Qualified())
		}
		if text := strings.Join(got, " "); text != test.want {
			t.Errorf("%s: %s\ngot %s, want %s", test.name, fmt.Sprint(test.src), text, test.want)
		}
	}
}
