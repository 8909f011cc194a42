/*
 * What the parts of the run graph share: run_graph.c, and run_graph_known.c, run_graph_talk.c, run_graph_repeat.c,
 * run_graph_fan.c, run_graph_agents.c, run_graph_calls.c. What other layers saw is in run_graph_seen.h.
 */
#ifndef CAPTURE_GRAPH_RUN_GRAPH_PRIVATE_H
#define CAPTURE_GRAPH_RUN_GRAPH_PRIVATE_H

#include "capture/graph/run_graph.h"
#include "capture/graph/amendments.h"
#include "capture/graph/run_graph_known.h"
#include "capture/graph/run_graph_seen.h"
#include "dialect/agent_trace/trace_line.h"
#include "model/money.h"

#define RUN_GRAPH_CALLS 4096    /* that wait for a result */
#define RUN_GRAPH_PARENTS 4096  /* of one node: the results of all that wait */
#define RUN_GRAPH_INPUTS 64     /* user_input nodes of one request */
#define RUN_GRAPH_FAILURES 64   /* remembered for retries */
#define RUN_GRAPH_ASKED 256     /* requests whose parents are remembered, for those that ask the same again */
#define RUN_GRAPH_ASKED_PARENTS 64 /* of one of them; of one that has more nothing is remembered */
#define RUN_GRAPH_SPAWNED 32    /* calls that were answered before the agent began that they are for */
#define RUN_GRAPH_SEARCHED 512  /* texts of arguments that are looked for in the first message of a conversation */
#define RUN_GRAPH_RETRY_NS (INT64_C(120) * 1000000000)

/* ---- ids ---- */

/* A set of them, in the scratch arena. */
struct run_graph_ids {
	struct id *ids;
	size_t count, cap;
};

/* Adds one that is not there yet, up to RUN_GRAPH_PARENTS; beyond that it is dropped without a word. */
void run_graph_ids_add(struct run_graph *w, struct run_graph_ids *list, struct id id);

/* ---- exchanges on their way ---- */

struct run_graph_open {
	struct run_graph_open *next, **here;
	uint64_t number, digest;
	uint64_t talk, request; /* digests of its messages, without prompts and with */
	uint64_t setting;       /* digest of its prompts and tools */
	uint64_t agent;         /* digest, 0 for the main one */
	uint64_t origin;        /* digest of the parents it had first; 0: none that others could share */
	struct id root;         /* the first call of its conversation */
	struct id node, branch; /* branch: of its fan_out */
	bool has_branch, stream;
	bool sub;      /* a sub-agent asks: what it is told is no person's */
	bool inferred; /* where it began is concluded from texts */
	int64_t begun_ns;
	struct id *parents;     /* of which the last `input_count` are the user's */
	size_t parent_count, input_count;
	const char *provider, *tool_choice;
	struct str endpoint, model, agent_id, framework; /* own copies; framework a constant */
	size_t endpoint_own;
	unsigned layers, told; /* of spans that came before its end (as in run_graph_recent) */
};

/* Requests side by side, which more may join: written when the first of them is over. */
struct run_graph_fan {
	struct run_graph_fan *next;
	const char *kind; /* "fan_out", "speculative" */
	struct id id;
	struct id *parents, *siblings;
	size_t parent_count, sibling_count, sibling_cap;
	int64_t ns;
	struct str agent, framework; /* agent: its own copy */
};

/* ---- calls that wait ---- */

struct run_graph_call {
	struct run_graph_call *before, *after; /* oldest first */
	struct run_graph_call *next, **here;   /* in its bucket */
	struct id node, parent, owner;     /* owner: the model call that asked */
	uint64_t key;                      /* digest of its id; 0: it has none */
	uint64_t agent;                    /* that asked */
	int64_t since_ns, asked_ns; /* when the request began whose answer asks for it, and when it was asked for */
	bool mcp, external;
	uint64_t args;                 /* digest of its arguments */
	struct text_mark *texts;       /* the longer strings among them */
	size_t text_count;
	uint64_t system, tools;        /* of the request whose answer asked for it */
	uint64_t users;                /* digest of its messages of the user's, in order */
	size_t user_count;
	uint64_t trace, span; /* of its traceparent; 0: none */
	bool claimed;   /* a sub-agent began in it */
	bool typed;     /* perhaps no call but the answer, in a shape that was asked for */
	bool grouped;   /* one of several of which some are perhaps none: their branch is written when that is known */
	bool tentative; /* the client left before the answer was over: perhaps it dropped the call */
	bool unasked;   /* another layer saw it; no answer that asks for it has passed (yet). Tentative, too */
	bool has_parent; /* of an unasked one: what it follows from is known all the same */
	struct run_graph_seen seen;
	struct str name, call, agent_id, framework;
};

#define RUN_GRAPH_BUCKETS 256

/* A request that may be asked again after its answer. */
struct run_graph_asked {
	uint64_t digest; /* 0: none */
	struct id *parents;
	size_t count;
	bool sub;
};

