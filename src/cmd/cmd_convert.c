/* `trackway convert`: reads logs of any known format and writes one target; convert_job.c does it. */
#include "cmd/convert_job.h"
#include "cmd/frame/commands.h"
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
