/* Rows of a trace to facts. run_facts_read.c has the directories. */
#include "flow/run_facts.h"

#include <math.h>

#include "model/money.h"

void run_facts_init(struct run_facts *f)
{
	*f = (struct run_facts){ .seconds = NAN, .is_whole = TRUTH_NULL };
}

void run_facts_add_name(struct run_facts_names *n, struct arena *a, struct str name)
{
	for (size_t i = 0; i < n->count; i++)
		if (str_eq(n->list[i], name))
			return;
	if (n->count == RUN_FACTS_MODELS)
		return;
	arena_grow(a, n->list, n->count, n->cap, 2);
	n->list[n->count++] = arena_copy(a, name);
}

static void run_facts_keep(struct arena *a, struct str *to, struct str text)
{
	if (!to->p && text.p)
		*to = arena_copy(a, text);
}

/* A sum that is partly estimated is estimated. */
static void run_facts_add_figure(struct figure *sum, struct figure f)
{
	if (!figure_is_known(f))
		return;
	sum->n = f.n > INT64_MAX - sum->n ? INT64_MAX : sum->n + f.n;
	sum->source = sum->source == FIGURE_ESTIMATED || (f.source == FIGURE_ESTIMATED && f.n) ? FIGURE_ESTIMATED :
												 FIGURE_API;
	sum->state = FIGURE_KNOWN;
}

static void run_facts_add_model(struct run_facts *f, struct arena *a, const struct trace_row *r)
{
	struct str name = r->model.p ? r->model : STR("unknown");
	bool has_tokens = (figure_is_known(r->usage.input) && r->usage.input.n) ||
			  (figure_is_known(r->usage.output) && r->usage.output.n);

	f->model_calls += !r->total_only;
	run_facts_add_name(&f->models, a, name);
	run_facts_add_figure(&f->input, r->usage.input);
	run_facts_add_figure(&f->output, r->usage.output);
	if (amount_is_known(r->usd)) {
		f->usd = amount_plus(f->usd, r->usd);
		f->usd_is_total = f->usd_is_total || r->total_only;
	} else if (has_tokens) {
		run_facts_add_name(&f->unpriced, a, name);
	}
}

/* Its times are those of the run, whatever its nodes say. */
static void run_facts_add_summary(struct run_facts *f, const struct trace_row *r)
{
	static const char *const words[] = { "success", "error", "interrupted" };

	f->has_summary = true;
	f->verdict = "interrupted";
	for (size_t i = 0; i < COUNT(words); i++)
		if (str_eq(r->exit_status, str_from(words[i])))
			f->verdict = words[i];
	if (r->from_us || r->to_us) {
		f->has_time = true;
		f->from_us = r->from_us;
		f->to_us = r->to_us;
	}
	f->seconds = r->total >= 0 ? r->total : NAN;
	if (amount_is_known(r->usd) && (r->usd.source == FIGURE_API || !amount_is_known(f->usd))) {
		f->usd = r->usd;
		f->usd_is_total = true;
	}
}

void run_facts_add(struct run_facts *f, struct arena *a, const struct trace_row *r)
{
	run_facts_keep(a, &f->id, r->trace);
	if (r->type == TRACE_ROW_SUMMARY) {
		run_facts_add_summary(f, r);
		return;
	}
	run_facts_keep(a, &f->agent, r->framework);
	f->last_failed = r->failed;
	if (!f->has_summary && r->to_us > 0) {
		f->from_us = f->has_time && f->from_us < r->from_us ? f->from_us : r->from_us;
		f->to_us = f->has_time && f->to_us > r->to_us ? f->to_us : r->to_us;
		f->has_time = true;
	}
	if (r->kind == AT_MODEL_CALL)
		run_facts_add_model(f, a, r);
	f->tool_calls += r->kind == AT_TOOL_CALL;
}

void run_facts_finish(struct run_facts *f)
{
	f->has_models = true;
	f->is_over = true;
	if (!f->has_summary)
		f->verdict = f->last_failed ? "error" : "interrupted";
	if (isnan(f->seconds) && f->has_time)
		f->seconds = (double)(f->to_us - f->from_us) / 1e6;
	if (f->usd_is_total)
		f->unpriced.count = 0;
	f->is_whole = f->unpriced.count ? TRUTH_FALSE : TRUTH_TRUE;
}
