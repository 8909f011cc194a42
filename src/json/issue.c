/* Words for what is wrong. Nothing here is on the fast path: an issue is made once for a fault. */
#include "json/issue.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/ascii.h"
#include "base/utf8.h"
#include "json/repair.h"
#include "json/text.h"

#define WORD_MAX 24 /* bytes of a word shown */
#define NAME_MAX_SHOWN 48 /* bytes of a name shown */

void issue_mark_move(struct issue_mark *m, struct str text, size_t offset)
{
	const char *p, *end, *newline;

	m->line += m->line == 0;
	m->column += m->column == 0;
	assert(offset >= m->offset && offset <= text.n);
	if (offset == m->offset)
		return;
	p = text.p + m->offset;
	end = text.p + offset;
	while (p < end && (newline = memchr(p, '\n', (size_t)(end - p)))) {
		m->line++;
		m->column = 1;
		p = newline + 1;
	}
	m->column += utf8_count(str_of(p, (size_t)(end - p)));
	m->offset = offset;
}

/* Cuts a text of n bytes back so that it does not end within a character. */
static size_t cut_at_character(const char *p, size_t n)
{
	size_t start = n;

	while (start > 0 && utf8_is_tail(p[start - 1]))
		start--;
	if (start == 0)
		return n;
	start--;
	return start + utf8_check(str_of(p + start, n - start));
}

void issue_say(struct json_issue *issue, const char *format, ...)
{
	va_list args;
	int length;

	va_start(args, format);
	length = vsnprintf(issue->message, sizeof(issue->message), format, args);
	va_end(args);
	if (length >= (int)sizeof(issue->message))
		issue->message[cut_at_character(issue->message, sizeof(issue->message) - 1)] = '\0';
}

/* Puts into words what stands at `at`, a well-formed character or the end, and returns its length. */
static size_t describe(char out[64], struct str text, size_t at)
{
	size_t left = text.n - at, n = 0;
	const char *p;
	uint32_t code;

	if (left == 0) {
		snprintf(out, 64, "the end of the text");
		return 0;
	}
	p = text.p + at;
	while (n < left && n < WORD_MAX && ascii_is_word(p[n]))
		n++;
	if (n > 0) {
		snprintf(out, 64, "'%.*s'%s", (int)n, p, n == WORD_MAX ? "..." : "");
		return n;
	}
	n = utf8_decode(p, left, &code);
	if (left > 1 && code == '/' && (p[1] == '/' || p[1] == '*'))
		snprintf(out, 64, "a comment");
	else if (code == '\'')
		snprintf(out, 64, "a single quote");
	else if (code > ' ' && code < 0x7f)
		snprintf(out, 64, "'%c'", (char)code);
	else
		snprintf(out, 64, "U+%04X", (unsigned)code);
	return n;
}

void issue_unexpected(struct json_issue *issue, struct str text, size_t at, enum json_code code,
		      const char *expected)
{
	char found[64];
	uint32_t ignored;

	if (at < text.n && utf8_decode(text.p + at, text.n - at, &ignored) == 0) {
		issue_bad_utf8(issue, text, at);
		return;
	}
	issue->code = code;
	issue->offset = at;
	issue->length = describe(found, text, at);
	issue_say(issue, "expected %s, found %s", expected, found);
}

const char *issue_expected_value(enum issue_inside inside, uint64_t commas)
{
	if (inside == ISSUE_DOCUMENT)
		return "a JSON value";
	if (inside == ISSUE_OBJECT)
		return "a value after ':'";
	return commas ? "a value after ','" : "a value or ']'";
}

const char *issue_expected_name(uint64_t commas)
{
	return commas ? "a name in quotes after ','" : "a name in quotes or '}'";
}

const char *issue_expected_next(enum issue_inside inside)
{
	if (inside == ISSUE_DOCUMENT)
		return "nothing more after the value";
	return inside == ISSUE_OBJECT ? "',' or '}' after a member" : "',' or ']' after an element";
}

static void set(struct json_issue *issue, enum json_code code, size_t at, size_t length)
{
	issue->code = code;
	issue->offset = at;
	issue->length = length;
}

void issue_empty(struct json_issue *issue)
{
	set(issue, JSON_E_SYNTAX, 0, 0);
	issue_say(issue, "the text is empty; expected a JSON value");
}

void issue_bom(struct json_issue *issue)
{
	set(issue, JSON_E_BOM, 0, 3);
	issue_say(issue, "a byte order mark (U+FEFF) stands before the value");
}

void issue_depth(struct json_issue *issue, size_t at, uint32_t max_depth)
{
	set(issue, JSON_E_DEPTH, at, 1);
	issue_say(issue, "nested more than %u levels deep", (unsigned)max_depth);
}

/* Why `n` of the `want` bytes that the first one announces are no character. */
static const char *explain_utf8(const unsigned char *p, size_t n, size_t want)
{
	if (p[0] < 0xc0)
		return "continues a character that was not begun";
	if (p[0] >= 0xf8)
		return "never occurs in it";
	if (n < want)
		return "is an incomplete character";
	if (p[0] < 0xc2 || (p[0] == 0xe0 && p[1] < 0xa0) || (p[0] == 0xf0 && p[1] < 0x90))
		return "is an overlong form";
	if (p[0] == 0xed)
		return "is a surrogate";
	return "is above U+10FFFF";
}

