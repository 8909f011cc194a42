/* The calls that an answer asks for: their ids and names, beside the marks that tell them apart (answer_calls.h). */
#include "capture/look_run.h"
#include "dialect/agent_trace_clean.h"
#include "dialect/tool_name.h"

static void make_room(struct look *k, size_t at)
{
	size_t cap = k->call_cap ? k->call_cap * 2 : 8;
	struct sight_call *calls;

	if (at < k->call_cap)
		return;
	calls = arena_array(&k->arena, struct sight_call, cap);
	if (at)
		memcpy(calls, k->s.calls, at * sizeof(*calls));
	k->s.calls = calls;
	k->call_cap = cap;
}

/* The name as it may stand in a trace, with its server: that tells a tool of MCP. */
static struct str name_of(struct look *k, const struct event *e)
{
	struct str name = clean_tool(tool_name_full(&k->all->parser.batch, e));

	return look_keep(k, name);
}

void look_add_call(struct look *k, const struct event *e)
{
	unsigned news;
	size_t at = answer_calls_add(&k->call_marks, &k->arena, e, &news);
	struct sight_call *c;

	k->s.cut = k->s.cut || (news & ANSWER_CALL_FULL);
	if (at == ANSWER_CALL_NONE)
		return;
	if (news & ANSWER_CALL_NEW) {
		make_room(k, at);
		k->s.calls[at] = (struct sight_call){ .name = { NULL, 0 } };
		k->s.call_count = at + 1;
	}
	c = &k->s.calls[at];
	if (news & ANSWER_CALL_ID)
		c->call = look_keep(k, e->call);
	if (news & ANSWER_CALL_NAME)
		c->name = name_of(k, e);
}

void look_settle_calls(struct look *k)
{
	size_t n = 0;

	for (size_t i = 0; i < k->s.call_count; i++) {
		if (k->call_marks.marks[i].answered)
			continue;
		k->s.calls[n] = k->s.calls[i];
		if (!k->s.calls[n].name.p)
			k->s.calls[n].name = STR("unknown");
		n++;
	}
	k->s.call_count = n;
}
