/* Names are looked for at the beginning of each product of a header ("name/version name/version (comment)"). */
#include "capture/observe/client.h"

#include "base/ascii.h"
#include "dialect/agent_trace/clean.h"
#include "dialect/record/field.h"

#define NUMBER_DIGITS 8 /* of one number in a version: dates have that many */
#define NUMBERS 4

/* How a client calls itself, up to its version, and how we call it. */
static const struct {
	struct str says;
	const char *name;
} known[] = {
	/* agents */
	{ WORD("claude-cli/"), "claude_code" },
	{ WORD("codex_exec/"), "codex" },
	{ WORD("codex_cli_rs/"), "codex" },
	{ WORD("codex-tui/"), "codex" },
	{ WORD("GeminiCLI/"), "gemini-cli" },
	{ WORD("GeminiCLI-tui/"), "gemini-cli" },
	{ WORD("QwenCode/"), "qwen-code" },
	{ WORD("opencode/"), "opencode" },
	{ WORD("GitHubCopilotChat/"), "copilot" },
	{ WORD("copilot/"), "copilot" },
	{ WORD("KimiCLI/"), "kimi-cli" },
	{ WORD("grok-cli/"), "grok-cli" },
	{ WORD("goose/"), "goose" },
	{ WORD("Cline/"), "cline" },
	{ WORD("aider/"), "aider" },
	{ WORD("cursor/"), "cursor" },
	/* frameworks */
	{ WORD("pydantic-ai/"), "pydantic-ai" },
	{ WORD("agent-framework-python/"), "agent-framework" },
	{ WORD("agent-framework-dotnet/"), "agent-framework" },
	{ WORD("Agents/Python "), "openai-agents" },
	{ WORD("Agents/JavaScript "), "openai-agents-js" },
	{ WORD("google-adk/"), "google-adk" },
	{ WORD("DSPy/"), "dspy" },
	{ WORD("crewai/"), "crewai" },
	{ WORD("langgraph/"), "langgraph" },
	{ WORD("langchain/"), "langchain" },
	{ WORD("langchain-openai/"), "langchain-openai" },
	{ WORD("langchain-anthropic/"), "langchain-anthropic" },
	{ WORD("langchain-google-genai/"), "langchain-google-genai" },
	{ WORD("langchain-google-vertexai/"), "langchain-google-vertexai" },
	{ WORD("langchain-mistralai/"), "langchain-mistralai" },
	{ WORD("langchain-groq/"), "langchain-groq" },
	{ WORD("langchain-cohere/"), "langchain-cohere" },
	{ WORD("langchain-ollama/"), "langchain-ollama" },
	{ WORD("langchainjs-openai/"), "langchainjs-openai" },
	{ WORD("langchainjs-anthropic/"), "langchainjs-anthropic" },
	{ WORD("langchainjs-google-genai/"), "langchainjs-google-genai" },
	{ WORD("autogen-python/"), "autogen" },
	{ WORD("semantic-kernel-python/"), "semantic-kernel" },
	{ WORD("llama-index/"), "llama-index" },
	{ WORD("haystack/"), "haystack" },
	{ WORD("strands-agents/"), "strands-agents" },
	{ WORD("smolagents/"), "smolagents" },
	{ WORD("mastra/"), "mastra" },
	{ WORD("litellm/"), "litellm" },
	/* SDKs */
	{ WORD("ai/"), "ai" },
	{ WORD("ai-sdk/openai/"), "ai-sdk-openai" },
	{ WORD("ai-sdk/openai-compatible/"), "ai-sdk-openai-compatible" },
	{ WORD("ai-sdk/anthropic/"), "ai-sdk-anthropic" },
	{ WORD("ai-sdk/google/"), "ai-sdk-google" },
	{ WORD("ai-sdk/mistral/"), "ai-sdk-mistral" },
	{ WORD("ai-sdk/groq/"), "ai-sdk-groq" },
	{ WORD("ai-sdk/cohere/"), "ai-sdk-cohere" },
	{ WORD("ai-sdk/provider-utils/"), "ai-sdk" },
	{ WORD("OpenAI/Python "), "openai-python" },
	{ WORD("AsyncOpenAI/Python "), "openai-python" },
	{ WORD("AzureOpenAI/Python "), "openai-python" },
	{ WORD("AsyncAzureOpenAI/Python "), "openai-python" },
	{ WORD("OpenAI/JS "), "openai-js" },
	{ WORD("OpenAI/Go "), "openai-go" },
	{ WORD("OpenAI/Java "), "openai-java" },
	{ WORD("Anthropic/Python "), "anthropic-python" },
	{ WORD("AsyncAnthropic/Python "), "anthropic-python" },
	{ WORD("AnthropicBedrock/Python "), "anthropic-python" },
	{ WORD("AsyncAnthropicBedrock/Python "), "anthropic-python" },
	{ WORD("AnthropicVertex/Python "), "anthropic-python" },
	{ WORD("AsyncAnthropicVertex/Python "), "anthropic-python" },
	{ WORD("Anthropic/JS "), "anthropic-js" },
	{ WORD("Groq/Python "), "groq-python" },
	{ WORD("AsyncGroq/Python "), "groq-python" },
	{ WORD("Groq/JS "), "groq-js" },
	{ WORD("google-genai-sdk/"), "google-genai" },
	{ WORD("ollama-python/"), "ollama-python" },
	{ WORD("ollama-js/"), "ollama-js" },
	{ WORD("mistral-client-python/"), "mistral-python" },
	{ WORD("mistral-client-typescript/"), "mistral-typescript" },
	{ WORD("cohere/"), "cohere" },
	{ WORD("Boto3/"), "boto3" },
};

