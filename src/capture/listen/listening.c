/* Order: the directory before the proxy, and at the end the feed before the runs, so that nothing comes after them. */
#include "capture/listen/listening.h"

#include <stdlib.h>

#include "base/file.h"
#include "capture/listen/listen_gate.h"
#include "capture/otlp/receiver.h"
#include "capture/recorder.h"
#include "capture/sight_socket.h"
#include "net/websocket/websocket.h"
#include "proc/descriptors.h"

#define SILENCE_MS (60u * 60 * 1000) /* that a service may keep: longer than any client waits by itself */
#define TICK_MS 1000
#define TICK_SOON_MS 100 /* while there are more runs to close */
#define LINES_ROOM ((size_t)64 << 20) /* lines that wait for a disk, of all runs */

struct listening {
	struct arena arena;
	uv_loop_t *loop;
	struct listening_options o;
	struct clock_line clock;
	struct listen_gate gate;
	struct budget room, lines;
	struct listen_dir *dir;
	struct listen_runs *runs;
	struct recorder *recorder;
	struct feed *feed;
	struct tap *tap;
	struct proxy_tap tap_ops;
	struct http_head shown; /* without the token, while the tap copies it */
	struct proxy *proxy;
	struct sight_socket *sights; /* NULL: another has it */
	struct otlp_receiver *receiver;
	uv_timer_t tick;
	uv_work_t sync; /* brings closed runs to the disk, while is_syncing */
	bool is_syncing;
	_Atomic bool is_ticking;
	uint64_t synced; /* runs that were closed when it began */
	struct listening_tally tally;
};

static int64_t listening_now(void *context)
{
	struct listening *l = context;

	return clock_line_ns(&l->clock);
}

static struct str listening_dir(const struct listening *l)
{
	return l->o.record->dir.p ? l->o.record->dir : STR("runs");
}

/* ---- events, on the recorder's thread ---- */

static void note_closed(void *context, const struct listen_closed *c)
{
	struct listening *l = context;

	listen_dir_add(l->dir, c);
	l->o.events.closed(l->o.events.context, c);
}

static void pass_trouble(void *context, struct str text)
{
	struct listening *l = context;

	l->o.events.trouble(l->o.events.context, text);
}

static void pass_full(void *context, const char *why, uint64_t unrecorded)
{
	struct listening *l = context;

	l->o.events.full(l->o.events.context, why, unrecorded);
}

static void pass_removed(void *context, uint64_t count, uint64_t bytes)
{
	struct listening *l = context;

	l->o.events.removed(l->o.events.context, count, bytes);
}

/* ---- jobs for the recorder's thread ---- */

static void push_job(struct listening *l, void (*job)(struct recorder *d, struct handoff *w), void *own)
{
	struct handoff *w = mem_alloc(sizeof(*w));

	*w = (struct handoff){ .job = job, .own = own };
	buf_init(&w->body);
	feed_push(l->feed, &w->item, true);
}

static void tick_job(struct recorder *d, struct handoff *w)
{
	struct listening *l = w->own;

	listen_runs_tick(recorder_context(d));
	listen_dir_keep(l->dir);
	l->is_ticking = false;
	handoff_free(w);
}

/* One at a time: a recorder that is behind is not asked again. */
static void push_tick(struct listening *l)
{
	l->is_ticking = true;
	push_job(l, tick_job, l);
}

static void interrupt_job(struct recorder *d, struct handoff *w)
{
	listen_runs_interrupt(recorder_context(d), (int)(intptr_t)w->own);
	handoff_free(w);
}

/* On a thread of libuv's: a slow disk holds up neither requests nor the recorder. */
static void sync_work(uv_work_t *work)
{
	struct listening *l = work->data;
	struct err ignored;

	file_sync_all(listening_dir(l), &ignored);
}

static void sync_done(uv_work_t *work, int status)
{
	struct listening *l = work->data;

	(void)status;
	l->is_syncing = false;
}

