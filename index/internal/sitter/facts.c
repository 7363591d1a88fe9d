// Parsing and querying of one file in one call from Go. A cgo call costs about 60 ns; the binding
// makes one or more per match and per node, and that, not the work, is what its extraction costs
// (as measured: 0.49 s for two queries over 390 files through it, under 0.1 s in one call per file).
// The tree is deleted before the call returns, so that no C memory outlives it.

#include "facts.h"

#include <stdlib.h>
#include <string.h>

// Patterns in progress at one moment. Real files stay under 100; the limit keeps a hostile file
// from making each node pay for a list of thousands.
#define MATCH_LIMIT 4096

// 4 MiB of the densest source that was found ("#\n") make 2 million captures.
#define MAX_CAPTURES 8000000

// A buffer above this size is given back after the file that needed it.
#define KEPT_CAPTURES 65536

// The same for marks. 4 MiB of "a;" make 2 million.
#define KEPT_MARKS 262144

// And for nodes, of which that makes 8 million.
#define KEPT_NODES 1048576

extern void ctx_absent_symbol(void) __attribute__((weak));

const TSLanguage *ctx_grammar(const char *name) {
#define FIND(given, function)                                                                    \
  if (strcmp(name, given) == 0) return function ? function() : NULL;
  CTX_GRAMMARS(FIND)
#undef FIND
  return NULL;
}

// The name of the first symbol that the program was linked without, or NULL. With the argument, a
// symbol that nobody defines is asked for last, to show that absence is noticed.
const char *ctx_missing(bool with_absent_symbol) {
#define NEED(result, name, parameters)                                                           \
  if (!name) return #name;
  CTX_FUNCTIONS(NEED)
#undef NEED
#define NEED(given, function)                                                                    \
  if (!function) return #function;
  CTX_GRAMMARS(NEED)
#undef NEED
  if (with_absent_symbol && !ctx_absent_symbol) return "ctx_absent_symbol";
  return NULL;
}

ctx_worker *ctx_worker_new(const TSLanguage *language, uint32_t max_errors) {
  ctx_worker *w = calloc(1, sizeof *w);
  if (!w) abort(); // as tree-sitter itself does: nothing sensible can follow
  w->errors = calloc(max_errors, sizeof *w->errors);
  if (!w->errors) abort();
  w->error_capacity = max_errors;
  w->parser = ts_parser_new();
  w->cursor = ts_query_cursor_new();
  ts_query_cursor_set_match_limit(w->cursor, MATCH_LIMIT);
  ts_query_cursor_set_max_start_depth(w->cursor, 0);
  if (!ts_parser_set_language(w->parser, language)) {
    ctx_worker_delete(w);
    return NULL;
  }
  return w;
}

void ctx_worker_delete(ctx_worker *w) {
  ts_query_cursor_delete(w->cursor);
  ts_parser_delete(w->parser);
  free(w->captures);
  free(w->marks);
  free(w->errors);
  ctx_flats_delete(&w->flats);
  ctx_matches_delete(&w->matches);
  free(w);
}

static TSTree *parse(ctx_worker *w, const char *src, uint32_t length, ctx_budget budget) {
  w->capture_count = w->mark_count = w->error_count = w->root_end = 0;
  TSTree *tree = ctx_parse_within(w->parser, src, length, budget, &w->spent);
  if (tree) w->root_end = ts_node_end_byte(ts_tree_root_node(tree));
  return tree;
}

// The same for the other files of this package; who calls it deletes the tree.
TSTree *ctx_parse_tree(ctx_worker *w, const char *src, uint32_t length, ctx_budget budget) {
  return parse(w, src, length, budget);
}

int ctx_parse(ctx_worker *w, const char *src, uint32_t length, ctx_budget budget) {
  TSTree *tree = parse(w, src, length, budget);
  if (!tree) return CTX_PARSE_TOO_MUCH;
  ts_tree_delete(tree);
  return CTX_DONE;
}

