#include "json/canon.h"
#include "trial_kit.h"

static int64_t noon(void)
{
	return INT64_C(1777636800123456789);
}

static struct sealer *open_for(struct kit_told *told, struct kit *k, bool dry_run)
{
	struct seal_options o = { .ledger = &k->ledger, .each = kit_tell, .context = told, .now_ns = noon,
				  .dry_run = dry_run };

	memset(told, 0, sizeof(*told));
	told->kit = k;
	return sealer_open(&o);
}

/* Seals one record alone. */
static struct seal_result seal_one(struct kit *k, struct str record, const struct seal_artifact *artifacts, size_t count,
				   struct str *message)
{
	struct kit_told *told = test_alloc(sizeof(*told));
	struct err err = { .kind = ERR_NONE };
	struct sealer *s = open_for(told, k, false);

	kit_must(seal_add(s, STR("it"), record, artifacts, count, NULL, &err) && seal_commit(s, &err), &err);
	sealer_close(s);
	CHECK_INT(told->count, 1);
	if (message)
		*message = told->messages[0];
	return told->results[0];
}

/* Two of one batch; what became of the second. */
static struct seal_result seal_two(struct kit *k, struct str first, struct str second, struct str *message)
{
	struct kit_told *told = test_alloc(sizeof(*told));
	struct err err = { .kind = ERR_NONE };
	struct sealer *s = open_for(told, k, false);

	kit_must(seal_add(s, STR("1"), first, NULL, 0, NULL, &err) && seal_add(s, STR("2"), second, NULL, 0, NULL, &err) &&
		 seal_commit(s, &err), &err);
	sealer_close(s);
	CHECK_INT(told->results[0].outcome, SEAL_ADDED);
	*message = told->messages[1];
	return told->results[1];
}

static struct digest pin_of(struct kit *k, struct str record, struct str part)
{
	struct canon *c = canon_open(CANON_JCS);
	enum json_code code;
	struct digest d;
	uint32_t bad;
	struct val v;
	struct buf b;

	buf_init(&b);
	CHECK(json_parse_copy(k->parser, record, &v, NULL));
	CHECK(canon_value(c, val_get(v, part), &b, &bad, &code));
	d = sha256_of(&k->sha, buf_str(&b));
	buf_free(&b);
	canon_close(c);
	return d;
}

TEST(a_complete_record_is_sealed_in_the_main_log_byte_for_byte)
{
	struct kit k;
	struct str record;
	struct seal_result r;
	struct entry e;

	kit_begin(&k);
	record = ARENA_JOIN(&k.arena, STR("  "), kit_record(&k, "\"t-1\""), STR("\n\n"));
	r = seal_one(&k, record, NULL, 0, NULL);
	CHECK_INT(r.outcome, SEAL_ADDED);
	CHECK_INT(r.part, LEDGER_MAIN);
	CHECK_INT(r.index, 0);
	CHECK(r.code == NULL);
	CHECK_STR(r.trial_id, STR("t-1"));
	e = kit_entry(&k, LEDGER_MAIN, 0);
	CHECK_INT(e.kind, ENTRY_TRIAL);
	CHECK_STR(e.id, STR("t-1"));
	CHECK_STR(e.experiment, STR("e-1"));
	CHECK_STR(e.completeness, STR("complete"));
	CHECK_STR(e.sealed_at, STR("2026-05-01T12:00:00.123Z"));
	CHECK_STR(e.record.media, STR("application/vnd.trial-record+json"));
	CHECK_INT(e.record.size, record.n);
	CHECK_STR(kit_object(&k, LEDGER_MAIN, e.record.digest), record);
	CHECK(memcmp(e.record.digest.b, sha256_of(&k.sha, record).b, 32) == 0);
	CHECK(kit_has(&k, "ledger/records/e-1/t-1.json"));
	CHECK_INT(kit_size(&k, LEDGER_DIAGNOSTIC), 0);
	kit_end(&k);
}

