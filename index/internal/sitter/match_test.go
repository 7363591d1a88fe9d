package sitter

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// folders are those of ../../languages that make up the query of a grammar, where it is not the one of its name.
var folders = map[string][]string{
	"cpp":             {"cpp", "c"},
	"javascript":      {"javascript", "ecmascript", "jsx"},
	"ocaml_interface": {"ocaml_interface", "ocaml"},
	"svelte":          {"ecmascript", "typescript"},
	"tsx":             {"ecmascript", "typescript", "jsx"},
	"typescript":      {"ecmascript", "typescript"},
	"vue":             {"ecmascript", "typescript"},
}

// query is the text of a language's queries, each node marked as a pattern of its own.
func query(t *testing.T, name string) []byte {
	parts := folders[name]
	if parts == nil {
		parts = []string{name}
	}
	var text []byte
	for _, file := range []string{"tags.scm", "locals.scm"} {
		for _, part := range parts {
			if b, err := os.ReadFile(filepath.Join("../../languages", part, file)); err == nil {
				text = append(append(text, b...), '\n')
			}
		}
	}
	if len(text) == 0 {
		t.Fatalf("no query for %s", name)
	}
	return text
}

// samples are the archives of a language, taken for files of it as they are, and pieces of them.
func samples(t *testing.T, name string) (all [][]byte) {
	archives, _ := filepath.Glob(filepath.Join("../../languages", name, "*.txtar"))
	for _, archive := range archives {
		text, err := os.ReadFile(archive)
		if err != nil {
			t.Fatal(err)
		}
		if sources, _, ok := bytes.Cut(text, []byte("-- want --")); ok {
			text = sources
		}
		all = append(all, text)
		if len(text) > 2000 && !testing.Short() {
			for at := 0; at+1500 < len(text); at += 1000 {
				all = append(all, text[at:at+1500])
			}
		}
	}
	return all
}

// Patterns that are matched here match the same, in the same order, as they do in the library.
func TestMatch(t *testing.T) {
	entries, err := os.ReadDir("../../languages")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		name := e.Name()
		if !e.IsDir() || len(samples(t, name)) == 0 {
			continue // a folder of queries for others
		}
		t.Run(name, func(t *testing.T) {
			text := query(t, name)
			l, err := Open(name, text, nil, func(capture string) bool { return strings.HasPrefix(capture, "definition.") })
			if err != nil {
				t.Fatal(err)
			}
			all := samples(t, name)
			var here []Facts
			for _, src := range all {
				here = append(here, l.Run(src, plenty))
			}
			l.askLibrary()
			found := 0
			for k, src := range all {
				got, want := here[k], l.Run(src, plenty)
				found += len(want.Captures)
				if got.Outcome != want.Outcome {
					t.Fatalf("outcome %d, the library's %d", got.Outcome, want.Outcome)
				}
				for i := range max(len(got.Captures), len(want.Captures)) {
					if i >= len(got.Captures) || i >= len(want.Captures) || got.Captures[i] != want.Captures[i] {
						t.Fatalf("capture %d of %q:\nhere        %s\nthe library %s", i, near(src, want.Captures, i), tell(l, src, got.Captures, i), tell(l, src, want.Captures, i))
					}
				}
			}
			if found == 0 && name != "markdown" {
				t.Error("nothing was matched")
			}
		})
	}
}

// Of a quarter of a million fields with one type each is followed to it. That ends, and says so.
func TestMatchEnds(t *testing.T) {
	l, err := Open("go", query(t, "go"), nil, func(string) bool { return true })
	if err != nil {
		t.Fatal(err)
	}
	src := []byte("package p\n\ntype T struct {\n\t" + strings.Repeat("a,", 1<<18) + "b struct{}\n}\n")
	if f := l.Run(src, plenty); f.Outcome != TooMany {
		t.Errorf("outcome %d, want TooMany", f.Outcome)
	}
	if f := l.Run([]byte("package p\n\ntype T struct{ a, b struct{} }\n"), plenty); f.Outcome != Done || len(f.Captures) == 0 {
		t.Errorf("the next file: outcome %d, %d captures", f.Outcome, len(f.Captures))
	}
}

func near(src []byte, all []Capture, i int) []byte {
	at := 0
	if i < len(all) {
		at = int(all[i].Start)
	}
	return src[max(0, at-40):min(len(src), at+60)]
}

func tell(l *Language, src []byte, all []Capture, i int) string {
	if i >= len(all) {
		return "ends"
	}
	c := all[i]
	return strings.Join([]string{l.captures[c.ID], "of line", strconv.Itoa(l.patterns[c.Pattern].Line), "at", strconv.Itoa(int(c.Start)), strconv.Itoa(int(c.End)), "match", strconv.Itoa(int(c.Match)), "body", strconv.Itoa(int(c.Body)), string(src[c.Start:min(c.End, c.Start+30)])}, " ")
}
