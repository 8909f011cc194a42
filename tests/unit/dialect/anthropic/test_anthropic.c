#include "base/buf.h"
#include "base/crypto/sha256.h"
#include "dialect/exchange/exchange.h"
#include "dialect/formats.h"
#include "harness/convert.h"
#include "harness/test.h"

/* ---- help ---- */

/* Converts to OTUTL, which must be valid. */
static struct str to_otutl(struct arena *a, const char *text)
{
	return convert_valid(a, "anthropic", str_from(text), "otutl");
}

static struct arena test_arena(void)
{
	struct arena a;

	arena_init(&a);
	return a;
}

static void check_member(struct arena *a, struct str out, const char *type, size_t n, const char *pointer, const char *want)
{
	struct str got = convert_get(a, convert_record(out, type, n), pointer);

	test_case("%s %zu %s", type, n, pointer);
	CHECK_STR(got, str_from(want));
	test_case("after %s %zu %s", type, n, pointer);
}

static bool holds(struct str out, const char *word)
{
	return str_find(out, str_from(word)) != (size_t)-1;
}

#define START(id, usage) \
	"{\"type\":\"message_start\",\"message\":{\"id\":\"" id "\",\"type\":\"message\",\"role\":\"assistant\",\"model\":\"claude-x\"," \
	"\"content\":[],\"stop_reason\":null,\"usage\":{" usage "}}}\n"
#define BLOCK(i, block) "{\"type\":\"content_block_start\",\"index\":" #i ",\"content_block\":" block "}\n"
#define TEXT_BLOCK(i) BLOCK(i, "{\"type\":\"text\",\"text\":\"\"}")
#define USE(id, name) "{\"type\":\"tool_use\",\"id\":\"" id "\",\"name\":\"" name "\",\"input\":{}}"
#define DELTA(i, type, name, value) \
	"{\"type\":\"content_block_delta\",\"index\":" #i ",\"delta\":{\"type\":\"" type "\",\"" name "\":\"" value "\"}}\n"
#define SAY(i, text) DELTA(i, "text_delta", "text", text)
#define PIECE(i, json) DELTA(i, "input_json_delta", "partial_json", json)
#define END(i) "{\"type\":\"content_block_stop\",\"index\":" #i "}\n"
#define FIGURES(stop, usage) \
	"{\"type\":\"message_delta\",\"delta\":{\"stop_reason\":" stop ",\"stop_sequence\":null},\"usage\":{" usage "}}\n"
#define STOP "{\"type\":\"message_stop\"}\n"

#define MESSAGE(content, usage) \
	"{\"id\":\"msg_1\",\"type\":\"message\",\"role\":\"assistant\",\"model\":\"claude-x\",\"content\":" content \
	",\"stop_reason\":\"end_turn\",\"stop_sequence\":null,\"usage\":{" usage "}}"

/* ---- streams ---- */

TEST(arguments_in_pieces_are_joined_and_none_are_an_empty_object)
{
	static const struct {
		const char *name, *pieces, *args;
		bool raw;
	} cases[] = {
		{ "pieces", PIECE(1, "") PIECE(1, "{\\\"ci") PIECE(1, "ty\\\": \\\"K\\u00f6") PIECE(1, "ln\\\"}"),
		  "{\"city\":\"K\xc3\xb6ln\"}", false },
		{ "no piece", "", "{}", false },
		{ "an empty piece", PIECE(1, ""), "{}", false },
		{ "cut", PIECE(1, "{\\\"city\\\": \\\"K"), "{\"city\": \"K", true },
		{ "a large number", PIECE(1, "{\\\"n\\\":12345678901234567890}"), "{\"n\":\"12345678901234567890\"}", false },
	};
	struct arena a = test_arena();

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct buf text;
		struct str out;

		test_case("%s", cases[i].name);
		buf_init(&text);
		buf_printf(&text, "%s%s%s%s%c", START("m", "\"input_tokens\":3,\"output_tokens\":1") TEXT_BLOCK(0) SAY(0, "Hi") END(0)
			   BLOCK(1, USE("toolu_1", "weather")), cases[i].pieces, END(1) FIGURES("\"tool_use\"", "\"output_tokens\":9"), STOP, 0);
		out = to_otutl(&a, text.p);
		check_member(&a, out, "tool_call", 0, "/args", cases[i].args);
		check_member(&a, out, "tool_call", 0, "/call_id", "toolu_1");
		check_member(&a, out, "tool_call", 0, "/tool", "tool://anthropic/weather");
		check_member(&a, out, "model_step", 0, "/text", "Hi");
		CHECK(holds(out, "\"args_encoding\":\"raw\"") == cases[i].raw);
		CHECK_INT(convert_count(out).orphan_calls, 1);
		buf_free(&text);
	}
	arena_free(&a);
}

