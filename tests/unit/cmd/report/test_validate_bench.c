#include "cmd/report/validate_bench.h"

#include "bench/report/check_rules.h"
#include "cmd/report/rules.h"
#include "harness/test.h"

#define RUN "tests/data/bench/run"

static struct validate_output output_of(struct arena *a)
{
	static struct frame frame = { .quiet = true };

	return (struct validate_output){ .arena = a, .frame = &frame, .form = VALIDATE_TEXT };
}

TEST(a_directory_is_a_run_by_what_is_in_it)
{
	CHECK(validate_is_bench(STR(RUN)));
	CHECK(!validate_is_bench(STR(RUN "/config.json")));
	CHECK(!validate_is_bench(STR("tests/data/bench")));
	CHECK(!validate_is_bench(STR("/nonexistent")));
}

TEST(a_run_is_reported_as_one_file_of_its_format)
{
	struct err err = { .kind = ERR_NONE };
	struct validate_output o;
	struct arena a;

	arena_init(&a);
	o = output_of(&a);
	validate_output_init(&o);
	CHECK(validate_bench(&o, STR(RUN), 10, &err));
	CHECK_INT(o.counts.files, 1);
	CHECK_INT(o.counts.valid, 1);
	CHECK_INT(o.counts.errors, 0);
	CHECK_INT(validate_output_end(&o, true, &err), 0);
	arena_free(&a);
}

TEST(the_rules_of_runs_and_suites_are_groups_although_they_are_no_files)
{
	struct rules_group run = { .rules = rules_bench_run.rules, .dialect = &rules_bench_run };
	struct rules_group suite = { .rules = rules_bench_suite.rules, .dialect = &rules_bench_suite };
	struct err err = { .kind = ERR_NONE };
	const struct dialect *d;
	struct buf b;

	buf_init(&b);
	rules_add_group(&b, &run);
	CHECK_STR(buf_str(&b), STR("bench-run"));
	buf_clear(&b);
	rules_add_group(&b, &suite);
	CHECK_STR(buf_str(&b), STR("bench-suite"));
	buf_free(&b);
	CHECK(rules_find("BR061") == &bench_run_rules[RUN_OTHER_ID]);
	CHECK(rules_find("BS002") == rules_bench_suite.rules + 1);
	CHECK(rules_find("LG003") == rules_ledger.rules + 2);
	CHECK(rules_find("V001") != NULL);
	CHECK(rules_is_of(&run, run.rules, STR("bench-run")) && !rules_is_of(&run, run.rules, STR("results")));
	CHECK(rules_is_of(&suite, suite.rules, STR("bench-suite")) && !rules_is_of(&suite, suite.rules, STR("ledger")));
	CHECK(rules_get_format(STR("Bench-Run"), &d, &err) && d == &rules_bench_run);
}
