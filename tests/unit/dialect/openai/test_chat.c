#include "base/crypto/sha256.h"
#include "dialect/formats.h"
#include "unit/dialect/expect_run.h"
#include "unit/dialect/raw_calls.h"

#define HEAD "\"object\":\"chat.completion.chunk\",\"created\":1700000000,\"model\":\"m-1\""
#define CHUNK(id, delta, finish) \
	"{\"id\":\"" id "\"," HEAD ",\"choices\":[{\"index\":0,\"delta\":" delta ",\"finish_reason\":" finish "}]}\n"
#define TEXT(id, text) CHUNK(id, "{\"content\":\"" text "\"}", "null")
#define FIRST(id) CHUNK(id, "{\"role\":\"assistant\",\"content\":\"\"}", "null")
#define LAST(id, why) CHUNK(id, "{}", "\"" why "\"")
#define CALL(id, piece) CHUNK(id, "{\"tool_calls\":[" piece "]}", "null")
#define USAGE(id, usage) "{\"id\":\"" id "\"," HEAD ",\"choices\":[],\"usage\":" usage "}\n"
#define WHOLE(choices, usage) \
	"{\"id\":\"c1\",\"object\":\"chat.completion\",\"created\":1700000000,\"model\":\"m-1\",\"choices\":[" choices "]," \
	"\"usage\":" usage "}\n"
#define SAYS(text) "{\"index\":0,\"message\":{\"role\":\"assistant\",\"content\":\"" text "\"},\"finish_reason\":\"stop\"}"

static struct arena arena;

static struct str convert(const char *text)
{
	return convert_valid(&arena, "openai-chat", str_from(text), "otutl");
}

static struct str get(struct str out, const char *type, size_t n, const char *pointer)
{
	return convert_get(&arena, convert_record(out, type, n), pointer);
}

static struct convert_figures count(const char *text)
{
	return convert_count(convert(text));
}

/* ---- the samples ---- */

/* Where an independent reader counted otherwise, and why we do not. */
static bool is_known_deviation(struct val row)
{
	/* twelve calls with the same id, "0", were counted as one: ids may be used again (adapters, 1.5 no. 8) */
	return expect_text_is(row, "file", "tau-bench-airline.json");
}

/* Half of its exchanges are Gemini's, the first one among them: whoever reads it reads both. */
static bool is_half_gemini(struct val row)
{
	return expect_text_is(row, "file", "test_multiple_agent_tool_calls.exchanges.jsonl");
}

TEST(samples_have_the_figures_that_were_counted)
{
	const char *folder = test_shared("vendors/openai_chat");
	struct json_parser *p = json_parser_open((struct json_options){ .max_depth = 0 });
	struct str left = test_read(arena_printf(&arena, "%s/EXPECT.jsonl", folder).p);
	struct buf wrong;
	struct val row;
	size_t n = 0;

	buf_init(&wrong);
	while (left.n) {
		struct str line = str_cut(left, '\n', &left);

		if (!json_parse_copy(p, line, &row, NULL) || is_known_deviation(row))
			continue;
		expect_sample(&arena, folder, row, is_half_gemini(row) ? "gemini" : "openai-chat", &wrong);
		n++;
	}
	if (wrong.n)
		FAIL("%.*s", (int)wrong.n, wrong.p);
	CHECK(n >= 14);
	json_parser_close(p);
}

TEST(a_transcript_whose_calls_all_have_one_id_keeps_them_apart)
{
	const char *path = test_shared("vendors/openai_chat/dev/tau-bench-airline.json");
	struct converted c = convert_file(&arena, path, (struct convert_how){ .to = "otutl" });
	struct convert_figures f = convert_count(c.out);

	CHECK(c.done);
	CHECK_INT(f.model_steps, 20);
	CHECK_INT(f.tool_calls, 12);
	CHECK_INT(f.tool_results, 12);
	CHECK_INT(f.orphan_calls, 0);
}

/* ---- recorded streams of many services ---- */

static bool digest_is(struct str text, struct val want)
{
	struct sha256 sha;
	char hex[SHA256_HEX];

	sha256_init(&sha);
	digest_hex(hex, sha256_of(&sha, text));
	sha256_free(&sha);
	return val_is(want, JSON_STRING) && val_text_is(want, str_of(hex, sizeof(hex)));
}

