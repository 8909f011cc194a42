/*
 * Parts of the verifiers dialect: a rollout of results.jsonl or of a hosted evaluation (rollout.c), a trace of
 * traces.jsonl (trace.c), and the messages and endings that both have (talk.c).
 */
#ifndef DIALECT_VERIFIERS_ROLLOUT_H
#define DIALECT_VERIFIERS_ROLLOUT_H

#include "base/map.h"
#include "dialect/reading/reading.h"

/* ---- messages ---- */

/* The talk of one run, all zero but for the reading. What is in it lives in the batch. */
struct verifiers_talk {
	struct reading *r;
	size_t first;    /* events of the latest answer begin here */
	size_t end;      /* and end here; 0 before any */
	size_t answered; /* how many of its calls have a result */
	size_t steps;
};

/* A message that was given to the model, be it one that it is said to have written. A string is the user's. */
void verifiers_read_given(struct verifiers_talk *t, struct val message);

/*
 * A message of the rollout itself: the model's are steps with their calls, a tool's is a result, which without an id
 * is that of the next call of the latest answer. A string is the model's. What is neither a string nor an object is
 * left.
 */
void verifiers_read_said(struct verifiers_talk *t, struct val message);

/* ---- scores and errors ---- */

/*
 * RUN_END with reward and metrics under "score": the reward as JSON (p NULL: none), the members of `metrics`, and those
 * of `flat` that are numbers and no columns. The event is the last one afterwards.
 */
struct event *verifiers_add_end(struct reading *r, struct str reward, struct val metrics, struct val flat);

/* An ERROR of the harness: a text, or an object that has one under one of some names. Nothing for null and none. */
bool verifiers_read_error(struct reading *r, struct val error);

/* ---- records ---- */

/* What the fold has to know. */
struct verifiers_hint {
	struct str example;     /* RUN_START without an id of its own: the text of its example. p NULL: it has one */
	int64_t took;           /* RUN_END: nanoseconds from the start, 0 when nobody says */
	struct str evaluation;  /* NOTE of an evaluation: what names it, p NULL when nothing does */
	struct str model;       /* NOTE */
};

/* The settings of an evaluation: a NOTE for the fold, which gives what it says to the runs. */
void verifiers_read_evaluation(struct reading *r, struct val v);

/* One rollout. `page` (VAL_NONE: none) holds it, and tells of the evaluation. */
void verifiers_read_rollout(struct reading *r, struct val v, struct val page);

/* One trace of an episode (VAL_NONE: it stands alone); all but the first name the episode that it keeps. */
void verifiers_read_trace(struct reading *r, struct val v, struct val episode, bool is_first);

/* Seconds since 1970 as a time; none for what is no such number. The value is marked as taken. */
struct moment verifiers_take_seconds(struct reading *r, struct val v);

#endif
