/* SWE-agent's trajectories and those of mini-swe-agent, variant by variant. */
#include "dialect/formats.h"
#include "unit/dialect/expect_run.h"

#define CALLS \
	"{\"trajectory\":[{\"action\":\"ls -F\",\"observation\":\"a.py\",\"response\":\"I look.\",\"thought\":\"I look." \
	"\",\"state\":\"{}\",\"execution_time\":0.25,\"query\":[{\"role\":\"system\",\"content\":\"You are a programmer" \
	".\",\"agent\":\"main\",\"message_type\":\"system_prompt\"},{\"role\":\"user\",\"content\":\"Fix the bug ZEBRA." \
	"\",\"agent\":\"main\",\"message_type\":\"observation\"}]},{\"action\":\"submit\",\"observation\":\"diff --git" \
	"\",\"response\":\"Done.\",\"thought\":\"Done.\",\"state\":\"{}\",\"messages\":[{\"role\":\"system\",\"content" \
	"\":\"You are a programmer.\",\"agent\":\"main\",\"message_type\":\"system_prompt\"},{\"role\":\"user\",\"conte" \
	"nt\":\"shortened\",\"agent\":\"main\",\"message_type\":\"observation\"}]}],\"history\":[{\"role\":\"system\"," \
	"\"content\":\"You are a programmer.\",\"agent\":\"main\",\"message_type\":\"system_prompt\"},{\"role\":\"user" \
	"\",\"content\":\"A demonstration.\",\"agent\":\"main\",\"is_demo\":true},{\"role\":\"assistant\",\"content\":" \
	"\"shown\",\"action\":\"rm x\",\"thought\":\"shown\",\"agent\":\"main\",\"is_demo\":true},{\"role\":\"user\",\"" \
	"content\":\"Fix the bug ZEBRA.\",\"agent\":\"main\",\"message_type\":\"observation\"},{\"role\":\"assistant\"," \
	"\"content\":\"I look.\",\"thought\":\"I look.\",\"action\":\"ls -F\",\"agent\":\"main\",\"message_type\":\"act" \
	"ion\",\"tool_calls\":[{\"function\":{\"name\":\"bash\",\"arguments\":\"{\\\"command\\\":\\\"ls -F\\\"}\"},\"id" \
	"\":\"call_1\",\"type\":\"function\"}]},{\"role\":\"tool\",\"content\":\"a.py\\n(Open file: n/a)\",\"agent\":\"" \
	"main\",\"message_type\":\"observation\",\"tool_call_ids\":[\"call_1\"]},{\"role\":\"assistant\",\"content\":\"" \
	"Done.\",\"thought\":\"Done.\",\"action\":\"submit\",\"agent\":\"main\",\"message_type\":\"action\",\"tool_call" \
	"s\":[{\"function\":{\"name\":\"submit\",\"arguments\":\"{}\"},\"id\":\"call_2\",\"type\":\"function\"}]},{\"ro" \
	"le\":\"tool\",\"content\":\"diff --git\",\"agent\":\"main\",\"message_type\":\"observation\",\"tool_call_ids\"" \
	":[\"call_2\"]}],\"info\":{\"exit_status\":\"submitted\",\"submission\":\"diff --git\",\"edited_files30\":\"x\"" \
	",\"swe_agent_version\":\"1.1.0\",\"model_stats\":{\"instance_cost\":1.5,\"tokens_sent\":1200,\"tokens_received" \
	"\":34,\"api_calls\":2}},\"environment\":\"task-1\",\"replay_config\":\"{\\\"agent\\\": {\\\"model\\\": {\\\"na" \
	"me\\\": \\\"gpt-4o\\\"}}}\"}"

