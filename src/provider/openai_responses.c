/* OpenAI's Responses API. */
#include "json/put.h"
#include "provider/provider_row.h"

/* The system prompt is `instructions`, the question `input`; no temperature unless one is given. */
static void openai_responses_request(const struct provider_question *q, struct str key,
				     struct provider_request *out)
{
	struct json_writer w;

	provider_add_bearer(out, key); /* without one it is not asked at all */
	json_write_init(&w, out->body, JSON_COMPACT);
	json_write_begin_object(&w);
	json_put_text(&w, "model", q->model);
	json_put_text(&w, "instructions", q->system.p ? q->system : STR(PROVIDER_SYSTEM));
	json_put_text(&w, "input", q->prompt);
	if (q->temperature >= 0) { /* models that reason refuse it */
		json_put_double(&w, "temperature", q->temperature);
	}
	if (q->max_tokens)
		json_put_u64(&w, "max_output_tokens", q->max_tokens);
	if (q->thinking.p) {
		json_put_object(&w, "reasoning");
		json_put_text(&w, "effort", q->thinking);
		json_write_end_object(&w);
	}
	json_put_bool(&w, "stream", !q->whole);
	json_write_end_object(&w);
}

const struct provider provider_openai_responses = {
	.name = "openai_responses",
	.vendor = "openai",
	.about = "OpenAI's Responses API",
	.base_env = "OPENAI_BASE_URL",
	.base_usual = "https://api.openai.com/v1",
	.key_env = "OPENAI_API_KEY",
	.key_missing = "openai_api_key_missing",
	.thinks = true,
	.api = &openai_responses_api,
	.path = "/responses",
	.request = openai_responses_request,
};
