package index

import (
	"bytes"
	"cmp"
	"slices"

	"ctxd/anchors"
)

// Fault is one place of a text that its language does not allow. Offsets are bytes, End excluded; they name
// the token that is wrong, or the last one before something that is missing.
type Fault struct {
	Start, End uint32
	Message    string
}

// Diagnosis is what is wrong with the syntax of one text, and how that is known.
type Diagnosis struct {
	Source string // the authority: go/parser or tree-sitter; "" when the text was not judged
	Faults []Fault
	// Doubt says why the text was not judged: the grammar stumbles over it, and nothing shows that this is
	// the text's fault.
	Doubt string
}

// The authorities.
const (
	GoParser   = "go/parser"
	TreeSitter = "tree-sitter"
)

// Reasons for doubt.
const (
	DoubtNoLanguage = "in no language that is parsed"
	DoubtUnparsed   = "not parsed"
	DoubtGrammar    = "the grammar cannot read it, and no sound version is known to compare it with"
	DoubtMacros     = "the grammar cannot read what changed, which may be the work of macros"
	DoubtBefore     = "the grammar could not read the committed version at these places either"
)

// precise names the languages whose grammar reads everything that their compilers do, as far as was measured: no
// error in gson and okhttp, one in the 1,793 files of the Python library (`(a.` and a name in the first column of the
// next line). Of a text in another language an error is the grammar's until a sound version shows otherwise.
// JavaScript is not among them for one of 1,140 files of npm: an arrow function before a line that begins with [.
var precise = map[string]bool{"go": true, "java": true, "python": true}

// bracketed names the languages in which a bracket without its partner is wrong, whatever else the grammar cannot
// read; where there is a preprocessor it may have it in another branch.
var bracketed = map[string]bool{"javascript": true, "rust": true, "tsx": true, "typescript": true}

// Base is the version of a file that src is compared with.
type Base struct {
	Src []byte // as it was committed; nil: it is not known
	// Sound says that an earlier version, whose bytes are not known, was read without an error.
	Sound bool
}

// Diagnose finds what is wrong with the syntax of src. It is a pure function of its arguments, and takes some ten
// parses where something is wrong.
//
// An error of the grammar is evidence against src only where the same region of base was read without, or
// where the grammar is precise and it is the only one: errors within a few lines, or ones that one token more or less
// cures. Which of several changes is to blame is found by
// taking each back and looking whether that cures the text.
func Diagnose(path string, src []byte, base Base) Diagnosis {
	f, l := open(path, src)
	switch {
	case f.Status == NoLanguage || f.Status == Binary || l.name == "markdown":
		return Diagnosis{Doubt: DoubtNoLanguage}
	case f.Status != Parsed:
		return Diagnosis{Doubt: f.Status.String()}
	}
	g := l.grammar()
	d := Diagnosis{Source: g.source()}
	now, ok := g.read(src)
	if !ok {
		return Diagnosis{Doubt: DoubtUnparsed}
	}
	if len(now) == 0 {
		if base.Src != nil && (l.name == "c" || l.name == "cpp") {
			x := &examination{g: g, src: src, table: anchors.NewTable(src), base: base.Src, macros: true, cpp: l.name == "cpp"}
			if d.Faults = x.toppled(); len(d.Faults) == 0 && x.cpp {
				x.hunks = diff(base.Src, src)
				d.Faults = foremost(x.angled())
			}
		}
		return d
	}
	if !g.exact() && returnsAlone(src) {
		return Diagnosis{Doubt: DoubtGrammar} // to which a line ends with a line feed
	}
	x := &examination{g: g, src: src, table: anchors.NewTable(src), now: now, macros: l.name == "c" || l.name == "cpp", cpp: l.name == "cpp"}
	if base.Src != nil {
		if x.was, ok = g.read(base.Src); ok {
			x.base = base.Src
			if d.Faults = x.compare(); len(d.Faults) > 0 {
				return d
			}
			if x.unsure {
				return Diagnosis{Doubt: DoubtMacros}
			}
			return Diagnosis{Doubt: DoubtBefore}
		}
	}
	fault, sole := x.locate(src, nil)
	alone := precise[l.name] && (sole || x.together())
	if !base.Sound && !g.exact() && !alone && !(bracketed[l.name] && x.unbalanced()) {
		return Diagnosis{Doubt: DoubtGrammar}
	}
	d.Faults = []Fault{fault}
	return d
}

// togetherLines is how far apart errors may begin that are taken for one: what follows an error is often called
// another, and what is told of it is one row.
const togetherLines = 5

