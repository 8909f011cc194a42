/* `trackway report behaviour`: show how the agents of each model go about it. */
#include "cmd/board/board.h"
#include "cmd/frame/commands.h"
#include "trial/report/traces.h"

static const struct opt options[] = {
	BOARD_FILTER_OPTIONS, BOARD_WHOSE_OPTIONS, BOARD_PARTIAL_OPTION, BOARD_FORM_OPTIONS,
	BOARD_LEDGER_OPTIONS,
	OPT_LAST,
};

static const struct board_opts defaults = { .transcripts = true };

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
	{ "trackway report behaviour --partial", "of imported trials, which are partial" },
	{ NULL, NULL },
};

static const char *const fields[] = { "rows", "transitions", "classifier", "erased", "counts", "settings", "ledger",
				      NULL };

const struct command report_behaviour_command = {
	.name = "report behaviour",
	.summary = "show how the agents of each model go about it",
	.usage = "[--experiment ID] [--task PREFIX] [--model NAME] [--json|--csv|--md]",
	.description =
		"For each adapter and model: turns and tool calls of a trial, failed calls, trials with errors, "
		"time in tools, over the complete trials that have a transcript; their number stands beside.\n\n"
		"Turns are told apart by the built-in rules of 'trackway trial classify': execution, verification, "
		"deliberation, exploration, as shares in which each turn counts alike, and what follows what. Trials "
		"are held against those of the same report with a reward of 1.0: the mean of their cosine "
		"similarities and normalised edit distances; dashes when there is no such trial. A trial without a "
		"transcript, or with one without content, is not classified, and counted as such.\n\n"
		"With --partial all of this is of the partial trials instead, such as those that 'trackway import "
		"prime' brought.",
	.examples = examples,
	.options = options,
	.env = ledger_env,
	.defaults = &defaults,
	.fields = fields,
	.options_size = sizeof(struct board_opts),
	.args = ARGS_NONE,
	.run = behaviour_run,
};
