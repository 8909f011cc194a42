/* Services that say again what they were sent. */
#include "provider/provider_secret.h"

#include "base/crypto/base64.h"
#include "unit/provider/ask_stage.h"

#define KEY "Zz9Secret-Secret-0123456789"
#define HEADER "hunter22-of-the-header"
#define SSE "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\nX-Request-Id: r-" KEY "\r\n\r\n"

/* What came of one question, asked with the key and a header, and by a user. */
static struct kept *ask_one(struct stage *s, const char *key)
{
	static const struct http_header headers[] = { { { "X-Team", 6 }, { "Token " HEADER, 6 + sizeof(HEADER) - 1 } } };
	struct provider_question q = { .model = STR("m"), .prompt = STR("p"), .temperature = -1 };
	struct provider_options o = { .key = str_from(key), .headers = headers, .header_count = 1 };
	struct err err = { .kind = ERR_NONE };
	struct provider_client *c;
	struct kept *k;

	o.base = arena_printf(&s->arena, "http://me:passwort@127.0.0.1:%u/v1", (unsigned)s->port);
	c = provider_open(s->pool, &provider_ollama_openai, &o, &err);
	CHECK(c != NULL);
	k = stage_ask(s, c, &q);
	stage_run(s);
	return k;
}

TEST(no_secret_comes_back_in_a_message)
{
	struct stage *s = stage_bytes(STR("HTTP/1.1 400 No\r\nConnection: close\r\n\r\n{\"error\":{\"message\":\"not " KEY ", not "
					  HEADER " and " HEADER ", not me:passwort, not passwort\"}}"), 0);
	struct kept *k = ask_one(s, KEY);

	CHECK_STR(k->a.message, STR("not ..., not ... and ..., not ..., not ..."));
	stage_close(s);
}

TEST(a_key_as_the_name_of_an_error_is_no_name)
{
	struct stage *s = stage_bytes(STR(SSE "data: {\"error\":{\"message\":\"bad " KEY "\",\"code\":\"" KEY "\"}}\n\n"), 0);
	struct kept *k = ask_one(s, KEY);

	CHECK_STR(str_from(k->a.failure), STR("stream_error"));
	CHECK_STR(k->a.message, STR("bad ..."));
	CHECK_STR(k->a.request_id, STR("r-..."));
	stage_close(s);
}

static void add_answer(struct buf *out, struct str text)
{
	buf_add_str(out, STR(SSE "data: {\"model\":\"m\",\"choices\":[{\"index\":0,\"delta\":{\"content\":\"<"));
	buf_add_str(out, text);
	buf_add_str(out, STR(">\"},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n"));
}

/* Whatever stands before and behind it, no more than a few bits of its ends are left. */
TEST(a_key_that_comes_back_in_base64_or_hexadecimal_is_hidden)
{
	static const char *const around[][2] = { { "", "" }, { "x", "" }, { "ab", "z" }, { "Bearer ", "yz" }, { "user:", "\xff\xfe" } };

	for (size_t i = 0; i < 3 * sizeof(around) / sizeof(around[0]); i++) {
		struct buf plain, text, answer;
		struct stage *s;
		struct kept *k;

		buf_init(&plain);
		buf_init(&text);
		buf_init(&answer);
		buf_printf(&plain, "%s%s%s", around[i / 3][0], KEY, around[i / 3][1]);
		if (i % 3 == 2)
			for (size_t b = 0; b < plain.n; b++)
				buf_printf(&text, "%02X", (unsigned)(unsigned char)plain.p[b]);
		else
			base64_add(&text, buf_str(&plain));
		for (size_t b = 0; i % 3 == 1 && b < text.n; b++)
			text.p[b] = (char)(text.p[b] == '+' ? '-' : text.p[b] == '/' ? '_' : text.p[b]);
		add_answer(&answer, buf_str(&text));
		s = stage_bytes(buf_str(&answer), 0);
		k = ask_one(s, KEY);
		test_case("%.*s", STR_ARG(buf_str(&text)));
		CHECK_INT(k->a.status, PROVIDER_OK);
		CHECK(str_find(k->a.text, STR("...")) != (size_t)-1);
		CHECK(k->a.text.n <= 2 * strlen(around[i / 3][0]) + 2 * strlen(around[i / 3][1]) + 9);
		stage_close(s);
		buf_free(&answer);
		buf_free(&text);
		buf_free(&plain);
	}
}

TEST(a_key_is_hidden_in_what_a_model_says)
{
	struct stage *s = stage_bytes(STR(SSE "data: {\"model\":\"m-" KEY "\",\"choices\":[{\"index\":0,\"delta\":{\"content\":\"a "
					  KEY KEY " b\",\"tool_calls\":[{\"index\":0,\"id\":\"c\",\"function\":{\"name\":\"n-" KEY
					  "\",\"arguments\":\"{\\\"k\\\":\\\"" HEADER "\\\"}\"}}]},\"finish_reason\":\"stop\"}]}\n\n"
					  "data: [DONE]\n\n"), 0);
	struct kept *k = ask_one(s, KEY);

	CHECK_INT(k->a.status, PROVIDER_OK);
	CHECK_STR(k->a.text, STR("a ...... b"));
	CHECK_STR(k->a.model, STR("m-..."));
	CHECK_INT(k->a.call_count, 1);
	CHECK_STR(k->a.calls[0].name, STR("n-..."));
	CHECK_STR(k->a.calls[0].arguments, STR("{\"k\":\"...\"}"));
	stage_close(s);
}

TEST(a_key_that_is_a_word_stays_a_word_of_the_model)
{
	struct stage *s = stage_bytes(STR(SSE "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"ask ollama\"},"
					  "\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n"), 0);
	struct kept *k = ask_one(s, "ollama");

	CHECK_STR(k->a.text, STR("ask ollama"));
	stage_close(s);
}
