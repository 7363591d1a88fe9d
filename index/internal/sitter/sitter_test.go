package sitter

import (
	"bytes"
	"errors"
	"strings"
	"testing"
)

const goQuery = `(function_declaration name: (identifier) @name) @definition.function`

// plenty is more work than any test needs.
var plenty = Budget{Work: 1 << 30}

func open(t testing.TB, grammar, query string) *Language {
	t.Helper()
	l, err := Open(grammar, []byte(query), nil, func(c string) bool { return strings.HasPrefix(c, "definition.") })
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func names(l *Language, src []byte, f Facts) []string {
	var out []string
	for _, c := range f.Captures {
		if l.Captures()[c.ID] == "name" {
			out = append(out, string(src[c.Start:c.End]))
		}
	}
	return out
}

func TestCheck(t *testing.T) {
	if err := Check(); err != nil {
		t.Fatal(err)
	}
	var link *LinkError
	if err := missing(true); !errors.As(err, &link) || link.Symbol != "ctx_absent_symbol" {
		t.Fatalf("a symbol that nobody defines: %v, want a LinkError", err)
	}
}

func TestQueryErrors(t *testing.T) {
	for _, c := range []struct{ grammar, query, want string }{
		{"go", "\n(no_such_node) @name", "go query, line 2: unknown node type"},
		{"go", "(identifier", "syntax error"},
		{"nolang", "(x)", "no grammar of this name"},
	} {
		_, err := Open(c.grammar, []byte(c.query), nil, func(string) bool { return false })
		var q *QueryError
		if !errors.As(err, &q) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("Open(%s, %q): %v, want %q", c.grammar, c.query, err, c.want)
		}
	}
}

func TestRun(t *testing.T) {
	l := open(t, "go", goQuery)
	src := []byte("package p\n\nfunc f() int {\n\treturn 1\n}\n)))\n")
	f := l.Run(src, plenty)
	if f.Outcome != Done || strings.Join(names(l, src, f), " ") != "f" {
		t.Fatalf("%+v", f)
	}
	if len(f.Captures) != 2 || f.Captures[0].Body != uint32(bytes.IndexByte(src, '{')) {
		t.Errorf("body: %+v", f.Captures)
	}
	if len(f.Errors) == 0 || f.Errors[0].Start < 30 {
		t.Errorf("errors: %v, want one in the last line", f.Errors)
	}
	if f := l.Run(nil, plenty); f.Outcome != Done || len(f.Captures) != 0 {
		t.Errorf("empty source: %+v", f)
	}
}

// A parser that hit its limit goes on with the interrupted file when it is used again (measured:
// no error, a tree of 82 bytes for a source of 36). Its worker must be gone.
// CASES P1; LIBRARIES M9.
func TestStoppedParserIsNotReused(t *testing.T) {
	l := open(t, "python", `(class_definition name: (identifier) @name)`)
	big := bytes.Repeat([]byte("class Big:\n    def method(self): return [1, 2, 3]\n"), 60000)
	if f := l.Run(big, Budget{Work: 1}); f.Outcome != ParseTooMuch || len(f.Captures) != 0 {
		t.Fatalf("outcome %d with %d captures, want none for too much work", f.Outcome, len(f.Captures))
	}
	if o := l.Parse(big, Budget{Work: 1}); o != ParseTooMuch {
		t.Fatalf("outcome %d, want too much", o)
	}
	small := []byte("class Small:\n    def m(self): pass\n")
	f := l.Run(small, plenty)
	if f.Outcome != Done || strings.Join(names(l, small, f), " ") != "Small" {
		t.Errorf("after too much work: %+v, want just Small", f)
	}
}

// Even a parser that is kept after an interruption starts afresh.
// CASES P1; LIBRARIES M9.
func TestInterruptedParserIsReset(t *testing.T) {
	l := open(t, "python", `(class_definition name: (identifier) @name)`)
	w := l.take()
	big := bytes.Repeat([]byte("class Big:\n    x = [1, 2, 3]\n"), 60000)
	if w.parse(big, Budget{Work: 1}) != ParseTooMuch {
		t.Fatal("not stopped")
	}
	small := []byte("class Small: pass\n")
	if w.parse(small, plenty) != Done || w.rootEnd() > uint64(len(small)) {
		t.Errorf("root ends at %d of %d", w.rootEnd(), len(small))
	}
	w.discard()
}
