/* The steps of a run and their calls, while pieces of them come, and what is made of them when they are closed. */
#include <assert.h>

#include "base/num.h"
#include "json/mend.h"
#include "model/assemble_private.h"

/* ---- pieces of a step ---- */

static bool same_text(struct str a, struct str b)
{
	return (a.p != NULL) == (b.p != NULL) && str_eq(a, b);
}

/*
 * Of calls that were told in pieces, now told whole: their ids are free again. One that was answered already stays
 * until its answer is out.
 */
static void forget_calls(struct assemble *as, struct step *s)
{
	for (struct step_call *c = s->calls; c; c = c->next) {
		struct call_trace *t = c->open->vendor_id.p ? calls_find_trace(&as->calls, c->open->vendor_id) : NULL;

		if (t && t->number == 0)
			t->times = 0; /* it may be used again */
		if (c->open->answered)
			c->open->gone = true;
		else
			calls_close(&as->calls, c->open);
	}
	assemble_free_calls(s->calls);
	s->calls = NULL;
	s->last_call = &s->calls;
	s->newest = NULL;
	s->call_count = 0;
}

/* What came so far was second best. */
static void forget_pieces(struct assemble *as, struct step *s)
{
	forget_calls(as, s);
	buf_clear(&s->text);
	buf_clear(&s->reasoning);
	s->has_text = s->has_reasoning = false;
}

void assemble_free_calls(struct step_call *first)
{
	for (struct step_call *c = first, *next; c; c = next) {
		next = c->next;
		buf_free(&c->args);
		mem_free(c);
	}
}

void assemble_free_step(struct step *s)
{
	assemble_free_calls(s->calls);
	buf_free(&s->text);
	buf_free(&s->reasoning);
	mem_free(s);
}

/*
 * Merged member by member, later wins. There may be very many pieces, so they are merged as digits are carried: each
 * with one that is made of as many, and all that are left by join_extras.
 */
static void carry_extra(struct assemble *as, struct event *e, const struct extra *from)
{
	struct str json = arena_copy(&as->hold, from->json);
	struct extra **at, **last, *x;
	uint8_t rank = 0;

	for (;; rank++) {
		last = NULL;
		for (at = &e->extras; *at; at = &(*at)->next)
			if (str_eq((*at)->key, from->key))
				last = at;
		if (last && rank == 0 && str_eq((*last)->json, json))
			return; /* said already */
		if (!last || (*last)->rank != rank)
			break;
		json = merge_objects(as->merge, &as->hold, (*last)->json, json);
		*last = (*last)->next;
	}
	x = arena_new(&as->hold, struct extra);
	*x = (struct extra){ .key = arena_copy(&as->hold, from->key), .json = json, .rank = rank };
	*at = x;
}

static void join_extras(struct assemble *as, struct event *e)
{
	for (struct extra *x = e->extras; x; x = x->next) {
		x->rank = 0;
		for (struct extra **y = &x->next; *y;) {
			if (!str_eq((*y)->key, x->key)) {
				y = &(*y)->next;
				continue;
			}
			x->json = merge_objects(as->merge, &as->hold, x->json, (*y)->json);
			*y = (*y)->next;
		}
	}
}

/* Merged by key, or kept one behind the other until the step is closed, as the options say. */
static void add_extras(struct assemble *as, struct step *s, const struct extra *from)
{
	for (; from; from = from->next) {
		struct extra *x, *same = s->latest;

		if (as->options.flags & ASSEMBLE_EXT_MERGE) {
			carry_extra(as, s->e, from);
			continue;
		}
		/* only the latest is compared: there may be very many */
		if (same && str_eq(same->key, from->key) && str_eq(same->json, from->json))
			continue; /* said already */
		x = arena_new(&as->hold, struct extra);
		x->key = arena_copy(&as->hold, from->key);
		x->json = arena_copy(&as->hold, from->json);
		*s->last_extra = x;
		s->last_extra = &x->next;
		s->latest = x;
	}
}

