package sitter

// The objects to link against. Each grammar here has its line in CTX_GRAMMARS (tree_sitter.h).
import (
	_ "github.com/smacker/go-tree-sitter"
	_ "github.com/smacker/go-tree-sitter/c"
	_ "github.com/smacker/go-tree-sitter/cpp"
	_ "github.com/smacker/go-tree-sitter/golang"
	_ "github.com/smacker/go-tree-sitter/java"
	_ "github.com/smacker/go-tree-sitter/javascript"
	_ "github.com/smacker/go-tree-sitter/markdown/tree-sitter-markdown"
	_ "github.com/smacker/go-tree-sitter/python"
	_ "github.com/smacker/go-tree-sitter/rust"
	_ "github.com/smacker/go-tree-sitter/typescript/tsx"
	_ "github.com/smacker/go-tree-sitter/typescript/typescript"
)

// Module is the version of the module that the grammars come from. It is part of the index version:
// other grammars, other facts.
const Module = "github.com/smacker/go-tree-sitter v0.0.0-20240827094217-dd81d9e9be82"
