/*
 * Whether a run kept what was declared for it. Two steps, both pure: audit_run_add takes from each event what the audit
 * counts (calls, programs, fetched URIs, costs, tokens), each with the seq of its OTUTL record; audit_judge holds that
 * against a policy. What is counted does not depend on the policy, which may stand anywhere.
 *
 * What cannot be judged is a verdict of its own: arguments that a log does not have, costs and tokens that nobody
 * knows, command lines that cannot be read. It is never "kept". doc/audit.md has the rules for users.
 */
#ifndef TRANSFORM_AUDIT_H
#define TRANSFORM_AUDIT_H

#include "model/event.h"
#include "transform/audit_policy.h"

/* ---- what a run used ---- */

enum audit_use_kind { AUDIT_USE_CALL, AUDIT_USE_PROGRAM, AUDIT_USE_FETCH, AUDIT_USE_COST, AUDIT_USE_STEP };

enum audit_use_flag {
	AUDIT_SHELL = 1,          /* CALL: it runs command lines, as far as is known */
	AUDIT_NO_ARGS = 2,        /* CALL: the log does not have its arguments, or they are not JSON */
	AUDIT_SOME_PROGRAMS = 4,  /* CALL: it may run programs that cannot be named */
	AUDIT_SOME_URIS = 8,      /* CALL: it names URIs that cannot be known */
	AUDIT_NO_USD = 16,        /* COST: nobody knows the dollars */
	AUDIT_NO_TOKENS = 32,     /* COST, STEP: nobody knows the tokens */
	AUDIT_ESTIMATED = 64,     /* COST, STEP: the tokens are */
	AUDIT_ESTIMATED_USD = 128, /* COST: the dollars are */
	AUDIT_STATED_USD = 256,    /* COST: the service states the dollars of the whole run */
};

struct audit_use {
	uint64_t seq;
	uint32_t order; /* among uses of one record */
	uint32_t name; /* in names: a tool's or program's URI, a normal URI, a model */
	uint16_t flags;
	uint8_t kind;
	uint64_t tokens;   /* input and output */
	uint64_t nano_usd; /* billionths of a dollar, so that sums are exact */
};

struct audit_run {
	struct arena *arena;
	struct str input, run_id;         /* where it stands; p NULL: not known */
	struct str budget, retrieval_set; /* as run_start declares them: JSON, p NULL when it does not */
	uint64_t records;
	uint64_t unreadable; /* lines of the log that could not be read */
	bool complete;       /* it has an end, and was not interrupted */
	struct str vendor;
	struct str *names;
	size_t name_count, name_cap;
	struct map known;
	struct audit_use *uses;
	size_t use_count, use_cap;
};

struct audit_reader;

/* Working memory for audit_run_add; never NULL. */
struct audit_reader *audit_reader_open(void);
void audit_reader_close(struct audit_reader *r);

/* An empty run. Everything in it lives in the arena. */
struct audit_run *audit_run_new(struct arena *a);

/* Takes from an event what counts. `seq` is that of its record in the run's OTUTL log. */
void audit_run_add(struct audit_reader *r, struct audit_run *run, const struct event *e, uint64_t seq);

/* ---- what is to be said about it ---- */

enum audit_verdict { AUDIT_KEPT, AUDIT_NOT_JUDGED, AUDIT_EXCEEDED };
extern const char *const audit_verdicts[]; /* "kept", "not_judged", "exceeded" */

enum audit_what {
	AUDIT_CALLS,
	AUDIT_TOOL_CALLS,
	AUDIT_COST,
	AUDIT_TOKENS,
	AUDIT_TOOLS,
	AUDIT_URIS,
};
extern const char *const audit_whats[]; /* as a policy has them: "max_calls", "tool_limits", ... */

/* One line of a policy, held against the run. */
struct audit_check {
	enum audit_what what;
	enum audit_verdict verdict;
	struct str tool;       /* TOOL_CALLS: as the policy names it */
	double allowed, used;  /* TOOLS, URIS: how many different ones */
	bool estimated;        /* some of what was used */
	struct str reason;     /* why it is not judged; p NULL */
};

/* The record at which a limit was passed, or a tool or URI first used that is not declared. */
struct audit_breach {
	uint64_t seq;
	enum audit_what what;
	struct str tool;      /* the tool of the record, its model for cost and tokens, or the URI */
	struct str limit;     /* TOOL_CALLS: as the policy names it */
	double allowed, used; /* as in the check; TOOLS, URIS: how often it was used */
};

struct audit_answer {
	enum audit_verdict verdict; /* the worst of the checks */
	struct audit_check *checks; /* in the order of the enum */
	size_t check_count;
	struct audit_breach *breaches; /* by seq */
	size_t breach_count;
};

/*
 * Judges the run, whose uses are put in the order of seq. The answer lives in the arena, its texts also in those of run
 * and policy.
 */
void audit_judge(struct arena *a, struct audit_run *run, const struct audit_policy *p, struct audit_answer *out);

#endif
