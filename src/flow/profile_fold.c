/* Every sum is bounded: times and tokens come from a file, and must not run over whatever it says. */
#include "flow/profile_fold.h"

#include <assert.h>

#include "model/money.h"

#define FEW_VALUES 2000 /* of the groups behind the first few, so that very many groups are no trouble either */
#define MANY_GROUPS 16

void profile_fold_init(struct profile_fold *f, struct profile *out, size_t row_limit)
{
	*f = (struct profile_fold){ .out = out, .row_limit = row_limit };
	map_init(&f->models, out->arena);
	map_init(&f->tools, out->arena);
	for (size_t i = 0; i < UNIONS; i++)
		spans_init(&f->spans[i]);
	buf_init(&f->rows);
}

void profile_fold_free(struct profile_fold *f)
{
	for (size_t i = 0; i < UNIONS; i++)
		spans_free(&f->spans[i]);
	buf_free(&f->rows);
}

static void keep_first(struct profile_fold *f, struct str *to, struct str text)
{
	if (!to->p && text.p)
		*to = arena_copy(f->out->arena, text);
}

/* ---- models and tools ---- */

static struct profile_group *new_group(struct profile_fold *f, struct profile_groups *groups, struct str name)
{
	struct profile_group *g = arena_new(f->out->arena, struct profile_group);
	size_t limit = groups->count < MANY_GROUPS ? PROFILE_VALUES : FEW_VALUES;

	g->name = arena_copy(f->out->arena, name);
	quantile_init(&g->latency, limit);
	quantile_init(&g->ttft, limit);
	assert(groups->count < COUNT(groups->list));
	groups->list[groups->count++] = g;
	return g;
}

/* The group of a name; beyond PROFILE_GROUPS of them all others share one. Never NULL. */
static struct profile_group *group_of(struct profile_fold *f, struct profile_groups *groups, struct map *names,
				      struct str name)
{
	struct str text = name.p ? name : STR("unknown");
	uint64_t *at = map_find(names, text);

	if (at)
		return groups->list[*at];
	if (groups->count < PROFILE_GROUPS) {
		*map_add(names, text, &(bool){ false }) = groups->count;
		return new_group(f, groups, text);
	}
	if (!groups->others)
		new_group(f, groups, STR("(others)"));
	groups->others = true;
	return groups->list[PROFILE_GROUPS];
}

static int64_t us_of(double seconds)
{
	return (int64_t)(seconds * 1e6 + 0.5);
}

/* What it took: by its own word, else by its times. */
static int64_t length_of(const struct trace_row *r, double seconds)
{
	return seconds >= 0 ? us_of(seconds) : r->to_us - r->from_us;
}

/* Sums of hostile times must not run over. */
static void add_us(int64_t *sum, int64_t us)
{
	*sum = us > INT64_MAX / 4 - *sum ? INT64_MAX / 4 : *sum + us;
}

static uint64_t plus(uint64_t a, uint64_t b)
{
	return b > INT64_MAX - a ? INT64_MAX : a + b;
}

/* What the API counted and what was estimated are kept apart in the run's sums. */
static void add_tokens(struct profile *p, struct profile_group *g, const struct usage *u)
{
	if (figure_is_known(u->input)) {
		p->input[u->input.source] = plus(p->input[u->input.source], u->input.n);
		g->input = plus(g->input, u->input.n);
		g->about_input = g->about_input || (u->input.source == FIGURE_ESTIMATED && u->input.n);
	}
	if (figure_is_known(u->output)) {
		p->output[u->output.source] = plus(p->output[u->output.source], u->output.n);
		g->output = plus(g->output, u->output.n);
		g->about_output = g->about_output || (u->output.source == FIGURE_ESTIMATED && u->output.n);
	}
	p->has_cache = p->has_cache || figure_is_known(u->cache_read) || figure_is_known(u->cache_write);
	p->has_reasoning = p->has_reasoning || figure_is_known(u->reasoning);
	p->cache_read = plus(p->cache_read, figure_is_known(u->cache_read) ? u->cache_read.n : 0);
	p->cache_write = plus(p->cache_write, figure_is_known(u->cache_write) ? u->cache_write.n : 0);
	p->reasoning = plus(p->reasoning, figure_is_known(u->reasoning) ? u->reasoning.n : 0);
}

static enum trace_length less_sure(enum trace_length a, enum trace_length b)
{
	return a > b ? a : b;
}

