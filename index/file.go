package index

import "strconv"

// File describes one file. It is never changed after Build returned it and holds no reference to the
// source: the names of all its definitions are substrings of one string.
type File struct {
	Language string   // as in Languages, or "" when none is known
	Module   string   // dotted name by which users qualify top-level names, or ""
	Defs     []Def    // by Start, the enclosing before the enclosed
	Imports  []Import // in the order of the file, then what it exports of its own
	Errors   []Range  // outermost regions that the grammar could not read, at most 64
	Status   Status

	refs string // see refs.go; a string, for nothing may change it
}

// Def is one definition. All offsets are bytes, ends excluded, and
// Start <= SigStart <= SigEnd <= End, Start <= NameStart <= NameEnd <= End.
type Def struct {
	Name      string // exactly the source's bytes from NameStart to NameEnd
	Container string // dotted, "" at top level; the qualified name is Container + "." + Name
	Kind      Kind

	Start, End         uint32 // decorators included, doc comment not
	NameStart, NameEnd uint32
	SigStart, SigEnd   uint32 // the signature: after the decorators, before the body
	DocStart, DocEnd   uint32 // doc comment or docstring; 0, 0 when there is none
}

// Qualified is the dotted name within the file.
func (d *Def) Qualified() string {
	if d.Container == "" {
		return d.Name
	}
	return d.Container + "." + d.Name
}

// Range is a range of bytes, End excluded. It may be empty, where something is missing.
type Range struct{ Start, End uint32 }

// Status says how the description was made.
type Status uint8

const (
	Parsed      Status = iota
	NoLanguage         // no language is known for the path
	Binary             // a NUL in the first 8 KiB
	TooLarge           // above MaxSize
	BudgetWork         // its parse takes too much work, or the number of matches ran out; what was found before is listed
	BudgetDepth        // nested so deep that names would outgrow the file; outer definitions are listed
	Failed             // the engine failed on this content: a fault of ours, nothing is listed
)

var statusNames = [...]string{"parsed", "no language", "binary", "too large", "over the budget of work", "nested too deep", "indexer failed"}

func (s Status) String() string {
	if int(s) < len(statusNames) {
		return statusNames[s]
	}
	return "Status(" + strconv.Itoa(int(s)) + ")"
}

// Kind is what a definition defines.
type Kind uint8

const (
	Function Kind = iota + 1
	Method
	Constructor
	Class
	Struct
	Interface
	Trait
	Enum
	Enumerator
	Union
	Type
	Constant
	Variable
	Field
	Property
	Module
	Namespace
	Macro
	Heading
)

var kindNames = [...]string{
	Function: "function", Method: "method", Constructor: "constructor", Class: "class", Struct: "struct",
	Interface: "interface", Trait: "trait", Enum: "enum", Enumerator: "enumerator", Union: "union",
	Type: "type", Constant: "constant", Variable: "variable", Field: "field", Property: "property",
	Module: "module", Namespace: "namespace", Macro: "macro", Heading: "heading",
}

// String is the kind's name, which is also its name in queries: @definition.<kind>.
func (k Kind) String() string {
	if k > 0 && int(k) < len(kindNames) {
		return kindNames[k]
	}
	return "Kind(" + strconv.Itoa(int(k)) + ")"
}

func kindNamed(name string) (Kind, bool) {
	for k, n := range kindNames {
		if n == name && k > 0 {
			return Kind(k), true
		}
	}
	return 0, false
}

// local: what is defined inside, unless it is a type or a function of its own, is nobody else's.
func (k Kind) local() bool { return k == Function || k == Method || k == Constructor }

// owns: functions inside are methods and variables are fields.
func (k Kind) owns() bool {
	switch k {
	case Class, Struct, Interface, Trait, Enum, Union, Type:
		return true
	}
	return false
}

// typeName kinds may stand where a type is asked for.
func (k Kind) typeName() bool { return k.owns() || k == Namespace || k == Module }

// valueName kinds may stand in an expression.
func (k Kind) valueName() bool { return k != Interface && k != Type }

// value kinds are dropped where they are local, and are no containers unless the query says @scope.
func (k Kind) value() bool {
	switch k {
	case Constant, Variable, Field, Property, Enumerator:
		return true
	}
	return false
}
