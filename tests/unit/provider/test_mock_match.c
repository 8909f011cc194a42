#include "provider/mock_match.h"

#include "harness/test.h"
#include "provider/mock_talk.h"

static struct mock_request talk(const char *path, const char *model, struct str *texts, size_t count)
{
	return (struct mock_request){ .shape = &mock_openai_chat, .path = str_from(path), .model = str_from(model), .texts = texts,
				      .text_count = count, .last = count ? texts[count - 1] : STR("") };
}

static const struct mock_rule *match_one(struct arena *a, struct mock_pattern m, const struct mock_request *q)
{
	struct mock_rule *rule = arena_new(a, struct mock_rule);
	struct mock_script s = { .rules = rule, .count = 1 };
	struct mock_matcher matcher;

	rule->match = m;
	mock_matcher_init(&matcher, a, &s);
	return mock_match(&matcher, q);
}

TEST(everything_given_must_fit)
{
	struct str texts[] = { STR("be brief"), STR("what is the weather?") };
	struct mock_request q = talk("/v1/chat/completions", "gpt-4o", texts, 2);
	static const struct {
		struct mock_pattern m;
		bool fits;
	} cases[] = {
		{ { .nth = 0 }, true },
		{ { .path = { "/chat/completions", 17 } }, true },
		{ { .path = { "/v1/chat", 8 } }, false },
		{ { .path = { "/v1/*", 5 } }, true },
		{ { .model = { "gpt-4o", 6 } }, true },
		{ { .model = { "gpt-4", 5 } }, false },
		{ { .model = { "gpt-*", 5 } }, true },
		{ { .contains = { "brief", 5 } }, true },
		{ { .contains = { "Brief", 5 } }, false },
		{ { .contains = { "", 0 } }, true },
		{ { .last = { "brief", 5 } }, false },
		{ { .last = { "weather", 7 } }, true },
		{ { .contains = { "weather", 7 }, .model = { "other", 5 } }, false },
	};
	struct arena a;

	arena_init(&a);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		test_case("case %zu", i);
		CHECK_INT(match_one(&a, cases[i].m, &q) != NULL, cases[i].fits);
	}
	arena_free(&a);
}

TEST(the_first_rule_wins_and_nth_counts_what_the_rest_fits)
{
	struct mock_rule rules[] = {
		{ .match = { .contains = STR("x"), .nth = 1 } },
		{ .match = { .contains = STR("x"), .nth = 3 } },
		{ .match = { .contains = STR("x") } },
		{ .match = { .nth = 2 } },
	};
	struct mock_script s = { .rules = rules, .count = 4 };
	struct str x = STR("x"), y = STR("y");
	struct mock_request with = talk("/chat", "m", &x, 1), without = talk("/chat", "m", &y, 1);
	struct mock_matcher m;
	struct arena a;

	arena_init(&a);
	mock_matcher_init(&m, &a, &s);
	CHECK(mock_match(&m, &with) == &rules[0]);
	CHECK(mock_match(&m, &without) == &rules[3]); /* the second of all */
	CHECK(mock_match(&m, &without) == NULL);
	CHECK(mock_match(&m, &with) == &rules[2]);
	CHECK(mock_match(&m, &with) == &rules[1]);
	CHECK(mock_match(&m, &with) == &rules[2]);
	arena_free(&a);
}

TEST(what_is_no_talk_is_matched_by_its_path_only)
{
	struct mock_request q = talk("/v1/embeddings", "m", NULL, 0);
	struct arena a;

	arena_init(&a);
	q.shape = NULL; /* as of embeddings */
	CHECK(match_one(&a, (struct mock_pattern){ .nth = 0 }, &q) == NULL);
	CHECK(match_one(&a, (struct mock_pattern){ .path = STR("/embeddings") }, &q) != NULL);
	arena_free(&a);
}
