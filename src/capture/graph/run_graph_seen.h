/*
 * What layers besides the proxy saw, inside the run graph: what is known of a call, nodes that were written lately, and
 * what run_graph_see.c, run_graph_spans.c and run_graph_commands.c give to the other parts.
 */
#ifndef CAPTURE_GRAPH_RUN_GRAPH_SEEN_H
#define CAPTURE_GRAPH_RUN_GRAPH_SEEN_H

#include <stdbool.h>
#include <stddef.h>

#include "base/id.h"
#include "model/sighting.h"

struct run_graph;
struct run_graph_call;
struct run_graph_ids;

/* ---- what is known of a call ---- */

/*
 * What layers besides the proxy saw of a call. Times are those of the most exact one: an MCP server's wire, the process
 * itself, a hook, telemetry. Negative: not known.
 */
struct run_graph_seen {
	unsigned layers;  /* 1 << enum sight_layer */
	unsigned ended;   /* those of them that told its end */
	unsigned rank;    /* of the layer that the times are of; 0: none */
	int64_t begun_ns, ended_ns, wall_ns, cpu_ns, size;
	int64_t begun_by[SIGHT_LAYERS]; /* as each layer has it, to find the end of what it saw begin */
	const char *result_kind;        /* NULL */
	bool partial;
	bool mcp;         /* its tool is a server's, which is waited for all the time */
	bool by_shell;    /* a shell runs for it: what else runs beside that is not its own */
	int64_t wait_ns;  /* since when a person is waited for */
	int64_t asked_ns; /* for how long one was, which is no time of the tool's, */
	int64_t asked_to_ns; /* and until when: what ended before the tool began was no part of its time */
	struct id wait;   /* and the node of that */
	bool waited;
};

/* ---- nodes that were written lately: what other layers saw may be the same ---- */

#define RUN_GRAPH_RECENT 4096
#define RUN_GRAPH_TAIL 48 /* bytes of a tool's name that are kept: the last */

struct run_graph_recent {
	struct id node;
	struct id above;        /* what it follows from, the first of that; itself: nothing */
	bool is_tool;
	unsigned layers, rank;  /* rank: of the layer that a tool's times are of */
	int64_t from_us, to_us;
	double stall;           /* negative: not known */
	struct run_graph_seen seen; /* of a tool */
	uint64_t name;          /* digest of the tool's name, or of the model */
	uint8_t tail_size;      /* of a tool's name: its last bytes, for layers that know a shorter one */
	char tail[RUN_GRAPH_TAIL];
	int64_t input, output;  /* tokens that the service told, of a model call; -1 */
	int64_t cached, thought; /* parts of them */
	unsigned told;          /* by spans with an id of the answer, without one (run_graph_spans.c) */
};

/* A person said something, as a hook tells; the request that carries it is still to come. */
#define RUN_GRAPH_SAID 16

struct run_graph_said {
	int64_t from_ns, ns;
	unsigned layer;
};

/* A call of a tool inside a span, that no model call has followed (run_graph_spans.c). */
#define RUN_GRAPH_LANES 64

struct run_graph_lane {
	uint64_t lane;
	int64_t ended_ns;
	struct id node, above; /* above: what it follows from */
	bool has_above;
};

/* A command that runs (run_graph_commands.c). */
#define RUN_GRAPH_COMMANDS 1024

struct run_graph_command {
	uint64_t id, parent; /* digests; parent 0: none */
	int64_t begun_ns;
	struct run_graph_call *call; /* that it was started for; NULL */
	bool nested;         /* inside one that is a tool's */
	bool outer;          /* a shell that was inside of none when it began */
	bool early;          /* it is a shell, and an answer was on its way when it began, which may ask for it */
};

/* Such a shell that is over, while calls wait: the end of a call tells which was its own. */
#define RUN_GRAPH_SHELLS 256

struct run_graph_shell {
	int64_t begun_ns, ended_ns, cpu_ns, size;
	struct id call; /* that has its times; of no call when there is none */
};

/* One that is over and is perhaps a tool's. */
#define RUN_GRAPH_HELD 4096
#define RUN_GRAPH_PROGRAM 32

struct run_graph_held {
	int64_t begun_ns, ended_ns, cpu_ns, size;
	bool early;
	char name[RUN_GRAPH_PROGRAM];
	size_t name_size;
};

