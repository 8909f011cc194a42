/* The scalars of the plain parser: strings with their escapes, numbers, and the words true, false and null. */
#include "json/slow_private.h"

#include "base/ascii.h"
#include "base/utf8.h"
#include "json/issue.h"
#include "json/unit.h"

#define EACH_BYTE(x) ((uint64_t)(x) * 0x0101010101010101)

/* ---- strings ---- */

struct slow_string { /* being read */
	struct slow_run *r;
	size_t quote, at;
	uint8_t flags;
	enum slow_about about;
};

/* From `at` on, past everything that is ASCII and neither a control character, a quote nor a backslash. */
static size_t skip_plain(struct str text, size_t at)
{
	while (text.n - at >= 8) {
		uint64_t w, quotes, slashes;

		memcpy(&w, text.p + at, 8);
		quotes = w ^ EACH_BYTE('"');
		slashes = w ^ EACH_BYTE('\\');
		w |= (w - EACH_BYTE(0x20)) | (quotes - EACH_BYTE(1)) | (slashes - EACH_BYTE(1));
		if (w & EACH_BYTE(0x80))
			break;
		at += 8;
	}
	for (; at < text.n; at++) {
		unsigned char c = (unsigned char)text.p[at];

		if (c < 0x20 || c >= 0x80 || c == '"' || c == '\\')
			break;
	}
	return at;
}

/* The place is the end of the text; the message tells where the string began, which is what people look for. */
static bool fail_unclosed(struct slow_string *str)
{
	struct slow_run *r = str->r;
	struct json_issue *issue = &r->s->issue;

	slow_mark_string(r, str->quote);
	issue->code = JSON_E_SYNTAX;
	issue->offset = r->text.n;
	issue->length = 0;
	issue_say(issue, "the %s that begins at column %llu is not closed",
		  str->about == SLOW_MEMBER ? "string" : "name", (unsigned long long)r->string_mark.column);
	return slow_fail(r, str->about);
}

/* The escape that begins at str->at is wrong because of what stands at `bad`. */
static bool fail_escape(struct slow_string *str, size_t bad)
{
	struct slow_run *r = str->r;
	struct json_issue *issue = &r->s->issue;
	uint32_t code;
	size_t n;

	if (bad >= r->text.n)
		return fail_unclosed(str);
	slow_mark_string(r, str->quote);
	n = utf8_decode(r->text.p + bad, r->text.n - bad, &code);
	if (n == 0) {
		issue_bad_utf8(issue, r->text, bad);
		return slow_fail(r, str->about);
	}
	issue->code = JSON_E_SYNTAX;
	issue->offset = str->at;
	issue->length = bad + n - str->at;
	if (bad > str->at + 1)
		issue_say(issue, "\\u must be followed by four hexadecimal digits");
	else if (code > ' ' && code < 0x7f)
		issue_say(issue, "unknown escape '\\%c'; expected one of \" \\ / b f n r t u after the backslash",
			  (char)code);
	else
		issue_say(issue, "U+%04X cannot follow a backslash; expected one of \" \\ / b f n r t u",
			  (unsigned)code);
	return slow_fail(r, str->about);
}

/* False when reading ends here: neither the options nor lenient reading let it pass. */
static bool note_lone(struct slow_string *str, uint32_t unit)
{
	struct slow_run *r = str->r;
	struct json_issue *issue = &r->s->issue;

	str->flags |= JSON_LONE;
	if (r->s->options.allow_lone)
		return true;
	slow_mark_string(r, str->quote);
	issue->code = JSON_E_SURROGATE;
	issue->offset = str->at;
	issue->length = 6;
	issue_say(issue, "\\u%04x is half of a surrogate pair; the other half is missing", (unsigned)unit);
	return slow_note(r, str->about);
}

/*
 * The \u escape at str->at, with its other half when there is one. A fault reaches from the backslash to the first byte
 * that is no digit.
 */
static bool slow_scalar_read_unicode(struct slow_string *str)
{
	struct str text = str->r->text;
	uint32_t unit = unit_find(text, str->at);
	size_t bad = str->at + 2;

	if (unit == UNIT_NONE) {
		while (bad < text.n && ascii_is_hex(text.p[bad]))
			bad++;
		return fail_escape(str, bad);
	}
	str->flags |= JSON_REWRITE;
	if (unit_is_pair(text, str->at)) {
		str->at += 12;
		return true;
	}
	if ((unit_is_high(unit) || unit_is_low(unit)) && !note_lone(str, unit))
		return false;
	str->at += 6;
	return true;
}

