package daemon

import (
	"slices"
	"strings"
	"testing"

	"ctxd/index"
)

// What matches, and in which order.
func TestFuzzyOrder(t *testing.T) {
	for _, test := range []struct {
		query string
		want  string // the names that match, the best first
	}{
		{"ReadFile", "ReadFile readFile readfile ReadFileAt read_file doReadFile ReaddFilme"},
		{"rf", "ReadFile readFile read_file ReadFileAt doReadFile ReaddFilme readfile"},
		{"read_f", "read_file"},
		{"ſ", "ſtraße"},
		{"STRAßE", "ſtraße"},
		{"Kelvin", "kelvin"},
		{"zzz", ""},
		{"File.Close", "File.Close"},
		{"file::cl", "File.Close"},
		{"  read file  ", "readfile ReadFile readFile ReadFileAt read_file doReadFile ReaddFilme"},
	} {
		p := newPattern(test.query)
		type scored struct {
			name  string
			score int
		}
		var all []scored
		for _, name := range []string{"ReadFile", "readFile", "readfile", "ReadFileAt", "doReadFile", "ReaddFilme", "read_file", "ſtraße", "kelvin", "File.Close", "Close"} {
			d := index.Def{Name: name}
			if dot := strings.IndexByte(name, '.'); dot >= 0 {
				d.Container, d.Name = name[:dot], name[dot+1:]
			}
			if s := p.score(&d); s > 0 {
				all = append(all, scored{name, s})
			}
		}
		slices.SortStableFunc(all, func(a, b scored) int { return b.score - a.score })
		var got []string
		for _, x := range all {
			got = append(got, x.name)
		}
		if strings.Join(got, " ") != test.want {
			t.Errorf("%q: got %s, want %s", test.query, strings.Join(got, " "), test.want)
		}
	}
}
