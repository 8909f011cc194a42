/*
 * Order is what this file is about: files before the proxy, the proxy before the child, the list of runs after it; and
 * at the end the feed before the summary, the summary before meta.json.
 */
#include "capture/recording.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/file.h"
#include "base/seed.h"
#include "capture/derive.h"
#include "capture/engine.h"
#include "capture/env.h"
#include "capture/recorder.h"
#include "capture/trust.h"
#include "json/put.h"
#include "net/websocket/websocket.h"
#include "proc/child.h"
#include "proc/handed_file.h"

#define SILENCE_MS (60u * 60 * 1000) /* that a service may keep: longer than any client waits by itself */
#define GRACE_MS 1000 /* for answers on their way when the child has ended: its own children may still want them */

struct recording {
	struct arena *arena;
	const struct recording_options *o;
	struct recording_outcome *out;
	struct clock_line clock;
	struct id id;
	uv_loop_t loop;
	uv_timer_t grace;
	struct line_file trace, cassette;
	struct budget room; /* what the tap, the feed and the recorder hold in sum */
	struct recorder *recorder;
	struct feed *feed;
	struct tap *tap;
	struct proxy *proxy;
	struct url engine_url;
	struct engine *engine;
	struct engine_summary metrics;
	struct child *child;
	int handed; /* a file for the child; -1 */
	struct recording_trouble **last;
	struct authority *authority; /* of interception; NULL: none */
	struct str trust; /* the file that the child is told of */
	char refused[300]; /* the latest */
};

static void add_trouble(struct recording *r, struct str text)
{
	struct recording_trouble *t = arena_new(r->arena, struct recording_trouble);

	t->text = arena_copy(r->arena, text);
	*r->last = t;
	r->last = &t->next;
}

static void add_failure(struct recording *r, const char *what, const struct err *err)
{
	add_trouble(r, ARENA_JOIN(r->arena, str_from(what), STR(": "), str_from(err->text)));
}

/* ---- the proxy ---- */

static bool choose_route(void *context, struct arena *a, const struct http_head *h, const struct url *host,
			 struct proxy_destination *to, int *status, const char **why)
{
	struct recording *r = context;
	const struct route *t = NULL;

	if (!host)
		routes_choose(r->o->routes, a, h, to);
	else if (!(t = routes_choose_host(r->o->routes, a, h, host, to)))
		return true; /* nobody's business */
	if (r->o->no_websocket && websocket_is_asked(h)) {
		r->out->websockets++;
		*status = 426;
		*why = "the recorder was asked to allow no WebSocket: use plain HTTP";
		return false;
	}
	if (t && !routes_is_moved(t, host))
		return true; /* it is the client's own choice whom it sends telemetry to */
	if (!routes_is_telemetry(h->target) && !routes_is_telemetry(to->target))
		return true;
	r->out->telemetry++;
	*status = 404;
	*why = "it is telemetry (OTLP), which may hold prompts; the recorder takes none, and sends none to a model's "
	       "service: set OTEL_EXPORTER_OTLP_ENDPOINT to your collector";
	return false;
}

static void note_refused(void *context, const struct url *url, const char *why)
{
	struct recording *r = context;

	snprintf(r->refused, sizeof(r->refused), "no answer from %.*s: %s", STR_ARG(url->authority), why);
	r->out->refused++;
}

/* The proxy has one context for both, and the tap's functions want theirs. */
static void *begin_tapped(void *context, const struct http_head *h, const struct proxy_destination *to, int64_t ns)
{
	struct recording *r = context;

	return tap_ops.begin(r->tap, h, to, ns);
}

static enum proxy_entry enter_host(void *context, const struct url *host)
{
	struct recording *r = context;
	const struct route *t = routes_find_host(r->o->routes, host);

	return !t ? PROXY_PASS : routes_is_moved(t, host) ? PROXY_ENTER_ALWAYS : PROXY_ENTER;
}

static bool open_proxy(struct recording *r, struct proxy_tap *tap, struct err *err)
{
	struct proxy_options o = {
		.route = choose_route,
		.tap = tap,
		.refused = note_refused,
		.enters = enter_host,
		.authority = r->authority,
		.server = { .guard = r->o->guard, .forward = r->authority != NULL },
		.upstream = { .idle_ms = SILENCE_MS },
		.context = r,
		.clock = &r->clock,
	};

	*tap = tap_ops;
	tap->begin = begin_tapped;
	r->proxy = proxy_open(&r->loop, &o, err);
	return r->proxy || err_context(err, "the recorder cannot listen");
}

