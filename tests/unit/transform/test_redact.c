#include "transform/redact.h"

#include <stdio.h>
#include <string.h>

#include "base/crypto/hex.h"
#include "base/crypto/sha256.h"
#include "harness/test.h"
#include "json/write.h"

static const uint8_t key_one[REDACT_KEY] = { 1, 2, 3 }, key_two[REDACT_KEY] = { 9 };

static struct redact *redact_new(const uint8_t key[REDACT_KEY], enum redact_mode mode)
{
	struct err err;
	struct redact *r = redact_open(key, mode, &err);

	CHECK(r);
	return r;
}

static struct str body_of(struct redact *r, struct buf *out, struct str body)
{
	buf_clear(out);
	redact_body(r, body, out);
	return buf_str(out);
}

/* The value of the first member of this name, up to its quote. */
static struct str member_of(struct str json, const char *name)
{
	size_t at = str_find(json, str_from(name)), end;
	struct str rest;

	CHECK(at != (size_t)-1);
	rest = str_skip(json, at + strlen(name) + 3);
	end = str_find(rest, STR("\""));
	return str_of(rest.p, end);
}

/* Cuts "text":"..." out of every event and joins. */
static void join_of(struct str json, struct str before, struct buf *out)
{
	buf_clear(out);
	for (size_t at; (at = str_find(json, before)) != (size_t)-1;) {
		json = str_skip(json, at + before.n);
		for (size_t i = 0; json.p[i] != '"'; i++) {
			if (json.p[i] == '\\')
				i++;
			buf_add_byte(out, json.p[i]);
		}
	}
}

TEST(structure_stays_and_content_goes)
{
	const struct {
		struct str text;
		const char *stays, *goes;
	} cases[] = {
		{ STR("{\"role\":\"user\",\"content\":\"buy apples\"}"), "\"role\":\"user\"", "apples" },
		{ STR("{\"type\":\"tool_use\",\"id\":\"toolu_01Ab\",\"name\":\"Bash\",\"input\":{\"type\":\"plums\"}}"), "toolu_01Ab", "plums" },
		{ STR("{\"type\":\"tool_use\",\"id\":\"toolu_01Ab\",\"name\":\"Bash\",\"input\":{\"n\":7}}"),
		  "\"name\":\"Bash\",\"input\":{\"n\":7}", "plums" },
		{ STR("{\"author\":{\"name\":\"Alice\"}}"), "\"name\":", "Alice" },
		{ STR("{\"type\":\"a sentence here\"}"), "\"type\":", "sentence" },
		{ STR("{\"id\":\"me@example.com\"}"), "\"id\":", "example" },
		{ STR("{\"model\":\"claude-opus-4-1@20250805\",\"cwd\":\"/srv/me\"}"), "claude-opus-4-1@20250805", "srv" },
		{ STR("{\"signature\":\"EqQBCgIYAhIkMQ==\",\"thinking\":\"hmm\"}"), "EqQBCgIYAhIkMQ==", "hmm" },
		{ STR("{\"timestamp\":\"2026-01-31T12:00:00Z\",\"gitBranch\":\"secret-plan\"}"), "2026-01-31T12:00:00Z", "plan" },
		{ STR("{\"answers\":{\"Which harbour?\":1}}"), "\"answers\":{\"[tw:", "harbour" },
		{ STR("{\"arguments\":\"{\\\"city\\\":\\\"Paris\\\",\\\"n\\\":2}\"}"), "{\\\"city\\\":\\\"[tw:", "Paris" },
		{ STR("{\"key\":\"gen_ai.request.model\",\"value\":{\"stringValue\":\"gpt-5\"}}"), "gpt-5", "plums" },
		{ STR("{\"key\":\"user.name\",\"value\":{\"stringValue\":\"alice\"}}"), "user.name", "alice" },
		{ STR("{\"source\":{\"type\":\"base64\",\"media_type\":\"image/png\",\"data\":\"iVBORw0KGgo=\"}}"), "image/png", "iVBOR" },
		{ STR("{\"type\":\"tool_use\",\"name\":\"T\",\"input\":{\"status\":\"plums\",\"message\":\"m\"}}"), "\"status\":\"[tw:", "plums" },
		{ STR("{\"type\":\"tool_use\",\"name\":\"T\",\"input\":[{\"type\":\"plums\",\"id\":\"plums\"}]}"), "\"type\":\"[tw:", "plums" },
		{ STR("{\"result\":{\"status\":\"plums\",\"id\":\"plums\",\"output\":\"plums\"}}"), "\"id\":\"[tw:", "plums" },
		{ STR("{\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"plums\"}]}}"), "\"type\":\"text\"", "plums" },
		{ STR("{\"files\":{\"src/plums.py\":1,\"C:/Users/bob\":2}}"), "{\"[tw:", "plums" },
		{ STR("{\"source\":\"src/secret/plums.py\",\"id\":\"docs/plums.md\"}"), "\"source\":\"[tw:", "plums" },
		{ STR("{\"ext\":{\"openai/1\":{\"mime_type\":\"image/png\",\"v\":\"cassette/v1\"}}}"),
		  "{\"openai/1\":{\"mime_type\":\"image/png\",\"v\":\"cassette/v1\"}", "[tw:" },
		{ STR("{\"method\":\"GET\",\"url\":\"https://h.example/html?q=plums\"}"), "\"url\":\"[tw:", "plums" },
		{ STR("{\"method\":\"GET\",\"target\":\"/var/plums\"}"), "\"target\":\"[tw:", "plums" },
		{ STR("{\"method\":\"POST\",\"path\":\"/v1beta/models/m:streamGenerateContent?alt=sse\"}"), "?alt=sse", "[tw:" },
		{ STR("{\"key\":\"net.host.name\",\"value\":{\"stringValue\":\"plums\"}}"), "net.host.name", "plums" },
		{ STR("{\"key\":\"langfuse.user.id\",\"value\":{\"stringValue\":\"plums\"}}"), "langfuse.user.id", "plums" },
		{ STR("{\"key\":\"gen_ai.tool.name\",\"type\":\"string\",\"value\":\"search\"}"), "\"search\"", "[tw:" },
		{ STR("{\"event_type\":\"node\",\"input_tokens_source\":\"api\",\"callID\":\"c1\"}"),
		  "{\"event_type\":\"node\",\"input_tokens_source\":\"api\",\"callID\":\"c1\"}", "[tw:" },
		{ STR("plain words"), "[tw:", "plain" },
		{ STR("{\"id\":\"ghp_0123456789abcdefghijABCDEFGHIJ012345\"}"), "\"id\":\"[tw:", "ghp_" },
	};
	struct redact *r = redact_new(key_one, REDACT_CONTENT);
	struct buf out;

	buf_init(&out);
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct str got = body_of(r, &out, cases[i].text);

		test_case("%.*s", STR_ARG(cases[i].text));
		CHECK(str_has(got, str_from(cases[i].stays)));
		CHECK(!str_has(got, str_from(cases[i].goes)));
	}
	buf_free(&out);
	redact_close(r);
}

