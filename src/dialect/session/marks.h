/*
 * What a line of an agent's log says that other lines must agree with: its id and the one it follows, calls and their
 * results, counters. The scan of a line leaves marks (a digest, a number, a place); the fold takes the marks of all
 * lines in order and keeps the lines that are still open. Both logs of agents that are checked (Codex, Claude Code)
 * are folds over marks.
 */
#ifndef DIALECT_SESSION_MARKS_H
#define DIALECT_SESSION_MARKS_H

#include "base/map.h"
#include "dialect/record/record.h"

#define MARK_IDS_MAX ((size_t)1 << 20) /* remembered of each sort, in a file */

struct mark {
	uint8_t kind;        /* the format's own */
	uint32_t at, length; /* of what a finding is about, in the record's text */
	struct hash id;      /* of a text */
	int64_t n;
	uint64_t other;  /* another digest, or another number */
	struct str text; /* in the batch's arena; p NULL for none */
};

/* The fact of a record: a line has a few marks, a document those of all its lines. */
struct marks {
	struct mark *list;
	size_t count, cap;
};

/* A new mark about a value, VAL_NONE for the record as a whole. It is good until the next one. */
struct mark *marks_add(struct record_scan *s, struct marks *m, uint8_t kind, struct val about);

/* The same with the digest of the value's text. NULL, and no mark, when the value is no string or an empty one. */
struct mark *marks_add_id(struct record_scan *s, struct marks *m, uint8_t kind, struct val v);

/* The same with a number of milliseconds, from an RFC 3339 time; without one no mark is made. */
void marks_add_time(struct record_scan *s, struct marks *m, uint8_t kind, struct val v);

/* ---- in the fold ---- */

/* Where a mark is, when its line is gone. */
struct mark_place {
	uint64_t line, offset;
};

/* Walks the marks of a batch in order. */
struct marks_walk {
	const struct record_batch *batch;
	size_t record, next;
	const struct record_place *place; /* of the mark at hand */
	const struct mark *mark;
	size_t counted; /* lines of a document are counted up to here */
	uint64_t line;
};

struct marks_walk marks_begin(const struct record_batch *b);
bool marks_next(struct marks_walk *w);

/* Where the mark at hand is. */
struct mark_place marks_place(const struct marks_walk *w);

/* A finding about the mark at hand. */
__attribute__((format(printf, 4, 5))) void marks_note(struct record_fold *f, unsigned rule, const struct marks_walk *w,
						      const char *format, ...);

/* A finding about a line that is gone. */
__attribute__((format(printf, 4, 5))) void marks_note_late(struct record_fold *f, unsigned rule, struct mark_place at,
							   const char *format, ...);

/* ---- ids of one sort, and what became of them ---- */

struct mark_item {
	struct mark_place at;
	int64_t n;      /* the format's own, as are these */
	uint64_t other;
	bool is_open;
};

struct mark_ids {
	struct map seen; /* digests to places in `items` */
	struct mark_item *items;
	size_t count, cap;
	bool is_full; /* there were more than MARK_IDS_MAX */
};

void mark_ids_init(struct mark_ids *ids, struct arena *a);

/* The item of an id, or NULL. Valid until one is added. */
struct mark_item *mark_ids_find(const struct mark_ids *ids, const struct mark *m);

/*
 * The item of the id at hand, added and open when it is new (*added). NULL when there is no room: then ids->is_full is
 * true from then on, and there is a finding of the rule `on_full`, once. Valid until one is added.
 */
struct mark_item *mark_ids_add(struct record_fold *f, struct mark_ids *ids, const struct marks_walk *w,
			       unsigned on_full, bool *added);

/* ---- types of lines that nobody knows ---- */

#define MARK_TYPES 64 /* told apart; lines of further ones are not told */
#define MARK_TYPE_TEXT 60

struct mark_types {
	struct map seen;
	struct mark_type {
		struct str name;
		struct mark_place at; /* of the first */
		uint64_t lines;
	} list[MARK_TYPES];
	size_t count;
};

void mark_types_init(struct mark_types *t, struct arena *a);

/* Counts the mark at hand, whose text is the name of a type. */
void mark_types_add(struct mark_types *t, struct arena *a, const struct marks_walk *w);

/* One finding for each type, at its first line, with the number of lines. */
void mark_types_note(const struct mark_types *t, struct record_fold *f, unsigned rule);

#endif