static void take_text(struct arena *a, struct str *into, struct str from, bool replace)
{
	if (from.p && (replace || !into->p) && !same_text(*into, from))
		*into = arena_copy(a, from);
}

static void take_amount(struct amount *into, struct amount from)
{
	if (from.state >= into->state)
		*into = from;
}

/* What a further line about the same answer knows. */
static void merge_piece(struct assemble *as, struct step *s, const struct event *e)
{
	struct event *into = s->e;
	struct arena *a = &as->hold;

	if (e->stop_reason.p)
		into->flags &= ~(unsigned)EVENT_PARTIAL; /* it came to its end after all */
	into->flags |= e->flags & (EVENT_PARTIAL | EVENT_INFERRED | EVENT_STREAM | EVENT_NO_STREAM | EVENT_LAST);
	if (e->ts.text.p) {
		into->ts = e->ts;
		into->ts.text = arena_copy(a, e->ts.text);
	}
	take_text(a, &into->stop_reason, e->stop_reason, true);
	take_text(a, &into->model, e->model, e->model.n > 0);
	take_text(a, &into->provider, e->provider, true);
	take_text(a, &into->endpoint, e->endpoint, true);
	take_text(a, &into->request_id, e->request_id, true);
	take_text(a, &into->response_id, e->response_id, true);
	take_text(a, &into->tool_choice, e->tool_choice, true);
	take_text(a, &into->tier, e->tier, true);
	take_text(a, &into->parent, e->parent, false);
	take_amount(&into->latency_ms, e->latency_ms);
	take_amount(&into->ttft_ms, e->ttft_ms);
	take_amount(&into->usd, e->usd);
	usage_merge(&into->usage, &e->usage);
}

/* `first`: the step was just made of it. The first real piece throws away what fallback pieces said. */
static void add_piece(struct assemble *as, struct step *s, const struct event *e, bool first)
{
	bool fallback = e->flags & EVENT_FALLBACK;

	if (fallback && s->real)
		return;
	if ((e->flags & EVENT_WHOLE) || (!fallback && !s->real && !first))
		forget_pieces(as, s);
	s->real = s->real || !fallback;
	s->marker = (first || s->marker) && (e->flags & EVENT_MARKER);
	if (!first)
		merge_piece(as, s, e);
	if (e->text.p) {
		buf_add_str(&s->text, e->text);
		s->has_text = true;
	}
	if (e->reasoning.p) {
		buf_add_str(&s->reasoning, e->reasoning);
		s->has_reasoning = true;
	}
	add_extras(as, s, e->extras);
}

/* Its place in the queue is taken now; text and extras are gathered beside the event until it is closed. */
static struct slot *new_step(struct assemble *as, struct branch *b, const struct event *e)
{
	struct slot *slot = assemble_queue(as, NULL);
	struct step *s = mem_alloc(sizeof(*s));
	struct event bare = *e;

	*s = (struct step){ .branch = b };
	s->last_extra = &s->extras;
	s->last_call = &s->calls;
	buf_init(&s->text);
	buf_init(&s->reasoning);
	bare.text = bare.reasoning = str_of(NULL, 0);
	bare.extras = NULL;
	s->e = event_copy(&as->hold, &bare);
	slot->step = s;
	return slot;
}

/* Something about an answer that is closed: it is kept, but it is not another answer. */
static void add_late(struct assemble *as, const struct event *e)
{
	struct event note = *e;

	note.kind = EVENT_NOTE;
	note.role = STR("late_piece");
	note.content = assemble_quote(as, &as->hold, e->text.p ? e->text : STR(""));
	note.text = note.reasoning = str_of(NULL, 0);
	note.usage = (struct usage){ 0 };
	note.usd = (struct amount){ .state = FIGURE_ABSENT };
	assemble_queue(as, event_copy(&as->hold, &note));
}

