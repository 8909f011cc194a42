/*
 * The facts of a run that a list of runs shows: when, what became of it, who, which models, tokens, cost. Of a
 * directory (a recorded run, or a benchmark) they come from its small files, meta.json and summary.json; the trace is
 * read only for what these lack. Of any other log they are added up from the rows of its trace.
 *
 * What is not known stays unknown: a cost says whether it is all of the cost.
 */
#ifndef FLOW_RUN_FACTS_H
#define FLOW_RUN_FACTS_H

#include "base/arena.h"
#include "dialect/agent_trace/trace_row.h"

#define RUN_FACTS_MODELS 100 /* names that are kept of a run */

struct run_facts_tag {
	struct str key, value;
};

/* Names in the order in which they came, each once. */
struct run_facts_names {
	struct str *list;
	size_t count, cap;
};

/* Texts are in the arena of who made them, or constants. */
struct run_facts {
	struct str id;
	struct str path;     /* the directory, or the file of a log */
	const char *kind;    /* "record", "bench", "trace" (a directory with nothing but a trace), or a log's format */
	const char *verdict; /* success, error, interrupted, running; of a benchmark complete, stopped, running */
	struct str agent;    /* the framework; of a benchmark its suites. p NULL: not known */
	struct str program;  /* p NULL: not known */
	bool has_time, is_over;
	int64_t from_us, to_us; /* since 1970; to_us when is_over */
	double seconds;         /* NaN: not known */
	bool has_models;        /* false: nobody read which there are */
	struct run_facts_names models, unpriced; /* unpriced: used tokens that have no price */
	struct figure input, output; /* estimated when a part of them is */
	struct amount usd;
	uint8_t is_whole;       /* enum truth: usd is all of the cost; TRUTH_NULL when nobody knows */
	uint64_t model_calls, tool_calls;
	const struct run_facts_tag *tags;
	size_t tag_count;
	struct str forked_run; /* the hash of the run that it goes on from; p NULL: none */
	uint64_t forked_seq;
	/* a benchmark */
	uint64_t rows, rows_wanted;   /* rows_wanted 0: not known */
	struct figure judged, passed; /* errors count as not passed */
	/* while rows are added */
	bool has_summary, last_failed, usd_is_total;
};

/* No facts so far. */
void run_facts_init(struct run_facts *f);

/* Adds a node or the summary of the run's trace; what is kept of it is copied to the arena. */
void run_facts_add(struct run_facts *f, struct arena *a, const struct trace_row *r);

/* All rows are there: a run without a summary was interrupted, or failed when its last call did. */
void run_facts_finish(struct run_facts *f);

/* Adds a name unless it is there or there are RUN_FACTS_MODELS; copied to the arena. */
void run_facts_add_name(struct run_facts_names *n, struct arena *a, struct str name);

/* Whether a directory is that of a run: recorded, a benchmark, or one that has a trace of the usual name. */
bool run_facts_is_run(struct str dir);

struct run_facts_reader;

/* Facts and their texts are in `keep`; what is needed to read them is the reader's. Never NULL. */
struct run_facts_reader *run_facts_open(struct arena *keep);
void run_facts_close(struct run_facts_reader *r);

/*
 * The facts of a directory that run_facts_is_run; `dir` is NUL-terminated. Files that are missing or damaged leave
 * facts unknown, and so does a signal to stop, which the caller asks for.
 */
void run_facts_read(struct run_facts_reader *r, struct str dir, struct run_facts *out);

/* The facts of a trace alone; as complete as it can be read. */
void run_facts_read_trace(struct run_facts_reader *r, struct str path, struct run_facts *out);

#endif
