/* `trackway runs`: the runs of the list, or those below the paths given, with their facts. */
#include <limits.h>
#include <time.h>

#include "base/clock.h"
#include "base/num.h"
#include "base/stop.h"
#include "cmd/frame/commands.h"
#include "cmd/frame/opt.h"
#include "cmd/frame/since.h"
#include "cmd/inputs.h"
#include "cmd/runs_load.h"
#include "cmd/runs_output.h"
#include "store/runs.h"

#define RUNS_SHOWN 100 /* rows of the table, when nobody says */
#define RUNS_UNSET -1

struct runs_opts {
	int kind, verdict, sort; /* kind, verdict: or RUNS_UNSET */
	struct str model, agent, since, prices;
	struct opt_list tags;
	unsigned limit, jobs;
	bool reverse, all, jsonl, plain, raw, no_cost;
	struct opt_maybe json;
};

static const struct runs_opts defaults = { .kind = RUNS_UNSET, .verdict = RUNS_UNSET, .limit = UINT_MAX };

#define RUNS_VERDICTS "success|error|interrupted|running|complete|stopped|gone"

static const struct opt runs_options[] = {
	{ OPT_CHOICE, 0, "kind", offsetof(struct runs_opts, kind), "record|bench",
	  "only recordings or only benchmarks" },
	{ OPT_STR, 0, "model", offsetof(struct runs_opts, model), "NAME",
	  "only runs that called a model with NAME in its name" },
	{ OPT_STR, 0, "agent", offsetof(struct runs_opts, agent), "NAME",
	  "only runs with NAME in the name of the agent or program" },
	{ OPT_LIST, 0, "tag", offsetof(struct runs_opts, tags), "K[=V]", "only runs with this tag; may be repeated" },
	{ OPT_CHOICE, 0, "verdict", offsetof(struct runs_opts, verdict), RUNS_VERDICTS, "only runs that ended so" },
	{ OPT_STR, 0, "since", offsetof(struct runs_opts, since), "TIME",
	  "only runs since TIME: 2026-05-06, 2026-05-06T14:00:00Z, 30m, 24h, 7d or 2w" },
	{ OPT_CHOICE, 0, "sort", offsetof(struct runs_opts, sort), "when|tokens|cost|duration",
	  "the newest or the greatest first (default: when)" },
	{ OPT_FLAG, 0, "reverse", offsetof(struct runs_opts, reverse), NULL, "the oldest or the smallest first" },
	{ OPT_UINT, 0, "limit", offsetof(struct runs_opts, limit), "N",
	  "only the first N; 0 for all (default: 100 in the table, else all)" },
	{ OPT_FLAG, 0, "all", offsetof(struct runs_opts, all), NULL, "also runs whose directory is gone" },
	{ OPT_STR, 0, "prices", offsetof(struct runs_opts, prices), "FILE",
	  "prices for logs that state none; see 'trackway convert --help'" },
	{ OPT_FLAG, 0, "no-cost", offsetof(struct runs_opts, no_cost), NULL, "compute no costs" },
	{ OPT_FLAG, 0, "raw", offsetof(struct runs_opts, raw), NULL, "numbers with all digits" },
	{ OPT_OPTIONAL, 0, "json", offsetof(struct runs_opts, json), "FIELDS",
	  "as one JSON document; only the named fields of each run" },
	{ OPT_FLAG, 0, "jsonl", offsetof(struct runs_opts, jsonl), NULL, "one JSON object on each line" },
	{ OPT_FLAG, 0, "plain", offsetof(struct runs_opts, plain), NULL, "tab-separated fields" },
	{ OPT_UINT, 0, "jobs", offsetof(struct runs_opts, jobs), "N", "threads (default: 0, one for each core)" },
	OPT_LAST,
};

/* ---- options ---- */

static bool runs_read_since(const struct runs_opts *o, struct run_table_filter *f, struct err *err)
{
	f->has_since = o->since.p != NULL;
	return !f->has_since || since_parse(o->since, &f->since_us, err);
}

/* The word of a choice, in the order of its table. */
static struct str runs_choice(const char *words, int which)
{
	struct str left = str_from(words), word = str_of(NULL, 0);

	for (int i = 0; i <= which; i++)
		word = opt_next_choice(&left);
	return word;
}

/* ---- the list ---- */

/* What the list says where the directory itself is silent. */
static void runs_complete(struct arena *a, struct run_facts *f, const struct run_entry *e)
{
	struct run_facts_tag *tags = arena_array(a, struct run_facts_tag, e->tag_count + 1);
	struct stamp s;
	int64_t ns;

	f->id = e->run_id;
	for (size_t i = 0; i < e->tag_count; i++)
		tags[i] = (struct run_facts_tag){ e->tags[i].key, e->tags[i].value };
	if (f->tag_count == 0) {
		f->tags = tags;
		f->tag_count = e->tag_count;
	}
	if (str_eq(str_from(f->kind), STR("trace")) && str_eq(e->kind, STR("record")))
		f->kind = "record";
	if (!f->program.n)
		f->program = e->program;
	if (!f->has_time && stamp_parse(e->started, &s) && stamp_ns(&s, &ns)) {
		f->from_us = f->to_us = ns / 1000;
		f->has_time = true;
	}
}

/* A run that is only on the list: its directory is gone, or a newer run has it. */
static void runs_add_gone(struct run_table *t, const struct run_entry *e)
{
	struct run_facts *f = run_table_add(t);

	f->path = e->dir;
	f->kind = str_eq(e->kind, STR("bench")) ? "bench" : "record";
	f->verdict = "gone";
	runs_complete(t->arena, f, e);
}

