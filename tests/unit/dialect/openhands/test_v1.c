/* Events of V1, kind by kind. */
#include "dialect/formats.h"
#include "unit/dialect/expect_run.h"

#define SYSTEM \
	"{\"id\":\"e0\",\"timestamp\":\"2026-02-05T11:24:00.292853\",\"source\":\"agent\",\"kind\":\"SystemPromptEvent" \
	"\",\"system_prompt\":{\"cache_prompt\":false,\"type\":\"text\",\"text\":\"You are OpenHands.\"},\"tools\":[{\"" \
	"title\":\"terminal\",\"kind\":\"TerminalTool\"}]}\n"

#define ASKED \
	"{\"id\":\"e1\",\"timestamp\":\"2026-02-05T11:24:01.292853\",\"source\":\"user\",\"kind\":\"MessageEvent\",\"ll" \
	"m_message\":{\"role\":\"user\",\"content\":[{\"cache_prompt\":false,\"type\":\"text\",\"text\":\"Do ZEBRA.\"}]" \
	",\"thinking_blocks\":[]},\"activated_skills\":[]}\n"

#define ACTION_1 \
	"{\"id\":\"e2\",\"timestamp\":\"2026-02-05T11:24:02.292853\",\"source\":\"agent\",\"kind\":\"ActionEvent\",\"th" \
	"ought\":[{\"cache_prompt\":false,\"type\":\"text\",\"text\":\"I look.\"}],\"thinking_blocks\":[],\"action\":{" \
	"\"kind\":\"TerminalAction\",\"command\":\"ls\"},\"tool_name\":\"terminal\",\"tool_call_id\":\"c1\",\"tool_call" \
	"\":{\"id\":\"c1\",\"name\":\"terminal\",\"arguments\":\"{\\\"command\\\": \\\"ls\\\"}\",\"origin\":\"completio" \
	"n\"},\"llm_response_id\":\"resp1\",\"security_risk\":\"LOW\",\"reasoning_content\":\"hm\"}\n"

#define ACTION_2 \
	"{\"id\":\"e3\",\"timestamp\":\"2026-02-05T11:24:03.292853\",\"source\":\"agent\",\"kind\":\"ActionEvent\",\"th" \
	"ought\":[],\"thinking_blocks\":[],\"action\":{\"kind\":\"TerminalAction\",\"command\":\"pwd\"},\"tool_name\":" \
	"\"terminal\",\"tool_call_id\":\"c2\",\"tool_call\":{\"id\":\"c2\",\"name\":\"terminal\",\"arguments\":\"{\\\"c" \
	"ommand\\\": \\\"pwd\\\"}\",\"origin\":\"completion\"},\"llm_response_id\":\"resp1\",\"security_risk\":\"LOW\"}" \
	"\n"

#define SEEN_1 \
	"{\"id\":\"e4\",\"timestamp\":\"2026-02-05T11:24:04.292853\",\"source\":\"environment\",\"kind\":\"ObservationE" \
	"vent\",\"tool_name\":\"terminal\",\"tool_call_id\":\"c1\",\"observation\":{\"content\":[{\"cache_prompt\":fals" \
	"e,\"type\":\"text\",\"text\":\"a.py\"}],\"is_error\":false,\"kind\":\"TerminalObservation\",\"exit_code\":1,\"" \
	"metadata\":{\"exit_code\":1}},\"action_id\":\"e\"}\n"

#define REJECTED \
	"{\"id\":\"e5\",\"timestamp\":\"2026-02-05T11:24:05.292853\",\"source\":\"user\",\"kind\":\"UserRejectObservati" \
	"on\",\"tool_name\":\"terminal\",\"tool_call_id\":\"c2\",\"rejection_reason\":\"no!\",\"action_id\":\"e3\"}\n"

#define STATS_1 \
	"{\"id\":\"e6\",\"timestamp\":\"2026-02-05T11:24:06.292853\",\"source\":\"environment\",\"kind\":\"Conversation" \
	"StateUpdateEvent\",\"key\":\"stats\",\"value\":{\"usage_to_metrics\":{\"default\":{\"model_name\":\"m-1\",\"ac" \
	"cumulated_cost\":0.1,\"accumulated_token_usage\":{\"model\":\"m-1\",\"prompt_tokens\":100,\"completion_tokens" \
	"\":10,\"cache_read_tokens\":7,\"cache_write_tokens\":0,\"reasoning_tokens\":3}},\"condenser\":{\"model_name\":" \
	"\"m-1\",\"accumulated_cost\":0.0,\"accumulated_token_usage\":{\"prompt_tokens\":0,\"completion_tokens\":0}}}}}" \
	"\n"

