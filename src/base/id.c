#include "base/id.h"

#include <assert.h>
#include <string.h>

#include "base/ascii.h"
#include "base/crypto/hex.h"
#include "base/seed.h"

#define MS_BITS 48

struct id id_uuid7(uint64_t unix_ms, const uint8_t random[10])
{
	struct id id;

	assert(unix_ms >> MS_BITS == 0);
	for (int i = 0; i < 6; i++)
		id.b[i] = (uint8_t)(unix_ms >> (40 - 8 * i));
	memcpy(id.b + 6, random, 10);
	id.b[6] = (uint8_t)((id.b[6] & 0x0f) | 0x70);
	id.b[8] = (uint8_t)((id.b[8] & 0x3f) | 0x80);
	return id;
}

static const struct group {
	size_t text, byte, bytes;
} groups[] = { { 0, 0, 4 }, { 9, 4, 2 }, { 14, 6, 2 }, { 19, 8, 2 }, { 24, 10, 6 } };

#define GROUPS COUNT(groups)

bool id_parse_uuid(struct str text, struct id *out)
{
	struct id id;

	if (text.n != ID_UUID_TEXT)
		return false;
	for (const struct group *g = groups; g < groups + GROUPS; g++) {
		if (g->text > 0 && text.p[g->text - 1] != '-')
			return false;
		if (!hex_parse(str_of(text.p + g->text, 2 * g->bytes), id.b + g->byte, g->bytes))
			return false;
	}
	*out = id;
	return true;
}

/* In every byte of the word the high bit says whether that byte is a hexadecimal digit. */
static uint64_t hex_digits(uint64_t word)
{
	const uint64_t ones = UINT64_C(0x0101010101010101);
	uint64_t lower = word | ones * 0x20;
	uint64_t digit = (word + ones * (0x80 - '0')) & ~(word + ones * (0x7f - '9'));
	uint64_t letter = (lower + ones * (0x80 - 'a')) & ~(lower + ones * (0x7f - 'f'));

	return (digit | letter) & ~word; /* a byte above 0x7f is none, and may have carried */
}

static uint64_t load_eight(const char *p)
{
	uint64_t word;

	memcpy(&word, p, sizeof(word));
	return word;
}

static uint64_t load_four_and_four(const char *p, const char *q)
{
	uint32_t first, second;

	memcpy(&first, p, sizeof(first));
	memcpy(&second, q, sizeof(second));
	return first | (uint64_t)second << 32;
}

bool id_is_uuid(struct str text)
{
	const char *p = text.p;
	uint64_t all;

	if (text.n != ID_UUID_TEXT || p[8] != '-' || p[13] != '-' || p[18] != '-' || p[23] != '-')
		return false;
	all = hex_digits(load_eight(p)) & hex_digits(load_four_and_four(p + 9, p + 14)) &
	      hex_digits(load_four_and_four(p + 19, p + 24)) & hex_digits(load_eight(p + 28));
	return (all & UINT64_C(0x8080808080808080)) == UINT64_C(0x8080808080808080);
}

void id_format_uuid(char out[ID_UUID_TEXT], struct id id)
{
	memset(out, '-', ID_UUID_TEXT);
	for (const struct group *g = groups; g < groups + GROUPS; g++)
		hex_format(out + g->text, id.b + g->byte, g->bytes);
}

unsigned id_uuid_version(struct id id)
{
	return id.b[6] >> 4;
}

bool id_uuid_variant_ok(struct id id)
{
	return id.b[8] >> 6 == 2;
}

uint64_t id_uuid7_ms(struct id id)
{
	uint64_t ms = 0;

	for (int i = 0; i < 6; i++)
		ms = ms << 8 | id.b[i];
	return ms;
}

static const char crockford[] = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

static int crockford_value(char c)
{
	const char *at = memchr(crockford, ascii_upper(c), 32);

	return at ? (int)(at - crockford) : -1;
}

/* 26 characters of 5 bits are 130 bits: the first two of them must be zero and are no part of the id. */
bool id_parse_ulid(struct str text, struct id *out)
{
	struct id id;
	uint32_t bits = 0;
	int have = -2;
	size_t n = 0;

	if (text.n != ID_ULID_TEXT || text.p[0] > '7')
		return false;
	for (size_t i = 0; i < ID_ULID_TEXT; i++) {
		int v = crockford_value(text.p[i]);

		if (v < 0)
			return false;
		bits = bits << 5 | (uint32_t)v;
		have += 5;
		if (have >= 8) {
			have -= 8;
			id.b[n++] = (uint8_t)(bits >> have);
		}
	}
	assert(n == sizeof(id.b) && have == 0); /* the lengths of text and id fit each other */
	*out = id;
	return true;
}

void id_series_init(struct id_series *s)
{
	*s = (struct id_series){ 0 };
}

/* Adds one to the random part as a number; false when it was the largest and is now zero. */
static bool add_one(uint8_t random[10])
{
	for (int i = 9; i >= 0; i--)
		if (++random[i] != 0)
			return true;
	return false;
}

static void series_step(struct id_series *s, uint64_t unix_ms)
{
	if (s->begun && unix_ms <= s->ms) {
		if (add_one(s->random))
			return;
		unix_ms = s->ms + 1; /* a moment too early is better than out of order */
	}
	s->begun = true;
	s->ms = unix_ms;
	if (s->left < sizeof(s->random)) {
		seed_random(s->drawn, sizeof(s->drawn));
		s->left = sizeof(s->drawn);
	}
	s->left -= sizeof(s->random);
	memcpy(s->random, s->drawn + s->left, sizeof(s->random));
}

struct id id_series_next_uuid7(struct id_series *s, uint64_t unix_ms)
{
	/* where version and variant will stand, ones let a carry through */
	s->random[0] |= 0xf0;
	s->random[2] |= 0xc0;
	series_step(s, unix_ms);
	return id_uuid7(s->ms, s->random);
}
