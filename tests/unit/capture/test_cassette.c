#include "capture/cassette.h"

#include "base/crypto/base64.h"
#include "base/crypto/sha256.h"
#include "capture/cassette_rules.h"
#include "harness/convert.h"
#include "unit/net/pack.h"

#define MICRO 1000
#define S(text) { text, sizeof(text) - 1 }
#define BEGUN (INT64_C(1782900000) * 1000000000)

static struct json_parser *parser(void)
{
	static struct json_parser *p;

	if (!p)
		p = json_parser_open((struct json_options){ 0 });
	return p;
}

/* The line of an exchange, which must be one line and one value. */
static struct val put_line(struct buf *b, const struct cassette_exchange *x)
{
	struct val v;

	buf_clear(b);
	cassette_add(b, x);
	CHECK(b->n > 0 && b->p[b->n - 1] == '\n' && memchr(b->p, '\n', b->n) == b->p + b->n - 1);
	CHECK(json_parse_copy(parser(), buf_str(b), &v, NULL));
	return v;
}

/* The bytes of a body, as a reader has them from the line. */
static struct str read_body(struct arena *a, struct val body)
{
	struct val enc = val_get(body, STR("enc")), inside = val_get(body, STR("inline"));
	struct str bytes;
	struct buf b;

	if (val_text_is(enc, STR("json")))
		return val_source(inside);
	if (val_text_is(enc, STR("utf8")))
		return val_text(inside, a);
	buf_init(&b);
	CHECK(base64_parse(&b, val_text(inside, a)));
	bytes = arena_copy(a, buf_str(&b));
	buf_free(&b);
	return bytes;
}

TEST(every_body_comes_back_byte_for_byte)
{
	static const struct {
		const char *name;
		struct str body;
		const char *enc;
	} cases[] = {
		{ "nothing", S(""), "utf8" },
		{ "an object", S("{\"a\": [1,2.50], \"b\":\"\\u00e9\"}"), "json" },
		{ "spaces inside", S("{ \"a\" :\t1 }"), "json" },
		{ "a space behind", S("{} "), "utf8" },
		{ "a space before", S(" {}"), "utf8" },
		{ "a line break", S("{\"a\":1,\n\"b\":2}"), "utf8" },
		{ "a return", S("{\"a\":1\r}"), "utf8" },
		{ "names twice", S("{\"a\":1,\"a\":2}"), "utf8" },
		{ "two values", S("{}{}"), "utf8" },
		{ "half a surrogate", S("\"\\ud800\""), "utf8" },
		{ "a number", S("1e999"), "json" },
		{ "a stream", S("data: {\"x\":1}\r\n\r\ndata: [DONE]\n\n"), "utf8" },
		{ "a NUL, a DEL, a line separator", S("\0\x7f\xe2\x80\xa8\xc2\x85"), "utf8" },
		{ "no text", S("\x1f\x8b\x08\xff"), "base64" },
		{ "half a character", S("\xc3"), "base64" },
	};
	struct sha256 s;
	struct arena a;
	struct buf b;

	sha256_init(&s);
	arena_init(&a);
	buf_init(&b);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct cassette_exchange x = { .target = STR("/"), .request_body = cases[i].body, .answer_body = cases[i].body };
		static const char *const halves[] = { "/req/body", "/resp/body" };
		struct val v = put_line(&b, &x);

		for (size_t half = 0; half < 2; half++) {
			struct val body = val_at(v, str_from(halves[half]));
			char hex[SHA256_HEX];
			int64_t size;

			test_case("%s, %s", cases[i].name, halves[half]);
			CHECK(val_text_is(val_get(body, STR("enc")), str_from(cases[i].enc)));
			CHECK_STR(read_body(&a, body), cases[i].body);
			digest_hex(hex, sha256_of(&s, cases[i].body));
			CHECK(val_text_is(val_get(body, STR("sha256")), str_of(hex, SHA256_HEX)));
			CHECK(val_i64(val_get(body, STR("size")), &size));
			CHECK_INT(size, cases[i].body.n);
		}
	}
	buf_free(&b);
	arena_free(&a);
	sha256_free(&s);
}

TEST(a_body_too_deep_is_a_text)
{
	struct cassette_exchange x = { .target = STR("/") };
	struct buf b, deep;
	struct arena a;
	struct val v;

	arena_init(&a);
	buf_init(&b);
	buf_init(&deep);
	for (int i = 0; i < 1000; i++)
		buf_add_byte(&deep, '[');
	for (int i = 0; i < 1000; i++)
		buf_add_byte(&deep, ']');
	x.answer_body = buf_str(&deep);
	v = put_line(&b, &x);
	CHECK(val_text_is(val_at(v, STR("/resp/body/enc")), STR("utf8")));
	CHECK_STR(read_body(&a, val_at(v, STR("/resp/body"))), x.answer_body);
	buf_free(&deep);
	buf_free(&b);
	arena_free(&a);
}

