package index

import (
	"bytes"
	"unicode/utf8"
)

// goToken is a class of Go's tokens, as fine as goOutline needs it. The order is used.
type goToken uint8

const (
	goSemicolon goToken = iota // or the start of a file or bracket
	goLineBreak
	goEnd
	goComment
	goBad // not Go, or nothing that is worth reading

	// After these an operand is complete.
	goName
	goLiteral
	goCloseParen
	goCloseBracket
	goCloseBrace
	goStep // ++ --

	goLeave // break continue fallthrough return: a line break ends the statement too

	goFor   // for switch select: a block may follow
	goElse  //
	goIf    //
	goRange //
	goLead  // case default defer go goto
	goFile  // import package
	goFunc
	goShape // map chan
	goBody  // struct interface
	goType
	goValue // const var

	goParen
	goBracket
	goBrace

	goDot
	goDots
	goComma
	goColon
	goAssign // = := += …
	goStar
	goArrow
	goPipe
	goTilde
	goSign   // + - & ^: before an operand or between two
	goUnary  // !
	goBinary // the others
)

// operand: the token completes one.
func (t goToken) operand() bool { return t >= goName && t <= goStep }

// ends: a line break after the token is a semicolon.
func (t goToken) ends() bool { return t >= goName && t <= goLeave }

// goLexer reads tokens as Go defines them. What is valid Go but rare it need not know (hexadecimal floats, letters
// beyond ASCII): goBad costs no more than a parse.
type goLexer struct {
	src   []byte
	start int // of the last token
	at    int // its end
}

func (x *goLexer) lex() goToken {
	for {
		if t := x.token(); t != goComment {
			return t
		}
	}
}

func (x *goLexer) token() goToken {
	for x.at < len(x.src) && goClasses[x.src[x.at]] == goSpace {
		x.at++
	}
	x.start = x.at
	if x.at == len(x.src) {
		return goEnd
	}
	b := x.src[x.at]
	x.at++
	switch goClasses[b] {
	case goLetter:
		for x.at < len(x.src) && goClasses[x.src[x.at]] <= goDigit {
			x.at++
		}
		return goWord(x.src[x.start:x.at])
	case goDigit:
		return x.number()
	case goQuote:
		return x.quoted(b)
	case goPunct:
		return x.punctuation(b)
	}
	return goBad
}

func goWord(text []byte) goToken {
	switch string(text) {
	case "break", "continue", "fallthrough", "return":
		return goLeave
	case "for", "switch", "select":
		return goFor
	case "else":
		return goElse
	case "if":
		return goIf
	case "range":
		return goRange
	case "case", "default", "defer", "go", "goto":
		return goLead
	case "import", "package":
		return goFile
	case "func":
		return goFunc
	case "map", "chan":
		return goShape
	case "struct", "interface":
		return goBody
	case "type":
		return goType
	case "const", "var":
		return goValue
	}
	return goName
}

// next says whether the next byte is b, and takes it if so.
func (x *goLexer) next(b byte) bool {
	if x.at < len(x.src) && x.src[x.at] == b {
		x.at++
		return true
	}
	return false
}

func (x *goLexer) punctuation(b byte) goToken {
	switch b {
	case '\n':
		return goLineBreak
	case ';':
		return goSemicolon
	case '(':
		return goParen
	case ')':
		return goCloseParen
	case '[':
		return goBracket
	case ']':
		return goCloseBracket
	case '{':
		return goBrace
	case '}':
		return goCloseBrace
	case ',':
		return goComma
	case '~':
		return goTilde
	case '.':
		if bytes.HasPrefix(x.src[x.at:], []byte("..")) {
			x.at += 2
			return goDots
		}
		if x.at < len(x.src) && goClasses[x.src[x.at]] == goDigit {
			return x.number()
		}
		return goDot
	case ':':
		if x.next('=') {
			return goAssign
		}
		return goColon
	case '/':
		if x.next('/') || x.next('*') {
			return x.comment()
		}
	case '+', '-':
		if x.next(b) {
			return goStep
		}
	case '<':
		if x.next('-') {
			return goArrow
		}
		x.next('<')
	case '>':
		x.next('>')
	case '&':
		if x.next('&') {
			return goBinary
		}
		if x.next('^') {
			b = '%' // &^ is no sign
		}
	case '|':
		if x.next('|') {
			return goBinary
		}
	}
	return x.maybeAssign(b)
}

// maybeAssign ends an operator that begins with b and that = may follow.
func (x *goLexer) maybeAssign(b byte) goToken {
	long := x.at-x.start > 1
	switch equals := x.next('='); {
	case b == '=' && equals, b == '!' && equals, (b == '<' || b == '>') && !long:
		return goBinary
	case equals, b == '=':
		return goAssign
	case b == '!':
		return goUnary
	case b == '*':
		return goStar
	case b == '|':
		return goPipe
	case b == '+', b == '-', b == '&', b == '^':
		return goSign
	}
	return goBinary
}