/* ---- versions ---- */

/* The digits that a text begins with. */
static size_t client_count_digits(struct str text)
{
	size_t n = 0;

	while (n < text.n && ascii_is_digit(text.p[n]))
		n++;
	return n;
}

/* "1.18.33": how many bytes of the text; 0 when it does not begin so. */
static size_t client_count_numbers(struct str text)
{
	size_t at = 0;

	for (size_t i = 0; i < NUMBERS; i++) {
		size_t from = at + (i > 0), n;

		if (from > text.n || (i > 0 && (at >= text.n || text.p[at] != '.')))
			break;
		n = client_count_digits(str_of(text.p + from, text.n - from));
		if (n > NUMBER_DIGITS || (n == 0 && i == 0))
			return 0;
		if (n == 0)
			break;
		at = from + n;
	}
	return at;
}

/* "rc1", "-beta.2", ".dev0": one of a few words and its number. */
static size_t client_count_suffix(struct str text)
{
	static const struct str stages[] = {
		WORD("alpha"), WORD("beta"), WORD("rc"), WORD("dev"), WORD("post"), WORD("preview"), WORD("pre"),
		WORD("next"), WORD("canary"), WORD("nightly"), WORD("a"), WORD("b"),
	};
	size_t at = text.n && ascii_is_one_of(text.p[0], "-.+") ? 1 : 0;

	for (size_t i = 0; i < COUNT(stages); i++) {
		struct str rest = str_of(text.p + at, text.n - at);

		if (!str_starts(rest, stages[i]))
			continue;
		at += stages[i].n;
		at += at < text.n && text.p[at] == '.' ? 1 : 0;
		return at + client_count_numbers(str_of(text.p + at, text.n - at));
	}
	return 0;
}

/* The version that a text begins with, if nothing else stands in its part; empty for none. */
static struct str client_cut_version(struct str text)
{
	size_t n = client_count_numbers(text);

	if (n)
		n += client_count_suffix(str_of(text.p + n, text.n - n));
	if (n == 0 || n > CLIENT_VERSION || (n < text.n && !ascii_is_one_of(text.p[n], " /;),")))
		return str_of("", 0);
	/* what looks like somebody's number or key is none */
	return clean_id(str_of(text.p, n)).p ? str_of(text.p, n) : str_of("", 0);
}

/* ---- lists ---- */

