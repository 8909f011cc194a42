#include <assert.h>

#include "base/clock.h"
#include "base/num.h"
#include "json/mend.h"
#include "json/text.h"
#include "model/assemble_private.h"

#define HOLD_LIMIT ((size_t)4 << 20)

struct assemble *assemble_open(bool (*put)(void *context, const struct event *e, struct err *err), void *context)
{
	struct assemble *as = mem_alloc(sizeof(*as));

	memset(as, 0, sizeof(*as));
	as->put = put;
	as->context = context;
	arena_init(&as->run);
	arena_init(&as->hold);
	arena_init(&as->other);
	arena_init(&as->compactions.arena);
	compactions_begin(&as->compactions);
	calls_init(&as->calls);
	calls_init(&as->steps);
	as->tail = &as->first;
	as->parser = json_parser_open((struct json_options){
		.max_depth = 400, .allow_duplicates = true, .allow_lone = true, .allow_bom = true });
	as->mend = mend_open();
	as->merge = merge_open();
	buf_init(&as->scratch);
	return as;
}

static void free_slot(struct slot *s)
{
	if (s->step)
		assemble_free_step(s->step);
	assemble_free_calls(s->calls);
	mem_free(s);
}

/* Everything of the run is forgotten, without putting anything out; ready for the next one. */
static void end_run(struct assemble *as)
{
	for (struct slot *s = as->first, *next; s; s = next) {
		next = s->next;
		free_slot(s);
	}
	as->first = NULL;
	as->tail = &as->first;
	for (size_t i = 0; i < as->branch_count; i++) {
		buf_free(&as->branch_list[i]->latest_text);
		mem_free(as->branch_list[i]);
	}
	as->branch_count = 0;
	calls_reset(&as->calls);
	calls_reset(&as->steps);
	compactions_begin(&as->compactions);
	arena_reset(&as->run);
	arena_reset(&as->hold);
	as->begun = as->start_put = as->torn = as->cut = false;
	as->start = as->end = NULL;
	as->step_count = as->lone_count = 0;
	as->relief_at = 0;
	as->last = (struct moment){ 0 };
	as->last_kind = EVENT_RUN_START;
}

void assemble_close(struct assemble *as)
{
	if (!as)
		return;
	end_run(as);
	calls_free(&as->calls);
	calls_free(&as->steps);
	compactions_free(&as->compactions);
	arena_free(&as->run);
	arena_free(&as->hold);
	arena_free(&as->other);
	mem_free(as->branch_list);
	json_parser_close(as->parser);
	mend_close(as->mend);
	merge_close(as->merge);
	buf_free(&as->scratch);
	mem_free(as);
}

void assemble_use(struct assemble *as, struct assemble_options options)
{
	as->options = options;
	if (!as->options.hold_limit)
		as->options.hold_limit = HOLD_LIMIT;
}

/* ---- small things ---- */

struct branch *assemble_branch(struct assemble *as, struct str name)
{
	struct branch *b;
	uint64_t *place;
	bool added;

	if (as->branch_count == 0)
		map_init(&as->branches, &as->run);
	place = map_add(&as->branches, name.p ? name : STR(""), &added);
	if (!added)
		return as->branch_list[*place];
	mem_grow(as->branch_list, as->branch_count, as->branch_cap, 8);
	b = mem_alloc(sizeof(*b));
	*b = (struct branch){ .open = NULL };
	buf_init(&b->latest_text);
	*place = as->branch_count;
	as->branch_list[as->branch_count++] = b;
	return b;
}

struct slot *assemble_queue(struct assemble *as, struct event *e)
{
	struct slot *s = mem_alloc(sizeof(*s));

	assert(as->begun && !*as->tail);
	*s = (struct slot){ .e = e };
	*as->tail = s;
	as->tail = &s->next;
	return s;
}

struct str assemble_quote(struct assemble *as, struct arena *a, struct str text)
{
	buf_clear(&as->scratch);
	text_quote(&as->scratch, text);
	return arena_copy(a, buf_str(&as->scratch));
}

struct str assemble_number(struct assemble *as, struct str id, uint64_t number)
{
	char digits[NUM_U64_MAX];

	return ARENA_JOIN(&as->hold, id, STR("#"), str_of(digits, num_format_u64(digits, number)));
}