/* Every text of the expectation is that of a step. */
static bool has_texts(struct str out, struct val texts)
{
	struct val_iter it = val_begin(texts);
	struct val text;

	while (val_next(&it, &text)) {
		struct val want = val_get(text, STR("sha256"));
		bool found = digest_is(STR(""), want); /* an empty text may be an absent one */
		struct str step;

		for (size_t i = 0; !found && (step = convert_record(out, "model_step", i)).n; i++)
			found = digest_is(convert_get(&arena, step, "/text"), want);
		if (!found)
			return false;
	}
	return true;
}

static void check_stream(struct val row, struct buf *wrong)
{
	struct str file = val_text(val_get(row, STR("file")), &arena);
	const char *path = test_shared(arena_printf(&arena, "corpora/04-sse/dev/%.*s", STR_ARG(file)).p);
	struct converted c = convert_file(&arena, path, (struct convert_how){ .to = "otutl" });
	struct val usage = val_get(row, STR("usage")), finish = val_get(row, STR("finish")), first;
	struct val_iter it = val_begin(finish);
	struct convert_figures f = convert_count(c.out);
	struct str report = STR(""), stop = get(c.out, "model_step", 0, "/stop_reason");
	size_t before = wrong->n;
	int64_t n;

	if (!c.done || !c.from || strcmp(c.from->name, "openai-chat") != 0)
		buf_printf(wrong, "read as %s\n", c.from ? c.from->name : "nothing");
	if (convert_errors(&arena, "otutl", c.out, &report))
		buf_printf(wrong, "not valid: %.*s\n", STR_ARG(report));
	if (!has_texts(c.out, val_get(row, STR("text"))))
		buf_printf(wrong, "another text\n");
	if (f.tool_calls < (int64_t)val_count(val_get(row, STR("tool_calls"))))
		buf_printf(wrong, "%lld calls\n", (long long)f.tool_calls);
	if (val_next(&it, &first) && !val_text_is(first, stop))
		buf_printf(wrong, "stopped by %.*s\n", STR_ARG(stop));
	if (val_count(finish) == 0 && f.model_steps > 0 && stop.p)
		buf_printf(wrong, "stopped, but did not\n");
	if (val_i64(val_get(usage, STR("prompt_tokens")), &n) && n != f.input_total)
		buf_printf(wrong, "%lld tokens in\n", (long long)f.input_total);
	if (val_i64(val_get(usage, STR("completion_tokens")), &n) && n != f.output_total)
		buf_printf(wrong, "%lld tokens out\n", (long long)f.output_total);
	if (wrong->n > before)
		buf_printf(wrong, "  in %.*s\n", STR_ARG(file));
}

TEST(recorded_streams_give_the_text_the_calls_the_end_and_the_figures)
{
	struct json_parser *p = json_parser_open((struct json_options){ .max_depth = 0 });
	struct str left = test_read(test_shared("corpora/04-sse/dev/transcripts/EXPECT.jsonl"));
	struct buf wrong;
	struct val row;
	size_t n = 0;

	buf_init(&wrong);
	while (left.n) {
		struct str line = str_cut(left, '\n', &left);

		if (!json_parse_copy(p, line, &row, NULL) ||
		    !(expect_text_is(row, "api", "openai-chat") || expect_text_is(row, "api", "openai-completions")))
			continue;
		check_stream(row, &wrong);
		n++;
	}
	if (wrong.n)
		FAIL("%.*s", (int)wrong.n, wrong.p);
	CHECK(n >= 150);
	json_parser_close(p);
}

/* The form before tool_calls, which the recorded counts leave out. */
static bool is_legacy(struct str log)
{
	return str_find(log, STR("\"function_call\":{")) != (size_t)-1 && str_find(log, STR("\"tool_calls\":[{")) == (size_t)-1;
}