/* ---- files ---- */

static bool measured(void *context, int64_t from_ns, int64_t to_ns)
{
	struct recording *r = context;

	return engine_measured(r->engine, from_ns, to_ns);
}

/* The id is made of the time and of random bits; the directory takes its name from it unless one is given. */
static void name_run(struct recording *r)
{
	struct run_files *d = &r->out->run;
	uint8_t random[10];
	char text[ID_UUID_TEXT];

	seed_random(random, sizeof(random));
	d->begun_ns = clock_line_ns(&r->clock);
	r->id = id_uuid7((uint64_t)d->begun_ns / 1000000, random);
	id_format_uuid(text, r->id);
	d->run_id = arena_copy(r->arena, str_of(text, sizeof(text)));
	d->path = r->o->dir.p ? r->o->dir : ARENA_JOIN(r->arena, STR("runs/"), d->run_id);
	d->program = str_basename(str_from(r->o->argv[0]));
	while (r->o->argv[d->argument_count + 1])
		d->argument_count++;
	d->tags = r->o->tags;
	d->tag_count = r->o->tag_count;
	d->budget = r->o->budget;
	d->retrieval_set = r->o->retrieval_digests;
	d->content = r->o->content;
	d->dir = -1;
}

/* Everything that could keep a run from being recorded is met here, before the child is started. */
static bool open_files(struct recording *r, struct err *err)
{
	struct run_files *d = &r->out->run;

	r->trace.fd = r->cassette.fd = -1;
	if (!run_files_make(r->arena, d, err))
		return false;
	if (!line_file_open(&r->trace, d->dir, "agent-trace.jsonl", 0666, err))
		return false;
	if (d->content && !line_file_open(&r->cassette, d->dir, "cassette.jsonl", 0600, err))
		return false;
	return run_files_write_meta(r->arena, d, NULL, err);
}

#define TRUST_FILE "interception.pem"

/* The file holds no key: that stays in our memory, and ends with us. */
static bool open_interception(struct recording *r, struct err *err)
{
	const struct run_files *d = &r->out->run;
	struct str *hosts;
	size_t count;
	struct buf pem;
	bool placed;

	if (!r->o->intercept)
		return true;
	routes_add_hosts(r->o->routes);
	count = routes_list_hosts(r->o->routes, r->arena, &hosts);
	r->authority = authority_open(hosts, count, err);
	if (!r->authority)
		return err_context(err, "interception");
	buf_init(&pem);
	trust_gather(r->arena, r->o->env, &pem);
	authority_add_pem(r->authority, &pem);
	placed = file_place(d->dir, STR(TRUST_FILE), buf_str(&pem), 0600, err);
	buf_free(&pem);
	r->trust = ARENA_JOIN(r->arena, d->absolute, STR("/" TRUST_FILE));
	return placed || err_context(err, "interception");
}

static void close_interception(struct recording *r)
{
	if (r->trust.p)
		unlinkat(r->out->run.dir, TRUST_FILE, 0);
	authority_close(r->authority);
}

static void note_hosts(struct recording *r)
{
	for (const struct proxy_host *h = proxy_hosts(r->proxy); h; h = h->next) {
		struct recording_host *n = arena_new(r->arena, struct recording_host);

		*n = (struct recording_host){
			.next = r->out->hosts,
			.name = arena_copy(r->arena, h->url.authority),
			.passed = h->passed,
			.distrust = h->distrust,
			.foreign = h->foreign,
			.entered = h->entered > 0,
		};
		r->out->hosts = n;
	}
}

/* At the beginning, while the child finds its feet: a run that is killed has a name too. */
static void list_run(struct recording *r)
{
	const struct run_files *d = &r->out->run;
	char started[36];
	struct run_entry e = {
		.run_id = d->run_id,
		.dir = d->absolute,
		.kind = STR("record"),
		.program = d->program,
		.tags = d->tags,
		.tag_count = d->tag_count,
	};
	struct err err;

	e.started = str_of(started, stamp_format_ns(started, d->begun_ns, 3));
	r->out->listed = runs_add(r->arena, &e, &err);
	if (!r->out->listed)
		add_failure(r, "the list of runs, which @last needs", &err);
}

