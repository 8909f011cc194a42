/* `trackway canon`: the canonical form of JSON, all or nothing. */
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "cmd/frame/commands.h"
#include "cmd/frame/stream.h"
#include "cmd/inputs.h"
#include "cmd/report/report.h"
#include "cmd/screen/term_json.h"
#include "dialect/otutl/otutl.h"
#include "flow/canon.h"
#include "sink/spool.h"

struct canon_opts {
	struct str output;
	bool lines, document, all;
	int profile;
	unsigned jobs;
	size_t max_record;
};

static const struct canon_opts defaults = { .max_record = SOURCE_RECORD_LIMIT };

static const struct opt canon_options[] = {
	{ OPT_STR, 'o', "output", offsetof(struct canon_opts, output), "FILE",
	  "write there instead of standard output" },
	{ OPT_FLAG, 0, "lines", offsetof(struct canon_opts, lines), NULL,
	  "one value per line, as for names ending in .jsonl or .ndjson" },
	{ OPT_FLAG, 0, "document", offsetof(struct canon_opts, document), NULL, "one value, whatever the name" },
	{ OPT_CHOICE, 0, "profile", offsetof(struct canon_opts, profile), "jcs|otutl",
	  "jcs is RFC 8785 and no more; otutl also refuses numbers that would change" },
	{ OPT_FLAG, 0, "all", offsetof(struct canon_opts, all), NULL, "list every finding of a refused input" },
	{ OPT_UINT, 0, "jobs", offsetof(struct canon_opts, jobs), "N", "threads; 0 uses one per core" },
	{ OPT_SIZE, 0, "max-record", offsetof(struct canon_opts, max_record), "SIZE", "the longest value allowed" },
	OPT_LAST,
};

static bool canon_put(void *context, struct str bytes, struct err *err)
{
	return spool_add(context, bytes, err);
}

/* Tells why on standard error; nothing of the input was written. */
static int refused(const struct findings *findings, bool all, struct args args)
{
	struct report report;
	struct buf text;

	buf_init(&text);
	report_init(&report, &args.frame->err, all);
	report.find_rule = otutl_find_rule;
	report_add_list(&text, &report, args_path(args), findings);
	fwrite(text.p, 1, text.n, stderr);
	buf_free(&text);
	return EXIT_NO;
}

static bool show(void *context, struct str bytes, struct err *err)
{
	return term_json_put(context, bytes, err);
}

/* Releases the spool: into the file, all or nothing, or to standard output. */
static bool write_out(struct spool *spool, const struct canon_opts *o, struct args args, struct err *err)
{
	struct term_json to;

	if (o->output.p && !str_eq(o->output, STR("-")))
		return stream_replace(o->output, spool, err);
	/* On a terminal the prompt should not follow the value on its line. */
	if (args.frame->out.is_terminal && spool->bytes && spool->last != '\n' && !spool_add(spool, STR("\n"), err))
		return false;
	term_json_init(&to, STDOUT_FILENO, args.frame->out.is_terminal);
	return spool_pass(spool, show, &to, err) && term_json_end(&to, err);
}

/* A directory would give several values, and canonical values of several files have no form of their own. */
static bool check_arguments(const struct canon_opts *o, struct str path, struct err *err)
{
	struct stat st;

	if (o->lines && o->document)
		return usage_set(err, "give one of them", "--lines and --document exclude each other");
	if (stat(path.p, &st) == 0 && S_ISDIR(st.st_mode))
		return usage_set(err, "name one file", "%.*s is a directory", STR_ARG(path));
	return true;
}

/* The command: the whole output waits in a spool, because an input that is refused must print nothing. */
static int canon_run(struct arena *a, const void *options, struct args args, struct err *err)
{
	const struct canon_opts *o = options;
	struct source_options how = {
		.shape = o->lines ? SOURCE_LINES : o->document ? SOURCE_DOCUMENT : SOURCE_AUTO,
		.record_limit = o->max_record,
	};
	struct findings findings;
	struct spool spool;
	struct canon_flow f = {
		.jobs = o->jobs,
		.profile = o->profile ? CANON_OTUTL : CANON_JCS,
		.findings = &findings,
		.put = canon_put,
		.context = &spool,
	};
	int status = EXIT_FAIL;

	if (!check_arguments(o, args_path(args), err) || !inputs_check_limit(o->max_record, err))
		return EXIT_FAIL;
	f.from = source_open(a, args.items, args.count, how, err);
	if (!f.from)
		return EXIT_FAIL;
	spool_init(&spool);
	findings_init(&findings, a, o->all ? 0 : REPORT_LIMIT);
	if (canon_flow_run(&f, err)) {
		if (findings.errors)
			status = refused(&findings, o->all, args);
		else if (write_out(&spool, o, args, err))
			status = EXIT_YES;
	}
	spool_free(&spool);
	source_close(f.from);
	return status;
}

static const struct example examples[] = {
	{ "trackway canon value.json", "the canonical form of one value" },
	{ "trackway canon run.jsonl -o canonical.jsonl", "each line in canonical form" },
	{ "echo '{\"b\":1.0,\"a\":2}' | trackway canon -", "from a pipe" },
	{ NULL, NULL },
};

const struct command canon_command = {
	.name = "canon",
	.summary = "write JSON in its canonical form (RFC 8785)",
	.usage = "FILE|- [-o OUT]",
	.description =
		"Writes the canonical form of JSON as RFC 8785 defines it: names in order, numbers and escapes in "
		"their one spelling, no white space. Equal values give equal bytes, whoever wrote them.\n\n"
		"A file whose name ends in .jsonl or .ndjson, or any input with --lines, is read line by line: "
		"one canonical line for each line that is not blank. Anything else is one value, and nothing is "
		"added to its bytes unless standard output is a terminal. Input in gzip or zstd is decompressed.\n\n"
		"An input that has no canonical form (not JSON, a name twice in an object, half of a surrogate "
		"pair, a number beyond the largest double) is refused as a whole: the findings go to standard "
		"error, nothing goes to standard output, and the exit status is 1.",
	.examples = examples,
	.options = canon_options,
	.defaults = &defaults,
	.options_size = sizeof(struct canon_opts),
	.args = ARGS_FILES,
	.args_min = 1,
	.args_max = 1,
	.run = canon_run,
};