/* Name and digest of every joined text, and as many calls in what comes out. */
TEST(joined_arguments_are_those_that_were_recorded)
{
	struct json_parser *p = json_parser_open((struct json_options){ .max_depth = 0 });
	struct str left = test_read(test_shared("corpora/04-sse/dev/transcripts/EXPECT.jsonl"));
	size_t n = 0, legacy = 0;
	struct raw_calls calls;
	struct buf wrong;
	struct val row;

	buf_init(&wrong);
	while (left.n) {
		struct str line = str_cut(left, '\n', &left), file, log;
		size_t before = wrong.n, count;
		const char *path;

		if (!json_parse_copy(p, line, &row, NULL) || !expect_text_is(row, "api", "openai-chat"))
			continue;
		file = val_text(val_get(row, STR("file")), &arena);
		path = test_shared(arena_printf(&arena, "corpora/04-sse/dev/%.*s", STR_ARG(file)).p);
		log = test_read(path);
		count = val_count(val_get(row, STR("tool_calls")));
		if (is_legacy(log) && count == 0) {
			legacy++;
			continue;
		}
		raw_calls_read(&calls, &arena, &openai_chat_dialect, log);
		raw_calls_check(&calls, row, &wrong);
		if (convert_count(convert_file(&arena, path, (struct convert_how){ .to = "otutl" }).out).tool_calls != (int64_t)count)
			buf_printf(&wrong, "not %zu calls\n", count);
		if (wrong.n > before)
			buf_printf(&wrong, "  in %.*s\n", STR_ARG(file));
		n += count;
	}
	if (wrong.n)
		FAIL("%.*s", (int)wrong.n, wrong.p);
	CHECK(n >= 30);
	CHECK(legacy < 5);
	json_parser_close(p);
	buf_free(&wrong);
}

/* ---- streams ---- */

TEST(fragments_of_arguments_are_joined_by_index_and_parsed_once)
{
	struct str out = convert(
		FIRST("c1")
		CALL("c1", "{\"index\":0,\"id\":\"t1\",\"type\":\"function\",\"function\":{\"name\":\"add\",\"arguments\":\"\"}}")
		CALL("c1", "{\"index\":1,\"id\":\"t2\",\"type\":\"function\",\"function\":{\"name\":\"sub\",\"arguments\":\"{\\\"x\"}}")
		CALL("c1", "{\"index\":0,\"function\":{\"arguments\":\"{\\\"a\\\":\"}}")
		CALL("c1", "{\"index\":1,\"function\":{\"arguments\":\"\\\":2}\"}}")
		CALL("c1", "{\"index\":0,\"function\":{\"arguments\":\"1}\"}}")
		LAST("c1", "tool_calls"));

	CHECK_STR(get(out, "tool_call", 0, "/call_id"), STR("t1"));
	CHECK_STR(get(out, "tool_call", 0, "/tool"), STR("tool://openai/add"));
	CHECK_STR(get(out, "tool_call", 0, "/args"), STR("{\"a\":1}"));
	CHECK_STR(get(out, "tool_call", 1, "/call_id"), STR("t2"));
	CHECK_STR(get(out, "tool_call", 1, "/args"), STR("{\"x\":2}"));
	CHECK_STR(get(out, "model_step", 0, "/stop_reason"), STR("tool_calls"));
	CHECK_STR(get(out, "model_step", 0, "/stream"), STR("true"));
}

TEST(an_index_that_starts_again_with_another_id_is_another_call)
{
	struct str out = convert(
		FIRST("c1")
		CALL("c1", "{\"index\":0,\"id\":\"t1\",\"function\":{\"name\":\"add\",\"arguments\":\"{\\\"a\\\":1}\"}}")
		CALL("c1", "{\"index\":0,\"id\":\"t2\",\"function\":{\"name\":\"add\",\"arguments\":\"{\\\"a\\\":\"}}")
		CALL("c1", "{\"index\":0,\"function\":{\"arguments\":\"2}\"}}")
		LAST("c1", "tool_calls"));

	CHECK_STR(get(out, "tool_call", 0, "/args"), STR("{\"a\":1}"));
	CHECK_STR(get(out, "tool_call", 1, "/args"), STR("{\"a\":2}"));
}

TEST(an_id_and_a_name_repeated_in_every_piece_make_one_call)
{
	struct str out = convert(
		FIRST("c1")
		CALL("c1", "{\"index\":0,\"id\":\"t1\",\"function\":{\"name\":\"add\",\"arguments\":\"{\\\"a\\\"\"}}")
		CALL("c1", "{\"index\":0,\"id\":\"t1\",\"function\":{\"name\":\"add\",\"arguments\":\":1}\"}}")
		LAST("c1", "tool_calls"));

	CHECK_STR(get(out, "tool_call", 0, "/args"), STR("{\"a\":1}"));
	CHECK_STR(get(out, "tool_call", 0, "/tool"), STR("tool://openai/add"));
	CHECK_INT(convert_record(out, "tool_call", 1).n, 0);
}

