package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/build"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"ctxd/client/wire"
)

// A server answers from the files that it has loaded: those of one platform, one module, one project. A
// row of ours elsewhere is neither right nor wrong by it, and is counted apart with its reason.
const (
	otherPlatform = "left out by its name or build constraint"
	otherModule   = "in another module"
	noPackage     = "in a directory that go leaves out"
	vendored      = "in a vendored package, whose bodies gopls does not read"
	notCompiled   = "in no compiled file"
	notInProject  = "in no project of the server"
	darkLines     = "lines left out by the preprocessor"
	macroBody     = "in the body of a macro"
	otherLanguage = "in a file that is not of the language"
)

// unseenGo says which files gopls does not load with root as its workspace.
func unseenGo(t *tree) map[string]string {
	unseen := map[string]string{}
	modules := map[string]bool{} // directories: whether another module begins there or above
	var foreign func(dir string) bool
	foreign = func(dir string) bool {
		if dir == "." {
			return false
		}
		known, ok := modules[dir]
		if !ok {
			_, err := os.Stat(filepath.Join(t.root, dir, "go.mod"))
			known = err == nil || foreign(path.Dir(dir))
			modules[dir] = known
		}
		return known
	}
	for _, file := range t.files {
		dir, name := path.Split(file)
		switch {
		case foreign(path.Clean(dir)):
			unseen[file] = otherModule
		case slices.ContainsFunc(strings.Split(path.Clean(dir), "/"), func(part string) bool {
			return part == "testdata" || strings.HasPrefix(part, "_") || strings.HasPrefix(part, ".") && part != "."
		}):
			unseen[file] = noPackage
		case slices.Contains(strings.Split(path.Clean(dir), "/"), "vendor"):
			unseen[file] = vendored
		default:
			if ok, err := build.Default.MatchFile(filepath.Join(t.root, dir), name); err != nil || !ok {
				unseen[file] = otherPlatform
			}
		}
	}
	return unseen
}

// compileCommand is one entry of compile_commands.json.
type compileCommand struct {
	Directory string   `json:"directory"`
	File      string   `json:"file"`
	Arguments []string `json:"arguments"`
	Command   string   `json:"command"`
}

// compileCommands reads compile_commands.json, in the root of the tree or where the server's command says.
func compileCommands(root string, server []string) (commands []compileCommand, err error) {
	dir := root
	for _, word := range server {
		if rest, ok := strings.CutPrefix(word, "--compile-commands-dir="); ok {
			dir = rest
		}
	}
	text, err := os.ReadFile(filepath.Join(dir, "compile_commands.json"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s: no compile_commands.json: make one (bear -- make), or name its directory in --server with --compile-commands-dir=", dir)
	}
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(text, &commands); err != nil {
		return nil, fmt.Errorf("%s: compile_commands.json: %w", dir, err)
	}
	return commands, nil
}

// unseenC says which files no compiled file includes, by what the compiler says of each: -MM.
func unseenC(ctx context.Context, t *tree, server []string) (map[string]string, error) {
	commands, err := compileCommands(t.root, server)
	if err != nil {
		return nil, err
	}
	seen := map[string]bool{}
	for _, c := range commands {
		included, err := c.includes(ctx)
		if err != nil {
			return nil, err
		}
		for _, file := range append(included, c.File) {
			if !filepath.IsAbs(file) {
				file = filepath.Join(c.Directory, file)
			}
			if rel, err := filepath.Rel(t.root, file); err == nil {
				seen[filepath.ToSlash(rel)] = true
			}
		}
	}
	unseen := map[string]string{}
	for _, file := range t.files {
		if !seen[file] {
			unseen[file] = notCompiled
		}
	}
	return unseen, nil
}

// flags is the compiler and what it is told, but for its output.
func (c *compileCommand) flags() ([]string, error) {
	words := c.Arguments
	if len(words) == 0 {
		words = strings.Fields(c.Command)
	}
	var args []string
	for i := 0; i < len(words); i++ {
		switch word := words[i]; {
		case word == "-o" || word == "-MF" || word == "-MT" || word == "-MQ":
			i++
		case word == "-c" || strings.HasPrefix(word, "-M"):
		default:
			args = append(args, word)
		}
	}
	if len(args) == 0 {
		return nil, fmt.Errorf("compile_commands.json has no command for %s", c.File)
	}
	return args, nil
}

// includes lists what the file and its headers include, headers of the system left out.
func (c *compileCommand) includes(ctx context.Context) ([]string, error) {
	args, err := c.flags()
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, args[0], append(args[1:], "-MM")...)
	cmd.Dir = c.Directory
	out, err := cmd.Output()
	if failed, ok := errors.AsType[*exec.ExitError](err); ok {
		return nil, fmt.Errorf("%s: -MM: %w: %s", c.File, err, failed.Stderr)
	}
	if err != nil {
		return nil, err
	}
	_, files, _ := strings.Cut(string(out), ":")
	return strings.Fields(strings.ReplaceAll(files, "\\\n", " ")), nil
}

// tsserverRequest is the command by which the server for TypeScript hands a request on to the compiler's.
const tsserverRequest = "typescript.tsserverRequest"

// unseenTS says which files are in none of the configured projects that the opened files belong to. A file
// that is in none gets a project of its own, with what it imports; nobody else sees it there.
func (s *languageServer) unseenTS(ctx context.Context, t *tree, opened []string) (map[string]string, error) {
	seen := map[string]bool{}
	for _, file := range opened {
		if seen[file] {
			continue // its project was asked for
		}
		var r struct {
			Body struct {
				Config string   `json:"configFileName"`
				Files  []string `json:"fileNames"`
			} `json:"body"`
		}
		err := s.call(ctx, "workspace/executeCommand", map[string]any{"command": tsserverRequest, "arguments": []any{
			"projectInfo", map[string]any{"file": filepath.Join(t.root, file), "needFileNameList": true},
		}}, &r)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		if strings.Contains(r.Body.Config, "inferredProject") {
			continue
		}
		for _, name := range r.Body.Files {
			if rel, err := filepath.Rel(t.root, name); err == nil {
				seen[filepath.ToSlash(rel)] = true
			}
		}
	}
	unseen := map[string]string{}
	for _, file := range t.files {
		if !seen[file] {
			unseen[file] = notInProject
		}
	}
	return unseen, nil
}

// regionWait bounds the wait for what clangd says of one file.
const regionWait = time.Minute

// dark opens every file that is compiled, and keeps the lines that the preprocessor leaves out.
func (s *languageServer) dark(ctx context.Context, t *tree, unseen map[string]string) (map[string][]wire.Lines, error) {
	dark := map[string][]wire.Lines{}
	for _, file := range t.files {
		if unseen[file] != "" {
			continue
		}
		uri := uriOf(t.root + "/" + file)
		if err := s.show(t, file); err != nil {
			return nil, err
		}
		lines, err := s.region(ctx, uri)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		if len(lines) > 0 {
			dark[file] = lines
		}
	}
	return dark, nil
}

// region waits for the inactive lines of a file.
func (s *languageServer) region(ctx context.Context, uri string) ([]wire.Lines, error) {
	ctx, cancel := context.WithTimeout(ctx, regionWait)
	defer cancel()
	for {
		s.mu.Lock()
		lines, ok := s.inactive[uri]
		told := s.told
		s.mu.Unlock()
		if ok {
			return lines, nil
		}
		select {
		case <-told:
		case <-s.done:
			return nil, s.err
		case <-ctx.Done():
			return nil, fmt.Errorf("the server does not say which lines are compiled: %w (clangd 17 and newer do)", ctx.Err())
		}
	}
}
