#include "cmd/mock_serve.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#include "base/file.h"
#include "base/stop.h"
#include "cmd/listen.h"
#include "provider/mock.h"

struct serving {
	uv_loop_t loop;
	uv_signal_t signals[2];
	struct mock *mock;
	int stopped_by;
	int log; /* descriptor, -1 for none */
	const char *log_name;
	struct buf line;
	bool failed; /* *err says why */
	struct err *err;
};

static void mock_serve_stop(struct serving *s)
{
	for (size_t i = 0; i < 2; i++)
		if (s->signals[i].data && !uv_is_closing((uv_handle_t *)&s->signals[i]))
			uv_close((uv_handle_t *)&s->signals[i], NULL);
	mock_stop(s->mock, true);
}

static void mock_serve_signalled(uv_signal_t *h, int number)
{
	struct serving *s = h->data;

	s->stopped_by = number;
	mock_serve_stop(s);
}

/* A log with holes would be believed: what cannot be written ends the server, outside of the request. */
static void mock_serve_add_log(void *context, struct str line)
{
	struct serving *s = context;

	if (s->failed)
		return;
	buf_clear(&s->line);
	buf_add_str(&s->line, line);
	buf_add_byte(&s->line, '\n');
	if (file_write_all(s->log, buf_str(&s->line), s->err))
		return;
	err_context(s->err, s->log_name);
	s->failed = true;
	uv_stop(&s->loop);
}

/* A signal that our caller ignores stays ignored, as nohup and background jobs want. */
static void mock_serve_watch(struct serving *s, uv_signal_t *h, int number)
{
	struct sigaction old;

	if (sigaction(number, NULL, &old) != 0 || old.sa_handler == SIG_IGN)
		return;
	uv_signal_init(&s->loop, h);
	h->data = s;
	uv_signal_start(h, mock_serve_signalled, number);
}

static bool open_log(struct serving *s, struct str path, struct err *err)
{
	if (!path.p)
		return true;
	s->log_name = str_eq(path, STR("-")) ? "standard output" : path.p;
	s->log = str_eq(path, STR("-")) ? dup(STDOUT_FILENO)
					: open(path.p, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
	return s->log >= 0 || err_system(err, errno, "%s: cannot write", s->log_name);
}

/* The first line of standard output is the address, and whoever waits for it gets it at once. */
static bool mock_serve_announce(struct arena *a, struct serving *s, struct str host, struct err *err)
{
	struct str url = listen_url(a, host, mock_port(s->mock));

	printf("%.*s\n", STR_ARG(url));
	return fflush(stdout) == 0 || err_system(err, errno, "standard output: cannot write");
}

static void mock_serve_tell(const struct mock_service *m)
{
	if (m->quiet)
		return;
	if (m->script)
		fprintf(stderr, "mock: %zu rule%s of %.*s; Ctrl-C ends it\n", m->script->count,
			m->script->count == 1 ? "" : "s", STR_ARG(m->script_name));
	else
		fprintf(stderr, "mock: echoes what it is asked; Ctrl-C ends it\n");
}

static void run_loop(struct serving *s)
{
	uv_run(&s->loop, UV_RUN_DEFAULT);
	if (!s->failed)
		return; /* else the log ended it, with everything still open */
	mock_serve_stop(s);
	uv_run(&s->loop, UV_RUN_DEFAULT);
}

static void mock_serve_loop(struct arena *a, struct serving *s, const struct mock_service *m, const struct mock_options *o,
		  struct err *err)
{
	mock_serve_watch(s, &s->signals[0], SIGINT);
	mock_serve_watch(s, &s->signals[1], SIGTERM);
	s->failed = !mock_serve_announce(a, s, o->host, err);
	if (!s->failed)
		mock_serve_tell(m);
	s->stopped_by = stop_signal(); /* before we watched */
	if (s->failed || s->stopped_by)
		mock_serve_stop(s);
	run_loop(s);
}

int mock_serve(struct arena *a, const struct mock_service *m, struct err *err)
{
	struct serving s = { .err = err, .log = -1 };
	struct mock_options o = {
		.guard = m->guard,
		.script = m->script,
		.log = m->log.p ? mock_serve_add_log : NULL,
		.context = &s,
	};

	if (!listen_parse(a, m->listen, &o.host, &o.port, err) || !open_log(&s, m->log, err))
		return EXIT_FAIL;
	buf_init(&s.line);
	uv_loop_init(&s.loop);
	s.mock = mock_open(&s.loop, &o, err);
	if (s.mock) {
		mock_serve_loop(a, &s, m, &o, err);
		mock_close(s.mock);
	}
	uv_loop_close(&s.loop);
	buf_free(&s.line);
	if (s.log >= 0)
		close(s.log);
	return !s.mock || s.failed ? EXIT_FAIL : 128 + s.stopped_by;
}
