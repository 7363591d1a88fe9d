package index

import "testing"

// CASES P15.
func TestIsCPlusPlus(t *testing.T) {
	for _, c := range []struct {
		src  string
		want bool
	}{
		{"", false},
		{"int f(void);\nstruct s { int class; };\n", false},
		{"struct s { int x; };\n#ifdef __cplusplus\nextern \"C\" {\nnamespace n {\n#if X\n#endif\nclass A;\n#endif\nint f(void);\n", false},
		{"#ifdef __cplusplus\n#else\nint c;\n#endif\nclass A {};\n", true},
		{"#if defined(__cplusplus)\nclass A;\n#endif\n", false},
		{"#if __cplusplus >= 201103L\n# include <cstdint>\n#else\nint x;\n#endif\n", false},
		{"/* class A\nclass B {\n*/ int x;\n// template <\n", false},
		{"/* x */ class A {\n", true},
		{"int a = b / c;\nclass A;\n", true},
		{"#include <vector>\n", true},
		{"#include <vector.h>\n", false},
		{"namespace a::b {\n", true},
		{"namespace\n{\n", true},
		{"template<class T> struct X;\r\n", true},
		{"struct X {\n  public:\n", true},
		{"void f(const std::string&);\n", true},
		{"using x = int;\n", true},
		{"enum class E { A };\n", true},
		{"// see http://x/y\nint f();\n", false},
	} {
		if got := isCPlusPlus([]byte(c.src)); got != c.want {
			t.Errorf("isCPlusPlus(%q) = %v", c.src, got)
		}
	}
}
