/* `trackway report summary`: experiments and tasks of a ledger. */
#include "cmd/board/board.h"
#include "cmd/frame/commands.h"

static const struct opt options[] = {
	BOARD_FILTER_OPTIONS, BOARD_WHOSE_OPTIONS, BOARD_CI_OPTION, BOARD_FORM_OPTIONS,
	BOARD_HTML_OPTION,    BOARD_LEDGER_OPTIONS, OPT_LAST,
};

static bool board_make_summary(struct board_work *w, struct args args, struct doc *out, int *status, struct err *err)
{
	(void)args;
	(void)status;
	(void)err;
	*out = doc_summary(&w->source);
	return true;
}

static int board_summary_run(struct arena *a, const void *options_given, struct args args, struct err *err)
{
	return board_run(a, options_given, args, board_make_summary, err);
}

static const struct example examples[] = {
	{ "trackway report summary", "experiments and tasks, and how many trials count" },
	{ "trackway report summary --model m-large --md", "of one model, as Markdown" },
	{ NULL, NULL },
};

static const char *const fields[] = { "experiments", "tasks", "erased", "counts", "settings", "ledger", NULL };

const struct command report_summary_command = {
	.name = "report summary",
	.summary = "show experiments and tasks, and how many trials count",
	.usage = "[--experiment ID] [--task PREFIX] [--json|--csv|--md] [--html FILE]",
	.description =
		"A row for each experiment and each task, with trials that count, attempts, mean reward and "
		"passes. The counts say what became of all trials: counted, partial, failed by the infrastructure, "
		"superseded, regraded, completed later (a partial record of a trial that has a complete one), "
		"erased.",
	.examples = examples,
	.options = options,
	.env = ledger_env,
	.fields = fields,
	.options_size = sizeof(struct board_opts),
	.args = ARGS_NONE,
	.run = board_summary_run,
};
