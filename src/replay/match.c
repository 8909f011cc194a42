/* Slots of one key are a chain, the oldest first; they are put together when all entries are known (match_seal). */
#include "replay/match.h"

#include <stdlib.h>

#include "json/json.h"
#include "replay/match_private.h"
#include "replay/translate.h"
#include "transform/redact.h"

/* ---- opening ---- */

static void match_see_input(void *context, struct str text)
{
	struct match *m = context;

	for (int side = 0; side < TIES_SIDES; side++) {
		size_t value = ties_add(&m->ties, (enum ties_side)side, text);

		m->ties.values[side][value].is_foreign = true;
	}
}

struct match *match_open(const struct match_options *o)
{
	struct match *m = mem_alloc(sizeof(*m));

	*m = (struct match){ .o = *o };
	arena_init(&m->keep);
	arena_init(&m->build);
	arena_init(&m->work);
	map_init(&m->exact, &m->keep);
	for (int i = 0; i < MATCH_FORMS; i++)
		map_init(&m->masked[i], &m->keep);
	ties_init(&m->ties, &m->keep);
	m->maker.normalizer = normal_open();
	m->maker.ties = &m->ties;
	sha256_init(&m->maker.sha);
	m->parser = json_parser_open((struct json_options){ .max_depth = NORMAL_DEPTH });
	m->difference = difference_open();
	for (size_t i = 0; i < o->input_count; i++)
		translate_scan(m->parser, o->inputs[i], match_see_input, m);
	return m;
}

void match_close(struct match *m)
{
	if (!m)
		return;
	difference_close(m->difference);
	json_parser_close(m->parser);
	sha256_free(&m->maker.sha);
	normal_close(m->maker.normalizer);
	arena_free(&m->keep);
	arena_free(&m->build);
	arena_free(&m->work);
	mem_free(m);
}

/* What a slot still needs when the bytes are gone. */
static void match_keep_normal(struct match *m, struct normal *n)
{
	struct normal_parameter *list = arena_array(&m->keep, struct normal_parameter, n->parameter_count + 1);

	for (size_t i = 0; i < n->parameter_count; i++) {
		list[i].name = arena_copy(&m->keep, n->parameters[i].name);
		list[i].value = arena_copy(&m->keep, n->parameters[i].value);
		list[i].is_user = n->parameters[i].is_user;
	}
	n->parameters = list;
	n->tools = arena_copy(&m->keep, n->tools);
	n->tool = arena_copy(&m->keep, n->tool);
}

void match_add(struct match *m, const struct match_entry *e)
{
	struct match_slot *s;

	assert(!m->sealed && (m->count == 0 || m->slots[m->count - 1].e.x < e->x));
	arena_grow(&m->keep, m->slots, m->count, m->cap, 64);
	s = &m->slots[m->count++];
	*s = (struct match_slot){ .e = *e };
	match_body_make(&m->maker, &m->build, TIES_RECORDED, m->o.recorded_clock_us, &e->q, &s->body);
	match_keep_normal(m, &s->body.normal);
	for (size_t i = 0; i < s->body.text_count; i++) {
		struct ties_value *v = &m->ties.values[TIES_RECORDED][s->body.texts[i].value];

		if (e->begun_us < v->asked_us) {
			v->asked_us = e->begun_us;
			v->asked_x = e->x;
		}
	}
}

/* ---- sealing ---- */

struct match_answer {
	struct match *m;
	const struct match_entry *e;
};

static void match_see_recorded(void *context, struct str text)
{
	struct match_answer *a = context;
	struct ties_value *v = ties_find(&a->m->ties, TIES_RECORDED, text);

	if (v && a->e->ended_us < v->answered_us) {
		v->answered_us = a->e->ended_us;
		v->answered_x = a->e->x;
	}
}

/* Puts a slot in front of those of the same key. */
static void match_chain_add(struct map *keys, struct digest key, size_t slot, size_t *next)
{
	bool added;
	uint64_t *first = map_add(keys, str_of(key.b, sizeof(key.b)), &added);

	*next = (size_t)*first;
	*first = slot + 1;
}

