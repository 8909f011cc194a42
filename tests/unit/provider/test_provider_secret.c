/* Services that say again what they were sent. */
#include "provider/provider_secret.h"

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
