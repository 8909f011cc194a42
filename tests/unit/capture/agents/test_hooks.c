/* Our hooks in an agent's settings: put in and taken out again, and all else as it was, byte for byte. */
#include "capture/agents/hooks.h"

#include "harness/test.h"
#include "json/json.h"

#define OURS "{\"hooks\":[{\"type\":\"command\",\"command\":\"/opt/trackway hook claude-code\",\"timeout\":5}]}"
#define PROGRAM STR("/opt/trackway")

static struct arena arena;

static const struct hooks_agent *agent(const char *name)
{
	const struct hooks_agent *h = hooks_find(str_from(name));

	CHECK(h);
	return h;
}

static struct hooks_change installed(const char *name, struct str text)
{
	struct hooks_change c;
	struct err err;

	if (!hooks_install(&arena, agent(name), text, PROGRAM, &c, &err))
		FAIL("%s", err.text);
	return c;
}

static struct hooks_change removed(const char *name, struct str text)
{
	struct hooks_change c;
	struct err err;

	if (!hooks_remove(&arena, agent(name), text, &c, &err))
		FAIL("%s", err.text);
	return c;
}

static size_t count(struct str text, const char *part)
{
	size_t n = 0, at;

	while ((at = str_find(text, str_from(part))) != (size_t)-1) {
		text = str_skip(text, at + strlen(part));
		n++;
	}
	return n;
}

TEST(what_is_put_in_and_taken_out_leaves_the_text_as_it_was)
{
	static const char *const texts[] = {
		"{}", "{}\n", "{\"model\":\"m\"}", "{\"model\": \"m\"}\n\n", "  {\"a\":1}  ",
		"{\n  \"model\": \"m\"\n}\n",
		"{\r\n\t\"model\": \"m\",\r\n\t\"env\": { \"A\": \"1\" }\r\n}\r\n",
		"\xef\xbb\xbf{\n  \"model\": \"m\"\n}\n",
		"{\"hooks\":{\"Stop\":[{\"hooks\":[{\"type\":\"command\",\"command\":\"x\"}]}]},\"z\":[1,{}]}",
		"{\n  \"hooks\": {\n    \"PreToolUse\": [\n      {\n        \"matcher\": \"Bash\",\n        \"hooks\": [\n"
		"          { \"type\": \"command\", \"command\": \"guard.sh\" }\n        ]\n      }\n    ]\n  },\n"
		"  \"permissions\": { \"deny\": [ \"Bash\" ] }\n}\n",
		"{\"hooks\":{\"PreToolUse\":[7,\"x\",null,{\"hooks\":7},{\"hooks\":[7,{\"command\":7}]}]}}",
		"{\"hooks\":{\"Later\":7,\"PostToolUse\":[{}]}}",
		"{\"\\u0068\":\"\\ud83d\\ude00\",\"deep\":[[[[[[[[]]]]]]]],\"n\":1e999,\"m\":-0.0}",
		"{\"hooks\":{\"Stop\":[{\"hooks\":[{\"command\":\"/opt/trackway hook cursor\"}]}]}}", /* another agent's */
		"{\"x\":\"/opt/trackway hook claude-code\"}",
	};

	arena_init(&arena);
	for (size_t i = 0; i < COUNT(texts); i++) {
		struct str text = str_from(texts[i]);
		struct hooks_change in, again, out;

		test_case("%s", texts[i]);
		in = installed("claude-code", text);
		CHECK_INT(in.added, 13);
		CHECK_INT(in.updated + in.removed, 0);
		CHECK_INT(count(in.text, OURS), 13);
		again = installed("claude-code", in.text);
		CHECK_INT(again.added + again.updated, 0);
		CHECK_STR(again.text, in.text);
		out = removed("claude-code", in.text);
		CHECK_INT(out.removed, 13);
		CHECK_STR(out.text, text);
		CHECK_INT(removed("claude-code", text).removed, 0);
		CHECK_STR(removed("claude-code", text).text, text);
	}
	arena_free(&arena);
}

TEST(entries_stand_as_those_before_them)
{
	arena_init(&arena);
	CHECK(str_starts(installed("claude-code", STR("{\n\t\"hooks\": {\n\t\t\"PreToolUse\": [\n\t\t\t{ \"hooks\": [] }\n"
						      "\t\t]\n\t}\n}\n")).text,
			 STR("{\n\t\"hooks\": {\n\t\t\"PreToolUse\": [\n\t\t\t{ \"hooks\": [] },\n\t\t\t" OURS "\n\t\t],\n"
			     "\t\t\"SessionStart\": [" OURS "],\n\t\t\"UserPromptSubmit\": [" OURS "],\n")));
	CHECK(str_starts(installed("claude-code", STR("")).text,
			 STR("{\n  \"hooks\": {\n    \"SessionStart\": [" OURS "],\n    \"UserPromptSubmit\": [")));
	CHECK(str_ends(installed("claude-code", STR(" \n")).text, STR(OURS "]\n  }\n}\n")));
	arena_free(&arena);
}

