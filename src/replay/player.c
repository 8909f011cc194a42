/* Every question of every lane passes here, so what the verdict is made of is noted in one place. */
#include "replay/player.h"

struct player {
	struct player_options o;
	struct arena arena;
	struct match *match;
	struct divergence *first, **last;
	uint64_t counts[DIVERGENCE_CLASSES];
	struct player_tool_row *tools, **last_tool;
	bool stopped, parted;
};

static const char *const class_names[DIVERGENCE_CLASSES] = {
	[DIVERGENCE_REQUEST_MISMATCH] = "request_mismatch",
	[DIVERGENCE_EXTRA_CALL] = "extra_call",
	[DIVERGENCE_MISSING_CALL] = "missing_call",
	[DIVERGENCE_ORDER] = "order",
	[DIVERGENCE_PARAM_CHANGED] = "param_changed",
	[DIVERGENCE_TOOL_ORDER] = "tool_order",
	[DIVERGENCE_VOLATILE_SUBSTITUTION] = "volatile_substitution",
	[DIVERGENCE_OUTPUT_MISMATCH] = "output_mismatch",
	[DIVERGENCE_UNCONSUMED] = "unconsumed",
	[DIVERGENCE_PROTOCOL] = "protocol",
	[DIVERGENCE_EXIT_STATUS] = "exit_status",
	[DIVERGENCE_TIMEOUT] = "timeout",
	[DIVERGENCE_TOOL_DRIFT] = "tool_drift",
};

const char *divergence_class_name(enum divergence_class c)
{
	return class_names[c];
}

struct player *player_open(const struct player_options *o)
{
	struct player *p = mem_alloc(sizeof(*p));

	*p = (struct player){ .o = *o };
	p->last = &p->first;
	p->last_tool = &p->tools;
	arena_init(&p->arena);
	p->match = match_open(&o->match);
	return p;
}

struct match *player_match(struct player *p)
{
	return p->match;
}

void player_seal(struct player *p)
{
	match_seal(p->match);
}

void player_close(struct player *p)
{
	if (!p)
		return;
	match_close(p->match);
	arena_free(&p->arena);
	mem_free(p);
}

struct divergence *player_divergences(struct player *p)
{
	return p->first;
}

uint64_t player_count(const struct player *p, enum divergence_class c)
{
	return p->counts[c];
}

const struct player_tool_row *player_tools(const struct player *p)
{
	return p->tools;
}

const struct player_pace *player_pace(const struct player *p)
{
	return &p->o.pace;
}

const struct tape *player_tape(const struct player *p)
{
	return p->o.tape;
}

void player_part(struct player *p)
{
	p->parted = true;
}

bool player_is_stopped(const struct player *p)
{
	return p->stopped;
}

struct str player_translate(struct player *p, struct arena *a, struct str answer)
{
	struct buf out;

	buf_init(&out);
	if (match_translate(p->match, answer, &out))
		return arena_take(a, &out);
	buf_free(&out);
	return answer;
}

struct str player_name_question(struct arena *a, const struct match_question *q)
{
	return ARENA_JOIN(a, q->lane, STR(" "), q->method, q->target.n ? STR(" ") : STR(""), q->target);
}

/* ---- notes ---- */

static struct str player_keep(struct player *p, struct str s)
{
	return s.p ? arena_copy(&p->arena, s) : s;
}

/* Texts are copied: those of a question live only as long as its request. */
void player_note(struct player *p, const struct divergence *d)
{
	struct divergence *n = arena_new(&p->arena, struct divergence);
	struct match_difference *f = &n->difference;

	*n = *d;
	n->next = NULL;
	n->behind = p->parted;
	n->fatal = d->fatal && !p->parted;
	n->lane = player_keep(p, d->lane);
	n->tool = player_keep(p, d->tool);
	n->sentence = player_keep(p, d->sentence);
	f->path = player_keep(p, f->path);
	f->expected = player_keep(p, f->expected);
	f->got = player_keep(p, f->got);
	f->diff = player_keep(p, f->diff);
	f->hint = player_keep(p, f->hint);
	*p->last = n;
	p->last = &n->next;
	p->counts[n->class]++;
	if (!n->fatal)
		return;
	p->stopped = p->o.stop;
	if (p->o.diverged)
		p->o.diverged(p->o.context);
}

void player_note_tool(struct player *p, struct str name, enum player_tool how)
{
	struct player_tool_row *t = p->tools;

	while (t && !str_eq(t->name, name))
		t = t->next;
	if (!t) {
		t = arena_new(&p->arena, struct player_tool_row);
		t->name = arena_copy(&p->arena, name);
		*p->last_tool = t;
		p->last_tool = &t->next;
	}
	*(how == PLAYER_LIVE ? &t->live : &t->stubbed) += 1;
}

/* A divergence about this entry, with nothing said yet. */
static struct divergence divergence_at(const struct match_question *q, const struct match_entry *e,
				       enum divergence_class c, bool fatal)
{
	return (struct divergence){ .class = c, .fatal = fatal, .has_x = true, .x = e->x, .group = e->group, .seq = -1,
				    .lane = q->lane };
}

