package main

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ctxd/client/wire"
)

func TestSiteText(t *testing.T) {
	for text, want := range map[string]site{
		"a.go:3:5": {"a.go", 3, 5}, "a:b.go:3:5": {"a:b.go", 3, 5}, "a b/ü:1:1": {"a b/ü", 1, 1},
		"a.go": {}, "a.go:3": {}, "a.go:0:1": {}, "a.go:1:x": {}, "": {},
	} {
		var got site
		err := got.UnmarshalText([]byte(text))
		if (err == nil) != (want.line > 0) || got != want {
			t.Errorf("%q: %v, %v", text, got, err)
		}
		if err == nil && got.String() != text {
			t.Errorf("%q is printed as %s", text, got)
		}
	}
}

// Positions of a server are in UTF-16 units, those of a site in bytes.
func TestPositions(t *testing.T) {
	tree := &tree{root: planted(t, map[string]string{"a.ts": "x\r\né = 𝄞 + y\rlet 'z'\n\xff y"}), lines: map[string][]string{}}
	for _, c := range []struct {
		line, character int
		want            site
	}{
		{0, 0, site{"a.ts", 1, 1}}, {1, 0, site{"a.ts", 2, 1}}, {1, 4, site{"a.ts", 2, 6}}, {1, 9, site{"a.ts", 2, 13}},
		{3, 2, site{"a.ts", 4, 3}},
	} {
		at := wire.Position{Line: c.line, Character: c.character}
		if got := tree.site("a.ts", at); got != c.want || tree.position(got) != at {
			t.Errorf("%v: %v, and back %v", at, got, tree.position(got))
		}
	}
	// A name in quotes is the name, and what is past the end is the end.
	if got := tree.site("a.ts", wire.Position{Line: 2, Character: 4}); got != (site{"a.ts", 3, 6}) || tree.name(got) != "z" {
		t.Errorf("got %v %q", got, tree.name(got))
	}
	for _, at := range []wire.Position{{Line: 0, Character: 99}, {Line: 99, Character: 3}} {
		if got := tree.name(tree.site("a.ts", at)); got != "" {
			t.Errorf("%v: %q", at, got)
		}
	}
	if got := tree.name(site{"no.ts", 1, 1}); got != "" {
		t.Errorf("a file that is not there holds %q", got)
	}
}