/* The escape at str->at: sets what it means for the string and steps over it. False when reading ends here. */
static bool read_escape(struct slow_string *str)
{
	struct str text = str->r->text;

	str->flags |= JSON_ESCAPED;
	if (str->at + 1 == text.n)
		return fail_unclosed(str);
	switch (text.p[str->at + 1]) {
	case '/':
		str->flags |= JSON_REWRITE;
		str->at += 2;
		return true;
	case '"':
	case '\\':
	case 'b':
	case 'f':
	case 'n':
	case 'r':
	case 't':
		str->at += 2;
		return true;
	case 'u':
		return slow_scalar_read_unicode(str);
	default:
		return fail_escape(str, str->at + 1);
	}
}

/* One character; or a run of bytes that is none, which lenient reading notes and steps over. */
static bool read_multibyte(struct slow_string *str)
{
	struct slow_run *r = str->r;
	uint32_t code;
	size_t n = utf8_decode(r->text.p + str->at, r->text.n - str->at, &code);

	if (n > 0) {
		str->at += n;
		return true;
	}
	/* its text is not its value, so it counts as escaped */
	str->flags |= JSON_ESCAPED | JSON_REWRITE | JSON_ODD;
	slow_mark_string(r, str->quote);
	issue_bad_utf8(&r->s->issue, r->text, str->at);
	str->at += r->s->issue.length;
	return slow_note(r, str->about);
}

bool slow_read_string(struct slow_run *r, enum json_type type)
{
	struct slow_string str = { .r = r, .quote = r->at, .at = r->at + 1 };
	bool good = true;

	str.about = type == JSON_KEY ? SLOW_CONTAINER : SLOW_MEMBER;
	while (good) {
		str.at = skip_plain(r->text, str.at);
		if (str.at == r->text.n)
			return fail_unclosed(&str);
		if (r->text.p[str.at] == '"')
			break;
		if (r->text.p[str.at] == '\\') {
			good = read_escape(&str);
		} else if ((unsigned char)r->text.p[str.at] >= 0x80) {
			good = read_multibyte(&str);
		} else {
			slow_mark_string(r, str.quote);
			issue_control(&r->s->issue, r->text, str.at);
			return slow_fail(r, str.about);
		}
	}
	if (!good)
		return false;
	slow_add_tok(r, type, str.quote + 1, str.at - str.quote - 1)->flags = str.flags;
	r->at = str.at + 1;
	return true;
}

size_t slow_unescape_name(char *out, struct str raw)
{
	size_t from = 0, n = 0, at = 0;

	while (at < raw.n) {
		uint32_t unit = raw.p[at] == '\\' ? unit_find(raw, at) : UINT32_MAX;

		if (raw.p[at] != '\\') {
			at++;
		} else if (unit == UNIT_NONE) {
			at += 2;
		} else if (unit_is_pair(raw, at)) {
			at += 12;
		} else if (unit_is_high(unit) || unit_is_low(unit)) {
			n += text_unescape(out + n, str_of(raw.p + from, at - from));
			n += utf8_encode(out + n, unit);
			from = at += 6;
		} else {
			at += 6;
		}
	}
	return n + text_unescape(out + n, str_of(raw.p + from, raw.n - from));
}

/* ---- numbers ---- */

static size_t skip_digits(struct str text, size_t at)
{
	while (at < text.n && ascii_is_digit(text.p[at]))
		at++;
	return at;
}

/*
 * Whether a number without exponent is certainly written as RFC 8785 would: few enough digits to be
 * exact, nothing superfluous, and not so small that it would get an exponent. `dot` is text.n when
 * there is no fraction.
 */
static bool is_canonical(struct str text, size_t dot)
{
	size_t first = text.p[0] == '-', whole = dot - first, zeros = 0;
	size_t fraction = dot < text.n ? text.n - dot - 1 : 0;

	if (fraction == 0)
		return whole <= 15 && !(first && text.p[1] == '0');
	if (text.p[text.n - 1] == '0')
		return false;
	if (text.p[first] != '0')
		return whole + fraction <= 15;
	while (text.p[dot + 1 + zeros] == '0')
		zeros++;
	return fraction <= 15 && zeros <= 5;
}

