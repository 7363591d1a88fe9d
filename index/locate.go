package index

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// locate finds the place of the first fault of text and says what it is. h, if any, is the change that is to
// blame, in text; without one, sole says that there is no fault besides.
func (x *examination) locate(text []byte, h *hunk) (f Fault, sole bool) {
	found, _ := x.g.read(text)
	for _, f := range found {
		if f.strict && (h == nil || near(text, h, f.Start)) && countGrammar(found) <= countGrammar(x.was) {
			return f.Fault, h != nil || len(found) == 1
		}
	}
	p := &site{x: x, text: text, t: x.g.tree(text), most: len(x.was)}
	if x.g.exact() && x.base == nil {
		p.most = len(found) - 1
	}
	stop, ok := x.g.first(text)
	if !ok || h != nil && !near(text, h, p.skipSpace(stop.Start)) {
		stop = Fault{}
		if h != nil {
			stop.Start = h.start
			stop.End = h.start
		} else if len(found) > 0 {
			stop = found[0].Fault
		}
		ok = false
	}
	if p.t == nil {
		return Fault{stop.Start, stop.End, "syntax error"}, len(found) <= 1
	}
	p.leaves = p.t.leaves()
	if h != nil {
		if f, sure, told := p.changed(h, ok, stop); told {
			return f, sure
		}
		f = p.describe(stop)
		return f, ok && p.cure && !macroWord(text[f.Start:f.End]) && !(x.macros && p.explained(f))
	}
	f = p.describe(stop)
	return f, p.cure || len(found) <= 1
}

// macroWord says whether a token looks like the name of a macro.
func macroWord(token []byte) bool {
	return len(token) > 1 && bytes.Equal(bytes.ToUpper(token), token) && !bytes.Equal(bytes.ToLower(token), token)
}

// near says whether an offset lies in the lines of the change, or the one behind it.
func near(text []byte, h *hunk, at uint32) bool {
	end := h.end
	for end < uint32(len(text)) && text[end] != '\n' {
		end++
	}
	return h.start <= at && at <= end
}

// site is a text with a fault, and its tokens.
type site struct {
	x      *examination
	text   []byte
	t      *tree
	leaves []int
	most   int  // findings of a text that is cured of this fault, at most
	cure   bool // one token more or less cures the text
}

func (p *site) skipSpace(at uint32) uint32 {
	for at < uint32(len(p.text)) && strings.IndexByte(" \t\r\n\f", p.text[at]) >= 0 {
		at++
	}
	return at
}

// cured says whether text has no more than its earlier findings when the bytes [start, end) are replaced.
func (p *site) cured(start, end uint32, by string) bool {
	text := append(append(append([]byte{}, p.text[:start]...), by...), p.text[end:]...)
	found, ok := p.x.g.read(text)
	if !ok || len(found) > p.most {
		return false
	}
	p.cure = true
	return true
}

