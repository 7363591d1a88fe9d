package index

import (
	"encoding/json"
	"path"
	"slices"
	"strings"
)

// pathConfig is what a tsconfig.json or jsconfig.json says of imports.
type pathConfig struct {
	base  string   // directory for paths without a dot
	based bool     // base is said
	rules []string // patterns of "paths", sorted
	paths map[string][]string
	dir   string // from which the targets of paths count
}

// maxExtends bounds a chain of "extends", which may be a circle.
const maxExtends = 8

// configured lists the files that a configuration around dir gives a path, the nearest first. Several may lie in one
// directory, tsconfig.json beside tsconfig.app.json: which one a file belongs to is not looked at.
func (p *nodeTree) configured(dir, name string) []string {
	for ; ; dir = dirOf(dir) {
		for _, at := range p.configsIn(dir) {
			if files := p.mapped(p.config(at, 0), name); files != nil {
				return files
			}
		}
		if dir == "" {
			return nil
		}
	}
}

// configsIn lists the configurations in a directory: those with the usual names before the others.
func (p *nodeTree) configsIn(dir string) []string {
	var usual, others []string
	p.exists(path.Join(dir, "tsconfig.json")) // lists the directory
	for _, at := range p.dirs[dir] {
		switch base := path.Base(at); {
		case base == "tsconfig.json", base == "jsconfig.json":
			usual = append(usual, at)
		case strings.HasPrefix(base, "tsconfig.") && strings.HasSuffix(base, ".json"):
			others = append(others, at)
		}
	}
	return append(usual, others...)
}

func (p *nodeTree) mapped(c *pathConfig, name string) []string {
	best, star := "", ""
	for _, rule := range c.rules {
		if rule == name {
			best, star = rule, ""
			break
		}
		before, _, _ := strings.Cut(rule, "*")
		bestBefore, _, _ := strings.Cut(best, "*")
		if s, ok := matchStar(rule, name); ok && (best == "" || len(before) > len(bestBefore)) {
			best, star = rule, s
		}
	}
	for _, target := range c.paths[best] {
		if files := p.module(path.Join(c.dir, strings.ReplaceAll(target, "*", star))); files != nil {
			return files
		}
	}
	if c.based {
		return p.module(path.Join(c.base, name))
	}
	return nil
}

func (p *nodeTree) config(at string, depth int) *pathConfig {
	if c := p.configs[at]; c != nil {
		return c
	}
	c := &pathConfig{}
	if depth > maxExtends {
		return c
	}
	p.configs[at] = c // a circle ends here
	var text struct {
		Extends         any
		CompilerOptions struct {
			BaseURL *string `json:"baseUrl"`
			Paths   map[string][]string
		}
	}
	if json.Unmarshal(plainJSON(p.w.Read(at)), &text) != nil {
		return c
	}
	for _, target := range conditions(text.Extends, nil) {
		if !strings.HasPrefix(target, ".") {
			continue // a package: installed
		}
		from := path.Join(dirOf(at), target)
		if !p.exists(from) {
			from += ".json"
		}
		if !p.exists(from) {
			continue
		}
		if parent := p.config(from, depth+1); parent.based || parent.rules != nil {
			*c = *parent
		}
	}
	if base := text.CompilerOptions.BaseURL; base != nil {
		c.base, c.based = path.Join(dirOf(at), *base), true
		if text.CompilerOptions.Paths == nil && c.rules != nil {
			c.dir = c.base
		}
	}
	if paths := text.CompilerOptions.Paths; paths != nil {
		c.paths, c.rules, c.dir = paths, nil, dirOf(at)
		if c.based {
			c.dir = c.base
		}
		for rule := range paths {
			c.rules = append(c.rules, rule)
		}
		slices.Sort(c.rules)
	}
	return c
}

// plainJSON is JSON without the comments, and the commas before a closing bracket, that configurations may have.
func plainJSON(text []byte) []byte {
	text = []byte(strings.TrimPrefix(string(text), "\ufeff"))
	out := make([]byte, 0, len(text))
	comma := -1 // where in out the last comma stands, when nothing but white space came behind it
	for i := 0; i < len(text); i++ {
		rest := text[i:]
		switch c := text[i]; {
		case c == '"':
			end := i + 1
			for end < len(text) && text[end] != '"' {
				if text[end] == '\\' {
					end++
				}
				end++
			}
			out = append(out, text[i:min(end+1, len(text))]...)
			i, comma = end, -1
		case len(rest) > 1 && c == '/' && rest[1] == '/':
			for i+1 < len(text) && text[i+1] != '\n' {
				i++
			}
		case len(rest) > 1 && c == '/' && rest[1] == '*':
			end := strings.Index(string(rest[2:]), "*/")
			if end < 0 {
				return out
			}
			i += end + 3
		case c == '}' || c == ']':
			if comma >= 0 {
				out[comma] = ' '
			}
			out, comma = append(out, c), -1
		case c == ',':
			comma = len(out)
			out = append(out, c)
		default:
			if !isSpace(c) {
				comma = -1
			}
			out = append(out, c)
		}
	}
	return out
}
