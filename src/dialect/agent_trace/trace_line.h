/*
 * One line of an agent-trace as text: what the recorder, the emitter of the library and the pipeline write. Every
 * listed field is there, null where nothing is known, so that the line also passes `validate --strict`; additive fields
 * stand only where they say something, and never with `plain`.
 *
 * What these functions are given is taken as it is but for this: endpoints, models, tool names and ids are
 * cleaned (agent_trace/clean.h), so that no credential, path or argument gets into a trace through them.
 */
#ifndef DIALECT_AGENT_TRACE_TRACE_LINE_H
#define DIALECT_AGENT_TRACE_TRACE_LINE_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/id.h"
#include "dialect/agent_trace/agent_trace.h"
#include "json/write.h"
#include "model/event.h"
#include "model/sighting.h"

enum trace_cached { TRACE_CACHED_ENDPOINT, TRACE_CACHED_MODEL, TRACE_CACHED_TOOL, TRACE_CACHED };

/* The latest of each, as given and cleaned: most calls of a run have the same ones. All zero at first. */
struct trace_cache {
	struct buf given[TRACE_CACHED], provider, clean[TRACE_CACHED];
	size_t own;
};

/* Frees its buffers; it may be used again then. */
void trace_cache_free(struct trace_cache *c);

/* What all lines of a trace share. */
struct trace_line {
	struct trace_cache *cache; /* may be NULL */
	struct arena *scratch;
	struct str trace_id;
	struct str framework; /* one of agent-trace's words */
	bool plain;           /* no additive fields: record --plain-v1 */
};

/*
 * What additive fields are written from. They are in every table, so these members are at the head of every struct;
 * which of them a line can have is said by the table.
 */
#define TRACE_ADDED                                                                                              \
	struct {                                                                                                 \
		struct str agent;        /* agent_id; p NULL for none */                                         \
		struct str response_id;  /* p NULL when not known */                                             \
		struct str call;         /* call_id; p NULL when not known */                                    \
		const char *wall_source; /* NULL when measured; "timestamps", "inferred", "unknown" */           \
		double ttfb, ttfc;       /* seconds; negative when not observed */                               \
		struct usage usage;      /* figures absent: 0, estimated */                                      \
		bool partial;            /* a call that was cut off; a tool of which no result was seen */       \
		bool refused;            /* a filter or the model ended the answer; the call did not fail */     \
		bool total_only;         /* a node that is no call: what a log says only in total */             \
		struct str concluded;    /* JSON of the field `inferred`: the writer's, from the members below */ \
		struct str known_by;     /* likewise, from `layers` */                                           \
		struct str hash_ids;     /* JSON, an array: blocks of the prompt; p NULL for none */             \
	}

struct trace_added {
	TRACE_ADDED;
};

struct trace_model {
	TRACE_ADDED;
	struct str endpoint, provider, model, request_id; /* p NULL when not known */
	size_t endpoint_own;         /* bytes of the endpoint that are the service's address as the user gave it */
	double latency;              /* seconds */
	bool latency_inferred;       /* concluded from other times */
	double ttft;                 /* seconds; negative when not observed */
	double tpot;                 /* the writer's */
	const char *tool_choice;     /* folded; NULL */
	const char *stop_reason;     /* folded; NULL */
	bool stream, measured;       /* measured: the kv_pressure_label */
	bool stream_unknown;         /* nobody said whether it was streamed */
	unsigned kv_pressure;        /* the place of the label's word: the writer's */
	struct amount usd;
};

struct trace_tool {
	TRACE_ADDED;
	struct str name;
	double wall;                  /* seconds */
	double stall;                 /* negative: null */
	struct figure size;
	const char *result_kind;      /* text, json, image, binary; NULL */
	bool external;
};

struct trace_branch {
	const char *kind; /* "fan_out", "retry", "speculative" */
	const struct id *siblings;
	size_t count;
};

struct trace_node {
	TRACE_ADDED;
	enum at_kind kind;
	struct id id;
	const struct id *parents;
	size_t parent_count;
	int64_t from_us, to_us; /* since 1970 */
	bool inferred;
	unsigned layers;        /* that saw it: 1 << enum sight_layer; 0: not told */
	struct str trace_id;             /* the writer's */
	struct str framework;            /* p NULL: the trace's */
	const struct trace_model *model; /* that of the kind is not NULL */
	const struct trace_tool *tool;
	const struct trace_branch *branch;
};

struct trace_summary {
	int64_t from_us, to_us;
	unsigned digits; /* of the times: 0 means milliseconds, with started_at rounded down and completed_at up */
	uint64_t counts[AT_KINDS];
	int64_t input, output;
	double stall;    /* of the tool calls where it is known, */
	uint64_t stalls; /* and how many these are */
	const char *exit_status;   /* success, error, interrupted */
	struct str error;          /* a fixed phrase; p NULL */
	struct str rig, engine;    /* p NULL */
	struct str framework_version; /* a JSON object; p NULL: {} */
	struct amount usd;
};

/*
 * Adds the field known_by of these layers as a JSON array, most exact first: of a tool call the wire of an MCP server,
 * the process itself, a hook, telemetry, the proxy; of everything else the proxy comes first.
 */
void trace_line_add_known_by(struct buf *out, enum at_kind kind, unsigned layers);

/*
 * Adds the line with its LF. A node's kind says which of its objects is written, and that one must not be NULL. Nothing
 * given is kept, and nothing can fail: what is not known is written as null or left out.
 */
void trace_line_add_node(struct buf *out, const struct trace_line *t, const struct trace_node *n);
void trace_line_add_summary(struct buf *out, const struct trace_line *t, const struct trace_summary *s);

/*
 * The same in parts, for who learns the rest of a line later. The node's object is left open, and so is that of
 * the model call, whose price may still come; a buffer is not needed by those that get a writer.
 */
void trace_line_begin_node(struct json_writer *j, struct buf *out, const struct trace_line *t,
			   const struct trace_node *n);
void trace_line_begin_model(struct json_writer *j, const struct trace_line *t, const struct trace_model *m);
void trace_line_write_usd(struct json_writer *j, const struct trace_line *t, struct amount usd);
void trace_line_write_tool(struct json_writer *j, const struct trace_line *t, const struct trace_tool *tool);
void trace_line_write_branch(struct json_writer *j, const struct trace_branch *b);

#endif
