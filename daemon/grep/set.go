package grep

import (
	"fmt"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
)

const (
	// maxPatterns and maxPattern bound what is compiled: patterns, and bytes of one of them.
	maxPatterns = 64
	maxPattern  = 4 << 10
	// maxProgram bounds the instructions of an expression: regexp may take that many steps for each byte.
	maxProgram = 2000
)

// Options say how patterns are read.
type Options struct {
	Regexp bool // the patterns are regular expressions, else literals
	Fold   bool // letters match in either case, by Unicode's simple folding
	All    bool // a line must match every pattern, else any of them
}

// PatternError says which pattern is refused, and why.
type PatternError struct {
	Pattern string
	Reason  string
}

func (e *PatternError) Error() string { return "invalid pattern: " + e.Reason }

// Set is what lines are compared with. Immutable; any number of goroutines may use it at once, each with
// a Matcher of its own.
type Set struct {
	patterns []pattern
	all      bool

	// A candidate is a line on which one of needles stands, or, without any, one that lead accepts.
	needles []needle
	lead    *program
	certain bool // each candidate matches
}

// pattern is one compiled pattern.
type pattern struct {
	literal []byte         // the whole pattern, or nil
	re      *regexp.Regexp // nil for a literal
	prog    *program
	need    []needle // one of them stands on each line that matches; nil: none is known
}

// Compile reads patterns. The error is a *PatternError.
func Compile(patterns []string, o Options) (*Set, error) {
	if len(patterns) == 0 {
		return nil, &PatternError{"", "there is none"}
	}
	if len(patterns) > maxPatterns {
		return nil, &PatternError{"", fmt.Sprintf("%d patterns are too many: at most %d", len(patterns), maxPatterns)}
	}
	s := &Set{all: o.All && len(patterns) > 1}
	var progs []*syntax.Prog
	for _, text := range patterns {
		p, prog, err := compile(text, o)
		if err != nil {
			return nil, err
		}
		s.patterns = append(s.patterns, p)
		progs = append(progs, prog)
	}
	s.propose(progs)
	return s, nil
}

// propose chooses how candidates are found.
func (s *Set) propose(progs []*syntax.Prog) {
	if s.all { // by one of the patterns, whichever is rarest
		best := 0
		for i, p := range s.patterns {
			if worth(p.need) > worth(s.patterns[best].need) {
				best = i
			}
		}
		s.needles, progs = s.patterns[best].need, progs[best:best+1]
	} else {
		s.certain = true
		for _, p := range s.patterns {
			s.certain = s.certain && p.literal != nil
			s.needles = append(s.needles, p.need...)
		}
		if len(s.needles) > maxNeed || slices.ContainsFunc(s.patterns, func(p pattern) bool { return p.need == nil }) {
			s.needles = nil
		}
	}
	if s.needles == nil || !s.certain && worth(s.needles) < leastWorth {
		s.needles, s.certain = nil, false
		s.lead = newProgram(progs...)
	}
}

// compile reads one pattern.
func compile(text string, o Options) (pattern, *syntax.Prog, error) {
	refuse := func(format string, args ...any) (pattern, *syntax.Prog, error) {
		return pattern{}, nil, &PatternError{text, fmt.Sprintf(format, args...)}
	}
	source := text
	switch {
	case text == "":
		return refuse("it is empty, and every line would match")
	case len(text) > maxPattern:
		return refuse("it has %d bytes: at most %d", len(text), maxPattern)
	case !o.Regexp && strings.ContainsAny(text, "\r\n"):
		return refuse("it holds the end of a line, and lines are compared one by one")
	case !o.Regexp:
		source = regexp.QuoteMeta(strings.ToValidUTF8(text, "�"))
	}
	flags := syntax.Perl
	if o.Fold {
		flags |= syntax.FoldCase
	}
	tree, err := syntax.Parse(source, flags)
	if err != nil {
		return refuse("%s", strings.TrimPrefix(err.Error(), "error parsing regexp: "))
	}
	tree = tree.Simplify()
	prog, err := syntax.Compile(tree)
	if err != nil {
		return refuse("%v", err)
	}
	if len(prog.Inst) > maxProgram {
		return refuse("it compiles to %d steps: at most %d; repeat less", len(prog.Inst), maxProgram)
	}
	p := pattern{prog: newProgram(prog)}
	if !o.Regexp && !o.Fold {
		p.literal = []byte(text)
		p.need = []needle{{text: p.literal}}
		return p, prog, nil
	}
	if o.Fold {
		source = "(?i:" + source + ")" // it parses, so that its parentheses are balanced
	}
	if p.re, err = regexp.Compile(source); err != nil {
		return refuse("%v", err)
	}
	p.need = required(tree)
	return p, prog, nil
}