// comment ends at the end of its line, which it leaves, or at */.
func (x *goLexer) comment() goToken {
	if x.src[x.at-1] == '*' {
		n := bytes.Index(x.src[x.at:], []byte("*/"))
		if n < 0 {
			return goBad
		}
		x.at += n + 2
		return goComment
	}
	if n := bytes.IndexByte(x.src[x.at:], '\n'); n >= 0 {
		x.at += n
	} else {
		x.at = len(x.src)
	}
	return goComment
}

// number reads decimal, octal, binary and hexadecimal integers, and decimal floats.
func (x *goLexer) number() goToken {
	x.at = x.start
	base := byte(10)
	if x.next('0') {
		switch {
		case x.next('x'), x.next('X'):
			base = 16
		case x.next('b'), x.next('B'):
			base = 2
		case x.next('o'), x.next('O'):
			base = 8
		}
	}
	digits := x.digits(base)
	switch {
	case base != 10 && digits == 0:
		return goBad
	case base == 10 && x.src[x.start] == '0' && digits > 0: // 0777, but not 08
		x.at = x.start
		x.digits(8)
	}
	if base == 10 {
		if x.next('.') {
			x.digits(10)
		}
		if x.next('e') || x.next('E') {
			if !x.next('+') {
				x.next('-')
			}
			if x.digits(10) == 0 {
				return goBad
			}
		}
		x.next('i')
	}
	if x.at < len(x.src) && goClasses[x.src[x.at]] <= goDigit {
		return goBad
	}
	return goLiteral
}

// digits reads digits of a base, single underscores between them, and says how many bytes.
func (x *goLexer) digits(base byte) int {
	from := x.at
	for ; x.at < len(x.src); x.at++ {
		b := x.src[x.at]
		if b == '_' && x.at > from && x.src[x.at-1] != '_' && x.at+1 < len(x.src) && digitOf(x.src[x.at+1]) < base {
			continue
		}
		if digitOf(b) >= base {
			break
		}
	}
	return x.at - from
}

// digitOf is the value of a hexadecimal digit, 255 for another byte.
func digitOf(b byte) byte {
	switch {
	case '0' <= b && b <= '9':
		return b - '0'
	case 'a' <= b|0x20 && b|0x20 <= 'f':
		return b | 0x20 - 'a' + 10
	}
	return 255
}

func (x *goLexer) quoted(quote byte) goToken {
	if quote == '`' {
		n := bytes.IndexByte(x.src[x.at:], '`')
		if n < 0 {
			return goBad
		}
		x.at += n + 1
		return goLiteral
	}
	for n := 0; x.at < len(x.src); n++ {
		switch b := x.src[x.at]; {
		case b == quote:
			x.at++
			if quote == '\'' && n != 1 {
				return goBad
			}
			return goLiteral
		case b == '\n' || b == '\r':
			return goBad
		case b == '\\':
			size := escape(x.src[x.at:])
			if size == 0 {
				return goBad
			}
			x.at += size
		case b < utf8.RuneSelf:
			x.at++
		default:
			_, size := utf8.DecodeRune(x.src[x.at:])
			x.at += size
		}
	}
	return goBad
}

// escape is the length of the escape sequence at the start of src, 0 when it is none.
func escape(src []byte) int {
	if len(src) < 2 {
		return 0
	}
	from, size, base := 2, 2, byte(16)
	switch src[1] {
	case 'a', 'b', 'f', 'n', 'r', 't', 'v', '\\', '\'', '"':
		return 2
	case 'x':
		size = 4
	case 'u':
		size = 6
	case 'U':
		size = 10
	default:
		from, size, base = 1, 4, 8
	}
	if len(src) < size {
		return 0
	}
	for _, b := range src[from:size] {
		if digitOf(b) >= base {
			return 0
		}
	}
	return size
}

// goClass is what a byte can begin.
type goClass uint8

const (
	goLetter goClass = iota + 1
	goDigit
	goSpace
	goQuote
	goPunct
	goOther // beyond ASCII, or not in Go
)

var goClasses = func() (classes [256]goClass) {
	for b := range classes {
		switch {
		case '0' <= b && b <= '9':
			classes[b] = goDigit
		case b < utf8.RuneSelf && asciiWord(byte(b)):
			classes[b] = goLetter
		case b == ' ' || b == '\t' || b == '\r':
			classes[b] = goSpace
		case b == '"' || b == '\'' || b == '`':
			classes[b] = goQuote
		case b < utf8.RuneSelf && bytes.IndexByte([]byte("\n()[]{};,.:=+-*/%&|^<>!~"), byte(b)) >= 0:
			classes[b] = goPunct
		default:
			classes[b] = goOther
		}
	}
	return
}()
