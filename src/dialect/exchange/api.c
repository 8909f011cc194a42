/* Which API a body, or a path, is of. */
#include "dialect/exchange/exchange.h"

#include "dialect/record/field.h"

#define FIT_LEAST 30 /* of the bodies together, to be of an API */
#define FIT_ALONE 40 /* of a request, to be of an API without anything else that says so */
#define FIT_PATH 100 /* a path that says so */

#define ROW_OF(name) &name##_api,

const struct exchange_api *const exchange_apis[] = { VENDORS(ROW_OF) &embeddings_api, NULL };

/* The length of the longest of these that the path ends in; 0 for none. */
static size_t path_find_end(struct str path, const struct str *ends)
{
	size_t most = 0;

	for (; ends->n; ends++)
		if (ends->n > most && str_ends(path, *ends))
			most = ends->n;
	return most;
}

/* The row of a path, by the longest end: one vendor's path may end in another's. *embeds: it is for embeddings. */
static const struct exchange_api *path_find_row(struct str path, bool *embeds)
{
	const struct exchange_api *best = NULL;
	size_t most = 0;

	*embeds = false;
	for (const struct exchange_api *const *api = exchange_apis; *api; api++) {
		size_t own = path_find_end(path, (*api)->paths);
		size_t more = (*api)->embeds ? path_find_end(path, (*api)->embeds->paths) : 0;

		if (own <= most && more <= most)
			continue;
		*embeds = more > own;
		most = *embeds ? more : own;
		best = *api;
	}
	return best;
}

const struct exchange_api *exchange_api_of_path(struct str path)
{
	bool embeds;
	const struct exchange_api *row = path_find_row(path, &embeds);

	return embeds ? &embeddings_api : row;
}

const char *exchange_framework(const struct exchange_api *api, struct str path)
{
	bool embeds;

	if (api->accompanies)
		api = path_find_row(path, &embeds);
	return api ? api->framework : NULL;
}

/* Whether one of these paths has this part between its slashes and colons. */
static bool path_has_word(const struct str *paths, struct str word)
{
	for (; paths->n; paths++) {
		size_t from = 0;

		for (size_t i = 0; i <= paths->n; i++) {
			if (i < paths->n && paths->p[i] != '/' && paths->p[i] != ':')
				continue;
			if (str_eq(str_of(paths->p + from, i - from), word))
				return true;
			from = i + 1;
		}
	}
	return false;
}

/* Paths of traces are cut to words by whoever cleans them: words of ours may stay. */
bool exchange_is_path_word(struct str word)
{
	const struct service *s;
	size_t at = 0;

	for (const struct exchange_api *const *api = exchange_apis; *api && word.n; api++) {
		if (path_has_word((*api)->paths, word))
			return true;
		if ((*api)->embeds && path_has_word((*api)->embeds->paths, word))
			return true;
	}
	while (word.n && (s = service_next(&at)))
		if (str_eq(str_from(s->name), word) || (s->alias && str_eq(str_from(s->alias), word)))
			return true;
	return false;
}

/* Without an answer or a path only a fit that is sure counts: FIT_ALONE. */
const struct exchange_api *exchange_api_of_request(struct val body)
{
	const struct exchange_api *best = NULL;
	int most = FIT_ALONE - 1;

	for (const struct exchange_api *const *api = exchange_apis; *api; api++) {
		int fit = (*api)->fits_request(body);

		if (fit > most) {
			most = fit;
			best = *api;
		}
	}
	return best;
}

/* A path decides between APIs whose bodies fit; alone it is not enough. */
const struct exchange_api *exchange_find_api(struct val request, struct val response, struct str path)
{
	const struct exchange_api *best = NULL, *named = exchange_api_of_path(path);
	int most = 0;

	for (const struct exchange_api *const *api = exchange_apis; *api; api++) {
		int bodies = (*api)->fits_request(request) + (*api)->fits_response(response);
		int all = bodies >= FIT_LEAST ? bodies + (named == *api ? FIT_PATH : 0) : 0;

		if (all > most) {
			most = all;
			best = *api;
		}
	}
	return best;
}

struct val exchange_tool_choice(struct val request)
{
	struct val choice = val_get(request, STR("tool_choice"));

	if (val_is(choice, JSON_OBJECT))
		choice = val_get(choice, STR("type"));
	for (const struct exchange_api *const *api = exchange_apis; *api && val_is_none(choice); api++)
		if ((*api)->tool_choice)
			choice = (*api)->tool_choice(request);
	return val_is(choice, JSON_STRING) ? choice : VAL_NONE;
}

/* {"function":{"name":...}} or {"name":...}, under either of two names. */
struct val exchange_chosen_tool(struct val request)
{
	static const struct str members[] = { WORD("tool_choice"), WORD("function_call") };
	struct val name = VAL_NONE;

	for (size_t i = 0; i < COUNT(members) && val_is_none(name); i++) {
		struct val choice = val_get(request, members[i]), function = val_get(choice, STR("function"));

		if (val_is(choice, JSON_OBJECT))
			name = val_get(val_is(function, JSON_OBJECT) ? function : choice, STR("name"));
	}
	for (const struct exchange_api *const *api = exchange_apis; *api && val_is_none(name); api++)
		if ((*api)->chosen_tool)
			name = (*api)->chosen_tool(request);
	return val_is(name, JSON_STRING) ? name : VAL_NONE;
}

bool exchange_asks_stream(const struct exchange_api *api, struct val request, struct str path)
{
	struct val stream = val_get(request, STR("stream"));

	if (val_is_bool(stream))
		return val_is(stream, JSON_TRUE);
	return str_find(path, STR(":stream")) != (size_t)-1 || api->streams_unasked;
}
