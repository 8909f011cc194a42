#include "capture/cassette_rules.h"

#include "base/ascii.h"
#include "base/buf.h"
#include "dialect/exchange/http.h"

#define NAME_MAX_KEPT 128

const struct cassette_rule cassette_rules[] = {
	{ CASSETTE_HEADER, "accept" },
	{ CASSETTE_HEADER, "content-type" },
	{ CASSETTE_HEADER, "content-encoding" },
	{ CASSETTE_HEADER, "date" },
	{ CASSETTE_HEADER, "user-agent" },
	{ CASSETTE_HEADER, "request-id" },
	{ CASSETTE_HEADER, "x-request-id" },
	{ CASSETTE_HEADER, "x-oai-request-id" },
	{ CASSETTE_HEADER, "x-client-request-id" },
	{ CASSETTE_HEADER, "anthropic-request-id" },
	{ CASSETTE_HEADER, "apim-request-id" },
	{ CASSETTE_HEADER, "anthropic-version" },
	{ CASSETTE_HEADER, "anthropic-beta" },
	{ CASSETTE_HEADER, "anthropic-ratelimit-*" },
	{ CASSETTE_HEADER, "openai-beta" },
	{ CASSETTE_HEADER, "openai-version" },
	{ CASSETTE_HEADER, "openai-model" },
	{ CASSETTE_HEADER, "openai-processing-ms" },
	{ CASSETTE_HEADER, "retry-after" },
	{ CASSETTE_HEADER, "retry-after-ms" },
	{ CASSETTE_HEADER, "x-should-retry" },
	{ CASSETTE_HEADER, "x-ratelimit-*" },
	{ CASSETTE_HEADER, "x-claude-code-*" },
	{ CASSETTE_HEADER, "x-app" },
	{ CASSETTE_HEADER, "x-trackway-role" },
	{ CASSETTE_HEADER, "mcp-protocol-version" },
	{ CASSETTE_HEADER, "mcp-method" },
	{ CASSETTE_HEADER, "mcp-name" },
	{ CASSETTE_VOLATILE, "uuid" },
	{ CASSETTE_VOLATILE, "ulid" },
	{ CASSETTE_VOLATILE, "rfc3339 within 48h" },
	{ CASSETTE_VOLATILE, "epoch seconds, milliseconds, microseconds, nanoseconds within 48h" },
	{ CASSETTE_VOLATILE, "temporary path" },
	{ CASSETTE_VOLATILE, "port" },
	{ CASSETTE_VOLATILE, "16 or more hexadecimal digits" },
	{ CASSETTE_IGNORED, "metadata.user_id" },
	{ CASSETTE_IGNORED, "prompt_cache_key" },
	{ CASSETTE_IGNORED, "safety_identifier" },
	{ CASSETTE_IGNORED, "user" },
	{ CASSETTE_SAMPLING, "temperature" },
	{ CASSETTE_SAMPLING, "top_p" },
	{ CASSETTE_SAMPLING, "top_k" },
	{ CASSETTE_SAMPLING, "seed" },
	{ CASSETTE_SAMPLING, "max_tokens" },
	{ CASSETTE_SAMPLING, "max_completion_tokens" },
	{ CASSETTE_SAMPLING, "max_output_tokens" },
	{ CASSETTE_SAMPLING, "presence_penalty" },
	{ CASSETTE_SAMPLING, "frequency_penalty" },
	{ CASSETTE_SAMPLING, "generationConfig.temperature" },
	{ CASSETTE_SAMPLING, "generationConfig.topP" },
	{ CASSETTE_SAMPLING, "generationConfig.topK" },
	{ CASSETTE_SAMPLING, "generationConfig.seed" },
	{ CASSETTE_SAMPLING, "generationConfig.maxOutputTokens" },
	{ CASSETTE_SAMPLING, "generationConfig.presencePenalty" },
	{ CASSETTE_SAMPLING, "generationConfig.frequencyPenalty" },
	{ CASSETTE_SAMPLING, "options.temperature" },
	{ CASSETTE_SAMPLING, "options.top_p" },
	{ CASSETTE_SAMPLING, "options.top_k" },
	{ CASSETTE_SAMPLING, "options.min_p" },
	{ CASSETTE_SAMPLING, "options.typical_p" },
	{ CASSETTE_SAMPLING, "options.seed" },
	{ CASSETTE_SAMPLING, "options.num_predict" },
	{ CASSETTE_SAMPLING, "options.repeat_last_n" },
	{ CASSETTE_SAMPLING, "options.repeat_penalty" },
	{ CASSETTE_SAMPLING, "options.presence_penalty" },
	{ CASSETTE_SAMPLING, "options.frequency_penalty" },
	{ CASSETTE_SAMPLING, "options.mirostat" },
	{ CASSETTE_SAMPLING, "options.mirostat_tau" },
	{ CASSETTE_SAMPLING, "options.mirostat_eta" },
	{ CASSETTE_VERSION, "anthropic-version" },
	{ CASSETTE_VERSION, "anthropic-beta" },
	{ CASSETTE_VERSION, "openai-beta" },
	{ CASSETTE_HEADER, NULL },
};

static bool is_named(struct str low, struct str rule)
{
	if (str_ends(rule, STR("*")))
		return str_starts(low, str_of(rule.p, rule.n - 1));
	return str_eq(low, rule);
}

bool cassette_keeps_header(struct str name)
{
	char low[NAME_MAX_KEPT];

	if (name.n > sizeof(low) || exchange_http_is_secret(name))
		return false;
	for (size_t i = 0; i < name.n; i++)
		low[i] = ascii_lower(name.p[i]);
	for (const struct cassette_rule *r = cassette_rules; r->name; r++)
		if (r->kind == CASSETTE_HEADER && is_named(str_of(low, name.n), str_from(r->name)))
			return true;
	return false;
}

struct digest cassette_rules_digest(void)
{
	static const char *const kinds[] = {
		[CASSETTE_HEADER] = "header",
		[CASSETTE_VOLATILE] = "volatile",
		[CASSETTE_IGNORED] = "ignored",
		[CASSETTE_SAMPLING] = "sampling",
		[CASSETTE_VERSION] = "version",
	};
	struct digest d;
	struct sha256 s;
	struct buf b;

	buf_init(&b);
	for (const struct cassette_rule *r = cassette_rules; r->name; r++)
		buf_printf(&b, "%s %s\n", kinds[r->kind], r->name);
	sha256_init(&s);
	d = sha256_of(&s, buf_str(&b));
	sha256_free(&s);
	buf_free(&b);
	return d;
}
