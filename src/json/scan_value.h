/*
 * Pieces of the second pass: gaps between places, numbers and literals.
 * Included by scan_body.h, once per variant, after the primitives it names; hence static throughout.
 */
#ifndef JSON_SCAN_VALUE_H
#define JSON_SCAN_VALUE_H

/* The end of what stands before offset e, white space skipped. */
INLINE uint32_t trim(const uint8_t *b, uint32_t e)
{
	while (scan_is_space(b[e - 1]))
		e--;
	return e;
}

/* Nothing but white space between two offsets. */
INLINE bool blank(const uint8_t *b, uint32_t from, uint32_t to)
{
	while (from < to && scan_is_space(b[from]))
		from++;
	return from == to;
}

/* Where a value before the place q ends when a comma must stand between; 0 when none does. */
INLINE uint32_t before_comma(const uint8_t *b, uint32_t q)
{
	uint32_t e = q - 1;

	if (b[e] != ',')
		e = trim(b, q) - 1;
	return b[e] == ',' ? e : 0;
}

INLINE void set(struct json_tok *t, uint32_t off, uint32_t len, uint8_t type, uint8_t flags)
{
	*t = (struct json_tok){ .off = off, .len = len, .type = type, .flags = flags };
}

/* A mask of the first six bytes of a word in memory, whatever the byte order. */
INLINE uint64_t first_six_bytes(void)
{
	uint64_t m;

	memcpy(&m, "\xff\xff\xff\xff\xff\xff\0\0", 8);
	return m;
}

/*
 * Whether "0.000001" and larger: at most five zeros after the point. Smaller ones have an exponent in
 * their canonical form.
 */
INLINE bool plain_fraction(const uint8_t *p)
{
	uint64_t word, six_zeros;

	memcpy(&word, p, 8);
	memcpy(&six_zeros, "000000\0\0", 8);
	return ((word ^ six_zeros) & first_six_bytes()) != 0;
}

/*
 * Whether an exponent stands at j and goes on to n, the number's end. `digits` has a bit for each byte that is a digit.
 */
INLINE bool exponent(const uint8_t *b, uint32_t j, uint32_t n, uint64_t digits)
{
	if ((b[j] | 0x20) != 'e')
		return false;
	j++;
	j += b[j] == '+' || b[j] == '-';
	return j < n && j + (unsigned)__builtin_ctzll(~(digits >> j)) == n;
}

/* A number of n bytes at p, at most 32 of them. */
INLINE bool number(struct json_tok *t, const uint8_t *text, uint32_t p, uint32_t n)
{
	const uint8_t *b = text + p;
	uint64_t digits;
	uint32_t sign = b[0] == '-', whole, j, part = 0;
	bool zero, plain;

	if (n > 32)
		return false;
	digits = bytes_digit(b) & (((uint64_t)1 << n) - 1); /* at the end of the text anything may follow */
	whole = (uint32_t)__builtin_ctzll(~(digits >> sign));
	zero = b[sign] == '0';
	j = sign + whole;
	if (whole == 0 || (whole > 1 && zero))
		return false;
	if (j == n) {
		/* No branches: how many digits a number has is as good as random. */
		plain = (whole <= 15) & !(sign & zero);
		set(t, p, n, JSON_NUMBER, plain ? JSON_INTEGER : JSON_INTEGER | JSON_REWRITE);
		return true;
	}
	if (b[j] == '.') {
		part = (uint32_t)__builtin_ctzll(~(digits >> (j + 1)));
		if (part == 0)
			return false;
		j += 1 + part;
	}
	if (j == n) {
		plain = (whole - zero + part <= 15) & (b[n - 1] != '0') & (!zero | plain_fraction(b + sign + 2));
		set(t, p, n, JSON_NUMBER, plain ? 0 : JSON_REWRITE);
		return true;
	}
	set(t, p, n, JSON_NUMBER, JSON_REWRITE);
	return exponent(b, j, n, digits);
}

/* true, false or null, and nothing else of the same length. */
INLINE bool literal(struct json_tok *t, const uint8_t *text, uint32_t p, uint32_t n)
{
	const uint8_t *b = text + p;

	if (n == 4 && memcmp(b, "true", 4) == 0)
		set(t, p, n, JSON_TRUE, 0);
	else if (n == 4 && memcmp(b, "null", 4) == 0)
		set(t, p, n, JSON_NULL, 0);
	else if (n == 5 && memcmp(b, "false", 5) == 0)
		set(t, p, n, JSON_FALSE, 0);
	else
		return false;
	return true;
}

#endif
