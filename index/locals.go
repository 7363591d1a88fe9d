package index

import (
	"bytes"
	"cmp"
	"regexp"
	"slices"

	"ctxd/index/internal/sitter"
)

// Tags of nodes that the walk marks; see the captures of locals.scm in languages/README.md.
const (
	tagScope      = 1 + iota // names end with it
	tagFunction              // a scope that is a function's
	tagParameters            // a scope that is the function's right around it, if there is one
	tagMembers               // a scope of members, which are reached through its type
	tagLambda                // a function's, in which this is what it is around it
	tagClass                 // a scope whose names only its own statements see
	tagName                  // a name
	tagShorthand             // a name, and a member of the same name
	tagType                  // a name of a type
	tagMember                // a name that is looked up in what stands before it
	tagSelf                  // this, self
	tagBody                  // where the head of the function or the class around it has ended: with the first of them
	tagHead                  // with it ends the head of the function around it
	tagTypes                 // names in it are names of types, and so is what stands in its strings
	tagText                  // the text of a string
	tagWords                 // text that the grammar does not read; its words become tagWord
	tagWord                  // a name, if it is one: nothing is known of it but that it may be a parameter
	tagClause                // a clause of the comprehension around it
)

var tagNames = map[string]uint8{
	"local.scope": tagScope, "local.scope.function": tagFunction, "local.scope.parameters": tagParameters, "local.scope.members": tagMembers,
	"local.scope.class": tagClass, "local.scope.lambda": tagLambda, "local.reference.words": tagWords,
	"local.reference.shorthand": tagShorthand,
	"local.reference":           tagName, "local.reference.type": tagType, "local.reference.member": tagMember,
	"local.reference.self": tagSelf, "local.scope.body": tagBody, "local.scope.head": tagHead,
	"local.scope.types": tagTypes, "local.reference.text": tagText, "local.scope.clause": tagClause,
}

// plainLine is a pattern of locals.scm that is one node, or one of several, and nothing else. Such nodes are marked while
// the tree is walked; everything else is left to the query.
var (
	plainLine = regexp.MustCompile(`(?m)^(\(\w+\)|\[(?:\(\w+\)[ \t]*)+\]) @(local\.(?:scope|reference)(?:\.\w+)?)[ \t]*(?:;.*)?$`)
	plainNode = regexp.MustCompile(`\((\w+)\)`)
)

// splitLocals takes the plain patterns out of a locals.scm; what is left keeps its lines.
func splitLocals(text []byte) (tags []sitter.Tag, rest []byte) {
	rest = plainLine.ReplaceAllFunc(text, func(line []byte) []byte {
		m := plainLine.FindSubmatch(line)
		tag, ok := tagNames[string(m[2])]
		if !ok {
			return line // the query's compiler names it
		}
		for _, node := range plainNode.FindAllSubmatch(m[1], -1) {
			tags = append(tags, sitter.Tag{Node: string(node[1]), Tag: tag})
		}
		return nil
	})
	return tags, bytes.TrimRight(rest, "\n")
}

// named is marks with the names that only a pattern tells from other nodes of their type.
func named(marks []sitter.Mark, locals []localFact) []sitter.Mark {
	before := len(marks)
	for _, l := range locals {
		if l.role == roleLocalReference {
			marks = append(marks, sitter.Mark{Start: l.at.Start, End: l.at.End, Tag: tagName})
		}
	}
	if len(marks) > before {
		slices.SortStableFunc(marks, func(a, b sitter.Mark) int {
			return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(b.End, a.End))
		})
	}
	return marks
}

// localFact is what one match of locals.scm says.
type localFact struct {
	role      role
	at        span   // the name, or the import statement
	statement uint32 // where the statement that declares it ends; 0: with the name
	shape     bool   // typ is a type or a value of any kind: see binder.shaped
	typ       span   // the node of its type or, of a member, of what it is a member of; empty: not said
	rank      rank   // how the type is known
	typing    uint32 // where the node ends whose text tells the type, for the language to read
}

// take adds what one capture of the match says.
func (l *localFact) take(r role, at span) {
	switch r {
	case roleLocalDefinition, roleLocalScope, roleLocalFunction, roleLocalOwn, roleLocalHead, roleLocalField, roleLocalMember,
		roleLocalOuter, roleLocalWrite, roleLocalIgnore, roleLocalReference, roleLocalOuterFile, roleLocalBare, roleLocalAsType, roleImport,
		roleLocalAssigned, roleLocalKey, roleLocalPart, roleLocalExport, roleLocalExportDefault, roleLocalExportModule,
		roleLocalHoist, roleLocalHoistTo:
		l.role, l.at = r, at
	case roleLocalStatement:
		l.statement = at.End
	case roleLocalType, roleLocalReceiver, roleLocalExportAs:
		l.typ, l.rank = at, rankDeclared
	case roleLocalShape:
		l.typ, l.shape = at, true
	case roleLocalValue:
		l.typ, l.rank = at, rankValue
	case roleLocalTyping:
		l.typing = at.End
	}
}
