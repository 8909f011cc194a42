/* A trial judged again: by another verifier only, on the very files that the agent left. */
#include "trial/run/regrade.h"

#include <stdio.h>

#include "run_kit.h"
#include "trial/run/finish.h"

static struct str record_of(struct tried *k, const char *agent)
{
	struct err err = { .kind = ERR_NONE };

	tried_open(k, agent, "echo said; grep -q 4 output.txt && echo 1 >logs/verifier/reward.txt\n");
	if (!trial_run(&k->arena, &k->how, &err))
		FAIL("%s", err.text);
	CHECK(rename(tried_path(k, "job/t-1/artifacts").p, tried_path(k, "again-artifacts").p) == 0);
	CHECK(mkdir(tried_path(k, "again").p, 0700) == 0);
	CHECK(rename(tried_path(k, "again-artifacts").p, tried_path(k, "again/artifacts").p) == 0);
	return tried_read(k, "job/t-1/record.json");
}

static struct str first_record(struct tried *k)
{
	return record_of(k, "echo 4 >output.txt");
}

static bool regrade(struct tried *k, struct str record, struct str *out, struct err *err)
{
	struct regrade_how how = { .record = record, .dir = tried_path(k, "again"), .task = k->task, .id = STR("t-2"),
				   .program = k->how.program };

	return regrade_run(&k->arena, &how, out, err);
}

TEST(another_verifier_gives_another_record)
{
	struct err err = { .kind = ERR_NONE };
	struct finish_facts f;
	struct str record, out;
	struct tried k;

	record = first_record(&k);
	tried_put(&k, "task/tests/test.sh", "grep -q 5 output.txt || echo 0.5 >logs/verifier/reward.txt\n", 0700);
	if (!regrade(&k, record, &out, &err))
		FAIL("%s", err.text);
	CHECK(finish_read(&k.arena, out, &f));
	CHECK(f.class == CLASS_COMPLETED && f.is_complete && f.reward > 0.4 && f.reward < 0.6);
	CHECK(str_has(out, STR("\"regrade_of\": \"t-1\"")) && str_has(out, STR("\"trial_id\": \"t-2\"")));
	CHECK(str_has(out, STR("\"experiment_id\": \"e-regraded\"")));
	CHECK(str_has(out, STR("artifacts/e-regraded/t-2/workspace/output.txt")));
	arena_free(&k.arena);
}

TEST(what_was_found_out_about_the_agent_stays_and_the_rest_is_the_new_verifiers)
{
	static const char denied[] = "\"denied\": [{\"t\": 0.5, \"phase\": \"agent\", \"call\": \"ptrace\", \"what\": \"x\", "
				     "\"count\": 2, \"call_id\": null}, {\"t\": 1, \"phase\": \"verifier\", \"call\": "
				     "\"mount\", \"what\": \"\", \"count\": 1, \"call_id\": null}]";
	struct err err = { .kind = ERR_NONE };
	struct str record, out, before, after;
	struct tried k;
	size_t at;

	record = record_of(&k, "echo 4 >output.txt; exit 3");
	at = str_find(record, STR("\"denied\": []"));
	CHECK(at != (size_t)-1);
	before = str_of(record.p, at);
	after = str_skip(record, at + sizeof("\"denied\": []") - 1);
	CHECK(tried_read(&k, "again/artifacts/verifier.log").n);
	tried_put(&k, "task/tests/test.sh", "exit 0\n", 0700);
	if (!regrade(&k, ARENA_JOIN(&k.arena, before, str_from(denied), after), &out, &err))
		FAIL("%s", err.text);
	CHECK(str_has(out, STR("\"no_model_call\"")) && str_has(out, STR("the agent exited with status 3")));
	CHECK(str_has(out, STR("\"ptrace\"")) && str_has(out, STR("\"t\": 0.5")) && !str_has(out, STR("\"mount\"")));
	CHECK(!tried_read(&k, "again/artifacts/verifier.log").p);
	arena_free(&k.arena);
}

TEST(another_task_or_other_files_are_refused)
{
	static const struct { const char *name, *text, *words; } cases[] = {
		{ "task/instruction.md", "Other.", "task_rest_sha256" },
		{ "again/artifacts/workspace/output.txt", "5\n", "output.txt is not the file" },
		{ "again/artifacts/manifest.json", "{\"files\":[],\"left_out\":[\"x\"]}", "not all files" },
		{ "again/artifacts/manifest.json", "{\"files\":[{\"path\":\"../x\"}]}", "damaged" },
		{ "again/artifacts/manifest.json", "{", "manifest.json" },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct err err = { .kind = ERR_NONE };
		struct str record, out;
		struct tried k;

		record = first_record(&k);
		tried_put(&k, cases[i].name, cases[i].text, 0600);
		test_case("%s", cases[i].words);
		CHECK(!regrade(&k, record, &out, &err));
		CHECK_INT(err.kind, ERR_DATA);
		CHECK(str_has(str_from(err.text), str_from(cases[i].words)));
		arena_free(&k.arena);
	}
}
