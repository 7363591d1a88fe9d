package index

import "bytes"

// branch is a part of the source between two of the lines #if, #elif, #else and #endif.
type branch struct {
	start, end int
	braces     int  // opened less closed
	brackets   int  // the same for ( and [
	low        int  // the lowest that either got
	last       byte // of its last token, 0 when there is none
	dead       bool // #if 0
}

// conditional is an #if that is open.
type conditional struct {
	branches []branch
	before   byte // last byte of the token before it
}

// conditionals blanks the lines of conditional compilation, and of an #if's branches those that do not
// fit in one text: where each is balanced and made of whole statements all stay, to be read one after
// the other; otherwise the first that holds anything does, as with
//
//	#ifdef A
//	int f(void) {
//	#else
//	int f(int x) {
//	#endif
//
// The grammar's own nodes for conditionals are not used, for a fault in one makes an error of all that
// it encloses, often the file. What #if 0 leaves out is left out.
func conditionals(out []byte) {
	c := conditionalReader{cText: out, open: []conditional{{branches: []branch{{}}}}}
	lineStart := true
	for at := 0; at < len(out); {
		b := out[at]
		switch {
		case b == '\n':
			lineStart = true
			at++
		case isSpace(b):
			at++
		case b == '#' && lineStart:
			at = c.directive(at)
		default:
			end := c.token(at)
			if b != '/' || end == at+1 {
				c.count(b, out[end-1])
				lineStart = false
			}
			at = end
		}
	}
}

type conditionalReader struct {
	cText
	open []conditional // the first stands for the file
	over int           // how many more are open than are followed
}

// maxConditionals bounds how deep an #if is followed: each level may blank what the ones in it did.
// Compilers need not take more than 63.
const maxConditionals = 200

func (c *conditionalReader) current() *branch {
	top := &c.open[len(c.open)-1]
	return &top.branches[len(top.branches)-1]
}

// count adds a token to the branch it is in.
func (c *conditionalReader) count(first, last byte) {
	b := c.current()
	b.last = last
	switch first {
	case '{':
		b.braces++
	case '(', '[':
		b.brackets++
	case '}':
		b.braces--
		b.low = min(b.low, b.braces)
	case ')', ']':
		b.brackets--
		b.low = min(b.low, b.brackets)
	}
}

// directive reads a preprocessor line and gives its end.
func (c *conditionalReader) directive(at int) int {
	end := c.directiveEnd(at)
	name := at + 1
	for name < end && (c.cText[name] == ' ' || c.cText[name] == '\t') {
		name++
	}
	if name == end || !IsWord(c.cText[name]) {
		blank(c.cText[at:end])
		return end
	}
	word := c.word(name)
	top := &c.open[len(c.open)-1]
	switch string(c.cText[name:word]) {
	case "if", "ifdef", "ifndef":
		if len(c.open) > maxConditionals {
			c.over++
			break
		}
		dead := string(bytes.TrimSpace(c.cText[word:end])) == "0"
		c.open = append(c.open, conditional{before: c.current().last, branches: []branch{{start: end, dead: dead}}})
	case "elif", "elifdef", "elifndef", "else":
		if len(c.open) > 1 && c.over == 0 {
			c.current().end = at
			top.branches = append(top.branches, branch{start: end})
		}
	case "endif":
		if c.over > 0 {
			c.over--
		} else if len(c.open) > 1 {
			c.current().end = at
			c.close(top)
		}
	case "define":
		c.uncomment(name, end)
		return end
	case "pragma", "error", "warning", "line", "ident":
	default:
		return end
	}
	blank(c.cText[at:end])
	return end
}

// close decides what stays of a conditional and adds that to the branch around it.
func (c *conditionalReader) close(group *conditional) {
	all := fit(group)
	c.open = c.open[:len(c.open)-1]
	around := c.current()
	taken := false
	for _, b := range group.branches {
		if b.last == 0 {
			continue
		}
		if b.dead || taken && !all {
			c.drop(b.start, b.end)
			continue
		}
		taken = true
		around.low = min(around.low, around.braces+b.low, around.brackets+b.low)
		around.braces += b.braces
		around.brackets += b.brackets
		around.last = b.last
	}
}

// uncomment blanks the comments in a macro: the grammar takes none among its parameters.
func (c *conditionalReader) uncomment(at, end int) {
	for at < end {
		next := c.token(at)
		if c.cText[at] == '/' && next > at+1 && c.cText[at+1] == '*' {
			for i := at; i < min(next, end); i++ {
				if b := c.cText[i]; b != '\n' && b != '\r' && b != '\\' {
					c.cText[i] = ' '
				}
			}
		}
		at = next
	}
}

// drop blanks a branch but for its preprocessor lines: they fit everywhere.
func (c *conditionalReader) drop(at, end int) {
	for at < end {
		next := at
		for next < end && isSpace(c.cText[next]) {
			next++
		}
		if next < end && c.cText[next] == '#' {
			at = c.directiveEnd(next)
			continue
		}
		line := min(end, c.lineEnd(next))
		blank(c.cText[at:line])
		at = line + 1
	}
}

// fit says whether the branches can be read one after the other.
func fit(group *conditional) bool {
	if bytes.IndexByte([]byte("=(&|+-*/?<"), group.before) >= 0 && group.before != 0 {
		return false
	}
	for _, b := range group.branches {
		if b.dead || b.last == 0 {
			continue
		}
		if b.braces != 0 || b.brackets != 0 || b.low < 0 || bytes.IndexByte([]byte(";},:"), b.last) < 0 {
			return false
		}
	}
	return true
}
