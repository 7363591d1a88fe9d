package index

import "bytes"

// macros takes macros out of declarations. Only places where something is declared are looked at (the
// file, namespaces, classes), never the bodies of functions: there a capital word is a call that
// somebody may look for. What a macro becomes depends on where it stands:
//
//	EXPORT int f();		const  int f();		a word before a type: a qualifier, so that f still starts here
//	DECL(int) f(int x) {	int       f(int x) {	a call in place of a type
//	class EXPORT W {	class        W {	and all the rest: spaces
func macros(out []byte) {
	m := macroReader{cText: out, frames: []cFrame{{}}}
	m.next()
	for m.at = m.skip(0); m.at < len(out); m.at = m.skip(m.at) {
		switch {
		case m.frames[len(m.frames)-1].code:
			m.body()
		case m.head:
			m.head = false
			m.first = true
			m.start()
		default:
			m.rest()
		}
	}
}

// cFrame is an open brace.
type cFrame struct {
	code  bool   // nothing is declared in it
	class []byte // the class's name; nil for a namespace
}

type macroReader struct {
	cText
	at     int
	frames []cFrame

	head  bool   // a declaration may start here
	begin int    // where the declaration starts
	first bool   // nothing of the declaration was read yet
	group []byte // "class" and its like, or "namespace", or "extern", when the declaration has one
	class []byte // name of the class that the declaration opens
	call  bool   // the declaration has parentheses
	value bool   // behind =
	depth int    // of parentheses
	prev  place  // the token before
	words int    // names, of types too, read so far

	builtin bool // so was a keyword that is a type
}

// place is what the token before says of the one that follows.
type place uint8

const (
	elsewhere  place = iota
	afterName        // a name, *, &, > or a built-in type: a name or a macro may follow
	afterClose       // ) or a word that follows one: a macro may
	afterOpen        // ( or , in parentheses
)

// body steps through braces in which nothing is declared.
func (m *macroReader) body() {
	switch m.cText[m.at] {
	case '{':
		m.frames = append(m.frames, cFrame{code: true})
	case '}':
		m.pop()
		return
	case 'i': // if CONSTEXPR (…)
		if name := m.skip(m.at + 2); string(m.wordAt(m.at)) == "if" && capitals(m.wordAt(name)) {
			blank(m.wordAt(name))
		}
	}
	m.at = m.token(m.at)
}

func (m *macroReader) pop() {
	top := m.frames[len(m.frames)-1]
	if len(m.frames) > 1 {
		m.frames = m.frames[:len(m.frames)-1]
	}
	m.at++
	if top.class != nil { // struct { … } name;
		m.prev = afterName
		m.group, m.class, m.call, m.value, m.depth = nil, nil, false, false, 0
		return
	}
	if m.value || m.depth > 0 { // an initializer or a lambda
		m.prev = elsewhere
		return
	}
	m.next()
}

// next starts a declaration.
func (m *macroReader) next() {
	m.head, m.group, m.class, m.call, m.value, m.depth, m.prev, m.words, m.builtin = true, nil, nil, false, false, 0, elsewhere, 0, false
}

// start reads the start of a declaration, up to what the general rules of rest can go on with.
func (m *macroReader) start() {
	for m.begin = m.at; m.at < len(m.cText); m.at = m.skip(m.at) {
		b := m.cText[m.at]
		if b == '[' && m.at0(m.at+1) == '[' {
			m.at = m.brackets(m.at)
			continue
		}
		if !IsWord(b) {
			return
		}
		end := m.token(m.at)
		text := m.cText[m.at:end]
		switch string(text) {
		case "template":
			if m.at0(m.skip(end)) != '<' {
				m.instantiation()
				return
			}
			m.at = m.template(end)
		case "static", "inline", "const", "constexpr", "consteval", "constinit", "virtual", "explicit", "friend",
			"typedef", "register", "thread_local", "mutable", "volatile", "__attribute__", "__declspec", "alignas", "__extension__":
			m.at = end
			if m.at0(m.skip(end)) == '(' {
				m.at = m.brackets(m.skip(end))
			}
		case "extern":
			m.at = m.skip(end)
			if m.at0(m.at) == '"' {
				m.at = m.token(m.at)
				m.group = text
			}
		case "public", "private", "protected", "signals":
			m.access(end)
			return
		case "class", "struct", "union", "enum", "namespace":
			m.groupHead(text, end)
			return
		default:
			if !m.macro(end) {
				return
			}
			continue
		}
		m.first = false
	}
}