// together says whether all findings begin within a few lines.
func (x *examination) together() bool {
	first, last := x.now[0].Start, x.now[len(x.now)-1].Start
	return x.table.LineAt(int(last))-x.table.LineAt(int(first)) < togetherLines
}

// unbalanced says whether a bracket has no partner.
func (x *examination) unbalanced() bool {
	t := x.g.tree(x.src)
	return t != nil && t.unbalanced() >= 0
}

// finding is one thing that a grammar says of a text. Message is "" where only the parser's recovery is known.
type finding struct {
	Fault
	strict bool // by a rule beyond the grammar: the place and the message are exact
}

// countGrammar counts the findings that are the grammar's own.
func countGrammar(all []finding) int {
	n := 0
	for _, f := range all {
		if !f.strict {
			n++
		}
	}
	return n
}

// Judged says that texts of a language are to be diagnosed even where Build found no error in them: by an authority of
// their own, or by rules beyond the grammar.
func Judged(language string) bool { return language == "go" || strictRules[language] != nil }

// grammar reads texts of one language.
type grammar interface {
	source() string
	// exact says that it is the language's own: what it refuses is wrong.
	exact() bool
	// read lists what it cannot read, in the order of the text; false when it cannot tell.
	read(src []byte) ([]finding, bool)
	// first is the first place at which no reading of src can go on, with a message if it has one.
	first(src []byte) (Fault, bool)
	tree(src []byte) *tree
}

// examination compares one text with the version before it.
type examination struct {
	g     grammar
	src   []byte
	table *anchors.Table
	now   []finding
	base  []byte
	was   []finding
	hunks []hunk
	// macros says that names may stand for anything. There an error is evidence only where it is at the change,
	// and one token more or less, which is no macro, cures it, or where brackets went out of balance: of 423
	// files that commits of redis and fmt changed, all sound, 12 were blamed without this rule.
	macros bool
	cpp    bool
	unsure bool // something was found that is no evidence
}

// maxFaults bounds the rows of one file: after so many the reader has enough to do.
const maxFaults = 10

// compare lists the faults that the changes since base brought in.
func (x *examination) compare() []Fault {
	x.hunks = diff(x.base, x.src)
	var faults []Fault
	fresh := x.fresh()
	if x.macros { // what the rules find is exact, whatever macros stand for
		for _, f := range fresh {
			if f.strict {
				faults = append(faults, f.Fault)
			}
		}
	}
	// Changes may be out of balance each, and in balance together.
	out := x.macros && len(faults) == 0 && worse(balance(x.base), balance(x.src))
	if len(fresh) > 0 && len(faults) == 0 {
		for _, h := range x.guilty(fresh) {
			f, sure := x.blame(h)
			if x.macros && !sure && !(out && x.tipped(h)) {
				x.unsure = true
				continue
			}
			faults = append(faults, f)
		}
	}
	if len(faults) == 0 && out {
		// The grammar was lost here before; brackets can be counted all the same.
		for _, h := range x.hunks {
			if x.tipped(h) {
				f, _ := x.blame(h)
				faults = append(faults, f)
			}
		}
	}
	if len(faults) == 0 && x.cpp {
		faults = x.angled()
	}
	return foremost(faults)
}

// foremost are faults in the order of the text, each once, and the first of them where there are many.
func foremost(faults []Fault) []Fault {
	slices.SortFunc(faults, func(a, b Fault) int {
		return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.End, b.End), cmp.Compare(a.Message, b.Message))
	})
	faults = slices.Compact(faults)
	return faults[:min(len(faults), maxFaults)]
}

// fresh are the findings whose region was sound in base.
func (x *examination) fresh() []finding {
	if len(x.was) == 0 {
		return x.now
	}
	var fresh []finding
	for _, f := range x.now {
		known := slices.ContainsFunc(x.was, func(w finding) bool {
			start, end := mapped(x.hunks, w.Start, w.End)
			return w.strict == f.strict && start <= max(f.End, f.Start+1) && f.Start <= max(end, start+1)
		})
		if !known {
			fresh = append(fresh, f)
		}
	}
	return fresh
}

