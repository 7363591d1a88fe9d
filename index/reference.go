package index

import "strconv"

// Ref is one place where a name is used or declared that others than the function around it may know:
// names that are bound to a local variable or parameter are no Refs.
type Ref struct {
	Start, End uint32 // of the name, in bytes, End excluded
	Role       Role
	Via        Via
}

// Role is what a reference does.
type Role uint8

const (
	Read Role = iota
	Write
	Call
	TypeUse
	Importing
	Declaration
)

var roleNames = [...]string{"read", "write", "call", "type", "import", "declaration"}

func (r Role) String() string {
	if int(r) < len(roleNames) {
		return roleNames[r]
	}
	return "Role(" + strconv.Itoa(int(r)) + ")"
}

// Via says in what a name is to be looked up: in Root, and there in the member that Path names. In
// os.File.Close, with os imported, Close is looked up in File of that import.
type Via struct {
	Root   Root
	Import int32  // index into File.Imports, for the roots that have one; of RootFile the group, see group.go
	Path   string // dotted, "" when the name is looked up in Root itself
	// Key: it may be no member of that at all but a name of its own: T{a: b} of a map.
	Key bool
	// Value says that Path ends with the type of a value, which has no static members of that type. Where names are bound
	// as the program runs it may be of a subtype too: what is not in the type may be in that.
	Value bool
}

// Root is where the first name of a chain was found.
type Root uint8

const (
	RootUnknown Root = iota // the syntax does not tell: the result of a call, a variable without a type
	RootValue               // the same, but it is a value and no module or namespace, so that only members of types are in it
	RootFree                // no scope of the file binds the first name (Path's first, else the name itself)
	RootFile                // among the definitions of this very file; Path.name is the qualified name
	RootImport              // in what Import binds
	RootAlias               // the name is bound by Import itself; Path is ""
	RootModule              // in the module that Import.Path names: the name within an import statement
)

// Import is one name, or one module, that a file takes from elsewhere. All offsets are bytes.
type Import struct {
	Path  string // of the module, as written, without quotes: "net/http", "..pkg.mod", "./x", "std::io"; "" this very file, where exportsApart
	Name  string // the name taken from it; "" the module itself, "*" all that it has
	Alias string // the name that the file gets; "" for none
	// Export says that others can take Alias from this file: export { a as b } from "x", pub use.
	Export     bool
	Start, End uint32 // of the token of Name, or of the Path when Name is ""; the last segment of it where it has several
	// AliasStart is where the token of Alias starts: Start when it is the same token.
	AliasStart uint32
}
