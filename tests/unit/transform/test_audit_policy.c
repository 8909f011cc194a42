#include "transform/audit_policy.h"

#include "harness/test.h"

TEST(a_policy_is_read_whole)
{
	struct audit_policy p = { 0 };
	struct arena a;
	struct err err;

	arena_init(&a);
	CHECK(!audit_policy_declares(&p));
	CHECK(audit_policy_parse(&a, STR("{\"budget\":{\"max_calls\":3,\"tool_limits\":{\"x\":0,\"mcp://a/b\":7},"
					 "\"max_cost_usd\":0.5,\"max_tokens\":9,\"allowed_tools\":[\"x\"]},"
					 "\"retrieval_set\":[\"HTTP://A/\",\"b://c\"]}"), &p, &err));
	CHECK(p.has_calls && p.calls == 3 && p.has_cost && p.usd == 0.5 && p.has_tokens && p.tokens == 9);
	CHECK_INT(p.limit_count, 2);
	CHECK_STR(p.limits[1].tool, STR("mcp://a/b"));
	CHECK_INT(p.limits[1].calls, 7);
	CHECK(p.has_allowed && p.allowed_count == 1 && p.has_set && p.set_count == 2);
	CHECK_STR(p.set[0], STR("http://a/"));
	CHECK(audit_policy_declares(&p));
	arena_free(&a);
}

TEST(a_part_that_is_empty_still_declares)
{
	static const struct {
		const char *text;
		bool declares;
	} cases[] = {
		{ "{}", false },
		{ "{\"budget\":{}}", false },
		{ "{\"budget\":{\"tool_limits\":{}}}", false },
		{ "{\"budget\":{\"allowed_tools\":[]}}", true }, /* no tool at all */
		{ "{\"budget\":{\"tools\":[\"x\"]}}", true },
		{ "{\"retrieval_set\":[]}", true },
		{ "{\"budget\":{\"max_calls\":0}}", true },
	};
	struct arena a;
	struct err err;

	arena_init(&a);
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct audit_policy p = { 0 };

		test_case("%s", cases[i].text);
		CHECK(audit_policy_parse(&a, str_from(cases[i].text), &p, &err));
		CHECK_INT(audit_policy_declares(&p), cases[i].declares);
	}
	arena_free(&a);
}

TEST(whatever_is_not_known_or_not_of_its_type_is_refused_with_its_place)
{
	static const struct {
		const char *text, *says;
	} cases[] = {
		{ "[]", "line 1, column 1: the policy is not an object" },
		{ "{\"a\":1}", "line 1, column 2: a is not known" },
		{ "{\n  \"budget\": {\n    \"max_call\": 3}}", "line 3, column 5: budget.max_call is not known" },
		{ "{\"budget\":[]}", "line 1, column 11: budget is not an object" },
		{ "{\"budget\":null}", "line 1, column 11: budget is not an object" },
		{ "{\"budget\":{\"max_calls\":-1}}", "budget.max_calls is not a count" },
		{ "{\"budget\":{\"max_calls\":1.5}}", "budget.max_calls is not a count" },
		{ "{\"budget\":{\"max_calls\":\"3\"}}", "budget.max_calls is not a count" },
		{ "{\"budget\":{\"max_calls\":9007199254740992}}", "budget.max_calls is not a count" },
		{ "{\"budget\":{\"max_tokens\":true}}", "budget.max_tokens is not a count" },
		{ "{\"budget\":{\"max_cost_usd\":-0.1}}", "budget.max_cost_usd is not an amount" },
		{ "{\"budget\":{\"max_cost_usd\":\"1\"}}", "budget.max_cost_usd is not an amount" },
		{ "{\"budget\":{\"tool_limits\":[]}}", "budget.tool_limits is not an object" },
		{ "{\"budget\":{\"tool_limits\":{\"x\":-1}}}", "budget.tool_limits.x is not a count" },
		{ "{\"budget\":{\"tool_limits\":{\"\":1}}}", "budget.tool_limits has a tool without a name" },
		{ "{\"budget\":{\"allowed_tools\":\"x\"}}", "budget.allowed_tools is not a list" },
		{ "{\"budget\":{\"allowed_tools\":[1]}}", "budget.allowed_tools has an entry that is not a text" },
		{ "{\"budget\":{\"allowed_tools\":[\"\"]}}", "budget.allowed_tools has an entry that is not a text" },
		{ "{\"budget\":{\"tools\":[],\"allowed_tools\":[]}}", "budget.allowed_tools declares the allowed tools again" },
		{ "{\"retrieval_set\":{}}", "retrieval_set is not a list" },
		{ "{\"retrieval_set\":[\"doc/a.md\"]}", "retrieval_set has an entry that is not a URI" },
		{ "{\"retrieval_set\":[\"sha256:12\"]}", "retrieval_set has a digest that is not one" },
		{ "{\"budget\":{},\"budget\":{}}", "this is not JSON" },
		{ "{\"budget\":", "this is not JSON" },
		{ "", "this is not JSON" },
	};
	struct arena a;

	arena_init(&a);
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct audit_policy p = { 0 };
		struct err err = { .kind = ERR_NONE };

		test_case("%s", cases[i].text);
		CHECK(!audit_policy_parse(&a, str_from(cases[i].text), &p, &err));
		CHECK_INT(err.kind, ERR_DATA);
		if (!str_has(str_from(err.text), str_from(cases[i].says)))
			FAIL("%s", err.text);
		CHECK(str_has(str_from(err.text), STR(ERR_HELP)));
	}
	arena_free(&a);
}

TEST(a_policy_names_a_thousand_tools_and_no_more)
{
	struct arena a;

	arena_init(&a);
	for (int over = 0; over < 2; over++) {
		struct audit_policy p = { 0 };
		struct buf b = { 0 };
		struct err err;

		buf_add_str(&b, STR("{\"allowed_tools\":[\"x\""));
		for (int i = 1; i < AUDIT_TOOLS_MAX + over; i++)
			buf_add_str(&b, STR(",\"x\""));
		buf_add_str(&b, STR("]}"));
		CHECK_INT(audit_budget_parse(&a, buf_str(&b), &p, &err), !over);
		buf_free(&b);
	}
	arena_free(&a);
}

TEST(a_set_of_digests_has_what_the_set_of_uris_has)
{
	struct audit_policy p = { 0 }, digests = { 0 };
	struct arena a;
	struct err err;
	struct str text;

	arena_init(&a);
	CHECK(audit_set_parse(&a, STR("[\"https://example.org\",\"file:a\"]"), &p, &err));
	text = audit_set_digests(&a, &p);
	CHECK(str_starts(text, STR("[\"sha256:")) && !str_has(text, STR("example")));
	CHECK(audit_set_parse(&a, text, &digests, &err));
	CHECK_STR(audit_set_digests(&a, &digests), text);
	CHECK(audit_set_has(&p, STR("https://example.org/")) && audit_set_has(&digests, STR("https://example.org/")));
	CHECK(audit_set_has(&p, STR("file:a")) && audit_set_has(&digests, STR("file:a")));
	CHECK(!audit_set_has(&p, STR("file:b")) && !audit_set_has(&digests, STR("file:b")));
	CHECK(!audit_set_has(&(struct audit_policy){ .has_set = true }, STR("file:b")));
	arena_free(&a);
}
