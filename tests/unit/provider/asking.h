/* One question to a provider on a loop of its own, and a copy of its answer. */
#ifndef UNIT_PROVIDER_ASKING_H
#define UNIT_PROVIDER_ASKING_H

#include "base/clock.h"
#include "harness/test.h"
#include "provider/provider.h"

struct asking {
	uv_loop_t loop;
	struct provider_pool *pool;
	struct provider_client *client;
	struct arena arena;
	uv_timer_t timer;
	struct provider_call *call;
	unsigned told; /* how often there was an answer */
	struct provider_answer answer;
};

static inline void asking_begin(struct asking *k, const char *provider, struct provider_options o)
{
	struct err err = { .kind = ERR_NONE };

	*k = (struct asking){ .told = 0 };
	arena_init(&k->arena);
	CHECK(uv_loop_init(&k->loop) == 0);
	k->pool = provider_pool_open(&k->loop);
	CHECK(provider_find(str_from(provider)) != NULL);
	k->client = provider_open(k->pool, provider_find(str_from(provider)), &o, &err);
	if (!k->client)
		FAIL("%s", err.text);
}

static inline struct str asking_keep(struct asking *k, struct str s)
{
	return s.p ? arena_copy(&k->arena, s) : s;
}

static inline void asking_done(void *own, const struct provider_answer *a)
{
	struct asking *k = own;
	struct provider_call_made *calls = arena_array(&k->arena, struct provider_call_made, a->call_count + 1);
	uint64_t *arrivals = arena_array(&k->arena, uint64_t, a->arrival_count + 1);

	k->told++;
	k->answer = *a;
	k->answer.message = asking_keep(k, a->message);
	k->answer.text = asking_keep(k, a->text);
	k->answer.model = asking_keep(k, a->model);
	k->answer.request_id = asking_keep(k, a->request_id);
	k->answer.failure = a->failure ? arena_copy(&k->arena, str_from(a->failure)).p : NULL;
	for (size_t i = 0; i < a->call_count; i++) {
		calls[i].name = asking_keep(k, a->calls[i].name);
		calls[i].arguments = asking_keep(k, a->calls[i].arguments);
	}
	k->answer.calls = calls;
	for (size_t i = 0; i < a->arrival_count; i++)
		arrivals[i] = a->arrivals[i];
	k->answer.arrivals = a->arrivals ? arrivals : NULL;
}

/* Puts the question, and waits for the answer. */
static inline const struct provider_answer *asking_ask(struct asking *k, struct provider_question q)
{
	unsigned before = k->told;

	q.temperature = -1;
	k->call = provider_ask(k->client, &q, asking_done, k);
	CHECK_INT(k->told, before); /* never before it returns */
	while (k->told == before && uv_run(&k->loop, UV_RUN_ONCE))
		;
	CHECK_INT(k->told, before + 1);
	return &k->answer;
}

static inline void asking_end(struct asking *k)
{
	provider_pool_close(k->pool);
	uv_run(&k->loop, UV_RUN_DEFAULT);
	provider_pool_free(k->pool);
	CHECK_INT(uv_loop_close(&k->loop), 0);
	arena_free(&k->arena);
}

#endif
