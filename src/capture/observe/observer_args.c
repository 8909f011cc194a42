/* Arguments of calls: gathered while the answer comes, marked when it is over, then gone. */
#include "capture/observe/observer_private.h"

#include "dialect/writing.h"

/* Adds bytes of a call's arguments; more than OBSERVER_ARGS in the answer, and nothing of the call is known. */
static void args_add(struct observer *k, struct observer_args *a, struct str text)
{
	if (a->too_long || text.n == 0)
		return;
	if (text.n > OBSERVER_ARGS - k->args_held) {
		a->too_long = true;
		return;
	}
	k->args_held += text.n;
	if (a->n + text.n > a->cap) {
		size_t cap = a->n + text.n > 2 * a->cap ? a->n + text.n : 2 * a->cap;
		char *more = arena_array(&k->arena, char, cap);

		if (a->n)
			memcpy(more, a->p, a->n);
		a->p = more;
		a->cap = cap;
	}
	memcpy(a->p + a->n, text.p, text.n);
	a->n += text.n;
}

void observer_add_args(struct observer *k, size_t at, const struct event *e)
{
	struct observer_args *a;
	bool whole = e->args.p || (e->args_text.p && !(e->flags & EVENT_PIECE));

	while (k->args_cap <= at) {
		size_t count = k->args_cap;

		arena_grow(&k->arena, k->args, count, k->args_cap, 8);
		memset(k->args + count, 0, (k->args_cap - count) * sizeof(*k->args));
	}
	a = &k->args[at];
	if (whole || (a->given && e->args_text.n)) {
		k->args_held -= a->n;
		a->n = 0;
		a->too_long = false;
	}
	if (whole || e->args_text.n)
		a->given = e->args.p != NULL;
	args_add(k, a, e->args.p ? e->args : e->args_text);
}

/* Marks the strings of a value that are long enough, members and elements alike, up to OBSERVER_ARG_TEXTS. */
static void mark_strings(struct observer *k, struct observation_call *c, struct val v)
{
	struct observers *l = k->all;
	uint32_t end = val_end(v);

	for (struct val at = v; at.at < end && c->text_count < OBSERVER_ARG_TEXTS; at.at++) {
		struct text_mark mark;

		if (val_tok(at)->type != JSON_STRING)
			continue;
		mark = text_mark_of(&l->marker, val_text(at, &l->parser.batch));
		if (mark.chars < OBSERVER_ARG_CHARS)
			continue;
		if (!c->texts)
			c->texts = arena_array(&k->arena, struct text_mark, OBSERVER_ARG_TEXTS);
		c->texts[c->text_count++] = mark;
	}
}

void observer_mark_args(struct observer *k)
{
	struct observers *l = k->all;

	for (size_t i = 0; i < k->s.call_count && i < k->args_cap; i++) {
		struct str text = str_of(k->args[i].p, k->args[i].n);
		struct val v;

		if (k->args[i].too_long || text.n == 0)
			continue;
		k->s.calls[i].args = str_hash(text) | 1;
		v = writing_parse(l->content, text);
		if (!val_is_none(v))
			mark_strings(k, &k->s.calls[i], v);
	}
	arena_reset(&l->parser.batch);
}
