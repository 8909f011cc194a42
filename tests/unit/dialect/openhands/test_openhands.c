/* OpenHands: which container a value is, and the files of a conversation. */
#include "dialect/formats.h"
#include "unit/dialect/expect_run.h"
#include "unit/source/scratch.h"

#define ASKED \
	"{\"id\":\"e1\",\"timestamp\":\"2026-02-05T11:24:01.292853\",\"source\":\"user\",\"kind\":\"MessageEvent\",\"ll" \
	"m_message\":{\"role\":\"user\",\"content\":[{\"cache_prompt\":false,\"type\":\"text\",\"text\":\"Do ZEBRA.\"}]" \
	",\"thinking_blocks\":[]},\"activated_skills\":[]}"

#define ACTION \
	"{\"id\":\"e2\",\"timestamp\":\"2026-02-05T11:24:02.292853\",\"source\":\"agent\",\"kind\":\"ActionEvent\",\"th" \
	"ought\":[{\"cache_prompt\":false,\"type\":\"text\",\"text\":\"I look.\"}],\"thinking_blocks\":[],\"action\":{" \
	"\"kind\":\"TerminalAction\",\"command\":\"ls\"},\"tool_name\":\"terminal\",\"tool_call_id\":\"c1\",\"tool_call" \
	"\":{\"id\":\"c1\",\"name\":\"terminal\",\"arguments\":\"{\\\"command\\\": \\\"ls\\\"}\",\"origin\":\"completio" \
	"n\"},\"llm_response_id\":\"resp1\",\"security_risk\":\"LOW\",\"reasoning_content\":\"hm\"}"

#define SEEN \
	"{\"id\":\"e4\",\"timestamp\":\"2026-02-05T11:24:04.292853\",\"source\":\"environment\",\"kind\":\"ObservationE" \
	"vent\",\"tool_name\":\"terminal\",\"tool_call_id\":\"c1\",\"observation\":{\"content\":[{\"cache_prompt\":fals" \
	"e,\"type\":\"text\",\"text\":\"a.py\"}],\"is_error\":false,\"kind\":\"TerminalObservation\",\"exit_code\":1,\"" \
	"metadata\":{\"exit_code\":1}},\"action_id\":\"e\"}"

#define STATE \
	"{\"id\":\"11111111-2222-3333-4444-555555555555\",\"agent\":{\"llm\":{\"model\":\"gpt-x\",\"api_key\":\"**\"}," \
	"\"kind\":\"Agent\"},\"workspace\":{\"working_dir\":\"/w\"},\"persistence_dir\":\"/p\",\"execution_status\":\"f" \
	"inished\",\"confirmation_policy\":{\"kind\":\"NeverConfirm\"},\"stats\":{\"usage_to_metrics\":{\"default\":{\"" \
	"model_name\":\"m-1\",\"accumulated_cost\":0.5,\"accumulated_token_usage\":{\"model\":\"m-1\",\"prompt_tokens\"" \
	":500,\"completion_tokens\":60,\"cache_read_tokens\":7,\"cache_write_tokens\":0,\"reasoning_tokens\":3}},\"cond" \
	"enser\":{\"model_name\":\"m-1\",\"accumulated_cost\":0.0,\"accumulated_token_usage\":{\"prompt_tokens\":0,\"co" \
	"mpletion_tokens\":0}}}}}"

#define OLD \
	"[{\"id\":0,\"timestamp\":\"2025-01-27T22:44:00.900854\",\"source\":\"user\",\"action\":\"message\",\"args\":{" \
	"\"content\":\"u\"}},{\"id\":3,\"timestamp\":\"2025-01-27T22:44:03.900854\",\"source\":\"agent\",\"message\":\"" \
	"r\",\"action\":\"run_ipython\",\"args\":{\"code\":\"1+1\",\"thought\":\"I count.\"}},{\"id\":4,\"timestamp\":" \
	"\"2025-01-27T22:44:04.900854\",\"source\":\"agent\",\"message\":\"r\",\"cause\":3,\"observation\":\"run_ipytho" \
	"n\",\"content\":\"2\",\"extras\":{\"code\":\"1+1\"}}]"

