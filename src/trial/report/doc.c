/* Documents of a leaderboard, a summary, costs and a comparison: columns as tables, and a function that fills a row. */
#include "trial/report/doc.h"

#include <assert.h>
#include <math.h>

void doc_source_init(struct doc_source *s, struct tally *t, const struct tally_filter *f, const struct board_how *how)
{
	*s = (struct doc_source){ .tally = t, .filter = *f, .how = *how, .about = STANDING_COUNTED };
	tally_select(t, f);
	s->judging = judging_make(t);
}

void doc_add(struct doc *d, struct sheet s)
{
	assert(d->count < DOC_SHEETS);
	d->sheets[d->count++] = s;
}

static struct str doc_name(const struct doc_source *s, const struct board_group *g, enum trial_name which)
{
	return tally_name(s->tally, g->sample, which);
}

static struct str doc_words(const char *words)
{
	return words ? str_from(words) : (struct str){ NULL, 0 };
}

/* ---- what every report says of its trials ---- */

static void doc_add_counts(struct doc *d, const struct doc_source *s)
{
	static const struct sheet_column columns[] = {
		{ "trials", "trials", SHEET_COUNT, 0 },
		{ "counted", "counted", SHEET_COUNT, 0 },
		{ "partial", "partial", SHEET_COUNT, 0 },
		{ "infrastructure", "infrastructure", SHEET_COUNT, 0 },
		{ "superseded", "superseded", SHEET_COUNT, 0 },
		{ "regraded", "regraded", SHEET_COUNT, 0 },
		{ "completed_later", "completed later", SHEET_COUNT, 0 },
		{ "erased", "erased", SHEET_COUNT, 0 },
	};
	static const enum trial_standing order[] = {
		STANDING_COUNTED, STANDING_PARTIAL, STANDING_INFRASTRUCTURE, STANDING_SUPERSEDED, STANDING_REGRADED,
		STANDING_COMPLETED_LATER, STANDING_ERASED,
	};
	struct sheet x = sheet_begin(s->tally->arena, "counts", columns, COUNT(columns));
	uint64_t counts[STANDING_COUNT] = { 0 };

	x.title = "All trials";
	x.is_single = true;
	for (size_t i = 0; i < s->tally->count; i++)
		counts[s->tally->trials[i].standing]++;
	sheet_add_number(&x, (double)s->tally->count);
	for (size_t i = 0; i < COUNT(order); i++)
		sheet_add_number(&x, (double)counts[order[i]]);
	doc_add(d, x);
}

static void doc_add_heads(struct doc *d, const struct doc_source *s)
{
	static const struct sheet_column columns[] = {
		{ "part", "log", SHEET_TEXT, 0 },
		{ "origin", "origin", SHEET_TEXT, 0 },
		{ "size", "entries", SHEET_COUNT, 0 },
		{ "root", "root", SHEET_TEXT, 0 },
	};
	struct sheet x = sheet_begin(s->tally->arena, "ledger", columns, COUNT(columns));

	x.title = "The ledger, as its checkpoints sign it";
	for (int p = 0; p < LEDGER_PARTS; p++) {
		const struct tally_head *h = &s->tally->heads[p];
		char hex[SHA256_HEX];

		if (!h->given)
			continue;
		digest_hex(hex, h->root);
		sheet_add_text(&x, str_from(ledger_part_name((enum ledger_part)p)));
		sheet_add_text(&x, h->origin);
		sheet_add_number(&x, (double)h->size);
		sheet_add_text(&x, arena_copy(x.arena, str_of(hex, sizeof(hex))));
	}
	doc_add(d, x);
}

