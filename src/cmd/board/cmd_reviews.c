/* `trackway report review`: how far reviewers agree, what is open, and whether gates are met. */
#include "cmd/board/board.h"
#include "cmd/frame/commands.h"
#include "trial/report/reviews.h"

static const struct opt options[] = {
	{ OPT_LIST, 0, "gate", offsetof(struct board_opts, gates), "GATE",
	  "exit with 1 unless this holds, as 'annotators>=2' or 'alpha>=0.8'; may be given several times" },
	BOARD_FILTER_OPTIONS,
	BOARD_WHOSE_OPTIONS,
	BOARD_PARTIAL_OPTION,
	BOARD_FORM_OPTIONS,
	BOARD_LEDGER_OPTIONS,
	OPT_LAST,
};

static bool board_make_reviews(struct board_work *w, struct args args, struct doc *out, int *status, struct err *err)
{
	const struct opt_list *given = &w->options->gates;
	struct reviews_gate *gates = arena_array(w->arena, struct reviews_gate, given->count + 1);
	bool met;

	(void)args;
	for (size_t i = 0; i < given->count; i++)
		if (!reviews_parse_gate(&gates[i], given->items[i], err))
			return false;
	*out = reviews_make_status(&w->source, gates, given->count, &met);
	*status = met ? EXIT_YES : EXIT_NO;
	return true;
}

static int reviews_run(struct arena *a, const void *options_given, struct args args, struct err *err)
{
	return board_run(a, options_given, args, board_make_reviews, err);
}

static const struct example examples[] = {
	{ "trackway report review", "agreement, and disagreements that are open" },
	{ "trackway report review --experiment after --gate 'open<=0'",
	  "exit status 1 if it is not ready" },
	{ NULL, NULL },
};

static const char *const fields[] = {
	"reviews", "agreement", "pairs", "disagreements", "gates", "erased", "counts", "settings", "ledger", NULL,
};

const struct command report_review_command = {
	.name = "report review",
	.summary = "show how far reviewers agree, and whether trials are ready",
	.usage = "[--gate GATE]... [--experiment ID] [--json|--csv|--md]",
	.description =
		"Of the complete trials: Krippendorff's alpha of all annotations and of each discipline, Cohen's "
		"kappa of each pair of reviewers, with intervals; disagreements, and which were adjudicated. Of a "
		"reviewer's annotations of a trial the last one counts, and one that defers is no judgment.\n\n"
		"A gate is a figure, >= or <=, and a number: annotators (the fewest that judged a trial), alpha, "
		"open (disagreements without adjudication), complete (the share of attempts that count). A figure "
		"that is not known meets no gate. The exit status is 1 when a gate is not met; the table says "
		"why.\n\n"
		"With --partial it is about the partial trials, such as imported ones. Reviews of trials that it is "
		"not about are counted apart.",
	.examples = examples,
	.options = options,
	.env = ledger_env,
	.fields = fields,
	.options_size = sizeof(struct board_opts),
	.args = ARGS_NONE,
	.run = reviews_run,
};
