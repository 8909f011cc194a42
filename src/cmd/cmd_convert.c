/* `trackway convert`: reads logs of any known format and writes one target; convert_output.c has files and messages. */
#include <unistd.h>

#include "base/build.h"
#include "base/crypto/sha256.h"
#include "base/file.h"
#include "base/stop.h"
#include "cmd/convert_job.h"
#include "cmd/convert_output.h"
#include "cmd/frame/commands.h"
#include "cmd/frame/nearest.h"
#include "cmd/frame/opt.h"
#include "cmd/inputs.h"

static const struct convert_opts defaults = { .max_record = SOURCE_RECORD_LIMIT };

static const struct opt convert_options[] = {
	{ OPT_STR, 0, "to", offsetof(struct convert_opts, to), "TARGET",
	  "the format to write: otutl, agent-trace, trajectory, conversation, conversation-openai, "
	  "conversation-anthropic, atif, claude-code, otlp-json or langsmith" },
	{ OPT_STR, 0, "from", offsetof(struct convert_opts, from), "FORMAT",
	  "the format of the input, instead of detecting it; 'trackway formats' lists them" },
	{ OPT_STR, 'o', "output", offsetof(struct convert_opts, output), "OUT",
	  "write to this file instead of standard output, all or nothing; a directory (or a name that ends in /, "
	  "which is made) gets a file for each run, in a tree like that of the sources, and index.jsonl" },
	{ OPT_FLAG, 0, "update", offsetof(struct convert_opts, update), NULL,
	  "convert only what is new or changed since the index of the directory was written; this also resumes a job" },
	{ OPT_FLAG, 0, "flat", offsetof(struct convert_opts, flat), NULL,
	  "put all files into the directory itself, without a tree and an index" },
	{ OPT_FLAG, 0, "coverage", offsetof(struct convert_opts, coverage), NULL,
	  "show on standard error how many fields and values of the input have their own field in the output "
	  "(core), are under ext or were dropped, and the sizes" },
	{ OPT_STR, 0, "coverage-json", offsetof(struct convert_opts, coverage_json), "FILE",
	  "write the same as JSON, with every field ('-': standard output)" },
	{ OPT_FLAG, 0, "chunks", offsetof(struct convert_opts, chunks), NULL,
	  "keep the pieces of streamed tool results, if the format has a place for them" },
	{ OPT_STR, 0, "prices", offsetof(struct convert_opts, prices), "FILE",
	  "a price table that overrides the built-in one; --help describes it" },
	{ OPT_STR, 0, "start", offsetof(struct convert_opts, start), "TIME",
	  "for otlp-json: when a run began that has no times at all (2026-01-31T12:00:00Z); its spans are laid out "
	  "from there, and say so. Without it such a run is refused" },
	{ OPT_FLAG, 0, "no-cost", offsetof(struct convert_opts, no_cost), NULL,
	  "compute no cost; keep costs that the input states" },
	{ OPT_FLAG, 0, "no-digest", offsetof(struct convert_opts, no_digest), NULL,
	  "leave out the SHA-256 of the input files" },
	{ OPT_FLAG, 0, "permissive", offsetof(struct convert_opts, permissive), NULL,
	  "read other versions of agent-trace as if they were v1" },
	{ OPT_UINT, 0, "jobs", offsetof(struct convert_opts, jobs), "N", "threads (default: 0, one for each core)" },
	{ OPT_SIZE, 0, "max-record", offsetof(struct convert_opts, max_record), "SIZE",
	  "the longest line or document allowed, in bytes or with K, M or G (default: 64M)" },
	OPT_LAST,
};

/* One conversion, for file_replace_by. */
struct job {
	struct arena *arena;
	const struct convert_opts *o;
	struct convert_options options;
	struct convert_output output;
	struct pipeline *pipeline;
	struct args args;
	bool nothing; /* no run was in the input */
};

static const char *convert_target_name(size_t i)
{
	return targets[i].name;
}

/* The target that --to names, in any case of letters; the error lists all of them. */
static bool get_target(struct str name, const struct target **out, struct err *err)
{
	static const struct choice choice = {
		.option = "--to", .noun = "target", .example = "otutl", .name = convert_target_name,
	};

	for (const struct target *t = targets; t->name && name.p; t++) {
		if (str_eq_nocase(name, str_from(t->name))) {
			*out = t;
			return true;
		}
	}
	return nearest_refuse(&choice, name, err);
}

