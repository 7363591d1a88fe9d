package index

import (
	"fmt"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

// importText has for each import: path, name, alias, and what stands at the places of the two.
func importText(statement string, imports []Import) string {
	var all []string
	for _, m := range imports {
		s := fmt.Sprintf("%s %s(%s)", m.Path, m.Name, statement[m.Start:m.End])
		if m.Alias != "" {
			s += fmt.Sprintf(" as %s(%s)", m.Alias, statement[m.AliasStart:m.AliasStart+uint32(len(m.Alias))])
		}
		if m.Export {
			s += " exported"
		}
		all = append(all, s)
	}
	return strings.Join(all, "; ")
}

func TestImportsC(t *testing.T) {
	for statement, want := range map[string]string{
		`#include "x.h"`:                   "x.h *(x.h)",
		`#include<sys/x.h>` + "\n":         "<sys/x.h> *(sys/x.h)",
		"#  include /* <no.h> */ \"x.h\"":  "x.h *(x.h)",
		`#include "dir with space/é.h" //`: "dir with space/é.h *(dir with space/é.h)",
		`#include MACRO(x)`:                "",
		`#include "x.h`:                    "",
		`#include ""`:                      "",
		"#include \"x\n.h\"":               "",
		"#include":                         "",
		"":                                 "",
		"using namespace a::b;":            ":: a(a); ::a b(b); ::a::b *(b)",
		"using a::f;":                      ":: a(a); ::a f(f) as f(f)",
		"using namespace\n  ::std ;":       ":: std(std); ::std *(std)",
		"using enum a::E;":                 ":: a(a); ::a E(E); ::a::E *(E)",
		"using /* of */ a :: f ; // g":     ":: a(a); ::a f(f) as f(f)",
		"namespace fs = std::filesystem;":  ":: std(std); ::std filesystem(filesystem); ::std::filesystem (filesystem) as fs(fs)",
		"namespace fs = ::x;":              ":: x(x); ::x (x) as fs(fs)",
		"namespace fs = ;":                 "",
		"using T = a::f;":                  "",
		"using typename Base<T>::type;":    "",
		"using Base<T>::type;":             "",
		"using A::operator=;":              "",
		"using namespace":                  "",
		"using ::":                         "",
		"using":                            "",
	} {
		if got := importText(statement, importsC([]byte(statement))); got != want {
			t.Errorf("%q: %s, want %s", statement, got, want)
		}
	}
}

func TestFindC(t *testing.T) {
	w := &archiveWorld{paths: []string{"a/include/stdio.h", "a/src/x.h", "b/internal/assert.h", "b/x.h", "c/d/y.h", "c/e/y.h", "c/main.c", "inc/lib/x.h", "x.c"}}
	for _, c := range []struct{ from, path, want string }{
		{"a/src/m.c", "x.h", "a/src/x.h"},
		{"b/m.c", "x.h", "b/x.h"},
		{"b/m.c", "<x.h>", ""}, // two: the command that compiles the file says which
		{"b/m.c", "<lib/x.h>", "inc/lib/x.h"},
		{"b/deep/m.c", "../x.h", "b/x.h"},
		{"b/m.c", "lib/x.h", "inc/lib/x.h"},
		{"c/main.c", "y.h", ""}, // two, equally near
		{"c/main.c", "d/y.h", "c/d/y.h"},
		{"c/main.c", "<assert.h>", ""},
		{"c/main.c", "<stdio.h>", "a/include/stdio.h"},
		{"c/main.c", "z.h", ""},
		{"c/main.c", "/etc/x.h", ""},
		{"c/main.c", "../../../../x.c", "x.c"},
		{"c/main.c", "..", ""},
	} {
		place, verdict := findC(w, c.from, nil, c.path)
		got := ""
		if verdict == Bound {
			got = place.Files[0]
		}
		if got != c.want || verdict == Elsewhere {
			t.Errorf("findC(%s, %s) = %s, want %s", c.from, c.path, got, c.want)
		}
	}
}

// TestLinked: what the linker may take for one, though no include shows it.
func TestLinked(t *testing.T) {
	w := newArchiveWorld(txtar.Parse([]byte(`
-- a.c --
int shared(int x) { return x; }
static int own(int x) { return x; }
int state;
struct s { int shared; };
-- b.h --
int shared(int x);
int own(int x);
extern int state;
-- c.go --
package c

func shared() {}
`)))
	at := func(path, name string) Symbol {
		for i, d := range w.File(path).Defs {
			if d.Qualified() == name {
				return Symbol{path, i}
			}
		}
		t.Fatalf("no %s in %s", name, path)
		return Symbol{}
	}
	r := NewResolver(w)
	for _, c := range []struct {
		name, path, other string
		want              bool
	}{
		{"shared", "b.h", "shared", true},
		{"state", "b.h", "state", true},
		{"own", "b.h", "own", false},
		{"shared", "b.h", "own", false},
		{"s.shared", "b.h", "shared", false},
		{"shared", "c.go", "shared", false},
	} {
		if got := r.Linked(at("a.c", c.name), at(c.path, c.other)); got != c.want {
			t.Errorf("a.c %s and %s %s: %v", c.name, c.path, c.other, got)
		}
	}
}

// TestDamagedRefs: references cut off anywhere, or with a byte changed, are read without a panic.
func TestDamagedRefs(t *testing.T) {
	f := Build("a.c", []byte("#include \"x.h\"\ntypedef struct s { struct s *next; int n; } s;\nint f(s *x) { return x->next->n + g(x); }\n"))
	if _, ok := f.TypeOf(0); !ok || f.refs == "" {
		t.Fatalf("no types in %+v", f)
	}
	for i := range len(f.refs) {
		for _, refs := range []string{f.refs[:i], f.refs[:i] + string([]byte{f.refs[i] ^ 0xff}) + f.refs[i+1:], f.refs[:i] + "\x7f" + f.refs[i+1:]} {
			damaged := *f
			damaged.refs = refs
			for def := range f.Defs {
				damaged.TypeOf(def)
			}
			for range damaged.AllRefs() {
			}
			damaged.Refs("next")
		}
	}
}
