// Whether the library is laid out as layout.h has it.

#include "nodes.h"

#include <string.h>

// Compares the flat tree with what the interface tells.
static bool same_tree(const ctx_flats *flats, TSNode root) {
  TSTreeCursor cursor = ts_tree_cursor_new(root);
  uint32_t i = 0;
  bool same = true, moved = true;
  while (same && moved) {
    TSNode node = ts_tree_cursor_current_node(&cursor);
    same = i < flats->count && flats->nodes[i].start == ts_node_start_byte(node) && flats->nodes[i].end == ts_node_end_byte(node) &&
           flats->nodes[i].symbol == ts_node_symbol(node) &&
           (flats->nodes[i].field & CTX_FIELD) == ts_tree_cursor_current_field_id(&cursor);
    i++;
    if (ts_tree_cursor_goto_first_child(&cursor)) continue;
    while (!(moved = ts_tree_cursor_goto_next_sibling(&cursor))) {
      if (!ts_tree_cursor_goto_parent(&cursor)) break;
    }
  }
  ts_tree_cursor_delete(&cursor);
  return same && i == flats->count;
}

bool ctx_layout_holds(ctx_worker *w, const TSLanguage *language, const char *src) {
  static const uint8_t none[UINT16_MAX + 1];
  const ctx_tables *t = ctx_tables_of(language);
  if (t->version != ts_language_version(language) || t->symbol_count + t->alias_count != ts_language_symbol_count(language)) return false;
  TSTree *tree = ctx_parse_tree(w, src, strlen(src), (ctx_budget){1 << 20, UINT64_MAX});
  if (!tree) return false;
  TSNode root = ts_tree_root_node(tree);
  const ctx_slot *slot = root.id;
  bool holds = false;
  if (!(slot->leaf & CTX_LEAF_INLINE) && slot->heap->symbol == ts_node_symbol(root) && slot->heap->child_count < 16 &&
      slot->heap->padding == ts_node_start_byte(root) && slot->heap->padding + slot->heap->size == ts_node_end_byte(root)) {
    ctx_grammar_rows rows = ctx_grammar_rows_new(language);
    ctx_flats flats = {0};
    ctx_flatten(&flats, &rows, tree, none);
    holds = same_tree(&flats, root);
    ctx_flats_delete(&flats);
    ctx_grammar_rows_delete(&rows);
  }
  ts_tree_delete(tree);
  return holds;
}
