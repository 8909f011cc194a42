#include "base/utf8.h"

#include <assert.h>

#include "base/utf8_width.h"

/*
 * Overlong forms, surrogates and what lies above U+10FFFF show in the first two bytes: these are the
 * bounds of the second byte for each first byte (RFC 3629, section 4).
 */
static bool is_second(unsigned char first, unsigned char c)
{
	unsigned char low = first == 0xe0 ? 0xa0 : first == 0xf0 ? 0x90 : 0x80;
	unsigned char high = first == 0xed ? 0x9f : first == 0xf4 ? 0x8f : 0xbf;

	return c >= low && c <= high;
}

size_t utf8_decode(const char *p, size_t n, uint32_t *code)
{
	const unsigned char *b = (const unsigned char *)p;

	assert(n > 0);
	if (b[0] < 0x80) {
		*code = b[0];
		return 1;
	}
	if (b[0] < 0xc2 || b[0] > 0xf4 || n < 2 || !is_second(b[0], b[1]))
		return 0;
	if (b[0] < 0xe0) {
		*code = (uint32_t)(b[0] & 0x1f) << 6 | (b[1] & 0x3f);
		return 2;
	}
	if (n < 3 || !utf8_is_tail((char)b[2]))
		return 0;
	if (b[0] < 0xf0) {
		*code = (uint32_t)(b[0] & 0x0f) << 12 | (uint32_t)(b[1] & 0x3f) << 6 | (b[2] & 0x3f);
		return 3;
	}
	if (n < 4 || !utf8_is_tail((char)b[3]))
		return 0;
	*code = (uint32_t)(b[0] & 0x07) << 18 | (uint32_t)(b[1] & 0x3f) << 12 | (uint32_t)(b[2] & 0x3f) << 6 |
		(b[3] & 0x3f);
	return 4;
}

size_t utf8_encode(char out[4], uint32_t code)
{
	assert(code <= 0x10ffff);
	if (code < 0x80) {
		out[0] = (char)code;
		return 1;
	}
	if (code < 0x800) {
		out[0] = (char)(0xc0 | code >> 6);
		out[1] = (char)(0x80 | (code & 0x3f));
		return 2;
	}
	if (code < 0x10000) {
		out[0] = (char)(0xe0 | code >> 12);
		out[1] = (char)(0x80 | (code >> 6 & 0x3f));
		out[2] = (char)(0x80 | (code & 0x3f));
		return 3;
	}
	out[0] = (char)(0xf0 | code >> 18);
	out[1] = (char)(0x80 | (code >> 12 & 0x3f));
	out[2] = (char)(0x80 | (code >> 6 & 0x3f));
	out[3] = (char)(0x80 | (code & 0x3f));
	return 4;
}

static uint64_t utf8_load64(const char *p)
{
	uint64_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

/* How many bytes from s.p + at on are ASCII, at least; looks at whole words. */
static size_t skip_ascii(struct str s, size_t at)
{
	size_t i = at;

	while (s.n - i >= 8 && (utf8_load64(s.p + i) & 0x8080808080808080) == 0)
		i += 8;
	return i;
}

size_t utf8_check(struct str s)
{
	size_t i = 0;
	uint32_t code;

	while (i < s.n) {
		size_t length;

		i = skip_ascii(s, i);
		if (i == s.n)
			break;
		length = utf8_decode(s.p + i, s.n - i, &code);
		if (length == 0)
			break;
		i += length;
	}
	return i;
}

struct str utf8_cut(struct str s, size_t max)
{
	size_t at = max;
	uint32_t code;

	if (s.n <= max)
		return s;
	while (at > 0 && max - at < 3 && utf8_is_tail(s.p[at]))
		at--;
	return str_of(s.p, utf8_decode(s.p + at, s.n - at, &code) > max - at ? at : max);
}

size_t utf8_count(struct str s)
{
	size_t count = 0, i = 0;
	uint32_t code;

	while (i < s.n) {
		size_t next = skip_ascii(s, i);

		count += next - i;
		i = next;
		if (i == s.n)
			break;
		next = utf8_decode(s.p + i, s.n - i, &code);
		i += next ? next : 1;
		count++;
	}
	return count;
}

size_t utf8_width(struct str s)
{
	size_t columns = 0, i = 0;
	uint32_t code;

	while (i < s.n) {
		size_t length = utf8_decode(s.p + i, s.n - i, &code);

		columns += length ? utf8_width_of(code) : 1;
		i += length ? length : 1;
	}
	return columns;
}

/*
 * UTF-8 orders by code point. UTF-16 differs in one thing: a character from U+10000 on begins with
 * a surrogate, D800 to DBFF, and so comes before U+E000 to U+FFFF. Where two well-formed texts first
 * differ, either both bytes begin a character or both continue characters of the same length, and
 * only in the first case can EE or EF meet F0 to F4.
 */
int utf8_cmp_utf16(struct str a, struct str b)
{
	size_t n = a.n < b.n ? a.n : b.n, i = 0;
	unsigned char x, y;

	while (n - i >= 8 && utf8_load64(a.p + i) == utf8_load64(b.p + i))
		i += 8;
	while (i < n && a.p[i] == b.p[i])
		i++;
	if (i == n)
		return (a.n > b.n) - (a.n < b.n);
	x = (unsigned char)a.p[i];
	y = (unsigned char)b.p[i];
	if (x >= 0xee && y >= 0xee && (x >= 0xf0) != (y >= 0xf0))
		return x >= 0xf0 ? -1 : 1;
	return x < y ? -1 : 1;
}

bool utf8_is_deceptive(uint32_t code)
{
	static const uint32_t ranges[][2] = {
		{ 0x80, 0x9f },     { 0x061c, 0x061c }, { 0x200b, 0x200b }, { 0x200e, 0x200f },
		{ 0x2028, 0x202e }, { 0x2060, 0x2069 }, { 0xfeff, 0xfeff }, { 0xfff9, 0xfffb },
		{ 0xe0000, 0xe007f },
	};

	for (size_t i = 0; i < COUNT(ranges); i++)
		if (code >= ranges[i][0] && code <= ranges[i][1])
			return true;
	return false;
}
