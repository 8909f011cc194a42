/* `trackway ledger review`: seals a judgment about a trial. */
#include <pwd.h>
#include <unistd.h>

#include "cmd/frame/commands.h"
#include "cmd/frame/opt.h"
#include "cmd/ledger/amend.h"
#include "trial/review.h"

#define UNSET -1

struct review_opts {
	struct ledger_choice ledger;
	int judgment, kind; /* judgment: or UNSET */
	struct str notes, reviewer, discipline;
	struct opt_list categories;
	struct opt_maybe json;
};

static const struct review_opts defaults = { .judgment = UNSET };

#define JUDGMENTS "pass|fail|defer"
#define KINDS "annotation|adjudication|feedback"

static const struct opt options[] = {
	{ OPT_CHOICE, 0, "judgment", offsetof(struct review_opts, judgment), JUDGMENTS, "what you think of the trial" },
	{ OPT_CHOICE, 0, "kind", offsetof(struct review_opts, kind), KINDS,
	  "what the review is (default: annotation)" },
	{ OPT_STR, 0, "notes", offsetof(struct review_opts, notes), "TEXT", "why, in words" },
	{ OPT_LIST, 0, "category", offsetof(struct review_opts, categories), "WORD",
	  "a category; may be given several times" },
	{ OPT_STR, 0, "reviewer", offsetof(struct review_opts, reviewer), "ID", "the reviewer (default: you)" },
	{ OPT_STR, 0, "discipline", offsetof(struct review_opts, discipline), "WORD", "the reviewer's discipline" },
	{ OPT_OPTIONAL, 0, "json", offsetof(struct review_opts, json), "FIELDS",
	  "the new entry, as JSON; only the named fields" },
	LEDGER_NETWORK_OPTION(struct review_opts),
	LEDGER_OPTION(struct review_opts),
	OPT_LAST,
};

static const struct opt_env env[] = {
	{ "TRACKWAY_LEDGER", "ledger" },
	{ "USER", "reviewer" },
	{ NULL, NULL },
};

static struct str ledger_review_word_of(const char *words, int n)
{
	struct str left = str_from(words), word = opt_next_choice(&left);

	while (n--)
		word = opt_next_choice(&left);
	return word;
}

/* Where no environment says it, as in a scheduled job, the system knows who we are. */
static struct str find_reviewer(const struct review_opts *o)
{
	const struct passwd *user = o->reviewer.n ? NULL : getpwuid(geteuid());

	return o->reviewer.n ? o->reviewer : str_from(user ? user->pw_name : NULL);
}

static bool ledger_review_check_options(const struct review_opts *o, struct err *err)
{
	if (o->judgment == UNSET)
		return usage_set(err, "add --judgment pass, fail or defer", "a review needs a judgment");
	if (find_reviewer(o).n == 0)
		return usage_set(err, "add --reviewer ID", "a review needs a reviewer, and USER is not set");
	return true;
}

/* Seals the review as an entry of its own and publishes it; the trial is not changed. */
static bool ledger_review_seal(struct ledger_amend *x, const struct review_opts *o, struct str word,
			       struct err *err)
{
	struct review r = {
		.kind = ledger_review_word_of(KINDS, o->kind),
		.judgment = ledger_review_word_of(JUDGMENTS, o->judgment),
		.reviewer_id = find_reviewer(o),
		.reviewer_discipline = o->discipline,
		.categories = o->categories.items,
		.category_count = o->categories.count,
		.notes = o->notes,
	};
	struct ledger_amend_answer answer = { .schema = "ledger-review", .json = o->json };
	struct amend_target trial;
	struct index_row row;

	if (!ledger_amend_find(x, word, &row, &trial, err) ||
	    !review_seal(&x->ledger, x->arena, &trial, &r, &answer.result, err) || !ledger_publish(&x->ledger, err))
		return false;
	answer.part = trial.part;
	answer.id = r.review_id;
	answer.said = ARENA_JOIN(x->arena, STR("reviewed trial "), trial.trial_id, STR(": "), r.judgment, STR(" by "),
				 r.reviewer_id);
	ledger_amend_print(x, &answer);
	return true;
}

/* The command. Options are checked before the ledger is opened and locked. */
static int review_run(struct arena *a, const void *given, struct args args, struct err *err)
{
	const struct review_opts *o = given;
	struct ledger_amend x;
	bool done;

	if (!ledger_review_check_options(o, err) || !ledger_amend_open(&x, a, args.frame, &o->ledger, err))
		return EXIT_FAIL;
	done = ledger_review_seal(&x, o, args.items[0], err);
	ledger_amend_close(&x);
	return done ? EXIT_YES : ledger_amend_fail(args.frame, err);
}

static const struct example examples[] = {
	{ "trackway ledger review t-001 --judgment pass --notes 'checked by hand'", "a trial that is right" },
	{ "trackway ledger review t-001 --judgment fail --category units --reviewer ben",
	  "one that is wrong, with a category" },
	{ "trackway ledger review beams/t-001 --judgment defer --json=index,id", "not decided; for a script" },
	{ NULL, NULL },
};

const struct command ledger_review_command = {
	.name = "ledger review",
	.summary = "seal a judgment about a trial",
	.usage = "TRIAL --judgment " JUDGMENTS " [--notes TEXT]",
	.description =
		"The trial is named by its trial_id if that is unique, else by experiment_id/trial_id. A review "
		"is an entry of its own, which names the trial by its id, its place and its leaf; the trial stays "
		"as it is. A trial may have many reviews, also by the same reviewer: none replaces another. "
		"'trackway ledger show' lists them.\n\n"
		"Standard output gets a line 'INDEX LEAF REVIEW_ID'.",
	.examples = examples,
	.options = options,
	.env = env,
	.defaults = &defaults,
	.fields = ledger_amend_fields,
	.options_size = sizeof(struct review_opts),
	.args = ARGS_WORDS,
	.args_min = 1,
	.args_max = 1,
	.run = review_run,
};