struct run_graph {
	struct run_graph_options o;
	struct id_series ids;
	struct arena scratch; /* of one call of ours */
	struct buf line, summary;
	struct trace_cache names;
	char trace[ID_UUID_TEXT];
	struct str framework; /* of the trace: given, or the first that was guessed */
	struct clients clients;
	int64_t begun_ns, first_us, last_us, amended_us; /* amended_us: the latest end that was learnt late */
	bool any, has_latest, hooked, proxied; /* hooked: a hook has told what a person said */
	struct run_graph_tally tally;
	double stall;
	uint64_t stalls; /* calls whose stall is known */
	struct money money;
	struct price_gaps unpriced;
	struct id latest; /* model call, if has_latest */
	struct known *known;
	struct run_graph_open *open;
	struct run_graph_fan *fans;
	struct run_graph_call *oldest, *newest, *buckets[RUN_GRAPH_BUCKETS];
	size_t call_count;
	struct {
		uint64_t digest; /* 0: none */
		struct id node;
		int64_t ended_ns;
		bool sub;
	} failures[RUN_GRAPH_FAILURES];
	size_t next_failure;
	struct run_graph_asked asked[RUN_GRAPH_ASKED];
	size_t next_asked;
	struct run_graph_call *spawned; /* the latest first */
	struct text_marker marker;
	struct amendments amendments;
	struct run_graph_recent *recent; /* a ring; NULL before the first */
	struct run_graph_said said[RUN_GRAPH_SAID]; /* the oldest first */
	size_t recent_count, recent_cap, recent_next, said_count, lane_count;
	uint64_t said_key; /* of the latest; 0 */
	int64_t idle_ns, model_ns; /* since when a person is waited for; when the latest model call began; or -1 */
	struct run_graph_lane lanes[RUN_GRAPH_LANES];
	struct run_graph_command *commands;
	struct run_graph_held *held;
	struct run_graph_shell *shells;
	size_t command_count, command_cap, held_count, held_cap, shell_count, shell_cap;
	bool asks;             /* an answer asked for a call: this agent does not take commands from texts */
};

/* ---- run_graph.c ---- */

/* A new id of the run's series, for something that happened at this time. */
struct id run_graph_new_id(struct run_graph *w, int64_t ns);

/* Nanoseconds as microseconds, rounded down. */
int64_t run_graph_us(int64_t ns);
/* The framework of a node: given, or the exchange's own. A constant. */
struct str run_graph_framework(struct run_graph *w, struct str own);

/* Writes a node; its end is no earlier than that of the line before. */
void run_graph_put(struct run_graph *w, struct trace_node *n);

/* The same for a node whose times were measured: they stay as they are, and the line gets its place at the end. */
void run_graph_put_exact(struct run_graph *w, struct trace_node *n);

/* Writes the node of a model call and adds its tokens and price to those of the run. */
void run_graph_put_model(struct run_graph *w, const struct run_graph_open *x, const struct observation *s,
			 unsigned layers);

/*
 * One that only stands in its place: user_input, retry, system; or, with siblings, a branch. Written at once, with no
 * duration; what is given back is the id of the new node. A named branch has its id already, since calls hang on it
 * before it is written.
 */
struct id run_graph_put_mark(struct run_graph *w, enum at_kind kind, const struct run_graph_ids *parents,
			     int64_t ns, struct str agent, struct str framework);
struct id run_graph_put_branch(struct run_graph *w, const char *branch, const struct run_graph_ids *parents,
			       const struct run_graph_ids *siblings, int64_t ns, struct str agent,
			       struct str framework);
void run_graph_put_named_branch(struct run_graph *w, struct id id, const char *branch,
				const struct run_graph_ids *parents, const struct run_graph_ids *siblings,
				int64_t ns, struct str agent, struct str framework);

/* ---- run_graph_talk.c: what a request follows from ---- */

/* Fills in the parents, and the digests that the exchange will be known by. */
void run_graph_place(struct run_graph *w, struct run_graph_open *x, const struct observation *s);

/* It was answered: later requests may follow from it. */
void run_graph_remember(struct run_graph *w, const struct run_graph_open *x, const struct observation *s);

/* A digest of two digests; their order counts. */
uint64_t run_graph_mix(uint64_t digest, uint64_t more);

/* The digest of an agent by its headers; 0 for the main one, which has none. */
uint64_t run_graph_agent(struct str session, struct str agent);

/* ---- run_graph_calls.c ---- */

/* The calls that an answer asks for, or that were seen of it before the client left, begin to wait. */
void run_graph_ask(struct run_graph *w, const struct run_graph_open *x, const struct observation *s);

/* What came of the results of a request. */
struct run_graph_taken {
	struct id owner; /* the model call that asked for what was answered */
	bool any;
	size_t told;     /* calls that went on without a result by id: what stands for it are messages of the user's */
};

/*
 * The results of a request that stand at message `from` or behind it: calls that waited for them are written, and all
 * are added to the parents. `before` (may be NULL) is the model call before; `retold`: its answer is told again, so
 * that calls of it which got no result are over as well.
 */
struct run_graph_taken run_graph_take_results(struct run_graph *w, const struct observation *s,
					      const struct id *before, size_t from, bool retold,
					      struct run_graph_ids *parents);

/* The call is over at this time, without a result that could be seen. Forgets it. */
void run_graph_end_call(struct run_graph *w, struct run_graph_call *c, int64_t ns);

/* A digest of the messages of the user's, in order, and how many of them there are: at most `most`. */
uint64_t run_graph_users(const struct observation *s, size_t most, size_t *count);

/*
 * Calls that nobody answered are written as partial; tentative ones are forgotten, and so are typed answers unless the
 * run was interrupted: then nobody knows.
 */
void run_graph_give_up(struct run_graph *w, bool interrupted);

/* The key of a call by its id; 0: it has none. */
uint64_t run_graph_call_key(struct str call);

/* A call that another layer saw and no answer asked for so far; waits like others. */
struct run_graph_call *run_graph_add_unasked(struct run_graph *w, const struct sighting *s);

/* It is over: its node is written now. */
void run_graph_end_unasked(struct run_graph *w, struct run_graph_call *c);

/* The call that waits and has this id, or NULL. */
struct run_graph_call *run_graph_find_waiting(const struct run_graph *w, uint64_t key);

/* Frees the calls that wait, without writing them. */
void run_graph_calls_free(struct run_graph *w);

#endif