TEST(pins_are_hashes_of_the_canonical_form_of_four_parts)
{
	struct kit k;
	struct str record, spelled;
	struct entry e, other;

	kit_begin(&k);
	record = kit_record(&k, "\"t-1\"");
	spelled = kit_replace(&k, record, "{\"max_turns\":20}", "{ \"max_turns\" : 2e1 }");
	spelled = kit_replace(&k, spelled, "\"t-1\"", "\"t-2\"");
	seal_one(&k, record, NULL, 0, NULL);
	seal_one(&k, spelled, NULL, 0, NULL);
	e = kit_entry(&k, LEDGER_MAIN, 0);
	other = kit_entry(&k, LEDGER_MAIN, 1);
	CHECK(e.pins.given);
	CHECK(memcmp(e.pins.task.b, pin_of(&k, record, STR("task")).b, 32) == 0);
	CHECK(memcmp(e.pins.agent.b, pin_of(&k, record, STR("agent")).b, 32) == 0);
	CHECK(memcmp(e.pins.environment.b, pin_of(&k, record, STR("environment")).b, 32) == 0);
	CHECK(memcmp(e.pins.inputs.b, pin_of(&k, record, STR("inputs")).b, 32) == 0);
	CHECK(memcmp(&e.pins, &other.pins, sizeof(e.pins)) == 0);
	CHECK(memcmp(e.record.digest.b, other.record.digest.b, 32) != 0);
	kit_end(&k);
}

TEST(a_partial_record_goes_to_the_diagnostic_log)
{
	struct kit k;
	struct seal_result r;

	kit_begin(&k);
	r = seal_one(&k, test_data("trial/partial.json"), NULL, 0, NULL);
	CHECK_INT(r.outcome, SEAL_ADDED);
	CHECK_INT(r.part, LEDGER_DIAGNOSTIC);
	CHECK_INT(kit_size(&k, LEDGER_MAIN), 0);
	CHECK_STR(kit_entry(&k, LEDGER_DIAGNOSTIC, 0).completeness, STR("partial"));
	kit_end(&k);
}

TEST(a_complete_record_without_provenance_is_incomplete_and_in_neither_log)
{
	static const struct {
		const char *lacks[3];
		const char *says;
	} cases[] = {
		{ { "\"adapter_revision\":\"sha256:bb\",", NULL, NULL }, "agent.adapter_revision" },
		{ { "\"adapter_revision\":\"sha256:bb\",", ",\"tool_versions\":{\"bash\":\"5.2\"}", NULL },
		  "agent.adapter_revision, environment.tool_versions" },
		{ { "\"adapter_revision\":\"sha256:bb\",", ",\"tool_versions\":{\"bash\":\"5.2\"}",
		    ",\"input_files\":[{\"path\":\"in/beam.json\",\"hash\":\"sha256:cc\",\"source\":\"store/beam\"}]" },
		  "agent.adapter_revision, environment.tool_versions, inputs.input_files" },
	};
	struct kit k;

	kit_begin(&k);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct str record = kit_record(&k, "\"t-1\""), message;
		struct seal_result r;

		test_case("%s", cases[i].says);
		for (size_t j = 0; j < 3 && cases[i].lacks[j]; j++)
			record = kit_replace(&k, record, cases[i].lacks[j], "");
		r = seal_one(&k, record, NULL, 0, &message);
		CHECK_INT(r.outcome, SEAL_REFUSED);
		CHECK_STR(str_from(r.code), STR("E_INCOMPLETE"));
		CHECK(str_starts(message, STR("TR028 ")));
		CHECK(str_ends(message, str_from(cases[i].says)));
	}
	CHECK_INT(kit_size(&k, LEDGER_MAIN), 0);
	CHECK_INT(kit_size(&k, LEDGER_DIAGNOSTIC), 0);
	kit_end(&k);
}

TEST(a_record_that_breaks_a_rule_or_cannot_be_sealed_is_refused)
{
	char *id = test_alloc(70010);
	const struct {
		const char *from, *to, *code;
	} cases[] = {
		{ "\"reward\":0.75", "\"reward\":7", "TR012 " },
		{ "\"trial_id\"", "\"trial\"", "TR00" },
		{ "\"max_turns\":20", "\"max_turns\":1e400", "E_NUM_RANGE " },
		{ "\"t-001\"", id, "E_LIMIT " },
		{ "{\"trial_id\"", "{{\"trial_id\"", "TR002 " },
	};
	struct kit k;

	memset(id, 'x', 70000);
	id[0] = id[69999] = '"';
	kit_begin(&k);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct str record = kit_replace(&k, test_data("trial/full.json"), cases[i].from, cases[i].to), message;
		struct seal_result r = seal_one(&k, record, NULL, 0, &message);

		test_case("%s", cases[i].code);
		CHECK_INT(r.outcome, SEAL_REFUSED);
		CHECK_STR(str_from(r.code), STR("E_INVALID"));
		if (!str_starts(message, str_from(cases[i].code)))
			FAIL("%.*s", STR_ARG(message));
	}
	CHECK_INT(seal_one(&k, STR(""), NULL, 0, NULL).outcome, SEAL_REFUSED);
	CHECK_INT(kit_size(&k, LEDGER_MAIN), 0);
	kit_end(&k);
}

