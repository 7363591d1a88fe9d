package wire

import (
	"fmt"
	"strconv"
	"strings"
)

// The text of a map is made here and not in package cli, because the daemon, which cuts the list, has to know its
// length: the budget is one of the printed text.

// maxMapSignature is how many bytes of a signature are printed.
const maxMapSignature = 120

// maxMapDepth is how deep rows are indented.
const maxMapDepth = 16

// Head are the lines before the rows.
func (r *MapResult) Head() []string {
	head := "[ctx map "
	if r.Path != "repo:." {
		head += r.Path + " · "
	}
	if !r.Outline {
		head += Count(r.Total.Files, "file") + " · "
	}
	lines := []string{head + "budget " + Thousands(r.Budget) + " tok · engine " + r.Engine + "]"}
	if r.Outline && len(r.Files) == 1 {
		f := &r.Files[0]
		lines = append(lines,
			"language: "+f.Language+" · "+Count(f.Definitions, "symbol")+" · "+Count(f.Imports, "import")+" · "+tokens(f.Size),
			"outline:")
		if r.Terse {
			lines[2] = "outline (signatures left out, for the budget):"
		}
	}
	return lines
}

// Line is the row of a file above its entries.
func (f *MapFile) Line() string {
	line := RepoRef(Exact(f.Path, f.PathBase64)) + " · " + tokens(f.Size)
	switch {
	case f.Problem != "":
		line += " · not parsed: " + f.Problem
	case f.Definitions > 0:
		line += " · " + Thousands(f.Definitions) + "d"
	}
	if f.ImportedBy > 0 {
		line += " · imported-by " + Thousands(f.ImportedBy)
	}
	return line
}

// EntryLine is the row of a definition.
func (r *MapResult) EntryLine(e *MapEntry, anchors bool) string {
	var line string
	if r.Outline {
		name := e.Name
		if e.Depth == 0 && e.Container != "" {
			name = e.Container + "." + name
		}
		line = strings.Repeat("  ", min(e.Depth, maxMapDepth)) + e.Kind + " " + Clip(name, maxMapSignature) + " L" + e.Lines.Selector()
		if anchors && e.Live != nil {
			line += "@" + e.Live.Anchor
		}
	} else {
		line = "  " + e.Target
		if e.Symbol != "" {
			line += " --symbol " + ShellWord(e.Symbol)
		}
		if anchors && e.Live != nil {
			line += " · L" + e.Lines.Selector() + "@" + e.Live.Anchor
		}
	}
	if says := strings.TrimLeft(e.Signature, "# "); !r.Terse && says != "" && says != e.Name {
		line += " · " + Clip(e.Signature, maxMapSignature)
	}
	return line
}

// Foot are the lines behind the rows.
func (r *MapResult) Foot(anchors bool) []string {
	var lines []string
	switch {
	case !r.Outline:
		lines = append(lines, "omitted: "+Count(r.Omitted.Files, "file")+" · "+Count(r.Omitted.Symbols, "symbol"))
	case r.Omitted.Symbols > 0:
		line := "… +" + Count(r.Omitted.Symbols, "symbol") + " omitted (budget):"
		for i, k := range r.Kinds {
			if i > 0 {
				line += " ·"
			}
			line += fmt.Sprintf(" %s:%d", k.Kind, k.Count)
		}
		lines = append(lines, line)
	}
	if r.Coverage.Unparsed > 0 && !r.Outline {
		lines = append(lines, "not parsed: "+Count(r.Coverage.Unparsed, "file")+" of the worktree (ctx status names them)")
	}
	if r.Coverage.Unlisted > 0 && !r.Outline {
		lines = append(lines, "not read: "+Count(r.Coverage.Unlisted, "directory")+" of the worktree (ctx status names them)")
	}
	if r.Note != "" {
		lines = append(lines, "note: "+r.Note)
	}
	if warning := FreshnessWarning(r.Coverage.Freshness); warning != "" {
		lines = append(lines, warning)
	}
	if r.Next != "" {
		next := "next: ctx map"
		if r.Path != "repo:." {
			next += " " + ShellWord(r.Path)
		}
		next += " --budget " + strconv.Itoa(r.Budget)
		if anchors {
			next += " --anchors"
		}
		lines = append(lines, next+" --after "+ShellWord(r.Next))
	}
	return lines
}

// tokens is the estimated length of a file.
func tokens(bytes int) string {
	if n := (bytes + 3) / 4; n < 1000 {
		return fmt.Sprintf("~%d tok", n)
	} else {
		return "~" + Thousands((n+500)/1000) + "k tok"
	}
}
