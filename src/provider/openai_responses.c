/* OpenAI's Responses API. */
#include "provider/provider_row.h"

static void request(const struct provider_question *q, struct str key, struct provider_request *out)
{
	struct json_writer w;

	provider_add_bearer(out, key); /* without one it is not asked at all */
	json_write_init(&w, out->body, JSON_COMPACT);
	json_write_begin_object(&w);
	json_write_key(&w, STR("model"));
	json_write_string(&w, q->model);
	json_write_key(&w, STR("instructions"));
	json_write_string(&w, q->system.p ? q->system : STR(PROVIDER_SYSTEM));
	json_write_key(&w, STR("input"));
	json_write_string(&w, q->prompt);
	if (q->temperature >= 0) { /* models that reason refuse it */
		json_write_key(&w, STR("temperature"));
		json_write_double(&w, q->temperature);
	}
	if (q->max_tokens) {
		json_write_key(&w, STR("max_output_tokens"));
		json_write_u64(&w, q->max_tokens);
	}
	if (q->thinking.p) {
		json_write_key(&w, STR("reasoning"));
		json_write_begin_object(&w);
		json_write_key(&w, STR("effort"));
		json_write_string(&w, q->thinking);
		json_write_end_object(&w);
	}
	json_write_key(&w, STR("stream"));
	json_write_bool(&w, !q->whole);
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
	.request = request,
};