func TestTreeOf(t *testing.T) {
	files := map[string]string{"a.go": "", "b/c.go": "", "b/d.txt": "", ".h/e.go": "", "node_modules/f.go": "", "ignored.go": "", ".gitignore": "ignored.go\n"}
	root := planted(t, files)
	plain, err := treeOf(t.Context(), root, languages["go"])
	if want := []string{"a.go", "b/c.go", "ignored.go"}; err != nil || !slices.Equal(plain.files, want) {
		t.Errorf("without git: %v, %v", plain, err)
	}
	before, err := plain.digest()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := git(t.Context(), root, "init", "--quiet"); err != nil {
		t.Fatal(err)
	}
	known, err := treeOf(t.Context(), root, languages["go"])
	if want := []string{".h/e.go", "a.go", "b/c.go", "node_modules/f.go"}; err != nil || !slices.Equal(known.files, want) {
		t.Errorf("with git: %v, %v", known, err)
	}
	if !known.has("a.go") || known.has("b/d.txt") {
		t.Error("has does not know the files")
	}
	for _, text := range []string{"x", ""} {
		if err := os.WriteFile(filepath.Join(root, "a.go"), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if after, err := plain.digest(); err != nil || (after == before) != (text == "") {
			t.Errorf("with %q in it: %s, %s, %v", text, before, after, err)
		}
	}
}

func TestWords(t *testing.T) {
	tree, err := treeOf(t.Context(), planted(t, map[string]string{"a.go": "b bb b_b é.b\nübb $b 1b b\r\nb", "c.go": "// b"}), languages["go"])
	if err != nil {
		t.Fatal(err)
	}
	found, err := tree.hits(map[string]bool{"b": true})
	want := []site{{"a.go", 1, 1}, {"a.go", 1, 13}, {"a.go", 2, 12}, {"a.go", 3, 1}, {"c.go", 1, 4}}
	if err != nil || !slices.Equal(found["b"], want) {
		t.Errorf("%v, %v", found, err)
	}
	counts, err := tree.frequencies()
	if err != nil || !maps.Equal(counts, map[string]int{"b": 5, "bb": 1, "b_b": 1, "é": 1, "übb": 1, "$b": 1, "1b": 1}) {
		t.Errorf("%v, %v", counts, err)
	}
}

func TestUnseenGo(t *testing.T) {
	tree, err := treeOf(t.Context(), planted(t, map[string]string{
		"go.mod": "module m\n", "a.go": "package a\n", "a_test.go": "package a_test\n", "a_plan9.go": "package a\n",
		"tag.go": "//go:build never\n\npackage a\n", "old.go": "//go:build !never\n\npackage a\n",
		"cmd/go.mod": "module cmd\n", "cmd/x/y/z.go": "package y\n", "testdata/t.go": "package t\n", "b/_c/d.go": "package c\n", "vendor/v/v.go": "package v\n",
	}), languages["go"])
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{"a_plan9.go": otherPlatform, "tag.go": otherPlatform, "cmd/x/y/z.go": otherModule, "testdata/t.go": noPackage, "b/_c/d.go": noPackage, "vendor/v/v.go": vendored}
	if got := unseenGo(tree); !maps.Equal(got, want) {
		t.Errorf("got %v", got)
	}
}

// The compiler here is a script that checks what it is asked.
func TestUnseenC(t *testing.T) {
	root := planted(t, map[string]string{
		"src/a.c": "", "src/a.h": "", "src/never.c": "", "inc/b.h": "", "src/late.h": "",
		"cc": "#!/bin/sh\n[ \"$*\" = '-I../inc a.c -MM' ] || { echo \"$*\" >&2; exit 1; }\nprintf 'a.o: a.c a.h \\\\\\n ../inc/b.h\\n'\n",
	})
	if err := os.Chmod(filepath.Join(root, "cc"), 0o755); err != nil {
		t.Fatal(err)
	}
	database := `[{"directory": "` + root + `/src", "file": "a.c", "arguments": ["../cc", "-c", "-o", "a.o", "-MMD", "-MF", "a.d", "-I../inc", "a.c"]}]`
	write := func(text string) {
		if err := errors.Join(os.MkdirAll(filepath.Join(root, "db"), 0o755), os.WriteFile(filepath.Join(root, "db", "compile_commands.json"), []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	tree, err := treeOf(t.Context(), root, languages["c"])
	if err != nil {
		t.Fatal(err)
	}
	server := []string{"clangd", "--compile-commands-dir=" + filepath.Join(root, "db")}
	for _, text := range []string{database, strings.Replace(database, `"arguments": ["../cc", "-c", "-o", "a.o", "-MMD", "-MF", "a.d", "-I../inc", "a.c"]`, `"command": "../cc -I../inc -c a.c"`, 1)} {
		write(text)
		got, err := unseenC(t.Context(), tree, server)
		if err != nil || !maps.Equal(got, map[string]string{"src/never.c": notCompiled, "src/late.h": notCompiled}) {
			t.Errorf("got %v, %v", got, err)
		}
	}
	for text, want := range map[string]string{
		`[]x`: "compile_commands.json", `[{"file": "a.c"}]`: "no command for a.c",
		strings.Replace(database, "-I../inc", "-I../other", 1): "a.c: -MM",
	} {
		write(text)
		if _, err := unseenC(t.Context(), tree, server); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
	}
}

func TestUnseenTS(t *testing.T) {
	s, _, tree := serveFake(t, planted(t, map[string]string{"p/a.go": "", "q/b.go": "", "r/c.go": "", "d.go": ""}), nil)
	got, err := s.unseenTS(t.Context(), tree, []string{"d.go", "p/a.go", "q/b.go"})
	if err != nil || !maps.Equal(got, map[string]string{"d.go": notInProject, "r/c.go": notInProject}) {
		t.Errorf("got %v, %v", got, err)
	}
	if err := s.close(t.Context()); err != nil {
		t.Fatal(err)
	}
}
