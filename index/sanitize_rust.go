package index

import "bytes"

// sanitizeRust takes away the wrapping of items that stand in a macro call, as in
//
//	cfg_rt! { pub fn spawn() {} }		cfg_if! { if #[cfg(unix)] { mod unix; } else { mod other; } }
//
// The grammar makes a list of tokens of such a body, in which there are no definitions: of tokio's public
// functions it would lose one in ten. The call's name, its braces and cfg_if's conditions become
// spaces, so that the items stand where the call stood. A body counts as items when it starts with
// one; calls in functions are left alone.
func sanitizeRust(src []byte) []byte {
	if !bytes.Contains(src, []byte("! {")) && !bytes.Contains(src, []byte("!{")) {
		return src
	}
	u := unwrapper{rustText: src}
	u.frames = append(u.frames, rustFrame{items: true})
	u.run()
	if u.out == nil {
		return src
	}
	return u.out
}

// rustFrame is an open brace.
type rustFrame struct {
	items   bool // what it holds are items
	choices bool // what it holds are the branches of a cfg_if!
	blank   bool // its closing brace becomes a space
}

type unwrapper struct {
	rustText
	out    []byte // nil while nothing was changed
	frames []rustFrame
	start  bool // an item may start here
	holds  bool // the next brace of this item holds items
	known  bool // holds is settled
}

// run goes over the tokens once.
func (u *unwrapper) run() {
	u.start = true
	for at := 0; at < len(u.rustText); {
		top := u.frames[len(u.frames)-1]
		b := u.rustText[at]
		switch {
		case isSpace(b):
			at++
		case b == '{':
			u.open(rustFrame{items: top.items && u.known && u.holds})
			at++
		case b == '}':
			if top.blank {
				u.close(at)
			}
			if len(u.frames) > 1 {
				u.frames = u.frames[:len(u.frames)-1]
			}
			u.next()
			at++
		case b == ';':
			u.next()
			at++
		case (top.items || top.choices) && IsWord(b):
			at = u.word(at, top)
		case b == '#' && u.start && top.items:
			at = u.attribute(at)
		default:
			end := u.token(at)
			if !u.comment(at) {
				u.start = false
			}
			at = end
		}
	}
}

// close takes away the closing brace of a call. The last item in it may lack the semicolon that it
// needs outside, as in thread_local! { static X: u8 = 1 }.
func (u *unwrapper) close(at int) {
	last := at - 1
	for last > 0 && isSpace(u.rustText[last]) {
		last--
	}
	u.blank(at, at+1)
	if b := u.rustText[last]; b != ';' && b != '}' && b != '{' {
		if after := u.rustText[last+1]; after == '\n' || after == '\r' {
			u.out[at] = ';' // a line break stays one
		} else {
			u.out[last+1] = ';' // at itself when there is no space before it
		}
	}
}

func (u *unwrapper) next() { u.start, u.known, u.holds = true, false, false }

func (u *unwrapper) open(f rustFrame) {
	u.frames = append(u.frames, f)
	u.next()
}

// word reads the word at an item's place: the start of a call, a branch of cfg_if!, or a keyword
// that says what the item's braces hold.
func (u *unwrapper) word(at int, top rustFrame) int {
	end := u.token(at)
	if u.start && top.choices {
		if brace := bytes.IndexByte(u.rustText[at:min(at+1024, len(u.rustText))], '{'); brace >= 0 {
			u.blank(at, at+brace+1)
			u.open(rustFrame{items: true, blank: true})
			return at + brace + 1
		}
	}
	if u.start {
		if name, body := u.call(at); body > 0 {
			choices := bytes.HasSuffix(u.rustText[at:name], []byte("cfg_if"))
			if choices || u.item(body, 0) {
				u.blank(at, body)
				u.open(rustFrame{items: !choices, choices: choices, blank: true})
				return body
			}
		}
	}
	u.start = false
	if rest := u.rustText[end:]; bytes.HasPrefix(rest, []byte("<>")) && string(u.rustText[at:end]) == "impl" {
		u.blank(end, end+2) // as macros are called with; the grammar wants a parameter
	}
	if !u.known {
		switch string(u.rustText[at:end]) {
		case "mod", "impl", "trait":
			u.known, u.holds = true, true
		case "fn", "struct", "enum", "union", "static", "const", "use", "type", "macro_rules":
			u.known, u.holds = true, false
		}
	}
	return end
}

// call says where the name and the opening brace end of a macro call with braces that starts at at;
// 0, 0 when there is none.
func (u *unwrapper) call(at int) (name, body int) {
	for name = at; name < len(u.rustText) && (IsWord(u.rustText[name]) || u.rustText[name] == ':'); {
		name++
	}
	body = u.skip(name)
	if body >= len(u.rustText) || u.rustText[body] != '!' {
		return 0, 0
	}
	body = u.skip(body + 1)
	if body >= len(u.rustText) || u.rustText[body] != '{' {
		return 0, 0
	}
	return name, body + 1
}

