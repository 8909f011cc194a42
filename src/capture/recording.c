/*
 * Order is what this file is about: files before the proxy, the proxy before the child, the list of runs after it; and
 * at the end the feed before the summary, the summary before meta.json.
 */
#include "capture/recording.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/seed.h"
#include "capture/engine.h"
#include "capture/env.h"
#include "capture/otlp/receiver.h"
#include "capture/recorder.h"
#include "capture/run_end.h"
#include "capture/shell_dir.h"
#include "capture/sight_socket.h"
#include "capture/trust.h"
#include "json/put.h"
#include "net/websocket/websocket.h"
#include "proc/child.h"
#include "proc/descriptors.h"
#include "proc/handed_file.h"
#include "proc/passing.h"

#define SILENCE_MS (60u * 60 * 1000) /* that a service may keep: longer than any client waits by itself */
#define LATE_MS 20 /* for telemetry that the child sent last and whose answer it did not wait for */
#define GRACE_MS 1000 /* for answers on their way when the child has ended: its own children may still want them */

struct recording {
	struct arena *arena;
	const struct recording_options *o;
	struct recording_outcome *out;
	struct clock_line clock;
	struct id id;
	uv_loop_t loop;
	uv_timer_t grace, limit;
	bool staged; /* the stage is open */
	struct line_file trace, cassette;
	struct budget room; /* what the tap, the feed and the recorder hold in sum */
	struct recorder_run run;
	struct recorder *recorder;
	struct feed *feed;
	struct tap *tap;
	struct otlp_pass *pass; /* NULL: the user has no collector */
	struct otlp_receiver *receiver;
	struct proxy *proxy;
	struct url engine_url;
	struct engine *engine;
	struct engine_summary metrics;
	struct child *child;
	struct output output;
	struct passing *passing; /* NULL: its standard output is ours */
	struct sight_socket *sights; /* NULL: it could not be opened */
	struct shell_dir shell;
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

static void note_trouble(void *context, struct str text)
{
	add_trouble(context, text);
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

	if (!host && otlp_receiver_takes(h->target)) {
		to->local = otlp_receiver_local(r->receiver);
		return true;
	}
	if (r->o->otlp) {
		*status = 404;
		*why = "this recorder was started to take telemetry only: it passes no model calls on";
		return false;
	}
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
	r->out->astray++;
	*status = 404;
	*why = "it is telemetry (OTLP), which may hold prompts, and none is sent to a model's service: the recorder "
	       "takes it at the address in OTEL_EXPORTER_OTLP_ENDPOINT";
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

	sight_socket_look(r->sights);
	if (r->o->stage && r->o->stage->look)
		r->o->stage->look(r->o->stage->context);
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

	run_files_name(r->arena, d, clock_line_ns(&r->clock), &r->id);
	d->path = r->o->dir.p ? r->o->dir : ARENA_JOIN(r->arena, STR("runs/"), d->run_id);
	d->program = str_basename(str_from(r->o->argv[0]));
	while (r->o->argv[d->argument_count + 1])
		d->argument_count++;
	d->tags = r->o->tags;
	d->tag_count = r->o->tag_count;
	d->budget = r->o->budget;
	d->retrieval_set = r->o->retrieval_digests;
	d->forked_from = r->o->forked_from;
	d->content = r->o->content;
	d->dir = -1;
}

/* Everything that could keep a run from being recorded is met here, before the child is started. */
static bool open_files(struct recording *r, struct err *err)
{
	struct run_files *d = &r->out->run;

	r->trace.fd = r->cassette.fd = r->output.fd = -1;
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
	struct err err;

	r->out->listed = run_files_list(r->arena, &r->out->run, &err);
	if (!r->out->listed)
		add_failure(r, "the list of runs, which @last needs", &err);
}

/* A recording that never began leaves nothing behind; what was there before stays. */
static void remove_files(struct recording *r)
{
	static const char *const made[] = { "agent-trace.jsonl", "cassette.jsonl", "meta.json", OUTPUT_FILE };
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
	struct recorder_options recorder = { .run = &r->run, .room = &r->room, .clock = &r->clock,
					     .blocks = r->o->blocks };
	struct recorder_run_options d = {
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
		.forked_from = o->forked_from,
		.begun_ns = r->out->run.begun_ns,
	};

	recorder_run_init(&r->run, &d);
	r->recorder = recorder_open(r->arena, &recorder);
}

/* ---- the stage ---- */

#define STUBBORN_MS 2000 /* for a child that was asked to end */

static void recording_kill(void *recording, int signal)
{
	struct recording *r = recording;

	if (r->child)
		child_kill(r->child, signal);
}

static void kill_stubborn(uv_timer_t *timer)
{
	recording_kill(timer->data, SIGKILL);
}

static void end_overdue(uv_timer_t *timer)
{
	struct recording *r = timer->data;

	r->out->timed_out = true;
	recording_kill(r, SIGTERM);
	uv_timer_start(timer, kill_stubborn, STUBBORN_MS, 0);
}

/* A child that is asked to end has as long as one whose time is over. */
static void end_asked(void *recording, int signal)
{
	struct recording *r = recording;

	recording_kill(r, signal);
	uv_timer_start(&r->limit, kill_stubborn, STUBBORN_MS, 0);
}

static bool open_stage(struct recording *r, struct err *err)
{
	const struct recording_stage *s = r->o->stage;

	if (!s)
		return true;
	r->staged = true;
	return !s->open || s->open(s->context, &r->loop, end_asked, r, err);
}

static void stop_stage(struct recording *r)
{
	uv_timer_stop(&r->limit);
	if (r->staged && r->o->stage->stop)
		r->o->stage->stop(r->o->stage->context);
	r->staged = false;
}

/* ---- the child ---- */

static void stop_now(uv_timer_t *timer)
{
	struct recording *r = timer->data;

	proxy_stop(r->proxy, true);
}

/* The proxy stays for GRACE_MS, since processes that the child left behind may be inside an answer. */
static void stop_slowly(uv_timer_t *timer)
{
	struct recording *r = timer->data;

	proxy_stop(r->proxy, false);
	stop_stage(r);
	otlp_receiver_end(r->receiver);
	uv_timer_start(&r->grace, stop_now, GRACE_MS, 0);
	uv_unref((uv_handle_t *)&r->grace); /* nothing waits for it when all is done before */
}

static void see_output(void *context, struct str bytes)
{
	struct recording *r = context;

	output_add(&r->output, bytes);
}

/*
 * With content what the child writes goes through us. A terminal is left alone: the child may want its size, its keys
 * and its colours. -1: nothing is in between.
 */
static int open_output(struct recording *r)
{
	struct passing_options o = { .to = r->o->child_out ? r->o->child_out : STDOUT_FILENO, .seen = see_output,
				     .context = r };
	int flags = fcntl(o.to, F_GETFL), end = -1;
	struct output_tally t;
	struct err err;

	if (!r->o->content || flags < 0 || (flags & O_ACCMODE) == O_RDONLY)
		return -1;
	r->out->output.terminal = r->out->has_output = !r->o->child_out && isatty(o.to);
	if (r->out->has_output)
		return -1;
	if (!output_open(&r->output, r->out->run.dir, &err)) {
		add_failure(r, "standard output is not kept", &err);
		return -1;
	}
	r->passing = passing_open(&r->loop, &o, &end, &err);
	r->out->has_output = r->passing != NULL;
	if (r->passing)
		return end;
	add_failure(r, "standard output is not kept", &err);
	output_close(&r->output, &t);
	unlinkat(r->out->run.dir, OUTPUT_FILE, 0);
	return -1;
}

/* After the loop has run dry. True: the file is there. */
static bool close_output(struct recording *r)
{
	bool is_there;

	if (!r->passing)
		return false;
	passing_free(r->passing);
	is_there = output_close(&r->output, &r->out->output);
	if (r->output.failure.kind != ERR_NONE)
		add_failure(r, OUTPUT_FILE " has not all that was written", &r->output.failure);
	else if (!is_there)
		add_trouble(r, STR(OUTPUT_FILE " is not kept: the file was moved or replaced during the run"));
	return is_there;
}

/* From the loop. */
static void end_child(void *context, int status, int signal)
{
	struct recording *r = context;

	r->out->end.status = status;
	r->out->end.signal = signal;
	r->out->end.ended_ns = clock_line_ns(&r->clock);
	child_close(r->child);
	r->out->asked = child_asked(r->child);
	uv_timer_stop(&r->limit);
	if (r->passing)
		passing_end(r->passing, GRACE_MS);
	if (r->engine)
		engine_stop(r->engine);
	if (r->o->otlp || otlp_receiver_tally(r->receiver).requests)
		uv_timer_start(&r->grace, stop_slowly, LATE_MS, 0);
	else
		stop_slowly(&r->grace);
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
		.content = r->o->content,
		.shell = &r->shell,
		.otlp = r->o->otlp,
	};
	struct child_options c = { .argv = r->o->argv, .ended = end_child, .context = r };
	int end;

