#include <stdio.h>

#include "dialect/bench/rules.h"
#include "dialect/formats.h"
#include "unit/dialect/bench_feed.h"

/* Each file of tests/data/bench/ and the one code it must give. */
static const struct {
	const char *file, *code;
	uint64_t line;
	const char *pointer;
} cases[] = {
	{ "BR001", "BR001", 1, "/raw_output" },
	{ "BR002", "BR002", 1, NULL },
	{ "BR003", "BR003", 1, NULL },
	{ "BR004", "BR004", 2, "" },
	{ "BR005", "BR005", 1, "" },
	{ "BR006", "BR006", 1, "/e2e_ms" },
	{ "BR006_element", "BR006", 1, "/tool_calls/1" },
	{ "BR006_fraction", "BR006", 1, "/output_tokens" },
	{ "BR007", "BR007", 1, "/model" },
	{ "BR008", "BR008", 1, "/thinking_level" },
	{ "BR009", "BR009", 1, "/output_tokens" },
	{ "BR010", "BR010", 1, "/record_type" },
	{ "BR011", "BR011", 1, "/availability_status" },
	{ "BR012", "BR012", 1, "/ended_at_ms" },
	{ "BR013", "BR013", 1, "/ttft_ms" },
	{ "BR014", "BR014", 1, "/failure_type" },
	{ "BR014_status", "BR014", 1, "/availability_status" },
	{ "BR015", "BR015", 1, "/failure_type" },
	{ "BR016", "BR016", 1, "/objective_pass" },
	{ "BR016_violation", "BR016", 1, "/violation" },
	{ "BR017", "BR017", 1, "/violation" },
	{ "BR017_null", "BR017", 1, "/violation" },
	{ "BR019", "BR019", 1, "/raw_output_truncated" },
	{ "BR020", "BR020", 1, "/tool_call_count" },
	{ "BR021", "BR021", 1, "/tool_call_source" },
	{ "BR022", "BR022", 2, "/run_id" },
	{ "BR023", "BR023", 3, "" },
	{ "BR023_repetition", "BR023", 3, "" },
	{ "BR024", "BR024", 2, "" },
	{ "BR025", "BR025", 2, "" },
	{ "BR026", "BR026", 0, "" },
};

static struct str text_of(const char *name)
{
	return bench_text(name, "results.jsonl");
}

TEST(every_rule_is_broken_by_its_file_and_no_other_is)
{
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct outcome *o = feed(&results_dialect, text_of(cases[i].file), MODE_DEFAULT, 1000);

		test_case("%s", cases[i].file);
		CHECK_STR(codes_of(o), str_from(cases[i].code));
		CHECK_INT(o->findings.kept_count, 1);
		CHECK_INT(o->findings.kept[0].at.line, cases[i].line);
		if (cases[i].pointer)
			CHECK_STR(o->findings.kept[0].pointer, str_from(cases[i].pointer));
		CHECK(o->findings.kept[0].message.n > 0);
	}
}

TEST(where_a_file_is_cut_into_chunks_makes_no_difference)
{
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct outcome *o = feed(&results_dialect, text_of(cases[i].file), MODE_DEFAULT, 1);

		test_case("%s", cases[i].file);
		CHECK_STR(codes_of(o), str_from(cases[i].code));
		CHECK_INT(o->findings.kept[0].at.line, cases[i].line);
	}
}

TEST(a_good_file_has_no_finding_in_any_mode)
{
	for (int mode = MODE_DEFAULT; mode <= MODE_PERMISSIVE; mode++) {
		struct outcome *o = feed(&results_dialect, text_of("valid"), (enum check_mode)mode, 3);

		CHECK_STR(codes_of(o), STR(""));
		CHECK_INT(o->tally.records, 8);
	}
}

/* A good result whose raw_output has so many bytes, in characters of two. */
static struct str with_output(size_t bytes, bool truncated)
{
	struct str text = text_of("valid"), rest, before;
	char *copy;
	struct buf out;
	size_t at;

	text.n = first_lines(text, 1);
	at = str_find(text, STR("HEARTBEAT_OK"));
	before = str_of(text.p, at);
	rest = str_of(text.p + at + 12, text.n - at - 12);
	buf_init(&out);
	buf_printf(&out, "{\"raw_output_truncated\": %s, %.*s", truncated ? "true" : "false", (int)before.n - 1,
		   before.p + 1);
	if (bytes % 2)
		buf_add_byte(&out, 'x');
	for (size_t i = 0; i < bytes / 2; i++)
		buf_add_str(&out, STR("\xc3\xa9"));
	buf_add_str(&out, rest);
	copy = test_alloc(out.n);
	memcpy(copy, out.p, out.n);
	text = str_of(copy, out.n);
	buf_free(&out);
	return text;
}

TEST(raw_output_is_measured_in_bytes)
{
	static const struct {
		size_t bytes;
		bool truncated;
		const char *codes;
	} outputs[] = {
		{ 65536, false, "" },     { 65536, true, "" },      { 65537, false, "BR018" },
		{ 65537, true, "BR018" }, { 65533, true, "" },      { 65532, true, "BR019" },
		{ 0, true, "BR019" },     { 70000, true, "BR018" },
	};

	for (size_t i = 0; i < COUNT(outputs); i++) {
		test_case("%zu %d", outputs[i].bytes, outputs[i].truncated);
		CHECK_STR(codes_of(feed(&results_dialect, with_output(outputs[i].bytes, outputs[i].truncated),
					MODE_DEFAULT, 1)),
			  str_from(outputs[i].codes));
	}
}

