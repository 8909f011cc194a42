#include "model/calls.h"

#include <assert.h>

#define LOOKED_MAX 1024

void calls_init(struct calls *c)
{
	*c = (struct calls){ 0 };
}

void calls_reset(struct calls *c)
{
	while (c->oldest)
		calls_close(c, c->oldest);
	if (c->trace_cap > 4096) { /* one long run must not make all later ones slow */
		mem_free(c->traces);
		c->traces = NULL;
		c->trace_cap = 0;
	}
	if (c->traces)
		memset(c->traces, 0, c->trace_cap * sizeof(*c->traces));
	c->trace_count = 0;
}

void calls_free(struct calls *c)
{
	calls_reset(c);
	mem_free(c->buckets);
	mem_free(c->traces);
	*c = (struct calls){ 0 };
}

/* ---- ids that were used ---- */

static bool is_free(const struct call_trace *t)
{
	return t->id.a == 0 && t->id.b == 0;
}

static struct call_trace *slot_of(const struct calls *c, struct hash id)
{
	size_t i = id.a & (c->trace_cap - 1);

	assert((c->trace_cap & (c->trace_cap - 1)) == 0 && c->trace_count < c->trace_cap); /* the walk ends */
	while (!is_free(&c->traces[i]) && (c->traces[i].id.a != id.a || c->traces[i].id.b != id.b))
		i = (i + 1) & (c->trace_cap - 1);
	return &c->traces[i];
}

static struct hash digest(struct str id)
{
	struct hash h = str_hash_wide(id);

	h.b |= 1; /* never free */
	return h;
}

struct call_trace *calls_find_trace(const struct calls *c, struct str id)
{
	struct call_trace *t = c->trace_cap ? slot_of(c, digest(id)) : NULL;

	return t && !is_free(t) && t->times > 0 ? t : NULL;
}

static void grow_traces(struct calls *c)
{
	struct call_trace *old = c->traces;
	size_t cap = c->trace_cap;

	c->trace_cap = cap ? cap * 2 : 64;
	c->traces = mem_alloc(c->trace_cap * sizeof(*c->traces));
	memset(c->traces, 0, c->trace_cap * sizeof(*c->traces));
	for (size_t i = 0; i < cap; i++)
		if (!is_free(&old[i]))
			*slot_of(c, old[i].id) = old[i];
	mem_free(old);
}

struct call_trace *calls_note(struct calls *c, struct str id)
{
	struct call_trace *t;

	if (c->trace_count * 4 >= c->trace_cap * 3)
		grow_traces(c);
	t = slot_of(c, digest(id));
	if (is_free(t)) {
		c->trace_count++;
		t->id = digest(id);
	}
	t->times++;
	t->answered = false;
	return t;
}

/* ---- open calls ---- */

static void link_in(struct calls *c, struct open_call *o)
{
	struct open_call **bucket = &c->buckets[o->hash & (c->bucket_count - 1)];

	if (o->answered || !o->vendor_id.p)
		return;
	o->next = *bucket;
	o->here = bucket;
	if (o->next)
		o->next->here = &o->next;
	*bucket = o;
}

/* In one step: there may be very many of one id. */
static void link_out(struct open_call *o)
{
	if (!o->here)
		return;
	*o->here = o->next;
	if (o->next)
		o->next->here = o->here;
	o->here = NULL;
	o->next = NULL;
}

static void grow_buckets(struct calls *c)
{
	mem_free(c->buckets);
	c->bucket_count = c->bucket_count ? c->bucket_count * 2 : 64;
	c->buckets = mem_alloc(c->bucket_count * sizeof(*c->buckets));
	memset(c->buckets, 0, c->bucket_count * sizeof(*c->buckets));
	for (struct open_call *o = c->oldest; o; o = o->after)
		link_in(c, o);
}

struct open_call *calls_open(struct calls *c, struct str vendor_id, struct str branch)
{
	struct open_call *o = mem_alloc(sizeof(*o) + vendor_id.n + branch.n + 1);
	char *text = (char *)(o + 1);

	if (c->open_count >= c->bucket_count)
		grow_buckets(c);
	*o = (struct open_call){ .hash = str_hash(vendor_id) };
	if (vendor_id.p) {
		memcpy(text, vendor_id.p, vendor_id.n);
		o->vendor_id = str_of(text, vendor_id.n);
	}
	if (branch.p) {
		memcpy(text + vendor_id.n, branch.p, branch.n);
		o->branch = str_of(text + vendor_id.n, branch.n);
	}
	o->before = c->newest;
	if (c->newest)
		c->newest->after = o;
	else
		c->oldest = o;
	c->newest = o;
	c->open_count++;
	link_in(c, o);
	return o;
}

void calls_name(struct open_call *o, struct str id)
{
	char *copy = mem_alloc(id.n + 1);

	memcpy(copy, id.p, id.n);
	mem_free((void *)(uintptr_t)o->id.p);
	o->id = str_of(copy, id.n);
}

struct open_call *calls_find(const struct calls *c, struct str vendor_id, struct str branch)
{
	struct open_call *other = NULL;
	uint64_t hash = str_hash(vendor_id);
	size_t looked = 0;

	if (!c->bucket_count)
		return NULL;
	for (struct open_call *o = c->buckets[hash & (c->bucket_count - 1)]; o; o = o->next) {
		if (o->hash != hash || !str_eq(o->vendor_id, vendor_id))
			continue;
		if (str_eq(o->branch, branch))
			return o;
		if (!other)
			other = o;
		if (++looked == LOOKED_MAX)
			break;
	}
	return other;
}

struct open_call *calls_find_first(const struct calls *c, struct str branch)
{
	size_t looked = 0;

	/* a result without an id follows its call closely; a log that never answers must not cost a walk for each */
	for (struct open_call *o = c->oldest; o && looked < LOOKED_MAX; o = o->after, looked++)
		if (!o->answered && str_eq(o->branch, branch))
			return o;
	return NULL;
}

void calls_answer(struct open_call *o)
{
	assert(!o->answered);
	o->answered = true;
	link_out(o);
}

void calls_close(struct calls *c, struct open_call *o)
{
	assert(c->open_count > 0);
	link_out(o);
	if (o->before)
		o->before->after = o->after;
	else
		c->oldest = o->after;
	if (o->after)
		o->after->before = o->before;
	else
		c->newest = o->before;
	c->open_count--;
	mem_free((void *)(uintptr_t)o->id.p);
	mem_free(o);
}
