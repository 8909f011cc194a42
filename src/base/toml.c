/*
 * A cursor that walks keys and values and keeps the path it is at: the parts of the table's header, then those of the
 * keys of inline tables that are open, then those of the key at hand.
 */
#include "base/toml.h"

#include <math.h>

#include "base/ascii.h"
#include "base/buf.h"
#include "base/num.h"

struct toml {
	struct arena *arena;
	struct str rest;
	struct str path[TOML_PARTS];
	size_t depth;                /* parts of the path; those beyond TOML_PARTS are counted, not kept */
	size_t opened[TOML_PARTS];   /* the depth before the key of each inline table that is open */
	size_t open;
	bool below; /* what is looked for lies below the path, not at it */
};

static char toml_peek(const struct toml *t)
{
	return t->rest.n ? t->rest.p[0] : '\n';
}

static bool toml_take(struct toml *t, char c)
{
	if (t->rest.n == 0 || t->rest.p[0] != c)
		return false;
	t->rest = str_skip(t->rest, 1);
	return true;
}

static void toml_skip_line(struct toml *t)
{
	str_cut(t->rest, '\n', &t->rest);
}

/* Blanks of the line; with `lines` also line ends and comments. */
static void toml_skip_blanks(struct toml *t, bool lines)
{
	for (;;) {
		while (t->rest.n && memchr(lines ? " \t\r\n" : " \t\r", t->rest.p[0], lines ? 4 : 3))
			t->rest = str_skip(t->rest, 1);
		if (!lines || toml_peek(t) != '#')
			return;
		toml_skip_line(t);
	}
}

/*
 * A string that begins and ends on this line; its first quote is taken. *out is absent when it has an escape other
 * than \" and \\, which no name or address needs.
 */
static bool toml_take_string(struct toml *t, char quote, struct str *out)
{
	bool is_odd = false;
	struct buf b;

	buf_init(&b);
	while (t->rest.n && t->rest.p[0] != quote && t->rest.p[0] != '\n') {
		if (quote == '"' && toml_take(t, '\\')) {
			is_odd = is_odd || (toml_peek(t) != '"' && toml_peek(t) != '\\');
			if (toml_peek(t) == '\n')
				break;
		}
		buf_add_byte(&b, t->rest.p[0]);
		t->rest = str_skip(t->rest, 1);
	}
	*out = arena_take(t->arena, &b);
	if (is_odd)
		*out = str_of(NULL, 0);
	return toml_take(t, quote);
}

/* A string of several lines; its three quotes are taken. Nothing is made of it. */
static bool toml_skip_long(struct toml *t, char quote)
{
	const char three[3] = { quote, quote, quote };

	while (t->rest.n) {
		if (str_starts(t->rest, str_of(three, 3))) {
			t->rest = str_skip(t->rest, 3);
			while (toml_take(t, quote))
				continue; /* up to two quotes may stand before the end */
			return true;
		}
		t->rest = str_skip(t->rest, toml_peek(t) == '\\' && quote == '"' && t->rest.n > 1 ? 2 : 1);
	}
	return false;
}

/* Any string; *out is absent when it is one of several lines. */
static bool toml_take_quoted(struct toml *t, struct str *out)
{
	char quote = toml_peek(t);

	toml_take(t, quote);
	*out = str_of(NULL, 0);
	if (t->rest.n > 1 && t->rest.p[0] == quote && t->rest.p[1] == quote) {
		t->rest = str_skip(t->rest, 2);
		return toml_skip_long(t, quote);
	}
	return toml_take_string(t, quote, out);
}

static bool toml_is_bare(char c)
{
	return ascii_is_word(c) || c == '-';
}

static bool toml_take_part(struct toml *t, struct str *out)
{
	size_t n = 0;

	if (toml_peek(t) == '"' || toml_peek(t) == '\'')
		return toml_take_quoted(t, out) && out->p;
	while (n < t->rest.n && toml_is_bare(t->rest.p[n]))
		n++;
	*out = str_of(t->rest.p, n);
	t->rest = str_skip(t->rest, n);
	return n > 0;
}

