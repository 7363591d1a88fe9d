package index

import (
	"path"
	"slices"
	"strings"
)

// moduleRule gives a file's module from its path and from the text of the query's @module capture.
type moduleRule func(path, captured string) string

// moduleClause: the file says it itself, as a Go or Java package clause does.
func moduleClause(_, captured string) string { return captured }

// modulePath: the path says it, a/b/c.py is a.b.c. A file of one of the index names stands for its
// directory. A query's @module, where there is one, goes first.
func modulePath(indexNames ...string) moduleRule {
	return func(file, captured string) string {
		if captured != "" {
			return captured
		}
		file = strings.TrimPrefix(path.Clean("/"+file), "/")
		dir, base := path.Split(file)
		base = strings.TrimSuffix(strings.TrimSuffix(base, path.Ext(base)), ".d")
		if slices.Contains(indexNames, base) {
			base = ""
		}
		return strings.ReplaceAll(strings.Trim(dir+base, "/"), "/", ".")
	}
}

// moduleFile: the base name says it, in OCaml's spelling: src/list_extra.ml is List_extra.
func moduleFile(file, _ string) string {
	base := path.Base("x" + file[strings.LastIndexByte(file, '/')+1:])[1:]
	base = strings.TrimSuffix(base, path.Ext(base))
	if base == "" || base[0] < 'a' || 'z' < base[0] {
		return base
	}
	return string(base[0]-'a'+'A') + base[1:]
}
