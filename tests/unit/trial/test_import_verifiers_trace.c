/* Episodes of verifiers 0.4 as trials: the made-up ones of tests/data/verifiers, and those that the program wrote. */
#include "import_kit.h"

static const struct str none = { NULL, 0 };

static struct told *import_path(struct kit *k, const char *path)
{
	struct err err = { .kind = ERR_NONE };
	struct told *t = told_begin(k, false);
	struct prime *p;

	kit_must(verifiers_import(t->import, str_from(path), none, STR("x"), &p, &err), &err);
	prime_close(p);
	told_end(t);
	return t;
}

/* One line alone. */
static struct told *import_line(struct kit *k, const char *line)
{
	kit_put(k, "t.jsonl", str_from(line));
	return import_path(k, kit_path(k, "t.jsonl"));
}

static struct told *import_data(struct kit *k)
{
	kit_put(k, "traces.jsonl", test_data("verifiers/traces.jsonl"));
	return import_path(k, kit_path(k, "traces.jsonl"));
}

/* The record of a trace of the made-up run. */
static struct str record_of(struct kit *k, const char *id)
{
	for (uint64_t i = 0; i < kit_size(k, LEDGER_DIAGNOSTIC); i++) {
		struct entry e = kit_entry(k, LEDGER_DIAGNOSTIC, i);

		if (e.kind == ENTRY_TRIAL && str_ends(e.id, str_from(id)))
			return kit_object(k, LEDGER_DIAGNOSTIC, e.record.digest);
	}
	FAIL("there is no trial %s", id);
}

static struct str artifact_of(struct kit *k, const char *end)
{
	for (uint64_t i = 0; i < kit_size(k, LEDGER_DIAGNOSTIC); i++) {
		struct entry e = kit_entry(k, LEDGER_DIAGNOSTIC, i);

		if (e.kind == ENTRY_ARTIFACT && str_ends(e.id, str_from(end)))
			return kit_object(k, LEDGER_DIAGNOSTIC, e.record.digest);
	}
	FAIL("there is no artifact %s", end);
}

TEST(each_trace_becomes_a_trial)
{
	static const struct {
		const char *id, *pointer, *want;
	} rows[] = {
		{ "aaaa", "/evaluation/reward", "0.625" }, /* by their weights */
		{ "aaaa", "/evaluation/breakdown/right", "1" },
		{ "aaaa", "/evaluation/breakdown/units", "0.5" },
		{ "aaaa", "/evaluation/breakdown/turns", "2.0" },
		{ "aaaa", "/evaluation/breakdown/skipped", "-" },
		{ "aaaa", "/evaluation/breakdown/unscored", "-" },
		{ "aaaa", "/task/task_id", "\"prime/7\"" },
		{ "aaaa", "/task/task_revision", "\"ab12\"" },
		{ "aaaa", "/agent/model", "\"small-4b\"" },
		{ "aaaa", "/agent/configuration/source", "\"verifiers-traces\"" },
		{ "aaaa", "/environment/runtime_image", "\"local\"" },
		{ "aaaa", "/environment/compute_backend", "\"local\"" },
		{ "aaaa", "/inputs/instruction", "\"Size the beam.\"" },
		{ "aaaa", "/inputs/system_prompt", "\"Be brief.\"" },
		{ "aaaa", "/outputs/agent_result/prime_sample_id", "\"aaaa\"" },
		{ "aaaa", "/outputs/agent_result/stop_condition", "\"agent_completed\"" },
		{ "aaaa", "/outputs/agent_output/status", "\"completed\"" },
		{ "aaaa", "/timing/total_seconds", "10.5" },
		{ "aaaa", "/timing/setup_seconds", "0.75" },
		{ "aaaa", "/timing/agent_seconds", "9" },
		{ "aaaa", "/timing/verification_seconds", "0.5" },
		{ "aaaa", "/timestamp", "\"2026-11-16T19:53:58.500Z\"" },
		{ "aaaa", "/cost/tokens_in", "34" }, /* with what came from a cache */
		{ "aaaa", "/cost/tokens_out", "11" },
		{ "bbbb", "/evaluation/reward", "0" },
		{ "bbbb", "/evaluation/validity/errors/0", "\"no answer\"" },
		{ "cccc", "/agent/model", "\"judge-1\"" },
		{ "cccc", "/inputs/system_prompt", "null" },
		{ "cccc", "/cost", "null" },
	};
	struct told *t;
	struct kit k;

	kit_begin(&k);
	t = import_data(&k);
	CHECK_INT(t->tally.imported, 3);
	CHECK_INT(t->tally.refused, 2);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		test_case("%s %s", rows[i].id, rows[i].pointer);
		CHECK_STR(told_at(&k, record_of(&k, rows[i].id), rows[i].pointer), str_from(rows[i].want));
	}
	CHECK_INT(import_path(&k, kit_path(&k, "traces.jsonl"))->tally.duplicates, 3);
	kit_end(&k);
}

