/* `trackway ledger erase`: asks for the name of the trial, then deletes its bytes. */
#include <stdio.h>
#include <unistd.h>

#include "cmd/frame/commands.h"
#include "cmd/frame/opt.h"
#include "cmd/inputs.h"
#include "cmd/ledger/amend.h"

struct erase_opts {
	struct ledger_choice ledger;
	struct str reason;
	struct opt_maybe json;
	bool force;
};

static const struct opt options[] = {
	{ OPT_STR, 0, "reason", offsetof(struct erase_opts, reason), "TEXT", "the reason, which is sealed and stays" },
	{ OPT_FLAG, 0, "force", offsetof(struct erase_opts, force), NULL, "do not ask" },
	{ OPT_OPTIONAL, 0, "json", offsetof(struct erase_opts, json), "FIELDS",
	  "the new entry, as JSON; only the named fields" },
	LEDGER_NETWORK_OPTION(struct erase_opts),
	LEDGER_OPTION(struct erase_opts),
	OPT_LAST,
};

/* Only the name itself will do; a habit of pressing y is not enough. */
static bool ask(struct str id, struct err *err)
{
	struct buf question;
	char answer[1100];

	if (isatty(STDIN_FILENO) != 1 || isatty(STDERR_FILENO) != 1)
		return usage_set(err, "add --force, if you mean it",
				 "the bytes of a record would be gone forever, and there is no terminal to ask");
	buf_init(&question);
	buf_add_str(&question, STR("The bytes of the record and of its artifacts will be gone forever.\nType "));
	term_add_text(&question, id);
	buf_add_str(&question, STR(" to continue: "));
	inputs_print(buf_str(&question));
	buf_free(&question);
	if (fgets(answer, sizeof(answer), stdin) && str_eq(str_trim(str_from(answer)), id))
		return true;
	return err_set(err, ERR_USAGE, "nothing was erased: the name does not match");
}

/* Finds the trial, asks unless --force is given, seals the erasure and deletes the bytes. */
static bool ledger_erase_seal(struct ledger_amend *x, const struct erase_opts *o, struct str word, struct err *err)
{
	struct ledger_amend_answer answer = { .schema = "ledger-erase", .json = o->json };
	struct amend_target trial;
	struct index_row row;

	if (!ledger_amend_find_any(x, word, &row, &trial, err) || (!o->force && !ask(trial.trial_id, err)) ||
	    !erase_seal(&x->ledger, &trial, o->reason, &answer.result, err))
		return false;
	answer.part = trial.part;
	answer.id = trial.trial_id;
	answer.said = arena_printf(x->arena, "erased %zu object%s of %s %.*s%s", answer.result.erased,
				   answer.result.erased == 1 ? "" : "s", entry_kind_name(trial.kind),
				   STR_ARG(trial.trial_id),
				   answer.result.shared ? "; objects that other entries share were kept" : "");
	ledger_amend_print(x, &answer);
	return true;
}

/* The command. The reason is asked for first: nothing can be added to an erasure later. */
static int erase_run(struct arena *a, const void *given, struct args args, struct err *err)
{
	const struct erase_opts *o = given;
	struct ledger_amend x;
	bool done;

	if (str_trim(o->reason).n == 0 &&
	    !usage_set(err, "add --reason TEXT: it is all that will be left of the record", "no --reason given"))
		return EXIT_FAIL;
	if (!ledger_amend_open(&x, a, args.frame, &o->ledger, err))
		return EXIT_FAIL;
	done = ledger_erase_seal(&x, o, args.items[0], err);
	ledger_amend_close(&x);
	return done ? EXIT_YES : ledger_amend_fail(args.frame, err);
}

static const struct example examples[] = {
	{ "trackway ledger erase t-002 --reason 'on request' --force",
	  "delete its bytes; that it existed stays provable" },
	{ NULL, NULL },
};

const struct command ledger_erase_command = {
	.name = "ledger erase",
	.summary = "delete the bytes of a trial or run, and seal the reason",
	.usage = "TRIAL|EXPERIMENT/TRIAL|RUN_ID --reason TEXT [--force]",
	.description =
		"The entry of the trial, the run or the benchmark stays, with its digest, and all proofs stay valid: "
		"only the record "
		"itself, its artifacts and their names are deleted. First an entry that says so, with the reason, "
		"is sealed. The same record cannot be added again.\n\n"
		"You must type the name of the trial, unless --force is given; without a terminal --force is "
		"needed. Copies elsewhere are not erased. Whoever can guess the record can still compare its "
		"digest.",
	.examples = examples,
	.options = options,
	.env = ledger_env,
	.fields = ledger_amend_fields,
	.options_size = sizeof(struct erase_opts),
	.args = ARGS_WORDS,
	.args_min = 1,
	.args_max = 1,
	.run = erase_run,
};
