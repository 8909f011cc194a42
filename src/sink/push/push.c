/* A loop of its own, which runs while somebody waits: for an answer, or for the time of the next try. */
#include "sink/push/push.h"

#include <zlib.h>

#include "base/clock.h"
#include "base/mask.h"
#include "base/stop.h"
#include "net/http/date.h"
#include "net/upstream/upstream.h"
#include "sink/push/reply.h"
#include "transform/backoff.h"

enum {
	TICK_MS = 50,      /* how soon Ctrl-C and the end of a wait are seen */
	LATER_MS = 10 * 1000,
	MESSAGE_MOST = 500,
	HEADERS_OURS = 5,
	GZIP_BITS = 15 + 16, /* the largest window, gzip framing */
};

struct push {
	const struct push_plan *plan;
	struct push_hooks hooks;
	struct stats_random random;
	struct json_parser *parser;
	struct arena arena;   /* of one body */
	struct http_header *headers;
	size_t header_count;
	struct str *secrets;  /* values of the plan's headers, and of the address */
	size_t secret_count;
	struct arena kept;    /* of headers and secrets */
	struct buf packed;
	uv_loop_t loop;
	uv_timer_t tick;
	struct upstreams *pool;
	uint64_t until;       /* of what is waited for, by the loop's clock */
	bool stopped;         /* by a signal */
	/* the try under way */
	struct upstream_call *call;
	struct buf body;
	int status;
	bool whole;           /* the answer came to its end */
	bool too_large;
	int64_t retry_after_ms; /* -1: not said */
	struct str media;
	struct str why;       /* no answer, and why */
};

/* ---- one try ---- */

/* Ends what the loop runs for. */
static void push_end_run(struct push *p)
{
	p->call = NULL;
	uv_timer_stop(&p->tick);
	uv_stop(&p->loop);
}

static void push_take_head(void *own, const struct http_head *h)
{
	struct push *p = own;

	p->status = h->status;
	p->media = arena_copy(&p->arena, http_find(h, STR("Content-Type")));
	p->retry_after_ms = http_wait_ms(h, (int64_t)clock_wall_ns());
}

static void push_take_body(void *own, struct str bytes)
{
	struct push *p = own;
	struct upstream_call *call = p->call;

	buf_add_str(&p->body, bytes);
	if (p->body.n <= PUSH_ANSWER_MOST)
		return;
	p->too_large = true;
	push_end_run(p);
	upstream_cancel(call);
}

static void push_take_end(void *own)
{
	struct push *p = own;

	p->whole = true;
	push_end_run(p);
}

static void push_take_failure(void *own, enum upstream_failure f, const char *why)
{
	struct push *p = own;

	(void)f;
	p->why = arena_copy(&p->arena, str_from(why));
	push_end_run(p);
}

/* Every TICK_MS: is there still anything to wait for? */
static void push_on_tick(uv_timer_t *t)
{
	struct push *p = t->data;
	struct upstream_call *call = p->call;

	p->stopped = stop_signal() != 0;
	if (!p->stopped && uv_now(&p->loop) < p->until)
		return;
	if (call)
		p->why = arena_printf(&p->arena, "no answer within %u ms", p->plan->timeout_ms);
	push_end_run(p);
	if (call)
		upstream_cancel(call);
}

static void push_run(struct push *p, uint64_t ms)
{
	uint64_t tick = ms < TICK_MS ? ms : TICK_MS;

	uv_update_time(&p->loop);
	p->until = uv_now(&p->loop) + ms;
	uv_timer_start(&p->tick, push_on_tick, tick, TICK_MS);
	uv_run(&p->loop, UV_RUN_DEFAULT);
	uv_timer_stop(&p->tick); /* a call may be over before the loop runs */
}

/* Sends the body once. Afterwards status is 0 and why is set when there was no answer. */
static void push_try(struct push *p, struct str body)
{
	static const struct upstream_ops ops = {
		.head = push_take_head, .body = push_take_body, .end = push_take_end, .fail = push_take_failure,
	};
	struct upstream_request r = {
		.url = &p->plan->url, .method = STR("POST"), .target = p->plan->target,
		.headers = p->headers, .count = p->header_count, .framing = HTTP_LENGTH, .length = body.n,
	};

	buf_clear(&p->body);
	p->status = 0;
	p->whole = p->too_large = false;
	p->retry_after_ms = -1;
	p->media = p->why = STR("");
	p->call = upstream_begin(p->pool, &r, &ops, p);
	upstream_hold(p->call);
	upstream_write(p->call, body);
	if (p->call)
		upstream_finish(p->call);
	push_run(p, p->plan->timeout_ms);
}

/* ---- what came ---- */

static bool push_is_good(const struct push *p)
{
	return p->status >= 200 && p->status < 300;
}

static bool push_is_worth_another(const struct push *p)
{
	return p->status == 0 || p->status == 429 || (p->status >= 502 && p->status <= 504);
}

