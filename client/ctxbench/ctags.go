package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os/exec"
	"slices"
	"strings"
)

// tag is one line of ctags --output-format=json.
type tag struct {
	Type      string `json:"_type"`
	Name      string `json:"name"`
	Path      string `json:"path"`
	Language  string `json:"language"`
	Line      int    `json:"line"`
	Kind      string `json:"kind"`
	Scope     string `json:"scope"`
	ScopeKind string `json:"scopeKind"`
	Pattern   string `json:"pattern"`
	// apart says why the tag is counted in a row of its own, and not in its language's: "" when it is
	// not.
	apart string
}

// Reasons to count a tag apart.
const (
	macroCall = "call of a macro"
	localName = "local in a function"
	template  = "in a template (.in)"
	misread   = "misread by ctags"
)

// wanted are the ctags kinds that are compared: functions, methods, types, macros, constants and
// variables of a module or class, fields, and prototypes. Parameters, local variables, imports and labels
// are not.
var wanted = map[string]string{
	"Go":         "func const type var struct interface talias methodSpec member",
	"Python":     "class function member variable",
	"JavaScript": "function class method constant variable generator getter setter field property",
	"TypeScript": "function class interface enum enumerator method namespace constant variable alias generator property",
	"Java":       "class interface enum method field enumConstant annotation",
	"Rust":       "module struct interface function enum typedef variable macro method constant enumerator field",
	"C":          "function struct union enum typedef variable macro enumerator member prototype",
	"C++":        "function class struct union enum typedef variable macro enumerator namespace member prototype",
	"Ruby":       "class module method singletonMethod constant alias accessor",
	"PHP":        "class interface trait function define",
	"C#":         "class interface struct enum enumerator method property field event",
	"Kotlin":     "class interface object method typealias constant variable",
	"Lua":        "function",
	"Sh":         "function alias",
	"Elixir":     "module protocol function macro callback delegate guard type operator",
	"OCaml":      "module class type function val var method Constructor Exception RecordField",
	"Elm":        "type constructor alias function port",
	"SQL":        "table view function procedure trigger index field",
	"Protobuf":   "message enum enumerator field oneof service rpc",
	"CSS":        "class id",
}

// localScopes are the scopes whose variables are local.
const localScopes = "function method func member generator"

// ctags runs universal-ctags over the tree and keeps the tags that are compared, in its order: by file.
func (b *bench) ctags(ctx context.Context) ([]tag, error) {
	languages := slices.Sorted(maps.Keys(wanted))
	if b.lang != "" {
		languages = []string{b.lang}
	}
	cmd := exec.CommandContext(ctx, "ctags", "-R", "--output-format=json", "--fields=+lnKsS", "--extras=-q", "--kinds-all=*",
		"--sort=no", "--languages="+strings.Join(languages, ","), "-f", "-", ".")
	cmd.Dir = b.root
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("universal-ctags is what recall is measured against: %w", err)
	}
	tags, err := readTags(out)
	if err := errors.Join(err, cmd.Wait()); err != nil {
		return nil, fmt.Errorf("ctags: %w: %s", err, said.Bytes())
	}
	return tags, nil
}

// readTags reads JSON lines and keeps those that are compared.
func readTags(out io.Reader) ([]tag, error) {
	var all []tag
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, 64<<20)
	for lines.Scan() {
		var t tag
		if json.Unmarshal(lines.Bytes(), &t) == nil && t.Type == "tag" {
			t.Path, t.Name = strings.TrimPrefix(t.Path, "./"), t.ourSpelling()
			all = append(all, t)
		}
	}
	return compared(all), lines.Err()
}

// ourSpelling is a name as ctx has it: ctags writes operator [] for what the source calls operator[], gives
// Lua's functions with their tables, and Elm's types and constructors with all that follows them; an accessor
// of Ruby is two methods to it.
func (t *tag) ourSpelling() string {
	symbol, ok := strings.CutPrefix(t.Name, "operator ")
	if ok && symbol != "" && strings.IndexByte("=!<>+-*/%^&|~,([", symbol[0]) >= 0 {
		return "operator" + symbol
	}
	switch t.Language + " " + t.Kind {
	case "Lua function":
		return t.Name[strings.LastIndexAny(t.Name, ".:")+1:]
	case "Elm type", "Elm constructor", "Elm alias":
		name, _, _ := strings.Cut(t.Name, " ")
		return name
	case "Ruby accessor":
		return strings.TrimSuffix(t.Name, "=")
	}
	return t.Name
}

