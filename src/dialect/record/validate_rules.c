/* The rows that `explain` shows for V001 to V004. Formats have tables of their own. */
#include "dialect/record/validate_rules.h"

const struct rule validate_rules[V_RULES + 1] = {
	[V_FORMAT] = { "V001", SEV_ERROR, "the file is not in a format that can be checked",
		"name the format", "trackway help formats",
		.scope = RULE_FILE,
		.why = "formats are recognised by their content, and nothing in the first lines is known",
		.example = "a text file, or a log that nobody here knows" },
	[V_EMPTY] = { "V002", SEV_ERROR, "the file is empty",
		"check that whatever wrote it could write, or name the format",
		"trackway help formats", .scope = RULE_FILE,
		.why = "an empty file proves nothing", .example = "a file with no bytes" },
	[V_SECRET] = { "V003", SEV_WARNING, "a string resembles an API key",
		"remove it from the file and change the key", "trackway help privacy",
		.why = "logs are shared, and a key in one is a key published",
		.example = "a tool result that printed the environment" },
	[V_BLIND] = { "V004", SEV_WARNING, "this machine cannot search for keys",
		"check the file on another machine", "trackway help privacy", .scope = RULE_FILE,
		.why = "the search needs a processor with SSSE3 (x86) or NEON (ARM)",
		.example = "any trace, on a very old processor" },
	[V_RULES] = { .code = NULL },
};