#define ACTION_3 \
	"{\"id\":\"e7\",\"timestamp\":\"2026-02-05T11:24:07.292853\",\"source\":\"agent\",\"kind\":\"ActionEvent\",\"th" \
	"ought\":[],\"thinking_blocks\":[],\"action\":{\"kind\":\"TerminalAction\",\"command\":\"x\"},\"tool_name\":\"t" \
	"erminal\",\"tool_call_id\":\"c3\",\"tool_call\":{\"id\":\"c3\",\"name\":\"terminal\",\"arguments\":\"{\\\"comm" \
	"and\\\": \\\"x\\\"}\",\"origin\":\"completion\"},\"llm_response_id\":\"resp2\",\"security_risk\":\"LOW\"}\n"

#define FAILED \
	"{\"id\":\"e8\",\"timestamp\":\"2026-02-05T11:24:08.292853\",\"source\":\"agent\",\"kind\":\"AgentErrorEvent\"," \
	"\"tool_name\":\"terminal\",\"tool_call_id\":\"c3\",\"error\":\"no such tool\"}\n"

#define CONDENSED \
	"{\"id\":\"e9\",\"timestamp\":\"2026-02-05T11:24:09.292853\",\"source\":\"environment\",\"kind\":\"Condensation" \
	"\",\"forgotten_event_ids\":[\"e2\"],\"summary\":\"s\",\"llm_response_id\":\"resp9\"}\n"

#define TROUBLE \
	"{\"id\":\"e10\",\"timestamp\":\"2026-02-05T11:24:10.292853\",\"source\":\"environment\",\"kind\":\"Conversatio" \
	"nErrorEvent\",\"code\":\"LLMError\",\"detail\":\"refused\"}\n"

#define ACP_1 \
	"{\"id\":\"e11\",\"timestamp\":\"2026-02-05T11:24:11.292853\",\"source\":\"agent\",\"kind\":\"ACPToolCallEvent" \
	"\",\"tool_call_id\":\"acp1\",\"title\":\"Read\",\"status\":\"in_progress\",\"tool_kind\":\"read\",\"raw_input" \
	"\":{\"p\":1}}\n"

#define ACP_2 \
	"{\"id\":\"e12\",\"timestamp\":\"2026-02-05T11:24:12.292853\",\"source\":\"agent\",\"kind\":\"ACPToolCallEvent" \
	"\",\"tool_call_id\":\"acp1\",\"title\":\"Read\",\"status\":\"completed\",\"tool_kind\":\"read\",\"raw_input\":" \
	"{\"p\":1},\"raw_output\":\"text\",\"is_error\":false}\n"

#define FINISH \
	"{\"id\":\"e13\",\"timestamp\":\"2026-02-05T11:24:13.292853\",\"source\":\"agent\",\"kind\":\"ActionEvent\",\"t" \
	"hought\":[],\"thinking_blocks\":[],\"action\":{\"kind\":\"TerminalAction\",\"message\":\"done\"},\"tool_name\"" \
	":\"finish\",\"tool_call_id\":\"c4\",\"tool_call\":{\"id\":\"c4\",\"name\":\"finish\",\"arguments\":\"{\\\"mess" \
	"age\\\": \\\"done\\\"}\",\"origin\":\"completion\"},\"llm_response_id\":\"resp3\",\"security_risk\":\"LOW\"}\n"

#define FINISHED \
	"{\"id\":\"e14\",\"timestamp\":\"2026-02-05T11:24:14.292853\",\"source\":\"environment\",\"kind\":\"Observation" \
	"Event\",\"tool_name\":\"finish\",\"tool_call_id\":\"c4\",\"observation\":{\"content\":[{\"cache_prompt\":false" \
	",\"type\":\"text\",\"text\":\"done\"}],\"is_error\":false,\"kind\":\"TerminalObservation\"},\"action_id\":\"e" \
	"\"}\n"

#define STATS_2 \
	"{\"id\":\"e15\",\"timestamp\":\"2026-02-05T11:24:15.292853\",\"source\":\"environment\",\"kind\":\"Conversatio" \
	"nStateUpdateEvent\",\"key\":\"stats\",\"value\":{\"usage_to_metrics\":{\"default\":{\"model_name\":\"m-1\",\"a" \
	"ccumulated_cost\":0.3,\"accumulated_token_usage\":{\"model\":\"m-1\",\"prompt_tokens\":300,\"completion_tokens" \
	"\":30,\"cache_read_tokens\":7,\"cache_write_tokens\":0,\"reasoning_tokens\":3}},\"condenser\":{\"model_name\":" \
	"\"m-1\",\"accumulated_cost\":0.0,\"accumulated_token_usage\":{\"prompt_tokens\":0,\"completion_tokens\":0}}}}}" \
	"\n"

