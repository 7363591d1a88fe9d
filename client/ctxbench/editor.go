package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"ctxd/client"
	"ctxd/client/wire"
)

// editor types into one file of a tree and asks at once, over ctx lsp and over another language server, turn by turn;
// then it counts what three editors on that tree hold.
func editors(ctx context.Context, b *bench) error {
	c, status, err := b.warm(ctx, b.root)
	if err != nil {
		return err
	}
	defer c.Close()
	at, err := b.typingPlace(ctx, c)
	if err != nil {
		return err
	}
	commands := [][]string{{filepath.Join(b.bin, "ctx"), "lsp"}}
	if b.server != "" {
		commands = append(commands, strings.Fields(b.server))
	}
	var open []*typist
	defer func() {
		for _, t := range open {
			t.server.close(context.WithoutCancel(ctx))
		}
	}()
	for _, words := range commands {
		began := time.Now()
		t, err := startTypist(ctx, b.root, words, at)
		if err != nil {
			return err
		}
		open = append(open, t)
		if err := t.ready(ctx); err != nil {
			return err
		}
		fmt.Fprintf(b.out, "  %s: ready after %v\n", t.server.name, round(time.Since(began)))
	}
	if err := b.typing(ctx, open); err != nil {
		return err
	}
	return b.threeEditors(ctx, commands, open, at, status.PID)
}

// typingPlace is a file of the tree, with the place of a definition in it.
type typingPlace struct {
	file     string // relative
	text     string
	position wire.Position // of the name
	name     string
}

func (b *bench) typingPlace(ctx context.Context, c *client.Client) (*typingPlace, error) {
	def, err := c.Def(ctx, wire.DefParams{Common: b.common(), Target: b.name})
	if err != nil {
		return nil, err
	}
	d := def.Definitions[0]
	src, err := os.ReadFile(filepath.Join(b.root, d.Path))
	if err != nil {
		return nil, err
	}
	lines := bytes.Count(src[:d.SelectionBytes[0]], []byte("\n"))
	return &typingPlace{file: d.Path, text: string(src), name: d.Name, position: wire.Position{Line: lines, Character: d.SelectionRange.Start.Character}}, nil
}

// typist is an editor that has one file open and types into it.
type typist struct {
	server  *languageServer
	at      *typingPlace
	uri     string
	version int
	lines   int // of the text
}

func startTypist(ctx context.Context, root string, words []string, at *typingPlace) (*typist, error) {
	s, err := startServer(ctx, root, words, languages["go"])
	if err != nil {
		return nil, err
	}
	t := &typist{server: s, at: at, uri: uriOf(root + "/" + at.file), version: 1, lines: strings.Count(at.text, "\n")}
	return t, s.notify("textDocument/didOpen", map[string]any{"textDocument": map[string]any{
		"uri": t.uri, "languageId": "go", "version": 1, "text": at.text,
	}})
}

// ready waits until the server has loaded, and has answered each question once.
func (t *typist) ready(ctx context.Context) error {
	for _, q := range editorQuestions {
		if _, err := t.ask(ctx, q); err != nil {
			return err
		}
	}
	if err := t.server.loaded(ctx); err != nil {
		return err
	}
	for _, q := range editorQuestions {
		if n, err := t.ask(ctx, q); err != nil {
			return err
		} else if n == 0 {
			return fmt.Errorf("%s: %s finds nothing", t.server.name, q)
		}
	}
	return nil
}

// keystroke adds a comment line at the end of the text: no content is typed twice, so that nothing can be remembered.
func (t *typist) keystroke() error {
	t.version++
	end := wire.Position{Line: t.lines}
	t.lines++
	return t.server.notify("textDocument/didChange", map[string]any{
		"textDocument": map[string]any{"uri": t.uri, "version": t.version},
		"contentChanges": []any{map[string]any{
			"range": wire.Range{Start: end, End: end}, "text": fmt.Sprintf("// typed %d\n", t.version),
		}},
	})
}

// editorQuestions are the requests that follow a keystroke.
var editorQuestions = []string{"textDocument/definition", "textDocument/references", "workspace/symbol", "textDocument/documentSymbol"}

// ask asks one question, and says how many rows came.
func (t *typist) ask(ctx context.Context, method string) (int, error) {
	params := map[string]any{"textDocument": map[string]any{"uri": t.uri}, "position": t.at.position, "context": map[string]any{"includeDeclaration": false}}
	if method == "workspace/symbol" {
		params = map[string]any{"query": t.at.name}
	}
	var rows []any
	err := t.server.call(ctx, method, params, &rows)
	return len(rows), err
}

// typing times a keystroke with the question behind it.
func (b *bench) typing(ctx context.Context, open []*typist) error {
	for _, q := range editorQuestions {
		took := make([]samples, len(open))
		rows := make([]int, len(open))
		var turns []turn
		for i, t := range open {
			turns = append(turns, turn{&took[i], func() (err error) {
				if err = t.keystroke(); err != nil {
					return err
				}
				rows[i], err = t.ask(ctx, q)
				return err
			}})
		}
		if err := inTurns(b.times(100), turns...); err != nil {
			return err
		}
		for i, t := range open {
			b.row(fmt.Sprintf("%s, %d rows: %s", strings.TrimPrefix(q, "textDocument/"), rows[i], t.server.name), took[i], nil)
		}
		if len(open) > 1 {
			b.judge(atMostTimes("didChange, then "+strings.TrimPrefix(q, "textDocument/")+", p50 beside "+open[1].server.name, took[0].at(0.5), took[1].at(0.5), 1))
		}
	}
	return nil
}

// threeEditors opens two more of each, and adds up what their processes hold; the daemon counts as ours.
func (b *bench) threeEditors(ctx context.Context, commands [][]string, open []*typist, at *typingPlace, daemon int) error {
	held := make([]int64, len(commands))
	for i, words := range commands {
		all := []*typist{open[i]}
		for range 2 {
			t, err := startTypist(ctx, b.root, words, at)
			if err != nil {
				return err
			}
			defer t.server.close(context.WithoutCancel(ctx))
			if err := t.ready(ctx); err != nil {
				return err
			}
			all = append(all, t)
		}
		if err := pause(ctx, b.idle); err != nil {
			return err
		}
		for _, t := range all {
			size := resident(t.server.pid, "VmRSS:")
			if size == 0 {
				return errors.New("the memory of a server cannot be read")
			}
			held[i] += size
		}
		if i == 0 {
			held[i] += resident(daemon, "VmRSS:")
		}
		fmt.Fprintf(b.out, "  three editors over %s: %d MB\n", open[i].server.name, held[i]>>20)
	}
	if len(held) > 1 {
		b.judge(atMostRatio("memory of three editors beside three "+open[1].server.name, float64(held[0])/float64(held[1]), 1))
	}
	return nil
}