/* Whether a call lies between the same two moments as the last one of the group: a fan-out, whose time is told once. */
static bool is_bound_again(struct profile_group *g, const struct trace_row *r)
{
	bool again = g->bound_to_us == r->to_us && g->bound_from_us == r->from_us && r->to_us > r->from_us;

	if (r->length != TRACE_LENGTH_AT_MOST)
		return false;
	g->bound_from_us = r->from_us;
	g->bound_to_us = r->to_us;
	return again;
}

/* What one call took, into the sums of its group. Calls of one fan-out count each in each_us, once in sum_us. */
static void add_length(struct profile_group *g, const struct trace_row *r, int64_t us)
{
	if (r->untimed)
		return;
	g->timed++;
	add_us(&g->each_us, us);
	if (!is_bound_again(g, r))
		add_us(&g->sum_us, us);
	if (us > g->longest_us)
		g->longest_length = r->length;
	g->longest_us = us > g->longest_us ? us : g->longest_us;
	g->length = less_sure(g->length, r->length);
	quantile_add(&g->latency, (double)us / 1e6);
}

/* The time of the clock that a call took. */
static void add_busy(struct profile_fold *f, enum profile_union which, const struct trace_row *r)
{
	struct profile *p = f->out;

	spans_add(&f->spans[which], r->from_us, r->to_us);
	spans_add(&f->spans[UNION_ALL], r->from_us, r->to_us);
	if (!is_bound_again(&f->bound[which], r))
		add_us(&p->sum_us[which], r->to_us - r->from_us);
	p->length[which] = less_sure(p->length[which], r->length);
	p->length[UNION_ALL] = less_sure(p->length[UNION_ALL], r->length);
}

/* What it cost. A call that used no token has no price and needs none. */
static void add_price(struct profile *p, struct profile_group *g, const struct trace_row *r)
{
	bool has_tokens = (figure_is_known(r->usage.input) && r->usage.input.n) ||
			  (figure_is_known(r->usage.output) && r->usage.output.n);

	if (amount_is_known(r->usd)) {
		p->priced += !r->total_only;
		p->usd_is_total = p->usd_is_total || r->total_only;
		p->usd = amount_plus(p->usd, r->usd);
		g->usd = amount_plus(g->usd, r->usd);
	} else if (has_tokens) {
		p->unpriced++;
		g->unpriced++;
	}
}

/* A model call: its group, the tokens and prices of the run, and the time until the first token. */
static struct profile_group *add_model(struct profile_fold *f, const struct trace_row *r)
{
	struct profile *p = f->out;
	struct profile_group *g = group_of(f, &p->models, &f->models, r->model);

	add_tokens(p, g, &r->usage);
	add_price(p, g, r);
	if (r->total_only) { /* nothing took that time */
		p->total_only++;
		return g;
	}
	g->calls++;
	add_length(g, r, length_of(r, r->latency));
	g->failed += r->failed;
	g->partial += r->partial;
	add_busy(f, UNION_MODEL, r);
	if (r->ttft >= 0) {
		int64_t first = us_of(r->ttft), all = r->to_us - r->from_us;

		first = first < all ? first : all;
		quantile_add(&g->ttft, r->ttft);
		spans_add(&f->spans[UNION_FIRST], r->from_us, r->from_us + first);
		add_us(&p->sum_us[UNION_FIRST], first);
	}
	return g;
}

/* The longest waits, longest first. */
static void add_wait(struct profile *p, const struct profile_wait *w)
{
	size_t at = p->wait_count;

	while (at > 0 && p->waits[at - 1].stall_us < w->stall_us)
		at--;
	if (at == PROFILE_TOP)
		return;
	if (p->wait_count < PROFILE_TOP)
		p->wait_count++;
	memmove(&p->waits[at + 1], &p->waits[at], (p->wait_count - at - 1) * sizeof(*w));
	p->waits[at] = *w;
}

/* A tool call: its group, and how long it waited, if the trace says so. */
static struct profile_group *add_tool(struct profile_fold *f, const struct trace_row *r)
{
	struct profile *p = f->out;
	struct profile_group *g = group_of(f, &p->tools, &f->tools, r->tool);

