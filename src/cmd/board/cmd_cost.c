/* `trackway report cost`: cost, tokens and time against reward. */
#include "cmd/board/board.h"
#include "cmd/frame/commands.h"

static const struct opt options[] = {
	BOARD_FILTER_OPTIONS, BOARD_WHOSE_OPTIONS, BOARD_FORM_OPTIONS, BOARD_HTML_OPTION, BOARD_LEDGER_OPTIONS,
	OPT_LAST,
};

static bool board_make_cost(struct board_work *w, struct args args, struct doc *out, int *status, struct err *err)
{
	struct board b = board_make(&w->tally, &w->source.judging, BOARD_BY_MODEL, &w->source.how);

	(void)args;
	(void)status;
	(void)err;
	*out = doc_cost(&w->source, &b);
	return true;
}

static int cost_run(struct arena *a, const void *options_given, struct args args, struct err *err)
{
	return board_run(a, options_given, args, board_make_cost, err);
}

static const struct example examples[] = {
	{ "trackway report cost", "the frontier of cost, tokens and time against reward" },
	{ "trackway report cost --csv", "for a spreadsheet" },
	{ NULL, NULL },
};

static const char *const fields[] = {
	"rows", "partial", "infrastructure", "erased", "counts", "settings", "ledger", NULL,
};

const struct command report_cost_command = {
	.name = "report cost",
	.summary = "show what rewards cost, and who is on the frontier",
	.usage = "[--experiment ID] [--task PREFIX] [--model NAME] [--json|--csv|--md] [--html FILE]",
	.description =
		"For each adapter and model: the means of cost, tokens and time of a trial, and whether they are "
		"on the Pareto frontier against the mean reward; the cost of a solved task; what the advisor took. "
		"A mean that not every trial tells is not known: a mean over some would compare unlike things. "
		"Tokens are those in and out, without the advisor's; costs have it in them.",
	.examples = examples,
	.options = options,
	.env = ledger_env,
	.fields = fields,
	.options_size = sizeof(struct board_opts),
	.args = ARGS_NONE,
	.run = cost_run,
};
