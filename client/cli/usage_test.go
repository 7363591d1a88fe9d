package cli

import (
	"flag"
	"os"
	"path/filepath"
	"testing"
)

var update = flag.Bool("update", false, "rewrite usage/*.txt")

// The help texts are what usage/*.txt says.
func TestUsage(t *testing.T) {
	check := func(name, got string) {
		t.Helper()
		file := filepath.Join("usage", name+".txt")
		if *update {
			if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(file)
		if err != nil || got != string(want) {
			t.Errorf("%s (go test -update rewrites it): %v\n%s", file, err, got)
		}
	}
	out, errs, code := ctx("help")
	if code != 0 || errs != "" {
		t.Errorf("%s exit %d", errs, code)
	}
	check("ctx", out)
	files, err := filepath.Glob("usage/*.txt")
	if err != nil || len(files) != len(verbs())+1 && !*update {
		t.Errorf("%d files for %d verbs: %v", len(files), len(verbs()), err)
	}
	for _, v := range verbs() {
		name := v.about().name
		help, _, code := ctx("help", name)
		if code != 0 {
			t.Errorf("help %s: exit %d", name, code)
		}
		check(name, help)
		for _, flag := range []string{"--help", "-h"} {
			if got, _, code := ctx(name, flag); got != help || code != 0 {
				t.Errorf("%s %s: exit %d\n%s", name, flag, code, got)
			}
		}
	}
}
