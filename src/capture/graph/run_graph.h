/*
 * Nodes from exchanges: the DAG of a run, as the page on agent-trace has it. Told of each exchange twice, when its
 * request is complete and when its answer is; writes a line when a node completes. Never content: what is compared are
 * digests.
 *
 * What follows from what. A proxy sees requests, not reasons; these rules recover most of them.
 *
 * 1. A conversation is known by its messages. Of each answered call the digest of all its messages is kept; the latest
 *    call whose messages are the longest beginning of a new request is the call before it. A prompt of the system that
 *    changes from turn to turn is left out of the comparison where the rest continues word by word. Where the API keeps
 *    the conversation itself, the id of the answer it goes on from says it. Agents with headers of their own are kept
 *    apart.
 * 2. A call of a tool is asked for in an answer and answered in a later request. It is a node from the end of the one
 *    to the beginning of the other: no more is known of it, so it is marked inferred. Results are found by the id of
 *    the call, among those of the call before if an id was used twice; where there are no ids, or ids that were made up
 *    on the way, by name in order, in the same conversation. When the conversation goes on and no result has their id,
 *    calls are over all the same: the result is told in words. Several calls in one answer hang on a fan_out branch.
 *    When the client leaves before the answer is over, as some do once they have the calls, those that were seen wait
 *    too; but they become nodes only with a result, and hang on the model call itself, since which of them were dropped
 *    shows too late for a branch. A call that nobody answers ended when it was asked; where it was the only one to
 *    choose, it is the answer itself in a shape that was asked for, and no node.
 * 3. The parents of a model call are the calls whose results are new in it, else the call before; and what a person
 *    said since. Nobody said what is told again, what the client marks as its own, or what a sub-agent is told.
 * 4. The same request again (the same prompts, messages and tools): while the first is on its way a speculative branch,
 *    after it failed (or broke off) and for 120 s a retry; after its answer another sample, which has the same parents,
 *    or, where nothing was said by a model, a new root.
 * 5. Requests that are different, on their way together and have the same parents are a fan_out. That shows when the
 *    second comes: then a branch takes the parents over, and both calls hang on it; the line of the first is not
 *    written yet, so it can still change. Others join it until the first of them is over and the branch is written; one
 *    that comes after that, while some are still on their way, hangs on a branch of its own behind the first.
 * 6. A conversation that begins while calls wait may be a sub-agent's: by headers, or because what it is told first is
 *    an argument of exactly one of them. Or it is the same conversation, handed over to another agent: when the one
 *    call that waits is named so, and all that the user said is told again under another prompt. run_graph_agents.c has
 *    the conditions. Such edges are marked as inferred.
 *
 * Why there can be no cycle: a node's parents are nodes that were there before it, with one exception, the branches of
 * rules 4 and 5, which are put between a call and the parents that it had. And every parent gets into the file: calls
 * that are open at the end are written then.
 *
 * Lines come in the order of their ends. What is learnt late (a request's end of a tool call, when something else ended
 * during its upload) is dated no earlier than the line before.
 *
 * What is kept is bounded: calls that wait (4096; the oldest is given up as partial; more than that in one answer are a
 * gap) with the marks of 16 strings each, digests and ids of the latest conversations (a table in which the new takes
 * the place of the old), the last failures, the parents of the last requests.
 */
#ifndef CAPTURE_GRAPH_RUN_GRAPH_H
#define CAPTURE_GRAPH_RUN_GRAPH_H

#include "base/err.h"
#include "base/id.h"
#include "capture/observe/observation.h"
#include "dialect/agent_trace/agent_trace.h"
#include "model/sighting.h"
#include "transform/price_gaps.h"

struct amendments; /* capture/graph/amendments.h */

struct run_graph_options {
	struct id trace;
	struct str framework;   /* p NULL: guessed from what passes */
	struct str rig, engine; /* p NULL */
	bool plain;             /* --plain-v1 */
	const struct digest *blocks; /* the key by which blocks of prompts get numbers of this run's own; NULL: none */
	const struct prices *prices; /* NULL: no costs */
	/* A complete line with its LF. */
	void (*line)(void *context, struct str line);
	/*
	 * Before the summary, where something was learnt of nodes after their lines: to be written into them. NULL:
	 * lines stay as they were written.
	 */
	void (*amend)(void *context, const struct amendments *a);
	/* Whether the engine's metrics were really read between these times. NULL: never. */
	bool (*measured)(void *context, int64_t from_ns, int64_t to_ns);
	void *context;
};

struct run_graph;

/* Begins a run; copies the options, but not what they point to. Never NULL. */
struct run_graph *run_graph_open(const struct run_graph_options *o, int64_t begun_ns);

/* Frees the graph with the summary's text. Writes nothing: see run_graph_finish. */
void run_graph_close(struct run_graph *w);

/* A request of a model call is complete. What is needed of the observation is copied. */
void run_graph_request(struct run_graph *w, const struct observation *s);

/* The same exchange is over: its node is written. One whose request was not told is begun here. */
void run_graph_answer(struct run_graph *w, const struct observation *s);

/* An exchange that was no call of a model: counted, no node. */
void run_graph_other(struct run_graph *w, const struct observation *s);

/* What another layer saw: joined with what is known already, else a node of its own. Nothing is kept by reference. */
void run_graph_see(struct run_graph *w, const struct sighting *s);

/*
 * Something was lost: a system node behind the latest model call marks the place. ns 0: at the time of the latest node.
 */
void run_graph_gap(struct run_graph *w, int64_t ns);

/* What came of it so far. */
struct run_graph_tally {
	uint64_t counts[AT_KINDS];
	uint64_t other, failed;
	uint64_t beside; /* of the others, those to known APIs */
	int64_t input, output;
	struct amount usd; /* null: of some of it no price is known */
};

/* The counts so far; they go on changing, and live as long as the graph. */
const struct run_graph_tally *run_graph_tally(const struct run_graph *w);

/* The models that had no price so far; lives as the tally does. */
const struct price_gaps *run_graph_unpriced(const struct run_graph *w);

/*
 * The run is over: calls without a result are written as partial, then the summary line; *summary gets its text
 * (without LF), which lives until run_graph_close. exit_status and error as in struct trace_summary.
 */
void run_graph_finish(struct run_graph *w, const char *exit_status, struct str error, int64_t ended_ns,
		      struct str *summary);

#endif
