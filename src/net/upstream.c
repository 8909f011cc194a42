#include "net/upstream_private.h"

#include "base/arena.h"

enum kind { PLAIN, CURL, KINDS };

struct upstreams {
	uv_loop_t *loop;
	struct upstream_options o;
	void *state[KINDS]; /* NULL: no call needed it */
	bool closed;
	bool proxied; /* the environment names a proxy for something */
};

static const struct upstream_kind *const kinds[KINDS] = { [PLAIN] = &upstream_plain, [CURL] = &upstream_curl };

struct upstreams *upstreams_open(uv_loop_t *loop, const struct upstream_options *o)
{
	struct upstreams *u = mem_alloc(sizeof(*u));

	*u = (struct upstreams){ .loop = loop, .o = *o, .proxied = upstream_env_has_proxy() };
	if (!u->o.connect_ms)
		u->o.connect_ms = UPSTREAM_CONNECT_MS;
	if (!u->o.idle_ms)
		u->o.idle_ms = UPSTREAM_IDLE_MS;
	if (!u->o.kept)
		u->o.kept = 64;
	return u;
}

void upstreams_close(struct upstreams *u)
{
	if (u->closed)
		return;
	u->closed = true;
	for (size_t i = 0; i < KINDS; i++)
		if (u->state[i])
			kinds[i]->close(u->state[i]);
}

void upstreams_free(struct upstreams *u)
{
	for (size_t i = 0; i < KINDS; i++)
		if (u->state[i])
			kinds[i]->free(u->state[i]);
	mem_free(u);
}

struct upstream_call *upstream_begin(struct upstreams *u, const struct upstream_request *r,
				     const struct upstream_ops *ops, void *own)
{
	enum kind k = r->url->tls || (u->proxied && upstream_env_proxy(r->url)) ? CURL : PLAIN;

	if (!u->state[k])
		u->state[k] = kinds[k]->open(u->loop, &u->o);
	return kinds[k]->begin(u->state[k], r, ops, own);
}

uint64_t upstream_came_ns(const struct upstream_call *c)
{
	return c->kind->came ? c->kind->came(c) : 0;
}

bool upstream_settles(const struct upstream_call *c)
{
	return c->kind->hold != NULL;
}

bool upstream_write(struct upstream_call *c, struct str bytes)
{
	return c->kind->write(c, bytes);
}

void upstream_hold(struct upstream_call *c)
{
	if (c->kind->hold)
		c->kind->hold(c);
}

bool upstream_flush(struct upstream_call *c)
{
	return c->kind->flush ? c->kind->flush(c) : true;
}

void upstream_finish(struct upstream_call *c)
{
	c->kind->finish(c);
}

void upstream_cancel(struct upstream_call *c)
{
	c->kind->cancel(c);
}

void upstream_pause(struct upstream_call *c)
{
	c->kind->pause(c);
}

void upstream_resume(struct upstream_call *c)
{
	c->kind->resume(c);
}
