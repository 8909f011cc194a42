/* The hidden command that a job starts for each of its trials. */
#include "base/num.h"
#include "cmd/frame/commands.h"
#include "cmd/trial/run.h"
#include "proc/parent.h"
#include "proc/self.h"

/* JOB ID SLOT PARENT, from crew.c. */
static int one_run(struct arena *a, const void *options, struct args args, struct err *err)
{
	struct trial_how how = { .id = args.items[1], .program = self_path(a) };
	int64_t parent = 0;
	struct job j;

	(void)options;
	if (!num_parse_u64(args.items[2], &how.slot) || !num_parse_i64(args.items[3], &parent) ||
	    !parent_bind((int)parent))
		return EXIT_CANNOT;
	how.parent = (int)parent;
	if (!job_read(a, args.items[0], &j, err))
		return EXIT_FAIL;
	if (how.slot >= job_slots(&j))
		return EXIT_CANNOT;
	how.job = &j;
	how.prices = trial_job_prices(a, j.prices, err);
	return how.prices && trial_run(a, &how, err) ? EXIT_YES : EXIT_FAIL;
}

const struct command trial_one_command = {
	.name = CREW_ENTRY,
	.summary = "run one trial of a job",
	.usage = "JOB ID SLOT PARENT",
	.args = ARGS_WORDS,
	.args_min = 4,
	.args_max = 4,
	.hidden = true,
	.run = one_run,
};