/* Or a directory: anything but standard output. */
static bool is_file(struct str path)
{
	return path.p && !str_eq(path, STR("-"));
}

/* Converts the inputs in the order of the arguments. One that cannot be opened is told, and the others go on. */
static bool convert_all(struct job *j, struct err *err)
{
	struct source_options how = {
		.record_limit = j->o->max_record,
		.shape = logs_shape_of(j->options.from),
		.file_groups = true,
		.except = is_file(j->o->output) ? j->o->output : (struct str){ .p = NULL },
		.want = j->output.is_tree ? convert_tree_want : NULL,
		.want_context = &j->output.tree,
	};
	struct convert_flow f = {
		.jobs = j->o->jobs,
		.options = &j->options,
		.to = j->pipeline,
		.digest = !j->o->no_digest,
		.input = convert_output_part,
		.see = convert_output_see,
		.tick = convert_output_tick,
		.context = &j->output,
	};
	struct err why = { .kind = ERR_NONE };
	bool done = true;

	for (size_t at = 0; done && at < j->args.count;) {
		f.from = inputs_open_next(j->arena, j->args.items, j->args.count, &at, how, &why);
		if (!f.from) {
			logs_missing(&j->output.logs, &why);
			continue;
		}
		j->output.tree.from = f.from;
		done = convert_flow_run(&f, err);
		j->output.tree.from = NULL;
		source_close(f.from);
	}
	return done && pipeline_finish(j->pipeline, err);
}

/* For file_replace_by: writes everything to `fd`. False without an error when there was no run (j->nothing). */
static bool run_job(void *context, int fd, struct err *err)
{
	struct job *j = context;

	j->output.fd = fd;
	if (!convert_all(j, err))
		return false;
	j->nothing = pipeline_tally(j->pipeline)->runs == 0;
	return !j->nothing; /* a file that is there is not replaced by nothing */
}

/* Sixteen digits that differ when anything does that decides the bytes of an output, but for its source. */
static struct str convert_maker(const struct job *j)
{
	const struct convert_options *o = &j->options;
	struct str prices = o->prices ? prices_hash(o->prices) : STR("");
	struct str text = arena_printf(j->arena, "%s %s %s %s %d%d%d %zu %lld %.*s", BUILD_VERSION, build_commit(),
				       j->output.target->name, o->from ? o->from->name : "", o->chunks, o->permissive,
				       !j->o->no_digest, j->o->max_record, (long long)o->start_ns,
				       STR_ARG(prices));
	char hex[SHA256_HEX];
	struct sha256 sha;

	sha256_init(&sha);
	digest_hex(hex, sha256_of(&sha, text));
	sha256_free(&sha);
	return arena_copy(j->arena, str_of(hex, 16));
}

/* False with a usage error. */
static bool convert_get_options(struct job *j, struct err *err)
{
	const struct convert_opts *o = j->o;
	const struct target *target = NULL;

	if (!get_target(o->to, &target, err) || !logs_get_format(o->from, &j->options.from, err))
		return false;
	if (!inputs_check_limit(o->max_record, err))
		return false;
	j->options.to = target->dialect;
	j->options.variant = o->anew ? "anew" : target->variant;
	j->options.chunks = o->chunks;
	j->options.permissive = o->permissive;
	j->options.coverage = o->coverage || o->coverage_json.p;
	j->output = (struct convert_output){
		.arena = j->arena,
		.frame = j->args.frame,
		.target = target,
		.path = o->output,
		.named = j->args.items,
		.named_count = j->args.count,
		.flat = o->flat,
		.update = o->update,
		.coverage = o->coverage,
		.coverage_json = o->coverage_json,
	};
	if (o->start.p && !target->dialect->write->needs_times)
		return usage_set(err, "leave it out", "--start is for otlp-json: %s needs no times", target->name);
	if (o->flat && o->update)
		return usage_set(err, "give one of them", "--flat and --update exclude each other");
	if (!logs_get_start(o->start, &j->options.start_ns, err) ||
	    !logs_get_prices(j->arena, o->no_cost, o->prices, &j->options.prices, err))
		return false;
	j->output.maker = convert_maker(j);
	return true;
}

/*
 * The command. A file of -o is replaced as a whole and only by at least one run; standard output gets bytes as they
 * come.
 */
