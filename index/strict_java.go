package index

var (
	javaNames = wordsOf("identifier type_identifier")
	javaWords = wordsOf(`abstract assert boolean break byte case catch char class const continue default do double else enum
		extends final finally float for goto if implements import instanceof int interface long native new package private
		protected public return short static strictfp super switch synchronized this throw throws transient try void
		volatile while`)
	// javaTop is what may stand outside of a class; methods and fields since Java 21.
	javaTop = wordsOf(`package_declaration import_declaration class_declaration interface_declaration enum_declaration
		record_declaration annotation_type_declaration module_declaration method_declaration field_declaration
		local_variable_declaration ;`)
	// javaEffects are the expressions that are statements.
	javaEffects = wordsOf(`assignment_expression update_expression method_invocation object_creation_expression switch_expression`)
)

func strictJava(t *tree) []Fault {
	all := t.reserved(javaNames, javaWords, func(i int) bool {
		return t.kind(int(t.parent[i])) == "switch_label" // case null, default
	})
	for i := range t.nodes {
		switch t.kind(i) {
		case "modifiers":
			seen := map[string]bool{}
			for _, c := range t.children(i) {
				if word := t.text(c); !t.named(c) && seen[word] {
					all = append(all, t.unexpected(c))
				} else {
					seen[word] = true
				}
			}
		case "program":
			for _, c := range t.children(i) {
				if !javaTop[t.kind(c)] && !t.nodes[c].Error() && !t.nodes[c].Missing() {
					all = append(all, t.unexpected(c))
				}
			}
		case "expression_statement":
			if c := t.children(i); len(c) > 0 && !javaEffects[t.kind(c[0])] && t.kind(int(t.parent[i])) != "program" && !t.arrow(i) && !t.inError(i) {
				all = append(all, t.fault(c[0], ticked(t.text(c[0]))+" is not a statement"))
			}
		case "constructor_declaration":
			if name, class := t.declared(i), t.declared(t.class(i)); name >= 0 && class >= 0 && t.text(name) != t.text(class) && !t.inError(i) {
				all = append(all, t.fault(name, "missing return type of "+ticked(t.text(name))))
			}
		case "string_literal":
			if f, ok := t.badEscape(i); ok && !t.inError(i) {
				all = append(all, f)
			}
		}
	}
	return all
}

// arrow says whether a statement is the value of a case: `case 1 -> x;`.
func (t *tree) arrow(i int) bool { return t.kind(int(t.parent[i])) == "switch_rule" }

// declared is the name of a declaration, -1 of none.
func (t *tree) declared(i int) int {
	if i < 0 {
		return -1
	}
	for _, c := range t.children(i) {
		if t.kind(c) == "identifier" {
			return c
		}
	}
	return -1
}

// class is the declaration whose body a member stands in.
func (t *tree) class(i int) int {
	for i = int(t.parent[i]); i >= 0; i = int(t.parent[i]) {
		switch t.kind(i) {
		case "class_declaration", "enum_declaration", "record_declaration":
			return i
		case "object_creation_expression", "interface_declaration", "annotation_type_declaration":
			return -1
		}
	}
	return -1
}

// badEscape finds an escape that no string has (JLS 3.10.7).
func (t *tree) badEscape(i int) (Fault, bool) {
	text := t.src[t.nodes[i].Start:t.nodes[i].End]
	for k := 0; k+1 < len(text); k++ {
		if text[k] != '\\' {
			continue
		}
		k++
		switch text[k] {
		case 'b', 's', 't', 'n', 'f', 'r', '"', '\'', '\\', '\r', '\n', 'u', '0', '1', '2', '3', '4', '5', '6', '7':
		default:
			at := t.nodes[i].Start + uint32(k) - 1
			return Fault{at, at + 2, "illegal escape " + ticked(string(text[k-1:k+1]))}, true
		}
	}
	return Fault{}, false
}