// macro reads a word that starts a declaration, and says whether it was a macro that it removed.
func (m *macroReader) macro(end int) bool {
	at := m.at
	text := m.cText[at:end]
	capital := capitals(text)
	next := m.skip(end)
	if m.at0(next) == '(' {
		return m.wrapped(at, m.brackets(next), capital)
	}
	if after := m.wordAt(next); !capital && m.first && foreign(after) && !keyword(text) {
		m.qualifier(at, end, after)
		m.at = end
		return true
	}
	if !capital || next < len(m.cText) && bytes.IndexByte([]byte("*&<;=,[)("), m.cText[next]) >= 0 {
		return false
	}
	switch b := m.at0(next); {
	case b == ':':
		class := m.frames[len(m.frames)-1].class
		if class == nil || m.at0(next+1) == ':' {
			return false
		}
		m.put(at, end, "public") // Q_SIGNALS:
		m.at = next + 1
		m.next()
		m.head = false
		return true
	case !IsWord(b):
		blank(m.cText[at:end])
	case m.alone(at, end):
		name := m.wordAt(next)
		inClass := m.frames[len(m.frames)-1].class != nil
		if !inClass && !keyword(name) && !capitals(name) && m.at0(m.skip(m.token(next))) == '(' && !modifierName(text) {
			return false // BOOL, and f( in the next line
		}
		blank(m.cText[at:end])
	case m.qualifies(text, next):
		m.qualifier(at, end, m.wordAt(next))
	default:
		return false
	}
	m.at = end
	return true
}

// qualifies says whether a macro stands before the type of a declaration whose next token is given, and
// is not the type itself.
func (m *macroReader) qualifies(text []byte, next int) bool {
	name := m.wordAt(next)
	if string(name) == "const" || string(name) == "volatile" {
		return m.twoWords(m.skip(next + len(name)))
	}
	if keyword(name) {
		return true
	}
	after := m.skip(next + len(name))
	switch b := m.at0(after); {
	case b == '(':
		return modifierName(text) || bytes.Equal(name, m.frames[len(m.frames)-1].class)
	case b == ':':
		return m.at0(after+1) == ':'
	case b == '*' || b == '&' || b == '<':
		return true
	default:
		return IsWord(b)
	}
}

// wrapped decides on a call, NAME(…), at the start of a declaration.
func (m *macroReader) wrapped(at, close int, capital bool) bool {
	next := m.skip(close)
	name := m.wordAt(next)
	after := m.at0(m.skip(next + len(name)))
	inClass := m.frames[len(m.frames)-1].class != nil
	lines := bytes.IndexByte(m.cText[close:min(next, len(m.cText))], '\n') >= 0
	switch b := m.at0(next); {
	case b == '{' && capital && m.first && !inClass:
		m.test(at, close)
		return false
	case !m.first && !capital, b == '{', b == '(', b == '.', b == '-', b == '=', b == '[', b == ',', b == ':' && !inClass:
		return false
	case !capital && b == ';' && !inClass && m.typed(at, close):
		close = next + 1
		blank(m.cText[at:close])
	case !capital && lines && !inClass && b != ':' && m.typed(at, close):
		blank(m.cText[at:close]) // not the head of a function in the style of 1978, whose arguments are names
	case !capital:
		if lines || len(name) == 0 || keyword(name) || capitals(name) || after != '(' && after != ';' && after != '=' && after != '[' {
			return false
		}
		m.put(at, close, "int")
	case b == ';':
		if !inClass && !m.typed(at, close) {
			return false
		}
		close = next + 1
		blank(m.cText[at:close])
	case b == '*' || b == '&':
		m.put(at, close, "int")
	case b == ':':
		return false
	case keyword(name) || len(name) == 0:
		if lines || len(name) == 0 {
			blank(m.cText[at:close])
		} else {
			m.qualifier(at, close, name)
		}
	case inClass && lines:
		blank(m.cText[at:close])
	case capitals(name):
		blank(m.cText[at:close])
	case after == '(' || after == ';' || after == '=' || after == '[' || after == ',':
		m.put(at, close, "int")
	case lines && m.alone(at, close):
		blank(m.cText[at:close])
	default:
		m.qualifier(at, close, name)
	}
	m.at = close
	return true
}

