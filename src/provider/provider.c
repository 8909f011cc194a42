/* What is settled before an engine is asked: address, key, headers, secrets, and the built-in server. */
#include "provider/provider.h"

#include <assert.h>
#include <stdlib.h>

#include "dialect/record/field.h"
#include "net/http/head.h"
#include "provider/mock.h"
#include "provider/provider_row.h"
#include "provider/provider_secret.h"

const char *provider_status_name(enum provider_status s)
{
	assert(s < PROVIDER_STATUSES);
	return result_statuses.items[s].p;
}

const char *provider_name(const struct provider *p)
{
	return p->name;
}

const char *provider_about(const struct provider *p)
{
	return p->about;
}

const char *provider_vendor(const struct provider *p)
{
	return p->vendor;
}

bool provider_thinks(const struct provider *p)
{
	return p->thinks;
}

/* ---- the pool ---- */

enum { HTTP, PROGRAM, ENGINES };

/* A server of our own that a client talks to. */
struct built_in {
	struct built_in *next;
	struct mock *mock;
};

struct provider_pool {
	uv_loop_t *loop;
	struct arena arena;
	struct provider_client *clients;
	struct built_in *servers;
	struct {
		const struct provider_engine *engine;
		struct provider_shared *shared; /* NULL: no client needed it */
	} engines[ENGINES];
	bool closed;
};

struct provider_pool *provider_pool_open(uv_loop_t *loop)
{
	struct provider_pool *pool = mem_alloc(sizeof(*pool));

	*pool = (struct provider_pool){ .loop = loop };
	arena_init(&pool->arena);
	return pool;
}

void provider_pool_close(struct provider_pool *pool)
{
	if (pool->closed)
		return;
	pool->closed = true;
	for (struct provider_client *c = pool->clients; c; c = c->next)
		if (c->engine->close)
			c->engine->close(c);
	for (size_t i = 0; i < ENGINES; i++)
		if (pool->engines[i].shared)
			pool->engines[i].engine->end(pool->engines[i].shared);
	for (struct built_in *b = pool->servers; b; b = b->next)
		mock_stop(b->mock, true);
}

void provider_pool_free(struct provider_pool *pool)
{
	if (!pool)
		return;
	for (struct provider_client *c = pool->clients; c; c = c->next)
		if (c->engine->gone)
			c->engine->gone(c);
	for (size_t i = 0; i < ENGINES; i++)
		if (pool->engines[i].shared)
			pool->engines[i].engine->free(pool->engines[i].shared);
	for (struct built_in *b = pool->servers; b; b = b->next)
		mock_close(b->mock);
	arena_free(&pool->arena);
	mem_free(pool);
}

/* ---- clients ---- */

static struct str from_env(struct arena *a, const char *name)
{
	const char *value = name ? getenv(name) : NULL;
	struct str text = str_trim(str_from(value));

	return text.n ? arena_copy(a, text) : str_of(NULL, 0);
}

const char *provider_lacks_key(const struct provider *p, const struct provider_options *o)
{
	struct str key = o->key.p ? str_trim(o->key) : str_trim(str_from(p->key_env ? getenv(p->key_env) : NULL));

	return p->key_missing && p->key_env && !key.n ? p->key_env : NULL;
}

const char *provider_lacks_address(const struct provider *p, const struct provider_options *o)
{
	if (p->base_usual || o->base.p || !p->base_env)
		return NULL;
	return str_trim(str_from(getenv(p->base_env))).n ? NULL : p->base_env;
}

/* Given, of the environment, or usual. */
static struct str find_base(struct arena *a, const struct provider *p, struct str given)
{
	struct str base = given.p ? arena_copy(a, str_trim(given)) : from_env(a, p->base_env);

	if (!base.p && p->base_usual)
		base = str_from(p->base_usual);
	return base;
}

/* The server is the client's own: its script is. */
static bool start_built_in(struct provider_pool *pool, struct provider_client *c, struct err *err)
{
	struct mock_options o = { .script = c->o.script };
	struct mock *mock = mock_open(pool->loop, &o, err);
	struct built_in *b;

	if (!mock)
		return false;
	b = arena_new(&pool->arena, struct built_in);
	*b = (struct built_in){ .next = pool->servers, .mock = mock };
	pool->servers = b;
	c->o.base = arena_printf(&pool->arena, "http://127.0.0.1:%u%s", (unsigned)mock_port(mock),
				 c->row->base_usual ? c->row->base_usual : "");
	return true;
}

static bool is_clean(struct str text)
{
	return http_find_control(text.p, text.n) == text.n;
}

