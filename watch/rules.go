package watch

// A ruleChain is the ignore files in force in a directory, innermost first. It is immutable, so
// a pointer that stayed the same means decisions that stayed the same.
type ruleChain struct {
	list  *ruleList
	outer *ruleChain
	base  int // bytes of the top-relative path, final slash included, of the list's directory
}

// match is the pattern that decides about path (relative to the top level) and its list; nil
// when none says anything. name is the last element.
func (c *ruleChain) match(path, name string, dir bool) (*ruleList, *pattern) {
	for ; c != nil; c = c.outer {
		if p := c.list.match(path[c.base:], name, dir); p != nil {
			return c.list, p
		}
	}
	return nil, nil
}

// layers are the rules in force in one directory. Git's and ours are kept apart: a negation in
// .ctxignore undoes an earlier line of a .ctxignore, never what git hides, and only git's rules
// give way to tracked files.
type layers struct {
	git, ctx *ruleChain
	hidden   bool // inside a directory that git ignores: only tracked files count
}

// Names of the ignore files of a directory.
const (
	gitignore = ".gitignore"
	ctxignore = ".ctxignore"
)

// An ignoreFile keeps what one ignore file was compiled to for as long as its bytes stay.
type ignoreFile struct {
	content string
	list    *ruleList
	chain   *ruleChain
}

// chained is the chain with this file's rules innermost; the same pointer as the last time when
// neither the bytes nor the outer chain changed.
func (f *ignoreFile) chained(content []byte, source string, fold bool, outer *ruleChain, base int) *ruleChain {
	if f.list == nil || f.content != string(content) || f.list.fold != fold || f.list.source != source {
		f.content = string(content)
		f.list = parseRules(source, f.content, fold)
		f.chain = nil
	}
	if len(f.list.patterns) == 0 {
		return outer
	}
	if f.chain == nil || f.chain.outer != outer || f.chain.base != base {
		f.chain = &ruleChain{list: f.list, outer: outer, base: base}
	}
	return f.chain
}

// verdict is what a sweep does with a name.
type verdict uint8

const (
	skip   verdict = iota // ignored, .git, or nothing that can be listed
	file                  // regular file
	link                  // symbolic link
	enter                 // directory
	hidden                // directory that git ignores and that holds tracked files
)

// decide says what becomes of a name in a directory; the pattern, when one decided. path is the
// whole path relative to the top level, name its last element, kind the verdict for its type.
func (l layers) decide(path, name string, kind verdict, t *tracked) (verdict, *ruleList, *pattern) {
	dir := kind == enter
	if kind == skip || name == ".git" {
		return skip, nil, nil
	}
	if dir && t.submodule(path) {
		return skip, nil, nil
	}
	if list, p := l.ctx.match(path, name, dir); p != nil && !p.negated {
		return skip, list, p
	}
	list, p := l.git.match(path, name, dir)
	if !l.hidden && (p == nil || p.negated) {
		return kind, nil, nil
	}
	switch {
	case dir && t.below(path):
		return hidden, nil, nil
	case !dir && t.file(path):
		return kind, nil, nil
	}
	return skip, list, p
}

// inside are the rules with which a directory's own ignore files begin.
func (l layers) inside(v verdict) layers {
	l.hidden = l.hidden || v == hidden
	return l
}
