/* `trackway ledger list`: trials of the index that match a filter, and runs and benchmarks. */
#include <inttypes.h>
#include <math.h>

#include "cmd/frame/commands.h"
#include "cmd/frame/opt.h"
#include "cmd/ledger/args.h"
#include "cmd/ledger/listing.h"
#include "cmd/screen/amounts.h"
#include "json/put.h"

#define SHOWN 500 /* rows of the table, when nobody says */
#define UNSET -1
#define NO_LIMIT UINT_MAX

struct list_opts {
	struct ledger_choice ledger;
	struct str experiment, dataset, task, task_prefix, adapter, model, min_reward, max_reward;
	int completeness, part, kind; /* or UNSET */
	bool all, jsonl, plain;
	unsigned limit;
	struct opt_maybe json;
};

static const struct list_opts defaults = { .completeness = UNSET, .part = UNSET, .kind = UNSET, .limit = NO_LIMIT };

static const enum entry_kind kinds[] = { ENTRY_TRIAL, ENTRY_RUN, ENTRY_BENCH }; /* in the order of the option's words */

static const struct opt options[] = {
	{ OPT_STR, 0, "experiment", offsetof(struct list_opts, experiment), "ID", "only trials of this experiment" },
	{ OPT_STR, 0, "dataset", offsetof(struct list_opts, dataset), "ID", "only of this dataset, as name@version" },
	{ OPT_STR, 0, "task", offsetof(struct list_opts, task), "ID", "only of this task" },
	{ OPT_STR, 0, "task-prefix", offsetof(struct list_opts, task_prefix), "TEXT",
	  "only of tasks that begin with TEXT" },
	{ OPT_STR, 0, "adapter", offsetof(struct list_opts, adapter), "NAME", "only of this adapter" },
	{ OPT_STR, 0, "model", offsetof(struct list_opts, model), "NAME", "only of this model" },
	{ OPT_CHOICE, 0, "completeness", offsetof(struct list_opts, completeness), "complete|partial",
	  "only complete or only partial trials" },
	{ OPT_STR, 0, "min-reward", offsetof(struct list_opts, min_reward), "X", "only with a reward of at least X" },
	{ OPT_STR, 0, "max-reward", offsetof(struct list_opts, max_reward), "X", "only with a reward of at most X" },
	{ OPT_CHOICE, 0, "part", offsetof(struct list_opts, part), "main|diagnostic", "only of one of the two logs" },
	{ OPT_CHOICE, 0, "kind", offsetof(struct list_opts, kind), "trial|run|bench",
	  "only trials, recorded runs or benchmarks" },
	{ OPT_FLAG, 0, "all", offsetof(struct list_opts, all), NULL,
	  "include superseded trials" },
	{ OPT_UINT, 0, "limit", offsetof(struct list_opts, limit), "N",
	  "only the first N; 0 for all (default: 500 in the table, else all)" },
	{ OPT_OPTIONAL, 0, "json", offsetof(struct list_opts, json), "FIELDS",
	  "as one JSON document; only the named fields of each" },
	{ OPT_FLAG, 0, "jsonl", offsetof(struct list_opts, jsonl), NULL, "one JSON object on each line" },
	{ OPT_FLAG, 0, "plain", offsetof(struct list_opts, plain), NULL, "tab-separated fields" },
	LEDGER_VKEY_OPTION(struct list_opts),
	LEDGER_OPTION(struct list_opts),
	OPT_LAST,
};

struct list {
	const struct list_opts *options;
	struct index_filter filter;
	struct listing rows;
	uint64_t complete, partial, superseded;
	uint64_t trials, runs, benches; /* shown */
};

/* The options as a filter of the index. Superseded trials are hidden unless --all is given. */
static bool make_filter(const struct list_opts *o, bool is_table, struct index_filter *f, struct err *err)
{
	static const char *const words[] = { "complete", "partial" };

	*f = INDEX_ANY;
	f->kind = ENTRY_TRIAL;
	f->part = o->part;
	f->experiment = o->experiment;
	f->dataset = o->dataset;
	f->task = o->task;
	f->task_prefix = o->task_prefix;
	f->adapter = o->adapter;
	f->model = o->model;
	if (o->completeness != UNSET)
		f->completeness = str_from(words[o->completeness]);
	f->hide_superseded = !o->all;
	if (o->limit != NO_LIMIT)
		f->limit = o->limit;
	else if (is_table)
		f->limit = SHOWN;
	if (o->task.p && o->task_prefix.p)
		return usage_set(err, "give one of them", "--task and --task-prefix exclude each other");
	return ledger_args_number(o->min_reward, "--min-reward", &f->reward_min, err) &&
	       ledger_args_number(o->max_reward, "--max-reward", &f->reward_max, err);
}

