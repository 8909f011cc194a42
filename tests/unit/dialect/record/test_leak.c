#include "dialect/record/leak.h"

#include "base/buf.h"
#include "harness/test.h"

struct judged {
	const char *text;
	bool yes;
};

static void check(bool (*is)(struct str), const struct judged *cases, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		test_case("%s", cases[i].text);
		CHECK_INT(is(str_from(cases[i].text)), cases[i].yes);
	}
}

TEST(credentials_in_a_url_are_seen)
{
	static const struct judged cases[] = {
		{ "https://user:hunter2@llm.example.com/v1/chat/completions", true },
		{ "https://llm.example.com/v1?api_key=abcdefghijklmnop", true },
		{ "https://token@host", true },
		{ "user:pass@host/v1", true },
		{ "https://host/v1?a=1&KEY=x", true },
		{ "https://host/v1#access_token=x", true },
		{ "https://host/v1?a=1;sig=x#top", true },
		{ "https://h?X-Amz-Signature=0a", true },
		{ "http://localhost:8000/v1/chat/completions", false },
		{ "https://host/a@b", false },
		{ "https://host/?to=a@b", false },
		{ "https://@host/", false },
		{ "me@example.org", false },
		{ "https://host?key=", false },
		{ "https://host?key", false },
		{ "https://host?max_tokens=5&api-version=2", false },
		{ "https://host/key=5", false },
		{ "", false },
		{ "https://", false },
	};

	check(leak_url_credentials, cases, COUNT(cases));
}

TEST(absolute_paths_are_found_where_they_stand)
{
	static const struct { const char *text, *path; } cases[] = {
		{ "/srv/me", "/srv/me" },
		{ "/etc/passwd is not readable", "/etc/passwd" },
		{ "cannot open '/srv/me/a b'", "/srv/me/a" },
		{ "file=/srv/x.json", "/srv/x.json" },
		{ "cwd:/srv/me", "/srv/me" },
		{ "(/usr/lib/x)", "/usr/lib/x" },
		{ "~/x", "~/x" },
		{ "in C:\\Users\\me", "C:\\Users\\me" },
		{ "D:/data/x", "D:/data/x" },
		{ "\\\\host\\share\\x", "\\\\host\\share\\x" },
		{ "file:///srv/me/x", "file:///srv/me/x" },
		{ "http://host/a and /srv/me", "/srv/me" },
		{ "/v1x2/a", NULL },
		{ "http://localhost:8000/v1/chat/completions", NULL },
		{ "https://host/x?file=/etc/passwd", NULL },
		{ "deepseek-ai/DeepSeek-V4-Pro", NULL },
		{ "text/html; charset=utf-8", NULL },
		{ "2026/04/30", NULL },
		{ "and/or", NULL },
		{ "./a/b ../c/d", NULL },
		{ "//host/path/x", NULL },
		{ "/v1/chat/completions", NULL },
		{ "POST /api/show failed", NULL },
		{ "</div>", NULL },
		{ "/one", NULL },
		{ "/2/3", NULL },
		{ "a / b / c", NULL },
		{ "n/a", NULL },
		{ "~", NULL },
		{ "\\d+\\s", NULL },
		{ "at 10:30", NULL },
		{ "", NULL },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct str text = str_from(cases[i].text);
		size_t at = 0, n = 0;
		bool found = leak_has_path(text, &at, &n);

		test_case("%s", cases[i].text);
		CHECK_INT(found, cases[i].path != NULL);
		if (found)
			CHECK_STR(str_of(text.p + at, n), str_from(cases[i].path));
	}
	CHECK(leak_has_path(STR("/a/b"), NULL, NULL));
}

TEST(environment_dumps_are_seen)
{
	static const struct judged cases[] = {
		{ "HOME=/root USER=me", true },
		{ "HOME=/root\nSHELL=/bin/sh", true },
		{ "PATH=/usr/bin:/bin", true },
		{ "export foo=1", true },
		{ "'LANG=C', 'TERM=xterm'", true },
		{ "ONE=1", false },
		{ "TP=8 DP=2", false },
		{ "a=1 b=2 c=3", false },
		{ "AAA == BBB == CCC", false },
		{ "MY_PATH=/usr", false },
		{ "xHOME=1 xUSER=2", false },
		{ "export of goods", false },
		{ "", false },
	};

	check(leak_has_environment, cases, COUNT(cases));
}

