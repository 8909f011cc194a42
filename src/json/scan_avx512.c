/* The AVX-512 variant: 64 bytes in one register, comparisons straight into bitmaps. */
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

static inline __m512i load(const uint8_t *p)
{
	return _mm512_loadu_si512(p);
}

static inline uint64_t is(__m512i x, char c)
{
	return _mm512_cmpeq_epi8_mask(x, _mm512_set1_epi8(c));
}

static inline struct quotes quotes_read(const uint8_t *p)
{
	__m512i x = load(p);

	return (struct quotes){
		.quote = is(x, '"'),
		.slash = is(x, '\\'),
		.control = _mm512_cmple_epu8_mask(x, _mm512_set1_epi8(0x1f)),
	};
}

static inline struct marks marks_read(const uint8_t *p)
{
	/* By low nibble: space, tab, CR, comma, colon; LF shares its nibble with the colon. */
	const __m512i filler = _mm512_broadcast_i32x4(
		_mm_setr_epi8(' ', 0, 0, 0, 0, 0, 0, 0, 0, '\t', ':', 0, ',', '\r', 0, 0));
	__m512i x = load(p), folded = _mm512_or_si512(x, _mm512_set1_epi8(0x20));
	struct marks m;

	m.bracket = is(folded, '{') | is(folded, '}');
	m.newline = is(x, '\n');
	m.delim = _mm512_cmpeq_epi8_mask(_mm512_shuffle_epi8(filler, x), x) | m.bracket | m.newline;
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

static inline __m256i load_half(const uint8_t *p)
{
	return _mm256_loadu_si256((const __m256i *)(const void *)p);
}

static inline uint32_t bytes_equal(const uint8_t *a, const uint8_t *b)
{
	return _mm256_cmpeq_epi8_mask(load_half(a), load_half(b));
}

static inline uint32_t bytes_digit(const uint8_t *p)
{
	__m256i x = _mm256_sub_epi8(load_half(p), _mm256_set1_epi8('0'));

	return _mm256_cmple_epu8_mask(x, _mm256_set1_epi8(9));
}

struct utf8 {
	__m512i before, wrong;
	uint64_t open; /* not zero when `before` ends inside a character */
};

#define TABLE(...) _mm512_broadcast_i32x4(TABLE_(__VA_ARGS__))
#define TABLE_(...) _mm_setr_epi8(__VA_ARGS__)

/* The bytes one place (or two, three) earlier. */
static inline __m512i shifted(__m512i x, __m512i before, const int n)
{
	__m512i lanes = _mm512_alignr_epi64(x, before, 6); /* each 128-bit lane's left neighbour */

	return n == 1 ? _mm512_alignr_epi8(x, lanes, 15)
	     : n == 2 ? _mm512_alignr_epi8(x, lanes, 14)
		      : _mm512_alignr_epi8(x, lanes, 13);
}

static inline __m512i high_nibble(__m512i x)
{
	return _mm512_and_si512(_mm512_srli_epi16(x, 4), _mm512_set1_epi8(15));
}

static inline __m512i pair_faults(__m512i x, __m512i prev)
{
	const __m512i by_prev_high = TABLE(UTF8_BY_PREV_HIGH), by_prev_low = TABLE(UTF8_BY_PREV_LOW);
	const __m512i by_high = TABLE(UTF8_BY_HIGH);

	return _mm512_and_si512(
		_mm512_and_si512(_mm512_shuffle_epi8(by_prev_high, high_nibble(prev)),
				 _mm512_shuffle_epi8(by_prev_low, _mm512_and_si512(prev, _mm512_set1_epi8(15)))),
		_mm512_shuffle_epi8(by_high, high_nibble(x)));
}

static inline __m512i block_faults(__m512i x, __m512i before)
{
	__m512i third = _mm512_subs_epu8(shifted(x, before, 2), _mm512_set1_epi8(S8(0xe0 - 0x80)));
	__m512i fourth = _mm512_subs_epu8(shifted(x, before, 3), _mm512_set1_epi8(S8(0xf0 - 0x80)));
	__m512i must = _mm512_and_si512(_mm512_or_si512(third, fourth), _mm512_set1_epi8(S8(0x80)));

	return _mm512_xor_si512(must, pair_faults(x, shifted(x, before, 1)));
}

/* Not zero when the last three bytes begin a character they do not finish. */
static inline uint64_t unfinished(__m512i x)
{
	return (_mm512_cmpge_epu8_mask(x, _mm512_set1_epi8(S8(0xc0))) & (uint64_t)1 << 63) |
	       (_mm512_cmpge_epu8_mask(x, _mm512_set1_epi8(S8(0xe0))) & (uint64_t)1 << 62) |
	       (_mm512_cmpge_epu8_mask(x, _mm512_set1_epi8(S8(0xf0))) & (uint64_t)1 << 61);
}

static inline void utf8_begin(struct utf8 *u, const struct scan *s)
{
	(void)s;
	u->before = u->wrong = _mm512_setzero_si512();
	u->open = 0;
}

static inline void utf8_block(struct utf8 *u, const uint8_t *p)
{
	__m512i x = load(p);

	if (_mm512_movepi8_mask(x) == 0) {
		if (u->open)
			u->wrong = _mm512_set1_epi8(1);
		u->open = 0;
	} else {
		u->wrong = _mm512_or_si512(u->wrong, block_faults(x, u->before));
		u->open = unfinished(x);
	}
	u->before = x;
}

static inline bool utf8_ok(const struct utf8 *u)
{
	return !u->open && _mm512_test_epi8_mask(u->wrong, u->wrong) == 0;
}

#include "json/scan_body.h"

const struct scan_variant scan_avx512 = { "avx512", scan_run };
