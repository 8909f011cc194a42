/* Inside of comparing: pairs of attempts to a test, and what is odd about two runs. */
#ifndef BENCH_COMPARE_TEST_H
#define BENCH_COMPARE_TEST_H

#include "bench/compare/compare.h"
#include "bench/compare/rows.h"

/* Attempts of the same prompt and repetition, in the order of prompts. */
struct compare_pairs {
	const struct attempt_names *names;
	const struct attempt **a, **b;
	size_t count;
};

/*
 * Runs one test. The caller sets metric and errors_fail; everything but holm, detectable, needed and answer is filled
 * in. Without a pair that counts, pairs is 0 and the figures are NaN. `seed` starts what is random; scratch is in the
 * arena.
 */
void compare_test_run(struct compare_test *t, struct arena *a, const struct compare_pairs *p, uint64_t seed);

/*
 * Whether outcomes could exist that show a difference. A test without this hope takes nothing from the others: it is in
 * no family (Tarone 1990).
 */
bool compare_test_can_show(const struct compare_test *t);

/*
 * The rest, after holm is known: detectable and needed for a family of so many tests, answer and its reason. holm stays
 * NaN for a test that is in no family.
 */
void compare_test_answer(struct compare_test *t, size_t family);

/*
 * Adds sentences (struct str, in the arena) about lines left out and about what the configurations of two runs do not
 * have in common; none when nothing is odd.
 */
void compare_add_warnings(struct buf *sentences, struct arena *a, const struct compare_side *x,
			  const struct compare_side *y); /* struct str */

/* Adds sentences (struct str, in the arena) about rows and targets that have no partner. */
void compare_add_partners(struct buf *sentences, struct arena *a, const struct compare *c); /* struct str */

#endif