TEST(equal_values_have_equal_tokens_and_another_key_gives_others)
{
	struct redact *one = redact_new(key_one, REDACT_CONTENT), *two = redact_new(key_two, REDACT_CONTENT);
	struct str text = STR("{\"content\":\"x y\",\"text\":\"x y\",\"input\":{\"zz\":\"x y\"},\"prompt\":\"x z\"}");
	struct buf a, b;
	struct str got;

	buf_init(&a);
	buf_init(&b);
	got = body_of(one, &a, text);
	CHECK_STR(member_of(got, "content"), member_of(got, "text"));
	CHECK_STR(member_of(got, "content"), member_of(got, "zz"));
	CHECK(!str_eq(member_of(got, "content"), member_of(got, "prompt")));
	CHECK(redact_is_token(one, member_of(got, "content")));
	CHECK(!redact_is_token(two, member_of(got, "content")));
	CHECK(!str_eq(member_of(got, "content"), member_of(body_of(two, &b, text), "content")));
	CHECK(!str_eq(redact_key_id(one), redact_key_id(two)));
	buf_free(&a);
	buf_free(&b);
	redact_close(one);
	redact_close(two);
}

TEST(redacting_twice_is_redacting_once)
{
	const struct str texts[] = {
		STR("{\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":\"hello there\"}],\"/a/b\":\"c\"}"),
		STR("data: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\"a b\"}}\n\n"
		    ": some comment\ngarbage\ndata: words\n\n"),
		STR("{\"model\":\"m\",\"response\":\"a\",\"done\":false}\n{\"model\":\"m\",\"response\":\"b c\",\"done\":true}\n"),
		STR("no JSON at all"),
		STR("{\"/srv/me/thread_id\":\"abc\"}"), /* a name that goes says nothing about its value */
		STR("{\"req\":{\"body\":{\"sha256\":\"0\",\"size\":3,\"enc\":\"utf8\",\"inline\":\"abc\",\"/srv/me/x_id\":\"abc\"}}}"),
		STR("{\"key\":\"my own words.model\",\"value\":{\"stringValue\":\"g\"}}"), /* nor does a key that goes */
		STR("{\"type\":\"some arguments here\",\"index\":0,\"delta\":\"{\\\"n\\\":1}\"}"), /* or a type */
		STR(" data: hello\n\ndata: {\"a\":\"b c\"}\n\n"), /* a blank before a field makes it none */
	};
	struct redact *r = redact_new(key_one, REDACT_CONTENT);
	struct buf once, twice;

	buf_init(&once);
	buf_init(&twice);
	for (size_t i = 0; i < COUNT(texts); i++) {
		test_case("%zu", i);
		body_of(r, &once, texts[i]);
		CHECK_STR(body_of(r, &twice, buf_str(&once)), buf_str(&once));
	}
	buf_free(&once);
	buf_free(&twice);
	redact_close(r);
}

