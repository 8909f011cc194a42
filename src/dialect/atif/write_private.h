/* What the parts of the ATIF writer share: a run while it is written, and putting members of objects together. */
#ifndef DIALECT_ATIF_WRITE_PRIVATE_H
#define DIALECT_ATIF_WRITE_PRIVATE_H

#include "base/map.h"
#include "dialect/atif/steps.h"
#include "dialect/writing.h"

/* The front of a tool of which only the name is known. */
#define ATIF_NAMED_TOOL "{\"type\":\"function\",\"function\":{\"name\":"

struct atif_writer {
	struct writing *w;
	struct json_parser *parser, *other;
	struct arena run;     /* of the run */
	struct arena scratch; /* of an event */
	bool open;            /* a run is */
	bool native;          /* it came from ATIF */
	struct str agent;     /* the object, for sub-agents */
	struct str steps;     /* native: what stood there instead of a list */
	struct str subagents; /* native: likewise */
	struct atif_track *tracks, **last_track; /* the run's own first */
	struct map branches;  /* to struct atif_track */
	struct buf text;
};

/* `"name":"text"` and `"name":json`; nothing when there is none. */
void atif_put_text(struct buf *out, struct str name, struct str text);
void atif_put_json(struct buf *out, struct str name, struct str json);

/* Every member but those named, up to a NULL. A value that is no object has none. Values are put as they stand. */
void atif_put_members(struct atif_writer *x, struct buf *out, struct val object, const char *const *but);

/*
 * The time of an event that its source has, or (`derived`) that follows from one. Nothing for a time that was made up.
 */
void atif_put_time(struct buf *members, const struct event *e, bool derived);

/* Members with brackets around them, in the arena. */
struct str atif_braced(struct arena *a, const struct buf *members);

/* A member as it stands, copied; absent when there is none. */
struct str atif_source_of(struct val object, struct str name, struct arena *a);

/*
 * The trajectory of an event's branch; NULL when that branch has none yet. The run's own for an event without a
 * branch.
 */
struct atif_track *atif_track_of(struct atif_writer *x, const struct event *e);
/*
 * A new one at the end of the list, freed with the run. Depth 0 writes to the output, others to a buffer of their own.
 */
struct atif_track *atif_track_add(struct atif_writer *x, struct str branch, struct str parent, size_t depth);

/* ---- plain.c: runs that came from elsewhere ---- */

/*
 * The members of the document before its steps, and behind them (`end` may be NULL). Of RUN_START only run, agent,
 * model and tools are written; extras are noted as losses.
 */
void atif_plain_begin(struct atif_writer *x, struct buf *out, const struct event *e);
void atif_plain_event(struct atif_writer *x, const struct event *e);
void atif_plain_end(struct atif_writer *x, struct buf *out, const struct event *end);

/* A step where there is none: a document has one at least. */
void atif_plain_nothing(struct atif_track *t);

/* ---- native.c: runs that came from ATIF ---- */

/*
 * The members of the document, steps aside. `rest` is the extra of RUN_START. Members that the model took are put back
 * from `e`.
 */
void atif_native_begin(struct atif_writer *x, struct buf *out, const struct event *e, struct val rest);
void atif_native_event(struct atif_writer *x, const struct event *e);

#endif