TEST(headers_that_let_others_in_are_never_written)
{
	static const struct http_header headers[] = {
		{ S("Authorization"), S("Bearer sesame") },
		{ S("X-Api-Key"), S("sesame") },
		{ S("api-key"), S("sesame") },
		{ S("x-goog-api-key"), S("sesame") },
		{ S("Cookie"), S("sesame") },
		{ S("Set-Cookie"), S("sesame") },
		{ S("Proxy-Authorization"), S("sesame") },
		{ S("Proxy-Connection"), S("sesame") },
		{ S("x-claude-code-session-token"), S("sesame") },
		{ S("OpenAI-Organization"), S("sesame") },
		{ S("X-Anything"), S("sesame") },
		{ S("Content-Type"), S("application/json") },
		{ S("ACCEPT"), S("a") },
		{ S("accept"), S("b") },
		{ S("X-Request-Id"), S("r-1") },
		{ S("x-ratelimit-remaining-tokens"), S("9") },
		{ S("anthropic-version"), S("v") },
		{ S("x-claude-code-session-id"), S("s") },
		{ S("retry-after"), S("7") },
	};
	struct http_head head = { .method = STR("POST"), .status = 200, .headers = headers, .count = sizeof(headers) / sizeof(headers[0]) };
	struct cassette_exchange x = { .request = &head, .answer = &head,
		.target = STR("/v1/x?key=sesame&alt=sse&api_key=sesame&access_token=sesame") };
	struct buf b;
	struct val v;

	buf_init(&b);
	v = put_line(&b, &x);
	CHECK(str_find(buf_str(&b), STR("sesame")) == (size_t)-1);
	CHECK(val_text_is(val_at(v, STR("/req/target")), STR("/v1/x?alt=sse")));
	CHECK(val_text_is(val_at(v, STR("/req/method")), STR("POST")));
	CHECK(val_text_is(val_at(v, STR("/req/headers/content-type")), STR("application/json")));
	CHECK(val_text_is(val_at(v, STR("/req/headers/accept")), STR("a, b")));
	CHECK(val_text_is(val_at(v, STR("/resp/headers/x-request-id")), STR("r-1")));
	CHECK(val_text_is(val_at(v, STR("/resp/headers/x-ratelimit-remaining-tokens")), STR("9")));
	CHECK_INT(val_count(val_at(v, STR("/resp/headers"))), 7);
	buf_free(&b);
}

TEST(keys_in_a_path_are_never_written)
{
#define KEY "sk-proj-AbCdEf0123456789abcdefXYZ"
	static const struct {
		const char *name, *target, *want;
	} cases[] = {
		{ "none", "/openai/v1/chat/completions", "/openai/v1/chat/completions" },
		{ "inside", "/openai/v1/" KEY "/x", "/openai/v1/sk-proj-\xe2\x80\xa6/x" },
		{ "at the end", "/v1/" KEY, "/v1/sk-proj-\xe2\x80\xa6" },
		{ "twice", "/" KEY "/" KEY "/", "/sk-proj-\xe2\x80\xa6/sk-proj-\xe2\x80\xa6/" },
		{ "escaped", "/v1/sk%2Dproj%2dAbCdEf0123456789abcdefXYZ/x", "/v1/\xe2\x80\xa6/x" },
		{ "escaped, with what is no escape", "/v1/sk%2Dproj-AbCdEf0123456789abcdefXYZ%/%4", "/v1/\xe2\x80\xa6/%4" },
		{ "behind an escaped slash", "/v1/a%2F" KEY "/x", "/v1/\xe2\x80\xa6/x" },
		{ "escapes that hide nothing", "/v1/models%2Fgpt%204/x", "/v1/models%2Fgpt%204/x" },
		{ "in the query", "/v1/x?alt=" KEY "&b=1", "/v1/x?alt=sk-proj-\xe2\x80\xa6&b=1" },
		{ "a model and its method", "/v1beta/models/gemini-2.5-flash:generateContent?alt=sse",
			"/v1beta/models/gemini-2.5-flash:generateContent?alt=sse" },
		{ "of a service we do not know", "/token/AbCdEf0123456789AbCdEf01/x", "/token/\xe2\x80\xa6/x" },
		{ "with a colon", "/bot123456789:AbCdEf0123456789AbCdEf01/x", "/\xe2\x80\xa6/x" },
		{ "mail", "/users/AbCdEf@example.com/x", "/users/\xe2\x80\xa6/x" },
		{ "an id", "/v1/responses/resp_0123456789abcdef0123/cancel", "/v1/responses/resp_0123456789abcdef0123/cancel" },
	};
	struct arena a;
	struct buf b;

	arena_init(&a);
	buf_init(&b);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct str query, want = str_from(cases[i].want), path = str_cut(str_from(cases[i].target), '?', &query);
		struct cassette_exchange x = { .target = str_from(cases[i].target), .endpoint = ARENA_JOIN(&a, STR("https://e.example:8443"), path) };
		struct val v = put_line(&b, &x);

		test_case("%s", cases[i].name);
		CHECK_STR(val_text(val_at(v, STR("/req/target")), &a), want);
		CHECK_STR(val_text(val_get(v, STR("endpoint")), &a), ARENA_JOIN(&a, STR("https://e.example:8443"), str_cut(want, '?', &query)));
		CHECK(str_find(buf_str(&b), STR("AbCdEf")) == (size_t)-1);
	}
	buf_free(&b);
	arena_free(&a);
}

