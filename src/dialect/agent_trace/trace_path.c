/* Keeps the harmless parts of a path and puts "..." for the others. */
#include "dialect/agent_trace/trace_path.h"

#include "base/ascii.h"
#include "base/buf.h"
#include "dialect/agent_trace/clean.h"
#include "dialect/exchange/exchange.h"
#include "dialect/record/field.h"
#include "dialect/record/leak_name.h"

#define OWN_MOST 40 /* bytes of a part of somebody's own address */

enum { PLAIN, COLLECTION, MODELS };

/* Beside those of the APIs that are read. Sorted by what they are for: a path is cleaned once for many calls. */
static const struct {
	struct str word;
	int what; /* stands behind it */
} words[] = {
	{ WORD("chat"), PLAIN },          { WORD("completions"), COLLECTION }, { WORD("completion"), PLAIN },
	{ WORD("complete"), PLAIN },      { WORD("responses"), COLLECTION },   { WORD("messages"), COLLECTION },
	{ WORD("count_tokens"), PLAIN },  { WORD("input_tokens"), PLAIN },     { WORD("input_items"), PLAIN },
	{ WORD("compact"), PLAIN },       { WORD("cancel"), PLAIN },           { WORD("batches"), COLLECTION },
	{ WORD("models"), MODELS },       { WORD("model"), MODELS },           { WORD("engines"), MODELS },
	{ WORD("deployments"), MODELS },  { WORD("serving-endpoints"), MODELS }, { WORD("embeddings"), PLAIN },
	{ WORD("embed"), PLAIN },         { WORD("rerank"), PLAIN },           { WORD("moderations"), PLAIN },
	{ WORD("generate"), PLAIN },      { WORD("generate_stream"), PLAIN },  { WORD("generation"), PLAIN },
	{ WORD("text-generation"), PLAIN }, { WORD("images"), PLAIN },         { WORD("generations"), PLAIN },
	{ WORD("edits"), PLAIN },         { WORD("audio"), PLAIN },            { WORD("speech"), PLAIN },
	{ WORD("transcriptions"), PLAIN }, { WORD("translations"), PLAIN },    { WORD("videos"), COLLECTION },
	{ WORD("files"), COLLECTION },    { WORD("content"), PLAIN },          { WORD("uploads"), COLLECTION },
	{ WORD("parts"), COLLECTION },    { WORD("fine_tuning"), PLAIN },      { WORD("jobs"), COLLECTION },
	{ WORD("vector_stores"), COLLECTION }, { WORD("assistants"), COLLECTION }, { WORD("threads"), COLLECTION },
	{ WORD("runs"), COLLECTION },     { WORD("steps"), COLLECTION },       { WORD("conversations"), COLLECTION },
	{ WORD("items"), COLLECTION },    { WORD("realtime"), PLAIN },         { WORD("sessions"), COLLECTION },
	{ WORD("agents"), COLLECTION },   { WORD("predictions"), COLLECTION }, { WORD("predict"), PLAIN },
	{ WORD("invoke"), PLAIN },        { WORD("invoke-with-response-stream"), PLAIN }, { WORD("converse"), PLAIN },
	{ WORD("converse-stream"), PLAIN }, { WORD("invocations"), PLAIN },    { WORD("tokenize"), PLAIN },
	{ WORD("detokenize"), PLAIN },    { WORD("fim"), PLAIN },              { WORD("ocr"), PLAIN },
	{ WORD("classify"), PLAIN },      { WORD("score"), PLAIN },            { WORD("pooling"), PLAIN },
	{ WORD("tags"), PLAIN },          { WORD("show"), PLAIN },             { WORD("ps"), PLAIN },
	{ WORD("version"), PLAIN },       { WORD("stream"), PLAIN },           { WORD("beta"), PLAIN },
	{ WORD("api"), PLAIN },           { WORD("inference"), PLAIN },        { WORD("serverless"), PLAIN },
	{ WORD("proxy"), PLAIN },         { WORD("gateway"), PLAIN },          { WORD("ai"), PLAIN },
	{ WORD("llm"), PLAIN },           { WORD("compat"), PLAIN },           { WORD("compatible-mode"), PLAIN },
	{ WORD("coding"), PLAIN },        { WORD("paas"), PLAIN },             { WORD("backend-api"), PLAIN },
	{ WORD("codex"), PLAIN },         { WORD("services"), PLAIN },         { WORD("projects"), COLLECTION },
	{ WORD("locations"), COLLECTION }, { WORD("accounts"), COLLECTION },   { WORD("publishers"), PLAIN },
	{ WORD("endpoints"), COLLECTION }, { WORD("openapi"), PLAIN },         { WORD("global"), PLAIN },
	{ WORD("meta"), PLAIN },          { WORD("mistral"), PLAIN },          { WORD("mistralai"), PLAIN },
	{ WORD("cohere"), PLAIN },        { WORD("groq"), PLAIN },             { WORD("deepseek"), PLAIN },
	{ WORD("xai"), PLAIN },           { WORD("openrouter"), PLAIN },       { WORD("together"), PLAIN },
	{ WORD("fireworks"), PLAIN },     { WORD("vllm"), PLAIN },             { WORD("sglang"), PLAIN },
	{ WORD("azure"), PLAIN },         { WORD("bedrock"), PLAIN },          { WORD("vertex"), PLAIN },
};

