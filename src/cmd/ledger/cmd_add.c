/* `trackway ledger add`: its options, and the ledger opened; adding.c does the rest. */
#include "cmd/frame/commands.h"
#include "cmd/frame/opt.h"
#include "cmd/ledger/adding.h"

struct add_opts {
	struct ledger_choice ledger;
	struct str run, files_from;
	struct opt_maybe json;
	bool jsonl, all, require_files, with_content;
};

static const struct opt options[] = {
	{ OPT_STR, 0, "run", offsetof(struct add_opts, run), "FILE",
	  "an OTUTL log of the one record: its hashes are sealed with it" },
	{ OPT_STR, 0, "files-from", offsetof(struct add_opts, files_from), "DIR",
	  "where the files stand that records name (default: beside each record)" },
	{ OPT_FLAG, 0, "require-files", offsetof(struct add_opts, require_files), NULL,
	  "refuse a record when a file that it names is missing" },
	{ OPT_FLAG, 0, "with-content", offsetof(struct add_opts, with_content), NULL,
	  "of runs also the bytes of files that hold prompts and answers" },
	{ OPT_OPTIONAL, 0, "json", offsetof(struct add_opts, json), "FIELDS",
	  "the outcome for each record, as one JSON document; only the named fields" },
	{ OPT_FLAG, 0, "jsonl", offsetof(struct add_opts, jsonl), NULL,
	  "the same, one object on each line, as they come" },
	{ OPT_FLAG, 0, "all", offsetof(struct add_opts, all), NULL,
	  "list every finding about a refused record" },
	LEDGER_NETWORK_OPTION(struct add_opts),
	LEDGER_OPTION(struct add_opts),
	OPT_LAST,
};

/*
 * The command: opens the ledger for writing, seals what is given and reports each. What was sealed before an error
 * stays sealed.
 */
static int ledger_add_run(struct arena *a, const void *given, struct args args, struct err *err)
{
	const struct add_opts *o = given;
	struct adding *x = arena_new(a, struct adding);
	struct seal_run hashes = { .records = 0 };
	bool done;
	int status;

	*x = (struct adding){ .arena = a, .files_from = o->files_from, .require_files = o->require_files,
			      .with_content = o->with_content };
	if (o->jsonl && o->json.given && !usage_set(err, "give one of them", "--json and --jsonl exclude each other"))
		return EXIT_FAIL;
	if (!ledger_args_open(&x->ledger, a, args.frame, &o->ledger, LEDGER_WRITE, err))
		return EXIT_FAIL;
	/* before anything is sealed: a log that cannot be used must not leave a record without it */
	if (o->run.p && !add_run_hash(a, o->run, &hashes, err)) {
		ledger_close(&x->ledger);
		return EXIT_FAIL;
	}
	x->run = o->run.p ? &hashes : NULL;
	x->output = (struct ledger_add){
		.frame = args.frame, .where = x->ledger.where, .json = o->json, .jsonl = o->jsonl, .all = o->all,
	};
	adding_open(x);
	done = adding_run(x, args, err);
	status = ledger_add_end(&x->output, done);
	adding_close(x);
	ledger_close(&x->ledger);
	return done ? status : EXIT_FAIL;
}

static const struct example examples[] = {
	{ "trackway ledger add trial.json", "seal a record; adding it again changes nothing" },
	{ "cat trial.json | trackway ledger add -", "what another program writes, or one record on each line" },
	{ "trackway ledger add trials --jsonl", "every .json file below a directory; for a script" },
	{ "trackway ledger add trial-2.json --run run.jsonl", "with the hashes of the agent's log" },
	{ "trackway ledger add @last", "the run that was recorded last; a path to its directory does as well" },
	{ NULL, NULL },
};

const struct command ledger_add_command = {
	.name = "ledger add",
	.summary = "seal trial records, reviews, recorded runs and benchmarks",
	.usage = "[RECORD.json|RUN|DIR|-]... [--run FILE]",
	.description =
		"Each record is checked by the rules of its format (TR001 and on). A complete record is sealed in "
		"the main log, byte for byte as it came; one that says it is partial in the diagnostic log. For "
		"each, standard output gets a line 'INDEX LEAF TRIAL_ID'. That line is a promise: the record is "
		"on the disk, and no crash removes it or gives it another place.\n\n"
		"Adding the same record again is fine and gives the same line. Another record with the same "
		"experiment_id and trial_id is refused (E_CONFLICT). So is one that says it is complete but lacks "
		"agent.adapter_revision, environment.tool_versions or inputs.input_files (E_INCOMPLETE), or that "
		"breaks a rule (E_INVALID). The others are sealed all the same. The exit status is 1 then, and 3 "
		"when a file could not be read.\n\n"
		"In a directory all names that end in .json are read, except below a name that begins with an "
		"underscore. A file that ends in .jsonl has one record on each line. Records are appended 256 at "
		"a time; several writers may add to one ledger at once.\n\n"
		"A record is sealed together with the trajectory, the conversation and the raw output that it names, "
		"which are looked for below its own directory. Links, names with '..', absolute ones, hidden ones and "
		"files of more than 256 MiB are not followed; of records on standard input no file is, unless "
		"--files-from says where. A file that is missing is told and stays unsealed; with --require-files "
		"the record is refused (E_FILES).\n\n"
		"RUN is the directory of a recorded run or of a benchmark, or a name that 'trackway show' would take; "
		"a directory of such directories means all of them. It is checked as 'trackway validate' does, and "
		"refused when it is not whole or not over (E_RUN). The digests of all its files are sealed. Of "
		"those that hold no prompts and answers the bytes are stored too; --with-content stores all.\n\n"
		"A review is sealed if its trial is in the ledger and its signature, if it has one, holds. Any other "
		"file is refused with a sentence that says what it is (E_KIND).\n\n"
		"In JSON, outcome is added, same, conflict or refused.",
	.examples = examples,
	.options = options,
	.env = ledger_env,
	.fields = ledger_add_fields,
	.options_size = sizeof(struct add_opts),
	.args = ARGS_FILES,
	.args_min = 1,
	.args_max = ARGS_MANY,
	.run = ledger_add_run,
};
