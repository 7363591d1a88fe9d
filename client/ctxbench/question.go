package main

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"ctxd/client/wire"
)

// question is one method that fresh can ask after a write.
type question struct {
	name   string
	method string
	params func(common wire.Common, name, path string) any // path is the file that was written
	// shown receives the answer and says whether it shows name in the file of w, and rightly: a row whose
	// text is not the definition of name counts as none. That nothing is known by the name is no error.
	shown func(c *rawConn, name string, w written) (bool, error)
}

var questions = []question{
	{"def", wire.MethodDef,
		func(common wire.Common, name, _ string) any { return wire.DefParams{Common: common, Target: name} },
		func(c *rawConn, name string, w written) (bool, error) {
			var result wire.DefResult
			if err := c.receive(&result); err != nil {
				if unknown(err) {
					return false, nil
				}
				return false, err
			}
			return slices.ContainsFunc(result.Definitions, func(d wire.Definition) bool {
				return d.Path == filepath.ToSlash(w.path) && len(d.Text) == 1 && d.Text[0] == markDefinition(name)
			}), nil
		}},
	{"refs", wire.MethodRefs,
		func(common wire.Common, name, _ string) any { return wire.RefsParams{Common: common, Target: name} },
		func(c *rawConn, name string, w written) (bool, error) {
			var result wire.RefsResult
			if err := c.receive(&result); err != nil {
				if unknown(err) {
					return false, nil
				}
				return false, err
			}
			return slices.ContainsFunc(result.References, func(r wire.Reference) bool {
				return r.Path == filepath.ToSlash(w.path) && r.Text == markDefinition(name) && r.Role == "declaration"
			}), nil
		}},
	{"search", wire.MethodSearch,
		func(common wire.Common, name, _ string) any {
			return wire.SearchParams{Common: common, Patterns: []string{name}}
		},
		func(c *rawConn, name string, w written) (bool, error) {
			var result wire.SearchResult
			if err := c.receive(&result); err != nil {
				return false, err
			}
			return slices.ContainsFunc(result.Matches, func(m wire.Match) bool {
				return m.Path == filepath.ToSlash(w.path) && m.Text == markDefinition(name)
			}), nil
		}},
	{"map", wire.MethodMap,
		func(common wire.Common, _, path string) any {
			return wire.MapParams{Common: common, Path: wire.RepoRef(filepath.ToSlash(path))}
		},
		func(c *rawConn, name string, w written) (bool, error) {
			var result wire.MapResult
			if err := c.receive(&result); err != nil {
				return false, err
			}
			return slices.ContainsFunc(result.Entries, func(e wire.MapEntry) bool {
				return e.Path == filepath.ToSlash(w.path) && e.Name == name && e.Signature == strings.TrimSuffix(markDefinition(name), " { return 1 }")
			}), nil
		}},
}

func questionNames() (names []string) {
	for _, q := range questions {
		names = append(names, q.name)
	}
	return names
}

func questionNamed(name string) (question, error) {
	at := slices.IndexFunc(questions, func(q question) bool { return q.name == name })
	if at < 0 {
		return question{}, fmt.Errorf("--ask %s: there are %s", name, strings.Join(questionNames(), ", "))
	}
	return questions[at], nil
}

// send asks for a name, which was or is in the file that was written.
func (q question) send(c *rawConn, root, name string, w written, noSync bool) error {
	return c.send(q.method, q.params(wire.Common{Root: root, NoSync: noSync}, name, w.path))
}
