package cli

import (
	"path/filepath"
	"strings"

	"ctxd/client/wire"
)

// schemes begin a reference that is complete in itself.
var schemes = []string{"repo:", "snapshot:", "blob:", "run:", "ws:"}

func complete(ref string) bool {
	for _, scheme := range schemes {
		if strings.HasPrefix(ref, scheme) {
			return true
		}
	}
	return false
}

// ref makes a reference that can be sent of one that was typed. What has a scheme stays as it
// is. Anything else is a path, byte for byte as a shell completes it: it is made relative to the
// root and encoded, so that names with spaces, percent signs or bytes that are not UTF-8 arrive
// as they are. Colons stay: whether the 4 in m.py:4 is a line or part of the name, the daemon
// decides, which knows the files.
func (p place) ref(typed string) string {
	if complete(typed) || typed == "" {
		return typed
	}
	return encoded(p.rel(typed))
}

// target is ref for the target of def, where a word may as well be a symbol: only what can be
// nothing but a path is made relative here, the rest goes to the daemon with the directory.
func (p place) target(typed string) string {
	if complete(typed) || !pathlike(typed) {
		return typed
	}
	return encoded(p.rel(typed))
}

func pathlike(s string) bool {
	return strings.HasPrefix(s, "/") || strings.HasPrefix(s, "./") || strings.HasPrefix(s, "../")
}

// encoded is repo: and the path, its colons as they are.
func encoded(path string) string {
	return strings.ReplaceAll(wire.RepoRef(path), "%3A", ":")
}

// rel is a typed path relative to the root. One that leads out of it still begins with ../ and
// is refused by the daemon, in the same words as everywhere.
func (p place) rel(typed string) string {
	if !filepath.IsAbs(typed) {
		return filepath.Join(p.dir, typed)
	}
	clean := filepath.Clean(typed)
	if rest, ok := below(p.root, clean); ok {
		return rest
	}
	// The same file through another name of its directory: /link/m.py for /real/m.py.
	if dir, err := filepath.EvalSymlinks(filepath.Dir(clean)); err == nil {
		if rest, ok := below(p.root, filepath.Join(dir, filepath.Base(clean))); ok {
			return rest
		}
	}
	if rest, err := filepath.Rel(p.root, clean); err == nil {
		return rest
	}
	return clean
}

// address makes an address that can be sent of one that was typed, in one word: the selector
// stays, the reference is handled as ref does.
func (p place) address(typed string) wire.Address {
	typed = bare(typed)
	a := wire.ParseAddress(typed)
	if a.Ref == strings.TrimSpace(typed) && !complete(a.Ref) {
		a.Ref = typed // a bare path: spaces around it are part of its name
	}
	a.Ref = p.ref(a.Ref)
	return a
}

// printed is an address as it is printed.
func printed(a wire.Address) string {
	switch {
	case a.Span != "":
		return a.Ref + " --span " + a.Span
	case a.Symbol != "":
		return a.Ref + " --symbol " + a.Symbol
	case a.Bytes != "":
		return a.Ref + " --bytes " + a.Bytes
	case a.Lines != "":
		return a.Ref + " --lines " + a.Lines
	}
	return a.Ref
}

// bare is an address without what a document has around it: a pair of backticks or quotes, and
// behind a range a name in brackets. Only what begins with a scheme is read so: of a plain path
// each of these may be a part.
func bare(typed string) string {
	s := strings.TrimSpace(typed)
	if n := len(s) - 1; n > 0 && strings.IndexByte("`'\"", s[0]) >= 0 && s[n] == s[0] {
		s = strings.TrimSpace(s[1:n])
	}
	if !complete(s) {
		return typed
	}
	a := wire.ParseAddress(s)
	lines, note, found := strings.Cut(a.Lines, " (")
	if found && strings.HasSuffix(note, ")") && strings.HasSuffix(s, a.Lines) {
		s = strings.TrimSuffix(s, a.Lines) + lines
	}
	return s
}
