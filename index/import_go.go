package index

import (
	"path"
	"strconv"
	"strings"
)

// importsGo reads an import spec: [name] "path". The name of the package is its own business; what almost all call
// theirs is the path's last element, without a major version and without what cannot be in a name.
func importsGo(spec []byte) []Import {
	s := string(spec)
	quote := strings.IndexAny(s, "\"`")
	if quote < 0 {
		return nil
	}
	p, err := strconv.Unquote(strings.TrimSpace(s[quote:]))
	if err != nil || p == "" {
		return nil
	}
	i := Import{Path: p, Start: uint32(quote + 1), End: uint32(quote + 1 + len(p)), AliasStart: uint32(quote + 1)}
	switch name := strings.TrimSpace(s[:quote]); name {
	case "":
		i.Alias = packageName(p)
	case "_":
	case ".":
		i.Name = "*"
	default:
		i.Alias, i.AliasStart = name, 0
	}
	return []Import{i}
}

func packageName(importPath string) string {
	name := path.Base(importPath)
	if len(name) > 1 && name[0] == 'v' && strings.Trim(name[1:], "0123456789") == "" && strings.Contains(importPath, "/") {
		name = path.Base(path.Dir(importPath))
	}
	if before, after, ok := strings.Cut(name, ".v"); ok && strings.Trim(after, "0123456789") == "" {
		name = before // gopkg.in/yaml.v3
	}
	name = strings.TrimSuffix(strings.TrimPrefix(name, "go-"), "-go")
	return strings.Map(func(r rune) rune {
		if r == '-' || r == '.' {
			return -1
		}
		return r
	}, name)
}
