/* `trackway report compare`: A against B on the tasks of both. */
#include "cmd/board/board.h"
#include "cmd/frame/commands.h"

static const struct opt options[] = {
	BOARD_FILTER_OPTIONS, BOARD_FORM_OPTIONS, BOARD_LEDGER_OPTIONS, OPT_LAST,
};

static bool board_make_compare(struct board_work *w, struct args args, struct doc *out, int *status, struct err *err)
{
	struct versus v = { .tasks = 0 };

	(void)status;
	if (!versus_parse_side(&v.a, args.items[0], err) || !versus_parse_side(&v.b, args.items[1], err) ||
	    !versus_make(&v, &w->tally, err))
		return false;
	*out = doc_compare(&w->source, &v);
	return true;
}

static int board_compare_run(struct arena *a, const void *options_given, struct args args, struct err *err)
{
	return board_run(a, options_given, args, board_make_compare, err);
}

static const struct example examples[] = {
	{ "trackway report compare m-large m-small", "two models" },
	{ "trackway report compare experiment=before experiment=after --json", "two experiments, for a script" },
	{ NULL, NULL },
};

static const char *const fields[] = { "tests", "outcomes", "sides", "erased", "counts", "settings", "ledger", NULL };

const struct command report_compare_command = {
	.name = "report compare",
	.summary = "compare two models, adapters or experiments, task by task",
	.usage = "A B [--experiment ID] [--task PREFIX] [--json|--csv|--md]",
	.description =
		"A and B are names of models, or model=M, adapter=A, experiment=E, or several of them parted by "
		"commas. Only tasks that both have tried are compared, by the mean of each task's trials.\n\n"
		"Reward, cost, tokens and seconds are tested by sign flips of the tasks' differences; passes by "
		"McNemar's exact test where each side tried a task once, else by sign flips too. Holm's correction "
		"is over all of these that have 6 tasks or more; below, the answer is 'not enough data'. The "
		"smallest difference that could have been seen stands beside each answer.",
	.examples = examples,
	.options = options,
	.env = ledger_env,
	.fields = fields,
	.options_size = sizeof(struct board_opts),
	.args = ARGS_WORDS,
	.args_min = 2,
	.args_max = 2,
	.run = board_compare_run,
};