TEST(arguments_that_are_no_json_stay_a_text_and_empty_ones_are_none)
{
	static const struct { const char *piece, *args, *encoding; } cases[] = {
		{ CALL("c1", "{\"index\":0,\"id\":\"t\",\"function\":{\"name\":\"f\",\"arguments\":\"\"}}"), "{}", "" },
		{ CALL("c1", "{\"index\":0,\"id\":\"t\",\"function\":{\"name\":\"f\",\"arguments\":\"ls -l\"}}"), "ls -l", "raw" },
		{ CALL("c1", "{\"index\":0,\"id\":\"t\",\"function\":{\"name\":\"f\"}}"), "{}", "" },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct str out = convert(arena_printf(&arena, "%s%s%s", FIRST("c1"), cases[i].piece, LAST("c1", "tool_calls")).p);

		test_case("case %zu", i);
		CHECK_STR(get(out, "tool_call", 0, "/args"), str_from(cases[i].args));
		CHECK_STR(get(out, "tool_call", 0, "/args_encoding"), str_from(cases[i].encoding));
	}
}

TEST(legacy_function_calls_are_calls_without_an_id)
{
	struct str out = convert(
		CHUNK("c1", "{\"role\":\"assistant\",\"content\":null,\"function_call\":{\"name\":\"f\",\"arguments\":\"\"}}", "null")
		CHUNK("c1", "{\"function_call\":{\"arguments\":\"{\\\"a\\\":\"}}", "null")
		CHUNK("c1", "{\"function_call\":{\"arguments\":\"1}\"}}", "null")
		LAST("c1", "function_call"));

	CHECK_STR(get(out, "tool_call", 0, "/args"), STR("{\"a\":1}"));
	CHECK_STR(get(out, "tool_call", 0, "/call_id"), STR("call_c1_0"));
}

TEST(usage_is_found_in_whatever_piece_has_it_and_never_added)
{
	static const struct { const char *name, *text; } cases[] = {
		{ "behind the end", FIRST("c1") TEXT("c1", "hi") LAST("c1", "stop")
				    USAGE("c1", "{\"prompt_tokens\":10,\"completion_tokens\":5,\"total_tokens\":15}") },
		{ "in every piece",
		  "{\"id\":\"c1\"," HEAD ",\"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\",\"content\":\"h\"}}],"
		  "\"usage\":{\"prompt_tokens\":10,\"completion_tokens\":1}}\n"
		  "{\"id\":\"c1\"," HEAD ",\"choices\":[{\"index\":0,\"delta\":{\"content\":\"i\"},\"finish_reason\":\"stop\"}],"
		  "\"usage\":{\"prompt_tokens\":10,\"completion_tokens\":5}}\n" },
		{ "as Groq does", FIRST("c1") TEXT("c1", "hi")
				  "{\"id\":\"c1\"," HEAD ",\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}],"
				  "\"x_groq\":{\"id\":\"r\",\"usage\":{\"prompt_tokens\":10,\"completion_tokens\":5}}}\n" },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct str out = convert(cases[i].text);
		struct convert_figures f = convert_count(out);

		test_case("%s", cases[i].name);
		CHECK_INT(f.model_steps, 1);
		CHECK_INT(f.input_total, 10);
		CHECK_INT(f.output_total, 5);
		CHECK_STR(get(out, "model_step", 0, "/text"), STR("hi"));
		CHECK_STR(get(out, "cost", 0, "/source"), STR("api"));
	}
}

TEST(the_first_piece_of_azure_belongs_to_the_stream_behind_it)
{
	struct str out = convert(
		"{\"choices\":[],\"created\":0,\"id\":\"\",\"model\":\"\",\"object\":\"\",\"prompt_filter_results\":[{\"prompt_index\":0}]}\n"
		FIRST("c1") TEXT("c1", "hi") LAST("c1", "stop"));

	CHECK_INT(convert_count(out).model_steps, 1);
	CHECK_STR(get(out, "model_step", 0, "/step_id"), STR("c1"));
	CHECK_STR(get(out, "model_step", 0, "/ext/openai-chat~11/prompt_filter_results/0/prompt_index"), STR("0"));
	CHECK_STR(get(out, "model_step", 0, "/ts"), STR("2023-11-14T22:13:20.000Z"));
}

TEST(streams_without_ids_are_told_apart_by_their_ends)
{
	struct str out = convert(FIRST("") TEXT("", "one") LAST("", "stop") FIRST("") TEXT("", "two") LAST("", "stop"));

	CHECK_INT(convert_count(out).model_steps, 2);
	CHECK_STR(get(out, "model_step", 0, "/text"), STR("one"));
	CHECK_STR(get(out, "model_step", 1, "/text"), STR("two"));
}

