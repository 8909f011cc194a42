/* The page of the group `trial`. */
#include "cmd/frame/commands.h"

static const struct example session[] = {
	{ "trackway trial run --help", "run an agent on a task, and seal what came of it" },
	{ "trackway trial signals chat.jsonl", "turns, tool calls and errors of a transcript" },
	{ "trackway trial signals trial.json", "of the transcript that a record names" },
	{ "trackway trial classify chat.jsonl", "which turns act, check, reason or explore" },
	{ NULL, NULL },
};

const struct command trial_command = {
	.name = "trial",
	.summary = "run trials of agents, and look at what they did",
	.usage = "COMMAND [ARGUMENTS]",
	.description =
		"A trial is one try of an agent at a task. Its record says what came of it; its transcript, a "
		"trajectory or a conversation, says what the agent did. 'trackway trial run' makes trials and seals "
		"their records in a ledger; 'trackway ledger' seals those of others.",
	.examples = session,
	.is_group = true,
};