/* Adds {name: json} to what the event has under trackway/1. */
static void remark_json(struct assemble *as, struct event *e, const char *name, struct str json)
{
	struct buf b;
	struct str object;

	buf_init(&b);
	buf_printf(&b, "{\"%s\":", name);
	buf_add_str(&b, json);
	buf_add_byte(&b, '}');
	object = arena_take(&as->hold, &b);
	for (struct extra *x = e->extras; x; x = x->next) {
		if (!x->member && str_eq(x->key, STR("trackway/1"))) {
			x->json = merge_objects(as->merge, &as->hold, x->json, object);
			return;
		}
	}
	event_add_extra(e, &as->hold, STR("trackway/1"), object);
}

void assemble_remark(struct assemble *as, struct event *e, const char *name, struct str text)
{
	remark_json(as, e, name, assemble_quote(as, &as->hold, text));
}

/* ---- out ---- */

static void remember_time(struct assemble *as, const struct moment *ts)
{
	if (ts->text.n >= sizeof(as->last_text))
		return;
	memcpy(as->last_text, ts->text.p, ts->text.n);
	as->last = *ts;
	as->last.text = str_of(as->last_text, ts->text.n);
}

/* The note that a compaction makes; false when there is none to make. */
static bool make_note(struct assemble *as, struct event *e)
{
	if (!compactions_tell(&as->compactions, e, &as->scratch))
		return false;
	e->compaction = NULL;
	e->role = STR(COMPACTION_ROLE);
	e->content = arena_copy(&as->hold, buf_str(&as->scratch));
	return true;
}

/* Hands an event on, with a time: its own, else that of the event before. Nothing comes before the RUN_START. */
static bool put_event(struct assemble *as, struct event *e, struct err *err)
{
	assert(as->start_put && e->kind < EVENT_KINDS && !e->hint);
	if (!e->ts.text.p && as->last.text.p) {
		e->ts = as->last;
		e->ts.source = as->last.source == MOMENT_NONE ? MOMENT_NONE : MOMENT_INHERITED;
	} else if (!e->ts.text.p) {
		e->ts = (struct moment){ STR("1970-01-01T00:00:00.000Z"), 0, MOMENT_NONE };
	}
	remember_time(as, &e->ts);
	if (e->compaction && !make_note(as, e))
		return true;
	if (e->kind != EVENT_NOTE && e->kind != EVENT_COST)
		as->last_kind = e->kind;
	if (e->kind == EVENT_STEP || (e->kind == EVENT_NOTE && (e->flags & EVENT_PARTIAL)))
		as->cut = e->flags & EVENT_PARTIAL;
	if (!(as->options.flags & ASSEMBLE_AS_IS))
		compactions_see(&as->compactions, e);
	return as->put(as->context, e, err);
}

static bool put_calls(struct assemble *as, const struct slot *s, struct err *err)
{
	for (struct step_call *c = s->calls; c; c = c->next)
		if (!put_event(as, c->e, err))
			return false;
	return true;
}

/* A result that belongs to nothing. */
static void make_orphan(struct assemble *as, struct event *e)
{
	struct str call = e->call, content = e->content;

	e->kind = EVENT_ERROR;
	e->class = STR("tool");
	e->code = STR("orphan_result");
	e->text = STR("a result without a call");
	if (call.p)
		assemble_remark(as, e, "call_id", call);
	remark_json(as, e, "result", content.p ? content : STR("null"));
	e->call = e->content = str_of(NULL, 0);
}

static bool put_slot(struct assemble *as, struct slot *s, struct err *err)
{
	if (s->answers) {
		if (s->answers->gone && s->e->kind == EVENT_RESULT)
			make_orphan(as, s->e);
		else if (s->answers->gone)
			s->e->call = str_of(NULL, 0);
		else
			s->e->call = arena_copy(&as->hold, s->answers->id);
		calls_close(&as->calls, s->answers);
		s->answers = NULL;
	}
	assert(!s->step && s->e); /* the step is closed */
	return put_event(as, s->e, err) && (!s->cost || put_event(as, s->cost, err)) && put_calls(as, s, err);
}

static bool put_start(struct assemble *as, struct err *err)
{
	as->start_put = true;
	return put_event(as, as->start, err);
}

