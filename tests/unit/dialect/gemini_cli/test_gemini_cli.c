#include "dialect/formats.h"
#include "unit/dialect/expect_run.h"

static struct arena arena;

static struct str convert(const char *text)
{
	return convert_valid(&arena, "gemini-cli", str_from(text), "otutl");
}

static struct str get(struct str out, const char *type, size_t n, const char *pointer)
{
	return convert_get(&arena, convert_record(out, type, n), pointer);
}

#define HEAD "{\"sessionId\":\"s\",\"projectHash\":\"h\",\"startTime\":\"2026-04-29T21:39:22.319Z\"," \
	"\"lastUpdated\":\"2026-04-29T21:39:22.319Z\",\"kind\":\"main\"}\n"

/* The folder holds a list of contents as well, which is Gemini's own. */
static void check_sample(const char *name, int64_t steps, int64_t calls, int64_t in, int64_t out, int64_t cached, int64_t thoughts)
{
	struct str path = arena_printf(&arena, "vendors/gemini_cli_session/dev/%s", name);
	struct converted c = convert_file(&arena, test_shared(path.p), (struct convert_how){ .to = "otutl" });
	struct convert_figures n = convert_count(c.out);

	test_case("%s", name);
	CHECK(c.done && c.from == &gemini_cli_dialect);
	CHECK_INT(n.model_steps, steps);
	CHECK_INT(n.tool_calls, calls);
	CHECK_INT(n.tool_results, calls);
	CHECK_INT(n.tool_errors, 0);
	CHECK_INT(n.input_total, in);
	CHECK_INT(n.output_total, out);
	CHECK_INT(n.cache_read, cached);
	CHECK_INT(n.reasoning, thoughts);
	CHECK_INT(c.coverage.leaves.left, 0);
}

TEST(samples_have_the_figures_that_were_counted)
{
	check_sample("agent-sessions-gemini-jsonl_v040.jsonl", 2, 1, 23924, 228, 11502, 0);
	check_sample("agent-sessions-gemini-large.json", 4, 2, 100, 10, 0, 0);
	check_sample("agentcmd-session-2025-10-29T10-40-359abdd0.json", 2, 1, 10312, 326, 0, 301);
}

static const char document[] =
	"{\"sessionId\":\"s\",\"projectHash\":\"h\",\"startTime\":\"2025-10-27T19:55:00.000Z\",\"lastUpda"
	"ted\":\"2025-10-27T20:12:00.000Z\",\"messages\":[{\"id\":\"u\",\"timestamp\":\"2025-10-27T19:55:"
	"01.000Z\",\"type\":\"user\",\"content\":\"go\"},{\"id\":\"a\",\"timestamp\":\"2025-10-27T20:11:4"
	"9.800Z\",\"type\":\"gemini\",\"content\":\"I do\",\"model\":\"gemini-2.5-pro\",\"thoughts\":[{\""
	"subject\":\"Plan\",\"description\":\"do it\",\"timestamp\":\"2025-10-27T19:56:00.000Z\"},{\"subj"
	"ect\":\"\",\"description\":\"now\"}],\"tokens\":{\"input\":100,\"output\":10,\"cached\":40,\"tho"
	"ughts\":5,\"tool\":3,\"total\":118},\"toolCalls\":[{\"id\":\"ls-1761594968137-abc\",\"name\":\"l"
	"s\",\"args\":{\"p\":1},\"result\":[{\"functionResponse\":{\"id\":\"ls-1761594968137-abc\",\"name"
	"\":\"ls\",\"response\":{\"error\":\"no\"}}}],\"status\":\"error\",\"timestamp\":\"2025-10-27T20:"
	"11:49.743Z\",\"displayName\":\"LS\"},{\"id\":\"b\",\"name\":\"cat\",\"args\":{},\"result\":null,"
	"\"status\":\"cancelled\",\"timestamp\":\"2025-10-27T20:11:49.743Z\"},{\"id\":\"c\",\"name\":\"wa"
	"it\",\"args\":{},\"result\":null,\"status\":\"executing\",\"timestamp\":\"2025-10-27T20:11:49.74"
	"3Z\"}]},{\"id\":\"i\",\"timestamp\":\"2025-10-27T20:11:50.000Z\",\"type\":\"info\",\"content\":\""
	"Request cancelled.\"},{\"id\":\"e\",\"timestamp\":\"2025-10-27T20:11:51.000Z\",\"type\":\"error\""
	",\"content\":\"quota\"},{\"id\":\"m\",\"timestamp\":\"2025-10-27T20:11:52.000Z\",\"type\":\"mode"
	"l\",\"parts\":[{\"text\":\"end\"}]}]}\n";

