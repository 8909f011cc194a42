/* Tables of hosts, paths and formats, and the words of the conventions for who is behind them. */
#include "dialect/otlp/provider.h"

#include "dialect/record/field.h"
#include "model/words.h"

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
	{ WORD("openrouter.ai"), WORD("openrouter") },
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

/* Formats, and vendors of runs, whose calls went to one service, for calls that do not say where they went. */
static const struct {
	struct str source, provider;
} sources[] = {
	{ WORD("claude-code"), WORD("anthropic") },     { WORD("anthropic"), WORD("anthropic") },
	{ WORD("codex"), WORD("openai") },              { WORD("openai-chat"), WORD("openai") },
	{ WORD("openai-responses"), WORD("openai") },   { WORD("gemini"), WORD("gcp.gemini") },
	{ WORD("ollama"), WORD("ollama") },             { WORD("cohere"), WORD("cohere") },
	{ WORD("openai"), WORD("openai") },             { WORD("google"), WORD("gcp.gemini") },
};

static bool provider_is_host(struct str host, struct str row)
{
	return row.p[0] == '.' || row.p[0] == '-' ? str_ends(host, row) : str_eq_nocase(host, row);
}

struct str otlp_provider_of(struct str host, struct str by_path, struct str source)
{
	for (size_t i = 0; i < COUNT(providers) && host.n; i++)
		if (provider_is_host(host, providers[i].host))
			return providers[i].provider;
	if (str_starts(host, STR("bedrock-runtime.")) || str_starts(host, STR("bedrock-runtime-fips.")))
		return STR("aws.bedrock");
	if (by_path.n)
		return by_path;
	for (size_t i = 0; i < COUNT(sources); i++)
		if (str_eq(source, sources[i].source))
			return sources[i].provider;
	return STR("unknown");
}

bool otlp_operation_of(struct str path, struct str *operation, struct str *provider)
{
	for (size_t i = 0; i < COUNT(operations); i++) {
		if (str_ends(path, operations[i].ending)) {
			*operation = operations[i].operation;
			*provider = operations[i].provider;
			return true;
		}
	}
	return false;
}

struct str otlp_provider_word(struct str provider)
{
	static const struct {
		struct str name, word;
	} names[] = {
		{ WORD("azure"), WORD("azure.ai.openai") },  { WORD("azureai"), WORD("azure.ai.inference") },
		{ WORD("bedrock"), WORD("aws.bedrock") },    { WORD("google"), WORD("gcp.gemini") },
		{ WORD("gemini"), WORD("gcp.gemini") },      { WORD("vertex"), WORD("gcp.vertex_ai") },
		{ WORD("vertex_ai"), WORD("gcp.vertex_ai") }, { WORD("mistral"), WORD("mistral_ai") },
		{ WORD("mistralai"), WORD("mistral_ai") },   { WORD("xai"), WORD("x_ai") },
	};

	for (size_t i = 0; i < COUNT(names); i++)
		if (str_eq_nocase(provider, names[i].name))
			return names[i].word;
	return provider;
}

struct str otlp_finish_word(struct str stop_reason)
{
	static const struct {
		struct str folded, word;
	} words[] = {
		{ WORD("end_turn"), WORD("stop") },
		{ WORD("tool_use"), WORD("tool_call") },
		{ WORD("length"), WORD("length") },
		{ WORD("error"), WORD("error") },
	};
	const char *folded = stop_reason.n ? words_stop_reason(stop_reason) : NULL;

	if (stop_reason.n && words_is_refusal(stop_reason))
		return STR("content_filter");
	for (size_t i = 0; folded && i < COUNT(words); i++)
		if (str_eq(str_from(folded), words[i].folded))
			return words[i].word;
	return stop_reason;
}
