/*
 * Runs the mock server on one loop: opens the log and the server, announces the address, serves until a signal, and
 * closes in the reverse order.
 */
#include "cmd/mock_serve.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "base/file.h"
#include "cmd/listen.h"
#include "cmd/serve.h"
#include "provider/mock.h"

struct serving {
	struct serve serve;
	struct mock *mock;
	int log; /* descriptor, -1 for none */
	const char *log_name;
	struct buf line;
	bool failed; /* *err says why */
	struct err *err;
};

static void mock_serve_stop(void *own)
{
	mock_stop(((struct serving *)own)->mock, true);
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
	uv_stop(&s->serve.loop);
}

/*
 * "-" gets a descriptor of its own, so that closing the log leaves standard output open. ERR_IO when it cannot be
 * opened.
 */
static bool open_log(struct serving *s, struct str path, struct err *err)
{
	if (!path.p)
		return true;
	s->log_name = str_eq(path, STR("-")) ? "standard output" : path.p;
	s->log = str_eq(path, STR("-")) ? dup(STDOUT_FILENO)
					: open(path.p, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
	return s->log >= 0 || err_system(err, errno, "%s: cannot write", s->log_name);
}

/* On standard error: standard output begins with the address, which scripts read. */
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

/* The log may end the loop with everything still open. */
static void mock_serve_loop(struct arena *a, struct serving *s, const struct mock_service *m, struct str host,
			    struct err *err)
{
	s->failed = !serve_announce(a, host, mock_port(s->mock), STR(""), err);
	if (!s->failed) {
		mock_serve_tell(m);
		serve_run(&s->serve);
	}
	if (s->failed)
		serve_stop(&s->serve);
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
	serve_init(&s.serve, mock_serve_stop, &s);
	s.mock = mock_open(&s.serve.loop, &o, err);
	if (s.mock) {
		mock_serve_loop(a, &s, m, o.host, err);
		mock_close(s.mock);
	}
	serve_free(&s.serve);
	buf_free(&s.line);
	if (s.log >= 0)
		close(s.log);
	return !s.mock || s.failed ? EXIT_FAIL : 128 + s.serve.stopped_by;
}