TEST(a_document_has_steps_calls_and_errors)
{
	struct str out = convert(document);
	struct convert_figures n = convert_count(out);

	CHECK_INT(n.model_steps, 2);
	CHECK_INT(n.tool_calls, 3);
	CHECK_INT(n.tool_results, 2);
	CHECK_INT(n.tool_errors, 2);
	CHECK_INT(n.orphan_calls, 1);
	CHECK_INT(n.input_total, 103);
	CHECK_INT(n.output_total, 15);
	CHECK_INT(n.reasoning, 5);
	CHECK_INT(n.cache_read, 40);
	CHECK_STR(get(out, "model_step", 0, "/reasoning"), STR("Plan\ndo it\n\nnow"));
	CHECK_STR(get(out, "model_step", 1, "/text"), STR("end"));
	CHECK_STR(get(out, "error", 0, "/message"), STR("quota"));
	CHECK_STR(get(out, "run_start", 0, "/vendor_run_id"), STR("s"));
}

TEST(a_call_began_when_its_id_says)
{
	struct str out = convert(document);

	CHECK_STR(get(out, "tool_call", 0, "/ts"), STR("2025-10-27T19:56:08.137Z"));
	CHECK_STR(get(out, "model_step", 0, "/ts"), STR("2025-10-27T19:56:08.137Z"));
	CHECK_STR(get(out, "tool_result", 0, "/ts"), STR("2025-10-27T20:11:49.743Z"));
}

static const char lines[] = HEAD
	"{\"$set\":{\"messages\":[{\"id\":\"x\",\"timestamp\":\"2026-04-29T21:39:23.000Z\",\"type\":\"use"
	"r\",\"content\":[{\"text\":\"context\"}]}],\"lastUpdated\":\"2026-04-29T21:39:23.000Z\"}}\n"
	"{\"id\":\"u\",\"timestamp\":\"2026-04-29T21:39:33.155Z\",\"type\":\"user\",\"content\":[{\"text\""
	":\"go\"}]}\n"
	"{\"id\":\"a\",\"timestamp\":\"2026-04-29T21:39:35.125Z\",\"type\":\"gemini\",\"content\":\"I do\""
	",\"thoughts\":[],\"tokens\":{\"input\":11,\"output\":8,\"cached\":0,\"thoughts\":0,\"tool\":0,\""
	"total\":19},\"model\":\"m\"}\n"
	"{\"$set\":{\"lastUpdated\":\"2026-04-29T21:39:36.000Z\"}}\n"
	"{\"id\":\"a\",\"timestamp\":\"2026-04-29T21:39:35.125Z\",\"type\":\"gemini\",\"content\":\"I do\""
	",\"thoughts\":[],\"tokens\":{\"input\":11,\"output\":8,\"cached\":0,\"thoughts\":0,\"tool\":0,\""
	"total\":19},\"model\":\"m\",\"toolCalls\":[{\"id\":\"c\",\"name\":\"ls\",\"args\":{},\"result\":"
	"[{\"functionResponse\":{\"id\":\"c\",\"name\":\"ls\",\"response\":{\"output\":\"x\"}}}],\"status"
	"\":\"success\",\"timestamp\":\"2026-04-29T21:39:36.364Z\"}]}\n"
	"{\"id\":\"r\",\"timestamp\":\"2026-04-29T21:39:37.000Z\",\"type\":\"user\",\"content\":[{\"funct"
	"ionResponse\":{\"id\":\"c\",\"name\":\"ls\",\"response\":{\"output\":\"x\"}}}]}\n"
	"{\"id\":\"w\",\"timestamp\":\"2026-04-29T21:39:38.000Z\",\"type\":\"gemini\",\"content\":\"wrong"
	"\",\"tokens\":{\"input\":12,\"output\":1,\"total\":13},\"model\":\"m\"}\n"
	"{\"$rewindTo\":\"w\"}\n"
	"{\"$set\":{\"messages\":[{\"id\":\"y\",\"timestamp\":\"2026-04-29T21:39:39.000Z\",\"type\":\"use"
	"r\",\"content\":\"shortened\"},{\"id\":\"z\",\"timestamp\":\"2026-04-29T21:39:39.000Z\",\"type\""
	":\"gemini\",\"content\":\"told again\"},{\"id\":\"a\",\"timestamp\":\"2026-04-29T21:39:35.125Z\""
	",\"type\":\"gemini\",\"content\":\"changed\"}],\"summary\":\"sum\"}}\n"
	"{\"id\":\"b\",\"timestamp\":\"2026-04-29T21:39:40.000Z\",\"type\":\"gemini\",\"content\":\"done\""
	",\"tokens\":{\"input\":13,\"output\":2,\"total\":15},\"model\":\"m\"}\n";

