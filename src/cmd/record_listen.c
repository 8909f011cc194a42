/*
 * The same course as mock_serve.c. Events come from the recorder's thread, so the terminal has a lock: a line of
 * status is taken away before another is written.
 */
#include "cmd/record_listen.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "base/ascii.h"
#include "base/file.h"
#include "base/num.h"
#include "capture/listen/listen_gate.h"
#include "capture/listen/listening.h"
#include "cmd/frame/opt.h"
#include "cmd/frame/stream.h"
#include "cmd/inputs.h"
#include "cmd/listen.h"
#include "cmd/record_messages.h"
#include "cmd/screen/amounts.h"
#include "cmd/screen/progress.h"
#include "cmd/serve.h"
#include "net/tls/identity.h"

#define SECOND INT64_C(1000000000)
#define DAY (24 * 60 * 60 * SECOND)
#define USUAL_IDLE 600
#define DRAW_MS 200
#define TOKEN_MOST ((size_t)4096)

struct serving {
	struct serve serve;
	struct listening *listening;
	const struct frame *frame;
	uv_timer_t draw;
	uv_mutex_t lock; /* of standard error */
	struct progress progress;
};

/* ---- options ---- */

bool record_listen_is_absent(const struct record_listen_opts *o, struct err *err)
{
	const struct { bool given; const char *name; } own[] = {
		{ o->idle != 0, "--idle" },          { o->keep.count != 0, "--keep" },
		{ o->token_file.p, "--token-file" }, { o->tls_cert.p, "--tls-cert" },
		{ o->tls_key.p, "--tls-key" },
	};

	for (size_t i = 0; i < COUNT(own); i++)
		if (own[i].given)
			return usage_set(err, "trackway record --listen 127.0.0.1:4319", "%s goes with --listen",
					 own[i].name);
	return true;
}

/* "30d" is days; everything else a size. */
static bool get_keep(struct str text, struct listening_options *o, struct err *err)
{
	struct str digits = str_of(text.p, text.n ? text.n - 1 : 0);
	uint64_t days;
	size_t bytes;

	if (str_ends(text, STR("d")) && num_parse_u64(digits, &days) && days > 0 && days <= 36500) {
		o->keep_ns = (int64_t)days * DAY;
		return true;
	}
	if (opt_parse_size(text, &bytes) && bytes > 0) {
		o->keep_bytes = bytes;
		return true;
	}
	return usage_set(err, "--keep 30d removes runs that ended 30 days ago, --keep 10GiB the oldest beyond that "
			 "size; both may be given", "--keep cannot be '%.*s'", STR_ARG(text));
}

static bool get_token(struct arena *a, struct str path, struct str *out, struct err *err)
{
	struct str text;

	if (!path.p)
		return true;
	if (!file_read(a, path, TOKEN_MOST, &text, err))
		return err_context(err, "--token-file");
	*out = str_trim(text);
	return listen_gate_is_token(*out) ||
	       err_set(err, ERR_USAGE, "%.*s: this is no token: it has to have 16 characters or more, only letters, "
		       "digits and -._~" ERR_HELP "head -c 24 /dev/urandom | od -An -tx1 | tr -d ' \\n' > %.*s",
		       STR_ARG(path), STR_ARG(path));
}

static bool is_loopback(struct str host)
{
	return str_starts(host, STR("127.")) || str_eq(host, STR("::1"));
}

/* Whoever can reach the address could use the keys of others, or fill the disk. */
static bool check_reach(const struct record_listen_opts *o, struct str host, struct err *err)
{
	bool tls = o->tls_cert.p && o->tls_key.p;

	if ((o->tls_cert.p != NULL) != (o->tls_key.p != NULL))
		return usage_set(err, "give both, each the name of a file in PEM",
				 "--tls-cert and --tls-key belong together");
	if (is_loopback(host) || (o->token_file.p && tls))
		return true;
	return usage_set(err, "--token-file FILE --tls-cert FILE --tls-key FILE; or listen on 127.0.0.1, and let "
			 "clients come by ssh -L", "%.*s can be reached from other machines, so --listen needs %s "
			 "there", STR_ARG(host), o->token_file.p ? "--tls-cert and --tls-key" : tls ? "--token-file" :
			 "--token-file, --tls-cert and --tls-key");
}

