/* The pool, who is asked where. */
#include "unit/provider/ask_stage.h"

TEST(every_status_has_a_name)
{
	for (int i = 0; i < PROVIDER_STATUSES; i++)
		CHECK(provider_status_name((enum provider_status)i) != NULL);
	CHECK_STR(str_from(provider_status_name(PROVIDER_UNAVAILABLE)), STR("skipped_unavailable"));
}

static struct provider_client *try_open(struct stage *s, const struct provider *row, const char *base, struct err *err)
{
	struct provider_options o = { .base = base ? str_from(base) : str_of(NULL, 0) };

	*err = (struct err){ .kind = ERR_NONE };
	return provider_open(s->pool, row, &o, err);
}

TEST(an_address_is_given_or_of_the_environment_or_usual)
{
	struct stage *s = stage_open();
	struct err err;

	unsetenv("OLLAMA_OPENAI_BASE");
	CHECK_STR(provider_address(try_open(s, &provider_ollama_openai, NULL, &err)), STR("http://localhost:11434/v1"));
	setenv("OLLAMA_OPENAI_BASE", "http://gpu:8000/v1", 1);
	CHECK_STR(provider_address(try_open(s, &provider_ollama_openai, NULL, &err)), STR("http://gpu:8000/v1"));
	CHECK_STR(provider_address(try_open(s, &provider_ollama_openai, "http://other/v1", &err)), STR("http://other/v1"));
	setenv("OLLAMA_OPENAI_BASE", "", 1);
	CHECK_STR(provider_address(try_open(s, &provider_ollama_openai, NULL, &err)), STR("http://localhost:11434/v1"));
	unsetenv("OPENAI_BASE_URL");
	CHECK_STR(provider_address(try_open(s, &provider_openai_responses, NULL, &err)), STR("https://api.openai.com/v1"));
	stage_close(s);
}

TEST(a_service_without_a_usual_address_needs_one)
{
	static const char *const cases[][2] = {
		{ "https://r.openai.azure.com/", "https://r.openai.azure.com/openai/v1" },
		{ "https://r.openai.azure.com/openai/", "https://r.openai.azure.com/openai/v1" },
		{ "https://r.openai.azure.com/openai/v1", "https://r.openai.azure.com/openai/v1" },
		{ "http://127.0.0.1:8080/v1/", "http://127.0.0.1:8080/v1" },
	};
	struct provider_options o = { .base = { NULL, 0 } };
	struct err err = { .kind = ERR_NONE };
	struct arena a;
	struct str where;

	arena_init(&a);
	unsetenv("AZURE_OPENAI_ENDPOINT");
	CHECK_STR(str_from(provider_lacks_address(&provider_azure, &o)), STR("AZURE_OPENAI_ENDPOINT"));
	CHECK(provider_where(&a, &provider_azure, &o, &where, &err)); /* a plan needs none */
	CHECK_STR(where, STR(""));
	CHECK(!provider_lacks_address(&provider_gemini, &o) && !provider_lacks_address(&provider_mock, &o));
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		test_case("%s", cases[i][0]);
		setenv("AZURE_OPENAI_ENDPOINT", cases[i][0], 1);
		CHECK(!provider_lacks_address(&provider_azure, &o));
		CHECK(provider_where(&a, &provider_azure, &o, &where, &err));
		CHECK_STR(where, str_from(cases[i][1]));
	}
	arena_free(&a);
}

TEST(what_is_no_address_is_an_error_of_usage)
{
	struct stage *s = stage_open();
	struct err err;

	CHECK(try_open(s, &provider_ollama_openai, "gpu:8000", &err) == NULL);
	CHECK_INT(err.kind, ERR_USAGE);
	CHECK(try_open(s, &provider_ollama_openai, "ftp://x", &err) == NULL);
	CHECK_INT(err.kind, ERR_USAGE);
	stage_close(s);
}

TEST(a_key_or_header_with_a_line_end_is_refused_without_being_shown)
{
	struct stage *s = stage_open();
	struct err err = { .kind = ERR_NONE };
	struct http_header bad[] = { { STR("X-A"), STR("b\r\nX-C: d") }, { STR("X A"), STR("b") } };
	struct provider_options o = { .key = STR("sk-abc\r\nX-Evil: 1") };

	CHECK(provider_open(s->pool, &provider_openai_responses, &o, &err) == NULL);
	CHECK_INT(err.kind, ERR_USAGE);
	CHECK(strstr(err.text, "sk-abc") == NULL);
	for (size_t i = 0; i < 2; i++) {
		o = (struct provider_options){ .headers = &bad[i], .header_count = 1 };
		err = (struct err){ .kind = ERR_NONE };
		CHECK(provider_open(s->pool, &provider_ollama_openai, &o, &err) == NULL);
		CHECK_INT(err.kind, ERR_USAGE);
	}
	stage_close(s);
}