/* An id that no step of the run has: its own, or with a number. */
static struct str claim_step(struct assemble *as, struct str id)
{
	uint32_t times = calls_note(&as->steps, id)->times;
	struct str numbered = id;

	if (times < 2)
		return id;
	while (numbered = assemble_number(as, id, times), calls_find_trace(&as->steps, numbered))
		times++;
	calls_find_trace(&as->steps, id)->times = times;
	calls_note(&as->steps, numbered);
	return numbered;
}

void assemble_add_step(struct assemble *as, const struct event *e)
{
	struct branch *b = assemble_branch(as, e->branch);
	struct step *open = b->open ? b->open->step : NULL;
	bool piece = e->flags & EVENT_PIECE;
	struct call_trace *used;
	struct event renamed = *e;

	if (open && (e->step.p ? open->e->step.p && str_eq(open->e->step, e->step) : piece)) {
		add_piece(as, open, e, false);
	} else {
		used = e->step.p ? calls_find_trace(&as->steps, e->step) : NULL;
		if (used && piece) {
			add_late(as, e);
			return;
		}
		assemble_close_step(as, b);
		if (e->step.p)
			renamed.step = claim_step(as, e->step);
		b->open = new_step(as, b, &renamed);
		add_piece(as, b->open->step, e, true);
	}
	if (e->flags & EVENT_LAST)
		assemble_close_step(as, b);
}

/* ---- calls of a step ---- */

#define LOOKED_MAX 1024

/* The call of the open step that this is a piece of: one of the latest, for an answer may have very many. */
static struct step_call *find_piece(const struct step *s, const struct event *e)
{
	size_t looked = 0;

	for (struct step_call *c = s->newest; c && looked < LOOKED_MAX; c = c->before, looked++) {
		struct str id = c->open && c->open->vendor_id.p ? c->open->vendor_id : c->e->call;

		if (e->call.n && c->e->call.n && !str_eq(id, e->call))
			continue;
		if (e->index >= 0 ? c->e->index == e->index : true)
			return c;
	}
	return NULL;
}

static uint32_t step_digest(struct str step)
{
	return (uint32_t)str_hash(step) | 1;
}

/*
 * Whether the id may be used: it gets a number when the run had it before. False when the same call is told
 * again.
 */
static bool claim_id(struct assemble *as, struct event *e, struct str step, struct open_call *o)
{
	struct str vendor_id = e->call;
	struct call_trace *t = calls_find_trace(&as->calls, vendor_id);
	uint32_t digest = step_digest(step);

	if (t && ((e->flags & EVENT_HISTORY) || (step.p && t->step == digest)))
		return false;
	t = calls_note(&as->calls, vendor_id);
	t->step = digest;
	t->number = t->times > 1 ? t->times : 0;
	if (t->number) {
		uint32_t number = t->number;

		do
			e->call = assemble_number(as, vendor_id, number);
		while (calls_find_trace(&as->calls, e->call) && number++ < UINT32_MAX);
		t->times = t->number = number;
		calls_note(&as->calls, e->call)->number = 0;
		assemble_remark(as, e, "call_id", vendor_id);
	}
	calls_name(o, e->call);
	return true;
}

static void add_args(struct step_call *c, const struct event *e)
{
	if (!e->args_text.p)
		return;
	buf_add_str(&c->args, e->args_text);
	c->joined = true;
}

static void merge_call(struct assemble *as, struct step_call *c, const struct event *e)
{
	add_args(c, e);
	take_text(&as->hold, &c->e->tool, e->tool, c->e->tool.n == 0);
	take_text(&as->hold, &c->e->server, e->server, false);
	take_text(&as->hold, &c->e->args, e->args, true);
	for (const struct extra *x = e->extras; x; x = x->next)
		carry_extra(as, c->e, x);
}

