/* Events of V0, container by container and trap by trap. */
#include "dialect/formats.h"
#include "unit/dialect/expect_run.h"

#define CALL_1 \
	"{\"id\":3,\"timestamp\":\"2025-01-27T22:44:03.900854\",\"source\":\"agent\",\"message\":\"Running ls\",\"actio" \
	"n\":\"run\",\"tool_call_metadata\":{\"function_name\":\"execute_bash\",\"tool_call_id\":\"toolu_01\",\"model_r" \
	"esponse\":{\"id\":\"r1\",\"created\":1738046713,\"model\":\"claude-x\",\"object\":\"chat.completion\",\"choice" \
	"s\":[{\"index\":0,\"finish_reason\":\"tool_calls\",\"message\":{\"role\":\"assistant\",\"content\":\"I look ZE" \
	"BRA.\",\"tool_calls\":[{\"id\":\"toolu_01\",\"type\":\"function\",\"function\":{\"name\":\"execute_bash\",\"ar" \
	"guments\":\"{\\\"command\\\": \\\"ls\\\"}\"}},{\"id\":\"toolu_02\",\"type\":\"function\",\"function\":{\"name" \
	"\":\"execute_bash\",\"arguments\":\"{\\\"command\\\": \\\"false\\\"}\"}}]}}],\"usage\":{\"prompt_tokens\":100," \
	"\"completion_tokens\":20,\"total_tokens\":120,\"prompt_tokens_details\":{\"cached_tokens\":60},\"cache_creatio" \
	"n_input_tokens\":30}},\"total_calls_in_response\":2},\"llm_metrics\":{\"accumulated_cost\":0.5,\"accumulated_t" \
	"oken_usage\":{\"model\":\"m\",\"prompt_tokens\":100,\"completion_tokens\":20,\"cache_read_tokens\":0,\"cache_w" \
	"rite_tokens\":0,\"response_id\":\"\"},\"costs\":[],\"response_latencies\":[],\"token_usages\":[]},\"args\":{\"" \
	"command\":\"ls\",\"thought\":\"I look ZEBRA.\",\"hidden\":false}}"

#define SEEN_1 \
	"{\"id\":4,\"timestamp\":\"2025-01-27T22:44:04.900854\",\"source\":\"agent\",\"message\":\"ls\",\"cause\":3,\"o" \
	"bservation\":\"run\",\"tool_call_metadata\":{\"function_name\":\"execute_bash\",\"tool_call_id\":\"toolu_01\"," \
	"\"model_response\":{\"id\":\"r1\",\"created\":1738046713,\"model\":\"claude-x\",\"object\":\"chat.completion\"" \
	",\"choices\":[{\"index\":0,\"finish_reason\":\"tool_calls\",\"message\":{\"role\":\"assistant\",\"content\":\"" \
	"I look ZEBRA.\",\"tool_calls\":[{\"id\":\"toolu_01\",\"type\":\"function\",\"function\":{\"name\":\"execute_ba" \
	"sh\",\"arguments\":\"{\\\"command\\\": \\\"ls\\\"}\"}},{\"id\":\"toolu_02\",\"type\":\"function\",\"function\"" \
	":{\"name\":\"execute_bash\",\"arguments\":\"{\\\"command\\\": \\\"false\\\"}\"}}]}}],\"usage\":{\"prompt_token" \
	"s\":100,\"completion_tokens\":20,\"total_tokens\":120,\"prompt_tokens_details\":{\"cached_tokens\":60},\"cache" \
	"_creation_input_tokens\":30}},\"total_calls_in_response\":2},\"content\":\"a.py\",\"extras\":{\"command\":\"ls" \
	"\",\"metadata\":{\"exit_code\":0,\"pid\":-1}},\"success\":true}"