/* ---- run_graph_see.c ---- */

#define RUN_GRAPH_SEEN_NONE                                                                                       \
	((struct run_graph_seen){ .begun_ns = -1, .ended_ns = -1, .wall_ns = -1, .cpu_ns = -1, .size = -1,        \
				  .begun_by = { -1, -1, -1, -1, -1 }, .wait_ns = -1 })

/* Seconds that the tool itself took, and that it waited; negative: not known. */
double run_graph_seen_wall(const struct run_graph_seen *seen);
double run_graph_seen_stall(const struct run_graph_seen *seen, double wall);

/* Whether begin and end are known of another layer than the proxy. */
bool run_graph_is_exact(const struct run_graph_seen *seen);

/* The name of a tool as the trace has it. In the scratch arena, or the sighting's own. */
struct str run_graph_see_name(struct run_graph *w, const struct sighting *s, bool *mcp);

/*
 * Whether a tool that a model asked for by this name is the one that a layer saw as `name`, or as `bare` where a server
 * does not know its own: a model may know a tool by a longer name than its server does (github.search).
 */
bool run_graph_is_named(struct str asked, struct str name, struct str bare);

/* A node was written: others may see it later. */
void run_graph_note_recent(struct run_graph *w, const struct run_graph_recent *r);

/* The i-th from the latest; and whether those before it surely ended before this time. */
struct run_graph_recent *run_graph_recent_at(struct run_graph *w, size_t i);
bool run_graph_is_past(const struct run_graph_recent *r, int64_t ns);

/* The same node as it was noted; NULL when it is forgotten. */
struct run_graph_recent *run_graph_find_recent(struct run_graph *w, struct id node);

/* Another layer saw a node, too. */
void run_graph_add_layer(struct run_graph *w, struct run_graph_recent *r, enum sight_layer layer);

/*
 * A person was waited for until now: the node of that, which the call then follows from. ns negative: nobody said when;
 * it was when the tool itself began, where that is known.
 */
void run_graph_end_wait(struct run_graph *w, struct run_graph_call *c, int64_t ns);

/* The latest that a hook told of what a person said, and no request had so far; false when there is none. */
bool run_graph_take_said(struct run_graph *w, struct run_graph_said *said);

/* What a hook told of and no request had is written, and added to the parents. */
void run_graph_put_said(struct run_graph *w, struct run_graph_ids *parents);

/* Calls that were over before their answer was: no answer is on its way any more, so nobody asks for them. */
void run_graph_end_early(struct run_graph *w);

/* ---- run_graph_spans.c: telemetry ---- */

void run_graph_see_model(struct run_graph *w, const struct sighting *s);
void run_graph_see_span(struct run_graph *w, const struct sighting *s);

/* A tool's span: the call that spans around or inside it tell of already. NULL and *node: it was written. */
bool run_graph_find_told(struct run_graph *w, const struct sighting *s, struct id *node);

/* Its node is known: spans inside it that were told before hang on it. */
void run_graph_note_tool_span(struct run_graph *w, const struct sighting *s, struct id node);

/* What a tool call follows from, where no answer that asked for it has passed. False: nobody knows. */
bool run_graph_find_asker(struct run_graph *w, const struct sighting *s, struct id *node);

/* The digest of a span, 0 for none; a request with a traceparent is inside that span. */
uint64_t run_graph_span_key(uint64_t trace, uint64_t span);
void run_graph_note_inside(struct run_graph *w, uint64_t span, struct id node);

/* ---- run_graph_commands.c: commands that tools run ---- */

void run_graph_see_command(struct run_graph *w, const struct sighting *s);

/* Calls are asked for now that perhaps began before: shells that ran since the request was sent are theirs. */
void run_graph_claim_commands(struct run_graph *w, int64_t since_ns);

/*
 * A hook tells the end of a call. Of Claude Code's it is known then which shell ran for it: calls that it makes at the
 * same time got theirs in the order in which they began, and the first ones look around before anything is run.
 */
void run_graph_fit_shell(struct run_graph *w, struct run_graph_call *c, const struct sighting *s);

/* The run is over: of one without a model's calls, the commands are all there is. */
void run_graph_put_held(struct run_graph *w);

/* The call goes away. */
void run_graph_forget_commands(struct run_graph *w, const struct run_graph_call *c);

#endif
