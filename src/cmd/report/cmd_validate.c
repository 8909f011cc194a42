/* `trackway validate`: reads the options, walks the inputs and lets validate_output.c report. */
#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "cmd/frame/commands.h"
#include "cmd/frame/opt.h"
#include "cmd/inputs.h"
#include "cmd/report/rules.h"
#include "cmd/report/validate_json.h"
#include "cmd/report/validate_wholes.h"

#define UNSET -1
#define NO_LIMIT UINT_MAX

struct validate_opts {
	struct str as, output;
	struct opt_maybe json;
	bool strict, permissive, all, warnings_as_errors, secrets;
	int report; /* enum validate_form, or UNSET */
	unsigned limit, jobs;
	size_t max_record;
};

static const struct validate_opts defaults = { .report = UNSET, .limit = NO_LIMIT, .max_record = SOURCE_RECORD_LIMIT };

static const struct opt validate_options[] = {
	{ OPT_STR, 0, "as", offsetof(struct validate_opts, as), "FORMAT",
	  "the format, instead of detecting it; 'trackway formats' lists them" },
	{ OPT_FLAG, 0, "strict", offsetof(struct validate_opts, strict), NULL,
	  "require every listed field and allow no other (agent-trace)" },
	{ OPT_FLAG, 0, "permissive", offsetof(struct validate_opts, permissive), NULL,
	  "report unknown versions and words as warnings (agent-trace)" },
	{ OPT_CHOICE, 0, "report", offsetof(struct validate_opts, report), "text|json|sarif|github|junit",
	  "the form of the answer (default: text; github when GITHUB_ACTIONS is true "
	  "and there is no -o)" },
	{ OPT_OPTIONAL, 0, "json", offsetof(struct validate_opts, json), "FIELDS",
	  "the same as --report json; only the named fields of each file, such as path,verdict" },
	{ OPT_FLAG, 0, "all", offsetof(struct validate_opts, all), NULL,
	  "list every finding, up to the limit of the report's form" },
	{ OPT_UINT, 0, "limit", offsetof(struct validate_opts, limit), "N",
	  "list N findings of a file, count the rest; 0 only counts (default: 50 in text and junit, at most 5 of one "
	  "code, 1000 in json; sarif lists at most 5000 in all and github 1000 of a kind)" },
	{ OPT_FLAG, 0, "warnings-as-errors", offsetof(struct validate_opts, warnings_as_errors), NULL,
	  "a file with a warning is not valid" },
	{ OPT_FLAG, 0, "secrets", offsetof(struct validate_opts, secrets), NULL,
	  "also look for API keys where the format allows any text" },
	{ OPT_UINT, 0, "jobs", offsetof(struct validate_opts, jobs), "N", "threads (default: 0, one for each core)" },
	{ OPT_SIZE, 0, "max-record", offsetof(struct validate_opts, max_record), "SIZE",
	  "the longest line or document allowed, in bytes or with K, M or G (default: 64M)" },
	{ OPT_STR, 'o', "output", offsetof(struct validate_opts, output), "FILE",
	  "write there instead of standard output" },
	OPT_LAST,
};

static bool validate_add_part(void *context, const struct validate_input *part, struct err *err)
{
	(void)err;
	validate_output_add(context, part);
	return true;
}

/* Options that contradict each other are refused before anything is read. */
static bool validate_check_options(const struct validate_opts *o, struct err *err)
{
	if (o->strict && o->permissive)
		return usage_set(err, "give one of them", "--strict and --permissive exclude each other");
	if (o->all && o->limit != NO_LIMIT)
		return usage_set(err, "give one of them", "--all and --limit exclude each other");
	if (o->json.given && o->report != UNSET && o->report != VALIDATE_JSON)
		return usage_set(err, "give one of them", "--json and another --report exclude each other");
	return inputs_check_limit(o->max_record, err);
}