TEST(what_another_writer_may_do_is_a_warning)
{
	CHECK_INT(feed(&results_dialect, text_of("BR016"), MODE_DEFAULT, 1000)->findings.errors, 0);
	CHECK_INT(feed(&results_dialect, text_of("BR016_violation"), MODE_DEFAULT, 1000)->findings.errors, 0);
	CHECK_INT(feed(&results_dialect, with_output(70000, true), MODE_DEFAULT, 1)->findings.errors, 0);
}

TEST(every_rule_has_its_words_and_its_number)
{
	for (size_t i = 0; i < BENCH_RULES; i++) {
		const struct rule *r = &bench_rules[i];
		char code[16];

		snprintf(code, sizeof(code), "BR%03zu", i + 1);
		CHECK_STR(str_from(r->code), str_from(code));
		CHECK(r->sentence && r->help && r->section && r->why && r->example);
	}
	CHECK(bench_rules[BENCH_RULES].code == NULL);
}

TEST(the_documents_list_every_rule)
{
	struct str results = test_read("doc/formats/results.md"), summary = test_read("doc/formats/summary.md");
	struct str config = test_read("doc/formats/bench-config.md"), inventory = test_read("doc/formats/bench-inventory.md");

	for (size_t i = 0; i < BENCH_RULES; i++) {
		const struct rule *r = &bench_rules[i];
		char row[300];

		test_case("%s", r->code);
		snprintf(row, sizeof(row), "| %s | %s | %s | %s |", r->code, severity_name(r->severity), r->sentence,
			 r->scope == RULE_FILE ? "file" : "record");
		CHECK(str_find(i < BENCH_GENERATED_AT ? results : i < BENCH_SCHEMA ? summary : config, str_from(row)) != (size_t)-1);
		if (i >= BENCH_RECORD_TYPE)
			continue;
		CHECK(str_find(summary, str_from(row)) != (size_t)-1);
		CHECK(str_find(config, str_from(row)) != (size_t)-1);
		CHECK(str_find(inventory, str_from(row)) != (size_t)-1);
	}
}

/* One row over and over, each time with another prompt: a million of them, and the first one again. */
TEST(rows_beyond_the_limit_are_not_compared)
{
	enum { CHUNK = 1024, CHUNKS = 1026 };
	struct str line = text_of("valid");
	struct check_options how = { .finding_limit = 10 };
	const struct dialect *d = &results_dialect;
	void *scanner = d->ops->scanner_open(d, &how), *batch = d->ops->batch_open(d);
	void *fold = d->ops->fold_open(d, &how);
	struct outcome *o = test_alloc(sizeof(*o));
	struct check_chunk in = { .first_line = 1, .lines = true };
	struct err err;
	size_t at, row;
	char *text;

	line.n = first_lines(line, 1);
	at = str_find(line, STR("\"P0\""));
	row = line.n + 6;
	text = test_alloc(row * CHUNK + JSON_PAD);
	arena_init(&o->arena);
	findings_init(&o->findings, &o->arena, 10);
	d->ops->begin(fold, &o->findings);
	in.bytes = str_of(text, row * CHUNK);
	for (unsigned c = 0; c < CHUNKS; c++, in.first_line += CHUNK, in.origin += in.bytes.n) {
		for (unsigned i = 0; i < CHUNK; i++) {
			char *to = text + i * row, id[16];

			snprintf(id, sizeof(id), "\"%08u\"", c == CHUNKS - 1 ? i : c * CHUNK + i);
			memcpy(to, line.p, at);
			memcpy(to + at, id, 10);
			memcpy(to + at + 10, line.p + at + 4, line.n - at - 4);
		}
		d->ops->scan(scanner, &in, batch);
		CHECK(d->ops->fold(fold, batch, &err));
	}
	d->ops->finish(fold, &o->tally);
	CHECK_STR(codes_of(o), STR("BR027"));
	CHECK_INT(o->findings.infos, 1);
	CHECK_INT(o->findings.kept[0].at.line, 1 + (1 << 20));
	CHECK_INT(o->tally.records, CHUNK * CHUNKS);
	d->ops->fold_close(fold);
	d->ops->batch_close(batch);
	d->ops->scanner_close(scanner);
}

static int fits(const char *text)
{
	struct json_parser *p = json_parser_open((struct json_options){ 0 });
	struct val v;
	int how_well;

	CHECK(json_parse_copy(p, str_from(text), &v, NULL));
	how_well = results_dialect.fits(v);
	json_parser_close(p);
	return how_well;
}

TEST(results_are_known_by_their_own_fields)
{
	CHECK_INT(fits("{\"record_type\":\"result\",\"prompt_id\":\"P0\"}"), 100);
	CHECK(fits("{\"record_type\":\"result\"}") > 0);
	CHECK(fits("{\"prompt_id\":\"P0\",\"availability_status\":\"ok\"}") > 0);
	CHECK_INT(fits("{\"record_type\":\"event\",\"prompt_id\":\"P0\"}"), 0);
	CHECK_INT(fits("{\"schema_version\":\"agent-trace/v1\",\"event_type\":\"summary\"}"), 0);
	CHECK_INT(fits("[1]"), 0);
	CHECK_INT(fits("\"record_type\""), 0);
}

/* Rows of another program: no record_type, every value a string. */
TEST(rows_that_were_a_table_of_strings_are_no_results)
{
	struct str text = test_read(test_shared("openclaw/benchmark_results_2026_02_14.rows.jsonl"));
	struct json_parser *p = json_parser_open((struct json_options){ 0 });
	struct val v;

	CHECK(json_parse_copy(p, str_of(text.p, first_lines(text, 1)), &v, NULL));
	CHECK_INT(results_dialect.fits(v), 0);
	CHECK(feed(&results_dialect, text, MODE_DEFAULT, 10)->findings.errors >= 43);
	json_parser_close(p);
}
