#include "cmd/logs.h"

#include "dialect/formats.h"
#include "harness/test.h"

TEST(a_format_that_can_only_be_checked_is_refused_and_no_name_leaves_it_to_the_content)
{
	static const struct {
		const char *name;
		bool good;
	} cases[] = { { "codex", true }, { "results", false }, { "nothing-like-it", false } };
	const struct dialect *d = NULL;
	struct err err = { .kind = ERR_NONE };

	CHECK(logs_get_format(str_of(NULL, 0), &d, &err) && !d);
	CHECK_INT(logs_shape_of(d), SOURCE_CONTENT);
	CHECK_INT(logs_shape_of(&agent_trace_dialect), SOURCE_LINES);
	for (size_t i = 0; i < COUNT(cases); i++) {
		test_case("%s", cases[i].name);
		CHECK_INT(logs_get_format(str_from(cases[i].name), &d, &err), cases[i].good);
		CHECK_INT(err.kind, cases[i].good ? ERR_NONE : ERR_USAGE);
	}
}

TEST(no_cost_means_no_prices_and_excludes_a_table)
{
	const struct prices *p = NULL;
	struct err err = { .kind = ERR_NONE };
	struct arena a;

	arena_init(&a);
	CHECK(logs_get_prices(&a, true, str_of(NULL, 0), &p, &err) && !p);
	CHECK(logs_get_prices(&a, false, str_of(NULL, 0), &p, &err) && p);
	CHECK(!logs_get_prices(&a, true, STR("table"), &p, &err) && err.kind == ERR_USAGE);
	CHECK(!logs_get_prices(&a, false, STR("no/such/table"), &p, &err) && err.kind == ERR_IO);
	arena_free(&a);
}

TEST(an_input_is_never_an_output_and_standard_input_is_read_once)
{
	struct str paths[] = { STR("tests/data/export/run.jsonl"), STR("-"), STR("-") };
	struct frame frame = { .quiet = true };
	struct err err = { .kind = ERR_NONE };
	struct arena a;
	struct logs l;

	arena_init(&a);
	CHECK(logs_init(&l, &a, &frame, "export", paths, 2, &err));
	CHECK(logs_check_output(&l, "-o", STR("tests/data/export"), &err));
	CHECK(logs_check_output(&l, "-o", STR("-"), &err));
	CHECK(!logs_check_output(&l, "-o", STR("tests/data/../data/export/run.jsonl"), &err));
	CHECK_INT(err.kind, ERR_USAGE);
	CHECK(!logs_init(&l, &a, &frame, "export", paths, 3, &err));
	arena_free(&a);
}
