/* `trackway redact`: a trace without content of any log, or the file itself with tokens in the place of content. */
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "cmd/convert_job.h"
#include "cmd/frame/commands.h"
#include "cmd/frame/opt.h"
#include "cmd/frame/stream.h"
#include "cmd/inputs.h"
#include "cmd/logs.h"
#include "cmd/redact_output.h"
#include "flow/redact.h"
#include "sink/redact_key.h"

struct redact_opts {
	struct str output, key, from;
	bool keep_structure, secrets_only;
	struct opt_maybe json;
	unsigned jobs;
	size_t max_record;
};

static const struct redact_opts defaults = { .key = { "default", 7 }, .max_record = SOURCE_RECORD_LIMIT };

static const struct opt redact_options[] = {
	{ OPT_STR, 'o', "output", offsetof(struct redact_opts, output), "OUT",
	  "write to this file, all or nothing; of a directory, or into one, a trace for each run in a tree" },
	{ OPT_FLAG, 0, "keep-structure", offsetof(struct redact_opts, keep_structure), NULL,
	  "keep the file's own format and shape, and replace each text of content by a token" },
	{ OPT_FLAG, 0, "secrets-only", offsetof(struct redact_opts, secrets_only), NULL,
	  "likewise, but replace only keys and credentials" },
	{ OPT_STR, 0, "key", offsetof(struct redact_opts, key), "NAME|FILE",
	  "the key of the tokens: redact-NAME.key in TRACKWAY_KEYS, made when it is not there, or a file (default: "
	  "'default')" },
	{ OPT_STR, 0, "from", offsetof(struct redact_opts, from), "FORMAT",
	  "for a trace: the format of the input, instead of detecting it" },
	{ OPT_OPTIONAL, 0, "json", offsetof(struct redact_opts, json), "FIELDS",
	  "the report as JSON on standard output; only the named fields" },
	{ OPT_UINT, 0, "jobs", offsetof(struct redact_opts, jobs), "N",
	  "for a trace: threads (default: 0, one per core)" },
	{ OPT_SIZE, 0, "max-record", offsetof(struct redact_opts, max_record), "SIZE",
	  "the longest line, document or stream allowed (default: 64M)" },
	OPT_LAST,
};

static void redact_tell(struct args args, const struct redact_opts *o, const struct redact_report *r)
{
	struct buf text;

	buf_init(&text);
	if (o->json.given) {
		redact_report_add_json(&text, o->json, r);
		stream_write(stdout, buf_str(&text));
	} else if (!args.frame->quiet) {
		redact_report_add_text(&text, r);
		inputs_print(buf_str(&text));
	}
	buf_free(&text);
}

/* Nothing but `convert --to agent-trace`, with counts of what that leaves out. */
static int redact_to_trace(struct arena *a, const struct redact_opts *o, struct args args, struct err *err)
{
	struct convert_opts how = {
		.to = STR("agent-trace"), .from = o->from, .output = o->output,
		.jobs = o->jobs, .max_record = o->max_record,
		.anew = true,
	};
	struct scrub scrub;
	struct redact_report report = { .mode = "trace", .output = o->output, .classes = scrub.left_out,
					.cleaned = scrub.cleaned };
	int status;

	scrub_init(&scrub);
	status = convert_job_run(a, &how, args, 0600, scrub_add, &scrub, err);
	if (status == EXIT_YES)
		redact_tell(args, o, &report);
	return status;
}

/* ---- the file itself ---- */

struct redact_job {
	struct redact_flow flow;
	struct progress progress;
	int fd;
};

static bool redact_put(void *context, struct str bytes, struct err *err)
{
	struct redact_job *j = context;

	return file_write_all(j->fd, bytes, err);
}

static void redact_tick(void *context, const struct source *from)
{
	struct redact_job *j = context;

	inputs_show_progress(&j->progress, "redact", from);
}

static bool redact_write(void *context, int fd, struct err *err)
{
	struct redact_job *j = context;

	j->fd = fd;
	return redact_flow_run(&j->flow, err);
}

static struct redact *redact_open_key(struct arena *a, const struct redact_opts *o, struct args args, struct err *err)
{
	uint8_t key[REDACT_KEY];
	struct redact *r = NULL;
	struct str path;
	bool made;

	if (redact_key_load(a, o->key, key, &path, &made, err))
		r = redact_open(key, o->secrets_only ? REDACT_SECRETS : REDACT_CONTENT, err);
	explicit_bzero(key, sizeof(key));
	if (r && made)
		inputs_note(args.frame, "made the key %.*s in %.*s: keep it, and keep it secret",
			    STR_ARG(redact_key_id(r)), STR_ARG(path));
	return r;
}

