/* OpenAI's chat completions: Ollama's, and those of vLLM, SGLang, llama.cpp and all others that speak them. */
#include "json/put.h"
#include "provider/provider_row.h"

/*
 * Without a temperature the row's own default is sent, 0. A stream is asked to end with its usage, which it leaves out
 * otherwise.
 */
static void ollama_openai_request(const struct provider_question *q, struct str key, struct provider_request *out)
{
	struct json_writer w;

	provider_add_bearer(out, key);
	json_write_init(&w, out->body, JSON_COMPACT);
	json_write_begin_object(&w);
	provider_put_chat(&w, q);
	json_put_double(&w, "temperature", q->temperature >= 0 ? q->temperature : 0);
	if (q->max_tokens)
		json_put_u64(&w, "max_tokens", q->max_tokens);
	if (q->thinking.p)
		json_put_text(&w, "reasoning_effort", q->thinking);
	json_put_bool(&w, "stream", !q->whole);
	if (!q->whole) {
		json_put_raw(&w, "stream_options", STR("{\"include_usage\":true}"));
	}
	json_write_end_object(&w);
}

const struct provider provider_ollama_openai = {
	.name = "ollama_openai",
	.vendor = "ollama",
	.about = "any server with OpenAI's chat completions: Ollama, vLLM, SGLang, llama.cpp",
	.base_env = "OLLAMA_OPENAI_BASE",
	.base_usual = "http://localhost:11434/v1",
	.thinks = true,
	.api = &openai_chat_api,
	.path = "/chat/completions",
	.request = ollama_openai_request,
};