	g->calls++;
	g->partial += r->partial;
	g->external += r->external;
	g->guessed += r->inferred || r->length != TRACE_LENGTH_MEASURED; /* whoever converted it guessed too */
	if (!r->partial) { /* a call without a result: nobody knows that it ran at all */
		add_length(g, r, length_of(r, r->wall));
		add_busy(f, UNION_TOOL, r);
	}
	if (r->stall >= 0) {
		struct profile_wait w = { g, r->from_us, us_of(r->stall), r->length };

		p->stalls++;
		g->stalls++;
		add_us(&p->stall_us, w.stall_us);
		p->stall_length = less_sure(p->stall_length, r->length);
		add_us(&g->stall_us, w.stall_us);
		if (w.stall_us > 0)
			add_wait(p, &w);
	}
	return g;
}

/* ---- nodes ---- */

static struct str branch_label(struct str word)
{
	static const struct {
		const char *word, *label;
	} labels[] = { { "fan_out", "fan-out" }, { "retry", "retry" }, { "speculative", "speculative" } };

	for (size_t i = 0; i < COUNT(labels); i++)
		if (str_eq(word, str_from(labels[i].word)))
			return str_from(labels[i].label);
	return STR("branch");
}

static struct str label_of(const struct trace_row *r)
{
	static const char *const labels[AT_KINDS] = {
		[AT_RETRY] = "retry", [AT_USER_INPUT] = "user input", [AT_SYSTEM] = "system",
	};

	return r->kind == AT_BRANCH ? branch_label(r->branch) : str_from(labels[r->kind]);
}

/* The row of a node in the waterfall. Ids are kept as hashes, since there may be very many rows. */
static void add_row(struct profile_fold *f, const struct trace_row *r, const struct profile_group *g)
{
	struct profile_row row = {
		.number = f->out->nodes,
		.kind = r->kind,
		.has_parent = r->parent.p != NULL,
		.failed = r->failed,
		.partial = r->partial,
		.inferred = r->inferred,
		.length = r->length,
		.total_only = r->total_only,
		.from_us = r->from_us,
		.to_us = r->to_us,
		.ttft_us = r->ttft >= 0 ? us_of(r->ttft) : -1,
		.input = r->usage.input.n,
		.output = r->usage.output.n,
		.group = g,
		.label = g ? g->name : label_of(r),
		.siblings = r->siblings,
	};

	row.id = str_hash_wide(r->id);
	if (r->parent.p)
		row.parent = str_hash_wide(r->parent);
	profile_rows_add(f, &row);
}

/* A person was waited for. Tools may have been under way, so it is no part of the time in which something ran. */
static void add_waiting(struct profile_fold *f, const struct trace_row *r)
{
	spans_add(&f->spans[UNION_USER], r->from_us, r->to_us);
	add_us(&f->out->sum_us[UNION_USER], r->to_us - r->from_us);
}

static void add_node(struct profile_fold *f, const struct trace_row *r)
{
	struct profile *p = f->out;
	const struct profile_group *g = NULL;

	assert(r->kind < AT_KINDS && r->type == TRACE_ROW_NODE);
	p->nodes++;
	p->counts[r->kind]++;
	p->partial += r->partial;
	p->inferred += r->inferred;
	for (unsigned i = 0; i < SIGHT_LAYERS; i++)
		p->known_by[i] += r->layers >> i & 1;
	f->last_failed = r->failed;
	f->first_us = f->has_time && f->first_us < r->from_us ? f->first_us : r->from_us;
	f->last_us = f->has_time && f->last_us > r->to_us ? f->last_us : r->to_us;
	f->has_time = true;
	if (r->kind == AT_MODEL_CALL)
		g = add_model(f, r);
	else if (r->kind == AT_TOOL_CALL)
		g = add_tool(f, r);
	else if (r->kind == AT_BRANCH && str_eq(r->branch, STR("fan_out")))
		p->fan_outs++;
	else if (r->kind == AT_BRANCH && str_eq(r->branch, STR("speculative")))
		p->speculations++;
	else if (r->kind == AT_USER_INPUT && r->to_us > r->from_us)
		add_waiting(f, r);
	add_row(f, r, g);
}

static enum profile_verdict verdict_of(struct str exit_status)
{
	for (size_t i = 0; i < PROFILE_RUNNING; i++)
		if (str_eq(exit_status, str_from(profile_verdicts[i])))
			return (enum profile_verdict)i;
	return PROFILE_INTERRUPTED;
}

static void add_summary(struct profile_fold *f, const struct trace_row *r)
{
	struct profile *p = f->out;

	p->has_summary = true;
	p->verdict = verdict_of(r->exit_status);
	p->total = r->total;
	p->error = p->rig = p->engine = str_of(NULL, 0);
	keep_first(f, &p->error, r->error);
	keep_first(f, &p->rig, r->rig);
	keep_first(f, &p->engine, r->engine);
	f->summary.from_us = r->from_us;
	f->summary.to_us = r->to_us;
	f->summary_usd = r->usd;
}

