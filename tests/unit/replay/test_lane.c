#include "replay/lane.h"

#include "harness/test.h"

TEST(the_first_difference_of_two_values_has_a_path)
{
	static const struct { const char *recorded, *live, *path, *expected, *got; } cases[] = {
		{ "{\"a\":1,\"b\":[1,2]}", "{\"b\":[1,2],\"a\":1.0}", NULL, NULL, NULL },
		{ "{\"a\":1,\"b\":[1,2]}", "{\"b\":[1,3],\"a\":1}", "/b/1", "2", "3" },
		{ "[1]", "[1,2]", "/1", NULL, "2" },
		{ "{\"a/b\":{\"~\":\"x\"}}", "{\"a/b\":{\"~\":\"y\"}}", "/a~1b/~0", "x", "y" },
		{ "{\"a\":null}", "{}", "/a", "null", NULL },
		{ "{}", "{\"z\":\"\\u0041\"}", "/z", NULL, "A" },
		{ "{\"a\":{}}", "{\"a\":[]}", "/a", "{}", "[]" },
		{ "\"A\"", "\"\\u0041\"", NULL, NULL, NULL },
		{ "abc", "abd", "", "abc", "abd" },
		{ "1", "x", "", "1", "x" },
		{ "true", "false", "", "true", "false" },
	};
	struct match_difference d;
	struct arena a;

	arena_init(&a);
	for (size_t i = 0; i < COUNT(cases); i++) {
		test_case("%s", cases[i].recorded);
		CHECK_INT(lane_differ(&a, str_from(cases[i].recorded), str_from(cases[i].live), &d), cases[i].path != NULL);
		if (!cases[i].path)
			continue;
		CHECK_STR(d.path, str_from(cases[i].path));
		CHECK_INT(d.expected.p != NULL, cases[i].expected != NULL);
		CHECK_STR(d.expected, str_from(cases[i].expected));
		CHECK_STR(d.got, str_from(cases[i].got));
		CHECK(str_starts(d.diff, STR("@@ ")));
	}
	arena_free(&a);
}

TEST(a_long_text_is_cut_around_the_difference)
{
	char one[1000], two[1000];
	struct match_difference d;
	struct arena a;

	arena_init(&a);
	memset(one, 'x', sizeof(one));
	memset(two, 'x', sizeof(two));
	two[600] = 'y';
	CHECK(lane_differ(&a, str_of(one, sizeof(one)), str_of(two, sizeof(two)), &d));
	CHECK_INT(d.byte, 600);
	CHECK(d.got.n < 200 && str_has(d.got, STR("xyx")) && str_starts(d.got, STR("...")) && str_ends(d.got, STR("...")));
	arena_free(&a);
}

TEST(delays_go_by_the_pace)
{
	struct player_pace pace = { .speed = 0 };
	struct lane_ops ops = { .pace = &pace };

	CHECK_INT(lane_delay_ns(&ops, 1000), 0);
	pace.speed = 0.5;
	CHECK_INT(lane_delay_ns(&ops, 1000), 500000);
	pace.speed = 1e300;
	CHECK(lane_delay_ns(&ops, 1000) > 0);
	ops.pace = NULL;
	CHECK_INT(lane_delay_ns(&ops, 1000), 0);
}

TEST(a_miss_is_a_call_too_many_or_another_one)
{
	struct match_result r = { .used_up = true, .near_count = 1 };

	CHECK_STR(str_from(lane_miss_class(&r)), STR("extra_call"));
	r.used_up = false;
	CHECK_STR(str_from(lane_miss_class(&r)), STR("request_mismatch"));
	r.near_count = 0;
	CHECK_STR(str_from(lane_miss_class(&r)), STR("extra_call"));
}
