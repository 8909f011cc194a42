/* Small rollouts, each with one fault or just inside of one; then the same damage done to every line of a whole one. */
#include <stdio.h>

#include "dialect/codex/rules.h"
#include "unit/dialect/check_feed.h"
#include "unit/dialect/log_edits.h"

#define AT(second, type, payload) \
	"{\"timestamp\":\"2026-09-10T10:00:" second "Z\",\"type\":\"" type "\",\"payload\":" payload "}\n"
#define META AT("00.000", "session_meta", "{\"id\":\"t-1\",\"cli_version\":\"0.123.0\"}")
#define ITEM(second, payload) AT(second, "response_item", payload)
#define EVENT(second, payload) AT(second, "event_msg", payload)
#define SAID(second) ITEM(second, "{\"type\":\"message\",\"role\":\"assistant\"}")
#define CALL(second, id) ITEM(second, "{\"type\":\"function_call\",\"call_id\":\"" id "\"}")
#define OUTPUT(second, id) ITEM(second, "{\"type\":\"function_call_output\",\"call_id\":\"" id "\"}")
#define BEGIN(second, id) EVENT(second, "{\"type\":\"task_started\",\"turn_id\":\"" id "\"}")
#define END(second, id) EVENT(second, "{\"type\":\"task_complete\",\"turn_id\":\"" id "\"}")
#define ABORT(second, id) EVENT(second, "{\"type\":\"turn_aborted\",\"turn_id\":\"" id "\"}")
#define TOKENS(second, n) \
	EVENT(second, "{\"type\":\"token_count\",\"info\":{\"total_token_usage\":{\"total_tokens\":" #n "}}}")
#define NUMBERED(n, type, payload) \
	"{\"timestamp\":\"2026-09-10T10:00:0" #n "Z\",\"ordinal\":" #n ",\"type\":\"" type "\",\"payload\":" payload "}\n"
#define NUMBERED_META NUMBERED(0, "session_meta", "{\"id\":\"t-1\",\"history_mode\":\"paginated\"}")
#define PRINTED(type) "{\"type\":\"" type "\"}\n"
#define BEGUN(id) "{\"type\":\"item.started\",\"item\":{\"id\":\"" id "\"}}\n"
#define DONE(id) "{\"type\":\"item.completed\",\"item\":{\"id\":\"" id "\"}}\n"
#define STATE(n) NUMBERED(n, "world_state", "{}")

static const struct {
	const char *text, *expected;
} cases[] = {
	{ META, "" },
	{ META "\n" SAID("01"), "" },
	{ META "{\"type\":\"event_msg\",\"x\":\"\xff\"}\n", "2:CX001" },
	{ META "{\"timestamp\":\"2026-\n" SAID("01"), "2:CX002" },
	{ META "nonsense\n", "2:CX002" },
	{ META "{\"timestamp\":\"2026-09-10T10:00:01Z\",\"type\":\"world_state\",\"payload\":{}}" SAID("02"), "2:CX003" },
	{ META "{\"timestamp\":\"2026-", "2:CX004" },
	{ META "[1]\n", "2:CX005" },
	{ "\n", "0:CX006" },
	{ META AT("01", "a_new_type", "{}") AT("02", "a_new_type", "{}") EVENT("03", "{\"type\":\"a_new_event\"}"),
	  "2:CX007 4:CX007" },
	{ SAID("01"), "1:CX008" },
	{ OUTPUT("01", "c-1"), "1:CX008" }, /* whose call came before the beginning */
	{ META AT("01", "session_meta", "{\"id\":\"t-2\"}"), "2:CX009" },
	{ META AT("01", "session_meta", "{\"id\":\"t-1\"}"), "" }, /* resumed */
	{ AT("00", "session_meta", "{\"id\":\"t-1\",\"forked_from_id\":\"t-0\"}") AT("01", "session_meta", "{\"id\":\"t-0\"}")
	  OUTPUT("02", "c-1"), "" },
	{ NUMBERED_META STATE(1) STATE(2), "" },
	{ NUMBERED_META STATE(1) STATE(3), "3:CX010" },
	{ NUMBERED_META STATE(1) STATE(1) STATE(2), "3:CX011" },
	{ NUMBERED_META STATE(2) STATE(1) STATE(3), "3:CX012" },
	{ NUMBERED_META STATE(1) STATE(4) STATE(3) STATE(5), "3:CX010 4:CX012" },
	{ NUMBERED_META STATE(1) SAID("02") SAID("03"), "3:CX013" },
	{ META CALL("01", "c-1") SAID("02"), "2:CX014" },
	{ META CALL("01", "c-1") SAID("02") OUTPUT("03", "c-1"), "" },
	{ META BEGIN("01", "u-1") CALL("02", "c-1") END("03", "u-1"), "3:CX014" },
	{ META BEGIN("01", "u-1") CALL("02", "c-1") END("03", "u-1") OUTPUT("04", "c-1"), "" },
	{ META BEGIN("01", "u-1") CALL("02", "c-1") ABORT("03", "u-1"), "" },
	{ META CALL("01", "c-1") ABORT("02", "u-1") SAID("03"), "" },
	{ META BEGIN("01", "u-1") CALL("02", "c-1") SAID("03") END("04", "u-1") BEGIN("05", "u-2") CALL("06", "c-2")
	  SAID("07") CALL("08", "c-3") ABORT("09", "u-2") SAID("10"), "3:CX014" }, /* an abort is of one turn */
	{ META CALL("01", "c-1") ABORT("02", "u-1") CALL("03", "c-2") SAID("04"), "4:CX014" },
	{ META BEGIN("01", "u-1") CALL("02", "c-1") CALL("03", "c-2") CALL("04", "c-1") ABORT("05", "u-1") SAID("06"),
	  "5:CX016" },
	{ META ITEM("01", "{\"type\":\"tool_search_call\",\"call_id\":\"c-1\"}") SAID("02"), "" },
	{ META ITEM("01", "{\"type\":\"tool_search_call\",\"call_id\":null}") SAID("02"), "" },
	{ META OUTPUT("01", "c-1"), "2:CX015" },
	{ META CALL("01", "c-1") CALL("02", "c-1") OUTPUT("03", "c-1"), "3:CX016" },
	{ META BEGIN("01", "u-1") BEGIN("02", "u-2") END("03", "u-2"), "2:CX017" },
	{ META BEGIN("01", "u-1") BEGIN("02", "u-1") END("03", "u-1"), "2:CX017" },
	{ META BEGIN("01", "u-1") END("02", "u-1") BEGIN("03", "u-2") END("04", "u-2"), "" },
	{ META BEGIN("01", "u-1") SAID("02"), "2:CX018" },
	{ META CALL("01", "c-1"), "2:CX018" },
	{ META BEGIN("01", "u-1") CALL("02", "c-1"), "2:CX018" }, /* said once */
	{ META TOKENS("01", 10) TOKENS("02", 10) TOKENS("03", 12), "" },
	{ META TOKENS("01", 10) TOKENS("02", 9), "3:CX019" },
	{ META SAID("10") SAID("08.999"), "3:CX020" },
	{ META SAID("10") SAID("09"), "" },
	{ META SAID("01") SAID("01"), "3:CX021" },
	{ META SAID("01.000") SAID("01.001"), "" },
	{ META CALL("01", "c-1") OUTPUT("02", "c-1") AT("03", "compacted", "{}") EVENT("03", "{\"type\":\"context_compacted\"}")
	  SAID("04"), "4:CX023" }, /* told twice, and one */
	{ META EVENT("01", "{\"type\":\"context_compacted\"}") SAID("02") EVENT("03", "{\"type\":\"context_compacted\"}"),
	  "2:CX023 4:CX023" },
	/* 2025-08 */
	{ "{\"id\":\"t-1\",\"timestamp\":\"2025-08-01T10:00:00Z\",\"instructions\":null}\n{\"record_type\":\"state\"}\n"
	  "{\"type\":\"function_call\",\"call_id\":\"c-1\"}\n{\"record_type\":\"state\"}\n"
	  "{\"type\":\"function_call_output\",\"call_id\":\"c-1\"}\n", "" },
	{ "{\"id\":\"t-1\",\"timestamp\":\"2025-08-01T10:00:00Z\",\"instructions\":null}\n"
	  "{\"type\":\"function_call_output\",\"call_id\":\"c-1\"}\n", "2:CX015" },
	/* exec --json */
	{ "{\"type\":\"thread.started\",\"thread_id\":\"t\"}\n{\"type\":\"turn.started\"}\n"
	  "{\"type\":\"item.started\",\"item\":{\"id\":\"item_0\"}}\n{\"type\":\"item.completed\",\"item\":{\"id\":\"item_0\"}}\n"
	  "{\"type\":\"item.completed\",\"item\":{\"id\":\"item_1\"}}\n{\"type\":\"turn.completed\",\"usage\":{}}\n", "" },
	{ "{\"type\":\"thread.started\",\"thread_id\":\"t\"}\n{\"type\":\"turn.started\"}\n"
	  "{\"type\":\"item.started\",\"item\":{\"id\":\"item_0\"}}\n", "2:CX018" },
	{ PRINTED("turn.started") BEGUN("item_0") PRINTED("turn.completed"), "2:CX014" },
	{ PRINTED("turn.started") BEGUN("item_0") PRINTED("turn.failed"), "" },
	{ PRINTED("turn.started") BEGUN("item_0") DONE("item_0") BEGUN("item_1") PRINTED("turn.completed")
	  PRINTED("turn.started") BEGUN("item_0") PRINTED("turn.failed") PRINTED("turn.started") PRINTED("turn.completed"),
	  "4:CX014" }, /* ids begin anew, and are of the last turn that has them */
};

TEST(each_fault_of_a_codex_log_gives_its_code_however_it_is_cut)
{
	for (size_t i = 0; i < COUNT(cases); i++) {
		test_case("%s", cases[i].text);
		check_feed_expect(&codex_dialect, str_from(cases[i].text), cases[i].expected);
	}
}

TEST(every_rule_of_codex_has_its_case)
{
	for (size_t i = 0; codex_rules[i].code; i++) {
		bool seen = i == CODEX_LIMIT; /* below */

		for (size_t k = 0; k < COUNT(cases); k++)
			seen = seen || str_has(str_from(cases[k].expected), str_from(codex_rules[i].code));
		test_case("%s", codex_rules[i].code);
		CHECK(seen);
	}
}

TEST(a_log_of_codex_that_breaks_off_is_interrupted)
{
	struct check_feed f;

	check_feed(&f, &codex_dialect, STR(META CALL("01", "c-1")), 0);
	CHECK(f.tally.interrupted);
	CHECK_STR(str_from(f.tally.variant), STR("rollout"));
	arena_free(&f.arena);
	check_feed(&f, &codex_dialect, STR(META CALL("01", "c-1") OUTPUT("02", "c-1")), 0);
	CHECK(!f.tally.interrupted);
	CHECK_INT(f.tally.records, 3);
	arena_free(&f.arena);
	check_feed(&f, &codex_dialect, STR(META BEGIN("01", "u-1") CALL("02", "c-1") END("03", "u-1")), 0);
	CHECK(!f.tally.interrupted);
	arena_free(&f.arena);
}

/* A finding with one of these codes at this line, or at the next. */
static bool has_code(const struct check_feed *f, const char *codes, size_t line)
{
	for (size_t i = 0; i < f->findings.kept_count; i++)
		if (strstr(codes, f->findings.kept[i].code) && f->findings.kept[i].at.line == line)
			return true;
	return false;
}

TEST(damage_to_any_line_of_a_numbered_log_is_told_at_that_line)
{
	static const struct {
		enum log_edit how;
		const char *codes;
		size_t behind; /* lines from the damaged one to the one that is told */
	} damages[] = {
		{ EDIT_DELETE, "CX010", 0 }, { EDIT_DOUBLE, "CX011", 1 }, { EDIT_SWAP, "CX012", 1 },
		{ EDIT_GLUE, "CX003", 0 },   { EDIT_CUT, "CX002", 0 },
	};
	static const char log[] = NUMBERED_META STATE(1) STATE(2) STATE(3) STATE(4) STATE(5) STATE(6);

	for (size_t i = 0; i < COUNT(damages); i++) {
		for (size_t at = 2; at < 7; at++) {
			struct check_feed f;

			test_case("damage %zu to line %zu", i, at);
			check_feed(&f, &codex_dialect, log_edit(str_from(log), damages[i].how, at), 0);
			CHECK(has_code(&f, damages[i].codes, at + damages[i].behind));
			arena_free(&f.arena);
		}
	}
}

TEST(more_ids_than_are_remembered_are_said_once)
{
	struct buf text = { 0 };
	struct check_options options = { .finding_limit = 3 };
	struct check_feed f;

	buf_add_str(&text, STR(META));
	for (size_t i = 0; i < ((size_t)1 << 20) + 2; i++)
		buf_printf(&text, "{\"type\":\"tool_search_call\",\"call_id\":\"%zu\"}\n", i);
	check_feed_with(&f, &codex_dialect, &options, buf_str(&text), 1000);
	CHECK_STR(check_feed_list(&f), STR("1048578:CX022"));
	arena_free(&f.arena);
	buf_free(&text);
}