#define PLAIN \
	"{\"environment\":\"e\",\"trajectory\":[{\"action\":\"create x\\n\",\"observation\":\"[File: x]\\n\",\"response" \
	"\":\"I will.\\n```\\ncreate x\\n```\",\"thought\":\"I will.\\n```\\ncreate x\\n```\",\"state\":\"{}\",\"execut" \
	"ion_time\":1},{\"action\":\"exit_cost\",\"observation\":\"Exited\",\"response\":\"\",\"thought\":\"\",\"state" \
	"\":\"{}\"}],\"history\":[{\"role\":\"system\",\"content\":\"s\",\"agent\":\"primary\"},{\"role\":\"user\",\"co" \
	"ntent\":\"u\",\"agent\":\"primary\"},{\"role\":\"assistant\",\"content\":\"I will.\\n```\\ncreate x\\n```\",\"" \
	"thought\":\"I will.\\n\",\"action\":\"create x\\n\",\"agent\":\"primary\"},{\"role\":\"user\",\"content\":\"[F" \
	"ile: x]\\n\\n(Open file: x)\",\"agent\":\"primary\"},{\"role\":\"assistant\",\"content\":\"\",\"thought\":\"Ex" \
	"it due to cost limit\",\"action\":\"exit_cost\",\"agent\":\"primary\"}],\"info\":{\"exit_status\":\"exit_cost" \
	"\",\"submission\":null,\"model_stats\":{\"instance_cost\":0,\"tokens_sent\":0,\"tokens_received\":0,\"api_call" \
	"s\":0}}}"

#define HISTORY \
	"{\"history\":[{\"role\":\"system\",\"content\":\"You are a programmer.\",\"agent\":\"main\",\"message_type\":" \
	"\"system_prompt\"},{\"role\":\"user\",\"content\":\"Fix the bug ZEBRA.\",\"agent\":\"main\",\"message_type\":" \
	"\"observation\"},{\"role\":\"assistant\",\"content\":\"I look.\",\"thought\":\"I look.\",\"action\":\"ls -F\"," \
	"\"agent\":\"main\",\"message_type\":\"action\",\"tool_calls\":[{\"function\":{\"name\":\"bash\",\"arguments\":" \
	"\"{\\\"command\\\":\\\"ls -F\\\"}\"},\"id\":\"call_1\",\"type\":\"function\"}]},{\"role\":\"tool\",\"content\"" \
	":\"a.py\\n(Open file: n/a)\",\"agent\":\"main\",\"message_type\":\"observation\",\"tool_call_ids\":[\"call_1\"" \
	"]},{\"role\":\"assistant\",\"content\":\"Done.\",\"thought\":\"Done.\",\"action\":\"submit\",\"agent\":\"main" \
	"\",\"message_type\":\"action\",\"tool_calls\":[{\"function\":{\"name\":\"submit\",\"arguments\":\"{}\"},\"id\"" \
	":\"call_2\",\"type\":\"function\"}]},{\"role\":\"tool\",\"content\":\"diff --git\",\"agent\":\"main\",\"messag" \
	"e_type\":\"observation\",\"tool_call_ids\":[\"call_2\"]}]}"

#define HISTORY_PLAIN \
	"{\"history\":[{\"role\":\"system\",\"content\":\"s\",\"agent\":\"primary\"},{\"role\":\"assistant\",\"content" \
	"\":\"shown\",\"action\":\"rm y\",\"is_demo\":true,\"agent\":\"primary\"},{\"role\":\"user\",\"content\":\"u\"," \
	"\"agent\":\"primary\"},{\"role\":\"assistant\",\"content\":\"I go.\",\"thought\":\"I go.\",\"action\":\"ls\\n" \
	"\",\"agent\":\"primary\"},{\"role\":\"user\",\"content\":\"a.py\",\"agent\":\"primary\"}]}"

