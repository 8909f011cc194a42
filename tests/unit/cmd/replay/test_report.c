#include "cmd/replay/report.h"

#include <stdlib.h>
#include <unistd.h>

#include "harness/test.h"
#include "unit/cmd/said.h"

TEST(only_actions_of_github_change_the_form_by_itself)
{
	const struct opt_maybe none = { .given = false }, json = { .given = true };

	unsetenv("GITHUB_ACTIONS");
	CHECK_INT(replay_form_choose(REPLAY_FORM_UNSET, none), REPLAY_TEXT);
	CHECK_INT(replay_form_choose(REPLAY_JUNIT, none), REPLAY_JUNIT);
	setenv("GITHUB_ACTIONS", "true", 1);
	CHECK_INT(replay_form_choose(REPLAY_FORM_UNSET, none), REPLAY_GITHUB);
	CHECK_INT(replay_form_choose(REPLAY_TEXT, none), REPLAY_TEXT);
	CHECK_INT(replay_form_choose(REPLAY_GITHUB, json), REPLAY_JSON);
}

TEST(a_class_is_a_word_we_know)
{
	CHECK_STR(str_from(replay_report_type(STR("order"))), STR("order"));
	CHECK_STR(str_from(replay_report_type(STR("\"><x>"))), STR("divergence"));
	CHECK_STR(str_from(replay_report_type(str_of(NULL, 0))), STR("divergence"));
}

TEST(a_verdict_becomes_a_case)
{
	struct divergence first = { .class = DIVERGENCE_ORDER, .sentence = STR("too early") };
	struct replaying_outcome out = { .verdict = VERDICT_EXACT };

	CHECK_INT(replay_report_case(STR("run"), &out).how, JUNIT_PASSED);
	out.verdict = VERDICT_EQUIVALENT;
	CHECK_INT(replay_report_case(STR("run"), &out).how, JUNIT_PASSED);
	out = (struct replaying_outcome){ .verdict = VERDICT_DIVERGED, .first = &first };
	CHECK_INT(replay_report_case(STR("run"), &out).how, JUNIT_FAILED);
	CHECK_STR(str_from(replay_report_case(STR("run"), &out).type), STR("order"));
	CHECK_STR(replay_report_case(STR("run"), &out).message, STR("too early"));
	out = (struct replaying_outcome){ .verdict = VERDICT_NOT_REPLAYABLE, .refusal = REFUSAL_EMPTY };
	CHECK_INT(replay_report_case(STR("run"), &out).how, JUNIT_ERROR);
}

TEST(what_comes_from_a_run_is_escaped_in_both_forms)
{
	const struct replay_case c = { .name = STR("a\"<b>"), .path = STR("a:b,c"), .how = JUNIT_FAILED, .type = "order",
				       .message = STR("1\n::error::2 & %"), .seconds = 1.5 };
	struct frame f = { .quiet = false };
	struct arena a;
	struct said s;

	arena_init(&a);
	unsetenv("GITHUB_STEP_SUMMARY");
	catch(&s);
	replay_report_junit(&c, 1);
	replay_report_github(&a, &f, &c, 1, STR("none"), STR(""));
	caught(&s);
	CHECK(str_has(s.out, STR("name=\"a&quot;&lt;b&gt;\" time=\"1.500\"")));
	CHECK(str_has(s.out, STR("message=\"1\\x0a::error::2 &amp; %\" type=\"order\"")));
	CHECK(str_has(s.out, STR("::error file=a%3Ab%2Cc,title=order::1\\x0a::error::2 & %25\n")));
	arena_free(&a);
}
