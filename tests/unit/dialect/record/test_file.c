#include "dialect/record/record.h"
#include "unit/dialect/check_feed.h"

enum rules { UTF8, SYNTAX, DUPLICATE, NOT_OBJECT, MISSING, TYPE, UNKNOWN, BLANK, TORN, EMPTY, ORDER, END };

#define RULE(code_, severity_) { .code = code_, .severity = severity_ }

static const struct rule rules[] = {
	[UTF8] = RULE("F_UTF8", SEV_ERROR),
	[SYNTAX] = RULE("F_SYNTAX", SEV_ERROR),
	[DUPLICATE] = RULE("F_DUPLICATE", SEV_ERROR),
	[NOT_OBJECT] = RULE("F_NOT_OBJECT", SEV_ERROR),
	[MISSING] = RULE("F_MISSING", SEV_ERROR),
	[TYPE] = RULE("F_TYPE", SEV_ERROR),
	[UNKNOWN] = RULE("F_UNKNOWN", SEV_WARNING),
	[BLANK] = RULE("F_BLANK", SEV_INFO),
	[TORN] = RULE("F_TORN", SEV_WARNING),
	[EMPTY] = RULE("F_EMPTY", SEV_ERROR),
	[ORDER] = RULE("F_ORDER", SEV_ERROR),
	[END] = RULE("F_END", SEV_INFO),
	{ .code = NULL },
};

static const struct field fields[] = {
	{ .name = "n", .types = T_INTEGER, .need = FIELD_REQUIRED },
	{ .name = "deep", .types = T_OBJECT },
};
static const struct record_type type = { .name = "entry", RECORD_TYPE(fields) };

/* ---- a format that counts ---- */

struct fact {
	int64_t n;
	uint64_t nth; /* of its scanner */
};

struct state {
	int64_t next; /* what must come: 0, 1, 2 and so on */
	uint64_t facts, chunks;
};

static void check(struct record_scan *s, struct val root, void *fact)
{
	struct fact *f = fact;
	uint64_t *own = s->own;
	uint32_t at[2];

	CHECK(f->n == 0 && f->nth == 0);
	f->nth = (*own)++;
	f->n = -1;
	if (record_check_object(s, root, &type, at) && at[0])
		CHECK(val_i64(record_at(s, at[0]), &f->n));
}

/* How often each was called, over all folds of a test. */
static unsigned begun, ended, finished;

static void begin(struct record_fold *f)
{
	struct state *s = f->state;

	begun++;
	CHECK(s->next == 0 && s->facts == 0 && s->chunks == 0);
	CHECK(f->records == 0 && f->batch == NULL);
}

static void add(struct record_fold *f, const struct record_batch *b)
{
	struct state *s = f->state;
	const struct fact *facts = (const struct fact *)(const void *)b->facts.p;

	CHECK(f->batch == b);
	CHECK_INT(b->facts.n / sizeof(struct fact), record_batch_count(b));
	s->chunks++;
	for (size_t i = 0; i < record_batch_count(b); i++) {
		const struct record_place *p = record_batch_place(b, i);

		CHECK_INT(facts[i].nth, s->facts);
		s->facts++;
		CHECK(memchr(p->text.p, '{', p->text.n) != NULL);
		CHECK(record_fold_place(f, p->line) == p);
		if (facts[i].n >= 0 && facts[i].n != s->next)
			record_fold_note(f, ORDER, p, 5, 1, STR("/n"), "%lld is not %lld", (long long)facts[i].n,
					 (long long)s->next);
		s->next++;
	}
	CHECK(record_fold_place(f, 0) == NULL);
	CHECK(record_fold_place(f, 1000000) == NULL);
}

static void finish(struct record_fold *f)
{
	struct state *s = f->state;

	finished++;
	if (s->facts == 3)
		f->tally->interrupted = true;
	f->tally->variant = "counted";
	if (s->facts == 7)
		record_fold_note(f, END, NULL, 0, 0, STR(""), "seven");
}

static void end(struct record_fold *f)
{
	CHECK(f->state != NULL);
	ended++;
}

#define FORMAT(...) \
	{ .on_utf8 = UTF8, .on_syntax = SYNTAX, .on_duplicate = DUPLICATE, .on_missing = MISSING, .on_type = TYPE, \
	  .on_unknown = UNKNOWN, .on_secret = RECORD_NO_RULE, .fact_size = sizeof(struct fact), \
	  .own_size = sizeof(uint64_t), .check = check, .state_size = sizeof(struct state), .begin = begin, \
	  .finish = finish, .end = end, __VA_ARGS__ }

