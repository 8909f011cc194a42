/* Who was called and what for: a trace has the address, and the conventions want the provider and the operation. */
#include "dialect/otlp/server.h"
#include "dialect/record/field.h"
#include "sink/export/otlp.h"

/* Whose service a host is. A name that begins with a dot stands for every host that ends so. */
static const struct {
	struct str host, provider;
} providers[] = {
	{ WORD("api.openai.com"), WORD("openai") },
	{ WORD(".openai.azure.com"), WORD("azure.ai.openai") },
	{ WORD(".cognitiveservices.azure.com"), WORD("azure.ai.openai") },
	{ WORD(".services.ai.azure.com"), WORD("azure.ai.inference") },
	{ WORD(".inference.ai.azure.com"), WORD("azure.ai.inference") },
	{ WORD("api.anthropic.com"), WORD("anthropic") },
	{ WORD("generativelanguage.googleapis.com"), WORD("gcp.gemini") },
	{ WORD("aiplatform.googleapis.com"), WORD("gcp.vertex_ai") },
	{ WORD("-aiplatform.googleapis.com"), WORD("gcp.vertex_ai") },
	{ WORD(".aiplatform.googleapis.com"), WORD("gcp.vertex_ai") },
	{ WORD("api.groq.com"), WORD("groq") },
	{ WORD("api.deepseek.com"), WORD("deepseek") },
	{ WORD("api.mistral.ai"), WORD("mistral_ai") },
	{ WORD("codestral.mistral.ai"), WORD("mistral_ai") },
	{ WORD("api.x.ai"), WORD("x_ai") },
	{ WORD("api.cohere.com"), WORD("cohere") },
	{ WORD("api.cohere.ai"), WORD("cohere") },
	{ WORD("api.perplexity.ai"), WORD("perplexity") },
	{ WORD(".ml.cloud.ibm.com"), WORD("ibm.watsonx.ai") },
};

/* What a path ends in, behind its last slash and what may follow a colon, and what is asked there. */
static const struct {
	struct str ending, operation, provider; /* provider: whose API it is, where the host tells nothing */
} operations[] = {
	{ WORD("/chat/completions"), WORD("chat"), WORD("openai") },
	{ WORD("/responses"), WORD("chat"), WORD("openai") },
	{ WORD("/messages"), WORD("chat"), WORD("anthropic") },
	{ WORD("/completions"), WORD("text_completion"), WORD("openai") },
	{ WORD("/embeddings"), WORD("embeddings"), WORD("openai") },
	{ WORD(":generateContent"), WORD("generate_content"), WORD("gcp.gemini") },
	{ WORD(":streamGenerateContent"), WORD("generate_content"), WORD("gcp.gemini") },
	{ WORD(":embedContent"), WORD("embeddings"), WORD("gcp.gemini") },
	{ WORD(":batchEmbedContents"), WORD("embeddings"), WORD("gcp.gemini") },
	{ WORD("/api/chat"), WORD("chat"), WORD("ollama") },
	{ WORD("/api/generate"), WORD("text_completion"), WORD("ollama") },
	{ WORD("/api/embed"), WORD("embeddings"), WORD("ollama") },
	{ WORD("/v2/chat"), WORD("chat"), WORD("cohere") },
	{ WORD("/embed"), WORD("embeddings"), WORD("cohere") },
};

/* Formats whose calls went to one service, for calls that do not say where they went. */
static const struct {
	struct str format, provider;
} sources[] = {
	{ WORD("claude-code"), WORD("anthropic") },     { WORD("anthropic"), WORD("anthropic") },
	{ WORD("codex"), WORD("openai") },              { WORD("openai-chat"), WORD("openai") },
	{ WORD("openai-responses"), WORD("openai") },   { WORD("gemini"), WORD("gcp.gemini") },
	{ WORD("ollama"), WORD("ollama") },             { WORD("cohere"), WORD("cohere") },
};

static bool host_is(struct str host, struct str row)
{
	return row.p[0] == '.' || row.p[0] == '-' ? str_ends(host, row) : str_eq_nocase(host, row);
}

static struct str provider_of(struct str host, struct str by_path, const char *format)
{
	for (size_t i = 0; i < COUNT(providers) && host.n; i++)
		if (host_is(host, providers[i].host))
			return providers[i].provider;
	if (str_starts(host, STR("bedrock-runtime.")) || str_starts(host, STR("bedrock-runtime-fips.")))
		return STR("aws.bedrock");
	if (by_path.n)
		return by_path;
	for (size_t i = 0; i < COUNT(sources); i++)
		if (str_eq(str_from(format), sources[i].format))
			return sources[i].provider;
	return STR("unknown");
}

struct otlp_call otlp_call_of(const struct trace_entry *e, const char *format)
{
	struct otlp_call c = { .operation = STR("chat"), .model = e->row.model, .failed = e->row.failed };
	struct otlp_server server;
	struct str by_path = { NULL, 0 };

	if (otlp_server_split(e->endpoint, &server)) {
		c.address = server.address;
		c.port = server.port;
		for (size_t i = 0; i < COUNT(operations); i++) {
			if (str_ends(server.path, operations[i].ending)) {
				c.operation = operations[i].operation;
				by_path = operations[i].provider;
				break;
			}
		}
	}
	c.provider = provider_of(c.address, by_path, format);
	return c;
}
