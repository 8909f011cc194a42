#include "base/buf.h"
#include "capture/observe/client.h"
#include "harness/test.h"

struct named {
	const char *header, *value, *wants; /* wants: the JSON object */
};

static void check_clients(struct http_header *headers, size_t count, const char *wants)
{
	struct http_head h = { .side = HTTP_REQUEST, .headers = headers, .count = count };
	struct clients c = { .count = 0 };
	struct json_writer j;
	struct buf out;

	clients_read(&c, &h);
	buf_init(&out);
	json_write_init(&j, &out, JSON_COMPACT);
	clients_write(&j, &c);
	CHECK_STR(buf_str(&out), str_from(wants));
	buf_free(&out);
}

static void check_named(const struct named *cases, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct http_header header = { str_from(cases[i].header), str_from(cases[i].value) };

		test_case("%s", cases[i].value);
		check_clients(&header, 1, cases[i].wants);
	}
}

#define UA "User-Agent"

TEST(clients_are_named_by_the_table_and_have_the_version_that_they_say)
{
	static const struct named cases[] = {
		{ UA, "claude-cli/2.1.325 (external, sdk-cli)", "{\"claude_code\":\"2.1.325\"}" },
		{ UA, "codex_exec/0.166.0 (Debian 12.0.0; x86_64) xterm (codex_exec; 0.166.0)", "{\"codex\":\"0.166.0\"}" },
		{ UA, "GeminiCLI-tui/0.61.0/gemini-2.5-pro (linux; x64; terminal)", "{\"gemini-cli\":\"0.61.0\"}" },
		{ UA, "QwenCode/0.24.4 (linux; x64)", "{\"qwen-code\":\"0.24.4\"}" },
		{ UA, "opencode/1.18.33 ai-sdk/provider-utils/4.0.46 runtime/bun/1.3.14", "{\"opencode\":\"1.18.33\",\"ai-sdk\":\"4.0.46\"}" },
		{ UA, "ai-sdk/openai-compatible/3.0.37 ai-sdk/provider-utils/5.0.30 runtime/bun/1.3.13",
		  "{\"ai-sdk-openai-compatible\":\"3.0.37\",\"ai-sdk\":\"5.0.30\"}" },
		{ UA, "ai-sdk/openai/2.0.1", "{\"ai-sdk-openai\":\"2.0.1\"}" },
		{ UA, "ai/6.0.0-beta.3 ai-sdk/provider-utils/4.0.0", "{\"ai\":\"6.0.0-beta.3\",\"ai-sdk\":\"4.0.0\"}" },
		{ UA, "pydantic-ai/2.66.1", "{\"pydantic-ai\":\"2.66.1\"}" },
		{ UA, "agent-framework-python/1.23.0rc1 OpenAI/Python 3.49.0", "{\"agent-framework\":\"1.23.0rc1\",\"openai-python\":\"3.49.0\"}" },
		{ UA, "Agents/Python 0.24.0", "{\"openai-agents\":\"0.24.0\"}" },
		{ UA, "AsyncOpenAI/Python 2.20.0", "{\"openai-python\":\"2.20.0\"}" },
		{ UA, "OpenAI/JS 5.20.1", "{\"openai-js\":\"5.20.1\"}" },
		{ UA, "Anthropic/JS 0.128.0", "{\"anthropic-js\":\"0.128.0\"}" },
		{ UA, "Groq/Python 1.7.0", "{\"groq-python\":\"1.7.0\"}" },
		{ UA, "DSPy/3.4.0 litellm/1.106.2", "{\"dspy\":\"3.4.0\",\"litellm\":\"1.106.2\"}" },
		{ UA, "langchain-anthropic/1.7.2", "{\"langchain-anthropic\":\"1.7.2\"}" },
		{ UA, "langchainjs-openai/1.0.0", "{\"langchainjs-openai\":\"1.0.0\"}" },
		{ UA, "ollama-python/0.6.3 (x86_64 linux) Python/3.12.1", "{\"ollama-python\":\"0.6.3\"}" },
		{ UA, "mistral-client-python/3.7.0", "{\"mistral-python\":\"3.7.0\"}" },
		{ UA, "cohere/7.3.1", "{\"cohere\":\"7.3.1\"}" },
		{ "x-goog-api-client", "google-genai-sdk/3.1.0+google-adk/2.13.0 gl-python/3.12.1", "{}" }, /* glued: no version of ours */
		{ "x-goog-api-client", "google-genai-sdk/3.1.0 gl-python/3.12.1 google-adk/2.13.0",
		  "{\"google-genai\":\"3.1.0\",\"google-adk\":\"2.13.0\"}" },
		{ UA, "Boto3/1.44.3 md/Botocore#1.44.3 ua/2.1", "{\"boto3\":\"1.44.3\"}" },
		{ UA, "curl/8.5.0", "{}" },
		{ "x-other", "pydantic-ai/2.66.1", "{}" },
		{ UA, "", "{}" },
	};

	check_named(cases, sizeof(cases) / sizeof(cases[0]));
}