	if (r->o->plan && !agents_argv(r->o->plan, base, hand_file, r, &c.argv, err))
		return false;
	seed_random(e.span, sizeof(e.span));
	e.socket = r->sights ? sight_socket_path(r->sights) : STR("");
	c.env = env_make(r->arena, &e);
	if (r->o->stage && r->o->stage->env)
		c.env = r->o->stage->env(r->o->stage->context, r->arena, c.env);
	if (r->shell.path.p)
		c.path = shell_dir_pass(r->arena, &c.argv, c.env);
	end = open_output(r);
	c.out = end < 0 ? r->o->child_out : end;
	r->child = child_start(&r->loop, &c, err);
	if (r->child && r->o->stage && r->o->stage->timeout_ms)
		uv_timer_start(&r->limit, end_overdue, r->o->stage->timeout_ms, 0);
	if (end >= 0)
		close(end);
	return r->child != NULL;
}

/* The last eight digits of the id, as people see it. A run that cannot have the socket is recorded without. */
static void open_sights(struct recording *r)
{
	struct str id = r->out->run.run_id;
	struct str name = ARENA_JOIN(r->arena, STR("run-"), str_skip(id, id.n - 8), STR(".sock"));
	struct err err;

	r->sights = sight_socket_open(&r->loop, &r->room, getenv("XDG_RUNTIME_DIR"), name, &err);
	if (!r->sights)
		add_failure(r, "hooks cannot reach the recorder", &err);
}

