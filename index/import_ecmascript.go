package index

// operatorsECMAScript stand before a member; the longer first.
var operatorsECMAScript = []string{"?.", "!.", "."}

// importsECMAScript reads what JavaScript and TypeScript take from other modules:
//
//	import d, {a, b as c} from "m"; import * as n from "m"; import "m"; import n = require("m")
//	export {a as b} from "m"; export * from "m"; export * as n from "m"
//	n = require("m"), {a, b: c} = await import("m")                       as the declarators of const, let and var
//	module.exports = require("m"); exports.n = require("m").a
//
// What is written in another way gives none: its names are then names like others.
func importsECMAScript(statement []byte) []Import {
	s := &wordScan{src: statement}
	s.next()
	switch {
	case s.word("import"):
		return s.importing()
	case s.word("export"):
		return s.exporting()
	}
	return s.requiring()
}

// importing reads on behind "import".
func (s *wordScan) importing() []Import {
	s.next()
	if s.kind == scanString {
		return []Import{{Path: s.text(), Start: s.start, End: s.end, AliasStart: s.start}}
	}
	s.typeOnly()
	var list []Import
	if s.kind == scanWord {
		list = append(list, Import{Name: "default", Alias: s.text(), AliasStart: s.start})
		s.next()
		if s.symbol('=') {
			list[0].Name = ""
			s.next()
			return s.required(list)
		}
		if s.symbol(',') {
			s.next()
		}
	}
	list, ok := s.clause(list)
	if !ok || !s.word("from") {
		return nil
	}
	s.next()
	return s.fromModule(list)
}

// exporting reads on behind "export".
func (s *wordScan) exporting() []Import {
	s.next()
	s.typeOnly()
	list, ok := s.clause(nil)
	if !ok || !s.word("from") {
		return nil
	}
	s.next()
	list = s.fromModule(list)
	for i := range list {
		list[i].Export = true
	}
	return list
}

// typeOnly passes over the "type" of a statement that takes types only: what follows is more than from.
func (s *wordScan) typeOnly() {
	if !s.word("type") && !s.word("typeof") {
		return
	}
	after := *s
	after.next()
	switch {
	case after.symbol('{'), after.symbol('*'):
	case after.kind == scanWord && !after.word("from"):
	case after.word("from"):
		if after.next(); !after.word("from") {
			return // a default import that is called type
		}
		s.next()
		return
	default:
		return
	}
	*s = after
}

// clause reads {a, b as c} or * as n, if one of them is there.
func (s *wordScan) clause(list []Import) ([]Import, bool) {
	switch {
	case s.symbol('*'):
		m := Import{Name: "*"}
		if s.next(); s.word("as") {
			s.next()
			if s.kind != scanWord && s.kind != scanString {
				return nil, false
			}
			m.Name, m.Alias, m.AliasStart = "", s.text(), s.start
			s.next()
		}
		return append(list, m), true
	case s.symbol('{'):
		s.next()
		for !s.symbol('}') {
			m, ok := s.specifier()
			if !ok {
				return nil, false
			}
			list = append(list, m)
		}
		s.next()
	}
	return list, len(list) > 0
}

// specifier reads a, a as b, type a, and the comma behind it.
func (s *wordScan) specifier() (Import, bool) {
	if s.word("type") || s.word("typeof") {
		after := *s
		after.next()
		switch {
		case after.word("as"): // type as b and type as as are the name type; type as and type as as b the type as
			later := after
			later.next()
			named := later.kind != scanWord
			if later.word("as") {
				later.next()
				named = later.kind == scanWord
			}
			if named {
				*s = after
			}
		case after.kind == scanWord, after.kind == scanString:
			*s = after
		}
	}
	if s.kind != scanWord && s.kind != scanString {
		return Import{}, false
	}
	m := Import{Name: s.text(), Alias: s.text(), Start: s.start, End: s.end, AliasStart: s.start}
	if s.next(); s.word("as") {
		s.next()
		if s.kind != scanWord && s.kind != scanString {
			return m, false
		}
		m.Alias, m.AliasStart = s.text(), s.start
		s.next()
	}
	return m, s.comma()
}

// comma passes over a comma; false when neither it nor the end of the list is there.
func (s *wordScan) comma() bool {
	if s.symbol(',') {
		s.next()
		return true
	}
	return s.symbol('}')
}

// fromModule gives the imports their module, and those without a token of their own its place.
func (s *wordScan) fromModule(list []Import) []Import {
	if s.kind != scanString {
		return nil
	}
	for i := range list {
		m := &list[i]
		m.Path = s.text()
		if m.End == 0 {
			m.Start, m.End = s.start, s.end
		}
		if m.Alias == "" || m.Alias == wholeModule {
			m.AliasStart = m.Start
		}
	}
	return list
}

