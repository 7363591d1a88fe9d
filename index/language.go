package index

import (
	"bytes"
	"cmp"
	"path"
	"slices"
	"strings"
	"sync"
)

// language is one row of the registry. A language is this row and the folder languages/<name>.
type language struct {
	name       string   // of the folder and of the grammar in internal/sitter
	queries    []string // folders whose tags.scm make up the query, in order; default: the language's own
	extensions []string // with the dot, lower case
	filenames  []string // whole base names
	programs   []string // interpreters named by a #! line, for files without an extension
	module     moduleRule

	// claims decides an extension that another row has too: the row whose claims says true comes
	// before the one without.
	claims func(src []byte) bool

	// sanitize gives the parser other bytes of the same length, for what its grammar cannot read
	// (macros). It must be pure. Names and offsets are taken from the original.
	sanitize func(src []byte) []byte

	// uses says that the mentions of a name at those offsets, ascending, certainly define nothing.
	uses func(src []byte, at []int) bool

	// operators stand between a name and its member; nil: the dot alone.
	operators []string
	// values are those operators behind which, unless before them stands what names a module, only members of values are.
	values []string
	// opaque are functions whose results the names of their definitions do not tell.
	opaque []string
	// selves are the names that stand for the object whose method they stand in, where the grammar has no node for it.
	selves []string
	// bareMembers says that methods see the members of their type without a prefix.
	bareMembers bool
	// quoting says up to where the strings behind a name hold names (a list of what a module exports), or do not although
	// they stand in a type (literals); 0: it says nothing. inside: an earlier name says already that they do.
	quoting func(src []byte, name span, inside bool) (end uint32, names bool)
	// typing reads the type of a variable in what follows its name in its declaration or assignment: the name of the
	// type, empty when none is told, and how it is told.
	typing func(src []byte, rest span) (typ span, how rank)
	// valuesAreLocal says that the values in functions that the query of definitions finds are locals.
	valuesAreLocal bool
	// tags says that the names behind struct, union and enum are names of another kind than those without.
	tags bool
	// subscripts says that an element of x has the type that x is declared with: T x[3], *y.
	subscripts bool
	// methodsApart says that a method and a variable may have one name: only what is called is a method.
	methodsApart bool
	// macroMark says that a name with ! behind it is a macro's, and no other is.
	macroMark bool
	// ownThis says that every function has a this of its own, but for those that are @local.scope.lambda.
	ownThis bool
	// typeNames says that a type and a value of one name are two.
	typeNames bool
	// anonymous says that functions and objects without a name hold definitions, which are nobody else's; see group.go.
	anonymous bool
	// exportsApart says that what an Import exports is no name in the file itself.
	exportsApart bool
	// overloads says that functions of one name are told apart by their parameters.
	overloads bool
	// imports reads one statement that the queries capture as @import; offsets are those of the statement.
	imports func(statement []byte) []Import

	// resolver binds names across files; nil: only within one.
	resolver *resolver

	load func() (*query, error) // once; see init
}

