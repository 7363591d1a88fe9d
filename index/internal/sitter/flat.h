// The tree of one file as a flat array: see flat.c.

#ifndef CTX_FLAT_H
#define CTX_FLAT_H

#include "layout.h"

// One visible node. A parent stands before its children, which follow each other by next.
typedef struct {
  uint32_t start; // byte offsets, end excluded
  uint32_t end;
  uint32_t next;  // index of the first node behind its subtree
  uint16_t symbol;
  uint16_t field; // in its parent, 0 for none; with CTX_NAMED and CTX_MORE
} ctx_flat;

#define CTX_NAMED 0x8000 // more than a literal token
#define CTX_MORE 0x4000  // siblings behind it may have the same field, as the library sees it: of a list with one field it sees the first
#define CTX_FIELD 0x3fff

// What a production gives its children. NULL where it gives none of them any.
typedef struct {
  const uint16_t *aliases;
  const uint16_t *fields; // with CTX_MORE
  uint16_t field_count;
} ctx_production;

// A grammar's productions, by their number.
typedef struct {
  const ctx_tables *tables;
  ctx_production *productions;
} ctx_grammar_rows;

ctx_grammar_rows ctx_grammar_rows_new(const TSLanguage *language);
void ctx_grammar_rows_delete(ctx_grammar_rows *rows);

// A node that the library is to be asked about, by its index.
typedef struct {
  uint32_t index;
  TSNode node;
} ctx_asked;

// The array and what making it takes. It is used again for the next file.
typedef struct {
  ctx_flat *nodes;
  uint32_t count, capacity;
  ctx_asked *asked;
  uint32_t asked_count, asked_capacity;
} ctx_flats;

// Lists the nodes of a tree. ask says, by symbol, which of them are kept as the library knows them.
void ctx_flatten(ctx_flats *out, const ctx_grammar_rows *rows, const TSTree *tree, const uint8_t *ask);

// Forgets what points into the tree, before that is deleted.
void ctx_flats_forget(ctx_flats *flats);

void ctx_flats_trim(ctx_flats *flats, uint32_t kept);
void ctx_flats_delete(ctx_flats *flats);

#endif