static ctx_capture *next_capture(ctx_worker *w) {
  if (w->capture_count == w->capture_capacity) {
    uint32_t capacity = w->capture_capacity ? 2 * w->capture_capacity : 1024;
    ctx_capture *grown = realloc(w->captures, capacity * sizeof *grown);
    if (!grown) abort();
    w->captures = grown;
    w->capture_capacity = capacity;
  }
  return &w->captures[w->capture_count++];
}

static void mark(ctx_worker *w, uint32_t start, uint32_t end, uint32_t tag) {
  if (w->mark_count == w->mark_capacity) {
    uint32_t capacity = w->mark_capacity ? 2 * w->mark_capacity : 4096;
    ctx_mark *grown = realloc(w->marks, capacity * sizeof *grown);
    if (!grown) abort();
    w->marks = grown;
    w->mark_capacity = capacity;
  }
  w->marks[w->mark_count++] = (ctx_mark){start, end, tag};
}

// Outermost ERROR nodes and MISSING nodes, in the order of the file, up to the buffer's size. Only
// subtrees that contain an error are entered. No recursion: trees get 400,000 levels deep.
static void collect_errors(ctx_worker *w, TSNode root) {
  if (!ts_node_has_error(root)) return;
  TSTreeCursor cursor = ts_tree_cursor_new(root);
  for (;;) {
    TSNode node = ts_tree_cursor_current_node(&cursor);
    bool missing = ts_node_is_missing(node);
    bool error = missing || ts_node_is_error(node);
    if (error) {
      if (w->error_count == w->error_capacity) break;
      w->errors[w->error_count++] = (ctx_range){ts_node_start_byte(node), ts_node_end_byte(node)};
    }
    if (!error && ts_node_has_error(node) && ts_tree_cursor_goto_first_child(&cursor)) continue;
    bool moved = false;
    while (!(moved = ts_tree_cursor_goto_next_sibling(&cursor))) {
      if (!ts_tree_cursor_goto_parent(&cursor)) break;
    }
    if (!moved) break;
  }
  ts_tree_cursor_delete(&cursor);
}

ctx_query *ctx_query_new(const TSLanguage *language, const TSQuery *query) {
  ctx_query *q = calloc(1, sizeof *q);
  if (!q) abort();
  q->query = query;
  q->rows = ctx_grammar_rows_new(language);
  q->first = calloc(UINT16_MAX + 1, sizeof *q->first); // ERROR is symbol UINT16_MAX
  q->asks = calloc(UINT16_MAX + 1, 1);
  q->wants_body = calloc(ts_query_capture_count(query) + 1, 1);
  q->tags = calloc(UINT16_MAX + 1, 1);
  if (!q->first || !q->asks || !q->wants_body || !q->tags) abort();
  q->body_field = ts_language_field_id_for_name(language, "body", 4);
  return q;
}

// Nodes of this type are marked as they are passed, which costs a tenth of what a pattern for each costs:
// identifiers are a third of all nodes. Several symbols may have one name, by aliases. False: there is no visible named
// node of that name.
bool ctx_query_add_mark(ctx_query *q, const TSLanguage *language, const char *name, uint8_t tag) {
  bool found = false;
  for (uint32_t s = 0; s < ts_language_symbol_count(language); s++) {
    if (ts_language_symbol_type(language, s) == 0 &&
        strcmp(ts_language_symbol_name(language, s), name) == 0) {
      q->tags[s] = tag;
      found = true;
    }
  }
  return found;
}

// Matches of the patterns that start at this very node, as the library finds them.
static void ask_library(ctx_worker *w, const ctx_query *q, TSNode node, uint32_t *matches) {
  TSQueryMatch match;
  ts_query_cursor_exec(w->cursor, q->query, node);
  while (w->capture_count <= MAX_CAPTURES && ts_query_cursor_next_match(w->cursor, &match)) {
    for (uint16_t i = 0; i < match.capture_count; i++) {
      TSNode captured = match.captures[i].node;
      uint32_t id = match.captures[i].index;
      uint32_t body = CTX_NONE;
      if (q->body_field && q->wants_body[id]) {
        TSNode child = ts_node_child_by_field_id(captured, q->body_field);
        if (!ts_node_is_null(child)) body = ts_node_start_byte(child);
      }
      *next_capture(w) = (ctx_capture){
          *matches, match.pattern_index, id, ts_node_start_byte(captured),
          ts_node_end_byte(captured), body};
    }
    ++*matches;
  }
}