#define MINI \
	"{\"info\":{\"model_stats\":{\"instance_cost\":0.02,\"api_calls\":3},\"config\":{\"model\":{\"model_name\":\"an" \
	"thropic/m-1\"},\"environment\":{\"cwd\":\"/w\"}},\"mini_version\":\"2.4.6\",\"exit_status\":\"Submitted\",\"su" \
	"bmission\":\"patch\"},\"messages\":[{\"role\":\"system\",\"content\":\"You help.\"},{\"role\":\"user\",\"conte" \
	"nt\":\"Solve ZEBRA.\"},{\"role\":\"assistant\",\"content\":\"I make.\",\"tool_calls\":[{\"id\":\"t1\",\"type\"" \
	":\"function\",\"function\":{\"name\":\"bash\",\"arguments\":\"{\\\"command\\\":\\\"make\\\"}\"}}],\"extra\":{" \
	"\"actions\":[{\"command\":\"make\",\"tool_call_id\":\"t1\"}],\"response\":{\"id\":\"r1\",\"object\":\"chat.com" \
	"pletion\",\"created\":1794857147,\"model\":\"m-1\",\"choices\":[{\"index\":0,\"finish_reason\":\"tool_calls\"," \
	"\"message\":{\"role\":\"assistant\",\"content\":\"I make.\",\"tool_calls\":[{\"id\":\"t1\",\"type\":\"function" \
	"\",\"function\":{\"name\":\"bash\",\"arguments\":\"{\\\"command\\\":\\\"make\\\"}\"}}]}}],\"usage\":{\"prompt_" \
	"tokens\":1300,\"completion_tokens\":33,\"total_tokens\":1333,\"prompt_tokens_details\":{\"cached_tokens\":1200" \
	"}}},\"cost\":0.01,\"timestamp\":1794857147.443}},{\"role\":\"tool\",\"tool_call_id\":\"t1\",\"content\":\"<ret" \
	"urncode>2</returncode>\\n<output>\\nno rule\\n</output>\",\"extra\":{\"raw_output\":\"no rule\",\"returncode\"" \
	":2,\"timestamp\":1794857148.5,\"exception_info\":\"\"}},{\"role\":\"user\",\"content\":\"Tool call error\",\"e" \
	"xtra\":{\"interrupt_type\":\"FormatError\",\"response\":{\"id\":\"r2\",\"object\":\"chat.completion\",\"create" \
	"d\":1794857147,\"model\":\"m-1\",\"choices\":[{\"index\":0,\"finish_reason\":\"tool_calls\",\"message\":{\"rol" \
	"e\":\"assistant\",\"content\":\"No call.\"}}],\"usage\":{\"prompt_tokens\":1300,\"completion_tokens\":33,\"tot" \
	"al_tokens\":1333,\"prompt_tokens_details\":{\"cached_tokens\":1200}}},\"timestamp\":1794857149.0}},{\"role\":" \
	"\"assistant\",\"content\":\"Done.\",\"tool_calls\":[{\"id\":\"t2\",\"type\":\"function\",\"function\":{\"name" \
	"\":\"bash\",\"arguments\":\"{\\\"command\\\":\\\"echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT\\\"}\"}}],\"extra" \
	"\":{\"actions\":[{\"command\":\"echo\",\"tool_call_id\":\"t2\"}],\"response\":{\"id\":\"r3\",\"object\":\"chat" \
	".completion\",\"created\":1794857147,\"model\":\"m-1\",\"choices\":[{\"index\":0,\"finish_reason\":\"tool_call" \
	"s\",\"message\":{\"role\":\"assistant\",\"content\":\"Done.\",\"tool_calls\":[{\"id\":\"t2\",\"type\":\"functi" \
	"on\",\"function\":{\"name\":\"bash\",\"arguments\":\"{\\\"command\\\":\\\"echo COMPLETE_TASK_AND_SUBMIT_FINAL_" \
	"OUTPUT\\\"}\"}}]}}],\"usage\":{\"prompt_tokens\":1300,\"completion_tokens\":33,\"total_tokens\":1333,\"prompt_" \
	"tokens_details\":{\"cached_tokens\":1200}}},\"cost\":0.01,\"timestamp\":1794857150.25}},{\"role\":\"tool\",\"t" \
	"ool_call_id\":\"t2\",\"content\":\"{\\\"returncode\\\": -1}\",\"extra\":{\"raw_output\":\"\",\"returncode\":-1" \
	",\"timestamp\":1794857151.0,\"exception_info\":\"action was not executed\"}},{\"role\":\"exit\",\"content\":\"" \
	"patch\",\"extra\":{\"exit_status\":\"Submitted\",\"submission\":\"patch\"}}],\"trajectory_format\":\"mini-swe-" \
	"agent-1.1\",\"instance_id\":\"i-1\"}"