/* A dotted key, added to the path. */
static bool toml_take_key(struct toml *t)
{
	do {
		struct str part;

		toml_skip_blanks(t, false);
		if (!toml_take_part(t, &part))
			return false;
		if (t->depth < TOML_PARTS)
			t->path[t->depth] = part;
		t->depth++;
		toml_skip_blanks(t, false);
	} while (toml_take(t, '.'));
	return true;
}

/* An array with all in it, however deep, by counting brackets; its first one is taken. */
static bool toml_skip_array(struct toml *t)
{
	size_t depth = 1;

	while (depth) {
		struct str ignored;
		char c;

		toml_skip_blanks(t, true);
		if (t->rest.n == 0)
			return false;
		c = toml_peek(t);
		if (c == '"' || c == '\'') {
			if (!toml_take_quoted(t, &ignored))
				return false;
			continue;
		}
		t->rest = str_skip(t->rest, 1);
		depth += c == '[' || c == '{';
		depth -= c == ']' || c == '}';
	}
	return true;
}

/* [table], and [[table]], whose members have no path here. */
static bool toml_take_header(struct toml *t)
{
	bool is_list = toml_take(t, '[');

	t->depth = 0;
	if (!toml_take_key(t) || !toml_take(t, ']'))
		return false;
	if (is_list)
		t->depth = TOML_PARTS + 1;
	toml_skip_line(t);
	return true;
}

/* Behind a value: what closes inline tables, and the comma or line end before the next key. */
static bool toml_end_value(struct toml *t)
{
	while (t->open) {
		toml_skip_blanks(t, true);
		if (toml_take(t, ',')) {
			toml_skip_blanks(t, true);
			if (toml_peek(t) != '}')
				return true;
		}
		if (!toml_take(t, '}'))
			return false;
		t->depth = t->opened[--t->open];
	}
	toml_skip_line(t);
	return true;
}

/* Underscores between digits are TOML's own; hexadecimal, octal and binary numbers are whole ones. */
static bool toml_read_number(struct str text, double *out)
{
	char plain[64];
	size_t n = 0, from = 0;
	int base = 10;

	if (text.n >= sizeof(plain))
		return false;
	if (text.n > 2 && text.p[0] == '0')
		base = text.p[1] == 'x' ? 16 : text.p[1] == 'o' ? 8 : text.p[1] == 'b' ? 2 : 10;
	from = base != 10 ? 2 : text.n && text.p[0] == '+';
	for (size_t i = from; i < text.n; i++)
		if (text.p[i] != '_')
			plain[n++] = text.p[i];
	if (base == 10)
		return num_parse_double(str_of(plain, n), out) == NUM_OK && isfinite(*out);
	*out = 0;
	for (size_t i = 0; i < n; i++) {
		int digit = ascii_is_digit(plain[i]) ? plain[i] - '0' : ascii_lower(plain[i]) - 'a' + 10;

		if (digit < 0 || digit >= base)
			return false;
		*out = *out * base + digit;
	}
	return n > 0;
}

/* What stands there without quotes or brackets. */
static void toml_read_plain(struct str text, struct toml_value *v)
{
	v->text = text;
	v->truth = str_eq(text, STR("true"));
	if (v->truth || str_eq(text, STR("false")))
		v->kind = TOML_BOOL;
	else
		v->kind = toml_read_number(text, &v->number) ? TOML_NUMBER : TOML_OTHER;
}

/* The value of a key or an element. TOML_NONE with *opened: an inline table was opened. */
static bool toml_take_value(struct toml *t, struct toml_value *v, bool *opened)
{
	struct str from = t->rest;
	char c = toml_peek(t);

	*v = (struct toml_value){ .kind = TOML_OTHER };
	*opened = false;
	if (c == '"' || c == '\'') {
		if (!toml_take_quoted(t, &v->text))
			return false;
		v->kind = v->text.p ? TOML_TEXT : TOML_OTHER;
		return true;
	}
	if (toml_take(t, '[')) {
		if (!toml_skip_array(t))
			return false;
		v->kind = TOML_ARRAY;
		v->text = str_of(from.p, from.n - t->rest.n);
		return true;
	}
	if (toml_take(t, '{')) {
		v->kind = TOML_NONE;
		toml_skip_blanks(t, true);
		*opened = toml_peek(t) != '}';
		return *opened || toml_take(t, '}');
	}
	while (t->rest.n && !memchr(",]}#\n", t->rest.p[0], 5))
		t->rest = str_skip(t->rest, 1);
	toml_read_plain(str_trim(str_of(from.p, from.n - t->rest.n)), v);
	return true;
}

