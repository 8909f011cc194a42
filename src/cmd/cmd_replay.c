/* `trackway replay`: options for a replay; replay/replaying.c plays and judges, replay_output.c tells. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/num.h"
#include "cmd/frame/commands.h"
#include "cmd/replay/batch.h"
#include "cmd/replay_output.h"
#include "proc/self.h"
#include "sink/redact_key.h"
#include "store/runs.h"

struct replay_opts {
	struct str output, chunking, timing, child_stdout, redact_key;
	int live, on_divergence;
	bool strict_params, lenient, allow_redacted, share_network;
	unsigned timeout;
	struct opt_maybe json;
	int report;
	struct replay_batch_opts batch;
};

static const struct replay_opts replay_defaults = { .live = -1, .report = REPLAY_FORM_UNSET };

static const struct opt replay_options[] = {
	{ OPT_STR, 'o', "output", offsetof(struct replay_opts, output), "DIR",
	  "keep the files of the replay, which is a recording too, in this directory" },
	{ OPT_CHOICE, 0, "live", offsetof(struct replay_opts, live), "tools|model",
	  "let tools run and compare their results, or ask the model again" },
	{ OPT_STR, 0, "chunking", offsetof(struct replay_opts, chunking), "HOW",
	  "pieces of streamed answers: recorded (the default), event, single, bytes:N" },
	{ OPT_STR, 0, "timing", offsetof(struct replay_opts, timing), "HOW",
	  "delays of answers: none (the default), recorded, or xF, as x0.5 for half of them" },
	{ OPT_CHOICE, 0, "on-divergence", offsetof(struct replay_opts, on_divergence), "stop|continue",
	  "end the command at the first divergence (the default), or go on and list more" },
	{ OPT_FLAG, 0, "strict-params", offsetof(struct replay_opts, strict_params), NULL,
	  "another temperature, seed or limit of tokens is a divergence" },
	{ OPT_FLAG, 0, "lenient", offsetof(struct replay_opts, lenient), NULL,
	  "answer a request that differs with the next recorded one of its kind; always marked" },
	{ OPT_UINT, 0, "timeout", offsetof(struct replay_opts, timeout), "SECONDS", "end the command after this time" },
	{ OPT_STR, 0, "redact-key", offsetof(struct replay_opts, redact_key), "NAME|FILE",
	  "the key with which the cassette was redacted" },
	{ OPT_FLAG, 0, "allow-redacted", offsetof(struct replay_opts, allow_redacted), NULL,
	  "replay a redacted cassette without its key: EQUIVALENT at best" },
	{ OPT_FLAG, 0, "share-network", offsetof(struct replay_opts, share_network), NULL,
	  "do not cut off the network; the verdict says so" },
	{ OPT_STR, 0, "child-stdout", offsetof(struct replay_opts, child_stdout), "FILE",
	  "where the command's standard output goes (default: standard error)" },
	{ OPT_OPTIONAL, 0, "json", offsetof(struct replay_opts, json), "FIELDS", "as JSON; only the named fields" },
	{ OPT_CHOICE, 0, "report", offsetof(struct replay_opts, report), "text|json|github|junit",
	  "the form of the answer (default: text; github when GITHUB_ACTIONS is true and there is no --json)" },
	REPLAY_BATCH_OPTIONS(struct replay_opts),
	OPT_LAST,
};

static bool get_chunking(struct str given, struct player_pace *pace, struct err *err)
{
	static const char *const words[] = { "recorded", "event", "single" };

	for (size_t i = 0; i < COUNT(words); i++)
		if (!given.p || str_eq(given, str_from(words[i]))) {
			pace->chunking = (enum player_chunking)i;
			return true;
		}
	pace->chunking = CHUNKS_BYTES;
	if (str_starts(given, STR("bytes:")) && num_parse_u64(str_skip(given, 6), &pace->chunk_bytes) &&
	    pace->chunk_bytes > 0)
		return true;
	return usage_set(err, "--chunking recorded, event, single or bytes:64", "'%.*s' is no way to cut answers",
			 STR_ARG(given));
}

static bool get_timing(struct str given, struct player_pace *pace, struct err *err)
{
	char text[32], *end;

	pace->speed = 0;
	if (!given.p || str_eq(given, STR("none")))
		return true;
	pace->speed = 1;
	if (str_eq(given, STR("recorded")))
		return true;
	if (given.n > 1 && given.n < sizeof(text) && given.p[0] == 'x') {
		memcpy(text, given.p + 1, given.n - 1);
		text[given.n - 1] = '\0';
		pace->speed = strtod(text, &end);
		if (*end == '\0' && pace->speed >= 0 && pace->speed <= 1000)
			return true;
	}
	return usage_set(err, "--timing none, recorded, or x2 for twice the delays", "'%.*s' is no timing",
			 STR_ARG(given));
}

static bool replay_get_command(struct arena *a, struct args args, struct replaying_options *o, struct err *err)
{
	const char **argv = arena_array(a, const char *, args.count + 1);

	if (args.count == 0 || args.rest == 0)
		return usage_set(err, "trackway replay @last -- python3 agent.py", "the run to replay is missing");
	if (args.rest != 1)
		return usage_set(err, "trackway replay @last -- python3 agent.py",
				 args.rest == args.count && args.count == 1
					 ? "the command to replay is missing: it stands behind '--'"
					 : "one run can be replayed at a time, and '--' must stand before the command");
	if (args.rest == args.count)
		return usage_set(err, "trackway replay @last -- python3 agent.py",
				 "the command to replay is missing: it stands behind '--'");
	for (size_t i = args.rest; i < args.count; i++)
		argv[i - args.rest] = args.items[i].p;
	o->argv = argv;
	return runs_find(a, args.items[0], &o->run, err);
}

/* Standard output is the verdict's. */
static bool get_child_out(struct str path, struct replaying_options *o, struct err *err)
{
	o->child_out = path.p ? open(path.p, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666) : STDERR_FILENO;
	return o->child_out >= 0 || err_system(err, errno, "%.*s", STR_ARG(path));
}

