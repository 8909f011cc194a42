#include "base/crypto/sha256.h"
#include "dialect/formats.h"
#include "unit/dialect/expect_run.h"
#include "unit/dialect/raw_calls.h"

#define USAGE                                                                                         \
	"\"usage\":{\"input_tokens\":7,\"input_tokens_details\":{\"cached_tokens\":2,\"cache_write_tokens\":0}," \
	"\"output_tokens\":5,\"output_tokens_details\":{\"reasoning_tokens\":1},\"total_tokens\":12}"
#define HEAD(id, status) \
	"\"id\":\"" id "\",\"object\":\"response\",\"created_at\":1757603567,\"status\":\"" status "\",\"model\":\"m\",\"error\":null"
#define CREATED(id)                                                                  \
	"{\"type\":\"response.created\",\"sequence_number\":0,\"response\":{" HEAD(id, "in_progress") \
	",\"output\":[],\"tools\":[{\"type\":\"web_search\"}]}}\n"
#define ADDED(index, item) "{\"type\":\"response.output_item.added\",\"output_index\":" #index ",\"item\":" item "}\n"
#define DONE(index, item) "{\"type\":\"response.output_item.done\",\"output_index\":" #index ",\"item\":" item "}\n"
#define DELTA(kind, index, text)                                                           \
	"{\"type\":\"response." kind ".delta\",\"output_index\":" #index ",\"delta\":\"" text \
	"\",\"obfuscation\":\"x\"}\n"
#define COMPLETED(id, output) \
	"{\"type\":\"response.completed\",\"response\":{" HEAD(id, "completed") ",\"output\":[" output "]," USAGE "}}\n"
#define SAID(id, text)                                                                                            \
	"{\"type\":\"message\",\"id\":\"" id "\",\"status\":\"completed\",\"role\":\"assistant\",\"content\":[" \
	"{\"type\":\"output_text\",\"text\":\"" text "\",\"annotations\":[]}]}"
#define CALL(id, call, args)                                                                   \
	"{\"type\":\"function_call\",\"id\":\"" id "\",\"call_id\":\"" call "\",\"name\":\"get\"," \
	"\"arguments\":\"" args "\",\"status\":\"completed\"}"
#define OUTPUT(call) "{\"type\":\"function_call_output\",\"call_id\":\"" call "\",\"output\":\"x\"}"
#define MCP(id, more)                                                                                \
	"{\"type\":\"mcp_call\",\"id\":\"" id "\",\"server_label\":\"docs\",\"name\":\"find\"," \
	"\"arguments\":\"{\\\"q\\\":1}\"," more "}"
#define RESPONSE(output) "{" HEAD("resp_1", "completed") ",\"incomplete_details\":null,\"output\":[" output "]," USAGE "}\n"

static struct arena arena;

static struct str convert(const char *text)
{
	return convert_valid(&arena, "openai-responses", str_from(text), "otutl");
}

static struct str get(struct str out, const char *type, size_t n, const char *pointer)
{
	return convert_get(&arena, convert_record(out, type, n), pointer);
}

/* ---- the samples ---- */

TEST(samples_have_the_figures_that_were_counted)
{
	expect_folder("vendors/openai_responses", "openai-responses", 24);
}

static struct str digest(struct str text)
{
	char hex[SHA256_HEX];
	struct sha256 s;

	sha256_init(&s);
	digest_hex(hex, sha256_of(&s, text));
	sha256_free(&s);
	return arena_copy(&arena, str_of(hex, sizeof(hex)));
}

static bool digest_is(struct val row, const char *name, struct str text)
{
	struct val want = val_get(row, str_from(name));

	return val_is(want, JSON_STRING) && val_text_is(want, digest(text));
}

static struct val element(struct val list, size_t n)
{
	struct val_iter it = val_begin(list);
	struct val v = VAL_NONE;

	for (size_t i = 0; i <= n; i++)
		if (!val_next(&it, &v))
			return VAL_NONE;
	return v;
}

