/*
 * A list of runs with their facts: those of directories, and those that logs hold. It can be narrowed to the runs that
 * match, and put in order. Everything lives in its arena.
 */
#ifndef FLOW_RUN_TABLE_H
#define FLOW_RUN_TABLE_H

#include "base/map.h"
#include "flow/run_facts.h"

struct run_table {
	struct arena *arena;
	struct run_facts *list;
	size_t count, cap;
	struct map dirs;     /* met by run_table_enter: 1 for a run, else 0 */
	struct str *waiting; /* directories of runs whose facts are not read yet */
	size_t wait_count, wait_cap;
	struct map ids;      /* of the log at hand: trace id to place + 1 */
	size_t log_from;     /* where its runs begin in the list */
};

void run_table_init(struct run_table *t, struct arena *a);

/* Adds an entry without any facts; as a pointer it lasts until the next one. */
struct run_facts *run_table_add(struct run_table *t);

/*
 * For source_options.enter: notes the directory of a run, once, and gives false, so that its files are not read as
 * logs. True for other directories.
 */
bool run_table_enter(void *table, struct str path);

/* Reads the facts of the directories that were noted. Less of them when the process is to stop. */
void run_table_read(struct run_table *t);

/* A row of the log at hand, to the run that it is of; gives the place of that run. */
size_t run_table_add_row(struct run_table *t, const struct trace_row *r);

/* The log is over: its runs get its path and its format, and are finished. */
void run_table_end_log(struct run_table *t, struct str path, const char *format);

/* What a run must match; what is not given matches all. Words match in any case. */
struct run_table_filter {
	const char *kind;         /* NULL: all */
	struct str model;         /* a part of one of its models' names; p NULL: all */
	struct str agent;         /* a part of the agent's name or the program's; p NULL: all */
	struct str verdict;       /* p NULL: all */
	const struct str *tags;   /* "K" or "K=V", all of them */
	size_t tag_count;
	bool has_since;
	int64_t since_us;         /* runs that began at that time or later */
};

bool run_table_fits(const struct run_facts *f, const struct run_table_filter *filter);

/* Leaves only the runs that match. */
void run_table_narrow(struct run_table *t, const struct run_table_filter *filter);

enum run_table_order { RUN_TABLE_WHEN, RUN_TABLE_TOKENS, RUN_TABLE_COST, RUN_TABLE_DURATION };

/* The newest or the greatest first, or last with `reverse`; what is not known stands last in any case. */
void run_table_sort(struct run_table *t, enum run_table_order by, bool reverse);

#endif