/* A sentence of the receiver's, or of ours about its answer; empty when there is nothing to say. */
static struct str push_words(struct push *p, const struct push_reply *reply)
{
	struct buf line;

	if (!p->status)
		return p->why;
	buf_init(&line);
	mask_line(&line, reply->message, p->secrets, p->secret_count, MESSAGE_MOST);
	if (line.n)
		return arena_take(&p->arena, &line);
	if (p->too_large)
		return STR("its answer is longer than 4 MiB and was not read");
	if (!p->whole)
		return STR("its answer broke off");
	if (reply->kind == PUSH_REPLY_BROKEN)
		return STR("its answer cannot be read");
	if (reply->kind == PUSH_REPLY_FOREIGN && push_is_good(p))
		return STR("its answer is not OTLP: is this the address of a receiver?");
	return STR("");
}

/* What came in the last try, for out. */
static void push_judge(struct push *p, struct push_result *out)
{
	struct push_reply reply = { .kind = PUSH_REPLY_EMPTY };

	if (p->whole)
		reply = push_reply_read(&p->arena, p->parser, p->media, buf_str(&p->body), push_is_good(p));
	out->status = p->status;
	out->rejected = push_is_good(p) ? reply.rejected : 0;
	out->message = push_words(p, &reply);
}

/* "POST http://localhost:4318/v1/traces: 503 Service Unavailable: busy" */
static struct str push_sentence(struct push *p, const struct push_result *r)
{
	struct str head = ARENA_JOIN(&p->arena, STR("POST "), p->plan->shown, STR(": "));

	if (!r->status)
		return ARENA_JOIN(&p->arena, head, r->message);
	return ARENA_JOIN(&p->arena, head, arena_printf(&p->arena, "%d %s", r->status, http_reason(r->status)),
			  r->message.n ? STR(": ") : STR(""), r->message);
}

/* What could help, by status. */
static const char *push_advice(const struct push *p, const struct push_result *r)
{
	if (p->plan->url.port == 4317)
		return "4317 is the port of gRPC for most receivers: use that of HTTP, 4318";
	if (r->status == 0)
		return "is the receiver running, and is this its address?";
	if (r->status >= 300 && r->status < 400)
		return "redirections are not followed: give the address that it leads to";
	if (r->status == 401 || r->status == 403)
		return "does the receiver want a key? Headers come from OTEL_EXPORTER_OTLP_HEADERS or a file";
	if (r->status == 404 || r->status == 405)
		return "is this the receiver's address for OTLP? For most it ends in /v1/traces or /v1/metrics";
	if (r->status == 413)
		return "the receiver takes only smaller requests: raise its limit";
	if (r->status == 415)
		return "the receiver wants the other encoding: protobuf instead of JSON, or JSON instead of protobuf";
	return NULL;
}

static bool push_fail(struct push *p, const struct push_result *r, const char *end, struct err *err)
{
	struct str sentence = push_sentence(p, r);
	const char *advice = push_advice(p, r);

	return err_set(err, ERR_IO, "%.*s; %s%s%s", STR_ARG(sentence), end, advice ? ERR_HELP : "",
		       advice ? advice : "");
}

/* ---- tries ---- */

static uint64_t push_now_ms(struct push *p)
{
	return p->hooks.now_ms ? p->hooks.now_ms(p->hooks.own) : clock_mono_ns() / 1000000;
}

static bool push_wait(struct push *p, uint64_t ms)
{
	if (p->hooks.wait)
		return p->hooks.wait(p->hooks.own, ms);
	push_run(p, ms);
	return !p->stopped;
}

/* Waits before the next try. False and *err when there is none: too often, too long, asked to stop. */
static bool push_pause(struct push *p, const struct push_result *r, uint64_t began, struct err *err)
{
	int64_t ms = backoff_delay_ms(&p->random, r->tries, BACKOFF_BASE_MS, p->retry_after_ms);
	struct str sentence, end;

	if (p->stopped)
		return push_fail(p, r, "interrupted", err);
	if (!push_is_worth_another(p))
		return push_fail(p, r, "not tried again", err);
	if (r->tries >= p->plan->tries)
		return push_fail(p, r, arena_printf(&p->arena, "given up after %u tries", r->tries).p, err);
	if (ms < 0 || push_now_ms(p) - began + (uint64_t)ms > p->plan->budget_ms) {
		end = p->retry_after_ms < 0
			? arena_printf(&p->arena, "given up after %u s", p->plan->budget_ms / 1000)
			: arena_printf(&p->arena, "it wants to be left alone for %lld s, so given up",
				       (long long)(p->retry_after_ms + 999) / 1000);
		return push_fail(p, r, end.p, err);
	}
	sentence = push_sentence(p, r);
	if (p->hooks.retrying)
		p->hooks.retrying(p->hooks.own,
				  arena_printf(&p->arena, "%.*s; trying again in %.1f s (try %u of %u)",
					       STR_ARG(sentence), (double)ms / 1000, r->tries + 1, p->plan->tries));
	return push_wait(p, (uint64_t)ms) || push_fail(p, r, "interrupted", err);
}

