/*
 * Decodes character by character; nothing is copied but by repr. Which characters repr hides is asked of PCRE2's
 * tables, so it follows the Unicode of PCRE2, not of one Python.
 */
#include "bench/suite/python_text.h"

#include "base/utf8.h"
#include "bench/validate/regex.h"

bool python_is_space(uint32_t c)
{
	if (c < 0x80)
		return (c >= 9 && c <= 13) || (c >= 0x1C && c <= 0x20);
	return c == 0x85 || c == 0xA0 || c == 0x1680 || (c >= 0x2000 && c <= 0x200A) || c == 0x2028 || c == 0x2029 ||
	       c == 0x202F || c == 0x205F || c == 0x3000;
}

size_t python_space_at(struct str s, size_t at)
{
	uint32_t code;
	size_t n;

	if (at >= s.n)
		return 0;
	if ((unsigned char)s.p[at] < 0x80)
		return python_is_space((unsigned char)s.p[at]);
	n = utf8_decode(s.p + at, s.n - at, &code);
	return n && python_is_space(code) ? n : 0;
}

struct str python_lstrip(struct str s)
{
	size_t at = 0, n;

	while ((n = python_space_at(s, at)))
		at += n;
	return at ? str_skip(s, at) : s;
}

struct str python_rstrip(struct str s)
{
	while (s.n) {
		size_t from = s.n - 1;

		while (from > 0 && s.n - from < 4 && utf8_is_tail(s.p[from]))
			from--;
		if (python_space_at(s, from) != s.n - from)
			break;
		s.n = from;
	}
	return s;
}

struct str python_strip(struct str s)
{
	return python_rstrip(python_lstrip(s));
}

size_t python_count_words(struct str s)
{
	size_t words = 0, at = 0, n;
	bool inside = false;

	while (at < s.n) {
		n = python_space_at(s, at);
		words += !n && !inside;
		inside = !n;
		at += n ? n : 1;
	}
	return words;
}

/* The length of the line end at `at`, or 0. */
static size_t line_end_at(struct str s, size_t at)
{
	unsigned char c = (unsigned char)s.p[at];
	uint32_t code;
	size_t n;

	if (c < 0x80) {
		if (c == '\r' && at + 1 < s.n && s.p[at + 1] == '\n')
			return 2;
		return (c >= 10 && c <= 13) || (c >= 0x1C && c <= 0x1E);
	}
	n = utf8_decode(s.p + at, s.n - at, &code);
	return n && (code == 0x85 || code == 0x2028 || code == 0x2029) ? n : 0;
}

bool python_next_line(struct str *rest, struct str *line)
{
	size_t at = 0, end = 0;

	if (rest->n == 0)
		return false;
	while (at < rest->n && !(end = line_end_at(*rest, at)))
		at++;
	*line = str_of(rest->p, at);
	*rest = str_skip(*rest, at + end);
	return true;
}

/* ---- repr ---- */

static void add_escape(struct buf *out, uint32_t code)
{
	if (code == '\n' || code == '\r' || code == '\t')
		buf_printf(out, "\\%c", code == '\n' ? 'n' : code == '\r' ? 'r' : 't');
	else if (code < 0x100)
		buf_printf(out, "\\x%02x", (unsigned)code);
	else
		buf_printf(out, code < 0x10000 ? "\\u%04x" : "\\U%08x", (unsigned)code);
}

/* As Python: single quotes, unless the text has some and no double ones. */
static void add_repr(struct buf *out, struct str text, const struct regex *hidden)
{
	char quote = memchr(text.p, '\'', text.n) && !memchr(text.p, '"', text.n) ? '"' : '\'';
	uint32_t code;
	size_t n;

	buf_add_byte(out, quote);
	for (size_t at = 0; at < text.n; at += n) {
		n = utf8_decode(text.p + at, text.n - at, &code);
		if (n == 0) {
			n = 1;
			buf_printf(out, "\\udc%02x",
				   (unsigned char)text.p[at]); /* as surrogateescape shows a stray byte */
		} else if (code == '\\' || code == (unsigned char)quote) {
			buf_printf(out, "\\%c", (char)code);
		} else if (code < 0x20 || code == 0x7F ||
			   (code >= 0x80 && regex_match(hidden, str_of(text.p + at, n), true, NULL) == REGEX_YES)) {
			add_escape(out, code);
		} else {
			buf_add(out, text.p + at, n);
		}
	}
	buf_add_byte(out, quote);
}

void python_repr(struct buf *out, struct str text)
{
	struct regex *hidden;
	struct arena a;

	if (text.n == 0) {
		buf_add_str(out, STR("''"));
		return;
	}
	arena_init(&a);
	/* What str.isprintable refuses: the categories "other" and "separator". */
	hidden = regex_new(&a, STR("[\\p{C}\\p{Z}]"), REGEX_PYTHON, NULL);
	add_repr(out, text, hidden);
	arena_free(&a);
}

/* A key is a string like others here. */
static void python_text_add_scalar(struct buf *out, struct val v, struct arena *a)
{
	switch (val_type(v)) {
	case JSON_NULL:
		buf_add_str(out, STR("None"));
		break;
	case JSON_FALSE:
		buf_add_str(out, STR("False"));
		break;
	case JSON_TRUE:
		buf_add_str(out, STR("True"));
		break;
	case JSON_NUMBER:
		buf_add_str(out, val_raw(v)); /* a float's repr may be spelled otherwise: 1e2 is 100.0 there */
		break;
	default:
		python_repr(out, val_text(v, a));
	}
}

/*
 * The tokens of a value lie one after the other, so that containers need only be opened and closed: `open` has, for
 * each open one, its token.
 */
void python_repr_value(struct buf *out, struct val v)
{
	uint32_t end = val_end(v), *open;
	size_t depth = 0;
	bool first = true;
	struct arena a;

	arena_init(&a);
	open = arena_array(&a, uint32_t, (size_t)(end - v.at) + 1);
	for (uint32_t at = v.at; at < end; at++) {
		struct val one = { v.tape, at };
		int type = val_type(one);
		bool named = at > v.at && val_is((struct val){ v.tape, at - 1 }, JSON_KEY);

		if (!first && !named)
			buf_add_str(out, STR(", "));
		first = false;
		if (type == JSON_ARRAY || type == JSON_OBJECT) {
			buf_add_byte(out, type == JSON_ARRAY ? '[' : '{');
			open[depth++] = at;
			first = true;
		} else {
			python_text_add_scalar(out, one, &a);
		}
		if (type == JSON_KEY)
			buf_add_str(out, STR(": "));
		while (depth > 0 && val_end((struct val){ v.tape, open[depth - 1] }) == at + 1) {
			depth--;
			buf_add_byte(out, val_is((struct val){ v.tape, open[depth] }, JSON_ARRAY) ? ']' : '}');
			first = false;
		}
	}
	arena_free(&a);
}