void profile_fold_add(struct profile_fold *f, const struct trace_row *r)
{
	struct profile *p = f->out;

	if (r->trace.p && p->trace_id.p && !str_eq(r->trace, p->trace_id))
		p->mixed = true;
	keep_first(f, &p->trace_id, r->trace);
	if (r->type == TRACE_ROW_SUMMARY) {
		add_summary(f, r);
		return;
	}
	keep_first(f, &p->framework, r->framework);
	add_node(f, r);
}

/* ---- the end ---- */

/* The longest gaps, longest first; the earlier of two equal ones. */
static void add_gap(struct profile *p, int64_t from, int64_t to)
{
	size_t at = p->gap_count;

	if (to <= from)
		return;
	while (at > 0 && p->gaps[at - 1].to_us - p->gaps[at - 1].from_us < to - from)
		at--;
	if (at == PROFILE_TOP)
		return;
	if (p->gap_count < PROFILE_TOP)
		p->gap_count++;
	memmove(&p->gaps[at + 1], &p->gaps[at], (p->gap_count - at - 1) * sizeof(p->gaps[0]));
	p->gaps[at] = (struct profile_gap){ from, to };
}

static void find_gaps(struct profile_fold *f)
{
	const struct spans *all = &f->spans[UNION_ALL];
	struct profile *p = f->out;
	int64_t from = p->from_us;

	if (spans_count(all) == 0)
		return;
	for (size_t i = 0; i < spans_count(all); i++) {
		add_gap(p, from, spans_at(all, i)->from);
		from = spans_at(all, i)->to;
	}
	add_gap(p, from, p->to_us);
}

/* The whole of the run, by its summary, and by its nodes where they go beyond it or there is none. */
static void find_times(struct profile_fold *f)
{
	struct profile *p = f->out;

	p->from_us = f->summary.from_us;
	p->to_us = f->summary.to_us;
	if (f->has_time && (p->from_us == 0 || f->first_us < p->from_us))
		p->from_us = f->first_us;
	if (f->has_time && f->last_us > p->to_us)
		p->to_us = f->last_us;
	if (!p->has_summary || p->total < 0)
		p->total = (double)(p->to_us - p->from_us) / 1e6;
}

/* What the service states for the whole run is its cost, whatever was worked out for its calls. */
static void take_stated_total(struct profile *p, struct amount total)
{
	p->usd = total;
	p->usd_is_total = true;
	for (size_t i = 0; i < p->models.count; i++)
		if (p->models.list[i]->usd.source == FIGURE_ESTIMATED)
			p->models.list[i]->usd = (struct amount){ .state = FIGURE_ABSENT };
}

static void find_cost(struct profile_fold *f)
{
	struct profile *p = f->out;

	if (amount_is_known(f->summary_usd) && (f->summary_usd.source == FIGURE_API || !amount_is_known(p->usd)))
		take_stated_total(p, f->summary_usd);
	for (size_t i = 0; i < p->models.count && p->usd_is_total; i++)
		p->models.list[i]->unpriced = 0;
	p->unpriced = p->usd_is_total ? 0 : p->unpriced;
}

void profile_fold_finish(struct profile_fold *f)
{
	struct profile *p = f->out;

	find_times(f);
	find_cost(f);
	for (size_t i = 0; i < UNIONS; i++) {
		spans_settle(&f->spans[i]);
		p->busy_us[i] = spans_sum(&f->spans[i]);
		p->about = p->about || f->spans[i].joined;
	}
	p->sum_us[UNION_ALL] = p->sum_us[UNION_MODEL] + p->sum_us[UNION_TOOL];
	p->both_us = p->busy_us[UNION_MODEL] + p->busy_us[UNION_TOOL] - p->busy_us[UNION_ALL];
	p->both_us = p->both_us > 0 ? p->both_us : 0;
	p->idle_us = us_of(p->total) - p->busy_us[UNION_ALL];
	p->idle_us = p->idle_us > 0 ? p->idle_us : 0;
	if (!p->has_summary)
		p->verdict = f->last_failed ? PROFILE_ERROR : PROFILE_INTERRUPTED;
	find_gaps(f);
	profile_rows_finish(f);
}
