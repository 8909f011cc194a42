/* Every row of the telemetry blocklist by its literal words, and the walk through a document. */
#include "dialect/record/blocklist.h"

#include "base/buf.h"
#include "harness/test.h"
#include "json/json.h"

/* The list of agent-trace.md, "Telemetry payload", word by word: a row that is taken out of the table fails here. */
static const char *const page[] = {
	"prompt", "prompts", "messages", "output_text", "completion", "tool_args", "tool_arguments", "file_path",
	"file_paths", "env", "environment", "api_key", "authorization", "ip", "ip_address", "username", "user",
	"kv_block_id", "kv_block_ids", "block_hash", "raw_block_hash", "endpoint", "url", "host", "hostname",
	"request_id", "trace_id", "node_id", "tool_result", "tool_results", "content", "cwd", "error_message",
};

TEST(every_name_of_the_page_is_blocked_by_its_own_row)
{
	size_t rows = 0;

	for (size_t i = 0; i < COUNT(page); i++) {
		const char *row = blocklist_find_name(str_from(page[i]));

		test_case("%s", page[i]);
		CHECK(row != NULL);
		CHECK_STR(str_from(row), str_from(page[i]));
	}
	CHECK_STR(str_from(blocklist_find_name(STR("openai_api_key"))), STR("*_api_key"));
	while (blocklist_names[rows])
		rows++;
	CHECK_INT(rows, COUNT(page) + 1);
}

TEST(a_name_counts_however_it_is_spelled)
{
	static const struct {
		const char *name, *row;
	} cases[] = {
		{ "PROMPT", "prompt" },       { "Output-Text", "output_text" },   { "outputText", "output_text" },
		{ "TOOL-ARGS", "tool_args" }, { "kv-block-IDs", "kv_block_ids" }, { "_user_", "user" },
		{ "X-API-Key", "*_api_key" }, { "a_api_key", "*_api_key" },       { "openaiApiKey", "*_api_key" },
		{ "api-key", "api_key" },     { "prompt_tokens", NULL },          { "hosts", NULL },
		{ "zip", NULL },              { "node_counts", NULL },            { "api_key_count", NULL },
		{ "", NULL },                 { "_", NULL },                      { "--", NULL },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		const char *row = blocklist_find_name(str_from(cases[i].name));

		test_case("'%s'", cases[i].name);
		CHECK_STR(str_from(row), str_from(cases[i].row));
	}
}

#define TEN "abcdefghij"
#define HEX8 "0123abcd"
#define FORTY "The-quick_brown+fox/jumps0overALazyDog12" /* characters of base64, few hex digits in a row */

static const struct {
	const char *text, *rule;
} values[] = {
	{ "somebody@example.org", "email" },       { "mail to a.b+c@x-y.io now", "email" },
	{ "claude@20250101", NULL },
	{ "/srv/me", "path" },                    { "in /v1/chat", "path" },
	{ "x=/2/3", "path" },                      { "//host/share", "path" },
	{ "C:\\Users\\me", "path" },               { "d:/data/x", "path" },
	{ "C:\\xab\\cd", "path" },                 { "\\\\host\\share", "path" },
	{ "~/notes", "path" },                     { "(/etc/passwd)", "path" },
	{ "/home", NULL },                         { "a/b/c", NULL },
	{ "trackway.telemetry/1", NULL },          { "text/plain", NULL },
	{ "2/3", NULL },                           { "c:", NULL },
	{ "10.0.0.1", "ip" },                      { "at 192.168.1.255, port 80", "ip" },
	{ "v1.2.3.4", "ip" },                      { "10.0.0.1.", "ip" },
	{ "1.2.3", NULL },                         { "1.2.3.256", NULL },
	{ "1.2.3.4.5", NULL },                     { "1.2.3.", NULL },
	{ "::1", "ip" },                           { "fe80::1%eth0", "ip" },
	{ "[2001:db8::a:1]:443", "ip" },           { "1:2:3:4:5:6:7:8", "ip" },
	{ "addr:fe80::1", "ip" },                  { "fe80::1: refused", "ip" },
	{ "id:2001:db8::", "ip" },                 { "::ffff:10.0.0.1", "ip" },
	{ "12:30:45", NULL },                      { "std::vector", NULL },
	{ "aa:bb:cc:dd:ee:ff", NULL },             { "::", NULL },
	{ "a: b", NULL },                          { "1:2:3:4:5:6:7", NULL },
	{ HEX8 HEX8 HEX8 HEX8 "f", "hex" },        { "id " HEX8 HEX8 HEX8 HEX8 "0!", "hex" },
	{ HEX8 HEX8 HEX8 HEX8, NULL },
	{ FORTY "z", "base64" },                   { FORTY "=", "base64" },
	{ FORTY, NULL },                           { TEN " " TEN " " TEN " " TEN " " TEN, NULL },
	{ "https://example.org", "url" },          { "x://", "url" },
	{ "a:/b", NULL },                          { "vllm", NULL },
	{ "0.10", NULL },                          { "", NULL },
};