/* The body in one piece of gzip, in p->packed. */
static struct str push_pack(struct push *p, struct str body)
{
	z_stream z = { .next_in = NULL };
	int status;

	if (deflateInit2(&z, 6, Z_DEFLATED, GZIP_BITS, 8, Z_DEFAULT_STRATEGY) != Z_OK)
		return str_of(NULL, 0);
	buf_clear(&p->packed);
	z.next_out = (unsigned char *)buf_reserve(&p->packed, deflateBound(&z, (unsigned long)body.n) + 1);
	z.avail_out = (unsigned)(p->packed.cap < UINT_MAX ? p->packed.cap : UINT_MAX);
	memcpy(&z.next_in, &body.p, sizeof(body.p)); /* zlib does not write to it, but its type does not say so */
	z.avail_in = (unsigned)body.n;
	status = deflate(&z, Z_FINISH);
	p->packed.n = z.total_out;
	deflateEnd(&z);
	return status == Z_STREAM_END ? buf_str(&p->packed) : str_of(NULL, 0);
}

bool push_send(struct push *p, struct str body, struct push_result *out, struct err *err)
{
	uint64_t began = push_now_ms(p);

	arena_reset(&p->arena);
	*out = (struct push_result){ .message = STR("") };
	if (body.n > INT_MAX)
		return err_set(err, ERR_LIMIT, "a request of %zu bytes is not sent", body.n);
	if (p->plan->gzip) {
		body = push_pack(p, body);
		if (!body.p)
			return err_set(err, ERR_LIMIT, "no memory to pack a request");
	}
	for (;;) {
		push_try(p, body);
		out->tries++;
		push_judge(p, out);
		if (push_is_good(p))
			return true;
		if (!push_pause(p, out, began, err))
			return false;
	}
}

/* ---- open and close ---- */

static void push_add_secret(struct push *p, struct str value)
{
	p->secrets[p->secret_count++] = arena_copy(&p->kept, value);
}

/* "Bearer abc": what stands behind the last blank. */
static struct str push_last_word(struct str value)
{
	size_t at = value.n;

	while (at > 0 && value.p[at - 1] != ' ')
		at--;
	return str_skip(value, at);
}

static void push_set_headers(struct push *p)
{
	const struct push_plan *plan = p->plan;
	size_t n = 0;

	p->headers = arena_array(&p->kept, struct http_header, plan->header_count + HEADERS_OURS);
	p->secrets = arena_array(&p->kept, struct str, plan->header_count + 1);
	p->headers[n++] = (struct http_header){ STR("Host"), plan->url.authority };
	p->headers[n++] = (struct http_header){ STR("User-Agent"), STR("trackway") };
	p->headers[n++] = (struct http_header){ STR("Content-Type"), plan->encoding == PUSH_JSON
		? STR("application/json") : STR("application/x-protobuf") };
	p->headers[n++] = (struct http_header){ STR("Accept-Encoding"), STR("identity") };
	if (plan->gzip)
		p->headers[n++] = (struct http_header){ STR("Content-Encoding"), STR("gzip") };
	for (size_t i = 0; i < plan->header_count; i++) {
		if (!http_name_eq(plan->headers[i].name, STR("User-Agent")))
			p->headers[n++] = plan->headers[i];
		push_add_secret(p, push_last_word(plan->headers[i].value));
	}
	if (plan->url.user.p)
		push_add_secret(p, plan->url.user);
	p->header_count = n;
}

struct push *push_open(const struct push_plan *plan, const struct push_hooks *hooks)
{
	struct push *p = mem_alloc(sizeof(*p));
	/* our own tick ends a try; the pool's limits are only for a loop that was held up */
	struct upstream_options options = {
		.connect_ms = plan->timeout_ms + LATER_MS, .idle_ms = plan->timeout_ms + LATER_MS, .kept = 1,
	};

	*p = (struct push){ .plan = plan };
	if (hooks)
		p->hooks = *hooks;
	arena_init(&p->arena);
	arena_init(&p->kept);
	buf_init(&p->packed);
	buf_init(&p->body);
	push_set_headers(p);
	stats_random_init(&p->random, p->hooks.seed);
	p->parser = json_parser_open((struct json_options){ .max_values = 10000, .allow_duplicates = true });
	uv_loop_init(&p->loop);
	uv_timer_init(&p->loop, &p->tick);
	p->tick.data = p;
	p->pool = upstreams_open(&p->loop, &options);
	return p;
}

void push_close(struct push *p)
{
	if (!p)
		return;
	upstreams_close(p->pool);
	uv_close((uv_handle_t *)&p->tick, NULL);
	uv_run(&p->loop, UV_RUN_DEFAULT);
	upstreams_free(p->pool);
	uv_loop_close(&p->loop);
	json_parser_close(p->parser);
	buf_free(&p->packed);
	buf_free(&p->body);
	arena_free(&p->arena);
	arena_free(&p->kept);
	mem_free(p);
}