/* A value is foreign when an answer had it before any question of the run. */
static void match_judge_values(struct match *m)
{
	for (size_t i = 0; i < m->count; i++) {
		struct match_answer a = { m, &m->slots[i].e };

		if (m->slots[i].e.answer.n && m->ties.count[TIES_RECORDED])
			translate_scan(m->parser, m->slots[i].e.answer, match_see_recorded, &a);
	}
	for (size_t i = 0; i < m->ties.count[TIES_RECORDED]; i++) {
		struct ties_value *v = &m->ties.values[TIES_RECORDED][i];

		v->is_foreign = v->is_foreign || v->answered_us < v->asked_us ||
				(v->answered_us == v->asked_us && v->answered_x < v->asked_x);
	}
}

static int match_by_begin(const void *a, const void *b)
{
	const struct match_slot *x = *(struct match_slot *const *)a, *y = *(struct match_slot *const *)b;

	if (x->e.begun_us != y->e.begun_us)
		return x->e.begun_us < y->e.begun_us ? -1 : 1;
	return x < y ? -1 : 1;
}

/*
 * Those that overlap, directly or through others. Two that begin at the same time are never before one another. One
 * that nobody waited for overlaps with the next.
 */
static void match_count_epochs(struct match *m)
{
	struct match_slot **order = arena_array(&m->build, struct match_slot *, m->count + 1);
	int64_t end = INT64_MIN;
	uint64_t epoch = 0;
	bool open = false;

	for (size_t i = 0; i < m->count; i++)
		order[i] = &m->slots[i];
	qsort(order, m->count, sizeof(struct match_slot *), match_by_begin);
	for (size_t i = 0; i < m->count; i++) {
		const struct match_entry *e = &order[i]->e;

		if (i && !open && e->begun_us >= end && e->begun_us > order[i - 1]->e.begun_us)
			epoch++;
		order[i]->epoch = epoch;
		open = e->ended_us == MATCH_OPEN;
		if (!open && e->ended_us > end)
			end = e->ended_us;
	}
}

static size_t *match_list_values(struct arena *a, const struct match_masked *masked)
{
	size_t *values = arena_array(a, size_t, masked->count + 1);

	for (size_t i = 0; i < masked->count; i++)
		values[i] = masked->texts[i].value;
	return values;
}

static void match_seal_slot(struct match *m, size_t number)
{
	struct match_slot *s = &m->slots[number];
	struct match_masked forms[MATCH_FORMS];

	match_chain_add(&m->exact, s->body.k0, number, &s->next);
	match_body_mask(&m->maker, &m->build, TIES_RECORDED, &s->e.q, &s->body, forms);
	for (int i = 0; i < MATCH_FORMS; i++) {
		struct match_marks *marks = &s->marks[i];

		if (forms[i].count == 0)
			continue;
		marks->count = forms[i].count;
		marks->values = match_list_values(&m->keep, &forms[i]);
		match_chain_add(&m->masked[i], forms[i].key, number, &marks->next);
	}
	s->body.texts = NULL;
	s->body.text_count = 0;
	s->body.normal.bytes = STR("");
}

void match_seal(struct match *m)
{
	assert(!m->sealed);
	match_judge_values(m);
	match_count_epochs(m);
	for (size_t i = m->count; i > 0; i--)
		match_seal_slot(m, i - 1); /* the oldest of a key is put in front last */
	arena_free(&m->build);
	m->sealed = true;
}

/* ---- keys ---- */

static size_t match_next_of(const struct match_slot *s, int form)
{
	return form < 0 ? s->next : s->marks[form].next;
}

/* The oldest unused slot of a key, exact (form -1) or masked; *known: there are such slots, used or not. */
static struct match_slot *match_find(struct match *m, struct map *keys, struct digest key, int form, bool *known)
{
	uint64_t *first = map_find(keys, str_of(key.b, sizeof(key.b)));

	*known = *known || first;
	while (first && *first && m->slots[*first - 1].used)
		*first = match_next_of(&m->slots[*first - 1], form);
	return first && *first ? &m->slots[*first - 1] : NULL;
}

/*
 * The oldest unused slot whose values can stand for those of the question, one for one; else one for one but for times.
 * They are tied then. *used_up: there are such slots, and none is left (not: one is left that does not fit).
 */
