/* Ollama's own API. */
#include "dialect/ollama/ollama.h"
#include "json/put.h"
#include "provider/provider_row.h"

/* It knows three levels. */
static void put_think(struct json_writer *w, struct str thinking)
{
	json_put_text(w, "think", str_eq(thinking, STR("xhigh")) ? STR("high") : thinking);
}

/* Without a temperature the row's own default is sent, 0. */
static void ollama_native_request(const struct provider_question *q, struct str key, struct provider_request *out)
{
	struct json_writer w;

	provider_add_bearer(out, key);
	json_write_init(&w, out->body, JSON_COMPACT);
	json_write_begin_object(&w);
	provider_put_chat(&w, q);
	if (q->thinking.p)
		put_think(&w, q->thinking);
	json_put_object(&w, "options");
	json_put_double(&w, "temperature", q->temperature >= 0 ? q->temperature : 0);
	if (q->max_tokens)
		json_put_u64(&w, "num_predict", q->max_tokens);
	json_write_end_object(&w);
	json_put_bool(&w, "stream", !q->whole);
	json_write_end_object(&w);
}

const struct provider provider_ollama_native = {
	.name = "ollama_native",
	.vendor = "ollama",
	.about = "Ollama's own API",
	.base_env = "OLLAMA_HOST",
	.base_usual = "http://localhost:11434",
	.base = ollama_complete_address,
	.thinks = true,
	.api = &ollama_api,
	.path = "/api/chat",
	.request = ollama_native_request,
};
