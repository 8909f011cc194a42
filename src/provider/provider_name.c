/* The list of providers, and every name that people may type for one; a new short name is a row of the second list. */
#include "provider/provider_row.h"

#include "base/buf.h"

#define NEAR 2 /* edits between a word and a name that it may have been meant for */

const struct provider *const provider_rows[] = {
	&provider_ollama_openai, &provider_openai_responses, &provider_claude_code_cli, &provider_ollama_native,
	&provider_anthropic_messages, &provider_gemini, &provider_azure, &provider_openrouter, &provider_mock, NULL,
};

const struct provider_alias provider_aliases[] = {
	{ "openai", &provider_openai_responses },
	{ "openai-chat", &provider_ollama_openai },
	{ "vllm", &provider_ollama_openai },
	{ "ollama", &provider_ollama_native },
	{ "anthropic", &provider_anthropic_messages },
	{ "claude", &provider_claude_code_cli },
	{ NULL, NULL },
};

const struct provider *provider_find(struct str name)
{
	for (size_t i = 0; provider_rows[i]; i++)
		if (str_eq(name, str_from(provider_rows[i]->name)))
			return provider_rows[i];
	for (const struct provider_alias *x = provider_aliases; x->name; x++)
		if (str_eq(name, str_from(x->name)))
			return x->row;
	return NULL;
}

/* The word that was given, the names so far, and the nearest of them. */
struct name_search {
	struct str given;
	struct buf list;
	const char *best; /* NULL: none is near */
	size_t least;     /* what its distance must be below */
};

static void name_search_offer(struct name_search *s, const char *name)
{
	size_t distance = str_distance(s->given, str_from(name), NEAR);

	buf_printf(&s->list, "%s%s", s->list.n ? ", " : "", name);
	if (distance < s->least) {
		s->best = name;
		s->least = distance;
	}
}

bool provider_refuse_name(struct str given, struct err *err)
{
	struct name_search s = { .given = given, .least = given.n <= NEAR ? given.n : NEAR + 1 };

	buf_init(&s.list);
	for (const struct provider_alias *x = provider_aliases; x->name; x++)
		name_search_offer(&s, x->name);
	for (size_t i = 0; provider_rows[i]; i++)
		name_search_offer(&s, provider_rows[i]->name);
	if (s.best)
		err_set(err, ERR_USAGE, "there is no provider '%.*s'" ERR_HELP "did you mean '%s'?", STR_ARG(given),
			s.best);
	else
		err_set(err, ERR_USAGE, "there is no provider '%.*s'" ERR_HELP "it is one of %.*s", STR_ARG(given),
			STR_ARG(buf_str(&s.list)));
	buf_free(&s.list);
	return false;
}
