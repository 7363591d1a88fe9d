// What a parse costs, counted: see work.c.

#ifndef CTX_WORK_H
#define CTX_WORK_H

#include "tree_sitter.h"

// How much a parse may do. No part of it is 0.
typedef struct {
  uint64_t work;  // looks at the clock, and pieces of the text
  uint64_t nanos; // of the thread's processor time
} ctx_budget;

// Parses a text from its start. NULL when that takes more than the budget; spent is the work that was done.
TSTree *ctx_parse_within(TSParser *parser, const char *text, uint32_t length, ctx_budget budget, uint64_t *spent);

// Says whether the program was linked so that the parser counts.
bool ctx_work_counts(void);

#endif
