/* Structure of sequences of bonds: every figure worked out by hand. */
#include "transform/bonds.h"

#include <math.h>

#include "base/buf.h"
#include "harness/test.h"

/* "evdx": a letter for each turn. */
static struct bond_sequence sequence(const char *letters)
{
	uint8_t *at = test_alloc(strlen(letters) + 1);

	for (size_t i = 0; letters[i]; i++)
		at[i] = (uint8_t)(strchr("evdx", letters[i]) - "evdx");
	return (struct bond_sequence){ at, strlen(letters) };
}

static void check_number(double got, double want)
{
	if (!(fabs(got - want) < 1e-12))
		FAIL("%.15g, expected %.15g", got, want);
}

TEST(a_bond_is_found_by_its_name_in_any_case)
{
	enum bond b = BONDS;

	CHECK(bond_find(STR("execution"), &b) && b == BOND_EXECUTION);
	CHECK(bond_find(STR("Exploration"), &b) && b == BOND_EXPLORATION);
	CHECK(!bond_find(STR("explor"), &b) && b == BOND_EXPLORATION);
	CHECK(!bond_find(STR(""), &b));
}

TEST(the_highest_score_wins_and_ties_have_an_order)
{
	static const struct {
		int64_t score[BONDS]; /* execution, verification, deliberation, exploration */
		enum bond want;
	} cases[] = {
		{ { 5, 4, 4, 4 }, BOND_EXECUTION },	{ { 5, 5, 5, 5 }, BOND_VERIFICATION },
		{ { 5, 4, 5, 5 }, BOND_EXPLORATION },	{ { 5, 4, 5, 4 }, BOND_DELIBERATION },
		{ { 0, 0, 0, 0 }, BOND_VERIFICATION },	{ { -1, -2, -3, -4 }, BOND_EXECUTION },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		test_case("%zu", i);
		CHECK_INT(bond_strongest(cases[i].score), cases[i].want);
	}
}

TEST(the_dominant_bond_has_most_turns_and_is_none_without_turns)
{
	CHECK_INT(bond_dominant((const uint64_t[BONDS]){ 0, 0, 0, 0 }), BONDS);
	CHECK_INT(bond_dominant((const uint64_t[BONDS]){ 1, 2, 2, 1 }), BOND_VERIFICATION);
	CHECK_INT(bond_dominant((const uint64_t[BONDS]){ 0, 0, 0, 1 }), BOND_EXPLORATION);
}

TEST(transitions_are_counted_and_rows_add_up_to_one)
{
	struct bond_counts c = bond_count_transitions(sequence("eevex"));
	struct bond_matrix m = bond_normalise(&c);

	CHECK_INT(c.to[BOND_EXECUTION][BOND_EXECUTION], 1);
	CHECK_INT(c.to[BOND_EXECUTION][BOND_VERIFICATION], 1);
	CHECK_INT(c.to[BOND_VERIFICATION][BOND_EXECUTION], 1);
	CHECK_INT(c.to[BOND_EXECUTION][BOND_EXPLORATION], 1);
	check_number(m.to[BOND_EXECUTION][BOND_EXECUTION], 1.0 / 3);
	check_number(m.to[BOND_VERIFICATION][BOND_EXECUTION], 1);
	for (size_t j = 0; j < BONDS; j++) /* nothing follows the last turn */
		check_number(m.to[BOND_EXPLORATION][j], 0);
}

TEST(no_turn_and_one_turn_have_no_transition)
{
	static const char *const cases[] = { "", "v" };

	for (size_t k = 0; k < COUNT(cases); k++) {
		struct bond_counts c = bond_count_transitions(sequence(cases[k]));

		for (size_t i = 0; i < BONDS * BONDS; i++)
			CHECK_INT(c.to[i / BONDS][i % BONDS], 0);
	}
}

TEST(the_cosine_is_one_for_the_same_zero_for_what_shares_nothing_or_is_empty)
{
	struct bond_matrix same = { .to = { { 0.5, 0.5 } } }, none = { .to = { { 0 } } };
	struct bond_matrix one = { .to = { { 1 } } }, other = { .to = { [1] = { 1 } } };

	check_number(bond_cosine(&same, &same), 1);
	check_number(bond_cosine(&one, &other), 0);
	check_number(bond_cosine(&one, &none), 0);
	check_number(bond_cosine(&none, &none), 0);
	check_number(bond_cosine(&one, &same), 0.5 / sqrt(0.5)); /* (1,0) . (.5,.5) / (1 * sqrt(.5)) */
	none.to[3][3] = 1e-12; /* no longer than the limit */
	check_number(bond_cosine(&none, &none), 0);
	none.to[3][3] = 2e-12;
	check_number(bond_cosine(&none, &none), 1);
}

