/* The agent under the recorder: its variables, its end, and what is kept of it. */
#include "trial/run/private.h"

#include "run_kit.h"

TEST(an_agent_has_its_variables_and_its_end_is_judged)
{
	struct err err = { .kind = ERR_NONE };
	struct tried k;

	tried_open(&k, "printf '%s|%s|%s' \"$TRACKWAY_INSTRUCTION\" \"$TRACKWAY_MODEL\" \"${TRACKWAY_PROXY_PORT:+port}\" >vars; "
		 "[ \"$PWD\" = \"$WORKSPACE\" ] && echo said; exit 3", "exit 0\n");
	CHECK(workspace_fill(&k.running, &err));
	if (!agent_run(&k.running, &err))
		FAIL("%s", err.text);
	CHECK_STR(tried_read(&k, "job/t-1/workspace/vars"), STR("Do it.|m|port"));
	CHECK_STR(tried_read(&k, "job/t-1/agent.log"), STR("said\n"));
	CHECK_INT(k.running.facts.class, CLASS_AGENT_FAILED);
	CHECK_STR(k.running.facts.errors[0], STR("the agent exited with status 3"));
	CHECK(workspace_collect(&k.running, &err) && agent_collect(&k.running, &err));
	CHECK_STR(k.running.facts.findings[0].code, STR("no_model_call"));
	CHECK(!k.running.facts.trajectory_path.p && !k.running.facts.conversation_path.p && k.running.facts.calls);
	CHECK(tried_read(&k, "job/t-1/artifacts/agent-trace.jsonl").n > 0);
	arena_free(&k.arena);
}

TEST(a_trajectory_of_the_agent_is_taken)
{
	struct err err = { .kind = ERR_NONE };
	struct tried k;

	tried_open(&k, "echo '{\"version\":1,\"format\":\"aec-bench-trajectory\"}' >trajectory.jsonl", "exit 0\n");
	CHECK(workspace_fill(&k.running, &err) && agent_run(&k.running, &err));
	CHECK(workspace_collect(&k.running, &err) && agent_collect(&k.running, &err));
	CHECK_INT(k.running.facts.class, CLASS_COMPLETED);
	CHECK_STR(k.running.facts.trajectory_path, STR("trajectory.jsonl"));
	CHECK(str_has(tried_read(&k, "job/t-1/artifacts/trajectory.jsonl"), STR("aec-bench")));
	arena_free(&k.arena);
}

TEST(a_trajectory_that_the_task_brought_is_not_the_agents)
{
	struct err err = { .kind = ERR_NONE };
	struct tried k;

	tried_open(&k, "true", "exit 0\n");
	tried_put(&k, "task/environment/trajectory.jsonl", "{\"version\":1,\"format\":\"aec-bench-trajectory\"}\n", 0600);
	CHECK(task_read(&k.arena, k.task, &k.running.task, &err));
	CHECK(workspace_fill(&k.running, &err) && agent_run(&k.running, &err));
	CHECK(workspace_collect(&k.running, &err) && agent_collect(&k.running, &err));
	CHECK(!k.running.facts.trajectory_path.p);
	CHECK(!tried_read(&k, "job/t-1/artifacts/trajectory.jsonl").p);
	arena_free(&k.arena);
}