static bool check_others(const struct recording_options *r, struct err *err)
{
	const char *alone = r->intercept ? "--intercept" : r->engine_metrics.p ? "--engine-metrics" :
			    r->shell ? "--shell" : NULL;

	return !alone || usage_set(err, "leave it out", "%s goes with a command, not with --listen", alone);
}

/* ---- what is said ---- */

static void record_listen_say(struct serving *s, struct buf *b)
{
	buf_add_byte(b, '\n');
	uv_mutex_lock(&s->lock);
	progress_erase(&s->progress);
	stream_write(stderr, buf_str(b));
	uv_mutex_unlock(&s->lock);
	buf_free(b);
}

static void say_closed(void *context, const struct listen_closed *c)
{
	struct serving *s = context;
	struct buf b;

	if (!s->frame->verbose || s->frame->quiet)
		return;
	buf_init(&b);
	buf_printf(&b, "closed %.*s: %s, ", STR_ARG(c->path), c->exit_status);
	amounts_add_things(&b, c->tally.counts[AT_MODEL_CALL], "model call");
	buf_add_str(&b, STR(", "));
	amounts_add_things(&b, c->tally.counts[AT_TOOL_CALL], "tool call");
	buf_add_str(&b, STR(", "));
	amounts_add_bytes(&b, c->bytes);
	record_listen_say(s, &b);
}

static void say_trouble(void *context, struct str text)
{
	struct buf b;

	buf_init(&b);
	buf_add_str(&b, STR("error: "));
	term_add_text(&b, text);
	record_listen_say(context, &b);
}

static void say_full(void *context, const char *why, uint64_t unrecorded)
{
	struct buf b;

	buf_init(&b);
	if (why) {
		buf_add_str(&b, STR("error: RECORDING STOPPED, requests go on: "));
		term_add_text(&b, str_from(why));
	} else {
		buf_printf(&b, "recording goes on; requests that were passed on unrecorded so far: %llu",
			   (unsigned long long)unrecorded);
	}
	record_listen_say(context, &b);
}

static void say_removed(void *context, uint64_t count, uint64_t bytes)
{
	struct serving *s = context;
	struct buf b;

	if (s->frame->quiet)
		return;
	buf_init(&b);
	buf_add_str(&b, STR("--keep: removed "));
	amounts_add_things(&b, count, "run");
	buf_add_str(&b, STR(", "));
	amounts_add_bytes(&b, bytes);
	record_listen_say(s, &b);
}

static void record_listen_add_calls(struct buf *b, const struct listening_tally *t)
{
	amounts_add_things(b, t->runs.calls, "model call");
	if (t->runs.failed)
		buf_printf(b, " (%llu failed)", (unsigned long long)t->runs.failed);
}

/* A status line, on a terminal only: elsewhere a recorder of days would fill a log. */
static void draw_status(uv_timer_t *timer)
{
	struct serving *s = timer->data;
	uint64_t now = uv_hrtime();
	struct listening_tally t;
	struct buf b;

	if (!s->progress.is_live || !progress_is_due(&s->progress, now))
		return;
	t = listening_tally(s->listening);
	buf_init(&b);
	buf_printf(&b, "runs open %llu  closed %llu  ", (unsigned long long)t.runs.open,
		   (unsigned long long)t.runs.closed);
	record_listen_add_calls(&b, &t);
	uv_mutex_lock(&s->lock);
	progress_show(&s->progress, buf_str(&b), now);
	uv_mutex_unlock(&s->lock);
	buf_free(&b);
}

