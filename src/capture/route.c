#include "capture/route.h"

#include <assert.h>

/* The service may complete what people write (a host alone); an address without a path gets the version's. */
static bool set_address(struct routes *r, struct route *t, struct str text, struct err *err)
{
	if (t->service && t->service->complete)
		text = t->service->complete(r->arena, text);
	if (!url_parse(r->arena, text, &t->url, err))
		return false;
	if (t->url.path.n == 0)
		t->url.path = t->version;
	return true;
}

static struct route *add_route(struct routes *r, struct str name, const struct service *service)
{
	struct route **last = &r->first, *t = arena_new(r->arena, struct route);

	while (*last)
		last = &(*last)->next;
	*last = t;
	t->name = arena_copy(r->arena, name);
	t->service = service;
	t->version = str_from(service && service->version ? service->version : "");
	return t;
}

/* The first of these variables that is set; *value gets what it says. NULL when none is. */
static const char *route_find_variable(const char *const *names, const char *(*get)(const char *name),
				       const char **value)
{
	for (; *names; names++) {
		*value = get(*names);
		if (*value && **value)
			return *names;
	}
	return NULL;
}

bool routes_init(struct routes *r, struct arena *a, const char *(*get)(const char *name), struct err *err)
{
	const struct service *s;
	size_t at = 0;

	*r = (struct routes){ .arena = a };
	while ((s = service_next(&at))) {
		struct route *t = add_route(r, str_from(s->name), s);
		const char *value, *from = route_find_variable(s->base_env, get, &value);

		if (!from)
			from = route_find_variable(s->host_env, get, &value);
		if (!set_address(r, t, str_from(from ? value : s->host), err))
			return from ? err_context(err, from) : false;
		t->from = from;
	}
	return true;
}

bool routes_check(const struct routes *r, struct err *err)
{
	for (const struct route *t = r->first; t; t = t->next) {
		const char *what = t->url.user.p ? "a user or password before its host" : "a query behind its path";

		if (!t->url.user.p && !t->url.query.p)
			continue;
		assert(t->from); /* public addresses have neither */
		/* nothing of the address is shown: it may all be a key */
		return err_set(err, ERR_USAGE,
			       "%s: the address of %.*s has %s, which would not reach the service" ERR_HELP
			       "let the agent send it with its requests, as a key in a header; and give the "
			       "address without it", t->from, STR_ARG(t->name), what) ||
		       err_advise(err, ADVICE_UPSTREAM);
	}
	return true;
}

bool routes_is_name(struct str name)
{
	static const char taken[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_";

	for (size_t i = 0; i < name.n; i++)
		if (!memchr(taken, name.p[i], sizeof(taken) - 1))
			return false;
	/* clients that cannot be given a path of their own ask for paths that begin so */
	return name.n > 0 && !service_is_root(name);
}

static struct route *find(const struct routes *r, struct str name)
{
	struct route *t = r->first;

	while (t && !str_eq(t->name, name))
		t = t->next;
	return t;
}

const struct route *routes_find(const struct routes *r, struct str name)
{
	return find(r, name);
}

bool routes_set(struct routes *r, struct str name, struct str address, const char *from, struct err *err)
{
	struct route *t = find(r, name);

	assert(routes_is_name(name));
	if (!t)
		t = add_route(r, name, NULL);
	t->from = from;
	return set_address(r, t, address, err) || err_context(err, from);
}

/* ---- requests ---- */

static bool route_has_sign(const struct service *s, struct str path)
{
	for (size_t i = 0; s->signs[i].n; i++)
		if (str_find(path, s->signs[i]) != (size_t)-1)
			return true;
	return false;
}

/* The service of a request that does not name it. Headers tell it more surely than paths do. */
static const struct route *route_guess(const struct routes *r, const struct http_head *h, struct str path)
{
	const struct route *usual = NULL, *owner = NULL, *signed_by = NULL;

	for (const struct route *t = r->first; t && t->service; t = t->next) {
		const struct service *s = t->service;

		if (s->header && http_find(h, str_from(s->header)).p)
			return t;
		if (!signed_by && route_has_sign(s, path))
			signed_by = t;
		if (!owner && s->owns_path && s->owns_path(path))
			owner = t;
		if (s->is_default)
			usual = t;
	}
	assert(usual); /* routes of services come first, and one is the default */
	return signed_by ? signed_by : owner ? owner : usual;
}

/* Of an absolute target only what follows the host is ours to look at. */
static struct str path_of(struct str target)
{
	size_t at = str_find(target, STR("://"));
	const char *slash;

	if (target.n && target.p[0] == '/')
		return target;
	if (at == (size_t)-1)
		return target;
	slash = memchr(target.p + at + 3, '/', target.n - at - 3);
	return slash ? str_of(slash, (size_t)(target.p + target.n - slash)) : STR("/");
}

/* The route a path names, and what is left of the path; NULL when it names none. */
static const struct route *route_cut_name(const struct routes *r, struct str *path)
{
	struct str rest = str_of(path->p + 1, path->n ? path->n - 1 : 0);

	if (path->n == 0 || path->p[0] != '/')
		return NULL;
	for (const struct route *t = r->first; t; t = t->next) {
		if (!service_path_begins(rest, t->name))
			continue;
		*path = str_of(rest.p + t->name.n, rest.n - t->name.n);
		return t;
	}
	return NULL;
}

/* The upstream's own path, and the client's without the part that both have. */
static struct str join(struct arena *a, const struct route *t, struct str path)
{
	struct str base = t->url.path, version = t->version.n ? t->version : STR("/v1");

	/* clients append to /openai/v1 what they would append to the service's own address */
	if (service_path_begins(path, version) && (t->version.n || str_ends(base, version)))
		path = str_of(path.p + version.n, path.n - version.n);
	if (base.n == 0 && (path.n == 0 || path.p[0] != '/'))
		base = STR("/");
	return base.n ? ARENA_JOIN(a, base, path) : path;
}

/* Takes the last part of a path away, past empty ones and "." */
static struct str route_last_part(struct str *path)
{
	struct str part = { "", 0 };

	while (path->n && (part.n == 0 || str_eq(part, STR(".")))) {
		size_t end = path->n;

		while (path->n && path->p[path->n - 1] != '/')
			path->n--;
		part = str_of(path->p + path->n, end - path->n);
		path->n -= path->n > 0;
	}
	return part;
}

bool routes_is_telemetry(struct str target)
{
	static const char *const names[] = { "traces", "logs", "metrics" };
	struct str query, path = str_cut(target, '?', &query), name = route_last_part(&path);

	if (!http_name_eq(route_last_part(&path), STR("v1")))
		return false;
	for (size_t i = 0; i < COUNT(names); i++)
		if (http_name_eq(name, str_from(names[i])))
			return true;
	return false;
}

const struct route *routes_choose(const struct routes *r, struct arena *a, const struct http_head *h,
				  struct proxy_destination *to)
{
	struct str path = path_of(h->target);
	const struct route *t = route_cut_name(r, &path);

	if (!t)
		t = route_guess(r, h, path);
	to->url = &t->url;
	/* "OPTIONS *" has no path at all */
	to->target = str_eq(h->target, STR("*")) ? h->target : join(a, t, path);
	to->route = t;
	return t;
}
