#include "ledger/entry.h"

#include "harness/test.h"
#include "ledger/log.h"

static struct digest digest_of(const char *text)
{
	struct sha256 s;
	struct digest d;

	sha256_init(&s);
	d = sha256_of(&s, str_from(text));
	sha256_free(&s);
	return d;
}

static struct entry trial(void)
{
	return (struct entry){
		.kind = ENTRY_TRIAL, .id = STR("t-1"), .experiment = STR("e 1"), .completeness = STR("complete"),
		.sealed_at = STR("2026-05-01T12:30:00.000Z"),
		.record = { .given = true, .digest = digest_of("record"), .size = 778, .media = STR(ENTRY_MEDIA_TRIAL) },
		.pins = { .given = true, .task = digest_of("task"), .agent = digest_of("agent"),
			  .environment = digest_of("environment"), .inputs = digest_of("inputs") },
		.run = { .hash = STR("otutl-v1:sha256:ab"), .root = STR("rfc6962-sha256:cd"), .records = 9 },
	};
}

static struct entry_ref ref_to(const char *id, uint64_t at)
{
	return (struct entry_ref){ .given = true, .trial_id = str_from(id), .index = at, .leaf = digest_of(id) };
}

static struct entry sample(enum entry_kind kind)
{
	struct entry e = trial();

	e.kind = kind;
	if (kind != ENTRY_TRIAL) {
		e.pins.given = false;
		e.run.hash = e.completeness = (struct str){ NULL, 0 };
	}
	if (kind == ENTRY_REVIEW || kind == ENTRY_SUPERSEDE || kind == ENTRY_ARTIFACT || kind == ENTRY_ERASE)
		e.ref = ref_to("t-1", 4);
	if (kind == ENTRY_SUPERSEDE)
		e.by = ref_to("t-2", 6);
	if (kind == ENTRY_SUPERSEDE || kind == ENTRY_ERASE) {
		e.reason = STR("a \"mistake\"\n\x01 \\ \xc3\xa4");
		e.record.given = false;
	}
	if (kind == ENTRY_ARTIFACT)
		e.id = STR("t-1/conversation.jsonl");
	if (kind == ENTRY_RUN || kind == ENTRY_BENCH) {
		static struct entry_file files[2];
		static struct digest suite;

		files[0] = (struct entry_file){ STR("results \"1\".jsonl"), digest_of("results"), 12 };
		files[1] = (struct entry_file){ STR("summary.json"), digest_of("record"), 778 };
		suite = digest_of("suite");
		e.files = files;
		e.file_count = 2;
		e.experiment = (struct str){ NULL, 0 };
		if (kind == ENTRY_RUN)
			e.run.hash = STR("otutl-v1:sha256:ab");
		e.suites = kind == ENTRY_BENCH ? &suite : NULL;
		e.suite_count = kind == ENTRY_BENCH;
	}
	return e;
}

struct bench {
	struct arena arena;
	struct json_parser *parser;
	struct buf text;
	struct str why;
	struct err err;
};

static struct bench *bench(void)
{
	struct bench *b = test_alloc(sizeof(*b));

	arena_init(&b->arena);
	b->parser = json_parser_open((struct json_options){ .max_depth = 0 });
	buf_init(&b->text);
	return b;
}

static void done(struct bench *b)
{
	json_parser_close(b->parser);
	arena_free(&b->arena);
	buf_free(&b->text);
}

static bool parses(struct bench *b, struct str text, struct entry *e)
{
	b->why = STR("");
	return entry_parse(b->parser, &b->arena, text, e, &b->why);
}

TEST(an_entry_is_written_in_canonical_form)
{
	struct bench *b = bench();
	struct entry e = trial();

	e.pins.given = false;
	CHECK(entry_add_text(&b->text, &e, &b->err));
	CHECK_STR(buf_str(&b->text),
		  STR("{\"completeness\":\"complete\",\"experiment\":\"e 1\",\"id\":\"t-1\",\"kind\":\"trial\",\"record\":{\"alg\":\"sha256\","
		      "\"hex\":\"70ce871f8a3d3fb449bc3c3ace6547cef02dfc74ffe48d912532a724bfdbe5b9\","
		      "\"media\":\"application/vnd.trial-record+json\",\"size\":778},\"run\":{\"hash\":\"otutl-v1:sha256:ab\",\"records\":9,"
		      "\"root\":\"rfc6962-sha256:cd\"},\"sealed_at\":\"2026-05-01T12:30:00.000Z\",\"v\":\"ledger-entry/v1\"}"));
	done(b);
}

