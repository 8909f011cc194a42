#include "transform/agreement.h"

#include <math.h>

#include "harness/test.h"

#define TRIES 500

static void agreement_check(double got, double want)
{
	if (!(fabs(got - want) <= 1e-9))
		FAIL("%.12g is not %.12g", got, want);
}

/* So many pairs of each of two categories: the first judge's, then the second's. */
static size_t agreement_fill(struct agreement_pair *out, const size_t counts[2][2])
{
	size_t n = 0;

	for (uint8_t a = 0; a < 2; a++)
		for (uint8_t b = 0; b < 2; b++)
			for (size_t i = 0; i < counts[a][b]; i++)
				out[n++] = (struct agreement_pair){ a, b };
	return n;
}

/* Worked by hand: seen (20 + 15) / 50 = .7, chance .5 x .6 + .5 x .4 = .5. */
TEST(kappa_is_that_of_a_table_worked_by_hand)
{
	static const size_t counts[2][2] = { { 20, 5 }, { 10, 15 } }, opposite[2][2] = { { 0, 5 }, { 5, 0 } },
			    same[2][2] = { { 3, 0 }, { 0, 4 } };
	struct agreement_pair pairs[64];

	agreement_check(agreement_kappa(pairs, agreement_fill(pairs, counts)), 0.4);
	agreement_check(agreement_kappa(pairs, agreement_fill(pairs, same)), 1);
	agreement_check(agreement_kappa(pairs, agreement_fill(pairs, opposite)), -1);
}

TEST(kappa_of_what_is_always_the_same_is_not_defined)
{
	static const size_t counts[2][2] = { { 9, 0 }, { 0, 0 } };
	struct agreement_pair pairs[16];

	CHECK(isnan(agreement_kappa(pairs, agreement_fill(pairs, counts))));
	CHECK(isnan(agreement_kappa(pairs, 0)));
}

/* Krippendorff 2011, section C: four judges, twelve units, some judgments missing. */
TEST(alpha_is_that_of_the_published_example_with_missing_judgments)
{
	static const char *const judges[] = { "123321412...", "1233224125.3", ".3332342251.", "12332441251." };
	struct agreement_unit units[12] = { 0 };

	for (int u = 0; u < 12; u++)
		for (int j = 0; j < 4; j++)
			if (judges[j][u] != '.')
				units[u].counts[judges[j][u] - '1']++;
	CHECK(fabs(agreement_alpha(units, 12) - 0.743) < 5e-4);
}

/* Two judges, ten units, by hand: 1 - 19 x 8 / 168. */
TEST(alpha_of_two_judges_is_worked_by_hand)
{
	static const char a[] = "0100000010", b[] = "1110010000";
	struct agreement_unit units[10] = { 0 };

	for (int u = 0; u < 10; u++) {
		units[u].counts[a[u] - '0']++;
		units[u].counts[b[u] - '0']++;
	}
	agreement_check(agreement_alpha(units, 10), 1 - 19.0 * 8 / 168);
}

TEST(alpha_without_two_judgments_or_two_categories_is_not_defined)
{
	struct agreement_unit alone[3] = { { { 1 } }, { { 0, 1 } }, { { 1 } } }, same[2] = { { { 3 } }, { { 2 } } };

	CHECK(isnan(agreement_alpha(alone, 3)));
	CHECK(isnan(agreement_alpha(same, 2)));
	CHECK(isnan(agreement_alpha(same, 0)));
}

TEST(an_interval_holds_the_figure_and_is_the_same_for_the_same_seed)
{
	static const size_t counts[2][2] = { { 20, 5 }, { 10, 15 } };
	struct agreement_unit units[50] = { 0 };
	struct agreement_pair pairs[64];
	double scratch[TRIES];
	struct stats_random r;
	struct interval i, again;
	size_t n = agreement_fill(pairs, counts);

	for (size_t k = 0; k < n; k++) {
		units[k].counts[pairs[k].a]++;
		units[k].counts[pairs[k].b]++;
	}
	stats_random_init(&r, 5);
	i = agreement_kappa_interval(pairs, n, TRIES, &r, scratch);
	stats_random_init(&r, 5);
	again = agreement_kappa_interval(pairs, n, TRIES, &r, scratch);
	CHECK(i.low == again.low && i.high == again.high);
	CHECK(i.low > 0.05 && i.low < 0.4 && i.high > 0.4 && i.high < 0.75);
	i = agreement_alpha_interval(units, n, TRIES, &r, scratch);
	CHECK(i.low < agreement_alpha(units, n) && agreement_alpha(units, n) < i.high);
}

TEST(there_is_no_interval_of_no_width)
{
	const struct agreement_unit one = { .counts = { 1, 3 } };
	struct stats_random r;
	double scratch[TRIES];

	stats_random_init(&r, 1);
	CHECK(agreement_alpha(&one, 1) == 0);
	CHECK(isnan(agreement_alpha_interval(&one, 1, TRIES, &r, scratch).low));
}

TEST(there_is_no_interval_where_many_resamples_are_not_defined)
{
	struct agreement_unit units[3] = { { { 2 } }, { { 2 } }, { { 1, 1 } } };
	double scratch[TRIES];
	struct stats_random r;

	stats_random_init(&r, 1);
	CHECK(isnan(agreement_alpha_interval(units, 3, TRIES, &r, scratch).low));
}