static void doc_add_settings(struct doc *d, const struct doc_source *s)
{
	static const struct sheet_column columns[] = {
		{ "experiment", "experiment", SHEET_TEXT, 0 }, { "task_prefix", "task prefix", SHEET_TEXT, 0 },
		{ "model", "model", SHEET_TEXT, 0 },           { "adapter", "adapter", SHEET_TEXT, 0 },
		{ "since", "since", SHEET_TEXT, 0 },           { "interval", "interval of means", SHEET_TEXT, 0 },
		{ "level", "level", SHEET_SHARE, 0 },          { "resamples", "resamples", SHEET_COUNT, 0 },
		{ "standing", NULL, SHEET_TEXT, 0 },
	};
	struct sheet x = sheet_begin(s->tally->arena, "settings", columns, COUNT(columns));

	x.title = "Settings";
	x.is_single = true;
	sheet_add_text(&x, s->filter.experiment);
	sheet_add_text(&x, s->filter.task_prefix);
	sheet_add_text(&x, s->filter.model);
	sheet_add_text(&x, s->filter.adapter);
	sheet_add_text(&x, s->since);
	sheet_add_text(&x, s->how.bootstrap ? STR("percentile bootstrap over tasks") :
			   STR("Student's t, clustered by task"));
	sheet_add_number(&x, BOARD_LEVEL);
	sheet_add_number(&x, s->how.bootstrap ? STATS_RESAMPLES : NAN);
	sheet_add_text(&x, str_from(trial_standing_word(s->about)));
	doc_add(d, x);
}

static void doc_add_erased(struct doc *d, const struct doc_source *s)
{
	static const struct sheet_column columns[] = {
		{ "experiment_id", "erased: experiment", SHEET_TEXT, 0 },
		{ "trial_id", "trial", SHEET_TEXT, 0 },
	};
	struct sheet x = sheet_begin(s->tally->arena, "erased", columns, COUNT(columns));

	x.title = "Erased: nothing is known of them but their names";
	for (size_t i = 0; i < s->tally->count; i++) {
		const struct trial_fact *f = &s->tally->trials[i];

		if (f->standing != STANDING_ERASED)
			continue;
		sheet_add_text(&x, tally_name(s->tally, f, NAME_EXPERIMENT));
		sheet_add_text(&x, tally_name(s->tally, f, NAME_TRIAL));
	}
	doc_add(d, x);
}

void doc_add_basis(struct doc *d, const struct doc_source *s)
{
	doc_add_erased(d, s);
	doc_add_counts(d, s);
	doc_add_settings(d, s);
	doc_add_heads(d, s);
}

/* Trials of one standing, by adapter and model: apart from those that count. */
static void doc_add_apart(struct doc *d, const struct doc_source *s, const struct board *b, enum trial_standing which,
			  const char *title)
{
	static const struct sheet_column columns[] = {
		{ "adapter", "adapter", SHEET_TEXT, 0 },
		{ "model", "model", SHEET_TEXT, 0 },
		{ "trials", "trials", SHEET_COUNT, 0 },
		{ "counted", "counted", SHEET_COUNT, 0 },
		{ "attempts", "attempts", SHEET_COUNT, 0 },
	};
	struct sheet x = sheet_begin(s->tally->arena, trial_standing_word(which), columns, COUNT(columns));

	x.title = title;
	for (size_t i = 0; i < b->count; i++) {
		const struct board_group *g = &b->groups[i];

		if (!g->standings[which])
			continue;
		sheet_add_text(&x, doc_name(s, g, NAME_ADAPTER));
		sheet_add_text(&x, doc_name(s, g, NAME_MODEL));
		sheet_add_number(&x, (double)g->standings[which]);
		sheet_add_number(&x, (double)g->trials);
		sheet_add_number(&x, (double)g->attempts);
	}
	doc_add(d, x);
}

static void doc_add_both_apart(struct doc *d, const struct doc_source *s, const struct board *b)
{
	doc_add_apart(d, s, b, STANDING_PARTIAL, "Partial: they back no figure");
	doc_add_apart(d, s, b, STANDING_INFRASTRUCTURE, "Failed by the infrastructure: not the model's failures");
}

/* ---- leaderboard ---- */

