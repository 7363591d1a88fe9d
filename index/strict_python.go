package index

import "bytes"

var (
	pythonNames = wordsOf("identifier")
	pythonWords = wordsOf(`False None True and as assert async await break class continue def del elif else except finally for from global
		if import in is lambda nonlocal not or pass raise return try while with yield`)
	pythonSimple = wordsOf(`expression_statement return_statement import_statement import_from_statement future_import_statement
		assert_statement delete_statement raise_statement global_statement nonlocal_statement pass_statement break_statement
		continue_statement type_alias_statement`)
)

func strictPython(t *tree) []Fault {
	all := t.reserved(pythonNames, pythonWords, func(i int) bool { return false })
	for i := range t.nodes {
		switch kind := t.kind(i); {
		case kind == "block" || kind == "module":
			all = append(all, t.pythonBlock(i)...)
		case pythonSimple[kind]:
			if f, ok := t.brokenLine(i); ok && !t.inError(i) {
				all = append(all, f)
			}
		case kind == "yield" && t.named(i) && t.kind(int(t.parent[i])) == "yield":
			all = append(all, t.unexpected(i))
		}
		if f, ok := t.pythonNode(i); ok && !t.inError(i) {
			all = append(all, f)
		}
	}
	all = append(all, t.gaps(pythonLists)...)
	if len(t.errors()) == 0 {
		if f, ok := t.badIndentation(); ok && len(all) == 0 {
			all = append(all, f)
		}
		all = append(all, t.badDeclarations()...)
	}
	return all
}

// pythonNode asks what is asked of single nodes.
func (t *tree) pythonNode(i int) (Fault, bool) {
	if f, ok := t.misplaced(i); ok {
		return f, true
	}
	switch t.kind(i) {
	case "print_statement", "exec_statement":
		return t.oldStatement(i)
	case "integer":
		return t.badInteger(i)
	case "string":
		return t.badString(i)
	case "concatenated_string":
		return t.mixedStrings(i)
	case "<>":
		return t.unexpected(i), !bytes.Contains(t.src, []byte("barry_as_FLUFL"))
	case "type_conversion":
		text := t.text(i)
		return t.unexpected(i), text != "!r" && text != "!s" && text != "!a"
	case "raise_statement":
		children := t.children(i)
		if comma := t.firstOf(children[len(children)-1], ","); comma >= 0 && t.kind(children[len(children)-1]) == "expression_list" {
			return t.unexpected(comma), true
		}
		return t.word(i, "missing what is raised"), len(children) > 1 && t.kind(children[1]) == "from"
	case "parameters", "lambda_parameters":
		return t.badParameters(i)
	case "argument_list":
		return t.badArguments(i)
	case "assignment", "augmented_assignment":
		return t.badAssignment(i)
	case "named_expression":
		return t.badNaming(i)
	case "list_splat":
		up := int(t.parent[i])
		bare := t.kind(up) == "expression_statement" && len(t.children(up)) == 1 // not *x, y
		return t.word(i, "unexpected `*`"), bare || pythonUnstarred[t.kind(up)]
	case "parenthesized_list_splat":
		return t.word(i, "unexpected `*` in parentheses"), t.kind(int(t.parent[i])) != "argument_list"
	case "delete_statement":
		if children := t.children(i); len(children) > 1 {
			return t.badTarget(children[1], true)
		}
	case "tuple":
		if children := t.children(i); len(children) == 3 && t.kind(children[1]) == "list_splat" {
			return t.word(children[1], "unexpected `*`: it needs a comma behind it"), true
		}
	case "for_statement", "for_in_clause":
		if comma := t.commaBehindIn(i); comma >= 0 && t.kind(i) == "for_in_clause" {
			return t.unexpected(comma), true
		}
		for k, c := range t.children(i) {
			if t.kind(c) == "for" {
				left := t.children(i)[k+1]
				if t.kind(left) == "list_splat_pattern" {
					return t.word(left, "unexpected `*`: its target is in no list"), true
				}
				return t.badTarget(left, false)
			}
		}
	case "as_pattern_target":
		return t.badAs(i)
	case "try_statement":
		return t.badHandlers(i)
	case "import_statement", "import_from_statement", "future_import_statement":
		return t.badImport(i)
	case "match_statement":
		return t.badMatch(i)
	case "case_clause":
		return t.badPatterns(i)
	}
	return Fault{}, false
}

// pythonUnstarred are the nodes in which no *x may stand.
var pythonUnstarred = wordsOf(`binary_operator list_splat parenthesized_expression return_statement for_statement pair comparison_operator
	boolean_operator if_statement elif_clause while_statement conditional_expression not_operator keyword_argument lambda`)

// pythonLists are what has commas between its parts.
var pythonLists = wordsOf("argument_list dictionary list set")

