/*
 * Explores what the ledger's directory engine leaves behind when it is stopped anywhere, and whether every sync it makes
 * is needed: each is left out in turn, and that must be found.
 *
 * usage: crash [states=N] [seed=N] [table=N]      N states; then the table, at most N states for each row (0: none)
 *        crash only=WORKLOAD.POINT.VARIANT [seed=N] [without=PLACE]    one state, with every operation
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "crash/explore.h"
#include "crash/signing.h"

struct options {
	uint64_t states, seed, table;
	uint64_t only[3];
	bool is_one;
	enum place without;
	const char *program;
};

struct tally {
	unsigned passed, failed, skipped;
};

static double seconds_since(uint64_t start)
{
	return (double)(clock_mono_ns() - start) / 1e9;
}

static bool parse_numbers(const char *text, uint64_t *out, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		char *end;

		out[i] = strtoull(text, &end, 10);
		if (end == text || *end != (i + 1 < count ? '.' : 0))
			return false;
		text = end + 1;
	}
	return true;
}

static bool parse_place(const char *word, enum place *out)
{
	for (int p = 1; p < PLACES; p++)
		if (strcmp(place_word((enum place)p), word) == 0) {
			*out = (enum place)p;
			return true;
		}
	return false;
}

static bool parse(struct options *o, int count, char **words)
{
	*o = (struct options){ .states = 1000000, .seed = 1, .table = 20000, .program = words[0] };
	for (int i = 1; i < count; i++) {
		const char *value = strchr(words[i], '=');
		size_t n = value ? (size_t)(value - words[i]) : 0;
		struct str name = str_of(words[i], n);
		bool good = false;

		if (str_eq(name, STR("states")))
			good = parse_numbers(value + 1, &o->states, 1);
		else if (str_eq(name, STR("seed")))
			good = parse_numbers(value + 1, &o->seed, 1);
		else if (str_eq(name, STR("table")))
			good = parse_numbers(value + 1, &o->table, 1);
		else if (str_eq(name, STR("only")))
			good = o->is_one = parse_numbers(value + 1, o->only, 3);
		else if (str_eq(name, STR("without")))
			good = parse_place(value + 1, &o->without);
		if (!good) {
			fprintf(stderr, "crash: %s is not an option; see the top of tests/crash/crash.c\n", words[i]);
			return false;
		}
	}
	return true;
}

static void print_repeat(const struct options *o, const struct explorer *x)
{
	printf("  %s\n  repeat it: %s seed=%" PRIu64 " only=%" PRIu64 ".%" PRIu64 ".%" PRIu64, x->why, o->program, x->seed,
	       x->workload, x->point, x->variant);
	if (x->without)
		printf(" without=%s", place_word(x->without));
	printf("\n");
}

static void progress(struct explorer *x)
{
	static uint64_t next;
	static uint64_t start;

	if (x->states < next)
		return;
	if (start == 0)
		start = clock_mono_ns();
	else
		printf("  %9" PRIu64 " states, %.0f s\n", x->states, seconds_since(start));
	fflush(stdout);
	next = x->states + x->limit / 10;
}

static void explore(const struct options *o, struct tally *t)
{
	struct explorer x;
	uint64_t start = clock_mono_ns();

	printf("crash states: seed %" PRIu64 "\n", o->seed);
	if (!explorer_init(&x, o->seed, PLACE_NONE)) {
		printf("  no log to begin with: %s\n", x.why);
		t->failed++;
		return;
	}
	x.limit = o->states;
	x.tick = progress;
	explorer_run(&x);
	printf("  %" PRIu64 " states (%zu different disks) from %" PRIu64 " points of %" PRIu64 " workloads in %.1f s\n",
	       x.states, x.met_count, x.points, x.workloads, seconds_since(start));
	printf("  %" PRIu64 " of them inside recovery or the work after it; %" PRIu64 " older copies refused\n", x.inside,
	       x.refused);
	printf("  %d violations\n", x.is_broken ? 1 : 0);
	if (x.is_broken)
		print_repeat(o, &x);
	if (x.is_broken)
		t->failed++;
	else
		t->passed++;
	explorer_free(&x);
}

/* A row must be one line. */
static void flatten(char *text)
{
	char *end = strchr(text, '\n');

	if (end)
		*end = 0;
}

/* One row: the engine without one kind of sync. */
static void leave_out(const struct options *o, enum place p, struct tally *t)
{
	const char *spared = place_spared(p);
	struct explorer x;

	if (!explorer_init(&x, o->seed, p))
		x.is_broken = true;
	x.limit = o->table;
	if (!x.is_broken)
		explorer_run(&x);
	flatten(x.why);
	printf("  %-15s | %-36s | ", place_word(p), place_text(p));
	if (x.is_broken)
		printf("after %6" PRIu64 " | only=%" PRIu64 ".%" PRIu64 ".%" PRIu64 ": %.110s\n", x.states, x.workload, x.point,
		       x.variant, x.why);
	else if (x.syncs[p] == 0)
		printf("%-12s | %s\n", "not made", spared ? spared : "the engine has no such sync");
	else
		printf("%-12s | %s\n", spared ? "not needed" : "NOT CAUGHT", spared ? spared : "");
	fflush(stdout);
	if (x.is_broken == (spared == NULL))
		t->passed++;
	else if (x.syncs[p])
		t->failed++;
	else
		t->skipped++;
	explorer_free(&x);
}

static void table(const struct options *o, struct tally *t)
{
	uint64_t start = clock_mono_ns();

	printf("each sync left out in turn, at most %" PRIu64 " states each:\n", o->table);
	printf("  %-15s | %-36s | %-12s | violation\n", "without", "sync left out", "caught");
	for (int p = 1; p < PLACES; p++)
		leave_out(o, (enum place)p, t);
	printf("  %.1f s\n", seconds_since(start));
}

static int repeat_one(const struct options *o)
{
	struct explorer x;
	int status;

	if (!explorer_init(&x, o->seed, o->without)) {
		printf("%s\n", x.why);
		return 1;
	}
	x.limit = UINT64_MAX;
	x.is_one = x.trace = true;
	x.one_workload = o->only[0];
	x.one_point = o->only[1];
	x.one_variant = o->only[2];
	explorer_run(&x);
	printf("%s\n", x.is_broken ? x.why : "no violation");
	status = x.is_broken;
	explorer_free(&x);
	return status;
}

int main(int count, char **words)
{
	struct options o;
	struct tally t = { .passed = 0 };
	int status = 0;

	setenv("TRACKWAY_HASH_SEED", "1", 1); /* nothing may depend on chance but the seed */
	if (!parse(&o, count, words))
		return 2;
	if (o.is_one) {
		status = repeat_one(&o);
	} else {
		explore(&o, &t);
		if (o.table)
			table(&o, &t);
		printf("%u passed, %u failed, %u skipped\n", t.passed, t.failed, t.skipped);
		status = t.failed != 0;
	}
	signing_end();
	return status;
}