#define CALL_2 \
	"{\"id\":5,\"timestamp\":\"2025-01-27T22:44:05.900854\",\"source\":\"agent\",\"message\":\"Running false\",\"ac" \
	"tion\":\"run\",\"tool_call_metadata\":{\"function_name\":\"execute_bash\",\"tool_call_id\":\"toolu_02\",\"mode" \
	"l_response\":{\"id\":\"r1\",\"created\":1738046713,\"model\":\"claude-x\",\"object\":\"chat.completion\",\"cho" \
	"ices\":[{\"index\":0,\"finish_reason\":\"tool_calls\",\"message\":{\"role\":\"assistant\",\"content\":\"I look" \
	" ZEBRA.\",\"tool_calls\":[{\"id\":\"toolu_01\",\"type\":\"function\",\"function\":{\"name\":\"execute_bash\"," \
	"\"arguments\":\"{\\\"command\\\": \\\"ls\\\"}\"}},{\"id\":\"toolu_02\",\"type\":\"function\",\"function\":{\"n" \
	"ame\":\"execute_bash\",\"arguments\":\"{\\\"command\\\": \\\"false\\\"}\"}}]}}],\"usage\":{\"prompt_tokens\":1" \
	"00,\"completion_tokens\":20,\"total_tokens\":120,\"prompt_tokens_details\":{\"cached_tokens\":60},\"cache_crea" \
	"tion_input_tokens\":30}},\"total_calls_in_response\":2},\"llm_metrics\":{\"accumulated_cost\":0.5,\"accumulate" \
	"d_token_usage\":{\"model\":\"m\",\"prompt_tokens\":100,\"completion_tokens\":20,\"cache_read_tokens\":0,\"cach" \
	"e_write_tokens\":0,\"response_id\":\"\"},\"costs\":[],\"response_latencies\":[],\"token_usages\":[]},\"args\":" \
	"{\"command\":\"false\",\"thought\":\"\"}}"

#define SEEN_2 \
	"{\"id\":6,\"timestamp\":\"2025-01-27T22:44:06.900854\",\"source\":\"agent\",\"message\":\"false\",\"cause\":5," \
	"\"observation\":\"run\",\"tool_call_metadata\":{\"function_name\":\"execute_bash\",\"tool_call_id\":\"toolu_02" \
	"\",\"model_response\":{\"id\":\"r1\",\"created\":1738046713,\"model\":\"claude-x\",\"object\":\"chat.completio" \
	"n\",\"choices\":[{\"index\":0,\"finish_reason\":\"tool_calls\",\"message\":{\"role\":\"assistant\",\"content\"" \
	":\"I look ZEBRA.\",\"tool_calls\":[{\"id\":\"toolu_01\",\"type\":\"function\",\"function\":{\"name\":\"execute" \
	"_bash\",\"arguments\":\"{\\\"command\\\": \\\"ls\\\"}\"}},{\"id\":\"toolu_02\",\"type\":\"function\",\"functio" \
	"n\":{\"name\":\"execute_bash\",\"arguments\":\"{\\\"command\\\": \\\"false\\\"}\"}}]}}],\"usage\":{\"prompt_to" \
	"kens\":100,\"completion_tokens\":20,\"total_tokens\":120,\"prompt_tokens_details\":{\"cached_tokens\":60},\"ca" \
	"che_creation_input_tokens\":30}},\"total_calls_in_response\":2},\"content\":\"\",\"extras\":{\"command\":\"fal" \
	"se\",\"metadata\":{\"exit_code\":1}},\"success\":false}"

#define SYSTEM \
	"{\"id\":0,\"timestamp\":\"2025-01-27T22:44:00.900854\",\"source\":\"agent\",\"message\":\"s\",\"action\":\"sys" \
	"tem\",\"args\":{\"content\":\"You are OpenHands.\",\"tools\":[{\"type\":\"function\",\"function\":{\"name\":\"" \
	"execute_bash\"}}],\"openhands_version\":\"0.35.0\",\"agent_class\":\"CodeActAgent\"}}"

#define ASKED \
	"{\"id\":1,\"timestamp\":\"2025-01-27T22:44:01.900854\",\"source\":\"user\",\"message\":\"Do it.\",\"action\":" \
	"\"message\",\"args\":{\"content\":\"Do it.\",\"image_urls\":null}}"

