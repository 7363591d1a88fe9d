package index

import (
	"bytes"
	"sort"
)

// block is one of several declarations of one namespace or enum.
type block struct {
	def   int32
	scope int32 // of its body
}

// mergeBlocks binds, in each block of a namespace that has several, what the others export, and in each of an enum the
// members of the others. What a block has itself goes before.
func (b *binder) mergeBlocks() {
	if !b.anonymous {
		return
	}
	type whole struct {
		name string
		home int32
		kind Kind
	}
	var all map[whole][]block
	var order []whole
	for i := range b.f.Defs {
		d := &b.f.Defs[i]
		if d.Kind != Enum && !d.Kind.space() {
			continue
		}
		key := whole{d.Qualified(), b.homes[i], d.Kind}
		if d.Kind.space() && d.Container != "" {
			key.home = 0 // in a block of a namespace, which merges too, or namespace A.B
		}
		if all == nil {
			all = map[whole][]block{}
		}
		if all[key] == nil {
			order = append(order, key)
		}
		all[key] = append(all[key], block{int32(i), b.firstScopeIn(d)})
	}
	for _, key := range order {
		if blocks := all[key]; len(blocks) > 1 {
			b.merge(blocks)
		}
	}
}

func (b *binder) merge(blocks []block) {
	own := map[scoped]bool{}
	type member struct {
		def  int32
		from int // index into blocks
	}
	var members []member
	for n, x := range blocks {
		d := &b.f.Defs[x.def]
		for i := int(x.def) + 1; i < len(b.f.Defs) && b.f.Defs[i].Start < d.End; i++ {
			m := &b.f.Defs[i]
			if m.Container != d.Qualified() || b.homes[i] != x.scope {
				continue
			}
			own[scoped{b.id([]byte(m.Name)), x.scope}] = true
			if d.Kind == Enum || b.visible(i, x.def) {
				members = append(members, member{int32(i), n})
			}
		}
	}
	for _, m := range members {
		name := b.f.Defs[m.def].Name
		for n, x := range blocks {
			if n != m.from && x.scope > 0 && !own[scoped{b.id([]byte(name)), x.scope}] {
				b.bindHere([]byte(name), x.scope, bindsDef, m.def)
			}
		}
	}
}

// firstScopeIn is the outermost scope that a definition holds; 0 for none.
func (b *binder) firstScopeIn(d *Def) int32 {
	i := 1 + sort.Search(len(b.scopes)-1, func(i int) bool { return b.scopes[i+1].Start >= d.Start })
	if i == len(b.scopes) || b.scopes[i].End > d.End {
		return 0
	}
	return int32(i)
}

// visible says whether a member of a namespace is known outside of the block that it stands in: it is exported, or all is,
// in a declaration.
func (b *binder) visible(member int, space int32) bool {
	if b.ambient {
		return true
	}
	d := &b.f.Defs[space]
	if hasWord(b.src[d.SigStart:d.NameStart], "declare") || d.NameStart > 0 && bytes.IndexByte([]byte(`"'`), b.src[d.NameStart-1]) >= 0 {
		return true
	}
	for i := int(space) - 1; i >= 0 && d.Container != ""; i-- {
		if o := &b.f.Defs[i]; o.End >= d.End && hasWord(b.src[o.SigStart:o.NameStart], "declare") {
			return true
		}
	}
	for i := member; i > int(space); i-- {
		m := &b.f.Defs[i]
		if hasWord(b.src[m.SigStart:m.NameStart], "export") {
			return true
		}
		// export const a = 1, b = 2: the second has the export of the first.
		before := b.src[d.NameEnd:m.Start]
		if !bytes.HasSuffix(bytes.TrimSpace(before), []byte(",")) {
			if at := bytes.LastIndexAny(before, ";{}\n"); at >= 0 {
				before = before[at+1:]
			}
			return hasWord(before, "export")
		}
	}
	return false
}

// hasWord says whether a word stands in text, between white space.
func hasWord(text []byte, word string) bool {
	for w := range bytes.FieldsSeq(text) {
		if string(w) == word {
			return true
		}
	}
	return false
}