static struct match_slot *match_find_form(struct match *m, const struct match_masked *live, int form, bool *used_up)
{
	size_t *values = match_list_values(&m->work, live), next;
	bool known = false;
	struct match_slot *first = match_find(m, &m->masked[form], live->key, form, &known);

	*used_up = *used_up || (known && !first);
	for (int loose = 0; loose < 2; loose++)
		for (struct match_slot *s = first; s; s = next ? &m->slots[next - 1] : NULL) {
			struct match_marks *marks = &s->marks[form];

			next = marks->next;
			if (!s->used && marks->count == live->count &&
			    ties_join(&m->ties, marks->values, values, live->count, loose))
				return s;
		}
	return NULL;
}

/* *masked gets the form of the question that fits, *marks what it fits. */
static struct match_slot *match_find_masked(struct match *m, const struct match_question *q, const struct match_body *b,
					    struct match_masked *masked, const struct match_marks **marks,
					    bool *used_up)
{
	struct match_masked forms[MATCH_FORMS];
	struct match_slot *s;

	match_body_mask(&m->maker, &m->work, TIES_LIVE, q, b, forms);
	for (int i = 0; i < MATCH_FORMS; i++)
		for (int form = 0; form < MATCH_FORMS && forms[i].count; form++) {
			*masked = forms[i];
			s = match_find_form(m, &forms[i], form, used_up);
			if (!s)
				continue;
			*marks = &s->marks[form];
			return s;
		}
	return NULL;
}

static struct match_slot *match_find_lenient(struct match *m, const struct match_question *q,
					     const struct match_body *b)
{
	for (size_t i = 0; i < m->count; i++) {
		struct match_slot *s = &m->slots[i];

		if (!s->used && str_eq(s->e.q.lane, q->lane) && str_eq(s->e.q.method, q->method) &&
		    str_eq(s->e.q.target, q->target) && str_eq(s->body.normal.tool, b->normal.tool))
			return s;
	}
	return NULL;
}

/* ---- what differs in what is served ---- */

static const struct normal_parameter *match_find_parameter(const struct normal *n, struct str name)
{
	for (size_t i = 0; i < n->parameter_count; i++)
		if (str_eq(n->parameters[i].name, name))
			return &n->parameters[i];
	return NULL;
}

static void match_add_parameter(struct arena *a, struct match_parameter *out, const struct normal_parameter *old,
				const struct normal_parameter *new)
{
	*out = (struct match_parameter){ .name = arena_copy(a, old ? old->name : new->name),
					 .is_user = old ? old->is_user : new->is_user };
	if (old)
		out->recorded = arena_copy(a, old->value);
	if (new)
		out->live = arena_copy(a, new->value);
}

static struct match_parameter *match_list_parameters(struct arena *a, const struct normal *old,
						     const struct normal *new, struct match_result *out)
{
	struct match_parameter *list =
		arena_array(a, struct match_parameter, old->parameter_count + new->parameter_count + 1);

	for (size_t i = 0; i < old->parameter_count; i++) {
		const struct normal_parameter *other = match_find_parameter(new, old->parameters[i].name);

		if (!other || !str_eq(other->value, old->parameters[i].value))
			match_add_parameter(a, &list[out->parameter_count++], &old->parameters[i], other);
	}
	for (size_t i = 0; i < new->parameter_count; i++)
		if (!match_find_parameter(old, new->parameters[i].name))
			match_add_parameter(a, &list[out->parameter_count++], NULL, &new->parameters[i]);
	out->parameters = list;
	return list;
}

/* Of versions the whole is one parameter more, for which there is room. A redacted one says nothing. */
static void match_list_versions(struct arena *a, struct str old, struct str new, struct match_parameter *list,
				struct match_result *out)
{
	if (!old.p || !new.p || str_eq(old, new) || str_has(old, STR("[tw:")))
		return;
	list[out->parameter_count++] = (struct match_parameter){
		.name = STR("headers"),
		.recorded = old.n ? arena_copy(a, old) : str_of(NULL, 0),
		.live = new.n ? arena_copy(a, new) : str_of(NULL, 0),
	};
}

