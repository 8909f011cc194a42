/*
 * One thread, one loop: a timerfd says when the next request is due, libuv does the network, and a tick every ten
 * milliseconds looks for timeouts and signals. Open requests are a list in the order of sending, so the first is the
 * next to time out.
 */
#include "bench/load/load.h"

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/stop.h"
#include "bench/load/line.h"
#include "bench/load/prompt.h"

#define LEAD_NS (UINT64_C(20) * 1000000) /* before the first request, so that making ready does not make it late */
#define TICK_MS 10                       /* looks for timeouts and signals */
#define TICKS_SHOWN 10                   /* of which every tenth writes lines and tells how far we are */
#define AT_ONCE 32 /* requests sent before we look again whether answers have come */

/*
 * With many streams open the loop looks at the network only now and then, at all that came together, instead of waking
 * for each piece: most of a piece's cost is the waking. When it came the kernel has noted; where it does not, there are
 * no pauses. Of pieces that are read together only the last one's time is known, so a pause must be too short for two
 * pieces of one stream: it grows with their number, and stays well below what a piece costs us times that. Streams
 * with shorter gaps than that would be more than we can read.
 */
#define PAUSE_EACH_NS 2000 /* for each request that is open, */
#define PAUSE_MOST_NS 1000000
#define CONNECT_NS 2000000 /* no pause so soon after a request, while its connection is in the making */
#define PAUSE_FROM 64 /* requests open */

/* One that is open; in the order of sending, which is that of the timeouts. */
struct request {
	struct load *load;
	struct request *before, *after;
	struct provider_call *call;
	uint64_t number, due_ns, asked_ns;
	size_t stage;
	enum load_end end; /* when it is given up */
};

struct load {
	const struct load_options *o;
	struct arena *arena;
	struct load_stats *stats;
	struct load_run *out;
	uv_loop_t loop;
	uv_poll_t due;
	uv_timer_t tick;
	uv_prepare_t prepare;
	uv_check_t check;
	uint64_t awake_ns; /* when the loop last came back from the network */
	uint64_t asked_ns; /* when a request was last given away */
	int timer; /* timerfd */
	struct provider_pool *pool;
	struct provider_client *client;
	struct arrivals arrivals;
	struct arrival next;
	bool has_next, ended, failed;
	struct stats_random random;
	struct buf question; /* the next one, when it is made */
	struct str prompt;
	struct buf lines;
	struct request *first, *last, *spare;
	struct load_progress now;
	unsigned ticks;
	struct err *err;
};

/* ---- the list of what is open ---- */

/* Puts the next request at the end of the open ones, in a place that an old one left if there is any. */
static struct request *request_open(struct load *l)
{
	struct request *r = l->spare;

	if (r)
		l->spare = r->after;
	else
		r = arena_new(l->arena, struct request);
	*r = (struct request){
		.load = l,
		.before = l->last,
		.number = l->next.number,
		.stage = l->next.stage,
		.due_ns = l->stats->start_ns + l->next.due_ns,
		.asked_ns = clock_mono_ns(),
		.end = LOAD_ERROR,
	};
	if (l->last)
		l->last->after = r;
	else
		l->first = r;
	l->last = r;
	if (++l->now.open > l->out->most_open)
		l->out->most_open = l->now.open;
	return r;
}

/* Takes it out of the list; its place is used again, so memory grows with the most that were open, not with all. */
static void request_close(struct request *r)
{
	struct load *l = r->load;

	if (r->before)
		r->before->after = r->after;
	else
		l->first = r->after;
	if (r->after)
		r->after->before = r->before;
	else
		l->last = r->before;
	r->after = l->spare;
	l->spare = r;
	l->now.open--;
}

/* ---- what came of it ---- */

static void load_note(struct load *l, const struct load_outcome *o, struct str request_id)
{
	load_stats_add(l->stats, o);
	load_line_add(&l->lines, o, l->stats->start_ns, request_id);
	l->now.ok += o->end == LOAD_OK;
	l->now.not_sent += o->end == LOAD_NOT_SENT;
	l->now.failed += o->end == LOAD_ERROR || o->end == LOAD_TIMEOUT || o->end == LOAD_LIMITED;
	l->now.output_tokens += o->output_tokens;
}

