#include "base/seed.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/syscall.h>

#include "harness/test.h"
#include "unit/base/child.h"

/*
 * Stands in for the C library's function: gives `most_at_once` bytes at a time, or fails with `fault`
 * in every call with an odd number.
 */
static size_t most_at_once = SIZE_MAX;
static int fault, calls;

ssize_t getrandom(void *p, size_t n, unsigned flags)
{
	if (fault && ++calls % 2 == 1) {
		errno = fault;
		return -1;
	}
	return syscall(SYS_getrandom, p, n < most_at_once ? n : most_at_once, flags);
}

TEST(the_environment_fixes_the_seed)
{
	setenv("TRACKWAY_HASH_SEED", "18446744073709551615", 1);
	CHECK(seed_get() == UINT64_MAX);
	setenv("TRACKWAY_HASH_SEED", "1", 1);
	CHECK(seed_get() == UINT64_MAX);
}

TEST(zero_is_a_seed)
{
	setenv("TRACKWAY_HASH_SEED", "0", 1);
	CHECK(seed_get() == 0);
}

static void print_seed(void)
{
	fprintf(stderr, "%llu", (unsigned long long)seed_get());
}

TEST(two_processes_draw_different_seeds)
{
	static const char *const not_numbers[] = {
		NULL, "", "x", "-1", "1 ", "0x1", "18446744073709551616", "1e3",
	};

	for (size_t i = 0; i < sizeof(not_numbers) / sizeof(not_numbers[0]); i++) {
		struct child_result one, two;

		test_case("%s", not_numbers[i] ? not_numbers[i] : "(unset)");
		if (not_numbers[i])
			setenv("TRACKWAY_HASH_SEED", not_numbers[i], 1);
		else
			unsetenv("TRACKWAY_HASH_SEED");
		one = child_run(print_seed);
		two = child_run(print_seed);
		CHECK(one.n > 0 && two.n > 0);
		CHECK(!str_eq(str_of(one.err, one.n), str_of(two.err, two.n)));
	}
}

static void *get_seed(void *out)
{
	*(uint64_t *)out = seed_get();
	return NULL;
}

TEST(all_threads_see_the_same_seed)
{
	pthread_t threads[8];
	uint64_t seeds[8];

	unsetenv("TRACKWAY_HASH_SEED");
	for (size_t i = 0; i < 8; i++)
		CHECK(pthread_create(&threads[i], NULL, get_seed, &seeds[i]) == 0);
	for (size_t i = 0; i < 8; i++)
		CHECK(pthread_join(threads[i], NULL) == 0);
	for (size_t i = 0; i < 8; i++)
		CHECK(seeds[i] == seed_get());
}

/* Every byte has been written: it is not zero in all of 20 tries. */
static void check_filled(size_t n)
{
	unsigned char bytes[40], any[40] = { 0 };

	for (int i = 0; i < 20; i++) {
		memset(bytes, 0, sizeof(bytes));
		seed_random(bytes, n);
		for (size_t k = 0; k < sizeof(bytes); k++)
			any[k] |= bytes[k];
	}
	for (size_t k = 0; k < sizeof(any); k++) {
		test_case("byte %zu of %zu", k, n);
		CHECK_INT(any[k] != 0, k < n);
	}
}

TEST(random_bytes_fill_all_that_was_asked_for_and_nothing_else)
{
	for (most_at_once = 1; most_at_once < 50; most_at_once = most_at_once * 2 + 1)
		for (size_t n = 0; n < 40; n++)
			check_filled(n);
}

TEST(an_interrupted_draw_is_repeated)
{
	fault = EINTR;
	most_at_once = 3;
	check_filled(10);
	CHECK(calls > 20);
}

static void draw(void)
{
	char bytes[8];

	seed_random(bytes, sizeof(bytes));
}

TEST(without_random_bytes_the_process_ends)
{
	struct child_result r;

	fault = ENOSYS;
	r = child_run(draw);
	CHECK_INT(r.status, 3);
	CHECK_STR(str_of(r.err, r.n), STR("trackway: the system gives no random bytes\n"));
	fault = 0;
	most_at_once = 0;
	CHECK_INT(child_run(draw).status, 3);
}