/* A recording that never began leaves nothing behind; what was there before stays. */
static void remove_files(struct recording *r)
{
	static const char *const made[] = { "agent-trace.jsonl", "cassette.jsonl", "meta.json" };
	struct run_files *d = &r->out->run;

	if (r->trace.fd >= 0) {
		line_file_close(&r->trace);
		line_file_close(&r->cassette);
		for (size_t i = 0; i < COUNT(made); i++)
			unlinkat(d->dir, made[i], 0);
	}
	run_files_close(d);
	run_files_remove(r->arena, d);
}

static void open_recorder(struct recording *r)
{
	const struct recording_options *o = r->o;
	struct recorder_options d = {
		.run_graph = {
			.trace = r->id,
			.framework = o->framework,
			.rig = o->rig,
			.engine = o->engine,
			.plain = o->plain,
			.prices = o->prices,
		},
		.measured = r->engine ? measured : NULL,
		.measured_context = r,
		.trace = &r->trace,
		.cassette = o->content ? &r->cassette : NULL,
		.run_id = r->out->run.run_id,
		.begun_ns = r->out->run.begun_ns,
		.room = &r->room,
	};

	r->recorder = recorder_open(r->arena, &d);
}

/* ---- the child ---- */

static void stop_now(uv_timer_t *timer)
{
	struct recording *r = timer->data;

	proxy_stop(r->proxy, true);
}

/* From the loop. The proxy stays for GRACE_MS, since processes that the child left behind may be inside an answer. */
static void end_child(void *context, int status, int signal)
{
	struct recording *r = context;

	r->out->end.status = status;
	r->out->end.signal = signal;
	r->out->end.ended_ns = clock_line_ns(&r->clock);
	child_close(r->child);
	if (r->engine)
		engine_stop(r->engine);
	proxy_stop(r->proxy, false);
	uv_timer_start(&r->grace, stop_now, GRACE_MS, 0);
	uv_unref((uv_handle_t *)&r->grace); /* nothing waits for it when all is done before */
}

/* At most one: no agent has two options with files. */
static bool hand_file(void *context, struct str text, struct str *path, struct err *err)
{
	struct recording *r = context;

	assert(r->handed < 0);
	r->handed = handed_file_open(r->arena, text, path, err);
	return r->handed >= 0;
}

/* The child's environment and arguments lead its clients to the proxy's port, which is known only now. */
static bool start_child(struct recording *r, struct err *err)
{
	struct str base = arena_printf(r->arena, "http://127.0.0.1:%u", proxy_port(r->proxy));
	struct env_options e = {
		.base = r->o->env,
		.routes = r->o->routes,
		.trust = r->trust,
		.plan = r->o->plan,
		.without = r->o->plan ? r->o->plan->without : NULL,
		.port = proxy_port(r->proxy),
		.run = r->id,
		.dir = r->out->run.absolute,
	};
	struct child_options c = { .argv = r->o->argv, .ended = end_child, .context = r };

	if (r->o->plan && !agents_argv(r->o->plan, base, hand_file, r, &c.argv, err))
		return false;
	seed_random(e.span, sizeof(e.span));
	c.env = env_make(r->arena, &e);
	r->child = child_start(&r->loop, &c, err);
	return r->child != NULL;
}

/* Every stream is two connections. The child was started before, so it keeps the limit its user gave it. */
static void allow_many_connections(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) != 0)
		return;
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
}

/* ---- the end ---- */

static const char *recording_status_of(struct recording *r, struct str *error)
{
	const struct run_files_end *end = &r->out->end;

	*error = str_of(NULL, 0);
	if (end->signal) {
		*error = arena_printf(r->arena, "child ended by signal %d", end->signal);
		return "interrupted";
	}
	if (end->status == 0)
		return "success";
	*error = arena_printf(r->arena, "child exited %d", end->status);
	return "error";
}

