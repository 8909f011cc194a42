/* What lies between records: order, gaps, several runs, limits. */
#include "unit/dialect/otutl_feed.h"
#include "unit/dialect/otutl_log_text.h"

/* A log of `records` (an even number) records: a call and its result, again and again. */
static void make_calls(struct log_text *l, unsigned records)
{
	make(l, 0, "run_start", "%s", "");
	for (unsigned i = 1; i + 1 < records; i++) {
		if (i % 2)
			make(l, i, "tool_call", ",\"call_id\":\"k%u\",\"tool\":\"a:x\",\"args\":{\"i\":%u}", i, i);
		else
			make(l, i, "tool_result", ",\"call_id\":\"k%u\",\"result\":\"%u\"", i - 1, i);
	}
	make(l, records - 1, "run_end", "%s", "");
}

static struct str line_of(struct str text, size_t number)
{
	size_t from = number ? feed_cut(text, number) : 0;

	return str_of(text.p + from, feed_cut(text, number + 1) - from);
}

static unsigned step(uint64_t *state)
{
	*state = *state * 6364136223846793005u + 1442695040888963407u;
	return (unsigned)(*state >> 33);
}

TEST(file_order_does_not_matter_to_any_hash)
{
	enum { RECORDS = 62 };
	struct log_text l = { .run_id = NULL };
	struct feed sorted = { .lossy = false };
	uint64_t random = 1;

	buf_init(&l.text);
	make_calls(&l, RECORDS);
	feed_log(&sorted, buf_str(&l.text));
	CHECK_INT(sorted.findings.kept_count, 0);
	for (int round = 0; round < 30; round++) {
		struct feed f = { .lines_per_chunk = (size_t)round % 7 };
		unsigned order[RECORDS];
		struct buf shuffled;

		test_case("round %d", round);
		buf_init(&shuffled);
		for (unsigned i = 0; i < RECORDS; i++)
			order[i] = i;
		for (unsigned i = RECORDS - 1; i > 0; i--) {
			unsigned k = step(&random) % (i + 1), t = order[i];

			order[i] = order[k];
			order[k] = t;
		}
		for (unsigned i = 0; i < RECORDS; i++)
			buf_add_str(&shuffled, line_of(buf_str(&l.text), order[i]));
		feed_log(&f, buf_str(&shuffled));
		CHECK(f.done);
		CHECK_INT(f.findings.errors, 0);
		CHECK(feed_count(&f, "W_SEQ_ORDER", 0) > 0);
		CHECK_INT(f.findings.warnings, feed_count(&f, "W_SEQ_ORDER", 0));
		CHECK_INT(f.run_count, 1);
		CHECK(f.runs[0].complete && f.runs[0].hashed);
		CHECK(memcmp(&f.runs[0].run_hash, &sorted.runs[0].run_hash, SHA256_SIZE) == 0);
		CHECK(memcmp(&f.runs[0].run_root, &sorted.runs[0].run_root, SHA256_SIZE) == 0);
		CHECK(memcmp(&f.runs[0].behavior_hash, &sorted.runs[0].behavior_hash, SHA256_SIZE) == 0);
		CHECK(memcmp(&f.runs[0].canonical_file, &sorted.runs[0].canonical_file, SHA256_SIZE) == 0);
		CHECK_STR(buf_str(&f.canonical), buf_str(&sorted.canonical));
		buf_free(&shuffled);
		feed_free(&f);
	}
	feed_free(&sorted);
	buf_free(&l.text);
}

/* Findings for a log of records with these seqs; a run_start first, a run_end last, "!" a damaged line, "?" no seq. */
static struct str check_seqs(struct feed *f, const char *seqs)
{
	struct log_text l = { .run_id = NULL };
	size_t count = strlen(seqs);

	buf_init(&l.text);
	for (size_t i = 0; i < count; i++) {
		const char *type = i == 0 ? "run_start" : i + 1 == count ? "run_end" : "cost";

		if (seqs[i] == '!')
			buf_add_str(&l.text, STR("{damaged\n"));
		else if (seqs[i] == '?')
			buf_printf(&l.text, "{\"type\":\"%s\",\"ts\":\"2026-05-01T12:00:00.000Z\",\"run_id\":\"" RUN_A "\"}\n", type);
		else
			make(&l, (unsigned long long)(seqs[i] - '0'), type, "%s", "");
	}
	feed_log(f, buf_str(&l.text));
	buf_free(&l.text);
	return feed_list(f, "");
}

