/* `trackway report behaviour`: show how the agents of each model go about it. */
#include "cmd/board/board.h"
#include "cmd/frame/commands.h"
#include "trial/report/traces.h"

static const struct opt options[] = {
	BOARD_FILTER_OPTIONS, BOARD_WHOSE_OPTIONS, BOARD_FORM_OPTIONS, BOARD_LEDGER_OPTIONS,
	OPT_LAST,
};

static bool board_make_behaviour(struct board_work *w, struct args args, struct doc *out, int *status,
				 struct err *err)
{
	const struct traces_how how = { .ledger = &w->ledger, .jobs = 1 };

	(void)args;
	(void)status;
	return behaviour_make(out, &w->source, &how, err);
}

static int behaviour_run(struct arena *a, const void *options_given, struct args args, struct err *err)
{
	return board_run(a, options_given, args, board_make_behaviour, err);
}

static const struct example examples[] = {
	{ "trackway report behaviour", "turns, calls and errors of each model" },
	{ "trackway report behaviour --json=rows", "for a script" },
	{ NULL, NULL },
};

static const char *const fields[] = { "rows", "erased", "counts", "settings", "ledger", NULL };

const struct command report_behaviour_command = {
	.name = "report behaviour",
	.summary = "show how the agents of each model go about it",
	.usage = "[--experiment ID] [--task PREFIX] [--model NAME] [--json|--csv|--md]",
	.description =
		"For each adapter and model: turns and tool calls of a trial, failed calls, trials with errors, "
		"time in tools, over the complete trials that have a transcript; their number stands beside.\n\n"
		"Where a classification of the turns was sealed with a trial (classification.json), the shares of "
		"the four kinds of turns are shown: execution, verification, deliberation, exploration; each turn "
		"counts alike.",
	.examples = examples,
	.options = options,
	.env = ledger_env,
	.fields = fields,
	.options_size = sizeof(struct board_opts),
	.args = ARGS_NONE,
	.run = behaviour_run,
};
