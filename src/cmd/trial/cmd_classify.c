/* `trackway trial classify`: what kind of act each turn of an agent is, and how like a good run the whole is. */
#include "cmd/frame/commands.h"
#include "cmd/trial/classify_job.h"
#include "cmd/trial/classify_output.h"

static const struct classify_opts classify_defaults = { .timeout = 120 };

static const struct opt classify_options[] = {
	{ OPT_OPTIONAL, 0, "json", offsetof(struct classify_opts, json), "FIELDS", "as JSON; only the named fields" },
	{ OPT_FLAG, 0, "plain", offsetof(struct classify_opts, plain), NULL, "tab-separated fields" },
	{ OPT_STR, 0, "rules", offsetof(struct classify_opts, rules), "FILE",
	  "use this table of rules, not the built-in one" },
	{ OPT_FLAG, 0, "print-rules", offsetof(struct classify_opts, print_rules), NULL,
	  "print the built-in table of rules, to be changed" },
	{ OPT_STR, 0, "reference", offsetof(struct classify_opts, reference), "LEDGER|DIR|FILE",
	  "hold trials against those with a reward of 1.0, or against a reference that was written" },
	{ OPT_STR, 0, "write-reference", offsetof(struct classify_opts, write_reference), "FILE",
	  "write the reference to a file" },
	{ OPT_STR, 0, "judge", offsetof(struct classify_opts, judge), "PROVIDER:MODEL",
	  "ask a model, not the rules; the transcripts go to it" },
	{ OPT_LIST, 0, "base", offsetof(struct classify_opts, bases), "PROVIDER=URL",
	  "the address of the judge's provider, instead of its usual one" },
	{ OPT_LIST, 0, "key-file", offsetof(struct classify_opts, key_files), "PROVIDER=FILE",
	  "read the provider's key from a file, not the environment" },
	{ OPT_STR, 0, "header-file", offsetof(struct classify_opts, header_file), "FILE",
	  "send these headers with every request: lines 'Name: value'" },
	{ OPT_STR, 0, "mock-script", offsetof(struct classify_opts, mock_script), "FILE",
	  "the answers of the provider 'mock'" },
	{ OPT_UINT, 0, "timeout", offsetof(struct classify_opts, timeout), "SECONDS",
	  "seconds to wait for an answer of the judge (120)" },
	{ OPT_FLAG, 0, "no-stream", offsetof(struct classify_opts, no_stream), NULL,
	  "do not stream the judge's answers" },
	{ OPT_UINT, 0, "jobs", offsetof(struct classify_opts, jobs), "N", "threads (default: 0, one for each core)" },
	OPT_LAST,
};

static int classify_run(struct arena *a, const void *options, struct args args, struct err *err)
{
	const struct classify_opts *o = options;

	if (o->print_rules)
		return classify_job_print_rules();
	if (o->json.given && o->plain)
		return usage_set(err, "give one of them", "--json and --plain exclude each other"), EXIT_FAIL;
	if (o->rules.p && o->judge.p)
		return usage_set(err, "give one of them", "--rules and --judge exclude each other"), EXIT_FAIL;
	if (o->write_reference.p && !o->reference.p)
		return usage_set(err, "say with --reference what it is made of",
				 "--write-reference needs a reference"), EXIT_FAIL;
	if (args.count == 0 && !args_default_stdin(&args))
		return EXIT_HELP;
	return classify_job_run(a, o, args, err);
}

static const struct example classify_examples[] = {
	{ "trackway trial classify chat.jsonl", "each turn, its bond and why" },
	{ "trackway trial classify session.jsonl --json", "the same for a script" },
	{ "trackway trial classify --print-rules", "the table by which turns are told" },
	{ "trackway trial classify chat.jsonl --reference good",
	  "held against the trials below a directory that did well" },
	{ NULL, NULL },
};

const struct command trial_classify_command = {
	.name = "trial classify",
	.summary = "tell which turns act, check, reason or explore, and how like good runs they are",
	.usage = "FILE|RUN|DIR... [--json] [--reference LEDGER|DIR|FILE] [--judge PROVIDER:MODEL]",
	.description =
		"Each turn of the model becomes one of four bonds: execution (it acts or delivers), verification (it "
		"checks something against something), deliberation (it reasons towards a decision) or exploration (it "
		"doubts, asks, weighs several ways). FILE is a transcript, a trial record or any log that can be read, "
		"as for 'trackway trial signals'; of a directory or a ledger all trials below it are taken. Turns "
		"with call_type warmup never count. A trace without content cannot be classified (exit status 3).\n\n"
		"The rules are a table: each has a bond, a weight, and what it looks for. The weights of the rules "
		"that hold for a turn are added up, and the highest sum wins; of equal sums verification, exploration, "
		"deliberation, execution, in this order. The confidence is high when one sum is far above the others, "
		"and low when little or much of everything was found. The same turns give the same bonds on every "
		"machine, and nothing is sent. --print-rules prints the table, --rules uses a changed copy; "
		"doc/classify.md explains it and says how far it agrees with people.\n\n"
		"Transitions from turn to turn are counted, and each row of the matrix adds up to 1. With a reference "
		"the matrix is compared by its cosine similarity, and the sequence by its edit distance to the "
		"reference's most frequent one. A reference is made of trials whose record says a reward of 1.0: of "
		"a ledger, of the records below a directory, or read from a file of --write-reference.\n\n"
		"With --judge a model is asked, five turns at a time, at temperature 0. What the transcripts say "
		"then goes to that model, with keys hidden; a line on standard error says so first. What it took "
		"is in the output. Keys and addresses are those of 'trackway bench run'.",
	.examples = classify_examples,
	.options = classify_options,
	.defaults = &classify_defaults,
	.fields = classify_fields,
	.options_size = sizeof(struct classify_opts),
	.args = ARGS_RUNS,
	.args_min = 0,
	.args_max = ARGS_MANY,
	.run = classify_run,
};