static const struct record_format all_format =
	FORMAT(.on_not_object = NOT_OBJECT, .on_blank = BLANK, .on_torn = TORN, .on_empty = EMPTY, .add = add);
static const struct record_format few_format =
	FORMAT(.on_not_object = RECORD_NO_RULE, .on_blank = RECORD_NO_RULE, .on_torn = RECORD_NO_RULE,
	       .on_empty = RECORD_NO_RULE);
static const struct dialect all = { .name = "all", .rules = rules, .ops = &record_ops, .record = &all_format };
static const struct dialect few = { .name = "few", .rules = rules, .ops = &record_ops, .record = &few_format };

/* "2:7 F_TYPE /n @15" by place, each on a line of its own. */
static struct str listed(struct check_feed *f)
{
	struct str out = STR("");

	findings_sort(&f->findings);
	for (size_t i = 0; i < f->findings.kept_count; i++) {
		const struct finding *k = &f->findings.kept[i];

		out = arena_printf(&f->arena, "%.*s%s%llu:%llu %s %.*s @%llu", STR_ARG(out), out.n ? "\n" : "",
				   (unsigned long long)k->at.line, (unsigned long long)k->at.column, k->code,
				   STR_ARG(k->pointer), (unsigned long long)k->at.offset);
	}
	return out;
}

static void expect(const struct dialect *d, struct str text, size_t lines, const char *expected, uint64_t records)
{
	struct check_feed f;

	check_feed(&f, d, text, lines);
	CHECK_STR(listed(&f), str_from(expected));
	CHECK_INT(f.tally.records, records);
	CHECK_STR(str_from(f.tally.variant), STR("counted"));
	CHECK_INT(begun, ended);
	CHECK_INT(begun, finished);
	arena_free(&f.arena);
}

#define GOOD "{\"n\":0}\n"
#define BOM "\xef\xbb\xbf"

static const struct {
	const char *text, *all, *few;
	uint64_t all_records, few_records;
} lines_cases[] = {
	{ "", "0:0 F_EMPTY  @0", "", 0, 0 },
	{ GOOD, "", "", 1, 1 },
	{ "{\"n\":0}", "", "", 1, 1 },
	{ "{\"n\":0}\r\n{\"n\":1}\r\n", "", "", 2, 2 },
	{ "{\"n\":0}\r\n{\"n\":\"\"}\r\n", "2:6 F_TYPE /n @14", "2:6 F_TYPE /n @14", 2, 2 },
	{ "{\"n\":0}\r\n{\"n\":\"\"}\r", "2:6 F_TYPE /n @14", "2:6 F_TYPE /n @14", 2, 2 },
	{ GOOD "{\"n\":\"\"}", "2:6 F_TYPE /n @13", "2:6 F_TYPE /n @13", 2, 2 },
	{ GOOD "  {}", "2:3 F_MISSING  @10", "2:3 F_MISSING  @10", 2, 2 },
	{ "\n", "1:1 F_BLANK  @0\n0:0 F_EMPTY  @0", "", 0, 0 },
	{ "\r\n", "1:1 F_BLANK  @0\n0:0 F_EMPTY  @0", "", 0, 0 },
	{ GOOD "\n \t\r\n{\"n\":1}\n", "2:1 F_BLANK  @8\n3:1 F_BLANK  @9", "", 2, 2 },
	{ GOOD " ", "2:1 F_BLANK  @8", "", 1, 1 },
	{ BOM GOOD "{\"n\":0}\n", "1:1 F_SYNTAX  @0", "1:1 F_SYNTAX  @0", 1, 1 },
	{ GOOD BOM "{\"n\":1}\n", "2:1 F_SYNTAX  @8", "2:1 F_SYNTAX  @8", 1, 1 },
	{ BOM, "1:1 F_SYNTAX  @0", "1:1 F_SYNTAX  @0", 0, 0 },
	{ "[]\n 7\n\"\"\n", "1:1 F_NOT_OBJECT  @0\n2:2 F_NOT_OBJECT  @4\n3:1 F_NOT_OBJECT  @6", "", 3, 3 },
	/* torn: only the last line, only without its end, only when something is open */
	{ GOOD "{\"n\":1,\"de", "2:11 F_TORN  @18", "2:11 F_SYNTAX  @18", 1, 1 },
	{ GOOD "{\"n\":1", "2:7 F_TORN  @14", "2:7 F_SYNTAX  @14", 1, 1 },
	{ GOOD "{\"n\":1,\"de\n", "2:11 F_SYNTAX  @18", "2:11 F_SYNTAX  @18", 1, 1 },
	{ GOOD "{\"n\":1,\"de\n{\"n\":1}\n", "2:11 F_SYNTAX  @18", "2:11 F_SYNTAX  @18", 2, 2 },
	{ GOOD "{\"n\":}", "2:6 F_SYNTAX /n @13", "2:6 F_SYNTAX /n @13", 1, 1 },
	{ "{", "1:2 F_TORN  @1\n0:0 F_EMPTY  @0", "1:2 F_SYNTAX  @1", 0, 0 },
	{ GOOD "{\"n\":1,\"n\":1}\n", "2:8 F_DUPLICATE /n @15", "2:8 F_DUPLICATE /n @15", 1, 1 },
	{ GOOD "{\"n\":1,\"\\u006e\":1}\n", "2:8 F_DUPLICATE /n @15", "2:8 F_DUPLICATE /n @15", 1, 1 },
	{ GOOD "{\"\xc3\xa5\":\"\xff\"}\n", "2:7 F_UTF8 /\xc3\xa5 @15", "2:7 F_UTF8 /\xc3\xa5 @15", 1, 1 },
	{ "\xff\n", "1:1 F_UTF8  @0", "1:1 F_UTF8  @0", 0, 0 },
};

