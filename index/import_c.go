package index

import "strings"

// importsC reads #include "x.h" and #include <x.h>; the path of the second keeps its <>. What a macro names
// is not known. Of C++ it reads
//
//	using namespace a::b;    all of ::a::b
//	using a::f;              f of ::a, as f
//	namespace s = a::b;      ::a::b, as s
//
// and, since all names in them are references, each a of :: and b of ::a.
func importsC(statement []byte) []Import {
	s := string(statement)
	if strings.HasPrefix(s, "using") || strings.HasPrefix(s, "namespace") {
		return usingC(statement)
	}
	t := cText(statement)
	at := 0
	for at < len(t) && t[at] != '"' && t[at] != '<' {
		if t[at] == '\n' {
			return nil
		}
		at = t.token(at)
	}
	if at >= len(t) {
		return nil
	}
	closing := byte('"')
	if s[at] == '<' {
		closing = '>'
	}
	at++
	size := strings.IndexByte(s[at:], closing)
	if size <= 0 || strings.ContainsAny(s[at:at+size], "\r\n") {
		return nil
	}
	i := Import{Path: s[at : at+size], Name: "*", Start: uint32(at), End: uint32(at + size)}
	if closing == '>' {
		i.Path = "<" + i.Path + ">"
	}
	return []Import{i}
}

// usingC reads the directives and declarations of names. What else the grammar takes for one, using T::type with
// arguments of a template, is none.
func usingC(statement []byte) []Import {
	t := cText(statement)
	var words []span
	assigned, all := -1, false // index of the first word behind =
	for at := 0; at < len(t); {
		next := t.token(at)
		switch b := t[at]; {
		case IsWord(b):
			switch string(t[at:next]) {
			case "using", "enum":
			case "namespace":
				all = at > 0
			case "typename":
				return nil
			default:
				words = append(words, span{Start: uint32(at), End: uint32(next)})
			}
		case b == '=':
			assigned = len(words)
		case b == '<' || b == ',' || b == '.':
			return nil
		}
		at = next
	}
	var alias *span
	if assigned == 1 {
		alias, words = &words[0], words[1:]
	}
	if len(words) == 0 || assigned >= 0 && (alias == nil || t[0] == 'u') {
		return nil
	}
	text := func(w span) string { return string(t[w.Start:w.End]) }
	var found []Import
	module := "::"
	for _, w := range words {
		found = append(found, Import{Path: module, Name: text(w), Start: w.Start, End: w.End})
		module = strings.TrimSuffix(module, "::") + "::" + text(w)
	}
	last := &found[len(found)-1]
	switch {
	case alias != nil:
		found = append(found, Import{Path: module, Alias: text(*alias), Start: last.Start, End: last.End, AliasStart: alias.Start})
	case all || strings.HasPrefix(strings.TrimLeft(string(t[5:]), " \t\r\n"), "enum"):
		found = append(found, Import{Path: module, Name: "*", Start: last.Start, End: last.End})
	default:
		last.Alias, last.AliasStart = last.Name, last.Start
	}
	return found
}
