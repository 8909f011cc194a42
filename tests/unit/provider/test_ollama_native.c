/* Where Ollama is, as OLLAMA_HOST says it. */
#include "unit/provider/ask_stage.h"

TEST(ollama_host_may_be_a_host_a_port_or_an_address)
{
	static const struct {
		const char *given, *address;
	} cases[] = {
		{ "gpu", "http://gpu:11434" },
		{ "gpu:8080", "http://gpu:8080" },
		{ ":8080", "http://localhost:8080" },
		{ "0.0.0.0", "http://127.0.0.1:11434" },
		{ "0.0.0.0:99", "http://127.0.0.1:99" },
		{ "[::1]", "http://[::1]:11434" },
		{ "[::1]:99", "http://[::1]:99" },
		{ "gpu/ollama", "http://gpu:11434/ollama" },
		{ "http://gpu", "http://gpu" },
		{ "https://gpu:99/x", "https://gpu:99/x" },
		{ " \"gpu:1\" ", "http://gpu:1" },
	};
	struct arena a;

	arena_init(&a);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct err err = { .kind = ERR_NONE };
		struct url url;

		test_case("%s", cases[i].given);
		if (!url_parse(&a, provider_ollama_native.base(&a, str_trim(str_from(cases[i].given))), &url, &err))
			FAIL("%s", err.text);
		CHECK_STR(url_format(&a, &url), str_from(cases[i].address));
	}
	arena_free(&a);
}

TEST(levels_that_ollama_does_not_know_are_its_highest)
{
	struct arena a;
	struct buf body;
	struct provider_question q = { .model = STR("m"), .prompt = STR("p"), .thinking = STR("xhigh"), .temperature = -1 };
	struct provider_request r = { .arena = &a, .body = &body };

	arena_init(&a);
	buf_init(&body);
	provider_ollama_native.request(&q, str_of(NULL, 0), &r);
	CHECK_STR(provider_path(&provider_ollama_native), STR("/api/chat"));
	CHECK_INT(r.header_count, 0);
	CHECK(str_find(buf_str(&body), STR("\"think\":\"high\"")) != (size_t)-1);
	CHECK(str_find(buf_str(&body), STR("\"options\":{\"temperature\":0}")) != (size_t)-1);
	buf_free(&body);
	arena_free(&a);
}

/* What Ollama 0.6.8 sent, recorded from a small model with made-up weights: hence its words. */
TEST(recorded_answers_of_ollama_are_read_whatever_their_pieces)
{
	static const struct {
		const char *file, *type, *text;
		const struct provider *row;
	} cases[] = {
		{ "provider/recorded-ollama-chat.sse", "text/event-stream", "\x1c\x1cY/", &provider_ollama_openai },
		{ "provider/recorded-ollama-chat.json", "application/json", "\x1c\x1cY/", &provider_ollama_openai },
		{ "provider/recorded-ollama-native.ndjson", "application/x-ndjson", "\x1cQ\x1cY_\x1c", &provider_ollama_native },
		{ "provider/recorded-ollama-native.json", "application/json; charset=utf-8", "\x1cQ\x1cY_\x1c", &provider_ollama_native },
	};

	for (size_t i = 0; i < 2 * sizeof(cases) / sizeof(cases[0]); i++) {
		struct str body = test_data(cases[i / 2].file), bytes;
		struct arena a;
		struct stage *s;
		struct kept *k;

		test_case("%s in pieces of %zu", cases[i / 2].file, i % 2);
		arena_init(&a);
		bytes = ARENA_JOIN(&a, STR("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Type: "), str_from(cases[i / 2].type),
				   STR("\r\n\r\n"), body);
		s = stage_bytes(bytes, i % 2);
		k = stage_one(s, cases[i / 2].row, str_of(NULL, 0));
		CHECK_INT(k->a.status, PROVIDER_OK);
		CHECK_STR(k->a.text, str_from(cases[i / 2].text));
		CHECK_INT(k->a.usage.input.n, 59);
		CHECK_INT(k->a.usage.output.n, 6);
		CHECK_STR(str_from(k->a.stop_reason), STR("length"));
		CHECK_STR(k->a.model, STR("tiny"));
		stage_close(s);
		arena_free(&a);
	}
}
