package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"ctxd/client/wire"
)

// answers are a server's references to the symbols of a sample, with what is needed to use them later on
// the same tree. Paths are relative to its root.
type answers struct {
	Server   string `json:"server"`
	Command  string `json:"command"`
	Language string `json:"language"`
	Platform string `json:"platform"`
	Commit   string `json:"commit,omitempty"`
	// Digest is that of the names and contents of the tree's files of the language, so many.
	Digest string `json:"digest"`
	Files  int    `json:"files"`

	Symbols []symbol `json:"symbols"`
	// Unseen says of files why the server has not loaded them; Dark lists lines of others that it does
	// not compile.
	Unseen map[string]string       `json:"unseen,omitempty"`
	Dark   map[string][]wire.Lines `json:"dark,omitempty"`
	// Rulings are what the server said of rows of ours that its list of references lacks, by rulingKey.
	Rulings map[string]string `json:"rulings,omitempty"`
}

const (
	// loadWait bounds the loading of a workspace, askWait one question.
	loadWait = 30 * time.Minute
	askWait  = 10 * time.Minute
	// again is how many of the symbols are asked for a second time, to see whether the server was done
	// loading when it was asked first; rounds is how often all are.
	again  = 20
	rounds = 4
	// asides is after how many symbols it is said how far the asking is: it can take minutes.
	asides = 100
)

// serverAnswers starts the server, picks n symbols and asks for the references to each.
func (b *bench) serverAnswers(ctx context.Context, l language, n int) (*answers, error) {
	t, err := treeOf(ctx, b.root, l)
	if err != nil {
		return nil, err
	}
	words := strings.Fields(b.server)
	a := &answers{Command: b.server, Language: l.id, Platform: runtime.GOOS + "/" + runtime.GOARCH, Files: len(t.files)}
	if a.Digest, err = t.digest(); err != nil {
		return nil, err
	}
	if commit, err := git(ctx, b.root, "rev-parse", "HEAD"); err == nil {
		a.Commit = strings.TrimSpace(commit)
	}
	switch {
	case l.id == "go":
		a.Unseen = unseenGo(t)
	case l.macros():
		if a.Unseen, err = unseenC(ctx, t, words); err != nil {
			return nil, err
		}
	}
	s, err := startServer(ctx, b.root, words, l)
	if err != nil {
		return nil, err
	}
	defer s.close(context.WithoutCancel(ctx))
	if a.Server = s.name; a.Server == "" {
		a.Server = packageName(words[0])
	}
	fmt.Fprintf(b.out, "  %s, %d files of %s, %d of them not seen by it\n", a.Server, a.Files, l.id, len(a.Unseen))
	return a, b.interview(ctx, s, t, l, n, a)
}

// packageName names a server that does not say its name by the package of npm that its executable belongs
// to, else by the executable.
func packageName(command string) string {
	file, err := exec.LookPath(command)
	if err != nil {
		return command
	}
	if real, err := filepath.EvalSymlinks(file); err == nil {
		file = real
	}
	for dir := filepath.Dir(file); dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		var p struct{ Name, Version string }
		if text, err := os.ReadFile(filepath.Join(dir, "package.json")); err == nil && json.Unmarshal(text, &p) == nil && p.Name != "" {
			return strings.TrimSpace(p.Name + " " + p.Version)
		}
	}
	return filepath.Base(command)
}