// languages is the registry, by name. Read-only after init.
var languages = []*language{
	{name: "bash", extensions: []string{".sh", ".bash", ".zsh", ".ksh", ".bats", ".ebuild"},
		filenames: []string{".bashrc", ".bash_profile", ".bash_aliases", ".profile", ".zshrc", ".zshenv", ".zprofile", "PKGBUILD"},
		programs:  []string{"bash", "sh", "zsh", "dash", "ksh", "ash", "bats"}, sanitize: sanitizeBash},
	{name: "c", extensions: []string{".c", ".h"}, sanitize: sanitizeC, operators: []string{".", "->"},
		valuesAreLocal: true, tags: true, subscripts: true, imports: importsC, resolver: resolverC},
	{name: "cpp", queries: []string{"cpp", "c"}, extensions: []string{".cc", ".cpp", ".cxx", ".c++", ".cppm", ".ixx",
		".h", ".hh", ".hpp", ".hxx", ".h++", ".inl", ".ipp", ".tpp", ".txx", ".ino", ".cu", ".cuh"},
		claims: isCPlusPlus, sanitize: sanitizeC, operators: []string{".", "->", "::"}, bareMembers: true, valuesAreLocal: true,
		imports: importsC, resolver: resolverC},
	{name: "csharp", overloads: true, extensions: []string{".cs", ".csx"}, module: moduleClause, sanitize: sanitizeCSharp},
	{name: "css", extensions: []string{".css"}, sanitize: sanitizeCSS},
	{name: "cue", extensions: []string{".cue"}, module: moduleClause, sanitize: legible},
	{name: "dockerfile", extensions: []string{".dockerfile", ".containerfile"}, filenames: []string{"Dockerfile", "Containerfile"},
		sanitize: legible},
	{name: "elixir", extensions: []string{".ex", ".exs"}, programs: []string{"elixir"}, sanitize: sanitizeElixir},
	{name: "elm", extensions: []string{".elm"}, module: moduleClause},
	{name: "go", extensions: []string{".go"}, module: moduleClause, uses: goUses, values: dot,
		opaque: []string{"append", "make", "max", "min", "new", "recover"}, imports: importsGo, resolver: resolverGo},
	{name: "groovy", overloads: true, extensions: []string{".groovy", ".gradle", ".gvy", ".gsh"}, filenames: []string{"Jenkinsfile"},
		programs: []string{"groovy"}, module: moduleClause, sanitize: sanitizeGroovy},
	{name: "hcl", extensions: []string{".tf", ".tfvars", ".hcl", ".nomad"}, sanitize: legible},
	{name: "java", overloads: true, extensions: []string{".java"}, module: moduleClause, operators: []string{".", "::"}, bareMembers: true,
		methodsApart: true, imports: importsJava, resolver: resolverJava},
	{name: "javascript", queries: []string{"javascript", "ecmascript", "jsx"}, extensions: []string{".js", ".mjs", ".cjs", ".jsx"},
		programs: []string{"node", "nodejs", "bun"}, module: modulePath("index"), operators: operatorsECMAScript,
		ownThis: true, anonymous: true, exportsApart: true, imports: importsECMAScript, resolver: resolverECMAScript},
	{name: "kotlin", overloads: true, extensions: []string{".kt", ".kts"}, module: moduleClause, sanitize: sanitizeKotlin},
	{name: "lua", extensions: []string{".lua", ".rockspec", ".wlua"}, programs: []string{"lua", "luajit", "texlua"},
		sanitize: sanitizeLua},
	{name: "markdown", extensions: []string{".md", ".markdown", ".mdown", ".mkd"}, sanitize: sanitizeMarkdown},
	{name: "ocaml", extensions: []string{".ml"}, module: moduleFile},
	{name: "ocaml_interface", queries: []string{"ocaml_interface", "ocaml"}, extensions: []string{".mli"}, module: moduleFile,
		sanitize: sanitizeInterface},
	{name: "php", extensions: []string{".php", ".phtml", ".php5"}, programs: []string{"php"}, module: moduleClause,
		sanitize: sanitizePHP},
	{name: "protobuf", extensions: []string{".proto"}, module: moduleClause, sanitize: sanitizeProtobuf},
	{name: "python", extensions: []string{".py", ".pyi", ".pyw"}, programs: []string{"python"},
		module: modulePath("__init__", "__main__"), quoting: quotingPython, typing: typingPython,
		imports: importsPython, resolver: resolverPython},
	{name: "ruby", extensions: []string{".rb", ".rake", ".gemspec", ".ru", ".podspec", ".jbuilder"},
		filenames: []string{"Rakefile", "Gemfile", "Guardfile", "Capfile", "Vagrantfile", "Podfile", "Fastfile", "Brewfile", "Dangerfile"},
		programs:  []string{"ruby", "jruby", "rake"}},
	{name: "rust", extensions: []string{".rs"}, module: modulePath("mod", "lib", "main"), sanitize: sanitizeRust,
		operators: []string{".", "::"}, selves: []string{"Self"}, macroMark: true, imports: importsRust, resolver: resolverRust},
	{name: "scala", overloads: true, extensions: []string{".scala", ".sc", ".sbt", ".mill"}, programs: []string{"scala", "scala-cli"},
		module: moduleClause, sanitize: sanitizeScala},
	{name: "sql", extensions: []string{".sql", ".ddl", ".pgsql"}, sanitize: sanitizeSQL},
	{name: "svelte", queries: []string{"ecmascript", "typescript"}, extensions: []string{".svelte"}, module: modulePath("index"),
		sanitize: sanitizeComponent, operators: operatorsECMAScript,
		ownThis: true, typeNames: true, anonymous: true, exportsApart: true, imports: importsECMAScript, resolver: resolverECMAScript},
	{name: "swift", overloads: true, extensions: []string{".swift"}, programs: []string{"swift"}},
	{name: "toml", extensions: []string{".toml"}, filenames: []string{"Pipfile"}, sanitize: legible},
	{name: "tsx", queries: []string{"ecmascript", "typescript", "jsx"}, extensions: []string{".tsx"}, module: modulePath("index"),
		operators: operatorsECMAScript, ownThis: true, typeNames: true, anonymous: true, exportsApart: true,
		imports: importsECMAScript, resolver: resolverECMAScript},
	{name: "typescript", queries: []string{"ecmascript", "typescript"}, extensions: []string{".ts", ".mts", ".cts"},
		programs: []string{"deno", "ts-node", "tsx"}, module: modulePath("index"), operators: operatorsECMAScript,
		ownThis: true, typeNames: true, anonymous: true, exportsApart: true, imports: importsECMAScript, resolver: resolverECMAScript},
	{name: "vue", queries: []string{"ecmascript", "typescript"}, extensions: []string{".vue"}, module: modulePath("index"),
		sanitize: sanitizeComponent, operators: operatorsECMAScript,
		ownThis: true, typeNames: true, anonymous: true, exportsApart: true, imports: importsECMAScript, resolver: resolverECMAScript},
	{name: "yaml", extensions: []string{".yaml", ".yml"}, filenames: []string{".clang-format", ".clang-tidy"}, sanitize: sanitizeYAML},
}

