#include "audit_kit.h"

/* "verdict check used; ..." and then "!seq check name used" for each breach. */
static struct str judge(struct audit_kit *k, const char *policy)
{
	struct audit_policy p = { 0 };
	struct audit_answer w;
	struct buf b = { 0 };
	struct err err;

	if (!audit_policy_parse(&k->arena, str_from(policy), &p, &err))
		FAIL("%s", err.text);
	audit_judge(&k->arena, k->run, &p, &w);
	buf_printf(&b, "%s", audit_verdicts[w.verdict]);
	for (size_t i = 0; i < w.check_count; i++)
		buf_printf(&b, "; %s %s %g%s", audit_verdicts[w.checks[i].verdict], audit_whats[w.checks[i].what],
			   w.checks[i].used, w.checks[i].estimated ? "~" : "");
	for (size_t i = 0; i < w.breach_count; i++)
		buf_printf(&b, "; !%d %s %.*s %g", (int)w.breaches[i].seq, audit_whats[w.breaches[i].what],
			   STR_ARG(w.breaches[i].tool), w.breaches[i].used);
	return arena_take(&k->arena, &b);
}

TEST(a_limit_that_is_reached_is_kept_and_the_next_use_passes_it)
{
	static const struct {
		const char *policy, *says;
	} cases[] = {
		{ "{\"budget\":{\"max_calls\":4}}", "kept; kept max_calls 4" },
		{ "{\"budget\":{\"max_calls\":3}}", "exceeded; exceeded max_calls 4; !7 max_calls tool://v/b 4" },
		{ "{\"budget\":{\"max_calls\":0}}", "exceeded; exceeded max_calls 4; !1 max_calls tool://v/a 4" },
		{ "{\"budget\":{\"tool_limits\":{\"a\":2}}}", "kept; kept tool_limits 2" },
		{ "{\"budget\":{\"tool_limits\":{\"a\":1}}}", "exceeded; exceeded tool_limits 2; !3 tool_limits tool://v/a 2" },
		{ "{\"budget\":{\"tool_limits\":{\"s.c\":0}}}", "exceeded; exceeded tool_limits 1; !5 tool_limits mcp://s/c 1" },
		{ "{\"budget\":{\"max_cost_usd\":0.3}}", "kept; kept max_cost_usd 0.3" }, /* 0.1 + 0.2 in doubles is more */
		{ "{\"budget\":{\"max_cost_usd\":0.299999999}}",
		  "exceeded; exceeded max_cost_usd 0.3; !4 max_cost_usd m 0.3" },
		{ "{\"budget\":{\"max_tokens\":30}}", "kept; kept max_tokens 30" },
		{ "{\"budget\":{\"max_tokens\":29}}", "exceeded; exceeded max_tokens 30; !4 max_tokens m 30" },
		{ "{\"budget\":{\"allowed_tools\":[\"a\",\"b\",\"s.c\"]}}", "kept; kept allowed_tools 3" },
		{ "{\"budget\":{\"allowed_tools\":[\"a\",\"b\"]}}",
		  "exceeded; exceeded allowed_tools 3; !5 allowed_tools mcp://s/c 1" },
		{ "{\"budget\":{\"allowed_tools\":[]}}", "exceeded; exceeded allowed_tools 3; !1 allowed_tools tool://v/a 2; "
							 "!5 allowed_tools mcp://s/c 1; !7 allowed_tools tool://v/b 1" },
		{ "{\"retrieval_set\":[\"https://x\",\"https://y/\"]}", "kept; kept retrieval_set 2" },
		{ "{\"retrieval_set\":[\"https://y/\"]}",
		  "exceeded; exceeded retrieval_set 2; !1 retrieval_set https://x/ 2" },
		{ "{\"budget\":{\"max_calls\":3,\"max_tokens\":9},\"retrieval_set\":[]}",
		  "exceeded; exceeded max_calls 4; exceeded max_tokens 30; exceeded retrieval_set 2; "
		  "!1 retrieval_set https://x/ 2; !2 max_tokens m 30; !5 retrieval_set https://y/ 1; "
		  "!7 max_calls tool://v/b 4" },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct audit_kit k;

		test_case("%s", cases[i].policy);
		audit_kit_open(&k);
		audit_kit_call(&k, "a", "{\"u\":\"https://x/\"}");
		audit_kit_cost(&k, 0.1, 10);
		audit_kit_call(&k, "a", "{\"u\":\"https://x\"}");
		audit_kit_cost(&k, 0.2, 20);
		audit_kit_call(&k, "mcp__s__c", "{\"u\":\"https://y\"}");
		audit_kit_add(&k, (struct event){ .kind = EVENT_NOTE });
		audit_kit_call(&k, "b", "{}");
		CHECK_STR(judge(&k, cases[i].policy), str_from(cases[i].says));
		audit_kit_close(&k);
	}
}

TEST(tools_are_known_by_their_uris_and_names)
{
	static const struct {
		const char *call, *name;
		bool fits;
	} cases[] = {
		{ "a", "a", true },
		{ "a", "tool://v/a", true },
		{ "a", "tool://w/a", false },
		{ "tool://agent-trace/a", "tool://w/a", true }, /* a trace knows no vendors */
		{ "a", "A", false },
		{ "mcp__s__t", "mcp://s/t", true },
		{ "mcp__s__t", "s.t", true },
		{ "mcp__s__t", "mcp__s__t", true },
		{ "mcp__s__t", "t", false },
		{ "s.t", "mcp://s/t", true }, /* as a trace names it */
		{ "shell://local/rm", "shell://local/rm", true },
		{ "shell://local/rm", "rm", false },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct audit_kit k;
		struct str policy;

		test_case("%s for %s", cases[i].name, cases[i].call);
		audit_kit_open(&k);
		audit_kit_call(&k, cases[i].call, "{}");
		policy = arena_printf(&k.arena, "{\"budget\":{\"allowed_tools\":[\"%s\"]}}", cases[i].name);
		CHECK_INT(str_starts(judge(&k, policy.p), STR("kept")), cases[i].fits);
		audit_kit_close(&k);
	}
}

