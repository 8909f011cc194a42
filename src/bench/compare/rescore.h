/*
 * Judging a run again: the answers that were stored, by the validators of a suite as it is now. Nothing is sent. The
 * old run stays as it is; what comes of it is a run of its own, whose config.json says what it was made from.
 *
 * Not everything can be known again, and what cannot is said: an answer that was cut when it was stored is judged by
 * what is left of it; the arguments of calls that a service reported were not stored, so what a validator says of them
 * is null; the names of such calls stay as they were. A prompt that the suite does not have keeps its verdict.
 */
#ifndef BENCH_COMPARE_RESCORE_H
#define BENCH_COMPARE_RESCORE_H

#include "bench/report/summary.h"
#include "bench/run/config.h"
#include "bench/run/run_dir.h"

struct rescore_options {
	struct str run; /* directory, or file of results */
	const struct suite *suite;
	const struct config_suite *files; /* of the suite: for config.json */
	size_t file_count;
	bool has_detector; /* else the run's own */
	enum detector detector;
	struct str parent; /* of the new directory; p NULL: beside the old one */
	struct str run_id; /* p NULL: the old one's, and "-rescored" */
	bool dry;          /* write nothing */
	struct str created_at, version;
	const struct str *command;
	size_t command_count;
	bool allow_commands;
	struct str sandbox; /* what programs were locked into, for config.json */
};

struct rescore_change {
	struct str target, prompt_id;
	int64_t repetition;
	enum verdict_pass before, after;
	struct str violation; /* of the new verdict; p NULL */
	struct str got;       /* beside it: got="..." of report/summary_cells.h; p NULL without a violation */
	bool tools_changed;   /* whether the expected tools were called, too, is seen in another way */
	bool tools_before, tools_after;
	bool cut;             /* judged by a text that was cut */
	bool unknown;         /* null because arguments were not stored */
};

struct rescore {
	struct str old_id, new_id;
	struct str path;   /* of the new directory; of a dry run where it would be */
	enum detector detector;
	uint64_t rows, judged;
	struct results_lost lost; /* lines of the old run that do not count */
	uint64_t kept;     /* rows of prompts that the suite does not have */
	const struct str *kept_prompts;
	size_t kept_count;
	const struct str *reworded; /* prompts whose question is another one now */
	size_t reworded_count;
	bool had_config;
	uint64_t cut;      /* rows judged by a text that was cut */
	uint64_t unknown;  /* rows whose arguments were not stored */
	const struct rescore_change *changes;
	size_t change_count;
	struct summary summary; /* not of a dry run */
};

/*
 * Judges the stored answers of a run again and writes a new run, unless `dry`. The old one is only read. False and *err
 * when no row is of a prompt of the suite or the new directory has results already (ERR_USAGE), or when something
 * cannot be read or written; a new directory that was begun then stays, with what it has. What `out` points to is in
 * the arena, or is the options'.
 */
bool rescore_run(struct rescore *out, struct arena *a, const struct rescore_options *o, struct err *err);

#endif
