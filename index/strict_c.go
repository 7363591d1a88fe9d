package index

import (
	"bytes"
	"slices"
	"strings"
)

var (
	// cDirectives are the words after # that some compiler knows.
	cDirectives = wordsOf(`assert define elif elifdef elifndef else embed endif error ident if ifdef ifndef import include
		include_next line pragma sccs unassert undef using warning module`)
	cConditions = wordsOf("if elif ifdef ifndef endif") // what no condition names
	// cTwice are the words that may follow themselves, and cTags those behind which a name may be its own type's.
	cTwice = wordsOf("long requires")
	cTags  = wordsOf("struct union enum class typename")
)

func strictC(t *tree) []Fault { return append(t.cLines(true), t.cAddresses()...) }

// strictCPP leaves out the rules that C++ breaks: X::Result Result, and T && where the grammar takes it for a product.
func strictCPP(t *tree) []Fault { return t.cLines(false) }

// cLines looks at what the sanitizer hides from the parser (directives, macros) as it is written; twice: also for
// words that stand twice.
func (t *tree) cLines(twice bool) []Fault {
	var all []Fault
	tokens := living(t.src, cTokens(t.src))
	types := typedefs(t.src, tokens)
	var branches []cToken // #if and the like that are open
	for i := 0; i < len(tokens); {
		if !tokens[i].directive {
			if f, ok := strayEnd(t.src, tokens, i); ok {
				all = append(all, f)
			}
			if f, ok := wordTwice(t.src, tokens, i); ok && twice && !types[tokens[i].text(t.src)] {
				all = append(all, f)
			}
			i++
			continue
		}
		end := i + 1
		for end < len(tokens) && tokens[end].directive && !tokens[end].first {
			end++
		}
		all = append(all, cDirective(t.src, tokens[i:end])...)
		if end > i+1 {
			switch word := tokens[i+1]; word.text(t.src) {
			case "if", "ifdef", "ifndef":
				branches = append(branches, word)
			case "endif":
				if len(branches) == 0 {
					all = append(all, Fault{uint32(word.start), uint32(word.end), "unexpected `#endif`"})
				} else {
					branches = branches[:len(branches)-1]
				}
			}
		}
		i = end
	}
	all = append(all, cTokenFaults(t.src, tokens, !twice)...)
	for _, b := range branches {
		all = append(all, Fault{uint32(b.start), uint32(b.end), "unclosed " + ticked("#"+b.text(t.src))})
	}
	return all
}

// strayEnd finds the end of a comment that nothing began.
func strayEnd(src []byte, tokens []cToken, i int) (Fault, bool) {
	if src[tokens[i].start] != '*' || i+1 == len(tokens) || src[tokens[i+1].start] != '/' || tokens[i+1].start != tokens[i].end {
		return Fault{}, false
	}
	return Fault{uint32(tokens[i].start), uint32(tokens[i+1].end), "unexpected `*/`"}, true
}

// emptyDeclaration says whether a node is a semicolon that ends nothing: compilers take it among members too, and the
// grammars do not.
func (t *tree) emptyDeclaration(i int) bool {
	if t.text(i) != ";" {
		return false
	}
	for i--; i >= 0; i-- {
		if n := t.nodes[i]; n.Leaf() && n.End > n.Start && !isComment(t.kind(i)) {
			return t.text(i) == ";" || t.text(i) == "}"
		}
	}
	return false
}

// cAddresses finds && where the grammar takes it for the address of an address.
func (t *tree) cAddresses() []Fault {
	var all []Fault
	for i := range t.nodes {
		if t.kind(i) == "pointer_expression" && t.text(i)[0] == '&' && !t.inError(i) {
			inner := t.children(i)
			last := inner[len(inner)-1]
			if t.kind(last) != "pointer_expression" || t.text(last)[0] != '&' {
				continue
			}
			if of := t.children(last); t.kind(of[len(of)-1]) != "identifier" { // the address of a label, as in GNU C
				all = append(all, Fault{t.nodes[i].Start, t.nodes[last].Start + 1, "unexpected `&&`"})
			}
		}
	}
	return all
}

// cToken is a word, a number, a literal or one other character.
type cToken struct {
	start, end int
	directive  bool // in a line that begins with #, which a backslash at its end continues
	first      bool // the # that begins it
}

