/*
 * A run in memory: the nodes of one trace in the order of its lines, with their edges as places in the list. Whatever
 * needs the whole run at once works on this: exports, payloads, drawings. It costs about a kilobyte a node, so what can
 * be answered line by line is better answered by flow/profile.h.
 *
 * Everything lives in the arena of the list, but for the nodes themselves: trace_list_free. Nothing is refused: an edge
 * to a node that never comes is TRACE_NOWHERE, a second node of the same id is kept and is nobody's parent.
 */
#ifndef DIALECT_AGENT_TRACE_TRACE_H
#define DIALECT_AGENT_TRACE_TRACE_H

#include "base/map.h"
#include "dialect/agent_trace/trace_entry.h"

#define TRACE_NOWHERE UINT32_MAX

enum trace_status { TRACE_SUCCESS, TRACE_ERROR, TRACE_INTERRUPTED, TRACE_STATUSES };
extern const struct str trace_statuses[TRACE_STATUSES]; /* as the summary spells them */

struct trace {
	struct str id;     /* "" when no line has one */
	struct str source; /* the name of the file, "-" for standard input */
	const char *format; /* of that file: "agent-trace", or what it was converted from */
	struct trace_entry *nodes;
	size_t count, cap;
	bool has_summary;
	struct trace_entry summary; /* all zero without one */
	/* by trace_list_finish: */
	enum trace_status status; /* without a summary: error when the last node failed, else interrupted */
	int64_t from_ns, to_ns;   /* the summary's, or those of the first and the last node */
	bool laid_out;            /* the times were made up, by trace_lay_out */
	struct str framework;     /* of the first node that names one; "unknown" */
	const uint32_t **parents; /* for each node, for each of its parents: its place, or TRACE_NOWHERE */
	struct map places;        /* of ids: place + 1 */
};

struct trace_list {
	struct arena *arena;
	struct trace *items;
	size_t count, cap;
	size_t finished;  /* of them */
	struct map words; /* texts that stand in many nodes, kept once */
	struct map ids;   /* of the file at hand: place + 1 */
	struct str source;
	const char *format;
};

/* An empty list. */
void trace_list_init(struct trace_list *l, struct arena *a);

/* Whether the source of a finished run says when anything happened. */
bool trace_has_times(const struct trace *t);

/* Gives a finished run without times some: its nodes one after the other from there on, each as long as it was. */
void trace_lay_out(struct trace *t, int64_t start_ns);

/* Takes a finished run out of the list. Those behind it move up. */
void trace_list_remove(struct trace_list *l, size_t place);

/* A file begins. `format` is the name of a dialect. */
void trace_list_open(struct trace_list *l, struct str source, const char *format);

/* A run of the file begins. As a pointer it lasts until the next one does. */
struct trace *trace_list_begin(struct trace_list *l);

/* The run of this id in the file, or a new one: an agent-trace may hold several. */
struct trace *trace_list_of(struct trace_list *l, struct str id);

/* Adds a node or the summary, copied; the first summary counts. */
void trace_list_add(struct trace_list *l, struct trace *t, const struct trace_entry *e);

/* All of the runs so far is there: finds edges, times and outcomes. Others may follow, and want it again. */
void trace_list_finish(struct trace_list *l);

/* Gives the nodes back; the rest is the arena's. */
void trace_list_free(struct trace_list *l);

/* What a node is called: the model, the tool, the kind of a branch; else its kind. */
struct str trace_name_of(const struct trace_entry *e);

#endif
