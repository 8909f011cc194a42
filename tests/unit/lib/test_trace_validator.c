#include "unit/lib/report_text.h"

#include <stdio.h>

#include "source/source.h"

/* Files of every kind: valid, damaged, lines and documents. */
static const char *const files[] = {
	"doc/examples/agent-trace.jsonl", "doc/examples/damaged.agent-trace.jsonl",
	"doc/examples/run.otutl.jsonl",   "doc/examples/damaged.otutl.jsonl",
	"doc/examples/value.json",        "tests/data/bench/valid.results.jsonl",
	"tests/data/bench/valid.summary.json", "tests/data/bench/BR001.summary.json",
	"tests/data/trial/full.json",     "tests/data/trial/twice.jsonl",
	"tests/data/otutl/E_TORN_TAIL_in_character.jsonl", "tests/data/otutl/E_BOM.jsonl",
};

#define FILES (sizeof(files) / sizeof(files[0]))

TEST(pieces_of_any_size_give_the_report_of_the_whole)
{
	static const size_t sizes[] = { 1, 2, 3, 7, 64, 1000 };

	for (size_t i = 0; i < FILES; i++) {
		struct str text = test_read(files[i]), whole = report_of_memory(text, NULL);

		test_case("%s", files[i]);
		for (size_t s = 0; s < sizeof(sizes) / sizeof(sizes[0]); s++)
			CHECK_STR(report_text(report_of_pieces(text, sizes[s], NULL)), whole);
	}
}

static struct str report_of_two(struct str text, size_t first)
{
	struct tw_validator *v = tw_validator_open("x.jsonl", NULL);

	CHECK(tw_validator_feed(v, text.p, first));
	CHECK(tw_validator_feed(v, text.p + first, text.n - first));
	return report_text(tw_validator_finish(v));
}

TEST(a_cut_at_every_byte_gives_the_report_of_the_whole)
{
	for (size_t i = 0; i < FILES; i++) {
		struct str text = test_read(files[i]), whole = report_of_memory(text, NULL);

		test_case("%s", files[i]);
		for (size_t cut = 0; cut <= text.n && cut <= 4096; cut++)
			CHECK_STR(report_of_two(text, cut), whole);
	}
}

/* Several chunks of the validator's own, whose borders fall anywhere in a line. */
TEST(a_large_stream_gives_the_report_of_the_whole)
{
	static const size_t sizes[] = { 4099, SOURCE_CHUNK - 1, SOURCE_CHUNK, SOURCE_CHUNK + 1, (size_t)1 << 30 };
	static const char *const large[] = { "doc/examples/damaged.agent-trace.jsonl", "doc/examples/run.otutl.jsonl" };

	for (size_t i = 0; i < sizeof(large) / sizeof(large[0]); i++) {
		struct str text = report_repeat(test_read(large[i]), 300), whole = report_of_memory(text, NULL);

		CHECK(text.n > 2 * SOURCE_CHUNK);
		for (size_t s = 0; s < sizeof(sizes) / sizeof(sizes[0]); s++)
			CHECK_STR(report_text(report_of_pieces(text, sizes[s], NULL)), whole);
	}
}

TEST(a_line_longer_than_a_chunk_is_one_line)
{
	struct tw_validate_options o = { .size = sizeof(o), .format = "jsonl" };
	size_t n = 3 * SOURCE_CHUNK;
	char *text = test_alloc(2 * n);
	struct tw_report *r;

	memset(text, 'x', 2 * n);
	text[0] = text[n - 2] = '"';
	text[n - 1] = '\n';
	text[n] = text[n + 5] = '"';
	text[n + 6] = '\n';
	r = report_of_pieces(str_of(text, n + 7), 5000, &o);
	CHECK_INT(tw_report_verdict(r), TW_VALID);
	CHECK_INT(tw_report_records(r), 2);
	tw_report_free(r);
}

TEST(two_validators_do_not_know_of_each_other)
{
	struct str a = test_read(files[1]), b = test_read(files[3]);
	struct tw_validator *va = tw_validator_open("x.jsonl", NULL), *vb = tw_validator_open("x.jsonl", NULL);

	for (size_t i = 0; i < a.n || i < b.n; i++) {
		if (i < a.n)
			tw_validator_feed(va, a.p + i, 1);
		if (i < b.n)
			tw_validator_feed(vb, b.p + i, 1);
	}
	CHECK_STR(report_text(tw_validator_finish(va)), report_of_memory(a, NULL));
	CHECK_STR(report_text(tw_validator_finish(vb)), report_of_memory(b, NULL));
}

