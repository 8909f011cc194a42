#include "cmd/commands.h"

const struct command *const commands[] = {
	&record_command,
	&show_command,
	&convert_command,
	&validate_command,
	&explain_command,
	&formats_command,
	&canon_command,
	&hash_command,
	&mock_command,
	&help_command,
	&version_command,
	&completion_command,
	&complete_command,
	&generate_command,
	NULL,
};