/* NULL when the call was told before: then nothing of it is kept. */
static struct step_call *new_call(struct assemble *as, const struct event *e, struct str step)
{
	struct open_call *o = calls_open(&as->calls, e->call.n ? e->call : str_of(NULL, 0), e->branch);
	struct step_call *c;
	struct event *copy = event_copy(&as->hold, e);

	if (!copy->call.n)
		copy->call = str_of(NULL, 0);
	else if (!claim_id(as, copy, step, o)) {
		calls_close(&as->calls, o);
		return NULL;
	}
	c = mem_alloc(sizeof(*c));
	*c = (struct step_call){ .e = copy, .open = o };
	buf_init(&c->args);
	add_args(c, e);
	return c;
}

static void make_json(struct assemble *as, struct step_call *c);

/* A call whose step is closed, or that has none: it stands alone. */
static void add_lone_call(struct assemble *as, struct branch *b, const struct event *e)
{
	struct str step = e->step.p ? e->step : b->latest;
	struct step_call *c = new_call(as, e, step);

	if (!c)
		return;
	if (!c->e->step.p && b->latest.p)
		c->e->step = arena_copy(&as->hold, b->latest);
	if (!c->e->call.p)
		do
			c->e->call = arena_printf(&as->hold, "call_%llu", (unsigned long long)++as->lone_count);
		while (!claim_id(as, c->e, step, c->open));
	make_json(as, c);
	assemble_queue(as, c->e);
	buf_free(&c->args);
	mem_free(c);
}

void assemble_add_call(struct assemble *as, const struct event *e)
{
	struct branch *b = assemble_branch(as, e->branch);
	struct step *s = b->open ? b->open->step : NULL;
	struct step_call *c;

	if (!s || (e->step.p && s->e->step.p && !str_eq(s->e->step, e->step))) {
		add_lone_call(as, b, e);
		return;
	}
	if ((e->flags & EVENT_FALLBACK) && s->real && s->calls)
		return;
	c = e->flags & EVENT_PIECE ? find_piece(s, e) : NULL;
	if (c) {
		merge_call(as, c, e);
		return;
	}
	c = new_call(as, e, s->e->step.p ? s->e->step : str_of(NULL, 0));
	if (!c)
		return;
	*s->last_call = c;
	s->last_call = &c->next;
	c->before = s->newest;
	s->newest = c;
	s->call_count++;
}

/* ---- the end of a step ---- */

static void make_json(struct assemble *as, struct step_call *c)
{
	struct event *e = c->e;
	struct str text = c->joined ? buf_str(&c->args) : str_of(NULL, 0);
	struct val v;

	e->flags &= ~(unsigned)(EVENT_PIECE | EVENT_FALLBACK | EVENT_HISTORY);
	e->args_text = str_of(NULL, 0);
	join_extras(as, e);
	if (e->args.p && !(c->joined && text.n))
		return;
	if (str_trim(text).n == 0) {
		e->args = STR("{}");
	} else if (json_parse_copy(as->parser, text, &v, NULL)) {
		buf_clear(&as->scratch);
		mend_value(as->mend, v, &as->scratch, (struct mend_watch){ 0 });
		e->args = arena_copy(&as->hold, buf_str(&as->scratch));
	} else {
		e->args = assemble_quote(as, &as->hold, text);
		e->flags |= EVENT_RAW_ARGS;
	}
}

/* "call_STEP_0" */
static struct str call_at(struct assemble *as, struct str step, int place)
{
	char digits[NUM_U64_MAX];
	struct str number = str_of(digits, num_format_u64(digits, (uint64_t)place));

	return ARENA_JOIN(&as->hold, STR("call_"), step, STR("_"), number);
}

/* Calls without an id get one of their step and place; made-up ids give way to those in use. */
static void name_calls(struct assemble *as, struct step *s)
{
	int place = 0;

	for (struct step_call *c = s->calls; c; c = c->next, place++) {
		struct event *e = c->e;

		e->step = s->e->step;
		if (!e->call.p) {
			e->call = call_at(as, s->e->step, e->index < 0 ? place : e->index);
			while (!claim_id(as, e, s->e->step, c->open)) /* two pieces said the same place */
				e->call = call_at(as, s->e->step, ++place);
		}
		make_json(as, c);
	}
}