/* Copies what waits to a fresh arena once most of the old one is no longer needed. */
static void compact(struct assemble *as)
{
	struct arena old = as->hold;

	as->hold = as->other;
	arena_reset(&as->hold);
	for (struct slot *s = as->first; s; s = s->next) {
		if (s->e)
			s->e = event_copy(&as->hold, s->e);
		if (s->cost)
			s->cost = event_copy(&as->hold, s->cost);
		for (struct step_call *c = s->step ? s->step->calls : s->calls; c; c = c->next)
			c->e = event_copy(&as->hold, c->e);
		if (s->step) {
			struct extra **last = &s->step->extras;

			s->step->e = event_copy(&as->hold, s->step->e);
			for (struct extra *x = s->step->extras; x; x = x->next, last = &(*last)->next) {
				struct extra *copy = arena_new(&as->hold, struct extra);

				*copy = (struct extra){ x->next, arena_copy(&as->hold, x->key),
							arena_copy(&as->hold, x->json), false, 0 };
				*last = copy;
				s->step->latest = copy;
			}
			s->step->last_extra = last;
		}
	}
	as->other = old;
}

/* Everything at the front that is complete goes out. */
static bool flush(struct assemble *as, bool now, struct err *err)
{
	if (!as->start_put) {
		if (!now && !as->start->ts.text.p && as->hold.used < as->options.hold_limit)
			return true; /* a time may still come */
		if (!put_start(as, err))
			return false;
	}
	while (as->first && as->first->e) {
		struct slot *s = as->first;

		if (!put_slot(as, s, err))
			return false;
		as->first = s->next;
		if (!as->first)
			as->tail = &as->first;
		free_slot(s);
	}
	if (!as->first) {
		arena_reset(&as->hold);
		as->relief_at = 0;
	}
	return true;
}

/*
 * What waits is copied at most once for each half of the limit that comes, and half of it goes out when it has become
 * too much: otherwise each event of very many branches would cost a copy of all.
 */
static bool relieve(struct assemble *as, struct err *err)
{
	size_t before = as->hold.used, waiting = 0;
	const struct slot *half;

	if (!flush(as, false, err))
		return false;
	if (as->hold.used < as->options.hold_limit || as->hold.used < as->relief_at)
		return true;
	compact(as);
	as->relief_at = as->hold.used + as->options.hold_limit / 2;
	if (as->hold.used * 2 < before)
		return true;
	for (const struct slot *s = as->first; s; s = s->next)
		waiting++;
	half = as->first;
	for (size_t i = 0; half && i < waiting / 2; i++)
		half = half->next;
	/* every step in the first half holds up what is behind it */
	for (struct slot *s = as->first; s && s != half; s = s->next)
		if (s->step)
			assemble_close_step(as, s->step->branch);
	if (as->first && as->first->step)
		assemble_close_step(as, as->first->step->branch);
	return flush(as, true, err);
}

/* ---- in ---- */

/* Ids of calls are only good if the call is known: otherwise they are a remark. */
static const struct event *resolve_parent(struct assemble *as, const struct event *from)
{
	struct call_trace *t = from->parent.n ? calls_find_trace(&as->calls, from->parent) : NULL;
	struct event *e;

	if (!from->parent.p || (t && !t->number))
		return from;
	e = event_copy(&as->hold, from); /* its extras are the caller's */
	if (!t) {
		assemble_remark(as, e, "parent_call_id", e->parent);
		e->parent = str_of(NULL, 0);
	} else {
		e->parent = assemble_number(as, e->parent, t->number);
	}
	return e;
}

static void mark_answered(struct assemble *as, struct open_call *o)
{
	struct call_trace *t = o->vendor_id.p ? calls_find_trace(&as->calls, o->vendor_id) : NULL;

	if (t)
		t->answered = true;
	calls_answer(o);
}

static void add_second(struct assemble *as, const struct event *e)
{
	struct event *copy = event_copy(&as->hold, e);

	copy->kind = EVENT_NOTE;
	copy->role = STR("second_result");
	if (!copy->content.p)
		copy->content = STR("null");
	assemble_remark(as, copy, "call_id", e->call);
	copy->call = str_of(NULL, 0);
	assemble_queue(as, copy);
}

/*
 * A second result to a call becomes a note, unless it is a request telling its history again. Without a call it is an
 * orphan.
 */
static void add_result(struct assemble *as, const struct event *e)
{
	struct open_call *o = e->call.n ? calls_find(&as->calls, e->call, e->branch) :
					  calls_find_first(&as->calls, e->branch);
	struct call_trace *t = e->call.n ? calls_find_trace(&as->calls, e->call) : NULL;
	struct slot *s;

	if (!o && t && t->answered) {
		if (!(e->flags & EVENT_HISTORY))
			add_second(as, e);
		return;
	}
	s = assemble_queue(as, event_copy(&as->hold, e));
	if (!o) {
		make_orphan(as, s->e);
		return;
	}
	s->e->flags &= ~(unsigned)EVENT_HISTORY;
	s->answers = o;
	mark_answered(as, o);
}

