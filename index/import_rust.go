package index

import "strings"

// importsRust reads a use declaration, of any depth, and extern crate. Each name that gets a meaning is an Import with an
// Alias; every other name in it is one without, so that it is a reference. Paths keep their "::".
func importsRust(statement []byte) []Import {
	u := &useReader{text: rustText(statement)}
	u.next()
	export := false
	if u.word == "pub" {
		export = true
		u.next()
		if u.is('(') {
			for u.at < u.end && !u.is(')') {
				u.next()
			}
			u.next()
		}
	}
	switch u.word {
	case "use":
		u.next()
		u.tree("", Import{}, 0)
	case "extern":
		if u.next(); u.word != "crate" {
			return nil
		}
		if u.next(); u.word == "" {
			return nil
		}
		m := Import{Path: "::", Name: u.word, Alias: u.word, Start: uint32(u.at), End: uint32(u.end), AliasStart: uint32(u.at)}
		u.next()
		u.as(&m)
		u.found = append(u.found, m)
	}
	for i := range u.found {
		u.found[i].Export = export && (u.found[i].Alias != "" || u.found[i].Name == "*")
	}
	return u.found
}

// useReader is at the token text[at:end]; word is it when it is a word.
type useReader struct {
	text    rustText
	at, end int
	word    string
	found   []Import
}

func (u *useReader) next() {
	u.at = u.text.skip(u.end)
	if raw := u.at + 2; raw < len(u.text) && string(u.text[u.at:raw]) == "r#" && IsWord(u.text[raw]) {
		u.at = raw
	}
	u.word = ""
	if u.end = u.at; u.at < len(u.text) {
		u.end = u.text.token(u.at)
		if IsWord(u.text[u.at]) {
			u.word = string(u.text[u.at:u.end])
		}
	}
}

func (u *useReader) is(b byte) bool { return u.at < len(u.text) && u.text[u.at] == b && u.word == "" }

// maxUse bounds how deep the braces of a use are followed.
const maxUse = 64

// tree reads path::to::{…}. around is the import of the last name of the path before it.
func (u *useReader) tree(path string, around Import, depth int) {
	var last Import
	for u.at < len(u.text) && depth < maxUse {
		switch {
		case u.is(':'):
			if path == "" && last.Name == "" {
				path = "::"
			}
		case u.is('*'):
			if last.Name == "" {
				last = around
			}
			u.found = append(u.found, Import{Path: strings.TrimPrefix(path, "::"), Name: "*", Start: last.Start, End: last.End})
			u.next()
			return
		case u.is('{'):
			if last.Name == "" {
				last = around
			}
			for u.next(); u.at < len(u.text) && !u.is('}'); {
				before := u.at
				u.tree(path, last, depth+1)
				if u.is(',') || u.at == before {
					u.next()
				}
			}
			u.next()
			return
		case u.word == "":
			return
		case u.word == "self" && path != "" && path != "::" && last.Name == "": // a::{self}
			m := around
			u.next()
			m.Alias, m.AliasStart = m.Name, m.Start
			u.as(&m)
			u.found = append(u.found, m)
			return
		default:
			last = Import{Path: strings.TrimSuffix(path, "::"), Name: u.word, Start: uint32(u.end - len(u.word)), End: uint32(u.end)}
			if path == "::" {
				last.Path = "::"
			}
			path = join2(path, u.word)
			u.next()
			if u.is(':') {
				if last.Name != "crate" && last.Name != "self" && last.Name != "super" {
					u.found = append(u.found, last)
				}
				continue
			}
			last.Alias, last.AliasStart = last.Name, last.Start
			u.as(&last)
			u.found = append(u.found, last)
			return
		}
		u.next()
	}
}

func join2(path, name string) string {
	if path == "" || path == "::" {
		return path + name
	}
	return path + "::" + name
}

// as reads as name, which is the alias then; as _ gives none.
func (u *useReader) as(m *Import) {
	if u.word != "as" {
		return
	}
	if u.next(); u.word == "_" {
		m.Alias = ""
	} else if u.word != "" {
		m.Alias, m.AliasStart = u.word, uint32(u.end-len(u.word))
	}
	u.next()
}
