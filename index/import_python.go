package index

import "strings"

// importsPython reads import a.b as c, d and from .a import (b as c, *). Of import a.b the file gets the name a, and has
// loaded a.b.
func importsPython(statement []byte) []Import {
	s := pythonScan{src: statement}
	switch s.next() {
	case "import":
		return s.modules()
	case "from":
		return s.names()
	}
	return nil
}

// pythonScan cuts a statement into words, and single bytes for the rest. Comments, white space and joined lines are passed.
type pythonScan struct {
	src        []byte
	start, end int // of the last token
}

func (s *pythonScan) next() string {
	at := s.end
	for at < len(s.src) {
		switch c := s.src[at]; {
		case isSpace(c) || c == '\\' || c == '\f':
			at++
		case c == '#':
			for at < len(s.src) && s.src[at] != '\n' && s.src[at] != '\r' {
				at++
			}
		default:
			s.start, s.end = at, at+1
			for IsWord(c) && s.end < len(s.src) && IsWord(s.src[s.end]) {
				s.end++
			}
			return string(s.src[s.start:s.end])
		}
	}
	s.start, s.end = at, at
	return ""
}

// dotted reads a path from the current token on, and leaves the token behind it current.
func (s *pythonScan) dotted(token string) (path string, first, last span, behind string) {
	var b strings.Builder
	for token == "." || token != "" && token != "import" && token != "as" && IsWord(token[0]) {
		b.WriteString(token)
		if token != "." {
			last = span{Start: uint32(s.start), End: uint32(s.end)}
			if first.End == 0 {
				first = last
			}
		} else if first.End == 0 {
			last = span{Start: uint32(s.start), End: uint32(s.end)}
		}
		before := token
		if token = s.next(); token != "." && before != "." {
			break
		}
	}
	return b.String(), first, last, token
}

func (s *pythonScan) modules() (all []Import) {
	for token := s.next(); token != ""; token = s.next() {
		path, first, last, behind := s.dotted(token)
		if first.End == 0 || path[0] == '.' {
			return all
		}
		top, _, deep := strings.Cut(path, ".")
		m := Import{Path: path, Start: last.Start, End: last.End, AliasStart: last.Start}
		switch {
		case behind == "as":
			m.Alias = s.next()
			m.AliasStart = uint32(s.start)
			behind = s.next()
		case deep:
			all = append(all, Import{Path: top, Alias: top, Start: first.Start, End: first.End, AliasStart: first.Start})
		default:
			m.Alias = top
		}
		all = append(all, m)
		if behind != "," {
			return all
		}
	}
	return all
}

func (s *pythonScan) names() (all []Import) {
	path, _, at, token := s.dotted(s.next())
	if path == "" || token != "import" {
		return nil
	}
	for token = s.next(); token != ""; token = s.next() {
		m := Import{Path: path, Name: token, Alias: token, Start: uint32(s.start), End: uint32(s.end), AliasStart: uint32(s.start)}
		switch {
		case token == "(" || token == "," || token == ")":
			continue
		case token == "*":
			m.Alias = ""
			m.Start, m.End, m.AliasStart = at.Start, at.End, at.Start
			return append(all, m)
		case !IsWord(token[0]):
			return all
		}
		behind := *s
		if behind.next() == "as" {
			*s = behind
			m.Alias = s.next()
			m.AliasStart = uint32(s.start)
			if m.Alias == "" || !IsWord(m.Alias[0]) {
				return all
			}
		}
		all = append(all, m)
	}
	return all
}
