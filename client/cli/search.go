package cli

import (
	"context"
	"encoding/base64"
	"flag"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"ctxd/client/wire"
)

// searchVerb asks for the lines that match patterns.
type searchVerb struct {
	regex   bool
	all     bool
	path    string
	limit   int
	after   string
	anchors bool
	exact   texts // patterns that are never read as filters
}

// texts is a flag that may be given several times.
type texts []string

func (t *texts) String() string { return strings.Join(*t, " ") }

func (t *texts) Set(text string) error {
	*t = append(*t, text)
	return nil
}

func (*searchVerb) about() about {
	return about{
		name: "search", args: "PATTERN…", summary: "the lines that match, in all text of the worktree as it is now",
		text: `
A PATTERN is a literal, or with --regex a regular expression in the syntax of RE2. Of several, one on
a line is enough; with --all every one must be. Every file is read that is neither ignored, binary
nor a secret, whatever its language.

Words among the patterns that narrow the search:
  file:GLOB or path:GLOB   only these paths; GLOB matches the path or its end behind a slash
                           (*.go, net/*.go, src/**/testdata/), a word without *?[ any part of it
  !file:GLOB               not these paths
  lang:NAME                only files in this language: go, python, …
  case:no                  letters match in either case
Any other word with a colon is a pattern; -e PATTERN is one in any case.`,
		examples: []string{
			"ctx search 'os.ReadFile(' lang:go",
			"ctx search --regex 'func \\(\\w+ \\*Server\\) \\w+' --path net/http",
			"ctx search deprecated obsolete '!file:vendor/' case:no",
			"ctx search --all lock defer --anchors",
			"ctx search -e file:// --json",
		},
	}
}

func (v *searchVerb) flags(fs *flag.FlagSet) {
	fs.BoolVar(&v.regex, "regex", false, "the patterns are regular expressions")
	fs.BoolVar(&v.all, "all", false, "only lines that match every pattern")
	fs.StringVar(&v.path, "path", "", "search in `DIR` or file alone")
	fs.IntVar(&v.limit, "limit", 0, "list at most `N` lines")
	fs.StringVar(&v.after, "after", "", "go on behind the row at `ADDRESS`, as next: says")
	fs.BoolVar(&v.anchors, "anchors", false, "add the anchor to each row")
	fs.Var(&v.exact, "e", "a `PATTERN`, whatever it looks like; may be repeated")
}

func (v *searchVerb) run(ctx context.Context, c *command, args []string) error {
	if v.limit < 0 {
		return &usageError{problem: "--limit counts from 0", hint: "ctx help search"}
	}
	where, err := c.place()
	if err != nil {
		return err
	}
	p := wire.SearchParams{Common: c.common(where), Regex: v.regex, All: v.all, Limit: v.limit, After: strings.TrimPrefix(v.after, "ctx search ")}
	if v.path != "" {
		p.Path = where.ref(v.path)
	}
	for _, word := range args {
		if err := filter(word, &p); err != nil {
			return err
		}
	}
	p.Patterns = append(p.Patterns, v.exact...)
	if len(p.Patterns) == 0 {
		problem := "a pattern is missing"
		if len(args) > 0 {
			problem += ": filters alone find nothing"
		}
		return &usageError{problem: problem, hint: "ctx help search"}
	}
	patterns := p.Patterns
	p.Patterns, p.PatternsBase64 = sendable(patterns)
	return ask(ctx, c, wire.MethodSearch, p, func(r *wire.SearchResult, page *page) {
		v.render(r, patterns, args, page)
	})
}

// filter reads one word: a filter, or else a pattern.
func filter(word string, p *wire.SearchParams) error {
	key, value, found := strings.Cut(word, ":")
	switch {
	case !found:
	case key == "file", key == "path":
		p.Files = append(p.Files, value)
		return empty(word, value)
	case key == "!file", key == "!path":
		p.NotFiles = append(p.NotFiles, value)
		return empty(word, value)
	case key == "lang":
		p.Languages = append(p.Languages, value)
		return empty(word, value)
	case word == "case:no":
		p.IgnoreCase = true
		return nil
	case word == "case:yes":
		p.IgnoreCase = false
		return nil
	}
	p.Patterns = append(p.Patterns, word)
	return nil
}

func empty(word, value string) error {
	if value != "" {
		return nil
	}
	return &usageError{problem: fmt.Sprintf("the filter %s has no value; -e %s searches for the word itself", word, wire.ShellWord(word)), hint: "ctx help search"}
}

