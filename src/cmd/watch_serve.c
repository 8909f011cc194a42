/* The same course as mock_serve.c. What keeps figures from being whole is said once, when it first happens. */
#include "cmd/watch_serve.h"

#include "cmd/inputs.h"
#include "cmd/listen.h"
#include "cmd/serve.h"
#include "cmd/watch_output.h"
#include "watch/watch_server.h"

struct serving {
	struct serve serve;
	struct watch_server *server;
	const struct frame *frame;
	struct watch_warned warned;
};

static void watch_serve_stop(void *own)
{
	watch_server_stop(((struct serving *)own)->server);
}

static void watch_serve_passed(void *context, const struct tail *t)
{
	struct serving *s = context;

	watch_output_warn(s->frame, t, &s->warned);
}

/* False when the address cannot be printed: whoever waits for it would wait for ever. */
static bool watch_serve_loop(struct arena *a, struct serving *s, const struct watch_service *w, struct str host,
			     struct err *err)
{
	uint16_t port = watch_server_port(s->server);

	if (!serve_announce(a, host, port, STR(""), err)) {
		serve_stop(&s->serve);
		return false;
	}
	inputs_note(w->frame, "watch: metrics of %.*s at %.*s/metrics; Ctrl-C ends it", STR_ARG(w->dir),
		    STR_ARG(listen_url(a, host, port)));
	serve_run(&s->serve);
	return true;
}

int watch_serve(struct arena *a, const struct watch_service *w, struct err *err)
{
	struct serving s = { .frame = w->frame };
	struct watch_server_options o = {
		.guard = w->guard, .tail = w->tail, .passed = watch_serve_passed, .context = &s,
	};
	bool done = false;

	if (!listen_parse(a, w->listen, &o.host, &o.port, err))
		return EXIT_FAIL;
	serve_init(&s.serve, watch_serve_stop, &s);
	s.server = watch_server_open(&s.serve.loop, &o, err);
	if (s.server) {
		done = watch_serve_loop(a, &s, w, o.host, err);
		watch_server_close(s.server);
	}
	serve_free(&s.serve);
	return done ? 128 + s.serve.stopped_by : EXIT_FAIL;
}