#define STATE \
	"{\"id\":2,\"timestamp\":\"2025-01-27T22:44:02.900854\",\"source\":\"environment\",\"message\":\"\",\"observati" \
	"on\":\"agent_state_changed\",\"content\":\"\",\"extras\":{\"agent_state\":\"running\"}}"

#define SAID \
	"{\"id\":7,\"timestamp\":\"2025-01-27T22:44:07.900854\",\"source\":\"agent\",\"message\":\"hm\",\"action\":\"me" \
	"ssage\",\"llm_metrics\":{\"accumulated_cost\":0.75,\"accumulated_token_usage\":{\"model\":\"m\",\"prompt_token" \
	"s\":150,\"completion_tokens\":27,\"cache_read_tokens\":0,\"cache_write_tokens\":0,\"response_id\":\"\"},\"cost" \
	"s\":[],\"response_latencies\":[],\"token_usages\":[]},\"args\":{\"content\":\"hm\",\"wait_for_response\":true}" \
	"}"

#define NONE \
	"{\"id\":8,\"timestamp\":\"2025-01-27T22:44:08.900854\",\"source\":\"agent\",\"message\":\"No observation\",\"c" \
	"ause\":7,\"observation\":\"null\",\"content\":\"\",\"extras\":{}}"

#define TROUBLE \
	"{\"id\":9,\"timestamp\":\"2025-01-27T22:44:09.900854\",\"source\":\"environment\",\"message\":\"bad\",\"observ" \
	"ation\":\"error\",\"content\":\"could not parse\",\"extras\":{\"error_id\":\"PARSE\"}}"

#define CONDENSED \
	"{\"id\":10,\"timestamp\":\"2025-01-27T22:44:10.900854\",\"source\":\"agent\",\"message\":\"c\",\"action\":\"co" \
	"ndensation\",\"args\":{\"forgotten_event_ids\":[3,4],\"summary\":\"x\"}}"

#define FINISH \
	"{\"id\":11,\"timestamp\":\"2025-01-27T22:44:11.900854\",\"source\":\"agent\",\"message\":\"All done.\",\"actio" \
	"n\":\"finish\",\"tool_call_metadata\":{\"function_name\":\"finish\",\"tool_call_id\":\"toolu_03\",\"model_resp" \
	"onse\":{\"id\":\"r2\",\"created\":1738046713,\"model\":\"claude-x\",\"object\":\"chat.completion\",\"choices\"" \
	":[{\"index\":0,\"finish_reason\":\"tool_calls\",\"message\":{\"role\":\"assistant\",\"content\":\"All done.\"," \
	"\"tool_calls\":[{\"id\":\"toolu_03\",\"type\":\"function\",\"function\":{\"name\":\"finish\",\"arguments\":\"{" \
	"\\\"message\\\": \\\"ok\\\"}\"}}]}}],\"usage\":{\"prompt_tokens\":200,\"completion_tokens\":5,\"total_tokens\"" \
	":205,\"prompt_tokens_details\":{\"cached_tokens\":60},\"cache_creation_input_tokens\":30}},\"total_calls_in_re" \
	"sponse\":1},\"llm_metrics\":{\"accumulated_cost\":1.0,\"accumulated_token_usage\":{\"model\":\"m\",\"prompt_to" \
	"kens\":350,\"completion_tokens\":32,\"cache_read_tokens\":0,\"cache_write_tokens\":0,\"response_id\":\"\"},\"c" \
	"osts\":[],\"response_latencies\":[],\"token_usages\":[]},\"args\":{\"outputs\":{},\"thought\":\"All done.\",\"" \
	"final_thought\":\"ok\"}}"

