/*
 * Two readers that fill the same table. CSV is read byte by byte and ends at the first thing that is wrong with its
 * quotes, since all fields behind it would be guesses; of JSONL a bad line is left out and told.
 */
#include "bench/suite/csv.h"

#include "base/buf.h"
#include "base/utf8.h"

#define COLUMNS_MAX 4096

static void suite_csv_start(struct rows *r, struct arena *a)
{
	*r = (struct rows){ .arena = a };
	map_init(&r->names, a);
}

/* `at` is where the row begins in the text. False and told when there are too many. */
static bool suite_csv_add_row(struct rows *r, struct str *cells, size_t width, struct problems *p, size_t at)
{
	size_t cap = r->cap;

	if (r->count == ROWS_MAX) {
		problem_in(p, SUITE_LIMIT, at, 1, "the table has more than %u rows", ROWS_MAX);
		return false;
	}
	arena_grow(r->arena, r->cells, r->count, cap, 64);
	arena_grow(r->arena, r->widths, r->count, r->cap, 64);
	r->cells[r->count] = cells;
	r->widths[r->count++] = width;
	return true;
}

bool rows_has(const struct rows *r, struct str name)
{
	return map_find(&r->names, name);
}

bool rows_find(const struct rows *r, size_t row, struct str name, struct str *out)
{
	const uint64_t *column = map_find(&r->names, name);

	if (!column || row >= r->count || *column >= r->widths[row] || !r->cells[row][*column].p)
		return false;
	*out = r->cells[row][*column];
	return true;
}

/* ---- CSV ---- */

struct csv {
	struct str text;
	size_t at;
	struct problems *problems;
	struct arena *arena;
	struct str *fields; /* of the row at hand */
	size_t count, cap;
};

static void add_field(struct csv *c, struct str field)
{
	arena_grow(c->arena, c->fields, c->count, c->cap, 16);
	c->fields[c->count++] = field;
}

/* At LF, at CR LF, or at the end of the text; a CR alone is a byte like others. */
static bool at_line_end(const struct csv *c)
{
	struct str t = c->text;

	return c->at >= t.n || t.p[c->at] == '\n' ||
	       (t.p[c->at] == '\r' && (c->at + 1 == t.n || t.p[c->at + 1] == '\n'));
}

/* A field in quotes, in which a doubled quote is one; false and told when it does not end well. */
static bool suite_csv_read_quoted(struct csv *c)
{
	size_t open = c->at++;
	struct buf text;
	bool closed = false;

	buf_init(&text);
	while (c->at < c->text.n && !closed) {
		char byte = c->text.p[c->at++];
		bool doubled = byte == '"' && c->at < c->text.n && c->text.p[c->at] == '"';

		closed = byte == '"' && !doubled;
		if (!closed)
			buf_add_byte(&text, byte);
		c->at += doubled;
	}
	add_field(c, arena_take(c->arena, &text));
	if (!closed)
		problem_in(c->problems, SUITE_TABLE, open, 1, "a quote is opened here and never closed");
	else if (!at_line_end(c) && c->text.p[c->at] != ',')
		problem_in(c->problems, SUITE_TABLE, c->at, 1,
			   "a comma or the end of the line should follow a closing quote");
	else
		return true;
	return false;
}

/* A field of CSV without quotes goes on to the comma. A quote inside it is most often a forgotten one. */
static bool read_field(struct csv *c)
{
	size_t from = c->at;

	if (c->at < c->text.n && c->text.p[c->at] == '"')
		return suite_csv_read_quoted(c);
	while (!at_line_end(c) && c->text.p[c->at] != ',') {
		if (c->text.p[c->at] == '"') {
			problem_in(c->problems, SUITE_TABLE, c->at, 1,
				   "a quote stands inside a field that has none around it");
			return false;
		}
		c->at++;
	}
	add_field(c, arena_copy(c->arena, str_of(c->text.p + from, c->at - from)));
	return true;
}

/* One row; its end is passed. */
static bool read_row(struct csv *c)
{
	c->fields = NULL;
	c->count = c->cap = 0;
	for (;;) {
		if (!read_field(c))
			return false;
		if (at_line_end(c))
			break;
		c->at++; /* the comma */
	}
	c->at += c->at < c->text.n && c->text.p[c->at] == '\r';
	c->at += c->at < c->text.n && c->text.p[c->at] == '\n';
	return true;
}

