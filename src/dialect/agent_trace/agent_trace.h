/*
 * agent-trace/v1: the content-free trace of a run. One event per line: nodes, in the order in which
 * they completed, and a summary at the end.
 *
 * The rules about one event are agent_trace.c (by tables) and agent_trace/text.c (what a string must
 * not hold); what lies between events is agent_trace/fold.c. This header is what they share.
 */
#ifndef DIALECT_AGENT_TRACE_AGENT_TRACE_H
#define DIALECT_AGENT_TRACE_AGENT_TRACE_H

#include "dialect/agent_trace/nodes.h"
#include "dialect/record/record.h"
#include "model/sighting.h"

/* The rules, in the order of their rows; the numbers of the spec are in the names. */
#define RULE(code_, ...) code_,
enum at_rule {
#include "dialect/agent_trace/rules.h"
	AT_RULES,
};
#undef RULE

extern const struct rule agent_trace_rules[AT_RULES + 1];

enum at_kind { AT_MODEL_CALL, AT_TOOL_CALL, AT_BRANCH, AT_RETRY, AT_USER_INPUT, AT_SYSTEM, AT_KINDS };

extern const struct str agent_trace_kinds[AT_KINDS];
extern const struct str agent_trace_layers[SIGHT_LAYERS]; /* the words of known_by */

/* Of an event that was read: it lacks what every event has, and gets nothing when it is written again. */
#define AT_AS_IS "#as_is"

/* What a summary says, and where in its line. Values that are absent or wrong have `at` 0. */
struct at_number {
	uint32_t at; /* byte in the line */
	int64_t value; /* of stalls nanoseconds, of times microseconds, or a count */
};

struct at_summary {
	struct at_number counts_at; /* the object */
	int64_t counts[AT_KINDS];   /* -1: not there */
	int64_t other_count;        /* of kinds that nobody knows */
	struct at_number input, output;
	struct at_number stall, completed;
};

enum at_flag {
	AT_IS_NODE = 1,
	AT_IS_SUMMARY = 2,
	AT_HAS_ID = 4,
	AT_HAS_TRACE = 8,
	AT_HAS_KIND = 16,
	AT_HAS_END = 32,
	AT_FAILED = 64, /* a model call whose stop_reason is "error", and no refusal */
};

/* What the scan of an event leaves for the fold. */
struct at_fact {
	struct node_key trace, id;
	int64_t end_us, stall_ns;
	int64_t input, output; /* tokens */
	const struct node_parent *parents, *siblings;
	const struct at_summary *summary;
	uint32_t parent_count, sibling_count;
	uint32_t trace_at, id_at, end_at; /* bytes in the line */
	uint8_t kind, flags;
};

/* A line and a byte in it, for findings that come when the line may be gone. */
struct at_spot {
	uint64_t line, offset; /* of the line */
	uint32_t at;
};

/* What is known of a file so far. */
struct at_fold {
	struct nodes nodes;
	struct node_key trace;
	uint64_t nodes_seen;
	uint64_t counts[AT_KINDS];
	uint64_t other_count; /* nodes of no known kind */
	int64_t input, output, stall_ns;
	int64_t last_end, max_end;
	uint64_t summary_line;      /* of the first, 0 before it came */
	struct at_spot summary_spot;
	struct at_summary summary;
	bool has_trace, has_end, said_beyond, said_after;
	bool failed; /* the last node was a failed call */
	bool alone;  /* a document: one event that stands for itself, as summary.json does */
};

/* A file begins: f->state, which is zeros, becomes a struct at_fold. */
void agent_trace_fold_begin(struct record_fold *f);

/* Adds the events of the next batch, in the order of the file. What is wrong between them are findings of f. */
void agent_trace_fold_add(struct record_fold *f, const struct record_batch *b);

/* The file is over: findings about ids that never came and about sums. Marks the tally when there is no summary. */
void agent_trace_fold_finish(struct record_fold *f);

/* Frees what the state holds beside the arena; also called when there was no finish. */
void agent_trace_fold_end(struct record_fold *f);

/* ---- text: what a string must not hold ---- */

enum at_text {
	AT_TEXT_VALUE,    /* keys, paths, environment */
	AT_TEXT_ID,       /* the same, of a value that hardly ever repeats */
	AT_TEXT_ENDPOINT, /* and credentials in the URL */
	AT_TEXT_TOOL,     /* and arguments */
	AT_TEXT_ERROR,    /* an error_message */
};

/*
 * Checks one string value: v must be a string. Findings go to s. A text that was found clean is remembered, so that a
 * value which repeats costs a hash; an id is only gathered and searched with the rest of its chunk.
 */
void agent_trace_check_text(struct record_scan *s, struct val v, enum at_text kind);

/*
 * Whether a string holds an absolute path or environment variables. Sets *what, a constant phrase that follows "this
 * string", in any case.
 */
bool agent_trace_is_private(struct str text, const char **what);

/*
 * Checks a member that no table knows, by its key: all strings in its value, however deep, are gathered, and a name or
 * text that may be content is one finding, AT063. null is nothing.
 */
void agent_trace_check_unknown(struct record_scan *s, struct val key);

#endif
