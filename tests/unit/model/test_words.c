#include "model/words.h"

#include "harness/test.h"

static const struct str none;

static struct str text(const char *s)
{
	return s ? str_from(s) : none;
}

TEST(stop_reasons_of_every_vendor_become_ours)
{
	static const struct {
		const char *word, *ours;
	} cases[] = {
		{ "tool_use", "tool_use" },     { "tool_calls", "tool_use" },
		{ "function_call", "tool_use" }, { "function_calls", "tool_use" },
		{ "toolUse", "tool_use" },      { "aborted", "error" },
		{ "tool_call", "tool_use" },    { "tool-calls", "tool_use" },
		{ "stop", "end_turn" },         { "STOP", "end_turn" },
		{ "end_turn", "end_turn" },     { "stop_sequence", "end_turn" },
		{ "completed", "end_turn" },    { "length", "length" },
		{ "max_tokens", "length" },     { "MAX_TOKENS", "length" },
		{ "max_output_tokens", "length" }, { "model_context_window_exceeded", "length" },
		{ "content_filter", "error" },  { "refusal", "error" },
		{ "SAFETY", "error" },          { "RECITATION", "error" },
		{ "failed", "error" },          { "error", "error" },
		{ "cancelled", "error" },       { "pause_turn", NULL },
		{ "", NULL },                   { "stop_", NULL },
		{ "sto", NULL },                { NULL, NULL },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		const char *got = words_stop_reason(text(cases[i].word));

		test_case("%s", cases[i].word ? cases[i].word : "absent");
		CHECK(!got == !cases[i].ours);
		if (got)
			CHECK_STR(str_from(got), str_from(cases[i].ours));
	}
}

TEST(a_refusal_is_told_from_a_failure)
{
	static const char *const refusals[] = { "content_filter", "refusal", "SAFETY", "PROHIBITED_CONTENT", "recitation",
						"guardrail_intervened" };
	static const char *const others[] = { "error", "failed", "cancelled", "stop", "length", "malformed_function_call", "" };

	for (size_t i = 0; i < sizeof(refusals) / sizeof(refusals[0]); i++)
		CHECK(words_is_refusal(str_from(refusals[i])) &&
		      strcmp(words_stop_reason(str_from(refusals[i])), "error") == 0);
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		CHECK(!words_is_refusal(str_from(others[i])));
}

TEST(tool_choices_become_three_words)
{
	static const struct {
		const char *word, *ours;
	} cases[] = {
		{ "auto", "auto" },     { "AUTO", "auto" },     { "none", "none" },         { "required", "required" },
		{ "any", "required" },  { "tool", "required" }, { "function", "required" }, { "ANY", "required" },
		{ "sometimes", NULL },  { "", NULL },           { NULL, NULL },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		const char *got = words_tool_choice(text(cases[i].word));

		test_case("%s", cases[i].word ? cases[i].word : "absent");
		CHECK(!got == !cases[i].ours);
		if (got)
			CHECK_STR(str_from(got), str_from(cases[i].ours));
	}
}

TEST(tool_names_become_uris_and_come_back)
{
	static const struct {
		const char *vendor, *server, *name, *uri;
		bool back; /* the same three come back */
	} cases[] = {
		{ "codex", NULL, "shell", "tool://codex/shell", true },
		{ "crewai", NULL, "Delegate work to coworker", "tool://crewai/Delegate%20work%20to%20coworker", true },
		{ "v", NULL, "a/b", "tool://v/a%2Fb", true },
		{ "v", NULL, "50%", "tool://v/50%25", true },
		{ "v", NULL, "caf\xc3\xa9", "tool://v/caf%C3%A9", true },
		{ "v", NULL, "", "tool://v/", true },
		{ "v", NULL, "math:add", "tool://v/math%3Aadd", true },
		{ "", NULL, "x", "tool://unknown/x", false },
		{ NULL, "files", "read", "mcp://files/read", true },
		{ "claude-code", "my server", "read it", "mcp://my%20server/read%20it", false },
		{ "claude-code", NULL, "mcp__github__list_issues", "mcp://github/list_issues", false },
		{ "claude-code", NULL, "mcp__a__b__c", "mcp://a/b__c", false },
		{ "claude-code", NULL, "mcp__alone", "tool://claude-code/mcp__alone", true },
		{ "claude-code", NULL, "mcp____x", "tool://claude-code/mcp____x", true },
		{ NULL, NULL, "shell://local/ls", "shell://local/ls", true },
		{ NULL, NULL, "https://example.com/a?b=c", "https://example.com/a?b=c", true },
		{ "v", NULL, "https://example.com/a b", "tool://v/https%3A%2F%2Fexample.com%2Fa%20b", true },
		{ "v", NULL, "x://h/%zz", "tool://v/x%3A%2F%2Fh%2F%25zz", true },
	};
	struct arena a;

	arena_init(&a);
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct str vendor, server, name, uri;

		test_case("%s", cases[i].uri);
		uri = words_tool_uri(&a, text(cases[i].vendor), text(cases[i].server), text(cases[i].name));
		CHECK_STR(uri, str_from(cases[i].uri));
		words_tool_of_uri(&a, uri, &vendor, &server, &name);
		if (cases[i].back) {
			CHECK_STR(vendor, text(cases[i].vendor));
			CHECK_STR(server, text(cases[i].server));
			CHECK_STR(name, text(cases[i].name));
		}
		CHECK_STR(words_tool_uri(&a, vendor, server, name), uri);
	}
	arena_free(&a);
}

