/* `trackway ledger review`: seals a judgment about a trial, or writes one that its reviewer signed. */
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/frame/commands.h"
#include "cmd/frame/opt.h"
#include "cmd/ledger/amend.h"
#include "cmd/ledger/review_file.h"

#define UNSET -1

struct review_opts {
	struct ledger_choice ledger;
	int judgment, kind; /* judgment: or UNSET */
	struct str notes, reviewer, discipline, sign_with, output, proof, entry, make_key;
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
	{ OPT_STR, 0, "sign-with", offsetof(struct review_opts, sign_with), "FILE",
	  "sign the review with this private key, the reviewer's own" },
	{ OPT_STR, 'o', "output", offsetof(struct review_opts, output), "FILE",
	  "write the review to FILE instead of sealing it" },
	{ OPT_STR, 0, "proof", offsetof(struct review_opts, proof), "FILE",
	  "the proof of the trial, where the ledger is not at hand; needs --entry and -o" },
	{ OPT_STR, 0, "entry", offsetof(struct review_opts, entry), "FILE",
	  "the entry of the trial, as 'trackway ledger prove' wrote it" },
	{ OPT_STR, 0, "make-key", offsetof(struct review_opts, make_key), "NAME",
	  "only make a key for signing reviews, and print its public key" },
	LEDGER_VKEY_OPTION(struct review_opts),
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
	const struct passwd *user = o->reviewer.p ? NULL : getpwuid(geteuid());

	return o->reviewer.p ? o->reviewer : str_from(user ? user->pw_name : NULL);
}

static bool ledger_review_check_options(const struct review_opts *o, struct args args, struct err *err)
{
	if (!o->proof.p != !o->entry.p)
		return usage_set(err, "'trackway ledger prove' writes both", "--proof and --entry need each other");
	if (o->proof.p && (args.count || !o->output.p))
		return usage_set(err, "give -o FILE and no TRIAL",
				 "with --proof the trial is that of the entry, and the review goes to a file");
	if (!o->proof.p && args.count == 0)
		return usage_set(err, "add the id of a trial, or the file of a review", "no trial given");
	if (o->judgment == UNSET)
		return usage_set(err, "add --judgment pass, fail or defer", "a review needs a judgment");
	if (find_reviewer(o).n == 0)
		return usage_set(err, "add --reviewer ID", o->reviewer.p ? "the name of the reviewer is empty" :
				 "a review needs a reviewer, and USER is not set");
	return true;
}

static struct review ledger_review_of(const struct review_opts *o)
{
	return (struct review){
		.kind = ledger_review_word_of(KINDS, o->kind),
		.judgment = ledger_review_word_of(JUDGMENTS, o->judgment),
		.reviewer_id = find_reviewer(o),
		.reviewer_discipline = o->discipline,
		.categories = o->categories.items,
		.category_count = o->categories.count,
		.notes = o->notes,
	};
}

/* With the reviewer's own key, if one was given. */
static bool ledger_review_sign(struct arena *a, const struct review_opts *o, const struct amend_target *trial,
			       struct review *r, struct err *err)
{
	struct signer signer;

	return !o->sign_with.p || (ledger_args_read_signer(a, o->sign_with, &signer, err) &&
				   review_sign(a, trial, r, &signer, err));
}

/* Seals the review as an entry of its own and publishes it; the trial is not changed. */
static bool ledger_review_seal(struct ledger_amend *x, const struct review_opts *o, struct str word,
			       struct err *err)
{
	struct ledger_amend_answer answer = { .schema = "ledger-review", .json = o->json };
	struct review r = ledger_review_of(o);
	struct amend_target trial;
	struct index_row row;

	if (!ledger_amend_find(x, word, &row, &trial, err) || !ledger_review_sign(x->arena, o, &trial, &r, err) ||
	    !review_seal(&x->ledger, x->arena, &trial, &r, &answer.result, err) || !ledger_publish(&x->ledger, err))
		return false;
	answer.part = trial.part;
	answer.id = r.review_id;
	answer.said = ARENA_JOIN(x->arena, STR("reviewed trial "), trial.trial_id, STR(": "), r.judgment, STR(" by "),
				 r.reviewer_id);
	ledger_amend_print(x, &answer);
	return true;
}

