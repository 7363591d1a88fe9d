package index

import (
	"bytes"
	"embed"
	"fmt"
	"strings"

	"ctxd/index/internal/sitter"
)

//go:embed languages/*/tags.scm
var folders embed.FS

// role is what a capture means to the engine. languages/README.md documents each.
type role uint8

const (
	rolePrivate role = iota // @_x: for predicates only
	roleName
	roleContainer
	roleScope
	roleLocal
	roleComment
	roleDoc
	roleDecorator
	roleOuter
	roleInner
	roleModule
	roleHoist
	roleLeaf
	roleBody
	roleLevel
	roleDefinition
)

var roles = map[string]role{
	"name": roleName, "container": roleContainer, "scope": roleScope, "scope.local": roleLocal,
	"comment": roleComment, "doc": roleDoc, "decorator": roleDecorator, "outer": roleOuter,
	"inner": roleInner, "module": roleModule, "hoist": roleHoist, "leaf": roleLeaf, "body": roleBody,
	"level.1": roleLevel, "level.2": roleLevel, "level.3": roleLevel,
	"level.4": roleLevel, "level.5": roleLevel, "level.6": roleLevel,
}

// meaning of one capture id.
type meaning struct {
	role  role
	kind  Kind // of roleDefinition
	level uint8
}

// query is a language's compiled query.
type query struct {
	language *sitter.Language
	meanings []meaning     // by capture id
	tests    [][]predicate // by pattern index; nil for most
}

// QueryError says where a language's query is wrong; Line counts from 1 in the concatenation of the
// language's tags.scm files.
type QueryError struct {
	Language string
	Line     int
	Problem  string
}

func (e *QueryError) Error() string {
	return fmt.Sprintf("languages/%s/tags.scm:%d: %s", e.Language, e.Line, e.Problem)
}

// Check compiles the queries of all languages and proves that the parser is linked in. The daemon
// calls it once at its start; an error means a broken build, and Build would give Failed.
func Check() error {
	if err := sitter.Check(); err != nil {
		return err
	}
	for _, l := range languages {
		if _, err := l.load(); err != nil {
			return err
		}
	}
	return nil
}

// source is the text of the language's query.
func (l *language) source() ([]byte, error) {
	names := l.queries
	if names == nil {
		names = []string{l.name}
	}
	var text bytes.Buffer
	for _, name := range names {
		part, err := folders.ReadFile("languages/" + name + "/tags.scm")
		if err != nil {
			return nil, &QueryError{Language: name, Line: 1, Problem: "there is no such file: add the folder or remove the row in language.go"}
		}
		text.Write(part)
		text.WriteByte('\n')
	}
	return text.Bytes(), nil
}

func (l *language) compile() (*query, error) {
	text, err := l.source()
	if err != nil {
		return nil, err
	}
	return compileQuery(l.name, text)
}

func compileQuery(name string, text []byte) (*query, error) {
	sl, err := sitter.Open(name, text, func(capture string) bool { return strings.HasPrefix(capture, "definition.") })
	if err != nil {
		return nil, err
	}
	q := &query{language: sl}
	for _, capture := range sl.Captures() {
		m, ok := meaningOf(capture)
		if !ok {
			line := 1 + bytes.Count(text[:max(0, bytes.Index(text, []byte("@"+capture)))], []byte("\n"))
			return nil, &QueryError{Language: name, Line: line, Problem: "unknown capture @" + capture + "; languages/README.md lists them"}
		}
		q.meanings = append(q.meanings, m)
	}
	for _, p := range sl.Patterns() {
		tests, err := compilePredicates(p.Predicates)
		if err != nil {
			return nil, &QueryError{Language: name, Line: p.Line, Problem: err.Error()}
		}
		q.tests = append(q.tests, tests)
	}
	return q, nil
}

func meaningOf(capture string) (meaning, bool) {
	if strings.HasPrefix(capture, "_") {
		return meaning{role: rolePrivate}, true
	}
	if kind, ok := strings.CutPrefix(capture, "definition."); ok {
		k, known := kindNamed(kind)
		return meaning{role: roleDefinition, kind: k}, known
	}
	r, ok := roles[capture]
	m := meaning{role: r}
	if r == roleLevel {
		m.level = capture[len(capture)-1] - '0'
	}
	return m, ok
}
