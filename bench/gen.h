/*
 * Makes lines of JSON that look like the logs we read: the same bytes for the same arguments on every
 * machine, every line different except the header that begins a trajectory. A line is written into a
 * fixed buffer, which has room for more than the makers ever put into one.
 *
 * The order of arguments' evaluation is the compiler's choice, so no call takes two random arguments.
 */
#ifndef BENCH_GEN_H
#define BENCH_GEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define GEN_LINE_MAX ((size_t)1 << 20)
#define GEN_HISTORY_MAX ((size_t)1 << 18)
#define GEN_PLAN 32
#define GEN_CALLS 4
#define GEN_CALL_ID 32
#define GEN_ID 36
#define GEN_IDS 512 /* nodes of one run that may still become parents */
#define GEN_NODE_KINDS 6

struct gen {
	char *at;       /* end of the line so far */
	bool first;     /* no member or element yet in the innermost container */
	bool spaced;    /* ", " and ": " as Python's json module writes them */
	bool ascii;     /* everything beyond ASCII as \u escapes, as the same module does */
	uint64_t state; /* of the random numbers */
	uint64_t lines, written; /* lines and bytes so far */

	/* the run being written */
	uint64_t left; /* lines to go */
	uint64_t turn; /* lines since its first */
	char run_id[GEN_ID];
	char ids[GEN_IDS][GEN_ID];
	size_t id_count; /* nodes so far; the latest GEN_IDS are kept */
	bool late;       /* some nodes are written after those that name them: */
	uint64_t due;    /* lines until the one awaited comes, 0 when there is none */
	size_t named_at; /* id_count when it was named */
	char awaited[GEN_ID];
	unsigned framework, model;
	uint64_t clock_us;
	uint64_t counts[GEN_NODE_KINDS], tokens_in, tokens_out, stall_us;
	uint64_t began_us;

	/* the session of an agent being written */
	bool begins; /* the line is the first of its file */
	unsigned char plan[GEN_PLAN]; /* lines to come in this turn, */
	size_t planned, done;         /* how many they are and were */
	char message_id[GEN_CALL_ID], request_id[GEN_CALL_ID], last_id[GEN_ID];
	char call_ids[GEN_CALLS][GEN_CALL_ID];
	unsigned call_tools[GEN_CALLS];
	size_t calls, answered;
	uint64_t context; /* tokens so far */
	uint64_t usage[3]; /* of the response: written to the cache, read from it, output */
	char history[GEN_HISTORY_MAX]; /* the conversation so far, for those who send all of it every time */
	size_t history_n;

	char line[GEN_LINE_MAX];
};

/* One line each, without the line end. */
void gen_trace(struct gen *g);
void gen_run(struct gen *g);
bool gen_run_end(struct gen *g); /* what a run ends with: to be called until it says that it was the last line */
void gen_trajectory(struct gen *g);
void gen_numbers(struct gen *g);
void gen_claude(struct gen *g);
void gen_openai(struct gen *g);

/* ---- random numbers ---- */

uint64_t gen_random(struct gen *g);
uint64_t gen_below(struct gen *g, uint64_t limit);
bool gen_chance(struct gen *g, unsigned percent);

/* Spread over the orders of magnitude: as many values between 10 and 100 as between 100 and 1000. */
uint64_t gen_magnitude(struct gen *g, unsigned digits_min, unsigned digits_max);

#define GEN_PICK(g, table) ((table)[gen_below((g), sizeof(table) / sizeof((table)[0]))])

/* ---- writing ---- */

void gen_raw(struct gen *g, const char *terminated);
void gen_open(struct gen *g, char bracket);
void gen_close(struct gen *g, char bracket);
void gen_key(struct gen *g, const char *name); /* with the comma before it */
void gen_element(struct gen *g);               /* the comma before an element */
void gen_string(struct gen *g, const char *terminated); /* must need no escape */
void gen_bytes(struct gen *g, const char *p, size_t n);
void gen_bool(struct gen *g, bool v);
void gen_uint(struct gen *g, uint64_t v);

/* v / 10^places without trailing zeros, as a float's shortest text would be: 1500, 3 gives 1.5. */
void gen_decimal(struct gen *g, uint64_t v, unsigned places);

enum gen_text { GEN_PROSE, GEN_CODE, GEN_LISTING };

/* A quoted text of `low` to `high` bytes, or a little more. */
void gen_text(struct gen *g, enum gen_text kind, size_t low, size_t high);

/* What was written since `begin`, which is JSON, as a quoted string in its place. */
void gen_quote_since(struct gen *g, char *begin);

/* RFC 3339 with milliseconds, quoted. */
void gen_stamp(struct gen *g, uint64_t ms);

/* "prefix" and random letters and digits up to GEN_CALL_ID - 1 bytes, terminated. */
void gen_make_token(struct gen *g, char out[GEN_CALL_ID], const char *prefix);

/* A random identifier of version 7, whose time is the run's clock. */
void gen_make_id(struct gen *g, char out[GEN_ID]);
void gen_id(struct gen *g, const char id[GEN_ID]); /* quoted */

#endif
