/* Anthropic's Messages API. */
#include "json/put.h"
#include "provider/provider_row.h"

enum { MAX_TOKENS = 4096 }; /* the API insists on a number */

/* How much a model may think at a level, in tokens; max_tokens has to be above it. 0 for none. */
static uint32_t budget_of(struct str thinking)
{
	static const struct {
		const char *level;
		uint32_t tokens;
	} levels[] = { { "low", 2048 }, { "medium", 8192 }, { "high", 16384 }, { "xhigh", 32768 } };

	for (size_t i = 0; i < COUNT(levels); i++)
		if (str_eq(thinking, str_from(levels[i].level)))
			return levels[i].tokens;
	return 0;
}

static void put_thinking(struct json_writer *w, uint32_t budget)
{
	json_put_object(w, "thinking");
	json_put_text(w, "type", STR("enabled"));
	json_put_u64(w, "budget_tokens", budget);
	json_write_end_object(w);
}

/* max_tokens includes what is thought, so the budget is added to it. */
static void anthropic_messages_request(const struct provider_question *q, struct str key,
				       struct provider_request *out)
{
	uint32_t budget = budget_of(q->thinking);
	struct json_writer w;

	out->headers[out->header_count++] = (struct http_header){ STR("x-api-key"), key };
	out->headers[out->header_count++] = (struct http_header){ STR("anthropic-version"), STR("2023-06-01") };
	json_write_init(&w, out->body, JSON_COMPACT);
	json_write_begin_object(&w);
	json_put_text(&w, "model", q->model);
	json_put_u64(&w, "max_tokens", (uint64_t)(q->max_tokens ? q->max_tokens : MAX_TOKENS) + budget);
	json_put_text(&w, "system", q->system.p ? q->system : STR(PROVIDER_SYSTEM));
	json_put_array(&w, "messages");
	json_write_begin_object(&w);
	json_put_text(&w, "role", STR("user"));
	json_put_text(&w, "content", q->prompt);
	json_write_end_object(&w);
	json_write_end_array(&w);
	if (q->temperature >= 0 && !budget) { /* who thinks may not be told */
		json_put_double(&w, "temperature", q->temperature);
	}
	if (budget)
		put_thinking(&w, budget);
	json_put_bool(&w, "stream", !q->whole);
	json_write_end_object(&w);
}

const struct provider provider_anthropic_messages = {
	.name = "anthropic_messages",
	.vendor = "anthropic",
	.about = "Anthropic's Messages API",
	.base_env = "ANTHROPIC_BASE_URL",
	.base_usual = "https://api.anthropic.com",
	.key_env = "ANTHROPIC_API_KEY",
	.key_missing = "anthropic_api_key_missing",
	.thinks = true,
	.api = &anthropic_api,
	.path = "/v1/messages",
	.request = anthropic_messages_request,
};