#define DELTA(index, kind, member, text) \
	"event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":" index ",\"delta\":{\"type\":\"" kind \
	"\",\"" member "\":\"" text "\"}}\n\n"

TEST(a_token_lies_over_the_pieces_of_a_stream)
{
	struct str stream = STR(DELTA("0", "text_delta", "text", "The har") DELTA("1", "input_json_delta", "partial_json", "{\\\"ci")
				DELTA("0", "text_delta", "text", "bour") DELTA("1", "input_json_delta", "partial_json", "ty\\\": \\\"Par")
				DELTA("0", "text_delta", "text", " plan") DELTA("1", "input_json_delta", "partial_json", "is\\\"}"));
	struct redact *r = redact_new(key_one, REDACT_CONTENT);
	struct buf streamed, whole, joined;
	struct str got;

	buf_init(&streamed);
	buf_init(&whole);
	buf_init(&joined);
	got = body_of(r, &streamed, stream);
	body_of(r, &whole, STR("{\"text\":\"The harbour plan\",\"arguments\":\"{\\\"city\\\": \\\"Paris\\\"}\"}"));
	join_of(got, STR("\"text\":\""), &joined);
	CHECK_STR(buf_str(&joined), member_of(buf_str(&whole), "text"));
	CHECK(str_count(got, '\n') == str_count(stream, '\n'));
	join_of(got, STR("\"partial_json\":\""), &joined);
	CHECK(str_starts(buf_str(&joined), STR("{\"city\": \"[tw:")) && str_ends(buf_str(&joined), STR("]\"}")));
	CHECK(!str_has(got, STR("har")) && !str_has(got, STR("Par")));
	buf_free(&streamed);
	buf_free(&whole);
	buf_free(&joined);
	redact_close(r);
}

TEST(a_key_that_is_split_over_chunks_is_caught_and_prose_stays)
{
	struct str stream = STR("data: {\"id\":\"c\",\"choices\":[{\"index\":0,\"delta\":{\"content\":\"use ghp_0123456789abcdef\"}}]}\n\n"
				"data: {\"id\":\"c\",\"choices\":[{\"index\":0,\"delta\":{\"content\":\"ghijABCDEFGHIJ012345 now\"}}]}\n\n");
	struct redact *r = redact_new(key_one, REDACT_SECRETS);
	struct buf out, joined;
	struct str got;
	size_t rules;

	buf_init(&out);
	buf_init(&joined);
	got = body_of(r, &out, stream);
	join_of(got, STR("\"content\":\""), &joined);
	CHECK(str_starts(buf_str(&joined), STR("use [tw:")) && str_ends(buf_str(&joined), STR("] now")));
	CHECK(!str_has(got, STR("abcdef")) && !str_has(got, STR("FGHIJ")));
	redact_secrets(r, &rules);
	CHECK_INT(rules, 1);
	buf_free(&out);
	buf_free(&joined);
	redact_close(r);
}

