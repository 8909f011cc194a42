/* `trackway ledger add`: seals records as they come in and publishes about once a second. */
#include "base/clock.h"
#include "base/stop.h"
#include "cmd/frame/commands.h"
#include "cmd/frame/opt.h"
#include "cmd/inputs.h"
#include "cmd/ledger/add.h"
#include "cmd/ledger/args.h"
#include "flow/digest.h"

#define PUBLISH_NS UINT64_C(1000000000) /* so often in long work, so that readers see it grow */

struct add_opts {
	struct ledger_choice ledger;
	struct str run;
	struct opt_maybe json;
	bool jsonl, all;
};

static const struct opt options[] = {
	{ OPT_STR, 0, "run", offsetof(struct add_opts, run), "FILE",
	  "an OTUTL log of the one record: its hashes are sealed with it" },
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

struct adding {
	const struct add_opts *options;
	struct ledger ledger;
	struct sealer *sealer;
	struct ledger_add output;
	struct seal_run run;
	struct buf name; /* of the record at hand */
	uint64_t published_ns;
	uint64_t records;
};

/* ---- --run ---- */

/* Keeps the hashes of the log. A log that breaks its rules has none, and cannot be sealed beside a record. */
static bool take_run(void *context, const struct digest_input *part, struct err *err)
{
	struct adding *x = context;
	struct arena *a = x->ledger.arena;

	if (part->failure) {
		*err = *part->failure;
		return false;
	}
	if (part->format != DIGEST_OTUTL || part->run_count != 1)
		return err_set(err, ERR_DATA, "%.*s: this is not an OTUTL log of one run" ERR_HELP
			       "'trackway convert FILE --to otutl' makes one from most logs", STR_ARG(part->name));
	if (!part->runs[0].hashed)
		return err_set(err, ERR_DATA, "%.*s: the log breaks rules of its format, so it has no hashes" ERR_HELP
			       "'trackway validate %.*s' says which", STR_ARG(part->name), STR_ARG(part->name));
	x->run.hash = ledger_args_hex(a, part->runs[0].run_hash);
	x->run.root = ledger_args_hex(a, part->runs[0].run_root);
	x->run.records = part->runs[0].records;
	return true;
}

/* The hashes are made before anything is sealed: a log that cannot be used must not leave a record without it. */
static bool read_run(struct adding *x, struct err *err)
{
	const struct str *path = &x->options->run;
	struct digest_flow f = { .finding_limit = 1, .input = take_run, .context = x };
	bool done;

	f.from = source_open(x->ledger.arena, path, 1, (struct source_options){ .shape = SOURCE_LINES }, err);
	if (!f.from)
		return false;
	done = digest_flow_run(&f, err);
	source_close(f.from);
	return done && (x->run.hash.p || err_set(err, ERR_DATA, "%.*s: it holds no log", STR_ARG(*path)));
}

/* ---- records ---- */

static bool publish(struct adding *x, struct err *err)
{
	x->published_ns = clock_mono_ns();
	return ledger_publish(&x->ledger, err);
}

/* Seals one record. Long work is committed and published about once a second, so that readers see it grow. */
static bool add_record(void *context, const struct intake_record *r, struct err *err)
{
	struct adding *x = context;

	if (x->options->run.p && x->records++)
		return usage_set(err, "add them one by one", "--run needs exactly one record, and there are several");
	buf_clear(&x->name);
	buf_add_str(&x->name, r->path);
	if (r->line)
		buf_printf(&x->name, ":%llu", (unsigned long long)r->line);
	ledger_add_expect(&x->output, r);
	if (!seal_add(x->sealer, buf_str(&x->name), r->bytes, NULL, 0, x->options->run.p ? &x->run : NULL, err))
		return false;
	if (x->output.waiting == 0)
		ledger_add_flush(&x->output);
	return clock_mono_ns() - x->published_ns < PUBLISH_NS || (seal_commit(x->sealer, err) && publish(x, err));
}

/*
 * Input may be slow from here on: what came so far is sealed and told now. With --run the one record waits for the end.
 */
static bool pause_adding(void *context, struct err *err)
{
	struct adding *x = context;

	if (x->output.waiting == 0 || x->options->run.p)
		return true;
	if (!seal_commit(x->sealer, err) || !publish(x, err))
		return false;
	ledger_add_flush(&x->output);
	return true;
}

static void tell_failure(void *context, struct str path, const struct err *why)
{
	ledger_add_failure(&((struct adding *)context)->output, path, why);
}

static void ledger_add_tick(void *context, const struct source *from)
{
	inputs_show_progress(&((struct adding *)context)->output.progress, "add", from);
}

/* What waits at the end is committed and published. After an error it is not, but what was committed stays. */
static bool ledger_add_all(struct adding *x, struct arena *a, struct args args, struct err *err)
{
	struct intake in = {
		.arena = a,
		.record = add_record,
		.pause = pause_adding,
		.failed = tell_failure,
		.tick = ledger_add_tick,
		.context = x,
	};

	return intake_run(&in, args.items, args.count, err) && seal_commit(x->sealer, err) && publish(x, err);
}

/*
 * The command: opens the ledger for writing, seals the records and reports each. What was sealed before an error stays
 * sealed.
 */
static int ledger_add_run(struct arena *a, const void *given, struct args args, struct err *err)
{
	const struct add_opts *o = given;
	struct adding *x = arena_new(a, struct adding);
	struct seal_options how = { .ledger = &x->ledger, .each = ledger_add_result, .context = &x->output };
	bool done;
	int status;

	x->options = o;
	if (o->jsonl && o->json.given && !usage_set(err, "give one of them", "--json and --jsonl exclude each other"))
		return EXIT_FAIL;
	if (!ledger_args_open(&x->ledger, a, args.frame, &o->ledger, LEDGER_WRITE, err))
		return EXIT_FAIL;
	if (o->run.p && !read_run(x, err)) {
		ledger_close(&x->ledger);
		return EXIT_FAIL;
	}
	x->output = (struct ledger_add){
		.frame = args.frame, .where = x->ledger.where, .json = o->json, .jsonl = o->jsonl, .all = o->all,
	};
	buf_init(&x->name);
	x->published_ns = clock_mono_ns();
	x->sealer = sealer_open(&how);
	ledger_add_init(&x->output);
	done = ledger_add_all(x, a, args, err);
	status = ledger_add_end(&x->output, done);
	sealer_close(x->sealer);
	ledger_close(&x->ledger);
	buf_free(&x->name);
	return done ? status : EXIT_FAIL;
}

static const struct example examples[] = {
	{ "trackway ledger add trial.json", "seal a record; adding it again changes nothing" },
	{ "cat trial.json | trackway ledger add -", "what another program writes, or one record on each line" },
	{ "trackway ledger add trials --jsonl", "every .json file below a directory; for a script" },
	{ "trackway ledger add trial-2.json --run run.jsonl", "with the hashes of the agent's log" },
	{ NULL, NULL },
};

const struct command ledger_add_command = {
	.name = "ledger add",
	.summary = "seal trial records",
	.usage = "[RECORD.json|RECORDS.jsonl|DIR|-]... [--run FILE]",
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