/* An entry that supersedes or erases a trial has its id twice, one of an artifact too. */
TEST(an_id_is_short_enough_for_entries_about_the_trial)
{
	static const struct {
		size_t length;
		enum seal_outcome outcome;
	} cases[] = { { 60000, SEAL_REFUSED }, { 40000, SEAL_REFUSED }, { 15000, SEAL_ADDED } };
	struct kit k;

	kit_begin(&k);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char *id = test_alloc(cases[i].length + 1), *name = test_alloc(SEAL_NAME_MAX);
		struct seal_artifact one = { .name = str_of(name, SEAL_NAME_MAX), .media = STR("text/plain"),
					     .bytes = STR("x") };
		struct seal_result r;

		test_case("%zu", cases[i].length);
		memset(id, 'x', cases[i].length);
		id[0] = id[cases[i].length - 1] = '"';
		id[cases[i].length] = 0;
		memset(name, '"', SEAL_NAME_MAX);
		r = seal_one(&k, kit_replace(&k, test_data("trial/full.json"), "\"t-001\"", id), &one, 1, NULL);
		CHECK_INT(r.outcome, cases[i].outcome);
	}
	CHECK_INT(kit_size(&k, LEDGER_MAIN), 2);
	kit_end(&k);
}

TEST(the_same_record_again_is_the_same_and_another_one_a_conflict)
{
	struct kit k;
	struct str record, other;
	struct seal_result first, again, conflict;

	kit_begin(&k);
	record = kit_record(&k, "\"t-1\"");
	other = kit_replace(&k, record, "0.75", "0.5");
	first = seal_one(&k, record, NULL, 0, NULL);
	again = seal_one(&k, record, NULL, 0, NULL);
	conflict = seal_one(&k, other, NULL, 0, NULL);
	CHECK_INT(again.outcome, SEAL_SAME);
	CHECK_INT(again.index, first.index);
	CHECK(memcmp(again.leaf.b, first.leaf.b, 32) == 0);
	CHECK_INT(conflict.outcome, SEAL_CONFLICT);
	CHECK_STR(str_from(conflict.code), STR("E_CONFLICT"));
	CHECK_INT(conflict.index, first.index);
	CHECK_INT(kit_size(&k, LEDGER_MAIN), 1);
	/* nothing was written: not even the object */
	CHECK(kit_object(&k, LEDGER_MAIN, sha256_of(&k.sha, other)).p == NULL);
	kit_end(&k);
}

TEST(the_same_id_in_another_experiment_is_another_trial)
{
	struct kit k;
	struct str record;

	kit_begin(&k);
	record = kit_record(&k, "\"t-1\"");
	CHECK_INT(seal_one(&k, record, NULL, 0, NULL).outcome, SEAL_ADDED);
	CHECK_INT(seal_one(&k, kit_replace(&k, record, "\"e-1\"", "\"e-2\""), NULL, 0, NULL).outcome, SEAL_ADDED);
	CHECK_INT(kit_size(&k, LEDGER_MAIN), 2);
	kit_end(&k);
}

