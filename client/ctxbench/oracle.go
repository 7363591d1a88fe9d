package main

import (
	"bufio"
	"bytes"
	"context"
	"embed"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

//go:embed oracles
var oracles embed.FS

// otherwise is the Line of a refusal that is not for the syntax.
const otherwise = -1

// refusal is the first syntax error that a compiler finds in a file; Line 0: none.
type refusal struct {
	Line    int    `json:"line"`
	Message string `json:"message"`
}

// oracle is what a language's compiler says of files.
type oracle struct {
	extensions []string
	// script and command are a program that reads paths and writes faults: one process for all files.
	script  string
	command func(script string, b *bench) []string
	// once is a command for one file, and output finds the first fault in what it prints.
	once   func(path string, b *bench) []string
	output *regexp.Regexp
}

var compilers = map[string]oracle{
	"go": {extensions: []string{".go"},
		once:   func(path string, _ *bench) []string { return []string{"gofmt", "-e", "-l", path} },
		output: regexp.MustCompile(`(?m)^[^\n]*?:(\d+):\d+: ([^\n]*)`)},
	"python": {extensions: []string{".py"}, script: "python.py",
		command: func(script string, _ *bench) []string { return []string{"python3", "-I", "-B", script} }},
	"javascript": {extensions: []string{".js", ".mjs", ".cjs"}, script: "javascript.js",
		command: func(script string, _ *bench) []string {
			return []string{"node", "--no-warnings", "--experimental-vm-modules", script}
		}},
	"typescript": {extensions: []string{".ts", ".mts", ".cts"}, script: "typescript.js", command: typescript},
	"tsx":        {extensions: []string{".tsx"}, script: "typescript.js", command: typescript},
	"java": {extensions: []string{".java"}, script: "Parse.java",
		command: func(script string, _ *bench) []string { return []string{"java", script} }},
	"rust": {extensions: []string{".rs"},
		// The parser alone is not to be had without this variable: what is checked later is no syntax.
		once: func(path string, _ *bench) []string {
			return []string{"env", "RUSTC_BOOTSTRAP=1", "rustc", "--edition", "2021", "-Zunpretty=normal", "--error-format=short", path}
		},
		output: regexp.MustCompile(`(?m)^[^\n]*?:(\d+):\d+: error[^:\n]*: ([^\n]*)`)},
	"c":   {extensions: []string{".c", ".h"}, once: clang("c"), output: parseIssue},
	"cpp": {extensions: []string{".cc", ".cpp", ".cxx", ".hpp", ".h"}, once: clang("c++"), output: parseIssue},
}

// parseIssue is clang's own word for a syntax error; others are of the meaning. A header that is not there is none.
var parseIssue = regexp.MustCompile(`(?m)^[^\n]*?:(\d+):\d+: (?:fatal )?error: ([^\n]*(?:[^d\n]|[^n\n]d)) \[(?:Parse Issue|Lexical or Preprocessor Issue)\]$`)

// missing is what clang says of a header that is not there, wherever it was included.
var missing = regexp.MustCompile(`: fatal error: '[^\n]*' file not found \[`)

func typescript(script string, b *bench) []string { return []string{"node", script, b.typescript} }

func clang(language string) func(string, *bench) []string {
	return func(path string, b *bench) []string {
		args := []string{"clang", "-fsyntax-only", "-w", "-ferror-limit=0", "-fno-color-diagnostics", "-fno-caret-diagnostics",
			"-fdiagnostics-show-category=name", "-x", language}
		return append(append(args, strings.Fields(b.flags)...), path)
	}
}

// compiler asks an oracle about files. It belongs to one goroutine; close ends its process.
type compiler struct {
	o     oracle
	b     *bench
	cmd   *exec.Cmd
	in    io.WriteCloser
	lines *bufio.Scanner
}

func (b *bench) compiler(ctx context.Context, language string) (*compiler, error) {
	o, ok := compilers[language]
	if !ok {
		return nil, fmt.Errorf("no compiler is known for the language %q", language)
	}
	j := &compiler{o: o, b: b}
	if o.script == "" {
		return j, nil
	}
	text, err := oracles.ReadFile("oracles/" + o.script)
	if err != nil {
		return nil, err
	}
	script := filepath.Join(b.tmp, o.script)
	if err := os.WriteFile(script, text, 0o600); err != nil {
		return nil, err
	}
	args := o.command(script, b)
	j.cmd = exec.CommandContext(ctx, args[0], args[1:]...)
	j.cmd.Stderr = os.Stderr
	if j.in, err = j.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := j.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	j.lines = bufio.NewScanner(out)
	j.lines.Buffer(nil, 1<<20)
	return j, j.cmd.Start()
}

func (j *compiler) close() {
	if j.cmd != nil {
		j.in.Close()
		j.cmd.Wait() // it reads to the end of its input, and ends
	}
}

// fault is the first syntax error of the file.
func (j *compiler) fault(ctx context.Context, path string) (refusal, error) {
	if j.cmd == nil {
		return j.run(ctx, path)
	}
	if _, err := io.WriteString(j.in, path+"\n"); err != nil {
		return refusal{}, err
	}
	if !j.lines.Scan() {
		return refusal{}, fmt.Errorf("%s ended: %v", j.o.script, j.lines.Err())
	}
	var f refusal
	if err := json.Unmarshal(j.lines.Bytes(), &f); err != nil {
		return f, fmt.Errorf("%s wrote %q: %w", j.o.script, j.lines.Bytes(), err)
	}
	return f, nil
}

// run runs the compiler on one file. Only lines about that file count: a header has its own turn.
func (j *compiler) run(ctx context.Context, path string) (refusal, error) {
	args := j.o.once(path, j.b)
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.Dir = filepath.Dir(path)
	out, err := cmd.CombinedOutput()
	if _, failed := err.(*exec.ExitError); err != nil && !failed {
		return refusal{}, err
	}
	if missing.Match(out) { // clang reads nothing after it
		return refusal{Line: otherwise}, nil
	}
	var about []byte
	for line := range bytes.Lines(out) {
		if bytes.Contains(line, []byte(filepath.Base(path)+":")) {
			about = append(about, line...)
		}
	}
	m := j.o.output.FindSubmatch(about)
	if m == nil && bytes.Contains(about, []byte("error:")) {
		return refusal{Line: otherwise}, nil
	}
	if m == nil {
		return refusal{}, nil
	}
	line, err := strconv.Atoi(string(m[1]))
	return refusal{line, string(m[2])}, err
}