TEST(a_list_that_names_programs_is_about_programs)
{
	static const struct {
		const char *args, *allowed, *says;
	} cases[] = {
		{ "{\"command\":\"ls; rm x\"}", "\"bash\"", "kept; kept allowed_tools 1" },
		{ "{\"command\":\"ls\"}", "\"shell://local/ls\"", "kept; kept allowed_tools 1" },
		{ "{\"command\":\"ls; rm x\"}", "\"bash\",\"shell://local/ls\"",
		  "exceeded; exceeded allowed_tools 2; !1 allowed_tools shell://local/rm 1" },
		{ "{\"command\":\"$X\"}", "\"shell://local/ls\"", "not_judged; not_judged allowed_tools 0" },
		{ "{\"command\":\"$X; rm x\"}", "\"shell://local/ls\"",
		  "exceeded; exceeded allowed_tools 1; !1 allowed_tools shell://local/rm 1" },
		{ NULL, "\"shell://local/ls\"", "not_judged; not_judged allowed_tools 0" },
		{ NULL, "\"bash\"", "kept; kept allowed_tools 1" },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct audit_kit k;
		struct str policy;

		test_case("%s %s", cases[i].args ? cases[i].args : "-", cases[i].allowed);
		audit_kit_open(&k);
		audit_kit_call(&k, "bash", cases[i].args);
		policy = arena_printf(&k.arena, "{\"budget\":{\"allowed_tools\":[%s]}}", cases[i].allowed);
		CHECK_STR(judge(&k, policy.p), str_from(cases[i].says));
		audit_kit_close(&k);
	}
}

TEST(what_nobody_can_count_is_not_judged_unless_the_rest_is_too_much)
{
	static const char limits[] = "{\"budget\":{\"max_cost_usd\":1,\"max_tokens\":9}}";
	struct event cost = { .kind = EVENT_COST, .model = STR("m"), .usd = { .state = FIGURE_NULL },
			      .usage = { .input = FIGURE(1), .output = { .state = FIGURE_NULL } } };
	struct event step = { .kind = EVENT_STEP, .model = STR("m"),
			      .usage = { .input = FIGURE(1), .output = { FIGURE_KNOWN, FIGURE_ESTIMATED, 2 } } };
	struct audit_kit k;

	audit_kit_open(&k);
	CHECK_STR(judge(&k, limits), STR("kept; kept max_cost_usd 0; kept max_tokens 0"));
	audit_kit_add(&k, step); /* without any cost record, its tokens count */
	CHECK_STR(judge(&k, limits), STR("not_judged; not_judged max_cost_usd 0; kept max_tokens 3~"));
	audit_kit_add(&k, cost); /* with one, costs are all that counts */
	CHECK_STR(judge(&k, limits), STR("not_judged; not_judged max_cost_usd 0; not_judged max_tokens 1"));
	audit_kit_cost(&k, 2, 20);
	CHECK_STR(judge(&k, limits), STR("exceeded; exceeded max_cost_usd 2; exceeded max_tokens 21; "
					 "!3 max_cost_usd m 2; !3 max_tokens m 21"));
	audit_kit_close(&k);
}

TEST(without_arguments_nobody_knows_what_was_fetched)
{
	struct audit_kit k;

	audit_kit_open(&k);
	CHECK_STR(judge(&k, "{\"retrieval_set\":[]}"), STR("kept; kept retrieval_set 0"));
	audit_kit_call(&k, "a", NULL);
	CHECK_STR(judge(&k, "{\"retrieval_set\":[]}"), STR("not_judged; not_judged retrieval_set 0"));
	audit_kit_call(&k, "a", "\"https://x/\"");
	CHECK_STR(judge(&k, "{\"retrieval_set\":[]}"), STR("exceeded; exceeded retrieval_set 1; !2 retrieval_set https://x/ 1"));
	audit_kit_close(&k);
}

TEST(lines_that_cannot_be_read_may_have_been_anything)
{
	struct audit_kit k;

	audit_kit_open(&k);
	k.run->unreadable = 1;
	CHECK_STR(judge(&k, "{\"budget\":{\"max_calls\":1}}"), STR("not_judged; not_judged max_calls 0"));
	audit_kit_close(&k);
}

TEST(the_seq_decides_what_came_first_and_not_the_line)
{
	struct audit_kit k;

	audit_kit_open(&k);
	k.seq = 9;
	audit_kit_call(&k, "b", "{}");
	k.seq = 3;
	audit_kit_call(&k, "a", "{}");
	CHECK_STR(judge(&k, "{\"budget\":{\"max_calls\":1}}"), STR("exceeded; exceeded max_calls 2; !9 max_calls tool://v/b 2"));
	audit_kit_close(&k);
}

TEST(sums_that_are_too_large_do_not_come_round)
{
	struct audit_kit k;

	audit_kit_open(&k);
	audit_kit_cost(&k, 1e300, UINT64_MAX);
	audit_kit_cost(&k, 1e300, UINT64_MAX);
	CHECK(str_starts(judge(&k, "{\"budget\":{\"max_cost_usd\":5,\"max_tokens\":5}}"), STR("exceeded; exceeded max_cost_usd")));
	audit_kit_close(&k);
}