static const struct sheet_column leaderboard_columns[] = {
	{ "rank", "rank", SHEET_COUNT, 0 },
	{ "model", "model", SHEET_TEXT, 0 },
	{ "adapter", "adapter", SHEET_TEXT, 0 },
	{ "tied_with", "tied with", SHEET_COUNT, 4 },
	{ "mean_reward", "reward", SHEET_NUMBER, 1 },
	{ "mean_reward_interval", "95 % interval", SHEET_RANGE, 1 },
	{ "no_interval", NULL, SHEET_TEXT, 1 },
	{ "seed", NULL, SHEET_SEED, 1 },
	{ "trials", "trials", SHEET_COUNT, 1 },
	{ "tasks", "tasks", SHEET_COUNT, 1 },
	{ "passed", NULL, SHEET_COUNT, 1 },
	{ "pass_rate", "pass", SHEET_SHARE, 1 },
	{ "pass_interval", "pass interval", SHEET_SHARES, 1 },
	{ "zero", NULL, SHEET_COUNT, 2 },
	{ "zero_rate", "zero", SHEET_SHARE, 2 },
	{ "zero_interval", NULL, SHEET_SHARES, 2 },
	{ "k", "k", SHEET_COUNT, 2 },
	{ "k_tasks", NULL, SHEET_COUNT, 2 },
	{ "pass_at_k", "pass@k", SHEET_SHARE, 2 },
	{ "pass_all_k", "pass^k", SHEET_SHARE, 2 },
	{ "attempts", "attempts", SHEET_COUNT, 2 },
	{ "mean_reward_of_attempts", "reward of attempts", SHEET_NUMBER, 2 },
	{ "pass_rate_of_attempts", "pass of attempts", SHEET_SHARE, 2 },
	{ "cost_usd", "cost of the priced", SHEET_USD, 3 },
	{ "priced_trials", "priced", SHEET_COUNT, 3 },
	{ "price_tables", "prices", SHEET_TEXTS, 3 },
	{ "tokens_in", "tokens in", SHEET_COUNT, 3 },
	{ "tokens_out", "tokens out", SHEET_COUNT, 3 },
	{ "counted_trials", NULL, SHEET_COUNT, 3 },
	{ "mean_seconds", "mean time", SHEET_SECONDS, 3 },
	{ "advisor_calls", "advisor calls", SHEET_COUNT, 3 },
	{ "advisor_share", "advisor's tokens", SHEET_SHARE, 3 },
	{ "task_slice", "slice", SHEET_TEXT, 4 },
	{ "experiments", "experiments", SHEET_TEXTS, 4 },
	{ "datasets", NULL, SHEET_TEXTS, 4 },
	{ "repetitions_least", "fewest per task", SHEET_COUNT, 4 },
	{ "repetitions_most", "most per task", SHEET_COUNT, 4 },
	{ "verifiers", "verifier", SHEET_TEXTS, 5 },
	{ "trials_without_verifier", "verifier not told", SHEET_COUNT, 5 },
	{ "mixed_tasks", "mixed tasks", SHEET_COUNT, 5 },
	{ "isolation", "isolation", SHEET_TEXTS, 5 },
	{ "review_policy", "reviews", SHEET_TEXT, 5 },
	{ "registered", "registered", SHEET_COUNT, 5 },
	{ "adapter_revisions", NULL, SHEET_TEXTS, 5 },
	{ "regraded", NULL, SHEET_COUNT, 5 },
	{ "superseded", NULL, SHEET_COUNT, 5 },
	{ "agent_failed", "agent failed", SHEET_COUNT, 4 },
	{ "agent_timeout", "timed out", SHEET_COUNT, 4 },
	{ "verifier_failed", "verifier failed", SHEET_COUNT, 4 },
};

