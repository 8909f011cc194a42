/* `trackway export`: runs of any log, in the formats of other programs (sink/export). */
#include "base/build.h"
#include "base/file.h"
#include "cmd/export_otlp.h"
#include "cmd/export_output.h"
#include "cmd/frame/commands.h"
#include "cmd/frame/nearest.h"
#include "cmd/frame/opt.h"
#include "cmd/inputs.h"
#include "cmd/logs.h"
#include "flow/trace_load.h"
#include "store/runs.h"

struct export_opts {
	struct str format, output, from, prices;
	bool no_cost, permissive;
	unsigned jobs;
	size_t max_record;
	struct export_otlp_opts otlp;
};

static const struct export_opts defaults = { .max_record = SOURCE_RECORD_LIMIT, .otlp = EXPORT_OTLP_DEFAULTS };

static const struct opt export_command_options[] = {
	{ OPT_STR, 0, "format", offsetof(struct export_opts, format), "FORMAT",
	  "what to write: chrome, speedscope, dot, mermaid, html, csv, mooncake, ro-crate, otlp-json, otlp-proto, "
	  "otlp-metrics-json or otlp-metrics-proto" },
	{ OPT_STR, 'o', "output", offsetof(struct export_opts, output), "OUT",
	  "write to this file instead of standard output, all or nothing; for ro-crate a name that ends in / "
	  "is a new directory, which gets the traces too" },
	EXPORT_OTLP_OPTIONS(struct export_opts, otlp),
	{ OPT_STR, 0, "from", offsetof(struct export_opts, from), "FORMAT",
	  "the format of the input, instead of detecting it; 'trackway formats' lists them" },
	{ OPT_STR, 0, "prices", offsetof(struct export_opts, prices), "FILE",
	  "a price table that overrides the built-in one; 'trackway convert --help' describes it" },
	{ OPT_FLAG, 0, "no-cost", offsetof(struct export_opts, no_cost), NULL,
	  "compute no cost; keep costs that the input states" },
	{ OPT_FLAG, 0, "permissive", offsetof(struct export_opts, permissive), NULL,
	  "read other versions of agent-trace as if they were v1" },
	{ OPT_UINT, 0, "jobs", offsetof(struct export_opts, jobs), "N", "threads (default: 0, one for each core)" },
	{ OPT_SIZE, 0, "max-record", offsetof(struct export_opts, max_record), "SIZE",
	  "the longest line or document allowed, in bytes or with K, M or G (default: 64M)" },
	OPT_LAST,
};

struct export_job {
	struct arena *arena;
	const struct export_opts *o;
	struct args args;
	const struct export_format *format;
	struct export_options options;
	struct export_otlp otlp;
	struct log_flow flow;
	struct logs logs;
	struct trace_list runs;
	struct price_gaps unpriced;
	size_t seen; /* runs of the inputs before */
	struct export_output output;
};

/* ---- options ---- */

static const char *export_format_name(size_t i)
{
	return export_formats[i].name;
}

static bool export_check_options(struct export_job *j, struct err *err)
{
	static const struct choice choice = {
		.option = "--format", .noun = "format", .example = "dot", .name = export_format_name,
	};
	const struct export_opts *o = j->o;

	j->format = o->format.p ? export_find(o->format) : NULL;
	j->options = (struct export_options){ .version = BUILD_VERSION };
	j->otlp = (struct export_otlp){ .o = &o->otlp, .arena = j->arena };
	j->flow = (struct log_flow){ .jobs = o->jobs, .permissive = o->permissive };
	if (o->otlp.send && o->output.p)
		return usage_set(err, "give one of them", "--otlp and -o exclude each other");
	if (!j->format && (o->format.p || !o->otlp.send))
		return nearest_refuse(&choice, o->format, err);
	if (!export_otlp_check(&j->otlp, j->format, &j->options, err))
		return false;
	j->flow.hashes = j->options.profile == OTLP_GENAI_DEV;
	return logs_get_format(o->from, &j->flow.as, err) &&
	       logs_get_prices(j->arena, o->no_cost, o->prices, &j->flow.prices, err) &&
	       inputs_check_limit(o->max_record, err);
}

/* Names of runs become their traces, and so do the directories of runs; other directories are walked. */
static bool export_name_runs(struct export_job *j, struct err *err)
{
	struct str *items;

	if (!inputs_name_runs(j->arena, &j->args, err))
		return false;
	items = arena_array(j->arena, struct str, j->args.count);
	for (size_t i = 0; i < j->args.count; i++) {
		struct err none;

		items[i] = j->args.items[i];
		if (file_is_dir(items[i]))
			runs_find_trace(j->arena, items[i], &items[i], &none); /* stays as it is without one */
	}
	j->args.items = items;
	return true;
}

/* ---- reading ---- */

static bool export_end_input(void *context, const struct convert_input *input, struct err *err)
{
	struct export_job *j = context;
	size_t runs = j->runs.count - j->seen;

	(void)err;
	j->seen = j->runs.count;
	if (input->failure)
		logs_fail(&j->logs, input->failure);
	else if (runs == 0)
		logs_refuse(&j->logs, input, log_refuse);
	else
		logs_say_damage(&j->logs, input, "");
	return true;
}

/* A directory has the traces too. */
static bool export_keep(void *context, bool begins, struct str bytes, struct err *err)
{
	struct export_job *j = context;

	return export_output_keep(&j->output, j->runs.count, begins, bytes, err);
}

static void export_tick(void *context, const struct source *from)
{
	struct export_job *j = context;

	inputs_show_progress(&j->logs.progress, "export", from);
}