TEST(a_server_that_gives_every_piece_its_own_id_has_answered_once)
{
	struct str out = convert(TEXT("a", "one ") TEXT("b", "two ") TEXT("c", "three") LAST("d", "stop")
				 USAGE("e", "{\"prompt_tokens\":3,\"completion_tokens\":2}") FIRST("f") TEXT("f", "next") LAST("f", "stop"));

	CHECK_INT(convert_count(out).model_steps, 2);
	CHECK_STR(get(out, "model_step", 0, "/text"), STR("one two three"));
	CHECK_STR(get(out, "model_step", 0, "/step_id"), STR("a"));
	CHECK_STR(get(out, "model_step", 1, "/text"), STR("next"));
	CHECK_INT(convert_count(out).input_total, 3);
}

TEST(a_stream_that_does_not_say_why_it_stopped_is_partial)
{
	static const struct { const char *text, *partial; } cases[] = {
		{ FIRST("c1") TEXT("c1", "hi") LAST("c1", "stop"), "" },
		{ FIRST("c1") TEXT("c1", "hi"), "true" },
		{ FIRST("c1") TEXT("c1", "hi") FIRST("c2") TEXT("c2", "ho") LAST("c2", "stop"), "true" },
		{ FIRST("c1") TEXT("c1", "hi") LAST("c1", "stop") TEXT("c1", ""), "" },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		test_case("case %zu", i);
		CHECK_STR(get(convert(cases[i].text), "model_step", 0, "/partial"), str_from(cases[i].partial));
	}
}

TEST(events_with_names_and_an_end_mark_are_read_as_lines_are)
{
	struct str out = convert("data: " TEXT("c1", "hi") "\ndata: " LAST("c1", "stop") "\ndata: [DONE]\n\n");

	CHECK_STR(get(out, "model_step", 0, "/text"), STR("hi"));
	CHECK_INT(convert_count(out).model_steps, 1);
}

TEST(each_choice_is_a_step)
{
	struct str out = convert(
		"{\"id\":\"c1\"," HEAD ",\"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\",\"content\":\"a\"}}]}\n"
		"{\"id\":\"c1\"," HEAD ",\"choices\":[{\"index\":1,\"delta\":{\"role\":\"assistant\",\"content\":\"x\"}}]}\n"
		"{\"id\":\"c1\"," HEAD ",\"choices\":[{\"index\":0,\"delta\":{\"content\":\"b\"},\"finish_reason\":\"stop\"}]}\n"
		"{\"id\":\"c1\"," HEAD ",\"choices\":[{\"index\":1,\"delta\":{\"content\":\"y\"},\"finish_reason\":\"length\"}]}\n"
		USAGE("c1", "{\"prompt_tokens\":10,\"completion_tokens\":4}"));

	CHECK_STR(get(out, "model_step", 0, "/text"), STR("ab"));
	CHECK_STR(get(out, "model_step", 1, "/text"), STR("xy"));
	CHECK_STR(get(out, "model_step", 1, "/step_id"), STR("c1#1"));
	CHECK_INT(convert_count(out).input_total, 10);
	out = convert(WHOLE(SAYS("a") ",{\"index\":1,\"message\":{\"role\":\"assistant\",\"content\":\"x\"}}",
			    "{\"prompt_tokens\":10,\"completion_tokens\":4}"));
	CHECK_INT(convert_count(out).model_steps, 2);
	CHECK_INT(convert_count(out).output_total, 4);
}

TEST(probabilities_and_padding_are_kept)
{
	struct str out = convert(
		"{\"id\":\"c1\"," HEAD ",\"obfuscation\":\"xyzzy\",\"choices\":[{\"index\":0,\"delta\":{\"content\":\"a\"},"
		"\"logprobs\":{\"content\":[{\"token\":\"first-token\",\"logprob\":-0.5}]}}]}\n"
		"{\"id\":\"c1\"," HEAD ",\"obfuscation\":\"plugh\",\"choices\":[{\"index\":0,\"delta\":{\"content\":\"b\"},"
		"\"logprobs\":{\"content\":[{\"token\":\"second-token\",\"logprob\":-1}]},\"finish_reason\":\"stop\"}]}\n");

	CHECK(str_find(out, STR("first-token")) != (size_t)-1);
	CHECK(str_find(out, STR("second-token")) != (size_t)-1);
	CHECK_STR(get(out, "model_step", 0, "/ext/openai-chat~11/obfuscation"), STR("[\"xyzzy\",\"plugh\"]"));
	CHECK_STR(get(out, "model_step", 0, "/text"), STR("ab"));
}

