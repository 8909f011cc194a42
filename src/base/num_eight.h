/*
 * Eight decimal digits at a time, in one 64-bit word whose lowest byte is the first character,
 * whatever the machine's byte order. A multiplication by a sum of two powers adds neighbours in all
 * lanes at once, so three steps (pairs, fours, eight) do the work of eight.
 */
#ifndef BASE_NUM_EIGHT_H
#define BASE_NUM_EIGHT_H

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define NUM_EIGHT_ZEROS UINT64_C(0x3030303030303030) /* "00000000" */

static inline uint64_t num_eight_order(uint64_t word)
{
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	return __builtin_bswap64(word);
#else
	return word;
#endif
}

static inline uint64_t num_eight_load(const char *p)
{
	uint64_t word;

	memcpy(&word, p, sizeof(word));
	return num_eight_order(word);
}

static inline void num_eight_store(char *p, uint64_t word)
{
	word = num_eight_order(word);
	memcpy(p, &word, sizeof(word));
}

/*
 * n bytes, n < 8, as num_eight_load gives them, with zero bytes after the last; reads only those. The
 * lengths of numbers are hard to predict, so there are no branches: a part that n does not have is
 * read as zeros from elsewhere (from another file, or the compiler would see the zeros and branch).
 */
extern const char num_eight_none[4];

static inline uint64_t num_eight_load_some(const char *p, size_t n)
{
	const char *none = num_eight_none;
	const char *four = n & 4 ? p : none, *two = n & 2 ? p + (n & 4) : none, *one = n & 1 ? p + (n & 6) : none;
	uint32_t low;
	uint16_t middle;

	assert(n < 8);
	memcpy(&low, four, sizeof(low));
	memcpy(&middle, two, sizeof(middle));
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	low = __builtin_bswap32(low);
	middle = __builtin_bswap16(middle);
#endif
	return low | (uint64_t)middle << (8 * (n & 4)) | (uint64_t)(uint8_t)*one << (8 * (n & 6));
}

/* With '0'..'9' as 0..9, and back. */
static inline uint64_t num_eight_digits(uint64_t word)
{
	return word ^ NUM_EIGHT_ZEROS;
}

/* The high bit of each byte that is not 0..9, and no others. */
static inline uint64_t num_eight_others(uint64_t digits)
{
	const uint64_t high = UINT64_C(0x8080808080808080);

	return (((digits & ~high) + UINT64_C(0x7676767676767676)) | digits) & high;
}

/* The number that eight digits 0..9 spell. */
static inline uint64_t num_eight_parse(uint64_t word)
{
	word = word * (10 << 8 | 1) >> 8;
	word = (word & UINT64_C(0x00ff00ff00ff00ff)) * (100 << 16 | 1) >> 16;
	return (word & UINT64_C(0x0000ffff0000ffff)) * (UINT64_C(10000) << 32 | 1) >> 32;
}

/* The eight digits of v < 10^8 as bytes 0..9: without "00000000", so that zeros can be counted as bits. */
static inline uint64_t num_eight_format(uint32_t v)
{
	/* With t = v / 100, (v << 16) - t * ((100 << 16) - 1) is t | (v % 100) << 16: likewise in every lane. */
	uint64_t word = ((uint64_t)v << 32) - v / 10000 * ((UINT64_C(10000) << 32) - 1), part;

	part = word * 10486 >> 20 & UINT64_C(0x0000007f0000007f); /* 10486 / 2^20 is 1 / 100 below 10^4 */
	word = (word << 16) - part * ((100 << 16) - 1);
	part = word * 103 >> 10 & UINT64_C(0x000f000f000f000f); /* 103 / 2^10 is 1 / 10 below 100 */
	return (word << 8) - part * ((10 << 8) - 1);
}

#endif
