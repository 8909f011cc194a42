#include "bench/suite/csv.h"

#include "unit/bench/judging.h"

static void read_rows(struct judging *j, struct rows *r, const char *text, bool csv)
{
	judging_read(j, "null");
	j->problems = (struct problems){ .list = &j->findings, .text = str_from(text) };
	if (csv)
		rows_read_csv(r, &j->arena, &j->problems);
	else
		rows_read_jsonl(r, &j->arena, &j->problems);
}

static void check_cell(const struct rows *r, size_t row, const char *name, const char *value)
{
	struct str got;

	test_case("row %zu, %s", row, name);
	CHECK_INT(rows_find(r, row, str_from(name), &got), value != NULL);
	if (value)
		CHECK_STR(got, str_from(value));
}

TEST(csv_is_read_as_rfc_4180_has_it)
{
	struct judging j;
	struct rows r;

	read_rows(&j, &r, "\xEF\xBB\xBF" "a,\"b c\",d\r\n1,\"x,\"\"y\"\"\r\nz\",\n,,\r\n\"\",\" \",end", true);
	CHECK_INT(j.problems.count, 0);
	CHECK_INT(r.count, 3);
	check_cell(&r, 0, "a", "1");
	check_cell(&r, 0, "b c", "x,\"y\"\r\nz");
	check_cell(&r, 0, "d", "");
	check_cell(&r, 1, "a", "");
	check_cell(&r, 2, "b c", " ");
	check_cell(&r, 2, "d", "end");
	check_cell(&r, 3, "a", NULL);
	check_cell(&r, 0, "e", NULL);
	CHECK(rows_has(&r, STR("d")) && !rows_has(&r, STR("e")));
	judging_free(&j);
}

TEST(what_is_no_csv_is_told_with_its_place)
{
	static const struct {
		const char *text;
		uint64_t line, column;
	} cases[] = {
		{ "", 0, 0 }, { "a,b\n", 0, 0 }, { "a,a\n1,2\n", 1, 1 }, { "a,\n1,2\n", 1, 1 }, { "a,b\n1\n", 2, 1 },
		{ "a,b\n1,2\n1,2,3\n", 3, 1 }, { "a\n\"x\n", 2, 1 }, { "a\n\"x\"y\n", 2, 4 }, { "a\nx\"y\n", 2, 2 }, { "a\n\xFF\n", 2, 1 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct judging j;
		struct rows r;

		test_case("%s", cases[i].text);
		read_rows(&j, &r, cases[i].text, true);
		CHECK_STR(str_from(j.findings.kept[0].code), STR("BS016"));
		CHECK_INT(j.findings.kept[0].at.line, cases[i].line);
		CHECK_INT(j.findings.kept[0].at.column, cases[i].column);
		judging_free(&j);
	}
}

TEST(a_line_of_jsonl_is_a_row)
{
	struct judging j;
	struct rows r;

	read_rows(&j, &r, "{\"a\":\"x\\ny\",\"b\":1.0}\n\n{\"c\":[1, 2],\"a\":null}\n", false);
	CHECK_INT(j.problems.count, 0);
	CHECK_INT(r.count, 2);
	check_cell(&r, 0, "a", "x\ny");
	check_cell(&r, 0, "b", "1.0");
	check_cell(&r, 0, "c", NULL);
	check_cell(&r, 1, "a", "null");
	check_cell(&r, 1, "b", NULL);
	check_cell(&r, 1, "c", "[1, 2]");
	judging_free(&j);
}

TEST(every_wrong_line_of_jsonl_is_told)
{
	struct judging j;
	struct rows r;

	read_rows(&j, &r, "{\"a\":1}\n{\"a\":}\n[1]\n", false);
	CHECK_INT(j.problems.count, 2);
	CHECK_INT(j.findings.kept[0].at.line, 2);
	CHECK_INT(j.findings.kept[0].at.column, 6);
	CHECK_INT(j.findings.kept[1].at.line, 3);
	judging_free(&j);
	read_rows(&j, &r, "\n", false);
	CHECK_INT(j.problems.count, 1);
	judging_free(&j);
}
