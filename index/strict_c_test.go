package index

import (
	"strings"
	"testing"
)

// tokenFaults are the messages of what tokens alone tell of a text in C++.
func tokenFaults(src string) string {
	var all []string
	for _, f := range (&tree{src: []byte(src)}).cLines(false) {
		all = append(all, f.Message)
	}
	return strings.Join(all, " | ")
}

// TestTokensOfC: what tokens alone tell, whatever macros stand for.
func TestTokensOfC(t *testing.T) {
	for src, want := range map[string]string{
		"a::::b();":                       "unexpected `::`",
		"x = = 1;":                        "unexpected `=`",
		"if (a) >= b;":                    "unexpected `>=`",
		"x = 0x0cformat;":                 "`0x0cformat` is no number",
		"x = 0xff0xaf;":                   "`0xff0xaf` is no number",
		"x = 1 + y = ;":                   "unexpected `;` behind `=`",
		"for char.":                       "missing `(` behind `for`",
		"static_cast<<T>(x);":             "missing `<` behind `static_cast`",
		"std::template& x;":               "unexpected `&` behind `template`",
		"auto f() -> char template <> f;": "missing `;` behind `char`",
		"template <typename typename T>":  "unexpected `typename`",
		"template <typename A typename B, class C> void f();":    "missing `,` before `typename`",
		"template <typename T T> void f();":                      "missing `,` before `T`",
		"#if 1\n#else\n#endif\nx = = 1;":                         "unexpected `=`",
		"#define f(x) (x":                                        "unclosed `(`",
		"#define f(x) x)":                                        "unexpected `)`",
		"#define f(x":                                            "unclosed `(`",
		"#if 0\n#elif A\nx = = 1;\n#endif":                       "unexpected `=`",
		"#if 0\n#ifdef A\n#endif\n#endif\nx = = 1;":              "unexpected `=`",
		"void f(int a) { } void g() { f(a, , b); x.f(a, , b); }": "unexpected `,` | unexpected `,`",
		"f(a,, b);":                                              "unexpected `,`",
		"has been deprecated since version 11;":                  "unexpected `version`: so many words make no declaration",
		"auto f(context<Char>>& c) -> int;":                      "unexpected `>`",
		"auto f() -> result<A>> { }":                             "unexpected `>`",
		"x = f(a, bint>());":                                     "unexpected `>`",
		"x = static_cast<int(y);":                                "unclosed `<`",
		"auto buffer < basic<Char>();":                           "unclosed `<`",
		"template <class A, class C = a<<S>, class D> void f();": "unexpected `,` behind the parameters of a template",
		"if (is_same<A, B>value) return 1;":                      "unexpected `value`",
		"auto f() -> space space::type;":                         "unexpected `space`",
		"Copyright (c) 2012 - present":                           "unexpected `2012`",
		"Formatting library for C++":                             "unexpected `for`",
		"#include include <a>":                                   "unexpected `include`",
		"f(a<<, b);":                                             "unexpected `,` behind `<<`",
		"#ifndef >>\n#endif":                                     "unexpected `>>` behind `#ifndef`",
		"#if defined(A A)\n#endif":                               "missing `)` behind `A`",
		"#if defined defined(A)\n#endif":                         "unexpected `defined`",
		"#if A 903\n#endif":                                      "unexpected `903`",
		"#if F(<a elif)\n#endif":                                 "unclosed `<`",
		"#include <a":                                            "unclosed `<`",
		"#include <<a>":                                          "unexpected `<`",
		"#if if A\n#endif":                                       "unexpected `if`",
		"#if if\n#endif":                                         "unexpected `if`",
		"#if A A\n#endif":                                        "unexpected `A`",
		"is<typename It::>::value x;":                            "unexpected `>` behind `::`",
		"return static_cast<a>(b) & static_cast<a>>(c);":         "unexpected `>` behind the type of `static_cast`",
		"template typename T> void f();":                         "missing `<` behind `template`",
		"template presenttypename T, X(a)> void f();":            "missing `<` behind `template`",
		"#include <>":                                            "missing a name in `<>`",
		"f(a, b&&&&c);":                                          "unexpected `&&`",
		"int a; auto ==::f() -> int;":                            "unexpected `==` behind `auto`",
		"f(buffer.extern(), x);":                                 "unexpected `extern` behind `.`",
		"using p = using*;":                                      "unexpected `using` behind `=`",
		"using *;":                                               "unexpected `*` behind `using`",
		"#if A || (B >=>= 5)\n#endif":                            "unexpected `>=`",
		"#ifndef\n#endif":                                        "missing a name behind `#ifndef`",
		"class x :: public y::z { };":                            "unexpected `public` behind `::`",
		"auto f(const specs& return) -> int;":                    "unexpected `return` behind `&`",
		"auto loc = const(name);":                                "unexpected `const` behind `=`",
		"X(!has<T T>::value)":                                    "unexpected `T`",
		"enum class { a };":                                      "missing a name behind `enum class`",
		"std::ostringstream ostringstream os;":                   "unexpected `ostringstream`",
	} {
		if got := tokenFaults(src); !strings.Contains(got, strings.Replace(want, "`>>`", "`>`", 1)) {
			t.Errorf("%s\n got %s\nwant %s", src, got, want)
		}
	}
}

