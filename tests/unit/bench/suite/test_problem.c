#include "bench/suite/problem.h"

#include <stdio.h>

#include "unit/bench/judging.h"

TEST(a_problem_has_line_column_and_pointer)
{
	struct judging j;
	struct val root = judging_read(&j, "[\n  {\"\xC3\xA9\": 1, \"b\": [true]}\n]"), v = val_at(root, STR("/0/b/0"));
	const struct finding *f;

	problem_at(&j.problems, SUITE_TYPE, v, "should be %d", 1);
	f = &j.findings.kept[0];
	CHECK_STR(str_from(f->code), STR("BS005"));
	CHECK_INT(f->at.line, 2);
	CHECK_INT(f->at.column, 18);
	CHECK_INT(f->at.offset, 20);
	CHECK_STR(f->pointer, STR("/0/b/0"));
	CHECK_STR(f->message, STR("should be 1"));
	CHECK_STR(str_of(f->excerpt.p + f->mark, f->mark_length), STR("true"));
	CHECK_INT(j.problems.count, 1);
	judging_free(&j);
}

TEST(a_name_is_told_at_its_place_with_the_pointer_of_its_value)
{
	struct judging j;
	struct val root = judging_read(&j, "{\"a\": 1}"), key = { root.tape, root.at + 1 };

	problem_at(&j.problems, SUITE_UNKNOWN, key, "odd");
	CHECK_INT(j.findings.kept[0].at.column, 2);
	CHECK_STR(j.findings.kept[0].pointer, STR("/a"));
	CHECK_INT(j.findings.warnings, 1);
	CHECK_INT(j.problems.count, 0); /* only errors count */
	judging_free(&j);
}

TEST(what_was_filled_in_is_told_where_it_came_from)
{
	struct judging j, other;
	struct val root = judging_read(&j, "[1, 22]"), far = judging_read(&other, "[[[[3]]]]");

	j.problems.stands_for = val_at(root, STR("/1"));
	j.problems.row = 7;
	problem_at(&j.problems, SUITE_VALUE, val_at(far, STR("/0/0/0/0")), "wrong");
	CHECK_INT(j.findings.kept[0].at.column, 5);
	CHECK_STR(j.findings.kept[0].pointer, STR("/1"));
	CHECK_STR(j.findings.kept[0].message, STR("wrong (filled in from row 7)"));
	judging_free(&other);
	judging_free(&j);
}

TEST(a_problem_may_lie_in_a_text_or_be_about_the_whole)
{
	struct judging j;

	judging_read(&j, "[]");
	j.problems.text = STR("a,b\nc\n");
	problem_in(&j.problems, SUITE_TABLE, 4, 1, "short");
	problem_in(&j.problems, SUITE_TABLE, SIZE_MAX, 0, "empty");
	CHECK_INT(j.findings.kept[0].at.line, 2);
	CHECK_INT(j.findings.kept[0].at.column, 1);
	CHECK_INT(j.findings.kept[1].at.line, 0);
	judging_free(&j);
}

TEST(types_have_names_in_messages)
{
	struct judging j;
	struct val root = judging_read(&j, "[null, true, 1, \"\", [], {}]"), v;
	static const char *const names[] = { "null", "a boolean", "a number", "a string", "a list", "an object" };
	struct val_iter it = val_begin(root);

	for (size_t i = 0; val_next(&it, &v); i++)
		CHECK_STR(str_from(problem_type_name(v)), str_from(names[i]));
	CHECK_STR(str_from(problem_type_name(VAL_NONE)), STR("nothing"));
	judging_free(&j);
}

TEST(rules_are_numbered_in_their_order_and_say_everything)
{
	for (size_t i = 0; i < SUITE_RULES; i++) {
		const struct rule *r = &suite_rules[i];
		char code[8];

		snprintf(code, sizeof(code), "BS%03zu", i + 1);
		CHECK_STR(str_from(r->code), str_from(code));
		CHECK(r->sentence && r->help && r->section && r->why && r->example);
	}
	CHECK(!suite_rules[SUITE_RULES].code);
}