/* Beside those of the APIs that are read. */
static const struct str verbs[] = {
	WORD("countTokens"), WORD("predict"), WORD("streamRawPredict"), WORD("rawPredict"),
};

/* Behind these stands somebody, or something that opens a door. */
static const struct str private_words[] = {
	WORD("home"),   WORD("users"),  WORD("user"), WORD("root"),     WORD("u"),    WORD("token"), WORD("tokens"),
	WORD("key"),    WORD("keys"),   WORD("auth"), WORD("apikey"),   WORD("bot"),  WORD("api-key"), WORD("api_key"),
	WORD("secret"), WORD("secrets"), WORD("pass"), WORD("password"),
};

static int path_word(struct str part)
{
	for (size_t i = 0; i < COUNT(words); i++)
		if (str_eq(part, words[i].word))
			return words[i].what;
	return exchange_is_path_word(part) ? PLAIN : -1;
}

static bool path_is_verb(struct str word)
{
	return str_is_one_of(word, verbs, COUNT(verbs)) || exchange_is_path_word(word);
}

bool trace_path_is_collection(struct str word)
{
	int what = path_word(word);

	return what == COLLECTION || what == MODELS;
}

static bool path_is_private(struct str part)
{
	for (size_t i = 0; i < COUNT(private_words) && part.n <= OWN_MOST; i++)
		if (str_eq_nocase(part, private_words[i]))
			return true;
	return false;
}

/* Of the address that the user gave: plain words, none of which could be a key. */
static bool path_is_own(struct str part, bool after_private)
{
	for (size_t i = 0; i < part.n; i++)
		if (!ascii_is_name(part.p[i]))
			return false;
	return part.n <= OWN_MOST && !after_private && !path_is_private(part) && part.p[0] != '.' &&
	       !leak_looks_like_key(part) && str_eq(clean_model(part), part);
}

/* NAME or NAME:verb. */
static bool is_model_part(struct str part)
{
	struct str name = part;

	for (size_t i = part.n; i-- > 0 && name.n == part.n;)
		if (part.p[i] == ':' && path_is_verb(str_of(part.p + i + 1, part.n - i - 1)))
			name.n = i;
	return name.n > 0 && str_eq(clean_model(name), name);
}

struct str trace_path_clean(struct arena *a, struct str path, size_t own)
{
	bool hidden = false, after_private = false;
	struct buf out = { 0 };
	int behind = PLAIN;

	for (size_t at = 0, end; at < path.n; at = end) {
		struct str part;
		bool known;

		for (end = at + 1; end < path.n && path.p[end] != '/';)
			end++;
		part = str_of(path.p + at + 1, end - at - 1);
		known = part.n == 0 || path_word(part) >= 0 || service_is_version(part) ||
			(behind == MODELS && is_model_part(part)) || (end <= own && path_is_own(part, after_private));
		after_private = after_private || path_is_private(part);
		behind = path_word(part);
		if (known)
			buf_add_str(&out, str_of(path.p + at, end - at));
		else if (!hidden)
			buf_add_str(&out, STR("/..."));
		hidden = !known;
	}
	return arena_take(a, &out);
}