#define MINI_TEXT \
	"{\"info\":{\"mini_version\":\"2.0\",\"exit_status\":null},\"trajectory_format\":\"mini-swe-agent-1.1\",\"messa" \
	"ges\":[{\"role\":\"user\",\"content\":\"u\"},{\"role\":\"assistant\",\"content\":\"go\",\"extra\":{\"actions\"" \
	":[{\"command\":\"ls\"}],\"cost\":0.0,\"response\":{\"id\":\"r1\",\"object\":\"chat.completion\",\"created\":17" \
	"94857147,\"model\":\"m-1\",\"choices\":[{\"index\":0,\"finish_reason\":\"tool_calls\",\"message\":{\"role\":\"" \
	"assistant\",\"content\":\"go\"}}],\"usage\":{\"prompt_tokens\":1300,\"completion_tokens\":33,\"total_tokens\":" \
	"1333,\"prompt_tokens_details\":{\"cached_tokens\":1200}}}}},{\"role\":\"user\",\"content\":\"seen\",\"extra\":" \
	"{\"raw_output\":\"seen by all\",\"returncode\":0,\"exception_info\":null,\"timestamp\":1794857148.5}}]}"

#define MINI_1_0 \
	"{\"info\":{\"exit_status\":\"LimitsExceeded\",\"submission\":\"\",\"model_stats\":{\"instance_cost\":0.5,\"api" \
	"_calls\":2},\"mini_version\":\"1.0.0\",\"config\":{\"model\":{\"model_name\":\"m-0\"}}},\"trajectory_format\":" \
	"\"mini-swe-agent-1\",\"messages\":[{\"role\":\"system\",\"content\":\"s\"},{\"role\":\"user\",\"content\":\"u" \
	"\"},{\"role\":\"assistant\",\"content\":\"I look.\\n\\n```mswea_bash_command\\nls\\n```\"},{\"role\":\"user\"," \
	"\"content\":\"<returncode>1</returncode>\\n<output>\\nx\\n</output>\"},{\"role\":\"assistant\",\"content\":\"`" \
	"``bash\\na\\n```\\n```bash\\nb\\n```\"},{\"role\":\"user\",\"content\":\"Please give one action.\"}]}"

#define MINI_0 \
	"[{\"role\":\"system\",\"content\":\"One bash code block:\\n```mswea_bash_command\\nx\\n```\"},{\"role\":\"user" \
	"\",\"content\":\"u\"},{\"role\":\"assistant\",\"content\":\"I look.\\n\\n```mswea_bash_command\\nls\\n```\"},{" \
	"\"role\":\"user\",\"content\":\"<returncode>0</returncode>\\n<output>\\na.py\\n</output>\"},{\"role\":\"assist" \
	"ant\",\"content\":\"End.\\n\\n```mswea_bash_command\\necho COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT\\n```\"},{\"r" \
	"ole\":\"user\",\"content\":\"diff\"}]"