void issue_bad_utf8(struct json_issue *issue, struct str text, size_t at)
{
	const unsigned char *p = (const unsigned char *)text.p + at;
	size_t want = p[0] < 0xc0 || p[0] >= 0xf8 ? 1 : p[0] < 0xe0 ? 2 : p[0] < 0xf0 ? 3 : 4, n = 1;
	char bytes[16];

	assert(at < text.n);
	while (n < want && at + n < text.n && utf8_is_tail((char)p[n]))
		n++;
	for (size_t i = 0; i < n; i++)
		snprintf(bytes + 3 * i, sizeof(bytes) - 3 * i, " %02X", p[i]);
	set(issue, JSON_E_UTF8, at, n);
	issue_say(issue, "not UTF-8:%s %s", bytes, explain_utf8(p, n, want));
}

void issue_control(struct json_issue *issue, struct str text, size_t at)
{
	static const char escapes[] = "btn fr";
	unsigned c = (unsigned char)text.p[at];

	assert(at < text.n && c < ' ');
	set(issue, JSON_E_CTRL, at, 1);
	if (c >= '\b' && c <= '\r' && c != '\v')
		issue_say(issue, "control character U+%04X must be written as \\%c", c, escapes[c - '\b']);
	else
		issue_say(issue, "control character U+%04X must be written as \\u%04x", c, c);
}

/* Whether a terminal shows the character as itself, in its place. */
static bool is_plain(uint32_t code)
{
	return code >= ' ' && code - 0x7f > 0x20 && code - 0x200b > 4 && code - 0x2028 > 6 && code - 0x2060 > 15 &&
	       code != 0xfeff;
}

/* One character of a name's raw text, made safe to show. Returns how much of the name it took. */
static size_t show_character(char out[16], struct str raw)
{
	uint32_t code;
	size_t n = raw.p[0] == '\\' && raw.n > 1 ? 2 : utf8_decode(raw.p, raw.n, &code);

	if (raw.p[0] == '\\' || (n > 0 && is_plain(code)))
		snprintf(out, 16, "%.*s", (int)n, raw.p);
	else
		snprintf(out, 16, n ? "\\u%04x" : "?", n ? (unsigned)code : 0);
	return n ? n : 1;
}

void issue_duplicate(struct json_issue *issue, struct str raw, size_t at)
{
	char shown[NAME_MAX_SHOWN + 16] = "";
	size_t n = 0, i = 0;

	while (i < raw.n && n < NAME_MAX_SHOWN) {
		i += show_character(shown + n, str_of(raw.p + i, raw.n - i));
		n += strlen(shown + n);
	}
	set(issue, JSON_E_DUP_KEY, at, raw.n + 2);
	issue_say(issue, "name \"%s%s\" appears twice in this object", shown, i < raw.n ? "..." : "");
}

void issue_pointer_add_name(struct buf *pointer, struct str raw)
{
	struct buf scratch;
	struct str name;
	char *value;

	buf_init(&scratch);
	value = buf_reserve(&scratch, 4 * raw.n + 1);
	name = str_of(value, text_unescape(value, raw));
	name = str_of(value + raw.n, repair_utf8(value + raw.n, name));
	buf_add_byte(pointer, '/');
	for (size_t i = 0; i < name.n; i++) {
		char c = name.p[i];

		if (c == '~' || c == '/')
			buf_add_byte(pointer, '~');
		buf_add_byte(pointer, c == '~' ? '0' : c == '/' ? '1' : c);
	}
	buf_free(&scratch);
}

void issue_pointer_add_index(struct buf *pointer, uint64_t index)
{
	buf_add_byte(pointer, '/');
	pointer->n += num_format_u64(buf_reserve(pointer, NUM_U64_MAX), index);
}

void issue_add_finding(struct findings *list, const struct json_issue *issue, struct str line, uint64_t number,
		       uint64_t origin, size_t at)
{
	struct finding f = {
		.code = json_code_name(issue->code),
		.severity = SEV_ERROR,
		.pointer = issue->pointer,
		.message = str_from(issue->message),
	};

	finding_point(&f, line, number, origin, at, issue->length);
	findings_add(list, &f);
}

void issue_add_in_line(struct findings *list, const struct json_issue *issue, const struct json_record *record,
		       uint64_t origin)
{
	assert(issue->offset >= record->offset); /* both count from the start of the chunk */
	issue_add_finding(list, issue, record->text, record->line, origin + record->offset,
			  issue->offset - record->offset);
}

void issue_add_in_document(struct findings *list, const struct json_issue *issue, struct str text)
{
	size_t at = issue->offset < text.n ? issue->offset : text.n;
	const char *before = at ? memrchr(text.p, '\n', at) : NULL, *after = memchr(text.p + at, '\n', text.n - at);
	size_t from = before ? (size_t)(before - text.p) + 1 : 0, to = after ? (size_t)(after - text.p) : text.n;

	issue_add_finding(list, issue, str_of(text.p + from, to - from), 1 + str_count(str_of(text.p, from), '\n'),
			  from, at - from);
}
