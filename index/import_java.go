package index

import "strings"

// importsJava reads import a.b.C, import a.b.*, import static a.b.C.m and import static a.b.C.*. In each case the types
// among the names before the last are references, too; what begins with a capital is taken for a type.
func importsJava(statement []byte) []Import {
	t := cText(statement)
	var words []span
	all := false
	for at := 0; at < len(t); {
		next := t.token(at)
		switch {
		case IsWord(t[at]):
			words = append(words, span{Start: uint32(at), End: uint32(next)})
		case t[at] == '*' && len(words) > 0:
			all = true
		}
		at = next
	}
	text := func(w span) string { return string(t[w.Start:w.End]) }
	if len(words) > 0 && text(words[0]) == "import" {
		if words = words[1:]; len(words) > 0 && text(words[0]) == "static" {
			words = words[1:]
		}
	} else if len(words) > 0 { // a package clause: its names are no references
		return []Import{{Path: "package", Start: words[0].Start, End: words[0].End}}
	}
	var found []Import
	var path []string
	for i, w := range words {
		name := text(w)
		last := i == len(words)-1
		m := Import{Path: strings.Join(path, "."), Name: name, Start: w.Start, End: w.End}
		if last && !all && i > 0 {
			m.Alias, m.AliasStart = name, w.Start
		}
		if i > 0 && (last && !all || name[0] >= 'A' && name[0] <= 'Z') {
			found = append(found, m)
		}
		path = append(path, name)
		if last && all {
			found = append(found, Import{Path: strings.Join(path, "."), Name: "*", Start: w.Start, End: w.End})
		}
	}
	return found
}