/* Tools that the service runs itself are calls too, which the recorded counts leave out. */
static void check_calls(struct str log, struct str out, struct val row, struct buf *wrong)
{
	size_t want = val_count(val_get(row, STR("tool_calls")));
	struct raw_calls calls;

	raw_calls_read(&calls, &arena, &openai_responses_dialect, log);
	for (size_t i = 0; i < calls.count; i++)
		want += calls.list[i].served;
	raw_calls_check(&calls, row, wrong);
	if (convert_count(out).tool_calls != (int64_t)want)
		buf_printf(wrong, "%lld calls\n", (long long)convert_count(out).tool_calls);
}

static void check_usage(struct str out, struct val usage, struct buf *wrong)
{
	static const struct { const char *theirs, *ours; } rows[] = {
		{ "/input_tokens", "/usage/input_tokens" },
		{ "/output_tokens", "/usage/output_tokens" },
		{ "/input_tokens_details/cached_tokens", "/usage/cache_read_tokens" },
		{ "/output_tokens_details/reasoning_tokens", "/usage/reasoning_tokens" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct val want = val_at(usage, str_from(rows[i].theirs));
		struct str got = get(out, "model_step", 0, rows[i].ours);

		if (!val_is_none(want) && !str_eq(val_source(want), got))
			buf_printf(wrong, "%s is %.*s\n", rows[i].ours, STR_ARG(got));
	}
}

TEST(recorded_streams_are_put_together)
{
	const char *folder = test_shared("corpora/04-sse/dev");
	struct str left = test_read(arena_printf(&arena, "%s/transcripts/EXPECT.jsonl", folder).p), line;
	struct json_parser *p = json_parser_open((struct json_options){ .max_depth = 0 });
	size_t n = 0, called = 0;
	struct buf wrong;
	struct val row;

	buf_init(&wrong);
	while (left.n) {
		struct str file, out;
		size_t before = wrong.n;
		const char *path;

		line = str_cut(left, '\n', &left);
		if (!json_parse_copy(p, line, &row, NULL) || !expect_text_is(row, "api", "openai-responses"))
			continue;
		n++;
		file = val_text(val_get(row, STR("file")), &arena);
		path = arena_printf(&arena, "%s/%.*s", folder, STR_ARG(file)).p;
		out = convert_file(&arena, path, (struct convert_how){ .to = "otutl" }).out;
		if (convert_count(out).model_steps != 1)
			buf_printf(&wrong, "%lld steps\n", (long long)convert_count(out).model_steps);
		if (val_count(val_get(row, STR("text"))) == 1 &&
		    !digest_is(element(val_get(row, STR("text")), 0), "sha256", get(out, "model_step", 0, "/text")))
			buf_printf(&wrong, "the text is %.*s\n", STR_ARG(get(out, "model_step", 0, "/text")));
		if (!val_text_is(element(val_get(row, STR("finish")), 0), get(out, "model_step", 0, "/stop_reason")))
			buf_printf(&wrong, "it ends with %.*s\n", STR_ARG(get(out, "model_step", 0, "/stop_reason")));
		called += val_count(val_get(row, STR("tool_calls")));
		check_calls(test_read(path), out, row, &wrong);
		check_usage(out, val_get(row, STR("usage")), &wrong);
		if (wrong.n > before)
			buf_printf(&wrong, "  in %.*s\n", STR_ARG(file));
	}
	if (wrong.n)
		FAIL("%.*s", (int)wrong.n, wrong.p);
	CHECK(n >= 40);
	CHECK(called >= 10);
	json_parser_close(p);
	buf_free(&wrong);
}

/* ---- detection ---- */

TEST(bodies_and_events_are_recognised_by_content)
{
	static const struct { const char *text; bool fits; } cases[] = {
		{ RESPONSE(""), true },
		{ CREATED("r"), true },
		{ DELTA("output_text", 0, "x"), true },
		{ "{\"model\":\"m\",\"input\":[{\"role\":\"user\",\"content\":\"x\"}]}", true },
		{ "{\"model\":\"m\",\"input\":\"x\",\"instructions\":\"y\"}", true },
		{ "{\"type\":\"response.create\",\"model\":\"m\",\"input\":[]}", true },
		{ "{\"request\":{\"url\":\"https://h/v1/responses\",\"body\":{\"model\":\"m\",\"input\":\"x\"}},\"response\":{\"status\":200,"
		  "\"body\":{\"id\":\"r\",\"object\":\"response\",\"output\":[]}}}", true },
		{ "[" CALL("f", "c", "{}") "]", true },
		{ "{\"model\":\"m\",\"input\":[{\"type\":\"of_tomorrow\"},{\"role\":\"user\",\"content\":\"x\"}]}", true },
		{ "{\"model\":\"m\",\"input\":[{\"type\":\"of_tomorrow\"}]}", false },
		{ "{\"model\":\"text-embedding-3-small\",\"input\":\"x\"}", false },
		{ "{\"model\":\"text-embedding-3-small\",\"input\":[\"x\",\"y\"]}", false },
		{ "{\"type\":\"response.x\"}", false },
		{ "{\"model\":\"m\",\"messages\":[]}", false },
		{ "{\"type\":\"message\",\"role\":\"assistant\",\"content\":[]}", false },
	};
	struct json_parser *p = dialect_detect_open();
	struct val v;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		test_case("%s", cases[i].text);
		CHECK(json_parse_copy(p, str_trim(str_from(cases[i].text)), &v, NULL));
		CHECK((openai_responses_dialect.fits(v) > 0) == cases[i].fits);
	}
	json_parser_close(p);
}