// TestSoundTokensOfC: what looks like a fault and is none.
func TestSoundTokensOfC(t *testing.T) {
	for _, src := range []string{
		"#if __has_include(<../a.h>) && A ?: B\n#endif\n#if A ?: B\n#endif\n",
		"\t.long 5\n\t.extern a\n\t.float 1\n",
		"Foo Foo::create(); typedef a::type type; f(Foo Foo::*p); x = &&label; template class X<T>; template int x<int>; void f(int = 5); sizeof(int) / 2;",
		"operator bool(); is<int>::value | x; auto f() -> const int&; OP(int, ==); struct { int a; } s = { .a = 1 }; X(using); enum class e { a }; using ::a;",
		"template <foo foo> class x; template <class T, foo foo> class y; auto p = ::new int; a::template b<c>(); ::operator new(1); auto f() -> const int;",
		"T x = static_cast<decltype(a > b)>(c), y = static_cast<std::vector<int>>(d), z = static_cast<int>\n(e); APPLY(x, static_cast<int>);",
		"#if __has_include(<net/if.h>) || __has_include(<../a.h>) || __has_include(<a/../b.h>)\n#endif\n#if defined(if) || not not A\n#endif",
		"[[gnu::const]] int f(); [[gnu::pure, gnu::const]] int g(); void h() { a::concept::check(); a::restrict = &X::requires; }",
		"#if 0\na = = b; these are six words in a row\n#if 1\n5x5z\n#else\n/ /\n#endif\n#else\nint a;\n#endif\n#if 1\nint b;\n#else\n= =\n#endif",
		"insert(&a, , b); D(Foo Foo::create()) { } D(int, Foo Foo::one) WHEN(if (x), f()); auto l = []<foo foo>() { };",
		"blk b = ^(int x) { return x; }; b = ^{ }; b = c ? ^int (int y) { return y; } : 0; int d = a ^ b;",
		"#define LPAREN() (\n#define RPAREN() )\n#define THEN ) {\n#define OPEN [\n#define EMPTY\n#define F(x)",
		"a:.long 5; nop;.extern b",
		"X operator=(X); using X::operator=; COMPARE(==, a); FOLD(a, /); (args && ...); (... || args);",
		"x = a ? b : c; x = a ?: b; p->*m; [=] { return x; }; a <=> b; x = .5 + 1. / 2.5e-3f + 0x1p-3 + 1'000'000 + 10_km + 1.0f16 + 5ull;",
		"if constexpr (a) b; if consteval { } while LIKELY(a) b; for EACH(a, b) c; do x; while (a); x.for_each;",
		"template <class A, typename B = typename A::x, typename A::y N, template <typename> class C> struct D; extern template class E; a.template f<int>(); TEST(a, template);",
		"MACRO(a,,b); MACRO(,); std::vector<std::vector<int>> x; a<b>::template c<d>; long long x; unsigned int y;",
		"#define f(a, b) a\nint x = f(1,, 2);\n#if defined(A) && A >= 3 || defined B\n#elif __has_include(<a>) && (3 > 2)\n#endif\n#include <a>\n#include MACRO\n#",
		"if (a<b && c>d) e; for (int i = 0; i<n; i++) x = y>>2; x = y >> z; bool operator<(A<B> a); X operator>(X); X operator>>(X); f(operator>, 1);",
		"template <> struct A<B>; template <class T, enable_if_t<(N > 0)> = 0> X f(); auto f<int>() -> int; auto x = a < b; a >> b >> c; CHECK(>, a);",
		"template <template <class> class C, int N = (2 > 1), auto V = x<y>> struct D; auto l = []<class T>(T a) { return a < b; }; x = a<b>::c > d; a->b > c;",
		"template <class T\n#if A\n, int N>\n#else\n>\n#endif\nstruct E; vector <int> v; if (n<x>>1) y; [=, &z](int i) { return i > 0; }; auto f() -> a final; x = p->y and z; if (a > b) c; if (T<A> x{1}) y; DEFINE(>>, shift); INSERT(x =); template <class T, int n, bool = n < static_cast<int>(T::digits)> struct S; f(x, =);",
		"static inline my_type API_CALL name(other_type a) { return (other_type) 5; }",
	} {
		if got := tokenFaults(src); got != "" {
			t.Errorf("%s\n%s", src, got)
		}
	}
}