TEST(a_document_on_several_lines_is_redacted_as_a_whole)
{
	const struct str text = STR("{\n \"candidates\": [\n  {\"content\": {\"parts\": [\n   {\"text\":\n \"apples\"}\n ]}}\n ]\n}");
	struct redact *r = redact_new(key_one, REDACT_CONTENT);
	struct json_issue issue;
	struct buf out;

	buf_init(&out);
	CHECK(redact_line(r, text, &out, &issue));
	redact_flush(r, &out);
	CHECK(!str_has(buf_str(&out), STR("apples")) && str_has(buf_str(&out), STR("[tw:")));
	CHECK_INT(str_count(buf_str(&out), '\n'), str_count(text, '\n') + 1);
	CHECK_INT(redact_sums(r)[REDACT_OUTPUT].values, 1);
	buf_free(&out);
	redact_close(r);
}

TEST(a_member_that_is_named_like_a_credential_is_one)
{
	static const char *const names[] = { "authorization", "Authorization", "api_key", "x-api-key", "password" };
	struct redact *r = redact_new(key_one, REDACT_SECRETS);
	struct buf out;

	buf_init(&out);
	for (size_t i = 0; i < COUNT(names); i++) {
		char text[80];

		snprintf(text, sizeof(text), "{\"%s\":\"hunter2hunter2\",\"note\":\"hunter2hunter2\"}", names[i]);
		test_case("%s", names[i]);
		body_of(r, &out, str_from(text));
		CHECK(str_has(buf_str(&out), STR("\":\"[tw:")) && str_has(buf_str(&out), STR("\"note\":\"hunter2hunter2\"")));
		snprintf(text, sizeof(text), "[[\"%s\",\"hunter2hunter2\"],[\"x\",\"hunter2\"]]", names[i]);
		body_of(r, &out, str_from(text));
		CHECK(!str_has(buf_str(&out), STR("hunter2hunter2")) && str_has(buf_str(&out), STR("[\"x\",\"hunter2\"]")));
		snprintf(text, sizeof(text), "{\"name\":\"%s\",\"value\":\"hunter2hunter2\"}", names[i]);
		CHECK(!str_has(body_of(r, &out, str_from(text)), STR("hunter2hunter2")));
	}
	buf_free(&out);
	redact_close(r);
}

TEST(lines_of_a_stream_wait_for_its_end)
{
	const struct str lines[] = {
		STR("{\"type\":\"stream_event\",\"event\":{\"type\":\"message_start\",\"message\":{\"id\":\"m\"}}}"),
		STR("{\"type\":\"stream_event\",\"event\":{\"type\":\"content_block_delta\",\"index\":0,"
		    "\"delta\":{\"type\":\"text_delta\",\"text\":\"ap\"}}}"),
		STR("{\"type\":\"stream_event\",\"event\":{\"type\":\"content_block_delta\",\"index\":0,"
		    "\"delta\":{\"type\":\"text_delta\",\"text\":\"ples\"}}}"),
		STR("{\"type\":\"stream_event\",\"event\":{\"type\":\"message_stop\"}}"),
	};
	struct redact *r = redact_new(key_one, REDACT_CONTENT);
	struct json_issue issue;
	struct buf out, joined, whole;

	buf_init(&out);
	buf_init(&joined);
	buf_init(&whole);
	for (size_t i = 0; i < COUNT(lines); i++)
		CHECK(redact_line(r, lines[i], &out, &issue));
	join_of(buf_str(&out), STR("\"text\":\""), &joined);
	CHECK_STR(buf_str(&joined), body_of(r, &whole, STR("apples")));
	CHECK_INT(str_count(buf_str(&out), '\n'), COUNT(lines));
	CHECK_INT(redact_sums(r)[REDACT_OUTPUT].values, 1);
	CHECK(!redact_line(r, STR("{\"a\":"), &out, &issue));
	buf_free(&out);
	buf_free(&joined);
	buf_free(&whole);
	redact_close(r);
}

