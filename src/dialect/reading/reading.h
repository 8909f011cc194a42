/*
 * Reading foreign records into events, with nothing lost. A dialect looks at one value of its log (a line, a
 * document, a chunk of a stream), takes from it what the model has a field for, and adds events. What it did not
 * take goes to the extras of an event by reading_rest, so forgetting a member cannot lose it; only what
 * the dialect drops by name is gone, and coverage counts all three.
 *
 *	static void read_line(struct reading *r, struct val v)
 *	{
 *		struct event *e = reading_add(r, EVENT_STEP);
 *
 *		e->ts = reading_time(r, v, STR("timestamp"));
 *		e->step = reading_text(r, v, STR("id"));
 *		e->text = reading_text(r, v, STR("output"));
 *		e->usage.input = reading_count(r, reading_get(r, v, STR("usage")), STR("input_tokens"));
 *		reading_rest(r, e, v);
 *	}
 *
 * A reading belongs to one thread and one chunk. It sees one value at a time and nothing before or after it;
 * what needs an order is done in the dialect's fold, or by model/assemble. Values are lenient: of duplicate
 * names the last counts, NaN is a number, lone surrogates become U+FFFD.
 *
 * Texts and payloads live in the batch, events too; a pointer from reading_add is good until the next reading_add.
 */
#ifndef DIALECT_READING_READING_H
#define DIALECT_READING_READING_H

#include "base/buf.h"
#include "dialect/values.h"
#include "json/json.h"
#include "model/event.h"

struct coverage;
struct mend;
struct merge;

#define READING_TAPES 6 /* the value itself, and texts inside texts */

struct reading {
	struct arena *arena; /* the batch's */
	struct event *events;
	size_t count, cap;
	size_t most;            /* events that are kept of a value, 0 for all */
	bool cut;               /* there were more */
	size_t inner_values;    /* JSON values that a text inside the value may have, 0 for any number */
	const struct dialect *dialect;
	struct val root;        /* the value being read */
	uint64_t line;
	struct str prefix;      /* what stood before the value on its line: "[2025-...] >>> ", trimmed; may be empty */
	struct str sse_event;   /* the "event:" of a server-sent event; p NULL when there is none */
	bool in_event;          /* the value is the data of one, on however many lines */
	struct coverage *coverage; /* NULL when nobody asks */
	uint64_t unreadable;       /* lines of the chunk that could not be read, but for a last one */
	bool torn;                 /* that breaks off */
	bool cr_ends_lines;        /* the input is a stream of events: a CR alone ends a line too, and is counted */
	bool permissive;           /* other versions of a format are read as if they were the one that is known */
	struct str refused;        /* why the source must not be read any further, and where; p NULL while it may */
	uint64_t refused_line;
	/*
	 * Nobody wants what has no field, nor the times that stand in it: reading_rest and reading_extra do nothing,
	 * nothing is marked, reading_time gives none.
	 */
	bool lean;
	/* the rest is reading.c's */
	struct reading_tape {
		struct json_parser *parser;
		const struct json_tape *tape;
		uint8_t *marks; /* a byte for each token: enum reading_mark */
		size_t cap;
	} tapes[READING_TAPES];
	size_t tape_count;
	struct json_parser *odd; /* for lines that are not one value: those of the batch around them live on */
	struct mend *mend;
	struct merge *merge;
	struct buf scratch;
};

enum reading_mark { READING_LEFT, READING_TAKEN, READING_DROPPED, READING_KEPT };

/*
 * A new event at the end, all zero but for its kind, line and index (-1). With reading_bound, events beyond the limit
 * are made in one place behind the last and are not kept: `cut` says so.
 */
struct event *reading_add(struct reading *r, enum event_kind kind);

/* The value is of a version that only `permissive` reads: why, in the batch. The source is read no further. */
void reading_refuse(struct reading *r, struct str why);

/* ---- taking: what is returned is marked as mapped; VAL_NONE and absent texts where there is nothing ---- */

/* A member, looked at only: nothing is marked. VAL_NONE when object is none or has no such member. */
struct val reading_get(const struct reading *r, struct val object, struct str name);

/*
 * Marks a value, with all inside it, as mapped to the model; returns it. A null that is only taken is gone: dropped.
 * VAL_NONE, and values of a tape that is closed, are passed over; so is everything when `lean`. The same holds for the
 * two below.
 */
struct val reading_take(struct reading *r, struct val v);

/* Marks a value as kept: for what the dialect itself puts into extras, in another form. */
void reading_keep(struct reading *r, struct val v);

/* Takes back what was marked of a value: it is left again. */
void reading_unmark(struct reading *r, struct val v);

/* Marks a value as a counter that is dropped on purpose. */
void reading_drop(struct reading *r, struct val v);

/* Whether a value itself was marked as mapped, kept or dropped. False for VAL_NONE. */
bool reading_is_marked(struct reading *r, struct val v);

/*
 * A string member, unescaped. A number, true or false gives its text but stays untaken, so that its type is not
 * lost; null, objects and arrays give an absent text.
 */
struct str reading_text(struct reading *r, struct val object, struct str name);