/* A name that is empty or stands twice is told; of two the later column counts. */
static void name_columns(struct rows *r, const struct csv *c)
{
	bool added;

	for (size_t i = 0; i < c->count; i++) {
		*map_add(&r->names, c->fields[i], &added) = i;
		if (c->fields[i].n == 0)
			problem_in(c->problems, SUITE_TABLE, 0, 1, "column %zu has no name", i + 1);
		else if (!added)
			problem_in(c->problems, SUITE_TABLE, 0, 1, "the name %.*s occurs twice", STR_ARG(c->fields[i]));
	}
	r->columns = c->count;
}

static bool is_text(struct problems *p)
{
	size_t bad = utf8_check(p->text);

	if (bad == p->text.n)
		return true;
	problem_in(p, SUITE_TABLE, bad, 1, "the bytes are not UTF-8");
	return false;
}

void rows_read_csv(struct rows *r, struct arena *a, struct problems *p)
{
	struct csv c = { .text = p->text, .problems = p, .arena = a };
	size_t from;

	suite_csv_start(r, a);
	if (!is_text(p))
		return;
	if (str_starts(c.text, STR("\xEF\xBB\xBF")))
		c.at = 3; /* spreadsheets write one */
	if (c.at == c.text.n) {
		problem_in(p, SUITE_TABLE, SIZE_MAX, 0, "the table is empty; its first row should be names");
		return;
	}
	if (!read_row(&c))
		return;
	name_columns(r, &c);
	while ((from = c.at) < c.text.n) {
		if (!read_row(&c))
			return;
		if (c.count != r->columns)
			problem_in(p, SUITE_TABLE, from, 1, "the row has %zu fields, the first row %zu names",
				   c.count, r->columns);
		else if (!suite_csv_add_row(r, c.fields, c.count, p, from))
			return;
	}
	if (r->count == 0)
		problem_in(p, SUITE_TABLE, SIZE_MAX, 0, "the table has no row below its names");
}

/* ---- JSONL ---- */

/* A row of JSONL. Names that are new become columns; rows before it are narrower and have no value there. */
static void read_object(struct rows *r, struct val object, struct problems *p, size_t at)
{
	struct val_iter it = val_begin(object);
	struct str *cells;
	struct val key, v;
	bool added;

	while (val_next_member(&it, &key, &v)) {
		uint64_t *column = map_add(&r->names, val_text(key, r->arena), &added);

		if (added)
			*column = r->columns++;
	}
	if (r->columns > COLUMNS_MAX) { /* each row has room for every name so far */
		problem_in(p, SUITE_LIMIT, at, 1, "the table has more than %d names", COLUMNS_MAX);
		return;
	}
	cells = arena_array(r->arena, struct str, r->columns + 1);
	for (it = val_begin(object); val_next_member(&it, &key, &v);)
		cells[*map_find(&r->names, val_text(key, r->arena))] =
			arena_copy(r->arena, val_is(v, JSON_STRING) ? val_text(v, r->arena) : val_source(v));
	suite_csv_add_row(r, cells, r->columns, p, at);
}

void rows_read_jsonl(struct rows *r, struct arena *a, struct problems *p)
{
	struct json_parser *parser = json_parser_open((struct json_options){ .max_depth = 0 });
	struct str rest = p->text, line;
	struct json_issue issue;
	struct val v;

	suite_csv_start(r, a);
	while (rest.n) {
		size_t at = (size_t)(rest.p - p->text.p);

		line = str_cut(rest, '\n', &rest);
		if (str_trim(line).n == 0)
			continue;
		if (!json_parse_copy(parser, line, &v, &issue))
			problem_in(p, SUITE_TABLE, at + issue.offset, issue.length, "the line is not JSON: %s",
				   issue.message);
		else if (!val_is(v, JSON_OBJECT))
			problem_in(p, SUITE_TABLE, at, line.n, "a row should be an object, not %s",
				   problem_type_name(v));
		else
			read_object(r, v, p, at);
	}
	if (r->count == 0 && p->count == 0)
		problem_in(p, SUITE_TABLE, SIZE_MAX, 0, "the table has no row");
	json_parser_close(parser);
}
