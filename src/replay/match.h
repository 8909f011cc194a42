/*
 * Serve by key, judge by order. An entry is something that was asked once and answered: an exchange with a model, a
 * request of MCP, a command. A question gets the oldest unused entry whose key is equal: first the exact key (K0), then
 * the masked one (K1), where texts that are new in every run are replaced by marks, provided that the values behind
 * the marks extend a one-to-one map between this run and the recorded one. Anything else is a miss: never a guess.
 *
 *   K0 = SHA-256("rk0" LF lane LF method LF target LF J(body))   J: RFC 8785 for JSON, else the bytes
 *   K1 = the same with "rk1" and marks in the place of volatile texts
 *
 * Before either, JSON loses the members that say nothing about what is asked (cassette_rules.h) and its sampling
 * parameters, which are compared apart, and `tools` are put in the order of their names.
 *
 * A text is volatile only if it has one of the types (UUID, ULID, RFC 3339 or a date, epoch seconds to nanoseconds, a
 * temporary path, a port of loopback, 16 or more hexadecimal digits), a time is within 48 hours of its own run's clock,
 * and it has not appeared in the task's inputs or in any answer that was given before. Otherwise it is literal.
 *
 * Order: entries whose times overlapped, directly or through others, are an epoch and may be asked in any order; so
 * may entries of one group. Between epochs the order is that of the recording; an entry that is asked after one of a
 * later epoch is served, and out of order.
 */
#ifndef REPLAY_MATCH_H
#define REPLAY_MATCH_H

#include "base/arena.h"
#include "base/buf.h"

struct match;
struct redact;

struct match_question {
	struct str lane;           /* "model", "mcp:files", "shell" */
	struct str method, target; /* "POST", "/v1/messages"; a method of JSON-RPC and ""; what the lane likes */
	struct str body;           /* JSON, or any bytes */
	struct str versions;       /* versions.h; p NULL: not known, and not compared */
};

#define MATCH_OPEN INT64_MAX

struct match_entry {
	struct match_question q;
	struct str answer;          /* what was answered: its texts are not volatile afterwards. p NULL: nothing */
	uint64_t x, group;
	int64_t begun_us, ended_us; /* ended: MATCH_OPEN when it never did, and nobody waited for it */
	const void *own;            /* the lane's */
};

enum match_tier { MATCH_MISS, MATCH_EXACT, MATCH_MASKED, MATCH_LENIENT };

/* A value of this run that stands in the place of one of the recorded run. */
struct match_swap {
	const char *type; /* "uuid", "rfc3339", ... */
	struct str path;  /* a JSON pointer into the body, or "" */
	struct str recorded, live;
};

/* A parameter that differs. */
struct match_parameter {
	struct str name;           /* a JSON pointer: "/temperature"; "headers" */
	struct str recorded, live; /* as JSON; p NULL: absent */
	bool is_user;              /* it says who asks */
};

/* The first place where a question differs from what was recorded. */
struct match_difference {
	struct str path;          /* JSON pointer; "" for what is no JSON; "method", "target" */
	uint64_t byte;            /* of the first difference, in the value there (unescaped) */
	struct str expected, got; /* the values there, cut around the difference; p NULL: absent */
	struct str diff;          /* "@@ ..." lines, a few, ready to be shown */
	struct str hint;          /* "volatile:rfc3339?"; p NULL */
};

struct match_near {
	uint64_t x;
	uint64_t distance; /* leaves of the body that differ */
};

#define MATCH_NEAR 3

struct match_result {
	enum match_tier tier;
	const struct match_entry *entry; /* NULL for a miss */
	bool out_of_order;               /* and `after` is the x of a later epoch that was asked before */
	uint64_t after;
	bool tool_order;                 /* the tools were listed in another order */
	const struct match_swap *swaps;  /* of this question, of tier 1 */
	size_t swap_count;
	const struct match_parameter *parameters; /* that differ */
	size_t parameter_count;
	/* of a miss */
	bool used_up;                    /* the key is known, but all its entries were served */
	struct match_near near[MATCH_NEAR]; /* unused entries of the lane, the likeliest first */
	size_t near_count;
	struct match_difference difference; /* from the nearest; meaningful when near_count > 0 */
};

struct match_options {
	int64_t recorded_clock_us, live_clock_us; /* when the runs began */
	const struct str *inputs;  /* texts of the task: arguments of the command. They stay literal */
	size_t input_count;
	struct redact *redact;     /* the live side goes through it first; NULL: none */
	bool lenient;              /* the oldest unused entry of the same lane, method, target and tool is served too */
};

/* Entries and their texts must live as long as the match; they are added in the order of x, then sealed once. */
struct match *match_open(const struct match_options *o);
void match_add(struct match *m, const struct match_entry *e);
void match_seal(struct match *m);

/* Answers a question and marks the entry as used. Texts of the result live in the arena. */
void match_ask(struct match *m, struct arena *a, const struct match_question *q, struct match_result *out);

/* The entry was used by other means (inside a command that was served): it is no longer unused. */
void match_consume(struct match *m, uint64_t x);

/*
 * Whether two outputs that differ do so only by values that are new in every run; these are tied then, and swap_count
 * says how many there are. False: `difference` of the result says where they differ first. To be asked last.
 */
bool match_output(struct match *m, struct arena *a, struct str recorded, struct str live, struct match_result *out);

/* Replaces recorded values of the map by their live ones in an answer. Adds to `out`; false: nothing to replace. */
bool match_translate(const struct match *m, struct str answer, struct buf *out);

/* The next unused entry from *at on, in the order of x; NULL when there is none. *at begins with 0. */
const struct match_entry *match_next_unused(const struct match *m, size_t *at);

/* Whether the run went past an unused entry: one of a later epoch, and of another group, was asked. */
bool match_is_passed(const struct match *m, const struct match_entry *e);

/* Whether an entry with a larger number was asked. */
bool match_went_past(const struct match *m, uint64_t x);

struct match_tally {
	uint64_t entries, exact, masked, lenient, missed, unused;
};
struct match_tally match_tally(const struct match *m);
void match_close(struct match *m);

#endif
