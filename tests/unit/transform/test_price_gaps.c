#include "transform/price_gaps.h"

#include "harness/test.h"

static void check_said(const struct price_gaps *g, const char *want)
{
	struct buf b;

	buf_init(&b);
	price_gaps_say(g, &b);
	CHECK_STR(buf_str(&b), str_from(want));
	buf_free(&b);
}

TEST(each_model_is_named_once_and_with_the_reason)
{
	struct price_gaps g, more;

	price_gaps_init(&g);
	price_gaps_init(&more);
	check_said(&g, "");
	price_gaps_add(&g, STR("a"), STR(""), PRICE_FOUND);
	price_gaps_add(&g, STR("a"), STR(""), PRICE_NO_COUNT);
	check_said(&g, "");
	price_gaps_add(&g, STR("a"), STR(""), PRICE_NO_MODEL);
	price_gaps_add(&g, STR("a"), STR("flex"), PRICE_NO_MODEL);
	price_gaps_add(&g, STR("b"), STR("flex"), PRICE_NO_TIER);
	check_said(&g, "no price for a (2 calls), b at tier flex (1 call)");
	price_gaps_add(&more, STR("a"), STR(""), PRICE_NO_MODEL);
	price_gaps_add(&more, STR("c"), STR(""), PRICE_LOCAL);
	price_gaps_add(&more, STR("d"), STR(""), PRICE_NO_DAY);
	price_gaps_add(&more, STR(""), STR(""), PRICE_NO_KIND);
	price_gaps_join(&g, &more);
	check_said(&g, "no price for a (3 calls), b at tier flex (1 call), c on your own machine (1 call), "
		       "d before the first day of its prices (1 call), "
		       "a model without a name for some kinds of its tokens (1 call)");
	price_gaps_free(&g);
	price_gaps_free(&more);
}

TEST(names_of_strangers_are_cleaned_and_not_kept_for_ever)
{
	struct price_gaps g;
	char name[300];

	price_gaps_init(&g);
	price_gaps_add(&g, STR("a\x1b[31m"), STR(""), PRICE_NO_MODEL);
	price_gaps_add(&g, STR("a\x1b[31m"), STR(""), PRICE_NO_MODEL);
	check_said(&g, "no price for a [31m (2 calls)");
	memset(name, 'x', sizeof(name));
	for (char c = 'a'; c < 'a' + 26; c++) {
		name[0] = c;
		for (name[1] = '0'; name[1] < '3'; name[1]++)
			price_gaps_add(&g, str_of(name, sizeof(name)), STR(""), PRICE_NO_MODEL);
	}
	CHECK_INT(g.count, 32);
	CHECK(g.names[1].model.n <= 96 + 3);
	CHECK_INT(g.calls, 80);
	CHECK_INT(g.others, 80 - 2 - 31);
	price_gaps_free(&g);
}

TEST(a_key_in_the_place_of_a_model_is_not_said)
{
	struct price_gaps g;

	price_gaps_init(&g);
	price_gaps_add(&g, STR("ghp_0123456789abcdefghijABCDEFGHIJ012345"), STR(""), PRICE_NO_MODEL);
	price_gaps_add(&g, STR("m"), STR("batch+us"), PRICE_NO_TIER);
	check_said(&g, "no price for ghp_\u2026 (1 call), m at tier batch+us (1 call)");
	price_gaps_free(&g);
}
