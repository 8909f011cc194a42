/* A list of calls, oldest first, that is walked: a run has some dozens, and the list a limit. */
#include "dialect/exchange/asked.h"

void asked_init(struct asked *a)
{
	arena_init(&a->arena);
	a->first = NULL;
	a->last = &a->first;
	a->count = 0;
}

void asked_free(struct asked *a)
{
	arena_free(&a->arena);
}

void asked_reset(struct asked *a)
{
	arena_reset(&a->arena);
	a->first = NULL;
	a->last = &a->first;
	a->count = 0;
}

static struct str asked_copy(struct asked *a, struct str text)
{
	return text.p ? arena_copy(&a->arena, text) : text;
}

void asked_add(struct asked *a, const struct event *call)
{
	struct asked_call *c;

	if (!call->call.n)
		return;
	c = arena_new(&a->arena, struct asked_call);
	c->id = asked_copy(a, call->call);
	c->tool = asked_copy(a, call->tool);
	c->args = asked_copy(a, call->args);
	*a->last = c;
	a->last = &c->next;
	if (a->count == ASKED_MOST)
		a->first = a->first->next;
	else
		a->count++;
}

struct asked_call *asked_find(const struct asked *a, struct str id)
{
	struct asked_call *found = NULL;

	for (struct asked_call *c = a->first; c; c = c->next)
		if (str_eq(c->id, id))
			found = c;
	return found;
}

/* A letter or digit as it counts in names, 0 for any other byte of ASCII. */
static char asked_letter(char c)
{
	if (c >= 'A' && c <= 'Z')
		return (char)(c - 'A' + 'a');
	return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || (unsigned char)c >= 0x80 ? c : 0;
}

static bool asked_same_tool(struct str a, struct str b)
{
	size_t i = 0, k = 0;

	for (;;) {
		while (i < a.n && !asked_letter(a.p[i]))
			i++;
		while (k < b.n && !asked_letter(b.p[k]))
			k++;
		if (i == a.n || k == b.n)
			return i == a.n && k == b.n;
		if (asked_letter(a.p[i++]) != asked_letter(b.p[k++]))
			return false;
	}
}

struct asked_call *asked_run(struct asked *a, struct str tool, struct str args)
{
	struct asked_call *only = NULL;
	size_t count = 0;

	for (struct asked_call *c = a->first; c; c = c->next) {
		if (c->ran || (tool.n && !asked_same_tool(c->tool, tool)))
			continue;
		if (c->args.p && args.p && str_eq(c->args, args)) {
			c->ran = true;
			return c;
		}
		only = c;
		count++;
	}
	if (count != 1)
		return NULL;
	only->ran = true;
	return only;
}

void asked_settle_result(struct asked *a, struct event *e)
{
	struct asked_call *c = e->call.n ? asked_find(a, e->call) : NULL;

	if (c && !c->answered) {
		c->answered = c->ran = true;
		return;
	}
	e->kind = EVENT_MESSAGE;
	e->role = STR("tool");
	e->call = str_of(NULL, 0);
}

/* ---- for the scan ---- */

void asked_retell(struct reading *r, size_t from)
{
	for (size_t i = from; i < r->count; i++) {
		struct event *e = &r->events[i];

		if (!(e->flags & EVENT_HISTORY))
			continue;
		if (e->kind == EVENT_STEP) {
			e->kind = EVENT_MESSAGE;
			e->role = STR("assistant");
			e->content = e->text.p ? reading_quote(r, e->text) : STR("null");
			e->text = str_of(NULL, 0);
		} else if (e->kind == EVENT_CALL) {
			asked_settle_args(r, e);
			e->kind = EVENT_NOTE;
			e->role = STR("call");
			e->content = e->args.p ? e->args : reading_quote(r, e->args_text);
			if (e->tool.p)
				reading_extra(r, e, STR("tool"), reading_quote(r, e->tool));
			e->call = e->step = e->tool = e->args = e->args_text = str_of(NULL, 0);
			e->index = -1;
		}
	}
}

void asked_settle_args(struct reading *r, struct event *call)
{
	struct val v;

	if (call->args.p || !call->args_text.p)
		return;
	if (!call->args_text.n) {
		call->args = STR("{}");
	} else {
		v = reading_parse(r, call->args_text);
		if (val_is_none(v))
			return;
		call->args = reading_json_of(r, call, "args", v);
		reading_release(r, v);
	}
	call->args_text = str_of(NULL, 0);
}