TEST(the_edit_distance_is_levenshteins)
{
	static const struct {
		const char *a, *b;
		uint64_t want;
	} cases[] = {
		{ "", "", 0 },	       { "evd", "", 3 },	{ "", "x", 1 },	       { "evdx", "evdx", 0 },
		{ "evdx", "evx", 1 },  { "ev", "ve", 2 },	{ "eevvxx", "vxvxe", 4 },
		{ "eeee", "vvvv", 4 }, { "xevd", "evdx", 2 },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		uint64_t got = 99, back = 99;

		test_case("%s to %s", cases[i].a, cases[i].b);
		CHECK(bond_edit_distance(sequence(cases[i].a), sequence(cases[i].b), &got));
		CHECK(bond_edit_distance(sequence(cases[i].b), sequence(cases[i].a), &back));
		CHECK_INT(got, cases[i].want);
		CHECK_INT(back, got);
	}
}

TEST(sequences_that_are_too_long_have_no_distance)
{
	size_t n = (size_t)1 << 17;
	struct bond_sequence s = { test_alloc(n), n };
	uint64_t got = 7;

	CHECK(!bond_edit_distance(s, s, &got));
	CHECK_INT(got, 7);
}

TEST(a_reference_is_the_mean_weighted_by_turns)
{
	/* "ee": e>e is 1, two turns; "eve": e>v and v>e are 1, three turns; no turn at all is left out */
	struct bond_sequence traces[] = { sequence("ee"), sequence("eve"), sequence("") };
	struct bond_reference r;
	struct arena a;

	arena_init(&a);
	r = bond_make_reference(&a, traces, COUNT(traces));
	CHECK_INT(r.traces, 2);
	CHECK_INT(r.turns, 5);
	check_number(r.matrix.to[BOND_EXECUTION][BOND_EXECUTION], 2.0 / 5);
	check_number(r.matrix.to[BOND_EXECUTION][BOND_VERIFICATION], 3.0 / 5);
	check_number(r.matrix.to[BOND_VERIFICATION][BOND_EXECUTION], 3.0 / 5);
	check_number(r.matrix.to[BOND_EXPLORATION][BOND_EXECUTION], 0);
	arena_free(&a);
}

static void check_ideal(const char *const *traces, size_t count, const char *want, uint64_t times)
{
	struct bond_sequence s[8], w = sequence(want);
	struct bond_reference r;
	struct arena a;

	arena_init(&a);
	for (size_t i = 0; i < count; i++)
		s[i] = sequence(traces[i]);
	r = bond_make_reference(&a, s, count);
	CHECK_STR(str_of(r.ideal.at, r.ideal.n), str_of(w.at, w.n));
	CHECK_INT(r.ideal_traces, times);
	arena_free(&a);
}

TEST(the_ideal_sequence_is_the_most_frequent_then_the_longer_then_the_first_by_name)
{
	check_ideal((const char *const[]){ "ev", "evdx", "ev" }, 3, "ev", 2);
	check_ideal((const char *const[]){ "ev", "evd", "ev", "evd" }, 4, "evd", 2);
	check_ideal((const char *const[]){ "vv", "ee", "dd", "xx" }, 4, "dd", 1); /* deliberation is first by name */
	check_ideal((const char *const[]){ "xx", "ee" }, 2, "ee", 1);
	check_ideal(NULL, 0, "", 0);
}

TEST(a_trace_is_held_against_a_reference)
{
	struct bond_sequence good[] = { sequence("eve") };
	struct bond_likeness l;
	struct bond_reference r;
	struct arena a;

	arena_init(&a);
	r = bond_make_reference(&a, good, 1);
	l = bond_compare(sequence("eve"), &r);
	check_number(l.cosine, 1);
	CHECK(l.has_distance && l.distance == 0);
	l = bond_compare(sequence("eevx"), &r); /* e>e .5, e>v .5, v>x 1: .5 / (sqrt(1.5) * sqrt(2)) */
	check_number(l.cosine, 0.5 / (sqrt(1.5) * sqrt(2)));
	CHECK_INT(l.distance, 2);
	check_number(l.normalised, 0.5);
	l = bond_compare(sequence(""), &r);
	check_number(l.cosine, 0);
	CHECK_INT(l.distance, 3);
	check_number(l.normalised, 1);
	arena_free(&a);
}

TEST(figures_have_six_decimals)
{
	struct bond_matrix m = { .to = { { 1.0 / 3, 2.0 / 3 } } };
	struct json_writer w;
	struct buf out;

	check_number(bond_round(0.1234565), 0.123457);
	check_number(bond_round(1), 1);
	buf_init(&out);
	json_write_init(&w, &out, JSON_COMPACT);
	bond_write_matrix(&w, &m);
	CHECK_STR(buf_str(&out), STR("[[0.333333,0.666667,0,0],[0,0,0,0],[0,0,0,0],[0,0,0,0]]"));
	buf_clear(&out);
	json_write_init(&w, &out, JSON_COMPACT);
	bond_write_sequence(&w, sequence("xd"));
	CHECK_STR(buf_str(&out), STR("[\"exploration\",\"deliberation\"]"));
	buf_free(&out);
}