static void say_found(struct serving *s, struct str dir, const struct listen_dir_found *found)
{
	struct buf b;

	if (!found->completed || s->frame->quiet)
		return;
	buf_init(&b);
	buf_printf(&b, "%.*s: an earlier recorder was killed; completed ", STR_ARG(dir));
	amounts_add_things(&b, found->completed, "run");
	buf_add_str(&b, STR(" that it left open, with "));
	amounts_add_things(&b, found->nodes, "node");
	record_listen_say(s, &b);
}

static void add_warning(struct buf *b, uint64_t count, const char *what)
{
	if (count)
		buf_printf(b, "warning: %s: %llu\n", what, (unsigned long long)count);
}

static void record_listen_say_end(struct serving *s, const struct listening_tally *t)
{
	struct buf b;

	buf_init(&b);
	add_warning(&b, t->lost, "pieces of requests or answers that were passed on but not read");
	add_warning(&b, t->runs.unrecorded, "requests that were passed on without a run to record them");
	add_warning(&b, t->unknown, "requests refused because they had no token, or a wrong one");
	add_warning(&b, t->strangers, "requests refused because of their Host or Origin");
	add_warning(&b, t->astray, "telemetry requests (OTLP) for the path of a model's service, not taken");
	add_warning(&b, t->telemetry.refused, "telemetry requests (OTLP) that could not be read");
	add_warning(&b, t->telemetry.rejected, "spans without ids that can be used, not taken");
	add_warning(&b, t->refused, "requests that no service answered");
	if (!s->frame->quiet) {
		buf_add_str(&b, STR("recorded "));
		amounts_add_things(&b, t->runs.closed, "run");
		buf_add_str(&b, STR(", "));
		record_listen_add_calls(&b, t);
		buf_add_byte(&b, '\n');
		record_messages_add_telemetry(&b, &t->telemetry);
	}
	stream_write(stderr, buf_str(&b));
	buf_free(&b);
}

/* ---- addresses ---- */

/* The variable that most clients of a service read; of one of the user's own the one that record sets. */
static void add_address(struct buf *b, struct str base, const struct route *t)
{
	const struct service_variable *v = t->service ? t->service->variables : NULL;

	while (v && v->name && (v->flags & (SERVICE_WEBSOCKET | SERVICE_IF_SET)))
		v++;
	if (t->service && (!v || !v->name))
		return;
	buf_add_str(b, STR("export "));
	if (!v) {
		buf_add_str(b, STR("TRACKWAY_UPSTREAM_"));
		for (size_t i = 0; i < t->name.n; i++)
			buf_add_byte(b, t->name.p[i] == '-' ? '_' : (char)ascii_upper(t->name.p[i]));
	} else {
		buf_add_str(b, str_from(v->name));
	}
	buf_add_byte(b, '=');
	buf_add_str(b, base);
	if (!v || !(v->flags & SERVICE_BARE)) {
		buf_add_byte(b, '/');
		buf_add_str(b, t->name);
		buf_add_str(b, str_from(v ? v->path : ""));
	}
	buf_add_byte(b, '\n');
}

/* No other machine finds us at the address that means all of ours: there the first name that is allowed stands. */
static struct str printed_host(const struct listening_options *o)
{
	const struct guard *g = &o->record->guard;
	bool is_all = str_eq(o->host, STR("0.0.0.0")) || str_eq(o->host, STR("::"));

	return is_all && g->host_count && !memchr(g->hosts[0].p, ':', g->hosts[0].n) ? g->hosts[0] : o->host;
}

/* The token itself is not shown: whoever may use it has it in a variable. */
static bool print_addresses(struct arena *a, const struct routes *routes, const struct listening_options *o,
			    uint16_t port, struct err *err)
{
	struct str base = listen_url(a, printed_host(o), port);
	struct buf b;

	if (o->tls)
		base = ARENA_JOIN(a, STR("https"), str_skip(base, 4));
	if (o->token.p)
		base = ARENA_JOIN(a, base, STR("/t/$TRACKWAY_TOKEN"));
	buf_init(&b);
	for (const struct route *t = routes->first; t && !o->record->otlp; t = t->next)
		add_address(&b, base, t);
	buf_printf(&b, "export OTEL_EXPORTER_OTLP_ENDPOINT=%.*s OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf\n",
		   STR_ARG(base));
	stream_write(stdout, buf_str(&b));
	buf_free(&b);
	return fflush(stdout) == 0 || err_system(err, errno, "standard output: cannot write");
}

