/* The vectors of the shared data: every hash, every canonical byte, every code at its line. */
#include <stdio.h>

#include "unit/dialect/otutl_feed.h"

/* Specified but unknown to the program that made the vectors. */
#define NOT_IN_VECTORS "W_NUM_PRECISION W_NONCHAR W_TS_BACKWARDS W_UUID7_SKEW W_URI_CREDENTIALS"

static const size_t splits[] = { 0, 1, 2, 3, 5 };

struct index {
	struct json_parser *parser;
	struct val root;
	char directory[1024];
	struct arena arena;
};

static void index_open(struct index *x)
{
	struct str text;

	snprintf(x->directory, sizeof(x->directory), "%s", test_shared("ledger/otutl"));
	arena_init(&x->arena);
	text = test_read(arena_printf(&x->arena, "%s/index.json", x->directory).p);
	x->parser = json_parser_open((struct json_options){ 0 });
	CHECK(json_parse_copy(x->parser, text, &x->root, NULL));
}

static void index_close(struct index *x)
{
	json_parser_close(x->parser);
	arena_free(&x->arena);
}

static struct str text_of(struct index *x, struct val v, const char *name)
{
	return val_text(val_get(v, str_from(name)), &x->arena);
}

static struct str vector_read(struct index *x, const char *kind, struct str name, const char *suffix)
{
	return test_read(arena_printf(&x->arena, "%s/%s/%.*s%s", x->directory, kind, STR_ARG(name), suffix).p);
}

/* As many findings of each code as the vector lists, and no others. */
static void check_warnings(struct feed *f, struct index *x, struct val expected)
{
	struct val_iter it = val_begin(expected);
	size_t count = 0, wanted = 0;
	struct val v;

	while (val_next(&it, &v)) {
		struct str code = arena_copy(&x->arena, val_text(v, &x->arena));
		struct val_iter again = val_begin(expected);
		struct val other;
		size_t same = 0;

		while (val_next(&again, &other))
			same += str_eq(val_text(other, &x->arena), code);
		CHECK_INT(feed_count(f, code.p, 0), same);
		wanted++;
	}
	for (size_t i = 0; i < f->findings.kept_count; i++)
		count += strstr(NOT_IN_VECTORS, f->findings.kept[i].code) == NULL;
	CHECK_INT(count, wanted);
}

static void check_positive(struct index *x, struct val v, size_t split)
{
	struct str name = text_of(x, v, "name");
	struct feed f = { .lines_per_chunk = split };
	struct otutl_run *run = &f.runs[0];
	int64_t records;

	test_case("%.*s, %zu lines per chunk", STR_ARG(name), split);
	feed_log(&f, vector_read(x, "pos", name, ".jsonl"));
	CHECK(f.done);
	CHECK_INT(f.run_count, 1);
	CHECK_INT(f.findings.errors, 0);
	CHECK(run->hashed && run->has_behavior);
	CHECK_STR(feed_hex(&f, run->run_hash), text_of(x, v, "run_hash"));
	CHECK_STR(feed_hex(&f, run->run_root), text_of(x, v, "run_root"));
	CHECK_STR(feed_hex(&f, run->behavior_hash), text_of(x, v, "behavior_hash"));
	CHECK_STR(feed_hex(&f, run->canonical_file), text_of(x, v, "canonical_file_sha256"));
	CHECK_STR(buf_str(&f.canonical), vector_read(x, "pos", name, ".canonical.jsonl"));
	CHECK(val_i64(val_get(v, STR("records")), &records));
	CHECK_INT(run->records, records);
	CHECK_INT(run->complete, val_is(val_get(v, STR("complete")), JSON_TRUE));
	check_warnings(&f, x, val_get(v, STR("warnings")));
	feed_free(&f);
}

TEST(every_positive_vector_has_its_hashes_canonical_bytes_and_warnings)
{
	struct index x;
	struct val_iter it;
	struct val v;
	size_t count = 0;

	index_open(&x);
	it = val_begin(val_get(x.root, STR("positive")));
	while (val_next(&it, &v)) {
		for (size_t i = 0; i < sizeof(splits) / sizeof(splits[0]); i++)
			check_positive(&x, v, splits[i]);
		count++;
	}
	CHECK_INT(count, 21);
	index_close(&x);
}

