package index

import (
	"slices"
	"strings"
)

// Where statements and expressions may stand in Python, which its compiler asks after the parse.

// pythonScope is the node of the function, lambda, class or comprehension in which a node is evaluated; 0, the module, for
// none. Default values, annotations, base classes and the first iterable of a comprehension are evaluated around theirs.
func (t *tree) pythonScope(i int) int {
	for child, at := i, int(t.parent[i]); at >= 0; child, at = at, int(t.parent[at]) {
		switch kind := t.kind(at); kind {
		case "function_definition", "class_definition":
			if t.kind(child) == "block" {
				return at
			}
		case "lambda":
			if t.named(at) && t.kind(child) != "lambda_parameters" {
				return at
			}
		case "list_comprehension", "set_comprehension", "dictionary_comprehension", "generator_expression":
			if t.kind(child) != "for_in_clause" || child != t.firstOf(at, "for_in_clause") || !t.behindIn(child, i) {
				return at
			}
		}
	}
	return 0
}

func isComprehension(kind string) bool {
	switch kind {
	case "list_comprehension", "set_comprehension", "dictionary_comprehension", "generator_expression":
		return true
	}
	return false
}

// firstOf is the first child of that kind; -1 for none.
func (t *tree) firstOf(i int, kind string) int {
	for _, c := range t.children(i) {
		if t.kind(c) == kind {
			return c
		}
	}
	return -1
}

// behindIn says whether node i stands behind the in of a clause.
func (t *tree) behindIn(clause, i int) bool {
	in := t.firstOf(clause, "in")
	return in >= 0 && t.nodes[i].Start >= t.nodes[in].End
}

// pythonFunction is pythonScope with comprehensions passed.
func (t *tree) pythonFunction(i int) int {
	at := t.pythonScope(i)
	for isComprehension(t.kind(at)) {
		at = t.pythonScope(at)
	}
	return at
}

// commaBehindIn is a comma behind the in of a clause; -1 for none.
func (t *tree) commaBehindIn(clause int) int {
	for _, c := range t.children(clause) {
		if t.kind(c) == "," && t.behindIn(clause, c) {
			return c
		}
	}
	return -1
}

func (t *tree) isAsync(i int) bool {
	first := t.children(i)
	return len(first) > 0 && t.kind(first[0]) == "async"
}

// misplaced finds return, yield, await and the like where there is no function, or none of the right kind, for them.
func (t *tree) misplaced(i int) (Fault, bool) {
	inFunction := func(at int) bool { return t.kind(at) == "function_definition" }
	switch t.kind(i) {
	case "return_statement":
		at := t.pythonScope(i)
		if !inFunction(at) {
			return t.word(i, "`return` outside of a function"), true
		}
		if len(t.children(i)) > 1 && t.isAsync(at) && t.yields(at) {
			return t.word(i, "`return` with a value in an asynchronous generator"), true
		}
	case "yield":
		at := t.pythonScope(i)
		switch {
		case !t.named(i):
		case isComprehension(t.kind(at)):
			return t.word(i, "`yield` in a comprehension"), true
		case !inFunction(at) && t.kind(at) != "lambda":
			return t.word(i, "`yield` outside of a function"), true
		case t.firstOf(i, "from") >= 0 && t.isAsync(at):
			return t.word(i, "`yield from` in an asynchronous function"), true
		}
	case "await":
		at := t.pythonScope(i)
		if isComprehension(t.kind(at)) { // which it makes asynchronous
			if t.kind(at) == "generator_expression" || isComprehension(t.kind(t.pythonScope(at))) {
				break
			}
			at = t.pythonScope(at)
		}
		if t.named(i) && (!inFunction(at) || !t.isAsync(at)) {
			return t.word(i, "`await` outside of an asynchronous function"), true
		}
	case "with_statement", "for_statement":
		if at := t.pythonScope(i); t.isAsync(i) && (!inFunction(at) || !t.isAsync(at)) {
			return t.word(i, "`async` outside of an asynchronous function"), true
		}
	case "for_in_clause":
		whole := int(t.parent[i])
		if at := t.pythonScope(whole); t.isAsync(i) && t.kind(whole) != "generator_expression" && !isComprehension(t.kind(at)) &&
			(!inFunction(at) || !t.isAsync(at)) {
			return t.word(i, "an asynchronous comprehension outside of an asynchronous function"), true
		}
	case "break_statement", "continue_statement":
		if !t.inLoop(i) {
			return t.word(i, ticked(t.text(i))+" outside of a loop"), true
		}
	}
	return Fault{}, false
}

// word is a fault at the first token of a node.
func (t *tree) word(i int, message string) Fault {
	for !t.nodes[i].Leaf() && i+1 < int(t.next[i]) {
		i++
	}
	return t.fault(i, message)
}

// yields says whether a function is a generator.
func (t *tree) yields(function int) bool {
	for i := function; i < int(t.next[function]); i++ {
		if t.kind(i) == "yield" && t.named(i) && t.pythonScope(i) == function {
			return true
		}
	}
	return false
}

func (t *tree) inLoop(i int) bool {
	for child, at := i, int(t.parent[i]); at >= 0; child, at = at, int(t.parent[at]) {
		switch t.kind(at) {
		case "for_statement", "while_statement":
			if t.kind(child) == "block" {
				return true
			}
		case "function_definition", "class_definition":
			return false
		}
	}
	return false
}

// pythonFutures are what can be imported from __future__.
var pythonFutures = wordsOf(`nested_scopes generators division absolute_import with_statement print_function unicode_literals
	barry_as_FLUFL generator_stop annotations`)

// badImport finds what an import may not be where it stands.
func (t *tree) badImport(i int) (Fault, bool) {
	children := t.children(i)
	last := children[len(children)-1]
	switch kind := t.kind(i); {
	case t.kind(last) == ",":
		return t.unexpected(last), true
	case kind == "import_from_statement" && t.kind(last) == "wildcard_import" && t.pythonScope(i) != 0:
		return t.fault(last, "`import *` in a function or class"), true
	case kind == "future_import_statement":
		for _, c := range children[min(3, len(children)):] {
			name := c
			if t.kind(c) == "aliased_import" {
				name = t.children(c)[0]
			}
			if t.kind(name) == "dotted_name" && !pythonFutures[t.text(name)] {
				return t.fault(name, "`__future__` has no "+ticked(t.text(name))), true
			}
		}
		if !t.amongFirst(i) {
			return t.word(i, "imports from `__future__` must come first"), true
		}
	}
	return Fault{}, false
}

// amongFirst says whether only a docstring and other imports from __future__ come before a statement.
func (t *tree) amongFirst(i int) bool {
	if t.parent[i] != 0 {
		return false
	}
	for k, c := range t.children(0) {
		switch {
		case c == i:
			return true
		case t.kind(c) == "future_import_statement", t.kind(c) == ";":
		case k == 0 && t.kind(c) == "expression_statement" && len(t.children(c)) == 1 &&
			slices.Contains([]string{"string", "concatenated_string"}, t.kind(t.children(c)[0])) && !strings.ContainsAny(t.text(c)[:2], "fF"):
		default:
			return false
		}
	}
	return true
}
