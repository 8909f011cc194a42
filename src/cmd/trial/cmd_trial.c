/* The page of the group `trial`. */
#include "cmd/frame/commands.h"

static const struct example session[] = {
	{ "trackway trial signals chat.jsonl", "turns, tool calls and errors of a transcript" },
	{ "trackway trial signals trial.json", "of the transcript that a record names" },
	{ "trackway trial classify chat.jsonl", "which turns act, check, reason or explore" },
	{ NULL, NULL },
};

const struct command trial_command = {
	.name = "trial",
	.summary = "look at what an agent did in a trial",
	.usage = "COMMAND [ARGUMENTS]",
	.description =
		"A trial is one try of an agent at a task. Its record says what came of it; its transcript, a "
		"trajectory or a conversation, says what the agent did. 'trackway ledger' seals records.",
	.examples = session,
	.is_group = true,
};