/* Pieces are merged and the last wins: what the others had must not be gone. */
TEST(what_differs_from_piece_to_piece_is_kept)
{
	static const char pieces[] =
		"{\"id\":\"c1\",\"object\":\"chat.completion.chunk\",\"model\":\"m\",\"tier\":\"a\",\"p\":\"x\","
		"\"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\",\"content\":\"a\"}}]}\n"
		"{\"id\":\"c2\",\"object\":\"chat.completion.chunk\",\"model\":\"m-1\",\"tier\":\"b\",\"p\":\"yz\","
		"\"choices\":[{\"index\":0,\"delta\":{\"content\":\"b\"},\"finish_reason\":\"stop\"}]}\n";
	struct str out = convert(pieces);

	CHECK_INT(convert_count(out).model_steps, 1);
	CHECK_STR(get(out, "model_step", 0, "/step_id"), STR("c1"));
	CHECK_STR(get(out, "model_step", 0, "/model"), STR("m-1"));
	CHECK_STR(get(out, "model_step", 0, "/ext/openai-chat~11/tier"), STR("b"));
	CHECK_STR(get(out, "model_step", 0, "/ext/openai-chat~11/p"), STR("[\"x\",\"yz\"]"));
	CHECK_STR(get(out, "model_step", 0, "/ext/openai-chat~11/ids"), STR("[\"c2\"]"));
	CHECK_STR(get(out, "model_step", 0, "/ext/openai-chat~11/models"), STR("[\"m\"]"));
	CHECK_STR(get(out, "model_step", 0, "/ext/openai-chat~11/pieces/0/tier"), STR("a"));
	CHECK(!get(out, "model_step", 0, "/ext/openai-chat~11/pieces/1").p);
}

TEST(padding_goes_to_the_answer_it_belongs_to)
{
	struct str out = convert(
		"{\"id\":\"c1\"," HEAD ",\"obfuscation\":\"one\",\"choices\":[{\"index\":0,\"delta\":{\"content\":\"a\"},"
		"\"finish_reason\":\"stop\"}]}\n"
		"{\"id\":\"c2\"," HEAD ",\"obfuscation\":\"two\",\"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\","
		"\"content\":\"b\"},\"finish_reason\":\"stop\"}]}\n");

	CHECK_STR(get(out, "model_step", 0, "/ext/openai-chat~11/obfuscation"), STR("[\"one\"]"));
	CHECK_STR(get(out, "model_step", 1, "/ext/openai-chat~11/obfuscation"), STR("[\"two\"]"));
}

TEST(what_every_piece_repeats_is_kept_once)
{
	struct str out = convert(FIRST("c1") TEXT("c1", "a") TEXT("c1", "b") LAST("c1", "stop"));

	CHECK_STR(get(out, "model_step", 0, "/ext/openai-chat~11/created"), STR("1700000000"));
	CHECK_STR(get(out, "model_step", 0, "/ext/openai-chat~11/pieces"), STR(""));
}

TEST(reasoning_and_refusals_have_their_place)
{
	struct str out = convert(CHUNK("c1", "{\"role\":\"assistant\",\"reasoning_content\":\"let me\"}", "null")
				 CHUNK("c1", "{\"reasoning\":\" think\"}", "null") TEXT("c1", "yes") LAST("c1", "stop"));

	CHECK_STR(get(out, "model_step", 0, "/reasoning"), STR("let me think"));
	CHECK_STR(get(out, "model_step", 0, "/text"), STR("yes"));
	out = convert(WHOLE("{\"index\":0,\"message\":{\"role\":\"assistant\",\"content\":null,\"refusal\":\"I will not\"},"
			    "\"finish_reason\":\"stop\"}", "null"));
	CHECK_STR(get(out, "model_step", 0, "/text"), STR("I will not"));
	CHECK_STR(get(out, "model_step", 0, "/ext/openai-chat~11/choice/message/refusal"), STR("I will not"));
}

TEST(an_error_in_a_stream_is_an_error_of_the_model)
{
	struct str out = convert(FIRST("c1") TEXT("c1", "hi")
				 "{\"error\":{\"message\":\"too much\",\"type\":\"server_error\",\"code\":\"overloaded\"}}\n");

	CHECK_STR(get(out, "error", 0, "/class"), STR("model"));
	CHECK_STR(get(out, "error", 0, "/code"), STR("overloaded"));
	CHECK_STR(get(out, "error", 0, "/message"), STR("too much"));
	CHECK_STR(get(out, "model_step", 0, "/partial"), STR("true"));
}