static bool runs_read_list(struct run_table *t, bool all, struct err *err)
{
	struct run_facts_reader *r;
	struct run_entry *there, *listed;
	struct map known;
	size_t count, total = 0;

	if (!runs_list_recent(t->arena, SIZE_MAX, &there, &count, err) ||
	    (all && !runs_list(t->arena, &listed, &total, err)))
		return false;
	map_init(&known, t->arena);
	r = run_facts_open(t->arena);
	for (size_t i = 0; i < count && !stop_signal(); i++) {
		struct run_facts *f = run_table_add(t);
		bool added;

		map_add(&known, there[i].run_id, &added);
		run_facts_read(r, there[i].dir, f);
		runs_complete(t->arena, f, &there[i]);
	}
	run_facts_close(r);
	for (size_t i = total; i-- > 0;)
		if (!map_find(&known, listed[i].run_id))
			runs_add_gone(t, &listed[i]);
	return true;
}

/* ---- the command ---- */

static bool runs_fill(struct run_table *t, const struct runs_opts *o, struct args args, int *status, struct err *err)
{
	struct runs_load load = { .arena = t->arena, .frame = args.frame, .table = t, .jobs = o->jobs };
	bool wants_gone = o->verdict != RUNS_UNSET && str_eq(runs_choice(RUNS_VERDICTS, o->verdict), STR("gone"));

	if (args.count == 0)
		return runs_read_list(t, o->all || wants_gone, err);
	if (!logs_get_prices(t->arena, o->no_cost, o->prices, &load.prices, err) ||
	    !runs_load_paths(&load, args.items, args.count, err))
		return false;
	if (load.logs.failed)
		*status = EXIT_CANNOT;
	return true;
}

/* Why nothing is shown; for people only. */
static void runs_say_none(const struct frame *f, bool has_paths, size_t before)
{
	if (before)
		inputs_note(f, "none of the %zu runs matches", before);
	else if (has_paths)
		inputs_note(f, "there is no run here");
	else
		inputs_note(f, "there are no runs yet: 'trackway record -- COMMAND' and 'trackway bench run SUITE' "
			    "make some");
}

static int runs_run(struct arena *a, const void *options, struct args args, struct err *err)
{
	const struct runs_opts *o = options;
	struct runs_output output = { .arena = a, .frame = args.frame, .json = o->json, .jsonl = o->jsonl,
				      .plain = o->plain, .raw = o->raw };
	struct run_table_filter filter = { .model = o->model, .agent = o->agent, .tags = o->tags.items,
					   .tag_count = o->tags.count };
	struct run_table table;
	int status = EXIT_YES;
	size_t before;

	output.paths = args.count > 0;
	output.limit = o->limit != UINT_MAX ? o->limit : runs_output_is_table(&output) ? RUNS_SHOWN : 0;
	filter.kind = o->kind == RUNS_UNSET ? NULL : o->kind ? "bench" : "record";
	filter.verdict = o->verdict == RUNS_UNSET ? str_of(NULL, 0) : runs_choice(RUNS_VERDICTS, o->verdict);
	if (!runs_output_check(&output, err) || !runs_read_since(o, &filter, err))
		return EXIT_FAIL;
	run_table_init(&table, a);
	if (!runs_fill(&table, o, args, &status, err))
		return EXIT_FAIL;
	before = table.count;
	run_table_narrow(&table, &filter);
	run_table_sort(&table, (enum run_table_order)o->sort, o->reverse);
	runs_output_show(&output, &table);
	if (table.count == 0 && status == EXIT_YES && runs_output_is_table(&output))
		runs_say_none(args.frame, args.count > 0, before);
	return status;
}

static const struct example examples[] = {
	{ "trackway runs", "the newest runs, recorded and benchmarks" },
	{ "trackway runs --model gpt --since 7d --sort cost", "what a model cost this week, the dearest first" },
	{ "trackway runs --tag team=search --verdict error", "failed runs of a team" },
	{ "trackway runs . --json=run_id,verdict,cost", "the runs below a directory, for a script" },
	{ NULL, NULL },
};

const struct command runs_command = {
	.name = "runs",
	.summary = "list runs: when, verdict, agent, model, tokens, cost, tags",
	.usage = "[PATH]... [--kind record|bench] [--model NAME] [--since TIME] ...",
	.description =
		"Lists the runs that 'trackway record' and 'trackway bench run' made, the newest first, from the list "
		"in $TRACKWAY_HOME. With PATH it lists the runs below these directories instead: those of run "
		"directories, and those of logs in any format that can be read.\n\n"
		"The name of a run is the end of its id; 'trackway show NAME', 'validate NAME' and 'convert NAME' "
		"take it, and six or more characters from the beginning or the end of an id. A screen of 100 columns "
		"or more also has the kind, tokens in and out, the time it took and the tags.\n\n"
		"The verdict of a recording is success, error, interrupted or running. That of a benchmark is "
		"complete, stopped (some of its calls were never made) or running; behind it stand the answers that "
		"passed and those that were judged, where a failed call is no pass.\n\n"
		"A cost with +? lacks the calls of models that have no price; the line below names these models.\n\n"
		"The columns of --plain: run_id, kind, verdict, started, seconds, agent, program, models, input "
		"tokens, output tokens, cost, models without a price, passed, judged, tags, directory.",
	.examples = examples,
	.options = runs_options,
	.defaults = &defaults,
	.fields = runs_fields,
	.options_size = sizeof(struct runs_opts),
	.args = ARGS_RUNS,
	.args_max = ARGS_MANY,
	.run = runs_run,
};
