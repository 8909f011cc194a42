#include "flow/canonical.h"

#include "harness/test.h"

struct tools {
	struct json_parser *parser;
	struct canon *canon;
	struct canonical out;
	struct buf text;
};

static struct chunk chunk_of(struct tools *t, const char *text)
{
	buf_clear(&t->text);
	buf_add_str(&t->text, str_from(text));
	memset(buf_reserve(&t->text, SOURCE_PAD), 0, SOURCE_PAD);
	return (struct chunk){ .bytes = buf_str(&t->text), .origin = 100, .first_line = 7 };
}

static void tools_init(struct tools *t)
{
	t->parser = json_parser_open((struct json_options){ 0 });
	t->canon = canon_open(CANON_JCS);
	canonical_init(&t->out, 64);
	buf_init(&t->text);
}

static void tools_free(struct tools *t)
{
	json_parser_close(t->parser);
	canon_close(t->canon);
	canonical_free(&t->out);
	buf_free(&t->text);
}

TEST(a_document_gives_its_canonical_bytes_and_nothing_else)
{
	static const struct {
		const char *text, *out;
	} cases[] = {
		{ "{\"b\":1.0,\n \"a\":[ ]}\n", "{\"a\":[],\"b\":1}" },
		{ " 1e2 ", "100" },
		{ "\"\\u0041\"", "\"A\"" },
	};
	struct tools t;

	tools_init(&t);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct chunk in = chunk_of(&t, cases[i].text);

		test_case("%s", cases[i].text);
		canonical_document(&t.out, t.parser, t.canon, &in);
		CHECK_STR(buf_str(&t.out.out), str_from(cases[i].out));
		CHECK_INT(t.out.records, 1);
		CHECK_INT(t.out.findings.errors, 0);
	}
	tools_free(&t);
}

TEST(each_line_that_is_not_blank_gives_a_canonical_line)
{
	struct tools t;
	struct chunk in;

	tools_init(&t);
	in = chunk_of(&t, "{\"b\":1,\"a\":2}\r\n\n  \n[1.50]");
	canonical_lines(&t.out, t.parser, t.canon, &in);
	CHECK_STR(buf_str(&t.out.out), STR("{\"a\":2,\"b\":1}\n[1.5]\n"));
	CHECK_INT(t.out.records, 2);
	CHECK_INT(t.out.findings.kept_count, 0);
	tools_free(&t);
}

TEST(a_fault_has_its_place_in_the_part)
{
	static const struct {
		const char *text, *code;
		bool lines;
		uint64_t line, column, offset;
	} cases[] = {
		{ "[1]\n[1,,2]\n", "E_SYNTAX", true, 8, 4, 107 },
		{ "[1]\n[\"\xc3\xa9\",1e400]\n", "E_NUM_RANGE", true, 8, 6, 110 },
		{ "[1,\n\"\xc3\xa9\",,2]", "E_SYNTAX", false, 2, 5, 9 },
		{ "{\"a\":\n 1e400}", "E_NUM_RANGE", false, 2, 2, 7 },
		{ "[1] 2", "E_TRAILING", false, 1, 5, 4 },
		{ "", "E_SYNTAX", false, 1, 1, 0 },
	};
	struct tools t;

	tools_init(&t);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct chunk in = chunk_of(&t, cases[i].text);
		const struct finding *f;

		test_case("%s", cases[i].text);
		(cases[i].lines ? canonical_lines : canonical_document)(&t.out, t.parser, t.canon, &in);
		CHECK_INT(t.out.findings.kept_count, 1);
		f = &t.out.findings.kept[0];
		CHECK_STR(str_from(f->code), str_from(cases[i].code));
		CHECK_INT(f->severity, SEV_ERROR);
		CHECK_INT(f->at.line, cases[i].line);
		CHECK_INT(f->at.column, cases[i].column);
		CHECK_INT(f->at.offset, cases[i].offset);
	}
	tools_free(&t);
}

TEST(findings_beyond_what_is_kept_are_counted)
{
	struct tools t;
	struct chunk in;
	struct buf text;

	tools_init(&t);
	buf_init(&text);
	for (int i = 0; i < 1000; i++)
		buf_add_str(&text, STR("x\n"));
	buf_add_byte(&text, '\0');
	in = chunk_of(&t, text.p);
	canonical_lines(&t.out, t.parser, t.canon, &in);
	CHECK_INT(t.out.findings.errors, 1000);
	CHECK(t.out.findings.kept_count < 100);
	buf_free(&text);
	tools_free(&t);
}