static const char *const leaderboard_notes[] = {
	"Only complete trials count. An attempt is a trial that counts, a partial one or one that the infrastructure "
	"failed; of attempts, what does not count is a reward of 0.",
	"Equal means share a rank. Whether one row is better than another is a question for 'trackway report compare': "
	"intervals side by side do not answer it.",
	"A mean has no interval below 3 trials, with one task only, or when tasks do not differ. Below some hundred "
	"tasks an interval is rough: Student's t takes means for normal, and resamples know no other tasks.",
	"Pass is a reward of at least 1. A task that was tried several times is one cluster, also in the intervals of "
	"rates; pass@k: one of k tries passes, pass^k: all k do. A dash is what is not known; a sum of tokens is there "
	"when every trial tells them.",
	NULL,
};

static void doc_put_rewards(struct sheet *x, const struct board_group *g, bool bootstrap)
{
	double n = g->trials ? (double)g->trials : NAN;

	sheet_add_number(x, g->trials ? g->mean.mean : NAN);
	sheet_add_range(x, g->interval);
	sheet_add_text(x, doc_words(g->no_interval));
	sheet_add_seed(x, g->seed, bootstrap && !g->no_interval);
	sheet_add_number(x, (double)g->trials);
	sheet_add_number(x, (double)g->tasks);
	sheet_add_number(x, (double)g->passed);
	sheet_add_number(x, (double)g->passed / n);
	sheet_add_range(x, g->pass_interval);
	sheet_add_number(x, (double)g->zero);
	sheet_add_number(x, (double)g->zero / n);
	sheet_add_range(x, g->zero_interval);
	sheet_add_number(x, g->k ? (double)g->k : NAN);
	sheet_add_number(x, g->k ? (double)g->k_tasks : NAN);
	sheet_add_number(x, g->k ? g->pass_at : NAN);
	sheet_add_number(x, g->k ? g->pass_all : NAN);
	sheet_add_number(x, (double)g->attempts);
	sheet_add_number(x, g->mean_of_attempts);
	sheet_add_number(x, g->pass_of_attempts);
}

static void doc_put_names(struct sheet *x, const struct board_names *n)
{
	sheet_add_texts(x, n->items, n->count);
}

static void doc_put_figures(struct sheet *x, const struct board_group *g)
{
	sheet_add_number(x, g->known[FIGURE_USD] ? g->sums[FIGURE_USD] : NAN);
	sheet_add_number(x, (double)g->known[FIGURE_USD]);
	doc_put_names(x, &g->prices);
	sheet_add_number(x, board_total(g, FIGURE_TOKENS_IN));
	sheet_add_number(x, board_total(g, FIGURE_TOKENS_OUT));
	sheet_add_number(x, (double)g->known[FIGURE_TOKENS_IN]);
	sheet_add_number(x, board_mean(g, FIGURE_SECONDS));
	sheet_add_number(x, board_total(g, FIGURE_ADVISOR_CALLS));
	sheet_add_number(x, board_advisor_share(g));
}

static void doc_put_basis(struct sheet *x, const struct doc_source *s, const struct board_group *g)
{
	sheet_add_text(x, ARENA_JOIN(x->arena, s->filter.task_prefix, STR("*")));
	doc_put_names(x, &g->experiments);
	doc_put_names(x, &g->datasets);
	sheet_add_number(x, (double)g->least);
	sheet_add_number(x, (double)g->most);
	doc_put_names(x, &g->verifiers);
	sheet_add_number(x, (double)g->verifiers.without);
	sheet_add_number(x, (double)g->mixed);
	doc_put_names(x, &g->isolations);
	sheet_add_text(x, judged_words(x->arena, &g->judged));
	sheet_add_number(x, (double)g->registered);
	doc_put_names(x, &g->revisions);
	sheet_add_number(x, (double)g->standings[STANDING_REGRADED]);
	sheet_add_number(x, (double)g->standings[STANDING_SUPERSEDED]);
	sheet_add_number(x, (double)g->classes[CLASS_AGENT_FAILED]);
	sheet_add_number(x, (double)g->classes[CLASS_AGENT_TIMEOUT]);
	sheet_add_number(x, (double)g->classes[CLASS_VERIFIER_FAILED]);
}

