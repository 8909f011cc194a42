/* `trackway show`: finds a run in a trace or any other log, and shows its profile, its transcript or its signals. */
#include <limits.h>
#include <unistd.h>

#include "base/file.h"
#include "base/num.h"
#include "bench/report/check.h"
#include "capture/run_declared.h"
#include "cmd/frame/commands.h"
#include "cmd/frame/opt.h"
#include "cmd/frame/stream.h"
#include "cmd/inputs.h"
#include "cmd/report/report.h"
#include "cmd/runs_output.h"
#include "cmd/screen/pager.h"
#include "cmd/show.h"
#include "cmd/show_load.h"
#include "cmd/transcript.h"
#include "cmd/trial/signals_output.h"
#include "dialect/formats.h"
#include "flow/log_look.h"
#include "source/again.h"
#include "store/runs.h"

#define ROWS 40 /* of the waterfall, when nobody says */

struct show_opts {
	struct opt_maybe json;
	bool plain, raw, all, permissive, signals, no_cost, transcript, jsonl;
	unsigned limit, jobs;
	struct str run, from, prices;
};

static const struct show_opts defaults = { .limit = UINT_MAX };

static const struct opt show_options[] = {
	{ OPT_FLAG, 0, "all", offsetof(struct show_opts, all), NULL,
	  "every node in the waterfall; every line of a transcript" },
	{ OPT_UINT, 0, "limit", offsetof(struct show_opts, limit), "N",
	  "the N longest nodes in the waterfall (default: 40); 0 for none" },
	{ OPT_STR, 0, "run", offsetof(struct show_opts, run), "ID",
	  "which run of a log that holds several: its number, or six or more characters of its id" },
	{ OPT_FLAG, 0, "transcript", offsetof(struct show_opts, transcript), NULL,
	  "what was said instead: messages, answers, tool calls and their results" },
	{ OPT_FLAG, 0, "signals", offsetof(struct show_opts, signals), NULL,
	  "turns, tool calls and errors of the transcript instead; see 'trial signals'" },
	{ OPT_STR, 0, "from", offsetof(struct show_opts, from), "FORMAT",
	  "the format of the log, instead of detecting it" },
	{ OPT_STR, 0, "prices", offsetof(struct show_opts, prices), "FILE",
	  "prices for a log that states none; see 'trackway convert --help'" },
	{ OPT_FLAG, 0, "no-cost", offsetof(struct show_opts, no_cost), NULL, "compute no costs" },
	{ OPT_FLAG, 0, "raw", offsetof(struct show_opts, raw), NULL, "numbers with all digits" },
	{ OPT_OPTIONAL, 0, "json", offsetof(struct show_opts, json), "FIELDS",
	  "as JSON; only the named fields, such as verdict,time" },
	{ OPT_FLAG, 0, "jsonl", offsetof(struct show_opts, jsonl), NULL,
	  "one JSON object on each line: entries of a transcript, runs of a log that holds several" },
	{ OPT_FLAG, 0, "plain", offsetof(struct show_opts, plain), NULL, "tab-separated fields" },
	{ OPT_FLAG, 0, "permissive", offsetof(struct show_opts, permissive), NULL,
	  "read other versions of agent-trace as if they were v1" },
	{ OPT_UINT, 0, "jobs", offsetof(struct show_opts, jobs), "N", "threads (default: 0, one for each core)" },
	OPT_LAST,
};

/* Those that make sense for a profile alone. */
static bool show_has_profile_options(const struct show_opts *o)
{
	return o->plain || o->limit != UINT_MAX || o->json.value.p || o->prices.p;
}

static bool show_check_options(const struct show_opts *o, struct err *err)
{
	if (o->all && o->limit != UINT_MAX)
		return usage_set(err, "give one of them", "--all and --limit exclude each other");
	if (o->json.given + o->plain + o->jsonl > 1)
		return usage_set(err, "give one of them",
				 o->jsonl ? "--json, --jsonl and --plain exclude each other" :
					    "--json and --plain exclude each other");
	if (o->transcript && (o->signals || show_has_profile_options(o)))
		return usage_set(err, "give --transcript with --all, --run, --json or --jsonl",
				 "--transcript excludes the options of the profile");
	if (o->signals && (o->all || o->jsonl || o->raw || o->permissive || o->no_cost || o->run.p || o->from.p ||
			   show_has_profile_options(o)))
		return usage_set(err, "give --signals with --json, --jobs or alone",
				 "--signals excludes the options of the profile");
	return true;
}

/* The newest run when none is named. EXIT_HELP when there is none either. */
static int show_find(struct arena *a, struct args args, struct str *path, struct err *err)
{
	struct run_entry *newest;
	size_t count = 0;

	if (args.count)
		return runs_find(a, args.items[0], path, err) ? EXIT_YES : EXIT_FAIL;
	if (!runs_list_recent(a, 1, &newest, &count, err))
		return EXIT_FAIL;
	if (count)
		*path = newest[0].dir;
	return count ? EXIT_YES : EXIT_HELP;
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
			       "'trackway formats' lists what can be read", STR_ARG(path));
	return true;
}

