package index

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
)

// Every sanitizer keeps the length, and leaves its argument alone.
func checkSanitizers(t *testing.T, src []byte) {
	t.Helper()
	before := bytes.Clone(src)
	for _, l := range languages {
		if l.sanitize == nil {
			continue
		}
		if out := l.sanitize(src); len(out) != len(src) {
			t.Errorf("%s: %d bytes became %d", l.name, len(src), len(out))
		}
		if !bytes.Equal(src, before) {
			t.Fatalf("%s: the source was changed", l.name)
		}
	}
}

func FuzzSanitizers(f *testing.F) {
	for _, file := range archived(f) {
		f.Add(unescape(file.Data))
	}
	f.Fuzz(checkSanitizers)
}

// What looks ahead must not make the time grow with the square of the file: 256 KiB of each of these would run
// into the test's time limit then.
// CASES P2.
func TestSanitizersAreLinear(t *testing.T) {
	for _, unit := range []string{
		"<!-- <script> ", "<script a='", "<script></script>", "{{a}} ", "{{a}}\n", "{% %}", "- ", ": - ? ", "\"a\" \"",
		"enum A { const ", "enum A { const a = ", "const a = 1 ", "#[", "${(", "${${x}", "alias a=", "() {", "$+a",
		"@A @B class x {\n", "@A(1)\n@B\nclass x {\n", "class a\n\n@", "@A(", "class A @B constructor(", "fun interface ",
		"class a ", "class a;", "record a ", "#:", "[a]", "[a ", "constraint a foreign key ", "go\n", "create procedure ",
		"val a : ", "\nval ( ", "(*", "\"", "open A\nval a : t", "include A\n", "sig ", "defmodule A.B ", "A.B.", "/**",
		"extend a.b {", "optional group a = 1 {", "syntax = \"", "// \n", "/* ", "package a;", "goto a ", "::a::", "<const>",
		"trait A ", "class A implements B ", "def <A> ", "def \"a\"(", "class A\n A(", "\\a", "class A @B() (",
	} {
		t.Run(fmt.Sprintf("%.20q", unit), func(t *testing.T) {
			t.Parallel()
			checkSanitizers(t, []byte(strings.Repeat(unit, 1<<15/len(unit))))
		})
	}
}
