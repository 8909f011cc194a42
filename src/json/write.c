/* The writer keeps no tree: a bit for each open container, and whether a comma is due, are all it needs to know. */
#include "json/write.h"

#include <assert.h>
#include <math.h>

#include "base/num.h"
#include "base/utf8.h"

/* ---- strings ---- */

/* The short form where there is one, else \u with four digits; code is at most 0xffff. */
static void add_escape(struct buf *out, uint32_t code)
{
	static const char letters[] = "btn fr", hex[] = "0123456789abcdef";
	char e[6] = { '\\', 'u', hex[code >> 12], hex[code >> 8 & 15], hex[code >> 4 & 15], hex[code & 15] };

	if (code >= '\b' && code <= '\r' && code != '\v') {
		e[1] = letters[code - '\b'];
		buf_add(out, e, 2);
	} else if (code == '"' || code == '\\') {
		e[1] = (char)code;
		buf_add(out, e, 2);
	} else {
		buf_add(out, e, sizeof(e));
	}
}

static bool is_escaped(uint32_t code)
{
	return code < 0x20 || code == '"' || code == '\\' || code - 0x7f < 0x21 || code - 0x2028 < 2;
}

/* Whether eight bytes stand for themselves, in one word. False also where one of them is above 0x7f. */
static bool is_plain_word(const char *p)
{
	const uint64_t ones = UINT64_MAX / 255, high = ones << 7;
	uint64_t w, quote, slash, del;

	memcpy(&w, p, 8);
	quote = w ^ ones * '"';
	slash = w ^ ones * '\\';
	del = w ^ ones * 0x7f;
	/* a byte below 0x20, or one that became 0, borrows */
	return !(((w - ones * 0x20) | (quote - ones) | (slash - ones) | (del - ones) | w) & high);
}

/* How many bytes from the front stand for themselves, as nearly all do: words first, the last of them perhaps twice. */
static size_t plain_length(const char *p, size_t n)
{
	size_t i = 0;

	while (i + 8 <= n && is_plain_word(p + i))
		i += 8;
	if (n >= 8 && i + 8 > n && is_plain_word(p + n - 8))
		return n;
	while (i < n && p[i] >= 0x20 && p[i] < 0x7f && p[i] != '"' && p[i] != '\\')
		i++;
	return i;
}

/* A text of which `plain` bytes from the front stand for themselves. */
static void write_with_escapes(struct buf *out, struct str text, size_t plain)
{
	size_t from = 0;

	for (size_t i = plain; i < text.n; i += plain_length(text.p + i, text.n - i)) {
		uint32_t code;
		size_t n = utf8_decode(text.p + i, text.n - i, &code);

		i += n;
		if (n > 0 && !is_escaped(code))
			continue;
		buf_add(out, text.p + from, i - n - from);
		if (n > 0)
			add_escape(out, code);
		else
			buf_add_str(out, STR("\xef\xbf\xbd"));
		i += n == 0;
		from = i;
	}
	buf_add(out, text.p + from, text.n - from);
}

void json_write_quoted(struct buf *out, struct str text)
{
	size_t plain = plain_length(text.p, text.n);
	char *to = buf_reserve(out, text.n + 2);

	*to = '"';
	out->n++;
	if (plain < text.n) {
		write_with_escapes(out, text, plain);
		buf_add_byte(out, '"');
		return;
	}
	if (text.n)
		memcpy(to + 1, text.p, text.n);
	to[text.n + 1] = '"';
	out->n += text.n + 1;
}

/* ---- structure ---- */

static bool is_in_object(const struct json_writer *w)
{
	return w->depth > 0 && w->objects[(w->depth - 1) / 64] >> (w->depth - 1) % 64 & 1;
}

static void break_line(struct json_writer *w)
{
	if (w->layout == JSON_COMPACT)
		return;
	buf_add_byte(w->out, '\n');
	memset(buf_reserve(w->out, 2 * (size_t)w->depth), ' ', 2 * (size_t)w->depth);
	w->out->n += 2 * (size_t)w->depth;
}