TEST(a_uri_that_we_would_spell_otherwise_is_a_name_as_it_stands)
{
	static const char *const uris[] = {
		"tool://v/a/b", "tool://v/%61", "mcp://s/a%2fb", "tool://v/%FF", "tool://v", "tool:x", "shell://local/ls",
		"tool://h/https%3A%2F%2Fx", "tool://v/mcp__a__b", "mcp:///x",
	};
	struct arena a;

	arena_init(&a);
	for (size_t i = 0; i < COUNT(uris); i++) {
		struct str vendor, server, name;

		test_case("%s", uris[i]);
		words_tool_of_uri(&a, str_from(uris[i]), &vendor, &server, &name);
		CHECK(vendor.p == NULL && server.p == NULL);
		CHECK_STR(name, str_from(uris[i]));
	}
	arena_free(&a);
}

TEST(tools_that_leave_the_process_are_known_by_the_words_in_their_names)
{
	static const struct {
		const char *name;
		bool mcp, external;
	} cases[] = {
		{ "Bash", false, true },          { "run_shell_command", false, true },
		{ "WebFetch", false, true },      { "web_browser_click", false, true },
		{ "Read", false, true },          { "str_replace_editor", false, true },
		{ "NotebookEdit", false, true },  { "sql-query", false, true },
		{ "read_file", false, true },     { "mcp__a__add", false, true },
		{ "add", true, true },            { "add", false, false },
		{ "TodoWrite", false, false },    { "update_plan", false, false },
		{ "TaskCreate", false, false },   { "think", false, false },
		{ "get_weather", false, false },  { "", false, false },
		{ "spreadsheet", false, false },  { "__", false, false },
		{ "HTTPGet", false, true },      { "retriever/docs", false, true },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		test_case("%s", cases[i].name);
		CHECK_INT(words_tool_is_external(str_from(cases[i].name), cases[i].mcp), cases[i].external);
	}
}

TEST(a_program_has_a_uri)
{
	struct arena a;

	arena_init(&a);
	CHECK_STR(words_program_uri(&a, STR("rm")), STR("shell://local/rm"));
	CHECK_STR(words_program_uri(&a, STR("my prog")), STR("shell://local/my%20prog"));
	arena_free(&a);
}

TEST(tools_that_run_command_lines_and_tools_that_read_are_known_by_parts_of_their_names)
{
	static const struct {
		const char *name;
		bool shell, reader;
	} cases[] = {
		{ "Bash", true, false },         { "run_shell_command", true, false }, { "execute_bash", true, false },
		{ "exec_command", true, false }, { "local_shell", true, false },       { "Read", false, true },
		{ "read_file", false, true },    { "WebFetch", false, true },          { "open_page", false, true },
		{ "Write", false, false },       { "search", false, false },           { "thread", false, false },
		{ "", false, false },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		test_case("%s", cases[i].name);
		CHECK_INT(words_tool_is_shell(str_from(cases[i].name)), cases[i].shell);
		CHECK_INT(words_tool_is_reader(str_from(cases[i].name)), cases[i].reader);
	}
}

TEST(a_status_has_a_word_and_the_word_gives_it_back)
{
	CHECK(!words_status(STATUS_UNKNOWN).p);
	CHECK_STR(words_status(STATUS_INTERRUPTED), STR("interrupted"));
	for (enum run_status i = STATUS_SUCCESS; i <= STATUS_INTERRUPTED; i++)
		CHECK_INT(words_find_status(words_status(i)), i);
	CHECK_INT(words_find_status(STR("Success")), STATUS_UNKNOWN);
	CHECK_INT(words_find_status((struct str){ NULL, 0 }), STATUS_UNKNOWN);
}

TEST(words_of_others_for_how_a_run_ended_are_folded_and_one_that_is_not_known_is_no_success)
{
	static const struct {
		const char *word;
		enum run_status status;
	} cases[] = {
		{ "success", STATUS_SUCCESS },         { "error", STATUS_ERROR },
		{ "interrupted", STATUS_INTERRUPTED }, { "Completed", STATUS_SUCCESS },
		{ "succeeded", STATUS_SUCCESS },       { "OK", STATUS_SUCCESS },
		{ "cancelled", STATUS_INTERRUPTED },   { "canceled", STATUS_INTERRUPTED },
		{ "aborted", STATUS_INTERRUPTED },     { "killed", STATUS_INTERRUPTED },
		{ "failed", STATUS_ERROR },            { "timeout", STATUS_ERROR },
		{ "exploded", STATUS_ERROR },          { "successfully failed", STATUS_ERROR },
		{ "not ok", STATUS_ERROR },            { "", STATUS_UNKNOWN },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		test_case("%s", cases[i].word);
		CHECK_INT(words_fold_status(str_from(cases[i].word)), cases[i].status);
	}
	CHECK_INT(words_fold_status((struct str){ NULL, 0 }), STATUS_UNKNOWN);
}
