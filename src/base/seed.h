/* The hash seed: drawn once per process from the system, the same for all threads. */
#ifndef BASE_SEED_H
#define BASE_SEED_H

#include <stddef.h>
#include <stdint.h>

/* Drawn at first use; TRACKWAY_HASH_SEED (decimal) fixes it for a reproducible run. */
uint64_t seed_get(void);

/* `n` random bytes from the system. */
void seed_random(void *out, size_t n);

#endif
