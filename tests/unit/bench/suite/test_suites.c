/*
 * The shipped suites against answers that people wrote for them (tests/data/bench/answers): the right ones pass, the
 * wrong ones do not, in these words. A validator that takes everything, or nothing, does not get by.
 */
#include "bench/suite/suite.h"

#include <stdio.h>

#include "base/map.h"
#include "bench/suite/builtin.h"
#include "harness/test.h"

#define LEAST 30 /* prompts of a suite */

struct sheet {
	struct arena arena;
	struct suite suite;
	struct json_parser *parser;
	struct val answers;
};

static void open_sheet(struct sheet *s, const char *name)
{
	static const struct suite_options options = { .finding_limit = 0 };
	char path[100], shipped[100];
	struct err err = { .kind = ERR_NONE };
	struct json_issue issue;
	struct str one;

	snprintf(path, sizeof(path), "bench/answers/%s.json", name);
	snprintf(shipped, sizeof(shipped), "builtin:%s", name);
	one = str_from(shipped);
	arena_init(&s->arena);
	CHECK(suite_load(&s->suite, &s->arena, &one, 1, &options, &err));
	s->parser = json_parser_open((struct json_options){ .max_depth = 0 });
	if (!json_parse_copy(s->parser, test_data(path), &s->answers, &issue))
		FAIL("%s: %s", path, issue.message);
}

static void close_sheet(struct sheet *s)
{
	json_parser_close(s->parser);
	arena_free(&s->arena);
}

static struct str text_of(struct sheet *s, struct val v, const char *name)
{
	struct val member = val_get(v, str_from(name));

	return val_is(member, JSON_STRING) ? val_text(member, &s->arena) : STR("");
}

static struct verdict judge(struct sheet *s, const struct suite_prompt *p, struct val answer)
{
	struct val calls = val_get(answer, STR("calls")), one;
	struct val_iter it = val_begin(calls);
	struct validator_call *list = arena_array(&s->arena, struct validator_call, val_count(calls) + 1);
	struct str *names = arena_array(&s->arena, struct str, val_count(calls) + 1);
	struct validator_input in = { .output = text_of(s, answer, "output"), .calls = list, .output_tokens = -1 };

	while (val_is(calls, JSON_ARRAY) && val_next(&it, &one)) {
		names[in.call_count] = text_of(s, one, "name");
		list[in.call_count] = (struct validator_call){ names[in.call_count], text_of(s, one, "arguments") };
		in.call_count++;
	}
	in.tools = detect_tools(&s->arena, (struct detect_how){ DETECT_DEFAULT, p->expected, p->expected_count },
				in.output, names, in.call_count);
	return validator_run(p->validator, &s->arena, &in);
}

static void check_answers(struct sheet *s, const struct suite_prompt *p, struct val row, bool right)
{
	struct val list = val_get(row, right ? STR("pass") : STR("fail")), answer;
	struct val_iter it = val_begin(list);

	if (!val_is(list, JSON_ARRAY) || val_count(list) == 0)
		FAIL("%.*s has no %s answer", STR_ARG(p->id), right ? "right" : "wrong");
	while (val_next(&it, &answer)) {
		struct verdict v = judge(s, p, answer);

		test_case("%.*s, %s: %.*s", STR_ARG(p->id), right ? "right" : "wrong", STR_ARG(text_of(s, answer, "output")));
		CHECK_INT(v.pass, right ? VERDICT_TRUE : VERDICT_FALSE);
		CHECK_STR(v.violation, text_of(s, answer, "violation"));
	}
}

static void check_suite(const char *name)
{
	struct val_iter it;
	struct sheet s;
	struct val row;

	open_sheet(&s, name);
	CHECK(s.suite.count >= LEAST);
	CHECK_INT(s.suite.errors, 0);
	CHECK_INT(s.suite.files[0].findings.kept_count, 0);
	CHECK_INT(val_count(s.answers), s.suite.count);
	it = val_begin(s.answers);
	for (size_t i = 0; i < s.suite.count; i++) {
		const struct suite_prompt *p = &s.suite.prompts[i];

		CHECK(val_next(&it, &row));
		CHECK_STR(text_of(&s, row, "id"), p->id);
		check_answers(&s, p, row, true);
		check_answers(&s, p, row, false);
	}
	close_sheet(&s);
}

TEST(sanity_is_judged_fairly)
{
	check_suite("sanity");
}

TEST(instructions_are_judged_fairly)
{
	check_suite("instructions");
}

TEST(tools_are_judged_fairly)
{
	check_suite("tools");
}

/* What makes the whole useful: names and prompts differ, everything has tags, nothing is answered by silence. */
TEST(every_prompt_is_its_own_and_an_empty_answer_passes_none)
{
	struct map seen;
	struct arena a;

	arena_init(&a);
	map_init(&seen, &a);
	for (size_t n = 0; suite_builtin_name(n); n++) {
		struct sheet s;

		open_sheet(&s, suite_builtin_name(n));
		for (size_t i = 0; i < s.suite.count; i++) {
			const struct suite_prompt *p = &s.suite.prompts[i];
			struct validator_input in = { .output = STR(""), .output_tokens = -1 };
			bool added;

			test_case("%.*s", STR_ARG(p->id));
			map_add(&seen, arena_copy(&a, p->name), &added);
			CHECK(added);
			map_add(&seen, arena_copy(&a, p->prompt), &added);
			CHECK(added);
			CHECK(p->tag_count >= 2);
			CHECK_INT(validator_run(p->validator, &s.arena, &in).pass, VERDICT_FALSE);
		}
		close_sheet(&s);
	}
	arena_free(&a);
}

/* Tiers are made of prompts that expect tools: most of this suite, but not those that are about needing none. */
TEST(prompts_that_need_no_tool_expect_none)
{
	struct sheet s;
	size_t expecting = 0;

	open_sheet(&s, "tools");
	for (size_t i = 0; i < s.suite.count; i++) {
		const struct suite_prompt *p = &s.suite.prompts[i];

		test_case("%.*s", STR_ARG(p->id));
		CHECK(p->variant.n > 0);
		CHECK_INT(p->expects, !str_eq(p->variant, STR("none")));
		CHECK(!p->expects || p->expected_count > 0);
		expecting += p->expects;
	}
	CHECK(expecting >= LEAST);
	close_sheet(&s);
}