/* The pointer of the value that a place of the normal form is in. */
static struct str match_pointer(struct arena *a, struct val root, size_t at, struct val_hint *hint)
{
	uint32_t low = 0, high;
	struct val v = root;

	if (val_is_none(root))
		return STR("");
	high = root.tape->count;
	while (high - low > 1) { /* tokens are in the order of the text */
		uint32_t middle = low + (high - low) / 2;

		if (root.tape->toks[middle].off <= at)
			low = middle;
		else
			high = middle;
	}
	v.at = root.tape->toks[low].type == JSON_KEY ? low + 1 : low;
	return val_pointer_near(root, v, a, hint);
}

/* By their places: of times that were tied loosely, a live one may have no recorded one of its own. */
static void match_list_swaps(struct match *m, struct arena *a, const struct match_body *b,
			     const struct match_masked *masked, const struct match_marks *marks,
			     struct match_result *out)
{
	struct match_swap *list = arena_array(a, struct match_swap, masked->count + 1);
	struct val_hint hint = { 0 };
	struct val root = VAL_NONE;

	if (b->normal.is_json && !json_parse_copy(m->parser, b->normal.bytes, &root, NULL))
		root = VAL_NONE;
	for (size_t i = 0; i < masked->count; i++) {
		const struct volatile_text *t = &masked->texts[i].where;
		struct str new = m->ties.values[TIES_LIVE][masked->texts[i].value].text;
		struct str old = m->ties.values[TIES_RECORDED][marks->values[i]].text;

		if (str_eq(old, new))
			continue;
		list[out->swap_count++] = (struct match_swap){
			.type = volatile_name(t->type), .path = match_pointer(a, root, t->from, &hint),
			.recorded = arena_copy(a, old), .live = arena_copy(a, new),
		};
	}
	out->swaps = list;
}

/* ---- order ---- */

/* What was asked of a later epoch and another group; NULL: nothing. */
static const struct match_late *match_find_later(const struct match *m, const struct match_slot *s)
{
	for (size_t i = 0; i < 2; i++) {
		const struct match_late *l = &m->late[i];

		if (l->any && l->epoch > s->epoch && l->group != s->e.group)
			return l;
	}
	return NULL;
}

static void match_check_order(struct match *m, const struct match_slot *s, struct match_result *out)
{
	struct match_late now = { true, s->epoch, s->e.group, s->e.x };
	const struct match_late *later = match_find_later(m, s);

	out->out_of_order = later != NULL;
	out->after = later ? later->x : 0;
	if (!m->late[0].any || s->epoch > m->late[0].epoch) {
		if (m->late[0].any && m->late[0].group != now.group)
			m->late[1] = m->late[0];
		m->late[0] = now;
	} else if (now.group != m->late[0].group && (!m->late[1].any || s->epoch > m->late[1].epoch)) {
		m->late[1] = now;
	}
}

/* ---- serving ---- */

static void match_see_served(void *context, struct str text)
{
	struct match *m = context;
	size_t value = ties_add(&m->ties, TIES_LIVE, ties_live_of(&m->ties, text));
	struct ties_value *v = &m->ties.values[TIES_LIVE][value];

	v->is_foreign = v->is_foreign || !v->is_asked;
}

/* A question that is equal in everything holds its values fast: each stands for itself. */
static void match_tie_same(struct match *m, const struct match_slot *s)
{
	const struct match_marks *marks = &s->marks[MATCH_ALL_MARKS];

	for (size_t i = 0; i < marks->count; i++) {
		struct str text = m->ties.values[TIES_RECORDED][marks->values[i]].text;
		size_t live = ties_add(&m->ties, TIES_LIVE, text);

		m->ties.values[TIES_LIVE][live].is_asked = true;
		/* one that stands for another already goes on so */
		ties_join(&m->ties, &marks->values[i], &live, 1, false);
	}
}

