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

	load func() (*query, error) // once; see init
}

// languages is the registry, by name. Read-only after init.
var languages = []*language{
	{name: "bash", extensions: []string{".sh", ".bash", ".zsh", ".ksh", ".bats", ".ebuild"},
		filenames: []string{".bashrc", ".bash_profile", ".bash_aliases", ".profile", ".zshrc", ".zshenv", ".zprofile", "PKGBUILD"},
		programs:  []string{"bash", "sh", "zsh", "dash", "ksh", "ash", "bats"}, sanitize: sanitizeBash},
	{name: "c", extensions: []string{".c", ".h"}, sanitize: sanitizeC},
	{name: "cpp", queries: []string{"cpp", "c"}, extensions: []string{".cc", ".cpp", ".cxx", ".c++", ".cppm", ".ixx",
		".h", ".hh", ".hpp", ".hxx", ".h++", ".inl", ".ipp", ".tpp", ".txx", ".ino", ".cu", ".cuh"},
		claims: isCPlusPlus, sanitize: sanitizeC},
	{name: "csharp", extensions: []string{".cs", ".csx"}, module: moduleClause, sanitize: sanitizeCSharp},
	{name: "css", extensions: []string{".css"}, sanitize: sanitizeCSS},
	{name: "cue", extensions: []string{".cue"}, module: moduleClause, sanitize: legible},
	{name: "dockerfile", extensions: []string{".dockerfile", ".containerfile"}, filenames: []string{"Dockerfile", "Containerfile"},
		sanitize: legible},
	{name: "elixir", extensions: []string{".ex", ".exs"}, programs: []string{"elixir"}, sanitize: sanitizeElixir},
	{name: "elm", extensions: []string{".elm"}, module: moduleClause},
	{name: "go", extensions: []string{".go"}, module: moduleClause, uses: goUses},
	{name: "groovy", extensions: []string{".groovy", ".gradle", ".gvy", ".gsh"}, filenames: []string{"Jenkinsfile"},
		programs: []string{"groovy"}, module: moduleClause, sanitize: sanitizeGroovy},
	{name: "hcl", extensions: []string{".tf", ".tfvars", ".hcl", ".nomad"}, sanitize: legible},
	{name: "java", extensions: []string{".java"}, module: moduleClause},
	{name: "javascript", queries: []string{"javascript", "ecmascript"}, extensions: []string{".js", ".mjs", ".cjs", ".jsx"},
		programs: []string{"node", "nodejs", "bun"}, module: modulePath("index")},
	{name: "kotlin", extensions: []string{".kt", ".kts"}, module: moduleClause, sanitize: sanitizeKotlin},
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
		module: modulePath("__init__", "__main__")},
	{name: "ruby", extensions: []string{".rb", ".rake", ".gemspec", ".ru", ".podspec", ".jbuilder"},
		filenames: []string{"Rakefile", "Gemfile", "Guardfile", "Capfile", "Vagrantfile", "Podfile", "Fastfile", "Brewfile", "Dangerfile"},
		programs:  []string{"ruby", "jruby", "rake"}},
	{name: "rust", extensions: []string{".rs"}, module: modulePath("mod", "lib", "main"), sanitize: sanitizeRust},
	{name: "scala", extensions: []string{".scala", ".sc", ".sbt", ".mill"}, programs: []string{"scala", "scala-cli"},
		module: moduleClause, sanitize: sanitizeScala},
	{name: "sql", extensions: []string{".sql", ".ddl", ".pgsql"}, sanitize: sanitizeSQL},
	{name: "svelte", queries: []string{"ecmascript", "typescript"}, extensions: []string{".svelte"}, module: modulePath("index"),
		sanitize: sanitizeComponent},
	{name: "swift", extensions: []string{".swift"}, programs: []string{"swift"}},
	{name: "toml", extensions: []string{".toml"}, filenames: []string{"Pipfile"}, sanitize: legible},
	{name: "tsx", queries: []string{"ecmascript", "typescript"}, extensions: []string{".tsx"}, module: modulePath("index")},
	{name: "typescript", queries: []string{"ecmascript", "typescript"}, extensions: []string{".ts", ".mts", ".cts"},
		programs: []string{"deno", "ts-node", "tsx"}, module: modulePath("index")},
	{name: "vue", queries: []string{"ecmascript", "typescript"}, extensions: []string{".vue"}, module: modulePath("index"),
		sanitize: sanitizeComponent},
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
