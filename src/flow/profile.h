/*
 * Where the time and the tokens of a run went: an agent-trace read once, in memory that does not grow with it. Lines
 * that cannot be used are counted; a trace without its end is a run that was interrupted.
 *
 * Time is counted twice. `busy` is time of the clock during which at least one node of a kind was under way; two calls
 * side by side count once. `sum` adds up what each took; calls of one fan-out whose time is only known to lie between
 * the same two moments count once there too. A tool call without a result takes no time: it ended when it was asked.
 */
#ifndef FLOW_PROFILE_H
#define FLOW_PROFILE_H

#include "base/err.h"
#include "dialect/agent_trace/trace_row.h"
#include "source/source.h"
#include "transform/quantile.h"
#include "transform/spans.h"

#define PROFILE_GROUPS 500      /* models, and tools; the rest is one group */
#define PROFILE_VALUES 100000   /* kept for the percentiles of a group; of the later groups fewer */
#define PROFILE_TOP 5           /* of gaps and waits */
#define PROFILE_HOPELESS 100000 /* lines without a node after which nothing more is read */

/* A model or a tool. */
struct profile_group {
	struct str name;
	uint64_t calls, failed, partial, external;
	uint64_t timed;   /* calls whose time counts: all but those of tools without a result */
	uint64_t guessed; /* calls of which it is guessed by their name whether they are external */
	uint64_t input, output;
	bool about_input, about_output; /* some of the tokens are estimated */
	struct amount usd;              /* of the calls that have a price */
	uint64_t unpriced;              /* calls that used tokens and have none */
	int64_t sum_us, longest_us, stall_us;
	int64_t each_us; /* every timed call for itself, whatever it shares */
	enum trace_length length, longest_length; /* how sure sum and mean are, and the longest */
	int64_t bound_from_us, bound_to_us;       /* of the last one that is only known to lie between two moments */
	uint64_t stalls; /* calls that say how long they waited */
	struct quantile latency, ttft; /* seconds; of a tool only latency */
};

struct profile_groups {
	struct profile_group *list[PROFILE_GROUPS + 1];
	size_t count;
	bool others; /* the last one holds all that found no place */
};

/* A node of the waterfall. */
struct profile_row {
	uint64_t number; /* in the order of the file */
	enum at_kind kind;
	struct hash id, parent;
	bool has_parent, failed, partial, inferred, total_only;
	enum trace_length length;
	bool same; /* its time is that of the row above, told there */
	int64_t from_us, to_us;
	int64_t ttft_us; /* -1 when not known */
	uint64_t input, output;
	const struct profile_group *group; /* of a model or tool */
	struct str label;                  /* of the others: a constant */
	size_t siblings;
	unsigned level; /* how far it is indented */
};

struct profile_gap {
	int64_t from_us, to_us; /* nothing was under way */
};

struct profile_wait {
	const struct profile_group *tool;
	int64_t from_us, stall_us;
	enum trace_length length;
};

/* PROFILE_RUNNING only by the caller's word: a trace does not tell whether somebody still writes it. */
enum profile_verdict { PROFILE_SUCCESS, PROFILE_ERROR, PROFILE_INTERRUPTED, PROFILE_RUNNING, PROFILE_VERDICTS };
extern const char *const profile_verdicts[PROFILE_VERDICTS];

enum profile_union { UNION_ALL, UNION_MODEL, UNION_FIRST, UNION_TOOL, UNION_USER, UNIONS };

struct profile {
	struct arena *arena;
	/* the file */
	uint64_t lines, damaged; /* damaged: neither a node nor the summary */
	uint64_t first_damaged;  /* the number of the line */
	bool torn;      /* the last line breaks off; it is not among the damaged */
	bool mixed;     /* there is more than one trace in it */
	uint64_t other_versions;
	struct str version; /* the first other one; "" when that is none at all */
	/* the run */
	bool has_summary;
	enum profile_verdict verdict;
	struct str error, trace_id, framework, rig, engine;
	int64_t from_us, to_us; /* of the whole */
	double total;           /* seconds */
	uint64_t nodes, counts[AT_KINDS], partial, inferred;
	uint64_t known_by[SIGHT_LAYERS]; /* nodes that each layer saw; a node of several counts for each of them */
	uint64_t total_only; /* of the model calls: no calls, but what a log states only in total */
	uint64_t fan_outs, speculations;
	/* time */
	int64_t busy_us[UNIONS], sum_us[UNIONS]; /* FIRST: until the first token; USER: waiting for a person */
	enum trace_length length[UNIONS];        /* how sure busy and sum are */
	int64_t both_us, idle_us;                /* models and tools at once; nothing at all */
	bool about;                              /* the times of the clock are not exact: there were too many gaps */
	int64_t stall_us;
	enum trace_length stall_length; /* how sure it is */
	uint64_t stalls; /* tool calls that say how long they waited */
	/* tokens: [FIGURE_API], [FIGURE_ESTIMATED] */
	uint64_t input[2], output[2], cache_read, cache_write, reasoning;
	bool has_cache, has_reasoning;
	struct amount usd;
	uint64_t priced;   /* model calls with a price */
	uint64_t unpriced; /* model calls that used tokens and have none; their groups count them, too */
	bool usd_is_total; /* the log states the cost of the whole: then no call counts as unpriced */
	struct profile_groups models, tools;
	struct profile_gap gaps[PROFILE_TOP];
	size_t gap_count;
	struct profile_wait waits[PROFILE_TOP];
	size_t wait_count;
	/* the waterfall: the longest nodes, in the order in which they began */
	struct profile_row *rows;
	size_t row_count;
};

struct profile_flow {
	struct source *from; /* its first input is read */
	unsigned jobs;
	bool permissive;  /* lines of other versions are read as well */
	size_t row_limit; /* SIZE_MAX: every node has a row */
	void (*tick)(void *context, const struct source *from); /* may be NULL */
	void *context;
};

/*
 * Profiles the first input. Everything lives in `a`, but for the values of the percentiles: profile_free, also after a
 * failure. False and *err when the input cannot be read, is no agent-trace (ERR_DATA, after PROFILE_HOPELESS lines), or
 * we are to stop. Lines that cannot be used are no failure.
 */
bool profile_run(struct arena *a, struct profile_flow *f, struct profile *out, struct err *err);
void profile_free(struct profile *p);

/* Whether there is a model call or a tool call in it. */
bool profile_has_calls(const struct profile *p);

#endif