/* The same of a value itself. Absent for VAL_NONE too. */
struct str reading_text_of(struct reading *r, struct val v);

/* A value that is nothing the format has: a NOTE with all of it. */
void reading_add_unknown(struct reading *r, struct val v);

/* The text of a string only: of anything else an absent one, for formats that must be written again as they were. */
struct str reading_string(struct reading *r, struct val object, struct str name);

/* A copy of a string member that is looked at and stays where it is; p is NULL when there is none. */
struct str reading_peek(struct reading *r, struct val object, struct str name);

/*
 * Any member as canonical JSON, for a payload; `member` is the name of the OTUTL field ("args"), for big numbers.
 * Absent when there is no such value; `e` may be NULL when nobody needs to know of big numbers. The text lives in the
 * batch.
 */
struct str reading_json(struct reading *r, struct event *e, const char *member, struct val object, struct str name);
struct str reading_json_of(struct reading *r, struct event *e, const char *member, struct val v);

/*
 * An object as reading_json_of gives it, but for the members of these names, which stay unmarked; "{}" when nothing
 * else is there. Of any other value all of it.
 */
struct str reading_json_without(struct reading *r, struct event *e, const char *member, struct val v,
				const struct str *names, size_t count);

/* The canonical JSON of a text: a string with quotes and escapes. It lives in the batch. */
struct str reading_quote(struct reading *r, struct str text);

/*
 * A count: a number of integral value. A string of digits gives it too, but stays untaken. null gives FIGURE_NULL
 * and is taken; others are left alone: absent.
 */
struct figure reading_count(struct reading *r, struct val object, struct str name);

/* A number in seconds, milliseconds, dollars, times `scale`. Stays untaken when dividing would not give it back. */
struct amount reading_amount(struct reading *r, struct val object, struct str name, double scale);

/* true, false or null, taken; TRUTH_ABSENT for anything else, which is left alone. */
enum truth reading_truth(struct reading *r, struct val object, struct str name);

/*
 * A time. RFC 3339 with three digits or more is taken as it stands. Anything else that is a time (fewer digits, no
 * zone: UTC is assumed; "2025-01-01 10:00:00"; a number or a string of digits: seconds, or milli-, micro-, nanoseconds
 * by its size) is made such a text and the original stays untaken, so that it goes to the rest. What is no time gives
 * a moment without a text (p NULL); so do leap seconds, and years that nanoseconds in an int64_t do not reach.
 */
struct moment reading_time(struct reading *r, struct val object, struct str name);
struct moment reading_time_of(struct reading *r, struct val v);
struct moment reading_time_text(struct reading *r, struct str text); /* a text that is no value of the record */

/* Nanoseconds since 1970 as a moment, with 3, 6 or 9 digits as needed. Its text lives in the batch. */
struct moment reading_moment(struct reading *r, int64_t ns, enum moment_source source);

/* ---- what is left ---- */

/*
 * Everything in v that was neither taken nor dropped, as an extra of the event under the dialect's key. Objects
 * lose the taken members; an array of which something was taken becomes an object of the elements that have
 * something left, by index: {"#1":{...}}. Nothing is added when nothing is left. Marks what it gives.
 * `under` (p NULL for none) puts it there: {"under":{...}}. Several for one event make one object, the later wins.
 */
void reading_rest(struct reading *r, struct event *e, struct val v);
void reading_rest_under(struct reading *r, struct event *e, struct val v, struct str under);

/*
 * A value of our own in the event's extras, under the dialect's key. json is canonical. An event that has such a
 * member already gets the later one. Nothing when `lean`.
 */
void reading_extra(struct reading *r, struct event *e, struct str name, struct str json);

/* ---- JSON inside strings ---- */

/*
 * The value of a text that is JSON, VAL_NONE when it is not. At most READING_TAPES - 1 at once, released in turn
 * by reading_release (all opened after and including it). Taking from it works as from the record; it does not
 * mark the string it came from.
 */
struct val reading_parse(struct reading *r, struct str text);
void reading_release(struct reading *r, struct val v);

/* ---- for whoever runs it (flow/reading) ---- */

/*
 * Opens a reading for a dialect. Its parsers and events live until reading_free; events and texts of a chunk until
 * the next chunk.
 */
void reading_init(struct reading *r, const struct dialect *d);
void reading_free(struct reading *r);

/*
 * For texts of strangers that are read whole: at most so many events and JSON values of each. Call it before the first
 * chunk. A text inside one may have a sixteenth of the values.
 */
void reading_bound(struct reading *r, size_t events, size_t values);

/* For reading_chunk: the value's tape is the i-th, and nothing of the value is marked. */
void reading_enter(struct reading *r, size_t i, struct val v);

/*
 * Reads one chunk: events of all its values are in r->events afterwards, until the next chunk. Texts live in `batch`.
 * Never fails: a line that begins as JSON and is none becomes an ERROR, counted in r->unreadable, any other line a
 * NOTE; r->torn says that the last line breaks off. After a refusal nothing more is read.
 */
void reading_chunk(struct reading *r, struct arena *batch, struct str bytes, uint64_t first_line, bool lines);

#endif
