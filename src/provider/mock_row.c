/* The built-in server (mock.h): the wire of OpenAI's chat completions, answers of a script or the prompt again. */
#include "provider/provider_row.h"

static void mock_row_request(const struct provider_question *q, struct str key, struct provider_request *out)
{
	provider_ollama_openai.request(q, key, out);
}

const struct provider provider_mock = {
	.name = "mock",
	.vendor = "mock",
	.about = "built in, deterministic, offline: answers of a script, or the prompt again",
	.base_usual = "/v1",
	.thinks = true,
	.api = &openai_chat_api,
	.path = "/chat/completions",
	.request = mock_row_request,
	.built_in = true,
};
