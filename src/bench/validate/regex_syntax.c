/*
 * Passes over a pattern once and copies it, except for the few escapes, groups and sets that PCRE2 reads otherwise.
 * Each byte written remembers where it comes from, so that a fault can be shown in the user's own pattern.
 */
#include "bench/validate/regex_syntax.h"

#include <stdio.h>

#include "base/ascii.h"
#include "base/buf.h"
#include "json/text.h"

/* The 29 blanks of Python's \s, as part of a set. ECMAScript's differ by U+001C to U+001F and U+FEFF. */
#define BLANKS_WIDE "\\x{1680}\\x{2000}-\\x{200a}\\x{2028}\\x{2029}\\x{202f}\\x{205f}\\x{3000}"
#define BLANKS_PYTHON "\\x09-\\x0d\\x1c-\\x20\\x{85}\\xa0" BLANKS_WIDE
#define BLANKS_ECMA "\\x09-\\x0d\\x20\\xa0\\x{feff}" BLANKS_WIDE

struct reader {
	struct str in;
	size_t at;
	enum regex_syntax syntax;
	struct buf text, origin; /* origin: uint32_t for each byte of text */
	bool in_set;
	const char *refused;
};

/* Adds bytes that all come from the place where the reader is. Does not move the reader. */
static void put(struct reader *r, struct str piece)
{
	uint32_t from = (uint32_t)r->at;

	buf_add_str(&r->text, piece);
	for (size_t i = 0; i < piece.n; i++)
		buf_add(&r->origin, &from, sizeof(from));
}

/* The next n bytes, as they are. */
static void pass(struct reader *r, size_t n)
{
	n = n < r->in.n - r->at ? n : r->in.n - r->at;
	for (size_t end = r->at + n; r->at < end; r->at++)
		put(r, str_of(r->in.p + r->at, 1));
}

/* NUL beyond the end, and for a NUL in the pattern: neither means anything to a caller. */
static char ahead(const struct reader *r, size_t by)
{
	return r->at + by < r->in.n ? r->in.p[r->at + by] : '\0';
}

static bool regex_syntax_refuse(struct reader *r, const char *why)
{
	r->refused = why;
	return false;
}

/* ---- escapes ---- */

/* `digits` hexadecimal digits that begin `by` bytes ahead; UINT32_MAX when they are not there. */
static uint32_t hex_ahead(const struct reader *r, size_t by, size_t digits)
{
	uint32_t value = 0, part;

	if (r->in.n - r->at < by + digits)
		return UINT32_MAX;
	for (size_t i = 0; i < digits; i += 4) {
		part = text_hex4((const uint8_t *)r->in.p + r->at + by + i);
		if (part > 0xFFFF)
			return UINT32_MAX;
		value = value << 16 | part;
	}
	return value;
}

/* `length` is that of the escape in the pattern, which is passed over. */
static void put_code(struct reader *r, uint32_t code, size_t length)
{
	char text[16];

	snprintf(text, sizeof(text), "\\x{%x}", (unsigned)code);
	put(r, str_from(text));
	r->at += length;
}

/*
 * Two escapes that are a surrogate pair become one character. One surrogate alone is left to PCRE2, which refuses it.
 */
static bool read_unicode(struct reader *r)
{
	bool is_long = ahead(r, 1) == 'U';
	uint32_t code, low;

	if (!is_long && ahead(r, 2) == '{') { /* ECMAScript's \u{1f4a9} is PCRE2's \x{1f4a9} */
		put(r, STR("\\x"));
		r->at += 2;
		return true;
	}
	code = hex_ahead(r, 2, is_long ? 8 : 4);
	if (code == UINT32_MAX)
		return regex_syntax_refuse(r, is_long ? "\\U needs eight hexadecimal digits"
						      : "\\u needs four hexadecimal digits");
	low = code >= 0xD800 && code < 0xDC00 && ahead(r, 6) == '\\' && ahead(r, 7) == 'u' ? hex_ahead(r, 8, 4) : 0;
	if (low >= 0xDC00 && low < 0xE000)
		put_code(r, 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00), 12);
	else
		put_code(r, code, is_long ? 10 : 6);
	return true;
}

/* Inside of a set the blanks join its other members; outside they are a set of their own. */
static void read_blank(struct reader *r, bool negated)
{
	struct str blanks = r->syntax == REGEX_PYTHON ? STR(BLANKS_PYTHON) : STR(BLANKS_ECMA);

	if (!r->in_set)
		put(r, negated ? STR("[^") : STR("["));
	put(r, blanks);
	if (!r->in_set)
		put(r, STR("]"));
	r->at += 2;
}

/* \p{Letter} and its like, which PCRE2 knows by their short names only. */
static bool read_property(struct reader *r)
{
	static const char *const names[][2] = {
		{ "Letter", "L" },
		{ "Lowercase_Letter", "Ll" },
		{ "Uppercase_Letter", "Lu" },
		{ "Mark", "M" },
		{ "Number", "N" },
		{ "Decimal_Number", "Nd" },
		{ "Punctuation", "P" },
		{ "Symbol", "S" },
		{ "Currency_Symbol", "Sc" },
		{ "Math_Symbol", "Sm" },
		{ "Separator", "Z" },
		{ "Other", "C" },
	};
	struct str rest = str_skip(r->in, r->at + 2), name;

	if (rest.n && rest.p[0] == '{') {
		name = str_cut(str_skip(rest, 1), '}', &rest);
		for (size_t i = 0; i < COUNT(names); i++) {
			if (!str_eq(name, str_from(names[i][0])))
				continue;
			pass(r, 3);
			put(r, str_from(names[i][1]));
			r->at += name.n;
			pass(r, 1);
			return true;
		}
	}
	pass(r, 2);
	return true;
}