#define PLAIN \
	"[{\"id\":0,\"timestamp\":\"2025-01-27T22:44:00.900854\",\"source\":\"user\",\"action\":\"message\",\"args\":{" \
	"\"content\":\"u\"}},{\"id\":3,\"timestamp\":\"2025-01-27T22:44:03.900854\",\"source\":\"agent\",\"message\":\"" \
	"r\",\"action\":\"run_ipython\",\"args\":{\"code\":\"1+1\",\"thought\":\"I count.\"}},{\"id\":4,\"timestamp\":" \
	"\"2025-01-27T22:44:04.900854\",\"source\":\"agent\",\"message\":\"r\",\"cause\":3,\"observation\":\"run_ipytho" \
	"n\",\"content\":\"2\",\"extras\":{\"code\":\"1+1\"}},{\"id\":5,\"timestamp\":\"2025-01-27T22:44:05.900854\",\"" \
	"source\":\"user\",\"message\":\"r\",\"action\":\"run\",\"args\":{\"command\":\"ls\"}},{\"id\":6,\"timestamp\":" \
	"\"2025-01-27T22:44:06.900854\",\"source\":\"user\",\"message\":\"r\",\"cause\":5,\"observation\":\"run\",\"con" \
	"tent\":\"x\",\"extras\":{\"exit_code\":0}},{\"id\":7,\"timestamp\":\"2025-01-27T22:44:07.900854\",\"source\":" \
	"\"agent\",\"message\":\"r\",\"action\":\"browse\",\"args\":{\"url\":\"u\",\"thought\":\"\"}},{\"id\":8,\"times" \
	"tamp\":\"2025-01-27T22:44:08.900854\",\"source\":\"agent\",\"message\":\"r\",\"cause\":7,\"observation\":\"err" \
	"or\",\"content\":\"no net\",\"extras\":{}}]"

#define PAIRS \
	"{\"id\":\"x\",\"history\":[[{\"id\":0,\"timestamp\":\"2025-01-27T22:44:00.900854\",\"source\":\"user\",\"actio" \
	"n\":\"message\",\"args\":{\"content\":\"u\"}},{\"message\":\"No observation\",\"observation\":\"null\",\"conte" \
	"nt\":\"\",\"extras\":{}}],[{\"id\":3,\"timestamp\":\"2025-01-27T22:44:03.900854\",\"source\":\"agent\",\"messa" \
	"ge\":\"r\",\"action\":\"run_ipython\",\"args\":{\"code\":\"1+1\",\"thought\":\"I count.\"}},{\"id\":4,\"timest" \
	"amp\":\"2025-01-27T22:44:04.900854\",\"source\":\"agent\",\"message\":\"r\",\"cause\":3,\"observation\":\"run_" \
	"ipython\",\"content\":\"2\",\"extras\":{\"code\":\"1+1\"}}],[{\"id\":9,\"timestamp\":\"2025-01-27T22:44:09.900" \
	"854\",\"source\":\"agent\",\"action\":\"finish\",\"args\":{\"outputs\":{},\"thought\":\"\"}},{\"message\":\"No" \
	" observation\",\"observation\":\"null\",\"content\":\"\",\"extras\":{}}]],\"error\":null}"

#define DELEGATE \
	"[{\"id\":0,\"timestamp\":\"2025-01-27T22:44:00.900854\",\"source\":\"agent\",\"action\":\"delegate\",\"args\":" \
	"{\"agent\":\"B\",\"inputs\":{},\"thought\":\"ask\"}},{\"id\":1,\"timestamp\":\"2025-01-27T22:44:01.900854\",\"" \
	"source\":\"agent\",\"action\":\"run\",\"args\":{\"command\":\"ls\",\"thought\":\"inner\"}},{\"id\":2,\"timesta" \
	"mp\":\"2025-01-27T22:44:02.900854\",\"source\":\"agent\",\"cause\":1,\"observation\":\"run\",\"content\":\"x\"" \
	",\"extras\":{}},{\"id\":3,\"timestamp\":\"2025-01-27T22:44:03.900854\",\"source\":\"agent\",\"cause\":0,\"obse" \
	"rvation\":\"delegate\",\"content\":\"done\",\"extras\":{\"outputs\":{}}},{\"id\":4,\"timestamp\":\"2025-01-27T" \
	"22:44:04.900854\",\"source\":\"agent\",\"action\":\"run\",\"args\":{\"command\":\"pwd\",\"thought\":\"outer\"}" \
	"}]"