#define MINI_RESPONSES \
	"{\"info\":{\"mini_version\":\"2.4\"},\"trajectory_format\":\"mini-swe-agent-1.1\",\"messages\":[{\"role\":\"us" \
	"er\",\"content\":\"u\"},{\"object\":\"response\",\"id\":\"resp_1\",\"model\":\"gpt-5\",\"status\":\"completed" \
	"\",\"created_at\":1794857147,\"output\":[{\"type\":\"message\",\"role\":\"assistant\",\"content\":[{\"type\":" \
	"\"output_text\",\"text\":\"I go.\"}]},{\"type\":\"function_call\",\"call_id\":\"f1\",\"name\":\"bash\",\"argum" \
	"ents\":\"{\\\"command\\\":\\\"ls\\\"}\"}],\"usage\":{\"input_tokens\":50,\"output_tokens\":7,\"total_tokens\":" \
	"57},\"extra\":{\"actions\":[{\"command\":\"ls\",\"tool_call_id\":\"f1\"}],\"cost\":0.25,\"timestamp\":17948571" \
	"47.5}},{\"type\":\"function_call_output\",\"call_id\":\"f1\",\"output\":\"a.py\",\"extra\":{\"raw_output\":\"a" \
	".py\",\"returncode\":0,\"timestamp\":1794857148.5}},{\"role\":\"exit\",\"content\":\"\",\"extra\":{\"exit_stat" \
	"us\":\"Submitted\",\"submission\":\"\"}}]}"


static struct arena arena;

static struct str to_otutl(const char *text)
{
	return convert_valid(&arena, "swe-agent", str_from(text), "otutl");
}

static struct str get(struct str out, const char *type, size_t n, const char *pointer)
{
	return convert_get(&arena, convert_record(out, type, n), pointer);
}

static const char *figures_of(struct str out)
{
	struct convert_figures f = convert_count(out);

	return arena_printf(&arena, "%d runs, %d steps, %d calls, %d results, %d errors, %d orphans, %d in, %d out", (int)f.runs,
			    (int)f.model_steps, (int)f.tool_calls, (int)f.tool_results, (int)f.tool_errors, (int)f.orphan_calls,
			    (int)f.input_total, (int)f.output_total).p;
}

/* ---- the samples ---- */

TEST(samples_have_the_figures_that_were_counted)
{
	expect_folder("vendors/swe_agent", "swe-agent", 10);
}

TEST(a_log_of_mini_swe_agent_has_what_the_model_side_saw)
{
	struct converted log;

	arena_init(&arena);
	log = convert_file(&arena, arena_printf(&arena, "%s/session/last_mini_run.traj.json", test_shared("agents/mini-anthropic")).p,
			   (struct convert_how){ .to = "otutl" });
	CHECK(log.done);
	CHECK_STR(str_from(figures_of(log.out)), STR("1 runs, 2 steps, 2 calls, 2 results, 1 errors, 0 orphans, 2800 in, 54 out"));
	CHECK_INT(convert_count(log.out).cache_read, 1200);
	arena_free(&arena);
}

/* ---- which is which ---- */

TEST(each_variant_is_known_by_its_content)
{
	static const char *const texts[] = { CALLS, PLAIN, HISTORY, HISTORY_PLAIN, MINI, MINI_TEXT, MINI_1_0, MINI_0, MINI_RESPONSES };
	static const char *const others[] = {
		"{\"trajectory\":[{\"action\":\"x\"}],\"info\":{}}", "{\"history\":[{\"role\":\"user\",\"content\":\"x\"}]}",
		"{\"messages\":[],\"info\":{}}", "[{\"role\":\"system\",\"content\":\"Use ```bash if you like.\"}]",
	};

	arena_init(&arena);
	for (size_t i = 0; i < COUNT(texts); i++) {
		struct converted log = convert_with(&arena, str_from(texts[i]), (struct convert_how){ .to = "otutl" });

		CHECK(log.from == &swe_agent_dialect);
	}
	for (size_t i = 0; i < COUNT(others); i++) {
		struct converted log = convert_with(&arena, str_from(others[i]), (struct convert_how){ .to = "otutl" });

		CHECK(log.from != &swe_agent_dialect);
	}
	arena_free(&arena);
}

