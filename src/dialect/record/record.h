/*
 * The checker for formats that are tables (field.h). A format gives its rules, its record types and up
 * to four functions; reading lines, finding places, counting and limits are done here once.
 *
 *	check    one record, pure and on any thread: record_check_object by the tables, then its own
 *		 rules. It may leave a fact, a small struct, for the fold.
 *	begin    a file begins: its own state is zeroed
 *	add      the facts of the next chunk, in file order
 *	finish   the file is over: what is only known now
 *
 * How it is fast: the parser gives objects of the same names in the same order the same shape number
 * (json/shape.h). For each shape and record type the scanner works out once which member is which
 * field, what is missing and what is unknown; from then on a record costs one look at each member.
 */
#ifndef DIALECT_RECORD_RECORD_H
#define DIALECT_RECORD_RECORD_H

#include "base/buf.h"
#include "base/err.h"
#include "base/finding.h"
#include "dialect/dialect.h"
#include "dialect/record/field.h"
#include "json/json.h"

#define RECORD_NO_RULE UINT16_MAX

struct record_scan;
struct record_fold;
struct record_batch;

/*
 * What the checker needs to know of a format. Rules are given by their place in the dialect's table.
 * Functions may be NULL.
 */
struct record_format {
	uint16_t on_utf8, on_syntax, on_duplicate; /* a line or document that is not JSON */
	uint16_t on_not_object;
	uint16_t on_missing, on_type, on_unknown; /* a member */
	uint16_t on_blank;  /* line; RECORD_NO_RULE where blank lines mean nothing */
	uint16_t on_torn;   /* the last line breaks off; RECORD_NO_RULE for on_syntax */
	uint16_t on_glued;  /* of a log: several values on one line, which are checked all the same; see is_log */
	uint16_t on_empty;  /* no record at all */
	uint16_t on_secret; /* a string that resembles a key; RECORD_NO_RULE: only when the options ask */
	bool is_log; /* others write it: a name may occur twice, on_duplicate is not used, and on_glued is */
	bool strict_wants_optional; /* in the strict mode FIELD_OPTIONAL is required and unknown names are findings */
	size_t fact_size;
	size_t own_size; /* of what one thread's scanner remembers from record to record; zero at first */
	void (*check)(struct record_scan *s, struct val root, void *fact);
	void (*check_unknown)(struct record_scan *s, struct val key); /* a member that no table knows */
	/*
	 * Strings given to record_gather that hold one of these characters are given to is_bad; if it says yes, a
	 * finding of that rule with that sentence is about them.
	 */
	const char *gathered_marks;
	uint16_t on_bad;
	bool (*is_bad)(struct str text, const char **sentence);
	size_t state_size;
	void (*begin)(struct record_fold *f);
	void (*add)(struct record_fold *f, const struct record_batch *b);
	void (*finish)(struct record_fold *f);
	void (*end)(struct record_fold *f); /* gives back what is not the arena's; also when there was no finish */
};

/* ---- one record ---- */

struct record_scan {
	struct record_scanner *tools;
	struct record_batch *out;
	const struct record_format *format;
	const struct rule *rules;
	enum check_mode mode;
	struct str text;  /* the line, or the whole document */
	uint64_t line;    /* number of its first line */
	uint64_t offset;  /* of its first byte in the input */
	struct val root;
	struct arena *arena; /* of this record */
	void *own;           /* own_size bytes */
	struct val_hint near; /* of the value last pointed at */
};

/*
 * Checks an object by its type. Sets at[i] to the place on the tape of the value of field i, or to 0
 * when it is absent, null or wrong (of a by_hand field with a check nothing is wrong here, not even its
 * type); `at` has room for type->count. Nested types are checked as well. True when the value is an object.
 */
bool record_check_object(struct record_scan *s, struct val v, const struct record_type *type, uint32_t *at);

/* Checks a single value, as a row of a table would have it. False when it is wrong, after a finding that says so. */
bool record_check_value(struct record_scan *s, struct val v, const struct field *f);