// changed describes the fault where the change tells: one token was taken away, added or exchanged. sure says that it
// was no macro.
func (p *site) changed(h *hunk, stopped bool, stop Fault) (f Fault, sure, told bool) {
	start, end, baseStart, baseEnd := p.refined(h)
	base := p.x.g.tree(p.x.base)
	if base == nil {
		return Fault{}, false, false
	}
	now := within(p.t, p.leaves, start, end)
	was := within(base, base.leaves(), baseStart, baseEnd)
	prev, cur := p.around(start)
	switch {
	case len(now) == 0 && len(was) == 1 && !base.named(was[0]):
		f = p.missing(base.literal(was[0]), prev, cur)
		if prev < 0 || p.t.newlines(p.t.nodes[prev].End, start) { // what stands in its own line shows the place
			f.Start, f.End = start, start
			if cur >= 0 && !p.t.newlines(start, p.t.nodes[cur].Start) {
				f.Start, f.End = p.t.nodes[cur].Start, p.t.nodes[cur].End
			}
		}
		return f, true, true
	case len(now) == 0 && len(was) == 1: // a name, or a number
		if cur >= 0 && !p.t.newlines(start, p.t.nodes[cur].Start) {
			return p.unexpected(p.t.nodes[cur].Start, p.t.nodes[cur].End), true, true
		}
		return Fault{start, start, "missing something where " + ticked(base.text(was[0])) + " stood"}, true, true
	case len(now) == 1 && len(was) == 0:
		n := p.t.nodes[now[0]]
		if text := p.t.literal(now[0]); closerOf(text) != "" {
			return Fault{n.Start, n.End, p.unclosed(now[0])}, true, true
		}
		return p.unexpected(n.Start, n.End), !p.mayBeMacro(prev, now[0], cur), true
	case len(now) == 1 && len(was) == 1:
		n := p.t.nodes[now[0]]
		sure := !macroWord(p.text[n.Start:n.End]) && !(p.x.cpp && cTypes[p.t.text(now[0])] && p.listed(n.Start))
		return p.unexpected(n.Start, n.End), sure, true
	}
	if !stopped { // the parser goes on far beyond the change
		f = Fault{start, min(end, start+1), "syntax error: what changed here does not fit in with the rest of the file"}
		if cur >= 0 {
			f.End = max(f.End, min(p.t.nodes[cur].End, end))
		}
		if open := p.open(end); len(open) > 0 && stop.Message == "" {
			if m := p.imbalance(); m != "" {
				f.Message = m
			}
		}
		return f, false, true
	}
	return Fault{}, false, false
}

// mayBeMacro says whether a token that was added may be a macro that stands for nothing: a name, and none that stands
// there twice.
func (p *site) mayBeMacro(prev, added, next int) bool {
	n := p.t.nodes[added]
	token := p.text[n.Start:n.End]
	if macroWord(token) {
		return true
	}
	if !p.x.macros || !plainWord(string(token)) {
		return false
	}
	for _, i := range []int{prev, added + 1, next} {
		if i >= 0 && i < len(p.t.nodes) && i != added && p.t.text(i) == string(token) {
			return false
		}
	}
	return true
}

// listed says whether an offset lies in a list in < > that is closed: there the grammar does not read every type.
func (p *site) listed(at uint32) bool {
	a := angles{src: p.text, tokens: plainTokens(p.text, cTokens(p.text))}
	for i := tokenAt(a.tokens, at) - 1; i > 0; i-- {
		switch a.text(i) {
		case ";", "{", "}":
			return false
		case "<":
			if end, closed := a.end(i); closed && a.adjacent(i) && a.tokens[end].start > int(at) {
				return true
			}
		}
	}
	return false
}

// refined cuts from a change what is equal on both sides, down to whole words.
func (p *site) refined(h *hunk) (start, end, baseStart, baseEnd uint32) {
	base := p.x.base
	start, end, baseStart, baseEnd = h.start, h.end, h.baseStart, h.baseEnd
	for start < end && baseStart < baseEnd && p.text[start] == base[baseStart] {
		start++
		baseStart++
	}
	for start < end && baseStart < baseEnd && p.text[end-1] == base[baseEnd-1] {
		end--
		baseEnd--
	}
	for start > h.start && IsWord(p.text[start-1]) && (start < end && IsWord(p.text[start]) || baseStart < baseEnd && IsWord(base[baseStart])) {
		start--
		baseStart--
	}
	for end < h.end && IsWord(p.text[end]) && (start < end && IsWord(p.text[end-1]) || baseStart < baseEnd && IsWord(base[baseEnd-1])) {
		end++
		baseEnd++
	}
	return start, end, baseStart, baseEnd
}

// within lists the tokens that overlap [start, end).
func within(t *tree, leaves []int, start, end uint32) []int {
	var in []int
	for _, i := range leaves {
		if n := t.nodes[i]; n.Start < end && start < n.End {
			in = append(in, i)
		}
	}
	return in
}

// around are the last token that ends at or before an offset, and the first that ends behind it; -1 for none.
func (p *site) around(at uint32) (prev, cur int) {
	prev, cur = -1, -1
	for _, i := range p.leaves {
		if p.t.nodes[i].End <= at {
			prev = i
		} else {
			return prev, i
		}
	}
	return prev, cur
}

