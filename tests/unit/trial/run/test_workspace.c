/* The workspace before and after the agent. */
#include "trial/run/private.h"

#include "run_kit.h"

TEST(inputs_are_copied_and_pinned_and_what_changed_is_kept)
{
	struct err err = { .kind = ERR_NONE };
	struct trial_facts *f;
	struct tried k;

	tried_open(&k, "true", "exit 0\n");
	CHECK(workspace_fill(&k.running, &err));
	f = &k.running.facts;
	CHECK_INT(f->input_count, 2);
	CHECK_STR(f->inputs[1].path, STR("in.txt"));
	CHECK(str_starts(f->inputs[1].hash, STR("sha256:")) && f->inputs[1].hash.n == 71);
	CHECK_STR(tried_read(&k, "job/t-1/workspace/in.txt"), STR("in"));
	tried_put(&k, "job/t-1/workspace/output.md", "answer", 0600);
	CHECK(unlink(tried_path(&k, "job/t-1/workspace/gone.txt").p) == 0);
	CHECK(symlink("/etc", tried_path(&k, "job/t-1/workspace/etc").p) == 0);
	tried_put(&k, "job/t-1/workspace/bad\nname", "x", 0600);
	CHECK(workspace_collect(&k.running, &err));
	CHECK_STR(tried_read(&k, "job/t-1/artifacts/workspace/output.md"), STR("answer"));
	CHECK(!tried_read(&k, "job/t-1/artifacts/workspace/in.txt").p);
	CHECK(!tried_read(&k, "job/t-1/artifacts/workspace/bad\nname").p);
	CHECK(f->left_something && f->left_out_count == 2 && f->removed_count == 1);
	CHECK_STR(f->removed[0], STR("gone.txt"));
	CHECK_STR(f->output_format, STR("markdown"));
	CHECK_STR(f->raw_output_path, STR("workspace/output.md"));
	CHECK(str_has(tried_read(&k, "job/t-1/artifacts/manifest.json"), STR("\"path\": \"output.md\"")));
	arena_free(&k.arena);
}

TEST(of_much_that_was_left_out_a_part_is_named_and_the_rest_counted)
{
	struct err err = { .kind = ERR_NONE };
	struct tried k;

	tried_open(&k, "true", "exit 0\n");
	CHECK(workspace_fill(&k.running, &err));
	for (int i = 0; i < 1234; i++)
		CHECK(symlink("x", arena_printf(&k.arena, "%s/%d", k.running.dirs.workspace.p, i).p) == 0);
	CHECK(workspace_collect(&k.running, &err));
	CHECK_INT(k.running.facts.left_out_count, 1000);
	CHECK_STR(k.running.facts.findings[0].code, STR("much_left_out"));
	CHECK(str_starts(k.running.facts.findings[0].sentence, STR("1234 files")));
	arena_free(&k.arena);
}

TEST(links_that_lead_out_of_a_sandboxed_workspace_are_cut)
{
	struct err err = { .kind = ERR_NONE };
	char text[64];

	for (int level = SANDBOX_NONE; level <= SANDBOX_BWRAP; level++) {
		struct tried k;

		test_case("%d", level);
		tried_open(&k, "true", "exit 0\n");
		k.job.isolation = (enum sandbox_level)level;
		CHECK(workspace_fill(&k.running, &err));
		CHECK(symlink("../tests", tried_path(&k, "job/t-1/workspace/answer").p) == 0);
		CHECK(symlink("in.txt", tried_path(&k, "job/t-1/workspace/same").p) == 0);
		CHECK(workspace_collect(&k.running, &err));
		CHECK_INT(readlink(tried_path(&k, "job/t-1/workspace/answer").p, text, sizeof(text)) < 0, level > SANDBOX_NONE);
		CHECK(readlink(tried_path(&k, "job/t-1/workspace/same").p, text, sizeof(text)) > 0);
		CHECK_INT(k.running.facts.finding_count, level > SANDBOX_NONE);
		CHECK(level == SANDBOX_NONE || str_has(k.running.facts.findings[0].sentence, STR("answer -> ../tests")));
		tree_remove(k.running.dirs.trial);
		arena_free(&k.arena);
	}
}

TEST(an_agent_that_removed_its_workspace_left_nothing)
{
	static const char *const links[] = { NULL, "/etc" };
	struct err err = { .kind = ERR_NONE };

	for (size_t i = 0; i < COUNT(links); i++) {
		struct tried k;

		test_case("%zu", i);
		tried_open(&k, "true", "exit 0\n");
		CHECK(workspace_fill(&k.running, &err));
		tree_remove(k.running.dirs.workspace);
		CHECK(!links[i] || symlink(links[i], k.running.dirs.workspace.p) == 0);
		CHECK(workspace_collect(&k.running, &err));
		CHECK(file_is_dir(k.running.dirs.workspace) && k.running.after.count == 0);
		CHECK_STR(k.running.facts.findings[0].code, STR("workspace_gone"));
		CHECK_INT(k.running.facts.removed_count, 2);
		tree_remove(k.running.dirs.trial);
		arena_free(&k.arena);
	}
}

TEST(a_task_that_changes_while_it_is_copied_is_refused)
{
	struct err err = { .kind = ERR_NONE };
	struct tried k;

	tried_open(&k, "true", "exit 0\n");
	tried_put(&k, "task/environment/in.txt", "other", 0600);
	CHECK(!workspace_fill(&k.running, &err));
	CHECK(str_has(str_from(err.text), STR("in.txt")));
	arena_free(&k.arena);
}
