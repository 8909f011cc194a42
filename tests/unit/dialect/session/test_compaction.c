/* Where each format says that the context was made smaller, and what the note of it says then. */
#include "harness/convert.h"
#include "harness/test.h"

#define LINE(uuid, type, rest) \
	"{\"type\":\"" type "\",\"uuid\":\"" uuid "\",\"parentUuid\":null,\"sessionId\":\"s\",\"version\":\"2\",\"timestamp\":" \
	"\"2026-05-01T12:00:" uuid ".000Z\"" rest "}\n"
#define ASKED(uuid) LINE(uuid, "user", ",\"message\":{\"role\":\"user\",\"content\":\"hi\"}")
#define CALLED(uuid, call, file) \
	LINE(uuid, "assistant", ",\"message\":{\"id\":\"m" uuid "\",\"model\":\"c\",\"content\":[{\"type\":\"tool_use\",\"id\":\"" call \
	     "\",\"name\":\"Read\",\"input\":{\"file\":\"" file "\"}}]}")
#define GOT(uuid, call) \
	LINE(uuid, "user", ",\"message\":{\"content\":[{\"type\":\"tool_result\",\"tool_use_id\":\"" call "\",\"content\":\"x\"}]}")
#define BOUNDARY(uuid) \
	LINE(uuid, "system", ",\"subtype\":\"compact_boundary\",\"compactMetadata\":{\"trigger\":\"auto\",\"preTokens\":900}")
#define ROLLOUT(second, type, payload) \
	"{\"timestamp\":\"2026-05-01T12:00:0" second ".000Z\",\"type\":\"" type "\",\"payload\":" payload "}\n"
#define ITEM(second, payload) ROLLOUT(second, "response_item", payload)
#define SUMMARY(uuid) LINE(uuid, "user", ",\"isCompactSummary\":true,\"message\":{\"role\":\"user\",\"content\":\"so far\"}")

/* The content of the n-th note of this name, or an empty text. */
static struct str find_note(struct arena *a, struct str log, const char *name, size_t n)
{
	while (log.n) {
		struct str record = str_cut(log, '\n', &log);

		for (int i = 0;; i++) {
			struct str at = arena_printf(a, "/ext/trackway~11/notes/%d", i);
			struct str found = convert_get(a, record, arena_printf(a, "%.*s/name", STR_ARG(at)).p);

			if (!found.p)
				break;
			if (str_eq(found, str_from(name)) && n-- == 0)
				return convert_get(a, record, arena_printf(a, "%.*s/content", STR_ARG(at)).p);
		}
	}
	return STR("");
}