/* ---- nothing is lost ---- */

static bool has_text(struct str out, const char *text)
{
	return str_find(out, str_from(text)) != (size_t)-1;
}

TEST(padding_of_a_stream_is_kept_in_its_order)
{
	struct str out = convert(CREATED("r") DELTA("output_text", 0, "a")
				 "{\"type\":\"response.output_text.delta\",\"output_index\":0,\"delta\":\"b\",\"obfuscation\":\"yz\"}\n"
				 DONE(0, SAID("msg_1", "ab")) COMPLETED("r", SAID("msg_1", "ab")));

	CHECK_STR(get(out, "model_step", 0, "/text"), STR("ab"));
	CHECK(has_text(out, "{\"obfuscation\":[\"x\",\"yz\"]}"));
	CHECK(!has_text(out, "sequence_number") && !has_text(out, "\"output\":[{") && !has_text(out, "item_ids"));
	/* a stream that breaks off has it too */
	out = convert(CREATED("r") DELTA("output_text", 0, "a"));
	CHECK(has_text(out, "{\"obfuscation\":[\"x\"]}"));
}

TEST(what_a_stream_tells_in_other_words_is_kept)
{
	static const struct {
		const char *log, *kept; /* kept NULL: nothing but what every stream has */
	} cases[] = {
		{ CREATED("r") "{\"type\":\"response.in_progress\",\"sequence_number\":1,\"response\":{" HEAD("r", "in_progress")
		  ",\"output\":[],\"tools\":[{\"type\":\"web_search\"}]}}\n" COMPLETED("r", ""), NULL },
		{ CREATED("r") "{\"type\":\"response.in_progress\",\"sequence_number\":5,\"response\":{" HEAD("r", "in_progress")
		  ",\"output\":[],\"tools\":[{\"type\":\"web_search\"}]}}\n" COMPLETED("r", ""), "\"sequence_number\":[[1,5]]" },
		{ CREATED("r") "{\"type\":\"response.in_progress\",\"sequence_number\":1,\"response\":{" HEAD("r2", "in_progress")
		  ",\"output\":[]}}\n" COMPLETED("r", ""), "\"response_ids\":[\"r2\"]" },
		{ CREATED("r") ADDED(0, SAID("m1", "")) DONE(0, SAID("m2", "a")) COMPLETED("r", SAID("m2", "a")),
		  "\"item_ids\":[\"m1\"]" },
		{ CREATED("r") DONE(0, SAID("m1", "a")) COMPLETED("r", SAID("m1", "a")), NULL },
		{ CREATED("r") DONE(0, SAID("m1", "a")) COMPLETED("r", SAID("m1", "other")), "\"text\":\"other\"" },
		{ CREATED("r") "{\"type\":\"response.web_search_call.searching\",\"output_index\":0,\"item_id\":\"w\"}\n"
		  COMPLETED("r", ""), "{\"item_id\":\"w\",\"output_index\":0,\"type\":\"response.web_search_call.searching\"}" },
		{ CREATED("r") "{\"type\":\"response.output_text.done\",\"output_index\":0,\"text\":\"a\",\"novel\":1}\n"
		  COMPLETED("r", ""), "\"events\":[{\"novel\":1}]" },
		{ CREATED("r") "{\"type\":\"response.image_generation_call.partial_image\",\"output_index\":0,"
		  "\"partial_image_b64\":\"AAAA\"}\n" COMPLETED("r", ""), "\"partial_image_b64\":\"AAAA\"" },
		{ "{\"type\":\"error\",\"sequence_number\":9,\"message\":\"m\",\"code\":\"c\"}\n", "\"sequence_number\":[9]" },
	};
	static const char *const lists[] = { "sequence_number", "response_ids", "item_ids", "\"events\"", "\"output\":[{" };

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct str out = convert(cases[i].log);

		test_case("%s", cases[i].log);
		CHECK(!cases[i].kept || has_text(out, cases[i].kept));
		for (size_t j = 0; !cases[i].kept && j < sizeof(lists) / sizeof(lists[0]); j++)
			CHECK(!has_text(out, lists[j]));
	}
}