/* May be called at any time; the loop is stopped once. */
static void end_when_done(struct load *l)
{
	if (!l->has_next && !l->first && !l->ended) {
		l->ended = true;
		uv_stop(&l->loop);
	}
}

/* Times that the provider did not note are those of our own calls. Without a count of tokens, pieces stand for them. */
static struct load_outcome load_outcome_of(const struct request *r, const struct provider_answer *a)
{
	return (struct load_outcome){
		.number = r->number,
		.stage = r->stage,
		.due_ns = r->due_ns,
		.sent_ns = a->sent_ns ? a->sent_ns : r->asked_ns,
		.byte_ns = a->byte_ns,
		.token_ns = a->token_ns,
		.ended_ns = a->ended_ns ? a->ended_ns : clock_mono_ns(),
		.failure = a->failure,
		.http_status = a->http_status,
		.streamed = !r->load->o->whole,
		.empty = a->text.n == 0 && a->call_count == 0,
		.input_tokens = figure_is_known(a->usage.input) ? a->usage.input.n : 0,
		.output_tokens = figure_is_known(a->usage.output) ? a->usage.output.n : a->arrival_count,
		.output_known = figure_is_known(a->usage.output),
		.events = a->events,
		.late_ns = a->late_ns,
		.arrivals = a->arrivals,
		.arrival_count = a->arrivals ? a->arrival_count : 0,
	};
}

static void load_on_answer(void *own, const struct provider_answer *a)
{
	struct request *r = own;
	struct load *l = r->load;
	struct load_outcome o = load_outcome_of(r, a);

	o.end = a->status == PROVIDER_OK ? LOAD_OK : a->status == PROVIDER_LIMITED ? LOAD_LIMITED : LOAD_ERROR;
	if (o.end != LOAD_OK && !o.failure)
		o.failure = provider_status_name(a->status);
	load_note(l, &o, a->request_id);
	request_close(r);
	end_when_done(l);
}

/* What came until we gave it up. */
static void on_given_up(void *own, const struct provider_answer *a)
{
	struct request *r = own;
	struct load_outcome o = load_outcome_of(r, a);

	o.end = r->end;
	o.failure = r->end == LOAD_TIMEOUT ? "timeout" : NULL;
	o.ended_ns = clock_mono_ns();
	load_note(r->load, &o, a->request_id);
}

static void give_up(struct request *r, enum load_end end)
{
	r->end = end;
	provider_cancel(r->call, on_given_up);
	request_close(r);
}

/* ---- what is sent ---- */

/* Made before it is due: a long question takes a while. */
static void make_ready(struct load *l)
{
	const struct load_options *o = l->o;
	struct load_prompt made;

	l->has_next = arrivals_next(&l->arrivals, &l->next);
	if (!l->has_next)
		return;
	if (o->suite) {
		uint64_t n = o->suite->count;

		if (o->by_chance)
			n = stats_random_below(&l->random, n);
		else
			n = l->next.number % n;
		l->prompt = o->suite->prompts[n].prompt;
		return;
	}
	made = (struct load_prompt){
		.seed = o->seed,
		.number = l->next.number,
		.tokens = l->next.input_tokens ? l->next.input_tokens : o->input_tokens,
		.blocks = l->next.blocks,
		.block_count = l->next.block_count,
		.block_sizes = l->next.block_sizes,
	};
	buf_clear(&l->question);
	load_prompt_make(&l->question, &made);
	l->prompt = buf_str(&l->question);
}

/* Sends the request that is due, or notes that it was not sent because too many are open. */
static void send_next(struct load *l)
{
	const struct load_options *o = l->o;
	struct provider_question q = {
		.model = o->target->model,
		.prompt = l->prompt,
		.thinking = o->target->thinking,
		.system = o->system,
		.temperature = o->temperature,
		.max_tokens = o->max_tokens ? o->max_tokens : l->next.output_tokens,
		.whole = o->whole,
		.arrivals = !o->whole,
	};

	l->now.due++;
	l->now.stage = l->next.stage;
	if (l->now.open >= o->max_open) {
		struct load_outcome lost = {
			.number = l->next.number,
			.stage = l->next.stage,
			.end = LOAD_NOT_SENT,
			.due_ns = l->stats->start_ns + l->next.due_ns,
			.failure = "max_open",
		};

		load_note(l, &lost, (struct str){ NULL, 0 });
	} else {
		struct request *r = request_open(l);

		r->call = provider_ask(l->client, &q, load_on_answer, r);
		l->asked_ns = r->asked_ns;
	}
}

