package index

// Locals lists, by Start, every place where the local variable or parameter is used or declared whose name
// covers offset (or ends there); nil when what stands there is none. It builds the file anew: locals are not part of a File.
func Locals(path string, src []byte, offset int) (refs []Ref) {
	f, l := open(path, src)
	if f.Status != Parsed {
		return nil
	}
	defer func() {
		if recover() != nil {
			refs = nil // as in describe
		}
	}()
	s := takeScratch()
	l.bound(f, path, src, budget(len(src)), s, func(b *binder) { refs = b.localsAt(offset) })
	s.give()
	return refs
}

// localsAt lists the places of the local whose name covers offset.
func (b *binder) localsAt(offset int) (refs []Ref) {
	var of *binding
	for i := range b.leaves {
		x := &b.leaves[i]
		if int(x.Start) <= offset && offset <= int(x.End) && x.bound >= 0 && b.bindings[x.bound].kind == bindsLocal {
			of = &b.bindings[x.bound]
		}
	}
	if of == nil {
		return nil
	}
	for i := range b.leaves {
		x := &b.leaves[i]
		if x.bound < 0 {
			continue
		}
		// A name that is assigned twice in a scope is one variable.
		if at := &b.bindings[x.bound]; at.kind == bindsLocal && at.name == of.name && at.scope == of.scope && at.isType == of.isType && at.own == of.own {
			role := b.role(x)
			if x.declares {
				role = Declaration
			}
			refs = append(refs, Ref{Start: x.Start, End: x.End, Role: role, Via: Via{Root: RootFile}})
		}
	}
	return refs
}
