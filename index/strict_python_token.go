package index

import (
	"bytes"
	"regexp"
	"strconv"
	"strings"
)

// Numbers, strings and white space of Python.

var (
	pythonInteger = regexp.MustCompile(`^(?:0[xX](?:_?[0-9a-fA-F])+|0[oO](?:_?[0-7])+|0[bB](?:_?[01])+|(?:0(?:_?0)*|[1-9](?:_?[0-9])*)|[0-9](?:_?[0-9])*[jJ])$`)
	pythonZeros   = regexp.MustCompile(`^0[0-9_]*[1-9]`)
)

func (t *tree) badInteger(i int) (Fault, bool) {
	switch text := t.text(i); {
	case pythonInteger.MatchString(text):
		return Fault{}, false
	case pythonZeros.MatchString(text):
		return t.fault(i, "unexpected zero at the start of "+ticked(text)+": an octal number starts with `0o`"), true
	default:
		return t.fault(i, ticked(text)+" is no number"), true
	}
}

// badString finds an escape in a string that stands for nothing.
func (t *tree) badString(i int) (Fault, bool) {
	start := t.children(i)[0]
	if t.kind(start) != "string_start" {
		return Fault{}, false
	}
	prefix := strings.ToLower(strings.TrimRight(t.text(start), `"'`))
	switch {
	case t.text(start) == "`":
		return t.unexpected(start), true
	case strings.Contains(prefix, "r") && !strings.Contains(prefix, "b"):
		return Fault{}, false
	}
	binary := strings.Contains(prefix, "b")
	for _, c := range t.children(i) {
		if t.kind(c) != "string_content" {
			continue
		}
		from, to := int(t.nodes[c].Start), int(t.nodes[c].End)
		for at := from; at < to; at++ {
			switch b := t.src[at]; {
			case binary && b >= 0x80:
				return Fault{uint32(at), uint32(at + 1), "only ASCII may stand in bytes"}, true
			case b == '\\' && !strings.Contains(prefix, "r") && at+1 < to:
				if n := escapeLength(t.src[at:to], binary); n < 0 {
					return Fault{uint32(at), uint32(min(at+2, to)), "unfinished " + ticked(string(t.src[at:at+2]))}, true
				}
				at++
			}
		}
	}
	return Fault{}, false
}

// escapeLength is the length of the escape that text begins with; -1 of one that stands for nothing.
func escapeLength(text []byte, binary bool) int {
	digits := 0
	switch c := text[1]; {
	case c == 'x':
		digits = 2
	case c == 'u' && !binary:
		digits = 4
	case c == 'U' && !binary:
		digits = 8
	case c == 'N' && !binary:
		if len(text) > 2 && text[2] != '{' {
			return -1
		}
		return 2
	default:
		return 2
	}
	if len(text) < 2+digits {
		return -1
	}
	if n, err := strconv.ParseUint(string(text[2:2+digits]), 16, 64); err != nil || n > 0x10FFFF {
		return -1
	}
	return 2 + digits
}

// mixedStrings finds bytes beside a string, which are not joined.
func (t *tree) mixedStrings(i int) (Fault, bool) {
	first := -1
	for _, c := range t.children(i) {
		if t.kind(c) != "string" {
			continue
		}
		binary := 0
		if start := t.children(c)[0]; strings.ContainsAny(t.text(start), "bB") {
			binary = 1
		}
		if first >= 0 && binary != first {
			return t.word(c, "bytes and strings cannot stand together"), true
		}
		first = binary
	}
	return Fault{}, false
}

// pythonColumns are the columns of an indentation: with tabs to the next multiple of 8, and of 1.
type pythonColumns struct{ eight, one int }

// badIndentation finds a line that is less indented than the one before and not as much as any around it, and one whose
// place depends on how wide a tab is, as CPython's tokenizer does.
func (t *tree) badIndentation() (Fault, bool) {
	stack := []pythonColumns{{}}
	depth, before := 0, uint32(0)
	for k := 0; k < len(t.nodes); {
		n, kind := t.nodes[k], t.kind(k)
		isString := kind == "string"
		if !n.Leaf() && !isString || n.End == n.Start || isComment(kind) || kind == "line_continuation" {
			k++
			continue
		}
		line := bytes.LastIndexByte(t.src[:n.Start], '\n') + 1
		blank := t.src[line:n.Start]
		if depth == 0 && len(bytes.Trim(blank, " \t\f\ufeff")) == 0 && !continued(t.src, before, line) && t.src[n.Start] != '\\' {
			if f, ok := indent(&stack, blank); ok {
				f.Start, f.End = n.Start, n.Start+1
				return f, true
			}
		}
		switch kind {
		case "(", "[", "{":
			depth++
		case ")", "]", "}":
			depth--
		}
		before = n.End
		k = int(t.next[k])
	}
	return Fault{}, false
}

// continued says whether a backslash joins a line to the one before; before is where its last token ends.
func continued(src []byte, before uint32, line int) bool {
	if line == 0 || int(before) > line-1 {
		return line > 0 // within a token
	}
	last := bytes.TrimSuffix(src[before:line-1], []byte("\r"))
	return bytes.HasSuffix(last, []byte(`\`)) && bytes.IndexByte(last, '#') < 0
}

// indent takes one more line; a fault without a place when it fits nowhere.
func indent(stack *[]pythonColumns, blank []byte) (Fault, bool) {
	at := pythonColumns{}
	for _, c := range blank {
		switch c {
		case ' ':
			at.eight, at.one = at.eight+1, at.one+1
		case '\t':
			at.eight, at.one = (at.eight/8+1)*8, at.one+1
		case '\f':
			at = pythonColumns{}
		}
	}
	s := *stack
	top := s[len(s)-1]
	mixed := Fault{Message: "the indentation mixes tabs and spaces: what it lies in depends on the width of a tab"}
	switch {
	case at.eight > top.eight:
		if at.one <= top.one {
			return mixed, true
		}
		*stack = append(s, at)
		return Fault{}, false
	case at.eight < top.eight:
		for len(s) > 1 && at.eight < s[len(s)-1].eight {
			s = s[:len(s)-1]
		}
		*stack = s
		if top = s[len(s)-1]; at.eight != top.eight {
			return Fault{Message: "unexpected indentation: no line around it has it"}, true
		}
	}
	if at.one != top.one {
		return mixed, true
	}
	return Fault{}, false
}
