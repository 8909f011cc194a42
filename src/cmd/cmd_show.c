/* `trackway show`: finds and reads a trace, and shows its profile as text, JSON or tab-separated fields. */
#include <limits.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "cmd/frame/commands.h"
#include "cmd/frame/opt.h"
#include "cmd/frame/stream.h"
#include "cmd/inputs.h"
#include "cmd/report/report.h"
#include "cmd/screen/pager.h"
#include "cmd/show.h"
#include "cmd/trial/signals_output.h"
#include "store/runs.h"

#define ROWS 40 /* of the waterfall, when nobody says */

struct show_opts {
	struct opt_maybe json;
	bool plain, raw, all, permissive, signals;
	unsigned limit, jobs;
};

static const struct show_opts defaults = { .limit = UINT_MAX };

static const struct opt show_options[] = {
	{ OPT_FLAG, 0, "all", offsetof(struct show_opts, all), NULL, "every node in the waterfall" },
	{ OPT_UINT, 0, "limit", offsetof(struct show_opts, limit), "N",
	  "the N longest nodes in the waterfall (default: 40); 0 for none" },
	{ OPT_FLAG, 0, "signals", offsetof(struct show_opts, signals), NULL,
	  "turns, tool calls and errors of the transcript instead; see 'trial signals'" },
	{ OPT_FLAG, 0, "raw", offsetof(struct show_opts, raw), NULL, "numbers with all digits" },
	{ OPT_OPTIONAL, 0, "json", offsetof(struct show_opts, json), "FIELDS",
	  "as JSON; only the named fields, such as verdict,time" },
	{ OPT_FLAG, 0, "plain", offsetof(struct show_opts, plain), NULL, "tab-separated fields" },
	{ OPT_FLAG, 0, "permissive", offsetof(struct show_opts, permissive), NULL,
	  "read other versions of agent-trace as if they were v1" },
	{ OPT_UINT, 0, "jobs", offsetof(struct show_opts, jobs), "N", "threads (default: 0, one for each core)" },
	OPT_LAST,
};

static bool show_check_options(const struct show_opts *o, struct err *err)
{
	if (o->all && o->limit != UINT_MAX)
		return usage_set(err, "give one of them", "--all and --limit exclude each other");
	if (o->json.given && o->plain)
		return usage_set(err, "give one of them", "--json and --plain exclude each other");
	if (o->signals && (o->all || o->limit != UINT_MAX || o->plain || o->raw || o->permissive || o->json.value.p))
		return usage_set(err, "give --signals with --json, --jobs or alone",
				 "--signals excludes the options of the profile");
	return true;
}

/* The transcript of the run: found from its directory, or the file itself. */
static int show_signals(struct arena *a, const struct show_opts *o, struct args args, struct err *err)
{
	struct str path;

	if (!runs_find(a, args.count ? args.items[0] : STR("@last"), &path, err))
		return EXIT_FAIL;
	return signals_output_show(a, path, args, o->json, o->jobs, err);
}

/* The newest run when none is named. EXIT_HELP when there is none either. */
static int find_trace(struct arena *a, struct args args, struct str *path, struct err *err)
{
	struct run_entry *newest;
	size_t count = 0;

	if (args.count)
		return runs_find_trace(a, args.items[0], path, err) ? EXIT_YES : EXIT_FAIL;
	if (!runs_list_recent(a, 1, &newest, &count, err))
		return EXIT_FAIL;
	if (count == 0)
		return EXIT_HELP;
	return runs_find_trace(a, STR("@last"), path, err) ? EXIT_YES : EXIT_FAIL;
}

/* Something else than a trace, or a trace that this version must not guess at. */
static bool check_trace(const struct profile *p, struct str path, bool permissive, struct err *err)
{
	if (p->other_versions && !permissive && p->version.n == 0)
		return err_set(err, ERR_DATA, "%.*s: some lines have no schema_version" ERR_HELP
			       "'--permissive' reads them as agent-trace/v1", STR_ARG(path));
	if (p->other_versions && !permissive)
		return err_set(err, ERR_DATA, "%.*s: lines have the unknown version '%.*s'" ERR_HELP
			       "'--permissive' reads them as agent-trace/v1", STR_ARG(path), STR_ARG(p->version));
	if (p->lines == 0 && p->verdict != PROFILE_RUNNING)
		return err_set(err, ERR_DATA, "%.*s is empty: it holds no run", STR_ARG(path));
	if (p->lines && p->damaged == p->lines)
		return err_set(err, ERR_DATA, "%.*s: no line is a node of an agent-trace" ERR_HELP
			       "'trackway convert FILE --to agent-trace' makes a trace from most logs", STR_ARG(path));
	return true;
}

static void show_tick(void *context, const struct source *from)
{
	inputs_show_progress(context, "show", from);
}

