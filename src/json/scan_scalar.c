/* The portable variant: plain C on 64-bit words, for machines without a SIMD variant of their own. */
#include <string.h>

#include "base/utf8.h"
#include "json/scan.h"

struct quotes {
	uint64_t quote, slash, control;
};

struct marks {
	uint64_t bracket, newline, delim;
};

enum { QUOTE = 1, SLASH = 2, CONTROL = 4, BRACKET = 8, DELIM = 16, NEWLINE = 32 };

/* A bit for each class that a byte is in: one look-up tells all of them. */
static const uint8_t class_of[256] = {
	[0] = CONTROL, CONTROL, CONTROL, CONTROL, CONTROL, CONTROL, CONTROL, CONTROL, CONTROL,
	['\t'] = CONTROL | DELIM,
	['\n'] = CONTROL | DELIM | NEWLINE,
	[11] = CONTROL, CONTROL,
	['\r'] = CONTROL | DELIM,
	[14] = CONTROL, CONTROL, CONTROL, CONTROL, CONTROL, CONTROL, CONTROL, CONTROL, CONTROL,
	[23] = CONTROL, CONTROL, CONTROL, CONTROL, CONTROL, CONTROL, CONTROL, CONTROL, CONTROL,
	[' '] = DELIM,
	[','] = DELIM,
	[':'] = DELIM,
	['"'] = QUOTE,
	['\\'] = SLASH,
	['['] = BRACKET | DELIM,
	[']'] = BRACKET | DELIM,
	['{'] = BRACKET | DELIM,
	['}'] = BRACKET | DELIM,
};

/* Eight bytes' classes, one bit of each gathered by a multiplication that lines them up. */
static inline uint64_t gather(uint64_t classes, unsigned shift)
{
	return (classes >> shift & 0x0101010101010101u) * 0x0102040810204080u >> 56;
}

static inline uint64_t classes_of(const uint8_t *p)
{
	uint64_t c = 0;

	for (unsigned j = 0; j < 8; j++)
		c |= (uint64_t)class_of[p[j]] << (8 * j);
	return c;
}

static inline struct quotes quotes_read(const uint8_t *p)
{
	struct quotes k = { 0 };

	for (unsigned i = 0; i < 64; i += 8) {
		uint64_t c = classes_of(p + i);

		k.quote |= gather(c, 0) << i;
		k.slash |= gather(c, 1) << i;
		k.control |= gather(c, 2) << i;
	}
	return k;
}

static inline struct marks marks_read(const uint8_t *p)
{
	struct marks m = { 0 };

	for (unsigned i = 0; i < 64; i += 8) {
		uint64_t c = classes_of(p + i);

		m.bracket |= gather(c, 3) << i;
		m.delim |= gather(c, 4) << i;
		m.newline |= gather(c, 5) << i;
	}
	return m;
}

static inline uint64_t bits_first(uint64_t x)
{
	return (uint64_t)__builtin_ctzll(x | (uint64_t)1 << 63);
}

/* Six shifts instead of a carry-less multiplication. */
static inline uint64_t bits_prefix_xor(uint64_t x)
{
	for (unsigned shift = 1; shift < 64; shift *= 2)
		x ^= x << shift;
	return x;
}

#define EACH(byte) (UINT64_C(0x0101010101010101) * (byte))

/* Eight bytes, the first lowest, on any machine; compilers make one load of it where they can. */
static inline uint64_t word_at(const uint8_t *p)
{
	uint64_t w = 0;

	for (unsigned j = 0; j < 8; j++)
		w |= (uint64_t)p[j] << (8 * j);
	return w;
}

/* A bit for each byte below `limit`, which is at most 0x80: adding carries into the top bit from there on. */
static inline uint32_t below(uint64_t w, uint8_t limit)
{
	uint64_t over = ((w & EACH(0x7f)) + EACH(0x80u - limit)) | w;

	return (uint32_t)gather(~over >> 7, 0);
}

static inline uint32_t bytes_equal(const uint8_t *a, const uint8_t *b)
{
	uint32_t equal = 0;

	for (unsigned i = 0; i < 32; i += 8)
		equal |= below(word_at(a + i) ^ word_at(b + i), 1) << i;
	return equal;
}

static inline uint32_t bytes_digit(const uint8_t *p)
{
	uint32_t digit = 0;

	for (unsigned i = 0; i < 32; i += 8)
		digit |= below(word_at(p + i) ^ EACH('0'), 10) << i;
	return digit;
}

/* Only notes whether there is anything but ASCII; if so, base checks the whole batch once at the end. */
struct utf8 {
	const struct scan *s;
	uint64_t high;
};

static inline void utf8_begin(struct utf8 *u, const struct scan *s)
{
	*u = (struct utf8){ .s = s };
}

static inline void utf8_block(struct utf8 *u, const uint8_t *p)
{
	for (unsigned i = 0; i < 64; i += 8) {
		uint64_t w;

		memcpy(&w, p + i, 8);
		u->high |= w;
	}
}

static inline bool utf8_ok(const struct utf8 *u)
{
	size_t n = u->s->to - u->s->from;

	return !(u->high & 0x8080808080808080u) || utf8_check(str_of(u->s->text + u->s->from, n)) == n;
}

#include "json/scan_body.h"

const struct scan_variant scan_scalar = { "scalar", scan_run };
