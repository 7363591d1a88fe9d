package index

import (
	"bytes"
	"unicode/utf8"
)

// goUses says that the mentions at those offsets define nothing. In a function's body only what follows
// type, var, const and func can; in parameters, arguments and values nothing.
//
// What surrounds a mention proves that only in a text that is Go. Where the grammar meets an error it skips tokens
// until it finds a way on: "func x, err := os.ReadFile() {}" defines ReadFile for it, and where the brace of a
// struct is missing, x.Close() is a field. So the whole file is read, by the rules of Go that cost little to check:
// brackets match, a declaration has its parts in order, an operator stands between operands, a keyword where it may.
// What breaks one is left to the grammar. That is no proof, as one rule of Go after the other is left out: see
// TestMayDefineDamaged.
//
// go/parser would be exact and shorter. Over the 5.5 MB of the Go library that hold the word ReadFile it takes
// 156 ms on one core, this 27, Build 1,325.
func goUses(src []byte, at []int) bool {
	if !utf8.Valid(src) || bytes.IndexByte(src, 0) >= 0 || bytes.Count(src, []byte("\r")) != bytes.Count(src, []byte("\r\n")) {
		return false // the grammar's lexer stops at what is no text, and at a CR goes on in a comment
	}
	o := goOutline{goLexer: goLexer{src: src}, marks: at}
	o.frames = append(o.room[:0], goFrame{place: goTop, start: true})
	o.at = len(src) - len(bytes.TrimPrefix(src, []byte("\xef\xbb\xbf")))
	return o.run()
}

// goDepth is how many brackets may be open at a place; deeper nesting is left to the grammar.
const goDepth = 1000

// goPlace is what an open bracket holds.
type goPlace uint8

const (
	goTop     goPlace = iota // the file: declarations
	goBlock                  // statements, or a literal's elements
	goList                   // parameters, arguments, an index, operands
	goMembers                // of a struct or an interface
	goTypes                  // type ( … )
	goValues                 // var ( … ), const ( … )
	goImports                // import ( … )
)

// goPart is how far a declaration has come.
type goPart uint8

const (
	goPlain    goPart = iota // no declaration, or a value: nothing is defined
	goNames                  // in var or const, before =
	goTyping                 // in type
	goDeclared               // after the func of a declaration: a receiver or a name
	goReceived               // after its receiver: a name
	goNamed                  // after its name: parameters
	goResults                // after its parameters: results, a body
	goDone                   // after its body: the end
	goCalled                 // after the parameters of a func without a name: a result
	goPath                   // in import or package
)

type goFrame struct {
	close  goToken
	place  goPlace
	part   goPart
	start  bool // at the start of a statement
	paired bool // a name and its type were read
	tokens int  // since the start of a statement
	typed  bool // in a declaration of a type, where the grammar misreads some of Go ("[P *T]"): all is let through
}

type goOutline struct {
	goLexer
	marks  []int // ascending; those ahead
	prev   goToken
	frames []goFrame
	room   [24]goFrame // for frames
}

func (o *goOutline) run() bool {
	for {
		t := o.lex()
		top := &o.frames[len(o.frames)-1]
		ok := true
		if t != goLineBreak {
			top.tokens++
		}
		switch t {
		case goBad:
			return false
		case goEnd:
			return len(o.frames) == 1 && o.semicolon(top)
		case goLineBreak:
			ok = !o.prev.ends() || o.semicolon(top)
		case goSemicolon:
			ok = o.semicolon(top)
		case goName:
			ok = o.name(top)
		case goLiteral:
			ok = o.follows(top, t)
			o.prev, top.start = t, false
		case goParen, goBracket, goBrace:
			ok = o.follows(top, t) && o.open(top, t)
		case goCloseParen, goCloseBracket, goCloseBrace:
			ok = o.shut(top, t)
		default:
			if t <= goValue && t > goStep {
				ok = !o.marked() && o.keyword(top, t)
			} else {
				ok = o.follows(top, t) && o.operator(top, t)
			}
		}
		if !ok {
			return false
		}
	}
}

