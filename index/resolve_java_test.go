package index

import "testing"

func TestImportsJava(t *testing.T) {
	for statement, want := range map[string]string{
		"import a.b.C;":                   "a.b C(C) as C(C)",
		"import a.b.*;":                   "a.b *(b)",
		"import static a.C.m;":            "a C(C); a.C m(m) as m(m)",
		"import static a.C.*;":            "a C(C); a.C *(C)",
		"import a.C.D;":                   "a C(C); a.C D(D) as D(D)",
		"import a . /* x.y */ b // z\n.C": "a.b C(C) as C(C)",
		"import C;":                       "",
		"import;":                         "",
		"import static":                   "",
		"import *":                        "",
		"":                                "",
		"a.b.c":                           "package (a)",
	} {
		if got := importText(statement, importsJava([]byte(statement))); got != want {
			t.Errorf("%q: %s, want %s", statement, got, want)
		}
	}
}