TEST(cursor_gets_a_version_and_only_events_that_decide_nothing)
{
	static const char *const decide[] = { "preToolUse", "beforeShellExecution", "beforeMCPExecution",
					      "beforeReadFile", "subagentStart" };
	struct hooks_change c;

	arena_init(&arena);
	c = installed("cursor", STR(""));
	CHECK_INT(c.added, 5);
	CHECK(str_starts(c.text, STR("{\n  \"version\": 1,\n  \"hooks\": {\n    \"beforeSubmitPrompt\": [{\"command\":"
				     "\"/opt/trackway hook cursor\",\"timeout\":5}],\n")));
	for (size_t i = 0; i < COUNT(decide); i++)
		CHECK_INT(count(c.text, decide[i]), 0);
	CHECK_STR(removed("cursor", c.text).text, STR("{\n  \"version\": 1\n}\n"));
	c = installed("cursor", STR("{\"version\": 1, \"hooks\": {\"stop\": [{\"command\": \"./x.sh\"}]}}"));
	CHECK_STR(removed("cursor", c.text).text,
		  STR("{\"version\": 1, \"hooks\": {\"stop\": [{\"command\": \"./x.sh\"}]}}"));
	arena_free(&arena);
}

TEST(a_hook_of_ours_at_another_place_is_updated)
{
	static const char *const others[] = {
		"/usr/local/bin/trackway hook claude-code", "trackway hook claude-code", "'/a b/trackway' hook claude-code",
		"\\\"/a b/trackway\\\" hook claude-code", "/x/trackway-0.9 hook claude-code",
	};

	arena_init(&arena);
	for (size_t i = 0; i < COUNT(others); i++) {
		struct str text = arena_printf(&arena, "{\"hooks\": {\"PreToolUse\": [{\"matcher\": \"*\", \"hooks\": [{"
					       "\"command\": \"%s\", \"type\": \"command\", \"timeout\": 9}]}]}}", others[i]);
		struct hooks_change c;

		test_case("%s", others[i]);
		c = installed("claude-code", text);
		CHECK_INT(c.updated, 1);
		CHECK_INT(c.added, 12);
		CHECK(str_starts(c.text, STR("{\"hooks\": {\"PreToolUse\": [{\"matcher\": \"*\", \"hooks\": [{\"command\": "
					     "\"/opt/trackway hook claude-code\", \"type\": \"command\", \"timeout\": 9}]}],")));
		CHECK_STR(removed("claude-code", c.text).text, STR("{}"));
	}
	arena_free(&arena);
}

TEST(a_hook_beside_those_of_others_goes_alone)
{
	arena_init(&arena);
	CHECK_STR(removed("claude-code", STR("{\"hooks\":{\"Stop\":[{\"hooks\":[{\"command\":\"a\"}, "
					     "{\"command\":\"trackway hook claude-code\"}, {\"command\":\"b\"}]}]}}")).text,
		  STR("{\"hooks\":{\"Stop\":[{\"hooks\":[{\"command\":\"a\"}, {\"command\":\"b\"}]}]}}"));
	CHECK_STR(removed("claude-code", STR("{\"hooks\":{\"Stop\":[{\"hooks\":[{\"command\":\"trackway hook claude-code\"},"
					     " {\"command\":\"b\"}]}]}}")).text,
		  STR("{\"hooks\":{\"Stop\":[{\"hooks\":[ {\"command\":\"b\"}]}]}}"));
	arena_free(&arena);
}

TEST(settings_that_are_not_understood_are_refused)
{
	static const struct { const char *text, *message; } cases[] = {
		{ "[]", "the file is not an object" },
		{ "7", "the file is not an object" },
		{ "{\"hooks\":[]}", "\"hooks\" is not an object" },
		{ "{\"hooks\":null}", "\"hooks\" is not an object" },
		{ "{\"hooks\":{\"PreToolUse\":{}}}", "\"hooks\": \"PreToolUse\" is not a list" },
		{ "{\n  // mine\n  \"a\": 1\n}", "line 2, column 3: comments cannot be kept when the file is changed" },
		{ "{\"a\":1 /* x */}", "line 1, column 8: comments cannot be kept" },
		{ "{\"a\":1,}", "line 1, column 8: " },
		{ "{\"a\":1", "line 1, column " },
		{ "{\"hooks\":{},\"hooks\":{}}", "line 1, column " },
		{ "{\"a\":\"\xff\"}", "line 1, column " },
		{ "nonsense", "line 1, column 1: " },
	};

	arena_init(&arena);
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct hooks_change c;
		struct err err = { .kind = ERR_NONE };

		test_case("%s", cases[i].text);
		CHECK(!hooks_install(&arena, agent("claude-code"), str_from(cases[i].text), PROGRAM, &c, &err));
		CHECK_INT(err.kind, ERR_DATA);
		CHECK(str_starts(str_from(err.text), str_from(cases[i].message)));
	}
	arena_free(&arena);
}

TEST(a_path_is_quoted_for_the_shell_where_it_must_be)
{
	static const struct { const char *path, *command; } cases[] = {
		{ "/usr/bin/trackway", "/usr/bin/trackway hook cursor" },
		{ "/a b/trackway", "'/a b/trackway' hook cursor" },
		{ "/it's/trackway", "'/it'\\''s/trackway' hook cursor" },
		{ "/$(x)/trackway", "'/$(x)/trackway' hook cursor" },
	};

	arena_init(&arena);
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct str command = hooks_command(&arena, agent("cursor"), str_from(cases[i].path));
		struct hooks_change c;
		struct err err;

		CHECK_STR(command, str_from(cases[i].command));
		CHECK(hooks_install(&arena, agent("cursor"), STR(""), str_from(cases[i].path), &c, &err));
		CHECK_INT(removed("cursor", c.text).removed, 5); /* it is known again */
	}
	CHECK(!hooks_find(STR("codex")) && !hooks_find(STR("")));
	arena_free(&arena);
}