static void client_add(struct clients *c, const char *name, struct str version)
{
	struct client *one = &c->list[c->count];

	for (size_t i = 0; i < c->count; i++)
		if (strcmp(c->list[i].name, name) == 0)
			return;
	if (c->count == CLIENTS_MOST || version.n == 0 || version.n > CLIENT_VERSION)
		return;
	one->name = name;
	memcpy(one->version, version.p, version.n);
	one->version[version.n] = '\0';
	c->count++;
}

/* The first letter tells nearly always. */
static bool client_begins(struct str text, struct str name)
{
	return text.n >= name.n && ascii_lower(text.p[0]) == ascii_lower(name.p[0]) &&
	       str_same_nocase(text.p, name.p, name.n);
}

/* Every product of a header that the table has. Comments and what stands behind them are looked at alike. */
static void client_read_products(struct clients *c, struct str text)
{
	for (size_t at = 0; at < text.n; at++) {
		struct str rest = str_of(text.p + at, text.n - at);

		if (at > 0 && !ascii_is_one_of(text.p[at - 1], " (;,"))
			continue;
		for (size_t i = 0; i < COUNT(known); i++)
			if (client_begins(rest, known[i].says))
				client_add(c, known[i].name, client_cut_version(str_of(rest.p + known[i].says.n,
										       rest.n - known[i].says.n)));
	}
}

/* SDKs that are made by one generator say in headers of their own what an agent's User-Agent hides. */
static void client_read_stainless(struct clients *c, const struct http_head *h)
{
	static const struct {
		struct str language;
		const char *openai, *anthropic;
	} languages[] = {
		{ WORD("python"), "openai-python", "anthropic-python" },
		{ WORD("js"), "openai-js", "anthropic-js" },
	};
	struct str language = http_find(h, STR("x-stainless-lang"));
	struct str version = client_cut_version(http_find(h, STR("x-stainless-package-version")));
	bool anthropic = http_find(h, STR("anthropic-version")).p;

	for (size_t i = 0; i < c->count; i++) {
		struct str name = str_from(c->list[i].name);

		if (str_ends(name, STR("-python")) || str_ends(name, STR("-js")))
			return; /* its own name is there, which may be of neither */
	}
	for (size_t i = 0; i < COUNT(languages) && version.n; i++)
		if (str_eq_nocase(language, languages[i].language))
			client_add(c, anthropic ? languages[i].anthropic : languages[i].openai, version);
}

void clients_read(struct clients *c, const struct http_head *h)
{
	static const struct str names[] = { WORD("user-agent"), WORD("x-goog-api-client"), WORD("x-amz-user-agent") };

	for (size_t i = 0; i < h->count; i++)
		for (size_t n = 0; n < COUNT(names); n++)
			if (http_name_eq(h->headers[i].name, names[n]))
				client_read_products(c, h->headers[i].value);
	if (http_find(h, STR("x-stainless-lang")).p)
		client_read_stainless(c, h);
}

void clients_add(struct clients *c, const struct clients *more)
{
	for (size_t i = 0; i < more->count; i++)
		client_add(c, more->list[i].name, str_from(more->list[i].version));
}

void clients_write(struct json_writer *j, const struct clients *c)
{
	json_write_begin_object(j);
	for (size_t i = 0; i < c->count; i++) {
		json_write_key(j, str_from(c->list[i].name));
		json_write_string(j, str_from(c->list[i].version));
	}
	json_write_end_object(j);
}

struct str client_framework(struct str user_agent)
{
	static const struct {
		struct str word, framework;
	} words[] = {
		{ WORD("claude-cli"), WORD("claude_code") }, { WORD("claude-code"), WORD("claude_code") },
		{ WORD("langgraph"), WORD("langgraph") },    { WORD("langchain"), WORD("langgraph") },
		{ WORD("crewai"), WORD("crewai") },          { WORD("autogen"), WORD("autogen") },
		{ WORD("cursor"), WORD("cursor_sdk") },
	};

	for (size_t i = 0; i < COUNT(words); i++)
		if (str_has_nocase(user_agent, words[i].word))
			return words[i].framework;
	return str_of(NULL, 0);
}
