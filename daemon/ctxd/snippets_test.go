package main_test

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/pelletier/go-toml/v2"

	"ctxd/client/wire"
)

// fence is a block of a document in some language.
var fence = regexp.MustCompile("(?s)```(\\w+)\n(.*?)```")

// snippets are the blocks below a heading of docs/editors.md in one language.
func snippets(t *testing.T, heading, language string) (found []string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "editors.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(text), "\n## "+heading+"\n")
	section, _, _ = strings.Cut(section, "\n## ")
	for _, block := range fence.FindAllStringSubmatch(section, -1) {
		if block[1] == language {
			found = append(found, block[2])
		}
	}
	if len(found) == 0 {
		t.Fatalf("docs/editors.md has no %s below %q", language, heading)
	}
	return found
}

// server is how an editor is told to start one.
type server struct {
	Command string   `toml:"command"`
	Args    []string `toml:"args"`
}

// started are the servers that the documents have editors start, by the editor.
type started map[string][]string

// TestEditorSnippets: the set-ups that no editor runs in a test are well-formed, and what they start is a server.
func TestEditorSnippets(t *testing.T) {
	all := started{}
	all.helix(t)
	all.zed(t)
	all.sublime(t)
	all.kakoune(t)
	if len(all) != 4 {
		t.Errorf("%d servers are named: %v", len(all), all)
	}
	var hello []byte
	for _, message := range []string{`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"rootUri":null,"capabilities":{}}}`,
		`{"jsonrpc":"2.0","id":2,"method":"shutdown"}`, `{"jsonrpc":"2.0","method":"exit"}`} {
		hello = wire.AppendFrame(hello, []byte(message))
	}
	for who, words := range all {
		if words[0] != "ctx" {
			t.Errorf("%s starts %v", who, words)
			continue
		}
		p := newPlace(t)
		cmd := exec.Command(filepath.Join(bin, words[0]), words[1:]...)
		cmd.Env, cmd.Dir, cmd.Stdin = p.env, p.root, bytes.NewReader(hello)
		if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), `"capabilities"`) {
			t.Errorf("%s: %v: %v\n%s", who, words, err, out)
		}
	}
}

func (all started) helix(t *testing.T) {
	var helix struct {
		Servers   map[string]server `toml:"language-server"`
		Languages []struct {
			Name    string `toml:"name"`
			Servers []any  `toml:"language-servers"`
		} `toml:"language"`
	}
	decode(t, toml.Unmarshal, snippets(t, "Helix", "toml")[0], &helix)
	for name, s := range helix.Servers {
		all["Helix, "+name] = append([]string{s.Command}, s.Args...)
	}
	for _, l := range helix.Languages {
		uses := func(one any) bool {
			parts, ok := one.(map[string]any)
			return one == "ctx" || ok && parts["name"] == "ctx"
		}
		if l.Name == "" || !slices.ContainsFunc(l.Servers, uses) {
			t.Errorf("Helix: language %q does not use ctx: %v", l.Name, l.Servers)
		}
	}
}

func (all started) zed(t *testing.T) {
	var zed struct {
		ID      string `toml:"id"`
		Schema  int    `toml:"schema_version"`
		Servers map[string]struct {
			Languages []string `toml:"languages"`
		} `toml:"language_servers"`
	}
	decode(t, toml.Unmarshal, snippets(t, "Zed", "toml")[0], &zed)
	if zed.ID != "ctx" || zed.Schema != 1 || len(zed.Servers["ctx"].Languages) == 0 {
		t.Errorf("Zed: %+v", zed)
	}
	code := snippets(t, "Zed", "rust")[0]
	command := regexp.MustCompile(`which\("(\w+)"\)`).FindStringSubmatch(code)
	args := regexp.MustCompile(`args: vec!\["(\w+)"\.into\(\)\]`).FindStringSubmatch(code)
	if command == nil || args == nil {
		t.Errorf("Zed starts nothing:\n%s", code)
	} else {
		all["Zed"] = []string{command[1], args[1]}
	}
	var settings struct {
		Languages map[string]struct {
			Servers []string `json:"language_servers"`
		} `json:"languages"`
	}
	decode(t, json.Unmarshal, snippets(t, "Zed", "json")[0], &settings)
	for name, l := range settings.Languages {
		if !slices.Contains(zed.Servers["ctx"].Languages, name) || !slices.Contains(l.Servers, "ctx") {
			t.Errorf("Zed: %s: %v", name, l.Servers)
		}
	}
}

func (all started) sublime(t *testing.T) {
	var sublime struct {
		Clients map[string]struct {
			Enabled  bool     `json:"enabled"`
			Command  []string `json:"command"`
			Selector string   `json:"selector"`
		} `json:"clients"`
	}
	decode(t, json.Unmarshal, snippets(t, "Sublime Text", "json")[0], &sublime)
	for name, c := range sublime.Clients {
		if !c.Enabled || c.Selector == "" {
			t.Errorf("Sublime Text: %s: %+v", name, c)
		}
		all["Sublime Text, "+name] = c.Command
	}
}

func (all started) kakoune(t *testing.T) {
	_, inner, _ := strings.Cut(snippets(t, "Kakoune", "kak")[0], "lsp_servers %{")
	inner, _, _ = strings.Cut(inner, "}")
	var kakoune map[string]struct {
		server
		Roots []string `toml:"root_globs"`
	}
	decode(t, toml.Unmarshal, inner, &kakoune)
	for name, s := range kakoune {
		all["Kakoune, "+name] = append([]string{s.Command}, s.Args...)
	}
}

func decode(t *testing.T, unmarshal func([]byte, any) error, text string, into any) {
	t.Helper()
	if err := unmarshal([]byte(text), into); err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
}
