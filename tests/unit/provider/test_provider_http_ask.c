/* What is sent, to whom, and with which headers. */
#include <stdio.h>

#include "unit/provider/ask_stage.h"

#define NO_KEY ((struct str){ NULL, 0 })
#define DONE                                                                                                           \
	"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n"                              \
	"data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"a\"},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n"

static bool has(struct str text, const char *part)
{
	return str_find(text, str_from(part)) != (size_t)-1;
}

static struct str body_of(struct str request)
{
	size_t end = str_find(request, STR("\r\n\r\n"));

	CHECK(end != (size_t)-1);
	return str_of(request.p + end + 4, request.n - end - 4);
}

/* The request as the server got it. */
static struct str sent_by(struct stage *s, const struct provider *row, const char *path, const struct provider_question *q)
{
	stage_ask(s, stage_client(s, row, path, STR("k3y")), q);
	stage_run(s);
	return buf_str(&s->bytes.got);
}

TEST(a_question_to_chat_completions_is_what_the_manual_says)
{
	struct stage *s = stage_bytes(STR(DONE), 0);
	struct provider_question q = { .model = STR("llama3:8b"), .prompt = STR("say \"hi\"\n"), .temperature = -1 };
	struct str got = sent_by(s, &provider_ollama_openai, "/v1/", &q);

	CHECK(str_starts(got, STR("POST /v1/chat/completions HTTP/1.1\r\nHost: 127.0.0.1:")));
	CHECK(has(got, "\r\nContent-Type: application/json\r\n"));
	CHECK(has(got, "\r\nAccept-Encoding: identity\r\n"));
	CHECK(has(got, "\r\nAuthorization: Bearer k3y\r\n"));
	CHECK_STR(body_of(got), STR("{\"model\":\"llama3:8b\",\"messages\":[{\"role\":\"system\",\"content\":\"You are a helpful assistant. "
		"Follow instructions exactly.\"},{\"role\":\"user\",\"content\":\"say \\\"hi\\\"\\n\"}],\"temperature\":0,\"stream\":true,"
		"\"stream_options\":{\"include_usage\":true}}"));
	stage_close(s);
}

TEST(everything_that_can_be_asked_for_is_sent)
{
	struct stage *s = stage_bytes(STR(DONE), 0);
	struct provider_question q = {
		.model = STR("m"), .prompt = STR("p"), .system = STR("be brief"), .thinking = STR("high"),
		.temperature = 0.5, .max_tokens = 77, .whole = true,
	};

	CHECK_STR(body_of(sent_by(s, &provider_ollama_openai, "/v1", &q)),
		  STR("{\"model\":\"m\",\"messages\":[{\"role\":\"system\",\"content\":\"be brief\"},{\"role\":\"user\",\"content\":\"p\"}],"
		      "\"temperature\":0.5,\"max_tokens\":77,\"reasoning_effort\":\"high\",\"stream\":false}"));
	CHECK_STR(body_of(sent_by(s, &provider_openai_responses, "/v1", &q)),
		  STR("{\"model\":\"m\",\"instructions\":\"be brief\",\"input\":\"p\",\"temperature\":0.5,\"max_output_tokens\":77,"
		      "\"reasoning\":{\"effort\":\"high\"},\"stream\":false}"));
	CHECK_STR(body_of(sent_by(s, &provider_ollama_native, "", &q)),
		  STR("{\"model\":\"m\",\"messages\":[{\"role\":\"system\",\"content\":\"be brief\"},{\"role\":\"user\",\"content\":\"p\"}],"
		      "\"think\":\"high\",\"options\":{\"temperature\":0.5,\"num_predict\":77},\"stream\":false}"));
	CHECK_STR(body_of(sent_by(s, &provider_anthropic_messages, "", &q)),
		  STR("{\"model\":\"m\",\"max_tokens\":16461,\"system\":\"be brief\",\"messages\":[{\"role\":\"user\",\"content\":\"p\"}],"
		      "\"thinking\":{\"type\":\"enabled\",\"budget_tokens\":16384},\"stream\":false}"));
	stage_close(s);
}

TEST(a_base_that_ends_as_the_path_begins_is_not_doubled)
{
	struct stage *s = stage_bytes(STR(DONE), 0);
	struct provider_question q = { .model = STR("m"), .prompt = STR("p"), .temperature = -1 };

	CHECK(str_starts(sent_by(s, &provider_anthropic_messages, "", &q), STR("POST /v1/messages HTTP/1.1\r\n")));
	CHECK(str_starts(sent_by(s, &provider_anthropic_messages, "/v1", &q), STR("POST /v1/messages HTTP/1.1\r\n")));
	CHECK(str_starts(sent_by(s, &provider_anthropic_messages, "/up/v1/", &q), STR("POST /up/v1/messages HTTP/1.1\r\n")));
	CHECK(str_starts(sent_by(s, &provider_anthropic_messages, "/x?key=1", &q), STR("POST /x/v1/messages?key=1 HTTP/1.1\r\n")));
	stage_close(s);
}

