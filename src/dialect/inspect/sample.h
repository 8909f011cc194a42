/* One sample of an Inspect log: a run. What its files share while it is read. */
#ifndef DIALECT_INSPECT_SAMPLE_H
#define DIALECT_INSPECT_SAMPLE_H

#include "base/map.h"
#include "dialect/reading/reading.h"

#define INSPECT_LOG "inspect_log" /* the note by which value() hands the log's own members to the fold */

/* The hint of events: what the log says of its runs, and a run of itself. p NULL: none. */
struct inspect_hint {
	struct str sample; /* RUN_START: the sample's id and epoch, which only with the log's id are one of a kind */
	/* INSPECT_LOG: the log's id, its model, Inspect's version, why it failed, how it ended */
	struct str run, model, version, error;
	enum run_status status;
};

/* A result that waits for its time: what happened inside the call comes before it. */
struct inspect_due {
	int64_t ns;
	uint64_t order;
	struct val tool;
	struct str call, parent, branch;
};

struct inspect_sample {
	struct reading *r;
	struct val v;
	struct map attachments; /* names to places in `texts`, plus one */
	struct val *texts;
	size_t text_count;
	struct map seen;     /* messages that were told: by id or by digest */
	struct map asked;    /* ids of calls to the steps that asked (struct str) */
	struct map steps;    /* ids given */
	struct map spans;    /* ids to struct inspect_span */
	struct val *pool;    /* messages that inputs refer to; VAL_NONE once they were read */
	size_t pool_count;
	size_t pool_budget;  /* how many more references are followed: they may name each message any number of times */
	size_t model_count;  /* steps so far, for ids of those that have none */
	struct str tools;    /* as they stood in the model event before */
	size_t start;        /* the event that begins the run */
	struct inspect_due *due; /* a heap, the earliest first */
	size_t due_count;
	uint64_t due_order;  /* tool events so far: results of one time stay in their order */
	struct str limit;    /* why it was stopped */
};

struct inspect_span {
	struct str parent; /* id of the span around it */
	struct str call;   /* the call that it is the inside of; p NULL when it is none */
	struct str id;
	bool looked;       /* owner is known */
	struct inspect_span *owner;
};

/* A string, unescaped; absent when it is none. Nothing is marked. The text lives in the batch. */
struct str inspect_look(struct inspect_sample *s, struct val v);

/*
 * The event's place among calls and agents: parent and branch, by its span. `inside` is the call whose event it stands
 * in, for logs without spans (p NULL: none). Both stay absent for what the main agent did.
 */
void inspect_place(struct inspect_sample *s, struct event *e, struct val event, struct str inside);

/* A payload with its attachments put in, taken; absent when v is none. `member` is as in reading_json. */
struct str inspect_json(struct inspect_sample *s, struct event *e, const char *member, struct val v);
/* The same of JSON that is made already: the text itself when no attachment is named in it, else one in the batch. */
struct str inspect_resolve(struct inspect_sample *s, struct str json);
/* The attachment that a text names; the text itself when it is no such name. */
struct str inspect_text(struct inspect_sample *s, struct str text);

/*
 * Tokens as Inspect counts them, taken. Absent figures where there is nothing. What was cached is made part of the
 * input, unless the total shows that it is.
 */
struct usage inspect_usage(struct reading *r, struct val usage);

/* The same into an event, with the dollars that Inspect states, where it does. */
void inspect_read_usage(struct reading *r, struct val usage, struct event *e);

/*
 * A model event: what is new in its input, the STEP, and its COST and ERROR. `inside` is the call around it, p NULL
 * for none. An answer that came out of Inspect's cache has no COST. The first list of tools goes to RUN_START.
 */
void inspect_read_model(struct inspect_sample *s, struct val event, struct str inside);
/*
 * A message that was not told before, as a MESSAGE; one that was is only marked. `answers`: the sample has no events,
 * so the model's messages are steps and a tool's are results.
 */
void inspect_read_message(struct inspect_sample *s, struct val message, bool answers);

/* All of it: RUN_START to RUN_END. v must be an object. What no event holds stays with RUN_END. */
void inspect_read_sample(struct reading *r, struct val v);

#endif
