/* `trackway bench summary`: figures of runs from their rows, thresholds, and the derived files with --write. */
#include <errno.h>
#include <stdio.h>

#include "bench/report/outputs.h"
#include "cmd/bench/look.h"
#include "cmd/bench/shown.h"
#include "cmd/frame/commands.h"
#include "cmd/frame/stream.h"
#include "cmd/inputs.h"

struct summary_opts {
	struct bench_shown shown;
	bool md, csv, plain, write;
};

static const struct opt options[] = {
	BENCH_SHOWN_OPTIONS(struct summary_opts),
	{ OPT_FLAG, 0, "md", offsetof(struct summary_opts, md), NULL, "as Markdown: summary.md" },
	{ OPT_FLAG, 0, "csv", offsetof(struct summary_opts, csv), NULL, "as CSV, a row for each target" },
	{ OPT_FLAG, 0, "plain", offsetof(struct summary_opts, plain), NULL, "tab-separated fields" },
	{ OPT_FLAG, 0, "write", offsetof(struct summary_opts, write), NULL,
	  "rebuild the derived files of each run" },
	OPT_LAST,
};

static bool check_forms(const struct summary_opts *o, struct err *err)
{
	static const char *const names[] = { "--json", "--md", "--csv", "--plain", NULL };
	const bool given[] = { o->shown.json.given, o->md, o->csv, o->plain };

	return bench_look_one_form(given, names, err);
}

/* A run without a config.json may be another program's: its rows are enough. */
static bool read_config(struct arena *a, struct str dir, struct config *c, struct err *err)
{
	if (config_read(c, a, ARENA_JOIN(a, dir, STR("/config.json")), err))
		return true;
	if (err->errnum != ENOENT)
		return false;
	err->kind = ERR_NONE;
	*c = (struct config){ .repeat = 1, .stream = true, .temperature = -1, .budget_usd = -1 };
	return true;
}

/* Its rows are fewer than it set out to get. */
static bool is_interrupted(const struct config *c, const struct summary *s)
{
	return s->rows < c->prompt_count * c->target_count * c->repeat;
}

/* Makes the derived files of one run again, from its rows alone. */
static bool bench_summary_write_files(struct arena *a, const struct frame *f, enum rate_method method,
				      struct str dir, struct err *err)
{
	struct summary s;
	struct config c;

	if (!read_config(a, dir, &c, err) || !summary_make(&s, a, dir, method, err) ||
	    !outputs_write(a, dir, &c, method, is_interrupted(&c, &s), &s, err))
		return false;
	inputs_note(f, "wrote summary.json, summary.md, tool_use_summary.md, tool_use_summary.csv,");
	inputs_note(f, "  agent-trace.jsonl and report.html in %.*s", STR_ARG(dir));
	return true;
}

/* In the one form that was asked for. */
static void bench_summary_print(const struct frame *f, const struct summary_opts *o, const struct summary *s)
{
	struct buf text;

	if (!o->md && !o->csv && !o->plain) {
		bench_shown_print(f, &o->shown, s);
		return;
	}
	buf_init(&text);
	if (o->md)
		summary_write_md(&text, s);
	else if (o->csv)
		summary_write_csv(&text, s);
	else
		bench_look_plain(&text, s);
	stream_write(stdout, buf_str(&text));
	buf_free(&text);
}

/* The command. Files are written first, so that a threshold that is not met does not keep them from being there. */
static int summary_run(struct arena *a, const void *given, struct args args, struct err *err)
{
	const struct summary_opts *o = given;
	struct str *paths = arena_array(a, struct str, args.count + 1);
	enum rate_method method = (enum rate_method)o->shown.method;
	struct bench_wanted wanted;
	struct summary s;

	if (!check_forms(o, err) || !bench_shown_check(a, &o->shown, &wanted, err) ||
	    !bench_look_find(a, args.items, args.count, paths, err))
		return EXIT_FAIL;
	for (size_t i = 0; o->write && i < args.count; i++)
		if (!bench_summary_write_files(a, args.frame, method, paths[i], err))
			return EXIT_FAIL;
	if (!summary_make_many(&s, a, paths, args.count, method, err) || !bench_shown_export(&o->shown, &s, err))
		return EXIT_FAIL;
	bench_shown_warn(args.frame, s.skipped, s.repeated);
	bench_summary_print(args.frame, o, &s);
	return bench_shown_meets(args.frame, &o->shown, &wanted, &s) ? EXIT_YES : EXIT_NO;
}

static const struct example examples[] = {
	{ "trackway bench summary monday", "the figures of a run, with their intervals" },
	{ "trackway bench summary monday tuesday --ci exact", "of two runs combined" },
	{ "trackway bench summary monday --fail-under 'error_rate<=50%'", "for CI: exit status 1 if not" },
	{ "trackway bench summary monday --export-junit bench.xml -q", "a test case for each prompt" },
	{ NULL, NULL },
};

const struct command bench_summary_command = {
	.name = "bench summary",
	.summary = "show what runs came to, and check it against thresholds",
	.usage = "RUN... [--fail-under FIGURE]... [--json|--md|--csv|--plain]",
	.description =
		"RUN is the directory of a run, a results.jsonl, an id below ./runs, or any name of a run (@last, "
		"six or more characters of an id). Several runs are combined into one: rows of the same target "
		"are counted together.\n\n"
		"Everything is computed from the rows, not read from summary.json. --write rebuilds all files "
		"that are derived from the rows, for instance after the rows of a stopped run were recovered from "
		"elsewhere.\n\n"
		"A threshold is a figure, then <=, <, >= or >, then a limit. The figures: p50_latency, "
		"p95_latency, p99_latency, mean_latency, p50_ttft, p95_ttft, p99_ttft (ms or s), success_rate, "
		"objective_pass_rate or pass_rate, tool_use_success_rate, error_rate, rate_limited_rate (%, or a "
		"share of 1), tokens_per_second (tok/s), cost (usd), tier, n. Every target must meet it; a target "
		"without data does not. With --confident the worse end of the 95 % interval decides.\n\n"
		"The exit status is 1 when a threshold is not met; standard error says which one.",
	.examples = examples,
	.options = options,
	.fields = bench_shown_fields,
	.options_size = sizeof(struct summary_opts),
	.args = ARGS_RUNS,
	.args_min = 1,
	.args_max = ARGS_MANY,
	.run = summary_run,
};