static void check_twins(bool dry_run)
{
	static const enum seal_outcome wanted[] = { SEAL_ADDED, SEAL_SAME, SEAL_CONFLICT, SEAL_ADDED };
	struct kit_told *told = test_alloc(sizeof(*told));
	struct err err = { .kind = ERR_NONE };
	struct str record, other;
	struct sealer *s;
	struct kit k;

	kit_begin(&k);
	record = kit_record(&k, "\"t-1\"");
	other = kit_replace(&k, record, "0.75", "0.5");
	s = open_for(told, &k, dry_run);
	kit_must(seal_add(s, STR("a"), record, NULL, 0, NULL, &err) && seal_add(s, STR("b"), record, NULL, 0, NULL, &err) &&
			 seal_add(s, STR("c"), other, NULL, 0, NULL, &err) &&
			 seal_add(s, STR("d"), kit_record(&k, "\"t-2\""), NULL, 0, NULL, &err) && seal_commit(s, &err), &err);
	sealer_close(s);
	CHECK_INT(told->count, 4);
	for (size_t i = 0; i < 4; i++) {
		test_case("%zu", i);
		CHECK_INT(told->results[i].outcome, wanted[i]);
	}
	CHECK_STR(told->results[2].name, STR("c"));
	CHECK_INT(kit_size(&k, LEDGER_MAIN), dry_run ? 0 : 2);
	CHECK(kit_object(&k, LEDGER_MAIN, sha256_of(&k.sha, other)).p == NULL);
	CHECK((kit_object(&k, LEDGER_MAIN, sha256_of(&k.sha, record)).p != NULL) == !dry_run);
	kit_end(&k);
}

TEST(within_a_batch_the_first_of_an_id_decides)
{
	check_twins(false);
}

TEST(a_dry_run_gives_the_same_answers_and_writes_nothing)
{
	check_twins(true);
}

TEST(artifacts_refer_to_their_trial_and_are_sealed_once)
{
	struct seal_artifact both[] = {
		{ STR("conversation.jsonl"), STR("application/jsonl"), STR("{\"role\":\"user\"}\n") },
		{ STR("out/answer.md"), STR("text/markdown"), STR("42\n") },
	};
	struct seal_result r;
	struct str record, message;
	struct entry e;
	struct kit k;

	kit_begin(&k);
	record = kit_record(&k, "\"t-1\"");
	seal_one(&k, kit_record(&k, "\"t-0\""), NULL, 0, NULL);
	r = seal_one(&k, record, both, 1, NULL);
	CHECK_INT(r.index, 1);
	e = kit_entry(&k, LEDGER_MAIN, 2);
	CHECK_INT(e.kind, ENTRY_ARTIFACT);
	CHECK_STR(e.id, STR("t-1/conversation.jsonl"));
	CHECK_STR(e.experiment, STR("e-1"));
	CHECK_STR(e.record.media, STR("application/jsonl"));
	CHECK_STR(e.ref.trial_id, STR("t-1"));
	CHECK_INT(e.ref.index, 1);
	CHECK(memcmp(e.ref.leaf.b, r.leaf.b, 32) == 0);
	CHECK_STR(kit_object(&k, LEDGER_MAIN, e.record.digest), both[0].bytes);
	CHECK(kit_has(&k, "ledger/artifacts/e-1/t-1/conversation.jsonl"));
	/* the record again, with one artifact that is there and one that is new */
	CHECK_INT(seal_one(&k, record, both, 2, NULL).outcome, SEAL_SAME);
	CHECK_INT(kit_size(&k, LEDGER_MAIN), 4);
	CHECK_STR(kit_entry(&k, LEDGER_MAIN, 3).id, STR("t-1/out/answer.md"));
	/* the name of an artifact is its own for ever */
	both[1].bytes = STR("43\n");
	r = seal_one(&k, record, both, 2, &message);
	CHECK_INT(r.outcome, SEAL_CONFLICT);
	CHECK_STR(message, STR("E_CONFLICT the ledger has another artifact under the name t-1/out/answer.md"));
	CHECK_INT(kit_size(&k, LEDGER_MAIN), 4);
	CHECK(kit_object(&k, LEDGER_MAIN, sha256_of(&k.sha, STR("43\n"))).p == NULL);
	kit_end(&k);
}

/* The directory of artifacts was that of the trial alone: the second experiment took the files of the first. */
TEST(artifacts_of_two_experiments_stand_apart)
{
	struct seal_artifact one = { STR("a.txt"), STR("text/plain"), STR("first\n") };
	struct kit k;

	kit_begin(&k);
	seal_one(&k, kit_record(&k, "\"t-1\""), &one, 1, NULL);
	one.bytes = STR("second\n");
	seal_one(&k, kit_replace(&k, kit_record(&k, "\"t-1\""), "\"e-1\"", "\"../e-2\""), &one, 1, NULL);
	CHECK_STR(test_read(kit_path(&k, "ledger/artifacts/e-1/t-1/a.txt")), STR("first\n"));
	CHECK_STR(test_read(kit_path(&k, "ledger/artifacts/%2E.%2Fe-2/t-1/a.txt")), STR("second\n"));
	kit_end(&k);
}