/* ---- responses ---- */

TEST(a_response_is_a_step_and_its_calls_have_their_own_ids)
{
	struct str out = convert(RESPONSE(SAID("msg_1", "hi") "," CALL("fc_1", "call_1", "{\\\"a\\\":1}")));

	CHECK_STR(get(out, "model_step", 0, "/step_id"), STR("resp_1"));
	CHECK_STR(get(out, "model_step", 0, "/text"), STR("hi"));
	CHECK_STR(get(out, "model_step", 0, "/stop_reason"), STR("completed"));
	CHECK_STR(get(out, "model_step", 0, "/usage/input_tokens"), STR("7"));
	CHECK_STR(get(out, "model_step", 0, "/usage/cache_read_tokens"), STR("2"));
	CHECK_STR(get(out, "model_step", 0, "/usage/cache_write_tokens"), STR("0"));
	CHECK_STR(get(out, "model_step", 0, "/usage/reasoning_tokens"), STR("1"));
	CHECK_STR(get(out, "model_step", 0, "/ts"), STR("2025-09-11T15:12:47.000Z"));
	CHECK_STR(get(out, "tool_call", 0, "/call_id"), STR("call_1"));
	CHECK_STR(get(out, "tool_call", 0, "/args"), STR("{\"a\":1}"));
	CHECK_STR(get(out, "tool_call", 0, "/ext/openai-responses~11/id"), STR("fc_1"));
	CHECK_INT(convert_count(out).orphan_calls, 1);
}