TEST(headers_of_the_options_and_the_user_of_an_address_are_sent)
{
	struct stage *s = stage_bytes(STR(DONE), 0);
	struct provider_question q = { .model = STR("m"), .prompt = STR("p"), .temperature = -1 };
	struct http_header team = { STR("X-Team"), STR("research") };
	struct provider_options o = { .headers = &team, .header_count = 1 };
	struct err err = { .kind = ERR_NONE };
	struct provider_client *c;

	unsetenv("OPENAI_COMPATIBLE_API_KEY");
	o.base = arena_printf(&s->arena, "http://me:pass@127.0.0.1:%u/v1", (unsigned)s->port);
	c = provider_open(s->pool, &provider_ollama_openai, &o, &err);
	CHECK(c != NULL);
	CHECK(!has(provider_address(c), "pass"));
	CHECK_STR(provider_address(c), arena_printf(&s->arena, "http://127.0.0.1:%u/v1", (unsigned)s->port));
	stage_ask(s, c, &q);
	stage_run(s);
	CHECK(has(buf_str(&s->bytes.got), "\r\nX-Team: research\r\n"));
	CHECK(has(buf_str(&s->bytes.got), "\r\nAuthorization: Basic bWU6cGFzcw==\r\n"));
	stage_close(s);
}

TEST(connections_are_used_again)
{
	struct stage *s = stage_mock(NULL);
	struct provider_question q = { .model = STR("m"), .prompt = STR("some words"), .temperature = -1 };
	struct provider_client *c = stage_client(s, &provider_ollama_openai, "/v1", NO_KEY);
	uint64_t first;
	struct kept *k;

	k = stage_ask(s, c, &q);
	stage_run(s);
	first = k->a.sent_ns;
	for (int i = 0; i < 20; i++) {
		k = stage_ask(s, c, &q);
		stage_run(s);
		CHECK_INT(k->a.status, PROVIDER_OK);
		CHECK(k->a.sent_ns > first);
		CHECK_STR(k->a.text, STR("some words"));
	}
	stage_close(s);
}

static void ask_again(void *own, const struct provider_answer *a)
{
	struct kept *k = own;

	CHECK_STR(a->text, STR("some words"));
	if (++k->a.events < 5) {
		struct provider_question q = { .model = STR("m"), .prompt = STR("some words"), .temperature = -1 };

		provider_ask((struct provider_client *)(uintptr_t)k->a.late_ns, &q, ask_again, k);
	} else {
		k->stage->open = 0;
		uv_stop(&k->stage->loop);
	}
}

TEST(whoever_is_answered_may_ask_again_at_once)
{
	struct stage *s = stage_mock(NULL);
	struct provider_question q = { .model = STR("m"), .prompt = STR("some words"), .temperature = -1 };
	struct provider_client *c = stage_client(s, &provider_ollama_openai, "/v1", NO_KEY);
	struct kept k = { .stage = s };

	k.a.late_ns = (uintptr_t)c;
	s->open = 1;
	provider_ask(c, &q, ask_again, &k);
	stage_run(s);
	CHECK_INT(k.a.events, 5);
	stage_close(s);
}

TEST(late_is_how_long_the_loop_let_bytes_lie_and_is_not_in_the_times)
{
	static const char events[] =
		"data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"a\"},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n";
	char answer[300];
	int n = snprintf(answer, sizeof(answer), "HTTP/1.1 200 OK\r\nContent-Length: %zu\r\n\r\n%s", strlen(events), events);
	struct stage *s = stage_bytes(str_of(answer, (size_t)n), 0);
	struct provider_question q = { .model = STR("m"), .prompt = STR("p"), .temperature = -1 };
	struct kept *k = NULL;

	s->bytes.stays_open = true; /* its end would be stamped, too */
	stage_ask(s, stage_client(s, &provider_ollama_openai, "/v1", NO_KEY), &q);
	stage_run(s);
	s->bytes.nap_ms = 40;
	for (int i = 0; i < 100 && (!k || k->a.late_ns == 0); i++) {
		uv_sleep(20); /* the kernel begins to stamp soon after it is asked to, not at once */
		k = stage_ask(s, stage_client(s, &provider_ollama_openai, "/v1", NO_KEY), &q);
		stage_run(s);
	}
	CHECK_INT(k->a.status, PROVIDER_OK);
	CHECK(k->a.late_ns >= 35000000);
	CHECK(k->at_ns - k->a.token_ns >= 35000000); /* they came before the nap */
	CHECK(k->a.token_ns >= k->a.sent_ns);
	stage_close(s);
}