// typed says whether a keyword is among the arguments of a call.
func (m *macroReader) typed(at, close int) bool {
	for at < close {
		end := m.token(at)
		if IsWord(m.cText[at]) && keyword(m.cText[at:end]) {
			return true
		}
		at = m.skip(end)
	}
	return false
}

// test makes TEST_BEGIN(name) { a function of that name. The brackets need a byte behind the closing one.
func (m *macroReader) test(at, close int) {
	open := at + bytes.IndexByte(m.cText[at:], '(')
	name := m.skip(open + 1)
	if end := name + len(m.wordAt(name)); end > name && end == close-1 && m.at0(close) == ' ' && open-at >= len("int") {
		m.put(at, open+1, "int")
		copy(m.cText[close-1:], "()")
	}
}

// qualifier replaces a macro before the word next.
func (m *macroReader) qualifier(at, end int, next []byte) {
	switch string(next) {
	case "template", "namespace", "using", "typedef", "friend", "explicit", "virtual", "operator", "public", "private",
		"protected", "extern", "class", "struct", "union", "enum", "concept":
		blank(m.cText[at:end])
	default:
		m.put(at, end, "const")
		m.first = false
	}
}

// rest reads a token behind the start of a declaration.
func (m *macroReader) rest() {
	b := m.cText[m.at]
	end := m.token(m.at)
	switch {
	case b == ';' && m.depth == 0:
		m.next()
	case b == '{':
		m.open()
	case b == '}':
		m.pop()
		return
	case b == '(' || b == '[':
		m.depth++
		m.call = m.call || b == '('
		m.prev = afterOpen
	case b == ')' || b == ']':
		m.depth = max(0, m.depth-1)
		m.prev = afterClose
	case b == ',' && m.depth > 0:
		m.prev = afterOpen
	case b == '=' && m.depth == 0 && m.prev != elsewhere:
		m.value = true
	case m.value:
	case b == '*' || b == '&' || b == '>':
		m.prev = afterName
	case IsWord(b):
		end = m.inner(end)
	default:
		m.prev = elsewhere
	}
	m.at = end
}

func (m *macroReader) open() {
	top := cFrame{code: true}
	if m.group != nil && !m.value && (!m.call || m.group[0] == 'n') && m.depth == 0 {
		top.code = false
		if m.group[0] != 'n' && m.group[0] != 'e' {
			top.class = m.class
			if top.class == nil {
				top.class = []byte{}
			}
		}
	}
	m.frames = append(m.frames, top)
	if !top.code {
		m.next()
	}
}

