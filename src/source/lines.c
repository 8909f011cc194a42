#include "source/lines.h"

#include <string.h>

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

/* Where the object or array that begins the text ends, or the first LF inside it, or the text. */
static size_t end_of_value(struct str s, bool *whole)
{
	bool within = false;
	size_t depth = 0;

	*whole = false;
	for (size_t i = 0; i < s.n; i++) {
		char c = s.p[i];

		if (c == '\n')
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

bool lines_are(struct str head, bool otherwise)
{
	struct str text = str_trim(head);
	bool whole;
	size_t end;

	if (text.n == 0 || (text.p[0] != '{' && text.p[0] != '['))
		return otherwise;
	end = end_of_value(text, &whole);
	if (whole || end == text.n) /* it ends in its first line, or that line goes on beyond what we see */
		return true;
	/* a broken line, and another after it; a document of several lines is indented, or an array */
	return text.p[0] == '{' && end > 2 && text.p[end + 1] == '{';
}
