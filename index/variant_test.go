package index

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
)

func TestVariant(t *testing.T) {
	for path, want := range map[string]string{
		"":                    "#!/./././",
		"a.go":                ".go/",
		"other/B.GO":          ".go/",
		"a/b/c.h":             ".h",
		"a.unknown":           "",
		".hidden":             "",
		"a.":                  "",
		"a/b.py":              ".py/a.b",
		"a/__init__.py":       ".py/a",
		"a/b.pyi":             ".pyi/a.b",
		"src/lib.rs":          ".rs/src",
		"web/index.d.ts":      ".ts/web",
		"doc/x.md":            ".md",
		"bin/tool":            "#!//bin.tool//bin.tool//bin.tool",
		"bin/index":           "#!//bin//bin.index//bin",
		"./bin//../bin/index": "#!//bin//bin.index//bin",
	} {
		if path == "" {
			want = Variant("") // no path at all: any, as long as it is the same
		}
		if got := Variant(path); got != want {
			t.Errorf("Variant(%q) = %q, want %q", path, got, want)
		}
	}
}

// Equal variants and equal bytes give equal files: every pair of a few hundred paths with all
// contents that decide a language or a module. Two rows with file names stand in for the registry's
// lack of one.
func TestVariantDecides(t *testing.T) {
	before := languages
	defer func() { languages = before }()
	named := *languageOf("a.py", nil)
	named.filenames, named.extensions, named.programs = []string{"SConstruct", "wscript.js"}, nil, nil
	plain := *languageOf("a.c", nil)
	plain.filenames, plain.extensions = []string{"config", "notes.md"}, nil
	languages = append([]*language{&named, &plain}, before...)

	var bases []string
	for _, l := range languages {
		for _, ext := range l.extensions {
			bases = append(bases, "x"+ext, "index"+strings.ToUpper(ext), "x.d"+ext, ext, "index.d"+ext)
		}
		bases = append(bases, l.filenames...)
		bases = append(bases, l.programs...)
	}
	bases = append(bases, "index", "__init__", "__init__.py", "__main__.py", "mod.rs", "lib.rs", "main.rs", "x.", "x.none", ".x",
		"go", "py", "a.b.py", "a\x00b", "x.PY ", "SCONSTRUCT")
	var paths []string
	for _, dir := range []string{"", "a/b/", "./a/", "a.b/", "__init__/", "a\x00b/"} {
		for _, base := range bases {
			paths = append(paths, dir+base)
		}
	}
	contents := []string{"", "x", "\x00", "package q\n\nfunc f() {}\n", "package a.b;\nclass C { int x; }\n", "class C:\n    x = 1\n",
		"#!/usr/bin/env python3\nx = 1\n", "#!/usr/bin/node\nvar x = 1\n", "#!/usr/bin/env -S deno run\nlet x = 1\n", "#!/bin/sh\nx=1\n",
		"class C { public: int x; };\n", "struct s { int x; };\n", "# x\n\n## y\n", "fn f() {}\nmod m { fn g() {} }\n",
		"export class K { m() {} }\n", "declare module 'm' { function f(): void }\n"}
	groups := map[string]string{} // variant → the first path that has it
	compared := 0
	for _, path := range paths {
		v := Variant(path)
		first, ok := groups[v]
		if !ok {
			groups[v] = path
			continue
		}
		compared++
		for _, src := range contents {
			if got, want := Build(path, []byte(src)), Build(first, []byte(src)); !reflect.DeepEqual(got, want) {
				t.Fatalf("%q and %q have the variant %q, but %q is\n%+v, and\n%+v", path, first, v, src, got, want)
			}
		}
	}
	if compared < 300 || len(groups) < 100 {
		t.Errorf("%d pairs were compared in %d groups: this shows nothing", compared, len(groups))
	}
}

// A module holds no slash, so that the parts of a variant cannot run into each other.
func TestModuleHasNoSlash(t *testing.T) {
	for _, l := range languages {
		for _, path := range []string{"", "/", "a/b", "//a//b//", "a/../b.py", "../x.py", "a/\x00/b.rs"} {
			if l.module != nil && strings.Contains(l.module(path, ""), "/") {
				t.Errorf("%s: module of %q is %q", l.name, path, l.module(path, ""))
			}
		}
	}
}

// FuzzVariant compares two paths over one content.
func FuzzVariant(f *testing.F) {
	for _, pair := range [][2]string{{"a.go", "b.go"}, {"a/x.py", "a/x.PY"}, {"a/index.js", "a.js"}, {"bin/x", "./bin/x"}, {"x.h", "y.h"}} {
		for _, src := range []string{"", "#!/usr/bin/python\nx = 1\n", "class C { public: int x; };"} {
			f.Add(pair[0], pair[1], []byte(src))
		}
	}
	f.Fuzz(func(t *testing.T, p, q string, src []byte) {
		if Variant(p) == Variant(q) {
			if a, b := Build(p, src), Build(q, src); !reflect.DeepEqual(a, b) {
				t.Errorf("%q and %q have the variant %q: %s", p, q, Variant(p), fmt.Sprint(a, b))
			}
		}
	})
}

func BenchmarkVariant(b *testing.B) {
	for _, path := range []string{"net/http/server.go", "Lib/asyncio/base_events.py", "bin/tool"} {
		b.Run(path, func(b *testing.B) {
			for b.Loop() {
				Variant(path)
			}
		})
	}
}