static bool validate_is_same(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

/* The answer would replace what was asked about. Files of directories are looked at when they come. */
static bool check_paths(struct str output, struct args args, struct err *err)
{
	bool has_target, has_input = false;
	struct stat target, st;

	has_target = output.p && !str_eq(output, STR("-")) && stat(output.p, &target) == 0 && S_ISREG(target.st_mode);
	for (size_t i = 0; i < args.count; i++) {
		bool is_input = str_eq(args.items[i], STR("-"));

		if (is_input && has_input)
			return usage_set(err, "give '-' once", "standard input can only be read once");
		has_input = has_input || is_input;
		if (!has_target || (is_input ? fstat(0, &st) : stat(args.items[i].p, &st)) != 0)
			continue;
		if (validate_is_same(&st, &target))
			return validate_output_refuse(output, err);
	}
	return true;
}

/* --json and --report win; only a run inside of GitHub Actions changes the default. */
static enum validate_form choose_form(const struct validate_opts *o)
{
	if (o->json.given)
		return VALIDATE_JSON;
	if (o->report != UNSET)
		return (enum validate_form)o->report;
	if (o->output.p && !str_eq(o->output, STR("-"))) /* annotations are for the log of the step */
		return VALIDATE_TEXT;
	return str_eq(str_from(getenv("GITHUB_ACTIONS")), STR("true")) ? VALIDATE_GITHUB : VALIDATE_TEXT;
}

/* The format decides how a file is cut up, or else its content; its name never does. */
static enum source_shape validate_shape_of(const struct dialect *as)
{
	if (as && as->forms == DIALECT_LINES)
		return SOURCE_LINES;
	return as && as->forms == DIALECT_DOCUMENT ? SOURCE_DOCUMENT : SOURCE_CONTENT;
}

/* Where the paths end whose files are read in one go: behind a directory, for what is a whole in it comes next. */
static size_t count_files(struct args args, size_t from)
{
	size_t at = from;
	struct stat st;

	while (at < args.count && !(stat(args.items[at].p, &st) == 0 && S_ISDIR(st.st_mode)))
		at++;
	return at < args.count ? at + 1 : at;
}

/* Everything named, in that order. False when it did not come to the end. With --as no directory is a whole. */
static bool validate_check_all(struct validate_flow *f, struct arena *a, struct args args,
			       struct source_options how, struct err *err)
{
	struct err why = { .kind = ERR_NONE };
	struct validate_wholes wholes;
	size_t end = 0;
	bool done = true;

	validate_wholes_init(&wholes, a);
	how.inside = true;
	how.enter = f->as ? NULL : validate_wholes_enter;
	how.enter_context = &wholes;
	for (size_t at = 0; done && at < args.count;) {
		if (at >= end)
			end = count_files(args, at);
		f->from = inputs_open_next(a, args.items, end, &at, how, &why);
		if (f->from) {
			done = validate_flow_run(f, err);
			source_close(f->from);
		} else {
			validate_output_add_failure(f->context, args.items[at - 1], &why);
		}
		if (done && at == end)
			done = validate_wholes_check(&wholes, f->context, f->options.finding_limit, err);
	}
	return done;
}

/* How many findings are kept for each file; 0 for all of them. */
static size_t choose_limit(const struct validate_opts *o, enum validate_form form)
{
	if (o->all)
		return 0;
	if (o->limit == NO_LIMIT)
		return validate_output_limit(form);
	return o->limit ? o->limit : 1; /* which is not shown then */
}

/*
 * The command, when names of runs have become paths: checks --as, then every input, and gives the exit status of the
 * worst.
 */
static int check_run(struct arena *a, const void *options, struct args args, struct err *err)
{
	const struct validate_opts *o = options;
	struct validate_output output = {
		.arena = a,
		.frame = args.frame,
		.form = choose_form(o),
		.mode = o->strict ? MODE_STRICT : o->permissive ? MODE_PERMISSIVE : MODE_DEFAULT,
		.json = o->json,
		.all = o->all,
		.limited = o->limit != NO_LIMIT,
		.counts_only = o->limit == 0,
		.warnings_as_errors = o->warnings_as_errors,
		.path = str_eq(o->output, STR("-")) ? str_of(NULL, 0) : o->output,
		.step_summary = str_from(getenv("GITHUB_STEP_SUMMARY")),
		.named = args.items,
		.named_count = args.count,
	};
	struct validate_flow f = {
		.jobs = o->jobs,
		.input = validate_add_part,
		.tick = validate_output_show_progress,
		.context = &output,
	};
	struct source_options how = { .record_limit = o->max_record };
	bool done;
	int status;

	if (!validate_check_options(o, err) || !check_paths(o->output, args, err))
		return EXIT_FAIL;
	if (o->as.p && !rules_get_format(o->as, &f.as, err))
		return EXIT_FAIL;
	if (f.as == &rules_ledger) {
		usage_set(err, "name the directory without --as", "a ledger is a directory, not a file");
		return EXIT_FAIL;
	}
	if (f.as == &rules_bench_run || f.as == &rules_run || f.as == &rules_bench_suite) {
		usage_set(err,
			  f.as != &rules_bench_suite ? "name the directory without --as"
						     : "'trackway bench plan SUITE' checks it",
			  "a file cannot be checked as %s", f.as->name);
		return EXIT_FAIL;
	}
	if (f.as && !f.as->ops) {
		usage_set(err, "'trackway convert' reads it", "there are no rules for %s", f.as->name);
		return EXIT_FAIL;
	}
	f.options = (struct check_options){ .mode = output.mode, .secrets = o->secrets };
	f.options.finding_limit = choose_limit(o, output.form);
	how.shape = validate_shape_of(f.as);
	validate_output_init(&output);
	done = validate_check_all(&f, a, args, how, err);
	status = validate_output_end(&output, done, done ? err : &(struct err){ .kind = ERR_NONE });
	return done ? status : EXIT_FAIL;
}

static int validate_run(struct arena *a, const void *options, struct args args, struct err *err)
{
	return inputs_name_directories(a, &args, err) ? check_run(a, options, args, err) : EXIT_FAIL;
}

static const struct example examples[] = {
	{ "trackway validate agent-trace.jsonl", "is this trace valid, and if not, where?" },
	{ "trackway validate . -v", "everything in a directory; -v names what was skipped" },
	{ "trackway validate ledger/", "is everything in a ledger as it was sealed?" },
	{ "trackway validate runs/", "is each run complete and valid?" },
	{ "trackway validate session.jsonl", "did the log that an agent left lose anything?" },
	{ "cat run.jsonl | trackway validate -", "what another program writes" },
	{ "trackway validate run.jsonl agent-trace.jsonl --json=path,verdict", "one fact of each file, for a script" },
	{ "trackway validate agent-trace.jsonl --report sarif -o findings.sarif", "for a code scanning service" },
	{ "trackway validate agent-trace.jsonl --report junit -o validate.xml", "for a build server" },
	{ NULL, NULL },
};

const struct command validate_command = {
	.name = "validate",
	.summary = "check traces and logs against the rules of their formats",
	.usage = "[FILE|DIR|-]... [--as FORMAT] [--strict|--permissive]",
	.description =
		"The format of each file is detected from its content; --as sets it instead. Directories are "
		"searched for names that end in .json, .jsonl or .ndjson, also when compressed. JSON of no known "
		"format is counted and skipped there, unless its name is the usual one of a format. The name of a "
		"run (an id or six characters of it, @last, @-2, tag:KEY) stands for its directory. A directory that "
		"is a ledger is checked as a whole: its signature, tree, entries and records. So is that of a "
		"benchmark run, after its files: do they belong together, and does the summary follow from the "
		"results? And that of a recorded run: are the files as they were when it ended? Such directories "
		"are found at any depth. Links that lead out of the named directory are not followed.\n\n"
		"Every finding has a code: 'trackway explain CODE' says what it means. An error makes a file "
		"invalid and the exit status 1. Warnings and notes do not. A file that cannot be read makes it 3; "
		"the others are still checked. No finding shows a secret: what resembles one is masked.\n\n"
		"Session logs of Claude Code and Codex are checked for what is lost: torn lines, gaps in the chain of "
		"lines or in their ordinals, calls without a result. ATIF is held against the members that Harbor "
		"knows. A log in a format without rules is neither valid nor invalid: it is counted by format, and the "
		"exit status is 3 when nothing else was there to check.\n\n"
		"-q lists only what makes a file invalid: errors, and warnings with --warnings-as-errors; and no "
		"summary. --limit, --all and -q change what is listed, never what is counted.\n\n"
		"With --as json or jsonl only JSON itself is checked (RFC 8259).",
	.examples = examples,
	.options = validate_options,
	.defaults = &defaults,
	.fields = validate_fields,
	.options_size = sizeof(struct validate_opts),
	.args = ARGS_FILES,
	.args_min = 1,
	.args_max = ARGS_MANY,
	.run = validate_run,
};
