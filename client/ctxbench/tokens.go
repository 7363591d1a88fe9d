package main

import (
	"bufio"
	"context"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

// preprocessor knows which tokens of the files of a tree are left after preprocessing.
type preprocessor struct {
	root     string
	commands map[string]compileCommand // by path in the tree
	tokens   map[string]map[site]bool  // of the files that were compiled; nil where that failed
}

func newPreprocessor(root string, server []string) (*preprocessor, error) {
	all, err := compileCommands(root, server)
	if err != nil {
		return nil, err
	}
	p := &preprocessor{root: root, commands: map[string]compileCommand{}, tokens: map[string]map[site]bool{}}
	for _, c := range all {
		file := c.File
		if !filepath.IsAbs(file) {
			file = filepath.Join(c.Directory, file)
		}
		if rel, err := filepath.Rel(root, file); err == nil {
			p.commands[filepath.ToSlash(rel)] = c
		}
	}
	return p, nil
}

// spelled is where a token of clang's -dump-tokens is written: behind Spelling= when a macro put it elsewhere.
var spelled = regexp.MustCompile(`(?:<|=)([^<>=]+):(\d+):(\d+)>`)

// drops says whether the compiler, with the command of the file itself, sees no token at a place of it. It is not known of
// headers, which others compile, and of files without a command: then it says no.
func (p *preprocessor) drops(ctx context.Context, at site) bool {
	tokens, asked := p.tokens[at.path]
	if !asked {
		tokens = p.compile(ctx, at.path)
		p.tokens[at.path] = tokens
	}
	return tokens != nil && !tokens[at]
}

func (p *preprocessor) compile(ctx context.Context, file string) map[site]bool {
	c, ok := p.commands[file]
	if !ok {
		return nil
	}
	args, err := c.flags()
	if err != nil {
		return nil
	}
	cmd := exec.CommandContext(ctx, "clang", append(args[1:], "-w", "-fsyntax-only", "-Xclang", "-dump-tokens")...)
	cmd.Dir = c.Directory
	out, err := cmd.StderrPipe()
	if err != nil || cmd.Start() != nil {
		return nil
	}
	tokens := map[site]bool{}
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		_, where, ok := strings.Cut(lines.Text(), "Loc=")
		if !ok {
			continue
		}
		for _, m := range spelled.FindAllStringSubmatch(where, -1) {
			path := m[1]
			if !filepath.IsAbs(path) {
				path = filepath.Join(c.Directory, path)
			}
			if rel, err := filepath.Rel(p.root, path); err != nil || filepath.ToSlash(rel) != file {
				continue
			}
			line, _ := strconv.Atoi(m[2])
			col, _ := strconv.Atoi(m[3])
			tokens[site{file, line, col}] = true
		}
	}
	if cmd.Wait() != nil || len(tokens) == 0 {
		return nil // what it did not compile it does not know
	}
	return tokens
}