TEST(chunks_say_where_and_when)
{
	static const struct observer_arrival arrivals[] = { { 5, BEGUN + 100 * MICRO },
							    { 5, BEGUN + 90 * MICRO },
							    { 9, BEGUN + 250 * MICRO } };
	struct cassette_exchange x = {
		.number = 4, .group = 2, .target = STR("/"), .answer_body = STR("123456789"), .arrivals = arrivals, .arrival_count = 3,
		.begun_ns = BEGUN, .ended_ns = BEGUN + 1234567, .provider = STR("openai"), .endpoint = STR("https://e.example/v1"),
	};
	struct buf b;
	struct val v;

	buf_init(&b);
	v = put_line(&b, &x);
	CHECK_STR(val_source(val_at(v, STR("/resp/chunks"))), STR("[[0,100],[5,0],[5,150]]"));
	CHECK_STR(val_source(val_get(v, STR("x"))), STR("4"));
	CHECK_STR(val_source(val_get(v, STR("group"))), STR("2"));
	CHECK_STR(val_source(val_get(v, STR("t_us"))), STR("1782900000000000"));
	CHECK_STR(val_source(val_get(v, STR("dur_us"))), STR("1234"));
	CHECK(val_text_is(val_get(v, STR("provider")), STR("openai")));
	CHECK(val_text_is(val_get(v, STR("endpoint")), STR("https://e.example/v1")));
	CHECK(val_text_is(val_get(v, STR("lane")), STR("model")));
	buf_free(&b);
}

TEST(a_packed_body_stands_unpacked_without_its_header)
{
	static const struct http_header headers[] = { { S("content-type"), S("application/json") }, { S("Content-Encoding"), S("zstd") } };
	struct http_head head = { .side = HTTP_REQUEST, .method = STR("POST"), .headers = headers, .count = 2 };
	struct cassette_exchange x = { .target = STR("/"), .request = &head, .begun_ns = BEGUN };
	struct buf b;
	struct val v;

	buf_init(&b);
	x.request_body = pack(STR("{\"model\":\"m\"}"), UNPACK_ZSTD, false);
	v = put_line(&b, &x);
	CHECK_STR(val_source(val_at(v, STR("/req/body/inline"))), STR("{\"model\":\"m\"}"));
	CHECK(val_text_is(val_at(v, STR("/req/body/packing")), STR("zstd")));
	CHECK(val_is_none(val_at(v, STR("/req/headers/content-encoding"))));
	CHECK(!val_is_none(val_at(v, STR("/req/headers/content-type"))));
	x.request_body = STR("{}");
	v = put_line(&b, &x);
	CHECK(val_text_is(val_at(v, STR("/req/headers/content-encoding")), STR("zstd")));
	CHECK(val_is_none(val_at(v, STR("/req/body/packing"))));
	buf_free(&b);
}

TEST(ends_have_words)
{
	static const struct {
		enum proxy_end how;
		const char *word;
	} cases[] = {
		{ PROXY_WHOLE, "eof" }, { PROXY_CLIENT_LEFT, "client_left" }, { PROXY_CUT, "cut" }, { PROXY_REFUSED, "refused" },
	};
	struct buf b;

	buf_init(&b);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct cassette_exchange x = { .target = STR("/"), .how = cases[i].how, .answer_lost = true };
		struct val v = put_line(&b, &x);

		test_case("%s", cases[i].word);
		CHECK(val_text_is(val_at(v, STR("/resp/end")), str_from(cases[i].word)));
		CHECK(val_is(val_at(v, STR("/resp/status")), JSON_NULL));
		CHECK(val_is(val_at(v, STR("/resp/body/lost")), JSON_TRUE));
		CHECK(val_is_none(val_at(v, STR("/req/body/lost"))));
	}
	buf_free(&b);
}

