/* Small sessions, each with one fault or just inside of one; then the same damage done to every line of a whole one. */
#include <stdio.h>

#include "dialect/claude_code/rules.h"
#include "unit/dialect/check_feed.h"
#include "unit/dialect/log_edits.h"

#define AT(time, uuid, parent, type, rest) \
	"{\"type\":\"" type "\",\"uuid\":\"" uuid "\",\"parentUuid\":" parent ",\"sessionId\":\"s-1\",\"timestamp\":" \
	"\"2026-09-10T10:" time "Z\"" rest "}\n"
#define LINE(uuid, parent, type, rest) AT("00:00", uuid, parent, type, rest)
#define ASKED(uuid, parent) LINE(uuid, parent, "user", ",\"message\":{\"role\":\"user\",\"content\":\"hi\"}")
#define SAID(uuid, parent, id) \
	LINE(uuid, parent, "assistant", ",\"message\":{\"id\":\"" id "\",\"content\":[{\"type\":\"text\",\"text\":\"x\"}]}")
#define CALLED(uuid, parent, id, call) \
	LINE(uuid, parent, "assistant", \
	     ",\"message\":{\"id\":\"" id "\",\"content\":[{\"type\":\"tool_use\",\"id\":\"" call "\"}]}")
#define GOT(uuid, parent, call) \
	LINE(uuid, parent, "user", ",\"message\":{\"content\":[{\"type\":\"tool_result\",\"tool_use_id\":\"" call "\"}]}")