struct doc doc_leaderboard(const struct doc_source *s, const struct board *b)
{
	struct doc d = { .schema = "report-leaderboard", .title = "Leaderboard", .notes = leaderboard_notes };
	struct sheet x = sheet_begin(s->tally->arena, "rows", leaderboard_columns, COUNT(leaderboard_columns));

	x.empty = "No complete trial is there, so there is no leaderboard.";
	x.is_brief = true;
	for (size_t i = 0; i < b->count; i++) {
		const struct board_group *g = &b->groups[i];

		if (!g->trials)
			continue;
		sheet_add_number(&x, (double)g->rank);
		sheet_add_text(&x, doc_name(s, g, NAME_MODEL));
		sheet_add_text(&x, doc_name(s, g, NAME_ADAPTER));
		sheet_add_number(&x, (double)g->tied);
		doc_put_rewards(&x, g, s->how.bootstrap);
		doc_put_figures(&x, g);
		doc_put_basis(&x, s, g);
	}
	doc_add(&d, x);
	doc_add_both_apart(&d, s, b);
	doc_add_basis(&d, s);
	return d;
}

/* ---- summary ---- */

static struct sheet doc_group_sheet(const struct doc_source *s, enum board_by by, const char *name, const char *key)
{
	struct sheet_column first = { key, key, SHEET_TEXT, 0 }, *columns;
	static const struct sheet_column rest[] = {
		{ "trials", "trials", SHEET_COUNT, 1 },
		{ "attempts", "attempts", SHEET_COUNT, 1 },
		{ "tasks", "tasks", SHEET_COUNT, 1 },
		{ "mean_reward", "reward", SHEET_NUMBER, 1 },
		{ "mean_reward_interval", "95 % interval", SHEET_RANGE, 1 },
		{ "passed", NULL, SHEET_COUNT, 1 },
		{ "pass_rate", "pass", SHEET_SHARE, 1 },
		{ "partial", "partial", SHEET_COUNT, 1 },
		{ "infrastructure", "infrastr.", SHEET_COUNT, 1 },
		{ "cost_usd", "cost of the priced", SHEET_USD, 1 },
		{ "priced_trials", NULL, SHEET_COUNT, 1 },
		{ "price_tables", NULL, SHEET_TEXTS, 1 },
		{ "verifiers", "verifier", SHEET_TEXTS, 2 },
		{ "mixed_tasks", "mixed tasks", SHEET_COUNT, 2 },
	};
	struct board b = board_make(s->tally, &s->judging, by, &s->how);
	struct sheet x;

	columns = arena_array(s->tally->arena, struct sheet_column, COUNT(rest) + 1);
	columns[0] = first;
	memcpy(columns + 1, rest, sizeof(rest));
	x = sheet_begin(s->tally->arena, name, columns, COUNT(rest) + 1);
	for (size_t i = 0; i < b.count; i++) {
		const struct board_group *g = &b.groups[i];

		sheet_add_text(&x, doc_name(s, g, by == BOARD_BY_TASK ? NAME_TASK : NAME_EXPERIMENT));
		sheet_add_number(&x, (double)g->trials);
		sheet_add_number(&x, (double)g->attempts);
		sheet_add_number(&x, (double)g->tasks);
		sheet_add_number(&x, g->trials ? g->mean.mean : NAN);
		sheet_add_range(&x, g->interval);
		sheet_add_number(&x, (double)g->passed);
		sheet_add_number(&x, g->trials ? (double)g->passed / (double)g->trials : NAN);
		sheet_add_number(&x, (double)g->standings[STANDING_PARTIAL]);
		sheet_add_number(&x, (double)g->standings[STANDING_INFRASTRUCTURE]);
		sheet_add_number(&x, g->known[FIGURE_USD] ? g->sums[FIGURE_USD] : NAN);
		sheet_add_number(&x, (double)g->known[FIGURE_USD]);
		doc_put_names(&x, &g->prices);
		doc_put_names(&x, &g->verifiers);
		sheet_add_number(&x, (double)g->mixed);
	}
	return x;
}

