/* Which targets share a client, and which share a lane. */
#include "bench/run/runner_lanes.h"

#include "base/map.h"

#define PROGRAM_CAP 8 /* each question to a program is a process of some hundred megabytes */

struct str runner_lane_key(struct arena *a, struct str address, bool *local)
{
	struct err err;
	struct url u;

	*local = true;
	if (!str_has(address, STR("://")) || !url_parse(a, address, &u, &err))
		return address;
	*local = str_eq(u.host, STR("localhost")) || str_starts(u.host, STR("127.")) || str_eq(u.host, STR("::1"));
	return arena_printf(a, "%.*s:%u", STR_ARG(*local ? STR("localhost") : u.host), (unsigned)u.port);
}

static bool is_same_text(struct str a, struct str b)
{
	return !a.p == !b.p && str_eq(a, b);
}

static bool is_same_client(const struct target *a, const struct provider_options *x, const struct target *b,
			   const struct provider_options *y)
{
	return a->provider == b->provider && is_same_text(x->base, y->base) && is_same_text(x->key, y->key) &&
	       x->headers == y->headers && x->header_count == y->header_count && x->script == y->script &&
	       x->connect_ms == y->connect_ms;
}

static struct provider_client *find_client(const struct runner_lanes *l, const struct target *targets,
					   const struct provider_options *options, size_t target)
{
	for (size_t i = 0; i < target; i++)
		if (is_same_client(&targets[i], &options[i], &targets[target], &options[target]))
			return l->clients[i];
	return NULL;
}

static void add_lane(struct runner_lanes *l, struct arena *a, const struct target *t, struct provider_client *client,
		     uint64_t concurrency)
{
	struct str address = provider_address(client);
	bool is_program = !str_has(address, STR("://")), local;

	runner_lane_key(a, address, &local);
	l->limits[l->count] = (struct limiter_options){
		.fixed = (unsigned)concurrency,
		.start = local ? LIMITER_START_LOCAL : LIMITER_START,
		.cap = is_program ? PROGRAM_CAP : LIMITER_CAP,
	};
	l->names[l->count++] = str_from(provider_name(t->provider));
}

bool runner_lanes_open(struct runner_lanes *l, struct arena *a, struct provider_pool *pool,
		       const struct target *targets, const struct provider_options *options, size_t count,
		       uint64_t concurrency, struct err *err)
{
	struct map keys;

	map_init(&keys, a);
	*l = (struct runner_lanes){
		.clients = arena_array(a, struct provider_client *, count),
		.lanes = arena_array(a, uint32_t, count),
		.limits = arena_array(a, struct limiter_options, count),
		.names = arena_array(a, struct str, count),
	};
	for (size_t i = 0; i < count; i++) {
		uint64_t *lane;
		bool added, local;

		l->clients[i] = find_client(l, targets, options, i);
		if (!l->clients[i])
			l->clients[i] = provider_open(pool, targets[i].provider, &options[i], err);
		if (!l->clients[i])
			return false;
		lane = map_add(&keys, runner_lane_key(a, provider_address(l->clients[i]), &local), &added);
		if (added) {
			*lane = l->count;
			add_lane(l, a, &targets[i], l->clients[i], concurrency);
		}
		l->lanes[i] = (uint32_t)*lane;
	}
	return true;
}