#define FLAT \
	"{\"issue\":{\"number\":5},\"instruction\":\"fix\",\"history\":[{\"content\":\"fix\",\"images_urls\":null,\"act" \
	"ion\":\"message\"},{\"command\":\"touch x\",\"thought\":\"I touch.\",\"action\":\"run\",\"is_confirmed\":\"con" \
	"firmed\"},{\"content\":\"\",\"command_id\":-1,\"command\":\"touch x\",\"exit_code\":2,\"observation\":\"run\"}" \
	",{\"outputs\":{},\"thought\":\"done\",\"action\":\"finish\"}],\"metrics\":{\"accumulated_cost\":0.07,\"costs\"" \
	":[0.07]},\"success\":true,\"error\":null}"

#define EMPTY \
	"{\"instance_id\":\"i-2\",\"history\":[],\"test_result\":{},\"metrics\":null,\"error\":\"timed out\"}"

#define RESULT \
	"{\"instance_id\":\"i-1\",\"instruction\":\"fix\",\"metadata\":{\"agent_class\":\"CodeActAgent\",\"llm_config\"" \
	":{\"model\":\"openai/m\",\"api_key\":\"**\"}},\"metrics\":{\"accumulated_cost\":0.5,\"accumulated_token_usage" \
	"\":{\"prompt_tokens\":100,\"completion_tokens\":20},\"response_latencies\":[{\"model\":\"m\",\"latency\":1.5," \
	"\"response_id\":\"r1\"}],\"token_usages\":[{\"model\":\"m\",\"prompt_tokens\":100,\"completion_tokens\":20,\"r" \
	"esponse_id\":\"r1\"}]},\"error\":\"AgentStuckInLoop\",\"test_result\":{\"git_patch\":\"diff\"},\"history\":["

static struct arena arena;

static struct str v0_otutl(const char *text)
{
	return convert_valid(&arena, "openhands", str_from(text), "otutl");
}

static struct str v0_get(struct str out, const char *type, size_t n, const char *pointer)
{
	return convert_get(&arena, convert_record(out, type, n), pointer);
}

static struct str v0_figures(struct str out)
{
	struct convert_figures f = convert_count(out);

	return arena_printf(&arena, "%d runs, %d steps, %d calls, %d results, %d errors, %d orphans, %d in, %d out", (int)f.runs,
			    (int)f.model_steps, (int)f.tool_calls, (int)f.tool_results, (int)f.tool_errors, (int)f.orphan_calls,
			    (int)f.input_total, (int)f.output_total);
}

/* Events as one list. */
static const char *v0_list(const char *const *events, size_t count)
{
	struct buf b = { 0 };

	for (size_t i = 0; i < count; i++)
		buf_printf(&b, "%s%s", i ? "," : "[", events[i]);
	buf_printf(&b, "]");
	return arena_take(&arena, &b).p;
}

static const char *const whole[] = {
	SYSTEM, ASKED, STATE, CALL_1, SEEN_1, CALL_2, SEEN_2, SAID, NONE, TROUBLE, CONDENSED, FINISH,
};

TEST(an_answer_that_events_repeat_is_one_step_with_all_its_calls)
{
	struct str out;

	arena_init(&arena);
	out = v0_otutl(v0_list(whole, COUNT(whole)));
	CHECK_STR(v0_figures(out), STR("1 runs, 3 steps, 2 calls, 2 results, 1 errors, 0 orphans, 350 in, 32 out"));
	CHECK_STR(v0_get(out, "model_step", 0, "/step_id"), STR("r1"));
	CHECK_STR(v0_get(out, "model_step", 0, "/text"), STR("I look ZEBRA."));
	CHECK_STR(v0_get(out, "model_step", 0, "/call_ids"), STR("[\"toolu_01\",\"toolu_02\"]"));
	CHECK_STR(v0_get(out, "tool_call", 1, "/args/command"), STR("false"));
	CHECK_STR(v0_get(out, "tool_call", 0, "/tool"), STR("tool://openhands/execute_bash"));
	CHECK_STR(v0_get(out, "cost", 0, "/cache_read_tokens"), STR("60"));
	CHECK_STR(v0_get(out, "cost", 0, "/cache_write_tokens"), STR("30"));
	arena_free(&arena);
}