static const char *const summary_notes[] = {
	"Mixed tasks are those whose trials are not all of one revision and one verifier: their rewards are not all of "
	"one kind.",
	NULL,
};

struct doc doc_summary(const struct doc_source *s)
{
	struct doc d = { .schema = "report-summary", .title = "Summary", .notes = summary_notes };

	doc_add(&d, doc_group_sheet(s, BOARD_BY_EXPERIMENT, "experiments", "experiment_id"));
	d.sheets[0].title = "Experiments";
	d.sheets[0].empty = "No trial is there.";
	doc_add(&d, doc_group_sheet(s, BOARD_BY_TASK, "tasks", "task_id"));
	d.sheets[1].title = "Tasks";
	doc_add_basis(&d, s);
	return d;
}

/* ---- cost ---- */

static const struct sheet_column cost_columns[] = {
	{ "model", "model", SHEET_TEXT, 0 },
	{ "adapter", "adapter", SHEET_TEXT, 0 },
	{ "mean_reward", "reward", SHEET_NUMBER, 1 },
	{ "trials", "trials", SHEET_COUNT, 1 },
	{ "mean_cost_usd", "cost of a trial", SHEET_USD, 1 },
	{ "on_frontier_cost", "best by cost", SHEET_YES, 1 },
	{ "mean_tokens", "tokens of a trial", SHEET_COUNT, 1 },
	{ "on_frontier_tokens", "best by tokens", SHEET_YES, 1 },
	{ "mean_seconds", "time", SHEET_SECONDS, 1 },
	{ "on_frontier_seconds", "best by time", SHEET_YES, 1 },
	{ "cost_usd", "cost", SHEET_USD, 2 },
	{ "priced_trials", "priced", SHEET_COUNT, 2 },
	{ "price_tables", "prices", SHEET_TEXTS, 2 },
	{ "solved_tasks", "solved tasks", SHEET_COUNT, 2 },
	{ "cost_usd_per_solved_task", "cost of a solved task", SHEET_USD, 2 },
	{ "cache_read_share", "cached", SHEET_SHARE, 2 },
	{ "advisor_calls", "advisor calls", SHEET_COUNT, 2 },
	{ "advisor_tokens", "advisor's tokens", SHEET_COUNT, 2 },
	{ "advisor_share", "share", SHEET_SHARE, 2 },
};

static const char *const cost_notes[] = {
	"On the frontier: no other row has a reward at least as high for no more of it, and one of both better.",
	"A mean of cost, tokens or time is there when every trial that counts tells it: a mean over some would compare "
	"unlike things. The cost of a solved task is that of all trials that count, failed ones too, by tasks that "
	"passed once. Prices: digests of the tables by which costs were worked out; with several, costs are not all of "
	"one kind.",
	NULL,
};

/* Means that every trial backs, for the frontier. */
static double doc_whole_mean(const struct board_group *g, enum trial_figure f)
{
	return board_total(g, f) / (double)g->trials;
}

static void doc_put_cost(struct sheet *x, const struct board_group *g, const double *means, const int *on)
{
	double usd = board_total(g, FIGURE_USD), in = board_total(g, FIGURE_TOKENS_IN);

	sheet_add_number(x, g->mean.mean);
	sheet_add_number(x, (double)g->trials);
	for (int i = 0; i < 3; i++) {
		sheet_add_number(x, means[i]);
		sheet_add_yes(x, on[i]);
	}
	sheet_add_number(x, usd);
	sheet_add_number(x, (double)g->known[FIGURE_USD]);
	doc_put_names(x, &g->prices);
	sheet_add_number(x, (double)g->solved);
	sheet_add_number(x, g->solved ? usd / (double)g->solved : NAN);
	sheet_add_number(x, in > 0 ? board_total(g, FIGURE_TOKENS_CACHED) / in : NAN);
	sheet_add_number(x, board_total(g, FIGURE_ADVISOR_CALLS));
	sheet_add_number(x, board_total(g, FIGURE_ADVISOR_IN) + board_total(g, FIGURE_ADVISOR_OUT));
	sheet_add_number(x, board_advisor_share(g));
}

