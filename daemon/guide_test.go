package daemon

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"ctxd/client/wire"
)

// TestGuided: a refusal of what is not there, or is no file, says where to look instead, whichever method asked.
func TestGuided(t *testing.T) {
	d := newDaemon(t)
	root := t.TempDir()
	for _, path := range []string{"a/m.py", "b/c/m.py", "a/other.py"} {
		write(t, filepath.Join(root, path), "def f():\n    pass\n")
	}
	if err := os.Symlink("nowhere", filepath.Join(root, "broken")); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(filepath.Join(root, "pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	settled(t, use(t, d, root))
	for _, tt := range []struct {
		method string
		params map[string]any
		word   wire.Word
		says   string
		try    string // one a line
	}{
		{wire.MethodGet, map[string]any{"ref": "repo:m.py"}, wire.NotFound, "no such path", "ctx get repo:a/m.py\nctx get repo:b/c/m.py"},
		{wire.MethodGet, map[string]any{"ref": "repo:b/c/none.py"}, wire.NotFound, "no such path", "ctx map repo:b/c"},
		{wire.MethodGet, map[string]any{"ref": "repo:b/d/e/none.py"}, wire.NotFound, "no such path", "ctx map repo:b"},
		{wire.MethodMap, map[string]any{"path": "repo:none"}, wire.NotFound, "no such path", "ctx map"},
		{wire.MethodDiag, map[string]any{"path": "repo:none"}, wire.NotFound, "no such path", "ctx map"},
		{wire.MethodCheck, map[string]any{"paths": []string{"repo:none"}}, wire.NotFound, "no such path", "ctx map"},
		{wire.MethodRefs, map[string]any{"target": "f", "path": "repo:none"}, wire.NotFound, "no such path", "ctx map"},
		{wire.MethodSearch, map[string]any{"patterns": []string{"f"}, "path": "repo:c/m.py"}, wire.NotFound, "no such path", "ctx get repo:a/m.py\nctx get repo:b/c/m.py"},
		{wire.MethodGet, map[string]any{"ref": "repo:broken"}, wire.NotFound, "a symbolic link to 'nowhere', which is not there", ""},
		{wire.MethodGet, map[string]any{"ref": "repo:a"}, wire.Unsupported, "is a directory", "ctx map repo:a"},
		{wire.MethodGet, map[string]any{"ref": "repo:pipe"}, wire.Unsupported, "is a named pipe", ""},
		{wire.MethodMap, map[string]any{"path": "repo:pipe"}, wire.Unsupported, "is a named pipe", ""},
		{wire.MethodDiag, map[string]any{"path": "repo:pipe"}, wire.Unsupported, "is a named pipe", ""},
		{wire.MethodCheck, map[string]any{"paths": []string{"repo:pipe"}}, wire.Unsupported, "is a named pipe", ""},
		{wire.MethodSearch, map[string]any{"patterns": []string{"f"}, "path": "repo:pipe"}, wire.Unsupported, "is a named pipe", ""},
		{wire.MethodDef, map[string]any{"target": "zzz.qqq"}, wire.NotFound, "no definition of 'zzz.qqq'", "ctx search qqq"},
	} {
		tt.params["root"] = root
		params, err := json.Marshal(tt.params)
		if err != nil {
			t.Fatal(err)
		}
		_, err = d.Handle(t.Context(), tt.method, params)
		var try []string
		if e, ok := err.(*wire.Error); ok {
			try = e.Data.Suggestions
		}
		want := strings.FieldsFunc(tt.try, func(r rune) bool { return r == '\n' })
		if word(err) != tt.word || !strings.Contains(err.Error(), tt.says) || !slices.Equal(try, want) {
			t.Errorf("%s %s: %v, suggests %q; want %s, %q, %q", tt.method, params, err, try, tt.word, tt.says, want)
		}
	}
}

// TestMalformedParameters: what is wrong is said in the words of the protocol.
func TestMalformedParameters(t *testing.T) {
	d := newDaemon(t)
	for params, want := range map[string]string{
		`[1]`:             "malformed parameters: an object is expected, not array",
		`{"root":5}`:      "malformed parameters: root takes no number",
		`{"limit":"x"}`:   "malformed parameters: limit takes no string",
		`{"noBody":null}`: "root must be an absolute path, not ''",
	} {
		if _, err := d.Handle(t.Context(), wire.MethodDef, json.RawMessage(params)); word(err) != wire.InvalidRequest || err.Error() != want {
			t.Errorf("%s: %v; want %s", params, err, want)
		}
	}
}