int convert_job_run(struct arena *a, const struct convert_opts *o, struct args args, unsigned mode,
		    void (*seen)(void *context, const struct event *e), void *context, struct err *err)
{
	struct job j = { .arena = a, .o = o, .args = args };
	struct str path = j.o->output;
	int status = EXIT_FAIL;
	bool done;

	if (!inputs_name_runs(a, &j.args, err) || !convert_get_options(&j, err))
		return EXIT_FAIL;
	j.output.seen = seen;
	j.output.seen_context = context;
	if (convert_output_init(&j.output, err)) {
		j.options.per_run = j.output.is_directory;
		j.options.apart = j.output.is_tree;
		j.pipeline = pipeline_open(&j.options, convert_output_sink(&j.output));
		if (is_file(path) && !j.output.is_directory)
			done = file_replace_by(path, run_job, &j, mode, err) || j.nothing ||
			       logs_explain_output(err);
		else
			done = run_job(&j, STDOUT_FILENO, err) || j.nothing;
		if (done)
			status = convert_output_end(&j.output, j.pipeline, err);
		else if (stop_signal() || j.output.is_tree)
			convert_output_interrupt(&j.output);
		pipeline_close(j.pipeline);
	}
	convert_output_free(&j.output);
	return status;
}

static int convert_run(struct arena *a, const void *options, struct args args, struct err *err)
{
	return convert_job_run(a, options, args, 0666, NULL, NULL, err);
}

static const struct example examples[] = {
	{ "trackway convert session.jsonl --to otutl", "a session as a tool-use log" },
	{ "trackway convert session.jsonl --to agent-trace --coverage",
	  "its trace without content; how much came through" },
	{ "trackway convert . --to otutl -o logs/", "everything readable below here, a file for each run" },
	{ "trackway convert . --to otutl -o logs/ --update", "again, but only what is new or changed" },
	{ "cat chat.jsonl | trackway convert - --to conversation", "what another program writes" },
	{ NULL, NULL },
};

const struct command convert_command = {
	.name = "convert",
	.summary = "turn the log of any agent into another format",
	.usage = "[FILE|DIR|-]... --to TARGET [--from FORMAT] [-o OUT]",
	.description =
		"The format of each file is detected from its content, never from its name; --from sets it "
		"instead. 'trackway help formats' lists those that can be read. In a directory the files that end in "
		".json, .jsonl, .ndjson, .eval, .sse, .traj or .log are read, also when compressed with gzip or "
		"zstd; files without a run are skipped, and so is the output. "
		"The log of an agent that cannot be read, or that is damaged, is reported as an error. The name of "
		"a run (an id, @last, tag:KEY) stands for its trace.\n\n"
		"otutl loses nothing: what has no field of its own is kept under ext, and every format that can "
		"be written can be made again from it. agent-trace holds no content at all. What another format "
		"cannot hold is listed on standard error.\n\n"
		"Several runs make one file with one run after the other. -o DIR/ writes a file for each, in a tree "
		"like that of the sources: sub/a.jsonl below the directory that you name becomes "
		"DIR/sub/a.jsonl.otutl.jsonl, or a.jsonl.1.otutl.jsonl, .2 ... when it holds several runs. A file that "
		"you name itself goes to DIR by its last name. Names depend on the source alone; where two sources "
		"would share one, the later gets digits of its own path. DIR/index.jsonl has a line for each: source, "
		"output, run_id, format. Ctrl-C keeps what is finished; --update goes on, also after a kill. A session "
		"of Claude Code includes the files of its sub-agents. The same input always gives the same bytes.\n\n"
		"A line that cannot be read becomes an error record, and the rest is converted. The exit status "
		"is 3 when a file could not be converted at all; the others still are.\n\n"
		"Costs that the log states are taken. Others are computed from a dated table of list prices, whose "
		"digest stands beside every figure. An unknown model costs null, never 0, and is named at the end. "
		"--prices FILE adds your own prices. Each line has nine tab-separated fields: provider, model, the "
		"first day of the price (2026-01-31), the number of input tokens above which it holds or a tier "
		"(batch), and the prices of input, output, cache read, cache write for "
		"five minutes and for an hour, in dollars for a million tokens. '-' stands for no such number and "
		"for an unknown price. A line that begins with # is a comment.",
	.examples = examples,
	.options = convert_options,
	.defaults = &defaults,
	.options_size = sizeof(struct convert_opts),
	.args = ARGS_FILES,
	.args_min = 1,
	.args_max = ARGS_MANY,
	.run = convert_run,
};