TEST(runs_on_lines_are_runs_of_their_own)
{
	arena_init(&arena);
	CHECK_INT(convert_count(to_otutl(PLAIN "\n" MINI_0 "\n" PLAIN "\n")).runs, 3);
	arena_free(&arena);
}

/* ---- SWE-agent ---- */

TEST(a_step_has_its_call_with_the_id_that_only_the_history_tells)
{
	struct str out;

	arena_init(&arena);
	out = to_otutl(CALLS);
	CHECK_STR(str_from(figures_of(out)), STR("1 runs, 2 steps, 2 calls, 2 results, 0 errors, 0 orphans, 1200 in, 34 out"));
	CHECK_STR(get(out, "model_step", 0, "/text"), STR("I look."));
	CHECK_STR(get(out, "tool_call", 0, "/call_id"), STR("call_1"));
	CHECK_STR(get(out, "tool_call", 0, "/tool"), STR("tool://swe-agent/bash"));
	CHECK_STR(get(out, "tool_call", 0, "/args/command"), STR("ls -F"));
	CHECK_STR(get(out, "tool_result", 0, "/result"), STR("a.py"));
	CHECK_STR(get(out, "tool_result", 0, "/duration_ms"), STR("250"));
	CHECK_STR(get(out, "tool_result", 1, "/call_id"), STR("call_2"));
	CHECK_STR(get(out, "run_start", 0, "/agent/version"), STR("1.1.0"));
	CHECK_STR(get(out, "run_start", 0, "/model"), STR("gpt-4o"));
	CHECK_STR(get(out, "model_step", 0, "/model"), STR("gpt-4o"));
	arena_free(&arena);
}

TEST(the_tokens_of_a_run_are_its_cost_and_zeros_are_none)
{
	struct str out;

	arena_init(&arena);
	out = to_otutl(CALLS);
	CHECK_STR(get(out, "cost", 0, "/scope"), STR("run"));
	CHECK_STR(get(out, "cost", 0, "/estimated_cost_usd"), STR("1.5"));
	CHECK(!convert_record(out, "cost", 1).n);
	CHECK(!convert_record(to_otutl(PLAIN), "cost", 0).n);
	arena_free(&arena);
}

TEST(a_demonstration_is_no_part_of_the_run)
{
	struct str out;

	arena_init(&arena);
	out = to_otutl(CALLS);
	CHECK_INT(convert_count(out).model_steps, 2);
	CHECK(str_has(out, STR("demonstration")) && str_has(out, STR("A demonstration.")));
	out = to_otutl(HISTORY_PLAIN);
	CHECK_STR(str_from(figures_of(out)), STR("1 runs, 1 steps, 1 calls, 1 results, 0 errors, 0 orphans, -1 in, -1 out"));
	arena_free(&arena);
}

TEST(without_calls_the_action_is_a_command_of_the_shell)
{
	struct str out;

	arena_init(&arena);
	out = to_otutl(PLAIN);
	CHECK_STR(get(out, "tool_call", 0, "/tool"), STR("tool://swe-agent/shell"));
	CHECK_STR(get(out, "tool_call", 0, "/args/command"), STR("create x\n"));
	CHECK_STR(get(out, "tool_result", 0, "/result"), STR("[File: x]\n"));
	arena_free(&arena);
}

TEST(what_the_agent_gave_up_with_is_no_answer_of_the_model)
{
	struct str out;

	arena_init(&arena);
	out = to_otutl(PLAIN);
	CHECK_STR(str_from(figures_of(out)), STR("1 runs, 1 steps, 1 calls, 1 results, 0 errors, 0 orphans, -1 in, -1 out"));
	CHECK_STR(get(out, "run_end", 0, "/status"), STR("error"));
	CHECK_STR(get(out, "run_end", 0, "/reason"), STR("exit_cost"));
	CHECK_STR(get(to_otutl(CALLS), "run_end", 0, "/status"), STR("success"));
	CHECK_STR(get(to_otutl(CALLS), "run_end", 0, "/output"), STR("diff --git"));
	arena_free(&arena);
}