/* What stands before a name or an element. */
static void separate(struct json_writer *w)
{
	assert(w->depth > 0 || !w->started);
	if (w->started)
		buf_add_byte(w->out, ',');
	if (w->depth > 0)
		break_line(w);
	w->started = true;
}

/* In an object a value follows its name; anywhere else it brings its own comma and line. */
static void begin_value(struct json_writer *w)
{
	assert(w->named == is_in_object(w));
	if (!w->named)
		separate(w);
	w->named = false;
}

/* The bit of this depth may hold what an earlier container left, so it is set or cleared. */
static void begin_container(struct json_writer *w, bool object)
{
	uint64_t bit = (uint64_t)1 << w->depth % 64, *word = &w->objects[w->depth / 64];

	assert(w->depth < JSON_WRITE_DEPTH);
	begin_value(w);
	buf_add_byte(w->out, object ? '{' : '[');
	*word = object ? *word | bit : *word & ~bit;
	w->depth++;
	w->started = false;
}

static void end_container(struct json_writer *w)
{
	bool object = is_in_object(w);

	assert(w->depth > 0 && !w->named);
	w->depth--;
	if (w->started)
		break_line(w);
	buf_add_byte(w->out, object ? '}' : ']');
	w->started = true;
}

void json_write_init(struct json_writer *w, struct buf *out, enum json_layout layout)
{
	*w = (struct json_writer){ .out = out, .layout = layout };
}

bool json_write_is_done(const struct json_writer *w)
{
	return w->depth == 0 && w->started;
}

void json_write_begin_object(struct json_writer *w)
{
	begin_container(w, true);
}

void json_write_end_object(struct json_writer *w)
{
	assert(is_in_object(w));
	end_container(w);
}

void json_write_begin_array(struct json_writer *w)
{
	begin_container(w, false);
}

void json_write_end_array(struct json_writer *w)
{
	assert(!is_in_object(w));
	end_container(w);
}

void json_write_key(struct json_writer *w, struct str name)
{
	assert(is_in_object(w) && !w->named);
	separate(w);
	json_write_quoted(w->out, name);
	buf_add_str(w->out, w->layout == JSON_PRETTY ? STR(": ") : STR(":"));
	w->named = true;
}

void json_write_own_key(struct json_writer *w, struct str name)
{
	bool pretty = w->layout == JSON_PRETTY;
	char *to;

	assert(is_in_object(w) && !w->named && plain_length(name.p, name.n) == name.n);
	separate(w);
	to = buf_reserve(w->out, name.n + 4);
	to[0] = '"';
	memcpy(to + 1, name.p, name.n);
	memcpy(to + 1 + name.n, "\": ", 3);
	w->out->n += name.n + 3 + pretty;
	w->named = true;
}

/* ---- scalars ---- */

void json_write_raw(struct json_writer *w, struct str json)
{
	assert(json.n > 0);
	begin_value(w);
	buf_add_str(w->out, json);
}

void json_write_string(struct json_writer *w, struct str text)
{
	begin_value(w);
	json_write_quoted(w->out, text);
}

void json_write_u64(struct json_writer *w, uint64_t v)
{
	char digits[NUM_U64_MAX];

	json_write_raw(w, str_of(digits, num_format_u64(digits, v)));
}

void json_write_i64(struct json_writer *w, int64_t v)
{
	char digits[1 + NUM_U64_MAX] = "-";
	size_t sign = v < 0;

	sign += num_format_u64(digits + sign, v < 0 ? 0 - (uint64_t)v : (uint64_t)v);
	json_write_raw(w, str_of(digits, sign));
}

void json_write_double(struct json_writer *w, double v)
{
	char digits[NUM_DOUBLE_MAX];

	if (isfinite(v))
		json_write_raw(w, str_of(digits, num_format_double(digits, v)));
	else
		json_write_null(w);
}

void json_write_bool(struct json_writer *w, bool v)
{
	json_write_raw(w, v ? STR("true") : STR("false"));
}

void json_write_null(struct json_writer *w)
{
	json_write_raw(w, STR("null"));
}