TEST(the_sequence_has_no_gap_no_repeat_and_a_beginning)
{
	static const struct {
		const char *seqs, *findings;
	} cases[] = {
		{ "01234", "" },
		{ "12345", "" },
		{ "23456", "1:E_SEQ_START" },
		{ "01345", "3:E_SEQ_GAP" },
		{ "01389", "3:E_SEQ_GAP 4:E_SEQ_GAP" },
		{ "01224", "4:E_SEQ_DUP 5:E_SEQ_GAP" },
		{ "01223", "4:E_SEQ_DUP" },
		{ "01032", "3:E_SEQ_DUP 5:E_RUN_END 5:W_SEQ_ORDER" },
		{ "02134", "3:W_SEQ_ORDER" },
		{ "0!234", "2:E_SYNTAX 3:E_SEQ_GAP" },
		{ "0!!345", "2:E_SYNTAX 3:E_SYNTAX 4:E_SEQ_GAP" },
		{ "0!123", "2:E_SYNTAX" },
		{ "0!!4235", "2:E_SYNTAX 3:E_SYNTAX 5:E_SEQ_GAP 5:W_SEQ_ORDER" },
		{ "0?234", "2:E_SEQ_TYPE" },
		{ "0?123", "2:E_SEQ_TYPE" },
		{ "0??345", "2:E_SEQ_TYPE 3:E_SEQ_TYPE" },
		{ "0?345", "2:E_SEQ_TYPE 3:E_SEQ_GAP" },
		{ "?1234", "1:E_SEQ_TYPE" },
		{ "?2345", "1:E_SEQ_TYPE" },
		{ "?3456", "1:E_SEQ_TYPE 2:E_SEQ_GAP" },
		{ "?!?4", "1:E_SEQ_TYPE 2:E_SYNTAX 3:E_SEQ_TYPE 4:E_SEQ_GAP" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		for (size_t split = 0; split < 3; split++) {
			struct feed f = { .lines_per_chunk = split };

			test_case("%s, %zu lines per chunk", cases[i].seqs, split);
			CHECK_STR(check_seqs(&f, cases[i].seqs), str_from(cases[i].findings));
			feed_free(&f);
		}
	}
}

TEST(a_late_record_is_waited_for_up_to_a_limit_and_no_further)
{
	struct log_text l = { .run_id = NULL };
	struct feed wide = { .hold = 0 }, narrow = { .hold = 10000 }, gap = { .hold = 10000 };
	size_t before;

	buf_init(&l.text);
	make(&l, 0, "run_start", "%s", "");
	for (unsigned i = 2; i < 100; i++)
		make(&l, i, "cost", "%s", "");
	before = l.text.n;
	make(&l, 1, "cost", "%s", "");
	make(&l, 100, "run_end", "%s", "");

	feed_log(&wide, buf_str(&l.text));
	CHECK(wide.done && wide.runs[0].hashed);
	CHECK_STR(feed_list(&wide, ""), STR("100:W_SEQ_ORDER"));

	/* it came after all: the order is beyond us, and this says nothing about the log */
	feed_log(&narrow, buf_str(&l.text));
	CHECK(!narrow.done);
	CHECK_INT(narrow.err.kind, ERR_LIMIT);
	CHECK(strstr(narrow.err.text, "line 100: seq 1 ") != NULL);

	/* it never came: a gap, whatever the limit */
	feed_log(&gap, str_of(l.text.p, before));
	CHECK(gap.done);
	CHECK_STR(feed_list(&gap, ""), STR("2:E_SEQ_GAP 99:W_PARTIAL"));
	CHECK(!gap.runs[0].hashed);
	feed_free(&wide);
	feed_free(&narrow);
	feed_free(&gap);
	buf_free(&l.text);
}

/* Damage at the beginning of a long log must not make everything after it wait: it is told before the end. */
TEST(after_damage_nothing_is_held_back)
{
	static const struct {
		const char *head, *told;
	} cases[] = {
		{ "0!2", "2:E_SYNTAX 3:E_SEQ_GAP 10:E_TS" },
		{ "0!!3", "2:E_SYNTAX 3:E_SYNTAX 4:E_SEQ_GAP 11:E_TS" },
		{ "!1", "1:E_SYNTAX 2:E_RUN_START 9:E_TS" },
		{ "!!2", "1:E_SYNTAX 2:E_SYNTAX 3:E_RUN_START 3:E_SEQ_START 10:E_TS" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct log_text l = { .run_id = NULL };
		struct feed f = { .lossy = false };
		struct otutl_scanner scanner;
		struct otutl_fold *fold;
		unsigned seq = 0;

		test_case("%s", cases[i].head);
		buf_init(&l.text);
		for (const char *p = cases[i].head; *p; p++) {
			seq = *p == '!' ? seq : (unsigned)(*p - '0');
			if (*p == '!')
				buf_add_str(&l.text, STR("{damaged\n"));
			else
				make(&l, seq, seq ? "cost" : "run_start", "%s", "");
		}
		for (unsigned k = 1; k <= 6; k++)
			make(&l, seq + k, "cost", "%s", "");
		buf_printf(&l.text, "{\"seq\":%u,\"type\":\"cost\",\"run_id\":\"" RUN_A "\"}\n", seq + 7);

		arena_init(&f.arena);
		buf_init(&f.canonical);
		findings_init(&f.findings, &f.arena, 0);
		otutl_scanner_init(&scanner, false, 0);
		fold = otutl_fold_open(&f.arena, (struct otutl_fold_options){ .findings = &f.findings });
		CHECK(feed_chunk(&f, &scanner, fold, (struct otutl_chunk){ .bytes = buf_str(&l.text), .first_line = 1 }));
		CHECK_STR(feed_list(&f, ""), str_from(cases[i].told));
		otutl_finish(fold);
		otutl_fold_close(fold);
		otutl_scanner_free(&scanner);
		feed_free(&f);
		buf_free(&l.text);
	}
}

/* Without a hash to make, a waiting record needs no room for its bytes. */
TEST(a_log_with_an_error_can_be_sorted_further)
{
	struct log_text l = { .run_id = NULL };
	struct feed f = { .hold = 100000 };
	char *x = malloc(10001);

	CHECK(x != NULL);
	memset(x, 'x', 10000);
	x[10000] = '\0';
	buf_init(&l.text);
	make(&l, 0, "run_start", ",\"bad\":9007199254740993");
	for (unsigned i = 2; i < 50; i++)
		make(&l, i, "cost", ",\"x\":\"%s\"", x);
	make(&l, 1, "cost", "%s", "");
	make(&l, 50, "run_end", "%s", "");
	feed_log(&f, buf_str(&l.text));
	CHECK(f.done);
	CHECK_STR(feed_list(&f, ""), STR("1:E_NUM_UNSAFE_INT 50:W_SEQ_ORDER"));
	feed_free(&f);
	buf_free(&l.text);
	free(x);
}

TEST(a_run_whose_end_is_written_before_its_start_is_one_run)
{
	struct log_text l = { .run_id = NULL };
	struct feed f = { .lossy = false };

	buf_init(&l.text);
	make(&l, 1, "cost", "%s", "");
	make(&l, 2, "run_end", "%s", "");
	make(&l, 0, "run_start", "%s", "");
	feed_log(&f, buf_str(&l.text));
	CHECK_STR(feed_list(&f, ""), STR("3:W_SEQ_ORDER"));
	CHECK(f.run_count == 1 && f.runs[0].complete && f.runs[0].hashed);
	feed_free(&f);
	buf_free(&l.text);
}

TEST(each_run_of_a_file_has_its_own_sequence_rules_and_hashes)
{
	struct log_text l = { .run_id = NULL };
	struct feed first = { .lossy = false }, second = { .lossy = false };
	size_t cut;

	buf_init(&l.text);
	make_calls(&l, 10);
	cut = l.text.n;
	l.run_id = RUN_B;
	make_calls(&l, 8);
	feed_log(&first, str_of(l.text.p, cut));
	feed_log(&second, str_of(l.text.p + cut, l.text.n - cut));
	for (size_t split = 0; split < 12; split++) {
		struct feed both = { .lines_per_chunk = split };

		test_case("%zu lines per chunk", split);
		feed_log(&both, buf_str(&l.text));
		CHECK_INT(both.findings.kept_count, 0);
		CHECK_INT(both.run_count, 2);
		for (size_t i = 0; i < 2; i++) {
			const struct otutl_run *want = i ? &second.runs[0] : &first.runs[0], *got = &both.runs[i];

			CHECK_INT(got->index, i);
			CHECK_INT(got->first_line, i ? 11 : 1);
			CHECK_INT(got->records, want->records);
			CHECK_STR(got->run_id, i ? STR(RUN_B) : STR(RUN_A));
			CHECK(memcmp(&got->run_hash, &want->run_hash, SHA256_SIZE) == 0);
			CHECK(memcmp(&got->run_root, &want->run_root, SHA256_SIZE) == 0);
			CHECK(memcmp(&got->behavior_hash, &want->behavior_hash, SHA256_SIZE) == 0);
			CHECK(memcmp(&got->canonical_file, &want->canonical_file, SHA256_SIZE) == 0);
		}
		feed_free(&both);
	}
	feed_free(&first);
	feed_free(&second);
	buf_free(&l.text);
}

TEST(where_one_run_ends_and_the_next_begins)
{
	/* each letter a record: S run_start, E run_end, c cost; capitals begin seq anew; / changes the run id */
	static const struct {
		const char *what, *records, *findings;
		size_t runs, hashed;
	} cases[] = {
		{ "three runs", "ScE/ScE/SE", "7:W_RUN_ID_TWICE", 3, 3 },
		{ "the same run id again", "ScESE", "4:W_RUN_ID_TWICE", 2, 2 },
		{ "the first was not ended", "Sc/ScE", "2:W_PARTIAL 3:E_RUN_START", 2, 1 },
		{ "a run_start in between", "ScsE", "3:E_RUN_START", 1, 0 },
		{ "the second does not begin", "SE/cE", "2:E_RUN_END 3:E_RUN_ID_MIXED 3:E_SEQ_DUP 4:E_RUN_ID_MIXED 4:E_SEQ_DUP", 1, 0 },
		{ "nothing after the last", "SE/S", "3:W_PARTIAL", 2, 2 },
		{ "ended twice", "ScEE", "3:E_RUN_END", 1, 0 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct log_text l = { .run_id = NULL };
		struct feed f = { .lines_per_chunk = i % 3 };
		unsigned seq = 0, run = 0;
		size_t hashed = 0;

		test_case("%s", cases[i].what);
		buf_init(&l.text);
		for (const char *p = cases[i].records; *p; p++) {
			if (*p == '/') {
				l.run_id = ++run % 2 ? RUN_B : RUN_A;
				seq = 0;
				continue;
			}
			if (*p == 'S')
				seq = 0;
			make(&l, seq++, *p == 'S' || *p == 's' ? "run_start" : *p == 'E' ? "run_end" : "cost", "%s", "");
		}
		feed_log(&f, buf_str(&l.text));
		CHECK_STR(feed_list(&f, ""), str_from(cases[i].findings));
		CHECK_INT(f.run_count, cases[i].runs);
		for (size_t k = 0; k < f.run_count; k++)
			hashed += f.runs[k].hashed;
		CHECK_INT(hashed, cases[i].hashed);
		feed_free(&f);
		buf_free(&l.text);
	}
}

TEST(a_log_without_records_is_no_run)
{
	static const char *const texts[] = { "", "\n\n", "[]\n", "{", "x\ny\n" };

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct feed f = { .lossy = false };

		test_case("%s", texts[i]);
		feed_log(&f, str_from(texts[i]));
		CHECK(f.done);
		CHECK_INT(f.run_count, 0);
		feed_free(&f);
	}
}

TEST(one_fold_serves_many_parts)
{
	struct str text = test_data("otutl/two_runs.jsonl");
	struct feed f = { .lossy = false };
	struct otutl_scanner scanner;
	struct otutl_fold *fold;

	arena_init(&f.arena);
	buf_init(&f.canonical);
	findings_init(&f.findings, &f.arena, 0);
	otutl_scanner_init(&scanner, false, 0);
	fold = otutl_fold_open(&f.arena, (struct otutl_fold_options){ .findings = &f.findings, .run = feed_run, .context = &f });
	for (size_t part = 0; part < 3; part++) {
		CHECK(feed_chunk(&f, &scanner, fold, (struct otutl_chunk){ .bytes = text, .first_line = 1 }));
		otutl_finish(fold);
		CHECK_INT(f.run_count, 2 * (part + 1));
		CHECK_INT(f.runs[2 * part].index, 0);
		CHECK_INT(f.runs[2 * part + 1].index, 1);
		CHECK(memcmp(&f.runs[2 * part + 1].run_hash, &f.runs[1].run_hash, SHA256_SIZE) == 0);
	}
	CHECK_INT(f.findings.kept_count, 0);
	otutl_fold_close(fold);
	otutl_scanner_free(&scanner);
	feed_free(&f);
}

TEST(a_torn_tail_leaves_the_hash_of_the_prefix)
{
	struct str text = test_data("otutl/E_TORN_TAIL.jsonl");
	struct feed torn = { .lossy = false }, prefix = { .lossy = false };

	feed_log(&torn, text);
	feed_log(&prefix, str_of(text.p, feed_cut(text, 3)));
	CHECK(torn.runs[0].hashed && !torn.runs[0].complete);
	CHECK(memcmp(&torn.runs[0].run_hash, &prefix.runs[0].run_hash, SHA256_SIZE) == 0);
	CHECK_INT(torn.findings.errors, 1);
	feed_free(&torn);
	feed_free(&prefix);
}

TEST(a_log_of_others_has_a_lossy_hash)
{
	struct str text = test_data("otutl/E_NUM_UNSAFE_INT.jsonl");
	struct feed strict = { .lossy = false }, lossy = { .lossy = true };

	feed_log(&strict, text);
	feed_log(&lossy, text);
	CHECK(!strict.runs[0].hashed);
	CHECK(lossy.runs[0].hashed);
	CHECK_INT(lossy.findings.errors, 0);
	feed_free(&strict);
	feed_free(&lossy);
}

#define RECORD(seq, type, ts, ext)                                                                                         \
	"{\"ext\":{\"trackway/1\":{" ext "}},\"run_id\":\"019de368-f600-7000-8000-00000000000a\",\"seq\":" seq ",\"ts\":\"" ts "\","    \
	"\"type\":\"" type "\"}\n"
#define NOON "2026-05-01T12:00:00.000Z"
#define BEFORE "2026-05-01T11:59:00.000Z"

TEST(a_record_may_say_that_its_time_is_as_the_source_has_it)
{
	static const struct {
		const char *text, *codes;
	} cases[] = {
		{ RECORD("0", "run_start", NOON, "") RECORD("1", "run_end", BEFORE, ""), "2:W_TS_BACKWARDS" },
		{ RECORD("0", "run_start", NOON, "") RECORD("1", "run_end", BEFORE, "\"ts_back\":false"), "2:W_TS_BACKWARDS" },
		{ RECORD("0", "run_start", NOON, "") RECORD("1", "run_end", BEFORE, "\"ts_back\":true"), "" },
		{ RECORD("0", "run_start", "1970-01-01T00:00:00.000Z", "") RECORD("1", "run_end", NOON, ""), "1:W_UUID7_SKEW" },
		{ RECORD("0", "run_start", "1970-01-01T00:00:00.000Z", "\"ts_source\":\"none\"") RECORD("1", "run_end", NOON, ""), "" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct feed f = { .lossy = false };

		test_case("%s", cases[i].text);
		feed_log(&f, str_from(cases[i].text));
		CHECK_STR(feed_list(&f, ""), str_from(cases[i].codes));
		feed_free(&f);
	}
}
