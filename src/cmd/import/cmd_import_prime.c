/* `trackway import prime`: samples of a hosted evaluation, from two files or from the program `prime`. */
#include "base/file.h"
#include "cmd/frame/commands.h"
#include "cmd/import/output.h"
#include "trial/import_prime.h"

#define EVALUATION_MAX ((size_t)64 << 20)

struct prime_opts {
	struct ledger_choice ledger;
	struct import_opts import;
	struct str evaluation, samples;
};

static const struct opt prime_options[] = {
	{ OPT_STR, 0, "evaluation", offsetof(struct prime_opts, evaluation), "FILE",
	  "what 'prime eval get ID -o json' printed" },
	{ OPT_STR, 0, "samples", offsetof(struct prime_opts, samples), "FILE",
	  "what 'prime eval samples ID -o json' printed, or one sample per line in a .jsonl" },
	IMPORT_EXPERIMENT_OPTION(struct prime_opts),
	IMPORT_OPTIONS(struct prime_opts),
	OPT_LAST,
};

static bool import_prime_check_options(const struct prime_opts *o, struct args args, struct err *err)
{
	if (args.count && (o->evaluation.p || o->samples.p))
		return usage_set(err, "give the id alone, or two files",
				 "an evaluation's id and files exclude each other");
	if (!args.count && (!o->evaluation.p || !o->samples.p))
		return usage_set(err, "give --evaluation FILE and --samples FILE, or the id of an evaluation",
				 "nothing to import was named");
	return true;
}

/* *prime stays NULL when the evaluation cannot be read; the caller closes it otherwise, also after an error. */
static bool import_files(struct import_output *out, struct arena *a, const struct prime_opts *o, struct prime **prime,
			 struct err *err)
{
	struct str text;

	if (!file_read(a, o->evaluation, EVALUATION_MAX, &text, err))
		return false;
	*prime = prime_open(PRIME_HOSTED, o->evaluation, text, o->import.experiment, err);
	return *prime && prime_import_file(*prime, out->import, o->samples, err);
}

/* The command. *prime knows the names of the evaluation even after a failure, so the answer can tell them. */
static int prime_run(struct arena *a, const void *options, struct args args, struct err *err)
{
	const struct prime_opts *o = options;
	const struct str none = { NULL, 0 };
	struct prime *prime = NULL;
	struct import_output out;
	bool done;
	int status;

	if (!import_prime_check_options(o, args, err) ||
	    !import_output_open(&out, a, &o->import, &o->ledger, args.frame, "sample", err))
		return EXIT_FAIL;
	done = args.count ? prime_import_hosted(out.import, args.items[0], o->import.experiment, &prime, err) :
			    import_files(&out, a, o, &prime, err);
	status = import_output_end(&out, done, prime ? prime_experiment(prime) : none, prime ? prime_id(prime) : none,
				   err);
	prime_close(prime);
	return status;
}

static const struct example examples[] = {
	{ "trackway import prime --evaluation prime.json --samples prime-samples.json", "from files" },
	{ "trackway import prime --evaluation prime.json --samples prime-samples.json -n",
	  "what would be imported" },
	{ NULL, NULL },
};

const struct command import_prime_command = {
	.name = "import prime",
	.summary = "import the samples of a hosted evaluation of Prime",
	.usage = "--evaluation FILE --samples FILE | EVAL_ID",
	.description =
		"Each sample becomes a partial trial record in the ledger's diagnostic log, with three artifacts: "
		"its conversation, what it submitted (if anything), and the sample itself, byte for byte. "
		"doc/import.md says which field comes from where.\n\n"
		"With the id of an evaluation the program 'prime' is run, which must be installed and signed in: "
		"it is asked for the evaluation and for its samples, page by page.\n\n"
		"The experiment is prime-eval-ID unless --experiment names it. A sample that has no reward, or "
		"nothing but one, is refused; so is one that is not JSON, one whose submitted path is absolute or "
		"leads out of its directory, and another sample under an id that the ledger has. The same sample "
		"is skipped.",
	.examples = examples,
	.options = prime_options,
	.env = ledger_env,
	.fields = import_fields,
	.options_size = sizeof(struct prime_opts),
	.args = ARGS_WORDS,
	.args_max = 1,
	.run = prime_run,
};
