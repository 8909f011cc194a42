#include "base/seed.h"

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/random.h>

#include "base/ascii.h"
#include "base/fatal.h"

static pthread_once_t once = PTHREAD_ONCE_INIT;
uint64_t seed_drawn;

void seed_random(void *out, size_t n)
{
	char *p = out;

	while (n > 0) {
		ssize_t got = getrandom(p, n, 0);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			fatal_exit("the system gives no random bytes");
		p += got;
		n -= (size_t)got;
	}
}

static bool seed_from_environment(uint64_t *out)
{
	const char *text = getenv("TRACKWAY_HASH_SEED");
	uint64_t v = 0;

	if (!text || !*text)
		return false;
	for (; *text; text++) {
		if (!ascii_is_digit(*text))
			return false;
		if (__builtin_mul_overflow(v, 10, &v) || __builtin_add_overflow(v, (uint64_t)(*text - '0'), &v))
			return false;
	}
	*out = v;
	return true;
}

static void draw(void)
{
	uint64_t seed;

	if (!seed_from_environment(&seed))
		seed_random(&seed, sizeof(seed));
	__atomic_store_n(&seed_drawn, seed, __ATOMIC_RELAXED);
}

uint64_t seed_draw(void)
{
	pthread_once(&once, draw);
	return __atomic_load_n(&seed_drawn, __ATOMIC_RELAXED);
}