TEST(prose_is_eight_words_or_two_hundred_characters)
{
	static const struct judged cases[] = {
		{ "one two three four five six seven eight", true },
		{ "one two three four five six seven", false },
		{ "  one  two\tthree\nfour five six seven  ", false },
		{ "1 2 3 4 5 6 7 8 9 10", false },
		{ "\xc3\xa9 \xc3\xa9 \xc3\xa9 \xc3\xa9 \xc3\xa9 \xc3\xa9 \xc3\xa9 \xc3\xa9", true },
		{ "", false },
	};
	char text[402];

	check(leak_is_prose, cases, COUNT(cases));
	for (size_t i = 0; i < 201; i++)
		memcpy(text + 2 * i, "\xc3\xa9", 2);
	CHECK(!leak_is_prose(str_of(text, 400)));
	CHECK(leak_is_prose(str_of(text, 402)));
}

TEST(scripts_without_spaces_are_text_from_eight_characters_on)
{
	static const struct judged cases[] = {
		{ "\xe8\xaf\xb7\xe5\xb8\xae\xe6\x88\x91\xe5\x86\x99\xe4\xb8\x80\xe9\xa6\x96\xe8\xaf\x97\xe5\x90\xa7", true }, /* Han */
		{ "\xe8\xaf\xb7\xe5\xb8\xae\xe6\x88\x91\xe5\x86\x99\xe4\xb8\x80\xe9\xa6\x96\xe8\xaf\x97", false },
		{ "\xe3\x81\x93\xe3\x82\x93\xe3\x81\xab\xe3\x81\xa1\xe3\x81\xaf\xe4\xb8\x96\xe7\x95\x8c\xe3\x82\x88", true }, /* Kana */
		{ "\xec\x95\x88\xeb\x85\x95\xed\x95\x98\xec\x84\xb8\xec\x9a\x94 \xec\x84\xb8\xea\xb3\x84\xec\x95\xbc", true }, /* Hangul */
		{ "\xe0\xb8\xaa\xe0\xb8\xa7\xe0\xb8\xb1\xe0\xb8\xaa\xe0\xb8\x94\xe0\xb8\xb5\xe0\xb8\x8a\xe0\xb8\xb2", true }, /* Thai */
		{ "d\xc3\xa9j\xc3\xa0 vu \xd0\x9f\xd1\x80\xd0\xb8\xd0\xb2\xd0\xb5\xd1\x82\xd0\xb8\xd0\xba", false },
		{ "one two three four five six seven eight", true },
		{ "\xf0\x9f\x98\x80\xf0\x9f\x98\x80\xf0\x9f\x98\x80\xf0\x9f\x98\x80"
		  "\xf0\x9f\x98\x80\xf0\x9f\x98\x80\xf0\x9f\x98\x80\xf0\x9f\x98\x80", false },
	};

	check(leak_is_text, cases, COUNT(cases));
}

TEST(relative_paths_are_told_from_words_with_a_slash)
{
	static const struct judged cases[] = {
		{ "cannot open src/main.c", true },  { "./run failed", true },       { "../x is missing", true },
		{ "in notes/private.txt: line 3", true }, { "a\\b\\c.txt", true },    { "src/app/handlers", true },
		{ "src/main.py:12: error", true },   { "src/main.py:12:5", true },   { "host/x:8080", false },
		{ "(see docs/plan.md)", true },      { "and/or", false },            { "text/plain", false },
		{ "application/json expected", false }, { "meta-llama/Llama-3.1", false }, { "HTTP/1.1", false },
		{ "v1/chat/completions", false },    { "api/v1/x", false },          { "https://host.org/a/b.html", false },
		{ "host.org/a/b", false },           { "2026/11/17", false },        { "n/a", false },
		{ "3 of 4", false },                 { "", false },
	};

	check(leak_has_relative_path, cases, COUNT(cases));
}

TEST(names_of_the_blocklist_are_known_however_they_are_spelled)
{
	static const struct judged cases[] = {
		{ "prompt", true },       { "PROMPTS", true },    { "messages", true },     { "output_text", true },
		{ "outputText", true },   { "tool-args", true },  { "openai_api_key", true }, { "X-API-KEY", true },
		{ "api_key", true },      { "kv_block_ids", true }, { "raw_block_hash", true }, { "cwd", true },
		{ "ip", true },           { "content", true },    { "system_prompt", true }, { "tool_results", true },
		{ "prompt_tokens", false }, { "user_id_count", false }, { "i", false },      { "", false },
		{ "completions", false }, { "urls_seen", false }, { "environmental", false }, { "zip", false },
		{ "_", false },           { "__", false },
		{ "args", true },         { "arguments", true },  { "input", true },        { "output", true },
		{ "result", true },       { "results", true },    { "text", true },         { "response", true },
		{ "user_message", true }, { "user_input", true }, { "tool_input", true },   { "tool_output", true },
		{ "env_vars", true },     { "inputs", false },    { "text_length", false }, { "response_id", false },
	};

	check(leak_is_blocked_name, cases, COUNT(cases));
}

