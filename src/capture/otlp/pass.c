/*
 * A few lanes send at once, each its own request until that is over; the others wait in a list. A lane that waits
 * for another try has its timer running.
 */
#include "capture/otlp/pass.h"

#include <assert.h>
#include <stdio.h>

#include "base/clock.h"
#include "capture/handoff.h"
#include "net/http/date.h"
#include "net/upstream/upstream.h"
#include "sink/push/plan.h"
#include "transform/backoff.h"

enum {
	PASS_LANES = 4,
	PASS_BASE_MS = 200,          /* before the second try */
	PASS_WAIT_MOST = 5000,       /* that a collector may ask for */
	PASS_ANSWER_MOST = 4 << 20,  /* bytes of an answer, which nobody reads */
	PASS_HEADERS = 264,
};

/* A request that waits or is being sent. */
struct pass_item {
	struct pass_item *next;
	const struct push_plan *plan;
	struct otlp_pass_host *host;
	struct http_head *head;
	struct str target;
	struct buf body;
	size_t counted;
	unsigned tries;
};

struct pass_lane {
	struct otlp_pass *pass;
	struct pass_item *item; /* NULL: it is free */
	struct upstream_call *call;
	uv_timer_t timer;
	int status;
	int64_t retry_after_ms;
	size_t answered; /* bytes */
};

struct otlp_pass {
	struct arena *arena;
	uv_loop_t *loop;
	struct upstreams *pool;
	struct push_plan plans[PUSH_SIGNALS];
	struct otlp_pass_host *to[PUSH_SIGNALS]; /* NULL: the user had no address for it */
	struct otlp_pass_host *hosts;
	struct pass_lane lanes[PASS_LANES];
	struct pass_item *first, **last;
	size_t count; /* of items that wait */
	struct budget room;
	struct stats_random random;
	uv_timer_t grace;
	bool ended, closed;
};

static_assert((int)OTLP_TRACES == (int)PUSH_TRACES && (int)OTLP_METRICS == (int)PUSH_METRICS &&
	      (int)OTLP_LOGS == (int)PUSH_LOGS, "a signal of OTLP is one of push");

/* ---- items ---- */

static void pass_free_item(struct otlp_pass *p, struct pass_item *item)
{
	budget_free(&p->room, &item->counted, &item->body);
	mem_free(item->head);
	mem_free(item);
}

static void pass_fail_item(struct otlp_pass *p, struct pass_item *item, const char *why)
{
	item->host->failed++;
	snprintf(item->host->why, sizeof(item->host->why), "%s", why);
	pass_free_item(p, item);
}

static bool pass_is_idle(const struct otlp_pass *p)
{
	for (size_t i = 0; i < PASS_LANES; i++)
		if (p->lanes[i].item)
			return false;
	return !p->first;
}

/* The pool keeps connections, and with them the loop. */
static void pass_close_when_done(struct otlp_pass *p)
{
	if (!p->ended || p->closed || !pass_is_idle(p))
		return;
	p->closed = true;
	uv_timer_stop(&p->grace);
	upstreams_close(p->pool);
}

/* ---- one try ---- */

static void pass_take_head(void *own, const struct http_head *h)
{
	struct pass_lane *l = own;

	l->status = h->status;
	l->retry_after_ms = http_wait_ms(h, (int64_t)clock_wall_ns());
}

static void pass_next(struct pass_lane *l);
static void pass_try(struct pass_lane *l);

static void pass_on_timer(uv_timer_t *t)
{
	pass_try(t->data);
}

/* The lane is free for the next one. why: NULL: it was taken. */
static void pass_over(struct pass_lane *l, const char *why)
{
	struct pass_item *item = l->item;

	l->item = NULL;
	l->call = NULL;
	if (why)
		pass_fail_item(l->pass, item, why);
	else
		pass_free_item(l->pass, item);
	pass_next(l);
}

/* Tried again when that is worth it and the run goes on. */
static void pass_settle(struct pass_lane *l, const char *why)
{
	bool worth = l->status == 0 || l->status == 429 || (l->status >= 502 && l->status <= 504);
	int64_t ms = backoff_delay_ms(&l->pass->random, l->item->tries, PASS_BASE_MS, l->retry_after_ms);

	l->call = NULL;
	if (!worth || l->pass->ended || l->item->tries >= OTLP_PASS_TRIES || ms < 0 || ms > PASS_WAIT_MOST)
		pass_over(l, why);
	else
		uv_timer_start(&l->timer, pass_on_timer, (uint64_t)ms, 0);
}

static void pass_take_answer(struct pass_lane *l)
{
	char why[100];

	if (l->status >= 200 && l->status < 300) {
		pass_over(l, NULL);
		return;
	}
	snprintf(why, sizeof(why), "%d %s", l->status, http_reason(l->status));
	pass_settle(l, why);
}

static void pass_take_body(void *own, struct str bytes)
{
	struct pass_lane *l = own;

	l->answered += bytes.n;
	if (l->answered <= PASS_ANSWER_MOST)
		return;
	upstream_cancel(l->call);
	pass_take_answer(l);
}