TEST(a_run_names_its_files_and_hashes)
{
	struct bench *b = bench();
	struct entry e = sample(ENTRY_RUN);

	e.record.media = STR("m");
	CHECK(entry_add_text(&b->text, &e, &b->err));
	CHECK_STR(buf_str(&b->text),
		  STR("{\"files\":[{\"name\":\"results \\\"1\\\".jsonl\","
		      "\"sha256\":\"c099142bc3186ded72786ba27e9ea6d2da240fb9fd3fe79b479ecf8e734b2850\",\"size\":12},"
		      "{\"name\":\"summary.json\","
		      "\"sha256\":\"70ce871f8a3d3fb449bc3c3ace6547cef02dfc74ffe48d912532a724bfdbe5b9\",\"size\":778}],"
		      "\"id\":\"t-1\",\"kind\":\"run\",\"record\":{\"alg\":\"sha256\","
		      "\"hex\":\"70ce871f8a3d3fb449bc3c3ace6547cef02dfc74ffe48d912532a724bfdbe5b9\",\"media\":\"m\",\"size\":778},"
		      "\"run_hash\":\"otutl-v1:sha256:ab\",\"run_root\":\"rfc6962-sha256:cd\","
		      "\"sealed_at\":\"2026-05-01T12:30:00.000Z\",\"v\":\"ledger-entry/v1\"}"));
	CHECK_STR(entry_link_name(&b->arena, &e), STR("artifacts/t-1/summary.json"));
	done(b);
}

/* An entry of a run that goes on from another one, as text. */
static struct str forked(struct buf *out)
{
	struct entry e = sample(ENTRY_RUN);
	struct err err;

	e.forked_from.given = true;
	e.forked_from.run_hash = STR("otutl-v1:sha256:ef");
	e.forked_from.seq = 12;
	CHECK(entry_add_text(out, &e, &err));
	return buf_str(out);
}

TEST(a_run_says_which_one_it_goes_on_from)
{
	static const char *const bad[][2] = {
		{ "\"seq\":12", "\"seq\":-1" },
		{ "\"seq\":12", "\"seq\":\"1\"" },
		{ "\"run_hash\":\"otutl-v1:sha256:ef\",", "" },
	};
	struct json_parser *p = json_parser_open((struct json_options){ .max_depth = 0 });
	struct str why, text;
	struct buf b, wrong;
	struct entry back;
	struct arena a;

	arena_init(&a);
	buf_init(&b);
	buf_init(&wrong);
	text = forked(&b);
	CHECK(str_has(text, STR("],\"forked_from\":{\"run_hash\":\"otutl-v1:sha256:ef\",\"seq\":12},\"id\":")));
	CHECK(entry_parse(p, &a, text, &back, &why));
	CHECK(back.forked_from.given);
	CHECK_STR(back.forked_from.run_hash, STR("otutl-v1:sha256:ef"));
	CHECK_INT(back.forked_from.seq, 12);
	for (size_t i = 0; i < COUNT(bad); i++) {
		size_t at = str_find(text, str_from(bad[i][0]));

		test_case("%s", bad[i][1]);
		buf_clear(&wrong);
		buf_add(&wrong, text.p, at);
		buf_add_str(&wrong, str_from(bad[i][1]));
		buf_add_str(&wrong, str_skip(text, at + strlen(bad[i][0])));
		CHECK(!entry_parse(p, &a, buf_str(&wrong), &back, &why));
	}
	buf_free(&wrong);
	buf_free(&b);
	arena_free(&a);
	json_parser_close(p);
}

/* The record alone does not tell whether it is the same run: any of its files may differ. */
TEST(the_digest_of_a_run_is_over_its_files)
{
	struct entry e = sample(ENTRY_BENCH), other = sample(ENTRY_BENCH);
	struct entry_file files[2] = { e.files[0], e.files[1] };
	struct digest first = entry_digest(&e);

	files[0].size++;
	other.files = files;
	CHECK(memcmp(first.b, entry_digest(&other).b, SHA256_SIZE) != 0);
	CHECK(memcmp(first.b, e.record.digest.b, SHA256_SIZE) != 0);
}