/* Rewrites an escape that PCRE2 reads otherwise; false when it means nothing in the given syntax. */
static bool read_escape(struct reader *r)
{
	switch (ahead(r, 1)) {
	case 'Z':
		if (r->in_set || r->syntax != REGEX_PYTHON)
			break;
		put(r, STR("\\z"));
		r->at += 2;
		return true;
	case 'v':
		put(r, STR("\\x0b"));
		r->at += 2;
		return true;
	case 'S':
		if (r->in_set)
			break;
		read_blank(r, true);
		return true;
	case 's':
		read_blank(r, false);
		return true;
	case 'u':
	case 'U':
		return read_unicode(r);
	case 'p':
	case 'P':
		return read_property(r);
	case 'Q':
	case 'E':
		return regex_syntax_refuse(r, "\\Q and \\E are not known here; escape each character");
	default:
		break;
	}
	pass(r, 2);
	return true;
}

/* ---- groups, sets, counts ---- */

/* "(?aiLmsux-" and so on: u, which says what holds anyway, is left out. */
static void read_flags(struct reader *r)
{
	pass(r, 2);
	while (ahead(r, 0) && strchr("aiLmsux-", ahead(r, 0)))
		if (ahead(r, 0) == 'u')
			r->at++;
		else
			pass(r, 1);
}

/*
 * Refuses what only PCRE2 knows: verbs such as (*ACCEPT), and callouts, which would be taken for ours. A comment is
 * copied whole, for brackets and escapes mean nothing in it.
 */
static bool read_group(struct reader *r)
{
	const char *end;

	if (ahead(r, 1) == '*')
		return regex_syntax_refuse(r, "nothing to repeat after (");
	if (ahead(r, 1) != '?') {
		pass(r, 1);
		return true;
	}
	if (ahead(r, 2) == 'C')
		return regex_syntax_refuse(r, "(?C is not known here");
	if (ahead(r, 2) == '#') {
		end = memchr(r->in.p + r->at, ')', r->in.n - r->at);
		pass(r, end ? (size_t)(end - r->in.p) + 1 - r->at : r->in.n - r->at);
		return true;
	}
	if (ahead(r, 2) && strchr("aiLmsux-", ahead(r, 2)))
		read_flags(r);
	else
		pass(r, 2);
	return true;
}

/* Python reads {,3} as {0,3}; PCRE2 as five characters. */
static void regex_syntax_read_count(struct reader *r)
{
	size_t by = 2;

	while (ascii_is_digit(ahead(r, by)))
		by++;
	pass(r, 1);
	if (r->syntax == REGEX_PYTHON && ahead(r, 0) == ',' && ahead(r, by - 1) == '}')
		put(r, STR("0"));
}

/* Python's []] holds a bracket; ECMAScript's [] is the empty set, so there the bracket stays. */
static void open_set(struct reader *r)
{
	r->in_set = true;
	pass(r, 1);
	if (ahead(r, 0) == '^')
		pass(r, 1);
	if (ahead(r, 0) == ']' && r->syntax == REGEX_PYTHON) {
		put(r, STR("\\]")); /* the first one does not close it */
		r->at++;
	}
}

/* Rewrites the next piece of the pattern: an escape, a group, a set, a count or a character. */
static bool read_one(struct reader *r)
{
	char c = ahead(r, 0);

	if (c == '\\')
		return read_escape(r);
	if (r->in_set && c == '[') { /* else "[:" would begin a POSIX class */
		put(r, STR("\\["));
		r->at++;
		return true;
	}
	if (r->in_set) {
		r->in_set = c != ']';
		pass(r, 1);
		return true;
	}
	if (c == '(')
		return read_group(r);
	if (c == '{')
		regex_syntax_read_count(r);
	else if (c == '[')
		open_set(r);
	else
		pass(r, 1);
	return true;
}

bool regex_read(struct arena *a, struct str pattern, enum regex_syntax syntax, struct regex_reading *out,
		struct regex_fault *fault)
{
	struct reader r = { .in = pattern, .syntax = syntax };
	uint32_t *origin;
	bool good = true;

	buf_init(&r.text);
	buf_init(&r.origin);
	while (good && r.at < pattern.n)
		if (syntax == REGEX_TEXT)
			pass(&r, pattern.n);
		else
			good = read_one(&r);
	if (good) {
		origin = arena_array(a, uint32_t, r.text.n + 1);
		if (r.origin.n)
			memcpy(origin, r.origin.p, r.origin.n);
		*out = (struct regex_reading){ arena_copy(a, buf_str(&r.text)), origin, pattern.n };
	} else if (fault) {
		fault->at = r.at;
		snprintf(fault->text, sizeof(fault->text), "%s", r.refused);
	}
	buf_free(&r.text);
	buf_free(&r.origin);
	return good;
}