/* What was passed on but not recorded: counts for meta.json, and a sentence each for the user. */
static void note_losses(struct recording *r)
{
	struct tap_tally tap = tap_tally(r->tap);
	uint64_t crowded = recorder_crowded(r->recorder);
	const struct { struct line_file *line_file; const char *name; } line_files[] = {
		{ &r->trace, "agent-trace.jsonl" }, { &r->cassette, "cassette.jsonl" },
	};
	const struct { uint64_t count; const char *what; } losses[] = {
		{ tap.lost, "the recorder could not keep up: pieces of requests or answers passed on but not read" },
		{ tap.large, "requests above 64 MiB, passed on but not read" },
		{ tap.crowded, "too much was open at once: requests passed on but not read" },
		{ crowded, "requests or answers that take too much memory to be read whole" },
	};

	r->out->exchanges = tap.exchanges;
	r->out->end.lost_pieces = tap.lost + tap.large + tap.crowded + crowded;
	for (size_t i = 0; i < COUNT(losses); i++)
		if (losses[i].count)
			add_trouble(r, arena_printf(r->arena, "%s: %llu", losses[i].what,
						    (unsigned long long)losses[i].count));
	for (size_t i = 0; i < 2; i++) {
		const struct line_file *t = line_files[i].line_file;

		r->out->end.lost_lines += t->lost;
		if (t->failure.kind != ERR_NONE)
			add_trouble(r, arena_printf(r->arena, "%s: %s; %s, lines lost: %llu", line_files[i].name,
						    t->failure.text,
						    t->moved     ? "what was written is not there"
						    : t->is_torn ? "its last line is torn"
								 : "what was written before is whole",
						    (unsigned long long)t->lost));
	}
}

static void add_content(struct recording_outcome *out, const char *name)
{
	run_files_wrote(&out->run, name);
	out->content[out->content_count++] = name;
}

/* Members for run_start, each with a comma behind it. */
static struct str recording_declared(struct recording *r)
{
	struct str budget = r->o->budget, set = r->o->retrieval_set;

	return ARENA_JOIN(r->arena, budget.p ? STR("\"budget\":") : STR(""), budget, budget.p ? STR(",") : STR(""),
			  set.p ? STR("\"retrieval_set\":") : STR(""), set, set.p ? STR(",") : STR(""));
}

/* The files that follow from trace and cassette. One that fails is told, and the others are still written. */
static void write_others(struct recording *r)
{
	static const struct { const char *to, *name; } copies[] = {
		{ "otutl", "run.otutl.jsonl" }, { "trajectory", "trajectory.jsonl" },
	};
	struct str declared = recording_declared(r);
	struct run_files *d = &r->out->run;
	bool any = recorder_tally(r->recorder).counts[AT_MODEL_CALL] > 0;
	struct err err;

	if (!run_files_is_in_place(d)) {
		add_trouble(r, STR("the directory of the run was moved or replaced during the run: what was "
				   "written is in the one that was made"));
		return;
	}
	if (d->content && !r->cassette.moved)
		add_content(r->out, "cassette.jsonl");
	for (size_t i = 0; i < 2 && d->content && any && !r->cassette.moved; i++) {
		if (derive_convert(r->arena, run_files_file(r->arena, d, "cassette.jsonl"), copies[i].to,
				   i == 0 ? declared : STR(""), d->dir, str_from(copies[i].name), &err))
			add_content(r->out, copies[i].name);
		else
			add_failure(r, copies[i].name, &err);
	}
	if (!r->o->dot || r->trace.moved)
		return;
	if (derive_dot(run_files_file(r->arena, d, "agent-trace.jsonl"), d->dir, STR("agent-trace.dot"), &err))
		run_files_wrote(d, "agent-trace.dot");
	else
		add_failure(r, "agent-trace.dot", &err);
}

/* Metrics that could not be read change what the trace says, so they are worth a word. */
static void note_engine(struct recording *r)
{
	const struct engine_summary *e = &r->metrics;
	struct json_writer w;
	struct buf out;

	buf_init(&out);
	json_write_init(&w, &out, JSON_COMPACT);
	json_write_begin_object(&w);
	json_put_word(&w, "kind", e->kind);
	json_put_u64(&w, "scrapes", e->good);
	json_put_u64(&w, "failed", e->failed);
	if (e->good) {
		json_put_double(&w, "kv_cache_last", e->last);
		json_put_double(&w, "kv_cache_highest", e->highest);
	}
	json_write_end_object(&w);
	r->out->end.engine_metrics = arena_take(r->arena, &out);
	if (e->failed)
		r->out->engine_metrics_trouble =
			arena_printf(r->arena, "the engine's metrics could not be read %llu of %llu times: %s",
				     (unsigned long long)e->failed, (unsigned long long)(e->good + e->failed), e->why);
}