/* A pair of values is told once, where it is first met. */
static bool is_noted(const struct player *p, struct str recorded, struct str live)
{
	for (const struct divergence *d = p->first; d; d = d->next)
		if (d->class == DIVERGENCE_VOLATILE_SUBSTITUTION && str_eq(d->difference.expected, recorded) &&
		    str_eq(d->difference.got, live))
			return true;
	return false;
}

static void note_parameters(struct player *p, struct arena *a, const struct match_question *q,
			    const struct match_result *r)
{
	for (size_t i = 0; i < r->parameter_count; i++) {
		const struct match_parameter *m = &r->parameters[i];
		struct divergence d = divergence_at(q, r->entry, m->is_user ? DIVERGENCE_VOLATILE_SUBSTITUTION :
						    DIVERGENCE_PARAM_CHANGED, !m->is_user && p->o.strict_params);
		struct str was = m->recorded.p ? m->recorded : STR("absent"), is = m->live.p ? m->live : STR("absent");

		d.difference.path = m->name;
		d.difference.expected = m->recorded;
		d.difference.got = m->live;
		d.sentence = arena_printf(a, "%s %.*s was %.*s and is %.*s", m->is_user ? "who asks:" : "the parameter",
					  STR_ARG(m->name), STR_ARG(was), STR_ARG(is));
		if (!m->is_user || !is_noted(p, m->recorded, m->live))
			player_note(p, &d);
	}
}

static void note_swaps(struct player *p, struct arena *a, const struct match_question *q,
		       const struct match_result *r)
{
	for (size_t i = 0; i < r->swap_count; i++) {
		const struct match_swap *s = &r->swaps[i];
		struct divergence d = divergence_at(q, r->entry, DIVERGENCE_VOLATILE_SUBSTITUTION, false);

		if (is_noted(p, s->recorded, s->live))
			continue;
		d.difference.path = s->path;
		d.difference.expected = s->recorded;
		d.difference.got = s->live;
		d.sentence = arena_printf(a, "%s %.*s stands for the recorded %.*s", s->type, STR_ARG(s->live),
					  STR_ARG(s->recorded));
		player_note(p, &d);
	}
}

/* What differs in a question that was served. */
static void note_served(struct player *p, struct arena *a, const struct match_question *q,
			const struct match_result *r)
{
	struct divergence d;

	note_swaps(p, a, q, r);
	note_parameters(p, a, q, r);
	if (r->tool_order) {
		d = divergence_at(q, r->entry, DIVERGENCE_TOOL_ORDER, false);
		d.sentence = STR("the tools are listed in another order");
		player_note(p, &d);
	}
	if (r->tier == MATCH_LENIENT) {
		d = divergence_at(q, r->entry, DIVERGENCE_REQUEST_MISMATCH, true);
		d.difference = r->difference;
		d.sentence = arena_printf(a, "request %llu was served although the live one differs%s%.*s",
					  (unsigned long long)r->entry->x, r->difference.path.n ? " at " : "",
					  STR_ARG(r->difference.path));
		player_note(p, &d);
	}
	if (r->out_of_order) {
		d = divergence_at(q, r->entry, DIVERGENCE_ORDER, true);
		d.sentence = arena_printf(a, "request %llu was made after request %llu; it was recorded before it",
					  (unsigned long long)r->entry->x, (unsigned long long)r->after);
		player_note(p, &d);
	}
}

/* A question that the recorded run did not ask, as a sentence with the first difference. */
static struct str sentence_of_miss(struct arena *a, const struct match_question *q, const struct match_result *r)
{
	const struct match_difference *f = &r->difference;

	struct str what = player_name_question(a, q);

	if (r->used_up)
		return ARENA_JOIN(a, what, STR(" was asked more often than it was recorded"));
	if (r->near_count == 0)
		return ARENA_JOIN(a, what, STR(" has no recorded answer left"));
	return arena_printf(a, "%.*s was not recorded; the nearest is request %llu, which differs at %.*s",
			    STR_ARG(what), (unsigned long long)r->near[0].x,
			    STR_ARG(f->path.n ? f->path : STR("its body")));
}

static void note_miss(struct player *p, const struct match_question *q, const struct match_result *r, struct str why)
{
	bool differs = r->near_count > 0 && !r->used_up;
	struct divergence d = {
		.class = differs ? DIVERGENCE_REQUEST_MISMATCH : DIVERGENCE_EXTRA_CALL,
		.fatal = true,
		.has_x = r->near_count > 0,
		.x = r->near[0].x,
		.seq = -1,
		.lane = q->lane,
		.near_count = r->near_count,
		.sentence = why,
	};
	const struct tape_line *line = d.has_x ? tape_find(p->o.tape, d.x) : NULL;

	d.group = line ? line->group : 0;
	if (differs)
		d.difference = r->difference;
	memcpy(d.near, r->near, sizeof(d.near));
	player_note(p, &d);
}

bool player_ask(struct player *p, struct arena *a, const struct match_question *q, struct match_result *out,
		struct str *why)
{
	if (p->stopped) {
		*out = (struct match_result){ .tier = MATCH_MISS };
		*why = STR("the replay has stopped at its first divergence");
		return false;
	}
	match_ask(p->match, a, q, out);
	if (out->tier == MATCH_MISS) {
		*why = sentence_of_miss(a, q, out);
		note_miss(p, q, out, *why);
		return false;
	}
	note_served(p, a, q, out);
	if (p->o.served)
		p->o.served(p->o.context, out->entry);
	return true;
}
