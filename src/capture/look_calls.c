/*
 * The calls that an answer asks for. Streams tell them in pieces (the name first, then arguments by index), as whole
 * items, and again at the end: an id tells that it is the same call, where there is none the index does.
 */
#include "capture/look_run.h"
#include "dialect/agent_trace_clean.h"
#include "dialect/tool_name.h"

static size_t find_call(const struct look *k, const struct event *e, uint64_t branch)
{
	bool piece = (e->flags & EVENT_PIECE) && e->index >= 0 && !e->args.p;

	for (size_t i = k->s.call_count; i-- > 0;) {
		const struct sight_call *c = &k->s.calls[i];

		if (e->call.n && c->call.p) {
			if (str_eq(c->call, str_of(e->call.p, e->call.n < LOOK_TEXT ? e->call.n : LOOK_TEXT)))
				return i;
		} else if (piece && k->call_marks[i].index == e->index && k->call_marks[i].branch == branch) {
			return i;
		}
	}
	return (size_t)-1;
}

static void make_room(struct look *k)
{
	size_t cap = k->call_cap ? k->call_cap * 2 : 8, used = k->s.call_count;
	struct sight_call *calls;
	struct look_call *marks;

	if (used < k->call_cap)
		return;
	calls = arena_array(&k->arena, struct sight_call, cap);
	marks = arena_array(&k->arena, struct look_call, cap);
	if (used) {
		memcpy(calls, k->s.calls, used * sizeof(*calls));
		memcpy(marks, k->call_marks, used * sizeof(*marks));
	}
	k->s.calls = calls;
	k->call_marks = marks;
	k->call_cap = cap;
}

/* The name as it may stand in a trace, with its server: that tells a tool of MCP. */
static struct str name_of(struct look *k, const struct event *e)
{
	struct str name = clean_tool(tool_name_full(&k->all->batch, e));

	return look_keep(k, name);
}

void look_add_call(struct look *k, const struct event *e)
{
	uint64_t branch = e->branch.p ? str_hash(e->branch) : 0;
	size_t at = find_call(k, e, branch);
	struct sight_call *c;

	if (at == (size_t)-1) {
		if ((!e->call.n && !e->tool.n) || k->s.call_count == LOOK_CALLS)
			return;
		make_room(k);
		at = k->s.call_count++;
		k->s.calls[at] = (struct sight_call){ .name = { NULL, 0 } };
		k->call_marks[at] = (struct look_call){ .index = e->index, .branch = branch };
	}
	c = &k->s.calls[at];
	if (!c->call.p && e->call.n)
		c->call = look_keep(k, e->call);
	if (!c->name.p && e->tool.n)
		c->name = name_of(k, e);
}

void look_answer_call(struct look *k, struct str id)
{
	if (id.n > LOOK_TEXT)
		id.n = LOOK_TEXT;
	for (size_t i = 0; i < k->s.call_count; i++)
		if (k->s.calls[i].call.p && str_eq(k->s.calls[i].call, id))
			k->call_marks[i].answered = true;
}

void look_settle_calls(struct look *k)
{
	size_t n = 0;

	for (size_t i = 0; i < k->s.call_count; i++) {
		if (k->call_marks[i].answered)
			continue;
		k->s.calls[n] = k->s.calls[i];
		if (!k->s.calls[n].name.p)
			k->s.calls[n].name = STR("unknown");
		n++;
	}
	k->s.call_count = n;
}
