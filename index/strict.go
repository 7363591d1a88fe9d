package index

// strictRules are, by language, what its grammar takes though the language does not: each finds faults in a
// tree. They were chosen by what a compiler refuses and the grammar does not, and none may fire on a text that
// compiles (ctxbench diag holds both).
var strictRules = map[string]func(*tree) []Fault{}

// fault is a fault at a node.
func (t *tree) fault(i int, message string) Fault {
	return Fault{t.nodes[i].Start, t.nodes[i].End, message}
}

func (t *tree) unexpected(i int) Fault { return t.fault(i, "unexpected "+ticked(t.text(i))) }
