/* Cuts the text at its first colon and its last @, since models have colons, and some an @, in their names. */
#include "bench/run/target.h"

#include "base/ascii.h"
#include "base/buf.h"

#define TAG_MOST 200 /* bytes: it is part of a file's name, and such a name has 255 */

static const char *const levels[] = { "low", "medium", "high", "xhigh" };

/* Cuts the level off the model. A model may have an @ in its own name, so a last word that is no level is told. */
static bool take_thinking(struct target *t, struct str text, struct err *err)
{
	size_t at = t->model.n;
	struct str word;

	while (at > 0 && t->model.p[at - 1] != '@')
		at--;
	if (at == 0)
		return true;
	word = str_skip(t->model, at);
	t->model.n = at - 1;
	if (str_is_word_of(word, levels, COUNT(levels)))
		t->thinking = word;
	else if (!str_eq(word, STR("none")))
		return err_set(err, ERR_USAGE,
			       "'%.*s': '%.*s' is not a thinking level" ERR_HELP
			       "it is low, medium, high or xhigh; behind a model with an @ in its name write @none",
			       STR_ARG(text), STR_ARG(word));
	return true;
}

bool target_parse(struct arena *a, struct str text, struct target *out, struct err *err)
{
	struct str rest, name = str_cut(text, ':', &rest);

	*out = (struct target){ .provider = provider_find(name) };
	if (!out->provider && name.n)
		return provider_refuse_name(name, err);
	out->model = rest;
	if (!take_thinking(out, text, err))
		return false;
	if (!name.n || !out->model.n)
		return err_set(err, ERR_USAGE, "'%.*s' names no model" ERR_HELP
			       "write PROVIDER:MODEL or PROVIDER:MODEL@THINKING, as ollama:llama3.2:3b",
			       STR_ARG(text));
	if (out->thinking.p && !provider_thinks(out->provider))
		return err_set(err, ERR_USAGE, "'%.*s': %s has no thinking levels" ERR_HELP "leave out '@%.*s'",
			       STR_ARG(text), provider_name(out->provider), STR_ARG(out->thinking));
	out->model = arena_copy(a, out->model);
	if (out->thinking.p)
		out->thinking = arena_copy(a, out->thinking);
	out->tag = target_tag(a, str_from(provider_name(out->provider)), out->model, out->thinking);
	if (out->tag.n > TAG_MOST)
		return err_set(err, ERR_USAGE, "the model '%.*s...' has too long a name: it is part of a file's"
			       ERR_HELP "%d bytes is the most, with the provider and the thinking level",
			       40, out->model.p, TAG_MOST);
	return true;
}

struct str target_long_name(struct arena *a, struct str text)
{
	struct str rest, name = str_cut(text, ':', &rest);
	const struct provider *p = name.n < text.n ? provider_find(name) : NULL;

	return p ? ARENA_JOIN(a, str_from(provider_name(p)), STR(":"), rest) : text;
}

struct str target_name(struct arena *a, struct str provider, struct str model, struct str thinking)
{
	return ARENA_JOIN(a, provider, STR(":"), model, thinking.p ? STR("@") : STR(""), thinking);
}

struct str target_tag(struct arena *a, struct str provider, struct str model, struct str thinking)
{
	struct str whole = ARENA_JOIN(a, provider, STR("__"), model, STR("__"), thinking.p ? thinking : STR("none"));
	char *out = arena_array(a, char, whole.n + 1);
	size_t n = 0;
	bool odd = false;

	for (size_t i = 0; i < whole.n; i++) {
		bool plain = ascii_is_name(whole.p[i]);

		if (plain)
			out[n++] = whole.p[i];
		else if (!odd)
			out[n++] = '_';
		odd = !plain;
	}
	return str_of(out, n);
}
