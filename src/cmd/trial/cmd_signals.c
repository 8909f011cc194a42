/* `trackway trial signals`: what a transcript says at a glance. */
#include "cmd/frame/commands.h"
#include "cmd/trial/signals_output.h"
#include "store/runs.h"

struct signals_opts {
	struct opt_maybe json;
	unsigned jobs;
};

static const struct opt signals_options[] = {
	{ OPT_OPTIONAL, 0, "json", offsetof(struct signals_opts, json), "FIELDS", "as JSON; only the named fields" },
	{ OPT_UINT, 0, "jobs", offsetof(struct signals_opts, jobs), "N", "threads (default: 0, one for each core)" },
	OPT_LAST,
};

static int signals_run(struct arena *a, const void *options, struct args args, struct err *err)
{
	const struct signals_opts *o = options;
	struct str path;

	if (!runs_find(a, args_path(args), &path, err))
		return EXIT_FAIL;
	return signals_output_show(a, path, args, o->json, o->jobs, err);
}

static const struct example examples[] = {
	{ "trackway trial signals chat.jsonl", "turns, tool calls and errors of a transcript" },
	{ "trackway trial signals trial.json --json", "of the transcript that a record names, for a script" },
	{ "trackway trial signals session.jsonl", "of the log of any agent" },
	{ NULL, NULL },
};

const struct command trial_signals_command = {
	.name = "trial signals",
	.summary = "count turns, tool calls and errors of a transcript",
	.usage = "FILE|RUN|- [--json]",
	.description =
		"FILE is a trajectory, a conversation, a trial record or another log that can be read. RUN is the "
		"directory of a run, or its name: an id, @last, tag:KEY. Of a directory trajectory.jsonl is read, else "
		"conversation.jsonl. Of a record its trajectory_path is tried first, then its conversation_path: as it "
		"stands, from the directory of the record or from the two above it, and at last the file of that name "
		"beside the record. Without a transcript everything is 0 and has_transcript is false; the exit status "
		"is 0.\n\n"
		"'turns' are answers of the model. A message is a line of the file; in other logs it is a message, an "
		"answer or a result. Entries with call_type warmup never count.\n\n"
		"A tool result of a trajectory is an error when its exit_code is neither null nor 0. One of a "
		"conversation is an error when is_error is true, when its text has '[exit code: N]' with N other than "
		"0, or when it has one of: Syntax error, Error:, Traceback (most recent, command not found, No "
		"such file or directory, Permission denied. In other logs the exit code or is_error decides, and those "
		"words where a result says neither.\n\n"
		"'first error' is the beginning of the first error that has a text: 200 characters of stderr, else of "
		"stdout or content, with keys hidden. 'wrote output' means that a tool call names output.md or "
		"output.jsonl in its arguments; whether the file is there is not checked. 'tool time' adds up the "
		"results that say how long they took. 'bonds' are the kinds of turns by the built-in rules of "
		"'trackway trial classify'; not known of a transcript without content.",
	.examples = examples,
	.options = signals_options,
	.fields = signals_fields,
	.options_size = sizeof(struct signals_opts),
	.args = ARGS_RUNS,
	.args_min = 1,
	.args_max = 1,
	.run = signals_run,
};
