#include "model/event.h"

#include "model/compaction.h"

bool usage_is_known(const struct usage *u)
{
	return figure_is_known(u->input) || figure_is_known(u->output) || figure_is_known(u->cache_read) ||
	       figure_is_known(u->cache_write) || figure_is_known(u->reasoning);
}

/* Every text of an event, so that nobody forgets one. */
static struct str *const *texts_of(struct event *e, struct str *list[64])
{
	struct str *all[] = {
		&e->ts.text, &e->branch, &e->step, &e->call, &e->parent, &e->vendor, &e->run, &e->agent,
		&e->agent_version, &e->framework, &e->parent_run, &e->tools, &e->model, &e->provider,
		&e->endpoint, &e->request_id, &e->response_id, &e->stop_reason, &e->tool_choice, &e->calls, &e->text,
		&e->reasoning, &e->role, &e->content, &e->tool, &e->server, &e->args, &e->args_text, &e->chunks,
		&e->media, &e->tier, &e->price_table, &e->scope, &e->class, &e->code, &e->reason, &e->output,
	};
	size_t n = COUNT(all);

	_Static_assert(COUNT(all) < 64, "the list has room for all texts and the end");
	memcpy(list, all, sizeof(all));
	list[n] = NULL;
	return list;
}

static struct extra *copy_extras(struct arena *a, const struct extra *from)
{
	struct extra *first = NULL, **last = &first;

	for (; from; from = from->next) {
		struct extra *x = arena_new(a, struct extra);

		*x = (struct extra){ .key = arena_copy(a, from->key), .json = arena_copy(a, from->json) };
		x->member = from->member;
		x->rank = from->rank;
		*last = x;
		last = &x->next;
	}
	return first;
}

static struct bignum *copy_bignums(struct arena *a, const struct bignum *from)
{
	struct bignum *first = NULL, **last = &first;

	for (; from; from = from->next) {
		struct bignum *b = arena_new(a, struct bignum);

		b->pointer = arena_copy(a, from->pointer);
		*last = b;
		last = &b->next;
	}
	return first;
}

struct event *event_copy(struct arena *a, const struct event *e)
{
	struct event *copy = arena_new(a, struct event);
	struct str *list[64];

	*copy = *e;
	for (struct str *const *t = texts_of(copy, list); *t; t++)
		if ((*t)->p)
			**t = arena_copy(a, **t);
	copy->extras = copy_extras(a, e->extras);
	copy->bignums = copy_bignums(a, e->bignums);
	copy->hint = NULL;
	if (e->compaction)
		copy->compaction = compaction_copy(a, e->compaction);
	return copy;
}

struct extra *event_add_extra(struct event *e, struct arena *a, struct str key, struct str json)
{
	struct extra *x = arena_new(a, struct extra), **last = &e->extras;

	*x = (struct extra){ .key = key, .json = json };
	while (*last)
		last = &(*last)->next;
	*last = x;
	return x;
}

struct str event_find_extra(const struct event *e, struct str key)
{
	for (const struct extra *x = e->extras; x; x = x->next)
		if (!x->member && str_eq(x->key, key))
			return x->json;
	return str_of(NULL, 0);
}

bool event_is_torn(const struct event *e)
{
	return e->kind == EVENT_ERROR && (e->flags & EVENT_PARTIAL) && str_eq(e->code, STR("unreadable_line"));
}