TEST(what_sums_grew_by_is_what_an_answer_cost)
{
	struct str out;

	arena_init(&arena);
	out = v0_otutl(v0_list(whole, COUNT(whole)));
	CHECK_STR(v0_get(out, "cost", 0, "/estimated_cost_usd"), STR("0.5"));
	CHECK_STR(v0_get(out, "cost", 1, "/estimated_cost_usd"), STR("0.25"));
	CHECK_STR(v0_get(out, "cost", 1, "/tokens_in"), STR("50"));
	CHECK_STR(v0_get(out, "cost", 2, "/estimated_cost_usd"), STR("0.25"));
	CHECK_STR(v0_get(out, "cost", 2, "/tokens_in"), STR("200"));
	arena_free(&arena);
}

TEST(sums_of_a_log_that_begins_in_the_middle_are_not_the_first_answers)
{
	static const char *const late[] = { SAID, FINISH };
	struct str out;

	arena_init(&arena);
	out = v0_otutl(v0_list(late, COUNT(late)));
	CHECK_INT(convert_count(out).model_steps, 2);
	CHECK_STR(v0_get(out, "cost", 0, "/step_id"), STR("r2"));
	CHECK_STR(v0_get(out, "cost", 0, "/estimated_cost_usd"), STR("0.25"));
	arena_free(&arena);
}

TEST(an_exit_code_that_is_not_zero_is_an_error)
{
	struct str out;

	arena_init(&arena);
	out = v0_otutl(v0_list(whole, COUNT(whole)));
	CHECK_STR(v0_get(out, "tool_result", 0, "/is_error"), STR("false"));
	CHECK_STR(v0_get(out, "tool_result", 1, "/is_error"), STR("true"));
	CHECK_STR(v0_get(out, "tool_result", 1, "/exit_code"), STR("1"));
	CHECK_STR(v0_get(v0_otutl(FLAT "\n"), "tool_result", 0, "/exit_code"), STR("2"));
	arena_free(&arena);
}

TEST(an_error_of_no_call_is_an_error_record)
{
	struct str out;

	arena_init(&arena);
	out = v0_otutl(v0_list(whole, COUNT(whole)));
	CHECK_STR(v0_get(out, "error", 0, "/class"), STR("harness"));
	CHECK_STR(v0_get(out, "error", 0, "/code"), STR("PARSE"));
	CHECK_STR(v0_get(out, "error", 0, "/message"), STR("could not parse"));
	arena_free(&arena);
}

TEST(finish_ends_the_run_and_is_no_call)
{
	static const char *const goes_on[] = { ASKED, FINISH, ASKED };
	struct str out;

	arena_init(&arena);
	out = v0_otutl(v0_list(whole, COUNT(whole)));
	CHECK_STR(v0_get(out, "run_end", 0, "/status"), STR("success"));
	CHECK_STR(v0_get(out, "run_end", 0, "/reason"), STR("finish"));
	CHECK_STR(v0_get(out, "run_end", 0, "/output"), STR("ok"));
	CHECK(!v0_get(v0_otutl(v0_list(goes_on, COUNT(goes_on))), "run_end", 0, "/reason").p);
	arena_free(&arena);
}