/* A long id is cut, and what it becomes can be the whole id of another. */
TEST(a_name_that_is_taken_refuses_who_comes_second)
{
	struct str id, part, first, second, message;
	struct seal_result r;
	struct kit k;
	char x[201];

	memset(x, 'x', sizeof(x));
	for (unsigned together = 0; together < 2; together++) {
		test_case("%s", together ? "in one batch" : "one after the other");
		kit_begin(&k);
		id = str_of(x, sizeof(x));
		part = entry_path_part(&k.arena, id);
		first = kit_record(&k, ARENA_JOIN(&k.arena, STR("\""), id, STR("\"")).p);
		second = kit_record(&k, ARENA_JOIN(&k.arena, STR("\""), part, STR("\"")).p);
		if (!together)
			seal_one(&k, first, NULL, 0, NULL);
		r = together ? seal_two(&k, first, second, &message) : seal_one(&k, second, NULL, 0, &message);
		CHECK_INT(r.outcome, SEAL_REFUSED);
		CHECK(str_starts(message, STR("E_NAME records/e-1/xxx")));
		CHECK_INT(kit_size(&k, LEDGER_MAIN), 1);
		part = ARENA_JOIN(&k.arena, STR("ledger/records/e-1/"), part, STR(".json"));
		CHECK_STR(test_read(kit_path(&k, part.p)), first);
		kit_end(&k);
	}
}

TEST(a_file_that_stands_where_a_record_belongs_is_not_replaced)
{
	struct str record, message;
	struct kit k;

	kit_begin(&k);
	record = kit_record(&k, "\"t-1\"");
	seal_one(&k, kit_record(&k, "\"t-0\""), NULL, 0, NULL);
	kit_put(&k, "ledger/records/e-1/t-1.json", STR("mine"));
	CHECK_INT(seal_one(&k, record, NULL, 0, &message).outcome, SEAL_REFUSED);
	CHECK(str_starts(message, STR("E_NAME records/e-1/t-1.json: another file has the name")));
	CHECK_STR(test_read(kit_path(&k, "ledger/records/e-1/t-1.json")), STR("mine"));
	kit_put(&k, "ledger/records/e-1/t-1.json", record); /* a copy of the very record is no obstacle */
	CHECK_INT(seal_one(&k, record, NULL, 0, NULL).outcome, SEAL_ADDED);
	kit_end(&k);
}

TEST(an_artifact_has_a_name_that_stays_in_its_directory)
{
	static const struct {
		const char *name;
		bool good;
	} cases[] = {
		{ "a", true },       { "a/b.md", true }, { ".hidden", true },  { "a..b", true },   { "", false },
		{ "/a", false },     { "a/", false },    { "a//b", false },    { "..", false },    { "a/../b", false },
		{ "./a", false },    { "a/.", false },   { "a\\b", false },    { "a\nb", false },  { "a\x7f", false },
	};
	struct seal_artifact a = { STR("../x"), STR("text/plain"), STR("x") };
	struct str message, record;
	struct kit k;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		test_case("%s", cases[i].name);
		CHECK(seal_is_artifact_name(str_from(cases[i].name)) == cases[i].good);
	}
	CHECK(!seal_is_artifact_name(STR("a\0b")));
	kit_begin(&k);
	record = kit_record(&k, "\"t-1\"");
	CHECK_INT(seal_one(&k, record, &a, 1, &message).outcome, SEAL_REFUSED);
	CHECK(str_starts(message, STR("E_NAME ")));
	CHECK_INT(kit_size(&k, LEDGER_MAIN), 0);
	kit_end(&k);
}

TEST(a_batch_that_is_full_commits_itself_and_all_are_told_in_order)
{
	struct kit_told *told = test_alloc(sizeof(*told));
	struct err err = { .kind = ERR_NONE };
	struct sealer *s;
	struct kit k;

	kit_begin(&k);
	s = open_for(told, &k, false);
	for (unsigned i = 0; i < SEAL_BATCH + 44; i++) {
		struct str id = arena_printf(&k.arena, "\"t-%u\"", i), name = arena_printf(&k.arena, "r%u", i);

		kit_must(seal_add(s, name, kit_record(&k, id.p), NULL, 0, NULL, &err), &err);
		CHECK_INT(told->count, i + 1 < SEAL_BATCH ? 0 : SEAL_BATCH);
	}
	kit_must(seal_commit(s, &err), &err);
	sealer_close(s);
	CHECK_INT(told->count, SEAL_BATCH + 44);
	for (size_t i = 0; i < told->count; i++) {
		CHECK_INT(told->results[i].index, i);
		CHECK_STR(told->results[i].name, arena_printf(&k.arena, "r%zu", i));
	}
	CHECK_INT(kit_size(&k, LEDGER_MAIN), SEAL_BATCH + 44);
	kit_end(&k);
}

