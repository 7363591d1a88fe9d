// One file's bytes in, flat arrays out: see facts.c.

#ifndef CTX_FACTS_H
#define CTX_FACTS_H

#include "match.h"
#include "work.h"

#define CTX_NONE UINT32_MAX

// One captured node. The captures of one match stand together, in the order of the query.
typedef struct {
  uint32_t match;   // counts from 0 within the file
  uint32_t pattern; // index of the pattern in the query
  uint32_t capture; // id of the capture in the query
  uint32_t start;   // byte offsets, end excluded
  uint32_t end;
  uint32_t body;    // start of the node's child in field "body", or CTX_NONE
} ctx_capture;

typedef struct {
  uint32_t start;
  uint32_t end;
} ctx_range;

// One node of a type that was asked for by name: see ctx_query_add_mark.
typedef struct {
  uint32_t start;
  uint32_t end;
  uint32_t tag;
} ctx_mark;

// Where the body of a node begins, by the node's index; CTX_NONE for none.
typedef struct {
  uint32_t node, start;
} ctx_body;

#define CTX_BODIES 16

enum { CTX_DONE = 0, CTX_PARSE_TOO_MUCH = 1, CTX_TOO_MANY = 2 };

// A parser and a query cursor of one language, and the buffers they fill. One goroutine at a time.
typedef struct {
  TSParser *parser;
  TSQueryCursor *cursor;
  ctx_capture *captures;
  uint32_t capture_count, capture_capacity;
  ctx_range *errors;
  uint32_t error_count, error_capacity;
  ctx_mark *marks;
  uint32_t mark_count, mark_capacity;
  ctx_flats flats;
  ctx_matches matches;
  ctx_body bodies[CTX_BODIES]; // those that were asked for last
  uint32_t root_end;
  uint64_t spent; // work of the last parse
} ctx_worker;

const TSLanguage *ctx_grammar(const char *name);
const char *ctx_missing(bool with_absent_symbol);

ctx_worker *ctx_worker_new(const TSLanguage *language, uint32_t max_errors);
void ctx_worker_delete(ctx_worker *worker);

// A query, and what the C library does not tell about it.
typedef struct {
  const TSQuery *query;
  ctx_grammar_rows rows;
  const ctx_step *steps;
  const ctx_start *starts;
  uint32_t *first;     // by symbol: index of the first start, plus 1; 0: no pattern starts there
  uint8_t *asks;       // by symbol: the library is asked for the matches, instead
  uint8_t *tags;       // by symbol: not 0, such a node is marked with it
  uint8_t *wants_body; // by capture id
  uint16_t body_field; // 0 when the grammar has none of that name
} ctx_query;

ctx_query *ctx_query_new(const TSLanguage *language, const TSQuery *query);
bool ctx_query_add_mark(ctx_query *query, const TSLanguage *language, const char *name, uint8_t tag);

int ctx_facts(ctx_worker *worker, const ctx_query *query, const char *src, uint32_t length, ctx_budget budget);
int ctx_parse(ctx_worker *worker, const char *src, uint32_t length, ctx_budget budget);

#endif