TEST(the_system_message_tells_tools_and_version)
{
	struct str out;

	arena_init(&arena);
	out = v0_otutl(v0_list(whole, COUNT(whole)));
	CHECK_STR(v0_get(out, "run_start", 0, "/agent/version"), STR("0.35.0"));
	CHECK_STR(v0_get(out, "run_start", 0, "/tools/0/function/name"), STR("execute_bash"));
	arena_free(&arena);
}

TEST(without_answers_each_action_of_the_agent_is_one_and_cause_pairs)
{
	struct str out;

	arena_init(&arena);
	out = v0_otutl(PLAIN);
	CHECK_STR(v0_figures(out), STR("1 runs, 2 steps, 2 calls, 2 results, 1 errors, 0 orphans, -1 in, -1 out"));
	CHECK_STR(v0_get(out, "model_step", 0, "/text"), STR("I count."));
	CHECK_STR(v0_get(out, "tool_call", 0, "/call_id"), STR("action_3"));
	CHECK_STR(v0_get(out, "tool_call", 0, "/args/code"), STR("1+1"));
	CHECK_STR(v0_get(out, "tool_result", 0, "/call_id"), STR("action_3"));
	CHECK_STR(v0_get(out, "tool_result", 0, "/result"), STR("2"));
	arena_free(&arena);
}

TEST(pairs_of_an_action_and_an_observation_are_read_in_order)
{
	arena_init(&arena);
	CHECK_STR(v0_figures(v0_otutl(PAIRS "\n" PAIRS "\n")),
		  STR("2 runs, 4 steps, 2 calls, 2 results, 0 errors, 0 orphans, -1 in, -1 out"));
	arena_free(&arena);
}

TEST(flat_events_have_their_members_beside_the_word)
{
	struct str out;

	arena_init(&arena);
	out = v0_otutl(FLAT "\n");
	CHECK_STR(v0_figures(out), STR("1 runs, 2 steps, 1 calls, 1 results, 1 errors, 0 orphans, -1 in, -1 out"));
	CHECK_STR(v0_get(out, "tool_call", 0, "/args/command"), STR("touch x"));
	CHECK_STR(v0_get(out, "cost", 0, "/scope"), STR("run"));
	CHECK_STR(v0_get(out, "cost", 0, "/estimated_cost_usd"), STR("0.07"));
	arena_free(&arena);
}

TEST(results_tell_model_latency_and_why_they_failed)
{
	struct str out;

	arena_init(&arena);
	out = v0_otutl(RESULT ASKED "," CALL_1 "," SEEN_1 "]}\n" EMPTY "\n");
	CHECK_INT(convert_count(out).runs, 2);
	CHECK_STR(v0_get(out, "run_start", 0, "/model"), STR("openai/m"));
	CHECK_STR(v0_get(out, "model_step", 0, "/latency_ms"), STR("1500"));
	CHECK_STR(v0_get(out, "run_end", 0, "/status"), STR("error"));
	CHECK_STR(v0_get(out, "error", 0, "/message"), STR("AgentStuckInLoop"));
	CHECK_STR(v0_get(out, "run_end", 1, "/status"), STR("error"));
	arena_free(&arena);
}

TEST(what_an_asked_agent_does_is_inside_the_call)
{
	struct str out;

	arena_init(&arena);
	out = v0_otutl(DELEGATE);
	CHECK_STR(v0_get(out, "tool_call", 0, "/tool"), STR("tool://openhands/delegate"));
	CHECK_STR(v0_get(out, "tool_call", 1, "/parent_call_id"), STR("action_0"));
	CHECK(!v0_get(out, "tool_call", 2, "/parent_call_id").n || str_eq(v0_get(out, "tool_call", 2, "/parent_call_id"), STR("null")));
	arena_free(&arena);
}

TEST(the_servers_answer_holds_a_trajectory)
{
	struct converted log;

	arena_init(&arena);
	log = convert_with(&arena, STR("{\"trajectory\":" PLAIN "}"), (struct convert_how){ .to = "otutl" });
	CHECK(log.from == &openhands_dialect);
	CHECK_INT(convert_count(log.out).tool_calls, 2);
	arena_free(&arena);
}
