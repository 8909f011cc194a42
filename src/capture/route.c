#include "capture/route.h"

#include "base/buf.h"
#include "base/mask.h"

#define SHOWN_MOST 100 /* bytes of what the user gave, in a message */

/* The first variable that is set counts. */
static const struct {
	const char *name, *variables[3], *address;
	bool versioned;
} known[] = {
	{ "openai", { "OPENAI_BASE_URL", "OPENAI_API_BASE", "OPENAI_HOST" }, "https://api.openai.com/v1", true },
	{ "anthropic", { "ANTHROPIC_BASE_URL", "ANTHROPIC_API_URL", "ANTHROPIC_HOST" }, "https://api.anthropic.com",
	  false },
	{ "ollama", { "OLLAMA_HOST", NULL, NULL }, "http://127.0.0.1:11434", false },
	{ "gemini", { "GOOGLE_GEMINI_BASE_URL", NULL, NULL }, "https://generativelanguage.googleapis.com", false },
};

/* Ollama's clients take "0.0.0.0", "host:port" and ":port" as addresses. */
static struct str complete_ollama(struct arena *a, struct str text)
{
	struct str rest, host;
	bool any;

	if (str_find(text, STR("://")) != (size_t)-1)
		return text;
	host = str_cut(text, ':', &rest);
	any = host.n == 0 || str_eq(host, STR("0.0.0.0"));
	if (any)
		host = STR("127.0.0.1");
	return ARENA_JOIN(a, STR("http://"), host, STR(":"), rest.n ? rest : STR("11434"));
}

static bool set_address(struct routes *r, struct route *t, struct str text, struct err *err)
{
	if (str_eq(t->name, STR("ollama")))
		text = complete_ollama(r->arena, text);
	if (!url_parse(r->arena, text, &t->url, err))
		return false;
	if (t->versioned && t->url.path.n == 0)
		t->url.path = STR("/v1");
	return true;
}

static struct route *add_route(struct routes *r, struct str name, bool versioned)
{
	struct route *t = arena_new(r->arena, struct route);

	t->name = arena_copy(r->arena, name);
	t->versioned = versioned;
	t->next = r->first;
	r->first = t;
	return t;
}

bool routes_init(struct routes *r, struct arena *a, const char *(*get)(const char *name), struct err *err)
{
	*r = (struct routes){ .arena = a };
	for (size_t i = 0; i < COUNT(known); i++) {
		struct route *t = add_route(r, str_from(known[i].name), known[i].versioned);
		const char *text = known[i].address, *from = NULL;

		for (size_t k = 0; k < COUNT(known[i].variables) && !from; k++) {
			const char *value = known[i].variables[k] ? get(known[i].variables[k]) : NULL;

			if (value && *value) {
				from = known[i].variables[k];
				text = value;
			}
		}
		if (!set_address(r, t, str_from(text), err))
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
		/* nothing of the address is shown: it may all be a key */
		return err_set(err, ERR_USAGE,
			       "%s: the address of %.*s has %s, which would not reach the service\n"
			       "= help: let the agent send it with its requests, as a key in a header; and give the "
			       "address without it: --upstream %.*s=URL", t->from ? t->from : "--upstream",
			       STR_ARG(t->name), what, STR_ARG(t->name));
	}
	return true;
}

static bool is_name(struct str name)
{
	static const char taken[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_";

	for (size_t i = 0; i < name.n; i++)
		if (!memchr(taken, name.p[i], sizeof(taken) - 1))
			return false;
	/* these begin paths of services: clients that cannot be given a path of their own ask for them */
	return name.n > 0 && !str_eq(name, STR("v1")) && !str_eq(name, STR("v1beta")) && !str_eq(name, STR("api"));
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

/* An address without a name may have a password in it. */
static struct str route_masked(struct arena *a, struct str given)
{
	struct str shown;
	struct buf b;

	buf_init(&b);
	mask_show(&b, given, SHOWN_MOST);
	shown = arena_copy(a, buf_str(&b));
	buf_free(&b);
	return shown;
}

bool routes_set(struct routes *r, struct str given, struct err *err)
{
	struct str text, name = str_cut(given, '=', &text);
	struct route *t;

	if (!is_name(name) || text.n == 0)
		return err_set(err, ERR_USAGE,
			       "--upstream takes NAME=URL, not '%.*s'\n= help: "
			       "--upstream openai=http://127.0.0.1:8000/v1; names known to clients are "
			       "openai, anthropic, ollama and gemini", STR_ARG(route_masked(r->arena, given)));
	t = find(r, name);
	if (!t)
		t = add_route(r, name, false);
	t->from = "--upstream";
	return set_address(r, t, text, err) || err_context(err, "--upstream");
}

/* ---- requests ---- */

static bool has(struct str path, const char *text)
{
	return str_find(path, str_from(text)) != (size_t)-1;
}

static bool begins_with_part(struct str path, struct str part)
{
	return str_starts(path, part) &&
	       (path.n == part.n || path.p[part.n] == '/' || path.p[part.n] == '?');
}

/* The service of a request that does not name it. */
static const char *guess(const struct http_head *h, struct str path)
{
	static const struct {
		const char *text, *name;
	} signs[] = {
		{ "/v1/messages", "anthropic" },  { "/v1beta", "gemini" },
		{ ":generateContent", "gemini" }, { ":streamGenerateContent", "gemini" }, { ":embedContent", "gemini" },
	};

	if (http_find(h, STR("anthropic-version")).p)
		return "anthropic";
	if (http_find(h, STR("x-goog-api-key")).p)
		return "gemini";
	for (size_t i = 0; i < COUNT(signs); i++)
		if (has(path, signs[i].text))
			return signs[i].name;
	/* "/" too: Ollama's clients ask whether it is there */
	if (str_eq(path, STR("/")) || (begins_with_part(path, STR("/api")) && !begins_with_part(path, STR("/api/v1"))))
		return "ollama";
	return "openai";
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
static const struct route *cut_name(const struct routes *r, struct str *path)
{
	struct str rest = str_of(path->p + 1, path->n ? path->n - 1 : 0);

	if (path->n == 0 || path->p[0] != '/')
		return NULL;
	for (const struct route *t = r->first; t; t = t->next) {
		if (!begins_with_part(rest, t->name))
			continue;
		*path = str_of(rest.p + t->name.n, rest.n - t->name.n);
		return t;
	}
	return NULL;
}

static struct str join(struct arena *a, const struct route *t, struct str path)
{
	struct str base = t->url.path, v1 = STR("/v1");

	/* clients append to /openai/v1 what they would append to the service's own address */
	if (begins_with_part(path, v1) && (t->versioned || str_ends(base, v1)))
		path = str_of(path.p + v1.n, path.n - v1.n);
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
	const struct route *t = cut_name(r, &path);

	if (!t)
		t = find(r, str_from(guess(h, path)));
	to->url = &t->url;
	/* "OPTIONS *" has no path at all */
	to->target = str_eq(h->target, STR("*")) ? h->target : join(a, t, path);
	to->route = t;
	return t;
}
