#include "cmd/sums.h"

#include "harness/test.h"

#define HEX "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff"
#define UPPER "00112233445566778899AABBCCDDEEFF00112233445566778899AABBCCDDEEFF"

TEST(lines_of_sha256sum_and_our_own_are_read)
{
	static const struct {
		const char *line;
		enum sum_kind kind;
		const char *name;
	} cases[] = {
		{ HEX "  a.json", SUM_PLAIN, "a.json" },
		{ HEX " *a.json", SUM_PLAIN, "a.json" },
		{ UPPER "  a.json", SUM_PLAIN, "a.json" },
		{ HEX "   a b ", SUM_PLAIN, " a b " },
		{ "otutl-v1:sha256:" HEX "  r", SUM_RUN, "r" },
		{ "otutl-v1-lossy:sha256:" HEX "  r", SUM_RUN_LOSSY, "r" },
		{ "rfc6962-sha256:" HEX "  r", SUM_ROOT, "r" },
		{ "bh-v1:sha256:" HEX "  r", SUM_BEHAVIOR, "r" },
		{ "canonical_file_sha256:" HEX "  r", SUM_FILE, "r" },
		{ "\\" HEX "  a\\nb\\\\c\\rd", SUM_PLAIN, "a\nb\\c\rd" },
		{ "\\bh-v1:sha256:" HEX "  \\\\", SUM_BEHAVIOR, "\\" },
		{ HEX "  a\\nb", SUM_PLAIN, "a\\nb" },
	};
	struct arena a;

	arena_init(&a);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct sum sum;
		char hex[SHA256_HEX];

		test_case("%s", cases[i].line);
		CHECK(sum_parse(&sum, &a, str_from(cases[i].line)));
		CHECK_INT(sum.kind, cases[i].kind);
		CHECK_STR(sum.name, str_from(cases[i].name));
		digest_hex(hex, sum.digest);
		CHECK_STR(str_of(hex, sizeof(hex)), STR(HEX));
	}
	arena_free(&a);
}

TEST(other_lines_are_not)
{
	static const char *const lines[] = {
		"",
		"hello",
		HEX,
		HEX "  ",
		HEX " a",
		HEX "\ta.json",
		"0" HEX "  a",
		"md5:" HEX "  a",
		"otutl-v1:sha256: " HEX "  a",
		"SHA256 (a) = " HEX,
		"\\" HEX "  a\\x",
		"\\" HEX "  a\\",
		"\\",
	};
	struct arena a;

	arena_init(&a);
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		struct sum sum;

		test_case("%s", lines[i]);
		CHECK(!sum_parse(&sum, &a, str_from(lines[i])));
	}
	arena_free(&a);
}

TEST(what_is_written_reads_back)
{
	static const char *const names[] = { "a", " a ", "a\nb", "\\", "a\\n", "\r", "*x", "caf\xc3\xa9#2" };
	struct arena a;
	struct buf out;

	arena_init(&a);
	buf_init(&out);
	for (int k = 0; k < SUM_KINDS; k++) {
		for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
			struct sum in = { .kind = (enum sum_kind)k, .name = str_from(names[i]) }, back;

			for (size_t j = 0; j < SHA256_SIZE; j++)
				in.digest.b[j] = (uint8_t)(j * 7);
			test_case("%d, %s", k, names[i]);
			buf_clear(&out);
			sum_add(&out, &in);
			CHECK_INT(out.p[out.n - 1], '\n');
			CHECK(memchr(out.p, '\n', out.n - 1) == NULL);
			CHECK(sum_parse(&back, &a, str_of(out.p, out.n - 1)));
			CHECK_INT(back.kind, k);
			CHECK_STR(back.name, in.name);
			CHECK(memcmp(&back.digest, &in.digest, sizeof(in.digest)) == 0);
		}
	}
	buf_free(&out);
	arena_free(&a);
}

TEST(labels_and_fields_are_those_of_the_format)
{
	CHECK_STR(sum_label(SUM_PLAIN), STR(""));
	CHECK_STR(sum_label(SUM_RUN), STR("otutl-v1:sha256:"));
	CHECK_STR(sum_label(SUM_BEHAVIOR), STR("bh-v1:sha256:"));
	CHECK_STR(str_from(sum_field(SUM_PLAIN)), STR("sha256"));
	CHECK_STR(str_from(sum_field(SUM_RUN_LOSSY)), STR("run_hash"));
	CHECK_STR(str_from(sum_field(SUM_FILE)), STR("canonical_file_sha256"));
}

TEST(the_number_of_a_run_stands_behind_the_name)
{
	static const struct {
		const char *name, *file;
		uint64_t run;
	} cases[] = {
		{ "a.jsonl#1", "a.jsonl", 1 }, { "a#b#12", "a#b", 12 }, { "a", NULL, 0 },   { "a#", NULL, 0 },
		{ "a#0", NULL, 0 },	       { "a#x", NULL, 0 },	{ "#1", NULL, 0 }, { "a#01", NULL, 0 },
		{ "", NULL, 0 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct str file;
		uint64_t run;

		test_case("%s", cases[i].name);
		CHECK_INT(sum_cut_run(str_from(cases[i].name), &file, &run), cases[i].file != NULL);
		if (!cases[i].file)
			continue;
		CHECK_STR(file, str_from(cases[i].file));
		CHECK_INT(run, cases[i].run);
	}
}
