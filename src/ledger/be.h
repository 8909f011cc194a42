/*
 * Whole numbers with their highest byte first, as the ledger's own files, signatures of witnesses and PostgreSQL's
 * binary form have them. The caller has `bytes` bytes there, 1 to 8.
 */
#ifndef LEDGER_BE_H
#define LEDGER_BE_H

#include <assert.h>
#include <stdint.h>

/* Writes the lowest `bytes` bytes of v; those above are not looked at. */
static inline void be_put(uint8_t *out, uint64_t v, unsigned bytes)
{
	assert(bytes >= 1 && bytes <= 8);
	for (unsigned i = 0; i < bytes; i++)
		out[i] = (uint8_t)(v >> (8 * (bytes - 1 - i)));
}

/* The number in `bytes` bytes; 0 for none. They need not be aligned. */
static inline uint64_t be_get(const void *p, unsigned bytes)
{
	const uint8_t *from = p;
	uint64_t v = 0;

	assert(bytes <= 8);
	for (unsigned i = 0; i < bytes; i++)
		v = v << 8 | from[i];
	return v;
}

#endif