TEST(the_last_figures_of_a_stream_overwrite_the_first_one_by_one)
{
	static const struct {
		const char *name, *start, *delta;
		long long input, read, write, output, reasoning;
	} cases[] = {
		{ "only the output", "\"input_tokens\":17,\"output_tokens\":1", "\"output_tokens\":227", 17, -1, -1, 227, -1 },
		{ "more input", "\"input_tokens\":2263,\"cache_read_input_tokens\":0,\"output_tokens\":2",
		  "\"input_tokens\":1761,\"cache_read_input_tokens\":6289,\"output_tokens\":9", 8050, 6289, -1, 9, -1 },
		{ "null keeps", "\"input_tokens\":5,\"cache_read_input_tokens\":7,\"cache_creation_input_tokens\":2,\"output_tokens\":1",
		  "\"input_tokens\":null,\"cache_read_input_tokens\":null,\"output_tokens\":4", 14, 7, 2, 4, -1 },
		{ "part of them", "\"input_tokens\":5,\"cache_read_input_tokens\":7,\"output_tokens\":1",
		  "\"input_tokens\":6,\"output_tokens\":4", 13, 7, -1, 4, -1 },
		{ "only the cache", "\"input_tokens\":5,\"cache_read_input_tokens\":7,\"output_tokens\":1",
		  "\"cache_read_input_tokens\":9,\"output_tokens\":4", 14, 9, -1, 4, -1 },
		{ "thoughts", "\"input_tokens\":5,\"output_tokens\":1",
		  "\"output_tokens\":40,\"output_tokens_details\":{\"thinking_tokens\":30}", 5, -1, -1, 40, 30 },
		{ "compaction", "\"input_tokens\":5,\"output_tokens\":1",
		  "\"input_tokens\":6,\"output_tokens\":4,\"iterations\":[{\"type\":\"compaction\",\"input_tokens\":10,"
		  "\"cache_read_input_tokens\":100,\"output_tokens\":50},{\"type\":\"message\",\"input_tokens\":6,\"output_tokens\":4}]",
		  116, 100, -1, 54, -1 },
		{ "rounds without compaction", "\"input_tokens\":5,\"output_tokens\":1",
		  "\"input_tokens\":6,\"output_tokens\":4,\"iterations\":[{\"type\":\"message\",\"input_tokens\":2,\"output_tokens\":2}]",
		  6, -1, -1, 4, -1 },
	};
	struct arena a = test_arena();

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct convert_figures f;
		struct buf text;

		test_case("%s", cases[i].name);
		buf_init(&text);
		buf_printf(&text, "{\"type\":\"message_start\",\"message\":{\"id\":\"m\",\"content\":[],\"usage\":{%s}}}\n"
			   "{\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end_turn\"},\"usage\":{%s}}\n" STOP "%c",
			   cases[i].start, cases[i].delta, 0);
		f = convert_count(to_otutl(&a, text.p));
		CHECK_INT(f.model_steps, 1);
		CHECK_INT(f.input_total, cases[i].input);
		CHECK_INT(f.cache_read, cases[i].read);
		CHECK_INT(f.cache_write, cases[i].write);
		CHECK_INT(f.output_total, cases[i].output);
		CHECK_INT(f.reasoning, cases[i].reasoning);
		buf_free(&text);
	}
	arena_free(&a);
}

