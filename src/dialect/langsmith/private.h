/*
 * What the files of this dialect share. A log tells of runs: nodes of a tree, each in one or several records ("ops"),
 * of which later ones only hold what has changed. langsmith.c finds the ops, fold.c makes one text of those of a run,
 * run.c reads that text as a span, and dialect/otlp/run.h puts the spans of a trace in order.
 */
#ifndef DIALECT_LANGSMITH_PRIVATE_H
#define DIALECT_LANGSMITH_PRIVATE_H

#include "base/err.h"
#include "dialect/dialect.h"
#include "dialect/reading/reading.h"
#include "model/assemble.h"

#define LANGSMITH_KEY "langsmith/1"
#define LANGSMITH_OP "langsmith.op" /* the note by which value() hands an op to the fold; content is its JSON, raw */

/* The hint of an op. p NULL: the op does not tell. */
struct langsmith_hint {
	struct str id;
	struct str trace;
	struct str parent; /* the run in whose child_runs it stands */
};

/* ---- dotted_order: "20241204T195929374537Z<uuid>.20241204T...Z<uuid>", from the root down ---- */

/* The id of the segment `back` places before the last (0: its own, 1: its parent's); p NULL when there is none. */
struct str langsmith_dotted_id(struct str dotted, size_t back);
/* That of the first segment, which is the trace; p NULL when it is no such text. */
struct str langsmith_dotted_root(struct str dotted);
/* The time of the last segment, derived; without a text when there is none. */
struct moment langsmith_dotted_time(struct reading *r, struct str dotted);

/* ---- messages (message.c) ---- */

/* What an answer says; p NULL and VAL_NONE where it does not. */
struct langsmith_answer {
	struct str text, reasoning, stop, model, id;
	struct str calls;   /* JSON: ids of the calls that it asks for */
	struct val usage;   /* the best of what it says of its tokens */
	struct val message; /* the message itself, without LangChain's wrapping */
};

/* MESSAGEs of a request, flagged EVENT_HISTORY; those of the assistant and of tools have no content. */
void langsmith_read_request(struct reading *r, struct val inputs);
/* The answer of a model; adds a CALL with EVENT_HISTORY and nothing but its id for each call it asks for. */
void langsmith_read_answer(struct reading *r, struct val outputs, struct langsmith_answer *a);
/* A message without LangChain's wrappings: kwargs of a constructor, data of a dict; v itself otherwise. */
struct val langsmith_unwrap(struct val v);
/* Whether outputs are those of a model, by their shape. */
bool langsmith_is_answer(struct val outputs);

/* ---- runs (run.c) ---- */

/*
 * Events of one whole run: a carrier (a NOTE with an otlp_hint) and what it may turn out to be, as otlp/read.h says.
 * What is not taken is left in the carrier's extras. v must be an object.
 */
void langsmith_read_run(struct reading *r, struct val v);

/* ---- what we wrote (own.c, write.c) ---- */

/* Records of OTUTL, as extra.metadata.trackway of runs that we wrote has them. */
struct langsmith_records {
	struct langsmith_record {
		int64_t seq;
		struct str text; /* JSON, with what the run held put back */
	} *list;
	size_t count, cap;
};

/* Adds the records of a run, in the arena; false when it is none of ours. v must be an object. */
bool langsmith_own_gather(struct arena *a, struct val v, struct langsmith_records *to);
/*
 * Gives all of them to the assembler in the order of their seq, as a run of its own. `r` must read OTUTL. False, with
 * *err, when the assembler fails.
 */
bool langsmith_own_put(struct reading *r, struct arena *a, struct langsmith_records *records, uint64_t line,
		       struct assemble *as, struct err *err);

extern const struct write_ops langsmith_write_ops;

/* ---- the fold (fold.c), of struct read_ops ---- */

void *langsmith_fold_open(void);
void langsmith_fold_close(void *fold);
bool langsmith_fold_add(void *fold, const struct event *e, struct assemble *as, struct err *err);
bool langsmith_fold_end(void *fold, struct assemble *as, struct err *err);

#endif
