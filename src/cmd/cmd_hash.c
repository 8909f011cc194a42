/* `trackway hash`: hashes of logs and JSON by their values, and the check of a list of them. */
#include "cmd/frame/commands.h"
#include "cmd/frame/opt.h"
#include "cmd/hash_check.h"
#include "cmd/hash_output.h"
#include "cmd/inputs.h"
#include "cmd/report/report.h"

struct hash_opts {
	struct str check;
	struct opt_maybe json;
	bool lines, document, all;
	int numbers;
	unsigned jobs;
	size_t max_record;
};

static const struct hash_opts defaults = { .max_record = SOURCE_RECORD_LIMIT };

static const struct opt hash_options[] = {
	{ OPT_STR, 0, "check", offsetof(struct hash_opts, check), "SUMS",
	  "compare with a file of checksums: those of the files named, or all" },
	{ OPT_OPTIONAL, 0, "json", offsetof(struct hash_opts, json), "FIELDS", "as JSON; only the named fields" },
	{ OPT_CHOICE, 0, "numbers", offsetof(struct hash_opts, numbers), "strict|es",
	  "in logs, es accepts numbers that would lose digits, as ECMAScript does" },
	{ OPT_FLAG, 0, "lines", offsetof(struct hash_opts, lines), NULL,
	  "one value per line, as for names ending in .jsonl or .ndjson" },
	{ OPT_FLAG, 0, "document", offsetof(struct hash_opts, document), NULL,
	  "one value, whatever the name; never a log" },
	{ OPT_FLAG, 0, "all", offsetof(struct hash_opts, all), NULL, "list every finding" },
	{ OPT_UINT, 0, "jobs", offsetof(struct hash_opts, jobs), "N", "threads; 0 uses one per core" },
	{ OPT_SIZE, 0, "max-record", offsetof(struct hash_opts, max_record), "SIZE", "the longest value allowed" },
	OPT_LAST,
};

struct hashing {
	const struct hash_opts *options;
	struct hash_output output;
	struct hash_check check;
};

/* For struct digest_flow. Always true: what is wrong with one file does not keep us from the others. */
static bool hash_add_part(void *context, const struct digest_input *part, struct err *err)
{
	struct hashing *h = context;

	(void)err;
	if (h->options->check.p)
		hash_check_part(&h->check, &h->output, part);
	else
		hash_output_add(&h->output, part);
	return true;
}

static void hash_tick(void *context, const struct source *from)
{
	hash_output_show_progress(&((struct hashing *)context)->output, from);
}

static void missing(void *context, struct str path, const struct err *why)
{
	hash_output_add_failure(&((struct hashing *)context)->output, path, why);
}

static struct source *open_those_there(struct hashing *h, struct arena *a, const struct str *paths, size_t count)
{
	struct source_options how = {
		.shape = h->options->lines ? SOURCE_LINES : h->options->document ? SOURCE_DOCUMENT : SOURCE_AUTO,
		.record_limit = h->options->max_record,
	};

	return inputs_open(a, paths, count, how, missing, h);
}

/* The command: hashes the files named, or with --check those that the file of checksums names. */
static int hash_run(struct arena *a, const void *options, struct args args, struct err *err)
{
	const struct hash_opts *o = options;
	struct hashing h = {
		.options = o,
		.output = { .frame = args.frame, .json = o->json, .lossy = o->numbers == 1, .all = o->all },
	};
	struct digest_flow f = {
		.jobs = o->jobs,
		.lossy = h.output.lossy,
		.values_only = o->document,
		.finding_limit = o->all ? 0 : REPORT_LIMIT,
		.input = hash_add_part,
		.tick = hash_tick,
		.context = &h,
	};
	bool done = true;
	int status;

	if (!inputs_check_limit(o->max_record, err) || !inputs_name_runs(a, &args, err))
		return EXIT_FAIL;
	if (o->lines && o->document && !err_set(err, ERR_USAGE, "--lines and --document exclude each other"))
		return EXIT_FAIL;
	if (o->check.p && !hash_check_load(&h.check, a, o->check, err))
		return EXIT_FAIL;
	if (!o->check.p && !args_default_stdin(&args))
		return EXIT_HELP;
	hash_output_init(&h.output);
	if (args.count)
		f.from = open_those_there(&h, a, args.items, args.count);
	else
		f.from = open_those_there(&h, a, h.check.paths, h.check.path_count);
	if (f.from) {
		done = digest_flow_run(&f, err);
		source_close(f.from);
	}
	if (o->check.p)
		hash_check_end(&h.check, &h.output);
	status = hash_output_end(&h.output);
	return done ? status : EXIT_FAIL;
}

static const struct example examples[] = {
	{ "trackway hash run.jsonl", "the four hashes of a log" },
	{ "trackway hash value.json run.jsonl > SUMS && trackway hash --check SUMS",
	  "store them, check them later" },
	{ "trackway hash --json=path,run_hash run.jsonl", "one fact for a script" },
	{ NULL, NULL },
};

const struct command hash_command = {
	.name = "hash",
	.summary = "hash logs and JSON by what they say, not how they are spelled",
	.usage = "FILE... [--check SUMS]",
	.description =
		"For an OTUTL log, recognised by its records, prints run_hash, run_root, behavior_hash and "
		"canonical_file_sha256, each on a line with its label. For other JSON and JSON lines, prints "
		"jcs-sha256, the SHA-256 of the canonical form (RFC 8785), which is what sha256sum gives for the "
		"output of 'trackway canon'. A JSON file also gets sha256, the digest of its own bytes, as "
		"sha256sum gives it. A zip archive, such as an .eval of Inspect, gets only that one.\n\n"
		"Hashes of the canonical form do not depend on the order of members, white space, escapes, the "
		"spelling of numbers, gzip or zstd.\n\n"
		"A file with several runs has lines for each, with #1, #2 and so on after its name. A log without "
		"run_end has the hashes of what is there.\n\n"
		"A log that breaks a rule of its format, and a file that is not JSON, have no hash: the findings "
		"go to standard error, and the exit status is 1. With --check it is 1 when a hash differs. "
		"--check also reads the lines of sha256sum and those that version 0.1.0 wrote without a label.",
	.examples = examples,
	.options = hash_options,
	.defaults = &defaults,
	.fields = hash_fields,
	.options_size = sizeof(struct hash_opts),
	.args = ARGS_FILES,
	.args_max = ARGS_MANY,
	.run = hash_run,
};