func (k cToken) text(src []byte) string { return string(src[k.start:k.end]) }

// cTokens splits a text; comments are left out.
func cTokens(src []byte) []cToken {
	var all []cToken
	fresh, directive := true, false // at the beginning of a line
	for i := 0; i < len(src); {
		c := src[i]
		start := i
		switch {
		case c == '\n':
			fresh, directive = true, false
			i++
			continue
		case c == '\\' && cLineEnd(src, i+1) > 0:
			i += 1 + cLineEnd(src, i+1)
			continue
		case c <= ' ':
			i++
			continue
		case c == '/' && i+1 < len(src) && src[i+1] == '/':
			for i < len(src) && src[i] != '\n' {
				if src[i] == '\\' {
					i += cLineEnd(src, i+1)
				}
				i++
			}
			continue
		case c == '/' && i+1 < len(src) && src[i+1] == '*':
			n := bytes.Index(src[i+2:], []byte("*/"))
			if n < 0 {
				return all
			}
			i += n + 4
			continue
		case c == '#' && fresh:
			directive = true
			i++
			all = append(all, cToken{start, i, true, true})
			fresh = false
			continue
		case c == '"' || c == '\'':
			i = cLiteral(src, i)
		case c == 'R' && i+1 < len(src) && src[i+1] == '"':
			i = cRaw(src, i)
		case IsWord(c) || c == '$':
			for i < len(src) && (IsWord(src[i]) || src[i] == '$' || src[i] == '\'' && '0' <= c && c <= '9' && i+1 < len(src) && IsWord(src[i+1])) {
				i++
			}
		default:
			i++
		}
		fresh = false
		all = append(all, cToken{start, i, directive, false})
	}
	return all
}

// cLineEnd is the length of the line end at an offset, 0 when there is none.
func cLineEnd(src []byte, i int) int {
	switch {
	case i < len(src) && src[i] == '\n':
		return 1
	case i+1 < len(src) && src[i] == '\r' && src[i+1] == '\n':
		return 2
	}
	return 0
}

// cLiteral is the end of a string or a character: at its quote, or at the end of the line.
func cLiteral(src []byte, i int) int {
	quote := src[i]
	for i++; i < len(src) && src[i] != quote && src[i] != '\n'; i++ {
		if src[i] == '\\' {
			i += max(1, cLineEnd(src, i+1))
		}
	}
	if i < len(src) && src[i] == quote {
		i++
	}
	return min(i, len(src))
}

// cRaw is the end of R"x(…)x".
func cRaw(src []byte, i int) int {
	open := bytes.IndexByte(src[i:min(len(src), i+20)], '(')
	if open < 0 {
		return i + 1
	}
	end := bytes.Index(src[i:], []byte(")"+string(src[i+2:i+open])+"\""))
	if end < 0 {
		return len(src)
	}
	return i + end + open
}

// wordTwice finds a word that stands twice: `len len = 1`. Where the second is the name that the first is the type of,
// they have a struct before them.
func wordTwice(src []byte, tokens []cToken, i int) (Fault, bool) {
	if i == 0 || tokens[i-1].directive {
		return Fault{}, false
	}
	a, b := tokens[i-1].text(src), tokens[i].text(src)
	if a != b || !IsWord(a[0]) || cTwice[a] || strings.ToUpper(a) == a || strings.HasPrefix(a, "__") {
		return Fault{}, false
	}
	if i >= 2 && src[tokens[i-2].start] == ':' { // of a header that is C++, after all: typedef a::type type
		return Fault{}, false
	}
	if i >= 2 && cTags[tokens[i-2].text(src)] && (i+1 >= len(tokens) || src[tokens[i+1].start] != '{') {
		return Fault{}, false
	}
	if i+1 < len(tokens) && (src[tokens[i+1].start] == ':' || src[tokens[i+1].start] == '(') {
		return Fault{}, false
	}
	return Fault{uint32(tokens[i].start), uint32(tokens[i].end), "unexpected " + ticked(b)}, true
}

// cOperand says whether a token of a condition is a name or a number, behind which an operator comes.
func cOperand(src []byte, k cToken) bool {
	switch k.text(src) {
	case "and", "or", "not", "xor", "bitand", "bitor", "compl", "not_eq":
		return false
	}
	return IsWord(src[k.start])
}