// guilty are the changes that brought the findings in: a text in which one of those is taken back has fewer.
func (x *examination) guilty(fresh []finding) []hunk {
	if len(x.hunks) <= 1 {
		return x.hunks
	}
	var guilty []hunk
	for i, h := range x.hunks {
		healed, ok := x.g.read(without(x.src, x.base, x.hunks[i:i+1]))
		if ok && len(healed) < len(x.now) {
			guilty = append(guilty, h)
		}
	}
	if len(guilty) > 0 {
		return guilty
	}
	// Several changes together: the one at the first error, or the last before it.
	at := fresh[0].Start
	if f, ok := x.g.first(x.src); ok && len(x.was) == 0 {
		at = f.Start
	}
	last := x.hunks[0]
	for _, h := range x.hunks {
		if h.start <= at {
			last = h
		}
	}
	return []hunk{last}
}

// toppled lists the changes that brought the brackets of a text out of balance in which the grammar finds nothing, for it
// does not see what stands in the arguments of macros. Where directives changed the brackets may be in their branches.
func (x *examination) toppled() []Fault {
	was, is := balance(x.base), balance(x.src)
	if was[0] != 0 || was[1] != 0 || was[2] != 0 || !worse(was, is) {
		return nil
	}
	x.hunks = diff(x.base, x.src)
	var faults []Fault
	for _, h := range x.hunks {
		if bytes.IndexByte(x.src[h.start:h.end], '#') >= 0 || bytes.IndexByte(x.base[h.baseStart:h.baseEnd], '#') >= 0 {
			return nil
		}
		if x.tipped(h) {
			f, _ := x.blame(h)
			faults = append(faults, f)
		}
	}
	return foremost(faults)
}

// tipped says whether the change alone has another balance than what stood there before.
func (x *examination) tipped(h hunk) bool {
	return balance(x.src[h.start:h.end]) != balance(x.base[h.baseStart:h.baseEnd])
}

// balance counts the brackets that are open at the end of a piece of C, by their kind, the comments, and the strings that
// nothing ends. What stands in comments counts for none of them.
func balance(text []byte) (n [5]int) {
	tokens, end := cTokens(text), 0
	for i, k := range tokens {
		end = k.end
		if k.directive {
			continue
		}
		if _, stray := strayEnd(text, tokens, i); stray {
			n[3]--
		}
		switch text[k.start] {
		case '"':
			if k.end-k.start == 1 || text[k.end-1] != '"' {
				n[4]++
			}
		case '(':
			n[0]++
		case ')':
			n[0]--
		case '[':
			n[1]++
		case ']':
			n[1]--
		case '{':
			n[2]++
		case '}':
			n[2]--
		}
	}
	if commentOpen(text[end:]) {
		n[3]++
	}
	return n
}

// commentOpen says whether the last of the comments in a text that holds nothing else is open.
func commentOpen(text []byte) bool {
	for {
		at := bytes.IndexByte(text, '/')
		if at < 0 {
			return false
		}
		stop, open := []byte{'\n'}, bytes.HasPrefix(text[at:], []byte("/*"))
		if open {
			stop, at = []byte("*/"), at+2
		}
		n := bytes.Index(text[at:], stop)
		if n < 0 {
			return open
		}
		text = text[at+n+len(stop):]
	}
}

// worse says whether something is out of balance that was otherwise.
func worse(was, is [5]int) bool {
	for i := range is {
		if is[i] != was[i] && is[i] != 0 {
			return true
		}
	}
	return false
}

// blame describes the fault that one change brought in; sure says that one token accounts for it.
func (x *examination) blame(h hunk) (Fault, bool) {
	text := x.src
	shift := 0 // of offsets behind the hunk's start
	var others []hunk
	if len(x.hunks) > 1 {
		for _, o := range x.hunks {
			if o != h {
				others = append(others, o)
			}
			if o.start < h.start {
				shift += int(o.baseEnd-o.baseStart) - int(o.end-o.start)
			}
		}
		text = without(x.src, x.base, others)
	}
	alone := h
	alone.start, alone.end = uint32(int(h.start)+shift), uint32(int(h.end)+shift)
	if found, ok := x.g.read(text); !ok || len(found) <= len(x.was) {
		text, others, alone, shift = x.src, nil, h, 0 // it is wrong only together with others
	}
	f, sure := x.locate(text, &alone)
	return Fault{uint32(int(f.Start) - shift), uint32(int(f.End) - shift), reopened(f.Message, text, x.src, others)}, sure
}

// returnsAlone says whether some lines end in carriage returns alone, and others do not.
func returnsAlone(src []byte) bool {
	alone := bytes.Count(src, []byte{'\r'}) - bytes.Count(src, []byte("\r\n"))
	return alone > 0 && bytes.IndexByte(src, '\n') >= 0
}
