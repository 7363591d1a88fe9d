// The part of tree-sitter's C interface (library version 0.22, ABI 13 and 14) that this package
// calls, and the grammars it knows. Everything is declared weak: this package has no objects of its
// own to link against, those come from the Go module that is imported for its side effect, and a
// weak reference is what lets cgo's own trial link, which sees neither, succeed. The rejected
// alternative, -Wl,--unresolved-symbols=ignore-all, works too, but it spreads to the link of the
// whole program and hides everybody's missing symbols. ctx_missing proves that the symbols are there.

#ifndef CTX_TREE_SITTER_H
#define CTX_TREE_SITTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct TSLanguage TSLanguage;
typedef struct TSParser TSParser;
typedef struct TSTree TSTree;
typedef struct TSQuery TSQuery;
typedef struct TSQueryCursor TSQueryCursor;

typedef struct {
  uint32_t context[4];
  const void *id;
  const TSTree *tree;
} TSNode;

typedef struct {
  const void *tree;
  const void *id;
  uint32_t context[3];
} TSTreeCursor;

typedef struct {
  TSNode node;
  uint32_t index;
} TSQueryCapture;

typedef struct {
  uint32_t id;
  uint16_t pattern_index;
  uint16_t capture_count;
  const TSQueryCapture *captures;
} TSQueryMatch;

typedef struct {
  int type; // 0 done, 1 capture, 2 string
  uint32_t value_id;
} TSQueryPredicateStep;

typedef struct {
  void *payload;
  void (*log)(void *payload, int type, const char *text); // type: 0 of the parse, 1 of the lexer
} TSLogger;

typedef struct {
  uint32_t row, column;
} TSPoint;

// A text that is asked for in pieces: the bytes from an offset on, as many as there are at hand, 0 at the end.
typedef struct {
  void *payload;
  const char *(*read)(void *payload, uint32_t offset, TSPoint place, uint32_t *size);
  int encoding; // 0 is UTF-8
} TSInput;

// X(result, name, parameters)
#define CTX_FUNCTIONS(X)                                                                         \
  X(TSParser *, ts_parser_new, (void))                                                           \
  X(void, ts_parser_delete, (TSParser *))                                                        \
  X(void, ts_parser_reset, (TSParser *))                                                         \
  X(bool, ts_parser_set_language, (TSParser *, const TSLanguage *))                              \
  X(void, ts_parser_set_timeout_micros, (TSParser *, uint64_t))                                  \
  X(void, ts_parser_set_cancellation_flag, (TSParser *, const size_t *))                         \
  X(void, ts_parser_set_logger, (TSParser *, TSLogger))                                          \
  X(TSTree *, ts_parser_parse, (TSParser *, const TSTree *, TSInput))                            \
  X(void, ts_tree_delete, (TSTree *))                                                            \
  X(TSNode, ts_tree_root_node, (const TSTree *))                                                 \
  X(uint32_t, ts_node_start_byte, (TSNode))                                                      \
  X(uint32_t, ts_node_end_byte, (TSNode))                                                        \
  X(bool, ts_node_is_null, (TSNode))                                                             \
  X(bool, ts_node_is_missing, (TSNode))                                                          \
  X(bool, ts_node_is_error, (TSNode))                                                            \
  X(bool, ts_node_has_error, (TSNode))                                                           \
  X(TSNode, ts_node_child_by_field_id, (TSNode, uint16_t))                                       \
  X(TSTreeCursor, ts_tree_cursor_new, (TSNode))                                                  \
  X(void, ts_tree_cursor_delete, (TSTreeCursor *))                                               \
  X(TSNode, ts_tree_cursor_current_node, (const TSTreeCursor *))                                 \
  X(uint16_t, ts_tree_cursor_current_field_id, (const TSTreeCursor *))                           \
  X(bool, ts_tree_cursor_goto_parent, (TSTreeCursor *))                                          \
  X(bool, ts_tree_cursor_goto_next_sibling, (TSTreeCursor *))                                    \
  X(bool, ts_tree_cursor_goto_first_child, (TSTreeCursor *))                                     \
  X(TSQuery *, ts_query_new, (const TSLanguage *, const char *, uint32_t, uint32_t *, int *))    \
  X(uint32_t, ts_query_pattern_count, (const TSQuery *))                                         \
  X(uint32_t, ts_query_capture_count, (const TSQuery *))                                         \
  X(uint32_t, ts_query_start_byte_for_pattern, (const TSQuery *, uint32_t))                      \
  X(const TSQueryPredicateStep *, ts_query_predicates_for_pattern,                               \
    (const TSQuery *, uint32_t, uint32_t *))                                                     \
  X(const char *, ts_query_capture_name_for_id, (const TSQuery *, uint32_t, uint32_t *))         \
  X(const char *, ts_query_string_value_for_id, (const TSQuery *, uint32_t, uint32_t *))         \
  X(TSQueryCursor *, ts_query_cursor_new, (void))                                                \
  X(void, ts_query_cursor_delete, (TSQueryCursor *))                                             \
  X(void, ts_query_cursor_exec, (TSQueryCursor *, const TSQuery *, TSNode))                      \
  X(bool, ts_query_cursor_did_exceed_match_limit, (const TSQueryCursor *))                       \
  X(void, ts_query_cursor_set_match_limit, (TSQueryCursor *, uint32_t))                          \
  X(void, ts_query_cursor_set_max_start_depth, (TSQueryCursor *, uint32_t))                      \
  X(bool, ts_query_cursor_next_match, (TSQueryCursor *, TSQueryMatch *))                         \
  X(uint16_t, ts_node_symbol, (TSNode))                                                          \
  X(uint32_t, ts_language_symbol_count, (const TSLanguage *))                                    \
  X(const char *, ts_language_symbol_name, (const TSLanguage *, uint16_t))                       \
  X(int, ts_language_symbol_type, (const TSLanguage *, uint16_t))                                \
  X(uint16_t, ts_language_symbol_for_name, (const TSLanguage *, const char *, uint32_t, bool))   \
  X(uint32_t, ts_language_version, (const TSLanguage *))                                         \
  X(uint16_t, ts_language_field_id_for_name, (const TSLanguage *, const char *, uint32_t))

