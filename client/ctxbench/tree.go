package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"ctxd/client/wire"
)

// site is the place of a name: a path relative to the root, its line and byte column, both from 1. Its
// text is PATH:LINE:COL, the target that ctx takes.
type site struct {
	path      string
	line, col int
}

func (s site) String() string { return fmt.Sprintf("%s:%d:%d", s.path, s.line, s.col) }

func (s site) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

func (s *site) UnmarshalText(text []byte) error {
	whole := string(text)
	rest, col, ok := cutLast(whole)
	path, line, also := cutLast(rest)
	if !ok || !also {
		return fmt.Errorf("%q is not PATH:LINE:COL", whole)
	}
	*s = site{path, line, col}
	return nil
}

// cutLast splits a number off the end, behind a colon.
func cutLast(s string) (string, int, bool) {
	at := strings.LastIndexByte(s, ':')
	if at < 0 {
		return s, 0, false
	}
	n, err := strconv.Atoi(s[at+1:])
	return s[:at], n, err == nil && n > 0
}

// tree is the files of one language below a root, as they are on disk.
type tree struct {
	root  string
	files []string            // relative to root, sorted
	lines map[string][]string // of the files that were looked at, without what ends them
}

// treeOf lists what git does not ignore, or everything where there is no git: what a build has made is
// not part of the sample, whoever made it.
func treeOf(ctx context.Context, root string, l language) (*tree, error) {
	t := &tree{root: root, lines: map[string][]string{}}
	listed, err := git(ctx, root, "ls-files", "-z", "-co", "--exclude-standard")
	if err == nil {
		for file := range strings.SplitSeq(listed, "\x00") {
			if info, err := os.Lstat(filepath.Join(root, file)); l.has(file) && err == nil && info.Mode().IsRegular() {
				t.files = append(t.files, file)
			}
		}
	} else if err := t.walk(l); err != nil {
		return nil, err
	}
	if len(t.files) == 0 {
		return nil, fmt.Errorf("%s holds no file of %s (%s)", root, l.id, strings.Join(l.extensions, " "))
	}
	slices.Sort(t.files)
	t.files = slices.Compact(t.files)
	return t, nil
}

func (t *tree) walk(l language) error {
	return filepath.WalkDir(t.root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && path != t.root && (d.Name() == "node_modules" || strings.HasPrefix(d.Name(), ".")) {
			return fs.SkipDir
		}
		rel, err := filepath.Rel(t.root, path)
		if err == nil && d.Type().IsRegular() && l.has(rel) {
			t.files = append(t.files, filepath.ToSlash(rel))
		}
		return err
	})
}

// has says whether a path is one of the tree's files.
func (t *tree) has(file string) bool {
	_, ok := slices.BinarySearch(t.files, file)
	return ok
}

// digest is the SHA-256 of the names and contents of all files.
func (t *tree) digest() (string, error) {
	all := sha256.New()
	for _, file := range t.files {
		text, err := os.ReadFile(filepath.Join(t.root, file))
		if err != nil {
			return "", err
		}
		fmt.Fprintf(all, "%s\x00%x\n", file, sha256.Sum256(text))
	}
	return hex.EncodeToString(all.Sum(nil)), nil
}

// text is the lines of a file; none when it cannot be read.
func (t *tree) text(file string) []string {
	lines, ok := t.lines[file]
	if !ok {
		text, err := os.ReadFile(filepath.Join(t.root, file))
		if err == nil {
			lines = splitLines(string(text))
		}
		t.lines[file] = lines
	}
	return lines
}

// splitLines splits where LSP does: at \n, \r\n and \r.
func splitLines(text string) []string {
	return strings.Split(strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n"), "\n")
}

// line is one line of a file, from 1; "" when there is none.
func (t *tree) line(file string, n int) string {
	if lines := t.text(file); n >= 1 && n <= len(lines) {
		return lines[n-1]
	}
	return ""
}

// site is the place of a position in UTF-16 code units. One that points at a quote means the name within.
func (t *tree) site(file string, at wire.Position) site {
	line := t.line(file, at.Line+1)
	col := byteColumn(line, at.Character)
	if col < len(line) && strings.IndexByte("'\"`", line[col]) >= 0 {
		col++
	}
	return site{file, at.Line + 1, col + 1}
}

// position is the inverse of site.
func (t *tree) position(s site) wire.Position {
	line := t.line(s.path, s.line)
	units := 0
	for _, r := range line[:min(s.col-1, len(line))] {
		units += utf16Units(r)
	}
	return wire.Position{Line: s.line - 1, Character: units}
}

// byteColumn is the offset in bytes of an offset in UTF-16 code units, from 0.
func byteColumn(line string, units int) int {
	for at, r := range line {
		if units <= 0 {
			return at
		}
		units -= utf16Units(r)
	}
	return len(line)
}

func utf16Units(r rune) int {
	if r > 0xffff {
		return 2
	}
	return 1
}

// name is the identifier at a place; "" when there is none.
func (t *tree) name(s site) string {
	line := t.line(s.path, s.line)
	if s.col < 1 || s.col > len(line) {
		return ""
	}
	rest := line[s.col-1:]
	for at, r := range rest {
		if !wordRune(r) || at == 0 && unicode.IsDigit(r) {
			return rest[:at]
		}
	}
	return rest
}

func wordRune(r rune) bool {
	return r == '_' || r == '$' || r < utf8.RuneSelf && (r|0x20 >= 'a' && r|0x20 <= 'z' || r >= '0' && r <= '9') ||
		r >= utf8.RuneSelf && (unicode.IsLetter(r) || unicode.IsDigit(r))
}

// words calls found for every word of every file.
func (t *tree) words(found func(at site, word string)) error {
	for _, file := range t.files {
		text, err := os.ReadFile(filepath.Join(t.root, file))
		if err != nil {
			return err
		}
		for i, line := range splitLines(string(text)) {
			for at := 0; at < len(line); {
				first := strings.IndexFunc(line[at:], wordRune)
				if first < 0 {
					break
				}
				at += first
				end := len(line)
				if size := strings.IndexFunc(line[at:], func(r rune) bool { return !wordRune(r) }); size >= 0 {
					end = at + size
				}
				found(site{file, i + 1, at + 1}, line[at:end])
				at = end
			}
		}
	}
	return nil
}

// frequencies counts the words of the tree.
func (t *tree) frequencies() (map[string]int, error) {
	counts := map[string]*int{}
	err := t.words(func(_ site, word string) {
		n := counts[word]
		if n == nil {
			n = new(int)
			counts[strings.Clone(word)] = n // not the whole text with it
		}
		*n++
	})
	plain := make(map[string]int, len(counts))
	for word, n := range counts {
		plain[word] = *n
	}
	return plain, err
}

// hits lists where each of the names stands as a word, wherever that is: what a search for words finds.
func (t *tree) hits(names map[string]bool) (map[string][]site, error) {
	found := map[string][]site{}
	err := t.words(func(at site, word string) {
		if names[word] {
			found[strings.Clone(word)] = append(found[word], at)
		}
	})
	return found, err
}
