package index

import (
	"path"
	"strings"
)

// respellPython writes a dotted path: relative if it was and the package that the dots stand for is one, else below the
// directories that are searched.
func respellPython(w World, _, now, old, fresh, spelled string) (all []string) {
	is := stemPython(fresh)
	for part := range strings.SplitSeq(is, "/") {
		if !identifierPython(part) {
			return nil // no import can name it
		}
	}
	dotted := func(below string) string { return strings.ReplaceAll(strings.TrimPrefix(below, "/"), "/", ".") }
	if strings.HasPrefix(spelled, ".") {
		dir, dots := dirOf(now), "."
		for dir != "" && is != dir && !strings.HasPrefix(is, dir+"/") {
			dir, dots = dirOf(dir), dots+"."
		}
		if initPython(w, dir) {
			all = append(all, dots+dotted(strings.TrimPrefix(is, dir)))
		}
	} else if root, ok := strings.CutSuffix("/"+stemPython(old), "/"+strings.ReplaceAll(spelled, ".", "/")); ok {
		if name, below := strings.CutPrefix("/"+is, root+"/"); below {
			all = append(all, dotted(name))
		}
	}
	for _, root := range rootsPython(w, now) {
		if name, below := strings.CutPrefix("/"+is, strings.TrimSuffix("/"+root, "/")+"/"); below {
			all = append(all, dotted(name))
		}
	}
	return all
}

// stemPython is the path of a module without what its file is called beyond that.
func stemPython(file string) string {
	return strings.TrimSuffix(strings.TrimSuffix(file, path.Ext(file)), "/__init__")
}

// identifierPython says whether an import can name a module so. Of names that are not ASCII Python makes others (NFKC), and
// not all that are letters here are letters there: they are left.
func identifierPython(name string) bool {
	for i := range len(name) {
		if c := name[i]; !IsWord(c) || c >= 0x80 || i == 0 && c >= '0' && c <= '9' {
			return false
		}
	}
	return name != "" && !keywordsPython[name]
}

var keywordsPython = map[string]bool{}

func init() {
	for word := range strings.FieldsSeq(`False None True and as assert async await break class continue def del elif else except
		finally for from global if import in is lambda nonlocal not or pass raise return try while with yield`) {
		keywordsPython[word] = true
	}
}
