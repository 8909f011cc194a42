/* What `bench run` and `bench summary` share: how figures are shown, where else they go, what they must reach. */
#ifndef CMD_BENCH_SHOWN_H
#define CMD_BENCH_SHOWN_H

#include "bench/compare/threshold.h"
#include "bench/report/summary.h"
#include "cmd/frame/command.h"

/* A member `shown` of the options struct. */
struct bench_shown {
	int method; /* enum rate_method */
	struct opt_list fail_under;
	bool confident; /* the worse end of an interval counts */
	struct opt_maybe json;
	struct str export_json, export_md, export_csv, export_junit; /* p NULL: not asked for */
};

#define BENCH_SHOWN_OPTIONS(type) \
	{ OPT_CHOICE, 0, "ci", offsetof(type, shown.method), "wilson|exact|jeffreys", \
	  "the 95 % interval of rates: Wilson's, Clopper and Pearson's, or Jeffreys' (wilson)" }, \
	{ OPT_LIST, 0, "fail-under", offsetof(type, shown.fail_under), "FIGURE", \
	  "exit with 1 unless every target meets this, as 'pass_rate>=90%' or 'p95_latency<=30s'" }, \
	{ OPT_FLAG, 0, "confident", offsetof(type, shown.confident), NULL, \
	  "compare the worse end of a figure's interval with --fail-under" }, \
	{ OPT_OPTIONAL, 0, "json", offsetof(type, shown.json), "FIELDS", \
	  "the summary as JSON; only the named fields" }, \
	{ OPT_STR, 0, "export-json", offsetof(type, shown.export_json), "FILE", "also write the summary as JSON" }, \
	{ OPT_STR, 0, "export-md", offsetof(type, shown.export_md), "FILE", "also write the summary as Markdown" }, \
	{ OPT_STR, 0, "export-csv", offsetof(type, shown.export_csv), "FILE", \
	  "also write a row for each target as CSV" }, \
	{ OPT_STR, 0, "export-junit", offsetof(type, shown.export_junit), "FILE", \
	  "also write a JUnit XML test case for each prompt and target" }

extern const char *const bench_shown_fields[]; /* of --json; ended by NULL */

/* Thresholds, checked before any work is done. */
struct bench_wanted {
	const struct threshold **thresholds;
	size_t count;
};
/* Reads every --fail-under. False with ERR_USAGE for one that is none; *out lives in the arena. */
bool bench_shown_check(struct arena *a, const struct bench_shown *o, struct bench_wanted *out, struct err *err);

/*
 * Prints the summary on standard output: for people, in the width of the screen, or as JSON with the selected members.
 */
void bench_shown_print(const struct frame *f, const struct bench_shown *o, const struct summary *s);

/*
 * Warns on standard error of lines of results.jsonl that do not count: `skipped` are no results, `repeated` have an
 * earlier row. Nothing for 0, nor with -q.
 */
void bench_shown_warn(const struct frame *f, uint64_t skipped, uint64_t repeated);

/*
 * Writes every file that an --export-* names, each whole or not at all. False with *err at the first that cannot be
 * written; later ones are not written then.
 */
bool bench_shown_export(const struct bench_shown *o, const struct summary *s, struct err *err);

/*
 * Holds each target against each threshold and says on standard error what was not reached, also with -q (with -v also
 * what was). Gives whether all was; true without thresholds.
 */
bool bench_shown_meets(const struct frame *f, const struct bench_shown *o, const struct bench_wanted *w,
		       const struct summary *s);

#endif