static int redact_in_place(struct arena *a, const struct redact_opts *o, struct args args, struct err *err)
{
	struct redact_job j = {
		.flow = { .limit = o->max_record, .put = redact_put, .tick = redact_tick, .context = &j },
	};
	struct source_options how = { .shape = SOURCE_CONTENT, .record_limit = o->max_record };
	struct redact_report report = { .mode = o->secrets_only ? "secrets" : "structure", .output = o->output };
	bool done;

	if (args.count != 1 || file_is_dir(args_path(args))) {
		usage_set(err, "name one file", "the shape of one file is kept at a time");
		return EXIT_FAIL;
	}
	j.flow.from = source_open(a, args.items, args.count, how, err);
	if (!j.flow.from)
		return EXIT_FAIL;
	j.flow.with = redact_open_key(a, o, args, err);
	progress_init(&j.progress, args.frame, STDERR_FILENO, clock_mono_ns());
	done = j.flow.with && (file_replace_by(o->output, redact_write, &j, 0600, err) || logs_explain_output(err));
	progress_erase(&j.progress);
	if (done) {
		report.classes = redact_sums(j.flow.with);
		report.secrets = redact_secrets(j.flow.with, &report.secret_count);
		report.key_id = redact_key_id(j.flow.with);
		report.tokens_known = redact_distinct(j.flow.with, &report.tokens);
		redact_tell(args, o, &report);
	}
	source_close(j.flow.from);
	redact_close(j.flow.with);
	return done ? EXIT_YES : EXIT_FAIL;
}

static bool redact_check(struct arena *a, const struct redact_opts *o, struct args args, struct err *err)
{
	struct logs logs;

	if (!o->output.p || str_eq(o->output, STR("-")))
		return usage_set(err, "give -o FILE", "redact writes to a file, so that it is whole or not there");
	if (o->keep_structure && o->secrets_only)
		return usage_set(err, "give one of them", "--keep-structure and --secrets-only exclude each other");
	if (o->from.p && (o->keep_structure || o->secrets_only))
		return usage_set(err, "leave it out",
				 "--from is for a trace: a file that keeps its shape is not converted");
	return opt_check_fields(o->json, redact_report_fields, err) && inputs_check_limit(o->max_record, err) &&
	       logs_init(&logs, a, args.frame, "redact", args.items, args.count, err) &&
	       logs_check_output(&logs, "-o", o->output, err);
}

/* The command. What it writes is its owner's: also the files of a tree. */
static int redact_run(struct arena *a, const void *options, struct args args, struct err *err)
{
	const struct redact_opts *o = options;

	if (!redact_check(a, o, args, err))
		return EXIT_FAIL;
	umask(077);
	if (o->keep_structure || o->secrets_only)
		return redact_in_place(a, o, args, err);
	return redact_to_trace(a, o, args, err);
}

static const struct example examples[] = {
	{ "trackway redact session.jsonl -o trace.jsonl", "a trace without content, of any log" },
	{ "trackway redact logs -o traces/", "of all logs in a directory" },
	{ "trackway redact session.jsonl -o shared.jsonl --keep-structure", "its own format, tokens for content" },
	{ "trackway redact session.jsonl -o clean.jsonl --secrets-only --json=secrets",
	  "keys go, everything else stays" },
	{ NULL, NULL },
};

const struct command redact_command = {
	.name = "redact",
	.summary = "take the content out of a log, or replace it by tokens",
	.usage = "FILE|DIR|RUN... -o OUT [--keep-structure|--secrets-only]",
	.description =
		"Writes a trace without content: what 'trackway convert --to agent-trace' makes of any log. What "
		"was left out is counted on standard error.\n\n"
		"--keep-structure leaves a file of JSON, JSON lines or server-sent events in its own format. "
		"Names of members, numbers, ids, types, roles, models, names of tools, times and signatures stay. "
		"Every other text becomes a token such as [tw:k3y2abcd:5xq3mfu7ypk2wz6abcde]. The same text has "
		"the same token wherever it stands, in every file that is redacted with the same key; with "
		"another key it has another one. Text that comes in pieces, as in a stream, is joined before. "
		"Images are one token. Redacting twice is redacting once. A cassette says in its header that it "
		"is redacted and with which key; whoever has the key can replay it.\n\n"
		"--secrets-only replaces what is a key or a credential by the rules that 'validate' uses, and "
		"nothing else.\n\n"
		"The key is made of 32 random bytes at its first use: redact-NAME.key in TRACKWAY_KEYS, else "
		"XDG_CONFIG_HOME/trackway/keys, else ~/.config/trackway/keys. Who has it can try out what a token "
		"stands for. A part that cannot be read means that nothing is written, and exit status 3.",
	.examples = examples,
	.options = redact_options,
	.defaults = &defaults,
	.options_size = sizeof(struct redact_opts),
	.args = ARGS_FILES,
	.args_min = 1,
	.args_max = ARGS_MANY,
	.run = redact_run,
};
