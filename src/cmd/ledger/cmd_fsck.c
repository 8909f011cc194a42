/* `trackway ledger fsck`: verify, with what only the owner has, and the repairs that need no copy. */
#include <stdio.h>

#include "cmd/frame/commands.h"
#include "cmd/frame/opt.h"
#include "cmd/inputs.h"
#include "cmd/ledger/args.h"
#include "cmd/ledger/repair.h"
#include "cmd/ledger/verify.h"

struct fsck_opts {
	struct ledger_choice ledger;
	struct opt_maybe json;
	bool repair_index, accept_pending, drop_pending, all;
};

static const struct opt options[] = {
	{ OPT_FLAG, 0, "repair-index", offsetof(struct fsck_opts, repair_index), NULL,
	  "rebuild what is derived from the log: the index, the table of ids, the names in records/" },
	{ OPT_FLAG, 0, "accept-pending", offsetof(struct fsck_opts, accept_pending), NULL,
	  "sign pending entries that version 0.1 wrote without a code of origin; look at them first" },
	{ OPT_FLAG, 0, "drop-pending", offsetof(struct fsck_opts, drop_pending), NULL,
	  "drop pending entries of unknown origin; each is named" },
	{ OPT_FLAG, 0, "all", offsetof(struct fsck_opts, all), NULL, "list every finding" },
	{ OPT_OPTIONAL, 0, "json", offsetof(struct fsck_opts, json), "FIELDS", "as JSON; only the named fields" },
	LEDGER_VKEY_OPTION(struct fsck_opts),
	LEDGER_NETWORK_OPTION(struct fsck_opts),
	LEDGER_OPTION(struct fsck_opts),
	OPT_LAST,
};

static bool repair(struct arena *a, const struct fsck_opts *o, const struct frame *f, struct err *err)
{
	struct repair_counts n;

	if (!ledger_repair(a, f, &o->ledger, &n, err))
		return false;
	inputs_note(f, "rebuilt the index: %llu entries, %llu names", (unsigned long long)n.entries,
		    (unsigned long long)n.links);
	return true;
}

/* Opening it decides about them. */
static bool settle_pending(struct arena *a, const struct fsck_opts *o, const struct frame *f, struct err *err)
{
	struct ledger_choice choice = o->ledger;
	struct ledger l;
	bool done;

	if (!o->accept_pending && !o->drop_pending)
		return true;
	choice.pending = o->accept_pending ? LOG_PENDING_ACCEPT : LOG_PENDING_DROP;
	if (!ledger_args_open(&l, a, f, &choice, LEDGER_WRITE, err))
		return false;
	done = ledger_publish(&l, err);
	ledger_close(&l);
	return done;
}

static bool ledger_fsck_check_options(const struct fsck_opts *o, struct err *err)
{
	if (o->accept_pending && o->drop_pending)
		return usage_set(err, "look at them with 'trackway ledger verify', then give one of the two",
				 "--accept-pending and --drop-pending are opposites");
	if (o->drop_pending && ledger_is_url(ledger_args_where(&o->ledger)))
		return usage_set(err, "give --accept-pending, or start a ledger with another origin",
				 "entries cannot be dropped from a database");
	return true;
}

/* The command: settles pending entries, repairs, then checks, so that the answer is about what is there now. */
static int fsck_run(struct arena *a, const void *given, struct args args, struct err *err)
{
	const struct fsck_opts *o = given;
	struct str where = ledger_args_where(&o->ledger);
	struct ledger_verify v = {
		.arena = a, .frame = args.frame, .where = where, .has_vkey = o->ledger.vkey.p != NULL,
		.has_objects = true, .all = o->all,
	};
	struct ledger_check c = { .where = where, .objects = true, .local = true };

	if (!ledger_fsck_check_options(o, err) || !ledger_args_check_there(where, err) ||
	    !ledger_args_read_vkey(a, o->ledger.vkey, &c.vkey, err) || !settle_pending(a, o, args.frame, err))
		return EXIT_FAIL;
	if (o->repair_index && !repair(a, o, args.frame, err))
		return EXIT_FAIL;
	return ledger_verify_chosen(&v, &c, &o->ledger, err) ? ledger_verify_print(&v, o->json) : EXIT_FAIL;
}

static const struct example examples[] = {
	{ "trackway ledger fsck", "check your own ledger, with what only its owner has" },
	{ "trackway ledger fsck --repair-index", "rebuild the index and the names first" },
	{ NULL, NULL },
};

const struct command ledger_fsck_command = {
	.name = "ledger fsck",
	.summary = "check your own ledger, and rebuild what is derived from it",
	.usage = "[--repair-index] [--accept-pending | --drop-pending]",
	.description =
		"Does what 'trackway ledger verify' does, and also checks what only the owner of a ledger has: "
		"entries that are committed but not published, the table of ids, files that a crash left behind, "
		"the names in records/ and artifacts/, and the last head that the key signed. A ledger that was "
		"cut short or restored from an old copy does not reach that head.\n\n"
		"--repair-index rebuilds whatever can be rebuilt from the log. Nothing in the log itself is ever "
		"changed: what is damaged there must come from a copy.\n\n"
		"Entries that wait to be signed have a code that only the private key can make. Those of version "
		"0.1 have none, and those that somebody else put there have a wrong one: nothing is signed then "
		"until you decide. 'trackway ledger verify' names them. --accept-pending accepts those of version "
		"0.1, once; --drop-pending drops those of unknown origin.",
	.examples = examples,
	.options = options,
	.env = ledger_env,
	.fields = ledger_verify_fields,
	.options_size = sizeof(struct fsck_opts),
	.args = ARGS_NONE,
	.run = fsck_run,
};
