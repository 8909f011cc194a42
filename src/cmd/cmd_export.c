/* `trackway export`: runs of any log, in the formats of other programs (sink/export). */
#include <unistd.h>

#include "base/build.h"
#include "base/file.h"
#include "cmd/frame/commands.h"
#include "cmd/frame/nearest.h"
#include "cmd/frame/opt.h"
#include "cmd/inputs.h"
#include "cmd/logs.h"
#include "cmd/screen/amounts.h"
#include "cmd/screen/term_json.h"
#include "flow/trace_load.h"
#include "sink/export/export.h"
#include "store/runs.h"

struct export_opts {
	struct str format, output, from, prices;
	bool no_cost, permissive;
	unsigned jobs;
	size_t max_record;
};

static const struct export_opts defaults = { .max_record = SOURCE_RECORD_LIMIT };

static const struct opt export_command_options[] = {
	{ OPT_STR, 0, "format", offsetof(struct export_opts, format), "FORMAT",
	  "what to write: chrome, speedscope, dot, mermaid, html, csv or mooncake" },
	{ OPT_STR, 'o', "output", offsetof(struct export_opts, output), "OUT",
	  "write to this file instead of standard output, all or nothing" },
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
	struct log_flow flow;
	struct logs logs;
	struct trace_list runs;
	size_t seen; /* runs of the inputs before */
	struct term_json screen;
	int fd;
	uint64_t bytes;
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
	j->flow = (struct log_flow){ .jobs = o->jobs, .permissive = o->permissive };
	return (j->format || nearest_refuse(&choice, o->format, err)) && logs_get_format(o->from, &j->flow.as, err) &&
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

	trace_list_init(&j->runs, j->arena);
	j->flow.input = export_end_input;
	j->flow.tick = export_tick;
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

/* ---- writing ---- */

static bool export_put(void *context, struct str bytes, struct err *err)
{
	struct export_job *j = context;

	j->bytes += bytes.n;
	return j->fd == STDOUT_FILENO ? term_json_put(&j->screen, bytes, err) : file_write_all(j->fd, bytes, err);
}

static void export_say_written(struct export_job *j, struct buf *text)
{
	uint64_t nodes = 0;

	for (size_t i = 0; i < j->runs.count; i++)
		nodes += j->runs.items[i].count;
	buf_add_str(text, STR("wrote "));
	term_add_text(text, j->o->output);
	buf_add_str(text, STR(" ("));
	if (j->runs.count > 1) {
		amounts_add_things(text, j->runs.count, "run");
		buf_add_str(text, STR(", "));
	}
	amounts_add_things(text, nodes, "node");
	buf_add_str(text, STR(", "));
	amounts_add_bytes(text, j->bytes);
	buf_add_str(text, STR(")\n"));
}

/* For file_replace_by: writes everything to `fd`. */
static bool export_write(void *context, int fd, struct err *err)
{
	struct export_job *j = context;
	struct buf notes;
	struct export x = {
		.options = &j->options, .arena = j->arena, .losses = losses_open(), .notes = &notes, .put = export_put,
		.context = j,
	};
	bool done;

	j->fd = fd;
	buf_init(&notes);
	buf_init(&x.out);
	term_json_init(&j->screen, fd, j->args.frame->out.is_terminal);
	done = j->format->write(&x, &j->runs, err);
	if (done) {
		logs_say_losses(&j->logs, j->format->name, x.losses);
		logs_say(&j->logs, &notes);
	}
	losses_close(x.losses);
	buf_free(&x.out);
	buf_free(&notes);
	return done;
}

/* A file of -o is replaced as a whole, and only by at least one run. */
static bool export_write_output(struct export_job *j, struct err *err)
{
	struct str path = j->o->output;
	struct buf text;

	if (!path.p || str_eq(path, STR("-")))
		return export_write(j, STDOUT_FILENO, err);
	if (!file_replace_by(path, export_write, j, 0666, err))
		return logs_explain_output(err);
	buf_init(&text);
	export_say_written(j, &text);
	logs_say(&j->logs, &text);
	buf_free(&text);
	return true;
}

static int export_run(struct arena *a, const void *options, struct args args, struct err *err)
{
	struct export_job j = { .arena = a, .o = options, .args = args };

	if (!export_check_options(&j, err) || !export_name_runs(&j, err) ||
	    !logs_init(&j.logs, a, args.frame, "export", j.args.items, j.args.count, err) ||
	    !logs_check_output(&j.logs, "-o", j.o->output, err) || !export_load(&j, err))
		return EXIT_FAIL;
	if (j.runs.count && !export_write_output(&j, err))
		return EXIT_FAIL;
	logs_say_skipped(&j.logs, j.runs.count == 0);
	progress_erase(&j.logs.progress);
	return j.logs.failed || j.runs.count == 0 ? EXIT_CANNOT : EXIT_YES;
}

static const struct example examples[] = {
	{ "trackway export agent-trace.jsonl --format dot -o run.dot", "a graph: dot -Tsvg run.dot > run.svg" },
	{ NULL, NULL },
};

const struct command export_command = {
	.name = "export",
	.summary = "write runs for the tools of others",
	.usage = "RUN... --format FORMAT [-o OUT]",
	.description =
		"RUN is a trace or any other log that 'trackway convert' reads, the directory of a run, a directory of "
		"logs, the name of a run (an id, @last, tag:KEY), or - for standard input.",
	.examples = examples,
	.options = export_command_options,
	.defaults = &defaults,
	.options_size = sizeof(struct export_opts),
	.args = ARGS_RUNS,
	.args_min = 1,
	.args_max = ARGS_MANY,
	.run = export_run,
};
