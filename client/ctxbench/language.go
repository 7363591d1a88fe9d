package main

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
)

// language is what has to be known of a language to ask a server about it.
type language struct {
	id         string   // as LSP has it
	extensions []string // of its files
	// others are extensions of files whose documents have another id.
	others   map[string]string
	settings map[string]any // what the server is told when it asks, by section; "initialize" at once
	comment  string         // what begins a comment that ends with the line
	keep     bool           // files stay open: the server forgets a project that has none
}

var languages = map[string]language{
	"go": {id: "go", extensions: []string{".go"}, comment: "//",
		settings: map[string]any{"initialize": map[string]any{"diagnosticsTrigger": "Save"}, "gopls": map[string]any{"diagnosticsTrigger": "Save"}}},
	"python": {id: "python", extensions: []string{".py", ".pyi"}, comment: "#",
		settings: map[string]any{"python": map[string]any{}, "python.analysis": map[string]any{"diagnosticMode": "openFilesOnly", "autoSearchPaths": true}}},
	"typescript": {id: "typescript", keep: true, extensions: []string{".ts", ".mts", ".cts", ".tsx", ".js", ".mjs", ".cjs", ".jsx"}, comment: "//",
		others: map[string]string{".tsx": "typescriptreact", ".js": "javascript", ".mjs": "javascript", ".cjs": "javascript", ".jsx": "javascriptreact"},
		// Types of packages that are not installed would be fetched.
		settings: map[string]any{"initialize": map[string]any{"disableAutomaticTypingAcquisition": true}}},
	"c":    {id: "c", extensions: []string{".c", ".h"}, comment: "//"},
	"cpp":  {id: "cpp", extensions: []string{".cc", ".cpp", ".cxx", ".h", ".hh", ".hpp", ".hxx"}, comment: "//"},
	"java": {id: "java", extensions: []string{".java"}, comment: "//"},
	"rust": {id: "rust", extensions: []string{".rs"}, comment: "//"},
}

// languageOf finds a language by its name in LSP.
func languageOf(name string) (language, error) {
	if l, ok := languages[strings.ToLower(name)]; ok {
		return l, nil
	}
	return language{}, fmt.Errorf("--language %q is not known to this mode; name one of %s", name, strings.Join(slices.Sorted(maps.Keys(languages)), ", "))
}

// has says whether a file is of the language, by its name.
func (l language) has(file string) bool { return slices.Contains(l.extensions, path.Ext(file)) }

// document is the language id of a file.
func (l language) document(file string) string {
	if id, ok := l.others[path.Ext(file)]; ok {
		return id
	}
	return l.id
}

// macros says that the language has a preprocessor.
func (l language) macros() bool { return l.id == "c" || l.id == "cpp" }
