/*
 * The powers of ten that both directions share: row e holds the 128 leading bits of 10^e, cut and
 * not rounded, so that 10^e = row * 2^(floor(log2 10^e) - 127) up to less than one unit in the last
 * place. Rows 0..55 are exact, because 5^55 fits in 128 bits. The reader takes rows -342..308, the
 * writer -292..324. `tools/gen-pow10` writes and checks the rows.
 */
#ifndef BASE_NUM_POW10_H
#define BASE_NUM_POW10_H

#include <assert.h>
#include <stdint.h>

#define NUM_POW10_FIRST (-342)
#define NUM_POW10_LAST 324

struct num_pow10 {
	uint64_t high, low;
};

extern const struct num_pow10 num_pow10_rows[NUM_POW10_LAST - NUM_POW10_FIRST + 1];
extern const uint64_t num_pow10_small[20]; /* 10^0 to 10^19, whole */

/* floor(log2(10^e)) for every row's e. */
static inline int num_pow10_log2(int e)
{
	return (e * 217706) >> 16;
}

static inline struct num_pow10 num_pow10_get(int e)
{
	assert(e >= NUM_POW10_FIRST && e <= NUM_POW10_LAST);
	return num_pow10_rows[e - NUM_POW10_FIRST];
}

/* The full product; returns its high half. */
static inline uint64_t num_multiply(uint64_t a, uint64_t b, uint64_t *low)
{
	__extension__ unsigned __int128 product = (unsigned __int128)a * b;

	*low = (uint64_t)product;
	return (uint64_t)(product >> 64);
}

#endif
