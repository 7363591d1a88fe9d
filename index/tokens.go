package index

import (
	"cmp"
	"slices"
	"sort"
	"strings"
)

// Token is a range of the source that is coloured in one way.
type Token struct {
	Start, End uint32
	Kind       TokenKind
	Declares   bool // it gives its name to what it names
	Writes     bool
}

// TokenKind says what a token is.
type TokenKind uint8

const (
	TokenComment TokenKind = iota
	TokenKeyword
	TokenString
	TokenNumber
	TokenNamespace
	TokenType
	TokenClass
	TokenStruct
	TokenInterface
	TokenEnum
	TokenEnumMember
	TokenFunction
	TokenMethod
	TokenProperty
	TokenVariable
	TokenParameter
	TokenMacro
)

// Tokens lists the tokens of the text, by Start, none over another. Names are told apart by what the file itself says
// of them; a name that it says nothing of is left out.
func (s *Syntax) Tokens(f *File) []Token {
	tokens := append(s.plain(), s.names(f)...)
	// A name goes before what the grammar makes of it: in a string, or a keyword that is a name here.
	slices.SortStableFunc(tokens, func(a, b Token) int { return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(b.Kind, a.Kind)) })
	out, end := tokens[:0], uint32(0)
	for _, t := range tokens {
		if t.Start >= end && t.End > t.Start && int(t.End) <= len(s.src) {
			out = append(out, t)
			end = t.End
		}
	}
	return out
}

// plain are the tokens whose kind the grammar tells.
func (s *Syntax) plain() []Token {
	var tokens []Token
	for i := 0; i < len(s.t.nodes); {
		n := s.t.nodes[i]
		kind := s.t.kind(i)
		next := i + 1
		switch {
		case isComment(kind):
			tokens = append(tokens, Token{Start: n.Start, End: n.End, Kind: TokenComment})
			next = int(s.t.next[i])
		case s.t.named(i) && (strings.Contains(kind, "string") || strings.HasPrefix(kind, "char") || kind == "rune_literal") && s.text(i):
			tokens = append(tokens, Token{Start: n.Start, End: n.End, Kind: TokenString})
			next = int(s.t.next[i])
		case !n.Leaf():
		case strings.Contains(kind, "string") || kind == "escape_sequence":
			tokens = append(tokens, Token{Start: n.Start, End: n.End, Kind: TokenString})
		case s.t.named(i) && isNumber(kind):
			tokens = append(tokens, Token{Start: n.Start, End: n.End, Kind: TokenNumber})
		case !s.t.named(i) && isKeyword(kind) && s.t.text(i) == kind:
			tokens = append(tokens, Token{Start: n.Start, End: n.End, Kind: TokenKeyword})
		}
		i = next
	}
	return tokens
}

// text says whether a string holds nothing but text: no code is put into it.
func (s *Syntax) text(i int) bool {
	for k := i + 1; k < int(s.t.next[i]); k++ {
		if kind := s.t.kind(k); s.t.named(k) && !strings.Contains(kind, "string") && !strings.Contains(kind, "escape") && !strings.Contains(kind, "char") {
			return false
		}
	}
	return true
}

func isNumber(kind string) bool {
	return strings.Contains(kind, "integer") || strings.Contains(kind, "float") || strings.Contains(kind, "number") ||
		kind == "int_literal" || kind == "imaginary_literal"
}

func isKeyword(kind string) bool {
	for i := range len(kind) {
		if c := kind[i] | 0x20; (c < 'a' || c > 'z') && kind[i] != '_' {
			return false
		}
	}
	return len(kind) > 1
}

// names are the tokens that name something which the file tells of.
func (s *Syntax) names(f *File) (tokens []Token) {
	for i := range f.Defs {
		d := &f.Defs[i]
		if d.Kind != Heading {
			tokens = append(tokens, Token{Start: d.NameStart, End: d.NameEnd, Kind: tokenOf(d.Kind), Declares: true})
		}
	}
	fresh := &File{Language: f.Language}
	defer func() { _ = recover() }() // as in describe: the definitions are told all the same
	room := takeScratch()
	s.l.bound(fresh, s.path, s.src, budget(len(s.src)), room, func(b *binder) {
		for i := range b.leaves {
			if kind, ok := b.tokenOf(&b.leaves[i]); ok {
				x := &b.leaves[i]
				tokens = append(tokens, Token{Start: x.Start, End: x.End, Kind: kind, Declares: x.declares, Writes: b.role(x) == Write})
			}
		}
	})
	room.give()
	return tokens
}

// tokenOf is the kind of a name, if the file tells it.
func (b *binder) tokenOf(x *leaf) (TokenKind, bool) {
	if x.bound < 0 {
		switch {
		case x.tag == tagType:
			return TokenType, true
		case x.tag == tagSelf || x.tag == tagText || x.tag == tagWord:
			return 0, false
		case x.member && b.role(x) == Call:
			return TokenMethod, true
		case x.member:
			return TokenProperty, true
		case b.role(x) == Call:
			return TokenFunction, true
		}
		return 0, false
	}
	switch at := &b.bindings[x.bound]; at.kind {
	case bindsDef:
		if int(at.index) < len(b.f.Defs) {
			return tokenOf(b.f.Defs[at.index].Kind), true
		}
	case bindsImport:
		if int(at.index) < len(b.f.Imports) && b.f.Imports[at.index].Name == "" {
			return TokenNamespace, true
		}
		switch {
		case x.tag == tagType:
			return TokenType, true
		case b.role(x) == Call:
			return TokenFunction, true
		}
		return TokenVariable, true
	case bindsLocal:
		switch {
		case at.isType:
			return TokenType, true
		case b.isParameter(at):
			return TokenParameter, true
		}
	}
	return TokenVariable, true
}

// isParameter says whether a local is declared in the head of its function.
func (b *binder) isParameter(at *binding) bool {
	if b.scopes[at.scope].tag == tagParameters {
		return true
	}
	if at.leaf < 0 || int(at.leaf) >= len(b.leaves) {
		return false
	}
	offset := b.leaves[at.leaf].Start
	i := sort.Search(len(b.f.Defs), func(i int) bool { return b.f.Defs[i].Start > offset }) - 1
	return i >= 0 && b.f.Defs[i].Kind.local() && b.f.Defs[i].SigStart <= offset && offset < b.f.Defs[i].SigEnd
}

// tokenOf is the kind of a name that names such a definition.
func tokenOf(k Kind) TokenKind {
	switch k {
	case Function:
		return TokenFunction
	case Method, Constructor:
		return TokenMethod
	case Class:
		return TokenClass
	case Struct, Union:
		return TokenStruct
	case Interface, Trait:
		return TokenInterface
	case Enum:
		return TokenEnum
	case Enumerator:
		return TokenEnumMember
	case Type:
		return TokenType
	case Field, Property:
		return TokenProperty
	case Module, Namespace:
		return TokenNamespace
	case Macro:
		return TokenMacro
	}
	return TokenVariable
}
