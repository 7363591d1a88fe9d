package daemon

import (
	"path"
	"path/filepath"
	"strconv"
	"strings"

	"ctxd/client/wire"
)

// place is a path of the worktree, and the position that a reference carried: m.py:4, m.py:4-5,
// m.py:4:7 or, in a target, m.py:Symbol.
type place struct {
	path   string // relative to the root, raw bytes
	line   int    // from 1; 0: none
	last   int    // last line of A-B, else line
	col    int    // byte column from 1; 0: none
	symbol string
}

// grammar of what can be named; shown in refusals.
const (
	refGrammar    = "repo:PATH, PATH, snapshot:ID or blob:ID"
	targetGrammar = "repo:PATH:Symbol.dotted, Symbol.dotted, repo:PATH:LINE or repo:PATH:LINE:COL"
)

// locate finds the path that ref names. A name that exists as written wins; only then is a suffix
// :4, :4-5, :4:7 or (symbols) :Symbol taken off. With repo: the path is relative to the root and
// percent-decoded, without it relative to dir and literal.
func (ws *Workspace) locate(ref, dir string, symbols bool) (place, error) {
	if err := bounded(ref); err != nil {
		return place{}, err
	}
	whole, err := ws.path(ref, dir)
	if err != nil {
		return place{}, err
	}
	if ws.exists(whole) {
		return place{path: whole}, nil
	}
	// The longest prefix that names a file; suffixes are ASCII, so cutting bytes is safe.
	for i := len(ref) - 1; i > 0; i-- {
		if ref[i] != ':' || ref[:i] == "repo" {
			continue
		}
		p, err := ws.path(ref[:i], dir)
		if err != nil || !ws.exists(p) {
			continue
		}
		at := place{path: p}
		if at.position(ref[i+1:]) {
			return at, nil
		}
		if symbols && ref[i+1:] != "" {
			at.symbol = ref[i+1:]
			return at, nil
		}
	}
	return place{path: whole}, nil
}

// maxRef is the most bytes of a reference or target: three times what the system takes for a path,
// because of the percent-encoding, and room for a name. Every colon of it costs a look at the disk.
const maxRef = 16 << 10

// bounded refuses what is too long to be a reference.
func bounded(ref string) error {
	if len(ref) > maxRef {
		return refuse(wire.InvalidRequest, nil, "a reference of %d bytes is too long: at most %d are read; expected %s", len(ref), maxRef, refGrammar)
	}
	return nil
}

// position reads 4, 4-5 or 4:7.
func (p *place) position(s string) bool {
	a, b, dash := strings.Cut(s, "-")
	if !dash {
		a, b, _ = strings.Cut(s, ":")
	}
	first, ok := number(a)
	if !ok {
		return false
	}
	second, ok := number(b)
	if b != "" && (!ok || dash && second < first) {
		return false
	}
	p.line, p.last = first, first
	if dash {
		p.last = second
	} else if b != "" {
		p.col = second
	}
	return true
}

// withoutPosition is ref without a position at its end.
func withoutPosition(ref string) string {
	for i := range ref {
		if ref[i] == ':' && i > 0 && ref[:i] != "repo" && new(place).position(ref[i+1:]) {
			return ref[:i]
		}
	}
	return ref
}

// number reads a positive decimal of ASCII digits.
func number(s string) (int, bool) {
	if s == "" || len(s) > 9 || strings.Trim(s, "0123456789") != "" {
		return 0, false
	}
	n, _ := strconv.Atoi(s)
	return n, n > 0
}