TEST(a_name_of_a_tool_is_told_from_a_call)
{
	static const struct judged cases[] = {
		{ "read_file(path=/x)", true },
		{ "bash -c \"ls\"", true },
		{ "search {\"q\":1}", true },
		{ "curl http://example.org", true },
		{ "ls -la", true },
		{ "cat a/b", true },
		{ "search[query]", true },
		{ "cat /etc/passwd", true },
		{ "git --version", true },
		{ "x=1", true },
		{ "a | b", true },
		{ "filesystem.read_file", false },
		{ "mcp__server__tool", false },
		{ "functions.exec:0", false },
		{ "web search", false },
		{ "namespace/tool", false },
		{ "str_replace_based_edit_tool", false },
		{ "tool-name@1.2", false },
		{ "$web_search", false },
		{ "(null)", false },
		{ "1'000,00", false },
		{ "<plaintext>", false },
		{ "\"", false },
		{ "call()", false },
		{ "call(x)", true },
		{ "search \"x\"", true },
		{ " - ", false },
		{ "", false },
	};

	check(leak_has_arguments, cases, COUNT(cases));
}

TEST(an_error_message_is_a_short_phrase)
{
	static const struct { const char *text, *what; } cases[] = {
		{ "child exited 3", NULL },
		{ "HTTP 429 rate limit", NULL },
		{ "HTTPError(429)", NULL },
		{ "timed out after 30 s (limit 20, of 3)", NULL },
		{ "foo() takes 2 positional arguments but 3 were given", NULL },
		{ "got -1, expected - or +", NULL },
		{ "POST https://host/v1/chat failed", NULL },
		{ "The server had an error while processing your request. Try again later.\n", NULL },
		{ "", NULL },
		{ "open /srv/me/x: no such file", "a path" },
		{ "GET https://u:p@host/ failed", "credentials" },
		{ "(see https://host?key=1)", "credentials" },
		{ "HOME=a USER=b", "environment variables" },
		{ "read_file(path=x) failed", "arguments" },
		{ "exec(\"ls\") failed", "arguments" },
		{ "bad input {\"q\":1}", "arguments" },
		{ "bash -c failed", "arguments" },
		{ "one\ntwo", "text that may be a prompt or its answer" },
		{ "user: what is this", "text that may be a prompt or its answer" },
		{ "<|im_start|>", "text that may be a prompt or its answer" },
		{ "a a a a a a a a a a a a a a", "text that may be a prompt or its answer" },
		{ "a a a a a a a a a a a a a", NULL },
		{ "cannot read notes/private.txt", "a path" },
		{ "../x: no such file", "a path" },
		{ "failed on \"a poem about my dog\"", "text that may be a prompt or its answer" },
		{ "unknown option \"color\"", NULL },
		{ "Write a poem about the sea", "text that may be a prompt or its answer" },
		{ "request refused: translate this letter to my bank", "text that may be a prompt or its answer" },
		{ "write failed", NULL },
		{ "write to the disk failed", NULL },
		{ "bad prompt: buy milk", "text that may be a prompt or its answer" },
		{ "prompt is too long", NULL },
		{ "You are a helpful pirate captain", "text that may be a prompt or its answer" },
		{ "\xe8\xaf\xb7\xe5\xb8\xae\xe6\x88\x91\xe5\x86\x99\xe4\xb8\x80\xe9\xa6\x96\xe8\xaf\x97\xe5\x90\xa7",
		  "text that may be a prompt or its answer" },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		const char *what = NULL;

		test_case("%s", cases[i].text);
		CHECK_INT(leak_error_text(str_from(cases[i].text), &what), cases[i].what != NULL);
		CHECK_STR(str_from(what), str_from(cases[i].what));
	}
	CHECK(leak_error_text(STR("~/x"), NULL));
}

TEST(a_bad_text_costs_no_more_than_its_length)
{
	static const char *const pieces[] = {
		"=~", "=/v1/", "=/", ":/1", "\\\\", "=\\\\a", "a:", "A=", "AAA", "://", "=file:", "(", "x(", "~",
		"?key=", "&", "@",
		"\"", " -", "/", "/1", "export ", "user", ":a:/",
	};
	size_t size = ((size_t)1 << 20) / test_slower();
	struct buf text;

	/* No clock: quadratic time would be hours, and the harness ends a test after minutes. */
	buf_init(&text);
	for (size_t i = 0; i < COUNT(pieces); i++) {
		struct str s;

		test_case("%s", pieces[i]);
		buf_clear(&text);
		while (text.n < size)
			buf_add_str(&text, str_from(pieces[i]));
		s = buf_str(&text);
		leak_has_path(s, NULL, NULL);
		leak_url_credentials(s);
		leak_has_environment(s);
		leak_is_prose(s);
		leak_is_blocked_name(s);
		leak_has_arguments(s);
		leak_error_text(s, NULL);
	}
	buf_free(&text);
}