struct show_job {
	struct arena *arena;
	const struct show_opts *o;
	struct args args;
	struct str path;
	struct str dir; /* of the run, p NULL for a file */
	struct show_load load;
	struct again again; /* standard input is looked at before it is read */
	struct source_io io;
};

/* Which run the one of a directory goes on from; empty when it says nothing of that. */
static struct str show_lineage(struct arena *a, struct str dir)
{
	struct run_declared said;
	struct err err;

	if (!dir.p || !run_declared_read(a, dir, &said, &err) || !said.forked_run.n)
		return STR("");
	return arena_printf(a, "%.*s at seq %llu", STR_ARG(said.forked_run), (unsigned long long)said.forked_seq);
}

static int show_print(struct show_job *j)
{
	const struct show_opts *o = j->o;
	struct show s = {
		.arena = j->arena, .term = &j->args.frame->out, .profile = &j->load.profile, .raw = o->raw,
		.path = j->path, .hint = o->limit == 0 ? NULL : "--all shows them", .format = j->load.format,
		.signals = j->load.signals.has_transcript ? &j->load.signals : NULL,
	};
	struct str root = report_find_root(j->arena);
	struct buf out;

	s.forked_from = show_lineage(j->arena, j->dir);
	if (j->dir.p && run_check_is_one(j->dir))
		s.bench = report_relative(j->dir, root);
	if (!o->json.given && !o->plain)
		s.path = report_relative(s.path, root);
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
		pager_show(j->arena, j->args.frame, buf_str(&out));
	buf_free(&out);
	return EXIT_YES;
}

/* The runs of a directory or of a log that holds several. */
static int show_print_runs(struct show_job *j, struct run_table *t)
{
	struct runs_output output = { .arena = j->arena, .frame = j->args.frame, .plain = j->o->plain, .raw = j->o->raw,
				      .jsonl = j->o->jsonl };

	output.json.given = j->o->json.given;
	output.paths = file_is_dir(j->path);
	if (output.paths) /* the runs of one log stay as they are: --run may give their numbers */
		run_table_sort(t, RUN_TABLE_WHEN, false);
	runs_output_show(&output, t);
	return EXIT_YES;
}

/* A directory that is not that of a run. */
static int show_directory(struct show_job *j, struct err *err)
{
	struct run_table table;
	struct runs_load load = {
		.arena = j->arena, .frame = j->args.frame, .table = &table, .as = j->load.as, .jobs = j->o->jobs,
		.permissive = j->o->permissive, .prices = j->load.prices,
	};

	run_table_init(&table, j->arena);
	if (!runs_load_paths(&load, &j->path, 1, err))
		return EXIT_FAIL;
	if (table.count == 0 && load.logs.failed == 0)
		return err_set(err, ERR_DATA, "%.*s: there is no run in this directory" ERR_HELP
			       "'trackway formats' lists the logs that can be read", STR_ARG(j->path)) ? 0 : EXIT_FAIL;
	if (table.count)
		show_print_runs(j, &table);
	return load.logs.failed ? EXIT_CANNOT : EXIT_YES;
}

static int show_log(struct show_job *j, struct err *err)
{
	if (!show_load_log(&j->load, j->path, err))
		return EXIT_FAIL;
	if (j->load.table.count == 0)
		return EXIT_CANNOT; /* it was told why */
	if (j->load.table.count > 1 && !j->o->run.p) {
		show_print_runs(j, &j->load.table);
		inputs_note(j->args.frame, "the log holds several runs: --run NAME shows one of them");
	} else {
		show_print(j);
	}
	return j->load.failed ? EXIT_CANNOT : EXIT_YES;
}

/* An agent-trace, and what nobody knows, is read as such; everything else as a log. --run asks for a log, too. */
static int show_file(struct show_job *j, struct err *err)
{
	const struct dialect *format = j->load.as;
	bool is_archive = false;
	struct err ignored;

	if (!format)
		log_look(j->path, j->load.io, &format, &is_archive, &ignored);
	if (j->o->run.p || is_archive || (format && format != &agent_trace_dialect))
		return show_log(j, err);
	if (!show_load_trace(&j->load, j->path, err) ||
	    !check_trace(&j->load.profile, j->path, j->o->permissive, err))
		return EXIT_FAIL;
	return show_print(j);
}

/* The number of the run that --run means. An id is found by reading the log, which standard input allows only once. */
static bool show_find_number(struct show_job *j, struct str path, uint64_t *number, struct err *err)
{
	if (!j->o->run.p || num_parse_u64(j->o->run, number))
		return true;
	if (j->load.io)
		return usage_set(err, "give the number of the run, from 1",
				 "--run needs a file here to look for an id");
	if (!show_load_log(&j->load, path, err))
		return false;
	*number = j->load.chosen + 1;
	return true;
}