/* ---- figures ---- */

TEST(where_reasoning_is_counted_is_decided_by_the_total)
{
	static const struct { const char *usage; int64_t out, reasoning; } cases[] = {
		{ "{\"prompt_tokens\":100,\"completion_tokens\":30,\"total_tokens\":130,"
		  "\"completion_tokens_details\":{\"reasoning_tokens\":20}}", 30, 20 },
		{ "{\"prompt_tokens\":100,\"completion_tokens\":30,\"total_tokens\":150,"
		  "\"completion_tokens_details\":{\"reasoning_tokens\":20}}", 50, 20 },
		{ "{\"prompt_tokens\":100,\"completion_tokens\":30,\"total_tokens\":150}", 30, -1 },
		{ "{\"prompt_tokens\":100,\"completion_tokens\":30}", 30, -1 },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct convert_figures f =
			count(arena_printf(&arena, WHOLE(SAYS("a"), "%s"), cases[i].usage).p);

		test_case("case %zu", i);
		CHECK_INT(f.output_total, cases[i].out);
		CHECK_INT(f.reasoning, cases[i].reasoning);
	}
}

TEST(what_a_total_of_gemini_has_more_is_reasoning_and_an_estimate)
{
	struct str out = convert("{\"id\":\"g\",\"object\":\"chat.completion\",\"model\":\"gemini-2.5-pro\",\"choices\":[" SAYS("a") "],"
				 "\"usage\":{\"prompt_tokens\":35,\"completion_tokens\":12,\"total_tokens\":109}}\n");

	CHECK_INT(convert_count(out).output_total, 74);
	CHECK_INT(convert_count(out).reasoning, 62);
	CHECK_STR(get(out, "model_step", 0, "/usage/source"), STR("mixed"));
}

TEST(cached_tokens_are_found_under_every_name)
{
	static const struct { const char *usage; int64_t read, write; } cases[] = {
		{ "{\"prompt_tokens\":10,\"completion_tokens\":1,\"prompt_tokens_details\":{\"cached_tokens\":7,\"cache_write_tokens\":2}}", 7, 2 },
		{ "{\"prompt_tokens\":10,\"completion_tokens\":1,\"prompt_cache_hit_tokens\":8,\"prompt_cache_miss_tokens\":2}", 8, -1 },
		{ "{\"prompt_tokens\":10,\"completion_tokens\":1,\"cache_read_input_tokens\":5,\"cache_creation_input_tokens\":3}", 5, 3 },
		{ "{\"prompt_tokens\":10,\"completion_tokens\":1,\"prompt_tokens_details\":{\"cached_tokens\":0}}", 0, -1 },
		{ "{\"prompt_tokens\":10,\"completion_tokens\":1,\"prompt_tokens_details\":null}", -1, -1 },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct convert_figures f =
			count(arena_printf(&arena, WHOLE(SAYS("a"), "%s"), cases[i].usage).p);

		test_case("case %zu", i);
		CHECK_INT(f.input_total, 10);
		CHECK_INT(f.cache_read, cases[i].read);
		CHECK_INT(f.cache_write, cases[i].write);
	}
}

/* ---- transcripts ---- */

#define DIALOGUE                                                                                              \
	"{\"role\":\"system\",\"content\":\"be brief\"},{\"role\":\"user\",\"content\":\"add\"},"            \
	"{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[{\"id\":\"t1\",\"type\":\"function\","       \
	"\"function\":{\"name\":\"add\",\"arguments\":\"{\\\"a\\\":1}\"}}]},"                                  \
	"{\"role\":\"tool\",\"tool_call_id\":\"t1\",\"content\":\"2\"},"                                       \
	"{\"role\":\"assistant\",\"content\":\"two\"}"

TEST(a_list_of_messages_is_a_run)
{
	static const char *const texts[] = {
		"{\"messages\":[" DIALOGUE "]}",
		"{\"traj\":[" DIALOGUE "],\"reward\":1}",
		"[" DIALOGUE "]",
	};

	for (size_t i = 0; i < COUNT(texts); i++) {
		struct str out = convert(texts[i]);
		struct convert_figures f = convert_count(out);

		test_case("%s", texts[i]);
		CHECK_INT(f.runs, 1);
		CHECK_INT(f.model_steps, 2);
		CHECK_INT(f.tool_calls, 1);
		CHECK_INT(f.tool_results, 1);
		CHECK_INT(f.orphan_calls, 0);
		CHECK_INT(f.input_total, -1);
		CHECK_STR(get(out, "tool_result", 0, "/result"), STR("2"));
		CHECK_STR(get(out, "model_step", 1, "/text"), STR("two"));
	}
}

