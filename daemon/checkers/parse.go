package checkers

import (
	"bytes"
	"path/filepath"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/reviewdog/errorformat"
)

// Problem is one thing that a checker found.
type Problem struct {
	Path               string // relative to the root, with slashes
	Line, Column       int    // from 1; columns are bytes; 0: not told
	EndLine, EndColumn int    // 0: not told
	Severity           string // error, warning or info
	Code               string
	Message            string
}

const (
	// maxLine is what is read of one line: the scanner under errorformat gives up at 64 KiB.
	maxLine = 8 << 10
	// maxProblems bounds what one run may say.
	maxProblems = 10_000
	maxMessage  = 2 << 10
)

// parse finds the problems in what a checker printed. Lines that match nothing, and files outside of the root, are
// left out.
func (c *Checker) parse(root string, output []byte) (found []Problem, err error) {
	formats, err := errorformat.NewErrorformat(c.Format)
	if err != nil {
		return nil, err
	}
	var short bytes.Buffer
	for line := range bytes.Lines(output) {
		line = bytes.TrimRight(line, "\r\n")
		short.Write(line[:min(len(line), maxLine)])
		short.WriteByte('\n')
	}
	scanner := formats.NewScanner(&short)
	for scanner.Scan() && len(found) < maxProblems {
		e := scanner.Entry()
		if !e.Valid || e.Filename == "" || e.Lnum <= 0 {
			continue
		}
		path, inside := relative(root, e.Filename)
		if !inside {
			continue
		}
		p := Problem{Path: path, Line: e.Lnum, Column: max(0, e.Col), EndLine: e.EndLnum, EndColumn: e.EndCol,
			Severity: c.severity(e.Type), Message: message(e.Text)}
		if e.Nr > 0 {
			p.Code = strconv.Itoa(e.Nr)
		}
		if p.Message == "" {
			p.Message = "refused by " + c.Name
		}
		found = append(found, p)
	}
	return found, nil
}

// severity is that of errorformat's type, a letter.
func (c *Checker) severity(kind rune) string {
	switch kind {
	case 'e', 'E':
		return "error"
	case 'w', 'W':
		return "warning"
	case 'i', 'I', 'n', 'N':
		return "info"
	}
	if c.Severity == "" {
		return "error"
	}
	return c.Severity
}

// relative is the path of a file below the root.
func relative(root, name string) (string, bool) {
	name = strings.TrimSpace(name)
	if filepath.IsAbs(name) {
		rel, err := filepath.Rel(root, name)
		if err != nil {
			return "", false
		}
		name = rel
	}
	name = filepath.ToSlash(filepath.Clean(name))
	return name, name != ".." && name != "." && !strings.HasPrefix(name, "../")
}

// message is a text of one line.
func message(text string) string {
	text = strings.ToValidUTF8(strings.Join(strings.Fields(text), " "), "�")
	if len(text) > maxMessage {
		cut := maxMessage
		for cut > 0 && !utf8.RuneStart(text[cut]) {
			cut--
		}
		text = text[:cut] + "…"
	}
	return text
}
