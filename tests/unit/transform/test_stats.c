#include "transform/stats.h"

#include <math.h>

#include "harness/test.h"
#include "json/put.h"

#define Z 1.959963984540054

static void check_near(double got, double want, double slack)
{
	if (!(fabs(got - want) <= slack))
		FAIL("%.12g is not %.12g", got, want);
}

static void check_interval(struct interval got, double low, double high)
{
	check_near(got.low, low, 5e-7);
	check_near(got.high, high, 5e-7);
}

TEST(quantiles_of_the_normal_distribution_are_exact)
{
	check_near(stats_normal_quantile(0.975), Z, 1e-14);
	check_near(stats_normal_quantile(0.5), 0, 1e-15);
	check_near(stats_normal_quantile(0.025), -Z, 1e-14);
	CHECK(isinf(stats_normal_quantile(0)) && stats_normal_quantile(0) < 0);
	CHECK(isinf(stats_normal_quantile(1)) && stats_normal_quantile(1) > 0);
}

/* From the tables of Student's distribution. */
TEST(quantiles_of_student_are_those_of_the_tables)
{
	static const struct {
		double p, df, t;
	} cases[] = {
		{ 0.975, 1, 12.7062047362 }, { 0.975, 3, 3.1824463053 }, { 0.975, 9, 2.2621571628 },
		{ 0.975, 30, 2.0422724563 }, { 0.95, 5, 2.0150483733 }, { 0.995, 10, 3.1692726726 }, { 0.5, 7, 0 },
		{ 0.025, 9, -2.2621571628 }, { 0.975, 1e6, 1.9599663568 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		check_near(stats_t_quantile(cases[i].p, cases[i].df), cases[i].t, 2e-9);
}

TEST(the_beta_distribution_goes_both_ways)
{
	check_near(stats_beta_cdf(0.5, 2, 2), 0.5, 1e-15);
	check_near(stats_beta_cdf(0.25, 1, 1), 0.25, 1e-15);
	check_near(stats_beta_cdf(0.3, 2, 5), 0.579825, 1e-12);
	CHECK(stats_beta_cdf(-1, 2, 2) == 0 && stats_beta_cdf(2, 2, 2) == 1);
	for (int i = 1; i < 20; i++)
		check_near(stats_beta_cdf(stats_beta_quantile(i / 20.0, 3.5, 17), 3.5, 17), i / 20.0, 1e-12);
}

TEST(the_binomial_distribution_is_that_of_counting)
{
	double sum = 0, term = pow(0.7, 12);

	for (uint64_t k = 0; k <= 12; k++) {
		sum += term;
		check_near(stats_binomial_cdf(k, 12, 0.3), sum, 1e-13);
		term *= (double)(12 - k) / (double)(k + 1) * 0.3 / 0.7;
	}
}

TEST(wilson_has_the_published_values)
{
	check_interval(stats_wilson(0, 10, 0.95), 0, 0.277533);
	check_interval(stats_wilson(1, 10, 0.95), 0.017876, 0.404150);
	check_interval(stats_wilson(9, 10, 0.95), 0.595850, 0.982124);
	check_interval(stats_wilson(50, 100, 0.95), 0.403832, 0.596168);
	check_interval(stats_wilson(81, 263, 0.95), 0.255289, 0.366210);
	check_interval(stats_wilson(147, 164, 0.95), 0.840272, 0.934268);
	CHECK(stats_wilson(10, 10, 0.95).high == 1 && stats_wilson(0, 10, 0.95).low == 0);
}

TEST(exact_and_jeffreys_have_the_published_values)
{
	check_interval(stats_clopper_pearson(0, 10, 0.95), 0, 0.308497);
	check_interval(stats_clopper_pearson(9, 10, 0.95), 0.554984, 0.997471);
	check_interval(stats_clopper_pearson(81, 263, 0.95), 0.252737, 0.367622);
	check_interval(stats_clopper_pearson(10, 10, 0.95), 1 - 0.308497, 1);
	check_interval(stats_jeffreys(9, 10, 0.95), 0.618685, 0.988988);
	CHECK(stats_jeffreys(0, 10, 0.95).low == 0 && stats_jeffreys(10, 10, 0.95).high == 1);
}

TEST(a_rate_of_nothing_is_not_known)
{
	CHECK(isnan(stats_wilson(0, 0, 0.95).low) && isnan(stats_clopper_pearson(0, 0, 0.95).high));
	CHECK(isnan(stats_jeffreys(0, 0, 0.95).low));
	CHECK(isnan(stats_pass_at(3, 1, 4)) && isnan(stats_pass_all(3, 1, 4)));
}

TEST(passing_at_k_and_passing_all_k_have_the_published_values)
{
	check_near(stats_pass_at(10, 3, 5), 0.9166666667, 1e-10);
	check_near(stats_pass_at(200, 17, 100), 0.9999963677, 1e-10);
	check_near(stats_pass_at(5, 0, 5), 0, 0);
	check_near(stats_pass_at(5, 1, 5), 1, 0);
	check_near(stats_pass_all(8, 6, 4), 0.2142857143, 1e-10);
	check_near(stats_pass_all(5, 5, 5), 1, 0);
	check_near(stats_pass_all(5, 2, 3), 0, 0);
}

TEST(mcnemar_has_the_published_values)
{
	check_near(stats_mcnemar(10, 2, false), 0.03857422, 1e-8);
	check_near(stats_mcnemar(2, 10, false), 0.03857422, 1e-8);
	check_near(stats_mcnemar(15, 6, false), 0.07835388, 1e-8);
	check_near(stats_mcnemar(0, 6, false), 0.03125, 1e-12);
	check_near(stats_mcnemar(5, 5, false), 1, 0);
	check_near(stats_mcnemar(0, 0, false), 1, 0);
	check_near(stats_mcnemar(10, 2, true), 0.02246094, 1e-8);
	check_near(stats_mcnemar(15, 6, true), 0.05247879, 1e-8);
	check_near(stats_mcnemar(0, 6, true), 0.015625, 1e-12);
}

TEST(many_tests_are_corrected)
{
	static const double p[] = { 0.01, 0.04, 0.03, 0.005 }, holm[] = { 0.03, 0.06, 0.06, 0.02 },
			    large[] = { 0.9, 0.8 };
	double got[4];

	stats_holm(p, got, 4);
	for (int i = 0; i < 4; i++)
		check_near(got[i], holm[i], 1e-15);
	stats_holm(large, got, 2);
	CHECK(got[0] == 1 && got[1] == 1);
}

TEST(repeats_of_a_task_are_not_independent)
{
	static const double x[] = { 1, 1, 1, 0, 0, 0, 0, 0, 1, 1, 0, 1, 1, 1, 1, 1 };
	static const uint32_t cluster[] = { 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3 };
	double sums[4];
	struct stats_mean naive = stats_mean_of(x, 16, 0.95), clustered = stats_mean_clustered(x, cluster, 16, 4, sums, 0.95);

	check_near(naive.mean, 0.625, 0);
	check_near(naive.se, 0.125, 1e-12);
	CHECK_INT(naive.clusters, 16);
	check_near(clustered.mean, 0.625, 0);
	check_near(clustered.se, 0.216506, 5e-7);
	check_near(clustered.df, 3, 0);
	check_near(clustered.interval.high - clustered.mean, 3.1824463053 * 0.216506351, 1e-6);
}

TEST(paired_differences_are_more_precise)
{
	/* A passes 1101..., B others: ten tasks, A ahead on three of them. */
	static const double d[] = { 1, 1, 1, 0, 0, 0, 0, 0, 0, 0 };
	struct stats_mean m = stats_mean_of(d, 10, 0.95);

	check_near(m.mean, 0.3, 1e-15);
	check_near(m.se, 0.152753, 5e-7);
}

TEST(one_value_has_no_error_and_none_has_no_mean)
{
	static const double x[] = { 0.5 };
	static const uint32_t cluster[] = { 0 };
	double sums[1];

	CHECK(isnan(stats_mean_of(x, 1, 0.95).se) && isnan(stats_mean_of(x, 1, 0.95).interval.low));
	CHECK(isnan(stats_mean_of(x, 0, 0.95).mean));
	CHECK(isnan(stats_mean_clustered(x, cluster, 1, 1, sums, 0.95).se));
}

TEST(values_that_differ_by_rounding_alone_have_no_error)
{
	static const double alike[] = { 0, 1, 1, 0, 1, 1 }, near[] = { 0.3 - 0.1, 0.2, 0.2 }, apart[] = { 0, 1e-9, 2e-9 };
	static const uint32_t tasks[] = { 0, 0, 0, 1, 1, 1 };
	double sums[2];

	CHECK(stats_mean_clustered(alike, tasks, 6, 2, sums, 0.95).se == 0);
	CHECK(stats_mean_of(near, 3, 0.95).se == 0);
	CHECK(stats_mean_of(apart, 3, 0.95).se > 0);
}

TEST(percentiles_lie_between_order_statistics)
{
	static const struct {
		uint64_t n;
		double p;
		uint64_t low, high;
	} cases[] = {
		{ 100, 0.5, 40, 61 }, { 100, 0.95, 90, 100 }, { 100, 0.99, 97, 101 }, { 1000, 0.99, 983, 997 },
		{ 35, 0.9, 28, 36 }, { 36, 0.9, 29, 36 }, { 71, 0.95, 63, 72 }, { 72, 0.95, 64, 72 }, { 367, 0.99, 360, 368 },
		{ 368, 0.99, 361, 368 }, { 1, 0.5, 0, 2 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint64_t low, high;

		test_case("p%g of %llu", cases[i].p * 100, (unsigned long long)cases[i].n);
		stats_rank_interval(cases[i].n, cases[i].p, 0.95, &low, &high);
		CHECK_INT(high, cases[i].high);
		if (i < 4 || cases[i].n == 1)
			CHECK_INT(low, cases[i].low);
		CHECK(low == 0 || stats_binomial_cdf(low - 1, cases[i].n, cases[i].p) <= 0.025);
		CHECK(stats_binomial_cdf(low, cases[i].n, cases[i].p) > 0.025);
	}
}

TEST(a_plan_says_what_could_be_seen)
{
	check_near(stats_detectable(100, 0.25, 0.95, 0.8), (Z + 0.8416212336) * 0.05, 1e-9);
	CHECK(stats_detectable(400, 0.25, 0.95, 0.8) < stats_detectable(100, 0.25, 0.95, 0.8));
	CHECK(isnan(stats_detectable(0, 1, 0.95, 0.8)));
}

TEST(chance_is_the_same_for_the_same_seed)
{
	struct stats_random a, b, c;
	unsigned seen[6] = { 0 };

	stats_random_init(&a, 42);
	stats_random_init(&b, 42);
	stats_random_init(&c, 43);
	CHECK(stats_random_next(&a) == stats_random_next(&b));
	CHECK(stats_random_next(&a) != stats_random_next(&c));
	for (int i = 0; i < 60000; i++)
		seen[stats_random_below(&a, 6)]++;
	for (int i = 0; i < 6; i++)
		CHECK(seen[i] > 9600 && seen[i] < 10400);
	CHECK_INT(stats_random_below(&a, 1), 0);
}

TEST(few_pairs_are_permuted_in_every_way)
{
	static const double d[] = { 1, 1, 1, 1, 1, 1 }, mixed[] = { 1, -1, 1, -1 }, none[] = { 0, 0, 0 };
	struct stats_random r;

	stats_random_init(&r, 1);
	check_near(stats_permutation(d, 6, 10000, &r), 2.0 / 64, 1e-15); /* as McNemar's test says */
	check_near(stats_permutation(mixed, 4, 10000, &r), 1, 0);
	check_near(stats_permutation(none, 3, 10000, &r), 1, 0);
}

TEST(a_rate_of_repeats_has_the_interval_of_its_clusters)
{
	static const double x[] = { 1, 1, 1, 0, 0, 0, 0, 0, 1, 1, 0, 1, 1, 1, 1, 1 }, halves[] = { 0, 1, 1, 0 };
	uint32_t tasks[16];
	double sums[16];
	struct stats_mean m;
	struct interval i;

	for (uint32_t k = 0; k < 16; k++)
		tasks[k] = k / 4;
	m = stats_mean_clustered(x, tasks, 16, 4, sums, 0.95);
	i = stats_rate_clustered(&m, 0.95);
	check_near(i.low, 0, 0); /* .625 - 3.182 * .2165 */
	check_near(i.high, 1, 0);
	m = stats_mean_clustered(halves, tasks, 4, 1, sums, 0.95); /* one task: as if it had been tried once */
	i = stats_rate_clustered(&m, 0.95);
	check_near(i.low, 0.5 - Z * sqrt(0.25 + Z * Z / 4) / (1 + Z * Z), 1e-9);
	check_near(i.low + i.high, 1, 1e-12);
	for (uint32_t k = 0; k < 4; k++)
		tasks[k] = k / 2;
	m = stats_mean_clustered(halves, tasks, 4, 2, sums, 0.95); /* each task half of the time */
	check_near(stats_rate_clustered(&m, 0.95).low, stats_wilson(1, 2, 0.95).low, 1e-12);
	m = stats_mean_clustered(x, tasks, 0, 0, sums, 0.95);
	CHECK(isnan(stats_rate_clustered(&m, 0.95).low));
}

TEST(what_differs_in_its_last_digits_is_the_same)
{
	static const double tenths[] = { 0.1, 0.1, 0.1 }, even[] = { 0.1, 0.2, -0.3, 0.3, -0.2, -0.1 };
	static const uint32_t tasks[] = { 0, 0, 1 };
	double sums[2];
	struct stats_random r;

	stats_random_init(&r, 1);
	CHECK(stats_mean_of(tenths, 3, 0.95).se == 0);
	CHECK(stats_mean_clustered(tenths, tasks, 3, 2, sums, 0.95).se == 0);
	check_near(stats_permutation(even, 6, 10000, &r), 1, 0);
}

TEST(many_pairs_are_permuted_by_chance)
{
	double d[40], p;
	struct stats_random r, again;

	for (int i = 0; i < 40; i++)
		d[i] = i < 27 ? 1 : -1;
	stats_random_init(&r, 7);
	stats_random_init(&again, 7);
	p = stats_permutation(d, 40, 20000, &r);
	check_near(p, stats_mcnemar(27, 13, false), 0.006);
	CHECK(p == stats_permutation(d, 40, 20000, &again));
	for (int i = 0; i < 40; i++)
		d[i] = 1;
	check_near(stats_permutation(d, 40, 999, &r), 0.001, 1e-12); /* never nothing: the one that was seen counts */
}

TEST(values_far_from_the_others_are_counted)
{
	static const double odd[] = { 1, 2, 3, 4, 5, 6, 100 }, even[] = { -50, 1, 2, 3, 4, 5, 6, 100 };
	static const double border[] = { -2, -1, 0, 1, 5.1 }, beyond[] = { -2, -1, 0, 1, 5.2 };
	static const double alike[] = { 7, 7, 7, 7, 8 };

	CHECK_INT(stats_outliers(odd, 7, 0), 1);
	CHECK_INT(stats_outliers(even, 8, 0), 2);
	CHECK_INT(stats_outliers(odd, 6, 0), 0);
	CHECK_INT(stats_outliers(border, 5, 0), 0); /* MAD 1: 3.5 / 0.6745 is 5.189 */
	CHECK_INT(stats_outliers(beyond, 5, 0), 1);
	CHECK_INT(stats_outliers(alike, 5, 0), 1);
	CHECK_INT(stats_outliers(alike, 5, 0.5), 0);
	CHECK_INT(stats_outliers(odd, 1, 0), 0);
	CHECK_INT(stats_outliers(NULL, 0, 0), 0);
}

TEST(a_bootstrap_covers_the_mean_and_can_be_made_again)
{
	static double scratch[STATS_RESAMPLES];
	double sums[50];
	uint64_t counts[50];
	struct stats_random r, again;
	struct interval first, second;

	for (int i = 0; i < 50; i++) {
		sums[i] = i % 2 ? 4 : 0;
		counts[i] = 4;
	}
	stats_random_init(&r, 9);
	stats_random_init(&again, 9);
	first = stats_bootstrap(sums, counts, 50, STATS_RESAMPLES, 0.95, &r, scratch);
	second = stats_bootstrap(sums, counts, 50, STATS_RESAMPLES, 0.95, &again, scratch);
	CHECK(first.low == second.low && first.high == second.high);
	check_near(first.low, 0.5 - Z * sqrt(0.25 / 50), 0.02); /* clusters are what there is: n = 50, not 200 */
	check_near(first.high, 0.5 + Z * sqrt(0.25 / 50), 0.02);
	CHECK(isnan(stats_bootstrap(sums, counts, 0, 10, 0.95, &r, scratch).low));
}

TEST(an_interval_is_an_array_or_null)
{
	struct json_writer w;
	struct buf out;

	buf_init(&out);
	json_write_init(&w, &out, JSON_COMPACT);
	json_write_begin_object(&w);
	stats_put_interval(&w, "known", (struct interval){ 0.25, 1 });
	stats_put_interval(&w, "half", (struct interval){ NAN, 1 });
	json_write_end_object(&w);
	CHECK_STR(buf_str(&out), STR("{\"known\":[0.25,1],\"half\":null}"));
	buf_free(&out);
}
