/* The same course as mock_serve.c: the witness's memory is opened before the server and closed after it. */
#include "cmd/ledger/witness_serve.h"

#include <stdio.h>

#include "cmd/inputs.h"
#include "cmd/ledger/args.h"
#include "cmd/listen.h"
#include "cmd/serve.h"
#include "notary/witness_server.h"

struct serving {
	struct serve serve;
	struct witness_server *server;
	const struct frame *frame;
};

static void witness_serve_stop(void *own)
{
	witness_server_stop(((struct serving *)own)->server, true);
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

/* False when the address cannot be printed: whoever waits for it would wait for ever. */
static bool witness_serve_loop(struct arena *a, struct serving *s, const struct witness_service *w, struct str host,
			       struct err *err)
{
	struct str key = ledger_args_vkey(a, &w->signer->key);

	if (!serve_announce(a, host, witness_server_port(s->server), ARENA_JOIN(a, key, STR("\n")), err)) {
		serve_stop(&s->serve);
		return false;
	}
	if (!w->frame->quiet)
		fprintf(stderr, "witness: knows %zu log%s; Ctrl-C ends it\n", w->log_count,
			w->log_count == 1 ? "" : "s");
	serve_run(&s->serve);
	return true;
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
	serve_init(&s.serve, witness_serve_stop, &s);
	s.server = witness_server_open(&s.serve.loop, &o, err);
	if (s.server) {
		done = witness_serve_loop(a, &s, w, o.host, err);
		witness_server_close(s.server);
	}
	serve_free(&s.serve);
	witness_close(o.witness);
	return done ? 128 + s.serve.stopped_by : EXIT_FAIL;
}