#define SAID \
	"{\"id\":\"e16\",\"timestamp\":\"2026-02-05T11:24:16.292853\",\"source\":\"agent\",\"kind\":\"MessageEvent\",\"" \
	"llm_message\":{\"role\":\"assistant\",\"content\":[{\"cache_prompt\":false,\"type\":\"text\",\"text\":\"Bye.\"" \
	"}],\"thinking_blocks\":[]},\"llm_response_id\":\"resp4\"}\n"

#define PAUSE \
	"{\"id\":\"e17\",\"timestamp\":\"2026-02-05T11:24:17.292853\",\"source\":\"user\",\"kind\":\"PauseEvent\"}\n"

#define STATE \
	"{\"id\":\"11111111-2222-3333-4444-555555555555\",\"agent\":{\"llm\":{\"model\":\"gpt-x\",\"api_key\":\"**\"}," \
	"\"kind\":\"Agent\"},\"workspace\":{\"working_dir\":\"/w\"},\"persistence_dir\":\"/p\",\"execution_status\":\"f" \
	"inished\",\"confirmation_policy\":{\"kind\":\"NeverConfirm\"},\"stats\":{\"usage_to_metrics\":{\"default\":{\"" \
	"model_name\":\"m-1\",\"accumulated_cost\":0.5,\"accumulated_token_usage\":{\"model\":\"m-1\",\"prompt_tokens\"" \
	":500,\"completion_tokens\":60,\"cache_read_tokens\":7,\"cache_write_tokens\":0,\"reasoning_tokens\":3}},\"cond" \
	"enser\":{\"model_name\":\"m-1\",\"accumulated_cost\":0.0,\"accumulated_token_usage\":{\"prompt_tokens\":0,\"co" \
	"mpletion_tokens\":0}}}}}\n"

static struct arena arena;

static struct str v1_otutl(const char *text)
{
	return convert_valid(&arena, "openhands", str_from(text), "otutl");
}

static struct str v1_get(struct str out, const char *type, size_t n, const char *pointer)
{
	return convert_get(&arena, convert_record(out, type, n), pointer);
}

static struct str v1_figures(struct str out)
{
	struct convert_figures f = convert_count(out);

	return arena_printf(&arena, "%d runs, %d steps, %d calls, %d results, %d errors, %d orphans, %d in, %d out", (int)f.runs,
			    (int)f.model_steps, (int)f.tool_calls, (int)f.tool_results, (int)f.tool_errors, (int)f.orphan_calls,
			    (int)f.input_total, (int)f.output_total);
}

TEST(actions_of_one_answer_are_calls_of_one_step)
{
	struct str out;

	arena_init(&arena);
	out = v1_otutl(SYSTEM ASKED ACTION_1 ACTION_2 SEEN_1);
	CHECK_STR(v1_figures(out), STR("1 runs, 1 steps, 2 calls, 1 results, 0 errors, 1 orphans, -1 in, -1 out"));
	CHECK_STR(v1_get(out, "model_step", 0, "/step_id"), STR("resp1"));
	CHECK_STR(v1_get(out, "model_step", 0, "/text"), STR("I look."));
	CHECK_STR(v1_get(out, "model_step", 0, "/reasoning"), STR("hm"));
	CHECK_STR(v1_get(out, "tool_call", 1, "/args/command"), STR("pwd"));
	CHECK_STR(v1_get(out, "tool_call", 1, "/step_id"), STR("resp1"));
	CHECK_STR(v1_get(out, "run_start", 0, "/tools/0/title"), STR("terminal"));
	CHECK_STR(v1_get(out, "model_step", 0, "/request/messages/0/content"), STR("You are OpenHands."));
	arena_free(&arena);
}

TEST(an_observation_says_itself_whether_it_is_an_error)
{
	struct str out;

	arena_init(&arena);
	out = v1_otutl(ACTION_1 SEEN_1);
	CHECK_STR(v1_get(out, "tool_result", 0, "/is_error"), STR("false"));
	CHECK_STR(v1_get(out, "tool_result", 0, "/exit_code"), STR("1"));
	CHECK_STR(v1_get(out, "tool_result", 0, "/result/0/text"), STR("a.py"));
	arena_free(&arena);
}

TEST(a_call_that_was_not_made_has_a_result_that_is_an_error)
{
	struct str out;

	arena_init(&arena);
	out = v1_otutl(ACTION_2 REJECTED ACTION_3 FAILED);
	CHECK_STR(v1_figures(out), STR("1 runs, 2 steps, 2 calls, 2 results, 2 errors, 0 orphans, -1 in, -1 out"));
	CHECK_STR(v1_get(out, "tool_result", 0, "/result"), STR("no!"));
	CHECK_STR(v1_get(out, "tool_result", 1, "/result"), STR("no such tool"));
	arena_free(&arena);
}