static void pass_take_end(void *own)
{
	pass_take_answer(own);
}

static void pass_take_failure(void *own, enum upstream_failure f, const char *why)
{
	struct pass_lane *l = own;

	(void)f;
	l->status = 0;
	pass_settle(l, why);
}

/* Headers of the client that concern its connection to us, or us alone, are not the collector's. */
static bool pass_is_passed(const struct http_head *h, struct str name)
{
	static const struct str ours = { "x-trackway-", 11 };

	return !http_is_hop(h, name) && !http_name_eq(name, STR("host")) && !http_name_eq(name, STR("expect")) &&
	       !http_name_eq(name, STR("content-length")) &&
	       !(name.n > ours.n && str_eq_nocase(str_of(name.p, ours.n), ours));
}

static size_t pass_add_headers(const struct pass_item *item, struct http_header *out)
{
	const struct http_head *h = item->head;
	size_t n = 0;

	out[n++] = (struct http_header){ STR("Host"), item->plan->url.authority };
	for (size_t i = 0; i < h->count && n < PASS_HEADERS; i++)
		if (pass_is_passed(h, h->headers[i].name))
			out[n++] = h->headers[i];
	for (size_t i = 0; i < item->plan->header_count && n < PASS_HEADERS; i++)
		if (!http_find(h, item->plan->headers[i].name).p)
			out[n++] = item->plan->headers[i];
	return n;
}

static void pass_try(struct pass_lane *l)
{
	static const struct upstream_ops ops = {
		.head = pass_take_head, .body = pass_take_body, .end = pass_take_end, .fail = pass_take_failure,
	};
	struct http_header headers[PASS_HEADERS];
	struct pass_item *item = l->item;
	struct upstream_request ask = {
		.url = &item->plan->url, .method = STR("POST"), .target = item->plan->target, .headers = headers,
		.count = pass_add_headers(item, headers), .framing = HTTP_LENGTH, .length = item->body.n,
	};

	item->tries++;
	l->status = 0;
	l->retry_after_ms = -1;
	l->answered = 0;
	l->call = upstream_begin(l->pass->pool, &ask, &ops, l);
	upstream_hold(l->call);
	upstream_write(l->call, buf_str(&item->body));
	if (l->call)
		upstream_finish(l->call);
}

/* Takes the next one that waits. */
static void pass_next(struct pass_lane *l)
{
	struct otlp_pass *p = l->pass;

	l->item = p->first;
	if (!l->item) {
		pass_close_when_done(p);
		return;
	}
	p->first = l->item->next;
	if (!p->first)
		p->last = &p->first;
	p->count--;
	pass_try(l);
}

void otlp_pass_send(struct otlp_pass *p, enum otlp_signal signal, const struct http_head *h, struct str body)
{
	struct otlp_pass_host *host = p->to[signal];
	struct pass_item *item;

	if (!host)
		return;
	host->count++;
	item = mem_alloc(sizeof(*item));
	*item = (struct pass_item){ .plan = &p->plans[signal], .host = host };
	buf_init(&item->body);
	item->head = handoff_copy_head(h, STR(""), &item->target);
	if (p->closed || p->count >= OTLP_PASS_MOST || !budget_add(&p->room, &item->counted, &item->body, body)) {
		pass_fail_item(p, item, p->closed ? "the run was over" : "too many waited for it");
		return;
	}
	*p->last = item;
	p->last = &item->next;
	p->count++;
	for (size_t i = 0; i < PASS_LANES; i++) {
		if (p->lanes[i].item)
			continue;
		pass_next(&p->lanes[i]);
		break;
	}
}

/* ---- the end ---- */

static void pass_give_up(struct otlp_pass *p)
{
	static const char why[] = "no answer before the end of the run";

	while (p->first) {
		struct pass_item *item = p->first;

		p->first = item->next;
		pass_fail_item(p, item, why);
	}
	p->last = &p->first;
	for (size_t i = 0; i < PASS_LANES; i++) {
		struct pass_lane *l = &p->lanes[i];

		uv_timer_stop(&l->timer);
		if (l->call)
			upstream_cancel(l->call);
		if (l->item)
			pass_fail_item(p, l->item, why);
		l->item = NULL;
		l->call = NULL;
	}
	pass_close_when_done(p);
}

static void pass_on_grace(uv_timer_t *t)
{
	pass_give_up(t->data);
}

void otlp_pass_end(struct otlp_pass *p)
{
	if (p->ended)
		return;
	p->ended = true;
	uv_timer_start(&p->grace, pass_on_grace, OTLP_PASS_GRACE_MS, 0);
	for (size_t i = 0; i < PASS_LANES; i++) {
		if (!uv_is_active((uv_handle_t *)&p->lanes[i].timer))
			continue;
		uv_timer_stop(&p->lanes[i].timer);
		pass_try(&p->lanes[i]); /* the last one */
	}
	pass_close_when_done(p);
}