/*
 * Counts all that match, whatever the limit. Superseded ones are the difference between the counts with and without
 * them.
 */
static bool ledger_list_count(struct list *l, struct index *x, struct err *err)
{
	struct index_filter f = l->filter;
	uint64_t all = 0;

	f.limit = 0;
	f.part = LEDGER_MAIN;
	if (l->filter.part != LEDGER_DIAGNOSTIC && !index_count(x, &f, &l->complete, err))
		return false;
	f.part = LEDGER_DIAGNOSTIC;
	if (l->filter.part != LEDGER_MAIN && !index_count(x, &f, &l->partial, err))
		return false;
	f.part = l->filter.part;
	f.hide_superseded = !f.hide_superseded;
	if (!index_count(x, &f, &all, err))
		return false;
	l->superseded = f.hide_superseded ? l->complete + l->partial - all : all - l->complete - l->partial;
	return true;
}

/* The id gives way first (grid.h); what is left of the others must fit beside it. */
static void ledger_list_add_row(struct grid *g, const struct index_row *row, size_t width)
{
	bool is_wide = width >= 110;

	ledger_row_add_cell(g, row->id, 40);
	ledger_row_add_cell(g, row->experiment, is_wide ? 24 : 10);
	ledger_row_add_cell(g, row->task, is_wide ? 32 : 12);
	ledger_row_add_cell(g, row->model, is_wide ? 24 : 10);
	if (row->has_reward)
		grid_printf(g, "%.3f", row->reward);
	else
		grid_add(g, STR("-"));
	ledger_row_add_figures(g, row);
	if (row->part == LEDGER_DIAGNOSTIC)
		buf_add_str(&g->cell, STR("partial, "));
	ledger_row_add_state(&g->cell, row);
	if (row->known & 1u << INDEX_ADVISOR_CALLS && row->figures[INDEX_ADVISOR_CALLS] > 0) {
		if (g->cell.n && !str_ends(buf_str(&g->cell), STR(", ")))
			buf_add_str(&g->cell, STR(", "));
		ledger_row_add_figure(&g->cell, row, INDEX_ADVISOR_CALLS);
		buf_add_str(&g->cell, STR(" advisor call"));
		buf_add_str(&g->cell, row->figures[INDEX_ADVISOR_CALLS] == 1 ? STR("") : STR("s"));
	}
	if (str_ends(buf_str(&g->cell), STR(", ")))
		g->cell.n -= 2;
	grid_add_cell(g);
}

/* A run or a benchmark. On a narrow screen the day must do. */
static void ledger_list_add_run(struct grid *g, const struct index_row *row, size_t width)
{
	struct str day = str_of(row->timestamp.p, row->timestamp.n < 10 ? 0 : 10);

	ledger_row_add_cell(g, row->id, 40);
	grid_add(g, str_from(entry_kind_name(row->kind)));
	ledger_row_add_cell(g, width >= 110 ? row->timestamp : day, 24);
	ledger_row_add_figures(g, row);
	ledger_row_add_state(&g->cell, row);
	grid_add_cell(g);
}

/* Scripts that read lines or fields of trials do not get others among them unless they ask. */
static bool wants_kind(const struct list *l, enum entry_kind kind)
{
	if (l->options->kind != UNSET)
		return kinds[l->options->kind] == kind;
	return kind == ENTRY_TRIAL || listing_is_table(&l->rows) || l->rows.json.given;
}

/* "12 trials: 10 complete, 2 partial; 1 superseded (--all shows it)" */
static void ledger_list_add_sum(struct list *l)
{
	uint64_t all = l->complete + l->partial;
	struct buf *out = &l->rows.out;

	if (l->options->kind != UNSET && !wants_kind(l, ENTRY_TRIAL)) {
		amounts_add_things(out, l->runs + l->benches,
				   wants_kind(l, ENTRY_RUN) ? "run" : "benchmark");
		buf_add_byte(out, '\n');
		return;
	}
	buf_printf(out, "%" PRIu64 " trial%s", all, all == 1 ? "" : "s");
	if (all)
		buf_printf(out, ": %" PRIu64 " complete, %" PRIu64 " partial", l->complete, l->partial);
	if (l->superseded)
		buf_printf(out, "%s %" PRIu64 " superseded%s", l->options->all ? "," : ";", l->superseded,
			   l->options->all ? "" : l->superseded == 1 ? " one is not shown (--all)" :
									     " ones are not shown (--all)");
	if (l->runs + l->benches) {
		buf_add_str(out, STR("; "));
		amounts_add_things(out, l->runs, "run");
		buf_add_str(out, STR(", "));
		amounts_add_things(out, l->benches, "benchmark");
	}
	buf_add_byte(out, '\n');
	if (wants_kind(l, ENTRY_TRIAL) && l->trials < all)
		buf_printf(out, "shown: the first %" PRIu64 " (--limit 0 shows all)\n", l->trials);
}