TEST(a_log_of_history_alone_has_steps_calls_and_results)
{
	struct str out;

	arena_init(&arena);
	out = to_otutl(HISTORY);
	CHECK_STR(str_from(figures_of(out)), STR("1 runs, 2 steps, 2 calls, 2 results, 0 errors, 0 orphans, -1 in, -1 out"));
	CHECK_STR(get(out, "tool_result", 1, "/call_id"), STR("call_2"));
	arena_free(&arena);
}

TEST(what_the_model_was_sent_in_each_step_is_not_kept_again)
{
	arena_init(&arena);
	CHECK(!str_has(to_otutl(CALLS), STR("shortened")));
	arena_free(&arena);
}

/* ---- mini-swe-agent ---- */

TEST(an_answer_has_what_its_raw_response_says)
{
	struct str out;

	arena_init(&arena);
	out = to_otutl(MINI);
	CHECK_STR(get(out, "model_step", 0, "/step_id"), STR("r1"));
	CHECK_STR(get(out, "model_step", 0, "/model"), STR("m-1"));
	CHECK_STR(get(out, "model_step", 0, "/stop_reason"), STR("tool_calls"));
	CHECK_STR(get(out, "model_step", 0, "/ts"), STR("2026-11-16T19:25:47.443Z"));
	CHECK_STR(get(out, "cost", 0, "/tokens_in"), STR("1300"));
	CHECK_STR(get(out, "cost", 0, "/cache_read_tokens"), STR("1200"));
	CHECK_STR(get(out, "cost", 0, "/estimated_cost_usd"), STR("0.01"));
	CHECK_STR(get(out, "tool_call", 0, "/step_id"), STR("r1"));
	CHECK_STR(get(out, "run_start", 0, "/agent/version"), STR("2.4.6"));
	CHECK_STR(get(out, "run_start", 0, "/model"), STR("anthropic/m-1"));
	arena_free(&arena);
}

TEST(an_answer_that_could_not_be_used_is_an_answer)
{
	struct str out;

	arena_init(&arena);
	out = to_otutl(MINI);
	CHECK_STR(str_from(figures_of(out)), STR("1 runs, 3 steps, 2 calls, 2 results, 1 errors, 0 orphans, 3900 in, 99 out"));
	CHECK_STR(get(out, "model_step", 1, "/step_id"), STR("r2"));
	CHECK_STR(get(out, "model_step", 1, "/ts"), STR("2026-11-16T19:25:49.000Z"));
	arena_free(&arena);
}

TEST(an_exit_code_is_no_error_and_an_exception_is)
{
	struct str out;

	arena_init(&arena);
	out = to_otutl(MINI);
	CHECK_STR(get(out, "tool_result", 0, "/exit_code"), STR("2"));
	CHECK_STR(get(out, "tool_result", 0, "/is_error"), STR("false"));
	CHECK_STR(get(out, "tool_result", 1, "/exit_code"), STR("-1"));
	CHECK_STR(get(out, "tool_result", 1, "/is_error"), STR("true"));
	arena_free(&arena);
}

TEST(the_role_exit_ends_the_run)
{
	struct str out;

	arena_init(&arena);
	out = to_otutl(MINI);
	CHECK_STR(get(out, "run_end", 0, "/status"), STR("success"));
	CHECK_STR(get(out, "run_end", 0, "/reason"), STR("Submitted"));
	CHECK_STR(get(out, "run_end", 0, "/output"), STR("patch"));
	CHECK_STR(get(to_otutl(MINI_1_0), "run_end", 0, "/status"), STR("error"));
	CHECK_STR(get(to_otutl(MINI_1_0), "run_end", 0, "/reason"), STR("LimitsExceeded"));
	arena_free(&arena);
}