static bool export_load(struct export_job *j, struct err *err)
{
	bool is_file = j->o->output.p && !str_eq(j->o->output, STR("-")), done = true;
	struct source_options how = {
		.record_limit = j->o->max_record, .shape = logs_shape_of(j->flow.as), .file_groups = true,
		.except = is_file ? j->o->output : str_of(NULL, 0),
	};
	struct err why = { .kind = ERR_NONE };

	j->flow.input = export_end_input;
	j->flow.tick = export_tick;
	j->flow.bytes = j->format && j->format->in_dir ? export_keep : NULL;
	j->flow.context = j;
	for (size_t at = 0; done && at < j->args.count;) {
		j->flow.from = inputs_open_next(j->arena, j->args.items, j->args.count, &at, how, &why);
		if (!j->flow.from) {
			logs_missing(&j->logs, &why);
			continue;
		}
		done = trace_load(&j->flow, &j->runs, err);
		source_close(j->flow.from);
	}
	return done;
}

/* Writes or sends. What a receiver rejected is a no. */
static int export_loaded(struct export_job *j, struct err *err)
{
	uint64_t rejected = 0;

	if (!export_load(j, err))
		return EXIT_FAIL;
	export_otlp_start(&j->otlp, &j->runs, &j->logs);
	export_otlp_shift(&j->otlp, &j->runs, &j->options);
	if (j->runs.count && j->o->otlp.send &&
	    !export_otlp_send(&j->otlp, &j->options, &j->runs, &j->logs, &rejected, err))
		return EXIT_FAIL;
	if (j->runs.count && !j->o->otlp.send && !export_output_write(&j->output, &j->runs, err))
		return EXIT_FAIL;
	logs_say_unpriced(&j->logs, &j->unpriced);
	logs_say_skipped(&j->logs, j->runs.count == 0);
	progress_erase(&j->logs.progress);
	if (j->logs.failed || j->runs.count == 0)
		return EXIT_CANNOT;
	return rejected ? EXIT_NO : EXIT_YES;
}

static int export_run_command(struct arena *a, const void *options, struct args args, struct err *err)
{
	struct export_job j = { .arena = a, .o = options, .args = args };
	int status = EXIT_FAIL;

	if (!export_check_options(&j, err) || !export_name_runs(&j, err) ||
	    !logs_init(&j.logs, a, args.frame, "export", j.args.items, j.args.count, err))
		return EXIT_FAIL;
	j.output = (struct export_output){
		.arena = a, .frame = args.frame, .logs = &j.logs, .format = j.format, .options = &j.options,
		.path = j.o->output, .is_binary = j.format && export_otlp_is_binary(j.format),
	};
	trace_list_init(&j.runs, a);
	price_gaps_init(&j.unpriced);
	j.flow.unpriced = &j.unpriced;
	if (export_output_init(&j.output, err))
		status = export_loaded(&j, err);
	export_output_free(&j.output);
	trace_list_free(&j.runs);
	price_gaps_free(&j.unpriced);
	return status;
}

static const struct example examples[] = {
	{ "trackway export agent-trace.jsonl --format dot -o run.dot", "a graph: dot -Tsvg run.dot > run.svg" },
	{ "trackway export agent-trace.jsonl --format chrome -o run.json", "a timeline for ui.perfetto.dev" },
	{ "trackway export session.jsonl --format html -o run.html", "a page about a Claude Code session" },
	{ "trackway export . --format csv -o nodes.csv", "every node of every run below here" },
	{ "trackway export agent-trace.jsonl --format ro-crate -o archive/", "a directory to keep" },
	{ NULL, NULL },
};

const struct command export_command = {
	.name = "export",
	.summary = "write runs for the tools of others",
	.usage = "RUN... --format FORMAT [-o OUT] | RUN... --otlp [--to PRESET]",
	.description =
		"RUN is a trace or any other log that 'trackway convert' reads, the directory of a run, a directory of "
		"logs, the name of a run (an id, @last, tag:KEY), or - for standard input. Only what a trace holds is "
		"written, never what was said.\n\n"
		"  chrome      a timeline for Perfetto: lanes, causes, counters\n"
		"  speedscope  a profile for each lane, flame graphs of tokens and cost\n"
		"  dot         a graph for Graphviz, sub-agents as clusters\n"
		"  mermaid     the same for Markdown, up to 400 edges\n"
		"  html        a page with tables and a waterfall, without a network\n"
		"  csv         a row for each node\n"
		"  mooncake    model calls as a schedule for 'trackway bench load'\n"
		"  ro-crate    metadata for an archive; with -o DIR/ the traces too\n"
		"  otlp-json   OpenTelemetry spans; otlp-proto: as protobuf;\n"
		"              otlp-metrics-json, otlp-metrics-proto: metrics\n\n"
		"In csv a text that a spreadsheet would take for a formula has a ' in front.\n\n"
		"--otlp sends spans and metrics to a receiver of OpenTelemetry and writes nothing. The "
		"OTEL_EXPORTER_OTLP_... variables say where and how, unless an option does. The exit status is 1 when "
		"the receiver rejected some of it, 3 when it took nothing.\n\n"
		"Several runs make one output. A run without an end, or with damaged lines, is exported as far as it "
		"can be read, with a warning. The exit status is 3 when an input could not be read at all; the others "
		"are still exported.",
	.examples = examples,
	.options = export_command_options,
	.defaults = &defaults,
	.options_size = sizeof(struct export_opts),
	.args = ARGS_RUNS,
	.args_min = 1,
	.args_max = ARGS_MANY,
	.run = export_run_command,
};