TEST(keys_come_from_the_environment_and_lose_their_line_end)
{
	struct stage *s = stage_bytes(STR("HTTP/1.1 401 No\r\nConnection: close\r\n\r\n"), 0);

	setenv("ANTHROPIC_API_KEY", "from-env\n", 1);
	stage_one(s, &provider_anthropic_messages, str_of(NULL, 0));
	CHECK(str_find(buf_str(&s->bytes.got), STR("\r\nx-api-key: from-env\r\n")) != (size_t)-1);
	stage_one(s, &provider_anthropic_messages, STR("given\r\n"));
	CHECK(str_find(buf_str(&s->bytes.got), STR("\r\nx-api-key: given\r\n")) != (size_t)-1);
	stage_close(s);
}

TEST(the_built_in_server_answers_without_any_address)
{
	struct stage *s = stage_open();
	struct err err;
	struct provider_question q = { .model = STR("m"), .prompt = STR("echo this"), .temperature = -1 };
	struct provider_client *c = try_open(s, &provider_mock, NULL, &err);
	struct kept *k;

	CHECK(c != NULL);
	CHECK(str_starts(provider_address(c), STR("http://127.0.0.1:")));
	k = stage_ask(s, c, &q);
	stage_run(s);
	CHECK_INT(k->a.status, PROVIDER_OK);
	CHECK_STR(k->a.text, STR("echo this"));
	stage_close(s);
}

TEST(a_built_in_server_follows_the_script_of_its_client)
{
	struct stage *s = stage_open();
	struct err err = { .kind = ERR_NONE };
	struct provider_options o = { .script = &s->script };
	struct provider_question q = { .model = STR("m"), .prompt = STR("echo this"), .temperature = -1 };
	struct kept *k;

	CHECK(mock_script_parse(&s->arena, STR("{\"schema\":\"trackway.mock/1\",\"rules\":[{\"reply\":{\"text\":\"as told\"}}]}"),
				STR("s"), &s->script, &err));
	k = stage_ask(s, provider_open(s->pool, &provider_mock, &o, &err), &q);
	stage_run(s);
	CHECK_STR(k->a.text, STR("as told"));
	stage_close(s);
}

TEST(a_pool_without_clients_closes)
{
	struct stage *s = stage_open();

	provider_pool_close(s->pool);
	stage_close(s); /* closing twice is one */
	provider_pool_free(NULL);
}

TEST(an_endpoint_is_the_address_with_the_path_of_its_api)
{
	static const struct {
		const char *provider, *address, *endpoint;
	} cases[] = {
		{ "ollama_openai", "http://127.0.0.1:1/v1", "http://127.0.0.1:1/v1/chat/completions" },
		{ "ollama_openai", "http://127.0.0.1:1/v1/", "http://127.0.0.1:1/v1/chat/completions" },
		{ "openai_responses", "https://api.openai.com/v1?a=b", "https://api.openai.com/v1/responses" },
		{ "anthropic_messages", "https://h/v1", "https://h/v1/messages" },
		{ "anthropic_messages", "https://h", "https://h/v1/messages" },
		{ "ollama_native", "http://h:11434", "http://h:11434/api/chat" },
		{ "claude_code_cli", "/opt/bin/claude", "claude" },
		{ "mock", "builtin", "builtin" },
	};
	struct arena a;

	arena_init(&a);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		CHECK_STR(provider_endpoint(&a, provider_find(str_from(cases[i].provider)), str_from(cases[i].address)),
			  str_from(cases[i].endpoint));
	arena_free(&a);
}

TEST(a_key_that_is_nowhere_is_told_before_anything_is_asked)
{
	const struct provider *p = provider_find(STR("openai_responses"));
	struct provider_options o = { .key = { NULL, 0 } };

	unsetenv("OPENAI_API_KEY");
	CHECK_STR(str_from(provider_lacks_key(p, &o)), STR("OPENAI_API_KEY"));
	setenv("OPENAI_API_KEY", "  ", 1);
	CHECK(provider_lacks_key(p, &o));
	o.key = STR("k");
	CHECK(!provider_lacks_key(p, &o));
	o.key = str_of(NULL, 0);
	setenv("OPENAI_API_KEY", "k", 1);
	CHECK(!provider_lacks_key(p, &o));
	CHECK(!provider_lacks_key(provider_find(STR("ollama_openai")), &o));
}
