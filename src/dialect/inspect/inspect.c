/*
 * Inspect: logs of evaluations. A log is one document, or an archive with a header and a document for each sample;
 * a run is one sample in one epoch. What the log says of all its samples goes to the first of them, and what
 * identifies it to the others.
 */
#include <assert.h>

#include "dialect/formats.h"
#include "dialect/inspect/sample.h"
#include "model/assemble.h"
#include "model/merge.h"

/* ---- the log itself ---- */

/* Adds a member when it is a string; what is missing is left out of the identity. */
static void inspect_add_member(struct buf *b, struct reading *r, struct val object, const char *name)
{
	struct val v = val_get(object, str_from(name));

	if (!val_is(v, JSON_STRING))
		return;
	buf_printf(b, "%s\"%s\":", b->n ? "," : "", name);
	buf_add_str(b, reading_quote(r, val_text(v, r->arena)));
}

/* What tells this log from others, for the runs that do not get all of it. */
static struct str identity(struct reading *r, struct val eval)
{
	static const char *const names[] = { "eval_id", "model", "run_id", "task", "task_id" };
	struct buf b = { 0 };
	struct str json;

	for (size_t i = 0; i < COUNT(names); i++)
		inspect_add_member(&b, r, eval, names[i]);
	json = arena_printf(r->arena, "{\"log\":{\"eval\":{%.*s}}}", (int)b.n, b.n ? b.p : "");
	buf_free(&b);
	return json;
}

/* How the evaluation ended, as its log says. */
static enum run_status status_of(struct val log)
{
	struct val v = val_get(log, STR("status"));

	if (!val_is(v, JSON_STRING))
		return STATUS_INTERRUPTED; /* the journal's start: the log was never finished */
	return val_text_is(v, STR("success")) ? STATUS_SUCCESS : val_text_is(v, STR("error")) ? STATUS_ERROR :
	       STATUS_INTERRUPTED;
}

/* A note for the fold, with what its hint says; content is the log's identity. */
static void inspect_read_log(struct reading *r, struct val v)
{
	struct val eval = val_get(v, STR("eval")), samples = val_get(v, STR("samples"));
	size_t at = r->count;
	struct event *e = reading_add(r, EVENT_NOTE);
	struct inspect_hint *h = arena_new(r->arena, struct inspect_hint);

	e->role = STR(INSPECT_LOG);
	e->content = identity(r, eval);
	h->model = val_get_text(eval, STR("model"), r->arena);
	h->run = val_get_text(eval, STR("eval_id"), r->arena);
	if (!h->run.p)
		h->run = val_get_text(eval, STR("run_id"), r->arena);
	h->version = val_text_or_none(val_at(eval, STR("/packages/inspect_ai")), r->arena);
	h->error = val_text_or_none(val_at(v, STR("/error/message")), r->arena);
	h->status = status_of(v);
	e->hint = h;
	e->ts = reading_time_text(r, val_get_text(eval, STR("created"), r->arena));
	if (e->ts.text.p)
		e->ts.source = MOMENT_DERIVED;
	VALUES_EACH(sample, samples) {
		if (val_is(sample, JSON_OBJECT))
			inspect_read_sample(r, sample);
	}
	reading_rest_under(r, &r->events[at], v, STR("log"));
}

/* A log, a sample out of an archive, or (kept whole in a NOTE) anything else. */
static void inspect_read_value(struct reading *r, struct val v)
{
	struct event *e;

	if (val_is(v, JSON_OBJECT) && val_is(val_get(v, STR("eval")), JSON_OBJECT)) {
		inspect_read_log(r, v);
	} else if (val_is(v, JSON_OBJECT) && val_has(v, STR("epoch"))) {
		inspect_read_sample(r, v);
	} else {
		e = reading_add(r, EVENT_NOTE);
		e->role = STR("value");
		e->content = reading_json_of(r, e, "content", v);
	}
}

/* ---- the fold: the log's members go to its runs ---- */

struct fold {
	struct arena arena;
	struct merge *merge;
	const struct event *log;  /* NULL: none was told */
	struct inspect_hint told; /* its hint */
	uint64_t runs;
};

static void *inspect_fold_open(void)
{
	struct fold *f = mem_alloc(sizeof(*f));

	*f = (struct fold){ .log = NULL };
	arena_init(&f->arena);
	f->merge = merge_open();
	return f;
}

static void inspect_fold_close(void *fold)
{
	struct fold *f = fold;

	merge_close(f->merge);
	arena_free(&f->arena);
	mem_free(f);
}

