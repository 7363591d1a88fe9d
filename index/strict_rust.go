package index

var (
	rustNames = wordsOf("identifier type_identifier field_identifier shorthand_field_identifier")
	rustWords = wordsOf(`as break const continue else enum extern fn for if impl in let loop match mod move mut pub ref return
		static struct trait type unsafe use where while`)
)

func strictRust(t *tree) []Fault {
	all := t.reserved(rustNames, rustWords, func(i int) bool {
		if t.kind(i) == "type_identifier" && t.text(i) == "use" {
			return true // impl Trait + use<'a>
		}
		// The tokens of a macro are nobody's names.
		for p := int(t.parent[i]); p >= 0; p = int(t.parent[p]) {
			switch t.kind(p) {
			case "lifetime", "token_tree", "token_tree_pattern", "macro_definition", "attribute":
				return true
			}
		}
		return false
	})
	for i := range t.nodes {
		switch t.kind(i) {
		case "source_file":
			all = append(all, t.rustItems(i)...)
		case "block":
			all = append(all, t.rustStatements(i)...)
		case "char_literal":
			if text := t.text(i); (text == "''" || text == "b''") && !t.inError(i) {
				all = append(all, t.unexpected(i))
			}
		}
	}
	return all
}

// rustItems finds what is no item outside of functions.
func (t *tree) rustItems(i int) []Fault {
	var all []Fault
	for _, c := range t.children(i) {
		switch t.kind(c) {
		case "empty_statement":
			all = append(all, t.unexpected(c))
		case "expression_statement":
			if inner := t.children(c); len(inner) > 0 && t.kind(inner[0]) != "macro_invocation" {
				all = append(all, t.unexpected(inner[0]))
			}
		}
	}
	return all
}

// rustStatements finds a macro in parentheses before another statement, without the semicolon that it needs.
func (t *tree) rustStatements(i int) []Fault {
	var all []Fault
	children := t.children(i)
	for k, c := range children[:max(0, len(children)-1)] {
		if t.kind(c) != "macro_invocation" || t.kind(children[k+1]) == "}" || t.inError(c) || t.nodes[children[k+1]].Error() {
			continue
		}
		parts := t.children(c)
		last := parts[len(parts)-1]
		if seen := t.sanitizedAt(last); t.kind(last) == "token_tree" && seen != '{' && seen == t.src[t.nodes[last].Start] {
			end := t.nodes[c].End
			all = append(all, Fault{end - 1, end, "missing `;`"})
		}
	}
	return all
}

// sanitizedAt is the bracket that the parser saw where a token tree begins.
func (t *tree) sanitizedAt(i int) byte {
	for _, c := range t.children(i) {
		if k := t.kind(c); len(k) == 1 {
			return k[0]
		}
		break
	}
	return 0
}