/* Beside the socket, through which the shims tell. */
static bool open_shell(struct recording *r, struct err *err)
{
	struct str id = r->out->run.run_id, path;

	if (!r->o->shell)
		return true;
	if (!r->sights)
		return err_set(err, ERR_IO, "commands cannot be seen: %.*s", STR_ARG(r->out->troubles->text));
	path = ARENA_JOIN(r->arena, str_dirname(sight_socket_path(r->sights)), STR("/shell-"), str_skip(id, id.n - 8));
	return shell_dir_make(r->arena, path, r->o->env, r->o->program, &r->shell, err) ||
	       err_context(err, "commands cannot be seen");
}

static const char *recording_get_variable(const char *name)
{
	return getenv(name);
}

static void open_receiver(struct recording *r)
{
	struct otlp_receiver_options o = { .body = 0 };

	o.pass = r->pass = otlp_pass_open(r->arena, &r->loop, recording_get_variable, &r->out->telemetry_note);
	r->receiver = otlp_receiver_open(&r->loop, &o);
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
	uint64_t crowded = recorder_run_crowded(&r->run);
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
}

static void note_sights(struct recording *r)
{
	struct sight_tally t = r->sights ? sight_socket_tally(r->sights) : (struct sight_tally){ .seen = 0 };

	r->out->sightings = t.seen;
	if (t.bad || t.lost || t.refused)
		add_trouble(r, arena_printf(r->arena, "of what hooks and wrappers told the recorder, %llu lines could "
					    "not be read, %llu were lost for their size, and %llu clients of other "
					    "users were refused",
					    (unsigned long long)t.bad, (unsigned long long)t.lost,
					    (unsigned long long)t.refused));
}

/* What could not be passed on is the collector's fault or the network's, and nothing of the run is lost by it. */
static void note_telemetry(struct recording *r)
{
	const struct otlp_pass_host *h = r->pass ? otlp_pass_hosts(r->pass) : NULL;
	struct str *lost = &r->out->telemetry_lost;

	r->out->telemetry = otlp_receiver_tally(r->receiver);
	for (; h; h = h->next)
		if (h->failed)
			*lost = ARENA_JOIN(r->arena, *lost, lost->n ? STR("; ") : STR(""),
					   arena_printf(r->arena, "%llu of %llu telemetry requests could not be passed "
							"on to %.*s: %s", (unsigned long long)h->failed,
							(unsigned long long)h->count, STR_ARG(h->name), h->why));
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
	price_gaps_say(recorder_run_unpriced(&r->run), &said);
	r->out->unpriced = arena_copy(r->arena, buf_str(&said));
	buf_free(&said);
}

