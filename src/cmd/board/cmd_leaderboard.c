/* `trackway report leaderboard`: mean rewards of adapters and models, with what they rest on. */
#include "cmd/board/board.h"
#include "cmd/frame/commands.h"

static const struct opt options[] = {
	BOARD_FILTER_OPTIONS,
	BOARD_WHOSE_OPTIONS,
	BOARD_CI_OPTION,
	{ OPT_UINT, 0, "k", offsetof(struct board_opts, k), "N",
	  "pass@N and pass^N (default: as often as every task was tried)" },
	BOARD_FORM_OPTIONS,
	BOARD_HTML_OPTION,
	BOARD_LEDGER_OPTIONS,
	OPT_LAST,
};

static bool board_make_leaderboard(struct board_work *w, struct args args, struct doc *out, int *status,
				   struct err *err)
{
	struct board b = board_make(&w->tally, &w->source.judging, BOARD_BY_MODEL, &w->source.how);

	(void)args;
	(void)status;
	(void)err;
	*out = doc_leaderboard(&w->source, &b);
	return true;
}

static int leaderboard_run(struct arena *a, const void *options_given, struct args args, struct err *err)
{
	return board_run(a, options_given, args, board_make_leaderboard, err);
}

static const struct example examples[] = {
	{ "trackway report leaderboard", "all models of the ledger" },
	{ "trackway report leaderboard --task civil/ --ci bootstrap", "a slice of the tasks" },
	{ "trackway report leaderboard --html board.html -q", "a page with plots" },
	{ "trackway report leaderboard --json=rows", "for a script" },
	{ NULL, NULL },
};

static const char *const fields[] = {
	"rows", "partial", "infrastructure", "erased", "counts", "settings", "ledger", NULL,
};

const struct command report_leaderboard_command = {
	.name = "report leaderboard",
	.summary = "rank adapters and models by their mean reward",
	.usage = "[--experiment ID] [--task PREFIX] [--model NAME] [--json|--csv|--md] [--html FILE]",
	.description =
		"One row for each adapter and model, by mean reward; equal means share a rank, and the row says "
		"with how many. The 95 % interval is Student's t clustered by task, or with --ci bootstrap that of "
		"10,000 resamples of tasks, whose seed is made of the sorted ids of the trials and printed in the "
		"JSON. Below 3 complete trials, or with one task only, there is none. Rates have "
		"Wilson intervals, or where tasks were repeated Student's, clustered by task.\n\n"
		"Each row says what it rests on: experiments, repetitions, digests of the verifiers, isolation, "
		"reviews. Attempts are all trials, with the partial ones and those that the infrastructure failed.\n\n"
		"A cost is the sum over the trials that have one, and their number stands beside it.",
	.examples = examples,
	.options = options,
	.env = ledger_env,
	.fields = fields,
	.options_size = sizeof(struct board_opts),
	.args = ARGS_NONE,
	.run = leaderboard_run,
};