TEST(only_artifacts_and_erasures_refer_to_runs)
{
	CHECK(entry_may_refer(ENTRY_REVIEW, ENTRY_TRIAL) && entry_may_refer(ENTRY_ERASE, ENTRY_TRIAL));
	CHECK(entry_may_refer(ENTRY_ARTIFACT, ENTRY_RUN) && entry_may_refer(ENTRY_ERASE, ENTRY_BENCH));
	CHECK(!entry_may_refer(ENTRY_REVIEW, ENTRY_RUN) && !entry_may_refer(ENTRY_SUPERSEDE, ENTRY_BENCH));
	CHECK(!entry_may_refer(ENTRY_ERASE, ENTRY_REVIEW) && !entry_may_refer(ENTRY_ARTIFACT, ENTRY_ARTIFACT));
}

TEST(what_is_written_reads_back_the_same)
{
	for (int kind = 0; kind < ENTRY_KINDS; kind++) {
		struct bench *b = bench();
		struct entry e = sample((enum entry_kind)kind), back;
		struct buf again;

		test_case("%s", entry_kind_name((enum entry_kind)kind));
		CHECK(entry_add_text(&b->text, &e, &b->err));
		if (!parses(b, buf_str(&b->text), &back))
			FAIL("%.*s", STR_ARG(b->why));
		buf_init(&again);
		CHECK(entry_add_text(&again, &back, &b->err));
		CHECK_STR(buf_str(&again), buf_str(&b->text));
		CHECK_STR(entry_ident(&b->arena, &back), entry_ident(&b->arena, &e));
		CHECK(memcmp(entry_digest(&back).b, entry_digest(&e).b, SHA256_SIZE) == 0);
		buf_free(&again);
		done(b);
	}
}

/* The text of a good entry with one piece of it replaced. */
static struct str changed(struct bench *b, enum entry_kind kind, const char *piece, const char *by)
{
	struct entry e = sample(kind);
	struct str text;
	size_t at;

	buf_clear(&b->text);
	CHECK(entry_add_text(&b->text, &e, &b->err));
	text = buf_str(&b->text);
	at = str_find(text, str_from(piece));
	if (at == (size_t)-1)
		FAIL("%s is not in %.*s", piece, STR_ARG(text));
	return ARENA_JOIN(&b->arena, str_of(text.p, at), str_from(by),
			  str_of(text.p + at + strlen(piece), text.n - at - strlen(piece)));
}