TEST(sums_are_the_cost_of_the_run_and_the_latest_counts)
{
	struct str out;

	arena_init(&arena);
	out = v1_otutl(ACTION_1 STATS_1 SEEN_1 STATS_2 STATS_1);
	CHECK_STR(v1_figures(out), STR("1 runs, 1 steps, 1 calls, 1 results, 0 errors, 0 orphans, 300 in, 30 out"));
	CHECK_STR(v1_get(out, "cost", 0, "/scope"), STR("run"));
	CHECK_STR(v1_get(out, "cost", 0, "/model"), STR("m-1"));
	CHECK_STR(v1_get(out, "cost", 0, "/estimated_cost_usd"), STR("0.3"));
	CHECK(!convert_record(out, "cost", 1).n); /* the condenser was never asked */
	arena_free(&arena);
}

TEST(the_state_says_whose_run_it_is_and_how_it_ended)
{
	struct str out;

	arena_init(&arena);
	out = v1_otutl(STATE SYSTEM ASKED ACTION_1 STATS_1 SEEN_1);
	CHECK_STR(v1_figures(out), STR("1 runs, 1 steps, 1 calls, 1 results, 0 errors, 0 orphans, 500 in, 60 out"));
	CHECK_STR(v1_get(out, "run_start", 0, "/vendor_run_id"), STR("11111111-2222-3333-4444-555555555555"));
	CHECK_STR(v1_get(out, "run_start", 0, "/model"), STR("gpt-x"));
	CHECK_STR(v1_get(out, "model_step", 0, "/model"), STR("gpt-x"));
	CHECK_STR(v1_get(out, "run_start", 0, "/tools/0/title"), STR("terminal"));
	CHECK_STR(v1_get(out, "run_end", 0, "/status"), STR("success"));
	CHECK_STR(v1_get(out, "run_end", 0, "/reason"), STR("finished"));
	arena_free(&arena);
}

TEST(a_state_alone_is_no_run)
{
	struct converted log;

	arena_init(&arena);
	log = convert_with(&arena, STR(STATE), (struct convert_how){ .to = "otutl" });
	CHECK(log.from == &openhands_dialect);
	CHECK_INT(log.tally.runs, 0);
	CHECK_STR(log.out, STR(""));
	arena_free(&arena);
}

TEST(messages_of_the_assistant_are_steps)
{
	struct str out;

	arena_init(&arena);
	out = v1_otutl(ASKED SAID);
	CHECK_STR(v1_get(out, "model_step", 0, "/text"), STR("Bye."));
	CHECK_STR(v1_get(out, "model_step", 0, "/response_id"), STR("resp4"));
	CHECK_STR(v1_get(out, "model_step", 0, "/request/messages/0/content/0/text"), STR("Do ZEBRA."));
	arena_free(&arena);
}

TEST(errors_compactions_and_pauses_have_records)
{
	struct str out;

	arena_init(&arena);
	out = v1_otutl(ASKED ACTION_1 CONDENSED TROUBLE PAUSE);
	CHECK_STR(v1_get(out, "error", 0, "/class"), STR("harness"));
	CHECK_STR(v1_get(out, "error", 0, "/code"), STR("LLMError"));
	CHECK(str_has(out, STR("\"compaction\"")) && str_has(out, STR("forgotten_event_ids")) && str_has(out, STR("PauseEvent")));
	arena_free(&arena);
}

TEST(a_call_in_another_agent_is_told_when_it_is_over)
{
	struct str out;

	arena_init(&arena);
	out = v1_otutl(ASKED ACP_1 ACP_2);
	CHECK_STR(v1_figures(out), STR("1 runs, 0 steps, 1 calls, 1 results, 0 errors, 0 orphans, -1 in, -1 out"));
	CHECK_STR(v1_get(out, "tool_call", 0, "/tool"), STR("tool://openhands/read"));
	CHECK_STR(v1_get(out, "tool_result", 0, "/result"), STR("text"));
	arena_free(&arena);
}

TEST(a_run_whose_last_call_is_finish_is_a_success)
{
	arena_init(&arena);
	CHECK_STR(v1_get(v1_otutl(ASKED FINISH FINISHED), "run_end", 0, "/status"), STR("success"));
	CHECK_STR(v1_get(v1_otutl(ASKED FINISH FINISHED TROUBLE), "run_end", 0, "/status"), STR("error"));
	arena_free(&arena);
}
