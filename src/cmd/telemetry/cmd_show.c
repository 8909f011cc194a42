/* `trackway telemetry show`: reads runs and prints the payload of their aggregates. Nothing is sent. */
#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"
#include "cmd/frame/commands.h"
#include "cmd/frame/field.h"
#include "cmd/frame/stream.h"
#include "cmd/inputs.h"
#include "flow/trace_load.h"
#include "sink/telemetry/payload.h"
#include "store/runs.h"

struct telemetry_opts {
	struct opt_maybe json;
	struct str engine_version;
	unsigned gpu_count, jobs;
	bool permissive;
};

static const struct opt telemetry_options[] = {
	{ OPT_UINT, 0, "gpu-count", offsetof(struct telemetry_opts, gpu_count), "N",
	  "how many GPUs serve the model; no trace tells" },
	{ OPT_STR, 0, "engine-version", offsetof(struct telemetry_opts, engine_version), "VERSION",
	  "of the engine, such as 0.10.2; only 0.10 is told" },
	{ OPT_OPTIONAL, 0, "json", offsetof(struct telemetry_opts, json), "FIELDS",
	  "on one line; only the named fields" },
	{ OPT_FLAG, 0, "permissive", offsetof(struct telemetry_opts, permissive), NULL,
	  "read other versions of agent-trace as if they were v1" },
	{ OPT_UINT, 0, "jobs", offsetof(struct telemetry_opts, jobs), "N", "threads (default: 0, one for each core)" },
	OPT_LAST,
};

static const char *const telemetry_fields[] = {
	"gpu_model", "gpu_count_bucket", "engine", "engine_version", "ttft_seconds_p50", "ttft_seconds_p99",
	"tool_stall_share", "node_counts", NULL,
};

/* The variable that turns telemetry off, or NULL. */
static const char *telemetry_off_by(void)
{
	static const char *const off[] = { "0", "false", "off", "disabled" };
	struct str track = str_from(getenv("DO_NOT_TRACK")), ours = str_from(getenv("TRACKWAY_TELEMETRY"));

	if (track.n && !str_eq(track, STR("0")) && !str_eq_nocase(track, STR("false")))
		return "DO_NOT_TRACK";
	for (size_t i = 0; i < COUNT(off); i++)
		if (str_eq_nocase(ours, str_from(off[i])))
			return "TRACKWAY_TELEMETRY";
	return NULL;
}

struct telemetry_job {
	struct payload payload;
	const struct frame *frame;
	struct progress line;
	bool begun, local; /* of the input at hand: its beginning was seen; it must stay here */
};

static void telemetry_see(void *context, struct str bytes)
{
	struct telemetry_job *j = context;

	if (!j->begun)
		j->local = payload_is_local_only(bytes);
	j->begun = true;
}

static void telemetry_entry(void *context, const struct trace_entry *e)
{
	payload_add(&((struct telemetry_job *)context)->payload, e);
}

/* One input that cannot be used is the end: a payload of the others would not be what was asked for. */
static bool telemetry_input(void *context, const struct convert_input *input, struct err *err)
{
	struct telemetry_job *j = context;

	if (j->local)
		return err_set(err, ERR_DATA, "%.*s holds content that must stay on this machine: it says local_only"
			       ERR_HELP "give the agent-trace.jsonl of the run, which has no content",
			       STR_ARG(input->name));
	if (!input->from || input->failure)
		return log_refuse(input, err);
	if (input->unreadable)
		inputs_warn(j->frame, "%.*s: lines that could not be read: %llu", STR_ARG(input->name),
			    (unsigned long long)input->unreadable);
	payload_end_input(&j->payload);
	j->begun = false;
	return true;
}

static void telemetry_tick(void *context, const struct source *from)
{
	inputs_show_progress(&((struct telemetry_job *)context)->line, "telemetry", from);
}

/* Reads the traces that the arguments name. */
static bool telemetry_read(struct arena *a, struct telemetry_job *j, const struct telemetry_opts *o, struct args args,
			   struct err *err)
{
	struct str *paths = arena_array(a, struct str, args.count);
	struct log_flow f = {
		.jobs = o->jobs, .permissive = o->permissive, .input = telemetry_input, .see = telemetry_see,
		.tick = telemetry_tick, .context = j,
	};
	bool done;