// TestListed: which places lie in a list in < > that is closed.
func TestListed(t *testing.T) {
	for src, want := range map[string]bool{
		"x = !is_same<T, void>::value;": true,
		"x = f<g<void>>();":             true,
		"x = a < void > b;":             false,
		"x = a<b; void f(c>d);":         false,
		"x = f<void;":                   false,
		"void f<a>();":                  false,
	} {
		p := &site{text: []byte(src)}
		if got := p.listed(uint32(strings.Index(src, "void"))); got != want {
			t.Errorf("%s: %v", src, got)
		}
	}
}

// TestBalance: what stands in comments is out of no balance, and what it takes is.
func TestBalance(t *testing.T) {
	for src, want := range map[string][5]int{
		"// it's \" and (\nf();\n":    {},
		"/* \" ( [ */ f(); // /*\n":   {},
		"f(\"a\" /* b */, 'c'); /**/": {},
		"f(\"a);\n":                   {1, 0, 0, 0, 1},
		"f(); /* open\n":              {0, 0, 0, 1},
		"f(); // x\n/* y */ /* open":  {0, 0, 0, 1},
		"f(); */ {[":                  {0, 1, 1, -1},
	} {
		if got := balance([]byte(src)); got != want {
			t.Errorf("%q: %v, want %v", src, got, want)
		}
	}
}

// TestTypedefs: what a typedef names may stand twice in C, where a member has the name of its type.
func TestTypedefs(t *testing.T) {
	for src, want := range map[string]int{
		"enum mode { A };\ntypedef enum mode mode;\nstruct s { mode mode; };\n":          0,
		"typedef struct { int a; } len;\nvoid f(void) { len len; }\n":                    0,
		"typedef int size;\nvoid f(void) { len len = 1; }\n":                             1,
		"typedef struct { len b; } size;\nint len;\nvoid f(void) { int x = len len; }\n": 1,
	} {
		if got := (&tree{src: []byte(src)}).cLines(true); len(got) != want {
			t.Errorf("%q: %v", src, got)
		}
	}
}
