/* `trackway trial lock`: what would decide how a trial comes out, before it is run. */
#include "cmd/frame/commands.h"
#include "cmd/frame/stream.h"
#include "cmd/trial/run.h"

struct trial_lock_opts {
	struct trial_asked asked;
};

static const struct trial_lock_opts trial_lock_defaults = { .asked = TRIAL_ASKED_DEFAULTS };

static const struct opt trial_lock_options[] = {
	TRIAL_ASKED_OPTIONS(struct trial_lock_opts),
	OPT_LAST,
};

static int trial_lock_main(struct arena *a, const void *options, struct args args, struct err *err)
{
	const struct trial_lock_opts *o = options;
	struct json_writer w;
	struct trial_task t;
	struct lock lock;
	struct buf out;
	struct job j;

	if (!trial_job_make(a, &o->asked, args, &j, err) || !task_read(a, j.tasks[0], &t, err))
		return EXIT_FAIL;
	lock = job_lock(a, &j, &t);
	buf_init(&out);
	json_write_init(&w, &out, JSON_PRETTY);
	lock_put(&w, &lock);
	buf_add_byte(&out, '\n');
	stream_write(stdout, buf_str(&out));
	buf_free(&out);
	return EXIT_YES;
}

static const struct example trial_lock_examples[] = {
	{ "trackway trial lock tasks/sort --agent agent.py --model gpt-5 > a.json", "the lock of such a trial" },
	{ NULL, NULL },
};

const struct command trial_lock_command = {
	.name = "trial lock",
	.summary = "pin what decides how a trial comes out: task, verifier, agent, model, isolation",
	.usage = "TASKDIR --agent CMD [--model NAME] [--repeat K]",
	.description =
		"Prints the lock that 'trackway trial run' with the same options stores with each trial, without "
		"running anything: digests of the task, of its verifier and of its prompts, the agent and its "
		"revision, a digest of its configuration, the model, the isolation, K and seed.\n\n"
		"'trackway trial diff' says what follows from two locks.",
	.examples = trial_lock_examples,
	.options = trial_lock_options,
	.defaults = &trial_lock_defaults,
	.options_size = sizeof(struct trial_lock_opts),
	.args = ARGS_DIR,
	.args_min = 0,
	.args_max = 1,
	.run = trial_lock_main,
};