TEST(lines_are_told_apart_and_placed_however_they_are_cut)
{
	for (size_t i = 0; i < sizeof(lines_cases) / sizeof(lines_cases[0]); i++)
		for (size_t lines = 0; lines < 3; lines++) {
			struct str text = str_from(lines_cases[i].text);

			test_case("%s, %zu lines at a time", lines_cases[i].text, lines);
			expect(&all, text, lines, lines_cases[i].all, lines_cases[i].all_records);
			expect(&few, text, lines, lines_cases[i].few, lines_cases[i].few_records);
		}
}

static const struct {
	const char *text, *expected;
	uint64_t records;
} document_cases[] = {
	{ "", "0:0 F_EMPTY  @0", 0 },
	{ "\n \r\n\t", "0:0 F_EMPTY  @0", 0 },
	{ "{\"n\":0}", "", 1 },
	{ "\n\n{\n  \"n\": 0\n}\n\n", "", 1 },
	{ "\n {\n\t\"deep\": {\n\t\t\"a\": [\n\t\t\t1\n\t\t]\n\t}, \"n\": \"\xc3\xa5\" }", "7:10 F_TYPE /n @42", 1 },
	{ "{\n\n\"deep\":\n{},\n\n\n  \"n\": [\n1]\n}\n", "7:8 F_TYPE /n @24", 1 },
	{ "{\r\n\r\n\"deep\":\r\n{},\r\n\r\n\r\n  \"n\": [\r\n1]\r\n}\r\n", "7:8 F_TYPE /n @30", 1 },
	{ "{\n\"\xc3\xa5\":1,\"n\":\n\"\"}", "3:1 F_TYPE /n @14", 1 },
	{ "{\n\"\xc3\xa5\":1,\"n\":\"\"}", "2:11 F_TYPE /n @13", 1 },
	{ "\n[\n]\n", "2:1 F_NOT_OBJECT  @1", 1 },
	{ "{\n\"n\":0\n", "3:1 F_SYNTAX  @8", 0 },
	{ "{\n\"n\":0,\n\"n\":1}", "3:1 F_DUPLICATE /n @9", 0 },
	{ "{\"n\":0}\n{\"n\":1}\n", "2:1 F_SYNTAX  @8", 0 },
	{ BOM "{\"n\":0}", "1:1 F_SYNTAX  @0", 0 },
};

TEST(places_in_a_document_are_lines_and_columns_of_it)
{
	for (size_t i = 0; i < sizeof(document_cases) / sizeof(document_cases[0]); i++) {
		test_case("%s", document_cases[i].text);
		expect(&all, str_from(document_cases[i].text), CHECK_DOCUMENT, document_cases[i].expected,
		       document_cases[i].records);
	}
}

