/* Questions to a server on the loopback interface: the mock, or one of bytes. Answers are kept as copies. */
#ifndef UNIT_PROVIDER_ASK_STAGE_H
#define UNIT_PROVIDER_ASK_STAGE_H

#include "base/clock.h"
#include "harness/test.h"
#include "provider/mock.h"
#include "provider/provider_row.h"
#include "unit/provider/byte_server.h"

/* An answer that outlives its call. */
struct kept {
	struct provider_answer a;
	bool came, seen; /* seen: by a call that was given up */
	uint64_t at_ns;  /* when */
	struct stage *stage;
};

struct stage {
	uv_loop_t loop;
	struct arena arena;
	struct provider_pool *pool;
	struct mock *mock;
	struct mock_script script;
	size_t open; /* questions without an answer */
	uint16_t port;
	struct byte_server bytes;
};

static inline struct stage *stage_open(void)
{
	struct stage *s = test_alloc(sizeof(*s));

	arena_init(&s->arena);
	uv_loop_init(&s->loop);
	s->pool = provider_pool_open(&s->loop);
	return s;
}

static inline struct stage *stage_mock(const char *script)
{
	struct stage *s = stage_open();
	struct err err = { .kind = ERR_NONE };
	struct mock_options o = { .script = script ? &s->script : NULL };

	if (script && !mock_script_parse(&s->arena, str_from(script), STR("s.json"), &s->script, &err))
		FAIL("%s", err.text);
	s->mock = mock_open(&s->loop, &o, &err);
	if (!s->mock)
		FAIL("%s", err.text);
	s->port = mock_port(s->mock);
	return s;
}

static inline struct stage *stage_bytes(struct str bytes, size_t piece)
{
	struct stage *s = stage_open();

	s->port = byte_server_open(&s->bytes, &s->loop, bytes, piece);
	return s;
}

static inline struct str stage_copy(struct stage *s, struct str text)
{
	return text.p ? arena_copy(&s->arena, text) : text;
}

static inline void keep_answer(struct kept *k, const struct provider_answer *a)
{
	struct stage *s = k->stage;
	struct provider_call_made *calls = NULL;
	uint64_t *arrivals = NULL;

	k->a = *a;
	k->a.failure = a->failure ? stage_copy(s, str_from(a->failure)).p : NULL;
	k->a.message = stage_copy(s, a->message);
	k->a.text = stage_copy(s, a->text);
	k->a.model = stage_copy(s, a->model);
	k->a.request_id = stage_copy(s, a->request_id);
	if (a->call_count)
		calls = arena_array(&s->arena, struct provider_call_made, a->call_count);
	for (size_t i = 0; i < a->call_count; i++) {
		calls[i].name = stage_copy(s, a->calls[i].name);
		calls[i].arguments = stage_copy(s, a->calls[i].arguments);
	}
	k->a.calls = calls;
	if (a->arrivals)
		arrivals = arena_array(&s->arena, uint64_t, a->arrival_count);
	if (arrivals)
		memcpy(arrivals, a->arrivals, a->arrival_count * sizeof(*arrivals));
	k->a.arrivals = arrivals;
}

static inline void answer_came(void *own, const struct provider_answer *a)
{
	struct kept *k = own;

	CHECK(!k->came);
	keep_answer(k, a);
	k->came = true;
	k->at_ns = clock_mono_ns();
	if (--k->stage->open == 0)
		uv_stop(&k->stage->loop);
}

static inline void answer_seen(void *own, const struct provider_answer *a)
{
	struct kept *k = own;

	CHECK(!k->came && !k->seen);
	keep_answer(k, a);
	k->seen = true;
	k->stage->open--;
}

static inline struct provider_client *stage_client(struct stage *s, const struct provider *row, const char *path,
						   struct str key)
{
	struct err err = { .kind = ERR_NONE };
	struct provider_options o = { .key = key };
	struct provider_client *c;

	o.base = arena_printf(&s->arena, "http://127.0.0.1:%u%s", (unsigned)s->port, path);
	c = provider_open(s->pool, row, &o, &err);
	if (!c)
		FAIL("%s", err.text);
	return c;
}

static inline struct kept *stage_ask(struct stage *s, struct provider_client *c, const struct provider_question *q)
{
	struct kept *k = arena_new(&s->arena, struct kept);

	k->stage = s;
	s->open++;
	provider_ask(c, q, answer_came, k);
	CHECK(!k->came);
	return k;
}

/* Until all questions are answered. */
static inline void stage_run(struct stage *s)
{
	while (s->open)
		uv_run(&s->loop, UV_RUN_DEFAULT);
}

static inline void stage_close(struct stage *s)
{
	provider_pool_close(s->pool);
	if (s->mock)
		mock_stop(s->mock, true);
	byte_server_close(&s->bytes);
	uv_run(&s->loop, UV_RUN_DEFAULT);
	byte_server_free(&s->bytes);
	provider_pool_free(s->pool);
	if (s->mock)
		mock_close(s->mock);
	CHECK_INT(uv_loop_close(&s->loop), 0);
	arena_free(&s->arena);
}

/* One question, one answer, from a server that sends these bytes. */
static inline struct kept *stage_one(struct stage *s, const struct provider *row, struct str key)
{
	struct provider_question q = { .model = STR("m"), .prompt = STR("hello"), .temperature = -1, .arrivals = true };
	struct kept *k = stage_ask(s, stage_client(s, row, "/v1", key), &q);

	stage_run(s);
	return k;
}

#define CHECK_FAILURE(k_, status_, failure_)                                       \
	do {                                                                       \
		CHECK_STR(str_from(provider_status_name((k_)->a.status)), STR(status_)); \
		CHECK_STR(str_from((k_)->a.failure), STR(failure_));               \
	} while (0)

#endif
