package checkers

// Ready are the checkers of which a configuration needs only the name. None writes into the worktree.
var Ready = []Checker{
	{
		Name: "go vet", Languages: []string{"go"}, Files: []string{"*.go"},
		Command:  []string{"go", "vet", "./..."},
		Env:      []string{"GOFLAGS=-mod=readonly"},
		Format:   []string{`vet: %f:%l:%c: %m`, `vet: %f:%l: %m`, `%f:%l:%c: %m`, `%f:%l: %m`, `%-G%.%#`},
		Severity: "warning", TimeoutSeconds: 300,
	},
	{
		Name: "gofmt", Languages: []string{"go"}, Files: []string{"*.go"},
		Command: []string{"gofmt", "-e", "-l", "{files}"}, // -l, or it prints the files
		Format:  []string{`%f:%l:%c: %m`, `%-G%.%#`},
		Alone:   true, Syntax: true,
	},
	{
		Name: "py_compile", Languages: []string{"python"}, Files: []string{"*.py", "*.pyi", "*.pyw"},
		// No column: the line is shown without its indentation. The prefix keeps .pyc files out of the worktree: py_compile writes them whatever the variable
		// PYTHONDONTWRITEBYTECODE says.
		Command: []string{"python3", "-X", "pycache_prefix={cache}/pyc", "-m", "py_compile", "{file}"},
		Format:  []string{`%E  File "%f"\, line %l`, `%-C    %.%#`, `%ZSyntaxError: %m`, `%ZIndentationError: %m`, `%ZTabError: %m`, `%ZValueError: %m`, `%-G%.%#`},
		Alone:   true, Syntax: true,
	},
	{
		Name: "ruff", Languages: []string{"python"}, Files: []string{"*.py", "*.pyi"},
		Command:  []string{"ruff", "check", "--no-fix", "--no-cache", "--force-exclude", "--output-format", "concise", "{files}"},
		Format:   []string{`%f:%l:%c: %m`, `%-G%.%#`},
		Severity: "warning",
	},
	{
		Name: "node --check", Languages: []string{"javascript"}, Files: []string{"*.js", "*.mjs", "*.cjs"},
		Command: []string{"node", "--check", "{file}"},
		Format:  []string{`%E%f:%l`, `%-C%p^%.%#`, `%ZSyntaxError: %m`, `%-C%.%#`, `%-G%.%#`},
		Syntax:  true, // not alone: package.json says whether it is a module
	},
	{
		Name: "tsc", Languages: []string{"typescript", "tsx"}, Files: []string{"*.ts", "*.tsx", "*.mts", "*.cts"},
		Command: []string{"tsc", "--noEmit", "--incremental", "false", "--pretty", "false"},
		Format:  []string{`%f(%l\,%c): %trror %m`, `%f(%l\,%c): %tarning %m`, `%-G%.%#`},
		Syntax:  true, TimeoutSeconds: 300,
	},
	{
		Name: "eslint", Languages: []string{"javascript", "typescript", "tsx"}, Files: []string{"*.js", "*.jsx", "*.mjs", "*.cjs", "*.ts", "*.tsx"},
		Command:  []string{"eslint", "--no-color", "--format", "stylish", "{files}"},
		Format:   []string{`%-P%f`, `%*\s%l:%c%*\s%trror%*\s%m`, `%*\s%l:%c%*\s%tarning%*\s%m`, `%-Q`, `%-G%.%#`},
		Severity: "warning", TimeoutSeconds: 300,
	},
	{
		Name: "clang", Languages: []string{"c", "cpp"}, Files: []string{"*.c", "*.cc", "*.cpp", "*.cxx"},
		Command: []string{"clang", "-fsyntax-only", "-fno-color-diagnostics", "-fno-caret-diagnostics", "{file}"},
		Format:  []string{`%f:%l:%c: fatal %trror: %m`, `%f:%l:%c: %trror: %m`, `%f:%l:%c: %tarning: %m`, `%-G%.%#`},
		Syntax:  true,
	},
	{
		Name: "cargo check", Languages: []string{"rust"}, Files: []string{"*.rs"},
		// --locked: without it cargo writes Cargo.lock.
		Command: []string{"cargo", "check", "--locked", "--all-targets", "--quiet", "--message-format", "short"},
		Env:     []string{"CARGO_TARGET_DIR={cache}/target", "CARGO_TERM_COLOR=never"},
		Format:  []string{`%f:%l:%c: %trror: %m`, `%f:%l:%c: %trror%m`, `%f:%l:%c: %tarning: %m`, `%-G%.%#`},
		Syntax:  true, TimeoutSeconds: 900,
	},
	{
		Name: "ruby", Languages: []string{"ruby"}, Files: []string{"*.rb"},
		Command: []string{"ruby", "-c", "{file}"},
		Format:  []string{`%f:%l: %m`, `%-G%.%#`},
		Alone:   true, Syntax: true,
	},
	{
		Name: "php", Languages: []string{"php"}, Files: []string{"*.php"},
		Command: []string{"php", "-d", "display_errors=1", "-d", "log_errors=0", "-d", "html_errors=0", "-l", "{file}"},
		Format:  []string{`PHP %.%#rror: %m in %f on line %l`, `%.%#rror: %m in %f on line %l`, `%-G%.%#`},
		Alone:   true, Syntax: true,
	},
	{
		Name: "bash", Languages: []string{"bash"}, Files: []string{"*.sh", "*.bash"},
		Command: []string{"bash", "-n", "{file}"},
		Format:  []string{"%-G%f: line %l: `%.%#", `%f: line %l: %m`, `%-G%.%#`},
		Alone:   true, Syntax: true,
	},
}
