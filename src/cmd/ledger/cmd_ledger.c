/* The page of the group `ledger`. */
#include "cmd/frame/commands.h"

static const struct example session[] = {
	{ "trackway ledger init --origin lab.example.org/trials > trials.vkey",
	  "make a ledger and its key; keep the public key" },
	{ "trackway ledger add trial.json", "seal a record" },
	{ "trackway ledger list", "list what is in it" },
	{ "trackway ledger review t-001 --judgment pass --notes 'units are right'",
	  "say what you think of a trial" },
	{ "trackway ledger prove t-001 -o t", "make a proof that needs no ledger" },
	{ "trackway ledger verify --proof t.tlog-proof --entry t.entry --vkey trials.vkey",
	  "check it, on any machine" },
	{ "trackway ledger head --text > head.txt", "publish this, so that nothing can be taken back" },
	{ "trackway ledger verify --vkey trials.vkey", "check everything" },
	{ NULL, NULL },
};

const struct command ledger_command = {
	.name = "ledger",
	.summary = "seal trial records so that anyone can verify them",
	.usage = "COMMAND [ARGUMENTS] [--ledger DIR|URL]",
	.description =
		"A ledger holds trial records that cannot be changed or taken back without notice. Each record "
		"becomes an "
		"entry of a log whose head is signed; a short proof shows that a record is in it, and that an older "
		"head is the beginning of a newer one. The log is a directory of plain files in the format of C2SP's "
		"tlog-tiles, which other programs verify as well, or a PostgreSQL database with the same proofs.\n\n"
		"Records that say they are complete, with all their provenance, go to the main log. Those that say "
		"they are partial go to a second log beside it, diagnostic/, which cannot support a result.\n\n"
		"Every command uses --ledger, else TRACKWAY_LEDGER, else ./ledger. The private "
		"key is in TRACKWAY_KEYS, else in ~/.config/trackway/keys: keep a copy of it, and of the ledger, "
		"apart from each other.",
	.examples = session,
	.is_group = true,
};
