#include "source/lines.h"

#include <string.h>

#include "base/ascii.h"
#include "base/sse.h"

#define LANES 16
#define STRIDE (4 * LANES)
#define ROUNDS 127 /* a lane is a signed byte that a hit takes down by one */

/* A comparison gives -1 in every lane that holds an LF; compilers left alone with a byte loop are 20 times slower. */
static size_t strides_count(const char *p, size_t rounds)
{
	signed char __attribute__((vector_size(LANES))) a = { 0 }, b = { 0 }, c = { 0 }, d = { 0 }, in[4];
	int sum = 0;

	for (size_t i = 0; i < rounds; i++) {
		memcpy(in, p + i * STRIDE, STRIDE);
		a += in[0] == '\n';
		b += in[1] == '\n';
		c += in[2] == '\n';
		d += in[3] == '\n';
	}
	for (size_t i = 0; i < LANES; i++)
		sum -= a[i] + b[i] + c[i] + d[i];
	return (size_t)sum;
}

size_t lines_count(struct str s)
{
	size_t total = 0, at = 0;

	while (s.n - at >= STRIDE) {
		size_t rounds = (s.n - at) / STRIDE;

		rounds = rounds < ROUNDS ? rounds : ROUNDS;
		total += strides_count(s.p + at, rounds);
		at += rounds * STRIDE;
	}
	for (; at < s.n; at++)
		total += s.p[at] == '\n';
	return total;
}

/*
 * Where the object or array that begins the text ends (*whole), or else where the reading stopped: at the
 * first LF, at the first one in a string when values may go on over lines, or at the end of the text.
 */
static size_t end_of_value(struct str s, bool over_lines, bool *whole)
{
	bool within = false;
	size_t depth = 0;

	*whole = false;
	for (size_t i = 0; i < s.n; i++) {
		char c = s.p[i];

		if (c == '\n' && (within || !over_lines))
			return i;
		if (within && c == '\\')
			i++;
		else if (c == '"')
			within = !within;
		else if (!within && (c == '{' || c == '['))
			depth++;
		else if (!within && (c == '}' || c == ']') && --depth == 0) {
			*whole = true;
			return i + 1;
		}
	}
	return s.n;
}

#define BEFORE_VALUE 256 /* bytes that may stand before a value on its line */
#define LOOKED_AT 8 /* lines after a first one that is none of JSON */

/* Whether one of the next lines is an object from its first byte to its last. */
static bool has_object_line(struct str text)
{
	for (size_t lines = 0; lines < LOOKED_AT && text.n > 0; lines++) {
		const char *lf = memchr(text.p, '\n', text.n);
		size_t n = lf ? (size_t)(lf - text.p) : text.n;
		bool whole = false;

		struct str line = str_trim(str_of(text.p, n));

		if (text.p[0] == '{' && end_of_value(line, false, &whole) == line.n && whole)
			return true;
		n += lf != NULL;
		text = str_skip(text, n);
	}
	return false;
}

bool lines_are_events(struct str head)
{
	return sse_is_line(str_trim(head));
}

size_t lines_count_any(struct str text)
{
	size_t count = 0, end;

	for (; text.n; text = str_skip(text, end)) {
		size_t n = sse_line(text, &end);

		count += end > n;
	}
	return count;
}

/* A line that may stand inside an event and says nothing in it: no value, and none behind a time and a level. */
static bool may_be_inside(struct str line)
{
	return line.p[0] != '[' && !memchr(line.p, '{', line.n < BEFORE_VALUE ? line.n : BEFORE_VALUE);
}

size_t lines_whole(struct str text)
{
	const char *lf = text.n ? memrchr(text.p, '\n', text.n) : NULL;
	size_t at = lf ? (size_t)(lf - text.p) + 1 : 0, whole = at;

	while (at > 0) {
		const char *before = memrchr(text.p, '\n', at - 1);
		size_t start = before ? (size_t)(before - text.p) + 1 : 0;
		struct str line = str_trim(str_of(text.p + start, at - start));

		if (sse_is_line(line))
			whole = start;
		else if (line.n == 0 || !may_be_inside(line))
			break;
		at = start;
	}
	return whole;
}

static bool is_line_end(char c)
{
	return c == '\n' || c == '\r';
}

/* From the end: a line end directly after another, CR LF being one. A CR at the very end may be half of one. */
size_t lines_whole_events(struct str text)
{
	for (size_t i = text.n; i > 1; i--) {
		char last = text.p[i - 1], before = text.p[i - 2];

		if (!is_line_end(last) || !is_line_end(before) || (last == '\r' && i == text.n))
			continue;
		if (last == '\n' && before == '\r' && (i < 3 || !is_line_end(text.p[i - 3])))
			continue;
		return i;
	}
	return 0;
}

/* A line of a logger: it begins with a date, or has an object behind something else. No document does. */
static bool is_logged(struct str line)
{
	const char *brace = memchr(line.p, '{', line.n < BEFORE_VALUE ? line.n : BEFORE_VALUE);
	bool whole = false;

	if (line.n > 7 && ascii_is_digit(line.p[0]) && ascii_is_digit(line.p[3]) && line.p[4] == '-' &&
	    line.p[7] == '-')
		return true;
	if (brace)
		end_of_value(str_of(brace, (size_t)(line.p + line.n - brace)), false, &whole);
	return whole;
}

bool lines_are(struct str head, bool otherwise)
{
	struct str text;
	bool whole;
	size_t end;

	if (str_starts(head, STR("\xef\xbb\xbf")))
		head = str_skip(head, 3);
	text = str_trim(head);
	if (text.n == 0)
		return otherwise;
	if (lines_are_events(text))
		return true;
	if (text.p[0] == '[' || text.p[0] == '{') {
		end = end_of_value(text, false, &whole);
		if (whole || end == text.n) /* it ends in its first line, or that line goes on beyond what we see */
			return true;
		end_of_value(text, true, &whole);
		if (whole || end <= 2)
			return false; /* it ends further down */
	} else {
		const char *lf = memchr(text.p, '\n', text.n);

		end = lf ? (size_t)(lf - text.p) : text.n;
		if (is_logged(str_of(text.p, end)))
			return true;
	}
	/* a damaged line with whole ones after it */
	if (text.p[0] != '[' && end < text.n && has_object_line(str_skip(text, end + 1)))
		return true;
	return text.p[0] != '{' && text.p[0] != '[' && otherwise;
}
