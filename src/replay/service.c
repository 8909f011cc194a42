/* One pass over the tape for each answer; the interface is told by the end of a path. */
#include "replay/service.h"

static const struct {
	const char *ending, *api;
} apis[] = {
	{ "/chat/completions", "chat completions" },
	{ "/responses", "responses" },
	{ "/messages", "messages" },
	{ ":generateContent", "generateContent" },
	{ ":streamGenerateContent", "generateContent" },
	{ "/api/chat", "chat" },
	{ "/api/generate", "generate" },
	{ "/v2/chat", "chat" },
	{ "/completions", "completions" },
	{ "/embeddings", "embeddings" },
};

static struct str provider_of(const struct tape_http *h)
{
	return h->provider;
}

static struct str api_of(const struct tape_http *h)
{
	struct str query, path = str_cut(h->target, '?', &query);

	for (size_t i = 0; i < COUNT(apis); i++)
		if (str_ends(path, str_from(apis[i].ending)))
			return str_from(apis[i].api);
	return str_of(NULL, 0);
}

static struct str find_common(const struct tape *t, struct str (*get)(const struct tape_http *h))
{
	struct str found = { NULL, 0 };

	for (size_t i = 0; i < t->count; i++) {
		struct str one;

		if (t->lines[i].lane != TAPE_MODEL)
			continue;
		one = get(&t->lines[i].http);
		if (!one.p || !one.n)
			continue;
		if (found.p && !str_eq(found, one))
			return STR("several");
		found = one;
	}
	return found;
}

struct str service_provider(const struct tape *t)
{
	return find_common(t, provider_of);
}

struct str service_api(const struct tape *t)
{
	return find_common(t, api_of);
}