// describe says what is wrong where the parser stopped.
func (p *site) describe(stop Fault) Fault {
	prev, cur := p.around(p.skipSpace(stop.Start))
	if cur < 0 {
		return p.atEnd(prev, stop)
	}
	n := p.t.nodes[cur]
	if opener := openerOf(p.t.literal(cur)); opener != "" {
		open := p.open(n.Start)
		if len(open) == 0 {
			p.cured(n.Start, n.End, "")
			return p.unexpected(n.Start, n.End)
		}
		if innermost := open[len(open)-1]; p.t.literal(innermost) != opener {
			for _, o := range open {
				if p.t.literal(o) == opener {
					p.cured(n.Start, n.Start, closerOf(p.t.literal(innermost)))
					return Fault{n.Start, n.End, p.unclosed(innermost)}
				}
			}
			p.cured(n.Start, n.End, "")
			return p.unexpected(n.Start, n.End)
		}
	}
	if prev >= 0 {
		if f, ok := p.repaired(prev, cur); ok {
			return f
		}
	}
	if stop.Message != "" {
		return Fault{n.Start, n.End, stop.Message}
	}
	return p.unexpected(n.Start, n.End)
}

// repaired tries what makes the text sound again: a token more between prev and cur, or cur away.
func (p *site) repaired(prev, cur int) (Fault, bool) {
	before, n := p.t.nodes[prev], p.t.nodes[cur]
	apart := p.t.newlines(before.End, n.Start)
	twice := p.t.text(prev) == p.t.text(cur)
	if !apart && (twice || openerOf(p.t.literal(cur)) != "") && p.cured(n.Start, n.End, "") {
		return p.unexpected(n.Start, n.End), true
	}
	var tries []string
	if open := p.open(n.Start); len(open) > 0 {
		tries = append(tries, closerOf(p.t.literal(open[len(open)-1])))
	}
	for _, token := range append(tries, ":", ";", ",", "=") {
		if p.cured(before.End, before.End, token) {
			return p.missing(token, prev, cur), true
		}
	}
	if p.cured(n.Start, n.End, "") {
		return p.unexpected(n.Start, n.End), true
	}
	return Fault{}, false
}

// atEnd is the fault of a text that ends too early.
func (p *site) atEnd(prev int, stop Fault) Fault {
	end := uint32(len(p.text))
	start := end
	if prev >= 0 {
		start, end = p.t.nodes[prev].Start, p.t.nodes[prev].End
	}
	if m := p.imbalance(); m != "" {
		if open := p.open(uint32(len(p.text))); len(open) > 0 {
			p.cured(uint32(len(p.text)), uint32(len(p.text)), closerOf(p.t.literal(open[len(open)-1])))
		}
		return Fault{start, end, m}
	}
	if stop.Message != "" {
		return Fault{start, end, stop.Message}
	}
	return Fault{start, end, "unexpected end of file"}
}

// missing is the fault that a token is missing behind prev.
func (p *site) missing(token string, prev, cur int) Fault {
	var f Fault
	switch {
	case prev >= 0:
		f.Start, f.End = p.t.nodes[prev].Start, p.t.nodes[prev].End
		if p.t.newlines(f.Start, f.End) { // a long token: its end
			f.Start = f.End - 1
		}
	case cur >= 0:
		f.Start, f.End = p.t.nodes[cur].Start, p.t.nodes[cur].End
	}
	f.Message = "missing " + ticked(token)
	if strings.Trim(token, "\"'`") == "" {
		f.Message = "unclosed string"
	}
	if opener := openerOf(token); opener != "" {
		open := p.open(f.End)
		if n := len(open); n > 0 && p.t.literal(open[n-1]) == opener {
			f.Message = p.unclosed(open[n-1])
		}
	}
	return f
}

func (p *site) unexpected(start, end uint32) Fault {
	return Fault{start, end, "unexpected " + ticked(string(p.text[start:end]))}
}

