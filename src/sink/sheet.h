/*
 * A table whose columns have types, so that one list of cells serves every form: JSON and CSV get all columns with
 * exact figures, people get rounded ones with their units. What is not known is null in JSON, an empty cell in CSV, and
 * a dash for people; never 0.
 *
 * A column belongs to all tables of a sheet (0), or to one of them (1, 2, ...): people see a wide sheet as several
 * narrow tables, one below the other, whose rows begin alike.
 */
#ifndef SINK_SHEET_H
#define SINK_SHEET_H

#include "base/arena.h"
#include "base/buf.h"
#include "transform/stats.h"

struct json_writer;

enum sheet_kind {
	SHEET_TEXT,
	SHEET_TEXTS,   /* a list */
	SHEET_COUNT,
	SHEET_NUMBER,
	SHEET_SHARE,   /* of 1; percent for people */
	SHEET_RANGE,   /* an interval; two columns in CSV */
	SHEET_SHARES,  /* an interval of shares */
	SHEET_USD,
	SHEET_SECONDS,
	SHEET_YES,
	SHEET_SEED,    /* 64 bits, as a text of 16 hexadecimal digits: no JSON reader cuts it */
};

struct sheet_column {
	const char *name; /* of the member: "mean_reward" */
	const char *head; /* for people; NULL: only in JSON and CSV */
	enum sheet_kind kind;
	unsigned table;
};

union sheet_value {
	struct str text; /* p NULL: not known */
	struct {
		const struct str *items; /* NULL: not known */
		size_t count;
	} list;
	double n;        /* NaN: not known; of SHEET_YES 0 or 1 */
	struct interval range;
	struct {
		uint64_t bits;
		bool known;
	} seed;
};

struct sheet {
	struct arena *arena;
	const char *name;  /* of the array in JSON: "rows" */
	const char *title; /* for people; NULL: none */
	const char *empty; /* what people read when there are no rows; NULL: the sheet is left out then */
	const struct sheet_column *columns;
	size_t width;
	union sheet_value *values; /* row by row */
	size_t count, cap;         /* values */
	bool is_single;            /* one row, which is an object in JSON, not an array */
	bool is_brief;             /* on a screen, what is the same in all rows is said once, below tables 2, 3, ... */
};

/* Columns and names must outlive the sheet, whose cells live in the arena. */
struct sheet sheet_begin(struct arena *a, const char *name, const struct sheet_column *columns, size_t width);

/* Adds a cell; rows fill from left to right. What it points to must live as long as the arena. */
void sheet_add_text(struct sheet *s, struct str text);
void sheet_add_texts(struct sheet *s, const struct str *items, size_t count);
void sheet_add_number(struct sheet *s, double n); /* also of counts, shares, dollars, seconds */
void sheet_add_range(struct sheet *s, struct interval i);
void sheet_add_yes(struct sheet *s, int yes); /* negative: not known */
void sheet_add_seed(struct sheet *s, uint64_t bits, bool known);

size_t sheet_rows(const struct sheet *s);
unsigned sheet_tables(const struct sheet *s); /* at least 1 */

/* The member: an array of objects, or one object. */
void sheet_put_json(struct json_writer *w, const struct sheet *s);

/* All rows below their heads, by RFC 4180; nothing of a text acts as a formula. Of a list the items, parted by "; ". */
void sheet_add_csv(struct buf *out, const struct sheet *s);

enum sheet_form { SHEET_PLAIN, SHEET_MD, SHEET_HTML };

/*
 * One cell for people, made safe for the form; a text is cut after 200 bytes (of HTML characters), so that one
 * name cannot push all columns away. Always something: a dash where nothing is known.
 */
void sheet_add_cell(struct buf *out, const struct sheet *s, size_t row, size_t column, enum sheet_form form);

/* Whether people see the column in this table. */
bool sheet_is_in(const struct sheet_column *c, unsigned table);
bool sheet_is_right(const struct sheet_column *c); /* figures stand at the right */

/* The tables of a sheet with its title, as Markdown or as HTML, each in a region that scrolls by itself. */
void sheet_add_md(struct buf *out, const struct sheet *s);
void sheet_add_html(struct buf *out, const struct sheet *s);

#endif