static bool toml_is_at(const struct toml *t, const struct str *path, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (i >= t->depth || !str_eq(t->path[i], path[i]))
			return false;
	return t->below ? t->depth > count : t->depth == count;
}

/* One key with its value; *found gets the value when it is the one that is looked for. */
static bool toml_take_member(struct toml *t, const struct str *path, size_t count, struct toml_value *found)
{
	size_t before = t->depth;
	struct toml_value value;
	bool opened;

	if (!toml_take_key(t) || !toml_take(t, '='))
		return false;
	toml_skip_blanks(t, false);
	if (!toml_take_value(t, &value, &opened))
		return false;
	if (value.kind && toml_is_at(t, path, count))
		*found = value;
	if (opened) {
		if (t->open == TOML_PARTS)
			return false;
		t->opened[t->open++] = before;
		return true;
	}
	t->depth = before;
	return toml_end_value(t);
}

/* Through all of it. False where it cannot be read: t->rest begins with what cannot. */
static bool toml_walk(struct toml *t, const struct str *path, size_t count, struct toml_value *found)
{
	for (;;) {
		struct str from;
		bool good;

		toml_skip_blanks(t, true);
		if (t->rest.n == 0)
			return t->open == 0;
		from = t->rest;
		if (t->open == 0 && toml_take(t, '['))
			good = toml_take_header(t);
		else
			good = toml_take_member(t, path, count, found);
		if (good)
			continue;
		t->rest = from;
		return false;
	}
}

size_t toml_find_fault(struct arena *a, struct str text)
{
	struct toml t = { .arena = a, .rest = text };
	struct toml_value ignored;

	if (toml_walk(&t, NULL, 0, &ignored))
		return 0;
	return 1 + str_count(str_of(text.p, text.n - t.rest.n), '\n');
}

bool toml_find_value(struct arena *a, struct str text, const struct str *path, size_t count, struct toml_value *out)
{
	struct toml t = { .arena = a, .rest = text };
	struct toml_value found = { .kind = TOML_NONE };

	if (count > 0 && count <= TOML_PARTS)
		toml_walk(&t, path, count, &found);
	if (found.kind)
		*out = found;
	return found.kind != TOML_NONE;
}

bool toml_has_below(struct arena *a, struct str text, const struct str *path, size_t count)
{
	struct toml t = { .arena = a, .rest = text, .below = true };
	struct toml_value found = { .kind = TOML_NONE };

	if (count > 0 && count <= TOML_PARTS)
		toml_walk(&t, path, count, &found);
	return found.kind != TOML_NONE;
}

bool toml_find(struct arena *a, struct str text, const struct str *path, size_t count, struct str *out)
{
	struct toml_value v;

	if (!toml_find_value(a, text, path, count, &v) || v.kind != TOML_TEXT)
		return false;
	*out = v.text;
	return true;
}

bool toml_next(struct arena *a, struct str *cursor, struct toml_value *out)
{
	struct toml t = { .arena = a, .rest = *cursor };
	struct toml_value v;
	bool opened;

	if (!toml_take(&t, '['))
		toml_take(&t, ',');
	toml_skip_blanks(&t, true);
	if (t.rest.n == 0 || toml_peek(&t) == ']')
		return false;
	if (toml_peek(&t) == '{') {
		toml_take(&t, '{');
		if (!toml_skip_array(&t)) /* it counts braces as well */
			return false;
		v = (struct toml_value){ .kind = TOML_OTHER };
	} else if (!toml_take_value(&t, &v, &opened)) {
		return false;
	}
	toml_skip_blanks(&t, true);
	*cursor = t.rest;
	*out = v;
	return true;
}
