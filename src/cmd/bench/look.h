/* What the commands of `bench` that look at runs again print: tables, lines of fields, JSON. */
#ifndef CMD_BENCH_LOOK_H
#define CMD_BENCH_LOOK_H

#include "bench/compare/compare.h"
#include "bench/compare/rescore.h"
#include "bench/report/answers.h"
#include "cmd/frame/command.h"
#include "json/write.h"

/*
 * Turns runs as users name them into directories; a file of results stands for itself. `paths` has room for `count`,
 * and they live in the arena or in `names`. ERR_IO when one is not there, has no results.jsonl, or is a load test.
 */
bool bench_look_find(struct arena *a, const struct str *names, size_t count, struct str *paths, struct err *err);

/*
 * False with ERR_USAGE, naming both, when more than one form is given; `names` are theirs, ended by NULL, and `given`
 * has one for each.
 */
bool bench_look_one_form(const bool *given, const char *const *names, struct err *err);

/* Adds a line of tab-separated fields for each target, with a line of names before them; "-" for what is not known. */
void bench_look_plain(struct buf *out, const struct summary *s);

/* ---- tiers ---- */

/* A prompt whose tools a target did not call. */
struct bench_missed {
	struct str prompt_id;
	uint64_t missed, rows; /* rows that are ok and expect tools */
};

struct bench_tier {
	const struct summary_group *group; /* in the summary, which must outlive it */
	struct bench_missed *missed; /* only prompts with at least one miss */
	size_t missed_count;
};

struct bench_tiers {
	const struct summary *summary;
	struct bench_tier *rows; /* one for each group of the summary */
};

/*
 * Counts the missed prompts of each group of `s` in the runs at `paths`. Rows whose call failed are left out. False
 * with *err when rows cannot be read. The result lives in the arena and points into `s`.
 */
bool bench_tiers_make(struct bench_tiers *t, struct arena *a, const struct summary *s, const struct str *paths,
		      size_t count, struct err *err);
/* The table for people, its notes, and the prompts that each target missed. */
void bench_tiers_show(struct buf *out, struct arena *a, const struct bench_tiers *t, const struct term *term);
/* The document trackway.bench-tiers/1, with the members that are selected. */
void bench_tiers_write_json(struct buf *out, const struct bench_tiers *t, struct opt_maybe selected);
extern const char *const bench_tiers_fields[]; /* ended by NULL */

/* ---- answers ---- */

/*
 * For people: each row with its verdict, its violation and what the model said, broken to the width of `term`. With a
 * prompt that is asked for, what was asked and by what it is judged stands first, and answers are whole; without one,
 * the first lines of each.
 */
void bench_answers_show(struct buf *out, const struct answers *x, const struct term *term);
/* A line of tab-separated fields for each row, with a line of names before them; texts are quoted as in JSON. */
void bench_answers_plain(struct buf *out, const struct answers *x);
/* The document trackway.bench-show/1, with the members that are selected. */
void bench_answers_write_json(struct buf *out, const struct answers *x, struct opt_maybe selected);
extern const char *const bench_answers_fields[]; /* ended by NULL */

/* ---- comparing and rescoring ---- */

/* For people: verdicts first, then the figures of each pair, broken to the width of `term`. */
void bench_compare_show(struct buf *out, const struct compare *c, const struct term *term);
/* The document trackway.bench-compare/1, with the members that are selected. */
void bench_compare_write_json(struct buf *out, const struct compare *c, struct opt_maybe selected);
extern const char *const bench_compare_fields[]; /* ended by NULL */

/*
 * For people: at most `limit` changed verdicts (SIZE_MAX: all), then what could not be known. `dry`: nothing was
 * written.
 */
void bench_rescore_show(struct buf *out, const struct rescore *r, bool dry, size_t limit);
/* The document trackway.bench-rescore/1, with the members that are selected and all changes. */
void bench_rescore_write_json(struct buf *out, const struct rescore *r, bool dry, struct opt_maybe selected);
extern const char *const bench_rescore_fields[]; /* ended by NULL */

/* ---- for all of them ---- */

/* Adds "[30.0, 90.3]": shares of 1, shown in percent without the sign. */
void bench_look_interval(struct buf *out, struct interval i);

#endif