TEST(the_head_says_by_which_rules_it_was_made)
{
	struct digest d = cassette_rules_digest();
	char hex[SHA256_HEX];
	struct buf b;
	struct val v;

	buf_init(&b);
	cassette_add_head(&b, STR("019f0000-0000-7000-8000-000000000001"), BEGUN + 5000, (struct str){ NULL, 0 });
	CHECK(json_parse_copy(parser(), buf_str(&b), &v, NULL));
	CHECK(val_text_is(val_get(v, STR("v")), STR("cassette/v1")));
	CHECK(val_text_is(val_get(v, STR("run_id")), STR("019f0000-0000-7000-8000-000000000001")));
	CHECK(val_text_is(val_get(v, STR("started")), STR("2026-07-01T10:00:00.000005Z")));
	CHECK_STR(val_source(val_get(v, STR("clock0_us"))), STR("1782900000000005"));
	digest_hex(hex, d);
	CHECK(val_text_is(val_at(v, STR("/normalize/rules_sha256")), str_of(hex, SHA256_HEX)));
	CHECK(val_text_is(val_at(v, STR("/normalize/profile")), STR(CASSETTE_PROFILE)));
	CHECK(val_is(val_get(v, STR("redacted")), JSON_FALSE));
	CHECK(val_is(val_get(v, STR("local_only")), JSON_TRUE));
	buf_free(&b);
}

TEST(headers_are_kept_by_the_list)
{
	CHECK(cassette_keeps_header(STR("X-RateLimit-Limit-Requests")));
	CHECK(cassette_keeps_header(STR("content-type")));
	CHECK(!cassette_keeps_header(STR("content-typ")));
	CHECK(!cassette_keeps_header(STR("x-ratelimit-")) == false);
	CHECK(!cassette_keeps_header(STR("authorization")));
	CHECK(!cassette_keeps_header(STR("")));
}

/* What is written is what `convert` reads. */
TEST(a_cassette_becomes_a_log)
{
	static const struct observer_arrival arrivals[] = { { 30, BEGUN + 200000000 },
							    { 500, BEGUN + 300000000 } };
	struct http_head head = { .method = STR("POST"), .status = 200 };
	struct cassette_exchange x = {
		.request = &head, .answer = &head, .target = STR("/v1/chat/completions"), .arrivals = arrivals, .arrival_count = 2,
		.request_body = STR("{\"model\":\"m\",\"stream\":true,\"messages\":[{\"role\":\"user\",\"content\":\"q\"}]}"),
		.answer_body = STR("data: {\"id\":\"c\",\"object\":\"chat.completion.chunk\",\"choices\":[{\"index\":0,\"delta\":{\"content\":\""
			"Hi\"},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n"),
		.begun_ns = BEGUN, .ended_ns = BEGUN + 500000000, .provider = STR("openai"), .endpoint = STR("https://e.example/v1/chat/completions"),
	};
	struct output_tally wrote = { .size = 3 };
	struct cassette_end end = { .exit_status = "error", .error = STR("child exited 3"),
				    .ended_ns = BEGUN + 600000000, .code = 3, .output = &wrote };
	struct str out, first;
	struct arena a;
	struct buf b;

	arena_init(&a);
	buf_init(&b);
	cassette_add_head(&b, STR("019f1d34-8500-7000-8000-000000000001"), BEGUN, (struct str){ NULL, 0 });
	cassette_add(&b, &x);
	out = convert_text(&a, NULL, buf_str(&b), "otutl");
	if (convert_errors(&a, "otutl", out, &first))
		FAIL("%.*s", STR_ARG(first));
	CHECK_STR(convert_get(&a, convert_record(out, "model_step", 0), "/text"), STR("Hi"));
	CHECK_STR(convert_get(&a, convert_record(out, "model_step", 0), "/ttft_ms"), STR("300"));
	CHECK_INT(convert_errors(&a, "trajectory", convert_text(&a, NULL, buf_str(&b), "trajectory"), NULL), 0);
	CHECK_STR(convert_get(&a, convert_record(out, "run_end", 0), "/status"), STR("interrupted")); /* so far */
	cassette_add_end(&b, &end);
	out = convert_text(&a, NULL, buf_str(&b), "otutl");
	CHECK_STR(convert_get(&a, convert_record(out, "run_end", 0), "/status"), STR("error"));
	CHECK_STR(convert_get(&a, convert_record(out, "run_end", 0), "/reason"), STR("child exited 3"));
	CHECK(str_ends(buf_str(&b),
		       STR(",\"exit_code\":3,\"stdout\":{\"sha256\":\"0000000000000000000000000000000000000000000000000000000000000000\","
					"\"size\":3,\"terminal\":false}}\n")));
	CHECK(!str_has(convert_record(out, "run_end", 0), STR("exit_code"))); /* for replay only */
	end = (struct cassette_end){ .exit_status = "interrupted", .code = -1 };
	cassette_add_end(&b, &end);
	CHECK(str_ends(buf_str(&b), STR(",\"exit_code\":null,\"stdout\":null}\n")));
	buf_free(&b);
	arena_free(&a);
}