/* An error ends the call it is about; one about a call that is over or unknown only mentions it. */
static void add_error(struct assemble *as, const struct event *e)
{
	struct open_call *o = e->call.n ? calls_find(&as->calls, e->call, e->branch) : NULL;
	struct slot *s = assemble_queue(as, event_copy(&as->hold, e));

	if (o) {
		s->answers = o;
		mark_answered(as, o);
	} else if (e->call.p) {
		assemble_remark(as, s->e, "call_id", e->call);
		s->e->call = str_of(NULL, 0);
	}
}

static void add_message(struct assemble *as, const struct event *e)
{
	assemble_close_step(as, assemble_branch(as, e->branch));
	assemble_queue(as, event_copy(&as->hold, e))->e->flags &= ~(unsigned)EVENT_HISTORY;
}

/* What the step at hand cost stands behind it, before its calls. */
static bool add_step_cost(struct assemble *as, const struct event *e)
{
	struct slot *open;

	if (e->kind != EVENT_COST || !str_eq(e->scope, STR("step")) || e->call.p || !e->step.p)
		return false;
	open = assemble_branch(as, e->branch)->open;
	if (!open || !open->step || open->cost || !open->step->e->step.p || !str_eq(open->step->e->step, e->step))
		return false;
	open->cost = event_copy(&as->hold, e);
	return true;
}

static void add_other(struct assemble *as, const struct event *e)
{
	struct event *copy = event_copy(&as->hold, e);

	if (e->call.p && !calls_find_trace(&as->calls, e->call)) {
		assemble_remark(as, copy, "call_id", e->call);
		copy->call = str_of(NULL, 0);
	}
	assemble_queue(as, copy);
}

static void fill_text(struct arena *a, struct str *into, struct str from)
{
	if (!into->p && from.p)
		*into = arena_copy(a, from);
}

static void begin_run(struct assemble *as, const struct event *e)
{
	struct event start = { .kind = EVENT_RUN_START, .index = -1 };

	if (e->kind == EVENT_RUN_START)
		start = *e;
	as->start = event_copy(&as->run, &start);
	if (!as->start->vendor.p)
		as->start->vendor = as->options.vendor;
	as->begun = true;
}

/* More about the run at hand. Once its record is out, what is new becomes a note. */
static void extend_run(struct assemble *as, const struct event *e)
{
	struct event *s = as->start;

	if (as->start_put) {
		struct event note = *e;
		bool other_tools = e->tools.p && !str_eq(e->tools, s->tools);

		if (!e->extras && !other_tools)
			return;
		note.kind = EVENT_NOTE;
		note.role = STR("run_start");
		note.content = other_tools ? e->tools : STR("null");
		assemble_queue(as, event_copy(&as->hold, &note));
		return;
	}
	fill_text(&as->run, &s->run, e->run);
	fill_text(&as->run, &s->agent, e->agent);
	fill_text(&as->run, &s->agent_version, e->agent_version);
	fill_text(&as->run, &s->framework, e->framework);
	fill_text(&as->run, &s->parent_run, e->parent_run);
	fill_text(&as->run, &s->tools, e->tools);
	fill_text(&as->run, &s->model, e->model);
	fill_text(&as->run, &s->provider, e->provider);
	for (const struct extra *x = e->extras; x; x = x->next) {
		struct extra *old = s->extras;

		while (old && !str_eq(old->key, x->key))
			old = old->next;
		if (old)
			old->json = merge_objects(as->merge, &as->run, old->json, arena_copy(&as->run, x->json));
		else
			event_add_extra(s, &as->run, arena_copy(&as->run, x->key), arena_copy(&as->run, x->json));
	}
}

/* Several ends of one run: the last one counts, what only earlier ones know is kept. */
static void keep_end(struct assemble *as, const struct event *e)
{
	struct event *before = as->end;

	as->end = event_copy(&as->run, e);
	if (!before)
		return;
	fill_text(&as->run, &as->end->reason, before->reason);
	fill_text(&as->run, &as->end->output, before->output);
	if (!as->end->extras)
		as->end->extras = before->extras;
	if (as->end->status == STATUS_UNKNOWN)
		as->end->status = before->status;
}

static bool is_new_run(const struct assemble *as, const struct event *e)
{
	return e->kind == EVENT_RUN_START && as->begun && e->run.p && as->start->run.p &&
	       !str_eq(e->run, as->start->run);
}

