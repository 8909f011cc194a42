/* Copies what it holds into one arena, sorts it by trace at the end, and gives one run after the other away. */
#include "dialect/otlp/fold.h"

#include <stdlib.h>

#include "base/map.h"
#include "dialect/otlp/read.h"
#include "dialect/otlp/run.h"

#define HOLD_LIMIT ((size_t)64 << 20)

static const struct str none;

/* ---- what is held ---- */

struct fold {
	struct arena arena;
	struct otlp_node **nodes;
	uint32_t count, cap;
	struct map traces, contexts;
	struct str *names; /* of traces */
	uint32_t trace_count, trace_cap;
	struct event **context_list;
	uint32_t context_count, context_cap;
	uint32_t trace, context; /* of what comes next; OTLP_NOBODY before the first */
	struct otlp_node *node;  /* the latest span */
	struct otlp_run *run;
	bool split; /* the limit was reached: a trace may have been told in part */
};

/* All that is held lies in one arena, so it goes at once. What is `split` stays so. */
static void otlp_fold_forget(struct fold *f)
{
	arena_reset(&f->arena);
	f->count = f->trace_count = f->context_count = 0;
	f->trace = f->context = OTLP_NOBODY;
	f->node = NULL;
	map_init(&f->traces, &f->arena);
	map_init(&f->contexts, &f->arena);
}

void *otlp_fold_open(void)
{
	struct fold *f = mem_alloc(sizeof(*f));

	*f = (struct fold){ .count = 0 };
	arena_init(&f->arena);
	f->run = otlp_run_open();
	otlp_fold_forget(f);
	return f;
}

void otlp_fold_close(void *fold)
{
	struct fold *f = fold;

	arena_free(&f->arena);
	mem_free(f->nodes);
	mem_free(f->names);
	mem_free(f->context_list);
	otlp_run_close(f->run);
	mem_free(f);
}

/* The number of a trace, a new one for a new name. Spans without a trace id share one. */
static uint32_t find_trace(struct fold *f, struct str name)
{
	bool added;
	uint64_t *slot = map_add(&f->traces, name.p ? name : STR(""), &added);

	if (!added)
		return (uint32_t)*slot;
	mem_grow(f->names, f->trace_count, f->trace_cap, 16);
	f->names[f->trace_count] = name.n ? arena_copy(&f->arena, name) : none;
	*slot = f->trace_count;
	return f->trace_count++;
}

/* Equal ones are one; without extras there is none. */
static void use_context(struct fold *f, const struct event *e)
{
	uint64_t *slot;
	bool added;

	f->context = OTLP_NOBODY;
	if (!e->extras)
		return;
	slot = map_add(&f->contexts, e->extras->json, &added);
	if (added) {
		mem_grow(f->context_list, f->context_count, f->context_cap, 16);
		f->context_list[f->context_count] = event_copy(&f->arena, e);
		*slot = f->context_count++;
	}
	f->context = (uint32_t)*slot;
}

/* A copy of an event, with its hint. */
static struct event *otlp_fold_keep_event(struct arena *a, const struct event *e)
{
	struct event *copy = event_copy(a, e);
	struct otlp_hint h = *otlp_hint_of(e), *kept;
	struct str *texts[] = { &h.trace, &h.id, &h.parent, &h.agent, &h.agent_version, &h.tools };

	if (!e->hint)
		return copy;
	for (size_t i = 0; i < COUNT(texts); i++)
		if (texts[i]->p)
			*texts[i] = arena_copy(a, *texts[i]);
	kept = arena_new(a, struct otlp_hint);
	*kept = h;
	copy->hint = kept;
	return copy;
}

static struct otlp_node *otlp_fold_add_node(struct fold *f, const struct event *e)
{
	struct otlp_node *n = arena_new(&f->arena, struct otlp_node);

	mem_grow(f->nodes, f->count, f->cap, 64);
	f->nodes[f->count++] = n;
	n->carrier = otlp_fold_keep_event(&f->arena, e);
	n->context = OTLP_NOBODY;
	return n;
}

/* What follows without a span of its own belongs to the trace of this one. */
static void add_span(struct fold *f, const struct event *e)
{
	struct otlp_node *n = otlp_fold_add_node(f, e);

	f->trace = n->trace = find_trace(f, otlp_hint_of(e)->trace);
	n->context = f->context;
	n->role = otlp_hint_of(e)->role;
	f->node = n;
}

