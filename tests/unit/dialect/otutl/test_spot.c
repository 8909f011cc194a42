#include "dialect/otutl/spot.h"

#include "harness/test.h"

TEST(a_finding_points_at_the_whole_value_of_a_member)
{
	static const struct {
		const char *line;
		uint32_t at;
		const char *marked;
	} cases[] = {
		{ "{\"seq\":12,\"a\":1}", 7, "12" },
		{ "{\"seq\": 12 }", 8, "12" },
		{ "{\"seq\":12}", 7, "12" },
		{ "{\"seq\":\"a b,c\"}", 8, "a b,c" },
		{ "{\"seq\":\"a\\\"b\"}", 8, "a\\\"b" },
		{ "{\"seq\":[1]}", 7, "[1" },
		{ "{\"seq\":1", 7, "1" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct otutl_record r = {
			.line = 3,
			.offset = 50,
			.text = str_from(cases[i].line),
			.at = { [OTUTL_AT_SEQ] = cases[i].at },
		};
		struct finding f = { .code = NULL };

		test_case("%s", cases[i].line);
		otutl_record_point(&r, OTUTL_AT_SEQ, &f);
		CHECK_STR(str_of(f.excerpt.p + f.mark, f.mark_length), str_from(cases[i].marked));
		CHECK_STR(f.pointer, STR("/seq"));
		CHECK_INT(f.at.line, 3);
		CHECK_INT(f.at.column, cases[i].at + 1);
		CHECK_INT(f.at.offset, 50 + cases[i].at);
	}
}

TEST(without_its_line_a_record_still_has_a_place)
{
	struct otutl_record r = {
		.line = 3,
		.offset = 50,
		.at = { [OTUTL_AT_TS] = 20 },
		.column = { [OTUTL_AT_TS] = 18 },
	};
	struct finding f = { .mark = 5 };

	otutl_record_point(&r, OTUTL_AT_TS, &f);
	CHECK_INT(f.at.column, 18);
	CHECK_INT(f.at.offset, 70);
	CHECK_INT(f.excerpt.n, 0);
	CHECK_INT(f.mark, 0);
	otutl_record_point(&r, OTUTL_AT_RECORD, &f);
	CHECK_INT(f.at.column, 1);
	CHECK_STR(f.pointer, STR(""));
}

TEST(a_spot_outlives_the_line)
{
	char line[2000] = "";
	struct otutl_record r = { .line = 9, .text = str_of(line, sizeof(line)), .at = { [OTUTL_AT_CALL_ID] = 1001 } };
	struct finding f = { .code = NULL };
	struct otutl_spot spot;

	memset(line, ' ', sizeof(line)); /* a cut inside a word would move to its end */
	memcpy(line + 1000, "\"call\"", 6);
	memcpy(line + 1001 - 121, "\xc3\xa9", 2); /* a character across the cut */
	otutl_spot_keep(&spot, &r, OTUTL_AT_CALL_ID);
	memset(line, 0, sizeof(line));
	otutl_spot_point(&spot, &f);
	CHECK_INT(f.at.line, 9);
	CHECK_INT(f.at.column, 1001);
	CHECK_STR(str_of(f.excerpt.p + f.mark, f.mark_length), STR("call"));
	CHECK_INT(f.excerpt.n, OTUTL_SPOT);
	CHECK_INT(f.excerpt.p[0], ' ');
	CHECK_INT(f.mark, 119);
}

TEST(every_place_has_its_pointer)
{
	CHECK_STR(otutl_pointer(OTUTL_AT_PARENT), STR("/parent_call_id"));
	for (int i = OTUTL_AT_RECORD + 1; i < OTUTL_PLACES; i++)
		CHECK(str_starts(otutl_pointer((enum otutl_place)i), STR("/")));
}
