package index

import "bytes"

var (
	pythonNames = wordsOf("identifier")
	// pythonWords leaves out async and await, which were names until 3.7.
	pythonWords = wordsOf(`False None True and as assert break class continue def del elif else except finally for from global
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
	}
	return all
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
