/* The hash seed: drawn once per process from the system, the same for all threads. */
#ifndef BASE_SEED_H
#define BASE_SEED_H

#include <stddef.h>
#include <stdint.h>

/* Drawn at first use; TRACKWAY_HASH_SEED (decimal) fixes it for a reproducible run. */
uint64_t seed_draw(void);

extern uint64_t seed_drawn; /* 0 before that (and if it is 0): tables are looked up too often to ask each time */

static inline uint64_t seed_get(void)
{
	uint64_t seed = __atomic_load_n(&seed_drawn, __ATOMIC_RELAXED);

	return seed ? seed : seed_draw();
}

/* `n` random bytes from the system. */
void seed_random(void *out, size_t n);

#endif
