#include "harness/test.h"
#include "sink/export/otlp.h"

#define CHAT "http://localhost:8000/v1/chat/completions"

TEST(operation_and_provider_follow_from_the_address)
{
	static const struct {
		const char *endpoint, *operation, *provider;
	} cases[] = {
		{ CHAT, "chat", "openai" },
		{ "http://localhost:8000/v1/completions", "text_completion", "openai" },
		{ "http://localhost:8000/v1/embeddings", "embeddings", "openai" },
		{ "https://api.openai.com/v1/responses", "chat", "openai" },
		{ "https://x.openai.azure.com/openai/deployments/d/chat/completions", "chat", "azure.ai.openai" },
		{ "https://api.anthropic.com/v1/messages", "chat", "anthropic" },
		{ "http://127.0.0.1:9/v1/messages", "chat", "anthropic" },
		{ "https://generativelanguage.googleapis.com/v1beta/models/g:generateContent", "generate_content",
		  "gcp.gemini" },
		{ "https://us-central1-aiplatform.googleapis.com/v1/x:streamGenerateContent", "generate_content",
		  "gcp.vertex_ai" },
		{ "https://bedrock-runtime.us-east-1.amazonaws.com/model/m/invoke", "chat", "aws.bedrock" },
		{ "https://api.groq.com/openai/v1/chat/completions", "chat", "groq" },
		{ "https://api.deepseek.com/chat/completions", "chat", "deepseek" },
		{ "https://api.mistral.ai/v1/chat/completions", "chat", "mistral_ai" },
		{ "https://api.x.ai/v1/chat/completions", "chat", "x_ai" },
		{ "http://localhost:11434/api/chat", "chat", "ollama" },
		{ "https://notopenai.azure.example/v1/chat/completions", "chat", "openai" },
		{ "unknown", "chat", "unknown" },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct trace_entry e = { .endpoint = str_from(cases[i].endpoint) };
		struct otlp_call c = otlp_call_of(&e, "agent-trace");

		test_case("%s", cases[i].endpoint);
		CHECK_STR(c.operation, str_from(cases[i].operation));
		CHECK_STR(c.provider, str_from(cases[i].provider));
	}
	CHECK_STR(otlp_call_of(&(struct trace_entry){ .endpoint = STR("unknown") }, "claude-code").provider,
		  STR("anthropic"));
}
