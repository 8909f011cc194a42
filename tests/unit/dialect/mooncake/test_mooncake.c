#include "dialect/formats.h"
#include "unit/dialect/expect_run.h"

static struct arena arena;

static struct str get(struct str out, const char *type, size_t n, const char *pointer)
{
	return convert_get(&arena, convert_record(out, type, n), pointer);
}

TEST(a_file_is_a_run_and_a_line_a_step)
{
	struct str out = convert_valid(&arena, NULL, test_read("tests/fuzz/corpus/read_mooncake/trace"), "otutl");
	struct convert_figures f = convert_count(out);

	CHECK_INT(f.runs, 1);
	CHECK_INT(f.model_steps, 3);
	CHECK_INT(f.input_total, 6758 + 7322 + 12);
	CHECK_INT(f.output_total, 990);
	CHECK_STR(get(out, "model_step", 0, "/usage/input_tokens"), STR("6758"));
	CHECK_STR(get(out, "model_step", 0, "/usage/source"), STR("estimated"));
}

TEST(times_are_from_an_unknown_start_and_make_no_clock)
{
	struct str out = convert_valid(&arena, NULL, test_read("tests/fuzz/corpus/read_mooncake/trace"), "otutl");

	CHECK_STR(get(out, "model_step", 1, "/ts"), STR("1970-01-01T00:00:00.000Z"));
	CHECK_STR(get(out, "model_step", 1, "/ext/trackway~11/ts_source"), STR("none"));
	CHECK_STR(get(out, "model_step", 1, "/ext/mooncake~11/timestamp"), STR("27.5"));
	CHECK_STR(get(out, "model_step", 1, "/ext/mooncake~11/hash_ids/1"), STR("14"));
	CHECK_STR(get(out, "model_step", 1, "/ext/mooncake~11/session_id"), STR("s-1"));
}

TEST(a_length_that_is_missing_is_not_zero)
{
	struct str out = convert_valid(&arena, NULL, test_read("tests/fuzz/corpus/read_mooncake/trace"), "otutl");

	CHECK(!get(out, "model_step", 2, "/usage/output_tokens").p ||
	      str_eq(get(out, "model_step", 2, "/usage/output_tokens"), STR("null")));
}

TEST(other_lines_with_lengths_are_not_of_it)
{
	static const struct {
		const char *text;
		bool fits;
	} cases[] = {
		{ "{\"timestamp\":0,\"input_length\":1,\"output_length\":1,\"hash_ids\":[]}", true },
		{ "{\"input_length\":1,\"hash_ids\":[1]}", true },
		{ "{\"input_length\":1}", false },
		{ "{\"input_length\":\"1\",\"output_length\":\"1\"}", false },
		{ "[1]", false },
	};
	struct json_parser *p = dialect_detect_open();
	struct val v;

	for (size_t i = 0; i < COUNT(cases); i++) {
		test_case("%s", cases[i].text);
		CHECK(json_parse_copy(p, str_from(cases[i].text), &v, NULL));
		CHECK_INT(mooncake_dialect.fits(v) > 0, cases[i].fits);
	}
	json_parser_close(p);
}
