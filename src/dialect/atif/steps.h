/*
 * Steps of a trajectory while they are made: a step is written when nothing more can come for it, in the order
 * the steps began. So a step whose call is still open holds back those behind it, up to a limit.
 */
#ifndef DIALECT_ATIF_STEPS_H
#define DIALECT_ATIF_STEPS_H

#include "base/arena.h"
#include "base/buf.h"
#include "json/json.h"
#include "model/event.h"
#include "model/money.h"

struct atif_item {
	struct atif_item *next;
	struct str json;
	struct str call; /* calls: the id it has in the events; p NULL once a result came */
};

struct atif_list {
	struct atif_item *first, **last;
	size_t count;
};

/* Dollars; what was computed from a price table, also in part, is never told as the vendor's. */
struct atif_money {
	struct money sum;
	struct str price_table; /* of what was computed */
};

struct atif_step {
	struct atif_step *next;
	struct arena arena;
	struct buf members;      /* `"source":"user","message":"..."`; or the whole step, see `whole` */
	struct atif_list calls, results;
	struct str calls_rest;   /* what the source had there and no call took: JSON, or absent */
	struct str observation;  /* likewise of the observation */
	struct str id;           /* the STEP's in the events; p NULL when it was none */
	uint64_t at;             /* which step of its document it was, 0 when that means nothing */
	struct usage usage;
	struct atif_money money;
	size_t open;             /* calls without a result */
	bool numbered;           /* it gets the next number, and metrics of its usage */
	bool agent;              /* its source is the agent: calls may go into it */
	bool bare;               /* it only holds calls or results: no model answered, so it has no metrics */
	bool whole;              /* members is the step as it stood, with brackets */
};

/* One trajectory: that of the run, or of a sub-agent. */
struct atif_track {
	struct atif_track *next;
	struct str branch, parent; /* p NULL for the run itself; the call that started it, where that is known */
	size_t depth;              /* 0 for the run */
	struct buf head, body;     /* members of a sub-agent's document, and its steps */
	struct buf *out;           /* where steps go: body, or the output */
	struct atif_step *first, **last, *latest;
	struct atif_step *answer;  /* native: the latest of a model, or NULL; calls and results are its own */
	bool bare;                 /* native: it has no list of steps */
	size_t waiting;            /* steps in the list */
	uint64_t count;            /* steps written */
	struct usage usage;        /* of all */
	struct atif_money money;
	bool is_whole;             /* the figures are those of the run, and not of its steps */
	struct str model;          /* then: whose */
};

/*
 * A track of steps, on the heap until atif_track_free, with copies of both names. Its text goes to `out`, or to the
 * track's own body when that is NULL.
 */
struct atif_track *atif_track_new(struct str branch, struct str parent, struct buf *out);
void atif_track_free(struct atif_track *t);

/* A new step at the end. It lives until it is flushed, or until the track is freed. */
struct atif_step *atif_step_new(struct atif_track *t);

/* The step with this number, made in its place when there is none. */
struct atif_step *atif_step_at(struct atif_track *t, uint64_t at);

/* Adds `"name":` to the members; a value must follow. Name is plain. */
void atif_member(struct buf *members, struct str name);

/* A number as a member; nothing when it is not known. */
void atif_put_amount(struct buf *out, struct str name, struct amount a);

/*
 * Adds a JSON text, and the id of the open call it is (p NULL: none), to a list of the step. Both are copied to the
 * step's arena.
 */
void atif_list_add(struct atif_step *s, struct atif_list *l, struct str json, struct str call);

/* The step that has this open call, or NULL when no step waits for it; the call counts as answered then. */
struct atif_step *atif_answer(struct atif_track *t, struct str call);

/*
 * Writes the steps at the front that are complete, the latest never; all of them when `now`. With more than 512 steps
 * waiting, the oldest goes although its call is open. Steps that are written are freed.
 */
void atif_flush(struct atif_track *t, struct json_parser *p, bool now);

/* Writes those numbered below `at`, complete or not. */
void atif_flush_before(struct atif_track *t, struct json_parser *p, uint64_t at);

/* Adds the cost; the name of its price table is copied to the arena. Nothing when the event has no dollars. */
void atif_money_add(struct atif_money *m, const struct event *cost, struct arena *a);

/*
 * Tokens and cost as `"metrics":{...}`; nothing when nothing is known. Or as final_metrics, which is written in any
 * case.
 */
void atif_put_metrics(struct buf *members, const struct usage *u, const struct atif_money *money);
void atif_put_totals(struct buf *members, const struct atif_track *t);

#endif