static bool fail_leading_zero(struct slow_run *r)
{
	struct json_issue *issue = &r->s->issue;

	issue->code = JSON_E_SYNTAX;
	issue->offset = r->at;
	issue->length = skip_digits(r->text, r->at) - r->at;
	issue_say(issue, "leading zeros are not allowed");
	return slow_fail(r, SLOW_MEMBER);
}

static bool read_digits(struct slow_run *r, const char *expected)
{
	size_t end = skip_digits(r->text, r->at);

	if (end == r->at)
		return slow_unexpected(r, SLOW_MEMBER, expected);
	r->at = end;
	return true;
}

static bool slow_scalar_is_at(const struct slow_run *r, char c)
{
	return r->at < r->text.n && r->text.p[r->at] == c;
}

bool slow_read_number(struct slow_run *r)
{
	size_t start = r->at, dot;
	uint8_t flags = JSON_REWRITE;

	r->at += slow_scalar_is_at(r, '-');
	if (slow_scalar_is_at(r, '0') && r->at + 1 < r->text.n && ascii_is_digit(r->text.p[r->at + 1]))
		return fail_leading_zero(r);
	if (!read_digits(r, "a digit after '-'"))
		return false;
	dot = r->at;
	if (slow_scalar_is_at(r, '.')) {
		r->at++;
		if (!read_digits(r, "a digit after '.'"))
			return false;
	}
	if (slow_scalar_is_at(r, 'e') || slow_scalar_is_at(r, 'E')) {
		r->at++;
		r->at += slow_scalar_is_at(r, '+') || slow_scalar_is_at(r, '-');
		if (!read_digits(r, "a digit in the exponent"))
			return false;
	} else {
		if (dot == r->at)
			flags |= JSON_INTEGER;
		if (is_canonical(str_of(r->text.p + start, r->at - start), dot - start))
			flags &= (uint8_t)~JSON_REWRITE;
	}
	slow_add_tok(r, JSON_NUMBER, start, r->at - start)->flags = flags;
	return true;
}

/* ---- words ---- */

/* NaN and Infinity, with or without a sign. */
static bool read_odd_number(struct slow_run *r, struct str word)
{
	struct json_issue *issue = &r->s->issue;
	struct str bare = word;

	if (word.n > 0 && (word.p[0] == '-' || word.p[0] == '+'))
		bare = str_of(word.p + 1, word.n - 1);
	if (!r->s->lenient || (!str_eq(bare, STR("NaN")) && !str_eq(bare, STR("Infinity"))))
		return false;
	issue->code = JSON_E_SYNTAX;
	issue->offset = r->at;
	issue->length = word.n;
	issue_say(issue, "%.*s is not a JSON number", STR_ARG(word));
	slow_note(r, SLOW_MEMBER);
	slow_add_tok(r, JSON_NUMBER, r->at, word.n)->flags = JSON_REWRITE | JSON_ODD;
	r->at += word.n;
	return true;
}

bool slow_read_word(struct slow_run *r)
{
	static const struct {
		struct str word;
		enum json_type type;
	} known[] = { { { "true", 4 }, JSON_TRUE }, { { "false", 5 }, JSON_FALSE }, { { "null", 4 }, JSON_NULL } };
	size_t end = r->at + (slow_scalar_is_at(r, '-') || slow_scalar_is_at(r, '+'));
	struct str word;

	while (end < r->text.n && ascii_is_word(r->text.p[end]))
		end++;
	word = str_of(r->text.p + r->at, end - r->at);
	for (size_t i = 0; i < COUNT(known); i++) {
		if (str_eq(word, known[i].word)) {
			slow_add_tok(r, known[i].type, r->at, word.n);
			r->at = end;
			return true;
		}
	}
	if (read_odd_number(r, word))
		return true;
	if (word.n > 0 && word.p[0] == '-')
		return slow_read_number(r);
	return slow_unexpected(r, SLOW_MEMBER, slow_expected_value(r));
}