static struct str list_calls(struct assemble *as, const struct step *s)
{
	struct buf b;

	buf_init(&b);
	for (const struct step_call *c = s->calls; c; c = c->next) {
		buf_add_byte(&b, b.n ? ',' : '[');
		buf_add_str(&b, assemble_quote(as, &as->hold, c->e->call));
	}
	buf_add_byte(&b, ']');
	return arena_take(&as->hold, &b);
}

/* Several pieces under one key become a list. */
static void list_extras(struct assemble *as, struct step *s)
{
	for (const struct extra *x = s->extras; x; x = x->next) {
		struct buf b;
		size_t n = 0;

		if (event_find_extra(s->e, x->key).p)
			continue;
		buf_init(&b);
		buf_add_str(&b, STR("{\"pieces\":["));
		for (const struct extra *y = x; y; y = y->next) {
			if (!str_eq(x->key, y->key))
				continue;
			if (n++)
				buf_add_byte(&b, ',');
			buf_add_str(&b, y->json);
		}
		buf_add_str(&b, STR("]}"));
		event_add_extra(s->e, &as->hold, x->key, n > 1 ? arena_copy(&as->hold, buf_str(&b)) : x->json);
		buf_free(&b);
	}
}

static struct event *make_cost(struct assemble *as, const struct event *step)
{
	struct event *cost = arena_new(&as->hold, struct event);

	*cost = (struct event){
		.kind = EVENT_COST,
		.ts = step->ts,
		.branch = step->branch,
		.step = step->step,
		.parent = step->parent,
		.model = step->model,
		.provider = step->provider,
		.usage = step->usage,
		.usd = step->usd,
		.tier = step->tier.n ? step->tier : str_of(NULL, 0),
		.scope = STR("step"),
		.line = step->line,
		.index = -1,
	};
	return cost;
}

void assemble_close_step(struct assemble *as, struct branch *b)
{
	struct slot *slot = b->open;
	struct step *s = slot ? slot->step : NULL;
	struct event *e;

	if (!s)
		return;
	assert(s->branch == b && !slot->e);
	e = s->e;
	b->open = NULL;
	as->step_count++;
	if (!e->step.p)
		e->step = claim_step(as, arena_printf(&as->hold, "step_%llu", (unsigned long long)as->step_count));
	e->flags &= ~(unsigned)(EVENT_PIECE | EVENT_FALLBACK | EVENT_HISTORY | EVENT_WHOLE | EVENT_LAST | EVENT_MARKER);
	name_calls(as, s);
	if (s->calls)
		e->calls = list_calls(as, s);
	join_extras(as, e);
	list_extras(as, s);
	if (s->has_text)
		e->text = arena_copy(&as->hold, buf_str(&s->text));
	if (s->has_reasoning)
		e->reasoning = arena_copy(&as->hold, buf_str(&s->reasoning));
	if (s->marker) { /* nothing was answered after all */
		e->kind = EVENT_NOTE;
		e->role = STR("marker");
		e->content = assemble_quote(as, &as->hold, e->step);
		e->usage = (struct usage){ 0 };
	} else if ((as->options.flags & ASSEMBLE_STEP_COSTS) &&
		   (usage_is_known(&e->usage) || amount_is_known(e->usd))) {
		slot->cost = make_cost(as, e);
	}
	e->usd = (struct amount){ .state = FIGURE_ABSENT }; /* its COST has it */
	buf_clear(&b->latest_text);
	buf_add_str(&b->latest_text, e->step);
	b->latest = buf_str(&b->latest_text);
	slot->e = e;
	slot->calls = s->calls;
	s->calls = NULL;
	s->last_call = &s->calls;
	slot->step = NULL;
	assemble_free_step(s);
}
