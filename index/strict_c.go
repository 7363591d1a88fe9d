package index

import "bytes"

// cDirectives are the words after # that some compiler knows.
var cDirectives = wordsOf(`assert define elif elifdef elifndef else embed endif error ident if ifdef ifndef import include
	include_next line pragma sccs unassert undef using warning module`)

// strictC is for C and C++.
func strictC(t *tree) []Fault {
	all := t.directives()
	for i := range t.nodes {
		switch t.kind(i) {
		case "declaration", "parameter_declaration":
			if f, ok := t.twice(i); ok && !t.inError(i) {
				all = append(all, f)
			}
		}
	}
	return all
}

// directives looks at the lines that begin with #.
func (t *tree) directives() []Fault {
	var all []Fault
	leaf := 0
	continued := false
	offset := 0
	for line := range bytes.Lines(t.src) {
		start := offset
		offset += len(line)
		before := continued
		continued = bytes.HasSuffix(bytes.TrimRight(line, "\r\n"), []byte("\\"))
		text := bytes.TrimLeft(line, " \t")
		if before || !bytes.HasPrefix(text, []byte("#")) {
			continue
		}
		at := uint32(start + len(line) - len(text))
		for leaf < len(t.nodes) && (!t.nodes[leaf].Leaf() || t.nodes[leaf].End <= at) {
			leaf++
		}
		if leaf < len(t.nodes) && t.nodes[leaf].Start < at { // in a comment or a string
			continue
		}
		word := bytes.TrimLeft(text[1:], " \t")
		n := 0
		for n < len(word) && wordByte(word[n]) {
			n++
		}
		rest := bytes.TrimSpace(word[n:])
		switch {
		case n == 0 && len(rest) == 0, // the null directive
			n == 0 && rest[0] == '/', bytes.HasPrefix(rest, []byte("\\")) && n == 0,
			n > 0 && (word[0] >= '0' && word[0] <= '9' || cDirectives[string(word[:n])]): // a line marker
		default:
			all = append(all, Fault{at, at + 1 + uint32(len(text[1:])-len(word)+n), "unknown directive " + ticked("#"+string(word[:max(n, min(1, len(word)))]))})
		}
	}
	return all
}

// twice finds a name that is declared with itself as its type: `len len = 1`, a word too many.
func (t *tree) twice(i int) (Fault, bool) {
	children := t.children(i)
	if len(children) < 2 || t.kind(children[0]) != "type_identifier" {
		return Fault{}, false
	}
	for k := children[1]; k < int(t.next[i]); k++ {
		switch t.kind(k) {
		case "init_declarator":
			continue
		case "identifier":
			if t.text(k) == t.text(children[0]) {
				return t.unexpected(k), true
			}
		}
		break
	}
	return Fault{}, false
}
