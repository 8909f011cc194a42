/* Anthropic's Messages API. */
#include "json/write.h"
#include "provider/provider_row.h"

enum { MAX_TOKENS = 4096 }; /* the API insists on a number */

/* How much a model may think at a level, in tokens; max_tokens has to be above it. 0 for none. */
static uint32_t budget_of(struct str thinking)
{
	static const struct {
		const char *level;
		uint32_t tokens;
	} levels[] = { { "low", 2048 }, { "medium", 8192 }, { "high", 16384 }, { "xhigh", 32768 } };

	for (size_t i = 0; i < sizeof(levels) / sizeof(levels[0]); i++)
		if (str_eq(thinking, str_from(levels[i].level)))
			return levels[i].tokens;
	return 0;
}

static void put_thinking(struct json_writer *w, uint32_t budget)
{
	json_write_key(w, STR("thinking"));
	json_write_begin_object(w);
	json_write_key(w, STR("type"));
	json_write_string(w, STR("enabled"));
	json_write_key(w, STR("budget_tokens"));
	json_write_u64(w, budget);
	json_write_end_object(w);
}

static void request(const struct provider_question *q, struct str key, struct provider_request *out)
{
	uint32_t budget = budget_of(q->thinking);
	struct json_writer w;

	out->headers[out->header_count++] = (struct http_header){ STR("x-api-key"), key };
	out->headers[out->header_count++] = (struct http_header){ STR("anthropic-version"), STR("2023-06-01") };
	json_write_init(&w, out->body, JSON_COMPACT);
	json_write_begin_object(&w);
	json_write_key(&w, STR("model"));
	json_write_string(&w, q->model);
	json_write_key(&w, STR("max_tokens"));
	json_write_u64(&w, (uint64_t)(q->max_tokens ? q->max_tokens : MAX_TOKENS) + budget);
	json_write_key(&w, STR("system"));
	json_write_string(&w, q->system.p ? q->system : STR(PROVIDER_SYSTEM));
	json_write_key(&w, STR("messages"));
	json_write_begin_array(&w);
	json_write_begin_object(&w);
	json_write_key(&w, STR("role"));
	json_write_string(&w, STR("user"));
	json_write_key(&w, STR("content"));
	json_write_string(&w, q->prompt);
	json_write_end_object(&w);
	json_write_end_array(&w);
	if (q->temperature >= 0 && !budget) { /* who thinks may not be told */
		json_write_key(&w, STR("temperature"));
		json_write_double(&w, q->temperature);
	}
	if (budget)
		put_thinking(&w, budget);
	json_write_key(&w, STR("stream"));
	json_write_bool(&w, !q->whole);
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
	.request = request,
};
