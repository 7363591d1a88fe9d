// Patterns are matched here, by backtracking, and not by the library's query cursor, which asks of every node that it
// passes where it stands among its siblings and with what field: 0.1 of the parse for Go and 0.5 for Java, where this takes
// a tenth of it. The matches are the same, in the same order; TestMatch compares them. What the
// library does with quantifiers is left to it, see pattern.go.

#include "match.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
  ctx_matches *out;
  const ctx_step *steps;
  const ctx_flat *nodes;
  uint32_t pattern, limit;
  uint32_t reached; // the node that fitted last
} matcher;

// What is to be matched when the steps in a node are.
typedef struct resume {
  int32_t step;
  uint32_t at, end;
  struct resume *up;
  bool whole; // the steps in it were matched
} resume;

static void *grown(void *list, uint32_t count, uint32_t *capacity, size_t size) {
  if (count < *capacity) return list;
  *capacity = *capacity ? 2 * *capacity : 64;
  list = realloc(list, *capacity * size);
  if (!list) abort();
  return list;
}

static bool named(const ctx_flat *node) { return node->field & CTX_NAMED; }

static bool has_field(const matcher *m, uint32_t node, uint16_t field) {
  const ctx_flat *nodes = m->nodes;
  for (uint32_t c = node + 1; c < nodes[node].next && m->out->tried <= CTX_MAX_TRIED; c = nodes[c].next) {
    m->out->tried++;
    if ((nodes[c].field & CTX_FIELD) == field) return true;
  }
  return false;
}

static bool fits(const matcher *m, const ctx_step *s, uint32_t node, uint32_t end) {
  const ctx_flat *n = &m->nodes[node];
  if (s->kind == CTX_KIND_SYMBOL ? n->symbol != s->symbol
                                 : n->symbol == UINT16_MAX || (s->kind == CTX_KIND_NAMED && !named(n))) {
    return false;
  }
  if (s->field && (n->field & CTX_FIELD) != s->field) return false;
  if (s->last) {
    for (uint32_t c = n->next; c < end && m->out->tried <= CTX_MAX_TRIED; c = m->nodes[c].next) {
      m->out->tried++;
      if (named(&m->nodes[c])) return false;
    }
  }
  for (uint8_t i = 0; i < s->not_count; i++) {
    if (has_field(m, node, s->nots[i])) return false;
  }
  return true;
}

static bool same(const ctx_found *a, const ctx_found *b, uint32_t count) {
  for (uint32_t i = 0; i < count; i++) {
    if (a[i].id != b[i].id || a[i].node != b[i].node) return false;
  }
  return true;
}

static void finish(matcher *m) {
  ctx_matches *out = m->out;
  if (out->found_count > m->limit || out->tried > CTX_MAX_TRIED) return; // what was not looked at does not count as absent
  if (out->match_count > 0) { // two readings of one thing
    const ctx_match *last = &out->matches[out->match_count - 1];
    if (last->pattern == m->pattern && last->count == out->held_count &&
        same(out->found + last->first, out->held, out->held_count)) {
      return;
    }
  }
  out->matches = grown(out->matches, out->match_count, &out->match_capacity, sizeof *out->matches);
  out->matches[out->match_count] =
      (ctx_match){m->reached, out->match_count, m->pattern, out->found_count, out->held_count};
  out->match_count++;
  for (uint32_t i = 0; i < out->held_count; i++) {
    out->found = grown(out->found, out->found_count, &out->found_capacity, sizeof *out->found);
    out->found[out->found_count++] = out->held[i];
  }
}

static void seek(matcher *m, int32_t step, uint32_t at, uint32_t end, resume *up);

static void go_on(matcher *m, int32_t step, uint32_t at, uint32_t end, resume *up) {
  while (step < 0) {
    if (!up) {
      finish(m);
      return;
    }
    up->whole = true;
    step = up->step, at = up->at, end = up->end, up = up->up;
  }
  seek(m, step, at, end, up);
}

// Matches a step at a node that fits, and all that comes behind it. False: what is in the node does not match.
static bool take(matcher *m, const ctx_step *s, uint32_t node, uint32_t end, resume *up) {
  ctx_matches *out = m->out;
  uint32_t held = out->held_count;
  for (uint8_t i = 0; i < s->capture_count; i++) out->held[out->held_count++] = (ctx_found){s->captures[i], node};
  m->reached = node;
  bool whole = true;
  if (s->child < 0) {
    go_on(m, s->then, m->nodes[node].next, end, up);
  } else {
    resume behind = {s->then, m->nodes[node].next, end, up, false};
    seek(m, s->child, node + 1, m->nodes[node].next, &behind);
    whole = behind.whole;
  }
  out->held_count = held;
  return whole;
}

// Tries a step, and its alternatives, at the siblings from at to end. Where nothing is captured one match says all.
static void seek(matcher *m, int32_t step, uint32_t at, uint32_t end, resume *up) {
  for (; step >= 0; step = m->steps[step].alternative) {
    const ctx_step *s = &m->steps[step];
    for (uint32_t c = at; c < end; c = m->nodes[c].next) {
      if (++m->out->tried > CTX_MAX_TRIED) {
        m->out->tried = CTX_MAX_TRIED + 1;
        return;
      }
      if (fits(m, s, c, end) && take(m, s, c, end, up) && !s->capturing) break;
      if (s->immediate && named(&m->nodes[c])) break;
      if (s->field && (m->nodes[c].field & (CTX_FIELD | CTX_MORE)) == s->field) break;
    }
  }
}

static int by_finish(const void *a, const void *b) {
  const ctx_match *x = a, *y = b;
  if (x->finish != y->finish) return x->finish < y->finish ? -1 : 1;
  return x->order < y->order ? -1 : x->order > y->order;
}

void ctx_match_node(ctx_matches *out, const ctx_step *steps, const ctx_start *start, const ctx_flat *nodes, uint32_t node, uint32_t limit) {
  matcher m = {out, steps, nodes, 0, limit, node};
  out->match_count = out->found_count = out->held_count = 0;
  for (; start->pattern != CTX_NO_PATTERN; start++) {
    const ctx_step *s = &steps[start->step];
    m.pattern = start->pattern;
    if (fits(&m, s, node, 0)) take(&m, s, node, 0, NULL);
  }
  for (uint32_t i = 1; i < out->match_count; i++) {
    if (out->matches[i].finish < out->matches[i - 1].finish) {
      qsort(out->matches, out->match_count, sizeof *out->matches, by_finish);
      break;
    }
  }
}

void ctx_matches_delete(ctx_matches *matches) {
  free(matches->found);
  free(matches->matches);
}