static void listening_tick(uv_timer_t *timer)
{
	struct listening *l = timer->data;
	struct listen_runs_tally t = listen_runs_tally(l->runs);

	if (!l->is_ticking)
		push_tick(l);
	uv_timer_set_repeat(timer, t.more ? TICK_SOON_MS : TICK_MS);
	if (t.closed == l->synced || l->is_syncing)
		return;
	l->synced = t.closed;
	l->sync.data = l;
	l->is_syncing = uv_queue_work(l->loop, &l->sync, sync_work, sync_done) == 0;
}

/* ---- the proxy ---- */

/* A copy of the head without the token: routes and files see nothing of it. */
static bool route_listened(void *context, struct arena *a, const struct http_head *h, const struct url *host,
			   struct proxy_destination *to, int *status, const char **why)
{
	struct listening *l = context;
	struct http_head own = *h;

	(void)host; /* it is no forward proxy */
	if (!listen_gate_admits(&l->gate, h, &own.target)) {
		l->tally.unknown++;
		*status = 401;
		*why = "this recorder asks for its token: in the header X-Trackway-Token, or as /t/TOKEN before the "
		       "path";
		return false;
	}
	if (otlp_receiver_takes(own.target)) {
		to->local = otlp_receiver_local(l->receiver);
		return true;
	}
	if (l->o.record->otlp) {
		*status = 404;
		*why = "this recorder was started for telemetry (OTLP) alone, and passes no request on";
		return false;
	}
	routes_choose(l->o.record->routes, a, &own, to);
	if (l->o.record->no_websocket && websocket_is_asked(h)) {
		*status = 426;
		*why = "the recorder was asked to allow no WebSocket: use plain HTTP";
		return false;
	}
	if (!routes_is_telemetry(own.target) && !routes_is_telemetry(to->target))
		return true;
	l->tally.astray++;
	*status = 404;
	*why = "it is telemetry (OTLP) on the path of a model's service: the recorder takes it at /v1/traces and so "
	       "on, without a path before that";
	return false;
}

static void *begin_listened_tap(void *context, const struct http_head *h, const struct proxy_destination *to,
				int64_t ns)
{
	struct listening *l = context;

	sight_socket_look(l->sights);
	l->shown = *h;
	listen_gate_admits(&l->gate, h, &l->shown.target);
	return tap_ops.begin(l->tap, &l->shown, to, ns);
}

static void count_refused(void *context, const struct url *url, const char *why)
{
	struct listening *l = context;

	(void)url;
	(void)why;
	l->tally.refused++;
}

static bool open_listener(struct listening *l, struct err *err)
{
	struct proxy_options o = {
		.route = route_listened,
		.tap = &l->tap_ops,
		.refused = count_refused,
		.server = { .guard = l->o.record->guard, .host = l->o.host, .port = l->o.port, .tls = l->o.tls },
		.upstream = { .idle_ms = SILENCE_MS },
		.context = l,
		.clock = &l->clock,
	};

	l->tap_ops = tap_ops;
	l->tap_ops.begin = begin_listened_tap;
	l->proxy = proxy_open(l->loop, &o, err);
	return l->proxy != NULL;
}

/* ---- opening ---- */

static bool open_dir(struct listening *l, struct listen_dir_found *found, struct err *err)
{
	const struct recording_options *r = l->o.record;
	struct listen_dir_options d = {
		.path = listening_dir(l),
		.keep_ns = l->o.keep_ns,
		.keep_bytes = l->o.keep_bytes,
		.now = listening_now,
		.removed = pass_removed,
		.recover = { .plain = r->plain, .dot = r->dot, .rig = r->rig, .engine = r->engine,
			     .trouble = pass_trouble, .context = l },
	};

	l->dir = listen_dir_open(&d, found, err);
	return l->dir != NULL;
}