struct doc doc_cost(const struct doc_source *s, const struct board *b)
{
	struct doc d = { .schema = "report-cost", .title = "Cost", .notes = cost_notes };
	struct sheet x = sheet_begin(s->tally->arena, "rows", cost_columns, COUNT(cost_columns));
	double *means[3];
	int *on[3];

	x.empty = "No complete trial is there.";
	for (int i = 0; i < 3; i++) {
		means[i] = arena_array(x.arena, double, b->count + 1);
		on[i] = arena_array(x.arena, int, b->count + 1);
	}
	for (size_t i = 0; i < b->count; i++) {
		const struct board_group *g = &b->groups[i];

		means[0][i] = doc_whole_mean(g, FIGURE_USD);
		means[1][i] = doc_whole_mean(g, FIGURE_TOKENS_IN) + doc_whole_mean(g, FIGURE_TOKENS_OUT);
		means[2][i] = doc_whole_mean(g, FIGURE_SECONDS);
	}
	for (int i = 0; i < 3; i++)
		board_frontier(b, means[i], on[i]);
	for (size_t i = 0; i < b->count; i++) {
		const double mean[] = { means[0][i], means[1][i], means[2][i] };
		const int is_on[] = { on[0][i], on[1][i], on[2][i] };

		if (!b->groups[i].trials)
			continue;
		sheet_add_text(&x, doc_name(s, &b->groups[i], NAME_MODEL));
		sheet_add_text(&x, doc_name(s, &b->groups[i], NAME_ADAPTER));
		doc_put_cost(&x, &b->groups[i], mean, is_on);
	}
	doc_add(&d, x);
	doc_add_both_apart(&d, s, b);
	doc_add_basis(&d, s);
	return d;
}

/* ---- comparison ---- */

static const struct sheet_column compare_columns[] = {
	{ "metric", "metric", SHEET_TEXT, 0 },
	{ "answer", "answer", SHEET_TEXT, 1 },
	{ "tasks", "tasks", SHEET_COUNT, 1 },
	{ "a", "A", SHEET_NUMBER, 1 },
	{ "b", "B", SHEET_NUMBER, 1 },
	{ "difference", "A-B", SHEET_NUMBER, 1 },
	{ "interval", "95 % interval", SHEET_RANGE, 1 },
	{ "p", "p", SHEET_NUMBER, 2 },
	{ "holm", "Holm", SHEET_NUMBER, 2 },
	{ "test", "test", SHEET_TEXT, 2 },
	{ "effect", "effect", SHEET_NUMBER, 2 },
	{ "detectable", "detectable", SHEET_NUMBER, 2 },
	{ "needed", "tasks needed", SHEET_COUNT, 2 },
};

static const char *const compare_notes[] = {
	"Paired by task: the mean of a task's trials counts. The effect is the mean difference by the standard "
	"deviation of the differences. Detectable is the smallest difference that so many tasks show with 80 % power.",
	"'No difference shown' does not say that there is none. Below 6 tasks nothing can be shown. Of mixed tasks not "
	"all trials are of one revision and one verifier: their difference may be that of the verifiers.",
	NULL,
};

