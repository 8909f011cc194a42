#include "base/buf.h"
#include "dialect/conversation/rules.h"
#include "unit/dialect/check_cases.h"

#define USER "{\"role\":\"user\",\"content\":\"hi\"}\n"
#define EVENT(role, event, id) \
	"{\"role\":\"" role "\",\"content\":\"x\",\"event\":\"" event "\",\"tool_call_id\":\"" id "\"}\n"
#define CALL(id) \
	"{\"role\":\"assistant\",\"tool_calls\":[{\"id\":\"" id "\",\"type\":\"function\"," \
	"\"function\":{\"name\":\"ls\",\"arguments\":\"{}\"}}]}\n"
#define RESULT(id) "{\"role\":\"tool\",\"tool_call_id\":\"" id "\",\"content\":\"x\"}\n"
#define USE(id) "{\"role\":\"assistant\",\"content\":[{\"type\":\"tool_use\",\"id\":\"" id "\",\"name\":\"ls\",\"input\":{}}]}\n"
#define USE_RESULT(id) "{\"role\":\"user\",\"content\":[{\"type\":\"tool_result\",\"tool_use_id\":\"" id "\"}]}\n"
#define PARTS "{\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":\"hi\"}]}\n"
#define MESSAGE EVENT("user", "message", "")

TEST(each_message_gives_exactly_its_code)
{
	CHECK(check_cases(&conversation_dialect, "conversation/cases.tsv", STR("")) > 90);
}

static const struct {
	const char *text, *variant, *expected;
} files[] = {
	{ "", "plain", "0:CV019" },
	{ "\n\n", "plain", "0:CV019" },
	{ USER USER, "plain", "" },
	{ USER "{\"role\":\"\xc3\"}\n" USER, "plain", "2:CV001" },
	{ USER "{\"role\":\"user\",\"conte", "plain", "2:CV018" },
	{ USER "{\"role\":\"user\",\"content\":\"x\"}", "plain", "" },
	{ USER MESSAGE EVENT("assistant", "tool_call", "c1") EVENT("tool", "tool_result", "c1"), "canonical", "" },
	{ USER CALL("c1") RESULT("c1") USER, "openai", "" },
	{ "{\"role\":\"system\",\"content\":\"x\",\"tool_calls\":null}\n", "openai", "" },
	{ USER USE("u1") USE_RESULT("u1"), "anthropic", "" },
	{ PARTS, "anthropic", "" },
	{ "{\"role\":\"user\",\"content\":[]}\n" CALL("c1"), "openai", "" },
	/* another dialect further down */
	{ MESSAGE CALL("c1"), "canonical", "2:CV014" },
	{ MESSAGE PARTS, "canonical", "2:CV014" },
	{ MESSAGE USER, "canonical", "" },
	{ CALL("c1") RESULT("c1") MESSAGE, "openai", "3:CV014" },
	{ CALL("c1") RESULT("c1") PARTS, "openai", "" },
	{ CALL("c1") RESULT("c1") USE("u1"), "openai", "3:CV014" },
	{ PARTS CALL("c1") RESULT("c1"), "anthropic", "2:CV014 3:CV014" },
	{ PARTS MESSAGE, "anthropic", "2:CV014" },
	/* calls and results */
	{ RESULT("c1"), "openai", "1:CV015" },
	{ RESULT("c1") CALL("c1"), "openai", "1:CV015" },
	{ CALL("c1") RESULT("c2"), "openai", "2:CV015" },
	{ CALL("c1") CALL("c1") RESULT("c1"), "openai", "2:CV016" },
	{ CALL("c1") RESULT("c1") RESULT("c1"), "openai", "3:CV017" },
	{ CALL("c\\u0031") RESULT("c1"), "openai", "" },
	{ USE_RESULT("u1"), "anthropic", "1:CV015" },
	{ USE("u1") USE("u1"), "anthropic", "2:CV016" },
	{ USE("u1") USE_RESULT("u1") USE_RESULT("u1"), "anthropic", "3:CV017" },
	{ EVENT("tool", "tool_result", "c1"), "canonical", "1:CV015" },
	{ EVENT("assistant", "tool_call", "c1") EVENT("assistant", "tool_call", "c1"), "canonical", "2:CV016" },
	{ "{\"role\":\"assistant\",\"tool_calls\":[\"{\\\"id\\\":\\\"c1\\\"}\"]}\n" RESULT("c1"), "openai", "1:CV011" },
};

