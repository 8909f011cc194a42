/*
 * Evaluations of verifiers: results.jsonl (a rollout per line), traces.jsonl (since 0.4: an episode per line, with the
 * trace of each agent in it), and the samples that Prime's service gives. A run is one rollout. Several of one example
 * are told apart by counting, which is the fold's.
 */
#include "base/clock.h"
#include "dialect/formats.h"
#include "dialect/record/field.h"
#include "dialect/verifiers/fields.h"
#include "dialect/verifiers/rollout.h"
#include "model/assemble.h"
#include "model/merge.h"

#define KEY "verifiers/1"
#define EXAMPLES ((size_t)1 << 20) /* counted in a file; of further ones the ordinal is not told */

/* ---- a value ---- */

static bool verifiers_is_rollout(struct val v)
{
	return !val_is_none(verifiers_example(v)) && val_has(v, STR("prompt")) && val_has(v, STR("completion"));
}

/* metadata.json, or what 'prime eval get' prints. */
static bool verifiers_is_evaluation(struct val v)
{
	return (val_has(v, STR("model")) && val_has(v, STR("num_examples")) &&
		val_has(v, STR("rollouts_per_example"))) ||
	       (!val_is_none(val_get_either(v, STR("evaluation_id"), STR("evaluationId"))) &&
		!val_is_none(val_get_either(v, STR("eval_config"), STR("evalConfig"))));
}

static struct val verifiers_samples(struct val v)
{
	struct val list = val_get_either(v, STR("samples"), STR("results"));

	return val_is(list, JSON_ARRAY) ? list : VAL_NONE;
}

/* What the page says besides its samples is kept with the first of them. */
static void verifiers_read_page(struct reading *r, struct val v)
{
	size_t first = r->count;

	VALUES_EACH(sample, verifiers_samples(v))
		if (val_is(sample, JSON_OBJECT))
			verifiers_read_rollout(r, sample, v);
	if (r->count == first)
		reading_add_unknown(r, v);
	else
		reading_rest_under(r, &r->events[first], v, STR("page"));
}

static void verifiers_read_value(struct reading *r, struct val v)
{
	struct val traces = val_get(v, STR("traces"));
	size_t first = r->count;

	if (val_is(traces, JSON_ARRAY) && val_is(values_first(traces), JSON_OBJECT)) {
		VALUES_EACH(trace, traces)
			verifiers_read_trace(r, trace, v, r->count == first);
		reading_rest_under(r, &r->events[first], v, STR("episode"));
	} else if (verifiers_is_episode(v)) {
		verifiers_read_trace(r, v, VAL_NONE, true);
	} else if (verifiers_is_rollout(v)) {
		verifiers_read_rollout(r, v, VAL_NONE);
	} else if (!val_is_none(verifiers_samples(v))) {
		verifiers_read_page(r, v);
	} else if (verifiers_is_evaluation(v)) {
		verifiers_read_evaluation(r, v);
	} else {
		reading_add_unknown(r, v);
	}
}

/* ---- in order ---- */

struct verifiers_fold {
	struct arena arena;
	struct map seen; /* examples, and how many rollouts each had */
	struct merge *merge;
	struct event *evaluation; /* its NOTE, NULL before it came */
	struct verifiers_hint told; /* by it */
	struct moment begun; /* of the run at hand, where only the evaluation tells a time */
	struct str model;    /* of the run at hand: answers of a rollout do not tell theirs */
	uint64_t runs;
};

static void verifiers_fold_reset(struct verifiers_fold *f)
{
	arena_reset(&f->arena);
	map_init(&f->seen, &f->arena);
	f->evaluation = NULL;
	f->told = (struct verifiers_hint){ .took = 0 };
	f->model = str_of(NULL, 0);
	f->runs = 0;
}

static void *verifiers_fold_open(void)
{
	struct verifiers_fold *f = mem_alloc(sizeof(*f));

	*f = (struct verifiers_fold){ .runs = 0 };
	arena_init(&f->arena);
	f->merge = merge_open();
	verifiers_fold_reset(f);
	return f;
}

static void verifiers_fold_close(void *fold)
{
	struct verifiers_fold *f = fold;

	merge_close(f->merge);
	arena_free(&f->arena);
	mem_free(f);
}

static void verifiers_add_extra(struct verifiers_fold *f, struct arena *a, struct event *e, struct str json)
{
	for (struct extra *x = e->extras; x; x = x->next)
		if (str_eq(x->key, STR(KEY))) {
			x->json = merge_objects(f->merge, a, x->json, json);
			return;
		}
	event_add_extra(e, a, STR(KEY), json);
}

/* Of rollouts that have no id: which of its example this is, from 1 on. */
static void verifiers_number(struct verifiers_fold *f, struct arena *a, struct event *e, struct str example)
{
	bool added = false;
	uint64_t *n = f->seen.count < EXAMPLES ? map_add(&f->seen, example, &added) : map_find(&f->seen, example);

	if (!n)
		return;
	verifiers_add_extra(f, a, e, arena_printf(a, "{\"rollout\":%llu}", (unsigned long long)++*n));
	if (f->told.evaluation.p)
		e->run = arena_printf(a, "%.*s/%.*s/%llu", STR_ARG(f->told.evaluation), STR_ARG(example),
				      (unsigned long long)*n);
}