func init() {
	for _, l := range languages {
		l.load = sync.OnceValues(l.compile)
	}
}

// Languages lists the names of all languages, sorted.
func Languages() []string {
	var names []string
	for _, l := range languages {
		names = append(names, l.name)
	}
	slices.Sort(names)
	return names
}

// Language names the language of a file, "" when none is known. The base name decides first, then
// its extension in any case, then, for a name without a dot, the program named by a #! line. Where
// an extension has several languages, such as .h, the content decides: see isCPlusPlus.
func Language(path string, src []byte) string {
	if l := languageOf(path, src); l != nil {
		return l.name
	}
	return ""
}

// Undecided says that the name alone does not tell whether a language is known: a file without an
// extension may be a script that names its program in a #! line.
func Undecided(name string) bool { return !strings.Contains(path.Base(name), ".") }

func languageOf(name string, src []byte) *language {
	base := path.Base(name)
	ext := strings.ToLower(path.Ext(base))
	program := ""
	if !strings.Contains(base, ".") {
		program = interpreter(src)
	}
	var found, other *language // other has the extension and does not claim the file
	for _, l := range languages {
		switch {
		case slices.Contains(l.filenames, base):
			return l
		case ext != "" && slices.Contains(l.extensions, ext),
			program != "" && slices.Contains(l.programs, program):
			if l.claims == nil {
				if found == nil {
					found = l
				}
			} else if l.claims(src) {
				return l
			} else if other == nil {
				other = l
			}
		}
	}
	return cmp.Or(found, other)
}

// interpreter is the base name of the program in a #! line, through env, or "".
func interpreter(src []byte) string {
	if !bytes.HasPrefix(src, []byte("#!")) {
		return ""
	}
	line := src[2:min(len(src), 256)]
	if i := bytes.IndexAny(line, "\r\n"); i >= 0 {
		line = line[:i]
	}
	for i, word := range strings.Fields(string(line)) {
		name := path.Base(word)
		if i == 0 && name != "env" {
			return strings.TrimRight(name, ".0123456789")
		}
		if i > 0 && !strings.HasPrefix(word, "-") && !strings.Contains(word, "=") {
			return strings.TrimRight(name, ".0123456789")
		}
	}
	return ""
}
