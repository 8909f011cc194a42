/*
 * Routes by the host that a client asks for by itself, for connections that are intercepted: the public host of each
 * service, the one that its user's own settings name, and the one that requests are led to.
 */
#include <assert.h>

#include "capture/route_private.h"

/* Further hosts of services, most of them for people who signed in; requests go to the same host again. */
static const struct {
	const char *host, *service;
} route_further[] = {
	{ "https://chatgpt.com", "openai" },
	{ "https://cloudcode-pa.googleapis.com", "cloud-code" },
	{ "https://api.githubcopilot.com", "copilot" },
	{ "https://api.individual.githubcopilot.com", "copilot" },
	{ "https://api.business.githubcopilot.com", "copilot" },
	{ "https://api.enterprise.githubcopilot.com", "copilot" },
};

static bool is_at(const struct url *u, const struct url *host)
{
	return u->host.p && u->port == host->port && str_eq_nocase(u->host, host->host);
}

/* A variable of the user's leads its clients to a gateway; who asks the public host all the same goes there. */
static bool is_beside(const struct route *t)
{
	return t->usual.host.p && !is_at(&t->usual, &t->home) && is_at(&t->home, &t->url);
}

static bool is_route_at(const struct route *t, const struct url *host)
{
	return (is_at(&t->usual, host) && !is_beside(t)) || is_at(&t->home, host) || is_at(&t->url, host);
}

void routes_add_hosts(struct routes *r)
{
	for (const struct route *t = r->first; t; t = t->next) {
		struct route *public;

		if (!is_beside(t))
			continue;
		public = arena_new(r->arena, struct route);
		*public = (struct route){ .name = t->name, .service = t->service, .url = t->usual, .next = r->further };
		r->further = public;
	}
	for (size_t i = 0; i < COUNT(route_further); i++) {
		struct route *t = arena_new(r->arena, struct route);
		struct err err;
		bool good;

		t->name = str_from(route_further[i].service);
		t->service = service_find(t->name);
		good = url_parse(r->arena, str_from(route_further[i].host), &t->url, &err);
		assert(good && t->service);
		t->next = r->further;
		if (good)
			r->further = t;
	}
}

/* How much of a path is that of the address clients have for this service. */
static size_t route_begins(const struct route *t, struct str path)
{
	return t->home.path.n && service_path_begins(path, t->home.path) ? t->home.path.n : 0;
}

/*
 * Of several at one host (a gateway, say) the one whose own path the request has, then the one that a header or the
 * path tells; else the first.
 */
static const struct route *route_find_host(const struct routes *r, const struct http_head *h, struct str path,
					   const struct url *host)
{
	const struct route *first = NULL, *told = NULL, *best = NULL, *t;

	for (t = r->first; t; t = t->next) {
		if (!is_route_at(t, host))
			continue;
		first = first ? first : t;
		if (!told && h && t->service && route_is_told(t->service, h, path))
			told = t;
		if (route_begins(t, path) > (best ? route_begins(best, path) : 0))
			best = t;
	}
	for (t = r->further; t && !first; t = t->next)
		first = is_at(&t->url, host) ? t : NULL;
	return best ? best : told ? told : first;
}

const struct route *routes_find_host(const struct routes *r, const struct url *host)
{
	return route_find_host(r, NULL, STR(""), host);
}

bool routes_is_moved(const struct route *t, const struct url *host)
{
	return !is_at(&t->url, host);
}

const struct route *routes_choose_host(const struct routes *r, struct arena *a, const struct http_head *h,
				       const struct url *host, struct proxy_destination *to)
{
	struct str path = route_path_of(h->target);
	const struct route *t = route_find_host(r, h, path, host);

	to->url = t ? &t->url : host;
	to->route = t;
	if (!str_starts(path, STR("/")) && !str_eq(path, STR("*")))
		path = ARENA_JOIN(a, STR("/"), path);
	/* the client knows the paths of the host it asks for; only where another one stands for it they may differ */
	to->target = t && routes_is_moved(t, host) && path.p[0] == '/' ? route_join(a, t, path) : path;
	return t;
}

static void add_host(struct arena *a, struct str **hosts, size_t *count, size_t *cap, const struct url *u)
{
	for (size_t i = 0; i < *count; i++)
		if (str_eq_nocase((*hosts)[i], u->host))
			return;
	if (!u->host.p)
		return;
	arena_grow(a, *hosts, *count, *cap, 16);
	(*hosts)[(*count)++] = u->host;
}

size_t routes_list_hosts(const struct routes *r, struct arena *a, struct str **hosts)
{
	size_t count = 0, cap = 0;

	*hosts = NULL;
	for (const struct route *t = r->first; t; t = t->next) {
		add_host(a, hosts, &count, &cap, &t->usual);
		add_host(a, hosts, &count, &cap, &t->home);
		add_host(a, hosts, &count, &cap, &t->url);
	}
	for (const struct route *t = r->further; t; t = t->next)
		add_host(a, hosts, &count, &cap, &t->url);
	return count;
}