TEST(the_hash_of_a_log_of_one_record_is_the_prefix_hash)
{
	struct index x;
	struct val_iter it;
	struct val v;

	index_open(&x);
	it = val_begin(val_get(x.root, STR("positive")));
	while (val_next(&it, &v)) {
		struct str text = vector_read(&x, "pos", text_of(&x, v, "name"), ".jsonl");
		struct feed f = { 0 };

		test_case("%.*s", STR_ARG(text_of(&x, v, "name")));
		feed_log(&f, str_of(text.p, feed_cut(text, 1)));
		CHECK(f.runs[0].hashed && !f.runs[0].complete);
		CHECK_STR(feed_hex(&f, f.runs[0].run_hash), text_of(&x, v, "prefix_hash_0"));
		feed_free(&f);
	}
	index_close(&x);
}

static void check_negative(struct index *x, struct val v, size_t split)
{
	struct str name = text_of(x, v, "name"), expected = text_of(x, v, "expect");
	struct feed f = { .lines_per_chunk = split };
	struct val_iter it = val_begin(val_get(v, STR("all")));
	struct val code;
	int64_t line;
	size_t codes = 0, listed = 0;
	bool torn = str_eq(name, STR("torn-tail"));

	test_case("%.*s, %zu lines per chunk", STR_ARG(name), split);
	feed_log(&f, vector_read(x, "neg", name, ".jsonl"));
	CHECK(f.done);
	CHECK(val_i64(val_get(v, STR("line")), &line));
	if (feed_count(&f, arena_copy(&x->arena, expected).p, (uint64_t)line) == 0)
		FAIL("no %.*s at line %d: %.*s", STR_ARG(expected), (int)line, STR_ARG(feed_list(&f, "")));
	while (val_next(&it, &code)) {
		struct str text = arena_copy(&x->arena, val_text(code, &x->arena));

		if (feed_count(&f, text.p, 0) == 0)
			FAIL("no %.*s: %.*s", STR_ARG(text), STR_ARG(feed_list(&f, "")));
		listed++;
	}
	for (size_t i = 0; i < f.findings.counts_count; i++)
		codes += f.findings.counts[i].severity == SEV_ERROR;
	if (codes != listed)
		FAIL("other errors than expected: %.*s", STR_ARG(feed_list(&f, "")));
	for (size_t i = 0; i < f.run_count; i++)
		CHECK_INT(f.runs[i].hashed, torn);
	feed_free(&f);
}

TEST(every_negative_vector_has_its_errors_at_their_lines_no_others_and_no_hash)
{
	struct index x;
	struct val_iter it;
	struct val v;
	size_t count = 0;

	index_open(&x);
	it = val_begin(val_get(x.root, STR("negative")));
	while (val_next(&it, &v)) {
		for (size_t i = 0; i < sizeof(splits) / sizeof(splits[0]); i++)
			check_negative(&x, v, splits[i]);
		count++;
	}
	CHECK_INT(count, 54);
	index_close(&x);
}

TEST(every_vector_is_recognised)
{
	static const char *const kinds[][2] = { { "positive", "pos" }, { "negative", "neg" } };
	struct json_parser *parser = otutl_detect_open();
	struct index x;

	index_open(&x);
	for (size_t k = 0; k < 2; k++) {
		struct val_iter it = val_begin(val_get(x.root, str_from(kinds[k][0])));
		struct val v;

		while (val_next(&it, &v)) {
			struct buf text;

			test_case("%.*s", STR_ARG(text_of(&x, v, "name")));
			buf_init(&text);
			buf_add_str(&text, vector_read(&x, kinds[k][1], text_of(&x, v, "name"), ".jsonl"));
			memset(buf_reserve(&text, JSON_PAD), 0, JSON_PAD);
			CHECK(otutl_detect(parser, buf_str(&text)));
			buf_free(&text);
		}
	}
	index_close(&x);
	json_parser_close(parser);
}