/* At a time that is past it comes back at once, after answers that have come were looked at. */
static void wait_for_next(struct load *l)
{
	uint64_t at = l->stats->start_ns + l->next.due_ns;
	struct itimerspec when = {
		.it_value = { .tv_sec = (time_t)(at / 1000000000), .tv_nsec = (long)(at % 1000000000) },
	};

	if (l->has_next)
		timerfd_settime(l->timer, TFD_TIMER_ABSTIME, &when, NULL);
}

/* Sends what is due, AT_ONCE at most, so that answers are looked at between; what is left comes back at once. */
static void on_due(uv_poll_t *h, int status, int events)
{
	struct load *l = h->data;
	uint64_t times;

	(void)status;
	(void)events;
	if (read(l->timer, &times, sizeof(times)) < 0 && errno != EAGAIN && errno != EINTR)
		return;
	for (int i = 0; i < AT_ONCE && l->has_next && clock_mono_ns() >= l->stats->start_ns + l->next.due_ns; i++) {
		send_next(l);
		make_ready(l);
	}
	wait_for_next(l);
	end_when_done(l);
}

/* ---- time and signals ---- */

/* Writes the lines that have gathered. A failed write ends the test. */
static void tell(struct load *l)
{
	uint64_t now = clock_mono_ns();

	l->now.elapsed_ns = now > l->stats->start_ns ? now - l->stats->start_ns : 0;
	if (l->lines.n && !l->failed && !l->o->write(l->o->own, buf_str(&l->lines), l->err)) {
		l->failed = l->ended = true;
		uv_stop(&l->loop);
	}
	buf_clear(&l->lines);
	if (l->o->progress)
		l->o->progress(l->o->own, &l->now);
}

/* A signal gives up all that is open; what was due later is not counted at all. */
static void load_on_tick(uv_timer_t *t)
{
	struct load *l = t->data;
	uint64_t now = clock_mono_ns();

	if (stop_signal() && !l->ended) {
		l->out->stopped = true;
		l->has_next = false;
		while (l->first)
			give_up(l->first, LOAD_GIVEN_UP);
	}
	while (l->first && now - l->first->asked_ns >= l->o->timeout_ns && now > l->first->asked_ns)
		give_up(l->first, LOAD_TIMEOUT);
	if (++l->ticks % TICKS_SHOWN == 0)
		tell(l);
	end_when_done(l);
}

static void after_poll(uv_check_t *h)
{
	struct load *l = h->data;

	l->awake_ns = clock_mono_ns();
}

/* A request that becomes due ends the pause. */
static void before_poll(uv_prepare_t *h)
{
	struct load *l = h->data;
	struct pollfd due = { .fd = l->timer, .events = POLLIN };
	uint64_t now, until, pause = l->now.open * PAUSE_EACH_NS;

	if (l->now.open < PAUSE_FROM || l->ended || !provider_has_stamps(l->client))
		return;
	now = clock_mono_ns();
	until = l->awake_ns + (pause < PAUSE_MOST_NS ? pause : PAUSE_MOST_NS);
	if (now < until && (provider_unsent(l->client) == 0 || now > l->asked_ns + CONNECT_NS)) {
		struct timespec rest = { .tv_sec = 0, .tv_nsec = (long)(until - now) };

		ppoll(&due, 1, &rest, NULL);
	}
}

/* ---- all of it ---- */

static double load_cpu_seconds(void)
{
	struct rusage u;

	getrusage(RUSAGE_SELF, &u);
	return (double)u.ru_utime.tv_sec + (double)u.ru_stime.tv_sec +
	       (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec) / 1e6;
}

