/* `trackway report queue`: which trials still need a review. */
#include "cmd/board/board.h"
#include "cmd/frame/commands.h"
#include "trial/report/reviews.h"

#define WANTED 2

static const struct opt options[] = {
	{ OPT_UINT, 0, "want", offsetof(struct board_opts, want), "N", "annotations that each trial needs (2)" },
	{ OPT_STR, 0, "reviewer", offsetof(struct board_opts, reviewer), "ID",
	  "leave out what this reviewer has reviewed" },
	{ OPT_FLAG, 0, "blind", offsetof(struct board_opts, blind), NULL,
	  "show no rewards, no models and nothing that others judged" },
	{ OPT_UINT, 0, "limit", offsetof(struct board_opts, limit), "N",
	  "only the first N (default: 500 in the table, else all)" },
	BOARD_FILTER_OPTIONS,
	BOARD_WHOSE_OPTIONS,
	BOARD_PARTIAL_OPTION,
	BOARD_FORM_OPTIONS,
	BOARD_LEDGER_OPTIONS,
	OPT_LAST,
};

static const struct board_opts defaults = { .want = WANTED };

static bool board_make_queue(struct board_work *w, struct args args, struct doc *out, int *status, struct err *err)
{
	const struct board_opts *o = w->options;
	bool is_table = !o->json.given && !o->csv && !o->md;
	const struct reviews_queue q = {
		.want = o->want,
		.reviewer = o->reviewer,
		.blind = o->blind,
		.limit = o->limit ? o->limit : is_table ? BOARD_SHOWN : 0,
	};

	(void)args;
	(void)status;
	(void)err;
	*out = reviews_make_queue(&w->source, &q);
	return true;
}

static int queue_run(struct arena *a, const void *options_given, struct args args, struct err *err)
{
	return board_run(a, options_given, args, board_make_queue, err);
}

static const struct example examples[] = {
	{ "trackway report queue --reviewer ana --blind", "what ana may annotate, without what would bias her" },
	{ "trackway report queue --want 3 --json=trials", "for a script" },
	{ NULL, NULL },
};

static const char *const fields[] = { "trials", "queue", NULL };

const struct command report_queue_command = {
	.name = "report queue",
	.summary = "list the trials that still need a review",
	.usage = "[--want N] [--reviewer ID] [--blind] [--json|--csv|--md]",
	.description =
		"Complete trials that need something: first those about which reviewers disagree and that nobody "
		"has adjudicated, then those that lack the fewest annotations, each by experiment, task and id. "
		"The order is always the same. A trial that was adjudicated needs nothing.\n\n"
		"With --blind there are no rewards, models and judgments, and no adjudications either, since they "
		"would tell that others disagree. 'trackway ledger review' seals a review.\n\n"
		"With --partial it is the queue of the partial trials, such as imported ones.",
	.examples = examples,
	.options = options,
	.env = ledger_env,
	.defaults = &defaults,
	.fields = fields,
	.options_size = sizeof(struct board_opts),
	.args = ARGS_NONE,
	.run = queue_run,
};