TEST(what_lies_between_messages_is_found_however_the_file_is_cut)
{
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		struct check_feed f;

		test_case("%zu: %s", i, files[i].text);
		check_feed_expect(&conversation_dialect, str_from(files[i].text), files[i].expected);
		check_feed(&f, &conversation_dialect, str_from(files[i].text), 0);
		CHECK_STR(str_from(f.tally.variant), str_from(files[i].variant));
		arena_free(&f.arena);
	}
}

TEST(many_calls_in_one_line_are_all_joined)
{
	struct buf text;

	buf_init(&text);
	buf_printf(&text, "{\"role\":\"assistant\",\"content\":[");
	for (int i = 0; i < 100; i++)
		buf_printf(&text, "%s{\"type\":\"tool_use\",\"id\":\"u%d\",\"name\":\"n\",\"input\":{}}", i ? "," : "", i);
	buf_printf(&text, "]}\n{\"role\":\"user\",\"content\":[");
	for (int i = 0; i < 101; i++)
		buf_printf(&text, "%s{\"type\":\"tool_result\",\"tool_use_id\":\"u%d\"}", i ? "," : "", i);
	buf_printf(&text, "]}\n");
	check_feed_expect(&conversation_dialect, buf_str(&text), "2:CV015");
	buf_free(&text);
}

