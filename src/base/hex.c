#include "base/hex.h"

void hex_format(char *out, const void *bytes, size_t n)
{
	static const char digits[] = "0123456789abcdef";
	const uint8_t *b = bytes;

	for (size_t i = 0; i < n; i++) {
		*out++ = digits[b[i] >> 4];
		*out++ = digits[b[i] & 15];
	}
}

static int value_of(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}

bool hex_parse(struct str digits, void *bytes, size_t n)
{
	uint8_t *b = bytes;

	if (digits.n / 2 != n || digits.n % 2 != 0)
		return false;
	for (size_t i = 0; i < n; i++) {
		int high = value_of(digits.p[2 * i]), low = value_of(digits.p[2 * i + 1]);

		if (high < 0 || low < 0)
			return false;
		b[i] = (uint8_t)(high << 4 | low);
	}
	return true;
}