TEST(a_cassette_follows_its_bodies_and_equals_the_live_side)
{
	struct str live = STR("{\"model\":\"m\",\"messages\":[{\"role\":\"user\",\"content\":\"hi there\"}]}");
	struct redact *r = redact_new(key_one, REDACT_CONTENT);
	struct buf line, out, body;
	struct json_issue issue;
	char hex[SHA256_HEX];
	struct sha256 s;

	buf_init(&line);
	buf_init(&out);
	buf_init(&body);
	CHECK(redact_line(r, STR("{\"v\":\"cassette/v1\",\"run_id\":\"r\",\"redacted\":false,\"local_only\":true}"), &out, &issue));
	CHECK(str_has(buf_str(&out), STR("\"redacted\":true,\"redacted_with\":\"")));
	CHECK(str_has(buf_str(&out), redact_key_id(r)));
	buf_clear(&out);
	buf_printf(&line, "{\"x\":0,\"lane\":\"model\",\"req\":{\"method\":\"POST\",\"target\":\"/v1/messages\",\"body\":{\"sha256\":\"00\","
		   "\"size\":1,\"enc\":\"json\",\"inline\":%.*s}},\"resp\":{\"body\":{\"sha256\":\"00\",\"size\":9,\"enc\":\"utf8\","
		   "\"inline\":\"a secret!\"},\"chunks\":[[3,10],[9,10]],\"end\":\"eof\"}}", STR_ARG(live));
	CHECK(redact_line(r, buf_str(&line), &out, &issue));
	body_of(r, &body, live);
	CHECK(str_has(buf_str(&out), buf_str(&body)));
	sha256_init(&s);
	digest_hex(hex, sha256_of(&s, buf_str(&body)));
	sha256_free(&s);
	CHECK(str_has(buf_str(&out), str_of(hex, SHA256_HEX)));
	CHECK(str_has(buf_str(&out), STR("\"target\":\"/v1/messages\"")));
	CHECK(str_has(buf_str(&out), STR("\"size\":34,\"enc\":\"utf8\"")));
	CHECK(str_has(buf_str(&out), STR("\"chunks\":[[11,10],[34,10]]")));
	buf_free(&line);
	buf_free(&out);
	buf_free(&body);
	redact_close(r);
}

TEST(places_of_chunks_stay_where_they_are_the_second_time)
{
	struct redact *r = redact_new(key_one, REDACT_CONTENT);
	struct buf line, once, twice;

	buf_init(&line);
	buf_init(&once);
	buf_init(&twice);
	buf_add_str(&line, STR("{\"body\":{\"sha256\":\"0\",\"size\":1,\"enc\":\"utf8\",\"inline\":"));
	json_write_quoted(&line, STR("data: {\"choices\":[{\"delta\":{\"arguments\":\"{\\\"ab\\\":\\\"harbour plan\\\"}\"}}]}\n\n"));
	buf_add_str(&line, STR("},\"chunks\":["));
	for (unsigned at = 0; at < 120; at++)
		buf_printf(&line, "%s[%u,1]", at ? "," : "", at);
	buf_add_str(&line, STR("]}"));
	body_of(r, &once, buf_str(&line));
	CHECK(!str_has(buf_str(&once), STR("harbour")));
	CHECK_STR(body_of(r, &twice, buf_str(&once)), buf_str(&once));
	buf_free(&line);
	buf_free(&once);
	buf_free(&twice);
	redact_close(r);
}

TEST(text_in_the_place_of_chunks_goes)
{
	struct redact *r = redact_new(key_one, REDACT_CONTENT);
	struct buf out;
	struct str got;

	buf_init(&out);
	got = body_of(r, &out, STR("{\"body\":{\"sha256\":\"0\",\"size\":1,\"enc\":\"utf8\",\"inline\":\"a b\"},\"chunks\":[[1,2],\"plums\"]}"));
	CHECK(!str_has(got, STR("plums")) && str_has(got, STR("\"chunks\":[[1,2],\"[tw:")));
	buf_free(&out);
	redact_close(r);
}

TEST(a_body_that_is_too_deep_to_look_inside_stays_a_token)
{
	struct redact *r = redact_new(key_one, REDACT_CONTENT);
	struct str text = STR("{\"sha256\":\"0\",\"size\":2,\"enc\":\"json\",\"inline\":{\"a\":\"plums\"}}");
	struct buf in, quoted, once, twice;

	buf_init(&in);
	buf_init(&quoted);
	buf_init(&once);
	buf_init(&twice);
	buf_printf(&in, "{\"body\":%.*s}", STR_ARG(text));
	for (int i = 0; i < 2; i++) {
		buf_clear(&quoted);
		json_write_quoted(&quoted, buf_str(&in));
		buf_clear(&in);
		buf_printf(&in, "{\"body_text\":%.*s}", STR_ARG(buf_str(&quoted)));
	}
	body_of(r, &once, buf_str(&in));
	CHECK(!str_has(buf_str(&once), STR("plums")));
	CHECK_STR(body_of(r, &twice, buf_str(&once)), buf_str(&once));
	buf_free(&in);
	buf_free(&quoted);
	buf_free(&once);
	buf_free(&twice);
	redact_close(r);
}