static const struct {
	const char *what, *from, *text;
	size_t n;
	const char *content;
} cases[] = {
	{ "all results before it, once although it is told twice", "claude-code",
	  ASKED("00") CALLED("01", "t1", "a") GOT("02", "t1") CALLED("03", "t2", "b") GOT("04", "t2") BOUNDARY("05") SUMMARY("06"), 0,
	  "{\"derived\":[\"results_hidden\"],\"from_ts\":\"2026-05-01T12:00:02.000Z\",\"kept\":0,\"messages_hidden\":null,"
	  "\"post_tokens\":null,\"pre_tokens\":900,\"results_hidden\":2,\"trigger\":\"auto\",\"until_ts\":\"2026-05-01T12:00:04.000Z\"}" },
	{ "the same, and no second note", "claude-code",
	  ASKED("00") CALLED("01", "t1", "a") GOT("02", "t1") BOUNDARY("05") SUMMARY("06"), 1, "" },
	{ "the next one hides what came since", "claude-code",
	  ASKED("00") CALLED("01", "t1", "a") GOT("02", "t1") BOUNDARY("03") CALLED("04", "t2", "b") GOT("05", "t2") SUMMARY("06"), 1,
	  "{\"derived\":[\"results_hidden\"],\"from_ts\":\"2026-05-01T12:00:05.000Z\",\"kept\":0,\"messages_hidden\":null,"
	  "\"post_tokens\":null,\"pre_tokens\":null,\"results_hidden\":1,\"trigger\":null,\"until_ts\":\"2026-05-01T12:00:05.000Z\"}" },
	{ "of what came before the log nobody knows", "claude-code", SUMMARY("01") ASKED("02"), 0,
	  "{\"from_ts\":null,\"kept\":null,\"messages_hidden\":null,\"post_tokens\":null,\"pre_tokens\":null,\"results_hidden\":null,"
	  "\"trigger\":null,\"until_ts\":null}" },
	{ "results that are taken out by name", "claude-code",
	  ASKED("00") CALLED("01", "t1", "a") GOT("02", "t1") CALLED("03", "t2", "b") GOT("04", "t2")
	  LINE("05", "system", ",\"subtype\":\"microcompact_boundary\",\"microcompactMetadata\":{\"trigger\":\"auto\",\"preTokens\":100,"
	       "\"tokensSaved\":40,\"compactedToolIds\":[\"t2\"]}"), 0,
	  "{\"from_ts\":\"2026-05-01T12:00:04.000Z\",\"kept\":1,\"messages_hidden\":null,\"post_tokens\":60,\"pre_tokens\":100,"
	  "\"results_hidden\":1,\"trigger\":\"auto\",\"until_ts\":\"2026-05-01T12:00:04.000Z\"}" },
	{ "Codex, which keeps a part of its history", "codex",
	  ROLLOUT("0", "session_meta", "{\"id\":\"t-1\"}")
	  ITEM("0", "{\"type\":\"message\",\"role\":\"user\",\"content\":[{\"type\":\"input_text\",\"text\":\"hi\"}]}")
	  ITEM("1", "{\"type\":\"function_call\",\"name\":\"sh\",\"arguments\":\"{}\",\"call_id\":\"a\"}")
	  ITEM("2", "{\"type\":\"function_call_output\",\"call_id\":\"a\",\"output\":\"x\"}")
	  ITEM("3", "{\"type\":\"function_call\",\"name\":\"sh\",\"arguments\":\"{}\",\"call_id\":\"b\"}")
	  ITEM("4", "{\"type\":\"function_call_output\",\"call_id\":\"b\",\"output\":\"y\"}")
	  ROLLOUT("5", "compacted", "{\"message\":\"so far\",\"replacement_history\":["
		  "{\"type\":\"function_call_output\",\"call_id\":\"b\",\"output\":\"y\"}]}")
	  ROLLOUT("5", "event_msg", "{\"type\":\"context_compacted\"}"), 0,
	  "{\"derived\":[\"results_hidden\"],\"from_ts\":\"2026-05-01T12:00:02.000Z\",\"kept\":1,\"messages_hidden\":null,"
	  "\"post_tokens\":null,\"pre_tokens\":null,\"results_hidden\":1,\"trigger\":null,\"until_ts\":\"2026-05-01T12:00:02.000Z\"}" },
	{ "a service that clears old results says how many", "anthropic",
	  "{\"id\":\"m1\",\"type\":\"message\",\"role\":\"assistant\",\"model\":\"claude\",\"content\":[{\"type\":\"text\",\"text\":\"x\"}],"
	  "\"stop_reason\":\"end_turn\",\"usage\":{\"input_tokens\":1,\"output_tokens\":1},\"context_management\":{\"applied_edits\":["
	  "{\"type\":\"clear_tool_uses_20250919\",\"cleared_tool_uses\":8,\"cleared_input_tokens\":50000}]}}\n", 0,
	  "{\"from_ts\":null,\"kept\":null,\"messages_hidden\":null,\"post_tokens\":null,\"pre_tokens\":null,\"results_hidden\":8,"
	  "\"trigger\":\"clear_tool_uses_20250919\",\"until_ts\":null}" },
	{ "one that compacts of itself", "anthropic",
	  "{\"id\":\"m1\",\"type\":\"message\",\"role\":\"assistant\",\"model\":\"claude\",\"content\":[{\"type\":\"compaction\",\"content\":\"s\"},"
	  "{\"type\":\"text\",\"text\":\"x\"}],\"stop_reason\":\"end_turn\",\"usage\":{\"input_tokens\":1,\"output_tokens\":1}}\n", 0,
	  "{\"from_ts\":null,\"kept\":null,\"messages_hidden\":null,\"post_tokens\":null,\"pre_tokens\":null,\"results_hidden\":null,"
	  "\"trigger\":\"auto\",\"until_ts\":null}" },
	{ "and another", "openai-responses",
	  "{\"id\":\"r1\",\"object\":\"response\",\"created_at\":1771353057,\"status\":\"completed\",\"model\":\"g\",\"output\":["
	  "{\"type\":\"message\",\"id\":\"x\",\"role\":\"assistant\",\"content\":[{\"type\":\"output_text\",\"text\":\"x\"}]},"
	  "{\"type\":\"compaction\",\"id\":\"c\",\"encrypted_content\":\"e\"}],\"usage\":{\"input_tokens\":1,\"output_tokens\":1}}\n", 0,
	  "{\"from_ts\":null,\"kept\":null,\"messages_hidden\":null,\"post_tokens\":null,\"pre_tokens\":null,\"results_hidden\":null,"
	  "\"trigger\":\"auto\",\"until_ts\":null}" },
};

TEST(a_compaction_is_noted_with_what_it_hid)
{
	struct arena a;

	arena_init(&a);
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct str out = convert_valid(&a, cases[i].from, str_from(cases[i].text), "otutl");

		test_case("%s", cases[i].what);
		CHECK_STR(find_note(&a, out, "compaction", cases[i].n), str_from(cases[i].content));
		/* and in the log of a log, whatever it goes through */
		out = convert_valid(&a, "claude-code", convert_valid(&a, "otutl", out, "claude-code"), "otutl");
		CHECK_STR(find_note(&a, out, "compaction", cases[i].n), str_from(cases[i].content));
	}
	arena_free(&a);
}

TEST(a_hidden_result_that_is_asked_for_again_is_counted_once)
{
	struct str log = STR(ASKED("00") CALLED("01", "t1", "a") GOT("02", "t1") BOUNDARY("03") CALLED("04", "t2", "a") GOT("05", "t2")
			     CALLED("06", "t3", "a") GOT("07", "t3") CALLED("08", "t4", "b") GOT("09", "t4"));
	struct arena a;

	arena_init(&a);
	CHECK_STR(find_note(&a, convert_valid(&a, "claude-code", log, "otutl"), "refetched", 0),
		  STR("{\"calls\":1,\"derived\":[\"calls\"]}"));
	arena_free(&a);
}

TEST(another_programs_compaction_is_a_boundary_in_a_session)
{
	struct arena a;
	struct str out;

	arena_init(&a);
	out = convert_valid(&a, "codex", str_from(cases[5].text), "claude-code");
	CHECK(str_has(out, STR("\"subtype\":\"compact_boundary\"")));
	arena_free(&a);
}