static void open_runs(struct listening *l)
{
	const struct recording_options *r = l->o.record;
	struct listen_runs_options o = {
		.dir = listening_dir(l),
		.idle_ns = l->o.idle_ns,
		.content = r->content,
		.plain = r->plain,
		.dot = r->dot,
		.own_blocks = r->blocks.tokens && r->blocks.is_drawn,
		.framework = r->framework,
		.rig = r->rig,
		.engine = r->engine,
		.budget = r->budget,
		.retrieval_set = r->retrieval_set,
		.retrieval_digests = r->retrieval_digests,
		.tags = r->tags,
		.tag_count = r->tag_count,
		.prices = r->prices,
		.room = &l->lines,
		.now = listening_now,
		.closed = note_closed,
		.trouble = pass_trouble,
		.full = pass_full,
		.context = l,
	};
	struct recorder_options d = { .room = &l->room, .clock = &l->clock, .blocks = r->blocks };

	l->runs = listen_runs_open(&o);
	d.choose = listen_runs_chooser(l->runs);
	l->recorder = recorder_open(&l->arena, &d);
	listen_runs_set_recorder(l->runs, l->recorder);
	l->feed = feed_open(&l->arena, &l->room, recorder_work(l->recorder));
	l->tap = tap_open(&l->arena, l->feed, &l->room);
}

struct listening *listening_open(uv_loop_t *loop, const struct listening_options *o, struct listen_dir_found *found,
				 struct err *err)
{
	struct listening *l = mem_alloc(sizeof(*l));
	struct err ignored;

	*l = (struct listening){ .loop = loop, .o = *o, .clock = clock_line_begin(), .room.limit = HANDOFF_ROOM,
				 .lines.limit = LINES_ROOM };
	arena_init(&l->arena);
	listen_gate_init(&l->gate, o->token);
	if (!open_dir(l, found, err) || !open_listener(l, err)) {
		listen_dir_close(l->dir);
		arena_free(&l->arena);
		mem_free(l);
		return NULL;
	}
	descriptors_allow_many();
	open_runs(l);
	l->sights = sight_socket_open(loop, &l->room, getenv("XDG_RUNTIME_DIR"), STR(SIGHT_SOCKET_LISTEN), &ignored);
	if (l->sights)
		sight_socket_begin(l->sights, l->feed);
	l->receiver = otlp_receiver_open(loop, &(struct otlp_receiver_options){ .body = 0 });
	otlp_receiver_begin(l->receiver, l->feed);
	uv_timer_init(loop, &l->tick);
	l->tick.data = l;
	uv_timer_start(&l->tick, listening_tick, TICK_MS, TICK_MS);
	uv_unref((uv_handle_t *)&l->tick);
	push_tick(l);
	return l;
}

uint16_t listening_port(const struct listening *l)
{
	return proxy_port(l->proxy);
}

bool listening_has_socket(const struct listening *l)
{
	return l->sights != NULL;
}

/* ---- the end ---- */

void listening_stop(struct listening *l, int signal, bool now)
{
	if (now)
		push_job(l, interrupt_job, (void *)(intptr_t)signal);
	proxy_stop(l->proxy, now);
}

struct listening_tally listening_tally(const struct listening *l)
{
	struct listening_tally t = l->tally;
	struct tap_tally tap = tap_tally(l->tap);

	t.runs = listen_runs_tally(l->runs);
	t.requests = tap.exchanges;
	t.open = proxy_count(l->proxy);
	t.lost = tap.lost + tap.large + tap.crowded;
	t.strangers = proxy_strangers(l->proxy);
	t.telemetry = otlp_receiver_tally(l->receiver);
	return t;
}

void listening_close(struct listening *l, struct listening_tally *out)
{
	struct listening_tally tally;
	struct err ignored;

	uv_close((uv_handle_t *)&l->tick, NULL);
	if (l->sights)
		sight_socket_stop(l->sights);
	otlp_receiver_stop(l->receiver);
	uv_run(l->loop, UV_RUN_DEFAULT);
	feed_close(l->feed);
	recorder_flush(l->recorder);
	tally = listening_tally(l);
	listen_runs_close(l->runs, &tally.runs);
	file_sync_all(listening_dir(l), &ignored);
	recorder_close(l->recorder);
	listen_dir_keep(l->dir);
	tap_close(l->tap);
	proxy_close(l->proxy);
	sight_socket_close(l->sights);
	otlp_receiver_close(l->receiver);
	listen_dir_close(l->dir);
	arena_free(&l->arena);
	mem_free(l);
	if (out)
		*out = tally;
}