TEST(lines_that_are_added_make_the_messages_that_stand)
{
	struct str out = convert(lines);
	struct convert_figures n = convert_count(out);

	CHECK_INT(n.runs, 1);
	CHECK_INT(n.model_steps, 2);
	CHECK_INT(n.tool_calls, 1);
	CHECK_INT(n.tool_results, 1);
	CHECK_INT(n.input_total, 24);
	CHECK_STR(get(out, "model_step", 0, "/text"), STR("I do"));
	CHECK_STR(get(out, "model_step", 0, "/request/messages/1/content"), STR("go"));
	CHECK_STR(get(out, "model_step", 1, "/text"), STR("done"));
	CHECK(!get(out, "model_step", 1, "/request").p); /* what is told again was not asked again */
	CHECK(str_has(out, STR("$rewindTo")) && str_has(out, STR("\"summary\":\"sum\"")));
}

TEST(a_message_that_nobody_knows_takes_all_back)
{
	struct str out = convert(HEAD
	"{\"id\":\"a\",\"timestamp\":\"2026-04-29T21:39:35.125Z\",\"type\":\"gemini\",\"content\":\"gone\""
	"}\n"
	"{\"$rewindTo\":\"nobody\"}\n"
	"{\"id\":\"a\",\"timestamp\":\"2026-04-29T21:39:36.125Z\",\"type\":\"gemini\",\"content\":\"new\""
	"}\n");

	CHECK_INT(convert_count(out).model_steps, 1);
	CHECK_STR(get(out, "model_step", 0, "/text"), STR("new"));
}

static const char stream[] =
	"{\"type\":\"init\",\"timestamp\":\"2025-10-10T12:00:00.000Z\",\"session_id\":\"s\",\"model\":\"g"
	"emini-2.5-pro\"}\n"
	"{\"type\":\"message\",\"role\":\"user\",\"content\":\"go\",\"timestamp\":\"2025-10-10T12:00:00.1"
	"00Z\"}\n"
	"{\"type\":\"message\",\"role\":\"assistant\",\"content\":\"I \",\"delta\":true,\"timestamp\":\"2"
	"025-10-10T12:00:01.000Z\"}\n"
	"{\"type\":\"message\",\"role\":\"assistant\",\"content\":\"do\",\"delta\":true,\"timestamp\":\"2"
	"025-10-10T12:00:01.100Z\"}\n"
	"{\"type\":\"tool_use\",\"tool_name\":\"ls\",\"tool_id\":\"c1\",\"parameters\":{\"p\":1},\"timest"
	"amp\":\"2025-10-10T12:00:02.000Z\"}\n"
	"{\"type\":\"tool_use\",\"tool_name\":\"cat\",\"tool_id\":\"c2\",\"parameters\":{},\"timestamp\":"
	"\"2025-10-10T12:00:02.100Z\"}\n"
	"{\"type\":\"tool_result\",\"tool_id\":\"c2\",\"status\":\"error\",\"error\":{\"type\":\"X\",\"me"
	"ssage\":\"no\"},\"timestamp\":\"2025-10-10T12:00:03.000Z\"}\n"
	"{\"type\":\"tool_result\",\"tool_id\":\"c1\",\"status\":\"success\",\"output\":\"x\",\"timestamp"
	"\":\"2025-10-10T12:00:03.100Z\"}\n"
	"{\"type\":\"error\",\"severity\":\"warning\",\"message\":\"loop\",\"timestamp\":\"2025-10-10T12:"
	"00:03.200Z\"}\n"
	"{\"type\":\"tool_use\",\"tool_name\":\"ls\",\"tool_id\":\"c3\",\"parameters\":{},\"timestamp\":\""
	"2025-10-10T12:00:04.000Z\"}\n"
	"{\"type\":\"result\",\"status\":\"success\",\"stats\":{\"total_tokens\":130,\"input_tokens\":100"
	",\"output_tokens\":20,\"cached\":50,\"duration_ms\":5000,\"tool_calls\":3},\"timestamp\":\"2025-"
	"10-10T12:00:05.000Z\"}\n";

