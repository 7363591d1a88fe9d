package daemon

import (
	"fmt"
	"io/fs"
	"strings"

	"ctxd/client/wire"
)

// query is a parsed target.
type query struct {
	symbol string // as asked; "" when a position is asked for
	path   string // "" = anywhere
	at     *place // a position in a file
	dir    string // of who asked, below the root: a symbol that nothing defines may be a path from there
}

func (q query) printed() string {
	switch {
	case q.at != nil && q.at.col > 0:
		return fmt.Sprintf("%s:%d:%d", wire.RepoRef(q.at.path), q.at.line, q.at.col)
	case q.at != nil:
		return fmt.Sprintf("%s:%d", wire.RepoRef(q.at.path), q.at.line)
	case q.path != "":
		return wire.RepoRef(q.path) + ":" + q.symbol
	}
	return q.symbol
}

// target reads what the user asked for.
func (ws *Workspace) target(p wire.DefParams) (query, error) {
	if err := bounded(p.Target + p.Symbol); err != nil {
		return query{}, err
	}
	a := wire.ParseAddress(p.Target)
	if p.Symbol == "" {
		p.Symbol = a.Symbol
	}
	asked := a.Ref
	if strings.Trim(asked, ".: \t") == "" {
		return query{}, refuse(wire.InvalidRequest, nil, "missing symbol; target grammar: %s", targetGrammar)
	}
	if p.Symbol != "" {
		at, err := ws.locate(asked, p.Dir, false)
		if err != nil {
			return query{}, err
		}
		return query{path: at.path, symbol: strings.TrimSpace(p.Symbol)}, nil
	}
	isRepo := strings.HasPrefix(asked, "repo:")
	// A name with a colon is a path with a symbol only if that path exists: C++ users write a::b.
	if isRepo || strings.Contains(asked, ":") {
		at, err := ws.locate(asked, p.Dir, true)
		switch {
		case err != nil && (isRepo || !strings.Contains(asked, "::")):
			return query{}, err
		case err == nil && at.symbol != "":
			return query{path: at.path, symbol: at.symbol}, nil
		case err == nil && at.line > 0:
			return query{at: &at}, nil
		case isRepo && err == nil && ws.exists(at.path):
			return query{}, missingSymbol(at.path)
		case isRepo:
			return query{}, refuse(wire.NotFound, nil, "unparseable target %s: no file of the workspace begins it; target grammar: %s", quote(asked), targetGrammar)
		}
	}
	if path := withoutPosition(asked); path != asked && !isRepo && strings.ContainsAny(path, "./") {
		if p, err := ws.path(path, p.Dir); err == nil && !ws.exists(p) {
			return query{}, ws.readRefusal(p, fs.ErrNotExist)
		}
	}
	if strings.ContainsAny(asked, "/\\") {
		if path := strings.TrimPrefix(asked, "./"); ws.exists(path) {
			return query{}, missingSymbol(path)
		}
	}
	return query{symbol: asked, dir: p.Dir}, nil
}

// missingSymbol is the refusal of a path where a symbol in it is wanted; a map lists those.
func missingSymbol(path string) error {
	return refuse(wire.InvalidRequest, []string{"ctx map " + wire.RepoRef(path)}, "missing symbol; target grammar: %s", targetGrammar)
}

// spellings are the forms in which the index may hold a symbol: as it was asked for, because a name
// may hold anything (a heading ".NET Core", "std::vector"), then as other tools write it: a::b,
// (*T).m, f(), net/http.Server.
func spellings(symbol string) []string {
	dotted := strings.TrimSuffix(symbol, "()")
	dotted = strings.NewReplacer("::", ".", "(*", "", "(", "", ")", "").Replace(dotted)
	dotted = strings.Trim(dotted[strings.LastIndexByte(dotted, '/')+1:], ".")
	if dotted == symbol || dotted == "" {
		return []string{symbol}
	}
	return []string{symbol, dotted}
}
