/*
 * The calls that an answer asks for. Streams tell them in pieces (the name first, then arguments by index), as whole
 * items, and again at the end: an id tells that it is the same call, where there is none the index does. Another name
 * is another call all the same: there are services that give all calls one id, or none and one index.
 */
#include "capture/look_run.h"
#include "dialect/agent_trace_clean.h"
#include "dialect/tool_name.h"

static uint64_t digest_of(struct str text)
{
	return text.n ? str_hash(text) | 1 : 0;
}

/* What is known of the call that an event tells of. */
static struct look_call mark_of(const struct event *e)
{
	return (struct look_call){
		.index = e->index,
		.branch = e->branch.p ? str_hash(e->branch) : 0,
		.id = digest_of(str_of(e->call.p, e->call.n < LOOK_TEXT ? e->call.n : LOOK_TEXT)),
		.tool = digest_of(e->tool),
	};
}

static size_t find_call(const struct look *k, const struct event *e, const struct look_call *m)
{
	bool piece = (e->flags & EVENT_PIECE) && e->index >= 0 && !e->args.p;

	for (size_t i = k->s.call_count; i-- > 0;) {
		const struct look_call *c = &k->call_marks[i];
		bool other = c->tool && m->tool && c->tool != m->tool;

		if (m->id && c->id) {
			if (m->id == c->id && !other)
				return i;
		} else if (piece && c->index == m->index && c->branch == m->branch) {
			return other ? (size_t)-1 : i; /* the latest at this index is the one that goes on */
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
	struct look_call m = mark_of(e);
	size_t at = find_call(k, e, &m);
	struct sight_call *c;

	if (at == (size_t)-1) {
		if (!m.id && !m.tool)
			return;
		if (k->s.call_count == LOOK_CALLS) {
			k->s.cut = true;
			return;
		}
		make_room(k);
		at = k->s.call_count++;
		k->s.calls[at] = (struct sight_call){ .name = { NULL, 0 } };
		k->call_marks[at] = (struct look_call){ .index = m.index, .branch = m.branch };
	}
	c = &k->s.calls[at];
	if (!k->call_marks[at].id && m.id) {
		k->call_marks[at].id = m.id;
		c->call = look_keep(k, e->call);
	}
	if (!k->call_marks[at].tool && m.tool) {
		k->call_marks[at].tool = m.tool;
		c->name = name_of(k, e);
	}
}

void look_answer_call(struct look *k, struct str id)
{
	uint64_t digest = digest_of(str_of(id.p, id.n < LOOK_TEXT ? id.n : LOOK_TEXT));

	for (size_t i = 0; i < k->s.call_count && digest; i++)
		if (k->call_marks[i].id == digest)
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