TEST(a_finding_about_an_id_points_at_it)
{
	static const struct {
		const char *text, *pointer;
	} cases[] = {
		{ RESULT("c1"), "/tool_call_id" },
		{ EVENT("tool", "tool_result", "c1"), "/tool_call_id" },
		{ USE_RESULT("u1"), "/content/0/tool_use_id" },
		{ USE("u1") USE("u1"), "/content/0/id" },
		{ CALL("c1") CALL("c1"), "/tool_calls/0/id" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct check_feed f;

		test_case("%s", cases[i].text);
		check_feed(&f, &conversation_dialect, str_from(cases[i].text), 0);
		CHECK_INT(f.findings.kept_count, 1);
		CHECK_STR(f.findings.kept[0].pointer, str_from(cases[i].pointer));
		CHECK(f.findings.kept[0].mark_length == 4 && f.findings.kept[0].excerpt.n > 0);
		arena_free(&f.arena);
	}
}

TEST(long_ids_are_told_apart)
{
	struct buf text;

	buf_init(&text);
	for (int i = 0; i < 3; i++)
		buf_printf(&text, "{\"role\":\"%s\",\"content\":\"\",\"event\":\"%s\",\"tool_call_id\":\"%0300d%d\"}\n",
			   i ? "tool" : "assistant", i ? "tool_result" : "tool_call", 0, i / 2);
	check_feed_expect(&conversation_dialect, buf_str(&text), "3:CV015");
	buf_free(&text);
}

TEST(beyond_a_million_calls_ids_are_joined_only_with_those_remembered)
{
	struct buf text;
	struct check_feed f;

	buf_init(&text);
	for (int i = 0; i < (1 << 20) + 2; i++)
		buf_printf(&text, "{\"role\":\"tool\",\"event\":\"tool_call\",\"tool_call_id\":\"%d\"}\n", i);
	buf_printf(&text, RESULT("7"));
	buf_printf(&text, RESULT("2000000"));
	check_feed(&f, &conversation_dialect, buf_str(&text), 0);
	CHECK_INT(check_feed_count(&f, "CV020"), 1);
	CHECK_INT(check_feed_count(&f, "CV015"), 0);
	CHECK_INT(check_feed_count(&f, "CV014"), 2);
	CHECK_INT(f.findings.warnings, 2);
	arena_free(&f.arena);
	buf_free(&text);
}

TEST(the_published_conversation_is_canonical_and_has_no_findings)
{
	struct str text = test_read(test_shared("aec/conversation_canonical.jsonl"));
	struct check_feed f;

	check_feed_expect(&conversation_dialect, text, "");
	check_feed(&f, &conversation_dialect, text, 0);
	CHECK_STR(str_from(f.tally.variant), STR("canonical"));
}

/* The messages of a rollout, each on a line of its own. */
static void add_messages(struct buf *out, struct val messages)
{
	struct val_iter it = val_begin(messages);
	struct val message;

	while (val_next(&it, &message)) {
		buf_add_str(out, val_source(message));
		buf_add_byte(out, '\n');
	}
}

TEST(conversations_of_real_rollouts_have_no_errors)
{
	static const char *const names[] = {
		"prime/verifiers_math_python_dict_toolcalls.results.jsonl",
		"prime/verifiers_math_python_string_toolcalls.results.jsonl",
		"prime/verifiers_tool_test.results.jsonl",
		"prime/verifiers_wiki_search_gpt5.results.jsonl",
	};
	struct json_parser *p = json_parser_open((struct json_options){ .allow_lone = true });

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		struct str rest = test_read(test_shared(names[i]));
		size_t rollouts = 0;

		while (rest.n > 0) {
			struct str line = str_cut(rest, '\n', &rest);
			struct check_feed f;
			struct buf text;
			struct val v;

			test_case("%s, rollout %zu", names[i], ++rollouts);
			CHECK(json_parse_copy(p, line, &v, NULL));
			buf_init(&text);
			add_messages(&text, val_get(v, STR("prompt")));
			add_messages(&text, val_get(v, STR("completion")));
			check_feed(&f, &conversation_dialect, buf_str(&text), 3);
			CHECK_INT(f.findings.errors, 0);
			CHECK(f.tally.records > 0);
			arena_free(&f.arena);
			buf_free(&text);
		}
		CHECK(rollouts > 0);
	}
	json_parser_close(p);
}

TEST(a_conversation_is_recognised_and_vendors_logs_are_not)
{
	static const struct {
		const char *text;
		int score;
	} cases[] = {
		{ "{\"role\":\"user\",\"content\":\"x\"}", 40 },
		{ "{\"role\":\"assistant\",\"tool_calls\":[]}", 40 },
		{ "{\"role\":\"assistant\",\"event\":\"tool_call\"}", 40 },
		{ "{\"role\":\"user\"}", 0 },
		{ "{\"role\":\"human\",\"content\":\"x\"}", 0 },
		{ "{\"role\":7,\"content\":\"x\"}", 0 },
		{ "{\"type\":\"message\",\"role\":\"user\",\"content\":[]}", 0 },
		{ "{\"role\":\"user\",\"message\":{\"content\":[]}}", 0 },
		{ "{\"step\":1,\"role\":\"user\",\"content\":\"x\"}", 0 },
		{ "{\"type\":\"user\",\"message\":{\"role\":\"user\",\"content\":\"x\"},\"uuid\":\"u\"}", 0 },
		{ "[{\"role\":\"user\",\"content\":\"x\"}]", 0 },
		{ "\"user\"", 0 },
	};
	struct json_parser *p = json_parser_open((struct json_options){ 0 });

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct val v;

		test_case("%s", cases[i].text);
		CHECK(json_parse_copy(p, str_from(cases[i].text), &v, NULL));
		CHECK_INT(conversation_dialect.fits(v), cases[i].score);
	}
	json_parser_close(p);
}

TEST(every_rule_of_a_conversation_can_be_explained)
{
	check_feed_rules(conversation_rules, "CV", "doc/formats/conversation.md");
}
