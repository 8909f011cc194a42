/*
 * Services that speak the API of another vendor, most of them OpenAI's: where they are, and which variables their
 * clients read. One without a host is led only where its user says where it is. Bodies are told by what they hold.
 */
#include "dialect/exchange/service.h"
#include "dialect/record/field.h"

#define CLOUD_CODE "https://daily-cloudcode-pa.googleapis.com"

#define VARIABLES(...) (const struct service_variable[]){ __VA_ARGS__, { NULL, NULL, 0 } }

const struct service_path service_openai_paths[] = {
	{ WORD("/chat"), NULL },       { WORD("/completions"), NULL },   { WORD("/responses"), NULL },
	{ WORD("/embeddings"), NULL }, { WORD("/models"), NULL },        { WORD("/audio"), NULL },
	{ WORD("/images"), NULL },     { WORD("/videos"), NULL },        { WORD("/files"), NULL },
	{ WORD("/uploads"), NULL },    { WORD("/batches"), NULL },       { WORD("/moderations"), NULL },
	{ WORD("/assistants"), NULL }, { WORD("/threads"), NULL },       { WORD("/vector_stores"), NULL },
	{ WORD("/realtime"), NULL },   { WORD("/conversations"), NULL }, { WORD("/containers"), NULL },
	{ WORD("/evals"), NULL },      { WORD("/fine_tuning"), NULL },   { WORD("/rerank"), NULL },
	{ WORD("/fim"), NULL },        { WORD("/agents"), NULL },        { WORD("/messages"), NULL },
	{ WORD(""), NULL },
};

/* A service of which everybody has one: its address is what its variable says, and paths are put behind it. */
#define OWN(label, ...) { .name = (label), .variables = VARIABLES(__VA_ARGS__) }

/* One that speaks OpenAI's API at a public address. */
#define PUBLIC(label, other, address, prefix, ...) \
	{ .name = (label), .alias = (other), .host = (address), .endpoint = address prefix, .version = (prefix), \
	  .paths = service_openai_paths, .variables = VARIABLES(__VA_ARGS__) }

const struct service service_hosted[] = {
	PUBLIC("groq", NULL, "https://api.groq.com", "/openai/v1",
	       { "GROQ_BASE_URL", "", 0 }, { "GROQ_API_BASE", "/openai/v1", 0 }),
	PUBLIC("mistral", "mistralai", "https://api.mistral.ai", "/v1",
	       { "MISTRAL_API_BASE", "/v1", 0 }, { "MISTRAL_BASE_URL", "/v1", 0 },
	       { "MISTRAL_AZURE_API_BASE", "/v1", 0 }), /* the only one that LiteLLM reads for chats */
	PUBLIC("openrouter", NULL, "https://openrouter.ai", "/api/v1",
	       { "OPENROUTER_BASE_URL", "/api/v1", 0 }, { "OPENROUTER_API_BASE", "/api/v1", 0 }),
	/* takes paths with and without a version, and has more under /beta, where LiteLLM asks */
	PUBLIC("deepseek", NULL, "https://api.deepseek.com", "",
	       { "DEEPSEEK_BASE_URL", "", 0 }, { "DEEPSEEK_API_BASE", "/beta", 0 }),
	PUBLIC("xai", NULL, "https://api.x.ai", "/v1", { "XAI_API_BASE", "/v1", 0 },
	       { "GROK_XAI_API_BASE_URL", "/v1", 0 }),
	PUBLIC("grok-cli", NULL, "https://cli-chat-proxy.grok.com", "/v1",
	       { "GROK_CLI_CHAT_PROXY_BASE_URL", "/v1", 0 }),
	PUBLIC("kimi", NULL, "https://api.kimi.com", "/coding/v1",
	       { "KIMI_BASE_URL", "/coding/v1", 0 }, { "KIMI_CODE_BASE_URL", "/coding/v1", 0 }),
	PUBLIC("together", NULL, "https://api.together.xyz", "/v1",
	       { "TOGETHER_AI_API_BASE", "/v1", 0 }, { "TOGETHER_BASE_URL", "/v1", 0 }),
	PUBLIC("fireworks", NULL, "https://api.fireworks.ai", "/inference/v1",
	       { "FIREWORKS_API_BASE", "/inference/v1", 0 }, { "FIREWORKS_BASE_URL", "/inference/v1", 0 }),
	/* Google's for its own agents: Gemini's bodies, one object deeper */
	{ .name = "cloud-code", .host = CLOUD_CODE, .endpoint = CLOUD_CODE,
	  .variables = VARIABLES({ "CLOUD_CODE_URL", "", 0 }) },
	OWN("azure", { "AZURE_OPENAI_ENDPOINT", "", SERVICE_IF_SET }, { "AZURE_API_BASE", "", SERVICE_IF_SET }),
	OWN("bedrock", { "ANTHROPIC_BEDROCK_BASE_URL", "", SERVICE_IF_SET },
	    { "AWS_ENDPOINT_URL_BEDROCK_RUNTIME", "", SERVICE_IF_SET },
	    { "AWS_BEDROCK_RUNTIME_ENDPOINT", "", SERVICE_IF_SET }),
	OWN("vertex", { "GOOGLE_VERTEX_BASE_URL", "", SERVICE_IF_SET }),
	OWN("vertex-anthropic", { "ANTHROPIC_VERTEX_BASE_URL", "", SERVICE_IF_SET }),
	OWN("copilot", { "COPILOT_PROVIDER_BASE_URL", "", SERVICE_IF_SET }),
	OWN("codebuddy", { "CODEBUDDY_BASE_URL", "", SERVICE_IF_SET }),
	OWN("custom", { "CUSTOM_BASE_URL", "", SERVICE_IF_SET }),
	{ .name = NULL },
};
