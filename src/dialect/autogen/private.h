/* The parts of AutoGen's dialect: its shapes of logs, and what they tell the fold. */
#ifndef DIALECT_AUTOGEN_PRIVATE_H
#define DIALECT_AUTOGEN_PRIVATE_H

#include "dialect/reading/reading.h"
#include "model/assemble.h"

enum autogen_what {
	AUTOGEN_OTHER,
	AUTOGEN_SESSION, /* NOTE: of a session, whose id is `run` */
	AUTOGEN_WANTED,  /* CALL: that an answer asks for */
	AUTOGEN_RAN,     /* CALL: a tool has run. The RESULT follows */
	AUTOGEN_RESULT,  /* RESULT: of the call before */
	AUTOGEN_THOUGHT, /* NOTE: what the next answer thought, in `thought` */
};

/* The hint of each event of ours; others, and those that requests tell again, have none that the fold reads. */
struct autogen_hint {
	enum autogen_what what;
	struct str run, thought;
};

/* Gives an event a hint, which is returned to be filled in. It lives in the batch. */
struct autogen_hint *autogen_hint_add(struct reading *r, struct event *e, enum autogen_what what);

/* Adds an event with a hint. It is good until the next is added. */
struct event *autogen_add(struct reading *r, enum event_kind kind, enum autogen_what what);

/* The calls from `from` on are asked for by an answer: hints, and arguments that can be compared. */
void autogen_mark_answer(struct reading *r, size_t from);

/* A NOTE with all of a value. */
void autogen_add_note(struct reading *r, struct val v, struct str role, struct moment ts);

/* The time that a logger put before the record on its line; none when there is no such. */
struct moment autogen_prefix_time(struct reading *r);

/* ---- each shape: how well a value fits it (as struct dialect), and reading one ---- */

int autogen_core_fits(struct val v);     /* events of autogen_core, and recorded calls of a client */
void autogen_core_read(struct reading *r, struct val v);
int autogen_chat_fits(struct val v);     /* messages and states of AgentChat */
void autogen_chat_read(struct reading *r, struct val v);
int autogen_runtime_fits(struct val v);  /* records of AutoGen 0.2 */
void autogen_runtime_read(struct reading *r, struct val v);

/*
 * A message as AutoGen's clients get it ({"type":"UserMessage","content":...}). With EVENT_HISTORY it is told again, at
 * a position; else it is all there is of what happened, and the model's are steps.
 */
void autogen_read_message(struct reading *r, struct val v, uint32_t position, unsigned flags);

/* What a client gives back: {finish_reason, content, usage, thought}. A STEP and its CALLs. */
void autogen_read_result(struct reading *r, struct val result);

/* ---- the fold, as struct read_ops has it ---- */

void *autogen_fold_open(void);
void autogen_fold_close(void *fold);
bool autogen_fold(void *fold, const struct event *e, struct assemble *as, struct err *err);
bool autogen_fold_end(void *fold, struct assemble *as, struct err *err);

#endif
