package index

// typing is what one place, or several, tell of the type of a variable.
type typing struct {
	leaf int32 // that names the type; -1
	rank rank
}

// rank orders the ways to know a type: of two patterns that match one place, the higher tells more.
type rank uint8

const (
	rankUntold   rank = iota // a value of some type
	rankNone                 // no value: it fits every type
	rankValue                // a value of that type
	rankDeclared             // the type that every value has
	rankMixed                // values of several types
)

// guess is the typing of a definition, or of a field of self (def is -1) where it is assigned to at leaf.
type guess struct {
	def, leaf int32
	typing
}

// both is what two places tell together: a declaration decides, values must agree.
func (b *binder) both(x, y typing) typing {
	switch {
	case x.rank == rankDeclared:
		return x
	case y.rank == rankDeclared:
		return y
	case x.rank == rankNone:
		return y
	case y.rank == rankNone:
		return x
	case x.rank == rankValue && y.rank == rankValue && x.leaf >= 0 && y.leaf >= 0 && b.sameChain(x.leaf, y.leaf):
		return x
	}
	return typing{-1, rankMixed}
}

// sameChain says whether two leaves are spelt alike, with what stands before them: a.T and a.T, not a.T and b.T.
func (b *binder) sameChain(x, y int32) bool {
	for depth := 0; depth < maxChain; depth++ {
		if b.text(&b.leaves[x]) != b.text(&b.leaves[y]) {
			return false
		}
		gx, gy := b.operatorBefore(b.leaves[x].Start), b.operatorBefore(b.leaves[y].Start)
		if gx == 0 && gy == 0 {
			return true
		}
		if gx == 0 || gy == 0 || x == 0 || y == 0 || b.leaves[x-1].End != b.leaves[x].Start-gx || b.leaves[y-1].End != b.leaves[y].Start-gy {
			return false
		}
		x, y = x-1, y-1
	}
	return false
}

// tell adds what the place of a leaf tells. Of the patterns that match one place the one that tells most counts.
func (at *binding) tell(b *binder, leaf int32, t typing) {
	if at.last != leaf {
		at.before, at.last, at.lastTyping = at.typing(b), leaf, typing{-1, rankUntold}
	}
	if t.rank > at.lastTyping.rank {
		at.lastTyping = t
	}
}

func (at *binding) typing(b *binder) typing {
	if at.last == at.leaf {
		return at.lastTyping
	}
	return b.both(at.before, at.lastTyping)
}

// settle gives the locals their types.
func (b *binder) settle() {
	for _, i := range b.locals {
		at := &b.bindings[i]
		if t := at.typing(b); t.rank == rankDeclared || t.rank == rankValue {
			at.typ = t.leaf
		}
	}
}

// settleFields gives definitions and fields the types of which all assignments agree.
func (b *binder) settleFields() {
	if len(b.guesses) == 0 {
		return
	}
	told := map[int32]typing{} // by leaf
	var order []guess
	for _, g := range b.guesses {
		t, ok := told[g.leaf]
		if !ok {
			order = append(order, g)
		}
		if !ok || g.rank > t.rank {
			told[g.leaf] = g.typing
		}
	}
	known := map[string]typing{} // by qualified name
	for _, g := range order {
		name := ""
		if g.def >= 0 {
			name = b.f.Defs[g.def].Qualified()
		} else if g.leaf > 0 && b.isSelf(&b.leaves[g.leaf-1]) && b.leaves[g.leaf-1].self >= 0 {
			name = join(b.selfPath(b.leaves[g.leaf-1].self), b.text(&b.leaves[g.leaf]))
		} else {
			continue
		}
		t := told[g.leaf]
		if before, ok := known[name]; ok {
			t = b.both(before, t)
		}
		known[name] = t
	}
	b.fieldType(0, "") // those that are declared
	if b.fields == nil {
		b.fields = make(map[member]int32, len(known))
	}
	for name, t := range known {
		if _, declared := b.fields[member{0, name}]; !declared && t.leaf >= 0 && (t.rank == rankValue || t.rank == rankDeclared) {
			b.fields[member{0, name}] = t.leaf
		}
	}
}

// dynamic says that names are bound as the program runs: see resolver.dynamic.
func (b *binder) dynamic() bool { return b.resolver != nil && b.resolver.dynamic }

// unsettled says that a function binds a name by several imports, or assigns to it as well, so that the syntax does not
// tell what counts. The imports of a file are all looked at when the name is resolved.
func (b *binder) unsettled(at *binding) bool {
	if at.scope == 0 || !b.dynamic() {
		return false
	}
	if b.mixed[scoped{at.name, at.scope}] {
		return true
	}
	for i := at.up; i >= 0 && b.bindings[i].scope == at.scope; i = b.bindings[i].up {
		if other := &b.bindings[i]; other.kind == bindsImport {
			x, y := &b.f.Imports[at.index], &b.f.Imports[other.index]
			if x.Path != y.Path || x.Name != y.Name {
				return true
			}
		}
	}
	return false
}