TEST(an_entry_that_breaks_a_rule_is_refused_with_a_reason)
{
	static const struct {
		enum entry_kind kind;
		const char *piece, *by, *why;
	} cases[] = {
		{ ENTRY_TRIAL, "\"id\":", "\"id\": ", "canonical" },
		{ ENTRY_TRIAL, "{\"completeness\":\"complete\",", "{", "completeness" },
		{ ENTRY_TRIAL, "\"experiment\":\"e 1\",\"id\":\"t-1\"", "\"id\":\"t-1\",\"experiment\":\"e 1\"", "canonical" },
		{ ENTRY_TRIAL, "\"t-1\"", "\"t\\u002d1\"", "canonical" },
		{ ENTRY_TRIAL, "778", "7.78e2", "canonical" },
		{ ENTRY_TRIAL, "778", "-1", "size" },
		{ ENTRY_TRIAL, "778", "\"778\"", "size" },
		{ ENTRY_TRIAL, "\"kind\":\"trial\"", "\"kind\":\"trail\"", "kind" },
		{ ENTRY_TRIAL, "ledger-entry/v1", "ledger-entry/v2", "v is not" },
		{ ENTRY_TRIAL, "\"id\":\"t-1\",", "", "no id" },
		{ ENTRY_TRIAL, "\"id\":\"t-1\"", "\"id\":\"\"", "no id" },
		{ ENTRY_TRIAL, "\"id\":\"t-1\"", "\"id\":1", "id is not a string" },
		{ ENTRY_TRIAL, "\"sealed_at\":\"2026-05-01T12:30:00.000Z\",", "", "sealed_at" },
		{ ENTRY_TRIAL, "\"sha256\"", "\"sha512\"", "sha256" },
		{ ENTRY_TRIAL, "\"hex\":\"", "\"hex\":\"0", "hex" },
		{ ENTRY_TRIAL, "\"agent\":\"", "\"agent\":\"A", "agent" },
		{ ENTRY_TRIAL, "{\"completeness\"", "[\"completeness\"", "JSON" },
		{ ENTRY_REVIEW, "\"trial_id\":\"t-1\"", "\"trial_id\":null", "trial_id" },
		{ ENTRY_REVIEW, "\"kind\":\"review\"", "\"kind\":\"erase\"", "reason" },
		{ ENTRY_REVIEW, "\"index\":4", "\"index\":4.5", "index" },
		{ ENTRY_ARTIFACT, "\"kind\":\"artifact\"", "\"kind\":\"supersede\"", "by" },
		{ ENTRY_ERASE, "\"kind\":\"erase\"", "\"kind\":\"review\"", "record" },
		{ ENTRY_ERASE, "\"reason\":", "\"reasom\":", "reason" },
		{ ENTRY_BENCH, "\"files\":[{", "\"filed\":[{", "files" },
		{ ENTRY_BENCH, "\"name\":\"summary.json\"", "\"name\":\"\"", "no name" },
		{ ENTRY_BENCH, "\"size\":12", "\"size\":-12", "size" },
		{ ENTRY_BENCH, "\"sha256\":\"c0", "\"sha256\":\"C0", "sha256" },
		{ ENTRY_BENCH, "\"suites\":[\"", "\"suites\":[\"0", "suites" },
		{ ENTRY_RUN, "\"run_hash\":\"otutl-v1:sha256:ab\"", "\"run_hash\":3", "run_hash" },
		{ ENTRY_RUN, "\"v\":", "\"vx\":[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]],\"v\":", "deeper" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct bench *b = bench();
		struct entry e;

		test_case("%s instead of %s", cases[i].by, cases[i].piece);
		CHECK(!parses(b, changed(b, cases[i].kind, cases[i].piece, cases[i].by), &e));
		if (str_find(b->why, str_from(cases[i].why)) == (size_t)-1)
			FAIL("'%.*s' does not say '%s'", STR_ARG(b->why), cases[i].why);
		done(b);
	}
}

TEST(an_entry_whose_lists_are_none_is_refused)
{
	static const char *const lists[] = { "[]", "{}", "[1]", "[[]]", "null" };

	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
		struct bench *b = bench();
		struct entry e;

		test_case("%s", lists[i]);
		CHECK(!parses(b, ARENA_JOIN(&b->arena, STR("{\"files\":"), str_from(lists[i]),
					    STR(",\"id\":\"a\",\"kind\":\"run\",\"sealed_at\":\"b\",\"v\":\"ledger-entry/v1\"}")), &e));
		CHECK(str_has(b->why, STR("files")));
		CHECK(!parses(b, ARENA_JOIN(&b->arena, STR("{\"id\":\"a\",\"kind\":\"run\",\"sealed_at\":\"b\",\"suites\":"),
					    str_from(lists[i]), STR(",\"v\":\"ledger-entry/v1\"}")), &e));
		CHECK(str_has(b->why, STR("suites")));
		done(b);
	}
}

TEST(members_that_are_not_known_are_passed_over)
{
	static const char *const more[] = {
		"\"w\":[1,{\"a\":null,\"b\":true}]}", "\"w\":\"\\u001f\"}", "\"\xf0\x9f\x98\x82\":1,\"\xef\xac\xb3\":2}",
		"\"w\":1e+30}", "\"w\":{}}", "\"w\":[]}",
	};

	for (size_t i = 0; i < sizeof(more) / sizeof(more[0]); i++) {
		struct bench *b = bench();
		struct entry e;
		struct str text;

		test_case("%s", more[i]);
		text = changed(b, ENTRY_TRIAL, "ledger-entry/v1\"}", "");
		text = ARENA_JOIN(&b->arena, text, STR("ledger-entry/v1\","), str_from(more[i]));
		if (!parses(b, text, &e))
			FAIL("%.*s", STR_ARG(b->why));
		done(b);
	}
}

TEST(names_are_ordered_as_utf_16_has_it)
{
	struct bench *b = bench();
	struct entry e;
	struct str text = changed(b, ENTRY_TRIAL, "ledger-entry/v1\"}",
				  "ledger-entry/v1\",\"\xef\xac\xb3\":2,\"\xf0\x9f\x98\x82\":1}");

	CHECK(!parses(b, text, &e));
	done(b);
}

TEST(an_entry_has_a_greatest_length)
{
	struct bench *b = bench();
	struct entry e = trial();
	char *id = test_alloc(70000);

	memset(id, 'x', 70000);
	e.id = str_of(id, 65000);
	CHECK(entry_add_text(&b->text, &e, &b->err) || b->err.kind == ERR_LIMIT);
	buf_clear(&b->text);
	e.id = str_of(id, 66000);
	CHECK(!entry_add_text(&b->text, &e, &b->err));
	CHECK_INT(b->err.kind, ERR_LIMIT);
	CHECK_INT(b->text.n, 0);
	done(b);
}