void otlp_pass_stop(struct otlp_pass *p)
{
	otlp_pass_end(p);
	pass_give_up(p);
	uv_close((uv_handle_t *)&p->grace, NULL);
	for (size_t i = 0; i < PASS_LANES; i++)
		uv_close((uv_handle_t *)&p->lanes[i].timer, NULL);
}

const struct otlp_pass_host *otlp_pass_hosts(const struct otlp_pass *p)
{
	return p->hosts;
}

void otlp_pass_close(struct otlp_pass *p)
{
	if (!p)
		return;
	upstreams_free(p->pool);
}

/* ---- what the user had set ---- */

static const char *const pass_signals[PUSH_SIGNALS] = {
	[PUSH_TRACES] = "TRACES_", [PUSH_METRICS] = "METRICS_", [PUSH_LOGS] = "LOGS_",
};

/* OTEL_EXPORTER_OTLP_<SIGNAL>_<end>, else without the signal; empty: neither is set. *name: the one that is. */
static struct str pass_get(struct arena *a, const char *(*get)(const char *name), size_t signal, const char *end,
			   struct str *name)
{
	struct str value;

	*name = arena_printf(a, "OTEL_EXPORTER_OTLP_%s%s", pass_signals[signal], end);
	value = str_trim(str_from(get(name->p)));
	if (value.n)
		return value;
	*name = arena_printf(a, "OTEL_EXPORTER_OTLP_%s", end);
	return str_trim(str_from(get(name->p)));
}

static struct otlp_pass_host *pass_find_host(struct otlp_pass *p, struct str name)
{
	struct otlp_pass_host *h;

	for (size_t i = 0; i < PUSH_SIGNALS; i++)
		if (p->to[i] && str_eq(p->to[i]->name, name))
			return p->to[i];
	h = arena_new(p->arena, struct otlp_pass_host);
	h->name = name;
	h->next = p->hosts;
	p->hosts = h;
	return h;
}

/* An error with its help, as one sentence. */
static struct str pass_sentence(struct arena *a, const struct err *err)
{
	struct str text = str_from(err->text), help = STR(ERR_HELP);
	size_t at = str_find(text, help);

	return at == (size_t)-1 ? arena_copy(a, text)
				: ARENA_JOIN(a, str_of(text.p, at), STR("; "), str_skip(text, at + help.n));
}

/* One signal. False: there is no address for it, or *why says why it cannot be used. */
static bool pass_read_signal(struct otlp_pass *p, size_t signal, const char *(*get)(const char *name),
			     struct str *why, struct str *note)
{
	static const struct push_wish wish = { .as_it_is = true };
	struct push_plan *plan = &p->plans[signal];
	struct str name, endpoint, protocol = pass_get(p->arena, get, signal, "PROTOCOL", &name);
	struct err err;

	if (!pass_get(p->arena, get, signal, "ENDPOINT", &endpoint).n)
		return false;
	if (str_eq_nocase(protocol, STR("grpc"))) {
		*why = ARENA_JOIN(p->arena, name, STR(" is grpc, which cannot be passed on; set it to "
						      "http/protobuf and the endpoint to its HTTP port, often 4318"));
		return false;
	}
	if (!push_plan_read(p->arena, &wish, (enum push_signal)signal, get, plan, &err)) {
		*why = pass_sentence(p->arena, &err);
		return false;
	}
	if (plan->url.port == 4317 && !protocol.n) {
		*why = ARENA_JOIN(p->arena, STR("4317 is the port of gRPC, which cannot be passed on; set "), endpoint,
				  STR(" to its HTTP port, often 4318"));
		return false;
	}
	if (plan->note.n)
		*note = plan->note;
	p->to[signal] = pass_find_host(p, plan->url.authority);
	return true;
}

struct otlp_pass *otlp_pass_open(struct arena *a, uv_loop_t *loop, const char *(*get)(const char *name),
				 struct str *note)
{
	struct otlp_pass *p = arena_new(a, struct otlp_pass);
	struct upstream_options options = { .kept = PASS_LANES };
	struct str why = STR("");
	bool any = false;

	p->arena = a;
	p->loop = loop;
	*note = STR("");
	for (size_t i = 0; i < PUSH_SIGNALS; i++) {
		if (!pass_read_signal(p, i, get, &why, note))
			continue;
		any = true;
		if (p->plans[i].timeout_ms > options.idle_ms)
			options.idle_ms = options.connect_ms = p->plans[i].timeout_ms;
	}
	if (why.n)
		*note = ARENA_JOIN(a, any ? STR("some telemetry") : STR("telemetry"),
				   STR(" goes to the recorder only, not to your collector: "), why);
	if (!any)
		return NULL;
	p->last = &p->first;
	p->room.limit = OTLP_PASS_ROOM;
	stats_random_init(&p->random, clock_wall_ns());
	p->pool = upstreams_open(loop, &options);
	uv_timer_init(loop, &p->grace);
	p->grace.data = p;
	for (size_t i = 0; i < PASS_LANES; i++) {
		p->lanes[i].pass = p;
		uv_timer_init(loop, &p->lanes[i].timer);
		p->lanes[i].timer.data = &p->lanes[i];
	}
	return p;
}