/* Reads the trace into a profile. A run without a summary is running when its writer still holds the file. */
static bool read_trace(struct arena *a, const struct show_opts *o, struct args args, struct str path, struct profile *p,
		       struct err *err)
{
	struct progress line;
	struct profile_flow f = {
		.from = source_open(a, &path, 1, (struct source_options){ .shape = SOURCE_LINES }, err),
		.jobs = o->jobs,
		.permissive = o->permissive,
		.row_limit = o->all                 ? SIZE_MAX
			     : o->limit == UINT_MAX ? ROWS
						    : o->limit,
		.tick = show_tick,
		.context = &line,
	};
	bool done, running = file_is_claimed(path); /* asked first: it may end while it is read */

	if (!f.from)
		return false;
	progress_init(&line, args.frame, STDERR_FILENO, clock_mono_ns());
	done = profile_run(a, &f, p, err);
	if (done && !p->has_summary && running)
		p->verdict = PROFILE_RUNNING;
	progress_erase(&line);
	source_close(f.from);
	return done;
}

/* The command: finds the trace, reads it and shows it in one of three forms. */
static int show_show_run(struct arena *a, const void *options, struct args args, struct err *err)
{
	const struct show_opts *o = options;
	struct profile p;
	struct show s = { .arena = a, .term = &args.frame->out, .profile = &p, .raw = o->raw };
	struct buf out;
	int status = EXIT_FAIL;

	if (!show_check_options(o, err))
		return EXIT_FAIL;
	if (o->signals)
		return show_signals(a, o, args, err);
	status = find_trace(a, args, &s.path, err);
	if (status != EXIT_YES)
		return status;
	if (!read_trace(a, o, args, s.path, &p, err))
		return EXIT_FAIL;
	if (!check_trace(&p, s.path, o->permissive, err)) {
		profile_free(&p);
		return EXIT_FAIL;
	}
	s.hint = o->limit == 0 ? NULL : "--all shows them";
	if (!o->json.given && !o->plain)
		s.path = report_relative(s.path, report_find_root(a));
	buf_init(&out);
	if (o->json.given)
		show_add_json(&out, &s, o->json);
	else if (o->plain)
		show_add_plain(&out, &s);
	else
		show_add_text(&out, &s);
	if (o->json.given || o->plain)
		stream_write(stdout, buf_str(&out));
	else
		pager_show(a, args.frame, buf_str(&out));
	buf_free(&out);
	profile_free(&p);
	return EXIT_YES;
}

static const struct example examples[] = {
	{ "trackway show agent-trace.jsonl", "where the time and the tokens of a run went" },
	{ "trackway show agent-trace.jsonl --all --raw", "every node, every digit" },
	{ "trackway show agent-trace.jsonl --json=verdict,time,tokens", "some facts for a script" },
	{ "trackway show agent-trace.jsonl --plain | grep ^tool", "the tools, for awk and sort" },
	{ NULL, NULL },
};

const struct command show_command = {
	.name = "show",
	.summary = "show where the time and the tokens of a run went",
	.usage = "[RUN] [--all|--limit N|--signals] [--json|--plain]",
	.description =
		"RUN is a trace, the directory of a run, or its name: an id, six or more characters from the "
		"beginning or the end of it, @last, @-2 for the one before, tag:KEY or tag:KEY=VALUE. Without RUN "
		"the newest run is shown.\n\n"
		"First comes the outcome of the run. 'busy' is clock time during which at least one call was "
		"running: calls side by side count once there, and each by itself in 'added up'. 'nothing ran' is "
		"time in which neither a model nor a tool was at work: the program itself.\n\n"
		"Tokens are either reported by the API or estimated. A number that ends in ~ is estimated. p50 "
		"and p95 are percentiles, ttft is the time to the first token.\n\n"
		"The waterfall has a line for each node, in the order in which they began; of a long run it has "
		"the longest 40. Calls that a model asked for stand below it.\n\n"
		"A time with <= is an upper bound: the time between an answer and the next request. Calls of a "
		"fan-out that share such a time have a quotation mark below it, and it counts once. A time with ~ "
		"is derived from the times in a log. 'external' with ~ is guessed from the tool's name. A tool "
		"call without a result takes no time.\n\n"
		"A damaged trace is shown as far as it can be read. So is one without an end: it is 'running' "
		"while it is still being recorded, else 'interrupted', or 'error' when its last call failed. "
		"'trackway validate' says what is wrong with a trace.\n\n"
		"--signals shows what the transcript of the run says instead: see 'trackway trial signals --help'. It "
		"needs a run that was recorded with --content.\n\n"
		"The words that begin the lines of --plain: run, file, count, time, tokens, cost, model, "
		"model_cost, tool, wait, gap, node, left_out.",
	.examples = examples,
	.options = show_options,
	.defaults = &defaults,
	.fields = show_fields,
	.options_size = sizeof(struct show_opts),
	.args = ARGS_RUNS,
	.args_max = 1,
	.run = show_show_run,
};
