/* `trackway mcp`: a wrapper around an MCP server; capture/mcp/mcp_wrap.c does the work. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "capture/mcp/mcp_relay.h"
#include "capture/mcp/mcp_wrap.h"
#include "capture/shell_tape.h"
#include "capture/sight_teller.h"
#include "cmd/frame/commands.h"
#include "dialect/agent_trace/clean.h"
#include "replay/mcp_alone.h"
#include "store/runs.h"

struct mcp_opts {
	struct str name;
	struct str replay;
	bool set_traceparent, chunks;
};

static const struct opt mcp_options[] = {
	{ OPT_STR, 0, "name", offsetof(struct mcp_opts, name), "NAME",
	  "the server's name in the trace (default: what it calls itself)" },
	{ OPT_FLAG, 0, "set-traceparent", offsetof(struct mcp_opts, set_traceparent), NULL,
	  "insert _meta.traceparent into requests that have none; all other bytes stay" },
	{ OPT_FLAG, 0, "chunks", offsetof(struct mcp_opts, chunks), NULL,
	  "with record --content: keep the times of progress notifications" },
	{ OPT_STR, 0, "replay", offsetof(struct mcp_opts, replay), "RUN",
	  "do not start the server: answer from a run that was recorded with --content" },
	OPT_LAST,
};

/* What our environment says of the run around us; empty counts as not set. */
static struct str mcp_env(const char *name)
{
	struct str value = str_from(getenv(name));

	return value.n ? value : str_of(NULL, 0);
}

/* Cleaned later, together with a tool's, a part of it would take the place of both. */
static bool mcp_check_name(struct str name, struct err *err)
{
	if (!name.n || str_eq(clean_tool(name), name))
		return true;
	return usage_set(err, "letters, digits, '-' and '_', as in --name github",
			 "--name: '%.*s' is no name that a trace may have", STR_ARG(name));
}

static bool mcp_get_server(struct arena *a, struct args args, struct mcp_wrap_options *o, struct err *err)
{
	const char **argv = arena_array(a, const char *, args.count + 1);

	if (args.count == 0)
		return usage_set(err, "trackway mcp -- npx -y SERVER", "the server to run is missing");
	if (args.rest != 0)
		return usage_set(err, "trackway mcp -- npx -y SERVER", "'--' must stand before the server, here "
				 "before '%.*s'", STR_ARG(args.items[0]));
	for (size_t i = 0; i < args.count; i++)
		argv[i] = args.items[i].p;
	o->argv = argv;
	return true;
}

/* Standard error is the server's and goes to the client's log: without -v we say nothing there. */
static void mcp_talk(const struct frame *f, const struct mcp_wrap_outcome *out)
{
	if (!f->verbose)
		return;
	if (!out->heard)
		fprintf(stderr, "trackway mcp: no recorder listens, nothing is recorded: start the client by "
				"'trackway record'\n");
	else
		fprintf(stderr, "trackway mcp: the recorder was told %llu times; not told: %llu; messages that were "
				"too long: %llu\n",
			(unsigned long long)out->told, (unsigned long long)out->dropped,
			(unsigned long long)out->too_long);
}

/* In a replay the tape answers in the place of the server. False: the server is to run. */
static bool mcp_is_replayed(const struct mcp_opts *given, struct mcp_wrap_options *o, int *status, struct err *err)
{
	struct mcp_relay_options r = { .socket = mcp_env("TRACKWAY_REPLAY"), .name = given->name, .argv = o->argv };
	enum mcp_relay_end end;

	if (!r.socket.p)
		return false;
	end = mcp_relay_run(&r, err);
	*status = end == MCP_RELAY_FAIL ? EXIT_FAIL : EXIT_YES;
	if (end != MCP_RELAY_RUN)
		return true;
	o->socket = r.socket; /* it is compared with the tape: the replayer is told as a recorder would be */
	o->content = true;
	return false;
}