TEST(tools_of_the_service_are_call_and_result_in_one)
{
	static const struct { const char *item, *tool; int errors; } cases[] = {
		{ "{\"type\":\"web_search_call\",\"id\":\"w\",\"status\":\"completed\",\"action\":{\"type\":\"search\",\"query\":\"q\"}}",
		  "tool://openai/web_search", 0 },
		{ "{\"type\":\"file_search_call\",\"id\":\"w\",\"status\":\"completed\",\"queries\":[\"q\"],\"results\":null}",
		  "tool://openai/file_search", 0 },
		{ "{\"type\":\"code_interpreter_call\",\"id\":\"w\",\"status\":\"failed\",\"code\":\"1\",\"outputs\":[]}",
		  "tool://openai/code_interpreter", 1 },
		{ "{\"type\":\"image_generation_call\",\"id\":\"w\",\"status\":\"completed\",\"result\":\"AA==\"}",
		  "tool://openai/image_generation", 0 },
		{ MCP("w", "\"output\":\"x\",\"error\":null"), "mcp://docs/find", 0 },
		{ MCP("w", "\"output\":null,\"error\":\"no\""), "mcp://docs/find", 1 },
		{ MCP("w", "\"output\":null,\"error\":{\"type\":\"http_error\"}"), "mcp://docs/find", 1 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct str out = convert(arena_printf(&arena, RESPONSE("%s"), cases[i].item).p);
		struct convert_figures f = convert_count(out);

		test_case("%s", cases[i].item);
		CHECK_INT(f.tool_calls, 1);
		CHECK_INT(f.tool_results, 1);
		CHECK_INT(f.tool_errors, cases[i].errors);
		CHECK_STR(get(out, "tool_call", 0, "/tool"), str_from(cases[i].tool));
		CHECK_STR(get(out, "tool_call", 0, "/call_id"), STR("w"));
	}
}

TEST(a_tool_that_is_still_at_work_has_no_result)
{
	struct str out = convert(RESPONSE("{\"type\":\"web_search_call\",\"id\":\"w\",\"status\":\"in_progress\",\"action\":{}}"));

	CHECK_INT(convert_count(out).tool_results, 0);
	CHECK_INT(convert_count(out).orphan_calls, 1);
}

TEST(what_is_no_call_stays_with_the_step)
{
	struct str out = convert(RESPONSE("{\"type\":\"mcp_list_tools\",\"id\":\"l\",\"server_label\":\"docs\",\"tools\":[{\"name\":\"find\"}]},"
					  "{\"type\":\"tool_search_call\",\"call_id\":\"t\",\"arguments\":{}},{\"type\":\"program\",\"id\":\"p\"},"
					  "{\"type\":\"of_tomorrow\",\"secret\":\"sauce\"}"));

	CHECK_INT(convert_count(out).tool_calls, 0);
	CHECK_INT(convert_count(out).model_steps, 1);
	CHECK(str_find(convert_record(out, "model_step", 0), STR("sauce")) != (size_t)-1);
}

TEST(the_input_of_a_custom_tool_is_text)
{
	struct str out = convert(RESPONSE("{\"type\":\"custom_tool_call\",\"id\":\"i\",\"call_id\":\"c\",\"name\":\"sql\",\"input\":\"SELECT 1\"}"));

	CHECK_STR(get(out, "tool_call", 0, "/args"), STR("SELECT 1"));
	CHECK_STR(get(out, "tool_call", 0, "/args_encoding"), STR("raw"));
}

TEST(a_response_that_is_cut_short_says_why)
{
	struct str out = convert("{\"id\":\"r\",\"object\":\"response\",\"status\":\"incomplete\",\"incomplete_details\":{\"reason\":"
				 "\"max_output_tokens\"},\"model\":\"m\",\"output\":[]}\n");

	CHECK_STR(get(out, "model_step", 0, "/stop_reason"), STR("max_output_tokens"));
	out = convert("{\"id\":\"r\",\"object\":\"response\",\"status\":\"failed\",\"error\":{\"code\":\"server_error\",\"message\":\"oh\"},"
		      "\"model\":\"m\",\"output\":[]}\n");
	CHECK_STR(get(out, "error", 0, "/code"), STR("server_error"));
	CHECK_STR(get(out, "error", 0, "/message"), STR("oh"));
	CHECK_STR(get(out, "model_step", 0, "/stop_reason"), STR("failed"));
}

TEST(a_prewarm_is_no_step)
{
	struct str out = convert("{\"id\":\"r\",\"object\":\"response\",\"status\":\"completed\",\"generate\":false,\"model\":\"m\",\"output\":[],"
				 "\"usage\":{\"input_tokens\":9,\"output_tokens\":0}}\n");

	CHECK_INT(convert_count(out).model_steps, 0);
	CHECK_INT(convert_count(out).input_total, -1);
}

/* ---- streams ---- */

TEST(an_item_of_a_stream_counts_once)
{
	static const struct { const char *name, *text; } cases[] = {
		{ "told three times", CREATED("r") ADDED(0, "{\"type\":\"message\",\"id\":\"m\",\"role\":\"assistant\",\"content\":[]}")
			DELTA("output_text", 0, "he") DELTA("output_text", 0, "llo") DONE(0, SAID("m", "hello"))
			ADDED(1, CALL("f", "c", "")) DELTA("function_call_arguments", 1, "{}") DONE(1, CALL("f", "c", "{}"))
			COMPLETED("r", SAID("m", "hello") "," CALL("f", "c", "{}")) },
		{ "the end lists nothing", CREATED("r") DONE(0, SAID("m", "hello")) DONE(1, CALL("f", "c", "{}")) COMPLETED("r", "") },
		{ "nothing is done", CREATED("r") DELTA("output_text", 0, "hello") COMPLETED("r", SAID("m", "hello") "," CALL("f", "c", "{}")) },
		{ "only the end", COMPLETED("r", SAID("m", "hello") "," CALL("f", "c", "{}")) },
		{ "ids that change", CREATED("r") "{\"type\":\"response.in_progress\",\"response\":{\"id\":\"r2\",\"status\":\"in_progress\"}}\n"
			DONE(0, SAID("m2", "hello")) DONE(1, CALL("f2", "c", "{}")) COMPLETED("r3", SAID("m", "hello") "," CALL("f", "c", "{}")) },
		{ "deltas only, and an end", CREATED("r") DELTA("output_text", 0, "hel") DELTA("output_text", 0, "lo")
			ADDED(1, CALL("f", "c", "")) DELTA("function_call_arguments", 1, "{}") COMPLETED("r", "") },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct str out = convert(cases[i].text);
		struct convert_figures f = convert_count(out);

		test_case("%s", cases[i].name);
		CHECK_INT(f.model_steps, 1);
		CHECK_INT(f.tool_calls, 1);
		CHECK_INT(f.input_total, 7);
		CHECK_STR(get(out, "model_step", 0, "/text"), STR("hello"));
		CHECK_STR(get(out, "tool_call", 0, "/call_id"), STR("c"));
		CHECK_STR(get(out, "tool_call", 0, "/args"), STR("{}"));
	}
}

TEST(a_message_of_somebody_else_in_a_stream_keeps_its_role)
{
	struct str out = convert(CREATED("r") COMPLETED("r", "{\"type\":\"message\",\"role\":\"user\",\"content\":\"hi\"}"));

	CHECK_STR(get(out, "run_end", 0, "/request/messages/0/role"), STR("user"));
	CHECK_STR(get(out, "run_end", 0, "/request/messages/0/content"), STR("hi"));
}

TEST(a_stream_that_was_cut_is_kept_as_far_as_it_came)
{
	struct str out = convert(CREATED("r") DELTA("reasoning_summary_text", 0, "think") DONE(1, SAID("m", "one "))
				 DELTA("output_text", 2, "tw") DELTA("output_text", 2, "o") ADDED(3, CALL("f", "c", ""))
				 DELTA("function_call_arguments", 3, "{\\\"a\\\":"));

	CHECK_INT(convert_count(out).model_steps, 1);
	CHECK_STR(get(out, "model_step", 0, "/step_id"), STR("r"));
	CHECK_STR(get(out, "model_step", 0, "/text"), STR("one two"));
	CHECK_STR(get(out, "model_step", 0, "/model"), STR("m"));
	CHECK_STR(get(out, "tool_call", 0, "/args"), STR("{\"a\":"));
	CHECK_STR(get(out, "tool_call", 0, "/args_encoding"), STR("raw"));
	CHECK(str_find(convert_record(out, "model_step", 0), STR("partial")) != (size_t)-1);
	CHECK_STR(get(out, "run_end", 0, "/status"), STR("interrupted"));
}

TEST(two_streams_are_two_steps)
{
	struct str out = convert(CREATED("r1") DELTA("output_text", 0, "cut") CREATED("r2") DONE(0, SAID("m", "b")) COMPLETED("r2", SAID("m", "b")));

	CHECK_INT(convert_count(out).model_steps, 2);
	CHECK_STR(get(out, "model_step", 0, "/text"), STR("cut"));
	CHECK_STR(get(out, "model_step", 1, "/text"), STR("b"));
}

TEST(an_error_in_a_stream_is_an_error)
{
	struct str out = convert(CREATED("r") "{\"type\":\"error\",\"sequence_number\":2,\"code\":\"rate_limit\",\"message\":\"slow down\"}\n");

	CHECK_STR(get(out, "error", 0, "/code"), STR("rate_limit"));
	CHECK_STR(get(out, "error", 0, "/message"), STR("slow down"));
}

TEST(a_line_that_cannot_be_read_is_read_around)
{
	struct str out = convert("{\"type\":\"response.created\",\"response\":{\"id\":\"r\"\n" DONE(0, CALL("f", "c", "{}")) "{\"type\":\"resp\n");

	CHECK_INT(convert_count(out).tool_calls, 1);
	CHECK_STR(get(out, "tool_call", 0, "/call_id"), STR("c"));
}

TEST(an_answer_that_was_not_finished_is_no_success)
{
	static const char *const unfinished[] = {
		"{" HEAD("resp_1", "queued") ",\"output\":[]}\n",
		"{" HEAD("resp_1", "in_progress") ",\"output\":[" SAID("msg_1", "hi") "]}\n",
		"{" HEAD("resp_1", "cancelled") ",\"output\":[" SAID("msg_1", "hi") "]}\n",
		CREATED("resp_1"),
	};

	for (size_t i = 0; i < sizeof(unfinished) / sizeof(unfinished[0]); i++) {
		test_case("%zu", i);
		CHECK_STR(get(convert(unfinished[i]), "run_end", 0, "/status"), STR("interrupted"));
	}
	CHECK_STR(get(convert("{" HEAD("resp_1", "queued") ",\"output\":[]}\n" RESPONSE(SAID("msg_1", "hi"))), "run_end", 0,
		      "/status"), STR("success")); /* it was asked for until it came */
	CHECK_STR(get(convert("{" HEAD("resp_1", "incomplete") ",\"incomplete_details\":{\"reason\":\"max_output_tokens\"},"
			      "\"output\":[]}\n"), "run_end", 0, "/status"), STR("success"));
}

TEST(server_sent_events_are_read_as_they_were_sent)
{
	struct str out = convert("event: response.output_item.done\ndata: " DONE(0, SAID("m", "hi")) "\nevent: response.completed\ndata: "
				 COMPLETED("r", SAID("m", "hi")) "\n");

	CHECK_INT(convert_count(out).model_steps, 1);
	CHECK_STR(get(out, "model_step", 0, "/text"), STR("hi"));
}

/* ---- requests ---- */

#define EXCHANGE(input, response)                                                                    \
	"{\"request\":{\"method\":\"POST\",\"url\":\"https://h/v1/responses\",\"body\":{\"model\":\"m\"," \
	"\"instructions\":\"be good\",\"input\":[" input "]}},\"response\":{\"status\":200,\"body\":" response "}}\n"
#define USER(text) "{\"role\":\"user\",\"content\":\"" text "\"}"
#define BODY(id, output) "{" HEAD(id, "completed") ",\"output\":[" output "]," USAGE "}"

TEST(history_that_every_request_repeats_is_told_once)
{
	struct str out = convert(EXCHANGE(USER("a"), BODY("r1", CALL("f", "c", "{}")))
				 EXCHANGE(USER("a") "," CALL("f", "c", "{}") "," OUTPUT("c"), BODY("r2", SAID("m", "b")))
				 EXCHANGE(USER("a") "," CALL("f", "c", "{}") "," OUTPUT("c") "," SAID("m", "b") "," USER("z"),
					  BODY("r3", SAID("m3", "c"))));
	struct convert_figures f = convert_count(out);

	CHECK_INT(f.runs, 1);
	CHECK_INT(f.model_steps, 3);
	CHECK_INT(f.tool_calls, 1);
	CHECK_INT(f.tool_results, 1);
	CHECK_INT(f.orphan_calls, 0);
}

TEST(results_behind_an_item_that_nobody_knows_are_read)
{
	struct str out = convert(EXCHANGE("{\"type\":\"of_tomorrow\",\"tools\":[]}," USER("a"), BODY("r1", CALL("f", "c", "{}")))
				 EXCHANGE("{\"type\":\"of_tomorrow\",\"tools\":[]}," USER("a") "," CALL("f", "c", "{}") "," OUTPUT("c"),
					  BODY("r2", SAID("m", "b"))));
	struct convert_figures f = convert_count(out);

	CHECK_INT(f.model_steps, 2);
	CHECK_INT(f.tool_calls, 1);
	CHECK_INT(f.tool_results, 1);
	CHECK_INT(f.orphan_calls, 0);
}

TEST(calls_that_only_a_request_tells_of_are_kept)
{
	struct str out = convert(EXCHANGE(USER("a") "," CALL("f", "c", "{}") "," OUTPUT("c"), BODY("r2", SAID("m", "b"))));
	struct convert_figures f = convert_count(out);

	CHECK_INT(f.model_steps, 1);
	CHECK_INT(f.tool_calls, 1);
	CHECK_INT(f.tool_results, 1);
}
