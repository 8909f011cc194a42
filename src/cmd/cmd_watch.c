/* `trackway watch`: live metrics of the traces below a directory; watch_serve.c serves. */
#include <errno.h>
#include <stdio.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/stop.h"
#include "cmd/frame/commands.h"
#include "cmd/frame/stream.h"
#include "cmd/listen.h"
#include "cmd/watch_output.h"
#include "cmd/watch_serve.h"
#include "watch/text.h"

struct watch_opts {
	struct str listen;
	bool once;
	struct opt_maybe json;
	struct opt_list hosts;
};

static const struct watch_opts defaults = { .listen = { "127.0.0.1:9466", 14 } };

static const struct opt options[] = {
	{ OPT_STR, 0, "listen", offsetof(struct watch_opts, listen), "ADDR:PORT",
	  "where to listen (default: 127.0.0.1:9466); port 0 picks a free port" },
	{ OPT_FLAG, 0, "once", offsetof(struct watch_opts, once), NULL,
	  "read the files, print the metrics and exit; nothing is served" },
	{ OPT_OPTIONAL, 0, "json", offsetof(struct watch_opts, json), "FIELDS",
	  "with --once: one JSON document; =a,b selects fields" },
	{ OPT_LIST, 0, "allow-host", offsetof(struct watch_opts, hosts), "NAME",
	  "also accept requests with this Host (default: only 127.0.0.1, localhost and [::1])" },
	OPT_LAST,
};

static bool watch_check(const struct watch_opts *o, struct str dir, struct err *err)
{
	if (o->json.given && !o->once)
		return usage_set(err, "add --once", "--json needs --once: what is served is for Prometheus");
	if (file_is_dir(dir))
		return true;
	return err_set(err, ERR_IO, "%.*s: this is not a directory, or it is not there" ERR_HELP
		       "name the directory in which the runs are, such as runs", STR_ARG(dir));
}

static int64_t watch_clock_us(void)
{
	return (int64_t)(clock_wall_ns() / 1000);
}

/* Reads everything that is there and prints the figures of this moment. */
static int watch_print(struct tail *t, const struct watch_opts *o, const struct frame *frame)
{
	struct watch_warned warned = { .failure = false };
	struct figures f;
	struct buf page;

	while (!tail_step(t, watch_clock_us()))
		if (stop_signal())
			return 128 + stop_signal();
	watch_output_warn(frame, t, &warned);
	window_sum(t->lines.window, watch_clock_us(), &f);
	buf_init(&page);
	if (o->json.given)
		watch_output_add_json(&page, &f, t, o->json);
	else
		text_add(&page, &f, t);
	stream_write(stdout, buf_str(&page));
	buf_free(&page);
	return EXIT_YES;
}

/* The command. Options are checked before anything is read or listens. */
static int watch_run(struct arena *a, const void *given, struct args args, struct err *err)
{
	const struct watch_opts *o = given;
	struct watch_service service = { .listen = o->listen, .dir = args_path(args), .frame = args.frame };
	struct window window;
	struct tail tail;
	int status;

	if (!watch_check(o, service.dir, err) ||
	    !listen_guard(o->hosts, (struct opt_list){ .count = 0 }, &service.guard, err))
		return EXIT_FAIL;
	window_init(&window, WINDOW_EVENTS);
	tail_init(&tail, service.dir.p, &window, TAIL_FILES);
	service.tail = &tail;
	status = o->once ? watch_print(&tail, o, args.frame) : watch_serve(a, &service, err);
	tail_free(&tail);
	window_free(&window);
	return status;
}

static const struct example examples[] = {
	{ "trackway watch runs --once", "the metrics of the last five minutes, now" },
	{ "trackway watch runs --listen 127.0.0.1:0 & sleep 1; kill $!", "a server for a second" },
	{ "trackway watch runs --once --json=events,model_calls", "for scripts" },
	{ NULL, NULL },
};

const struct command watch_command = {
	.name = "watch",
	.summary = "live metrics of running agents, for Prometheus",
	.usage = "DIR [--listen ADDR:PORT] [--once [--json]]",
	.description =
		"Follows every agent-trace below DIR (names that end in .jsonl), also those that appear later, and "
		"serves metrics in Prometheus' text format at /metrics: events, model calls, tool calls, nodes by "
		"kind, time to the first token (median and 99th percentile), and the share of run time in which "
		"tools stalled. The first line of standard output is the base URL. It runs until SIGINT or SIGTERM "
		"(exit status 130 or 143).\n\n"
		"All figures are of the last 300 seconds, by the time at which an event ended: old files count for "
		"nothing. What is not known is NaN, not 0. An event counts once, whatever happens to its file: "
		"rotation, truncation, replacement, a copy. The state is only in the files, so a restart gives the "
		"same figures. doc/watch.md has the details.",
	.examples = examples,
	.options = options,
	.fields = watch_fields,
	.defaults = &defaults,
	.options_size = sizeof(struct watch_opts),
	.args = ARGS_DIR,
	.args_min = 1,
	.args_max = 1,
	.run = watch_run,
};