// X(the name in this project, the grammar's function). Two names may share a grammar: a .mli is read with
// that of OCaml, the scripts of a component with that of TypeScript.
#define CTX_GRAMMARS(X)                                                                          \
  X("bash", tree_sitter_bash)                                                                    \
  X("c", tree_sitter_c)                                                                          \
  X("cpp", tree_sitter_cpp)                                                                      \
  X("csharp", tree_sitter_c_sharp)                                                               \
  X("css", tree_sitter_css)                                                                      \
  X("cue", tree_sitter_cue)                                                                      \
  X("dockerfile", tree_sitter_dockerfile)                                                        \
  X("elixir", tree_sitter_elixir)                                                                \
  X("elm", tree_sitter_elm)                                                                      \
  X("go", tree_sitter_go)                                                                        \
  X("groovy", tree_sitter_groovy)                                                                \
  X("hcl", tree_sitter_hcl)                                                                      \
  X("java", tree_sitter_java)                                                                    \
  X("javascript", tree_sitter_javascript)                                                        \
  X("kotlin", tree_sitter_kotlin)                                                                \
  X("lua", tree_sitter_lua)                                                                      \
  X("markdown", tree_sitter_markdown)                                                            \
  X("ocaml", tree_sitter_ocaml)                                                                  \
  X("ocaml_interface", tree_sitter_ocaml)                                                        \
  X("php", tree_sitter_php)                                                                      \
  X("protobuf", tree_sitter_proto)                                                               \
  X("python", tree_sitter_python)                                                                \
  X("ruby", tree_sitter_ruby)                                                                    \
  X("rust", tree_sitter_rust)                                                                    \
  X("scala", tree_sitter_scala)                                                                  \
  X("sql", tree_sitter_sql)                                                                      \
  X("svelte", tree_sitter_typescript)                                                            \
  X("swift", tree_sitter_swift)                                                                  \
  X("toml", tree_sitter_toml)                                                                    \
  X("tsx", tree_sitter_tsx)                                                                      \
  X("typescript", tree_sitter_typescript)                                                        \
  X("vue", tree_sitter_typescript)                                                               \
  X("yaml", tree_sitter_yaml)

#define CTX_DECLARE(result, name, parameters) extern result name parameters __attribute__((weak));
CTX_FUNCTIONS(CTX_DECLARE)
#undef CTX_DECLARE

#define CTX_DECLARE(name, function) extern const TSLanguage *function(void) __attribute__((weak));
CTX_GRAMMARS(CTX_DECLARE)
#undef CTX_DECLARE

#endif
