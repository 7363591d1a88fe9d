package index

import "strings"

// The orders that lists of Python have, and what may be assigned to or deleted.

// badParameters finds a parameter that may not stand where it does.
func (t *tree) badParameters(list int) (Fault, bool) {
	names := map[string]bool{}
	star, rest, slash, defaults := false, false, false, false
	bare := -1 // a * that no parameter has followed
	for _, c := range t.children(list) {
		kind := t.kind(c)
		name := c
		if kind == "typed_parameter" || kind == "default_parameter" || kind == "typed_default_parameter" {
			name = t.children(c)[0]
		}
		splat := t.kind(name)
		if splat == "list_splat_pattern" || splat == "dictionary_splat_pattern" {
			inner := t.children(name)
			name = inner[len(inner)-1]
		}
		if !t.named(c) && kind != "keyword_separator" && kind != "positional_separator" {
			continue
		}
		switch {
		case rest:
			return t.word(c, "nothing may follow the parameter with `**`"), true
		case kind == "positional_separator":
			if slash || star || len(names) == 0 {
				return t.unexpected(c), true
			}
			slash = true
			continue
		case kind == "keyword_separator" || splat == "list_splat_pattern":
			if star {
				return t.word(c, "unexpected second `*`"), true
			}
			star = true
			if kind == "keyword_separator" {
				bare = c
				continue
			}
		case splat == "dictionary_splat_pattern":
			if bare >= 0 {
				return t.fault(bare, "missing a named parameter behind `*`"), true
			}
			rest = true
		case kind == "default_parameter" || kind == "typed_default_parameter":
			defaults = true
		case defaults && !star:
			return t.word(c, "a parameter without a default behind one that has one"), true
		}
		bare = -1
		if t.kind(name) == "tuple_pattern" {
			return t.word(name, "unexpected `(`: a parameter is a name"), true
		}
		if text := t.text(name); t.kind(name) == "identifier" {
			if names[text] {
				return t.fault(name, ticked(text)+" is a parameter already"), true
			}
			names[text] = true
		}
	}
	if bare >= 0 {
		return t.fault(bare, "missing a named parameter behind `*`"), true
	}
	return Fault{}, false
}

// badArguments finds an argument that may not stand where it does.
func (t *tree) badArguments(list int) (Fault, bool) {
	names := map[string]bool{}
	keywords, splat, generator := false, false, -1
	n := 0
	for _, c := range t.children(list) {
		kind := t.kind(c)
		switch {
		case !t.named(c):
			if kind == "," && generator >= 0 {
				return t.fault(generator, "a generator among other arguments needs parentheses"), true
			}
			continue
		case kind == "keyword_argument":
			keywords = true
			name := t.children(c)[0]
			if text := t.text(name); names[text] {
				return t.fault(name, "the argument "+ticked(text)+" is given twice"), true
			} else {
				names[text] = true
			}
		case kind == "dictionary_splat":
			splat = true
		case kind == "list_splat":
			if splat {
				return t.word(c, "`*` behind `**` in a call"), true
			}
		case splat || keywords:
			return t.word(c, "an argument without a name behind one that has one"), true
		case kind == "generator_expression" && !strings.HasPrefix(t.text(c), "("):
			if generator = c; n > 0 {
				return t.fault(c, "a generator among other arguments needs parentheses"), true
			}
		}
		n++
	}
	return Fault{}, false
}

// badTarget finds what stands in a target, and is none. Del may not have a star.
func (t *tree) badTarget(i int, del bool) (Fault, bool) {
	switch kind := t.kind(i); kind {
	case "identifier", "attribute", "subscript":
	case "list_splat", "list_splat_pattern":
		if del {
			return t.word(i, "unexpected `*`"), true
		}
		inner := t.children(i)
		return t.badTarget(inner[len(inner)-1], del)
	case "tuple", "list", "parenthesized_expression", "tuple_pattern", "list_pattern", "pattern_list", "expression_list", "as_pattern_target":
		stars := 0
		for _, c := range t.children(i) {
			if !t.named(c) {
				continue
			}
			if t.kind(c) == "list_splat" || t.kind(c) == "list_splat_pattern" {
				if stars++; stars > 1 {
					return t.word(c, "unexpected second `*`"), true
				}
			}
			if f, ok := t.badTarget(c, del); ok {
				return f, true
			}
		}
	default:
		if t.named(i) {
			what := "nothing can be assigned to "
			if del {
				what = "nothing can be deleted by "
			}
			return t.fault(i, what+ticked(firstLine(t.text(i)))), true
		}
	}
	return Fault{}, false
}