// marked says whether the last token is a mention.
func (o *goOutline) marked() bool {
	for len(o.marks) > 0 && o.marks[0] < o.start {
		o.marks = o.marks[1:]
	}
	return len(o.marks) > 0 && o.marks[0] == o.start
}

// semicolon ends a statement, a specification or a member.
func (o *goOutline) semicolon(top *goFrame) bool {
	switch top.part {
	case goDeclared, goReceived, goNamed:
		return false
	}
	switch o.prev {
	case goValue, goType, goBody, goFunc, goDot:
		return false
	}
	top.part, top.start, top.paired, top.tokens = goPlain, true, false, 0
	switch top.place {
	case goList:
		return false
	case goTypes:
		top.part = goTyping
	case goValues:
		top.part = goNames
	}
	o.prev = goSemicolon
	return true
}

// follows says whether Go allows t after the last token, as far as it is checked.
func (o *goOutline) follows(top *goFrame, t goToken) bool {
	switch top.part {
	case goDeclared:
		return t == goName || t == goParen
	case goReceived:
		return t == goName
	case goNamed:
		return t == goParen || t == goBracket
	case goDone:
		return false
	}
	if top.place == goImports || top.part == goPath {
		return o.prev != goLiteral && (t == goName || t == goLiteral || t == goDot || t == goParen && o.prev == goFile)
	}
	switch o.prev {
	case goValue, goType:
		return t == goName || t == goParen
	case goDot:
		return t == goName || t == goParen
	case goFunc:
		return t == goParen
	}
	if top.place == goTop && top.start {
		return false // a declaration starts with a keyword
	}
	if top.place == goMembers && !o.member(top, t) {
		return false
	}
	if t == goLiteral && top.typed && top.place == goList && top.close == goCloseParen {
		return false // a call in a type
	}
	if !o.prev.operand() || o.prev == goCloseBracket {
		return true
	}
	switch t {
	case goLiteral:
		return top.place == goMembers
	case goName, goFunc, goShape, goBody:
		return o.adjoins(top)
	}
	return true
}

// member is what follows checks in a struct or interface.
func (o *goOutline) member(top *goFrame, t goToken) bool {
	switch {
	case o.prev == goLiteral: // a tag, which is the last
		return false
	case t == goLiteral:
		return o.prev.operand()
	case t == goBrace:
		return o.prev == goBody
	case t == goParen && o.prev == goName:
		return top.tokens == 2 // a method
	}
	return true
}

// adjoins says whether an operand may come right after the last: a name and its type, a func and its result.
func (o *goOutline) adjoins(top *goFrame) bool {
	switch o.prev {
	case goCloseParen:
		return top.part != goPlain || top.place == goList || top.place == goMembers
	case goName:
		if top.paired || top.part == goResults || top.part == goPlain && (top.place == goTop || top.place == goBlock || top.place == goValues) {
			return false
		}
		top.paired = true
		return true
	}
	return false
}

// name says that the name is no mention, or one that defines nothing.
func (o *goOutline) name(top *goFrame) bool {
	if !o.follows(top, goName) {
		return false
	}
	defines := top.typed || top.place == goMembers
	switch top.part {
	case goNames, goTyping:
		defines = true
	case goDeclared, goReceived:
		defines, top.part = true, goNamed
	case goCalled: // a result, but the grammar may see a method's name
		defines, top.part = true, goPlain
	}
	o.prev, top.start = goName, false
	return !o.marked() || !defines
}