static bool get_redact(struct arena *a, struct str name, struct replaying_options *o, struct err *err)
{
	uint8_t key[REDACT_KEY];
	struct str path;
	bool made;

	if (!name.p)
		return true;
	if (!redact_key_load(a, name, key, &path, &made, err))
		return err_context(err, "--redact-key");
	o->redact = redact_open(key, REDACT_CONTENT, err);
	explicit_bzero(key, sizeof(key));
	return o->redact != NULL;
}

/* Services that the run has not recorded lead to the tape as well, so addresses of the environment do not matter. */
static const char *replay_get_env(const char *name)
{
	return getenv(name);
}

static int replay_main(struct arena *a, const void *options, struct args args, struct err *err)
{
	const struct replay_opts *given = options;
	struct agent_plan plan = { .arena = a };
	struct routes routes;
	struct replaying_options o = {
		.env = (const char *const *)environ,
		.routes = &routes,
		.plan = &plan,
		.program = self_path(a),
		.dir = given->output,
		.mode = (enum replay_mode)(given->live + 1),
		.strict_params = given->strict_params,
		.lenient = given->lenient,
		.go_on = given->on_divergence == 1,
		.allow_redacted = given->allow_redacted,
		.share_network = given->share_network,
		.timeout_ms = given->timeout * 1000,
	};
	struct replaying_outcome out = { .stage = NULL };
	enum replay_form form = replay_form_choose(given->report, given->json);
	int status;

	if (given->batch.places.count)
		return replay_batch(a, &given->batch, options, given->output, form, given->json, args, err);
	if (!replay_get_command(a, args, &o, err) || !get_chunking(given->chunking, &o.pace, err) ||
	    !get_timing(given->timing, &o.pace, err) || !routes_init(&routes, a, replay_get_env, err) ||
	    !agents_plan(a, o.argv, o.env, AGENT_WISH_NONE, &routes, &plan, err) ||
	    !get_child_out(given->child_stdout, &o, err) || !get_redact(a, given->redact_key, &o, err) ||
	    !replaying_run(a, &o, &out, err)) {
		replaying_free(&out);
		redact_close(o.redact);
		return EXIT_FAIL;
	}
	replay_report_single(a, args.frame, form, given->json, args.items[0], &out);
	status = replay_output_status(&out);
	replaying_free(&out);
	redact_close(o.redact);
	return status;
}

static const struct example examples[] = {
	{ "trackway replay --help", "all options" },
	{ NULL, NULL },
};

const struct command replay_command = {
	.name = "replay",
	.summary = "run an agent again on recorded answers, without a network, and get a verdict",
	.usage = "RUN|--batch DIR [--live tools|model] [--json] -- COMMAND...",
	.description =
		"RUN is a run that was recorded with 'trackway record --content': its directory or name, or a "
		"cassette. The command runs again; every request to a model, to an MCP server behind 'trackway mcp' "
		"and, where the run was recorded with --shell, every command of its tools is answered from the "
		"recording. What was not recorded is refused, never asked for elsewhere. The command has no network "
		"but this machine, where the system allows that; the verdict says when it does not.\n\n"
		"  EXACT           every request and every byte of output is the recorded one\n"
		"  EQUIVALENT      but for values that are new in every run (ids, times), which\n"
		"                  are listed, or for sampling parameters\n"
		"  DIVERGED        a request, the output or the exit status differs\n"
		"  INCOMPLETE      not all recorded requests were made\n"
		"  NOT_REPLAYABLE  there is no content to answer with, or it is redacted\n\n"
		"The exit status is 0 for EXACT and EQUIVALENT, 1 for DIVERGED and INCOMPLETE, 3 for NOT_REPLAYABLE "
		"and when the command could not be run.\n\n"
		"With --batch many runs are replayed, each in a process of its own; in the command {dir}, {name} and "
		"{run} stand for each run's directory, its name and the run's id. The table has the share of runs that "
		"did the same again, with its interval, and the failures by class. doc/replay.md has the details.",
	.examples = examples,
	.options = replay_options,
	.fields = replay_fields,
	.defaults = &replay_defaults,
	.options_size = sizeof(struct replay_opts),
	.args = ARGS_RUNS,
	.args_min = 0, /* what is missing gets words of its own */
	.args_max = ARGS_MANY,
	.run = replay_main,
};