/* What the log says of all its samples goes to the first run, its identity to the others. */
static void inspect_add_log(struct fold *f, struct arena *a, struct event *e)
{
	struct str key = STR("inspect/1"), log = f->runs == 0 ? event_find_extra(f->log, key) : f->log->content;

	if (!log.p)
		return;
	for (struct extra *x = e->extras; x; x = x->next) {
		if (str_eq(x->key, key)) {
			x->json = merge_objects(f->merge, a, x->json, log);
			return;
		}
	}
	event_add_extra(e, a, key, log);
}

/* The fold outlives the batch, so all texts are copied. A second log in the same part takes the place of the first. */
static void keep_log(struct fold *f, const struct event *e, const struct inspect_hint *h)
{
	struct str *texts[] = { &f->told.run, &f->told.model, &f->told.version, &f->told.error };

	assert(h); /* nothing else makes such a note */
	f->log = event_copy(&f->arena, e);
	f->told = *h;
	for (size_t i = 0; i < COUNT(texts); i++)
		if (texts[i]->p)
			*texts[i] = arena_copy(&f->arena, *texts[i]);
}

/* A run begins: it gets what the log knows. */
static bool inspect_begin_run(struct fold *f, const struct event *e, struct assemble *as, struct err *err)
{
	const struct inspect_hint *h = e->hint;
	struct str sample = h ? h->sample : str_of(NULL, 0);
	struct arena a;
	struct event *copy;
	bool good;

	arena_init(&a);
	copy = event_copy(&a, e);
	if (f->log) {
		if (!copy->run.p && sample.p)
			copy->run = arena_printf(&a, "%.*s/%.*s", STR_ARG(f->told.run), STR_ARG(sample));
		copy->model = f->told.model;
		copy->agent_version = f->told.version;
		if (!copy->ts.text.p)
			copy->ts = f->log->ts;
		inspect_add_log(f, &a, copy);
	}
	if (!copy->run.p)
		copy->run = sample;
	f->runs++;
	good = assemble_add(as, copy, err);
	arena_free(&a);
	return good;
}

/* The note of a log stops here: its members are given to the runs. False only when the assembler refused an event. */
static bool inspect_fold_event(void *fold, const struct event *e, struct assemble *as, struct err *err)
{
	struct fold *f = fold;

	if (e->kind == EVENT_NOTE && str_eq(e->role, STR(INSPECT_LOG))) {
		keep_log(f, e, e->hint);
		return true;
	}
	return e->kind == EVENT_RUN_START ? inspect_begin_run(f, e, as, err) : assemble_add(as, e, err);
}

/* A log whose run broke before the first sample was done still is a run, of nothing. */
static bool inspect_fold_end(void *fold, struct assemble *as, struct err *err)
{
	struct fold *f = fold;
	bool good = true;

	if (f->log && f->runs == 0) {
		struct event start = { .kind = EVENT_RUN_START, .index = -1, .agent = STR("inspect") };
		struct event end = { .kind = EVENT_RUN_END, .index = -1, .status = f->told.status };

		start.run = f->told.run;
		end.reason = f->told.error;
		good = inspect_begin_run(f, &start, as, err) && assemble_add(as, &end, err);
	}
	f->log = NULL;
	f->runs = 0;
	arena_reset(&f->arena);
	return good;
}

/* ---- detection ---- */

/* A log names its version and task. A sample has no such words, and is known by members that stand together. */
static int inspect_fits(struct val v)
{
	struct val eval = val_get(v, STR("eval"));

	if (!val_is(v, JSON_OBJECT))
		return 0;
	if (val_is(eval, JSON_OBJECT) && val_is(val_get(v, STR("version")), JSON_NUMBER) &&
	    val_has(eval, STR("task")))
		return 95;
	/* a sample out of an archive */
	return val_is(val_get(v, STR("epoch")), JSON_NUMBER) && val_is(val_get(v, STR("messages")), JSON_ARRAY) &&
	       val_has(v, STR("target")) && val_has(v, STR("id")) ? 80 : 0;
}

static const struct read_ops read_inspect = {
	.vendor = "inspect",
	.key = "inspect/1",
	.value = inspect_read_value,
	.fold_open = inspect_fold_open,
	.fold_close = inspect_fold_close,
	.fold = inspect_fold_event,
	.fold_end = inspect_fold_end,
};

const struct dialect inspect_dialect = {
	.name = "inspect",
	.title = "Inspect logs: .json and .eval",
	.file = "log.eval",
	.unit = "sample",
	.forms = DIALECT_LINES | DIALECT_DOCUMENT,
	.rules = dialect_no_rules,
	.fits = inspect_fits,
	.read = &read_inspect,
};
