/* Walks the services, and knows versions and paths of theirs. */
#include "dialect/exchange/service.h"

#include "base/ascii.h"
#include "dialect/exchange/exchange.h"
#include "dialect/record/field.h"

static bool service_is_before(const struct service *s, size_t end)
{
	for (size_t i = 0; i < end; i++)
		if (exchange_apis[i]->service == s)
			return true;
	return false;
}

const struct service *service_next(size_t *at)
{
	size_t apis = 0;

	while (exchange_apis[apis])
		apis++;
	while (*at < apis) {
		const struct service *s = exchange_apis[(*at)++]->service;

		if (s && !service_is_before(s, *at - 1))
			return s;
	}
	return service_hosted[*at - apis].name ? &service_hosted[(*at)++ - apis] : NULL;
}

const struct service *service_find(struct str name)
{
	const struct service *s;
	size_t at = 0;

	while ((s = service_next(&at)))
		if (str_eq(name, str_from(s->name)))
			return s;
	return NULL;
}

bool service_is_told(const struct service *s)
{
	return s->header || s->signs[0].n || s->owns_path || s->is_default;
}

/* ---- paths ---- */

bool service_path_begins(struct str path, struct str part)
{
	return str_starts(path, part) && (path.n == part.n || path.p[part.n] == '/' || path.p[part.n] == '?');
}

static bool service_is_number(struct str s)
{
	for (size_t i = 0; i < s.n; i++)
		if (!ascii_is_digit(s.p[i]))
			return false;
	return s.n > 0 && s.n <= 2;
}

bool service_is_version(struct str part)
{
	static const struct str stages[] = { WORD("alpha"), WORD("beta") };
	struct str rest = str_of(part.p + 1, part.n ? part.n - 1 : 0), minor = { NULL, 0 };

	if (part.n < 2 || part.p[0] != 'v')
		return false;
	for (size_t i = 0; i < COUNT(stages); i++) {
		size_t at = str_find(rest, stages[i]);

		if (at != (size_t)-1) {
			struct str after = { rest.p + at + stages[i].n, rest.n - at - stages[i].n };

			return service_is_number(str_of(rest.p, at)) && (after.n == 0 || service_is_number(after));
		}
	}
	rest = str_cut(rest, '.', &minor);
	return service_is_number(rest) && (minor.n == 0 || service_is_number(minor));
}

static bool service_stands_for_version(struct str part)
{
	return service_is_version(part) || str_eq(part, STR("beta"));
}

size_t service_version_first(const struct service *s, struct str path)
{
	size_t n = 1;

	if (s && s->version && s->version[0] && service_path_begins(path, str_from(s->version)))
		return strlen(s->version);
	if (path.n == 0 || path.p[0] != '/')
		return 0;
	while (n < path.n && path.p[n] != '/' && path.p[n] != '?')
		n++;
	return service_stands_for_version(str_of(path.p + 1, n - 1)) ? n : 0;
}

size_t service_version_last(const struct service *s, struct str path)
{
	size_t at = path.n;

	if (s && s->version && s->version[0] && str_ends(path, str_from(s->version)))
		return strlen(s->version);
	while (at > 0 && path.p[at - 1] != '/')
		at--;
	return at > 0 && service_stands_for_version(str_of(path.p + at, path.n - at)) ? path.n - at + 1 : 0;
}

const struct service_path *service_find_path(const struct service *s, struct str path)
{
	for (const struct service_path *row = s ? s->paths : NULL; row && row->begins.n; row++)
		if (service_path_begins(path, row->begins))
			return row;
	return NULL;
}

/* Whether a path is this name behind a slash, or goes on behind it. */
static bool service_root_is(struct str path, struct str name)
{
	return path.n > 1 && path.p[0] == '/' && service_path_begins(str_of(path.p + 1, path.n - 1), name);
}

/* A name is tried as a path too, for services that know their paths only by a function. */
bool service_is_root(struct str name)
{
	const struct service *s;
	size_t at = 0;
	char root[64];

	if (name.n == 0 || name.n >= sizeof(root))
		return false;
	root[0] = '/';
	memcpy(root + 1, name.p, name.n);
	while ((s = service_next(&at))) {
		if (!service_is_told(s)) /* its requests always name it */
			continue;
		if (s->version && service_root_is(str_from(s->version), name))
			return true;
		if (s->owns_path && s->owns_path(str_of(root, name.n + 1)))
			return true;
		for (size_t i = 0; s->signs[i].n; i++)
			if (service_root_is(s->signs[i], name))
				return true;
	}
	return false;
}