/* Rows of one kind; how many were shown goes to *shown. */
static bool ledger_list_kind(struct list *l, struct index *x, enum entry_kind kind, uint64_t *shown, struct err *err)
{
	uint64_t before = l->rows.shown;

	l->filter.kind = (int)kind;
	if (wants_kind(l, kind) && !index_list(x, &l->filter, listing_take, &l->rows, err))
		return false;
	*shown = l->rows.shown - before;
	return true;
}

static bool ledger_list_fill(void *own, struct index *x, struct err *err)
{
	static const char *const names[] = { "RUN", "KIND", "WHEN", "TOKENS", "COST", "TIME", "" };
	struct list *l = own;

	if (!ledger_list_count(l, x, err) || !ledger_list_kind(l, x, ENTRY_TRIAL, &l->trials, err))
		return false;
	listing_next(&l->rows, "runs", "lllrrrl", names, ledger_list_add_run);
	if (!ledger_list_kind(l, x, ENTRY_RUN, &l->runs, err))
		return false;
	if (l->rows.json.given)
		listing_next(&l->rows, "benches", "lllrrrl", names, ledger_list_add_run);
	return ledger_list_kind(l, x, ENTRY_BENCH, &l->benches, err);
}

/* For listing_run: the sentence below the table, or the counts behind the array. */
static void ledger_list_sum(void *own)
{
	struct list *l = own;

	if (listing_is_table(&l->rows))
		ledger_list_add_sum(l);
	if (!l->rows.json.given)
		return;
	json_put_u64(&l->rows.writer, "complete", l->complete);
	json_put_u64(&l->rows.writer, "partial", l->partial);
	json_put_u64(&l->rows.writer, "superseded", l->superseded);
}

/* The command; listing.c does the rest. */
static int list_run(struct arena *a, const void *given, struct args args, struct err *err)
{
	static const char *const names[] = { "TRIAL", "EXPERIMENT", "TASK", "MODEL", "REWARD", "TOKENS", "COST", "TIME",
					     "" };
	const struct list_opts *o = given;
	struct list l = { .options = o };

	l.rows = (struct listing){
		.arena = a,
		.frame = args.frame,
		.json = o->json,
		.jsonl = o->jsonl,
		.plain = o->plain,
		.schema = "ledger-list",
		.array = "trials",
		.align = "llllrrrrl",
		.names = names,
		.row = ledger_list_add_row,
	};
	if (!listing_check(&l.rows, err) || !make_filter(o, listing_is_table(&l.rows), &l.filter, err))
		return EXIT_FAIL;
	return listing_run(&l.rows, &o->ledger, ledger_list_fill, ledger_list_sum, &l, err);
}

static const struct example examples[] = {
	{ "trackway ledger list", "all trials that are not superseded" },
	{ "trackway ledger list --task-prefix civil/ --min-reward 0.5", "the better ones of a kind of task" },
	{ "trackway ledger list --model m-large --json=id,reward", "two facts of each, for a script" },
	{ "trackway ledger list --kind bench", "benchmarks alone" },
	{ "trackway ledger list --all --plain | cut -f 5,14", "ids and rewards, for awk and sort" },
	{ NULL, NULL },
};

const struct command ledger_list_command = {
	.name = "ledger list",
	.summary = "list trials, by experiment, task, model, reward and more; runs and benchmarks",
	.usage = "[--experiment ID] [--task ID] [--model NAME] ...",
	.description =
		"Lists the trials of both logs in the order in which they were sealed. A trial must match all "
		"options given. A superseded trial is left out, unless --all is given. The line at the end says "
		"how many are complete and how many partial: only complete ones can support a result. Recorded "
		"runs and benchmarks have a table of their own; options about trials leave them out. TOKENS are those "
		"in and out together. What a record does not say is a dash, or null.\n\n"
		"An index makes this fast for a million records. It is made from the ledger and kept in your "
		"cache; the ledger always decides, and 'trackway ledger fsck --repair-index' rebuilds the index.\n\n"
		"The columns of --plain: part, index, kind, experiment_id, id, sealed_at, leaf, sha256, size, "
		"task_id, adapter, model, completeness, reward, superseded, erased, reviews, tokens_in, tokens_out, "
		"estimated_cost_usd, advisor_calls, total_seconds. --plain and --jsonl give trials only, unless --kind "
		"is given.",
	.examples = examples,
	.options = options,
	.env = ledger_env,
	.defaults = &defaults,
	.fields = ledger_row_fields,
	.options_size = sizeof(struct list_opts),
	.args = ARGS_NONE,
	.run = list_run,
};