/* Without a replay around us: the tape is ours, and so is the verdict. */
static int mcp_replay(struct arena *a, const struct mcp_opts *given, struct args args, struct err *err)
{
	struct mcp_caller who = { .name = given->name, .argv = args.items, .argc = args.count };
	bool diverged;
	struct str run;

	if (!runs_find(a, given->replay, &run, err) ||
	    !mcp_alone_run(a, run, &who, STDIN_FILENO, STDOUT_FILENO, &diverged, err))
		return EXIT_FAIL;
	return diverged ? EXIT_NO : EXIT_YES;
}

static int mcp_run(struct arena *a, const void *options, struct args args, struct err *err)
{
	const struct mcp_opts *given = options;
	struct mcp_wrap_outcome out;
	int status;
	struct mcp_wrap_options o = {
		.name = given->name,
		.set_traceparent = given->set_traceparent,
		.chunks = given->chunks,
		.content = mcp_env("TRACKWAY_CONTENT").n > 0,
		.run = mcp_env("TRACKWAY_RUN_ID"),
		.session = clean_id(mcp_env("CLAUDE_CODE_SESSION_ID")),
		.traceparent = mcp_env("TRACEPARENT"),
	};

	if (!mcp_check_name(given->name, err) || !mcp_get_server(a, args, &o, err))
		return EXIT_FAIL;
	if (given->replay.p)
		return mcp_replay(a, given, args, err);
	if (mcp_is_replayed(given, &o, &status, err))
		return status;
	setenv(SHELL_COMMAND, SHELL_TAPE_SERVER, 1);
	o.env = (const char *const *)environ;
	if (!o.socket.n && !sight_teller_find(a, getenv("TRACKWAY_SOCKET"), getenv("XDG_RUNTIME_DIR"), &o.socket))
		o.socket = STR("");
	if (!mcp_wrap_run(a, &o, &out, err))
		return EXIT_FAIL;
	mcp_talk(args.frame, &out);
	return out.signal ? 128 + out.signal : out.status;
}

static const struct example examples[] = {
	{ "trackway mcp -- cat < /dev/null", "a server that ends with its input" },
	{ "trackway mcp --name files -- cat < /dev/null", "with the name that the trace is to have for it" },
	{ NULL, NULL },
};

const struct command mcp_command = {
	.name = "mcp",
	.summary = "wrap a stdio MCP server, so that its tool calls are recorded exactly",
	.usage = "[--name NAME] [--replay RUN] [--set-traceparent] [--chunks] -- SERVER...",
	.description =
		"Runs the server and passes everything between it and the client: bytes unchanged and at once, "
		"signals, its exit status (128 plus the number of the signal that ended it). Put it before the "
		"command of a server in the client's configuration:\n\n"
		"  \"command\": \"trackway\",\n"
		"  \"args\": [\"mcp\", \"--\", \"npx\", \"-y\", \"SERVER\"]\n\n"
		"Under 'trackway record -- CLIENT' the recorder learns from it when each tool call began and ended, "
		"whether it failed, how large its result was, and for how long a person was waited for "
		"(elicitation). Without a recorder it only passes on; -v says so. Arguments and results stay where "
		"they are, unless the run is recorded with --content: then every message goes to the cassette.\n\n"
		"Under 'trackway replay' the server is not started: the recorded messages answer in its place, with "
		"the ids of this run. --replay does the same without a replay around the client; the exit status is 1 "
		"when something was asked that was not recorded.\n\n"
		"Both revisions of the protocol are read: 2025-11-25 and the stateless 2026-07-28. A server over "
		"HTTP needs no wrapper: 'trackway record --upstream NAME=URL'. doc/mcp.md has the details.",
	.examples = examples,
	.options = mcp_options,
	.options_size = sizeof(struct mcp_opts),
	.args = ARGS_WORDS,
	.args_min = 0, /* a server that is missing gets words of its own */
	.args_max = ARGS_MANY,
	.run = mcp_run,
};
