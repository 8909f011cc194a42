#include "provider/mock_request.h"

#include "harness/test.h"

struct asked {
	struct arena arena;
	struct json_parser *parser;
	struct mock_request q;
	struct mock_refusal why;
};

static struct asked *ask(const char *method, const char *target, const char *body, const char *header)
{
	struct asked *x = test_alloc(sizeof(*x));
	struct http_header h = { .name = str_from(header), .value = STR("1") };
	struct http_head head = { .method = str_from(method), .target = str_from(target), .headers = &h, .count = header ? 1 : 0 };

	arena_init(&x->arena);
	x->parser = json_parser_open((struct json_options){ .allow_duplicates = true, .allow_lone = true });
	mock_request_begin(&x->q, &head, &x->why);
	mock_request_read(&x->q, &x->arena, x->parser, str_from(body), &x->why);
	return x;
}

static void done(struct asked *x)
{
	json_parser_close(x->parser);
	arena_free(&x->arena);
}

#define CHAT "{\"model\":\"m\",\"messages\":[{\"role\":\"user\",\"content\":\"hi\"}]}"

#define GEMINI "{\"contents\":[{\"role\":\"user\",\"parts\":[{\"text\":\"hi\"}]}]}"

TEST(a_path_is_known_by_its_end_and_its_version)
{
	static const struct {
		const char *method, *target, *body, *header;
		enum mock_endpoint endpoint;
		enum mock_provider provider;
		int status;
	} cases[] = {
		{ "POST", "/v1/chat/completions", CHAT, NULL, MOCK_CHAT, MOCK_OPENAI, 0 },
		{ "POST", "/api/paas/v4/chat/completions", CHAT, NULL, MOCK_CHAT, MOCK_OPENAI, 0 },
		{ "POST", "/v1beta/openai/chat/completions", CHAT, NULL, MOCK_CHAT, MOCK_OPENAI, 0 },
		{ "POST", "/openai/deployments/d/chat/completions?x=1&api-version=1", CHAT, NULL, MOCK_CHAT, MOCK_OPENAI, 0 },
		{ "POST", "/chat/completions", CHAT, NULL, MOCK_NOWHERE, MOCK_OPENAI, 404 },
		{ "POST", "/vendor/chat/completions", CHAT, NULL, MOCK_NOWHERE, MOCK_OPENAI, 404 },
		{ "POST", "/responses", "{\"input\":\"hi\"}", NULL, MOCK_NOWHERE, MOCK_OPENAI, 404 },
		{ "POST", "/messages", CHAT, NULL, MOCK_NOWHERE, MOCK_ANTHROPIC, 404 },
		{ "POST", "/messages/count_tokens", CHAT, NULL, MOCK_NOWHERE, MOCK_ANTHROPIC, 404 },
		{ "GET", "/models", "", NULL, MOCK_NOWHERE, MOCK_OPENAI, 404 },
		{ "GET", "/models", "", "Anthropic-Version", MOCK_NOWHERE, MOCK_ANTHROPIC, 404 },
		{ "POST", "/v1/responses", "{\"input\":\"hi\"}", NULL, MOCK_RESPONSES, MOCK_OPENAI, 0 },
		{ "POST", "/v1/messages", CHAT, NULL, MOCK_MESSAGES, MOCK_ANTHROPIC, 0 },
		{ "POST", "/v1/messages/count_tokens", CHAT, NULL, MOCK_COUNT_TOKENS, MOCK_ANTHROPIC, 0 },
		{ "POST", "/api/chat", CHAT, NULL, MOCK_OLLAMA_CHAT, MOCK_OLLAMA, 0 },
		{ "POST", "/api/generate", "{\"prompt\":\"hi\"}", NULL, MOCK_OLLAMA_GENERATE, MOCK_OLLAMA, 0 },
		{ "POST", "/api/embed", "{\"input\":\"hi\"}", NULL, MOCK_OLLAMA_EMBED, MOCK_OLLAMA, 0 },
		{ "POST", "/api/embeddings", "{\"prompt\":\"hi\"}", NULL, MOCK_OLLAMA_EMBED_ONE, MOCK_OLLAMA, 0 },
		{ "POST", "/v1/embeddings", "{\"input\":\"hi\"}", NULL, MOCK_EMBEDDINGS, MOCK_OPENAI, 0 },
		{ "GET", "/v1/models", "", NULL, MOCK_MODELS, MOCK_OPENAI, 0 },
		{ "GET", "/v1/models", "", "Anthropic-Version", MOCK_MODELS, MOCK_ANTHROPIC, 0 },
		{ "GET", "/v1/models/gpt/x", "", NULL, MOCK_MODEL, MOCK_OPENAI, 0 },
		{ "GET", "/api/tags", "", NULL, MOCK_TAGS, MOCK_OLLAMA, 0 },
		{ "GET", "/api/version", "", NULL, MOCK_VERSION, MOCK_OLLAMA, 0 },
		{ "GET", "/v1/chat/completions", "", NULL, MOCK_CHAT, MOCK_OPENAI, 405 },
		{ "POST", "/v1/models", "", NULL, MOCK_MODELS, MOCK_OPENAI, 405 },
		{ "POST", "/v1beta/models/g:generateContent?key=k", GEMINI, NULL, MOCK_GENERATE, MOCK_GEMINI, 0 },
		{ "POST", "/v1/models/g:streamGenerateContent?alt=sse", GEMINI, NULL, MOCK_GENERATE, MOCK_GEMINI, 0 },
		{ "POST", "/v1/projects/p/locations/l/publishers/google/models/g:generateContent", GEMINI, NULL, MOCK_GENERATE, MOCK_GEMINI, 0 },
		{ "POST", "/v1beta/models/g:countTokens", GEMINI, NULL, MOCK_COUNT_TOKENS, MOCK_GEMINI, 0 },
		{ "POST", "/models/g:generateContent", GEMINI, NULL, MOCK_NOWHERE, MOCK_GEMINI, 404 },
		{ "POST", "/v1beta/models/:generateContent", GEMINI, NULL, MOCK_NOWHERE, MOCK_GEMINI, 404 },
		{ "POST", "/v1beta/g:generateContent", GEMINI, NULL, MOCK_NOWHERE, MOCK_GEMINI, 404 },
		{ "POST", "/v1beta/models/g:generateContent", CHAT, NULL, MOCK_GENERATE, MOCK_GEMINI, 400 },
		{ "POST", "/v1beta/models/g:generateContent", "{\"contents\":[1]}", NULL, MOCK_GENERATE, MOCK_GEMINI, 400 },
		{ "GET", "/v1beta/models/g:generateContent", "", NULL, MOCK_GENERATE, MOCK_GEMINI, 405 },
		{ "POST", "/v1beta/models/g:tuneModel", GEMINI, NULL, MOCK_NOWHERE, MOCK_GEMINI, 404 },
		{ "GET", "/v1beta/models", "", NULL, MOCK_MODELS, MOCK_GEMINI, 0 },
		{ "GET", "/v1/models?key=k", "", NULL, MOCK_MODELS, MOCK_GEMINI, 0 },
		{ "GET", "/v1/models?monkey=k", "", NULL, MOCK_MODELS, MOCK_OPENAI, 0 },
		{ "POST", "/v2/chat", CHAT, NULL, MOCK_COHERE_CHAT, MOCK_COHERE, 0 },
		{ "POST", "/chat", CHAT, NULL, MOCK_NOWHERE, MOCK_OPENAI, 404 },
		{ "HEAD", "/", "", NULL, MOCK_HELLO, MOCK_OLLAMA, 0 },
		{ "GET", "/v1/models/", "", NULL, MOCK_NOWHERE, MOCK_OPENAI, 404 },
		{ "POST", "/v1/nothing", CHAT, NULL, MOCK_NOWHERE, MOCK_OPENAI, 404 },
		{ "POST", "/v1/nothing", CHAT, "anthropic-version", MOCK_NOWHERE, MOCK_ANTHROPIC, 404 },
		{ "POST", "/api/nothing", CHAT, NULL, MOCK_NOWHERE, MOCK_OLLAMA, 404 },
		{ "OPTIONS", "*", "", NULL, MOCK_NOWHERE, MOCK_OPENAI, 404 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct asked *x = ask(cases[i].method, cases[i].target, cases[i].body, cases[i].header);

		test_case("%s %s", cases[i].method, cases[i].target);
		CHECK_INT(x->q.endpoint, cases[i].endpoint);
		CHECK_INT(x->q.provider, cases[i].provider);
		CHECK_INT(x->why.status, cases[i].status);
		CHECK_INT(x->why.allow != NULL, cases[i].status == 405);
		CHECK(memchr(x->q.path.p, '?', x->q.path.n) == NULL);
		done(x);
	}
}

TEST(the_newest_text_of_a_user_or_tool_is_found)
{
	static const struct {
		const char *target, *body, *last;
		size_t texts;
	} cases[] = {
		{ "/v1/chat/completions", CHAT, "hi", 1 },
		{ "/v1/chat/completions",
		  "{\"messages\":[{\"role\":\"system\",\"content\":\"s\"},{\"role\":\"user\",\"content\":\"u\"},"
		  "{\"role\":\"assistant\",\"content\":\"a\"}]}",
		  "u", 3 },
		{ "/v1/chat/completions",
		  "{\"messages\":[{\"role\":\"user\",\"content\":\"u\"},{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[]},"
		  "{\"role\":\"tool\",\"content\":\"22 degrees\"}]}",
		  "22 degrees", 2 },
		{ "/v1/chat/completions",
		  "{\"messages\":[{\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":\"one\"},{\"type\":\"image_url\"},"
		  "{\"type\":\"text\",\"text\":\"two\"}]}]}",
		  "one\ntwo", 2 },
		{ "/v1/messages",
		  "{\"system\":[{\"type\":\"text\",\"text\":\"s\"}],\"messages\":[{\"role\":\"user\",\"content\":["
		  "{\"type\":\"tool_result\",\"content\":\"r1\"},{\"type\":\"tool_result\",\"content\":[{\"type\":\"text\","
		  "\"text\":\"r2\"}]}]}]}",
		  "r1\nr2", 3 },
		{ "/v1/responses", "{\"instructions\":\"i\",\"input\":\"just text\"}", "just text", 2 },
		{ "/v1/responses",
		  "{\"input\":[{\"role\":\"user\",\"content\":[{\"type\":\"input_text\",\"text\":\"q\"}]},{\"type\":\"function_call\","
		  "\"arguments\":\"{}\"},{\"type\":\"function_call_output\",\"output\":\"result\"}]}",
		  "result", 2 },
		{ "/v1/responses", "{\"input\":[{\"type\":\"x_output\",\"output\":[{\"type\":\"input_text\",\"text\":\"a\"}]}]}", "a", 1 },
		{ "/api/chat", "{\"messages\":[{\"role\":\"user\",\"content\":\"o\"}]}", "o", 1 },
		{ "/api/chat", "{\"messages\":[]}", "", 0 },
		{ "/api/generate", "{\"system\":\"s\",\"prompt\":\"p\"}", "p", 2 },
		{ "/v1beta/models/g:generateContent", GEMINI, "hi", 1 },
		{ "/v1beta/models/g:generateContent",
		  "{\"systemInstruction\":{\"parts\":[{\"text\":\"s\"}]},\"contents\":[{\"parts\":[{\"text\":\"q\"}]},{\"role\":\"model\",\"parts\":"
		  "[{\"functionCall\":{\"name\":\"f\"}}]},{\"role\":\"user\",\"parts\":["
		  "{\"functionResponse\":{\"name\":\"f\",\"response\":{\"a\":1}}}]}]}",
		  "{\"a\":1}", 3 },
		{ "/v1/embeddings", "{\"input\":[\"a\",\"b\"]}", "", 2 },
		{ "/v1/embeddings", "{\"input\":[1,2,3]}", "", 1 },
		{ "/v1/embeddings", "{\"input\":[[1,2],[3]]}", "", 2 },
		{ "/v1/chat/completions", "{\"messages\":[{\"role\":\"user\",\"content\":\"half \\ud800\"}]}", "half \xEF\xBF\xBD", 1 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct asked *x = ask("POST", cases[i].target, cases[i].body, NULL);

		test_case("%s", cases[i].body);
		CHECK_INT(x->why.status, 0);
		CHECK_STR(x->q.last, str_from(cases[i].last));
		CHECK_INT(x->q.text_count, cases[i].texts);
		done(x);
	}
}

TEST(many_texts_are_counted)
{
	struct buf b;
	struct asked *x;

	buf_init(&b);
	buf_add_str(&b, STR("{\"messages\":["));
	for (int i = 0; i < 100; i++)
		buf_printf(&b, "%s{\"role\":\"user\",\"content\":\"%03d\"}", i ? "," : "", i);
	buf_add_str(&b, STR("]}"));
	buf_add_byte(&b, '\0');
	x = ask("POST", "/v1/chat/completions", b.p, NULL);
	CHECK_INT(x->q.text_count, 100);
	CHECK_INT(x->q.text_bytes, 300);
	CHECK_STR(x->q.texts[17], STR("017"));
	CHECK_STR(x->q.last, STR("099"));
	done(x);
	buf_free(&b);
}

TEST(streaming_is_off_but_for_ollama)
{
	static const struct {
		const char *target, *body;
		bool stream, usage;
	} cases[] = {
		{ "/v1/chat/completions", CHAT, false, false },
		{ "/v1/chat/completions", "{\"stream\":true,\"messages\":[{}]}", true, false },
		{ "/v1/chat/completions", "{\"stream\":true,\"stream_options\":{\"include_usage\":true},\"messages\":[{}]}", true, true },
		{ "/v1/chat/completions", "{\"stream\":null,\"messages\":[{}]}", false, false },
		{ "/api/chat", CHAT, true, false },
		{ "/api/chat", "{\"stream\":false,\"messages\":[{}]}", false, false },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct asked *x = ask("POST", cases[i].target, cases[i].body, NULL);

		test_case("%s", cases[i].body);
		CHECK_INT(x->q.stream, cases[i].stream);
		CHECK_INT(x->q.include_usage, cases[i].usage);
		done(x);
	}
}

TEST(a_request_without_a_model_has_one)
{
	struct asked *x = ask("POST", "/v1/chat/completions", "{\"messages\":[{}]}", NULL);

	CHECK_STR(x->q.model, STR("mock"));
	CHECK(x->q.shape);
	done(x);
	x = ask("GET", "/v1/models", "", NULL);
	CHECK(!x->q.shape);
	done(x);
}

TEST(what_cannot_be_answered_is_refused)
{
	static const struct {
		const char *target, *body, *message;
	} cases[] = {
		{ "/v1/chat/completions", "", "the body is not JSON: the text is empty; expected a JSON value" },
		{ "/v1/chat/completions", "{\"messages\":", "the body is not JSON: expected a value after ':', found the end of the text" },
		{ "/v1/chat/completions", "[]", "the body must be a JSON object" },
		{ "/v1/chat/completions", "{}", "'messages' must be a list of messages" },
		{ "/v1/chat/completions", "{\"messages\":\"hi\"}", "'messages' must be a list of messages" },
		{ "/v1/chat/completions", "{\"messages\":[]}", "'messages' must have a message in it" },
		{ "/v1/chat/completions", "{\"messages\":[1]}", "every message must be an object" },
		{ "/v1/messages", "{\"messages\":[]}", "'messages' must have a message in it" },
		{ "/v1/responses", "{}", "'input' must be a text or a list of items" },
		{ "/v1/responses", "{\"input\":[]}", "'input' must be a text or a list of items" },
		{ "/v1/responses", "{\"input\":[\"x\"]}", "every item of 'input' must be an object" },
		{ "/api/chat", "{}", "'messages' must be a list of messages" },
		{ "/api/generate", "{}", "'prompt' must be a text" },
		{ "/v1/embeddings", "{}", "'input' must be a text or a list of texts" },
		{ "/v1/embeddings", "{\"input\":[]}", "'input' must be a text or a list of texts" },
		{ "/v1/embeddings", "{\"input\":[{}]}", "'input' must have nothing but texts or tokens in it" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct asked *x = ask("POST", cases[i].target, cases[i].body, NULL);

		test_case("%s %s", cases[i].target, cases[i].body);
		CHECK_INT(x->why.status, 400);
		CHECK_STR(x->why.message, str_from(cases[i].message));
		done(x);
	}
}