// The start of the child in field "body". One definition may be captured once for each of its names, and is looked at once.
static uint32_t body_of(ctx_worker *w, const ctx_query *q, uint32_t node) {
  const ctx_flat *nodes = w->flats.nodes;
  if (!q->body_field) return CTX_NONE;
  ctx_body *known = &w->bodies[node % CTX_BODIES];
  if (known->node == node) return known->start;
  *known = (ctx_body){node, CTX_NONE};
  for (uint32_t c = node + 1; c < nodes[node].next; c = nodes[c].next) {
    w->matches.tried++;
    if ((nodes[c].field & CTX_FIELD) == q->body_field) {
      known->start = nodes[c].start;
      break;
    }
  }
  return known->start;
}

// The same, found here.
static void match_at(ctx_worker *w, const ctx_query *q, uint32_t start, uint32_t node, uint32_t *matches) {
  const ctx_flat *nodes = w->flats.nodes;
  ctx_matches *found = &w->matches;
  ctx_match_node(found, q->steps, &q->starts[start], nodes, node, MAX_CAPTURES - w->capture_count);
  for (uint32_t i = 0; i < found->match_count; i++) {
    const ctx_match *m = &found->matches[i];
    for (uint32_t k = m->first; k < m->first + m->count; k++) {
      uint32_t at = found->found[k].node, id = found->found[k].id;
      *next_capture(w) = (ctx_capture){*matches, m->pattern, id, nodes[at].start, nodes[at].end,
                                       q->wants_body[id] ? body_of(w, q, at) : CTX_NONE};
    }
    ++*matches;
  }
}

// Goes over the nodes and matches only where a pattern can start. Letting the query's cursor walk makes it weigh every
// node of the file: on the 90 MB of the Go library that alone is 0.5 of the parse. What it may cost is counted, too:
// nodes that are tried, matches and captures.
static int run_query(ctx_worker *w, const ctx_query *q) {
  const ctx_flats *flats = &w->flats;
  uint32_t matches = 0;
  const ctx_asked *asked = flats->asked;
  w->matches.tried = 0;
  for (uint32_t i = 0; i < CTX_BODIES; i++) w->bodies[i] = (ctx_body){CTX_NONE, CTX_NONE};
  for (uint32_t i = 0; i < flats->count; i++) {
    const ctx_flat *n = &flats->nodes[i];
    if (q->tags[n->symbol]) mark(w, n->start, n->end, q->tags[n->symbol]);
    if (q->asks[n->symbol]) {
      ask_library(w, q, asked++->node, &matches);
      if (ts_query_cursor_did_exceed_match_limit(w->cursor)) return CTX_TOO_MANY;
    } else if (q->first[n->symbol]) {
      match_at(w, q, q->first[n->symbol] - 1, i, &matches);
    }
    if (w->capture_count > MAX_CAPTURES || w->matches.tried > CTX_MAX_TRIED) return CTX_TOO_MANY;
  }
  return CTX_DONE;
}

int ctx_facts(ctx_worker *w, const ctx_query *q, const char *src, uint32_t length, ctx_budget budget) {
  TSTree *tree = parse(w, src, length, budget);
  if (!tree) return CTX_PARSE_TOO_MUCH;
  if (w->capture_capacity > KEPT_CAPTURES) {
    free(w->captures);
    w->captures = NULL;
    w->capture_capacity = 0;
  }
  if (w->mark_capacity > KEPT_MARKS) {
    free(w->marks);
    w->marks = NULL;
    w->mark_capacity = 0;
  }
  TSNode root = ts_tree_root_node(tree);
  collect_errors(w, root);
  ctx_flats_trim(&w->flats, KEPT_NODES);
  ctx_flatten(&w->flats, &q->rows, tree, q->asks);
  int outcome = run_query(w, q);
  ctx_flats_forget(&w->flats);
  ts_tree_delete(tree);
  return outcome;
}