TEST(a_second_start_continues_its_message_or_begins_another)
{
#define ONE "\"input_tokens\":3,\"output_tokens\":1"
	static const struct {
		const char *name, *text;
		long long steps, input;
		bool partial;
	} cases[] = {
		{ "the same id", START("m", ONE) START("m", ONE) TEXT_BLOCK(0) SAY(0, "a") FIGURES("\"end_turn\"", "\"output_tokens\":2") STOP,
		  1, 3, false },
		{ "another id", START("m", ONE) TEXT_BLOCK(0) SAY(0, "a") STOP START("n", ONE) TEXT_BLOCK(0) SAY(0, "b") STOP, 2, 6, false },
		{ "another before the end", START("m", ONE) TEXT_BLOCK(0) SAY(0, "a") START("n", ONE) TEXT_BLOCK(0) SAY(0, "b") STOP, 2, 6, true },
		{ "a marker", START("m", ONE) TEXT_BLOCK(0) SAY(0, "a") STOP START("n", "\"input_tokens\":0,\"output_tokens\":0") STOP, 1, 3,
		  false },
		{ "zeros at first only", START("m", "\"input_tokens\":0,\"output_tokens\":0") TEXT_BLOCK(0) SAY(0, "a")
		  FIGURES("\"end_turn\"", "\"input_tokens\":4,\"output_tokens\":2") STOP, 1, 4, false },
		{ "no end", START("m", ONE) TEXT_BLOCK(0) SAY(0, "a"), 1, 3, true },
		{ "an error", START("m", ONE) TEXT_BLOCK(0) SAY(0, "a")
		  "{\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"Overloaded\"}}\n", 1, 3, true },
	};
	struct arena a = test_arena();

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct str out;

		test_case("%s", cases[i].name);
		out = to_otutl(&a, cases[i].text);
		CHECK_INT(convert_count(out).model_steps, cases[i].steps);
		CHECK_INT(convert_count(out).input_total, cases[i].input);
		CHECK(holds(out, "partial") == cases[i].partial);
		check_member(&a, out, "model_step", 0, "/text", "a");
	}
	check_member(&a, to_otutl(&a, cases[6].text), "error", 0, "/code", "overloaded_error");
	arena_free(&a);
}

TEST(a_stream_is_the_same_as_events_and_as_lines)
{
	static const char lines[] = START("m", ONE) "{\"type\":\"ping\"}\n" TEXT_BLOCK(0) SAY(0, "Hel") SAY(0, "lo") END(0)
		FIGURES("\"end_turn\"", "\"output_tokens\":2") STOP;
	struct arena a = test_arena();
	struct str left = str_from(lines), from_lines = to_otutl(&a, lines), from_events;
	struct buf sse;

	buf_init(&sse);
	while (left.n) {
		struct str line = str_cut(left, '\n', &left);

		buf_printf(&sse, "event: x\r\ndata: %.*s\r\n\r\n", STR_ARG(line));
	}
	buf_add_byte(&sse, 0);
	from_events = to_otutl(&a, sse.p);
	for (int i = 0; i < 2; i++) {
		struct str out = i ? from_events : from_lines;

		check_member(&a, out, "model_step", 0, "/text", "Hello");
		check_member(&a, out, "model_step", 0, "/stop_reason", "end_turn");
		check_member(&a, out, "cost", 0, "/tokens_out", "2");
		CHECK(!holds(out, "partial") && !holds(out, "unreadable"));
	}
	buf_free(&sse);
	arena_free(&a);
}

/* ---- whole messages ---- */

TEST(tools_of_the_service_are_calls_with_their_results)
{
	static const char text[] = MESSAGE("["
		"{\"type\":\"server_tool_use\",\"id\":\"s1\",\"name\":\"web_search\",\"input\":{\"query\":\"q\"}},"
		"{\"type\":\"web_search_tool_result\",\"tool_use_id\":\"s1\",\"content\":[{\"type\":\"web_search_result\",\"url\":\"u\"}]},"
		"{\"type\":\"server_tool_use\",\"id\":\"s2\",\"name\":\"web_search\",\"input\":{}},"
		"{\"type\":\"web_search_tool_result\",\"tool_use_id\":\"s2\",\"content\":{\"type\":\"web_search_tool_result_error\","
		"\"error_code\":\"max_uses_exceeded\"}},"
		"{\"type\":\"mcp_tool_use\",\"id\":\"s3\",\"name\":\"echo\",\"server_name\":\"mirror\",\"input\":{\"a\":1}},"
		"{\"type\":\"mcp_tool_result\",\"tool_use_id\":\"s3\",\"is_error\":false,\"content\":[]},"
		"{\"type\":\"server_tool_use\",\"id\":\"s4\",\"name\":\"code_execution\",\"input\":{}},"
		"{\"type\":\"code_execution_tool_result\",\"tool_use_id\":\"s4\",\"content\":{\"type\":\"code_execution_result\","
		"\"return_code\":1}},"
		"{\"type\":\"tool_use\",\"id\":\"s5\",\"name\":\"roll\",\"input\":{},\"caller\":{\"type\":\"code_execution_20250825\","
		"\"tool_id\":\"s4\"}}]", "\"input_tokens\":1,\"output_tokens\":2");
	struct arena a = test_arena();
	struct str out = to_otutl(&a, text);
	struct convert_figures f = convert_count(out);

	CHECK_INT(f.tool_calls, 5);
	CHECK_INT(f.tool_results, 4);
	CHECK_INT(f.tool_errors, 1);
	CHECK_INT(f.orphan_calls, 1);
	check_member(&a, out, "tool_call", 2, "/tool", "mcp://mirror/echo");
	check_member(&a, out, "tool_result", 3, "/exit_code", "1");
	check_member(&a, out, "tool_call", 4, "/parent_call_id", "s4");
	arena_free(&a);
}

