/* The page of the group `telemetry`. */
#include "cmd/frame/commands.h"

static const struct example session[] = {
	{ "trackway telemetry show agent-trace.jsonl > payload.json", "what could be sent about a run" },
	{ "trackway telemetry verify-payload payload.json", "check a payload of any program" },
	{ NULL, NULL },
};

const struct command telemetry_command = {
	.name = "telemetry",
	.summary = "show and check what could be told about runs; nothing is ever sent",
	.usage = "COMMAND [ARGUMENTS]",
	.description =
		"This program sends no telemetry, to nobody, ever. These commands are for operators who report "
		"about their own fleet: one shows the payload that they could send, the other checks any payload "
		"for what must not be in it.\n\n"
		"DO_NOT_TRACK=1, or TRACKWAY_TELEMETRY set to 0, false, off or disabled, turns 'telemetry show' "
		"off: it makes no payload then.",
	.examples = session,
	.is_group = true,
};
