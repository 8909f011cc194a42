/* The NEON variant for 64-bit ARM: four registers of 16 bytes, their masks packed by pairwise sums. */
#include <arm_neon.h>
#include <string.h>

#include "base/utf8.h"
#include "json/scan.h"

struct quotes {
	uint64_t quote, slash, control;
};

struct marks {
	uint64_t bracket, newline, delim;
};

struct quad {
	uint8x16_t v[4];
};

static inline struct quad load(const uint8_t *p)
{
	return (struct quad){ { vld1q_u8(p), vld1q_u8(p + 16), vld1q_u8(p + 32), vld1q_u8(p + 48) } };
}

/* One bit a byte: keep bit i of byte i (mod 8), then add neighbours three times. */
static inline uint64_t mask(struct quad q)
{
	static const uint8_t place[16] = { 1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128 };
	const uint8x16_t bits = vld1q_u8(place);
	uint8x16_t low = vpaddq_u8(vandq_u8(q.v[0], bits), vandq_u8(q.v[1], bits));
	uint8x16_t high = vpaddq_u8(vandq_u8(q.v[2], bits), vandq_u8(q.v[3], bits));
	uint8x16_t sum = vpaddq_u8(low, high);

	return vgetq_lane_u64(vreinterpretq_u64_u8(vpaddq_u8(sum, sum)), 0);
}

static inline uint64_t is(struct quad q, uint8_t c)
{
	for (int i = 0; i < 4; i++)
		q.v[i] = vceqq_u8(q.v[i], vdupq_n_u8(c));
	return mask(q);
}

static inline struct quotes quotes_read(const uint8_t *p)
{
	struct quad x = load(p), control;

	for (int i = 0; i < 4; i++)
		control.v[i] = vcltq_u8(x.v[i], vdupq_n_u8(0x20));
	return (struct quotes){ .quote = is(x, '"'), .slash = is(x, '\\'), .control = mask(control) };
}

static inline struct marks marks_read(const uint8_t *p)
{
	static const uint8_t by_nibble[16] = { ' ', 0, 0, 0, 0, 0, 0, 0, 0, '\t', ':', 0, ',', '\r', 0, 0 };
	const uint8x16_t table = vld1q_u8(by_nibble);
	struct quad x = load(p), bracket, filler;
	struct marks m;

	for (int i = 0; i < 4; i++) {
		uint8x16_t folded = vorrq_u8(x.v[i], vdupq_n_u8(0x20));

		bracket.v[i] = vorrq_u8(vceqq_u8(folded, vdupq_n_u8('{')), vceqq_u8(folded, vdupq_n_u8('}')));
		filler.v[i] = vceqq_u8(vqtbl1q_u8(table, vandq_u8(x.v[i], vdupq_n_u8(15))), x.v[i]);
	}
	m.bracket = mask(bracket);
	m.newline = is(x, '\n');
	m.delim = mask(filler) | m.bracket | m.newline;
	return m;
}

static inline uint64_t bits_first(uint64_t x)
{
	return (uint64_t)__builtin_ctzll(x | (uint64_t)1 << 63);
}

static inline uint64_t bits_prefix_xor(uint64_t x)
{
	for (unsigned shift = 1; shift < 64; shift *= 2)
		x ^= x << shift;
	return x;
}

static inline uint32_t pair_mask(uint8x16_t a, uint8x16_t b)
{
	struct quad q = { { a, b, vdupq_n_u8(0), vdupq_n_u8(0) } };

	return (uint32_t)mask(q);
}

static inline uint32_t bytes_equal(const uint8_t *a, const uint8_t *b)
{
	return pair_mask(vceqq_u8(vld1q_u8(a), vld1q_u8(b)), vceqq_u8(vld1q_u8(a + 16), vld1q_u8(b + 16)));
}

static inline uint32_t bytes_digit(const uint8_t *p)
{
	uint8x16_t a = vsubq_u8(vld1q_u8(p), vdupq_n_u8('0')), b = vsubq_u8(vld1q_u8(p + 16), vdupq_n_u8('0'));

	return pair_mask(vcltq_u8(a, vdupq_n_u8(10)), vcltq_u8(b, vdupq_n_u8(10)));
}

/* Non-ASCII text is checked once more by base: the exact tables pay off on wider registers only. */
struct utf8 {
	const struct scan *s;
	uint8x16_t high;
};

static inline void utf8_begin(struct utf8 *u, const struct scan *s)
{
	u->s = s;
	u->high = vdupq_n_u8(0);
}

static inline void utf8_block(struct utf8 *u, const uint8_t *p)
{
	struct quad x = load(p);

	u->high = vorrq_u8(u->high, vorrq_u8(vorrq_u8(x.v[0], x.v[1]), vorrq_u8(x.v[2], x.v[3])));
}

static inline bool utf8_ok(const struct utf8 *u)
{
	size_t n = u->s->to - u->s->from;

	return vmaxvq_u8(u->high) < 0x80 || utf8_check(str_of(u->s->text + u->s->from, n)) == n;
}

#include "json/scan_body.h"

const struct scan_variant scan_neon = { "neon", scan_run };