TEST(the_excerpt_is_the_line_of_the_place_without_its_end)
{
	static const struct {
		const char *text;
		size_t lines;
	} cases[] = {
		{ "{\"n\":\"x\"}\r\n{}\r\n", 0 }, { "{\"n\":\"x\"}\n{}", 1 }, { "{\"n\":\"x\"}", 0 },
		{ "{\"n\":\"x\"}\n\n", CHECK_DOCUMENT }, { "{\"n\":\"x\"}\r\n\r\n", CHECK_DOCUMENT },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct check_feed f;

		test_case("%s", cases[i].text);
		check_feed(&f, &all, str_from(cases[i].text), cases[i].lines);
		CHECK_STR(f.findings.kept[0].excerpt, STR("{\"n\":\"x\"}"));
		CHECK_INT(f.findings.kept[0].mark, 5);
		CHECK_INT(f.findings.kept[0].mark_length, 3);
		arena_free(&f.arena);
	}
}

TEST(a_chunk_says_where_it_begins)
{
	static const char bytes[JSON_PAD * 2] = "{\"n\":1}\n{\"n\":\"\"}\n";
	struct check_chunk in = { STR(bytes), .first_line = 1000, .origin = 5000, .lines = true };
	struct check_options options = { .mode = MODE_DEFAULT };
	void *scanner = record_ops.scanner_open(&all, &options);
	struct record_batch *b = record_ops.batch_open(&all);

	in.bytes.n = strlen(bytes);
	record_ops.scan(scanner, &in, b);
	CHECK_INT(b->findings.kept_count, 1);
	CHECK_INT(b->findings.kept[0].at.line, 1001);
	CHECK_INT(b->findings.kept[0].at.offset, 5013);
	CHECK_INT(record_batch_place(b, 1)->line, 1001);
	CHECK_INT(record_batch_place(b, 1)->offset, 5008);
	CHECK_STR(record_batch_place(b, 1)->text, STR("{\"n\":\"\"}"));
	in.bytes.n = 0; /* what was in the batch is gone */
	record_ops.scan(scanner, &in, b);
	CHECK_INT(b->findings.kept_count, 0);
	CHECK_INT(b->findings.errors, 0);
	CHECK_INT(b->records, 0);
	CHECK_INT(record_batch_count(b), 0);
	record_ops.scanner_close(scanner);
	record_ops.batch_close(b);
}

TEST(facts_come_in_order_across_chunks)
{
	struct buf text;

	buf_init(&text);
	for (int i = 0; i < 500; i++)
		buf_printf(&text, "%s{\"n\":%d}\n", i % 10 == 3 ? "\nnull\n{\"n\":\n" : "", i);
	for (size_t lines = 0; lines < 40; lines++) {
		struct check_feed f;

		test_case("%zu lines at a time", lines);
		check_feed(&f, &all, buf_str(&text), lines);
		CHECK_INT(check_feed_count(&f, "F_ORDER"), 0);
		CHECK_INT(check_feed_count(&f, "F_BLANK"), 50);
		CHECK_INT(check_feed_count(&f, "F_NOT_OBJECT"), 50);
		CHECK_INT(check_feed_count(&f, "F_SYNTAX"), 50);
		CHECK_INT(f.tally.records, 550);
		arena_free(&f.arena);
	}
	buf_free(&text);
}

