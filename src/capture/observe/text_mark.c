/* The rolling hash is a polynomial over the bytes, modulo the prime 2^61 - 1, at a point that is the key. */
#include "capture/observe/text_mark.h"

#include "base/ascii.h"
#include "base/num_eight.h"
#include "base/seed.h"
#include "base/utf8.h"

#define PRIME ((UINT64_C(1) << 61) - 1)

static uint64_t multiply(uint64_t a, uint64_t b)
{
	__extension__ unsigned __int128 product = (unsigned __int128)a * b;
	uint64_t sum = (uint64_t)(product & PRIME) + (uint64_t)(product >> 61);

	return sum >= PRIME ? sum - PRIME : sum;
}

static uint64_t add(uint64_t a, uint64_t b)
{
	uint64_t sum = a + b;

	return sum >= PRIME ? sum - PRIME : sum;
}

/* Every byte counts, also NUL: a text and the same with NULs before it are two. */
static uint64_t roll(uint64_t hash, uint64_t key, char byte)
{
	return add(multiply(hash, key), (uint64_t)(unsigned char)byte + 1);
}

void text_marker_init(struct text_marker *m)
{
	sha256_init(&m->sha);
	m->key = seed_get() % (PRIME - 512) + 256;
}

void text_marker_free(struct text_marker *m)
{
	sha256_free(&m->sha);
}

struct text_mark text_mark_of(struct text_marker *m, struct str text)
{
	struct text_mark mark = { .bytes = text.n, .chars = utf8_count(text), .key = text_mark_key(text, 0) };

	for (size_t i = 0; i < text.n; i++)
		mark.rolling = roll(mark.rolling, m->key, text.p[i]);
	mark.sha = sha256_of(&m->sha, text);
	return mark;
}

uint64_t text_mark_key(struct str text, size_t least)
{
	uint64_t key;

	/* a code point has four bytes at most */
	if (text.n < 4 * least && utf8_count(text) < least)
		return 0;
	key = str_hash(text);
	return key ? key : 1;
}

bool text_mark_eq(const struct text_mark *a, const struct text_mark *b)
{
	return a->bytes == b->bytes && digest_eq(a->sha, b->sha);
}

/* key^n. */
static uint64_t power(uint64_t key, size_t n)
{
	uint64_t result = 1;

	for (; n; n >>= 1, key = multiply(key, key))
		if (n & 1)
			result = multiply(result, key);
	return result;
}

bool text_mark_is_in(struct text_marker *m, const struct text_mark *mark, struct str text)
{
	uint64_t first = power(m->key, mark->bytes), hash = 0;

	for (size_t i = 0; i < text.n; i++) {
		hash = roll(hash, m->key, text.p[i]);
		if (i >= mark->bytes) {
			uint64_t gone = multiply(first, (uint64_t)(unsigned char)text.p[i - mark->bytes] + 1);

			hash = add(hash, PRIME - gone);
		}
		if (i + 1 >= mark->bytes && hash == mark->rolling &&
		    digest_eq(sha256_of(&m->sha, str_of(text.p + i + 1 - mark->bytes, mark->bytes)), mark->sha))
			return true;
	}
	return mark->bytes == 0;
}

/* ---- runs: every piece of every answer passes here, so it takes words of eight bytes and no rolling ---- */

static uint64_t text_run_mix(uint64_t hash, uint64_t word, uint64_t key)
{
	__extension__ unsigned __int128 product = (unsigned __int128)(hash ^ word) * (key | 1);

	return (uint64_t)product ^ (uint64_t)(product >> 64);
}

static void text_run_take(struct text_run *r, struct str bytes, uint64_t key)
{
	uint64_t hash = r->hash;

	while (bytes.n && r->bytes & 7) {
		r->word |= (uint64_t)(unsigned char)bytes.p[0] << 8 * (r->bytes & 7);
		bytes = str_skip(bytes, 1);
		if ((++r->bytes & 7) == 0) {
			hash = text_run_mix(hash + key, r->word, key);
			r->word = 0;
		}
	}
	r->bytes += bytes.n;
	for (; bytes.n >= 8; bytes = str_skip(bytes, 8))
		hash = text_run_mix(hash + key, num_eight_load(bytes.p), key);
	for (size_t i = 0; i < bytes.n; i++)
		r->word |= (uint64_t)(unsigned char)bytes.p[i] << 8 * i;
	r->hash = hash;
}

/* What ends a piece in white space is taken too, for more may follow, but the digest is that of what stood before. */
void text_run_add(struct text_run *r, struct str piece)
{
	uint64_t key = seed_get();
	size_t n;

	while (!r->digest && piece.n && ascii_is_space(piece.p[0]))
		piece = str_skip(piece, 1);
	for (n = piece.n; n && ascii_is_space(piece.p[n - 1]);)
		n--;
	text_run_take(r, str_of(piece.p, n), key);
	if (n)
		r->digest = text_run_mix(text_run_mix(r->hash + key, r->word, key), r->bytes, key) | UINT64_C(1) << 63;
	text_run_take(r, str_skip(piece, n), key);
}
