/* The page of the group `import`. */
#include "cmd/frame/commands.h"

static const struct example session[] = {
	{ "trackway import prime --evaluation prime.json --samples prime-samples.json",
	  "a hosted evaluation of Prime, from files" },
	{ "trackway import verifiers verifiers.results.jsonl", "the results of an evaluation by verifiers" },
	{ "trackway import aec aec-trials.jsonl", "a ledger of AEC-Bench" },
	{ NULL, NULL },
};

const struct command import_command = {
	.name = "import",
	.summary = "bring results of other programs into the ledger",
	.usage = "COMMAND [ARGUMENTS] [--ledger DIR|URL]",
	.description =
		"Makes trial records from the results of other programs, and seals them in an existing ledger ("
		"'trackway ledger init' makes one). What was imported before is skipped and counted, so the same "
		"command can be run again when there is more.\n\n"
		"The exit status is 1 when something was refused; everything else is in the ledger.",
	.examples = session,
	.is_group = true,
};
