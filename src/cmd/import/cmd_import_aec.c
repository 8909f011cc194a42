/* `trackway import aec`: seals the records of a ledger of AEC-Bench as they are. */
#include "cmd/frame/commands.h"
#include "cmd/import/output.h"
#include "trial/import_aec.h"

struct aec_opts {
	struct ledger_choice ledger;
	struct import_opts import;
};

static const struct opt aec_options[] = {
	IMPORT_OPTIONS(struct aec_opts),
	OPT_LAST,
};

static int aec_run(struct arena *a, const void *options, struct args args, struct err *err)
{
	const struct aec_opts *o = options;
	const struct str none = { NULL, 0 };
	struct import_output out;
	bool done = true;

	if (!import_output_open(&out, a, &o->import, &o->ledger, args.frame, "record", err))
		return EXIT_FAIL;
	for (size_t i = 0; i < args.count && done; i++)
		done = aec_import(out.import, args.items[i], err);
	return import_output_end(&out, done, none, none, err);
}

static const struct example examples[] = {
	{ "trackway import aec aec-trials.jsonl", "every record of a file, or of a tree" },
	{ "trackway import aec aec-trials.jsonl --dry-run", "what would be imported" },
	{ NULL, NULL },
};

const struct command import_aec_command = {
	.name = "import aec",
	.summary = "import the trial records of a ledger of AEC-Bench",
	.usage = "DIR|FILE...",
	.description =
		"Seals every record of a tree EXPERIMENT/TRIAL.json, or of files with one record (or one on each "
		"line, in a .jsonl), byte for byte. Paths with a part that begins with an underscore are passed "
		"over, as AEC-Bench's own readers do. Complete records go to the main log, partial ones to the "
		"diagnostic log.\n\n"
		"A record that breaks a rule ('trackway validate --as trial' says which) is refused, and so is "
		"one of schema version 2. One that is in the ledger with other bytes is refused: nothing is ever "
		"rewritten.",
	.examples = examples,
	.options = aec_options,
	.env = ledger_env,
	.fields = import_fields,
	.options_size = sizeof(struct aec_opts),
	.args = ARGS_FILES,
	.args_min = 1,
	.args_max = ARGS_MANY,
	.run = aec_run,
};