// interview fills a with what the server says.
func (b *bench) interview(ctx context.Context, s *languageServer, t *tree, l language, n int, a *answers) error {
	seen := slices.DeleteFunc(slices.Clone(t.files), func(file string) bool { return a.Unseen[file] != "" })
	if len(seen) == 0 {
		return fmt.Errorf("the server sees no file of %s", t.root)
	}
	began := time.Now()
	// The first file makes most servers load what it belongs to.
	if err := s.show(t, seen[0]); err != nil {
		return err
	}
	if err := s.wait(ctx); err != nil {
		return err
	}
	fmt.Fprintf(b.out, "  loaded after %s\n", round(time.Since(began)))
	p, err := sampled(ctx, s, t, l, n, max(b.seed, 1), seen[1:])
	if err != nil {
		return err
	}
	if a.Symbols = p.picked; len(a.Symbols) == 0 {
		return fmt.Errorf("the server lists no symbol in %d files", len(p.opened))
	}
	fmt.Fprintf(b.out, "  %d symbols of %d files after %s\n", len(a.Symbols), len(p.opened), round(time.Since(began)))
	if slices.Contains(s.commands, tsserverRequest) {
		if a.Unseen, err = s.unseenTS(ctx, t, p.opened); err != nil {
			return err
		}
	}
	if err := s.wait(ctx); err != nil {
		return err
	}
	if err := s.settled(ctx, t, a.Symbols, b.out); err != nil {
		return err
	}
	if l.macros() {
		if a.Dark, err = s.dark(ctx, t, a.Unseen); err != nil {
			return err
		}
	}
	fmt.Fprintf(b.out, "  answered after %s\n", round(time.Since(began)))
	return nil
}

// wait is loaded with a bound.
func (s *languageServer) wait(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, loadWait)
	defer cancel()
	return s.loaded(ctx)
}

// settled asks for every symbol until the answers to some of them, asked for again, are the same.
func (s *languageServer) settled(ctx context.Context, t *tree, symbols []symbol, out io.Writer) error {
	for range rounds {
		for i := range symbols {
			if err := s.references(ctx, t, &symbols[i]); err != nil {
				return err
			}
			if (i+1)%asides == 0 {
				fmt.Fprintf(out, "  asked for %d of %d\n", i+1, len(symbols))
			}
		}
		if err := s.wait(ctx); err != nil {
			return err
		}
		same := true
		for _, before := range spread(symbols, again) {
			now := before
			if err := s.references(ctx, t, &now); err != nil {
				return err
			}
			same = same && slices.Equal(before.References, now.References)
		}
		if same {
			return nil
		}
	}
	return fmt.Errorf("the server's answers still change after %d rounds", rounds)
}

// references asks for one symbol. A refusal is noted, the end of the server is an error.
func (s *languageServer) references(ctx context.Context, t *tree, of *symbol) error {
	one, cancel := context.WithTimeout(ctx, askWait)
	defer cancel()
	places, err := s.places(one, "textDocument/references", t, of.Site, map[string]any{"context": map[string]any{"includeDeclaration": true}})
	of.References, of.Outside, of.Failed = []site{}, 0, ""
	select {
	case <-s.done:
		return s.err
	case <-ctx.Done():
		return ctx.Err()
	default:
	}
	if err != nil {
		of.Failed = err.Error()
		return nil
	}
	for _, p := range places {
		if file, ok := s.pathOf(p.URI); ok && t.has(file) {
			of.References = append(of.References, t.site(file, p.Range.Start))
		} else {
			of.Outside++
		}
	}
	slices.SortFunc(of.References, compareSites)
	of.References = slices.Compact(of.References)
	return nil
}

// save writes the answers as JSON.
func (a *answers) save(file string) error {
	text, err := json.MarshalIndent(a, "", " ")
	if err != nil {
		return err
	}
	return os.WriteFile(file, append(text, '\n'), 0o644)
}

// loadAnswers reads answers and checks that the tree is the one that the server saw.
func loadAnswers(ctx context.Context, file, root string) (*answers, *tree, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, nil, err
	}
	a := &answers{}
	if err := json.Unmarshal(text, a); err != nil {
		return nil, nil, fmt.Errorf("%s: %w", file, err)
	}
	l, err := languageOf(a.Language)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", file, err)
	}
	t, err := treeOf(ctx, root, l)
	if err != nil {
		return nil, nil, err
	}
	digest, err := t.digest()
	if err != nil {
		return nil, nil, err
	}
	if digest != a.Digest {
		return nil, nil, fmt.Errorf("%s: %s answered about %d files at %s, and %s holds %d that are not all the same; check that out, or ask again with --save",
			file, a.Server, a.Files, cmp.Or(a.Commit, "no commit"), root, len(t.files))
	}
	return a, t, nil
}