/* A run gets what its evaluation says and it does not: all of it goes to the first. */
static void verifiers_give(struct verifiers_fold *f, struct arena *a, struct event *e)
{
	struct str all = event_find_extra(f->evaluation, STR(KEY));

	if (!e->model.p)
		e->model = f->told.model;
	if (!e->ts.text.p && f->evaluation->ts.text.p) {
		e->ts = f->evaluation->ts;
		e->ts.source = MOMENT_DERIVED;
		f->begun = e->ts;
	}
	if (f->runs == 0 && all.p)
		verifiers_add_extra(f, a, e, all);
}

static bool verifiers_begin_run(struct verifiers_fold *f, const struct event *e, struct assemble *as, struct err *err)
{
	const struct verifiers_hint *h = e->hint;
	struct event *copy;
	struct arena a;
	bool good;

	arena_init(&a);
	copy = event_copy(&a, e);
	f->begun = (struct moment){ .source = MOMENT_NONE };
	if (h && h->example.p)
		verifiers_number(f, &a, copy, h->example);
	if (f->evaluation)
		verifiers_give(f, &a, copy);
	if (!copy->model.p || !str_eq(copy->model, f->model)) /* most runs of a file have one model */
		f->model = copy->model.p ? arena_copy(&f->arena, copy->model) : copy->model;
	f->runs++;
	good = assemble_add(as, copy, err);
	arena_free(&a);
	return good;
}

/* The next run may have no id, and is another one still: so this one is over. */
static bool verifiers_end_run(struct verifiers_fold *f, const struct event *e, struct assemble *as, struct err *err)
{
	const struct verifiers_hint *h = e->hint;
	struct event copy = *e;
	struct arena a;
	bool good;

	arena_init(&a);
	if (!copy.ts.text.p && f->begun.text.p && h && h->took > 0 && f->begun.ns < INT64_MAX - h->took) {
		copy.ts = (struct moment){ .ns = f->begun.ns + h->took, .source = MOMENT_DERIVED };
		copy.ts.text = stamp_new_ns(&a, copy.ts.ns, 9);
	}
	good = assemble_add(as, &copy, err) && assemble_end(as, false, err);
	arena_free(&a);
	return good;
}

/* The model of a run is that of its answers, unless they tell another. */
static bool verifiers_add_step(const struct verifiers_fold *f, const struct event *e, struct assemble *as,
			       struct err *err)
{
	struct event copy = *e;

	if (!copy.model.p)
		copy.model = f->model;
	return assemble_add(as, &copy, err);
}

/* The NOTE of an evaluation stops here: its members are given to the runs. */
static bool verifiers_fold_event(void *fold, const struct event *e, struct assemble *as, struct err *err)
{
	struct verifiers_fold *f = fold;
	const struct verifiers_hint *h = e->hint;

	if (e->kind == EVENT_RUN_START)
		return verifiers_begin_run(f, e, as, err);
	if (e->kind == EVENT_RUN_END)
		return verifiers_end_run(f, e, as, err);
	if (e->kind == EVENT_STEP)
		return verifiers_add_step(f, e, as, err);
	if (e->kind != EVENT_NOTE || !h)
		return assemble_add(as, e, err);
	f->evaluation = event_copy(&f->arena, e);
	f->told.evaluation = h->evaluation.p ? arena_copy(&f->arena, h->evaluation) : h->evaluation;
	f->told.model = h->model.p ? arena_copy(&f->arena, h->model) : h->model;
	f->runs = 0;
	return true;
}

static bool verifiers_fold_end(void *fold, struct assemble *as, struct err *err)
{
	(void)as;
	(void)err;
	verifiers_fold_reset(fold);
	return true;
}

/* ---- detection ---- */

static bool verifiers_is_trace(struct val v)
{
	return val_is(val_get(v, STR("nodes")), JSON_ARRAY) && val_is(val_get(v, STR("calls")), JSON_ARRAY) &&
	       (val_has(v, STR("rewards")) || val_has(v, STR("verifiers")));
}

/* No record says what it is. A rollout without a score is less sure: others have prompts and completions too. */
static int verifiers_fits(struct val v)
{
	struct val first = values_first(verifiers_samples(v));

	if (verifiers_is_trace(v) || verifiers_is_trace(values_first(val_get(v, STR("traces")))))
		return 95;
	if (verifiers_is_rollout(first))
		return 90;
	if (verifiers_is_evaluation(v)) /* settings without runs: see source/file_group.h */
		return 70;
	if (!verifiers_is_rollout(v))
		return 0;
	return val_has(v, STR("reward")) ? 90 : val_has(v, STR("stop_condition")) || val_has(v, STR("timing")) ? 60 : 0;
}

static const struct read_ops read_verifiers = {
	.vendor = "verifiers",
	.key = KEY,
	.assemble = ASSEMBLE_STEP_COSTS,
	.value = verifiers_read_value,
	.fold_open = verifiers_fold_open,
	.fold_close = verifiers_fold_close,
	.fold = verifiers_fold_event,
	.fold_end = verifiers_fold_end,
};

const struct dialect verifiers_dialect = {
	.name = "verifiers",
	.title = "evaluations of verifiers and Prime: results.jsonl, traces.jsonl, hosted samples",
	.file = "results.jsonl",
	.unit = "rollout",
	.forms = DIALECT_LINES | DIALECT_DOCUMENT,
	.rules = dialect_no_rules,
	.fits = verifiers_fits,
	.read = &read_verifiers,
};
