package index

import (
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

// archived are the source files of all test archives.
func archived(tb testing.TB) []txtar.File {
	names, err := filepath.Glob("languages/*/*.txtar")
	if err != nil || len(names) == 0 {
		tb.Fatalf("no test archives (%v)", err)
	}
	var files []txtar.File
	for _, name := range names {
		a, err := txtar.ParseFile(name)
		if err != nil {
			tb.Fatal(err)
		}
		for _, f := range a.Files {
			if f.Name != "want" {
				files = append(files, f)
			}
		}
	}
	return files
}

// FuzzBuild: no bytes make Build panic or give a range outside of them, in any language.
func FuzzBuild(f *testing.F) {
	for _, file := range archived(f) {
		f.Add(file.Name, unescape(file.Data))
	}
	f.Fuzz(func(t *testing.T, path string, src []byte) {
		if Language(path, src) == "" { // as most mutated paths: any language will do
			path = "a" + languages[len(path)%len(languages)].extensions[0]
		}
		file := Build(path, src)
		if file.Status == Failed {
			t.Fatalf("%s: %v", path, file.Status)
		}
		checkFile(t, path, src, file)
	})
}