// requiring reads a declarator or an assignment whose value is require("m") or import("m").
func (s *wordScan) requiring() []Import {
	var list []Import
	switch {
	case s.symbol('{'):
		s.next()
		for !s.symbol('}') {
			for s.symbol('.') { // ...rest
				s.next()
				if s.kind == scanWord {
					s.next()
				}
			}
			if s.symbol('}') {
				break
			}
			if s.kind != scanWord {
				return nil
			}
			m := Import{Name: s.text(), Alias: s.text(), Start: s.start, End: s.end, AliasStart: s.start}
			if s.next(); s.symbol(':') {
				if s.next(); s.kind != scanWord {
					return nil
				}
				m.Alias, m.AliasStart = s.text(), s.start
				s.next()
			}
			if list = append(list, m); !s.comma() {
				return nil
			}
		}
		s.next()
	case s.kind == scanWord:
		m := Import{Alias: s.text(), AliasStart: s.start}
		first := s.text()
		s.next()
		for dots := 0; s.symbol('.'); dots++ {
			if s.next(); s.kind != scanWord || dots > 1 || first != "module" && first != "exports" {
				return nil
			}
			m.Export = true
			if dots == 0 && first == "module" && s.word("exports") {
				m.Name, m.Alias = "", wholeModule
			} else {
				m.Name, m.Alias, m.AliasStart = "", s.text(), s.start
			}
			s.next()
		}
		list = append(list, m)
	}
	if len(list) == 0 || !s.symbol('=') {
		return nil
	}
	s.next()
	return s.required(list)
}

// required reads require("m"), with a member of it at most.
func (s *wordScan) required(list []Import) []Import {
	if s.word("await") {
		s.next()
	}
	if !s.word("require") && !s.word("import") {
		return nil
	}
	if s.next(); !s.symbol('(') {
		return nil
	}
	s.next()
	if list = s.fromModule(list); list == nil {
		return nil
	}
	if s.next(); !s.symbol(')') {
		return nil
	}
	s.next()
	if s.symbol('.') && len(list) == 1 && list[0].Name == "" {
		if s.next(); s.kind != scanWord {
			return nil
		}
		list[0].Name, list[0].Start, list[0].End = s.text(), s.start, s.end
		if list[0].Alias == wholeModule {
			list[0].AliasStart = s.start
		}
		s.next()
	}
	if s.kind != scanEnd && !s.symbol(';') {
		return nil
	}
	return list
}

type scanKind uint8

const (
	scanEnd scanKind = iota
	scanWord
	scanString
	scanSymbol
)

// wordScan reads words, strings and single other characters, and passes over white space and comments. start and end
// are byte offsets of the current one, of a string without its quotes.
type wordScan struct {
	src        []byte
	at         int
	kind       scanKind
	start, end uint32
}

func (s *wordScan) text() string       { return string(s.src[s.start:s.end]) }
func (s *wordScan) word(w string) bool { return s.kind == scanWord && s.text() == w }
func (s *wordScan) symbol(c byte) bool { return s.kind == scanSymbol && s.src[s.start] == c }

func (s *wordScan) next() {
	s.blank()
	start := s.at
	s.kind, s.start, s.end = scanEnd, uint32(start), uint32(start)
	if start >= len(s.src) {
		return
	}
	switch c := s.src[start]; {
	case IsWord(c) || c == '$':
		for s.at < len(s.src) && (IsWord(s.src[s.at]) || s.src[s.at] == '$') {
			s.at++
		}
		s.kind = scanWord
	case c == '"' || c == '\'' || c == '`':
		s.at++
		for s.at < len(s.src) && s.src[s.at] != c {
			if s.src[s.at] == '\\' || s.src[s.at] == '\n' || c == '`' && s.src[s.at] == '$' { // no path of a module has them
				s.at = len(s.src)
				return
			}
			s.at++
		}
		if s.at >= len(s.src) {
			return
		}
		s.kind, s.start, s.end = scanString, uint32(start+1), uint32(s.at)
		s.at++
		return
	default:
		s.at++
		s.kind = scanSymbol
	}
	s.end = uint32(s.at)
}

// blank passes over white space and comments.
func (s *wordScan) blank() {
	for s.at < len(s.src) {
		rest := s.src[s.at:]
		switch {
		case isSpace(rest[0]):
			s.at++
		case len(rest) > 1 && rest[0] == '/' && rest[1] == '/':
			for s.at < len(s.src) && s.src[s.at] != '\n' && s.src[s.at] != '\r' {
				s.at++
			}
		case len(rest) > 1 && rest[0] == '/' && rest[1] == '*':
			s.at += 3 // the star of the opening ends nothing
			for s.at < len(s.src) && !(s.src[s.at-1] == '*' && s.src[s.at] == '/' && s.at > 0) {
				s.at++
			}
			s.at = min(s.at+1, len(s.src))
		default:
			return
		}
	}
}