func (o *goOutline) keyword(top *goFrame, t goToken) bool {
	statements := top.place == goTop || top.place == goBlock
	if t >= goFile && o.start > 0 && o.src[o.start-1] == '\n' && !(top.place == goTop && top.start) {
		return false // at the start of a line, but no declaration of the file: something is not closed
	}
	switch t {
	case goFile:
		if top.place != goTop || !top.start {
			return false
		}
		top.part = goPath
	case goType, goValue:
		if t == goType && top.place == goList && o.prev == goParen && o.at < len(o.src) && o.src[o.at] == ')' {
			t = goName // x.(type)
			break
		}
		if !statements || !top.start {
			return false
		}
		top.part = goNames
		if t == goType {
			top.part = goTyping
		}
	case goFunc:
		if top.place == goTop && top.start {
			top.part = goDeclared
			break
		}
		fallthrough
	case goShape, goBody:
		if !o.follows(top, t) {
			return false
		}
		o.called(top)
	default:
		if top.place != goBlock || !o.follows(top, t) {
			return false
		}
		o.called(top)
		switch {
		case t == goElse:
			if o.prev != goCloseBrace {
				return false
			}
		case t == goRange:
			if o.prev != goAssign && o.prev != goFor {
				return false
			}
		case !top.start && !(t == goIf && o.prev == goElse):
			return false
		}
	}
	o.prev, top.start = t, false
	return true
}

// called: after a func's parameters came something other than a name.
func (o *goOutline) called(top *goFrame) {
	if top.part == goCalled {
		top.part = goPlain
	}
}

func (o *goOutline) operator(top *goFrame, t goToken) bool {
	after := o.prev.operand()
	switch t {
	case goUnary:
		if after {
			return false
		}
	case goBinary, goAssign, goStep, goPipe:
		if !after {
			return false
		}
	case goDot:
		if !after && top.place != goImports && top.part != goPath {
			return false
		}
	case goComma:
		if !after && o.prev != goDots {
			return false
		}
	}
	if top.place == goMembers || top.part == goTyping || top.part == goResults || top.part == goNames {
		switch t {
		case goDot, goStar, goArrow, goTilde, goPipe:
		case goComma:
			if top.part == goTyping || top.part == goResults {
				return false
			}
		case goAssign:
			if top.place == goMembers || top.part == goResults {
				return false
			}
		default:
			return false
		}
	}
	switch {
	case t == goAssign && top.part == goNames:
		top.part = goPlain
	case t == goComma:
		top.paired = false
	}
	o.called(top)
	o.prev, top.start = t, t == goColon // after a label or a case
	return true
}

func (o *goOutline) open(top *goFrame, t goToken) bool {
	f := goFrame{place: goList, start: true, typed: top.typed || top.part == goTyping || top.place == goMembers}
	switch t {
	case goParen:
		f.close = goCloseParen
		switch {
		case o.prev == goFile:
			f.place = goImports
		case o.prev == goType:
			f.place, f.part = goTypes, goTyping
		case o.prev == goValue:
			f.place, f.part = goValues, goNames
		case top.part == goDeclared:
			top.part = goReceived
		case top.part == goNamed:
			top.part = goResults
		case o.prev == goFunc && top.part == goPlain:
			top.part = goCalled
		default:
			o.called(top)
		}
	case goBracket:
		f.close = goCloseBracket
		o.called(top)
	case goBrace:
		f.close = goCloseBrace
		switch {
		case o.prev == goBody:
			f.place = goMembers
		case top.part == goResults:
			f.place, top.part = goBlock, goDone
		case o.prev.operand(), o.prev == goBrace, o.prev == goParen, o.prev == goComma, o.prev == goColon,
			o.prev == goSemicolon, o.prev == goElse, o.prev == goFor:
			f.place = goBlock
		default:
			return false
		}
		o.called(top)
	}
	top.start = false
	o.prev = t
	o.frames = append(o.frames, f)
	return len(o.frames) < goDepth
}

func (o *goOutline) shut(top *goFrame, t goToken) bool {
	if top.close != t {
		return false
	}
	switch {
	case o.prev.ends(), o.prev == goBrace, o.prev == goParen, o.prev == goBracket, o.prev == goComma, o.prev == goColon,
		o.prev == goSemicolon, o.prev == goDots:
	default:
		return false
	}
	o.frames = o.frames[:len(o.frames)-1]
	o.prev = t
	return true
}
