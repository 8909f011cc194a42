/* What a verifier said: which channel is believed, and what is no verdict. */
#include "trial/run/verdict.h"

#include "harness/test.h"

#define NOTHING { NULL, 0 }
#define SAID(text) { text, sizeof(text) - 1 }

static const struct {
	struct verdict_given given;
	enum verdict_channel channel;
	double reward; /* negative: none */
	const char *words; /* of the error, or the breakdown */
} cases[] = {
	{ { .fd = NOTHING }, VERDICT_NOWHERE, -1, VERDICT_MISSING },
	{ { .fd = SAID("{\"reward\": 0.5}") }, VERDICT_FD, 0.5, NULL },
	{ { .fd = SAID(" {\"reward\": 1, \"order\": 0}\n") }, VERDICT_FD, 1, "{\"order\":0}" },
	{ { .fd = SAID("{\"reward\": 0}"), .json = SAID("{\"reward\": 1}"), .text = SAID("1") }, VERDICT_FD, 0, NULL },
	{ { .fd = SAID("\n"), .json = SAID("{\"reward\": 1}") }, VERDICT_JSON, 1, NULL },
	{ { .json = SAID("{\"reward\": 0.25}"), .text = SAID("1") }, VERDICT_JSON, 0.25, NULL },
	{ { .json = SAID("{\"score\": 0.75, \"why\": \"x\"}") }, VERDICT_JSON, 0.75, "{\"why\":\"x\"}" },
	{ { .json = SAID("{\"reward\": 1, \"a\": 0.5}") }, VERDICT_JSON, 1, "{\"a\":0.5}" },
	{ { .json = SAID("{\"reward\": 1, \"a\": 1}"), .details = SAID("{\"a\": 2, \"b\": [3]}") }, VERDICT_JSON, 1,
	  "{\"a\":2,\"b\":[3]}" },
	{ { .text = SAID("0.5\n"), .details = SAID("{\"b\": 3}") }, VERDICT_TEXT, 0.5, "{\"b\":3}" },
	{ { .text = SAID("1"), .details = SAID("[1]") }, VERDICT_TEXT, 1, NULL },
	{ { .text = SAID(".75\n") }, VERDICT_TEXT, 0.75, NULL },
	{ { .text = SAID("+1.") }, VERDICT_TEXT, 1, NULL },
	/* no verdict, and no other channel is asked then */
	{ { .fd = SAID("{\"reward\": 1.0}{\"reward\": 0.0}"), .text = SAID("1") }, VERDICT_FD, -1, "more than one" },
	{ { .fd = SAID("passed"), .json = SAID("{\"reward\": 1}") }, VERDICT_FD, -1, "no JSON" },
	{ { .fd = SAID("{\"reward\": 1.01}") }, VERDICT_FD, -1, "outside of 0 to 1" },
	{ { .fd = SAID("{\"reward\": -0.01}") }, VERDICT_FD, -1, "outside of 0 to 1" },
	{ { .fd = SAID("{\"reward\": \"1\"}") }, VERDICT_FD, -1, "no finite number" },
	{ { .fd = SAID("{\"reward\": 1e999}") }, VERDICT_FD, -1, "no" },
	{ { .fd = SAID("{\"reward\": NaN}") }, VERDICT_FD, -1, "no JSON" },
	{ { .fd = SAID("{\"reward\": null, \"x\": 1}") }, VERDICT_FD, -1, "no finite number" },
	{ { .fd = SAID("{\"a\": 1, \"b\": 1}") }, VERDICT_FD, -1, "no object with a reward" },
	{ { .fd = SAID("1") }, VERDICT_FD, -1, "no object with a reward" },
	{ { .fd = SAID("[{\"reward\": 1}]") }, VERDICT_FD, -1, "no object with a reward" },
	{ { .json = SAID(""), .text = SAID("1") }, VERDICT_JSON, -1, "no JSON" },
	{ { .text = SAID("") }, VERDICT_TEXT, -1, "no finite number" },
	{ { .text = SAID("inf") }, VERDICT_TEXT, -1, "no finite number" },
	{ { .text = SAID(".") }, VERDICT_TEXT, -1, "no finite number" },
	{ { .text = SAID("+") }, VERDICT_TEXT, -1, "no finite number" },
	{ { .text = SAID("+-1") }, VERDICT_TEXT, -1, "outside of 0 to 1" },
	{ { .text = SAID("1 1") }, VERDICT_TEXT, -1, "no finite number" },
	{ { .text = SAID("2") }, VERDICT_TEXT, -1, "outside of 0 to 1" },
};

TEST(the_first_channel_with_anything_in_it_decides)
{
	struct verdict v;
	struct arena a;

	arena_init(&a);
	for (size_t i = 0; i < COUNT(cases); i++) {
		test_case("%zu", i);
		verdict_read(&a, &cases[i].given, &v);
		CHECK_INT(v.channel, cases[i].channel);
		CHECK_INT(v.completed, cases[i].reward >= 0);
		CHECK(v.reward >= 0 && v.reward <= 1);
		if (v.completed) {
			CHECK(v.reward >= cases[i].reward && v.reward <= cases[i].reward);
			CHECK_STR(v.breakdown, str_from(cases[i].words));
			CHECK(!v.error.p);
		} else {
			CHECK(v.reward <= 0);
			CHECK(str_has(v.error, str_from(cases[i].words)));
		}
	}
	arena_free(&a);
}

TEST(every_channel_has_a_name)
{
	CHECK(!verdict_channel_name(VERDICT_NOWHERE));
	CHECK_STR(str_from(verdict_channel_name(VERDICT_FD)), STR("fd3"));
	CHECK_STR(str_from(verdict_channel_name(VERDICT_JSON)), STR("reward.json"));
	CHECK_STR(str_from(verdict_channel_name(VERDICT_TEXT)), STR("reward.txt"));
}
