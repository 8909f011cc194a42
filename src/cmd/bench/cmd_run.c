/* `trackway bench run`: a new run from the options, or one that goes on; run.c runs it. */
#include "cmd/bench/run.h"
#include "cmd/frame/commands.h"

struct run_opts {
	struct bench_who who;
	struct bench_how how;
	struct bench_what what;
	struct bench_sending sending;
	struct bench_shown shown;
	struct str out, run_id, resume;
	bool allow_unreachable;
};

static const struct run_opts defaults = {
	.how = { .timeout = BENCH_UNSET, .max_tokens = BENCH_UNSET, .seed = BENCH_UNSET },
	.sending = { .repeat = BENCH_UNSET, .warmup = BENCH_UNSET, .retries = BENCH_UNSET, .retry_delay = BENCH_UNSET,
		     .detector = -1 },
	.out = { "runs", 4 },
};

static const struct opt options[] = {
	BENCH_WHO_OPTIONS(struct run_opts, "may be given several times"),
	BENCH_SENDING_OPTIONS(struct run_opts),
	BENCH_REACH_OPTION(struct run_opts),
	BENCH_HOW_OPTIONS(struct run_opts),
	BENCH_WHAT_OPTIONS(struct run_opts),
	{ OPT_STR, 0, "out", offsetof(struct run_opts, out), "DIR", "where runs are kept (runs)" },
	{ OPT_STR, 0, "run-id", offsetof(struct run_opts, run_id), "ID",
	  "name of the run's directory (default: the time)" },
	{ OPT_STR, 0, "resume", offsetof(struct run_opts, resume), "RUN",
	  "continue a stopped run with its own options; recorded answers are not asked again" },
	BENCH_SHOWN_OPTIONS(struct run_opts),
	OPT_LAST,
};

static bool resume(struct bench_job *j, const struct run_opts *o, const struct bench_asked *asked, struct args args,
		   struct str *dir, struct err *err)
{
	if (args.count || o->who.targets.count || o->run_id.p)
		return usage_set(err, "name only the run; --base and --key-file may give new places",
				 "--resume takes suites, targets and the id from the run itself");
	return bench_args_find_run(j->arena, o->resume, o->out, dir, err) && bench_job_resume(j, asked, *dir, err);
}

/*
 * The command: a new run from the options, or the stopped one that --resume names. Keys are checked last, before the
 * first call.
 */
static int bench_run(struct arena *a, const void *given, struct args args, struct err *err)
{
	const struct run_opts *o = given;
	struct bench_asked asked = { .who = o->who, .how = o->how, .what = o->what, .sending = o->sending,
				     .allow_unreachable = o->allow_unreachable };
	struct bench_job *j = arena_new(a, struct bench_job);
	struct bench_place place = { .parent = o->out };
	struct bench_wanted wanted;

	j->arena = a;
	j->frame = args.frame;
	if (!bench_shown_check(a, &o->shown, &wanted, err))
		return EXIT_FAIL;
	if (o->resume.p) {
		if (!resume(j, o, &asked, args, &place.dir, err))
			return EXIT_FAIL;
	} else {
		bench_asked_settle(&asked);
		if (!bench_job_make(j, &asked, args.items, args.count, err) ||
		    !bench_args_run_id(a, o->run_id, o->out, &j->config.run_id, err))
			return EXIT_FAIL;
	}
	if (!bench_args_addresses(j->config.targets, j->providers, j->config.target_count, err) ||
	    (!j->config.allow_unreachable &&
	     !bench_args_keys(j->config.targets, j->providers, j->config.target_count, err)))
		return EXIT_FAIL;
	return bench_job_run(j, &place, &o->shown, &wanted, err);
}

static const struct example examples[] = {
	{ "trackway bench run builtin:sanity --target mock:echo", "a whole run, offline" },
	{ "trackway bench run suite.json --target mock:a --target mock:b --repeat 5",
	  "two targets, each prompt five times" },
	{ "trackway bench run suite.json --target mock:a --fail-under 'p95_latency<=30s'",
	  "for CI: exit status 1 if not" },
	{ NULL, NULL },
};

const struct command bench_run_command = {
	.name = "bench run",
	.summary = "ask every prompt of every target and judge the answers",
	.usage = "SUITE... --target PROVIDER:MODEL[@THINKING]... | --resume RUN",
	.description =
		"First the whole suite is checked: nothing is sent when a prompt or a validator is wrong. Then "
		"the plan is shown. Each answer becomes a line of results.jsonl as soon as it arrives. Targets of "
		"different providers run side by side, those of one provider one after the other. The summary "
		"goes to standard output, everything else to standard error.\n\n"
		"After a 429, a 503 or a failed connection a question is retried up to five times, after 1 s, 2 "
		"s, 4 s and so on, and never before the service's Retry-After. A target that cannot be reached at "
		"all is skipped, and its rows say so: they do not count as failures of the model. With "
		"--concurrency auto, calls are added as long as the service keeps up.\n\n"
		"Ctrl-C stops the run with a valid summary of what is there (exit status 130). After that, or "
		"after a crash, --resume continues it with everything that config.json holds: the suite, the "
		"targets, the options, and the files they name, which must not have changed. An option that says "
		"otherwise is refused. Recorded answers are not asked again.\n\n"
		"Keys come from the environment or from --key-file and are never written. Prompts and answers are "
		"in config.json and results.jsonl: they are the evidence. agent-trace.jsonl has no content. Times "
		"are measured from the moment a question was sent, and also from the moment it was due. The delay "
		"of this machine is measured too, and a warning says when this machine was the bottleneck.\n\n"
		"The exit status is 0 when the run was completed, whatever the scores; 1 when a --fail-under is "
		"not met or the budget ended the run; 2 when a target has no key, before anything is sent; 3 when "
		"a target gave no ok answer. With --allow-unreachable a target without a key or an answer is not "
		"a failure.",
	.examples = examples,
	.options = options,
	.defaults = &defaults,
	.fields = bench_shown_fields,
	.options_size = sizeof(struct run_opts),
	.args = ARGS_SUITES,
	.args_min = 0,
	.args_max = ARGS_MANY,
	.run = bench_run,
};