TEST(a_fold_can_point_at_a_fact_and_add_to_the_tally)
{
	static const struct {
		const char *text, *expected;
		bool interrupted;
	} cases[] = {
		{ GOOD "{\"n\":2}\n", "2:6 F_ORDER /n @13", false },
		{ GOOD "{\"n\":1}\n{\"n\":3}\n", "3:6 F_ORDER /n @21", true },
		{ GOOD "{\"n\":1}\n{\"n\":2}\n{\"n\":3}\n{\"n\":4}\n{\"n\":5}\n{\"n\":6}\n", "0:0 F_END  @0", false },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		for (size_t lines = 0; lines < 3; lines++) {
			struct check_feed f;

			test_case("%s", cases[i].text);
			check_feed(&f, &all, str_from(cases[i].text), lines);
			CHECK_STR(listed(&f), str_from(cases[i].expected));
			CHECK(f.tally.interrupted == cases[i].interrupted);
			arena_free(&f.arena);
		}
}

TEST(every_begin_has_its_end_also_when_a_file_is_given_up)
{
	struct check_options options = { .mode = MODE_DEFAULT };
	void *fold = record_ops.fold_open(&all, &options);
	struct check_tally tally;
	struct findings list;
	struct arena arena;

	arena_init(&arena);
	record_ops.fold_close(fold); /* never begun */
	CHECK_INT(begun + ended, 0);
	fold = record_ops.fold_open(&all, &options);
	for (unsigned i = 1; i <= 5; i++) {
		findings_init(&list, &arena, 0);
		record_ops.begin(fold, &list);
		CHECK_INT(begun, i);
		CHECK_INT(ended, i - 1);
		if (i % 2) {
			record_ops.finish(fold, &tally);
			CHECK_INT(ended, i);
			CHECK_INT(list.errors, 1); /* the file was empty */
		}
	}
	record_ops.begin(fold, &list);
	record_ops.fold_close(fold);
	CHECK_INT(begun, 6);
	CHECK_INT(ended, 6);
	CHECK_INT(finished, 3);
	arena_free(&arena);
}

TEST(a_fold_forgets_one_file_before_the_next)
{
	static const char bytes[JSON_PAD * 2] = "{\"n\":0}\n{\"n\":1}\n{\"n\":2}\n";
	struct check_chunk in = { .first_line = 1, .lines = true };
	struct check_options options = { .mode = MODE_DEFAULT };
	void *fold = record_ops.fold_open(&all, &options), *batch = record_ops.batch_open(&all);

	for (int i = 0; i < 3; i++) {
		void *scanner = record_ops.scanner_open(&all, &options);
		struct check_tally tally;
		struct findings list;
		struct arena arena;
		struct err err;

		in.bytes = str_of(bytes, strlen(GOOD) * (i == 1 ? 2 : 3));
		arena_init(&arena);
		findings_init(&list, &arena, 0);
		record_ops.begin(fold, &list);
		record_ops.scan(scanner, &in, batch);
		CHECK(record_ops.fold(fold, batch, &err));
		record_ops.finish(fold, &tally);
		CHECK_INT(tally.records, i == 1 ? 2 : 3);
		CHECK(tally.interrupted == (i != 1));
		CHECK_INT(list.errors + list.warnings + list.infos, 0);
		record_ops.scanner_close(scanner);
		arena_free(&arena);
	}
	record_ops.batch_close(batch);
	record_ops.fold_close(fold);
}

TEST(a_limit_keeps_few_findings_and_counts_all)
{
	struct check_options options = { .mode = MODE_DEFAULT, .finding_limit = 10 };
	struct buf text;

	buf_init(&text);
	for (int i = 0; i < 1000; i++)
		buf_add_str(&text, i == 900 ? STR("{}\n") : i % 2 ? STR("{\"n\":\"x\"}\n") : STR("\n"));
	for (size_t lines = 0; lines < 30; lines += 7) {
		struct check_feed f;
		bool rare = false;

		check_feed_with(&f, &all, &options, buf_str(&text), lines);
		CHECK_INT(f.findings.kept_count, 10);
		CHECK_INT(f.findings.errors, 501);
		CHECK_INT(f.findings.infos, 499);
		CHECK_INT(check_feed_count(&f, "F_TYPE"), 500);
		CHECK_INT(check_feed_count(&f, "F_BLANK"), 499);
		CHECK_INT(check_feed_count(&f, "F_MISSING"), 1);
		for (size_t i = 0; i < f.findings.kept_count; i++) {
			rare |= f.findings.kept[i].at.line == 901;
			CHECK(f.findings.kept[i].message.n > 0);
		}
		CHECK(rare);
		arena_free(&f.arena);
	}
	buf_free(&text);
}

TEST(strings_alone_are_a_format_without_findings_about_json)
{
	static const char *const texts[] = { "", "\n", "{\"a\":1,\"a\":1}", "[1]\n{\n", "\xff\n", BOM "{}", "{\"a\":" };

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		for (int document = 0; document < 2; document++) {
			struct check_options options = { .mode = MODE_STRICT, .secrets = true };
			struct check_feed f;

			test_case("%s", texts[i]);
			check_feed_with(&f, &secrets_dialect, &options, str_from(texts[i]),
					document ? CHECK_DOCUMENT : 0);
			CHECK_STR(listed(&f), STR(""));
			arena_free(&f.arena);
		}
}