/* A line end in a header would begin another one. The text of a key is not shown. */
static bool check_headers(const struct provider_client *c, struct err *err)
{
	if (c->o.key.n && !is_clean(c->o.key))
		return err_set(err, ERR_USAGE,
			       "the key of %s has a control character in it, which no header may have" ERR_HELP
			       "look at %s, or at the file of the key: it must be one line",
			       c->row->name, c->row->key_env ? c->row->key_env : "its value");
	for (size_t i = 0; i < c->o.header_count; i++) {
		const struct http_header *h = &c->o.headers[i];

		if (!http_is_token(h->name) || !is_clean(h->value))
			return err_set(err, ERR_USAGE,
				       "'%.*s' cannot be sent as a header" ERR_HELP
				       "a name has letters, digits and '-', a value is one line: X-Team: blue",
				       STR_ARG(h->name));
	}
	return true;
}

/* Into the pool's arena. The key is settled here: given, or of the environment. */
static void copy_options(struct provider_pool *pool, struct provider_client *c, const struct provider_options *o)
{
	struct http_header *headers = NULL;

	c->o = *o;
	if (o->header_count)
		headers = arena_array(&pool->arena, struct http_header, o->header_count);
	for (size_t i = 0; i < o->header_count; i++) {
		headers[i].name = arena_copy(&pool->arena, o->headers[i].name);
		headers[i].value = arena_copy(&pool->arena, o->headers[i].value);
	}
	c->o.headers = headers;
	c->o.key = o->key.p ? arena_copy(&pool->arena, str_trim(o->key)) : from_env(&pool->arena, c->row->key_env);
}

/* Made for the first client of an engine: a pool of HTTP clients alone starts nothing of the other. */
static struct provider_shared *share(struct provider_pool *pool, const struct provider_engine *engine, size_t i)
{
	if (!pool->engines[i].shared) {
		pool->engines[i].engine = engine;
		pool->engines[i].shared = engine->begin(pool->loop);
	}
	return pool->engines[i].shared;
}

static bool is_built_in(const struct provider *p, const struct provider_options *o)
{
	return p->built_in && !o->base.p && !(p->base_env && getenv(p->base_env));
}

bool provider_where(struct arena *a, const struct provider *p, const struct provider_options *o, struct str *out,
		    struct err *err)
{
	struct str base = find_base(a, p, o->base);
	struct url url;

	*out = is_built_in(p, o) ? STR("builtin") : base.p ? base : STR("");
	if (is_built_in(p, o) || p->program || provider_lacks_address(p, o))
		return true;
	if (!url_parse(a, p->base ? p->base(a, base) : base, &url, err))
		return err_context(err, p->name);
	*out = url_format(a, &url);
	return true;
}

struct str provider_join(struct arena *a, struct str base, struct str path)
{
	size_t slash = 1;

	while (slash < path.n && path.p[slash] != '/')
		slash++;
	if (slash < path.n && str_ends(base, str_of(path.p, slash)))
		base.n -= slash;
	return ARENA_JOIN(a, base, path);
}

struct str provider_path(const struct provider *p)
{
	return p->path ? str_from(p->path) : STR("");
}

struct str provider_endpoint(struct arena *a, const struct provider *p, struct str address)
{
	struct str rest;

	if (p->program)
		return str_basename(address);
	if (!str_has(address, STR("://")))
		return address;
	address = str_cut(address, '?', &rest);
	while (address.n && address.p[address.n - 1] == '/')
		address.n--;
	return provider_join(a, address, provider_path(p));
}

struct provider_client *provider_open(struct provider_pool *pool, const struct provider *p,
				      const struct provider_options *o, struct err *err)
{
	struct provider_client *c = arena_new(&pool->arena, struct provider_client);

	*c = (struct provider_client){
		.loop = pool->loop, .arena = &pool->arena, .row = p,
		.engine = p->program ? &provider_program_engine : &provider_http_engine,
	};
	copy_options(pool, c, o);
	if (!check_headers(c, err))
		return NULL;
	provider_secrets_gather(c);
	if (is_built_in(p, o)) {
		if (!start_built_in(pool, c, err))
			return NULL;
	} else {
		c->o.base = find_base(&pool->arena, p, o->base);
	}
	c->shared = share(pool, c->engine, p->program ? PROGRAM : HTTP);
	if (!c->engine->open(c, err))
		return NULL;
	c->next = pool->clients;
	pool->clients = c;
	return c;
}

struct str provider_address(const struct provider_client *c)
{
	return c->address;
}

bool provider_has_stamps(const struct provider_client *c)
{
	return c->stamped;
}

size_t provider_unsent(const struct provider_client *c)
{
	return c->unsent;
}

/* ---- questions ---- */

struct provider_call *provider_ask(struct provider_client *c, const struct provider_question *q,
				   void (*done)(void *own, const struct provider_answer *answer), void *own)
{
	return c->engine->ask(c, q, done, own);
}

void provider_cancel(struct provider_call *call, void (*seen)(void *own, const struct provider_answer *answer))
{
	call->engine->cancel(call, seen);
}