TEST(nothing_fed_is_an_empty_file)
{
	struct tw_validator *v = tw_validator_open(NULL, NULL);
	struct tw_report *r;

	CHECK_INT(tw_validator_feed(v, NULL, 0), 1);
	CHECK_INT(tw_validator_feed(v, "", 0), 1);
	r = tw_validator_finish(v);
	CHECK_INT(tw_report_verdict(r), TW_INVALID);
	CHECK_STR(str_from(tw_report_finding(r, 0)->code), STR("V002"));
	CHECK_STR(str_from(tw_report_name(r)), STR("(memory)"));
	tw_report_free(r);
}

TEST(a_validator_can_be_given_up_at_any_time)
{
	struct str text = report_repeat(test_read(files[0]), 300);

	tw_validator_free(NULL);
	tw_validator_free(tw_validator_open("x", NULL));
	for (size_t n = 1; n <= text.n; n *= 4) {
		struct tw_validator *v = tw_validator_open("x.jsonl", NULL);

		tw_validator_feed(v, text.p, n);
		tw_validator_free(v);
	}
}

TEST(a_record_beyond_the_limit_is_unreadable_by_both_ways)
{
	static const struct {
		const char *format, *text;
		enum tw_verdict verdict;
	} cases[] = {
		{ "jsonl", "[1234567]\n[2]\n", TW_VALID }, /* a line of just the limit of 9 */
		{ "jsonl", "[12345678]\n[2]\n", TW_UNREADABLE },
		{ "jsonl", "[1]\n[12345678]", TW_UNREADABLE },
		{ "jsonl", "[1]\n[1234567]", TW_VALID },
		{ "json", "[1234567]", TW_VALID },
		{ "json", "[12345678]", TW_UNREADABLE },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct tw_validate_options o = { .size = sizeof(o), .format = cases[i].format, .record_limit = 9 };
		struct str text = str_from(cases[i].text);
		struct tw_report *whole = tw_validate_memory(text.p, text.n, "x.jsonl", &o);

		test_case("%s", cases[i].text);
		CHECK_INT(tw_report_verdict(whole), cases[i].verdict);
		for (size_t piece = 1; piece <= text.n; piece++) {
			struct tw_report *r = report_of_pieces(text, piece, &o);

			CHECK_INT(tw_report_verdict(r), cases[i].verdict);
			CHECK((tw_report_error(r) == NULL) == (cases[i].verdict == TW_VALID));
			CHECK_STR(str_from(tw_report_error(r)), str_from(tw_report_error(whole)));
			tw_report_free(r);
		}
		tw_report_free(whole);
	}
}

TEST(feeding_says_when_it_is_of_no_more_use)
{
	struct tw_validate_options o = { .size = sizeof(o), .format = "jsonl", .record_limit = 9 };
	struct tw_validator *v = tw_validator_open("x.jsonl", &o);

	CHECK_INT(tw_validator_feed(v, "[1]\n[1,", 7), 1);
	CHECK_INT(tw_validator_feed(v, "12345678", 8), 0);
	CHECK_INT(tw_validator_feed(v, "9]\n", 3), 0);
	CHECK_STR(report_text(tw_validator_finish(v)), report_of_memory(STR("[1]\n[1,123456789]\n"), &o));
}

TEST(feeding_from_nowhere_is_refused)
{
	struct tw_validator *v = tw_validator_open("x", NULL);
	struct tw_report *r;

	CHECK_INT(tw_validator_feed(v, NULL, 5), 0);
	r = tw_validator_finish(v);
	CHECK_INT(tw_report_verdict(r), TW_UNREADABLE);
	tw_report_free(r);
}

/* A key that is none, put together here so that nobody takes this file for a leak. */
static struct str text_with_key(void)
{
	static const char letters[] = "qW3eR5tY7uI9oP1aS2dF4gH6jK8lZ0xCvBnM";
	char *text = test_alloc(2000);
	int n = snprintf(text, 2000, "{\"a\":1}\n{\"note\":\"gh%s%s\"}\n", "p_", letters);

	return str_of(text, (size_t)n);
}

TEST(keys_are_looked_for_when_asked_in_any_format_and_in_pieces_too)
{
	static const char *const formats[] = { "jsonl", "otutl", "conversation", "agent-trace" };
	struct str text = text_with_key();

	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++) {
		struct tw_validate_options o = { .size = sizeof(o), .format = formats[i], .secrets = 1 };
		struct str whole = report_of_memory(text, &o);

		test_case("%s", formats[i]);
		CHECK(str_find(whole, STR("qW3eR5tY7uI9oP1a")) == (size_t)-1);
		CHECK_STR(report_text(report_of_pieces(text, 3, &o)), whole);
		if (i == 0) {
			CHECK(str_find(whole, STR("V003")) != (size_t)-1);
			o.secrets = 0;
			CHECK(str_find(report_of_memory(text, &o), STR("V003")) == (size_t)-1);
		}
	}
}