// inner reads a word behind the start of a declaration.
func (m *macroReader) inner(end int) int {
	text := m.cText[m.at:end]
	next := m.skip(end)
	b := m.at0(next)
	switch string(text) {
	case "__attribute__", "__attribute", "__declspec", "__asm__", "asm", "__asm":
		if b == '(' {
			end = m.brackets(next)
			blank(m.cText[m.at:end])
		}
		return end
	case "class", "struct", "union", "enum":
		if m.depth == 0 {
			m.groupHead(text, end)
			return m.at
		}
		m.prev = elsewhere
		return end
	case "const", "noexcept", "override", "final", "volatile", "mutable":
		if m.prev != afterClose {
			m.prev = elsewhere
		}
		if b == '(' {
			return m.brackets(next)
		}
		return end
	case "operator":
		m.prev = elsewhere
		for next < len(m.cText) && !IsWord(m.cText[next]) && m.cText[next] != '(' {
			next++
		}
		if m.at0(next) == '(' && m.at0(m.skip(next+1)) == ')' && next == m.skip(end) {
			next = m.skip(next+1) + 1
		}
		return max(end, next)
	}
	if !capitals(text) || m.depth > 2 { // deeper are no declarations, and looking ahead at each level is quadratic
		if m.prev == afterName && b == ';' && m.group == nil && m.depth == 0 && bytes.HasSuffix(text, []byte("_t")) {
			m.cText[m.at] = '_' // typedef signed int int32_t; where the name is a type of the grammar's own
		}
		m.prev = afterName
		if keyword(text) {
			m.builtin = true
		} else {
			m.words++
		}
		return end
	}
	close := end
	if b == '(' {
		close = m.brackets(next)
		next = m.skip(close)
	}
	if m.attribute(next, close > end) {
		blank(m.cText[m.at:close])
		return close
	}
	m.prev = afterName
	m.words++
	return end
}

// attribute says whether a word in capitals behind the start of a declaration is none of its names and
// types, by the token before and the one at next. A call has arguments.
func (m *macroReader) attribute(next int, call bool) bool {
	b := m.at0(next)
	switch m.prev {
	case afterClose: // void f() NORETURN;
		return m.depth == 0 && (IsWord(b) || bytes.IndexByte([]byte("{;:=-"), b) >= 0)
	case afterOpen: // f(UNUSED int x)
		return !call && IsWord(b) && m.twoWords(next)
	case afterName:
		switch {
		case IsWord(b): // int WINAPI f(
			return call || m.depth == 0 || !keyword(m.wordAt(next))
		case b == '*' || b == '&':
			return !call && m.depth == 0
		case b == ';' || b == '=' || b == ',': // int x ALIGNED(8); and not unsigned int F(void);
			typed := m.builtin || m.group != nil
			return call && m.depth == 0 && (m.words > 1 || m.words == 1 && typed)
		}
	}
	return false
}

// twoWords says whether a type and a name may follow: two words, or one and * or &.
func (m *macroReader) twoWords(at int) bool {
	if string(m.wordAt(at)) == "const" {
		return true
	}
	b := m.at0(m.skip(m.token(at)))
	return len(m.wordAt(at)) > 0 && (IsWord(b) || b == '*' || b == '&' || b == ':')
}

// wordAt is the word at at, empty when there is none.
func (m *macroReader) wordAt(at int) []byte {
	if at >= len(m.cText) || !IsWord(m.cText[at]) {
		return nil
	}
	return m.cText[at:m.token(at)]
}

// alone says whether there is nothing else in the lines from at to end. It looks ahead first: what was
// blanked before at may be long.
func (m *macroReader) alone(at, end int) bool {
	for ; end < len(m.cText) && m.cText[end] != '\n'; end++ {
		if m.cText[end] == '/' && (m.at0(end+1) == '/' || m.at0(end+1) == '*') {
			break
		}
		if !isSpace(m.cText[end]) {
			return false
		}
	}
	for at--; at >= 0 && m.cText[at] != '\n'; at-- {
		if !isSpace(m.cText[at]) {
			return false
		}
	}
	return true
}

// put replaces text by a word and spaces; by spaces when it is shorter.
func (m *macroReader) put(at, end int, with string) {
	if with == "int" {
		m.first = false // the type of the declaration: what follows is its name, and no macro
	}
	fits := bytes.IndexByte(m.cText[at:min(end, at+len(with))], '\n') < 0 && end-at >= len(with)
	blank(m.cText[at:end])
	if fits {
		copy(m.cText[at:], with)
	}
}
