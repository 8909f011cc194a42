#include "cmd/frame/commands.h"

static const struct example session[] = {
	{ "trackway import prime --evaluation prime.json --samples prime-samples.json",
	  "a hosted evaluation of Prime, from files" },
	{ "trackway import verifiers verifiers.results.jsonl", "what verifiers left of an evaluation" },
	{ "trackway import aec aec-trials.jsonl", "a ledger of AEC-Bench" },
	{ NULL, NULL },
};

const struct command import_command = {
	.name = "import",
	.summary = "bring results of other programs into the ledger",
	.usage = "COMMAND [ARGUMENTS] [--ledger DIR|URL]",
	.description =
		"Makes trial records of what other programs left of their runs, and seals them in a ledger, which must "
		"be there: 'trackway ledger init' makes one. What was imported before is skipped and counted, so that "
		"the same command can be given again when there is more.\n\n"
		"Exit status 1 means that something was refused; what was not refused is in the ledger.",
	.examples = session,
	.is_group = true,
};
