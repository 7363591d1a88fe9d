// The tree as a flat array of 16 bytes a node. Patterns are matched on it, and a second look at a node costs nothing.

#include "flat.h"

#include <stdlib.h>
#include <string.h>

// So many children are asked of memory before the first is read: nodes of one parent lie apart.
#define PREFETCHED 16

static void *zeroed(size_t count, size_t size) {
  void *p = calloc(count + 1, size);
  if (!p) abort(); // as tree-sitter itself does: nothing sensible can follow
  return p;
}

// Says whether a production gives children behind one the same field.
static bool gives_behind(const ctx_tables *t, uint32_t production, uint16_t field, uint16_t child) {
  uint32_t first = t->field_slices[production].index, end = first + t->field_slices[production].length;
  for (uint32_t i = first; i < end; i++) {
    if (t->fields[i].field == field && t->fields[i].child > child) return true;
  }
  return false;
}

// Fields that the children of a hidden child have by themselves are found at that child.
ctx_grammar_rows ctx_grammar_rows_new(const TSLanguage *language) {
  const ctx_tables *t = ctx_tables_of(language);
  ctx_grammar_rows rows = {t, zeroed(t->production_count, sizeof(ctx_production))};
  for (uint32_t p = 0; p < t->production_count; p++) {
    ctx_production *row = &rows.productions[p];
    if (p > 0) {
      const uint16_t *aliases = t->alias_sequences + (size_t)p * t->max_alias_length;
      for (uint16_t i = 0; i < t->max_alias_length && !row->aliases; i++) {
        if (aliases[i]) row->aliases = aliases;
      }
    }
    if (t->field_count == 0) continue;
    uint32_t first = t->field_slices[p].index, end = first + t->field_slices[p].length;
    for (uint32_t i = first; i < end; i++) {
      if (!t->fields[i].inherited && t->fields[i].child >= row->field_count) row->field_count = t->fields[i].child + 1;
    }
    if (row->field_count == 0) continue;
    uint16_t *fields = zeroed(row->field_count, sizeof *fields);
    for (uint32_t i = end; i > first; i--) { // of two the first holds
      uint16_t field = t->fields[i - 1].field, child = t->fields[i - 1].child;
      if (!t->fields[i - 1].inherited) fields[child] = field | (gives_behind(t, p, field, child) ? CTX_MORE : 0);
    }
    row->fields = fields;
  }
  return rows;
}

void ctx_grammar_rows_delete(ctx_grammar_rows *rows) {
  for (uint32_t p = 0; p < rows->tables->production_count; p++) free((void *)rows->productions[p].fields);
  free(rows->productions);
}

// A node whose children are being listed.
typedef struct ctx_open {
  const ctx_slot *child, *last;
  const ctx_production *production;
  uint32_t at;     // where the white space before child begins
  uint32_t index;  // of the node, CTX_HIDDEN when it is none of its own
  uint16_t place;  // of child among those that the grammar asked for
  uint16_t field;  // of a hidden node: its children have it
} ctx_open;

#define CTX_HIDDEN UINT32_MAX

static void *grown(void *list, uint32_t count, uint32_t *capacity, uint32_t least, size_t size) {
  if (count < *capacity) return list;
  *capacity = *capacity ? 2 * *capacity : least;
  list = realloc(list, *capacity * size);
  if (!list) abort();
  return list;
}

static void keep_asked(ctx_flats *out, const TSTree *tree, const ctx_slot *slot, uint32_t start, uint16_t alias) {
  out->asked = grown(out->asked, out->asked_count, &out->asked_capacity, 64, sizeof *out->asked);
  // Rows and columns are not kept. The library asks whether a node lies before row 0 or behind the last.
  out->asked[out->asked_count++] = (ctx_asked){out->count, {{start, 1, 0, alias}, slot, tree}};
}

static void append(ctx_flats *out, uint32_t start, uint32_t end, uint16_t symbol, uint16_t field) {
  out->nodes = grown(out->nodes, out->count, &out->capacity, 4096, sizeof *out->nodes);
  out->nodes[out->count] = (ctx_flat){start, end, out->count + 1, symbol, field};
  out->count++;
}

static ctx_open opened(const ctx_grammar_rows *rows, const ctx_heap_node *node, uint32_t start, uint32_t index, uint16_t field) {
  const ctx_slot *last = (const ctx_slot *)node, *first = last - node->child_count;
  for (const ctx_slot *s = first; s < last && s < first + PREFETCHED; s++) {
    if (!(s->leaf & CTX_LEAF_INLINE)) __builtin_prefetch(s->heap);
  }
  // The white space before a node is that before its first child.
  uint32_t padding = first->leaf & CTX_LEAF_INLINE ? ctx_leaf_padding(first->leaf) : first->heap->padding;
  return (ctx_open){first, last, &rows->productions[node->production], start - padding, index, 0, field};
}

