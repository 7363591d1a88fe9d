// All nodes of one file's tree as a flat array: see nodes.c.

#ifndef CTX_NODES_H
#define CTX_NODES_H

#include "facts.h"

TSTree *ctx_parse_tree(ctx_worker *worker, const char *src, uint32_t length, ctx_budget budget);

// Says whether the library is laid out as layout.h has it, by the tree of a small text.
bool ctx_layout_holds(ctx_worker *worker, const TSLanguage *language, const char *src);

enum { CTX_MISSING = 1, CTX_ERROR = 2, CTX_LEAF = 4 };

// One node. The nodes of a tree stand in the order in which they begin, a parent before its children;
// depth tells them apart.
typedef struct {
  uint32_t start; // byte offsets, end excluded
  uint32_t end;
  uint32_t depth; // of the root: 0
  uint16_t symbol;
  uint16_t flags;
} ctx_node;

typedef struct {
  ctx_node *nodes; // free() it
  uint32_t count;
} ctx_nodes;

int ctx_list_nodes(ctx_worker *worker, const char *src, uint32_t length, ctx_budget budget, ctx_nodes *out);

// The place of the first token with which no reading of the file could go on; rows count from 0, columns
// are bytes, and white space before the token is not skipped.
typedef struct {
  size_t found; // a flag that the parser reads
  uint32_t row, column;
} ctx_stop;

int ctx_first_error(ctx_worker *worker, const char *src, uint32_t length, ctx_budget budget, ctx_stop *out);

#endif