TEST(what_is_printed_is_parted_by_results)
{
	struct str out = convert(stream);
	struct convert_figures n = convert_count(out);

	CHECK_INT(n.model_steps, 2);
	CHECK_INT(n.tool_calls, 3);
	CHECK_INT(n.tool_results, 2);
	CHECK_INT(n.tool_errors, 1);
	CHECK_INT(n.input_total, 100);
	CHECK_INT(n.output_total, 30); /* what the total has beside both was thought */
	CHECK_INT(n.reasoning, 10);
	CHECK_INT(n.cache_read, 50);
	CHECK_STR(get(out, "model_step", 0, "/text"), STR("I do"));
	CHECK_STR(get(out, "model_step", 0, "/model"), STR("gemini-2.5-pro"));
	CHECK_STR(get(out, "error", 0, "/message"), STR("loop"));
	CHECK_STR(get(out, "run_end", 0, "/status"), STR("success"));
}

static const char whole[] =
	"{\"session_id\":\"s\",\"response\":\"done\",\"stats\":{\"models\":{\"gemini-2.5-pro\":{\"api\":{"
	"\"totalRequests\":2,\"totalErrors\":0,\"totalLatencyMs\":900},\"tokens\":{\"prompt\":100,\"candi"
	"dates\":20,\"total\":133,\"cached\":50,\"thoughts\":10,\"tool\":3}},\"gemini-2.5-flash\":{\"toke"
	"ns\":{\"prompt\":7,\"candidates\":1,\"total\":8,\"cached\":0,\"thoughts\":0,\"tool\":0}}},\"tool"
	"s\":{\"totalCalls\":1}}}\n";

TEST(one_object_at_the_end_has_the_figures_of_each_model)
{
	struct str out = convert(whole);
	struct convert_figures n = convert_count(out);

	CHECK_INT(n.runs, 1);
	CHECK_INT(n.input_total, 110);
	CHECK_INT(n.output_total, 31);
	CHECK_STR(get(out, "cost", 0, "/model"), STR("gemini-2.5-pro"));
	CHECK_STR(get(out, "cost", 0, "/api_duration_ms"), STR("900"));
	CHECK_STR(get(out, "run_end", 0, "/output"), STR("done"));
	out = convert("{\"session_id\":\"s\",\"error\":{\"type\":\"Fatal\",\"message\":\"no key\"},\"stats\":{\"models\":{}}}");
	CHECK_STR(get(out, "run_end", 0, "/status"), STR("error"));
	CHECK_STR(get(out, "error", 0, "/message"), STR("no key"));
}

TEST(lines_of_others_are_not_taken)
{
	static const struct { const char *text; bool fits; } cases[] = {
		{ HEAD, true },
		{ "{\"$set\":{\"lastUpdated\":\"t\"}}", true },
		{ "{\"$rewindTo\":\"a\"}", true },
		{ "{\"type\":\"init\",\"session_id\":\"s\",\"timestamp\":\"t\"}", true },
		{ "{\"type\":\"message\",\"role\":\"user\",\"timestamp\":\"t\",\"content\":[]}", false },
		{ "{\"type\":\"message\",\"role\":\"user\",\"timestamp\":\"t\",\"content\":\"a\",\"id\":1}", false },
		{ "{\"type\":\"message\",\"role\":\"assistant\",\"content\":\"a\"}", false },
		{ "{\"response\":\"x\",\"stats\":{}}", false },
		{ "{\"sessionId\":\"s\",\"messages\":[]}", false },
	};
	struct json_parser *p = dialect_detect_open();

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct val v;

		test_case("%s", cases[i].text);
		CHECK(json_parse_copy(p, str_from(cases[i].text), &v, NULL));
		CHECK((gemini_cli_dialect.fits(v) > 0) == cases[i].fits);
	}
	json_parser_close(p);
}
