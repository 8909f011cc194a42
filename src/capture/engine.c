#include "capture/engine.h"

#include <math.h>
#include <stdio.h>

#include "base/arena.h"
#include "capture/prometheus.h"
#include "net/upstream/upstream.h"

#define USUAL_PERIOD_MS 1000
#define CONNECT_MS 3000
#define ANSWER_MS 5000 /* for a whole scrape: what is older says little about now */
#define PAGE_MAX ((uint64_t)16 << 20)
#define STRETCHES 64

enum meaning { KV_USED, RUNNING, WAITING };

static const struct gauge {
	struct str name;
	const char *kind;
	enum meaning meaning;
} gauges[] = {
	{ { "vllm:kv_cache_usage_perc", 24 }, "vllm", KV_USED },
	{ { "vllm:gpu_cache_usage_perc", 25 }, "vllm", KV_USED }, /* its name before 0.10 */
	{ { "vllm:num_requests_running", 25 }, "vllm", RUNNING },
	{ { "vllm:num_requests_waiting", 25 }, "vllm", WAITING },
	{ { "sglang:token_usage", 18 }, "sglang", KV_USED },
	{ { "sglang:num_running_reqs", 23 }, "sglang", RUNNING },
	{ { "sglang:num_queue_reqs", 21 }, "sglang", WAITING },
};

/* Good scrapes without a gap of more than two periods: every moment between first and last has one within a period. */
struct stretch {
	int64_t first, last;
};

/* What other threads may ask for. */
struct facts {
	uv_mutex_t lock;
	struct engine_summary sum;
	struct stretch stretches[STRETCHES]; /* the newest is at (count - 1) % STRETCHES */
	uint64_t count;
};

struct engine {
	uv_loop_t *loop;
	const struct clock_line *clock;
	struct arena a; /* of the address and the headers */
	struct upstreams *pool;
	uv_timer_t tick;
	uint64_t period_ms;
	struct upstream_request request;
	struct facts *facts;
	/* the scrape under way */
	struct upstream_call *call; /* NULL: none */
	uint64_t began;             /* in the loop's ms */
	int64_t read_ns;            /* when its answer began */
	int status;
	struct prometheus page;
	const char *kind;
	double kv, running, waiting; /* negative: not seen */
};

/* ---- what a page says ---- */

/* Engines of several parts give a line for each: the fullest cache counts, and all requests. */
static void take_sample(void *context, const struct prometheus_sample *s)
{
	struct engine *e = context;

	for (size_t i = 0; i < COUNT(gauges); i++) {
		const struct gauge *g = &gauges[i];
		double *sum = g->meaning == RUNNING ? &e->running : &e->waiting;

		if (!str_eq(s->name, g->name) || !isfinite(s->value) || s->value < 0)
			continue;
		if (g->meaning != KV_USED) {
			*sum = *sum < 0 ? s->value : *sum + s->value;
		} else if (s->value > e->kv) {
			e->kv = s->value;
			e->kind = g->kind;
		}
	}
}

/* Joins the newest stretch, or begins one in the place of the oldest. The lock is held. */
static void note_time(struct facts *f, int64_t ns, uint64_t period_ms)
{
	struct stretch *newest = &f->stretches[(f->count + STRETCHES - 1) % STRETCHES];

	if (f->count && ns - newest->last <= 2 * (int64_t)period_ms * 1000000) {
		newest->last = ns > newest->last ? ns : newest->last;
		return;
	}
	f->stretches[f->count++ % STRETCHES] = (struct stretch){ ns, ns };
}

static void note_good(struct engine *e)
{
	struct facts *f = e->facts;

	uv_mutex_lock(&f->lock);
	f->sum.kind = e->kind;
	f->sum.good++;
	f->sum.last = e->kv;
	f->sum.highest = e->kv > f->sum.highest ? e->kv : f->sum.highest;
	f->sum.running = e->running;
	f->sum.waiting = e->waiting;
	note_time(f, e->read_ns, e->period_ms);
	uv_mutex_unlock(&f->lock);
}

__attribute__((format(printf, 2, 3))) static void note_failed(struct engine *e, const char *format, ...)
{
	va_list args;

	uv_mutex_lock(&e->facts->lock);
	e->facts->sum.failed++;
	va_start(args, format);
	vsnprintf(e->facts->sum.why, sizeof(e->facts->sum.why), format, args);
	va_end(args);
	uv_mutex_unlock(&e->facts->lock);
}

/* ---- a scrape ---- */

static void take_head(void *own, const struct http_head *h)
{
	struct engine *e = own;

	e->status = h->status;
	e->read_ns = clock_line_ns(e->clock);
}

static void take_body(void *own, struct str bytes)
{
	struct engine *e = own;

	if (e->status == 200)
		prometheus_push(&e->page, bytes);
}

static void scrape_over(struct engine *e)
{
	e->call = NULL;
	prometheus_free(&e->page);
}