TEST(the_order_of_blocks_signatures_and_citations_are_kept)
{
	static const char text[] = MESSAGE("["
		"{\"type\":\"thinking\",\"thinking\":\"hm\",\"signature\":\"c2ln\"},{\"type\":\"redacted_thinking\",\"data\":\"cmVk\"},"
		"{\"type\":\"text\",\"text\":\"One. \"},"
		"{\"type\":\"tool_use\",\"id\":\"t\",\"name\":\"n\",\"input\":{}},"
		"{\"type\":\"text\",\"text\":\"Two.\",\"citations\":[{\"cited_text\":\"c\"}]}]", "\"input_tokens\":1,\"output_tokens\":2");
	struct arena a = test_arena();
	struct str out = to_otutl(&a, text);

	check_member(&a, out, "model_step", 0, "/text", "One. Two.");
	check_member(&a, out, "model_step", 0, "/reasoning", "hm");
	check_member(&a, out, "model_step", 0, "/ext/anthropic~11/blocks",
		     "[[\"thinking\",2],[\"redacted_thinking\"],[\"text\",5],[\"tool_use\"],[\"text\",4]]");
	CHECK(holds(out, "c2ln") && holds(out, "cmVk") && holds(out, "cited_text"));
	arena_free(&a);
}

TEST(figures_that_are_null_or_zero_or_not_there_stay_apart)
{
	struct arena a = test_arena();
	struct str out = to_otutl(&a, MESSAGE("[]", "\"input_tokens\":1,\"output_tokens\":2,\"cache_read_input_tokens\":0"));
	struct convert_figures f = convert_count(out);

	CHECK_INT(f.cache_read, 0);
	CHECK_INT(f.cache_write, -1);
	CHECK_INT(f.reasoning, -1);
	arena_free(&a);
}

TEST(an_error_body_is_an_error)
{
	struct arena a = test_arena();
	struct str out = to_otutl(&a, "{\"type\":\"error\",\"error\":{\"type\":\"invalid_request_error\",\"message\":\"no\"},"
				      "\"request_id\":\"req_1\"}");

	check_member(&a, out, "error", 0, "/class", "model");
	check_member(&a, out, "error", 0, "/code", "invalid_request_error");
	check_member(&a, out, "error", 0, "/message", "no");
	CHECK(holds(out, "req_1"));
	arena_free(&a);
}

/* ---- conversations ---- */

#define TALK \
	"{\"role\":\"user\",\"content\":\"weather?\"}," \
	"{\"role\":\"assistant\",\"content\":[{\"type\":\"text\",\"text\":\"let me see\"},{\"type\":\"tool_use\",\"id\":\"t1\"," \
	"\"name\":\"weather\",\"input\":{}},{\"type\":\"tool_use\",\"id\":\"t2\",\"name\":\"weather\",\"input\":{\"day\":2}}]}," \
	"{\"role\":\"user\",\"content\":[{\"type\":\"tool_result\",\"tool_use_id\":\"t2\",\"content\":\"rain\"}," \
	"{\"type\":\"tool_result\",\"tool_use_id\":\"t1\",\"is_error\":true},{\"type\":\"text\",\"text\":\"go on\"}]}"

