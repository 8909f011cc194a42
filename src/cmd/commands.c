#include "cmd/commands.h"

const struct command *const commands[] = {
	&convert_command,
	&validate_command,
	&explain_command,
	&formats_command,
	&canon_command,
	&hash_command,
	&help_command,
	&version_command,
	&completion_command,
	&complete_command,
	&generate_command,
	NULL,
};