/* ---- serving ---- */

static void record_listen_stop(void *own)
{
	struct serving *s = own;

	if (s->serve.times == 1 && listening_tally(s->listening).open)
		inputs_note(s->frame, "waiting for what is on its way; Ctrl-C again cuts it off");
	listening_stop(s->listening, s->serve.stopped_by, s->serve.times > 1);
}

static bool record_listen_loop(struct arena *a, struct serving *s, const struct listening_options *o, struct err *err)
{
	struct str dir = o->record->dir.p ? o->record->dir : STR("runs");
	bool said = print_addresses(a, o->record->routes, o, listening_port(s->listening), err);

	if (said) {
		inputs_note(s->frame, "record: runs go to %.*s; Ctrl-C ends it", STR_ARG(dir));
		if (!listening_has_socket(s->listening))
			inputs_note(s->frame, "record: hooks of agents reach another recorder that listens, not this "
				    "one");
		uv_timer_start(&s->draw, draw_status, DRAW_MS, DRAW_MS);
		uv_unref((uv_handle_t *)&s->draw);
		serve_run(&s->serve);
		serve_finish(&s->serve);
	} else {
		listening_stop(s->listening, 0, false);
	}
	uv_close((uv_handle_t *)&s->draw, NULL);
	return said;
}

static int record_listen_serve(struct arena *a, const struct frame *f, struct listening_options *o, struct err *err)
{
	struct serving s = { .frame = f };
	struct listen_dir_found found;
	struct listening_tally tally;
	bool done = false;

	serve_init(&s.serve, record_listen_stop, &s);
	s.serve.twice = true;
	uv_mutex_init(&s.lock);
	progress_init(&s.progress, f, STDERR_FILENO, uv_hrtime());
	o->events = (struct listening_events){ say_closed, say_trouble, say_full, say_removed, &s };
	s.listening = listening_open(&s.serve.loop, o, &found, err);
	if (s.listening) {
		uv_timer_init(&s.serve.loop, &s.draw);
		s.draw.data = &s;
		say_found(&s, o->record->dir.p ? o->record->dir : STR("runs"), &found);
		done = record_listen_loop(a, &s, o, err);
		listening_close(s.listening, &tally);
		progress_erase(&s.progress);
		record_listen_say_end(&s, &tally);
		serve_forget(&s.serve);
	}
	uv_mutex_destroy(&s.lock);
	serve_free(&s.serve);
	return done ? 128 + s.serve.stopped_by : EXIT_FAIL;
}

int record_listen(struct arena *a, const struct frame *f, const struct record_listen_opts *o,
		  const struct recording_options *r, struct err *err)
{
	struct listening_options l = { .record = r, .idle_ns = (o->idle ? o->idle : USUAL_IDLE) * SECOND };
	struct tls_identity *identity = NULL;
	int status;

	for (size_t i = 0; i < o->keep.count; i++)
		if (!get_keep(o->keep.items[i], &l, err))
			return EXIT_FAIL;
	if (!listen_parse(a, o->address, &l.host, &l.port, err) || !check_others(r, err) ||
	    !check_reach(o, l.host, err) || !get_token(a, o->token_file, &l.token, err))
		return EXIT_FAIL;
	if (o->tls_cert.p) {
		identity = tls_identity_open(o->tls_cert.p, o->tls_key.p, err);
		if (!identity) {
			err_context(err, "--tls-cert and --tls-key");
			return EXIT_FAIL;
		}
		l.tls = tls_identity_context(identity);
	}
	status = record_listen_serve(a, f, &l, err);
	tls_identity_close(identity);
	return status;
}