/* In the order of what needs what: the summary closes the trace, and meta.json has the digests of all other files. */
static void end_run(struct recording *r)
{
	struct recording_outcome *out = r->out;
	struct run_end e = {
		.arena = r->arena,
		.files = &out->run,
		.run = &r->run,
		.dot = r->o->dot,
		.budget = r->o->budget,
		.retrieval_set = r->o->retrieval_set,
		.trouble = note_trouble,
		.context = r,
	};
	struct str error;
	const char *status = recording_status_of(r, &error);
	struct err err;

	e.has_output = close_output(r);
	e.output = out->has_output ? &out->output : NULL;
	feed_close(r->feed);
	run_end_lines(&e, status, error, &out->end);
	note_losses(r);
	note_sights(r);
	note_telemetry(r);
	if (out->refused)
		out->refusal = arena_copy(r->arena, str_from(r->refused));
	note_unpriced(r);
	out->trace_lines = r->trace.lines;
	run_end_others(&e, &out->end, !r->trace.moved, r->o->content && !r->cassette.moved);
	memcpy(out->content, e.content, sizeof(out->content));
	out->content_count = e.content_count;
	if (r->engine) {
		engine_summarize(r->engine, &r->metrics);
		note_engine(r);
	}
	if (!r->trace.moved && run_files_is_in_place(&out->run) &&
	    !run_files_digest(r->arena, &out->run, "agent-trace.jsonl", &out->trace_sha256, &out->trace_bytes))
		add_trouble(r, STR("agent-trace.jsonl was written but cannot be read: check its mode"));
	out->end.trace_sha256 = out->trace_sha256;
	out->end.trace_bytes = out->trace_bytes;
	if (!run_files_write_meta(r->arena, &out->run, &out->end, &err))
		add_failure(r, "meta.json", &err);
	run_files_close(&out->run);
	recorder_close(r->recorder);
	recorder_run_free(&r->run);
}

/* Everything that holds on to the loop is closed, and the loop is run until it lets go. */
static void close_loop(struct recording *r)
{
	if (r->proxy)
		proxy_stop(r->proxy, true);
	if (r->engine)
		engine_stop(r->engine);
	if (r->sights)
		sight_socket_stop(r->sights);
	otlp_receiver_stop(r->receiver);
	if (r->pass)
		otlp_pass_stop(r->pass);
	stop_stage(r);
	if (r->passing)
		passing_stop(r->passing);
	uv_close((uv_handle_t *)&r->grace, NULL);
	uv_close((uv_handle_t *)&r->limit, NULL);
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
	open_sights(r);
	if (!open_shell(r, err) || !open_stage(r, err) || !open_interception(r, err) || !open_proxy(r, tap, err) ||
	    !start_child(r, err))
		return false;
	if (!r->o->unlisted)
		list_run(r);
	descriptors_allow_many();
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

	*out = (struct recording_outcome){ .otlp = o->otlp };
	r.last = &out->troubles;
	uv_loop_init(&r.loop);
	uv_timer_init(&r.loop, &r.grace);
	uv_timer_init(&r.loop, &r.limit);
	r.grace.data = r.limit.data = &r;
	open_receiver(&r);
	begun = begin_run(&r, &tap, err);
	if (begun) {
		open_recorder(&r);
		r.feed = feed_open(a, &r.room, recorder_work(r.recorder));
		r.tap = tap_open(a, r.feed, &r.room);
		if (r.sights)
			sight_socket_begin(r.sights, r.feed);
		otlp_receiver_begin(r.receiver, r.feed);
		uv_run(&r.loop, UV_RUN_DEFAULT);
	}
	close_loop(&r);
	close_interception(&r);
	shell_dir_remove(&r.shell);
	if (begun) {
		end_run(&r);
		tap_close(r.tap);
	} else {
		close_output(&r);
		remove_files(&r);
	}
	sight_socket_close(r.sights);
	otlp_receiver_close(r.receiver);
	otlp_pass_close(r.pass);
	if (r.engine)
		engine_close(r.engine);
	if (r.handed >= 0)
		close(r.handed);
	return begun;
}