func (p *site) unclosed(opener int) string {
	return unclosed(p.text, p.t.nodes[opener].Start, p.t.text(opener))
}

// openedAt comes before the line of a message about what is not closed.
const openedAt = " opened at L"

// unclosed is the message that the bracket at an offset is not closed.
func unclosed(text []byte, at uint32, bracket string) string {
	return fmt.Sprint("unclosed ", ticked(bracket), openedAt, 1+bytes.Count(text[:at], []byte{'\n'}))
}

// reopened is a message about a text that is src with some hunks taken back; the line that it names is counted in src.
func reopened(message string, text, src []byte, hunks []hunk) string {
	what, digits, found := strings.Cut(message, openedAt)
	line, err := strconv.Atoi(digits)
	if !found || err != nil || len(hunks) == 0 {
		return message
	}
	at := 0
	for range line - 1 {
		at += 1 + bytes.IndexByte(text[at:], '\n')
	}
	return fmt.Sprint(what, openedAt, 1+bytes.Count(src[:unmapped(hunks, uint32(at))], []byte{'\n'}))
}

// open lists the brackets that are open at an offset, the innermost last. A closing bracket closes the innermost
// of its kind: what was opened within that and not closed is forgotten.
func (p *site) open(at uint32) []int {
	var open []int
	for _, i := range p.leaves {
		if p.t.nodes[i].Start >= at {
			break
		}
		text := p.t.literal(i)
		if closerOf(text) != "" {
			open = append(open, i)
		} else if opener := openerOf(text); opener != "" {
			for k := len(open) - 1; k >= 0; k-- {
				if p.t.literal(open[k]) == opener {
					open = open[:k]
					break
				}
			}
		}
	}
	return open
}

// imbalance names the bracket that is not closed, "" when all are. Of several it is the innermost whose partner
// does not stand under it: who writes `}` at the beginning of a line indents it as the line that it closes.
func (p *site) imbalance() string {
	var open []int
	suspect := -1
	for _, i := range p.leaves {
		text := p.t.literal(i)
		if closerOf(text) != "" {
			open = append(open, i)
			continue
		}
		opener := openerOf(text)
		for k := len(open) - 1; k >= 0 && opener != ""; k-- {
			if p.t.literal(open[k]) != opener {
				continue
			}
			if k < len(open)-1 {
				suspect = open[len(open)-1]
			} else if in, leads := p.indent(i); suspect < 0 && leads {
				if under, _ := p.indent(open[k]); in < under && k > 0 {
					suspect = open[k]
				}
			}
			open = open[:k]
			break
		}
	}
	if len(open) == 0 {
		return ""
	}
	if suspect >= 0 {
		return p.unclosed(suspect)
	}
	return p.unclosed(open[len(open)-1])
}

// indent is the white space at the beginning of the token's line, in bytes; leads says that the token is the first
// of its line.
func (p *site) indent(i int) (n int, leads bool) {
	at := p.t.nodes[i].Start
	line := at
	for line > 0 && p.text[line-1] != '\n' {
		line--
	}
	first := line
	for first < at && (p.text[first] == ' ' || p.text[first] == '\t') {
		first++
	}
	return int(first - line), first == at
}

// closerOf is the partner of an opening bracket, "" of anything else.
func closerOf(token string) string {
	switch token {
	case "(":
		return ")"
	case "[":
		return "]"
	case "{", "${", "#{":
		return "}"
	}
	return ""
}

// openerOf is the partner of a closing bracket, "" of anything else.
func openerOf(token string) string {
	switch token {
	case ")":
		return "("
	case "]":
		return "["
	case "}":
		return "{"
	}
	return ""
}

// ticked shows a token in a message: its first line, cut.
func ticked(token string) string {
	token, _, _ = strings.Cut(strings.TrimSpace(token), "\n")
	const most = 40
	if len(token) > most {
		cut := most
		for cut > 0 && !utf8.RuneStart(token[cut]) {
			cut--
		}
		token = token[:cut] + "…"
	}
	return "`" + strings.ToValidUTF8(token, "�") + "`"
}