TEST(every_look_of_a_value_is_blocked_by_its_own_row)
{
	static const char *const names[] = { "url", "email", "path", "ip", "hex", "base64", "long" };

	for (size_t i = 0; i < COUNT(values); i++) {
		const struct blocklist_value *v = blocklist_find_value(str_from(values[i].text));

		test_case("'%s'", values[i].text);
		CHECK_STR(str_from(v ? v->name : NULL), str_from(values[i].rule));
	}
	for (size_t i = 0; i < COUNT(names); i++)
		CHECK_STR(str_from(blocklist_values[i].name), str_from(names[i]));
	CHECK(!blocklist_values[COUNT(names)].name);
}

TEST(two_hundred_characters_are_not_too_many)
{
	char text[402];

	for (size_t i = 0; i < sizeof(text); i += 2)
		memcpy(text + i, "\xc3\xa9", 2); /* a character of two bytes */
	CHECK(!blocklist_find_value(str_of(text, 400)));
	CHECK_STR(str_from(blocklist_find_value(str_of(text, 402))->name), STR("long"));
}

static struct blocked_list check_text(const char *text)
{
	struct arena *a = test_alloc(sizeof(*a));
	struct blocked_list list = { .arena = a };
	struct json_parser *p = json_parser_open((struct json_options){ .allow_duplicates = true, .allow_lone = true });
	struct val v;

	arena_init(a);
	CHECK(json_parse_copy(p, str_from(text), &v, NULL));
	blocklist_check(&list, v);
	json_parser_close(p);
	return list;
}

TEST(what_is_blocked_is_named_by_its_pointer)
{
	static const struct {
		const char *text, *found; /* pointer, then the rule; "k" before a name */
	} cases[] = {
		{ "{}", "" },
		{ "\"x\"", "" },
		{ "\"::1\"", "v:ip" },
		{ "{\"a\":{\"b\":[1,{\"Prompt\":null}]}}", "k/a/b/1/Prompt:prompt" },
		{ "[[],[\"ok\",\"a@b.org\"]]", "v/1/1:email" },
		{ "{\"a\":[\"/srv/me\"],\"b\":\"https://x\"}", "v/a/0:path v/b:url" },
		{ "{\"me@x.org\":{\"cwd\":1,\"x\":\"::1\"}}", "k/***:email k/***/cwd:cwd v/***/x:ip" },
		{ "{\"a\":1,\"a\":\"::1\"}", "v/a:ip" },
		{ "{\"pro\\u006dpt\":1}", "k/prompt:prompt" },
		{ "{\"a/b~c\":\"::1\"}", "v/a~1b~0c:ip" },
		{ "{\"n\":123456789012345678901234567890123}", "v/n:hex" },
		{ "{\"n\":[1.5,true,null,{}]}", "" },
		{ "{\"user\":\"a@b.org\"}", "k/user:user v/user:email" },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct blocked_list list = check_text(cases[i].text);
		struct buf got;

		test_case("%s", cases[i].text);
		buf_init(&got);
		for (size_t k = 0; k < list.count; k++)
			buf_printf(&got, "%s%c%.*s:%s", k ? " " : "", list.items[k].is_name ? 'k' : 'v',
				   STR_ARG(list.items[k].pointer), list.items[k].rule);
		CHECK_STR(buf_str(&got), str_from(cases[i].found));
		buf_free(&got);
		arena_free(list.arena);
	}
}

TEST(a_document_of_any_depth_and_size_is_walked_and_the_list_is_short)
{
	struct blocked_list list;
	struct buf text;

	buf_init(&text);
	for (size_t i = 0; i < 1000; i++)
		buf_add_str(&text, STR("[\"::1\",\"::1\","));
	buf_add_str(&text, STR("\"::1\""));
	for (size_t i = 0; i < 1000; i++)
		buf_add_byte(&text, ']');
	buf_add_byte(&text, '\0');
	list = check_text(text.p);
	CHECK_INT(list.total, 2001);
	CHECK_INT(list.count, BLOCKED_KEPT);
	buf_free(&text);
	arena_free(list.arena);
}
