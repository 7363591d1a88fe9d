package daemon

import (
	"errors"
	"path"
	"strings"

	"ctxd/client/wire"
)

// mostGuides is how many files of the name of a missing one are suggested.
const mostGuides = 3

// guided adds to the refusal of a path that is not there where to look instead: at files of that name, else at what there
// is in the nearest directory above. It looks at the names of all files, so it is for what a request is about, and not
// for each of 10,000 addresses.
func (ws *Workspace) guided(err error) error {
	var refusal *wire.Error
	if !errors.As(err, &refusal) || refusal.Data == nil || refusal.Data.Error != wire.NotFound || len(refusal.Data.Suggestions) > 0 {
		return err
	}
	missing := wire.Exact(refusal.Data.Path, refusal.Data.PathBase64)
	if missing == "" || ws.exists(missing) {
		return err
	}
	data, told := *refusal.Data, *refusal
	told.Data = &data
	for _, f := range ws.cur.Load().files {
		if path.Base(f.Path) == path.Base(missing) && len(data.Suggestions) < mostGuides {
			data.Suggestions = append(data.Suggestions, "ctx get "+wire.ShellWord(wire.RepoRef(f.Path)))
		}
	}
	if len(data.Suggestions) == 0 {
		data.Suggestions = []string{strings.TrimSuffix("ctx map "+ws.nearestDir(missing), " ")}
	}
	return &told
}

// nearestDir is the reference of the nearest directory above a path that is there; "" for the root.
func (ws *Workspace) nearestDir(missing string) string {
	for dir := path.Dir(missing); dir != "." && dir != "/"; dir = path.Dir(dir) {
		if fi, err := ws.root().Stat(dir); err == nil && fi.IsDir() {
			return wire.ShellWord(wire.RepoRef(dir))
		}
	}
	return ""
}