TEST(a_list_of_messages_is_a_run)
{
	static const char *const cases[] = { "{\"model\":\"claude-x\",\"max_tokens\":9,\"system\":\"be brief\",\"messages\":[" TALK "]}",
					     "[" TALK "]" };
	struct arena a = test_arena();

	for (size_t i = 0; i < 2; i++) {
		struct str out;
		struct convert_figures f;

		test_case("%zu", i);
		out = to_otutl(&a, cases[i]);
		f = convert_count(out);
		CHECK_INT(f.runs, 1);
		CHECK_INT(f.tool_calls, 2);
		CHECK_INT(f.tool_results, 2);
		CHECK_INT(f.tool_errors, 1);
		check_member(&a, out, "tool_result", 0, "/call_id", "t2");
		CHECK(holds(out, "go on"));
	}
	arena_free(&a);
}

TEST(what_every_request_tells_again_counts_once)
{
#define ASK(messages) \
	"{\"request\":{\"method\":\"POST\",\"url\":\"https://api.anthropic.com/v1/messages\",\"body\":{\"model\":\"claude-x\"," \
	"\"max_tokens\":9,\"system\":[{\"type\":\"text\",\"text\":\"be brief\"}],\"messages\":[" messages "]}},"
#define GIVE(id, block, stop) \
	"\"response\":{\"status\":200,\"body\":{\"id\":\"" id "\",\"type\":\"message\",\"role\":\"assistant\",\"model\":\"claude-x\"," \
	"\"content\":[" block "],\"stop_reason\":\"" stop "\",\"usage\":{\"input_tokens\":10,\"output_tokens\":5}}}}\n"
#define FIRST "{\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":\"hello there\""
#define SECOND "{\"role\":\"assistant\",\"content\":[" USE("t1", "weather") "]}"
#define THIRD "{\"role\":\"user\",\"content\":[{\"type\":\"tool_result\",\"tool_use_id\":\"t1\",\"content\":\"rain\"}]}"
	static const char text[] =
		ASK(FIRST ",\"cache_control\":{\"type\":\"ephemeral\"}}]}") GIVE("m1", USE("t1", "weather"), "tool_use")
		ASK(FIRST "}]}," SECOND "," THIRD) GIVE("m2", "{\"type\":\"text\",\"text\":\"It rains.\"}", "end_turn");
	struct arena a = test_arena();
	struct str out = to_otutl(&a, text), rest = out;
	struct convert_figures f = convert_count(out);
	size_t times = 0, at;

	CHECK_INT(f.runs, 1);
	CHECK_INT(f.model_steps, 2);
	CHECK_INT(f.tool_calls, 1);
	CHECK_INT(f.tool_results, 1);
	CHECK_INT(f.orphan_calls, 0);
	CHECK_INT(f.input_total, 20);
	while ((at = str_find(rest, STR("hello there"))) != (size_t)-1) {
		rest = str_of(rest.p + at + 1, rest.n - at - 1);
		times++;
	}
	CHECK_INT(times, 1);
	arena_free(&a);
}

/* ---- detection ---- */