TEST(the_conversation_is_the_last_branch_and_the_episode_is_kept_whole)
{
	struct str line, rest = test_data("verifiers/traces.jsonl");
	struct kit k;

	kit_begin(&k);
	import_data(&k);
	CHECK_STR(artifact_of(&k, "aaaa/conversation.jsonl"),
		  STR("{\"role\":\"system\",\"content\":\"Be brief.\"}\n{\"role\":\"user\",\"content\":\"Size the beam.\"}\n"
		      "{\"role\":\"assistant\",\"content\":\"\",\"tool_calls\":[{\"id\":\"c1\",\"type\":\"function\","
		      "\"function\":{\"name\":\"table\",\"arguments\":\"{\\\"span\\\": 6}\"}}]}\n"
		      "{\"role\":\"tool\",\"content\":\"IPE 200\",\"tool_call_id\":\"c1\"}\n"
		      "{\"role\":\"assistant\",\"content\":\"IPE 200.\"}\n"));
	line = str_cut(rest, '\n', &rest);
	CHECK_STR(artifact_of(&k, "aaaa/prime_sample.json"), line);
	line = str_cut(rest, '\n', &rest);
	CHECK_STR(artifact_of(&k, "bbbb/prime_sample.json"), line);
	CHECK_STR(artifact_of(&k, "cccc/prime_sample.json"), line);
	kit_end(&k);
}

TEST(what_was_not_scored_is_refused)
{
	struct told *t;
	struct kit k;

	kit_begin(&k);
	t = import_data(&k);
	CHECK(str_ends(t->items[0].name, STR("/traces.jsonl:3: sample dddd")));
	CHECK_STR(t->items[0].why, STR("its rewards are empty or null: it was not scored; score it, and import it then"));
	CHECK(str_ends(t->items[1].name, STR("/traces.jsonl:4: sample sample-4")));
	CHECK_STR(t->items[1].why, STR("the episode has no trace, and so no reward (TimeoutError: no box in 30 s); run it again, "
				       "or leave it out"));
	kit_end(&k);
}