static void doc_add_sides(struct doc *d, const struct doc_source *s, const struct versus *v)
{
	static const struct sheet_column columns[] = {
		{ "side", "side", SHEET_TEXT, 0 },
		{ "trials_of", "trials of", SHEET_TEXT, 0 },
		{ "trials", "trials", SHEET_COUNT, 0 },
		{ "attempts", "attempts", SHEET_COUNT, 0 },
		{ "tasks", "tasks", SHEET_COUNT, 0 },
		{ "tasks_alone", "not of the other", SHEET_COUNT, 0 },
	};
	struct sheet x = sheet_begin(s->tally->arena, "sides", columns, COUNT(columns));
	const struct versus_side *sides[] = { &v->a, &v->b };

	for (int i = 0; i < 2; i++) {
		sheet_add_text(&x, i ? STR("B") : STR("A"));
		sheet_add_text(&x, sides[i]->words);
		sheet_add_number(&x, (double)sides[i]->trials);
		sheet_add_number(&x, (double)sides[i]->attempts);
		sheet_add_number(&x, (double)sides[i]->tasks);
		sheet_add_number(&x, (double)sides[i]->alone);
	}
	doc_add(d, x);
}

static void doc_add_outcomes(struct doc *d, const struct doc_source *s, const struct versus *v)
{
	static const struct sheet_column columns[] = {
		{ "both", "both passed", SHEET_COUNT, 0 },  { "only_a", "only A", SHEET_COUNT, 0 },
		{ "only_b", "only B", SHEET_COUNT, 0 },     { "neither", "neither", SHEET_COUNT, 0 },
		{ "mcnemar", "McNemar's p", SHEET_NUMBER, 0 }, { "mid_p", "mid-p", SHEET_NUMBER, 0 },
		{ "tests", "tests corrected for", SHEET_COUNT, 0 }, { "seed", "seed", SHEET_SEED, 0 },
		{ "mixed_tasks", "mixed tasks", SHEET_COUNT, 0 },
	};
	struct sheet x = sheet_begin(s->tally->arena, "outcomes", columns, COUNT(columns));
	const uint64_t counts[] = { v->both, v->only_a, v->only_b, v->neither };

	x.is_single = true;
	for (size_t i = 0; i < COUNT(counts); i++)
		sheet_add_number(&x, v->repeats ? NAN : (double)counts[i]);
	sheet_add_number(&x, v->mcnemar);
	sheet_add_number(&x, v->mid_p);
	sheet_add_number(&x, (double)v->family);
	sheet_add_seed(&x, v->seed, true);
	sheet_add_number(&x, (double)v->mixed);
	doc_add(d, x);
}

struct doc doc_compare(const struct doc_source *s, const struct versus *v)
{
	static const char *const answers[] = {
		[PAIRED_NOT_ENOUGH] = "not enough data",
		[PAIRED_NO_DIFFERENCE] = "no difference shown",
		[PAIRED_A_BETTER] = "A is better",
		[PAIRED_B_BETTER] = "B is better",
	};
	struct doc d = { .schema = "report-compare", .title = "Comparison", .notes = compare_notes };
	struct sheet x = sheet_begin(s->tally->arena, "tests", compare_columns, COUNT(compare_columns));

	for (int m = 0; m < VERSUS_METRICS; m++) {
		const struct paired *t = &v->tests[m];

		sheet_add_text(&x, str_from(versus_metric_name((enum versus_metric)m)));
		sheet_add_text(&x, str_from(answers[t->answer]));
		sheet_add_number(&x, (double)t->n);
		sheet_add_number(&x, t->mean_a);
		sheet_add_number(&x, t->mean_b);
		sheet_add_number(&x, t->difference.mean);
		/* differences that are all the same have no interval: one of no width would promise too much */
		sheet_add_range(&x, t->difference.se > 0 ? t->difference.interval : (struct interval){ NAN, NAN });
		sheet_add_number(&x, t->p);
		sheet_add_number(&x, t->holm);
		sheet_add_text(&x, m == VERSUS_PASS && !v->repeats ? STR("McNemar, exact") : STR("sign flips"));
		sheet_add_number(&x, t->effect);
		sheet_add_number(&x, t->detectable);
		sheet_add_number(&x, t->needed);
	}
	doc_add(&d, x);
	doc_add_outcomes(&d, s, v);
	doc_add_sides(&d, s, v);
	doc_add_basis(&d, s);
	return d;
}
