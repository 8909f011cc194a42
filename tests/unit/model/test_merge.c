#include "model/merge.h"

#include "harness/test.h"

TEST(objects_are_merged_member_by_member)
{
	static const struct { const char *first, *second, *both; } cases[] = {
		{ "{}", "{}", "{}" },
		{ "{\"a\":1}", "{\"b\":2}", "{\"a\":1,\"b\":2}" },
		{ "{\"b\":2}", "{\"a\":1}", "{\"a\":1,\"b\":2}" },
		{ "{\"a\":1}", "{\"a\":2}", "{\"a\":2}" },
		{ "{\"a\":{\"x\":1}}", "{\"a\":{\"y\":2}}", "{\"a\":{\"x\":1,\"y\":2}}" },
		{ "{\"a\":{\"x\":1}}", "{\"a\":[]}", "{\"a\":[]}" },
		{ "{\"a\":{\"x\":{\"p\":1}},\"b\":0}", "{\"a\":{\"x\":{\"q\":2}}}", "{\"a\":{\"x\":{\"p\":1,\"q\":2}},\"b\":0}" },
		{ "{\"\xc3\xa9\":1}", "{\"z\":2}", "{\"z\":2,\"\xc3\xa9\":1}" },
		{ "[1]", "{\"a\":1}", "{\"a\":1}" },
		{ "{\"a\":1}", "7", "7" },
	};
	struct merge *m = merge_open();
	struct arena a;

	arena_init(&a);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		test_case("%s and %s", cases[i].first, cases[i].second);
		CHECK_STR(merge_objects(m, &a, str_from(cases[i].first), str_from(cases[i].second)), str_from(cases[i].both));
	}
	arena_free(&a);
	merge_close(m);
}