// compared keeps the tags that ctx should have, and marks those that are counted apart.
func compared(all []tag) []tag {
	macros := map[string]bool{}
	functions := map[[2]string]bool{} // path and qualified name
	for _, t := range all {
		switch t.Kind {
		case "macro":
			macros[t.Name] = true
		case "function":
			functions[[2]string{t.Path, t.qualified()}] = true
		}
	}
	var kept []tag
	for _, t := range all {
		if !t.wanted() {
			continue
		}
		switch {
		case t.callsMacro(macros):
			t.apart = macroCall
		case hasWord("enumerator member", t.Kind) && t.local(functions):
			t.apart = localName
		case t.indented():
			t.apart = localName
		case t.misread():
			t.apart = misread
		case strings.HasSuffix(t.Path, ".in"):
			t.apart = template
		}
		kept = append(kept, t)
	}
	return kept
}

func (t *tag) wanted() bool {
	if !hasWord(wanted[t.Language], t.Kind) || t.Name == "_" || t.Name == "" {
		return false
	}
	for _, made := range []string{"__anon", "anonFunc", "AnonymousFunction", "AnonymousClass", "<lambda>"} { // names that ctags makes up
		if strings.HasPrefix(t.Name, made) {
			return false
		}
	}
	if t.Language == "Kotlin" && t.Name == "Companion" && !strings.Contains(t.Pattern, "Companion") {
		return false
	}
	return !(hasWord(localScopes, t.ScopeKind) && hasWord("variable constant var const", t.Kind))
}

// callsMacro says that ctags took the call of a macro for a function: TEST(suite, case) { … } in C and
// C++. Its name is that of a macro of the tree, or in capitals, and the line begins with it.
func (t *tag) callsMacro(macros map[string]bool) bool {
	if t.Language != "C" && t.Language != "C++" || !hasWord("function prototype", t.Kind) {
		return false
	}
	line := strings.TrimSpace(strings.TrimPrefix(t.Pattern, "/^"))
	rest, begins := strings.CutPrefix(line, t.Name)
	return begins && strings.HasPrefix(strings.TrimLeft(rest, " "), "(") &&
		(macros[t.Name] || t.Name == strings.ToUpper(t.Name))
}

// local says that a value belongs to an enum or struct without a name that stands in a function.
func (t *tag) local(functions map[[2]string]bool) bool {
	outer := t.Scope
	for {
		at := strings.LastIndex(outer, "::")
		if !strings.HasPrefix(outer[at+1:], ":__anon") {
			return outer != t.Scope && functions[[2]string{t.Path, outer}]
		}
		outer = outer[:at]
	}
}

// indented says that a constant, variable or type of JavaScript or TypeScript is not at the top of its
// module: ctags gives no scope to what stands in a function without a name, and nearly everything in a
// test does.
func (t *tag) indented() bool {
	text := strings.TrimPrefix(t.Pattern, "/^")
	return hasWord("JavaScript TypeScript", t.Language) && hasWord("constant variable alias property", t.Kind) &&
		t.Scope == "" && text != strings.TrimLeft(text, " \t")
}

// misread says that a tag of TypeScript is no declaration by the words before its name: ctags 5.9 takes
// the e1 of 1e1 for a variable, the symbol of "unique symbol" for a constant, an import for an alias.
func (t *tag) misread() bool {
	if t.Language != "TypeScript" {
		return false
	}
	before, _, _ := strings.Cut(strings.TrimPrefix(t.Pattern, "/^"), t.Name)
	words := strings.Fields(before)
	last := ""
	if len(words) > 0 {
		last = words[len(words)-1]
	}
	switch t.Kind {
	case "constant", "variable":
		return !hasWord("const let var", last)
	case "alias":
		return last != "type" || strings.ContainsAny(before, "{,") || hasWord(before, "import")
	case "enumerator":
		return last != "" && !strings.HasSuffix(last, "{") && !strings.HasSuffix(last, ",")
	}
	return false
}

func (t *tag) qualified() string {
	if t.Scope == "" {
		return t.Name
	}
	return t.Scope + "::" + t.Name
}

// hasWord says whether word stands in a list of words.
func hasWord(words, word string) bool { return slices.Contains(strings.Fields(words), word) }
