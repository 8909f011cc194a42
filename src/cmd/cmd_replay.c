/* `trackway replay`: options for a replay; replay/replaying.c plays and judges, replay_output.c tells. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/num.h"
#include "cmd/frame/commands.h"
#include "cmd/replay/batch.h"
#include "cmd/replay_fork.h"
#include "cmd/replay_output.h"
#include "cmd/replay_serve.h"
#include "cmd/replay_tape.h"
#include "proc/self.h"
#include "sink/redact_key.h"
#include "store/runs.h"

struct replay_opts {
	struct ledger_choice ledger;
	struct str output, chunking, timing, child_stdout, redact_key, from, serve;
	int live, on_divergence, clock;
	bool strict_params, lenient, allow_redacted, share_network, update, pin, status;
	unsigned timeout;
	struct opt_maybe json;
	int report;
	struct replay_batch_opts batch;
};

static const struct replay_opts replay_defaults = { .live = -1, .clock = -1, .report = REPLAY_FORM_UNSET };

static const struct opt replay_options[] = {
	{ OPT_STR, 'o', "output", offsetof(struct replay_opts, output), "DIR",
	  "keep the files of the replay, which is a recording too, in this directory" },
	{ OPT_CHOICE, 0, "live", offsetof(struct replay_opts, live), "tools|model",
	  "let tools run and compare their results, or ask the model again" },
	{ OPT_STR, 0, "from", offsetof(struct replay_opts, from), "SEQ",
	  "with --live model: go on live from this seq of the run's log, as a new run; what is before it is served" },
	{ OPT_FLAG, 0, "update", offsetof(struct replay_opts, update), NULL,
	  "ask the model what the recording does not answer, and record a new run of all; the old one stays" },
	{ OPT_FLAG, 0, "status", offsetof(struct replay_opts, status), NULL,
	  "without a command: what the cassette holds, and whether it can be replayed" },
	{ OPT_FLAG, 0, "pin", offsetof(struct replay_opts, pin), NULL,
	  "without a command: seal the cassette's digest in the ledger, which has the run already" },
	{ OPT_STR, 0, "serve", offsetof(struct replay_opts, serve), "ADDR:PORT",
	  "without a command: answer clients at this address until Ctrl-C, then judge what they asked" },
	{ OPT_STR, 0, "ledger", offsetof(struct replay_opts, ledger.where), "DIR|URL",
	  "the ledger of --pin; for a replay, the one that must not name another cassette" },
	{ OPT_STR, 0, "chunking", offsetof(struct replay_opts, chunking), "HOW",
	  "pieces of streamed answers: recorded (the default), event, single, bytes:N" },
	{ OPT_STR, 0, "timing", offsetof(struct replay_opts, timing), "HOW",
	  "delays of answers: none (the default), recorded, or xF, as x0.5 for half of them" },
	{ OPT_CHOICE, 0, "on-divergence", offsetof(struct replay_opts, on_divergence), "stop|continue",
	  "end the command at the first divergence (the default), or go on and list more" },
	{ OPT_CHOICE, 0, "clock", offsetof(struct replay_opts, clock), "recorded",
	  "SOURCE_DATE_EPOCH is when the recorded run began, for programs that go by it" },
	{ OPT_FLAG, 0, "strict-params", offsetof(struct replay_opts, strict_params), NULL,
	  "another temperature, seed or limit of tokens is a divergence" },
	{ OPT_FLAG, 0, "lenient", offsetof(struct replay_opts, lenient), NULL,
	  "answer a request that differs with the next recorded one of its kind, and go on; DIVERGED all the same" },
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

static bool replay_get_served(struct arena *a, const struct replay_opts *given, struct args args,
			      struct replaying_options *o, struct err *err)
{
	static const char *const none[] = { NULL };

	if (args.count != 1 || args.rest != args.count || o->mode != REPLAY_STUBBED || given->output.p)
		return usage_set(err, "trackway replay @last --serve 127.0.0.1:8080",
				 "--serve takes one run and no command, and does not go with --live, --update or -o");
	o->serves = true;
	o->argv = none;
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

/* What a ledger says of the tape, for the verdict. */
struct pin_check {
	struct arena *arena;
	const struct frame *frame;
	const struct ledger_choice *where;
	struct replay_pin pin;
	bool is_asked;
	struct err err;
};

static bool ask_ledger(void *context, const struct tape *t)
{
	struct pin_check *c = context;

	c->is_asked = true;
	return replay_pin_find(c->arena, c->frame, c->where, t->run_id, t->sha256, &c->pin, &c->err) &&
	       (!c->pin.is_pinned || c->pin.is_same);
}