/* Before the recorder is closed, which has the names. */
static void note_unpriced(struct recording *r)
{
	struct buf said;

	buf_init(&said);
	price_gaps_say(recorder_unpriced(r->recorder), &said);
	r->out->unpriced = arena_copy(r->arena, buf_str(&said));
	buf_free(&said);
}

/* In the order of what needs what: the summary closes the trace, and meta.json has the digests of all other files. */
static void end_run(struct recording *r)
{
	struct recording_outcome *out = r->out;
	struct str error, summary;
	const char *status = recording_status_of(r, &error);
	struct err err;

	feed_close(r->feed);
	recorder_finish(r->recorder, status, error, out->end.ended_ns, &summary);
	if (run_files_write_summary(&out->run, summary, &err))
		run_files_wrote(&out->run, "summary.json");
	else
		add_failure(r, "summary.json", &err);
	line_file_close(&r->trace);
	if (!r->trace.moved)
		run_files_wrote(&out->run, "agent-trace.jsonl");
	if (r->o->content)
		line_file_close(&r->cassette);
	note_losses(r);
	if (out->refused)
		out->refusal = arena_copy(r->arena, str_from(r->refused));
	out->end.tally = recorder_tally(r->recorder);
	note_unpriced(r);
	out->trace_lines = r->trace.lines;
	write_others(r);
	if (r->engine) {
		engine_summarize(r->engine, &r->metrics);
		note_engine(r);
	}
	if (!r->trace.moved && run_files_is_in_place(&out->run) &&
	    !run_files_digest(r->arena, &out->run, "agent-trace.jsonl", &out->trace_sha256, &out->trace_bytes))
		add_trouble(r, STR("agent-trace.jsonl was written but cannot be read: check its mode"));
	if (!run_files_write_meta(r->arena, &out->run, &out->end, &err))
		add_failure(r, "meta.json", &err);
	run_files_close(&out->run);
	recorder_close(r->recorder);
}

/* Everything that holds on to the loop is closed, and the loop is run until it lets go. */
static void close_loop(struct recording *r)
{
	if (r->proxy)
		proxy_stop(r->proxy, true);
	if (r->engine)
		engine_stop(r->engine);
	uv_close((uv_handle_t *)&r->grace, NULL);
	uv_run(&r->loop, UV_RUN_DEFAULT);
	if (r->child)
		child_free(r->child);
	if (r->proxy) {
		r->out->strangers = proxy_strangers(r->proxy);
		note_hosts(r);
		proxy_close(r->proxy);
	}
	uv_loop_close(&r->loop);
}

/* False leaves what was opened: recording_run closes the loop and removes the files. */
static bool begin_run(struct recording *r, struct proxy_tap *tap, struct err *err)
{
	name_run(r);
	if (!open_files(r, err))
		return false;
	if (r->o->engine_metrics.p) {
		if (!url_parse(r->arena, r->o->engine_metrics, &r->engine_url, err))
			return err_context(err, "the engine's metrics");
		r->engine = engine_open(&r->loop, &r->engine_url, 0, &r->clock);
	}
	if (!open_interception(r, err) || !open_proxy(r, tap, err) || !start_child(r, err))
		return false;
	list_run(r);
	allow_many_connections();
	return true;
}

bool recording_run(struct arena *a, const struct recording_options *o, struct recording_outcome *out,
		   struct err *err)
{
	struct recording r = {
		.arena = a, .o = o, .out = out, .clock = clock_line_begin(), .room.limit = HANDOFF_ROOM, .handed = -1
	};
	struct proxy_tap tap;
	bool begun;

	*out = (struct recording_outcome){ .exchanges = 0 };
	r.last = &out->troubles;
	uv_loop_init(&r.loop);
	uv_timer_init(&r.loop, &r.grace);
	r.grace.data = &r;
	begun = begin_run(&r, &tap, err);
	if (begun) {
		open_recorder(&r);
		r.feed = feed_open(a, &r.room, recorder_work(r.recorder));
		r.tap = tap_open(a, r.feed, &r.room);
		uv_run(&r.loop, UV_RUN_DEFAULT);
	}
	close_loop(&r);
	close_interception(&r);
	if (begun) {
		end_run(&r);
		tap_close(r.tap);
	} else {
		remove_files(&r);
	}
	if (r.engine)
		engine_close(r.engine);
	if (r.handed >= 0)
		close(r.handed);
	return begun;
}
