package index

import "slices"

// readExports reads what a file exports of its own: each is an Import from this very file.
func (b *binder) readExports(locals []localFact) {
	b.aliases = map[int32]int32{}
	for i := range b.f.Imports {
		if m := &b.f.Imports[i]; m.Alias != "" {
			if d, ok := b.defAt(m.AliasStart); ok {
				b.aliases[d] = int32(i)
			}
		}
	}
	for _, l := range locals {
		alias := ""
		switch l.role {
		case roleLocalExport:
		case roleLocalExportDefault:
			alias = "default"
		case roleLocalExportModule:
			alias = wholeModule
		default:
			continue
		}
		i := b.leafAt(l.at.Start)
		if i < 0 || b.importing(l.at.Start) {
			continue
		}
		x := &b.leaves[i]
		if d, ok := x.definition(); ok {
			if b.exported == nil {
				b.exported = map[int32]bool{}
			}
			b.exported[d] = true
			if alias == "" && l.typ.End == 0 {
				continue
			}
		}
		m := Import{Name: b.text(x), Alias: alias, Export: true, Start: x.Start, End: x.End, AliasStart: x.Start}
		x.any, x.export = true, true
		if a := b.leafAt(l.typ.Start); l.typ.End > 0 && a >= 0 {
			m.Alias, m.AliasStart = b.text(&b.leaves[a]), l.typ.Start
			b.leaves[a].ignore = true
		}
		if m.Alias == "" {
			m.Alias = m.Name
		}
		b.f.Imports = append(b.f.Imports, m)
	}
}

// wholeModule is the Alias of what a module as a whole is: module.exports = x, export = x.
const wholeModule = "export="

// Takes says whether an import may take what its module knows by one of names. One of the module itself, or of its default,
// takes what the module is as a whole, if it is a definition.
func (m *Import) Takes(names []string) bool {
	return slices.Contains(names, m.Name) || (m.Name == "" || m.Name == "default") && slices.Contains(names, wholeModule)
}

// Spoken says whether a name is one that a text may hold; what a module is as a whole has none.
func Spoken(name string) bool { return name != wholeModule }

// Spellings are the words of which a file that refers to one of names holds one. An import of what a module is as a whole,
// or by default, need not name it.
func Spellings(names []string) []string {
	words := slices.Clone(names)
	if slices.ContainsFunc(names, func(n string) bool { return n == "default" || n == wholeModule }) {
		words = append(words, "import", "require")
	}
	return words
}

// declares says whether a definition's name starts at offset.
func (b *binder) declares(offset uint32) bool {
	for d := range b.aliases {
		if b.f.Defs[d].NameStart == offset {
			return true
		}
	}
	return false
}