// item says whether an item starts at at, behind comments and attributes. Calls in calls are followed
// as deep as anybody writes them.
func (u *unwrapper) item(at, depth int) bool {
	at = u.skip(at)
	for at < len(u.rustText) && u.rustText[at] == '#' {
		at = u.skip(u.attribute(at))
	}
	if at >= len(u.rustText) || !IsWord(u.rustText[at]) {
		return false
	}
	if _, body := u.call(at); body > 0 {
		return depth < 4 && u.item(body, depth+1)
	}
	end := u.token(at)
	switch string(u.rustText[at:end]) {
	case "pub":
		at = u.skip(end)
		if at < len(u.rustText) && u.rustText[at] == '(' {
			at = u.skip(u.brackets(at))
		}
		return at < len(u.rustText) && IsWord(u.rustText[at]) && rustItem(u.rustText[at:u.token(at)])
	case "macro_rules":
		return true
	}
	return rustItem(u.rustText[at:end])
}

func rustItem(word []byte) bool {
	switch string(word) {
	case "fn", "struct", "enum", "union", "trait", "impl", "mod", "use", "const", "static", "type", "unsafe", "async", "extern":
		return true
	}
	return false
}

func (u *unwrapper) blank(from, to int) {
	if u.out == nil {
		u.out = bytes.Clone(u.rustText)
	}
	blank(u.out[from:to])
}

// blank overwrites text with spaces; line breaks stay.
func blank(text []byte) {
	for i, b := range text {
		if b != '\n' && b != '\r' {
			text[i] = ' '
		}
	}
}

// rustText is Rust source, with what is needed to step over its tokens.
type rustText []byte

// token is the end of the token or comment at at: strings of all kinds and words are one, of the rest
// each byte is. It is past at always.
func (t rustText) token(at int) int {
	rest := t[at:]
	switch b := rest[0]; {
	case t.comment(at):
		return t.commentEnd(at)
	case b == '"':
		return at + stringEnd(rest, '"')
	case b == '\'':
		return at + quoteEnd(rest)
	case IsWord(b):
		n := 1
		for n < len(rest) && IsWord(rest[n]) {
			n++
		}
		if n <= 2 && n < len(rest) && (rest[n] == '"' || rest[n] == '#') {
			return at + prefixedEnd(rest, n)
		}
		return at + n
	}
	return at + 1
}

func (t rustText) comment(at int) bool {
	return t[at] == '/' && at+1 < len(t) && (t[at+1] == '/' || t[at+1] == '*')
}

// commentEnd is the end of a comment; block comments nest.
func (t rustText) commentEnd(at int) int {
	if t[at+1] == '/' {
		if i := bytes.IndexByte(t[at:], '\n'); i >= 0 {
			return at + i
		}
		return len(t)
	}
	depth := 0
	for ; at+1 < len(t); at++ {
		switch {
		case t[at] == '/' && t[at+1] == '*':
			depth++
			at++
		case t[at] == '*' && t[at+1] == '/':
			depth--
			at++
			if depth == 0 {
				return at + 1
			}
		}
	}
	return len(t)
}

// stringEnd is the length of a literal with backslash escapes.
func stringEnd(text []byte, quote byte) int {
	for i := 1; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case quote:
			return i + 1
		}
	}
	return len(text)
}

// quoteEnd is the length of 'c', '\n', or of the quote of a lifetime alone.
func quoteEnd(text []byte) int {
	if len(text) > 1 && text[1] == '\\' {
		return stringEnd(text[:min(len(text), 16)], '\'')
	}
	for i := 2; i < len(text) && i <= 5; i++ {
		if text[i] == '\'' {
			return i + 1
		}
		if text[i] < 0x80 {
			break
		}
	}
	return 1
}

// prefixedEnd is the length of b"…", c"…", r"…", br##"…"##, or of the word of n bytes alone.
func prefixedEnd(text []byte, n int) int {
	if text[n-1] != 'r' {
		if text[n] == '"' && (text[0] == 'b' || text[0] == 'c') {
			return n + stringEnd(text[n:], '"')
		}
		return n
	}
	i := n
	for i < len(text) && text[i] == '#' {
		i++
	}
	if i == len(text) || text[i] != '"' {
		return n // a raw identifier, r#type
	}
	close := append([]byte{'"'}, text[n:i]...)
	if end := bytes.Index(text[i+1:], close); end >= 0 {
		return i + 1 + end + len(close)
	}
	return len(text)
}

// skip steps over white space and comments.
func (t rustText) skip(at int) int {
	for at < len(t) {
		switch {
		case isSpace(t[at]):
			at++
		case t.comment(at):
			at = t.commentEnd(at)
		default:
			return at
		}
	}
	return at
}

// attribute is the end of #[…] or #![…].
func (t rustText) attribute(at int) int {
	at++
	if at < len(t) && t[at] == '!' {
		at++
	}
	if at < len(t) && t[at] == '[' {
		return t.brackets(at)
	}
	return at
}

// brackets is the end of the bracketed text that starts at at.
func (t rustText) brackets(at int) int {
	depth := 0
	for at < len(t) {
		b := t[at]
		at = t.token(at)
		switch b {
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			if depth--; depth <= 0 {
				return at
			}
		}
	}
	return at
}