/* The value at a place that record_check_object gave; VAL_NONE for 0. */
static inline struct val record_at(const struct record_scan *s, uint32_t at)
{
	return at ? (struct val){ s->root.tape, at } : VAL_NONE;
}

/* A finding about a value of the record (or about the record, when v is VAL_NONE). */
__attribute__((format(printf, 4, 5))) void record_note(struct record_scan *s, unsigned rule, struct val v,
						       const char *format, ...);

/* As record_note, for a value that is a secret or holds one: no byte of it is shown. */
__attribute__((format(printf, 4, 5))) void record_note_secret(struct record_scan *s, unsigned rule, struct val v,
							      const char *format, ...);

/* The beginning of a value as it stands in the input, keys masked, for a message. In s->arena or a constant. */
struct str record_show(struct record_scan *s, struct val v);

/* Nothing but white space: ASCII's and Unicode's White_Space. */
bool record_is_blank(struct str s);

/*
 * Has a string searched for keys when the chunk is done; a hit is a finding of on_secret. Strings with one of
 * gathered_marks are given to is_bad then. The string is copied.
 */
void record_gather(struct record_scan *s, struct val v);

/*
 * Searches a string now; *service gets whose key it may be, a constant. False, with *service untouched, when it is
 * none, and also when there is nothing to search with.
 */
bool record_is_secret(struct record_scan *s, struct val v, const char **service);

/*
 * A memory for strings that repeat: whether this one was marked clean before. `salt` keeps apart what was checked in
 * different ways. *ticket, always set, is for record_mark_clean. The memory may forget, and two strings share a
 * ticket once in 2^64.
 */
bool record_is_clean(struct record_scan *s, struct str raw, uint64_t salt, uint64_t *ticket);
void record_mark_clean(struct record_scan *s, uint64_t ticket);

/* The severity of a rule in a mode: its own, unless the rule has another for that mode. */
enum severity rule_severity(const struct rule *r, enum check_mode mode);

/* ---- batches and folds ---- */

/* Where a fact came from, so that a fold can point at it while the batch lives. */
struct record_place {
	struct str text;
	uint64_t line, offset;
};

/* A line of a record that somebody counted to. */
struct record_line {
	uint64_t record; /* number of the record's first line; 0 for none */
	size_t at;       /* where in the record it begins */
	uint64_t line;
};

struct record_batch {
	struct buf facts;  /* fact_size each */
	struct buf places; /* struct record_place, one for each fact */
	struct findings findings;
	uint64_t records;  /* values that were read, right or wrong */
	bool blind;        /* keys could not be looked for */
	bool document;     /* it is one value, not lines */
	struct record_line known;
	struct arena arena; /* what facts and findings point to */
};

struct record_fold {
	const struct record_format *format;
	const struct rule *rules;
	enum check_mode mode;
	struct findings *findings;
	struct arena *arena; /* of the file */
	uint64_t records;
	void *state; /* state_size bytes */
	struct check_tally *tally;
	const struct record_batch *batch; /* the latest; its places serve findings that come a little late */
};

static inline size_t record_batch_count(const struct record_batch *b)
{
	return b->places.n / sizeof(struct record_place);
}

static inline const struct record_place *record_batch_place(const struct record_batch *b, size_t i)
{
	return (const struct record_place *)(const void *)b->places.p + i;
}

/*
 * A finding about bytes `at` to `at + length` of a line. A place without text is a line that is gone: `at`
 * is then the column, 0 for none. `place` NULL is the whole file.
 */
__attribute__((format(printf, 7, 8))) void record_fold_note(struct record_fold *f, unsigned rule,
							    const struct record_place *place, size_t at, size_t length,
							    struct str pointer, const char *format, ...);

/*
 * The place of a record's first line if it is in the latest batch and left a fact, or NULL. It lasts as long as the
 * batch.
 */
const struct record_place *record_fold_place(const struct record_fold *f, uint64_t line);

/* The functions of a struct dialect whose `record` is set. */
extern const struct check_ops record_ops;

#endif