TEST(bodies_are_told_from_those_of_other_services)
{
	static const struct {
		const char *text;
		bool fits; /* better than anything else */
	} cases[] = {
		{ MESSAGE("[]", "\"input_tokens\":1"), true },
		{ START("m", "\"input_tokens\":1"), true },
		{ STOP, true },
		{ "{\"type\":\"ping\"}", false },
		{ "{\"type\":\"message_start\",\"message\":{\"role\":\"assistant\",\"content\":[],\"usage\":{\"input\":1}}}", false },
		{ "{\"messages\":[" TALK "]}", true },
		{ "[" TALK "]", true },
		{ "{\"model\":\"claude-x\",\"max_tokens\":5,\"messages\":[{\"role\":\"user\",\"content\":\"hi\"}]}", true },
		{ "{\"model\":\"m\",\"tools\":[{\"name\":\"n\",\"input_schema\":{}}],\"messages\":[{\"role\":\"user\",\"content\":\"hi\"}]}", true },
		{ "{\"model\":\"gpt-x\",\"messages\":[{\"role\":\"system\",\"content\":\"s\"},{\"role\":\"user\",\"content\":\"hi\"}]}", false },
		{ "{\"model\":\"gpt-x\",\"messages\":[{\"role\":\"tool\",\"tool_call_id\":\"1\",\"content\":\"s\"}]}", false },
		{ "{\"id\":\"1\",\"object\":\"chat.completion\",\"choices\":[]}", false },
		{ "{\"role\":\"assistant\",\"content\":[{\"type\":\"text\",\"text\":\"a\"}]}", false },
		{ "{\"type\":\"assistant\",\"uuid\":\"1\",\"sessionId\":\"2\",\"parentUuid\":null,\"message\":{\"role\":\"assistant\"}}", false },
	};
	struct json_parser *p = json_parser_open((struct json_options){ .max_depth = 64 });

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct dialect *best = NULL;
		int most = 0;
		struct val v;

		test_case("%s", cases[i].text);
		CHECK(json_parse_copy(p, str_from(cases[i].text), &v, NULL));
		for (const struct dialect *const *d = dialects; *d; d++) {
			int fit = (*d)->read && (*d)->fits ? (*d)->fits(v) : 0;

			if (fit > most) {
				most = fit;
				best = *d;
			}
		}
		CHECK((best == &anthropic_dialect) == cases[i].fits);
	}
	json_parser_close(p);
}

/* ---- the samples ---- */

TEST(figures_of_the_samples_are_those_of_an_independent_reader)
{
	struct json_parser *p = json_parser_open((struct json_options){ .max_depth = 64 });
	const char *root = test_shared("vendors/anthropic_messages");
	struct arena a = test_arena();
	struct str rows = test_read(arena_printf(&a, "%s/EXPECT.jsonl", root).p);
	size_t count = 0;

	while (rows.n) {
		struct val row;
		struct str line = str_cut(rows, '\n', &rows), name, first = STR("");
		struct converted c;
		struct convert_figures f;
		struct buf wrong;

		if (line.n == 0 || !json_parse_copy(p, line, &row, NULL))
			continue;
		arena_reset(&a);
		name = val_text(val_get(row, STR("file")), &a);
		test_case("%.*s", STR_ARG(name));
		c = convert_file(&a, arena_printf(&a, "%s/dev/%.*s", root, STR_ARG(name)).p, (struct convert_how){ .to = "otutl" });
		CHECK(c.done);
		CHECK(c.from == &anthropic_dialect);
		CHECK_INT(convert_errors(&a, "otutl", c.out, &first), 0);
		f = convert_count(c.out);
		buf_init(&wrong);
		convert_compare(&wrong, &f, row);
		CHECK_STR(buf_str(&wrong), STR(""));
		buf_free(&wrong);
		count++;
	}
	CHECK(count > 5);
	json_parser_close(p);
	arena_free(&a);
}

/* A piece of text of so many UTF-16 units; *left gets what follows. */
static struct str cut_units(struct str text, int64_t units, struct str *left)
{
	size_t n = 0;

	while (n < text.n && units > 0) {
		unsigned char c = (unsigned char)text.p[n];
		size_t size = c < 0x80 ? 1 : c < 0xe0 ? 2 : c < 0xf0 ? 3 : 4;

		units -= size == 4 ? 2 : 1;
		n += size;
	}
	n = n < text.n ? n : text.n;
	*left = str_of(text.p + n, text.n - n);
	return str_of(text.p, n);
}

static void check_digest(struct str bytes, struct val want)
{
	char hex[SHA256_HEX];
	struct sha256 s;

	sha256_init(&s);
	digest_hex(hex, sha256_of(&s, bytes));
	sha256_free(&s);
	CHECK_STR(str_of(hex, sizeof(hex)), val_raw(want));
}

/* The element of the list whose "index" is the smallest above `after`; *index gets it. */
static struct val next_by_index(struct val list, int64_t after, int64_t *index)
{
	struct val_iter it = val_begin(list);
	struct val one, found = VAL_NONE;
	int64_t n;

	while (val_next(&it, &one)) {
		if (!num_parse_i64(val_raw(val_get(one, STR("index"))), &n) || n <= after)
			continue;
		if (val_is_none(found) || n < *index) {
			found = one;
			*index = n;
		}
	}
	return found;
}