/* A page without a gauge of the KV cache is a failure: it would not tell what is asked. */
static void take_end(void *own)
{
	struct engine *e = own;

	prometheus_end(&e->page);
	if (e->status != 200)
		note_failed(e, "it answered %d %s", e->status, http_reason(e->status));
	else if (e->kv >= 0)
		note_good(e);
	else if (e->page.samples == 0)
		note_failed(e, "its answer has no metrics in it");
	else
		note_failed(e, "it gives no gauge of a KV cache: neither vllm:kv_cache_usage_perc nor "
			       "sglang:token_usage");
	scrape_over(e);
}

static void take_failure(void *own, enum upstream_failure f, const char *why)
{
	struct engine *e = own;

	(void)f;
	note_failed(e, "%s", why);
	scrape_over(e);
}

/*
 * At each tick. A scrape that is under way is left alone until ANSWER_MS, so a slow engine is never asked twice at
 * once.
 */
static void scrape(uv_timer_t *tick)
{
	static const struct upstream_ops ops = {
		.head = take_head, .body = take_body, .end = take_end, .fail = take_failure,
	};
	struct engine *e = tick->data;

	if (e->call && uv_now(e->loop) - e->began < ANSWER_MS)
		return;
	if (e->call) {
		upstream_cancel(e->call);
		note_failed(e, "it did not answer within %d s", ANSWER_MS / 1000);
		scrape_over(e);
	}
	e->began = uv_now(e->loop);
	e->status = 0;
	e->kv = e->running = e->waiting = -1;
	e->kind = NULL;
	prometheus_init(&e->page, take_sample, e);
	e->call = upstream_begin(e->pool, &e->request, &ops, e);
	upstream_finish(e->call);
}

/* ---- opening and closing ---- */

/*
 * The one request that is sent again and again. User and password of the address become a header, and go nowhere else.
 */
static void set_request(struct engine *e, const struct url *url)
{
	struct url *u = arena_new(&e->a, struct url);
	struct http_header *headers = arena_array(&e->a, struct http_header, 4);

	*u = *url; /* with texts of our own */
	u->host = arena_copy(&e->a, url->host);
	u->authority = arena_copy(&e->a, url->authority);
	headers[0] = (struct http_header){ STR("Host"), u->authority };
	headers[1] = (struct http_header){ STR("Accept"), STR("text/plain;version=0.0.4") };
	headers[2] = (struct http_header){ STR("Accept-Encoding"), STR("identity") };
	e->request = (struct upstream_request){
		.url = u,
		.method = STR("GET"),
		.target = ARENA_JOIN(&e->a, url->path.n ? url->path : STR("/metrics"),
				     url->query.p ? STR("?") : STR(""), url->query),
		.headers = headers,
		.count = 3,
		.framing = HTTP_NONE,
	};
	if (url->user.p)
		headers[e->request.count++] =
			(struct http_header){ STR("Authorization"), url_authorization(&e->a, url) };
}

struct engine *engine_open(uv_loop_t *loop, const struct url *url, unsigned period_ms, const struct clock_line *clock)
{
	struct upstream_options options = {
		.connect_ms = CONNECT_MS, .idle_ms = ANSWER_MS, .kept = 1, .limits = { .body = PAGE_MAX },
	};
	struct engine *e = mem_alloc(sizeof(*e));

	*e = (struct engine){ .loop = loop, .clock = clock, .period_ms = period_ms ? period_ms : USUAL_PERIOD_MS };
	arena_init(&e->a);
	e->facts = arena_new(&e->a, struct facts);
	e->facts->sum.running = e->facts->sum.waiting = -1;
	uv_mutex_init(&e->facts->lock);
	set_request(e, url);
	e->pool = upstreams_open(loop, &options);
	uv_timer_init(loop, &e->tick);
	e->tick.data = e;
	uv_timer_start(&e->tick, scrape, 0, e->period_ms);
	return e;
}

void engine_stop(struct engine *e)
{
	if (uv_is_closing((uv_handle_t *)&e->tick))
		return;
	uv_close((uv_handle_t *)&e->tick, NULL);
	if (e->call) {
		upstream_cancel(e->call);
		scrape_over(e);
	}
	upstreams_close(e->pool);
}

void engine_close(struct engine *e)
{
	upstreams_free(e->pool);
	uv_mutex_destroy(&e->facts->lock);
	arena_free(&e->a);
	mem_free(e);
}

/* ---- asking, from any thread ---- */

bool engine_measured(const struct engine *e, int64_t from_ns, int64_t to_ns)
{
	int64_t period = (int64_t)e->period_ms * 1000000;
	struct facts *f = e->facts;
	bool measured = false;

	uv_mutex_lock(&f->lock);
	for (uint64_t i = 0; i < f->count && i < STRETCHES && !measured; i++) {
		const struct stretch *s = &f->stretches[(f->count - 1 - i) % STRETCHES];

		measured = s->first - period <= to_ns && from_ns <= s->last + period;
	}
	uv_mutex_unlock(&f->lock);
	return measured;
}

void engine_summarize(const struct engine *e, struct engine_summary *out)
{
	uv_mutex_lock(&e->facts->lock);
	*out = e->facts->sum;
	uv_mutex_unlock(&e->facts->lock);
}