/* To a file: the trial is found in the ledger, which is only read, or by its proof. */
static bool ledger_review_write(struct arena *a, const struct review_opts *o, struct args args, struct err *err)
{
	struct review r = ledger_review_of(o);
	struct amend_target trial;

	if (!(o->proof.p ? review_file_prove(a, args.frame, o->proof, o->entry, o->ledger.vkey, &trial, err) :
			   review_file_find(a, args.frame, &o->ledger, args.items[0], &trial, err)))
		return false;
	return ledger_review_sign(a, o, &trial, &r, err) &&
	       review_file_write(a, args.frame, o->output, &trial, &r, err);
}

static bool ledger_review_is_file(struct str path)
{
	struct stat st;

	return stat(path.p, &st) == 0 && S_ISREG(st.st_mode);
}

/* Into the ledger: a review that is made here, or one that came as a file. */
static bool ledger_review_to_ledger(struct arena *a, const struct review_opts *o, struct args args, struct err *err)
{
	struct ledger_amend x;
	bool done;

	if (!ledger_amend_open(&x, a, args.frame, &o->ledger, err))
		return false;
	if (o->judgment == UNSET)
		done = review_file_seal(&x, args.items[0], o->json, err);
	else
		done = ledger_review_seal(&x, o, args.items[0], err);
	ledger_amend_close(&x);
	return done;
}

/* The command. Options are checked before the ledger is opened and locked. */
static int review_run(struct arena *a, const void *given, struct args args, struct err *err)
{
	const struct review_opts *o = given;
	bool done;

	if (o->make_key.p)
		return review_file_make_key(a, args.frame, o->make_key, err) ? EXIT_YES : EXIT_FAIL;
	if (!(args.count && o->judgment == UNSET &&
	      ledger_review_is_file(args.items[0])) &&
	    !ledger_review_check_options(o, args, err))
		return EXIT_FAIL;
	done = o->output.p ? ledger_review_write(a, o, args, err) : ledger_review_to_ledger(a, o, args, err);
	return done ? EXIT_YES : ledger_amend_fail(args.frame, err);
}

static const struct example examples[] = {
	{ "trackway ledger review t-001 --judgment pass --notes 'checked by hand'", "a trial that is right" },
	{ "trackway ledger review t-001 --judgment fail --category units --reviewer ben",
	  "one that is wrong, with a category" },
	{ "trackway ledger review beams/t-001 --judgment defer --json=index,id", "not decided; for a script" },
	{ "trackway ledger review --make-key ana.example.org > ana.vkey", "a key of the reviewer's own" },
	{ "trackway ledger review t-001 --judgment pass --sign-with ana.key -o r.json",
	  "signed, and written to a file" },
	{ "trackway ledger review r.json", "seal it; 'trackway ledger add r.json' does the same" },
	{ NULL, NULL },
};

const struct command ledger_review_command = {
	.name = "ledger review",
	.summary = "seal a judgment about a trial",
	.usage = "TRIAL --judgment " JUDGMENTS " [--notes TEXT] | FILE",
	.description =
		"The trial is named by its trial_id if that is unique, else by experiment_id/trial_id. A review "
		"is an entry of its own, which names the trial by its id, its place and its leaf; the trial stays "
		"as it is. A trial may have many reviews, also by the same reviewer: none replaces another. "
		"'trackway ledger show' lists them.\n\n"
		"Standard output gets a line 'INDEX LEAF REVIEW_ID'.\n\n"
		"An outside reviewer signs a review with a key of their own: --make-key makes one, --sign-with signs, "
		"-o writes the review to a file. That needs no right to the ledger, and with --proof and --entry not "
		"even the ledger itself: the entry must then be in its proof, and --vkey checks who sealed it. Whoever "
		"has the ledger's key seals the file with 'trackway ledger add FILE', or by its name here; a signature "
		"that does not hold is refused. 'trackway ledger verify --reviewer-key KEY' checks all of them later.",
	.examples = examples,
	.options = options,
	.env = env,
	.defaults = &defaults,
	.fields = ledger_amend_fields,
	.options_size = sizeof(struct review_opts),
	.args = ARGS_WORDS,
	.args_min = 0,
	.args_max = 1,
	.run = review_run,
};
