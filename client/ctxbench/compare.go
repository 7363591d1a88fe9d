package main

import (
	"fmt"
	"slices"
	"strings"

	"ctxd/client/wire"
)

// score is what was found of a set of symbols. The place of a symbol's own name is counted nowhere: both
// sides were given it.
type score struct {
	symbols, failed int
	server          int // references of the server's
	found           int // of these, that we have at any tier
	sure, right     int // rows of ours that are local or import where the server sees, and that it has
	named, hits     int // rows of ours by name where the server sees, and that it has
	beyond          int // rows of ours that are local or import where the server does not see
	words, same     int // words where the server sees, and that it has
	wordFound       int // references of the server's that are such a word anywhere
	expanded        int // references of the server's that are not counted: a macro puts the name there
	exact           int // symbols for which we have all references and no wrong row
	// Rows of ours that its list lacks, by the server's ruling: agreed are among sure and right, the others among beyond.
	agreed, stubbed, dropped int
}

func (s *score) add(o score) {
	s.symbols += o.symbols
	s.failed += o.failed
	s.server += o.server
	s.found += o.found
	s.sure += o.sure
	s.right += o.right
	s.named += o.named
	s.hits += o.hits
	s.beyond += o.beyond
	s.words += o.words
	s.same += o.same
	s.wordFound += o.wordFound
	s.expanded += o.expanded
	s.exact += o.exact
	s.agreed += o.agreed
	s.stubbed += o.stubbed
	s.dropped += o.dropped
}

// share is part of all in percent; "-" of nothing.
func share(part, all int) string {
	if all == 0 {
		return "-"
	}
	return fmt.Sprintf("%.2f %%", percent(part, all))
}

func percent(part, all int) float64 { return 100 * float64(part) / float64(max(all, 1)) }

// The kinds of disagreement.
const (
	wrongLocal  = "rows labelled local that the server does not have"
	wrongImport = "rows labelled import that the server does not have"
	missedKind  = "references of the server's that we do not have"
	beyondKind  = "rows labelled local or import that are found beyond the server"
)

// difference is one reference that only one side has.
type difference struct {
	kind, cause string
	of          *symbol
	at          site
	line        string
}

// comparer compares answers on one tree.
type comparer struct {
	t *tree
	l language
	a *answers
}

// reason says why the server does not see a place; "" when it does.
func (c *comparer) reason(at site) string {
	if why := c.a.Unseen[at.path]; why != "" {
		return why
	}
	if !c.t.has(at.path) {
		return otherLanguage
	}
	if slices.ContainsFunc(c.a.Dark[at.path], func(l wire.Lines) bool { return l[0] <= at.line && at.line <= l[1] }) {
		return darkLines
	}
	if c.l.macros() && c.macro(at) {
		return macroBody
	}
	return ""
}

