#include "cmd/ledger/witness_serve.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>

#include "base/stop.h"
#include "cmd/inputs.h"
#include "cmd/ledger/args.h"
#include "cmd/listen.h"
#include "notary/witness_server.h"

struct serving {
	uv_loop_t loop;
	uv_signal_t signals[2];
	struct witness_server *server;
	const struct frame *frame;
	int stopped_by;
};

static void witness_serve_stop(struct serving *s)
{
	for (size_t i = 0; i < 2; i++)
		if (s->signals[i].data && !uv_is_closing((uv_handle_t *)&s->signals[i]))
			uv_close((uv_handle_t *)&s->signals[i], NULL);
	witness_server_stop(s->server, true);
}

static void witness_serve_signalled(uv_signal_t *h, int number)
{
	struct serving *s = h->data;

	s->stopped_by = number;
	witness_serve_stop(s);
}

/* A signal that our caller ignores stays ignored, as nohup and background jobs want. */
static void witness_serve_watch(struct serving *s, uv_signal_t *h, int number)
{
	struct sigaction old;

	if (sigaction(number, NULL, &old) != 0 || old.sa_handler == SIG_IGN)
		return;
	uv_signal_init(&s->loop, h);
	h->data = s;
	uv_signal_start(h, witness_serve_signalled, number);
}

/* What went wrong here is always told; what was asked only with -v. */
static void told(void *context, int status, struct str body, struct str trouble)
{
	const struct serving *s = context;
	struct buf line;

	if (!trouble.p && (!s->frame->verbose || s->frame->quiet))
		return;
	buf_init(&line);
	buf_printf(&line, "witness: %d ", status);
	if (trouble.p)
		term_add_text(&line, trouble);
	else if (status == 200)
		buf_add_str(&line, STR("cosigned"));
	else
		term_add_text(&line, str_trim(body));
	buf_add_byte(&line, '\n');
	inputs_print(buf_str(&line));
	buf_free(&line);
}

/* The first line of standard output is the address, and whoever waits for it gets it at once. */
static bool witness_serve_announce(struct arena *a, const struct serving *s, const struct witness_service *w,
				   struct str host, struct err *err)
{
	struct str url = listen_url(a, host, witness_server_port(s->server));

	printf("%.*s\n%.*s\n", STR_ARG(url), STR_ARG(ledger_args_vkey(a, &w->signer->key)));
	if (fflush(stdout) != 0)
		return err_system(err, errno, "standard output: cannot write");
	if (!w->frame->quiet)
		fprintf(stderr, "witness: knows %zu log%s; Ctrl-C ends it\n", w->log_count,
			w->log_count == 1 ? "" : "s");
	return true;
}

static bool witness_serve_loop(struct arena *a, struct serving *s, const struct witness_service *w, struct str host,
		  struct err *err)
{
	bool done;

	witness_serve_watch(s, &s->signals[0], SIGINT);
	witness_serve_watch(s, &s->signals[1], SIGTERM);
	done = witness_serve_announce(a, s, w, host, err);
	s->stopped_by = stop_signal(); /* before we watched */
	if (!done || s->stopped_by)
		witness_serve_stop(s);
	uv_run(&s->loop, UV_RUN_DEFAULT);
	return done;
}

int witness_serve(struct arena *a, const struct witness_service *w, struct err *err)
{
	struct witness_options wo = {
		.dir = w->state, .signer = w->signer, .logs = w->logs, .log_count = w->log_count,
	};
	struct serving s = { .frame = w->frame };
	struct witness_server_options o = { .told = told, .context = &s };
	bool done = false;

	if (!listen_parse(a, w->listen, &o.host, &o.port, err))
		return EXIT_FAIL;
	o.witness = witness_open(&wo, err);
	if (!o.witness)
		return EXIT_FAIL;
	uv_loop_init(&s.loop);
	s.server = witness_server_open(&s.loop, &o, err);
	if (s.server) {
		done = witness_serve_loop(a, &s, w, o.host, err);
		witness_server_close(s.server);
	}
	uv_loop_close(&s.loop);
	witness_close(o.witness);
	return done ? 128 + s.stopped_by : EXIT_FAIL;
}
