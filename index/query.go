package index

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"slices"
	"strings"

	"ctxd/index/internal/sitter"
)

//go:embed languages/*/*.scm
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
	roleLocalDefinition // visible behind its statement
	roleLocalScope      // visible in the whole scope
	roleLocalFunction   // visible in the whole function
	roleLocalOwn        // the name of a function expression, known in it alone
	roleLocalHead       // visible in the whole scope and in its head
	roleLocalField      // a member that is assigned to
	roleLocalStatement
	roleLocalType
	roleLocalValue
	roleLocalTyping
	roleLocalReceiver
	roleLocalShape
	roleLocalMember
	roleLocalOuter
	roleLocalWrite
	roleLocalIgnore
	roleLocalOuterFile
	roleLocalReference
	roleLocalAsType
	roleLocalAssigned
	roleLocalKey
	roleLocalPart
	roleLocalExport
	roleLocalExportAs
	roleLocalExportDefault
	roleLocalExportModule
	roleLocalHoist   // the names of a declaration that is the whole function's
	roleLocalHoistTo // the body of a namespace, which is a function to those
	roleLocalBare    // a member of the object around it: in Foo() : x(1), x is
	roleImport
)

var roles = map[string]role{
	"name": roleName, "container": roleContainer, "scope": roleScope, "scope.local": roleLocal,
	"comment": roleComment, "doc": roleDoc, "decorator": roleDecorator, "outer": roleOuter,
	"inner": roleInner, "module": roleModule, "hoist": roleHoist, "leaf": roleLeaf, "body": roleBody,
	"level.1": roleLevel, "level.2": roleLevel, "level.3": roleLevel,
	"local.definition": roleLocalDefinition, "local.definition.scope": roleLocalScope,
	"local.definition.function": roleLocalFunction, "local.statement": roleLocalStatement,
	"local.type": roleLocalType, "local.receiver": roleLocalReceiver, "local.shape": roleLocalShape, "local.member": roleLocalMember,
	"local.definition.own": roleLocalOwn, "local.definition.head": roleLocalHead, "local.field": roleLocalField, "local.type.value": roleLocalValue,
	"local.typing": roleLocalTyping, "local.outer": roleLocalOuter, "local.outer.file": roleLocalOuterFile, "local.write": roleLocalWrite,
	"local.ignore": roleLocalIgnore, "local.reference": roleLocalReference, "local.bare": roleLocalBare,
	"local.as.type": roleLocalAsType, "import": roleImport,
	"local.assigned": roleLocalAssigned, "local.key": roleLocalKey, "local.part": roleLocalPart, "local.export": roleLocalExport,
	"local.hoist": roleLocalHoist, "local.hoist.to": roleLocalHoistTo,
	"local.export.as": roleLocalExportAs, "local.export.default": roleLocalExportDefault, "local.export.module": roleLocalExportModule,
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
// language's files of that name.
type QueryError struct {
	Language string
	File     string // tags.scm or locals.scm
	Line     int
	Problem  string
}

func (e *QueryError) Error() string {
	return fmt.Sprintf("languages/%s/%s:%d: %s", e.Language, e.File, e.Line, e.Problem)
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

// source is the text of the language's queries: the tags.scm of its folders, then their locals.scm, which a folder
// need not have.
func (l *language) source() (tags, locals []byte, err error) {
	names := l.queries
	if names == nil {
		names = []string{l.name}
	}
	for _, name := range names {
		part, err := folders.ReadFile("languages/" + name + "/tags.scm")
		if err != nil {
			return nil, nil, &QueryError{Language: name, File: "tags.scm", Line: 1, Problem: "there is no such file: add the folder or remove the row in language.go"}
		}
		tags = append(append(tags, part...), '\n')
		if part, err = folders.ReadFile("languages/" + name + "/locals.scm"); err == nil {
			locals = append(append(locals, part...), '\n')
		}
	}
	return tags, locals, nil
}

func (l *language) compile() (*query, error) {
	text, locals, err := l.source()
	if err != nil {
		return nil, err
	}
	return compileQuery(l.name, text, locals)
}

func compileQuery(name string, tags, locals []byte) (*query, error) {
	marks, patterns := splitLocals(locals)
	text := append(slices.Clip(tags), patterns...)
	lines := bytes.Count(tags, []byte("\n"))
	wrong := func(line int, problem string) error {
		if line > lines && len(patterns) > 0 {
			return &QueryError{name, "locals.scm", line - lines, problem}
		}
		return &QueryError{name, "tags.scm", line, problem}
	}
	sl, err := sitter.Open(name, text, marks, func(capture string) bool { return strings.HasPrefix(capture, "definition.") })
	var at *sitter.QueryError
	if errors.As(err, &at) {
		return nil, wrong(at.Line, at.Problem)
	} else if err != nil {
		return nil, err
	}
	q := &query{language: sl}
	for _, capture := range sl.Captures() {
		m, ok := meaningOf(capture)
		if !ok {
			line := 1 + bytes.Count(text[:max(0, bytes.Index(text, []byte("@"+capture)))], []byte("\n"))
			return nil, wrong(line, "unknown capture @"+capture+"; languages/README.md lists them")
		}
		q.meanings = append(q.meanings, m)
	}
	for _, p := range sl.Patterns() {
		tests, err := compilePredicates(p.Predicates)
		if err != nil {
			return nil, wrong(p.Line, err.Error())
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
