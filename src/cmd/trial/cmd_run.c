/* `trackway trial run`: a new job from the options, or one that goes on; run.c runs it. */
#include <stdlib.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/id.h"
#include "cmd/frame/commands.h"
#include "cmd/trial/run.h"

struct trial_run_opts {
	struct trial_asked asked;
	struct ledger_choice ledger;
	struct str output, resume;
	unsigned jobs;
	struct opt_maybe json;
};

static const struct trial_run_opts trial_run_defaults = { .asked = TRIAL_ASKED_DEFAULTS, .jobs = 1 };

static const struct opt trial_run_options[] = {
	TRIAL_ASKED_OPTIONS(struct trial_run_opts),
	{ OPT_UINT, 0, "jobs", offsetof(struct trial_run_opts, jobs), "N", "trials at once (1)" },
	{ OPT_STR, 'o', "output", offsetof(struct trial_run_opts, output), "DIR",
	  "the job's directory (default: trials/ID)" },
	{ OPT_STR, 0, "resume", offsetof(struct trial_run_opts, resume), "DIR",
	  "continue a stopped job with its own options; trials that ended are not run again" },
	LEDGER_OPTION(struct trial_run_opts),
	{ OPT_OPTIONAL, 0, "json", offsetof(struct trial_run_opts, json), "FIELDS", "as JSON; only the named fields" },
	OPT_LAST,
};

/* By time, as ids of trials are. */
static struct str new_dir(struct arena *a, struct str given)
{
	struct str path = given;
	char id[ID_UUID_TEXT];
	struct id_series ids;

	if (!given.p) {
		id_series_init(&ids);
		id_format_uuid(id, id_series_next_uuid7(&ids, clock_wall_ns() / 1000000));
		path = ARENA_JOIN(a, STR("trials/"), str_of(id, sizeof(id)));
	}
	return path;
}

static struct str absolute(struct arena *a, struct str path)
{
	struct str real = tree_real_path(a, path);

	return real.p ? real : path;
}

static bool trial_run_begin(struct arena *a, const struct trial_run_opts *o, struct args args, struct job *j,
			    struct err *err)
{
	struct str where = ledger_args_where(&o->ledger);

	if (!trial_job_make(a, &o->asked, args, j, err))
		return false;
	j->ledger = ledger_is_url(where) ? where : absolute(a, where);
	j->dir = new_dir(a, o->output);
	if (!file_make_dirs(j->dir, 0777, NULL, err))
		return false;
	j->dir = absolute(a, j->dir);
	return job_check_shown(a, j, err) && job_write(a, j, err);
}

/* The variable was not asked when the job began with --ledger, so it is not now either. */
static bool is_of_environment(struct str where)
{
	const char *value = getenv(ledger_env[0].variable);

	return value && where.p == value;
}

/* The ledger may have moved; everything else is as it was. */
static bool trial_run_resume(struct arena *a, const struct trial_run_opts *o, struct args args, struct job *j,
			     struct ledger_choice *ledger, struct err *err)
{
	if (args.count || o->asked.agent.p || o->output.p)
		return usage_set(err, "name only the job; --ledger and --jobs may differ",
				 "--resume takes tasks and agent from the job itself");
	if (!job_read(a, o->resume, j, err) || !job_check_agent(a, j, err))
		return false;
	if (!ledger->where.p || is_of_environment(ledger->where))
		ledger->where = j->ledger;
	return true;
}

static int trial_run_main(struct arena *a, const void *options, struct args args, struct err *err)
{
	const struct trial_run_opts *o = options;
	struct ledger_choice choice = o->ledger;
	struct ledger ledger;
	struct job j;
	int status;

	if (o->resume.p && !trial_run_resume(a, o, args, &j, &choice, err))
		return EXIT_FAIL;
	if (!ledger_args_open(&ledger, a, args.frame, &choice, LEDGER_WRITE, err))
		return EXIT_FAIL;
	status = EXIT_FAIL;
	if (o->resume.p || trial_run_begin(a, o, args, &j, err))
		status = trial_run_job(a, args, &j, &ledger, o->jobs, o->json, err);
	ledger_close(&ledger);
	return status;
}

static const struct example trial_run_examples[] = {
	{ "trackway trial run tasks/sort --agent agent.py --model gpt-5", "one trial of an agent on a task" },
	{ "trackway trial run tasks/* --agent agent.py --model gpt-5 --repeat 3 --jobs 2",
	  "three of each task, two at once" },
	{ NULL, NULL },
};

const struct command trial_run_command = {
	.name = "trial run",
	.summary = "run an agent on tasks, judge what it left, and seal a record of each trial",
	.usage = "TASKDIR... --agent CMD [--model NAME] [--repeat K] [--jobs N] | --resume DIR",
	.description =
		"TASKDIR has task.toml, instruction.md, tests/test.sh (the verifier) and perhaps environment/, whose "
		"files the agent finds. Directories of Harbor and Terminal-Bench 2 have this form; one that needs a "
		"container is refused by name.\n\n"
		"CMD runs by sh -c in a fresh workspace, under the recorder, with WORKSPACE, TRACKWAY_INSTRUCTION, "
		"TRACKWAY_SYSTEM_PROMPT and TRACKWAY_MODEL set. In a command of plain words those that name a file "
		"here mean that file, which the sandbox shows. tests/ and solution/ are not shown.\n\n"
		"When every process of the agent has ended, tests/test.sh runs in the workspace, without the agent's "
		"environment. It says the reward, from 0 to 1, as {\"reward\": 1.0} on descriptor 3; else in "
		"logs/verifier/reward.json or reward.txt, in a directory made after the agent's end. Its exit status "
		"decides nothing.\n\n"
		"Each trial ends in one class:\n\n"
		"  completed        the agent ended by itself with status 0\n"
		"  agent_failed     it crashed; what it left is judged all the same\n"
		"  agent_timeout    it was ended after the task's time; likewise\n"
		"  verifier_failed  there is no reward, or none from 0 to 1: 0, and the reason\n"
		"  infrastructure   provider, rate limit to the end, sandbox, disk or recorder:\n"
		"                   never scored, and counted apart\n\n"
		"Each trial is a record in the ledger with its trajectory, conversation and what it left, and a "
		"directory below the job's. Ctrl-C ends running trials (exit status 130); --resume goes on.\n\n"
		"The exit status is 0 whatever the rewards, 3 when a trial failed for infrastructure. doc/trial-run.md "
		"has the details.",
	.examples = trial_run_examples,
	.options = trial_run_options,
	.env = ledger_env,
	.fields = trial_run_fields,
	.defaults = &trial_run_defaults,
	.options_size = sizeof(struct trial_run_opts),
	.args = ARGS_DIR,
	.args_min = 0, /* a task that is missing gets words of its own */
	.args_max = ARGS_MANY,
	.run = trial_run_main,
};
