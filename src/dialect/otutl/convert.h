/*
 * OTUTL to events and back. Both ways read one table: for each kind of event the members of its record, in the order
 * of RFC 8785, and where each lives in struct event. What a record has beyond the table is kept in extras
 * that are marked as members, and is put back where it was: an extra of a member's name stands for the member,
 * an empty one means that the record does not have it.
 *
 * Messages have no record of their own: they are in `request` of the step that follows in their branch, or of
 * run_end. Notes ride on the next record, in ext "trackway/1" "notes".
 */
#ifndef DIALECT_OTUTL_CONVERT_H
#define DIALECT_OTUTL_CONVERT_H

#include "dialect/dialect.h"
#include "dialect/otutl/text.h"
#include "model/event.h"

struct reading;

#define OTUTL_RECORD_MAX ((size_t)64 << 20) /* bytes; a longer record ends the conversion with ERR_LIMIT */
#define OTUTL_NO_TIME "1970-01-01T00:00:00.000Z" /* every record must have a ts: ext says that this is none */

extern const struct read_ops otutl_read_ops;
extern const struct write_ops otutl_write_ops;

/*
 * Lays the members of a record over an event of its kind that another format read: what the record says counts, what
 * it does not say stays. Members that no column has are passed over. For formats that keep beside their own fields
 * what those cannot hold, as otutl_emit writes it when it is `bare`.
 */
void otutl_read_over(struct reading *r, struct event *e, struct val record);

enum otutl_how {
	OTUTL_TEXT,   /* struct str, a string */
	OTUTL_JSON,   /* struct str, canonical */
	OTUTL_COUNT,  /* struct figure */
	OTUTL_SIGNED, /* struct figure, two's complement */
	OTUTL_AMOUNT,
	OTUTL_TRUTH,
	OTUTL_FLAG,   /* true when the event has the flag, else absent */
	OTUTL_STREAM, /* true, false or absent */
	OTUTL_MOMENT, /* of messages and notes: absent when it is that of the record */
	OTUTL_AGENT,
	OTUTL_USAGE,
	OTUTL_USAGE_SOURCE,    /* the same of a cost: three members */
	OTUTL_USAGE_ESTIMATED,
	OTUTL_USD_SOURCE,
	OTUTL_REQUEST,
	OTUTL_RAW_ARGS,
	OTUTL_STATUS,
	OTUTL_EXT,
	/* what the writer fills in for itself; a foreign record keeps its own */
	OTUTL_VERSION,
	OTUTL_SOURCE,
	OTUTL_TOTALS,
	/* what the rules of OTUTL are about: never anybody else's */
	OTUTL_RULED,
	OTUTL_RULED_ARGS = OTUTL_RULED,
	OTUTL_RULED_CALL,
	OTUTL_RULED_CHUNKS,
	OTUTL_RULED_PARENT,
	OTUTL_RULED_TOOL,
	OTUTL_RULED_RUN_ID,
	OTUTL_RULED_SEQ,
	OTUTL_RULED_TS,
	OTUTL_RULED_TYPE,
};

struct otutl_column {
	struct str name, lead; /* lead: `,"name":`, so that a name is one copy */
	uint8_t how;           /* enum otutl_how */
	uint16_t flag;         /* enum event_flag */
	uint32_t offset;       /* in struct event */
};

struct otutl_columns {
	struct str type; /* of the record; empty for messages and notes */
	const struct otutl_column *list;
	size_t count;
};

extern const struct otutl_columns otutl_columns[EVENT_KINDS];

/* ---- usage, with where its figures come from ---- */

#define OTUTL_USAGE_FIGURES 6
struct otutl_figure {
	struct str name, lead; /* in `usage` */
	struct str cost;       /* in a cost record */
	uint32_t offset;       /* in struct usage */
};
extern const struct otutl_figure otutl_figures[OTUTL_USAGE_FIGURES]; /* in the order of their names */

/* The figure of a usage that a row is about. */
struct figure otutl_figure_of(const struct usage *u, const struct otutl_figure *f);

/* "api", "estimated", "mixed", or an absent text when no figure is known. */
struct str otutl_usage_source(const struct usage *u);

/*
 * Adds the list of those that are known and estimated, by their names in `usage` or in a cost record. There must be
 * one at least, as there is when otutl_usage_source says "mixed".
 */
void otutl_put_estimated(struct buf *out, const struct usage *u, bool of_cost);

/*
 * `usage` as an object. `rest` (NULL: none) has what a foreign one says beyond the figures; where they come
 * from is then its business alone.
 */
void otutl_put_usage(struct buf *out, const struct usage *u, const struct otutl_pieces *rest);

/* Adds the number, or null for one that is not known. Absence is the caller's to see: it is written as null too. */
void otutl_put_figure(struct buf *out, struct figure f);

/* ---- what "trackway/1" in ext is made of ---- */

/* "derived", "inherited", "none" by enum moment_source; NULL for a vendor's own. */
extern const char *const otutl_moment_sources[5];

/* Amounts that may be computed from others: named in ext when they are. */
#define OTUTL_AMOUNTS 4
struct otutl_amount {
	struct str name;
	uint32_t offset;
};
extern const struct otutl_amount otutl_amounts[OTUTL_AMOUNTS];

#endif