// Says whether one of the hidden nodes around a child, with the field that it has there, can have siblings with that field.
static bool more_around(const ctx_grammar_rows *rows, const ctx_open *open, uint32_t depth, uint16_t field) {
  while (open[depth].index == CTX_HIDDEN) {
    depth--;
    const ctx_slot *hidden = open[depth].child - 1;
    bool extra = hidden->leaf & CTX_LEAF_INLINE ? hidden->leaf & CTX_LEAF_EXTRA : hidden->heap->flags & CTX_HEAP_EXTRA;
    if (extra) continue;
    if (gives_behind(rows->tables, open[depth].production - rows->productions, field & CTX_FIELD, open[depth].place - 1)) return true;
  }
  return false;
}

void ctx_flatten(ctx_flats *out, const ctx_grammar_rows *rows, const TSTree *tree, const uint8_t *ask) {
  const ctx_tables *t = rows->tables;
  TSNode root = ts_tree_root_node(tree);
  const ctx_slot *slot = root.id;
  uint32_t start = root.context[0], depth = 0;
  out->count = out->asked_count = 0;
  ctx_open *open = NULL;
  uint32_t open_capacity = 0;
  uint16_t symbol = ts_node_symbol(root);
  if (ask[symbol]) keep_asked(out, tree, slot, start, 0);
  append(out, start, ts_node_end_byte(root), symbol, CTX_NAMED);
  if (slot->leaf & CTX_LEAF_INLINE || slot->heap->child_count == 0) return;
  open = grown(open, 0, &open_capacity, 256, sizeof *open);
  open[depth++] = opened(rows, slot->heap, start, 0, 0);
  while (depth > 0) {
    ctx_open *o = &open[depth - 1];
    if (o->child == o->last) {
      if (o->index != CTX_HIDDEN) out->nodes[o->index].next = out->count;
      depth--;
      continue;
    }
    slot = o->child++;
    uint16_t alias = 0, field = o->field, named;
    uint32_t end, children;
    bool visible, extra;
    if (slot->leaf & CTX_LEAF_INLINE) {
      start = o->at + ctx_leaf_padding(slot->leaf);
      end = start + ctx_leaf_size(slot->leaf);
      symbol = ctx_leaf_symbol(slot->leaf);
      visible = slot->leaf & CTX_LEAF_VISIBLE;
      named = slot->leaf & CTX_LEAF_NAMED ? CTX_NAMED : 0;
      extra = slot->leaf & CTX_LEAF_EXTRA;
      children = 0;
    } else {
      start = o->at + slot->heap->padding;
      end = start + slot->heap->size;
      symbol = slot->heap->symbol;
      visible = slot->heap->flags & CTX_HEAP_VISIBLE;
      named = slot->heap->flags & CTX_HEAP_NAMED ? CTX_NAMED : 0;
      extra = slot->heap->flags & CTX_HEAP_EXTRA;
      children = slot->heap->child_count;
    }
    o->at = end;
    if (!extra) {
      const ctx_production *p = o->production;
      if (p->aliases && (alias = p->aliases[o->place])) {
        symbol = alias;
        named = t->metadata[alias].named ? CTX_NAMED : 0;
        visible = true;
      }
      if (o->place < p->field_count && p->fields[o->place]) field = p->fields[o->place];
      o->place++;
      if (field && field != o->field && !(field & CTX_MORE) && o->index == CTX_HIDDEN && t->field_count &&
          more_around(rows, open, depth - 1, field)) {
        field |= CTX_MORE;
      }
    }
    uint32_t index = CTX_HIDDEN;
    if (visible) {
      if (symbol != UINT16_MAX) symbol = t->public_symbols[symbol];
      if (ask[symbol]) keep_asked(out, tree, slot, start, alias);
      index = out->count;
      append(out, start, end, symbol, field | named);
      field = 0;
    }
    if (children > 0 && (visible || slot->heap->visible_child_count > 0)) {
      open = grown(open, depth, &open_capacity, 256, sizeof *open);
      open[depth++] = opened(rows, slot->heap, start, index, field);
    }
  }
  free(open);
}

void ctx_flats_forget(ctx_flats *flats) {
  free(flats->asked);
  flats->asked = NULL;
  flats->asked_count = flats->asked_capacity = 0;
}

void ctx_flats_trim(ctx_flats *flats, uint32_t kept) {
  if (flats->capacity <= kept) return;
  ctx_flats_delete(flats);
  *flats = (ctx_flats){0};
}

void ctx_flats_delete(ctx_flats *flats) {
  free(flats->nodes);
  free(flats->asked);
}