// macro says whether a place is behind the name of a #define, or on a line that continues one.
func (c *comparer) macro(at site) bool {
	first := at.line
	for strings.HasSuffix(c.t.line(at.path, first-1), `\`) {
		first--
	}
	rest, ok := strings.CutPrefix(strings.TrimLeft(c.t.line(at.path, first), " \t"), "#")
	rest, defines := strings.CutPrefix(strings.TrimLeft(rest, " \t"), "define")
	if !ok || !defines {
		return false
	}
	if first < at.line {
		return true
	}
	// The name that is defined is a place of its own: the first word.
	before := len(c.t.line(at.path, first)) - len(strings.TrimLeft(rest, " \t"))
	return at.col-1 > before
}

// compare scores one symbol. Claims and words are ours and those of a plain search.
func (c *comparer) compare(of *symbol, claims []claim, words []site) (score, []difference) {
	if of.Failed != "" {
		return score{failed: 1}, nil
	}
	theirs := map[site]bool{}
	for _, at := range of.References {
		theirs[at] = at != of.Site
	}
	rows := best(claims)
	s, differences := c.rows(of, rows, theirs)
	s.symbols = 1
	word := map[site]bool{}
	for _, at := range words {
		word[at] = true
		if at != of.Site && c.reason(at) == "" || theirs[at] {
			s.words++
			s.same += one(theirs[at])
		}
	}
	ours := map[site]bool{}
	for _, row := range rows {
		ours[row.at] = true
	}
	for _, at := range of.References {
		if at == of.Site {
			continue
		}
		// clangd has a use that is in a macro where the macro is used. The name is not there.
		if c.l.macros() && c.t.name(at) != of.Name {
			s.expanded++
			continue
		}
		s.server++
		s.wordFound += one(word[at])
		if ours[at] {
			s.found++
		} else {
			differences = append(differences, c.difference(missedKind, of, at, c.cause(at, of.Name)))
		}
	}
	s.exact = one(s.found == s.server && s.right == s.sure)
	return s, differences
}

// rows scores what we say of one symbol by what the server has.
func (c *comparer) rows(of *symbol, rows []claim, theirs map[site]bool) (s score, differences []difference) {
	for _, row := range rows {
		why, sure := c.reason(row.at), row.tier != wire.TierName
		switch has, known := theirs[row.at]; {
		case row.at == of.Site || known && !has:
		case has && sure:
			s.sure++
			s.right++
		case has:
			s.named++
			s.hits++
		case why != "" && sure:
			s.beyond++
			differences = append(differences, c.difference(beyondKind, of, row.at, why))
		case why != "":
		case sure && c.a.Rulings[rulingKey(of.Site, row.at)] != "":
			switch ruling := c.a.Rulings[rulingKey(of.Site, row.at)]; ruling {
			case agrees:
				s.sure, s.right, s.agreed = s.sure+1, s.right+1, s.agreed+1
			default:
				s.beyond++
				s.stubbed += one(ruling == ownStubs)
				s.dropped += one(ruling == dropped)
				differences = append(differences, c.difference(beyondKind, of, row.at, ruling))
			}
		case sure:
			s.sure++
			kind := wrongLocal
			if row.tier == wire.TierImport {
				kind = wrongImport
			}
			differences = append(differences, c.difference(kind, of, row.at, row.role+", "+c.cause(row.at, of.Name)))
		default:
			s.named++
		}
	}
	return s, differences
}

// best keeps one claim of each place, the surest, in the order of places.
func best(claims []claim) []claim {
	sorted := slices.Clone(claims)
	rank := func(c claim) int {
		return slices.Index([]string{wire.TierLocal, wire.TierImport, wire.TierName}, c.tier)
	}
	slices.SortStableFunc(sorted, func(a, b claim) int {
		if order := compareSites(a.at, b.at); order != 0 {
			return order
		}
		return rank(a) - rank(b)
	})
	return slices.CompactFunc(sorted, func(a, b claim) bool { return a.at == b.at })
}

func (c *comparer) difference(kind string, of *symbol, at site, cause string) difference {
	return difference{kind, of.Kind + ", " + cause, of, at, strings.TrimSpace(c.t.line(at.path, at.line))}
}

// cause guesses from the line alone what is particular about a place.
func (c *comparer) cause(at site, name string) string {
	line := c.t.line(at.path, at.line)
	if c.t.name(at) != name {
		return "another name" // an alias, this, a keyword
	}
	before, after := strings.TrimRight(line[:at.col-1], " \t"), strings.TrimLeft(line[at.col-1+len(name):], " \t")
	start := strings.TrimLeft(line, " \t")
	ends := func(all ...string) bool {
		return slices.ContainsFunc(all, func(s string) bool { return strings.HasSuffix(before, s) })
	}
	begins := func(text string, all ...string) bool {
		return slices.ContainsFunc(all, func(s string) bool { return strings.HasPrefix(text, s) })
	}
	switch {
	case strings.Contains(before, c.l.comment) || begins(start, "* ", "/*"):
		return "in a comment"
	case strings.LastIndex(before, "${") > strings.LastIndex(before, "}"):
		return "in a template string"
	case strings.Count(before, `"`)%2 == 1 || strings.Count(before, "'")%2 == 1 || strings.Count(before, "`")%2 == 1:
		return "in a string"
	case begins(start, "import ", "from ", "export ", "#include", "use ", "package "):
		return "on a line that imports or exports"
	case c.l.macros() && ends("struct", "union", "enum"):
		return "tag" // C has the names of typedefs apart from these
	case ends(".", "->", "::", "?."):
		return "member of " + owner(before)
	case begins(after, ":") && !begins(after, ":=") || begins(after, "=") && !begins(after, "==") && ends("(", ","):
		return "key, label or keyword argument"
	case begins(start, "func ", "def ", "class ", "function ", "type ", "interface ", "struct ", "enum ", "#define"):
		return "on a line that declares"
	case begins(after, "("):
		return "call"
	}
	return "plain name"
}

// owner is what a member is taken from: a name, or an expression.
func owner(before string) string {
	before = strings.TrimRight(before, ".->:?")
	switch {
	case strings.HasSuffix(before, "self") || strings.HasSuffix(before, "this"):
		return "self or this"
	case before == "" || !wordRune(rune(before[len(before)-1])):
		return "an expression"
	}
	return "a name"
}