/* A stage that a signal cut short is as long as it lasted. */
static void note_spans(struct load *l)
{
	const struct arrivals *a = &l->arrivals;
	uint64_t now = l->out->wall_ns;

	for (size_t i = 0; i < l->stats->count; i++) {
		double rate = a->options.rate_count ? a->options.rates[i] : NAN;
		uint64_t length = i < a->stage ? a->lengths[i] : 0, begin = i < a->stage ? a->begins[i] : a->stage_ns;

		if (i >= a->stage || (l->out->stopped && begin + length > now))
			length = i <= a->stage && now > begin ? now - begin : 0;
		load_stats_span(l->stats, i, rate, begin, length);
	}
}

/* CPU time is that of the test alone; making the first question ready is not in it. */
static void load_run_loop(struct load *l)
{
	uint64_t now;
	double cpu;

	make_ready(l);
	cpu = load_cpu_seconds();
	l->stats->start_ns = clock_mono_ns() + LEAD_NS;
	wait_for_next(l);
	uv_timer_start(&l->tick, load_on_tick, TICK_MS, TICK_MS);
	end_when_done(l);
	if (!l->ended)
		uv_run(&l->loop, UV_RUN_DEFAULT);
	l->out->cpu_seconds = load_cpu_seconds() - cpu;
	now = clock_mono_ns();
	l->out->wall_ns = now > l->stats->start_ns ? now - l->stats->start_ns : 0; /* stopped before it began */
	note_spans(l);
	tell(l);
}

/* False with ERR_IO and nothing left open when the system gives no loop or no timer. */
static bool make_loop(struct load *l)
{
	int code = uv_loop_init(&l->loop);

	if (code)
		return err_set(l->err, ERR_IO, "no event loop: %s", uv_strerror(code));
	l->timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
	if (l->timer < 0) {
		uv_loop_close(&l->loop);
		return err_system(l->err, errno, "no timer");
	}
	uv_poll_init(&l->loop, &l->due, l->timer);
	uv_timer_init(&l->loop, &l->tick);
	uv_prepare_init(&l->loop, &l->prepare);
	uv_check_init(&l->loop, &l->check);
	l->due.data = l->tick.data = l->prepare.data = l->check.data = l;
	if (!l->o->no_pauses) {
		uv_prepare_start(&l->prepare, before_poll);
		uv_check_start(&l->check, after_poll);
	}
	uv_poll_start(&l->due, UV_READABLE, on_due);
	return true;
}

/* Runs the loop once more, until all handles are closed. */
static void free_loop(struct load *l)
{
	uv_close((uv_handle_t *)&l->due, NULL);
	uv_close((uv_handle_t *)&l->tick, NULL);
	uv_close((uv_handle_t *)&l->prepare, NULL);
	uv_close((uv_handle_t *)&l->check, NULL);
	provider_pool_close(l->pool);
	uv_run(&l->loop, UV_RUN_DEFAULT);
	provider_pool_free(l->pool);
	uv_loop_close(&l->loop);
	close(l->timer);
}

bool load_run(const struct load_options *o, struct arena *a, struct load_stats *stats, struct load_run *out,
	      struct err *err)
{
	struct load_stats fresh;
	struct load l = { .o = o, .arena = a, .stats = stats, .out = out, .err = err };

	*out = (struct load_run){ .address = { NULL, 0 } };
	load_stats_init(&fresh, a, 0, o->arrivals->rate_count ? o->arrivals->rate_count : 1);
	fresh.slos = stats->slos;
	fresh.slo_count = stats->slo_count;
	*stats = fresh;
	if (!make_loop(&l))
		return false;
	buf_init(&l.question);
	buf_init(&l.lines);
	stats_random_init(&l.random, o->seed);
	arrivals_init(&l.arrivals, o->arrivals);
	l.pool = provider_pool_open(&l.loop);
	l.client = provider_open(l.pool, o->target->provider, o->provider, err);
	if (l.client) {
		out->address = arena_copy(a, provider_address(l.client));
		load_run_loop(&l);
	}
	free_loop(&l);
	buf_free(&l.question);
	buf_free(&l.lines);
	return l.client && !l.failed;
}