/* Events that are final already. */
static bool pass(struct assemble *as, const struct event *e, struct err *err)
{
	struct event copy = *e;

	if (e->kind == EVENT_RUN_START && as->begun && !assemble_end(as, true, err))
		return false;
	if (!as->begun) {
		begin_run(as, e);
		as->start_put = e->kind == EVENT_RUN_START || as->start_put;
		if (e->kind != EVENT_RUN_START && !put_start(as, err))
			return false;
	}
	if (!put_event(as, &copy, err))
		return false;
	if (e->kind == EVENT_RUN_END)
		end_run(as);
	return true;
}

/* One event of the dialect to whatever deals with its kind. */
static void add(struct assemble *as, const struct event *e)
{
	switch (e->kind) {
	case EVENT_RUN_START:
		extend_run(as, e);
		break;
	case EVENT_STEP:
		assemble_add_step(as, e);
		break;
	case EVENT_CALL:
		assemble_add_call(as, e);
		break;
	case EVENT_RESULT:
		add_result(as, e);
		break;
	case EVENT_ERROR:
		add_error(as, e);
		break;
	case EVENT_MESSAGE:
		add_message(as, e);
		break;
	case EVENT_RUN_END:
		keep_end(as, e);
		break;
	default:
		if (!add_step_cost(as, e))
			add_other(as, e);
	}
}

bool assemble_add(struct assemble *as, const struct event *e, struct err *err)
{
	as->torn = as->torn || event_is_torn(e);
	if (as->options.flags & ASSEMBLE_AS_IS)
		return pass(as, e, err);
	if (is_new_run(as, e) && !assemble_end(as, false, err))
		return false;
	if (!as->begun)
		begin_run(as, e);
	else if (e->kind == EVENT_RUN_START && !as->start->run.p)
		fill_text(&as->run, &as->start->run, as->start_put ? str_of(NULL, 0) : e->run);
	if (!as->start->ts.text.p && e->ts.text.p) {
		as->start->ts = e->ts;
		as->start->ts.text = arena_copy(&as->run, e->ts.text);
		as->start->ts.source = MOMENT_DERIVED;
	}
	add(as, resolve_parent(as, e));
	return relieve(as, err);
}

/* ---- the end ---- */

static bool close_all(struct assemble *as, struct err *err)
{
	for (size_t i = 0; i < as->branch_count; i++)
		assemble_close_step(as, as->branch_list[i]);
	return flush(as, true, err);
}

/* What was asked and never answered. */
static bool put_orphans(struct assemble *as, bool *any, struct err *err)
{
	*any = as->calls.oldest != NULL;
	while (as->calls.oldest) {
		struct open_call *o = as->calls.oldest;
		struct event e = {
			.kind = EVENT_ERROR,
			.class = STR("tool"),
			.code = STR("no_result"),
			.text = STR("the call has no result"),
			.call = o->id,
			.branch = o->branch,
			.index = -1,
		};

		if (!put_event(as, &e, err))
			return false;
		calls_close(&as->calls, o);
	}
	return true;
}

/* What was hidden by a compaction and asked for again: how often. */
static bool put_refetched(struct assemble *as, struct err *err)
{
	struct event note = { .kind = EVENT_NOTE, .role = STR(COMPACTION_AGAIN), .index = -1 };

	if (as->compactions.refetched == 0)
		return true;
	note.content = arena_printf(&as->hold, "{\"" COMPACTION_CALLS "\":%llu,\"derived\":[\"" COMPACTION_CALLS "\"]}",
				    (unsigned long long)as->compactions.refetched);
	return put_event(as, &note, err);
}

bool assemble_end(struct assemble *as, bool interrupted, struct err *err)
{
	struct event end = { .kind = EVENT_RUN_END, .index = -1 };
	bool open = false;

	if (!as->begun)
		return true;
	if (!(as->options.flags & ASSEMBLE_AS_IS) && (!close_all(as, err) || !put_orphans(as, &open, err)))
		return false;
	if (!put_refetched(as, err))
		return false;
	if (as->end)
		end = *as->end;
	else
		end.flags = EVENT_INFERRED;
	if (end.status == STATUS_UNKNOWN) {
		if (interrupted || open || as->torn || (as->options.flags & ASSEMBLE_AS_IS))
			end.status = STATUS_INTERRUPTED;
		else if (as->last_kind == EVENT_ERROR)
			end.status = STATUS_ERROR;
		else
			end.status = as->cut ? STATUS_INTERRUPTED : STATUS_SUCCESS;
	}
	if (!put_event(as, &end, err))
		return false;
	end_run(as);
	return true;
}