TEST(odd_traces_do_no_harm)
{
	static const struct {
		const char *line;
		unsigned imported;
	} cases[] = {
		{ "{\"traces\":[7]}", 0 },
		{ "{\"traces\":[{}]}", 0 },
		{ "{\"nodes\":[],\"rewards\":{\"r\":1}}", 1 }, /* a trace alone, a reward that is a number */
		{ "{\"nodes\":[{\"parent\":5},{\"parent\":1},{\"parent\":-9}],\"rewards\":{\"r\":{\"score\":1}}}", 1 },
		{ "{\"nodes\":[7,null,{\"parent\":\"x\",\"message\":[]}],\"rewards\":{\"r\":{\"score\":1}}}", 1 },
		{ "{\"nodes\":[],\"rewards\":{\"r\":{\"score\":1e308,\"weight\":1e308}}}", 0 },
		{ "{\"nodes\":[],\"rewards\":{\"r\":{\"score\":-1}},\"timing\":{\"start\":-5},\"calls\":[{\"usage\":7}]}", 1 },
		{ "{\"nodes\":[],\"rewards\":[],\"metrics\":[]}", 0 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct told *t;
		struct kit k;

		test_case("%s", cases[i].line);
		kit_begin(&k);
		t = import_line(&k, cases[i].line);
		CHECK_INT(t->tally.imported, cases[i].imported);
		CHECK_INT(t->tally.refused, 1 - cases[i].imported);
		kit_end(&k);
	}
}

TEST(the_run_of_verifiers_0_4_is_imported_whole)
{
	const char *dir = test_shared("fresh/verifiers-0.4.0-run");
	struct told *t;
	struct kit k;

	kit_begin(&k);
	t = import_path(&k, dir); /* which has the run's own directory in it */
	CHECK_INT(t->tally.imported, 6);
	CHECK_INT(t->tally.refused, 0);
	for (uint64_t i = 0; i < 6; i++) {
		struct str record = kit_object(&k, LEDGER_DIAGNOSTIC, kit_entry(&k, LEDGER_DIAGNOSTIC, i).record.digest);

		CHECK_STR(told_at(&k, record, "/evaluation/reward"), STR("0.5"));
		CHECK_STR(told_at(&k, record, "/agent/model"), STR("\"echo\""));
		CHECK_STR(told_at(&k, record, "/agent/configuration/evaluation_name"), STR("\"mytask\""));
	}
	kit_end(&k);
}

TEST(the_run_of_verifiers_0_1_is_imported_whole)
{
	struct str record;
	struct told *t;
	struct kit k;

	kit_begin(&k);
	t = import_path(&k, test_shared("fresh/verifiers-0.1.14-run"));
	CHECK_INT(t->tally.imported, 8);
	record = record_of(&k, "sample-1");
	CHECK_STR(told_at(&k, record, "/task/task_id"), STR("\"prime/0\"")); /* and not the answer */
	CHECK_STR(told_at(&k, record, "/timing/total_seconds"), STR("0.6106405258178711"));
	CHECK_STR(told_at(&k, record, "/environment/compute_backend"), STR("\"local\""));
	CHECK_STR(told_at(&k, record, "/timestamp"), STR("\"2026-11-16T19:55:04.629Z\""));
	kit_end(&k);
}

TEST(a_directory_with_several_runs_or_none_is_an_error)
{
	struct err err = { .kind = ERR_NONE };
	struct prime *p;
	struct told *t;
	struct kit k;

	kit_begin(&k);
	CHECK(mkdir(kit_path(&k, "d"), 0700) == 0 && mkdir(kit_path(&k, "d/a"), 0700) == 0 && mkdir(kit_path(&k, "d/b"), 0700) == 0);
	t = told_begin(&k, false);
	CHECK(!verifiers_import(t->import, str_from(kit_path(&k, "d")), none, none, &p, &err));
	CHECK(strstr(err.text, "/d: there is no results.jsonl and no traces.jsonl in it\n= help: ") && err.kind == ERR_DATA);
	kit_put(&k, "d/a/traces.jsonl", STR(""));
	kit_put(&k, "d/b/results.jsonl", STR(""));
	CHECK(!verifiers_import(t->import, str_from(kit_path(&k, "d")), none, none, &p, &err));
	CHECK(strstr(err.text, "/d: there are several runs in it\n= help: name one of them") && err.kind == ERR_DATA);
	CHECK(unlink(kit_path(&k, "d/b/results.jsonl")) == 0);
	kit_put(&k, "elsewhere.jsonl", STR(""));
	CHECK(symlink("../../elsewhere.jsonl", kit_path(&k, "d/b/results.jsonl")) == 0); /* a link that leads out */
	kit_must(verifiers_import(t->import, str_from(kit_path(&k, "d")), none, none, &p, &err), &err);
	CHECK_STR(prime_id(p), STR("a"));
	prime_close(p);
	told_end(t);
	kit_end(&k);
}
