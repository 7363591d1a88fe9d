package index

import (
	"strings"
)

var (
	ecmaLists = wordsOf("arguments formal_parameters object object_type object_pattern named_imports export_clause enum_body tuple_type")
	ecmaNames = wordsOf("identifier shorthand_property_identifier shorthand_property_identifier_pattern type_identifier")
	ecmaWords = wordsOf(`break case catch class const continue debugger default delete do else enum export extends finally for
		function if import in instanceof new return super switch this throw try typeof var void while with`)
)

// strictECMAScript is for JavaScript and TypeScript, with and without JSX.
func strictECMAScript(t *tree) []Fault {
	all := t.gaps(ecmaLists)
	all = append(all, t.reserved(ecmaNames, ecmaWords, func(i int) bool {
		switch t.kind(int(t.parent[i])) {
		case "export_specifier", "import_specifier", "namespace_export", "jsx_opening_element", "jsx_closing_element",
			"jsx_self_closing_element", "meta_property", "asserts", "type_predicate", "type_query", "nested_identifier":
			return true
		}
		return false
	})...)
	for i := range t.nodes {
		switch t.kind(i) {
		case "jsx_element":
			if f, ok := t.mismatchedJSX(i); ok {
				all = append(all, f)
			}
		case "jsx_text":
			if at := strings.IndexAny(t.text(i), "}>"); at >= 0 && !t.inError(i) {
				start := t.nodes[i].Start + uint32(at)
				all = append(all, Fault{start, start + 1, "unexpected " + ticked(string(t.src[start:start+1]))})
			}
		}
	}
	return all
}

// mismatchedJSX compares the names of an element's two tags.
func (t *tree) mismatchedJSX(i int) (Fault, bool) {
	var open, closing = -1, -1
	for _, c := range t.children(i) {
		switch t.kind(c) {
		case "jsx_opening_element":
			open = c
		case "jsx_closing_element":
			closing = c
		}
	}
	if open < 0 || closing < 0 || t.inError(i) {
		return Fault{}, false
	}
	name := func(tag int) string {
		for _, c := range t.children(tag) {
			if t.named(c) {
				return t.text(c)
			}
		}
		return ""
	}
	if a, b := name(open), name(closing); a != b && !strings.ContainsAny(a+b, " \t\r\n/") {
		return t.fault(closing, unclosed(t.src, t.nodes[open].Start, "<"+a+">")), true
	}
	return Fault{}, false
}
