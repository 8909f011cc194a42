#include "bench/validate/validator.h"
#include "unit/bench/judging.h"

#define COMMAND "{\"type\":\"command\",\"argv\":[\"false\"]}"

static const struct validator *compile(struct judging *j, struct validator_options options)
{
	struct val v = judging_read(j, COMMAND);

	return validator_new(&j->arena, v, &options, &j->problems);
}

TEST(a_program_that_cannot_be_locked_in_is_refused)
{
	struct judging j;

	CHECK(!compile(&j, (struct validator_options){ .allow_commands = true, .sandbox = "limits only" }));
	CHECK_STR(judging_told(&j), STR("BS013 ;"));
	CHECK(str_find(j.findings.kept[0].message, STR("cannot be sandboxed")) != (size_t)-1);
	judging_free(&j);
}

TEST(it_runs_when_the_user_says_so_twice)
{
	struct validator_input in = { .output = STR("x"), .output_tokens = -1 };
	const struct validator *v;
	struct judging j;

	v = compile(&j, (struct validator_options){ .allow_commands = true, .unsandboxed = true, .sandbox = "limits only" });
	CHECK(v != NULL);
	CHECK_STR(validator_run(v, &j.arena, &in).violation, STR("command_failed status=1"));
	judging_free(&j);
}

TEST(without_leave_it_is_refused_wherever_it_would_run)
{
	struct judging j;

	CHECK(!compile(&j, (struct validator_options){ .unsandboxed = true, .sandbox = "bubblewrap" }));
	CHECK_STR(judging_told(&j), STR("BS013 ;"));
	judging_free(&j);
}

TEST(the_sandbox_has_one_of_two_names)
{
	struct str name = str_from(validator_sandbox());

	CHECK(str_eq(name, STR("bubblewrap")) || str_eq(name, STR("limits only")));
}
