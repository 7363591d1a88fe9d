package cli

import (
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// documented is a flag as docs/cli.md writes it: `--limit N`, `-e PATTERN`.
var documented = regexp.MustCompile("`(-[a-z]|--[a-z-]+)[` ]")

// TestDocument: docs/cli.md has a row for every verb, with all of its flags and no others, and names the flags of every verb.
func TestDocument(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "cli.md"))
	if err != nil {
		t.Fatal(err)
	}
	all := newFlags("")
	(&command{}).flags(all)
	all.VisitAll(func(f *flag.Flag) {
		if !strings.Contains(string(text), "`"+dashed(f.Name)) {
			t.Errorf("%s is not in the document", dashed(f.Name))
		}
	})
	for _, v := range verbs() {
		a := v.about()
		row := regexp.MustCompile("(?m)^\\|[^|]*`" + a.name + "[` ].*$").FindString(string(text))
		row = strings.ReplaceAll(row, `\|`, "|")
		if row == "" {
			t.Errorf("%s has no row in the document", a.name)
			continue
		}
		var got, want []string
		for _, m := range documented.FindAllStringSubmatch(row, -1) {
			got = append(got, m[1])
		}
		own := newFlags(a.name)
		v.flags(own)
		own.VisitAll(func(f *flag.Flag) { want = append(want, dashed(f.Name)) })
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("%s has the flags %q, and the document %q", a.name, want, got)
		}
		if a.args != "" && !strings.Contains(row, "`"+a.name+" "+a.args+"`") {
			t.Errorf("%s takes %s, and the document has another form: %s", a.name, a.args, row)
		}
	}
}