/* A log record without a trace id belongs to the trace of the span before it. */
static void otlp_fold_add_log(struct fold *f, const struct event *e)
{
	struct otlp_node *n = otlp_fold_add_node(f, e);
	struct str trace = otlp_hint_of(e)->trace;

	n->trace = trace.n ? find_trace(f, trace) : f->trace;
	n->context = f->context;
	f->node = NULL;
}

static void add_payload(struct fold *f, struct otlp_node *n, const struct event *e)
{
	arena_grow(&f->arena, n->payload, n->payload_count, n->payload_cap, 4);
	n->payload[n->payload_count++] = otlp_fold_keep_event(&f->arena, e);
}

/* ---- letting go ---- */

static int by_trace(const void *a, const void *b)
{
	const struct otlp_node *x = *(struct otlp_node *const *)a, *y = *(struct otlp_node *const *)b;

	if (x->trace != y->trace)
		return x->trace < y->trace ? -1 : 1;
	return x->order < y->order ? -1 : 1;
}

bool otlp_fold_end(void *fold, struct assemble *as, struct err *err)
{
	struct fold *f = fold;
	bool ok = true;

	/* What came before the first span belongs to its trace. */
	for (uint32_t i = 0; i < f->count; i++) {
		f->nodes[i]->order = i;
		if (f->nodes[i]->trace == OTLP_NOBODY)
			f->nodes[i]->trace = f->trace_count ? 0 : find_trace(f, none);
	}
	if (f->count)
		qsort(f->nodes, f->count, sizeof(*f->nodes), by_trace);
	for (uint32_t from = 0, to; ok && from < f->count; from = to) {
		for (to = from; to < f->count && f->nodes[to]->trace == f->nodes[from]->trace;)
			to++;
		ok = otlp_run_put(f->run,
				  &(struct otlp_trace){ .name = f->names[f->nodes[from]->trace],
							.nodes = f->nodes + from,
							.count = to - from,
							.contexts = f->context_list,
							.context_count = f->context_count,
							.part = f->split,
							.arena = &f->arena },
				  as, err);
	}
	otlp_fold_forget(f);
	return ok;
}

/* The limit is told in the run itself, for whoever wonders about spans without parents. */
static bool say_limit(struct assemble *as, struct err *err)
{
	struct event e = { .kind = EVENT_NOTE, .index = -1, .role = STR("otlp.limit") };

	e.content = STR("\"64 MiB of spans were held; spans that follow may have parents that were let go before\"");
	return assemble_add(as, &e, err);
}

static bool otlp_fold_is_own(const struct event *e, const char *role)
{
	return e->kind == EVENT_NOTE && str_eq(e->role, str_from(role));
}

/* A line that could not be read is no part of the span before it. */
static bool is_payload(const struct event *e)
{
	bool unread = e->kind == EVENT_ERROR && str_eq(e->class, STR("parse")) && !otlp_hint_of(e)->place;

	return e->kind != EVENT_NOTE && !unread;
}

/* The limit is reached: everything so far goes on its way. The context stays: more of its spans follow. */
static bool otlp_fold_split(struct fold *f, struct assemble *as, struct err *err)
{
	struct event *context = NULL;
	struct arena keep;
	bool ok;

	arena_init(&keep);
	if (f->context != OTLP_NOBODY)
		context = event_copy(&keep, f->context_list[f->context]);
	f->split = true;
	ok = otlp_fold_end(f, as, err) && say_limit(as, err);
	if (context)
		use_context(f, context);
	arena_free(&keep);
	return ok;
}

bool otlp_fold_add(void *fold, const struct event *e, struct assemble *as, struct err *err)
{
	struct fold *f = fold;

	if (otlp_fold_is_own(e, "otlp.scope")) {
		use_context(f, e);
		f->node = NULL;
	} else if (otlp_fold_is_own(e, "otlp.log")) {
		otlp_fold_add_log(f, e);
	} else if (otlp_fold_is_own(e, "otlp.span")) {
		if (f->arena.used > HOLD_LIMIT && !otlp_fold_split(f, as, err))
			return false;
		add_span(f, e);
	} else if (f->node && is_payload(e)) {
		add_payload(f, f->node, e);
	} else {
		otlp_fold_add_node(f, e)->trace = f->trace;
		f->node = NULL;
	}
	return true;
}
