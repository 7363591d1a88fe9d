package index

import "strings"

// strictRules are, by language, what its grammar takes though the language does not: each finds faults in a
// tree. They were chosen by what a compiler refuses and the grammar does not, and none may fire on a text that
// compiles (ctxbench diag holds both).
var strictRules = map[string]func(*tree) []Fault{
	"c":          strictC,
	"cpp":        strictCPP,
	"java":       strictJava,
	"javascript": strictECMAScript,
	"python":     strictPython,
	"rust":       strictRust,
	"tsx":        strictECMAScript,
	"typescript": strictECMAScript,
}

// fault is a fault at a node.
func (t *tree) fault(i int, message string) Fault {
	return Fault{t.nodes[i].Start, t.nodes[i].End, message}
}

func (t *tree) unexpected(i int) Fault { return t.fault(i, "unexpected "+ticked(t.text(i))) }

// within says whether a node lies in one that could not be read: rules are silent there.
func (t *tree) inError(i int) bool {
	for ; i >= 0; i = int(t.parent[i]) {
		if t.nodes[i].Error() || t.nodes[i].Missing() {
			return true
		}
	}
	return false
}

// wordSet is a set of words.
type wordSet map[string]bool

func wordsOf(text string) wordSet {
	set := wordSet{}
	for _, w := range strings.Fields(text) {
		set[w] = true
	}
	return set
}

// reserved finds the names that are words of the language: where the grammar tells keywords by their place, it
// takes them for names in others.
func (t *tree) reserved(kinds, words wordSet, except func(i int) bool) []Fault {
	var all []Fault
	for i, n := range t.nodes {
		if n.Leaf() && n.End > n.Start && kinds[t.kind(i)] && words[t.text(i)] && !except(i) && !t.inError(i) {
			all = append(all, t.unexpected(i))
		}
	}
	return all
}

// gaps finds commas in lists of those kinds with nothing before them.
func (t *tree) gaps(lists wordSet) []Fault {
	var all []Fault
	for i := range t.nodes {
		if !lists[t.kind(i)] || t.inError(i) {
			continue
		}
		before := ""
		for k, c := range t.children(i) {
			text := t.kind(c)
			if text == "," && (before == "," || k == 1 && openerOf(closerOf(before)) != "") {
				all = append(all, t.unexpected(c))
			}
			before = text
		}
	}
	return all
}