static void match_serve(struct match *m, struct arena *a, struct match_slot *s, const struct match_question *q,
			const struct match_body *b, enum match_tier tier, struct match_result *out)
{
	out->tier = tier;
	out->entry = &s->e;
	s->used = true;
	m->tally.exact += tier == MATCH_EXACT;
	m->tally.masked += tier == MATCH_MASKED;
	m->tally.lenient += tier == MATCH_LENIENT;
	match_check_order(m, s, out);
	out->tool_order = tier != MATCH_LENIENT && !str_eq(s->body.normal.tools, b->normal.tools);
	match_list_versions(a, s->e.q.versions, q->versions,
			    match_list_parameters(a, &s->body.normal, &b->normal, out), out);
	if (tier == MATCH_EXACT)
		match_tie_same(m, s);
	if (s->e.answer.n)
		translate_scan(m->parser, s->e.answer, match_see_served, m);
}

/* ---- asking ---- */

/* From now on the run is known to have made these up itself, unless it had them from an answer. */
static void match_note_asked(struct match *m, const struct match_body *b)
{
	for (size_t i = 0; i < b->text_count; i++) {
		struct ties_value *v = &m->ties.values[TIES_LIVE][b->texts[i].value];

		v->is_asked = v->is_asked || !v->is_foreign;
	}
}

static struct match_question match_redacted(struct match *m, const struct match_question *q)
{
	struct match_question own = *q;
	struct buf b;

	if (!m->o.redact || q->body.n == 0)
		return own;
	buf_init(&b);
	redact_body(m->o.redact, q->body, &b);
	own.body = arena_take(&m->work, &b);
	return own;
}

void match_ask(struct match *m, struct arena *a, const struct match_question *asked, struct match_result *out)
{
	struct match_slot *s;
	struct match_question q;
	struct match_body b;
	struct match_masked masked;
	const struct match_marks *marks = NULL;
	bool exact = false, used_up = false;
	enum match_tier tier = MATCH_EXACT;

	assert(m->sealed);
	*out = (struct match_result){ .tier = MATCH_MISS };
	arena_reset(&m->work);
	q = match_redacted(m, asked);
	match_body_make(&m->maker, &m->work, TIES_LIVE, m->o.live_clock_us, &q, &b);
	match_note_asked(m, &b);
	s = match_find(m, &m->exact, b.k0, -1, &exact);
	if (!s && (s = match_find_masked(m, &q, &b, &masked, &marks, &used_up))) {
		tier = MATCH_MASKED;
		match_list_swaps(m, a, &b, &masked, marks, out);
	}
	if (!s && m->o.lenient) {
		tier = MATCH_LENIENT;
		s = match_find_lenient(m, &q, &b);
		if (s)
			match_differ(m, a, s, &b, &out->difference);
	}
	if (s) {
		match_serve(m, a, s, &q, &b, tier, out);
		return;
	}
	out->used_up = exact || used_up;
	match_miss(m, a, &q, &b, out);
}

/* ---- the rest ---- */

/* The slot of this number of exchange; NULL for none. */
static struct match_slot *match_find_slot(const struct match *m, uint64_t x)
{
	size_t low = 0, high = m->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (m->slots[middle].e.x < x)
			low = middle + 1;
		else
			high = middle;
	}
	return low < m->count && m->slots[low].e.x == x ? &m->slots[low] : NULL;
}

void match_consume(struct match *m, uint64_t x)
{
	struct match_slot *s = match_find_slot(m, x);

	if (s)
		s->used = true;
}

bool match_is_passed(const struct match *m, const struct match_entry *e)
{
	const struct match_slot *s = match_find_slot(m, e->x);

	return s && !s->used && match_find_later(m, s);
}

bool match_went_past(const struct match *m, uint64_t x)
{
	for (size_t i = m->count; i > 0 && m->slots[i - 1].e.x > x; i--)
		if (m->slots[i - 1].used)
			return true;
	return false;
}

bool match_translate(const struct match *m, struct str answer, struct buf *out)
{
	return translate_answer(&m->ties, m->parser, answer, out);
}

const struct match_entry *match_next_unused(const struct match *m, size_t *at)
{
	while (*at < m->count && m->slots[*at].used)
		++*at;
	return *at < m->count ? &m->slots[(*at)++].e : NULL;
}

struct match_tally match_tally(const struct match *m)
{
	struct match_tally t = m->tally;

	t.entries = m->count;
	for (size_t i = 0; i < m->count; i++)
		t.unused += !m->slots[i].used;
	return t;
}
