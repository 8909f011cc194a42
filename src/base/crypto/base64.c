#include "base/crypto/base64.h"

#include <stdint.h>

#include "base/ascii.h"

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

void base64_add(struct buf *out, struct str bytes)
{
	char *to = buf_reserve(out, bytes.n / 3 * 4 + 4);
	const uint8_t *p = (const uint8_t *)bytes.p;
	size_t n = 0, i = 0;

	for (; i + 2 < bytes.n; i += 3) {
		uint32_t v = (uint32_t)p[i] << 16 | (uint32_t)p[i + 1] << 8 | p[i + 2];

		to[n++] = digits[v >> 18];
		to[n++] = digits[v >> 12 & 63];
		to[n++] = digits[v >> 6 & 63];
		to[n++] = digits[v & 63];
	}
	if (i < bytes.n) {
		uint32_t v = (uint32_t)p[i] << 16 | (i + 1 < bytes.n ? (uint32_t)p[i + 1] << 8 : 0);

		to[n++] = digits[v >> 18];
		to[n++] = digits[v >> 12 & 63];
		to[n++] = i + 1 < bytes.n ? digits[v >> 6 & 63] : '=';
		to[n++] = '=';
	}
	out->n += n;
}

/* 0 to 63, or 64 for what is no digit. */
static uint32_t digit_of(char c)
{
	if (ascii_is_upper(c))
		return (uint32_t)(c - 'A');
	if (ascii_is_lower(c))
		return (uint32_t)(c - 'a') + 26;
	if (ascii_is_digit(c))
		return (uint32_t)(c - '0') + 52;
	return c == '+' ? 62 : c == '/' ? 63 : 64;
}

bool base64_parse(struct buf *out, struct str text)
{
	size_t before = out->n, pads = 0;
	uint32_t bits = 0;

	if (text.n % 4)
		return false;
	if (text.n && text.p[text.n - 1] == '=')
		pads = text.p[text.n - 2] == '=' ? 2 : 1;
	buf_reserve(out, text.n / 4 * 3);
	for (size_t i = 0; i < text.n; i++) {
		uint32_t d = i + pads >= text.n ? 0 : digit_of(text.p[i]);

		if (d > 63) {
			out->n = before;
			return false;
		}
		bits = bits << 6 | d;
		if (i % 4 < 3)
			continue;
		buf_add_byte(out, (char)(bits >> 16 & 255));
		buf_add_byte(out, (char)(bits >> 8 & 255));
		buf_add_byte(out, (char)(bits & 255));
		bits = 0;
	}
	/* the bits that the padding leaves over must be 0: bytes have one spelling */
	for (size_t i = 0; i < pads; i++)
		if (out->p[--out->n] != 0) {
			out->n = before;
			return false;
		}
	return true;
}

bool base64_parse_bytes(void *out, size_t n, struct str text)
{
	struct buf bytes;
	bool is;

	if (text.n != (n + 2) / 3 * 4)
		return false;
	buf_init(&bytes);
	is = base64_parse(&bytes, text) && bytes.n == n;
	if (is && n > 0)
		memcpy(out, bytes.p, n);
	if (bytes.p)
		explicit_bzero(bytes.p, bytes.cap); /* it may have been a private key */
	buf_free(&bytes);
	return is;
}
