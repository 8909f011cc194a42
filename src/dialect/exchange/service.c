/* Walks the services that the rows of exchange.h name. */
#include "dialect/exchange/service.h"

#include "dialect/exchange/exchange.h"

static bool service_is_before(const struct service *s, size_t end)
{
	for (size_t i = 0; i < end; i++)
		if (exchange_apis[i]->service == s)
			return true;
	return false;
}

const struct service *service_next(size_t *at)
{
	while (exchange_apis[*at]) {
		const struct service *s = exchange_apis[(*at)++]->service;

		if (s && !service_is_before(s, *at - 1))
			return s;
	}
	return NULL;
}

bool service_path_begins(struct str path, struct str part)
{
	return str_starts(path, part) && (path.n == part.n || path.p[part.n] == '/' || path.p[part.n] == '?');
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