TEST(what_was_not_committed_is_not_there)
{
	struct kit_told *told = test_alloc(sizeof(*told));
	struct err err = { .kind = ERR_NONE };
	struct sealer *s;
	struct kit k;

	kit_begin(&k);
	s = open_for(told, &k, false);
	kit_must(seal_add(s, STR("a"), kit_record(&k, "\"t-1\""), NULL, 0, NULL, &err), &err);
	sealer_close(s);
	CHECK_INT(told->count, 0);
	CHECK_INT(kit_size(&k, LEDGER_MAIN), 0);
	kit_end(&k);
}

TEST(whoever_is_told_may_stop)
{
	struct kit_told *told = test_alloc(sizeof(*told));
	struct err err = { .kind = ERR_NONE };
	struct sealer *s;
	struct kit k;

	kit_begin(&k);
	s = open_for(told, &k, false);
	told->stop_at = 1;
	CHECK(seal_add(s, STR("a"), kit_record(&k, "\"t-1\""), NULL, 0, NULL, &err));
	CHECK(seal_add(s, STR("b"), kit_record(&k, "\"t-2\""), NULL, 0, NULL, &err));
	CHECK(!seal_commit(s, &err));
	CHECK_STR(str_from(err.text), STR("enough"));
	CHECK_INT(told->count, 1);
	sealer_close(s);
	kit_end(&k);
}

TEST(the_hashes_of_a_trace_stand_in_the_entry)
{
	struct seal_run run = { .hash = STR("aa"), .root = STR("bb"), .records = 7 };
	struct kit_told *told = test_alloc(sizeof(*told));
	struct err err = { .kind = ERR_NONE };
	struct sealer *s;
	struct entry e;
	struct kit k;

	kit_begin(&k);
	s = open_for(told, &k, false);
	kit_must(seal_add(s, STR("a"), kit_record(&k, "\"t-1\""), NULL, 0, &run, &err) && seal_commit(s, &err), &err);
	sealer_close(s);
	e = kit_entry(&k, LEDGER_MAIN, 0);
	CHECK_STR(e.run.hash, STR("otutl-v1:sha256:aa"));
	CHECK_STR(e.run.root, STR("rfc6962-sha256:bb"));
	CHECK_INT(e.run.records, 7);
	kit_end(&k);
}

static bool fail_append(struct log *l, struct log_item *items, size_t count, struct err *err)
{
	(void)l;
	(void)items;
	(void)count;
	return err_set(err, ERR_IO, "the disk is full");
}

TEST(a_log_that_fails_is_told_and_nothing_is_said_about_the_records)
{
	struct kit_told *told = test_alloc(sizeof(*told));
	struct err err = { .kind = ERR_NONE };
	const struct log_ops *real;
	struct log_ops failing;
	struct sealer *s;
	struct kit k;

	kit_begin(&k);
	real = k.ledger.logs[LEDGER_MAIN]->ops;
	failing = *real;
	failing.append = fail_append;
	k.ledger.logs[LEDGER_MAIN]->ops = &failing;
	s = open_for(told, &k, false);
	CHECK(seal_add(s, STR("a"), kit_record(&k, "\"t-1\""), NULL, 0, NULL, &err));
	CHECK(!seal_commit(s, &err));
	CHECK_STR(str_from(err.text), STR("the disk is full"));
	CHECK_INT(told->count, 0);
	k.ledger.logs[LEDGER_MAIN]->ops = real;
	CHECK(seal_add(s, STR("b"), kit_record(&k, "\"t-2\""), NULL, 0, NULL, &err));
	CHECK(seal_commit(s, &err));
	CHECK_INT(told->count, 1);
	CHECK_STR(told->results[0].name, STR("b"));
	sealer_close(s);
	kit_end(&k);
}
