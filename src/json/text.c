/* Runs without escapes are copied whole; memchr finds the next backslash faster than a loop would. */
#include "json/text.h"

#include "base/utf8.h"

static const int8_t hex_value[256] = {
	['0'] = 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, ['A'] = 11, 12, 13, 14, 15, 16, ['a'] = 11, 12, 13, 14, 15, 16,
};

uint32_t text_hex4(const uint8_t *p)
{
	uint32_t v = 0;

	for (int i = 0; i < 4; i++) {
		if (!hex_value[p[i]])
			return UINT32_MAX;
		v = v << 4 | (uint32_t)(hex_value[p[i]] - 1);
	}
	return v;
}

/* The code point of the \u escape at p (which begins at the backslash) and how long it is. */
static uint32_t text_read_unicode(const char *p, const char *end, size_t *length)
{
	uint32_t high = text_hex4((const uint8_t *)p + 2), low;

	*length = 6;
	if (high < 0xd800 || high > 0xdfff)
		return high;
	if (high > 0xdbff || end - p < 12 || p[6] != '\\' || p[7] != 'u')
		return 0xfffd;
	low = text_hex4((const uint8_t *)p + 8);
	if (low < 0xdc00 || low > 0xdfff)
		return 0xfffd;
	*length = 12;
	return 0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00);
}

static const char plain_of[256] = {
	['"'] = '"', ['\\'] = '\\', ['/'] = '/', ['b'] = '\b', ['f'] = '\f', ['n'] = '\n', ['r'] = '\r', ['t'] = '\t',
};

size_t text_unescape(char *out, struct str raw)
{
	const char *p = raw.p, *end = raw.p + raw.n;
	char *at = out;

	while (p < end) {
		const char *slash = memchr(p, '\\', (size_t)(end - p));
		size_t run = (size_t)((slash ? slash : end) - p), length;

		memcpy(at, p, run);
		at += run;
		p += run;
		if (!slash)
			break;
		if (p[1] != 'u') {
			*at++ = plain_of[(uint8_t)p[1]];
			p += 2;
		} else {
			at += utf8_encode(at, text_read_unicode(p, end, &length));
			p += length;
		}
	}
	return (size_t)(at - out);
}

/* Two bytes for what has a short form, else six; gives how many were written. */
static size_t escape_byte(char *out, uint8_t c)
{
	static const char letter[32] = { [8] = 'b', [9] = 't', [10] = 'n', [12] = 'f', [13] = 'r' };
	static const char hex[] = "0123456789abcdef";

	out[0] = '\\';
	if (c >= 0x20 || letter[c]) {
		out[1] = c >= 0x20 ? (char)c : letter[c];
		return 2;
	}
	memcpy(out + 1, "u00", 3);
	out[4] = hex[c >> 4];
	out[5] = hex[c & 15];
	return 6;
}

static bool needs_escape(uint8_t c)
{
	return c < 0x20 || c == '"' || c == '\\';
}

size_t text_escape(char *out, struct str value)
{
	char *at = out;

	for (size_t i = 0; i < value.n; i++) {
		uint8_t c = (uint8_t)value.p[i];

		if (needs_escape(c))
			at += escape_byte(at, c);
		else
			*at++ = (char)c;
	}
	return (size_t)(at - out);
}

void text_quote(struct buf *out, struct str value)
{
	char *at = buf_reserve(out, value.n * 6 + 2);
	size_t n;

	at[0] = '"';
	n = text_escape(at + 1, value);
	at[n + 1] = '"';
	out->n += n + 2;
}

size_t text_minimal(char *out, struct str raw)
{
	const char *p = raw.p, *end = raw.p + raw.n;
	char *at = out;

	while (p < end) {
		const char *slash = memchr(p, '\\', (size_t)(end - p));
		size_t run = (size_t)((slash ? slash : end) - p), length;
		uint32_t code;

		memcpy(at, p, run);
		at += run;
		p += run;
		if (!slash)
			break;
		if (p[1] == '/') {
			*at++ = '/';
			p += 2;
			continue;
		}
		if (p[1] != 'u') {
			memcpy(at, p, 2);
			at += 2;
			p += 2;
			continue;
		}
		code = text_read_unicode(p, end, &length);
		p += length;
		if (code < 0x80 && needs_escape((uint8_t)code))
			at += escape_byte(at, (uint8_t)code);
		else
			at += utf8_encode(at, code);
	}
	return (size_t)(at - out);
}
