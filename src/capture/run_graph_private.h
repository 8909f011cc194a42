/* What the parts of the weaver share: weave.c, weave_known.c, weave_talk.c, weave_calls.c. */
#ifndef CAPTURE_RUN_GRAPH_PRIVATE_H
#define CAPTURE_RUN_GRAPH_PRIVATE_H

#include "capture/run_graph.h"
#include "dialect/agent_trace/trace_line.h"

#define WEAVE_CALLS 4096    /* that wait for a result */
#define WEAVE_PARENTS 4096  /* of one node: the results of all that wait */
#define WEAVE_INPUTS 64     /* user_input nodes of one request */
#define WEAVE_FAILURES 64   /* remembered for retries */
#define WEAVE_RETRY_NS (INT64_C(120) * 1000000000)

/* ---- weave_known.c: digests and the nodes they stand for; the new takes the place of the old ---- */

enum known_kind {
	KNOWN_REQUEST = 1, /* all messages of an answered request -> the call */
	KNOWN_TALK,        /* the same without prompts of the system */
	KNOWN_ANSWER,      /* the id of an answer -> the call */
	KNOWN_AGENT,       /* an agent -> its latest call */
	KNOWN_INPUT,       /* messages up to one of the user's -> its node */
	KNOWN_SAID,        /* a message of the user's, wherever it stood */
	KNOWN_CALL,        /* a call of a tool that got its result, by the call that asked and its id -> its node */
};

struct known;

struct known *known_open(void);
void known_close(struct known *k);
void known_set(struct known *k, enum known_kind kind, uint64_t digest, struct id node);
bool known_find(const struct known *k, enum known_kind kind, uint64_t digest, struct id *node);

/* ---- ids ---- */

/* A set of them, in the scratch arena. */
struct weave_ids {
	struct id *ids;
	size_t count, cap;
};

/* Adds one that is not there yet, up to WEAVE_PARENTS. */
void weave_ids_add(struct weave *w, struct weave_ids *list, struct id id);

/* ---- exchanges on their way ---- */

struct weave_open {
	struct weave_open *next, **here;
	uint64_t number, digest;
	uint64_t talk, request; /* digests of its messages, without prompts and with */
	uint64_t agent;         /* digest, 0 for the main one */
	uint64_t origin;        /* digest of the parents it had first; 0: none that others could share */
	struct id node, branch; /* branch: of its fan_out */
	bool has_branch, stream;
	int64_t begun_ns;
	struct id *parents;     /* of which the last `input_count` are the user's */
	size_t parent_count, input_count;
	const char *provider, *tool_choice;
	struct str endpoint, model, agent_id, framework; /* own copies; framework a constant */
	size_t endpoint_own;
};

/* A fan_out of requests that more may join: written when the first of them is over. */
struct weave_fan {
	struct weave_fan *next;
	struct id id;
	struct id *parents, *siblings;
	size_t parent_count, sibling_count, sibling_cap;
	int64_t ns;
	struct str agent, framework; /* agent: its own copy */
};

/* ---- calls that wait ---- */

struct weave_call {
	struct weave_call *before, *after; /* oldest first */
	struct weave_call *next, **here;   /* in its bucket */
	struct id node, parent, owner;     /* owner: the model call that asked */
	uint64_t key;                      /* digest of its id; 0: it has none */
	uint64_t agent;                    /* that asked */
	int64_t asked_ns;
	bool mcp, external;
	bool claimed;   /* a sub-agent began in it */
	bool tentative; /* the client left before the answer was over: perhaps it dropped the call */
	struct str name, call, agent_id, framework;
};

#define WEAVE_BUCKETS 1024

struct weave {
	struct weave_options o;
	struct id_series ids;
	struct arena scratch; /* of one call of ours */
	struct buf line, summary;
	struct trace_cache names;
	char trace[ID_UUID_TEXT];
	struct str framework; /* of the trace: given, or the first that was guessed */
	int64_t begun_ns, first_us, last_us;
	bool any;
	struct weave_tally tally;
	double stall, usd;
	uint64_t stalls; /* calls whose stall is known */
	bool has_usd;
	struct id latest; /* model call */
	bool has_latest;
	struct known *known;
	struct weave_open *open;
	struct weave_fan *fans;
	struct weave_call *oldest, *newest, *buckets[WEAVE_BUCKETS];
	size_t call_count;
	struct {
		uint64_t digest; /* 0: none */
		struct id node;
		int64_t ended_ns;
	} failures[WEAVE_FAILURES];
	size_t next_failure;
};

/* ---- weave.c ---- */

struct id weave_new_id(struct weave *w, int64_t ns);
int64_t weave_us(int64_t ns);
/* The framework of a node: given, or the exchange's own. A constant. */
struct str weave_framework(struct weave *w, struct str own);

/* Writes a node; its end is no earlier than that of the line before. */
void weave_put(struct weave *w, struct trace_node *n);

/* One that only stands in its place: user_input, retry, system; or, with siblings, a branch. */
struct id weave_put_mark(struct weave *w, enum at_kind kind, const struct weave_ids *parents, int64_t ns,
			 struct str agent, struct str framework);
struct id weave_put_branch(struct weave *w, const char *branch, const struct weave_ids *parents,
			   const struct weave_ids *siblings, int64_t ns, struct str agent, struct str framework);
void weave_put_named_branch(struct weave *w, struct id id, const char *branch, const struct weave_ids *parents,
			    const struct weave_ids *siblings, int64_t ns, struct str agent, struct str framework);

/* ---- weave_talk.c: what a request follows from ---- */

/* Fills in the parents, and the digests that the exchange will be known by. */
void weave_place(struct weave *w, struct weave_open *x, const struct sight *s);

/* The branch that an exchange hangs on is written, if it was not yet: nothing can join it any more. */
void weave_end_fan(struct weave *w, const struct weave_open *x);
void weave_fans_free(struct weave *w);

/* It was answered: later requests may follow from it. */
void weave_remember(struct weave *w, const struct weave_open *x, const struct sight *s);

uint64_t weave_mix(uint64_t digest, uint64_t more);
uint64_t weave_agent(struct str session, struct str agent);

/* ---- weave_calls.c ---- */

/* The calls that an answer asks for, or that were seen of it before the client left, begin to wait. */
void weave_ask(struct weave *w, const struct weave_open *x, const struct sight *s);

/*
 * The results of a request that stand at message `from` or behind it: calls that waited for them are written, and all
 * are added to the parents. `before` (may be NULL) is the model call before.
 */
void weave_take_results(struct weave *w, const struct sight *s, const struct id *before, size_t from,
			struct weave_ids *parents);

/* A call of this agent in which a sub-agent may have begun; false when there is none. */
bool weave_claim(struct weave *w, uint64_t agent, struct id *node);

/* Calls that nobody answered are written as partial; tentative ones are forgotten. */
void weave_give_up(struct weave *w, int64_t ns);

void weave_calls_free(struct weave *w);

#endif
