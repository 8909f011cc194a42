#include <stdlib.h>

#include "cmd/commands.h"
#include "cmd/inputs.h"
#include "cmd/opt.h"
#include "cmd/rules.h"
#include "cmd/validate_output.h"

#define UNSET -1

struct validate_opts {
	struct str as, output;
	struct opt_maybe json;
	bool strict, permissive, all, warnings_as_errors, secrets;
	int report; /* enum validate_form, or UNSET */
	unsigned limit, jobs;
	size_t max_record;
};

static const struct validate_opts defaults = { .report = UNSET, .max_record = SOURCE_RECORD_LIMIT };

static const struct opt validate_options[] = {
	{ OPT_STR, 0, "as", offsetof(struct validate_opts, as), "FORMAT", "the format, whatever the content says" },
	{ OPT_FLAG, 0, "strict", offsetof(struct validate_opts, strict), NULL,
	  "every listed field must be there, and no other (agent-trace)" },
	{ OPT_FLAG, 0, "permissive", offsetof(struct validate_opts, permissive), NULL,
	  "take versions and words that are not known for warnings" },
	{ OPT_CHOICE, 0, "report", offsetof(struct validate_opts, report), "text|json|sarif|github|junit",
	  "the form of the answer; github by itself when GITHUB_ACTIONS is true" },
	{ OPT_OPTIONAL, 0, "json", offsetof(struct validate_opts, json), "FIELDS",
	  "the same as --report json; only the named fields of each file" },
	{ OPT_FLAG, 0, "all", offsetof(struct validate_opts, all), NULL, "list every finding" },
	{ OPT_UINT, 0, "limit", offsetof(struct validate_opts, limit), "N",
	  "list N findings of a file, count the rest (default: 50 in text, 1000 in JSON)" },
	{ OPT_FLAG, 0, "warnings-as-errors", offsetof(struct validate_opts, warnings_as_errors), NULL,
	  "a file with a warning is not valid" },
	{ OPT_FLAG, 0, "secrets", offsetof(struct validate_opts, secrets), NULL,
	  "look for API keys also where the format allows any text" },
	{ OPT_UINT, 0, "jobs", offsetof(struct validate_opts, jobs), "N", "threads; 0 takes one per core" },
	{ OPT_SIZE, 0, "max-record", offsetof(struct validate_opts, max_record), "SIZE", "the longest value taken" },
	{ OPT_STR, 'o', "output", offsetof(struct validate_opts, output), "FILE",
	  "write there instead of standard output" },
	OPT_LAST,
};

static bool add_part(void *context, const struct validate_part *part, struct err *err)
{
	(void)err;
	validate_output_add(context, part);
	return true;
}

static bool check_options(const struct validate_opts *o, struct err *err)
{
	if (o->strict && o->permissive)
		return usage_set(err, "give one of them", "--strict and --permissive exclude each other");
	if (o->all && o->limit)
		return usage_set(err, "give one of them", "--all and --limit exclude each other");
	if (o->json.given && o->report != UNSET && o->report != VALIDATE_JSON)
		return usage_set(err, "give one of them", "--json and another --report exclude each other");
	return opt_check_fields(o->json, validate_fields, err);
}

static enum validate_form choose_form(const struct validate_opts *o)
{
	if (o->json.given)
		return VALIDATE_JSON;
	if (o->report != UNSET)
		return (enum validate_form)o->report;
	return str_eq(str_from(getenv("GITHUB_ACTIONS")), STR("true")) ? VALIDATE_GITHUB : VALIDATE_TEXT;
}

/* The format decides how a file is cut up, or else its content; its name never does. */
static enum source_shape shape_of(const struct dialect *as)
{
	if (as && as->forms == DIALECT_LINES)
		return SOURCE_LINES;
	return as && as->forms == DIALECT_DOCUMENT ? SOURCE_DOCUMENT : SOURCE_CONTENT;
}

static int validate_run(struct arena *a, const void *options, struct args args, struct err *err)
{
	const struct validate_opts *o = options;
	struct validate_output output = {
		.arena = a,
		.frame = args.frame,
		.form = choose_form(o),
		.mode = o->strict ? MODE_STRICT : o->permissive ? MODE_PERMISSIVE : MODE_DEFAULT,
		.json = o->json,
		.all = o->all,
		.warnings_as_errors = o->warnings_as_errors,
		.path = str_eq(o->output, STR("-")) ? str_of(NULL, 0) : o->output,
		.step_summary = str_from(getenv("GITHUB_STEP_SUMMARY")),
		.named = args.items,
		.named_count = args.count,
	};
	struct validate_flow f = {
		.jobs = o->jobs,
		.part = add_part,
		.tick = validate_output_show_progress,
		.context = &output,
	};
	struct source_options how = { .record_limit = o->max_record };
	bool done = true;
	int status;

	if (!check_options(o, err) || (o->as.p && !rules_get_format(o->as, &f.as, err)))
		return EXIT_FAIL;
	f.options = (struct check_options){ .mode = output.mode, .secrets = o->secrets };
	f.options.finding_limit = o->all ? 0 : o->limit ? o->limit : validate_output_limit(output.form);
	how.shape = shape_of(f.as);
	validate_output_init(&output);
	f.from = inputs_open(a, args.items, args.count, how, validate_output_add_failure, &output);
	if (f.from) {
		done = validate_flow_run(&f, err);
		source_close(f.from);
	}
	status = validate_output_end(&output, done, done ? err : &(struct err){ .kind = ERR_NONE });
	return done ? status : EXIT_FAIL;
}

static const struct example examples[] = {
	{ "trackway validate agent-trace.jsonl", "is this trace right, and where not" },
	{ "trackway validate run.jsonl agent-trace.jsonl --json=path,verdict", "one fact of each file, for a script" },
	{ "trackway validate agent-trace.jsonl --report sarif -o findings.sarif", "for a code scanning service" },
	{ NULL, NULL },
};

const struct command validate_command = {
	.name = "validate",
	.summary = "check traces and logs against the rules of their formats",
	.usage = "FILE...|DIR [--as FORMAT] [--strict|--permissive]",
	.description =
		"The format of each file is seen in its content; --as says it instead. Directories are walked for "
		"names that end in .json, .jsonl or .ndjson, packed or not; those of no known format are counted and "
		"skipped.\n\n"
		"Every finding has a code: 'trackway explain CODE' tells what it means. An error makes a file invalid "
		"and the exit status 1. Warnings and notes do not. A file that cannot be read makes it 3; the others "
		"are still checked. No finding shows a secret: what resembles one is masked.\n\n"
		"With --as json or jsonl only JSON itself is checked (RFC 8259).",
	.examples = examples,
	.options = validate_options,
	.defaults = &defaults,
	.options_size = sizeof(struct validate_opts),
	.args = ARGS_FILES,
	.args_min = 1,
	.args_max = ARGS_MANY,
	.run = validate_run,
};