// fault is one fault, of the token.
func (k cToken) fault(message string) []Fault {
	return []Fault{{uint32(k.start), uint32(k.end), message}}
}

// cCondition looks at the tokens of a condition, its brackets left out.
func cCondition(src []byte, body []cToken) []Fault {
	if f := unclosedName(src, body); f != nil {
		return f
	}
	body = withoutNames(src, body)
	signs := munch(src, body)
	for i := 1; i < len(signs); i++ {
		if now, before := signs[i].text(src), signs[i-1].text(src); cBetween[now] && cBetween[before] && before != "?" {
			return signs[i].fault("unexpected " + ticked(now))
		}
	}
	for i, k := range body {
		if i > 0 && cOperand(src, body[i-1]) && (src[k.start] >= '0' && src[k.start] <= '9' && body[i-1].end < k.start || k.text(src) == "defined") {
			return k.fault("unexpected " + ticked(k.text(src)))
		}
		asked := i > 0 && body[i-1].text(src) == "defined" || i > 1 && body[i-2].text(src) == "defined"
		if cConditions[k.text(src)] && !asked || i > 0 && cOperand(src, k) && k.text(src) == body[i-1].text(src) {
			return k.fault("unexpected " + ticked(k.text(src)))
		}
		if k.text(src) != "defined" {
			continue
		}
		next := i + 1
		if next < len(body) && body[next].text(src) == "(" {
			next++
		}
		if next >= len(body) || !IsWord(src[body[next].start]) {
			return k.fault("missing a name behind `defined`")
		}
		if next == i+2 && (next+1 >= len(body) || body[next+1].text(src) != ")") {
			return body[next].fault("missing `)` behind " + ticked(body[next].text(src)))
		}
	}
	return nil
}

// cInclude looks at what is included.
func cInclude(src []byte, body []cToken) []Fault {
	if len(body) > 1 && body[0].text(src) == "include" && (src[body[1].start] == '<' || src[body[1].start] == '"') {
		return body[0].fault("unexpected `include`")
	}
	if len(body) > 0 && src[body[0].start] == '<' {
		switch end := slices.IndexFunc(body[1:], func(k cToken) bool { return src[k.start] == '>' || src[k.start] == '<' }); {
		case end < 0:
			return body[0].fault("unclosed `<`")
		case src[body[1+end].start] == '<':
			return body[1+end].fault("unexpected `<`")
		case end == 0:
			return body[1].fault("missing a name in `<>`")
		}
	}
	return nil
}

// cDirective looks at one directive.
func cDirective(src []byte, line []cToken) []Fault {
	if len(line) == 1 {
		return nil // the null directive
	}
	word := line[1].text(src)
	if !cDirectives[word] && (word[0] < '0' || word[0] > '9') { // a number is a line marker
		return line[1].fault("unknown directive " + ticked("#"+word))
	}
	body := line[2:]
	switch word {
	case "if", "elif":
		if f := cCondition(src, body); f != nil {
			return f
		}
	case "ifdef", "ifndef", "undef":
		if len(body) == 0 {
			return line[1].fault("missing a name behind " + ticked("#"+word))
		}
		if !IsWord(src[body[0].start]) && src[body[0].start] != '$' {
			return body[0].fault("unexpected " + ticked(body[0].text(src)) + " behind " + ticked("#"+word))
		}
		return nil
	case "include":
		return cInclude(src, body)
	case "define":
		if len(body) == 0 || !IsWord(src[body[0].start]) && src[body[0].start] != '$' {
			return line[1].fault("missing a name behind `#define`")
		}
		for i := range body {
			if f, ok := strayEnd(src, body, i); ok {
				return []Fault{f}
			}
		}
	default:
		return nil
	}
	if word == "define" {
		body = balanceable(src, body)
	}
	var open []cToken
	for _, k := range body {
		switch text := k.text(src); text {
		case "(", "[":
			open = append(open, k)
		case ")", "]":
			if len(open) == 0 || openerOf(text) != open[len(open)-1].text(src) {
				return k.fault("unexpected " + ticked(text))
			}
			open = open[:len(open)-1]
		}
	}
	if len(open) > 0 {
		return open[len(open)-1].fault("unclosed " + ticked(open[len(open)-1].text(src)))
	}
	return nil
}
