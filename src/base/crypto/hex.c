#include "base/crypto/hex.h"

#include "base/ascii.h"

void hex_format(char *out, const void *bytes, size_t n)
{
	static const char digits[] = "0123456789abcdef";
	const uint8_t *b = bytes;

	for (size_t i = 0; i < n; i++) {
		*out++ = digits[b[i] >> 4];
		*out++ = digits[b[i] & 15];
	}
}

int hex_value(char digit)
{
	if (!ascii_is_hex(digit))
		return -1;
	return ascii_is_digit(digit) ? digit - '0' : ascii_lower(digit) - 'a' + 10;
}

bool hex_parse(struct str digits, void *bytes, size_t n)
{
	uint8_t *b = bytes;

	if (digits.n / 2 != n || digits.n % 2 != 0)
		return false;
	for (size_t i = 0; i < n; i++) {
		int high = hex_value(digits.p[2 * i]), low = hex_value(digits.p[2 * i + 1]);

		if (high < 0 || low < 0)
			return false;
		b[i] = (uint8_t)(high << 4 | low);
	}
	return true;
}
