/*
 * Nanoseconds per number of base/num, beside the C library in the same run: format against "%.17g",
 * parse against strtod, canon against strtod followed by "%.17g" (which is less than canon does: the
 * C library has no shortest form). Medians, of processor time, of several passes over the same numbers,
 * ours and theirs in turn; the machine is never quite idle, so the ratio says more than the figure.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/num.h"

enum { COUNT = 20000, PASSES = 31, SLOT = 40 };

struct set {
	const char *name;
	void (*make)(char text[SLOT], uint64_t random);
	char text[COUNT][SLOT];
	size_t length[COUNT];
	double value[COUNT];
};

static uint64_t random_next(uint64_t *state)
{
	uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

static void make_count(char text[SLOT], uint64_t random)
{
	snprintf(text, SLOT, "%" PRIu64, (random >> 8) % (random & 1 ? 100 : 100000));
}

static void make_integer(char text[SLOT], uint64_t random)
{
	snprintf(text, SLOT, "%" PRIu64, (random >> 6) % 1000000000000000 >> random % 48);
}

static void make_short(char text[SLOT], uint64_t random)
{
	snprintf(text, SLOT, "%.*f1", (int)(random % 4), (double)((random >> 8) % 100000) / 1000);
	if (!strchr(text, '.'))
		snprintf(text, SLOT, "0.0%" PRIu64 "3", (random >> 8) % 100);
}

static void make_seconds(char text[SLOT], uint64_t random)
{
	snprintf(text, SLOT, "17%08" PRIu64 ".%05" PRIu64 "%c", random % 100000000, (random >> 32) % 100000,
		 (char)('1' + random % 9));
}

static void make_unit(char text[SLOT], uint64_t random)
{
	text[num_format_double(text, (double)(random >> 11) * 0x1p-53)] = '\0';
}

static void make_bits(char text[SLOT], uint64_t random)
{
	double v;

	memcpy(&v, &random, sizeof(v));
	text[num_format_double(text, isfinite(v) ? v : 0.1)] = '\0';
}

static struct set sets[] = {
	{ .name = "counts, 0..99999", .make = make_count },
	{ .name = "integers, 1..15 digits", .make = make_integer },
	{ .name = "short decimals", .make = make_short },
	{ .name = "unix seconds, 16 digits", .make = make_seconds },
	{ .name = "0..1, 16..17 digits", .make = make_unit },
	{ .name = "random bits", .make = make_bits },
};

static size_t format_ours(const struct set *s, size_t i)
{
	char out[NUM_DOUBLE_MAX];

	return num_format_double(out, s->value[i]);
}

static size_t format_libc(const struct set *s, size_t i)
{
	char out[SLOT];

	return (size_t)snprintf(out, sizeof(out), "%.17g", s->value[i]);
}

static size_t parse_ours(const struct set *s, size_t i)
{
	double v = 0;

	num_parse_double(str_of(s->text[i], s->length[i]), &v);
	return v > 1;
}

static size_t parse_libc(const struct set *s, size_t i)
{
	return strtod(s->text[i], NULL) > 1;
}

static size_t canon_ours(const struct set *s, size_t i)
{
	char out[NUM_DOUBLE_MAX];
	size_t n = 0;

	num_canon(out, &n, str_of(s->text[i], s->length[i]));
	return n;
}

static size_t canon_libc(const struct set *s, size_t i)
{
	char out[SLOT];

	return (size_t)snprintf(out, sizeof(out), "%.17g", strtod(s->text[i], NULL));
}

static const struct job {
	const char *name;
	size_t (*ours)(const struct set *s, size_t i), (*libc)(const struct set *s, size_t i);
} jobs[] = {
	{ "format", format_ours, format_libc },
	{ "parse", parse_ours, parse_libc },
	{ "canon", canon_ours, canon_libc },
};

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double measure(size_t (*job)(const struct set *s, size_t i), const struct set *s)
{
	struct timespec from, to;
	size_t sum = 0;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &from);
	for (size_t i = 0; i < COUNT; i++)
		sum += job(s, i);
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &to);
	__asm__ volatile("" : : "r"(sum)); /* so that the work is not optimised away */
	return ((double)(to.tv_sec - from.tv_sec) * 1e9 + (double)(to.tv_nsec - from.tv_nsec)) / COUNT;
}

static double median(double ns[PASSES])
{
	qsort(ns, PASSES, sizeof(ns[0]), compare);
	return ns[PASSES / 2];
}

static void compare_job(const struct job *j, const struct set *s)
{
	double ours[PASSES], libc[PASSES];

	for (size_t pass = 0; pass < PASSES; pass++) {
		ours[pass] = measure(j->ours, s);
		libc[pass] = measure(j->libc, s);
	}
	printf("%-8s %-24s %8.1f %8.1f %7.1f\n", j->name, s->name, median(ours), median(libc),
	       median(libc) / median(ours));
}

static void make(struct set *s, uint64_t *state)
{
	for (size_t i = 0; i < COUNT; i++) {
		s->make(s->text[i], random_next(state));
		s->length[i] = strlen(s->text[i]);
		s->value[i] = strtod(s->text[i], NULL);
	}
}

int main(void)
{
	const size_t kinds = sizeof(sets) / sizeof(sets[0]);
	uint64_t state = 1;

	for (size_t k = 0; k < kinds; k++)
		make(&sets[k], &state);
	printf("%-8s %-24s %8s %8s %7s   (ns per number)\n", "", "", "ours", "libc", "ratio");
	for (size_t j = 0; j < sizeof(jobs) / sizeof(jobs[0]); j++)
		for (size_t k = 0; k < kinds; k++)
			compare_job(&jobs[j], &sets[k]);
	return 0;
}
