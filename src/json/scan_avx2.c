/* The AVX2 variant, two 32-byte halves at a time. Built with the flags of its instruction set. */
#include <immintrin.h>
#include <string.h>

#include "json/scan.h"
#include "json/scan_utf8.h"

struct quotes {
	uint64_t quote, slash, control;
};

struct marks {
	uint64_t bracket, newline, delim;
};

#define TWICE(...) TWICE_(__VA_ARGS__)
#define TWICE_(...) _mm256_setr_epi8(__VA_ARGS__, __VA_ARGS__) /* a table for each 16-byte lane */

static inline __m256i load(const uint8_t *p)
{
	return _mm256_loadu_si256((const __m256i *)(const void *)p);
}

static inline uint64_t mask(__m256i low, __m256i high)
{
	return (uint32_t)_mm256_movemask_epi8(low) | (uint64_t)(uint32_t)_mm256_movemask_epi8(high) << 32;
}

static inline __m256i is(__m256i x, char c)
{
	return _mm256_cmpeq_epi8(x, _mm256_set1_epi8(c));
}

static inline __m256i is_bracket(__m256i x)
{
	__m256i folded = _mm256_or_si256(x, _mm256_set1_epi8(0x20)); /* [ and { differ in that bit alone */

	return _mm256_or_si256(is(folded, '{'), is(folded, '}'));
}

/* Space, tab, CR, comma and colon by a look-up of the low nibble; LF shares its nibble with the colon. */
static inline __m256i is_filler(__m256i x)
{
	const __m256i table = TWICE(' ', 0, 0, 0, 0, 0, 0, 0, 0, '\t', ':', 0, ',', '\r', 0, 0);

	return _mm256_cmpeq_epi8(_mm256_shuffle_epi8(table, x), x);
}

static inline __m256i is_control(__m256i x)
{
	return _mm256_cmpeq_epi8(_mm256_min_epu8(x, _mm256_set1_epi8(0x1f)), x);
}

static inline struct quotes quotes_read(const uint8_t *p)
{
	__m256i a = load(p), b = load(p + 32);

	return (struct quotes){
		.quote = mask(is(a, '"'), is(b, '"')),
		.slash = mask(is(a, '\\'), is(b, '\\')),
		.control = mask(is_control(a), is_control(b)),
	};
}

static inline struct marks marks_read(const uint8_t *p)
{
	__m256i a = load(p), b = load(p + 32);
	__m256i bracket_a = is_bracket(a), bracket_b = is_bracket(b);
	struct marks m;

	m.bracket = mask(bracket_a, bracket_b);
	m.newline = mask(is(a, '\n'), is(b, '\n'));
	m.delim = mask(_mm256_or_si256(is_filler(a), bracket_a), _mm256_or_si256(is_filler(b), bracket_b)) | m.newline;
	return m;
}

static inline uint64_t bits_first(uint64_t x)
{
	return _tzcnt_u64(x);
}

static inline uint64_t bits_prefix_xor(uint64_t x)
{
	__m128i r = _mm_clmulepi64_si128(_mm_cvtsi64_si128((long long)x), _mm_set1_epi8(-1), 0);

	return (uint64_t)_mm_cvtsi128_si64(r);
}

static inline uint32_t bytes_equal(const uint8_t *a, const uint8_t *b)
{
	return (uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(load(a), load(b)));
}

static inline uint32_t bytes_digit(const uint8_t *p)
{
	__m256i x = _mm256_sub_epi8(load(p), _mm256_set1_epi8('0'));

	return (uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(_mm256_min_epu8(x, _mm256_set1_epi8(9)), x));
}

struct utf8 {
	__m256i before; /* the 32 bytes before the block */
	__m256i open;   /* not zero where `before` ends inside a character */
	__m256i wrong;
};

/* The bytes one place (or two, three) earlier, those of the register before included. */
static inline __m256i shifted(__m256i x, __m256i before, const int n)
{
	__m256i middle = _mm256_permute2x128_si256(before, x, 0x21);

	return n == 1 ? _mm256_alignr_epi8(x, middle, 15)
	     : n == 2 ? _mm256_alignr_epi8(x, middle, 14)
		      : _mm256_alignr_epi8(x, middle, 13);
}

static inline __m256i high_nibble(__m256i x)
{
	return _mm256_and_si256(_mm256_srli_epi16(x, 4), _mm256_set1_epi8(15));
}

/* The faults that the two nibbles of the byte before and the high nibble of the byte itself all allow. */
static inline __m256i pair_faults(__m256i x, __m256i prev)
{
	const __m256i by_prev_high = TWICE(UTF8_BY_PREV_HIGH), by_prev_low = TWICE(UTF8_BY_PREV_LOW);
	const __m256i by_high = TWICE(UTF8_BY_HIGH);

	return _mm256_and_si256(
		_mm256_and_si256(_mm256_shuffle_epi8(by_prev_high, high_nibble(prev)),
				 _mm256_shuffle_epi8(by_prev_low, _mm256_and_si256(prev, _mm256_set1_epi8(15)))),
		_mm256_shuffle_epi8(by_high, high_nibble(x)));
}

static inline __m256i half_faults(__m256i x, __m256i before)
{
	__m256i faults = pair_faults(x, shifted(x, before, 1));
	__m256i third = _mm256_subs_epu8(shifted(x, before, 2), _mm256_set1_epi8(S8(0xe0 - 0x80)));
	__m256i fourth = _mm256_subs_epu8(shifted(x, before, 3), _mm256_set1_epi8(S8(0xf0 - 0x80)));
	__m256i must = _mm256_and_si256(_mm256_or_si256(third, fourth), _mm256_set1_epi8(S8(0x80)));

	return _mm256_xor_si256(must, faults); /* two continuations are right exactly where they must be */
}

/* Not zero when the last three bytes begin a character they do not finish. */
static inline __m256i unfinished(__m256i x)
{
	const __m256i limit = _mm256_setr_epi8(
		-1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1,
		-1, -1, -1, -1, S8(0xf0 - 1), S8(0xe0 - 1), S8(0xc0 - 1));

	return _mm256_subs_epu8(x, limit);
}

static inline void utf8_begin(struct utf8 *u, const struct scan *s)
{
	(void)s;
	u->before = u->open = u->wrong = _mm256_setzero_si256();
}

/* Pure ASCII, the common case, needs no look-up: it is wrong only behind a character that was not finished. */
static inline void utf8_block(struct utf8 *u, const uint8_t *p)
{
	__m256i a = load(p), b = load(p + 32);

	if (_mm256_movemask_epi8(_mm256_or_si256(a, b)) == 0) {
		u->wrong = _mm256_or_si256(u->wrong, u->open);
		u->open = _mm256_setzero_si256();
		u->before = b;
		return;
	}
	u->wrong = _mm256_or_si256(u->wrong, _mm256_or_si256(half_faults(a, u->before), half_faults(b, a)));
	u->open = unfinished(b);
	u->before = b;
}

static inline bool utf8_ok(const struct utf8 *u)
{
	__m256i wrong = _mm256_or_si256(u->wrong, u->open);

	return _mm256_testz_si256(wrong, wrong);
}

#include "json/scan_body.h"

const struct scan_variant scan_avx2 = { "avx2", scan_run };
