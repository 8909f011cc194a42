/* The page of the group `report`. */
#include "cmd/frame/commands.h"

static const struct example session[] = {
	{ "trackway report leaderboard", "how well each model did, with intervals" },
	{ "trackway report cost", "what it cost, and who is on the frontier" },
	{ "trackway report compare m-large m-small", "is one of two better, task by task?" },
	{ NULL, NULL },
};

const struct command report_command = {
	.name = "report",
	.summary = "say what the trials of a ledger came to",
	.usage = "COMMAND [ARGUMENTS]",
	.description =
		"Reports are made of the trials that a ledger has sealed, and of nothing else: every entry is held "
		"against the signed checkpoint, every record against its digest, and a ledger that was changed "
		"gives no report.\n\n"
		"Only complete trials count. Partial ones and those that the infrastructure failed are shown "
		"apart, and figures are also given of all attempts. A superseded trial does not count, nor does "
		"one whose verdict was made again: the regrade takes its place. Erased ones are named.",
	.examples = session,
	.is_group = true,
};