#define USED(uuid, parent, in, out) \
	LINE(uuid, parent, "assistant", \
	     ",\"message\":{\"id\":\"m-1\",\"usage\":{\"input_tokens\":" #in ",\"output_tokens\":" #out "}}")
#define SNAPSHOT "{\"type\":\"file-history-snapshot\",\"messageId\":\"a\",\"snapshot\":{}}\n"
#define BOUNDARY(uuid, parent) LINE(uuid, parent, "system", ",\"subtype\":\"compact_boundary\"")
#define SUMMARY(uuid, parent) \
	LINE(uuid, parent, "user", ",\"isCompactSummary\":true,\"message\":{\"role\":\"user\",\"content\":\"so far\"}")
#define FIRST ASKED("a", "null")

#define STREAM(type, rest) "{\"type\":\"" type "\",\"session_id\":\"s-1\",\"parent_tool_use_id\":null" rest "}\n"

static const struct {
	const char *text, *expected;
} cases[] = {
	{ FIRST, "" },
	{ SNAPSHOT FIRST SAID("b", "\"a\"", "m-1"), "" },
	{ FIRST "{\"type\":\"user\",\"x\":\"\xff\"}\n", "2:CC001" },
	{ FIRST "{\"type\":\"us\n" SNAPSHOT, "2:CC002" },
	{ FIRST "{\"type\":\"summary\",\"leafUuid\":\"x\",\"summary\":\"y\"}" SAID("b", "\"a\"", "m-1")
	  ASKED("c", "\"b\""), "2:CC003" },
	{ FIRST "{\"type\":\"summary\"} {\"type\":\"summary\"}{\"type\":\"summary\"}\n", "2:CC003" },
	{ FIRST "{\"type\":\"us", "2:CC004" },
	{ FIRST "1\n", "2:CC005" },
	{ "\n\n", "0:CC006" },
	{ FIRST "{\"type\":\"new-type\"}\n{\"type\":\"new-type\"}\n{\"other\":1}\n", "2:CC007 4:CC007" },
	{ FIRST FIRST, "2:CC008" },
	{ SNAPSHOT SNAPSHOT FIRST, "" },
	{ FIRST ASKED("c", "\"b\""), "2:CC009" },
	{ FIRST ASKED("c", "\"b\"") ASKED("d", "\"b\""), "2:CC009" }, /* one line is lost, and two follow it */
	{ FIRST ASKED("c", "null"), "" },
	{ FIRST LINE("c", "null", "system", ",\"subtype\":\"compact_boundary\",\"logicalParentUuid\":\"gone\""), "2:CC019" },
	{ FIRST BOUNDARY("c", "null") SUMMARY("d", "\"c\""), "2:CC019" }, /* both are one */
	{ FIRST SUMMARY("d", "null") SAID("e", "\"d\"", "m-1") SUMMARY("f", "\"e\""), "2:CC019 4:CC019" },
	{ FIRST BOUNDARY("c", "null")
	  LINE("d", "\"c\"", "system", ",\"subtype\":\"microcompact_boundary\",\"microcompactMetadata\":{\"compactedToolIds\":[\"t\"]}"),
	  "2:CC019 3:CC019" },
	{ FIRST LINE("c", "\"a\"", "system", ",\"subtype\":\"compact_boundary\",\"isSidechain\":true"), "" },
	{ FIRST ASKED("c", "\"b\"") ASKED("b", "\"a\""), "3:CC010" },
	{ ASKED("b", "\"a\"") SAID("c", "\"b\"", "m-1"), "1:CC011" },
	{ GOT("b", "\"a\"", "t-1"), "1:CC011" }, /* whose call came before the beginning */
	{ FIRST "{\"type\":\"last-prompt\",\"sessionId\":\"s-2\",\"lastPrompt\":\"x\"}\n", "2:CC012" },
	{ FIRST CALLED("b", "\"a\"", "m-1", "t-1") SAID("c", "\"b\"", "m-2"), "2:CC013" },
	{ FIRST CALLED("b", "\"a\"", "m-1", "t-1") ASKED("c", "\"b\""), "2:CC013" },
	{ FIRST CALLED("b", "\"a\"", "m-1", "t-1") GOT("c", "\"b\"", "t-1") SAID("d", "\"c\"", "m-2"), "" },
	{ FIRST GOT("b", "\"a\"", "t-1"), "2:CC014" },
	{ FIRST CALLED("b", "\"a\"", "m-1", "t-1") CALLED("c", "\"b\"", "m-1", "t-2") GOT("d", "\"c\"", "t-2"), "2:CC015" },
	{ FIRST USED("b", "\"a\"", 10, 1) USED("c", "\"b\"", 10, 1) USED("d", "\"c\"", 10, 5), "" },
	{ FIRST USED("b", "\"a\"", 10, 5) USED("c", "\"b\"", 10, 4), "3:CC016" },
	{ FIRST USED("b", "\"a\"", 10, 5) USED("c", "\"b\"", 12, 5), "3:CC016" },
	{ AT("02:00", "a", "null", "user", "") AT("01:00", "b", "\"a\"", "user", ""), "" },
	{ AT("02:00", "a", "null", "user", "") AT("00:59.999", "b", "\"a\"", "user", ""), "2:CC017" },
	/* a sub-agent's lines in the same file do not end the call that started it */
	{ FIRST CALLED("b", "\"a\"", "m-1", "t-1")
	  LINE("x", "null", "user", ",\"isSidechain\":true,\"message\":{\"content\":\"do\"}")
	  LINE("y", "\"x\"", "assistant", ",\"isSidechain\":true,\"message\":{\"id\":\"m-9\",\"content\":[]}"), "2:CC015" },
	/* streams */
	{ STREAM("system", ",\"subtype\":\"init\"") STREAM("result", ",\"is_error\":false"), "" },
	{ STREAM("system", ",\"subtype\":\"init\""), "0:CC015" },
	{ STREAM("system", ",\"uuid\":\"a\"") STREAM("system", ",\"uuid\":\"a\"") STREAM("result", ",\"uuid\":\"b\""),
	  "2:CC008" },
	{ STREAM("user", ",\"uuid\":\"a\"") STREAM("user", ",\"uuid\":\"a\",\"isReplay\":true") STREAM("result", ""), "" },
	{ STREAM("result", "") STREAM("prompt_suggestion", ""), "" },
	{ STREAM("result", "") STREAM("user", ",\"message\":{\"content\":\"more\"}"), "0:CC015" },
	{ STREAM("result", "") STREAM("assistant", ",\"message\":{\"id\":\"m-1\"}") STREAM("system", ""), "0:CC015" },
	{ STREAM("assistant", ",\"message\":{\"id\":\"m-1\",\"content\":[{\"type\":\"tool_use\",\"id\":\"t-1\"}]}")
	  STREAM("result", ""), "1:CC015" },
	{ STREAM("user", ",\"message\":{\"content\":[{\"type\":\"tool_result\",\"tool_use_id\":\"t-1\"}]}")
	  STREAM("result", ""), "1:CC014" },
};

TEST(each_fault_of_a_claude_code_log_gives_its_code_however_it_is_cut)
{
	for (size_t i = 0; i < COUNT(cases); i++) {
		test_case("%s", cases[i].text);
		check_feed_expect(&claude_code_dialect, str_from(cases[i].text), cases[i].expected);
	}
}

TEST(every_rule_of_claude_code_has_its_case)
{
	for (size_t i = 0; claude_code_rules[i].code; i++) {
		bool seen = i == CLAUDE_LIMIT; /* below */

		for (size_t k = 0; k < COUNT(cases); k++)
			seen = seen || str_has(str_from(cases[k].expected), str_from(claude_code_rules[i].code));
		test_case("%s", claude_code_rules[i].code);
		CHECK(seen);
	}
}

TEST(a_list_of_lines_is_checked_as_lines_are)
{
	struct check_feed f;

	check_feed(&f, &claude_code_dialect,
		   STR("[\n{\"type\":\"system\",\"session_id\":\"s\"},\n{\"type\":\"user\",\"session_id\":\"s\",\"message\":"
		       "{\"content\":[{\"type\":\"tool_result\",\"tool_use_id\":\"t\"}]}},\n{\"type\":\"odd\"},\n"
		       "{\"type\":\"result\",\"session_id\":\"s\"}]\n"),
		   CHECK_DOCUMENT);
	CHECK_STR(check_feed_list(&f), STR("3:CC014 4:CC007"));
	CHECK_STR(str_from(f.tally.variant), STR("stream"));
	arena_free(&f.arena);
}

static bool has_code(const struct check_feed *f, const char *code, size_t line)
{
	for (size_t i = 0; i < f->findings.kept_count; i++)
		if (strcmp(f->findings.kept[i].code, code) == 0 && f->findings.kept[i].at.line == line)
			return true;
	return false;
}

TEST(damage_to_any_line_of_a_session_is_told_at_that_line)
{
	static const struct {
		enum log_edit how;
		const char *code;
		size_t behind; /* lines from the damaged one to the one that is told */
	} damages[] = {
		{ EDIT_DELETE, "CC009", 0 }, { EDIT_DOUBLE, "CC008", 1 }, { EDIT_SWAP, "CC010", 1 },
		{ EDIT_GLUE, "CC003", 0 },   { EDIT_CUT, "CC002", 0 },
	};
	static const char log[] = FIRST CALLED("b", "\"a\"", "m-1", "t-1") GOT("c", "\"b\"", "t-1")
		SAID("d", "\"c\"", "m-2") ASKED("e", "\"d\"") SAID("f", "\"e\"", "m-3");

	for (size_t i = 0; i < COUNT(damages); i++) {
		for (size_t at = 2; at < 6; at++) {
			struct check_feed f;

			test_case("damage %zu to line %zu", i, at);
			check_feed(&f, &claude_code_dialect, log_edit(str_from(log), damages[i].how, at), 0);
			CHECK(has_code(&f, damages[i].code, at + damages[i].behind));
			arena_free(&f.arena);
		}
	}
}

TEST(more_uuids_than_are_remembered_are_said_once_and_lose_nothing)
{
	struct check_options options = { .finding_limit = 3 };
	struct buf text = { 0 };
	struct check_feed f;

	for (size_t i = 0; i < ((size_t)1 << 20) + 2; i++)
		buf_printf(&text, "{\"type\":\"user\",\"uuid\":\"%zu\",\"parentUuid\":\"%zu\"}\n", i + 1, i);
	check_feed_with(&f, &claude_code_dialect, &options, buf_str(&text), 1000);
	CHECK_STR(check_feed_list(&f), STR("1:CC011 1048577:CC018"));
	arena_free(&f.arena);
	buf_free(&text);
}