static void check_text(struct arena *a, struct str out, struct val texts)
{
	struct str left = convert_get(a, convert_record(out, "model_step", 0), "/text"), part;
	int64_t index = -1, units;
	struct val one;

	while (!val_is_none(one = next_by_index(texts, index, &index))) {
		CHECK(val_i64(val_get(one, STR("len_utf16")), &units));
		part = cut_units(left, units, &left);
		check_digest(part, val_get(one, STR("sha256")));
	}
	CHECK_INT(left.n, 0);
}

/* The pieces of each call's arguments, as they came, and the number of calls in the log. */
static void check_calls(struct arena *a, struct str log, struct str out, struct val calls)
{
	struct reading r;
	int64_t index = -1;
	size_t n = 0;
	struct val one;
	char *padded = arena_alloc(a, log.n + JSON_PAD, 1);

	memcpy(padded, log.p, log.n);
	reading_init(&r, &anthropic_dialect);
	reading_chunk(&r, a, str_of(padded, log.n), 1, true);
	for (; !val_is_none(one = next_by_index(calls, index, &index)); n++) {
		struct str name = val_raw(val_get(one, STR("name")));
		struct buf args;

		buf_init(&args);
		for (size_t i = 0; i < r.count; i++)
			if (r.events[i].kind == EVENT_CALL && r.events[i].index == index)
				buf_add_str(&args, r.events[i].args_text);
		check_digest(buf_str(&args), val_get(one, STR("arguments_sha256")));
		buf_free(&args);
		CHECK(str_ends(convert_get(a, convert_record(out, "tool_call", n), "/tool"), name));
	}
	CHECK_INT(convert_count(out).tool_calls, n);
	reading_free(&r);
}

static void check_usage(struct str out, struct val usage)
{
	static const char *const names[] = { "input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens" };
	struct convert_figures f = convert_count(out);
	struct val_iter it = val_begin(val_get(usage, STR("iterations")));
	int64_t sum = 0, output = 0, n;
	struct val round;

	if (!val_is_none(val_get(usage, STR("iterations"))) && val_next(&it, &round) &&
	    val_text_is(val_get(round, STR("type")), STR("compaction")))
		return; /* counted by its rounds, which EXPECT leaves as they are */
	for (int i = 0; i < 3; i++)
		sum += val_i64(val_get(usage, str_from(names[i])), &n) ? n : 0;
	CHECK_INT(f.input_total, sum);
	CHECK(val_i64(val_get(usage, STR("output_tokens")), &output));
	CHECK_INT(f.output_total, output);
}

TEST(recorded_streams_give_the_text_calls_end_and_usage_they_should)
{
	struct json_parser *p = json_parser_open((struct json_options){ .max_depth = 64 });
	const char *root = test_shared("corpora/04-sse/dev");
	struct arena a = test_arena();
	struct str rows = test_read(arena_printf(&a, "%s/transcripts/EXPECT.jsonl", root).p);
	size_t count = 0;

	while (rows.n) {
		struct val row;
		struct str line = str_cut(rows, '\n', &rows), name, log;
		struct converted c;

		if (line.n == 0 || !json_parse_copy(p, line, &row, NULL) ||
		    !val_text_is(val_get(row, STR("api")), STR("anthropic-messages")))
			continue;
		arena_reset(&a);
		name = val_raw(val_get(row, STR("file")));
		test_case("%.*s", STR_ARG(name));
		log = test_read(arena_printf(&a, "%s/%.*s", root, STR_ARG(name)).p);
		c = convert_file(&a, arena_printf(&a, "%s/%.*s", root, STR_ARG(name)).p, (struct convert_how){ .to = "otutl" });
		CHECK(c.done && c.from == &anthropic_dialect);
		CHECK_INT(convert_errors(&a, "otutl", c.out, NULL), 0);
		CHECK_INT(convert_count(c.out).model_steps, 1);
		check_text(&a, c.out, val_get(row, STR("text")));
		check_calls(&a, log, c.out, val_get(row, STR("tool_calls")));
		CHECK_STR(convert_get(&a, convert_record(c.out, "model_step", 0), "/stop_reason"), val_raw(val_at(row, STR("/finish/0"))));
		check_usage(c.out, val_get(row, STR("usage")));
		count++;
	}
	CHECK(count > 20);
	json_parser_close(p);
	arena_free(&a);
}
