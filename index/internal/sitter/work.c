// A parse ends when it has done so much work, not when so much time has gone by: on a busy machine a file would have
// other definitions than on an idle one. Two things are counted: the parser's looks at the clock, one in 100 steps (a shift,
// or a reduction), and the pieces of the text that its lexer asks for. Without the second a list of unclosed strings would
// cost its length at each step.
//
// What a step costs is not bounded, though: in some grammars it grows with the depth of what is left open (30,000 open
// brackets of CSS are 700 looks, and 3 s). So there is a limit to the thread's processor time as well, far above what
// the work takes where steps cost what they mostly do. It is the same on a busy machine, but not on a slower one; only what
// is made to be slow comes near it.
//
// The parser takes a limit of time and no other, so it is given a clock that counts: the linker sends its calls of
// clock_gettime here (--wrap, see work.go). Rejected: processor time alone, which differs from run to run with what else is
// in the caches; a watch that sets the parser's cancellation flag, for the same reason; counting in the parser's
// logger, which formats a line for every step; a copy of the parser with a counter in it, which would have to follow the
// module.

#include "work.h"

#include <time.h>

// One piece of the text. Backtracking over the edge of a piece asks again: at this size, once in 1,000 tokens.
#define PIECE 4096

// The processor time is asked for at one look of so many: that is a system call.
#define LOOKS_PER_TIME 8

// What the parse that this thread is at has done.
typedef struct {
  uint64_t work, looks;
  uint64_t until; // processor time, in nanoseconds
} effort;

// NULL: the thread is at no parse, and the clock tells the time. Volatile, because clock_gettime is declared to touch
// nothing of this file.
static _Thread_local volatile effort *volatile counted;

#ifdef __linux__

extern int __real_clock_gettime(clockid_t clock, struct timespec *now);

static uint64_t thread_nanos(void) {
  struct timespec t;
  if (__real_clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t) != 0) return 0;
  return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

// A microsecond is a unit of work. It is never in second 0, which means no limit to the parser.
int __wrap_clock_gettime(clockid_t clock, struct timespec *now) {
  volatile effort *e = counted;
  if (!e) return __real_clock_gettime(clock, now);
  uint64_t work = e->work + 1;
  e->work = work;
  e->looks = e->looks + 1;
  bool late = e->looks % LOOKS_PER_TIME == 0 && thread_nanos() > e->until;
  now->tv_sec = late ? (time_t)INT32_MAX : (time_t)(1 + work / 1000000); // of 32 bits, on some machines
  now->tv_nsec = (long)(work % 1000000 * 1000);
  return 0;
}

static uint64_t limit_of(ctx_budget budget) { return budget.work; }

bool ctx_work_counts(void) {
  volatile effort e = {0, 0, UINT64_MAX};
  struct timespec now;
  counted = &e;
  clock_gettime(CLOCK_MONOTONIC, &now);
  counted = NULL;
  return e.looks == 1;
}

#else

// Where the linker cannot do that the parser's own clock, which is the process's processor time there, has to do.
static uint64_t limit_of(ctx_budget budget) { return budget.nanos / 1000 + 1; }

static uint64_t thread_nanos(void) { return 0; }

bool ctx_work_counts(void) { return true; }

#endif

typedef struct {
  const char *text;
  uint32_t length;
  volatile effort *effort;
} source;

static const char *piece(void *payload, uint32_t at, TSPoint place, uint32_t *size) {
  const source *s = payload;
  (void)place;
  s->effort->work = s->effort->work + 1;
  if (at >= s->length) {
    *size = 0;
    return "";
  }
  *size = s->length - at < PIECE ? s->length - at : PIECE;
  return s->text + at;
}

TSTree *ctx_parse_within(TSParser *parser, const char *text, uint32_t length, ctx_budget budget, uint64_t *spent) {
  uint64_t began = thread_nanos();
  volatile effort e = {0, 0, budget.nanos < UINT64_MAX - began ? began + budget.nanos : UINT64_MAX};
  source s = {text, length, &e};
  ts_parser_set_timeout_micros(parser, limit_of(budget));
  // A parser that was interrupted goes on with the interrupted file at the next call, whatever it
  // is given then. Workers that were interrupted are deleted by the caller; this is the second lock.
  ts_parser_reset(parser);
  counted = &e;
  TSTree *tree = ts_parser_parse(parser, NULL, (TSInput){&s, piece, 0});
  counted = NULL;
  *spent = e.work;
  return tree;
}