	for (size_t i = 0; i < args.count; i++)
		if (!runs_find_trace(a, args.items[i], &paths[i], err))
			return false;
	f.from = source_open(a, paths, args.count,
			     (struct source_options){ .shape = SOURCE_CONTENT, .file_groups = true }, err);
	if (!f.from)
		return false;
	progress_init(&j->line, args.frame, STDERR_FILENO, clock_mono_ns());
	done = trace_visit(&f, telemetry_entry, err);
	progress_erase(&j->line);
	source_close(f.from);
	return done;
}

/* For people one member on each line, for programs all on one. */
static void telemetry_print(struct str payload, struct opt_maybe json)
{
	struct json_writer w;
	struct buf out;

	buf_init(&out);
	json_write_init(&w, &out, json.given ? JSON_COMPACT : JSON_PRETTY);
	json_write_begin_object(&w);
	field_put_chosen(&w, json, payload);
	json_write_end_object(&w);
	buf_add_byte(&out, '\n');
	stream_write(stdout, buf_str(&out));
	buf_free(&out);
}

static int telemetry_show_run(struct arena *a, const void *options, struct args args, struct err *err)
{
	const struct telemetry_opts *o = options;
	struct telemetry_job j = { .frame = args.frame };
	const char *off = telemetry_off_by();
	struct buf out;
	bool done;

	if (off) {
		inputs_note(args.frame, "telemetry is off: %s says so; no payload was made", off);
		return EXIT_YES;
	}
	payload_init(&j.payload);
	buf_init(&out);
	j.payload.gpus = payload_bucket_gpus(o->gpu_count);
	done = !o->engine_version.p || payload_cut_version(o->engine_version, j.payload.engine_version) ||
	       usage_set(err, "give it as 0.10 or 0.10.2", "'%.*s' is no version", STR_ARG(o->engine_version));
	done = done && telemetry_read(a, &j, o, args, err) && payload_write(&j.payload, &out, err);
	if (done)
		telemetry_print(buf_str(&out), o->json);
	buf_free(&out);
	payload_free(&j.payload);
	return done ? EXIT_YES : EXIT_FAIL;
}

static const struct example examples[] = {
	{ "trackway telemetry show agent-trace.jsonl", "what could be told about a run" },
	{ "trackway telemetry show agent-trace.jsonl --gpu-count 8", "with what no trace tells" },
	{ "trackway telemetry show session.jsonl --json=node_counts", "of any log, and only some of it" },
	{ NULL, NULL },
};

const struct command telemetry_show_command = {
	.name = "telemetry show",
	.summary = "show the payload that could be sent about runs; nothing is sent",
	.usage = "RUN... [--gpu-count N] [--engine-version VERSION] [--json]",
	.description =
		"RUN is a trace, another log, the directory of a run, or its name: an id, @last, tag:KEY. One payload "
		"is made of all runs together and printed as JSON. It holds aggregates only, and nothing from a text "
		"of the runs. This program never sends it.\n\n"
		"Each number is a bucket. Times are rounded up to 1, 2 or 5 times a power of ten, from 0.001 to 1000 "
		"seconds. Shares are rounded to steps of 0.05. Counts are rounded up to 1, 2 or 5 times a power of "
		"ten. GPUs are 8 (one to eight), 16, 32 or 64+. gpu_model and engine are words of the trace format, "
		"and null when runs differ. What is not known is null, never 0.\n\n"
		"tool_stall_share is the time that tools waited, divided by the time of all runs. It is 0 without a "
		"tool call, and null when no tool call says how long it waited.\n\n"
		"Files that say \"local_only\": true, as the content files of a recorded run do, are refused with exit "
		"status 3. With DO_NOT_TRACK=1, or TRACKWAY_TELEMETRY set to 0, false, off or disabled, nothing is "
		"read and nothing printed on standard output; a line on standard error says why, and the exit status "
		"is 0.",
	.examples = examples,
	.options = telemetry_options,
	.fields = telemetry_fields,
	.options_size = sizeof(struct telemetry_opts),
	.args = ARGS_RUNS,
	.args_min = 1,
	.args_max = ARGS_MANY,
	.run = telemetry_show_run,
};
