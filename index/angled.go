package index

// maxAngled is how far before a change a list may begin that the change left open, in bytes.
const maxAngled = 4000

// angled finds the lists in < > of C++ that the changes left open: base tells that the name before the < is a template's,
// and then it is one still. A name that is only compared has a space behind it, or no > that its base closed it with.
func (x *examination) angled() []Fault {
	t := x.g.tree(x.base)
	if t == nil || len(x.hunks) == 0 {
		return nil
	}
	was := angles{src: x.base, tokens: plainTokens(x.base, cTokens(x.base))}
	is := angles{src: x.src, tokens: plainTokens(x.src, cTokens(x.src))}
	p := &site{x: x, text: x.src}
	var faults []Fault
	for h := range x.hunks {
		start, _, baseStart, _ := p.refined(&x.hunks[h])
		for i, n := range t.nodes {
			if n.Start >= baseStart || n.End <= baseStart || baseStart-n.Start > maxAngled || n.End-n.Start < 2 {
				continue
			}
			if kind := t.kind(i); kind != "template_argument_list" && kind != "template_parameter_list" || t.inError(i) {
				continue
			}
			at, ok := x.unchanged(h, n.Start, start, baseStart)
			if !ok {
				continue
			}
			from, to := tokenAt(was.tokens, n.Start), tokenAt(is.tokens, at)
			if from < 1 || to < 1 || !was.adjacent(from) || was.text(from) != "<" || is.text(to) != "<" || was.text(from-1) != is.text(to-1) {
				continue
			}
			end, closed := was.end(from)
			if !closed || was.tokens[end].end != int(n.End) {
				continue
			}
			if end, closed = is.end(to); !closed && end > to {
				faults = append(faults, Fault{uint32(is.tokens[end-1].start), uint32(is.tokens[end-1].end), unclosed(x.src, at, "<")})
				break
			}
		}
	}
	return faults
}

// unchanged is where an offset of base stands now, if it lies before what a change changed and in no other change.
func (x *examination) unchanged(h int, offset, start, baseStart uint32) (uint32, bool) {
	if of := x.hunks[h]; offset >= of.baseStart {
		return start - (baseStart - offset), true
	}
	for _, o := range x.hunks[:h] {
		if o.baseStart <= offset && offset < o.baseEnd {
			return 0, false
		}
	}
	at, _ := mapped(x.hunks, offset, offset)
	return at, true
}

// end is the token that closes the < at i; or, false, the one at which it is clear that none does, 0 when there is no such.
func (a *angles) end(i int) (int, bool) {
	walk := angles{src: a.src, tokens: a.tokens}
	for k := i; k < len(a.tokens); k++ {
		if now := a.text(k); now == "<" && k > i && !(a.adjacent(k) && IsWord(a.src[a.tokens[k].start-1])) {
			continue // a comparison
		}
		depth := len(walk.open)
		if now := a.text(k); now == ";" && !walk.inBraces() || depth == 0 && k > i {
			return k, false
		}
		walk.token(k)
		if len(walk.open) == 0 || walk.open[0].at != i {
			return k, a.text(k) == ">"
		}
	}
	return 0, false
}

func (a *angles) inBraces() bool {
	for _, o := range a.open {
		if o.bracket == "{" {
			return true
		}
	}
	return false
}
