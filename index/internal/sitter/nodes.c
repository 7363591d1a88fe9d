// The whole tree in one call. What is wrong with a file is asked of few files, and needs what the queries
// leave out: which tokens there are, and what they are part of.

#include "nodes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void append(ctx_nodes *out, uint32_t *capacity, ctx_node node) {
  if (out->count == *capacity) {
    *capacity = *capacity ? 2 * *capacity : 4096;
    out->nodes = realloc(out->nodes, *capacity * sizeof *out->nodes);
    if (!out->nodes) abort();
  }
  out->nodes[out->count++] = node;
}

int ctx_list_nodes(ctx_worker *w, const char *src, uint32_t length, ctx_budget budget, ctx_nodes *out) {
  *out = (ctx_nodes){0};
  TSTree *tree = ctx_parse_tree(w, src, length, budget);
  if (!tree) return CTX_PARSE_TOO_MUCH;
  TSTreeCursor cursor = ts_tree_cursor_new(ts_tree_root_node(tree));
  uint32_t capacity = 0, depth = 0;
  for (;;) {
    TSNode node = ts_tree_cursor_current_node(&cursor);
    uint16_t flags = (ts_node_is_missing(node) ? CTX_MISSING : 0) | (ts_node_is_error(node) ? CTX_ERROR : 0);
    append(out, &capacity,
           (ctx_node){ts_node_start_byte(node), ts_node_end_byte(node), depth, ts_node_symbol(node), flags});
    if (ts_tree_cursor_goto_first_child(&cursor)) {
      depth++;
      continue;
    }
    out->nodes[out->count - 1].flags |= CTX_LEAF;
    bool moved = false;
    while (!(moved = ts_tree_cursor_goto_next_sibling(&cursor))) {
      if (!ts_tree_cursor_goto_parent(&cursor)) break;
      depth--;
    }
    if (!moved) break;
  }
  ts_tree_cursor_delete(&cursor);
  ts_tree_delete(tree);
  return CTX_DONE;
}

// What the parser does while it looks for the first error. It tries several readings at once (versions); a
// version that cannot go on rests, and only when none is left is one of them resumed, by giving up tokens.
// That moment is the error that any parser would report. The tree itself does not tell: its ERROR node
// begins where the construct does that was given up, often lines before.
typedef struct {
  ctx_stop *stop;
  uint32_t row, column;         // of the version at work
  uint32_t far_row, far_column; // the furthest that a version came before it could not go on
} watcher;

static void watch(void *payload, int type, const char *text) {
  watcher *w = payload;
  if (type != 0 || w->stop->found) return;
  switch (text[0]) {
  case 'p': {
    const char *row = strstr(text, ", row:");
    if (row) sscanf(row, ", row:%u, col:%u", &w->row, &w->column);
    break;
  }
  case 'd':
    if (strncmp(text, "detect_error", 12) != 0) break;
    if (w->row > w->far_row || (w->row == w->far_row && w->column > w->far_column)) {
      w->far_row = w->row;
      w->far_column = w->column;
    }
    break;
  case 'r':
    if (strncmp(text, "resume version", 14) != 0) break;
    *w->stop = (ctx_stop){1, w->far_row, w->far_column};
    break;
  }
}

int ctx_first_error(ctx_worker *w, const char *src, uint32_t length, ctx_budget budget, ctx_stop *out) {
  *out = (ctx_stop){0};
  watcher seen = {.stop = out};
  ts_parser_set_cancellation_flag(w->parser, &out->found);
  ts_parser_set_logger(w->parser, (TSLogger){&seen, watch});
  TSTree *tree = ctx_parse_tree(w, src, length, budget);
  ts_parser_set_logger(w->parser, (TSLogger){0});
  ts_parser_set_cancellation_flag(w->parser, NULL);
  ts_parser_reset(w->parser);
  if (!tree) return out->found ? CTX_DONE : CTX_PARSE_TOO_MUCH;
  ts_tree_delete(tree); // it read the whole file
  return CTX_DONE;
}
