// Patterns of a query, matched on a flat tree: see match.c.

#ifndef CTX_MATCH_H
#define CTX_MATCH_H

#include "flat.h"

#define CTX_STEP_CAPTURES 3
#define CTX_STEP_NOTS 4

enum { CTX_KIND_SYMBOL = 0, CTX_KIND_NAMED = 1, CTX_KIND_ANY = 2 }; // which nodes fit

// One node of a pattern. Steps are named by their index, -1 for none.
typedef struct {
  uint16_t symbol;
  uint16_t field;     // 0: any
  uint8_t kind;
  uint8_t immediate;  // no named sibling may stand between it and the one before
  uint8_t last;       // no named sibling may stand behind it
  uint8_t capturing;  // it, or a step in it, is captured
  uint8_t capture_count;
  uint8_t not_count;
  uint16_t captures[CTX_STEP_CAPTURES]; // ids
  uint16_t nots[CTX_STEP_NOTS];         // fields of which the node has no child
  int32_t alternative; // the next of the steps of which one is to fit
  int32_t child;       // the first step in it
  int32_t then;        // the first step behind it, in the same parent
} ctx_step;

// A pattern that can start at a node of some type; those of one type follow each other, in the order of the query.
typedef struct {
  uint32_t pattern; // its index, CTX_NO_PATTERN behind the last of a type
  int32_t step;
} ctx_start;

#define CTX_NO_PATTERN UINT32_MAX

// A captured node.
typedef struct {
  uint32_t id;
  uint32_t node; // index
} ctx_found;

// A match while those of one node are being sorted.
typedef struct {
  uint32_t finish; // the node that made it whole
  uint32_t order;
  uint32_t pattern;
  uint32_t first, count; // of its captures among all that were found
} ctx_match;

// The matches at one node, and what finding them takes.
typedef struct {
  ctx_found *found;
  uint32_t found_count, found_capacity;
  ctx_match *matches;
  uint32_t match_count, match_capacity;
  ctx_found held[64]; // captures of the match in progress
  uint32_t held_count;
  uint32_t tried; // how many nodes were looked at, in this file; over CTX_MAX_TRIED nothing more is found
} ctx_matches;

// Every name of a list of names of one type is followed to that type: n names cost n*n. Code of 4 MiB looks at 30 million
// nodes, and at this limit a second has gone by.
#define CTX_MAX_TRIED (1u << 28)

// Finds all matches at the node with that index, sorted by the node that makes them whole, then by pattern.
void ctx_match_node(ctx_matches *out, const ctx_step *steps, const ctx_start *start, const ctx_flat *nodes, uint32_t node, uint32_t limit);

void ctx_matches_delete(ctx_matches *matches);

#endif