// oldStatement finds the statements that print and exec were in Python 2. What may also be an expression is none:
// print -1, print >>f.
func (t *tree) oldStatement(i int) (Fault, bool) {
	children := t.children(i)
	word := t.kind(children[0])
	rest := bytes.TrimLeft(t.src[t.nodes[children[0]].End:t.nodes[i].End], " \t")
	if len(rest) == 0 || !IsWord(rest[0]) && rest[0] != '"' && rest[0] != '\'' && rest[0] != '{' && rest[0] != '`' {
		return Fault{}, false
	}
	switch first := string(rest[:wordEnd(rest)]); first {
	case "in", "is", "and", "or", "if", "not", "for":
		return Fault{}, false
	}
	return t.fault(children[0], "missing parentheses: "+ticked(word)+" is a function"), true
}

func wordEnd(text []byte) int {
	n := 0
	for n < len(text) && IsWord(text[n]) {
		n++
	}
	return n
}

// badAs finds what cannot be given the value behind as.
func (t *tree) badAs(i int) (Fault, bool) {
	at := int(t.parent[i])
	for at >= 0 && (t.kind(at) == "as_pattern" || t.kind(at) == "with_item") {
		at = int(t.parent[at])
	}
	children := t.children(i)
	if len(children) == 0 {
		return Fault{}, false
	}
	switch t.kind(at) {
	case "except_clause", "except_group_clause":
		if t.kind(children[0]) != "identifier" {
			return t.fault(i, "missing a name behind `as`"), true
		}
	case "with_clause":
		if t.kind(children[0]) == "list_splat" {
			return t.word(i, "unexpected `*`: its target is in no list"), true
		}
		return t.badTarget(i, false)
	}
	return Fault{}, false
}

// badHandlers finds an except for all that is not the last.
func (t *tree) badHandlers(i int) (Fault, bool) {
	all := -1
	for _, c := range t.children(i) {
		if t.kind(c) != "except_clause" {
			continue
		}
		if all >= 0 {
			return t.word(all, "`except` for everything must be the last"), true
		}
		if inner := t.children(c); len(inner) > 1 && t.kind(inner[1]) == ":" {
			all = c
		}
	}
	return Fault{}, false
}

// pythonBlock looks at the statements of one block: there is one, all begin in the same column, and two in one
// line have a semicolon between them.
func (t *tree) pythonBlock(i int) []Fault {
	var all []Fault
	children := t.children(i)
	if t.inError(i) {
		return nil
	}
	if t.kind(i) == "block" && len(children) == 0 {
		at := max(1, t.nodes[i].Start) - 1
		for at > 0 && bytes.IndexByte([]byte(" \t\r\n"), t.src[at]) >= 0 {
			at--
		}
		return []Fault{{at, at + 1, "missing an indented block"}}
	}
	column := ""
	if t.kind(i) == "block" {
		column = "?"
	}
	for k, c := range children {
		n := t.nodes[c]
		if n.Error() || n.Missing() || t.kind(c) == ";" || n.Start == n.End {
			continue
		}
		line := t.src[:n.Start]
		line = line[bytes.LastIndexByte(line, '\n')+1:]
		if len(bytes.Trim(line, " \t\f\ufeff")) == 0 {
			in := string(bytes.TrimPrefix(line[bytes.LastIndexByte(line, '\f')+1:], []byte("\ufeff")))
			switch {
			case column == "?":
				column = in
			case in != column && !bytes.ContainsAny([]byte(in+column), "\t"):
				all = append(all, Fault{n.Start, n.Start + 1, "unexpected indentation: the block has another"})
			}
			continue
		}
		if k > 0 && t.kind(children[k-1]) != ";" && !t.newlines(t.nodes[children[k-1]].End, n.Start) && t.kind(children[k-1]) != "ERROR" {
			all = append(all, t.unexpected(c))
		}
	}
	return all
}

// brokenLine finds a statement that goes on in another line, though no bracket is open and no backslash stands at
// the end. A string is one token here, whatever it holds.
func (t *tree) brokenLine(i int) (Fault, bool) {
	depth, last := 0, -1
	for k := i; k < int(t.next[i]); {
		n := t.nodes[k]
		isString := t.kind(k) == "string"
		if !n.Leaf() && !isString || n.End == n.Start || isComment(t.kind(k)) {
			k++
			continue
		}
		if last >= 0 && depth == 0 {
			between := t.src[t.nodes[last].End:n.Start]
			if bytes.IndexByte(between, '\n') >= 0 && bytes.IndexByte(between, '\\') < 0 {
				return t.fault(last, "unexpected end of line after "+ticked(t.text(last))), true
			}
		}
		switch t.kind(k) {
		case "(", "[", "{":
			depth++
		case ")", "]", "}":
			depth--
		}
		last, k = k, int(t.next[k])
	}
	return Fault{}, false
}