TEST(lists_of_messages_that_share_nothing_are_runs_of_their_own)
{
	struct str out = convert("{\"messages\":[" DIALOGUE "]}\n"
				 "{\"messages\":[{\"role\":\"user\",\"content\":\"other\"},{\"role\":\"assistant\",\"content\":\"yes\"}]}\n"
				 "{\"messages\":[{\"role\":\"user\",\"content\":\"other\"},{\"role\":\"assistant\",\"content\":\"yes\"},"
				 "{\"role\":\"user\",\"content\":\"more\"},{\"role\":\"assistant\",\"content\":\"no\"}]}\n");
	struct convert_figures f = convert_count(out);

	CHECK_INT(f.runs, 2);
	CHECK_INT(f.model_steps, 4);
	CHECK_INT(f.tool_calls, 1);
}

TEST(results_of_parts_and_calls_of_custom_tools_keep_their_form)
{
	struct str out = convert(
		"{\"messages\":[{\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":\"go\"}]},"
		"{\"role\":\"assistant\",\"content\":[{\"type\":\"text\",\"text\":\"a\"},{\"type\":\"text\",\"text\":\"b\"}],"
		"\"tool_calls\":[{\"id\":\"t1\",\"type\":\"custom\",\"custom\":{\"name\":\"run\",\"input\":\"print(1)\"}}]},"
		"{\"role\":\"tool\",\"tool_call_id\":\"t1\",\"content\":[{\"type\":\"text\",\"text\":\"1\"}]}]}");

	CHECK_STR(get(out, "model_step", 0, "/text"), STR("ab"));
	CHECK_STR(get(out, "tool_call", 0, "/args"), STR("print(1)"));
	CHECK_STR(get(out, "tool_call", 0, "/args_encoding"), STR("raw"));
	CHECK_STR(get(out, "tool_result", 0, "/result/0/text"), STR("1"));
}

/* ---- detection ---- */

TEST(what_it_is_shows_in_the_content)
{
	static const struct { const char *text, *name; } cases[] = {
		{ TEXT("c1", "a"), "openai-chat" },
		{ WHOLE(SAYS("a"), "null"), "openai-chat" },
		{ "{\"messages\":[" DIALOGUE "]}\n", "openai-chat" },
		{ "{\"model\":\"m\",\"messages\":[" DIALOGUE "],\"tools\":[]}\n", "openai-chat" },
		{ "{\"choices\":[{\"text\":\"a\",\"index\":0,\"finish_reason\":\"stop\"}],\"object\":\"text_completion\"}\n", "openai-chat" },
		{ "{\"role\":\"user\",\"content\":\"a\"}\n{\"role\":\"assistant\",\"content\":\"b\"}\n", "conversation" },
		{ "{\"version\":2,\"status\":\"success\",\"eval\":{\"task\":\"t\"},\"plan\":{},\"messages\":[" DIALOGUE "]}\n", "" },
		{ "{\"projectHash\":\"x\",\"sessionId\":\"y\",\"messages\":[{\"role\":\"user\",\"content\":\"a\"}]}\n", "" },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct converted c = convert_with(&arena, str_from(cases[i].text), (struct convert_how){ .to = "otutl" });
		const char *name = c.from ? c.from->name : "";

		test_case("%s", cases[i].text);
		if (cases[i].name[0])
			CHECK_STR(str_from(name), str_from(cases[i].name));
		else
			CHECK(strcmp(name, "openai-chat") != 0);
	}
}

TEST(pieces_give_the_same_however_the_file_is_cut)
{
	struct str text = test_data("openai-chat/stream.sse");
	struct str whole = convert_text(&arena, "openai-chat", text, "otutl");

	CHECK_INT(convert_count(whole).tool_calls, 2);
	for (size_t chunk = 1; chunk < text.n; chunk += 37) {
		struct converted c = convert_with(&arena, text,
						  (struct convert_how){ .from = "openai-chat", .to = "otutl", .chunk = chunk, .jobs = 2 });

		test_case("chunks of %zu", chunk);
		CHECK_STR(c.out, whole);
	}
}
