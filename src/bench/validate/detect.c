/*
 * The reference detector: each of the five expressions as a scan by hand, which finds what Python's re.findall would
 * and is linear. Names are gathered in a map and a list, so that each comes once and in order.
 */
#include "bench/validate/detect.h"

#include "base/ascii.h"
#include "base/utf8.h"
#include "bench/suite/python_text.h"
#include "bench/validate/detect_names.h"

bool detector_parse(struct str word, enum detector *out)
{
	if (!str_eq(word, STR("default")) && !str_eq(word, STR("reference")))
		return false;
	*out = str_eq(word, STR("default")) ? DETECT_DEFAULT : DETECT_REFERENCE;
	return true;
}

/* ---- names ---- */

static bool detect_is_name_byte(char c)
{
	return ascii_is_lower(c) || ascii_is_digit(c) || c == '-' || c == '_' || c == '.';
}

/*
 * Under re.IGNORECASE a set [a-z] takes the upper case letters and four more whose other case is among them: U+0130 and
 * U+0131 (i), U+017F (s), U+212A (k). Gives the length of the character, 0 when it is none.
 */
static size_t fold_at(struct str text, size_t at)
{
	unsigned char c = (unsigned char)text.p[at];
	uint32_t code;
	size_t n;

	if (c < 0x80)
		return detect_is_name_byte((char)c) || ascii_is_upper(c);
	n = utf8_decode(text.p + at, text.n - at, &code);
	return n && (code == 0x130 || code == 0x131 || code == 0x17F || code == 0x212A) ? n : 0;
}

size_t detect_name_end(struct str text, size_t at, bool any_case)
{
	size_t n;

	while (at < text.n && (n = any_case ? fold_at(text, at) : detect_is_name_byte(text.p[at])))
		at += n;
	return at;
}

/* str.lower() for the characters that a name may have. */
static struct str lower_name(struct arena *a, struct str name)
{
	char *out = arena_alloc(a, name.n + name.n / 2 + 1, 1);
	size_t n = 0;

	for (size_t i = 0; i < name.n; i++) {
		char c = name.p[i];

		if (name.n - i >= 2 && memcmp(name.p + i, "\xC4\xB0", 2) == 0) { /* U+0130: i and U+0307 */
			memcpy(out + n, "i\xCC\x87", 3);
			n += 3;
			i++;
		} else if (name.n - i >= 3 &&
			   memcmp(name.p + i, "\xE2\x84\xAA", 3) == 0) { /* U+212A, the sign for kelvin */
			out[n++] = 'k';
			i += 2;
		} else {
			out[n++] = ascii_lower(c);
		}
	}
	return str_of(out, n);
}

void detect_names_add(struct detect_names *n, struct str name)
{
	struct str lower = lower_name(n->arena, name);
	bool added;

	map_add(&n->seen, lower, &added);
	if (!added)
		return;
	arena_grow(n->arena, n->list, n->count, n->cap, 8);
	n->list[n->count++] = lower;
}

/* The bytes [from, to) of the text as a name. */
static void add_span(struct detect_names *n, struct str text, size_t from, size_t to)
{
	detect_names_add(n, str_of(text.p + from, to - from));
}

static size_t skip_spaces(struct str text, size_t at)
{
	size_t n;

	while ((n = python_space_at(text, at)))
		at += n;
	return at;
}

/* Whether `word`, which is in lower case, stands at `at` in letters of either case. */
static bool is_word_at(struct str text, size_t at, struct str word)
{
	if (at > text.n || text.n - at < word.n)
		return false;
	for (size_t i = 0; i < word.n; i++)
		if (ascii_lower(text.p[at + i]) != word.p[i])
			return false;
	return true;
}

/* ---- the five ---- */

/* `([a-z0-9\-_.]+) without regard to case */
static void find_backticks(struct detect_names *n, struct str text)
{
	size_t at = 0, end;
	const char *p;

	while (at < text.n && (p = memchr(text.p + at, '`', text.n - at))) {
		at = (size_t)(p - text.p) + 1;
		end = detect_name_end(text, at, true);
		if (end > at)
			add_span(n, text, at, end);
		at = end;
	}
}

/* ["']([a-z0-9\-_.]+)\s */
static void find_quotes(struct detect_names *n, struct str text)
{
	for (size_t at = 0, end; at < text.n; at++) {
		if (text.p[at] != '"' && text.p[at] != '\'')
			continue;
		end = detect_name_end(text, at + 1, false);
		if (end > at + 1 && python_space_at(text, end))
			add_span(n, text, at + 1, end);
		at = end - 1;
	}
}

/* [$#]\s+([a-z0-9\-_.]+) */
static void find_prompts(struct detect_names *n, struct str text)
{
	for (size_t at = 0, from, end; at < text.n; at++) {
		if (text.p[at] != '$' && text.p[at] != '#')
			continue;
		from = skip_spaces(text, at + 1);
		end = detect_name_end(text, from, false);
		if (from > at + 1 && end > from)
			add_span(n, text, from, end);
		at = end - 1;
	}
}

/* <tool>([a-z0-9\-_.]+)</tool> without regard to case */
void detect_tags(struct detect_names *n, struct str text)
{
	size_t at = 0, end;
	const char *p;

	while (at < text.n && (p = memchr(text.p + at, '<', text.n - at))) {
		at = (size_t)(p - text.p) + 1;
		if (!is_word_at(text, at, STR("tool>")))
			continue;
		at += 5;
		end = detect_name_end(text, at, true);
		if (end == at || !is_word_at(text, end, STR("</tool>")))
			continue;
		add_span(n, text, at, end);
		at = end + 7;
	}
}

/* \[(?:tool|TOOL):\s*([a-z0-9\-_.]+)\] */
void detect_brackets(struct detect_names *n, struct str text)
{
	size_t at = 0, end;
	const char *p;

	while (at < text.n && (p = memchr(text.p + at, '[', text.n - at))) {
		at = (size_t)(p - text.p) + 1;
		if (text.n - at < 5 || (memcmp(text.p + at, "tool:", 5) != 0 && memcmp(text.p + at, "TOOL:", 5) != 0))
			continue;
		at = skip_spaces(text, at + 5);
		end = detect_name_end(text, at, false);
		if (end > at && end < text.n && text.p[end] == ']')
			add_span(n, text, at, end);
		at = end;
	}
}

struct tool_use detect_tools(struct arena *a, struct detect_how how, struct str text, const struct str *reported,
			     size_t count)
{
	struct detect_names n = { .arena = a, .expected = how.expected, .expected_count = how.expected_count };

	if (count > 0) {
		struct str *names = arena_array(a, struct str, count);

		for (size_t i = 0; i < count; i++)
			names[i] = arena_copy(a, reported[i]);
		return (struct tool_use){ TOOLS_FROM_API, names, count };
	}
	map_init(&n.seen, a);
	if (how.detector == DETECT_REFERENCE) {
		find_backticks(&n, text);
		find_quotes(&n, text);
		find_prompts(&n, text);
	} else {
		detect_by_context(&n, text);
	}
	detect_tags(&n, text);
	detect_brackets(&n, text);
	return (struct tool_use){ TOOLS_FROM_TEXT, n.list, n.count };
}

bool detect_is_success(const struct tool_use *use, const struct str *expected, size_t count)
{
	for (size_t i = 0; i < use->count; i++)
		for (size_t e = 0; e < count; e++)
			if (str_eq_nocase(use->names[i], expected[e]))
				return true;
	return count == 0 && use->count > 0;
}