TEST(text_that_is_not_utf_8_is_refused_before_it_is_sealed)
{
	struct bench *b = bench();
	struct entry e = sample(ENTRY_ERASE);

	e.reason = STR("\xff");
	CHECK(!entry_add_text(&b->text, &e, &b->err));
	CHECK_INT(b->err.kind, ERR_DATA);
	done(b);
}

TEST(an_ident_tells_experiments_and_kinds_apart)
{
	struct bench *b = bench();
	struct entry one = trial(), other = trial(), review = sample(ENTRY_REVIEW), erase = sample(ENTRY_ERASE);

	other.experiment = STR("e");
	CHECK(!str_eq(entry_ident(&b->arena, &one), entry_ident(&b->arena, &other)));
	CHECK(!str_eq(entry_ident(&b->arena, &one), entry_ident(&b->arena, &review)));
	one = sample(ENTRY_ARTIFACT);
	other = one;
	one.id = other.id = STR("a/b/c");
	one.ref.trial_id = STR("a");
	other.ref.trial_id = STR("a/b");
	CHECK(!str_eq(entry_ident(&b->arena, &one), entry_ident(&b->arena, &other)));
	other = erase;
	other.id = STR("another id");
	CHECK_STR(entry_ident(&b->arena, &erase), entry_ident(&b->arena, &other));
	other.reason = STR("another reason");
	CHECK(memcmp(entry_digest(&erase).b, entry_digest(&other).b, SHA256_SIZE) != 0);
	done(b);
}

TEST(an_id_becomes_a_part_of_a_path)
{
	static const struct {
		const char *id, *part;
	} cases[] = {
		{ "trial-1", "trial-1" }, { "a_b.c", "a_b.c" }, { "..", "%2E." }, { ".hidden", "%2Ehidden" },
		{ "_x", "%5Fx" }, { "a/b", "a%2Fb" }, { "a b", "a%20b" }, { "\xc3\xa4", "%C3%A4" }, { "%", "%25" },
	};
	struct bench *b = bench();
	char *id = test_alloc(300);
	struct str part;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		CHECK_STR(entry_path_part(&b->arena, str_from(cases[i].id)), str_from(cases[i].part));
	memset(id, 'x', 300);
	CHECK_INT(entry_path_part(&b->arena, str_of(id, 200)).n, 200);
	part = entry_path_part(&b->arena, str_of(id, 201));
	CHECK_INT(part.n, 160 + 1 + 16);
	CHECK(part.p[160] == '-');
	CHECK(!str_eq(part, entry_path_part(&b->arena, str_of(id, 202))));
	done(b);
}

TEST(trials_and_artifacts_have_names_for_people)
{
	struct bench *b = bench();
	struct entry e = trial(), artifact = sample(ENTRY_ARTIFACT), review = sample(ENTRY_REVIEW);

	CHECK_STR(entry_link_name(&b->arena, &e), STR("records/e%201/t-1.json"));
	CHECK_STR(entry_link_name(&b->arena, &artifact), STR("artifacts/e%201/t-1/conversation.jsonl"));
	CHECK_STR(entry_old_link_name(&b->arena, &artifact), STR("artifacts/t-1/conversation.jsonl"));
	CHECK(entry_link_name(&b->arena, &review).p == NULL);
	CHECK(entry_old_link_name(&b->arena, &review).p == NULL);
	CHECK(entry_old_link_name(&b->arena, &e).p == NULL);
	artifact.experiment.p = NULL; /* the log of somebody else */
	CHECK_STR(entry_link_name(&b->arena, &artifact), STR("artifacts/t-1/conversation.jsonl"));
	e.experiment.p = NULL;
	CHECK(entry_link_name(&b->arena, &e).p == NULL);
	done(b);
}

TEST(the_entries_of_the_reference_ledger_are_understood)
{
	struct str bundle = test_read(test_shared("ledger/ledger/static/tile/entries/000")), entry;
	struct bench *b = bench();
	struct buf again;
	size_t count = 0;
	bool broken;

	buf_init(&again);
	while (bundle_next(&bundle, &entry, &broken)) {
		struct entry e;

		test_case("entry %zu", count++);
		if (!parses(b, entry, &e))
			FAIL("%.*s", STR_ARG(b->why));
		buf_clear(&again);
		CHECK(entry_add_text(&again, &e, &b->err));
		CHECK_STR(buf_str(&again), entry);
	}
	CHECK(!broken);
	CHECK_INT(count, 256);
	buf_free(&again);
	done(b);
}
