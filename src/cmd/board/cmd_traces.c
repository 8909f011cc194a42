/* `trackway report traces`: list trials with what their agents did. */
#include "cmd/board/board.h"
#include "cmd/frame/commands.h"
#include "trial/report/traces.h"

static const struct opt options[] = {
	BOARD_FILTER_OPTIONS,
	BOARD_WHOSE_OPTIONS,
	{ OPT_UINT, 0, "limit", offsetof(struct board_opts, limit), "N",
	  "only the first N (default: 500 in the table, else all)" },
	BOARD_FORM_OPTIONS,
	BOARD_LEDGER_OPTIONS,
	OPT_LAST,
};

static const struct board_opts defaults = { .transcripts = true };

static bool board_make_traces(struct board_work *w, struct args args, struct doc *out, int *status, struct err *err)
{
	const struct board_opts *o = w->options;
	bool is_table = !o->json.given && !o->csv && !o->md;
	const struct traces_how how = {
		.ledger = &w->ledger,
		.limit = o->limit ? o->limit : is_table ? BOARD_SHOWN : 0,
		.jobs = 1,
	};

	(void)args;
	(void)status;
	return traces_make(out, &w->source, &how, err);
}

static int traces_run(struct arena *a, const void *options_given, struct args args, struct err *err)
{
	return board_run(a, options_given, args, board_make_traces, err);
}

static const struct example examples[] = {
	{ "trackway report traces --task civil/", "what agents did in a kind of task" },
	{ "trackway report traces --csv", "all trials, for a spreadsheet" },
	{ NULL, NULL },
};

static const char *const fields[] = { "trials", "classifier", "erased", "counts", "settings", "ledger", NULL };

const struct command report_traces_command = {
	.name = "report traces",
	.summary = "list trials with what their agents did",
	.usage = "[--experiment ID] [--task PREFIX] [--model NAME] [--limit N] [--json|--csv|--md]",
	.description =
		"A row for each trial: standing and class, reward, turns, tool calls and errors of the transcript "
		"that was sealed with it, the first error, findings and denied attempts of its runner, and where "
		"its artifacts are; how many turns are of which kind by the built-in rules of 'trackway trial "
		"classify', and how sure that is. A trial without a transcript has dashes: nothing is known, which is "
		"not 0.\n\n"
		"Transcripts are read from the ledger's directory; a ledger in a database has none beside it. One "
		"that is not what was sealed gives no report (exit status 3).",
	.examples = examples,
	.options = options,
	.env = ledger_env,
	.defaults = &defaults,
	.fields = fields,
	.options_size = sizeof(struct board_opts),
	.args = ARGS_NONE,
	.run = traces_run,
};
