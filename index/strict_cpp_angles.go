package index

import "strings"

// Angle brackets of C++, by their tokens. To the grammar a < that is not closed is a comparison, and so it may be: which
// names are templates is not known. Some are certain to begin a list, and some > certain to end one.

// angles pairs the brackets of a text.
type angles struct {
	src    []byte
	tokens []cToken
	open   []angle
	closed int // the last > that closed a < right behind a name
	faults []Fault
}

// angle is a bracket that is open.
type angle struct {
	bracket string
	at      int  // its token
	list    bool // certain to begin a list
}

// cppAngles finds the faults of all < and >.
func cppAngles(src []byte, tokens []cToken) []Fault {
	a := angles{src: src, tokens: tokens}
	for i := range tokens {
		a.token(i)
	}
	return a.faults
}

func (a *angles) text(i int) string {
	if i < 0 || i >= len(a.tokens) {
		return ""
	}
	return a.tokens[i].text(a.src)
}

// adjacent says whether nothing stands between a token and the one before it.
func (a *angles) adjacent(i int) bool {
	return i > 0 && i < len(a.tokens) && a.tokens[i-1].end == a.tokens[i].start
}

func (a *angles) fault(i int, message string) {
	a.faults = append(a.faults, Fault{uint32(a.tokens[i].start), uint32(a.tokens[i].end), message})
}

// token goes over one token.
func (a *angles) token(i int) {
	switch now := a.text(i); now {
	case "(", "[", "{":
		a.open = append(a.open, angle{bracket: now, at: i})
	case ")", "]", "}":
		a.drop(i)
		if n := len(a.open); n > 0 && a.open[n-1].bracket == openerOf(now) {
			a.open = a.open[:n-1]
		}
	case ";":
		a.drop(i)
	case "<":
		if a.text(i-1) == "operator" {
			break
		}
		list := a.begins(i)
		if !list && !a.adjacent(i) && !a.adjacent(i+1) { // a comparison, as likely as not: which < a > closes is not certain
			for k := range a.open {
				a.open[k].list = false
			}
		}
		a.open = append(a.open, angle{now, i, list})
	case ">":
		a.closes(i)
	}
}

// begins says whether a < is certain to begin a list: that of a template's parameters, of a cast, or behind the name that
// auto declares.
func (a *angles) begins(i int) bool {
	before := a.text(i - 1)
	return before == "template" || strings.HasSuffix(before, "_cast") && cKeywords[before] ||
		before != "" && IsWord(before[0]) && !cKeywords[before] && a.text(i-2) == "auto"
}

// drop forgets the < that are open where a bracket or a statement ends: they were comparisons.
func (a *angles) drop(i int) {
	for n := len(a.open); n > 0 && a.open[n-1].bracket == "<"; n = len(a.open) {
		if o := a.open[n-1]; o.list {
			a.fault(o.at, "unclosed `<`")
		}
		a.open = a.open[:n-1]
	}
}

// closes pairs a > with the < that it may close. One that closes nothing is a comparison, or a half of a shift, and something
// has to be compared.
func (a *angles) closes(i int) {
	before, next := a.text(i-1), a.text(i+1)
	if before == "operator" || before == ">" && a.adjacent(i) && a.text(i-2) == "operator" {
		return
	}
	if n := len(a.open); n > 0 && a.open[n-1].bracket == "<" {
		o := a.open[n-1].at
		head := a.text(o-1) == "template"
		if a.open = a.open[:n-1]; a.adjacent(o) && IsWord(a.text(o - 1)[0]) {
			a.closed = i
			a.declares(o, i)
		}
		if head && (next == "," || next == ")" || next == ";" || next == "}") {
			a.fault(i+1, "unexpected "+ticked(next)+" behind the parameters of a template")
		}
		return
	}
	switch {
	case before == "(" || before == "," || before == "": // what a macro is given
	case before == ">" && a.adjacent(i) && (a.text(i-2) == "(" || a.text(i-2) == ","):
	case next == ">" && a.adjacent(i+1): // a shift: its second half is next
	case next == "," || next == ";" || next == ")" || next == "]" || next == "}" || next == "{":
		a.fault(i, "unexpected `>`")
	case next == "(" && a.text(i+2) == ")":
		a.fault(i, "unexpected `>`")
	case a.closed == i-1 && a.adjacent(i) && (next == "&" || next == "*" || next == "&&"):
		a.fault(i, "unexpected `>`")
	}
}

// declares finds if (T<A>name): a declaration without a value. The list is open at o, and closed at i.
func (a *angles) declares(o, i int) {
	for k := o + 1; k < i; k++ {
		switch now := a.text(k); now {
		case "::", ",", "<", ">", "*", "&":
		default:
			if !IsWord(now[0]) { // of a comparison
				return
			}
		}
	}
	n := len(a.open)
	if n == 0 || a.open[n-1].bracket != "(" || a.text(i+2) != ")" || !a.adjacent(i+1) || !plainWord(a.text(i+1)) {
		return
	}
	switch head := a.open[n-1].at; a.text(head - 1) {
	case "if", "while", "switch":
		a.fault(i+1, "unexpected "+ticked(a.text(i+1)))
	}
}
