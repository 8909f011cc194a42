#include "dialect/agent_trace_clean.h"

#include "base/mask.h"
#include "dialect/field.h"
#include "dialect/leak.h"

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))
#define KEY_LEAST 12 /* bytes: no key of a service is shorter */
#define ID_MAX 128
#define NAME_MAX_BYTES 200

static const struct {
	struct str provider, endpoint;
} endpoints[] = {
	{ WORD("anthropic"), WORD("https://api.anthropic.com/v1/messages") },
	{ WORD("openai"), WORD("https://api.openai.com/v1") },
	{ WORD("google"), WORD("https://generativelanguage.googleapis.com") },
	{ WORD("gemini"), WORD("https://generativelanguage.googleapis.com") },
	{ WORD("mistral"), WORD("https://api.mistral.ai/v1") },
	{ WORD("mistralai"), WORD("https://api.mistral.ai/v1") },
	{ WORD("deepseek"), WORD("https://api.deepseek.com") },
	{ WORD("groq"), WORD("https://api.groq.com/openai/v1") },
	{ WORD("xai"), WORD("https://api.x.ai/v1") },
	{ WORD("together"), WORD("https://api.together.xyz/v1") },
	{ WORD("fireworks"), WORD("https://api.fireworks.ai/inference/v1") },
	{ WORD("cohere"), WORD("https://api.cohere.com") },
	{ WORD("openrouter"), WORD("https://openrouter.ai/api/v1") },
};

static const struct str frameworks[] = {
	WORD("langgraph"), WORD("crewai"), WORD("autogen"), WORD("claude_code"), WORD("cursor_sdk"), WORD("raw_openai"),
};

static bool is_same(struct str a, struct str b)
{
	for (size_t i = 0; i < a.n && a.n == b.n; i++)
		if ((a.p[i] >= 'A' && a.p[i] <= 'Z' ? (char)(a.p[i] | 0x20) : a.p[i]) != b.p[i])
			return false;
	return a.n == b.n;
}

static struct str public_endpoint(struct str provider)
{
	for (size_t i = 0; i < COUNT(endpoints); i++)
		if (is_same(provider, endpoints[i].provider))
			return endpoints[i].endpoint;
	return STR("unknown");
}

/* Up to the first of these bytes. */
static struct str cut_at(struct str s, const char *stops)
{
	size_t n = 0;

	while (n < s.n && (s.p[n] == '\0' || !strchr(stops, s.p[n])))
		n++;
	return str_of(s.p, n);
}

static bool has_key(struct str text)
{
	struct buf shown;
	bool hidden;

	if (text.n < KEY_LEAST)
		return false;
	buf_init(&shown);
	hidden = mask_text(&shown, text, 0, NULL, NULL);
	buf_free(&shown);
	return hidden;
}

struct str clean_endpoint(struct arena *a, struct str endpoint, struct str provider)
{
	struct str url = cut_at(str_trim(endpoint), "?#\n\r\t "), host;
	size_t scheme = str_find(url, STR("://")), begin = scheme == (size_t)-1 ? 0 : scheme + 3, user = 0;

	if (url.n == 0 || str_eq(url, STR("unknown")))
		return public_endpoint(provider);
	host = cut_at(str_of(url.p + begin, url.n - begin), "/\\");
	for (size_t i = 0; i < host.n; i++)
		if (host.p[i] == '@')
			user = i + 1;
	if (user)
		url = arena_printf(a, "%.*s%.*s", STR_ARG(str_of(url.p, begin)),
				   STR_ARG(str_of(url.p + begin + user, url.n - begin - user)));
	if (url.n > 1024 || leak_url_credentials(url) || (scheme == (size_t)-1 && leak_has_path(url, NULL, NULL)) ||
	    leak_has_environment(url) || has_key(url))
		return STR("unknown");
	return url;
}

static struct str last_component(struct str path)
{
	size_t at = path.n;

	while (at > 0 && path.p[at - 1] != '/' && path.p[at - 1] != '\\')
		at--;
	return str_of(path.p + at, path.n - at);
}

/*
 * Names of models are made of these, with at most two blanks; a sentence, a value of JSON or an address of somebody's
 * mail is none, whoever puts it there.
 */
static bool is_model_name(struct str text)
{
	size_t blanks = 0;

	for (size_t i = 0; i < text.n; i++) {
		char c = text.p[i];

		if (c <= ' ' ? c != ' ' : c >= 0x7f || strchr("\"'`{}<>$%\\;|&*?!", c))
			return false;
		blanks += c == ' ';
		/* "@cf/meta/llama" is a model; something before the sign and a dot behind it is mail */
		if (c == '@' && i > 0 && memchr(text.p + i, '.', text.n - i) && !memchr(text.p, '/', text.n))
			return false;
	}
	return blanks <= 2;
}

struct str clean_model(struct str model)
{
	struct str text = str_trim(model);
	bool path = text.n > 0 && (text.p[0] == '/' || text.p[0] == '\\' || leak_has_path(text, NULL, NULL));

	while (path && text.n > 1 && (text.p[text.n - 1] == '/' || text.p[text.n - 1] == '\\'))
		text.n--;
	if (path)
		text = last_component(text);
	if (text.n == 0 || leak_is_prose(text) || leak_has_environment(text) || leak_has_path(text, NULL, NULL) ||
	    has_key(text) || !is_model_name(text))
		return STR("unknown");
	return text;
}

struct str clean_tool(struct str name)
{
	struct str text = str_trim(name);

	if (leak_has_arguments(text))
		text = cut_at(text, " \t\r\n\"'`([{<>|;&=");
	if (text.n == 0 || text.n > NAME_MAX_BYTES || leak_has_arguments(text) || leak_is_prose(text) ||
	    leak_has_path(text, NULL, NULL) || leak_has_environment(text) || has_key(text))
		return STR("unknown");
	return text;
}

struct str clean_id(struct str id)
{
	if (!id.p || id.n == 0 || id.n > ID_MAX)
		return str_of(NULL, 0);
	for (size_t i = 0; i < id.n; i++)
		if (id.p[i] <= ' ' || id.p[i] >= 0x7f || strchr("/\\=~@\"'<>(){}", id.p[i]))
			return str_of(NULL, 0);
	return has_key(id) ? str_of(NULL, 0) : id;
}

struct str clean_framework(struct str word)
{
	for (size_t i = 0; i < COUNT(frameworks); i++)
		if (str_eq(word, frameworks[i]))
			return frameworks[i];
	return STR("unknown");
}
