package main

import (
	"math/rand/v2"
	"strings"
	"testing"
)

func TestTokens(t *testing.T) {
	src := []byte("if (a->b ==\tcafé) { x... }\n")
	var got []string
	for _, at := range tokens(src) {
		got = append(got, string(src[at[0]:at[1]]))
	}
	if text := strings.Join(got, " "); text != "if ( a -> b == café ) { x ... }" {
		t.Errorf("%q", text)
	}
}

// A damage changes one token, and says where.
func TestDamaged(t *testing.T) {
	src := []byte("a = b\nc(d)\n")
	r := rand.New(rand.NewPCG(1, 1))
	kinds := map[string]bool{}
	for range 200 {
		d, ok := damaged(r, "x", src)
		if !ok {
			continue
		}
		kinds[d.Kind] = true
		now := string(d.apply(src))
		old := string(src[d.Start:d.End])
		switch d.Kind {
		case "deleted":
			ok = d.New == "" && len(now) == len(src)-len(old)
		case "doubled":
			ok = strings.ReplaceAll(d.New, " ", "") == old+old
		case "replaced":
			ok = d.New != old && d.New != ""
		}
		if !ok || now == string(src) || d.line(src) != 1+strings.Count(string(src[:d.Start]), "\n") {
			t.Errorf("%+v: %q", d, now)
		}
	}
	if len(kinds) != 3 {
		t.Errorf("%v", kinds)
	}
	if _, ok := damaged(r, "x", nil); ok {
		t.Error("nothing was damaged")
	}
}

// What compilers print.
func TestRefusals(t *testing.T) {
	for output, want := range map[string]string{
		"go a.go:2:9: expected ')', found '{'\n":                                                                       "2 expected ')', found '{'",
		"rust m.rs:3:1: error: expected item, found `;`\n":                                                             "3 expected item, found `;`",
		"c a.c:1:8: error: expected parameter declarator [Parse Issue]\n":                                              "1 expected parameter declarator",
		"c a.c:1:8: fatal error: 'x.h' file not found [Lexical or Preprocessor Issue]\n":                               "",
		"cpp a.h:1:8: error: unknown type name 'x' [Semantic Issue]\na.h:7:1: error: extraneous brace [Parse Issue]\n": "7 extraneous brace",
	} {
		language, text, _ := strings.Cut(output, " ")
		got := ""
		if m := compilers[language].output.FindStringSubmatch(text); m != nil {
			got = m[1] + " " + m[2]
		}
		if got != want {
			t.Errorf("%s: %q, want %q", output, got, want)
		}
	}
}
