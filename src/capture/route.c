#include "capture/route_private.h"

#include <assert.h>

/* ---- addresses ---- */

/*
 * What the path of an address says: `root` is before the version, the whole is what the words of the API follow. `ends`
 * is what such addresses end in. An address that has a version of its own, or none where one was expected, says it all:
 * no version of a client's counts then.
 */
static void route_read_path(struct routes *r, struct route *t, struct str ends)
{
	struct str path = t->url.path;
	size_t last;

	t->root = path;
	t->fixed = false;
	if (!t->service || !t->service->paths)
		return;
	if (ends.n && str_ends(path, ends)) {
		t->root = str_of(path.p, path.n - ends.n);
	} else if (path.n && (last = service_version_last(t->service, path)) > 0) {
		t->root = str_of(path.p, path.n - last);
		t->fixed = !str_ends(path, t->version) || t->version.n == 0;
	} else if (path.n) {
		t->fixed = ends.n > 0;
	}
	if (!t->fixed)
		t->url.path = t->version.n ? ARENA_JOIN(r->arena, t->root, t->version) : t->root;
}

/* The service may complete what people write (a host alone). `ends` as in struct service_variable. */
static bool route_set_address(struct routes *r, struct route *t, struct str text, struct str ends, struct err *err)
{
	if (t->service && t->service->complete)
		text = t->service->complete(r->arena, text);
	if (!url_parse(r->arena, text, &t->url, err))
		return false;
	route_read_path(r, t, ends);
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

/* The first variable of a service that is set; *value gets what it says. NULL when none is. */
static const struct service_variable *route_find_variable(const struct service *s,
							  const char *(*get)(const char *name), const char **value)
{
	for (const struct service_variable *v = s->variables; v->name; v++) {
		*value = v->flags & SERVICE_WEBSOCKET ? NULL : get(v->name);
		if (*value && **value)
			return v;
	}
	return NULL;
}

bool routes_init(struct routes *r, struct arena *a, const char *(*get)(const char *name), struct err *err)
{
	const struct service *s;
	size_t at = 0;

	*r = (struct routes){ .arena = a };
	while ((s = service_next(&at))) {
		const char *value;
		const struct service_variable *from = route_find_variable(s, get, &value);
		struct route *t;

		if (!from && !s->host)
			continue;
		t = add_route(r, str_from(s->name), s);
		t->from = from ? from->name : NULL;
		if (!route_set_address(r, t, str_from(from ? value : s->host), str_from(from ? from->path : ""), err))
			return from ? err_context(err, from->name) : false;
		t->home = t->url;
		if (s->host && !url_parse(a, str_from(s->host), &t->usual, err))
			return false;
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
		t = add_route(r, name, service_find(name));
	t->from = from;
	t->is_set = true;
	return route_set_address(r, t, address, str_from(t->service ? t->service->variables[0].path : ""), err) ||
	       err_context(err, from);
}

void routes_hide(struct routes *r, struct str name, struct str beginning)
{
	find(r, name)->hidden = beginning;
}

bool routes_offer(struct routes *r, struct str name, struct str address, const char *from, struct err *err)
{
	struct route *t = find(r, name);

	if (t && t->is_set)
		return url_parse(r->arena, address, &t->home, err) || err_context(err, from);
	if (!routes_set(r, name, address, from, err))
		return false;
	t = find(r, name);
	t->home = t->url;
	t->is_set = false;
	return true;
}

void routes_offer_account(struct routes *r, struct str name, const char *header, struct str address)
{
	struct route *t = find(r, name), *account;
	struct err err;
	bool good;

	if (!t || t->is_set)
		return;
	account = arena_new(r->arena, struct route);
	*account = *t;
	good = route_set_address(r, account, address, str_from(t->service ? t->service->variables[0].path : ""), &err);
	assert(good);
	t->header = good ? header : NULL;
	t->account = good ? account : NULL;
}

/* ---- requests ---- */

static bool route_has_sign(const struct service *s, struct str path)
{
	for (size_t i = 0; s->signs[i].n; i++)
		if (str_find(path, s->signs[i]) != (size_t)-1)
			return true;
	return false;
}

bool route_is_told(const struct service *s, const struct http_head *h, struct str path)
{
	return (s->header && http_find(h, str_from(s->header)).p) || route_has_sign(s, path) ||
	       (s->owns_path && s->owns_path(path));
}

/* The service of a request that does not name it. Headers tell it more surely than paths do. */
static const struct route *route_guess(const struct routes *r, const struct http_head *h, struct str path)
{
	const struct route *usual = NULL, *owner = NULL, *signed_by = NULL;

	for (const struct route *t = r->first; t; t = t->next) {
		const struct service *s = t->service;

		if (!s)
			continue;
		if (s->header && http_find(h, str_from(s->header)).p)
			return t;
		if (!signed_by && route_has_sign(s, path))
			signed_by = t;
		if (!owner && s->owns_path && s->owns_path(path))
			owner = t;
		if (s->is_default)
			usual = t;
	}
	assert(usual); /* one service is the default */
	return signed_by ? signed_by : owner ? owner : usual;
}

/* Of an absolute target only what follows the host is ours to look at. */
struct str route_path_of(struct str target)
{
	size_t at = str_find(target, STR("://"));
	const char *slash;

	if (target.n && target.p[0] == '/')
		return target;
	if (at == (size_t)-1)
		return target;
	slash = memchr(target.p + at + 3, '/', target.n - at - 3);
	if (!slash)
		slash = memchr(target.p + at + 3, '?', target.n - at - 3);
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

/* A service of the user's own: clients append to NAME/v1 what they would append to its own address. */
static struct str route_join_own(struct arena *a, const struct route *t, struct str path)
{
	if (service_path_begins(path, STR("/v1")) && str_ends(t->url.path, STR("/v1")))
		path = str_of(path.p + 3, path.n - 3);
	return ARENA_JOIN(a, t->url.path, path);
}

/* A path that is none of the service's passes as it is; only a version that stands for the address is taken off. */
static struct str route_join_unknown(struct arena *a, const struct route *t, struct str path)
{
	bool asks_address = path.n == 0 && t->service->variables[0].path[0];

	if (asks_address || (t->fixed && t->version.n && service_path_begins(path, t->version)))
		return ARENA_JOIN(a, t->url.path, asks_address ? path : str_of(path.p + t->version.n,
										  path.n - t->version.n));
	return ARENA_JOIN(a, t->root, path);
}

/*
 * Clients disagree whether an address has the version of the API in it, and say it never, once or twice. The last that
 * they say counts, else that of the address, else what the service needs.
 */
struct str route_join(struct arena *a, const struct route *t, struct str path)
{
	const struct service_path *row;
	struct str given = { "", 0 }, rest = path;
	size_t n;

	if (!t->service)
		return route_join_own(a, t, path);
	while ((n = service_version_first(t->service, rest)) > 0) {
		given = str_of(rest.p, n);
		rest = str_of(rest.p + n, rest.n - n);
	}
	row = service_find_path(t->service, rest);
	if (!row)
		return route_join_unknown(a, t, path);
	if (row->version && !row->version[0])
		given = STR("");
	else if (t->fixed)
		return ARENA_JOIN(a, t->url.path, rest);
	else if (!given.n)
		given = row->version ? str_from(row->version) : t->version;
	return ARENA_JOIN(a, t->root, given, rest);
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
	struct str path = route_path_of(h->target);
	const struct route *t = route_cut_name(r, &path);

	if (!t)
		t = route_guess(r, h, path);
	if (t->account && http_find(h, str_from(t->header)).p)
		t = t->account;
	to->url = &t->url;
	/* "OPTIONS *" has no path at all */
	to->target = str_eq(h->target, STR("*")) ? h->target : route_join(a, t, path);
	if (to->target.n == 0 || (to->target.p[0] != '/' && to->target.p[0] != '*'))
		to->target = ARENA_JOIN(a, STR("/"), to->target);
	to->route = t;
	return t;
}