// sendable are patterns as JSON can carry them: those that are not UTF-8 in base64 besides.
func sendable(patterns []string) (shown, exact []string) {
	odd := false
	for _, p := range patterns {
		shown, exact = append(shown, strings.ToValidUTF8(p, "\ufffd")), append(exact, "")
		if !utf8.ValidString(p) {
			odd, exact[len(exact)-1] = true, base64.StdEncoding.EncodeToString([]byte(p))
		}
	}
	if !odd {
		exact = nil
	}
	return shown, exact
}

// render prints the rows, those of a file together.
func (v *searchVerb) render(r *wire.SearchResult, patterns, args []string, p *page) {
	p.linef("[ctx search %s]", r.Path)
	line := "patterns:"
	for _, pattern := range patterns {
		line += " '" + pattern + "'"
	}
	how := "any"
	if v.all {
		how = "all"
	}
	if v.regex {
		how += ", regex"
	}
	p.line(line + " (" + how + ")")
	path := ""
	for i := range r.Matches {
		m := &r.Matches[i]
		if at := wire.RepoRef(wire.Exact(m.Path, m.PathBase64)); at != path {
			path = at
			p.line(path + ":")
		}
		v.renderMatch(m, p)
	}
	p.line("coverage:")
	scanned := fmt.Sprintf("  scanned: %s · %s", count(r.Scanned.Files, "target"), count(r.Scanned.Lines, "line"))
	for _, left := range []struct {
		n    int
		word string
	}{{r.Scanned.Binary, "binary"}, {r.Scanned.Secrets, "secret"}, {r.Scanned.Unreadable, "unreadable"}} {
		if left.n > 0 {
			scanned += fmt.Sprintf(" · %s %s skipped", thousands(left.n), left.word)
		}
	}
	p.line(scanned)
	for _, problem := range r.Scanned.Problems {
		p.line("  unreadable: " + wire.RepoRef(wire.Exact(problem.Path, problem.PathBase64)) + ": " + problem.Reason)
	}
	matches := fmt.Sprintf("  matches: %s · shown: %s", thousands(r.Total), thousands(len(r.Matches)))
	if r.Next != "" {
		matches += " · truncated"
	}
	p.line(matches)
	v.renderSnapshots(r, p)
	if r.Note != "" {
		p.line("note: " + r.Note)
	}
	if warning := wire.FreshnessWarning(r.Coverage.Freshness); warning != "" {
		p.line(warning)
	}
	if r.Next != "" {
		p.line("next: " + v.next(r.Next, args))
	}
}

// renderMatch prints one row. A line that is not shown whole says so.
func (v *searchVerb) renderMatch(m *wire.Match, p *page) {
	row := "  L" + strconv.Itoa(m.Lines[0])
	if v.anchors && m.Live != nil {
		row = "  L" + m.Live.Lines.Selector() + "@" + m.Live.Anchor
	}
	text := wire.Exact(m.Text, m.TextBase64)
	if !m.Complete {
		text += fmt.Sprintf("… [%s of %s]", thousands(m.TextBytes[1]-m.TextBytes[0]), count(m.LineBytes[1]-m.LineBytes[0], "byte"))
		if m.TextBytes[0] > m.LineBytes[0] {
			text = "…" + text
		}
	}
	p.line(row + ": " + text)
	if m.Note != "" {
		p.line("    note: " + m.Note)
	}
}

func (v *searchVerb) renderSnapshots(r *wire.SearchResult, p *page) {
	before := ""
	for i := range r.Matches {
		m := &r.Matches[i]
		if m.Captured == nil {
			continue
		}
		if before == "" {
			p.line("snapshots:")
		}
		if line := "  " + wire.RepoRef(wire.Exact(m.Path, m.PathBase64)) + " → snapshot:" + m.Captured.Snapshot; line != before {
			before = line
			p.line(line)
		}
	}
}

// next is the call that goes on: this one, behind its last row.
func (v *searchVerb) next(after string, args []string) string {
	flags := ""
	for _, f := range []struct {
		set  bool
		text string
	}{
		{v.regex, "--regex"}, {v.all, "--all"}, {v.anchors, "--anchors"},
		{v.path != "", "--path " + wire.ShellWord(v.path)}, {v.limit > 0, "--limit " + strconv.Itoa(v.limit)},
	} {
		if f.set {
			flags += " " + f.text
		}
	}
	for _, pattern := range v.exact {
		flags += " -e " + wire.ShellWord(pattern)
	}
	return again("search", args, flags+" --after "+wire.ShellWord(after))
}