func firstLine(text string) string {
	line, _, more := strings.Cut(text, "\n")
	if more || len(line) > 40 {
		return line[:min(len(line), 40)] + "…"
	}
	return line
}

// badAssignment finds an assignment whose sides do not fit.
func (t *tree) badAssignment(i int) (Fault, bool) {
	children := t.children(i)
	left, right := children[0], children[len(children)-1]
	several := false
	switch t.kind(left) {
	case "pattern_list", "list_pattern":
		several = true
	case "tuple_pattern": // or one target in parentheses
		several = t.firstOf(left, ",") >= 0
	}
	annotated := t.firstOf(i, "type") >= 0
	switch {
	case t.kind(i) == "augmented_assignment" && several, annotated && several:
		return t.fault(left, "unexpected list: one target is assigned to"), true
	case t.kind(left) == "list_splat_pattern":
		return t.word(left, "unexpected `*`: its target is in no list"), true
	case t.kind(right) == "list_splat" && right != left:
		return t.word(right, "unexpected `*`: its value is in no list"), true
	case annotated && t.kind(right) == "assignment" && right != left, t.kind(right) == "assignment" && right != left && t.firstOf(right, "type") >= 0:
		return t.word(right, "an assignment with a type has one target"), true
	case t.kind(right) == "augmented_assignment" && right != left, t.kind(i) == "augmented_assignment" && t.kind(right) == "assignment":
		return t.word(right, "an assignment is no value"), true
	}
	return t.badTarget(left, false)
}

// pythonUnnamed are the nodes in which := needs parentheses around it.
var pythonUnnamed = wordsOf(`expression_statement assignment augmented_assignment keyword_argument lambda slice return_statement
	assert_statement default_parameter typed_default_parameter pair expression_list raise_statement delete_statement with_item
	list_splat conditional_expression for_statement`)

// badNaming finds := where it may not be.
func (t *tree) badNaming(i int) (Fault, bool) {
	up := int(t.parent[i])
	sign := t.firstOf(i, ":=")
	if pythonUnnamed[t.kind(up)] && t.named(up) || t.kind(up) == "if_clause" && isComprehension(t.kind(int(t.parent[up]))) {
		return t.unexpected(max(sign, i)), true
	}
	name := t.text(t.children(i)[0])
	for child, at := i, up; at >= 0; child, at = at, int(t.parent[at]) {
		switch kind := t.kind(at); {
		case kind == "lambda" || kind == "function_definition" || kind == "class_definition":
			return Fault{}, false
		case isComprehension(kind):
			if t.kind(child) == "for_in_clause" && t.behindIn(child, i) {
				return t.fault(max(sign, i), "`:=` in what a comprehension goes over"), true
			}
			for _, c := range t.children(at) {
				if t.kind(c) == "for_in_clause" && t.bindsIn(c, name) {
					return t.fault(i, ticked(name)+" is a variable of the comprehension"), true
				}
			}
			if t.kind(t.pythonFunction(at)) == "class_definition" {
				return t.fault(max(sign, i), "`:=` in a comprehension in a class"), true
			}
		}
	}
	return Fault{}, false
}

// bindsIn says whether a name is a target of a clause.
func (t *tree) bindsIn(clause int, name string) bool {
	for k := clause; k < int(t.next[clause]); k++ {
		if t.kind(k) == "in" && int(t.parent[k]) == clause {
			return false
		}
		if t.kind(k) == "identifier" && t.text(k) == name && (int(t.parent[k]) == clause || strings.HasSuffix(t.kind(int(t.parent[k])), "pattern") ||
			t.kind(int(t.parent[k])) == "pattern_list") {
			return true
		}
	}
	return false
}