/* Whatever stands in a header, the trace gets words of the table and numbers. */
TEST(nothing_else_of_a_header_is_kept)
{
	static const struct named cases[] = {
		{ UA, "pydantic-ai/sk-ant-api03-secret", "{}" },
		{ UA, "pydantic-ai/1.2.3-tell-me-a-secret", "{}" },
		{ UA, "pydantic-ai/1.2.3secret", "{}" },
		{ UA, "pydantic-ai/4111111111111111", "{}" },
		{ UA, "pydantic-ai/1.2.3.4.5.6", "{}" },
		{ UA, "pydantic-ai/123456789", "{}" },
		{ UA, "pydantic-ai/12345678", "{\"pydantic-ai\":\"12345678\"}" },
		{ UA, "pydantic-ai/1.0.0\"}", "{}" },
		{ UA, "pydantic-ai/", "{}" },
		{ UA, "pydantic-ai", "{}" },
		{ UA, "pydantic-ai/.1", "{}" },
		{ UA, "pydantic-ai/1.", "{}" },
		{ UA, "xpydantic-ai/1.0", "{}" },
		{ UA, "my-agent-of-alice/1.0 pydantic-ai/2.0 alice@example.com", "{\"pydantic-ai\":\"2.0\"}" },
		{ UA, "pydantic-ai/1.0 pydantic-ai/2.0", "{\"pydantic-ai\":\"1.0\"}" },
	};

	check_named(cases, sizeof(cases) / sizeof(cases[0]));
}

TEST(an_sdk_is_told_by_its_own_headers_where_the_agent_names_itself)
{
	static struct http_header qwen[] = {
		{ { UA, 10 }, { "QwenCode/0.24.4 (linux; x64)", 28 } },
		{ { "x-stainless-lang", 16 }, { "js", 2 } },
		{ { "x-stainless-package-version", 27 }, { "5.11.0", 6 } },
	};
	static struct http_header claude[] = {
		{ { UA, 10 }, { "claude-cli/2.1.325", 18 } },
		{ { "X-Stainless-Lang", 16 }, { "js", 2 } },
		{ { "X-Stainless-Package-Version", 27 }, { "0.128.0", 7 } },
		{ { "anthropic-version", 17 }, { "2023-06-01", 10 } },
	};
	static struct http_header groq[] = {
		{ { UA, 10 }, { "AsyncGroq/Python 1.7.0", 22 } },
		{ { "x-stainless-lang", 16 }, { "python", 6 } },
		{ { "x-stainless-package-version", 27 }, { "1.7.0", 5 } },
	};
	static struct http_header other[] = {
		{ { "x-stainless-lang", 16 }, { "secret", 6 } },
		{ { "x-stainless-package-version", 27 }, { "1.7.0", 5 } },
	};

	check_clients(qwen, 3, "{\"qwen-code\":\"0.24.4\",\"openai-js\":\"5.11.0\"}");
	check_clients(claude, 4, "{\"claude_code\":\"2.1.325\",\"anthropic-js\":\"0.128.0\"}");
	check_clients(groq, 3, "{\"groq-python\":\"1.7.0\"}");
	check_clients(other, 2, "{}");
}

TEST(a_run_keeps_the_first_version_of_each_and_a_bounded_number)
{
	static const char names[] = "abcdefghijklmnopqrstuvwxyz"; /* each a name that ends in z */
	struct clients run = { .count = 0 }, one = { .count = 1 };

	for (size_t i = 0; i < 2 * sizeof(names); i++) {
		one.list[0].name = &names[i % sizeof(names)];
		memcpy(one.list[0].version, i < sizeof(names) ? "1" : "2", 2);
		clients_add(&run, &one);
	}
	CHECK_INT(run.count, CLIENTS_MOST);
	CHECK_STR(str_from(run.list[0].version), STR("1"));
}

TEST(the_framework_is_a_word_of_agent_trace_or_none)
{
	CHECK_STR(client_framework(STR("claude-cli/2.1")), STR("claude_code"));
	CHECK_STR(client_framework(STR("langchainjs-openai/1.0")), STR("langgraph"));
	CHECK_STR(client_framework(STR("autogen-python/0.7")), STR("autogen"));
	CHECK(!client_framework(STR("pydantic-ai/2.66")).p && !client_framework(STR("")).p);
}