static struct arena arena;

TEST(samples_have_the_figures_that_were_counted)
{
	expect_folder("vendors/openhands", "openhands", 9);
}

TEST(each_container_is_known_by_its_content)
{
	static const struct {
		const char *text;
		bool ours;
	} cases[] = {
		{ OLD, true },
		{ "{\"history\":" OLD "}", true },
		{ "{\"trajectory\":" OLD "}", true },
		{ ASKED, true },
		{ "[" ASKED "]", true },
		{ "{\"items\":[" ASKED "],\"next_page_id\":null}", true },
		{ STATE, true },
		{ "{\"kind\":\"Other\",\"source\":\"x\",\"timestamp\":\"t\"}", false },
		{ "[{\"action\":\"click\",\"content\":\"x\"}]", false },
		{ "{\"action\":\"login\",\"source\":\"agent\",\"timestamp\":\"t\"}", false },
		{ "{\"history\":[{\"role\":\"user\",\"content\":\"x\"}]}", false },
		{ "{\"agent\":{},\"id\":1,\"execution_status\":\"idle\"}", false },
	};

	arena_init(&arena);
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct converted log = convert_with(&arena, str_from(cases[i].text), (struct convert_how){ .to = "otutl" });

		CHECK_INT(log.from == &openhands_dialect, cases[i].ours);
	}
	arena_free(&arena);
}

TEST(a_page_of_the_server_is_read_event_by_event)
{
	struct str out;

	arena_init(&arena);
	out = convert_valid(&arena, "openhands", STR("{\"items\":[" ASKED "," ACTION "," SEEN "],\"next_page_id\":\"p2\"}"), "otutl");
	CHECK_INT(convert_count(out).tool_results, 1);
	CHECK(str_has(out, STR("\"next_page_id\":\"p2\"")));
	arena_free(&arena);
}

static void conversation_write(const char *root, const char *name, const char *text)
{
	scratch_write(arena_printf(&arena, "%s/%s", root, name).p, str_from(text));
}

TEST(a_directory_is_one_run_with_the_sums_of_its_state)
{
	char root[] = "/tmp/trackway-test-XXXXXX";
	struct converted log;

	arena_init(&arena);
	CHECK(mkdtemp(root) && mkdir(arena_printf(&arena, "%s/events", root).p, 0755) == 0);
	conversation_write(root, "events/event-00002-c.json", SEEN);
	conversation_write(root, "events/event-00001-b.json", ACTION);
	conversation_write(root, "events/event-00000-a.json", ASKED);
	conversation_write(root, "base_state.json", STATE);
	log = convert_file(&arena, root, (struct convert_how){ .to = "otutl" });
	CHECK(log.done && log.from == &openhands_dialect);
	CHECK_INT(log.tally.runs, 1);
	CHECK_INT(convert_count(log.out).tool_results, 1);
	CHECK_INT(convert_count(log.out).orphan_calls, 0);
	CHECK_INT(convert_count(log.out).input_total, 500);
	CHECK_INT(nftw(root, scratch_remove, 8, FTW_DEPTH | FTW_PHYS), 0);
	arena_free(&arena);
}

TEST(a_trace_of_it_holds_no_content)
{
	static const char *const texts[] = { STATE "\n" ASKED "\n" ACTION "\n" SEEN "\n", OLD };

	arena_init(&arena);
	for (size_t i = 0; i < COUNT(texts); i++) {
		struct str out = convert_valid(&arena, "openhands", str_from(texts[i]), "agent-trace");

		CHECK(!str_has(out, STR("ZEBRA")) && !str_has(out, STR("I look")) && !str_has(out, STR("a.py")));
		CHECK(!str_has(out, STR("1+1")) && !str_has(out, STR("I count")) && !str_has(out, STR("/p")));
	}
	arena_free(&arena);
}
