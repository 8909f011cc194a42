/*
 * Services that speak OpenAI's chat completions at an address of their own, with a key of their own: Google's Gemini,
 * Azure OpenAI and OpenRouter.
 */
#include "json/put.h"
#include "provider/provider_row.h"

/* In what the services differ: reasoning models of OpenAI refuse a temperature, and max_tokens by that name. */
struct chat_way {
	const char *limit; /* "max_tokens", as the service has it */
	bool bearer;       /* the key is a bearer token; otherwise it is the header "api-key" */
	struct str more;   /* JSON of a member "usage" to send; p NULL for none */
};

/* The temperature is sent only when one is given. A stream is asked to end with its usage. */
static void chat_services_write(const struct provider_question *q, struct str key, const struct chat_way *way,
				struct provider_request *out)
{
	struct json_writer w;

	if (way->bearer)
		provider_add_bearer(out, key);
	else if (key.n)
		out->headers[out->header_count++] = (struct http_header){ STR("api-key"), key };
	json_write_init(&w, out->body, JSON_COMPACT);
	json_write_begin_object(&w);
	provider_put_chat(&w, q);
	if (q->temperature >= 0)
		json_put_double(&w, "temperature", q->temperature);
	if (q->max_tokens)
		json_put_u64(&w, way->limit, q->max_tokens);
	if (q->thinking.p)
		json_put_text(&w, "reasoning_effort", q->thinking);
	if (way->more.p)
		json_put_raw(&w, "usage", way->more);
	json_put_bool(&w, "stream", !q->whole);
	if (!q->whole)
		json_put_raw(&w, "stream_options", STR("{\"include_usage\":true}"));
	json_write_end_object(&w);
}

static void gemini_request(const struct provider_question *q, struct str key, struct provider_request *out)
{
	static const struct chat_way way = { .limit = "max_tokens", .bearer = true };

	chat_services_write(q, key, &way, out);
}

static void azure_request(const struct provider_question *q, struct str key, struct provider_request *out)
{
	static const struct chat_way way = { .limit = "max_completion_tokens" };

	chat_services_write(q, key, &way, out);
}

/* It says what an answer cost when it is asked to. */
static void openrouter_request(const struct provider_question *q, struct str key, struct provider_request *out)
{
	const struct chat_way way = { .limit = "max_tokens", .bearer = true, .more = STR("{\"include\":true}") };

	chat_services_write(q, key, &way, out);
}

/* The variable holds the address of a resource, https://NAME.openai.azure.com/; the API is below it. */
static struct str azure_complete_address(struct arena *a, struct str given)
{
	struct str base = given;

	while (base.n && base.p[base.n - 1] == '/')
		base.n--;
	if (base.n == 0 || str_ends(base, STR("/v1")) || memchr(base.p, '?', base.n))
		return given;
	return ARENA_JOIN(a, base, str_ends(base, STR("/openai")) ? STR("/v1") : STR("/openai/v1"));
}

const struct provider provider_gemini = {
	.name = "gemini",
	.vendor = "google",
	.about = "Google's Gemini, by its chat completions",
	.base_usual = "https://generativelanguage.googleapis.com/v1beta/openai",
	.key_env = "GEMINI_API_KEY",
	.key_missing = "gemini_api_key_missing",
	.thinks = true,
	.api = &openai_chat_api,
	.path = "/chat/completions",
	.request = gemini_request,
};

const struct provider provider_azure = {
	.name = "azure",
	.vendor = "azure",
	.about = "Azure OpenAI, by its chat completions",
	.base_env = "AZURE_OPENAI_ENDPOINT",
	.base = azure_complete_address,
	.key_env = "AZURE_OPENAI_API_KEY",
	.key_missing = "azure_openai_api_key_missing",
	.thinks = true,
	.api = &openai_chat_api,
	.path = "/chat/completions",
	.request = azure_request,
};

const struct provider provider_openrouter = {
	.name = "openrouter",
	.vendor = "openrouter",
	.about = "OpenRouter: many vendors' models behind one key",
	.base_usual = "https://openrouter.ai/api/v1",
	.key_env = "OPENROUTER_API_KEY",
	.key_missing = "openrouter_api_key_missing",
	.thinks = true,
	.api = &openai_chat_api,
	.path = "/chat/completions",
	.request = openrouter_request,
};
