// What the walk reads of the C library's own structures. Its interface for walks, the cursor, keeps points, fields and
// counts of descendants that nobody here asks for: 0.16 to 0.2 of the parse, where reading the tree as it lies in memory
// takes 0.03. The layout is that of version 0.22 on a little-endian machine of 64 bits; the module is pinned, and
// ctx_layout_holds compares it with the interface before anything is read through it.

#ifndef CTX_LAYOUT_H
#define CTX_LAYOUT_H

#include "tree_sitter.h"

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__ || __SIZEOF_POINTER__ != 8
#error "the layout of syntax trees is known for little-endian machines of 64 bits alone"
#endif

// A node of its own allocation. Its children stand right before it.
typedef struct {
  uint32_t references;
  uint32_t padding, padding_row, padding_column; // white space before it
  uint32_t size, size_row, size_column;
  uint32_t lookahead;
  uint32_t error_cost;
  uint32_t child_count;
  uint16_t symbol;
  uint16_t state;
  uint16_t flags;
  // Those below only where child_count is not 0.
  uint32_t visible_child_count __attribute__((aligned(8)));
  uint32_t named_child_count;
  uint32_t visible_descendant_count;
  int32_t precedence;
  uint16_t repeat_depth;
  uint16_t production;
} ctx_heap_node;

enum { CTX_HEAP_VISIBLE = 1, CTX_HEAP_NAMED = 2, CTX_HEAP_EXTRA = 4 };

// A slot in a list of children: a pointer, or, with the lowest bit set, a small leaf itself.
typedef union {
  const ctx_heap_node *heap;
  uint64_t leaf;
} ctx_slot;

enum { CTX_LEAF_INLINE = 1, CTX_LEAF_VISIBLE = 2, CTX_LEAF_NAMED = 4, CTX_LEAF_EXTRA = 8 };

static inline uint16_t ctx_leaf_symbol(uint64_t leaf) { return leaf >> 8 & 0xff; }
static inline uint32_t ctx_leaf_padding(uint64_t leaf) { return leaf >> 48 & 0xff; }
static inline uint32_t ctx_leaf_size(uint64_t leaf) { return leaf >> 56; }

// The part of a grammar's tables that is read. This is the interface between the library and the grammars, ABI 13 and 14.
typedef struct {
  uint32_t version, symbol_count, alias_count, token_count, external_token_count;
  uint32_t state_count, large_state_count, production_count, field_count;
  uint16_t max_alias_length;
  const uint16_t *parse_table, *small_parse_table;
  const uint32_t *small_parse_table_map;
  const void *parse_actions;
  const char *const *symbol_names;
  const char *const *field_names;
  const struct {
    uint16_t index, length;
  } *field_slices; // by production
  const struct {
    uint16_t field;
    uint8_t child;
    bool inherited; // by a hidden child's own children
  } *fields;
  const struct {
    bool visible, named, supertype;
  } *metadata; // by symbol
  const uint16_t *public_symbols;
  const uint16_t *alias_map;
  const uint16_t *alias_sequences; // max_alias_length for each production
} ctx_tables;

static inline const ctx_tables *ctx_tables_of(const TSLanguage *language) { return (const ctx_tables *)language; }

// Supertypes stand for their subtypes, and never in a tree.
static inline bool ctx_is_supertype(const TSLanguage *language, uint16_t symbol) {
  return symbol != UINT16_MAX && ctx_tables_of(language)->metadata[symbol].supertype;
}

#endif