// path is the path relative to the root that ref names, cleaned; a refusal when it leaves the root
// or is git's own.
func (ws *Workspace) path(ref, dir string) (string, error) {
	rest, repo := strings.CutPrefix(ref, "repo:")
	p := rest
	switch {
	case repo:
		// What we printed is decoded, whatever there is; what was written by hand may be literal.
		decoded := wire.DecodePath(rest)
		if wire.EncodePath(decoded) == rest || ws.exists(decoded) || !ws.exists(rest) {
			p = decoded
		}
		if filepath.IsAbs(p) {
			return "", refuse(wire.PathDenied, nil, "%s is absolute; repo: takes a path relative to the workspace", quote(ref))
		}
		for part := range strings.SplitSeq(p, "/") {
			if part == ".." {
				return "", refuse(wire.PathDenied, nil, "target path must not contain '..': %s; another worktree is named by --root", quote(p))
			}
		}
	case filepath.IsAbs(p):
		rel, err := filepath.Rel(ws.Root, filepath.Clean(p))
		if err != nil {
			return "", refuse(wire.PathDenied, nil, "%s is outside the workspace", quote(p))
		}
		p = filepath.ToSlash(rel)
	default:
		p = path.Join(wire.DecodePath(dir), p)
	}
	if strings.IndexByte(p, 0) >= 0 {
		return "", refuse(wire.PathDenied, nil, "a path holds no NUL byte: %s", quote(p))
	}
	p = path.Clean(p)
	if p == ".." || strings.HasPrefix(p, "../") {
		return "", refuse(wire.PathDenied, nil, "%s is outside the workspace; name its root with --root", quote(rest))
	}
	if p == "." || rest == "" {
		return "", refuse(wire.InvalidRequest, nil, "unrecognized reference %s; expected %s", quote(ref), refGrammar)
	}
	return p, nil
}

func (ws *Workspace) exists(p string) bool {
	if p == "" || strings.IndexByte(p, 0) >= 0 {
		return false
	}
	if ws.overlay.holds(path.Clean(p)) {
		return true
	}
	_, err := ws.root().Lstat(path.Clean(p))
	return err == nil
}

// secrets names what is not captured unless the workspace allows it: keys and tokens have no place
// in a store that outlives the file.
var secrets = []string{".env*", "*.pem", "*.key", "id_rsa*", "id_dsa*", "id_ecdsa*", "id_ed25519*", ".netrc", ".npmrc",
	".pypirc", "credentials", "secrets", ".aws", "gcloud", ".ssh", ".gnupg"}

// real is the path below the root that p leads to through symbolic links; "" when there is none.
func (ws *Workspace) real(p string) string {
	real, err := filepath.EvalSymlinks(filepath.Join(ws.Root, p))
	if err != nil {
		return ""
	}
	rel, err := filepath.Rel(ws.Root, real)
	if err != nil || strings.HasPrefix(rel, "..") {
		return ""
	}
	return filepath.ToSlash(rel)
}

// allowed refuses the paths that no face may read: git's own files and secrets, by the name that
// was asked for and by the name it leads to.
func (ws *Workspace) allowed(p, real string) error {
	for _, name := range []string{p, real} {
		for part := range strings.SplitSeq(name, "/") {
			if ws.secret(part) {
				return refusePath(wire.PathDenied, p, nil, "path is excluded from capture by policy: %s; [store] allow in ctx.toml lists exceptions", wire.RepoRef(p))
			}
		}
	}
	return nil
}

func (ws *Workspace) secret(part string) bool {
	if part == ".git" {
		return true
	}
	if !secretName(part) {
		return false
	}
	for _, pattern := range ws.config.Load().Store.Allow {
		if ok, _ := path.Match(pattern, part); ok {
			return false
		}
	}
	return true
}

// secretName compares a name with secrets. A search asks it of every file: path.Match took 2.6 µs for each
// name, this takes 0.6.
func secretName(part string) bool {
	for _, pattern := range secrets {
		head, tail, star := strings.Cut(pattern, "*")
		if star && len(part) >= len(head)+len(tail) && strings.HasPrefix(part, head) && strings.HasSuffix(part, tail) || part == pattern {
			return true
		}
	}
	return false
}

// quote shows a user's own words in a message.
func quote(s string) string { return "'" + displayPath(s) + "'" }
