/* `trackway ledger supersede`: seals that one trial replaces another. */
#include "cmd/frame/commands.h"
#include "cmd/frame/opt.h"
#include "cmd/ledger/amend.h"

struct supersede_opts {
	struct ledger_choice ledger;
	struct str reason;
	struct opt_maybe json;
};

static const struct opt options[] = {
	{ OPT_STR, 0, "reason", offsetof(struct supersede_opts, reason), "TEXT", "the reason, which is sealed too" },
	{ OPT_OPTIONAL, 0, "json", offsetof(struct supersede_opts, json), "FIELDS",
	  "the new entry, as JSON; only the named fields" },
	LEDGER_NETWORK_OPTION(struct supersede_opts),
	LEDGER_OPTION(struct supersede_opts),
	OPT_LAST,
};

/*
 * Finds both trials and seals that the second takes the place of the first. Doing so again gives the entry that is
 * there.
 */
static bool ledger_supersede_seal(struct ledger_amend *x, const struct supersede_opts *o, struct args args,
				  struct err *err)
{
	struct ledger_amend_answer answer = { .schema = "ledger-supersede", .json = o->json };
	struct amend_target old, by;
	struct index_row row;

	if (!ledger_amend_find(x, args.items[0], &row, &old, err) ||
	    !ledger_amend_find(x, args.items[1], &row, &by, err) ||
	    !supersede_seal(&x->ledger, &old, &by, o->reason, &answer.result, err) ||
	    !ledger_publish(&x->ledger, err))
		return false;
	answer.part = old.part;
	answer.id = old.trial_id;
	answer.said = ARENA_JOIN(x->arena, STR("trial "), by.trial_id,
				 answer.result.was_there ? STR(" had taken the place of ") :
							   STR(" takes the place of "),
				 old.trial_id);
	ledger_amend_print(x, &answer);
	return true;
}

static int supersede_run(struct arena *a, const void *given, struct args args, struct err *err)
{
	const struct supersede_opts *o = given;
	struct ledger_amend x;
	bool done;

	if (str_trim(o->reason).n == 0 &&
	    !usage_set(err, "add --reason TEXT: whoever reads the ledger later will want to know",
		       "no --reason given"))
		return EXIT_FAIL;
	if (!ledger_amend_open(&x, a, args.frame, &o->ledger, err))
		return EXIT_FAIL;
	done = ledger_supersede_seal(&x, o, args, err);
	ledger_amend_close(&x);
	return done ? EXIT_YES : ledger_amend_fail(args.frame, err);
}

static const struct example examples[] = {
	{ "trackway ledger supersede t-002 t-001 --reason 'wrong image'", "t-001 takes the place of t-002" },
	{ NULL, NULL },
};

const struct command ledger_supersede_command = {
	.name = "ledger supersede",
	.summary = "replace a trial by another one",
	.usage = "OLD NEW --reason TEXT",
	.description =
		"Both trials must be sealed already, in the same log. The old one stays in the ledger, and its "
		"proofs stay valid; 'trackway ledger list' leaves it out, and 'show' names the trial that took "
		"its place. A trial can be superseded once: saying the same again changes nothing, and anything "
		"else is refused (E_CONFLICT, exit status 1).",
	.examples = examples,
	.options = options,
	.env = ledger_env,
	.fields = ledger_amend_fields,
	.options_size = sizeof(struct supersede_opts),
	.args = ARGS_WORDS,
	.args_min = 2,
	.args_max = 2,
	.run = supersede_run,
};