TEST(a_command_in_a_fence_is_a_call_when_it_is_the_only_one)
{
	struct str out;

	arena_init(&arena);
	out = to_otutl(MINI_1_0);
	CHECK_STR(str_from(figures_of(out)), STR("1 runs, 2 steps, 1 calls, 1 results, 0 errors, 0 orphans, -1 in, -1 out"));
	CHECK_STR(get(out, "tool_call", 0, "/args/command"), STR("ls"));
	CHECK_STR(get(out, "tool_call", 0, "/tool"), STR("tool://swe-agent/bash"));
	CHECK_STR(get(out, "tool_result", 0, "/exit_code"), STR("1"));
	CHECK_STR(get(out, "model_step", 0, "/model"), STR("m-0"));
	CHECK_STR(get(out, "cost", 0, "/scope"), STR("run"));
	CHECK_STR(get(out, "cost", 0, "/estimated_cost_usd"), STR("0.5"));
	arena_free(&arena);
}

TEST(an_action_without_an_id_is_answered_by_the_next_message)
{
	struct str out;

	arena_init(&arena);
	out = to_otutl(MINI_TEXT);
	CHECK_STR(str_from(figures_of(out)), STR("1 runs, 1 steps, 1 calls, 1 results, 0 errors, 0 orphans, 1300 in, 33 out"));
	CHECK_STR(get(out, "tool_result", 0, "/result"), STR("seen"));
	CHECK_STR(get(out, "tool_result", 0, "/ext/swe-agent~11/extra/raw_output"), STR("seen by all"));
	CHECK_STR(get(out, "tool_result", 0, "/ts"), STR("2026-11-16T19:25:48.500Z"));
	arena_free(&arena);
}

TEST(a_bare_list_ends_with_what_was_handed_in)
{
	struct str out;

	arena_init(&arena);
	out = to_otutl(MINI_0);
	CHECK_STR(str_from(figures_of(out)), STR("1 runs, 2 steps, 2 calls, 1 results, 0 errors, 1 orphans, -1 in, -1 out"));
	CHECK_STR(get(out, "run_end", 0, "/status"), STR("success"));
	CHECK_STR(get(out, "run_end", 0, "/output"), STR("diff"));
	arena_free(&arena);
}

TEST(an_answer_of_the_responses_is_read_with_its_items)
{
	struct str out;

	arena_init(&arena);
	out = to_otutl(MINI_RESPONSES);
	CHECK_STR(str_from(figures_of(out)), STR("1 runs, 1 steps, 1 calls, 1 results, 0 errors, 0 orphans, 50 in, 7 out"));
	CHECK_STR(get(out, "model_step", 0, "/text"), STR("I go."));
	CHECK_STR(get(out, "tool_call", 0, "/call_id"), STR("f1"));
	CHECK_STR(get(out, "tool_result", 0, "/exit_code"), STR("0"));
	CHECK_STR(get(out, "cost", 0, "/estimated_cost_usd"), STR("0.25"));
	arena_free(&arena);
}

TEST(a_cut_document_is_called_by_its_name)
{
	struct str text = STR(MINI);
	struct converted log;

	arena_init(&arena);
	text.n = text.n - 20;
	log = convert_with(&arena, text, (struct convert_how){ .to = "otutl" });
	CHECK(!log.from);
	arena_free(&arena);
}

TEST(a_trace_of_it_holds_no_content)
{
	static const char *const texts[] = { CALLS, PLAIN, MINI, MINI_0, MINI_TEXT, MINI_RESPONSES };

	arena_init(&arena);
	for (size_t i = 0; i < COUNT(texts); i++) {
		struct str out = convert_valid(&arena, "swe-agent", str_from(texts[i]), "agent-trace");

		CHECK(!str_has(out, STR("ZEBRA")) && !str_has(out, STR("I look")) && !str_has(out, STR("a.py")));
		CHECK(!str_has(out, STR("diff")) && !str_has(out, STR("action was not")));
	}
	arena_free(&arena);
}