static int show_transcript(struct show_job *j, struct err *err)
{
	const struct show_opts *o = j->o;
	struct str log = transcript_find(j->arena, j->path);
	struct transcript_options how = {
		.form = o->json.given ? TRANSCRIPT_JSON : o->jsonl ? TRANSCRIPT_JSONL : TRANSCRIPT_TEXT,
		.all = o->all || o->raw, .as = j->load.as, .jobs = o->jobs, .io = j->load.io,
	};

	return show_find_number(j, log, &how.run, err) &&
	       transcript_show(j->arena, j->args.frame, log, &how, err) ? EXIT_YES : EXIT_FAIL;
}

/* Where the path leads: a run's directory to its trace, another to its runs. */
static int show_path(struct show_job *j, struct err *err)
{
	struct str trace = arena_copy(j->arena, ARENA_JOIN(j->arena, j->path, STR("/agent-trace.jsonl")));

	if (j->o->transcript)
		return show_transcript(j, err);
	if (!file_is_dir(j->path))
		return show_file(j, err);
	if (access(trace.p, F_OK) != 0)
		return show_directory(j, err);
	j->dir = j->path;
	j->path = str_ends(j->dir, STR("/")) ? arena_copy(j->arena, ARENA_JOIN(j->arena, j->dir,
			STR("agent-trace.jsonl"))) : trace;
	return show_file(j, err);
}

/* The command: finds the run, reads it and shows it in one of three forms. */
static int show_show_run(struct arena *a, const void *options, struct args args, struct err *err)
{
	const struct show_opts *o = options;
	struct show_job j = { .arena = a, .o = o, .args = args };
	int status;

	j.load = (struct show_load){ .arena = a, .frame = args.frame, .jobs = o->jobs, .permissive = o->permissive,
				     .run = o->run };
	j.load.row_limit = o->all ? SIZE_MAX : o->limit == UINT_MAX ? ROWS : o->limit;
	if (!show_check_options(o, err) || !logs_get_format(o->from, &j.load.as, err) ||
	    !logs_get_prices(a, o->no_cost, o->prices, &j.load.prices, err))
		return EXIT_FAIL;
	status = show_find(a, args, &j.path, err);
	if (status != EXIT_YES)
		return status;
	if (o->signals)
		return signals_output_show(a, j.path, args, o->json, o->jobs, err);
	j.io = again_io(&j.again);
	j.load.io = str_eq(j.path, STR("-")) ? &j.io : NULL;
	status = show_path(&j, err);
	show_load_free(&j.load);
	again_free(&j.again);
	return status;
}

static const struct example examples[] = {
	{ "trackway show agent-trace.jsonl", "where the time and the tokens of a run went" },
	{ "trackway show agent-trace.jsonl --all --raw", "every node, every digit" },
	{ "trackway show agent-trace.jsonl --json=verdict,time,tokens", "some facts for a script" },
	{ "trackway show agent-trace.jsonl --plain | grep ^tool", "the tools, for awk and sort" },
	{ "trackway show session.jsonl --transcript", "what was said in the log of an agent" },
	{ NULL, NULL },
};

const struct command show_command = {
	.name = "show",
	.summary = "show where the time and the tokens of a run went",
	.usage = "[RUN|FILE|DIR] [--all|--limit N|--transcript|--signals] [--json|--plain]",
	.description =
		"RUN is a trace, the directory of a run, or its name: an id, six or more characters from the "
		"beginning or the end of it, @last, @-2 for the one before, tag:KEY or tag:KEY=VALUE. Without RUN "
		"the newest run is shown. 'trackway runs' lists them.\n\n"
		"FILE is a log in any format that 'trackway convert' reads; it is converted in memory. One that holds "
		"several runs gives a table of them, and --run shows one. So does a directory that is not that of a "
		"run: the table of all runs below it.\n\n"
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
		"Costs are in US dollars, stated in the log or computed from a table of prices (doc/prices.md), which "
		"a ~ marks. An agent-trace costs what it states. A model that used tokens and has "
		"no price is named: the sum lacks it.\n\n"
		"Errors of tools are counted where the log has the results: a log of an agent, or a run that was "
		"recorded with --content. --transcript prints what was said there: who, when, the text, calls with "
		"their arguments, and results, each cut to 20 lines; --all shows every line.\n\n"
		"--signals shows what the transcript of the run says instead: see 'trackway trial signals --help'. It "
		"needs a run that was recorded with --content.\n\n"
		"The words that begin the lines of --plain: run, file, count, known_by, time, tokens, cost, "
		"model, model_cost, tool, errors, tool_errors, wait, gap, node, left_out.",
	.examples = examples,
	.options = show_options,
	.defaults = &defaults,
	.fields = show_fields,
	.options_size = sizeof(struct show_opts),
	.args = ARGS_RUNS,
	.args_max = 1,
	.run = show_show_run,
};
