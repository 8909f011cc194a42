#include "unit/provider/row_sample.h"

TEST(a_key_is_sent_only_where_there_is_one)
{
	struct provider_question q = { .model = STR("m"), .prompt = STR("p"), .temperature = -1 };
	struct made *m = made_by(&provider_ollama_openai, &q, str_of(NULL, 0));

	CHECK_INT(m->r.header_count, 0);
	CHECK(provider_ollama_openai.key_missing == NULL);
	made_free(m);
	m = made_by(&provider_ollama_openai, &q, STR("abc"));
	CHECK_INT(m->r.header_count, 1);
	CHECK_STR(m->r.headers[0].value, STR("Bearer abc"));
	CHECK(str_find(buf_str(&m->body), STR("abc")) == (size_t)-1);
	made_free(m);
}

TEST(a_stream_is_asked_to_tell_its_usage)
{
	struct provider_question q = { .model = STR("m"), .prompt = STR("p"), .temperature = 0.25, .max_tokens = 9 };
	struct made *m = made_by(&provider_ollama_openai, &q, str_of(NULL, 0));

	CHECK_STR(provider_path(&provider_ollama_openai), STR("/chat/completions"));
	CHECK(made_has(m, "\"stream\":true,\"stream_options\":{\"include_usage\":true}"));
	CHECK(made_has(m, "\"temperature\":0.25,\"max_tokens\":9"));
	CHECK(!made_has(m, "reasoning_effort"));
	made_free(m);
}