/* --status and --pin have no command. */
static int replay_without_command(struct arena *a, const struct replay_opts *given, struct args args, struct err *err)
{
	struct str run;

	if (args.count != 1 || args.rest != args.count || (given->status && given->pin))
		return usage_set(err, "trackway replay --status @last",
				 "--status and --pin each stand alone, with one run and no command"), EXIT_FAIL;
	if (!runs_find(a, args.items[0], &run, err))
		return EXIT_FAIL;
	return given->status ? replay_tape_status(a, run, given->json.given, err)
			     : replay_tape_pin(a, args.frame, &given->ledger, run, given->json.given, err);
}

/* With the command, or for clients of others. */
static bool replay_play(struct arena *a, const struct replay_opts *given, bool json, struct routes *routes,
			struct agent_plan *plan, struct replaying_options *o, struct replaying_outcome *out,
			struct err *err)
{
	if (o->serves)
		return replay_serve(a, given->serve, json, o, out, err);
	return routes_init(routes, a, replay_get_env, err) &&
	       agents_plan(a, o->argv, o->env, AGENT_WISH_NONE, routes, plan, err) &&
	       get_child_out(given->child_stdout, o, err) && replaying_run(a, o, out, err);
}

static int replay_main(struct arena *a, const void *options, struct args args, struct err *err)
{
	const struct replay_opts *given = options;
	struct pin_check check = { .arena = a, .frame = args.frame, .where = &given->ledger };
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
		.recorded_clock = given->clock == 0,
		.timeout_ms = given->timeout < UINT_MAX / 1000 ? given->timeout * 1000 : UINT_MAX,
	};
	struct replaying_outcome out = { .stage = NULL };
	enum replay_form form = replay_form_choose(given->report, given->json);
	int status;

	if (given->status || given->pin)
		return replay_without_command(a, given, args, err);
	if (given->batch.places.count)
		return replay_batch(a, &given->batch, options, given->output, form, given->json, args, err);
	if (!replay_batch_is_unasked(a, options, args, err))
		return EXIT_FAIL;
	o.pinned = given->ledger.where.p ? ask_ledger : NULL;
	o.pin_context = &check;
	if (!replay_fork_choose(given->from, given->update, &o, err) ||
	    !(given->serve.p ? replay_get_served(a, given, args, &o, err) : replay_get_command(a, args, &o, err)) ||
	    !get_chunking(given->chunking, &o.pace, err) || !get_timing(given->timing, &o.pace, err) ||
	    !get_redact(a, given->redact_key, &o, err) ||
	    !replay_play(a, given, form == REPLAY_JSON, &routes, &plan, &o, &out, err) ||
	    (check.err.kind != ERR_NONE && (*err = check.err, true))) {
		replaying_free(&out);
		redact_close(o.redact);
		return EXIT_FAIL;
	}
	replay_report_single(a, args.frame, form, given->json, args.items[0], &out);
	if (check.is_asked && form == REPLAY_TEXT)
		replay_pin_say(&check.pin, out.tape.sha256);
	status = replay_output_status(&out);
	replaying_free(&out);
	redact_close(o.redact);
	return status;
}

static const struct example examples[] = {
	{ "trackway replay runs/agent -- python3 agent.py", "on the answers of a run recorded with --content" },
	{ "trackway replay --status runs/agent", "whether a run can be replayed" },
	{ "trackway replay --batch runs -- python3 agent.py {name}", "all runs below a directory" },
	{ NULL, NULL },
};

const struct command replay_command = {
	.name = "replay",
	.summary = "run an agent again on recorded answers, without a network, and get a verdict",
	.usage = "RUN|--batch DIR [--live tools|model] [--from SEQ] [--update] [--json] -- COMMAND...",
	.description =
		"RUN is a run that was recorded with 'trackway record --content': its directory or name, or a "
		"cassette. The command runs again; every request to a model, to an MCP server behind 'trackway mcp' "
		"and, where the run was recorded with --shell, every command of its tools is answered from the "
		"recording. What was not recorded is refused, never asked for elsewhere. The command has no network "
		"but this machine, where the system allows that; the verdict says when it does not.\n\n"
		"With --live model --from SEQ everything before that seq of the run's log is answered from the "
		"recording, and what comes behind it is asked of the model: a new run, which names the one it goes on "
		"from. --update records a new run too, and asks for no more than the recording does not answer.\n\n"
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
