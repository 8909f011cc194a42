/* `trackway import verifiers`: results or traces that verifiers wrote. */
#include "cmd/frame/commands.h"
#include "cmd/import/output.h"
#include "trial/import_prime.h"

struct verifiers_opts {
	struct ledger_choice ledger;
	struct import_opts import;
	struct str metadata;
};

static const struct opt verifiers_options[] = {
	{ OPT_STR, 0, "metadata", offsetof(struct verifiers_opts, metadata), "FILE",
	  "the evaluation's metadata (default: metadata.json beside the results)" },
	IMPORT_EXPERIMENT_OPTION(struct verifiers_opts),
	IMPORT_OPTIONS(struct verifiers_opts),
	OPT_LAST,
};

/* The command: as prime_run, but with the files that verifiers leaves behind. */
static int verifiers_run(struct arena *a, const void *options, struct args args, struct err *err)
{
	const struct verifiers_opts *o = options;
	const struct str none = { NULL, 0 };
	struct prime *prime = NULL;
	struct import_output out;
	bool done;
	int status;

	if (!import_output_open(&out, a, &o->import, &o->ledger, args.frame, "sample", err))
		return EXIT_FAIL;
	done = verifiers_import(out.import, args_path(args), o->metadata, o->import.experiment, &prime, err);
	status = import_output_end(&out, done, prime ? prime_experiment(prime) : none, prime ? prime_id(prime) : none,
				   err);
	prime_close(prime);
	return status;
}

static const struct example examples[] = {
	{ "trackway import verifiers verifiers.results.jsonl", "a file, with verifiers.metadata.json beside it" },
	{ "trackway import verifiers verifiers.results.jsonl --experiment pilot --json",
	  "the same under your own name, for a script" },
	{ NULL, NULL },
};

const struct command import_verifiers_command = {
	.name = "import verifiers",
	.summary = "import the results of an evaluation by verifiers",
	.usage = "DIR|results.jsonl|traces.jsonl [--metadata FILE]",
	.description =
		"Each line of results.jsonl becomes a partial trial record in the ledger's diagnostic log, as a "
		"sample of 'trackway import prime' does; its metrics and times stand among its members. The "
		"metadata beside it names the environment and the model. traces.jsonl, which version 0.4 writes, "
		"has an episode on each line; each of its traces becomes a trial. DIR is that of a run, or has "
		"the one of a run in it.\n\n"
		"Results have no ids of their own: a trial is known by its evaluation and the number of its line; "
		"a trace is known by its id. The evaluation is ENVIRONMENT--MODEL/DIRECTORY, unless the metadata "
		"has an evaluation_id.\n\n"
		"What has no reward, or nothing of a result, is refused; so is another result under an id that "
		"the ledger has. The same result is skipped.",
	.examples = examples,
	.options = verifiers_options,
	.env = ledger_env,
	.fields = import_fields,
	.options_size = sizeof(struct verifiers_opts),
	.args = ARGS_FILES,
	.args_min = 1,
	.args_max = 1,
	.run = verifiers_run,
};
