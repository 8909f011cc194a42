/*
 * Events of a line that was written here: what Claude Code's own members say is read first, as of any line; what the
 * member of ours says is laid over it.
 */
#include "dialect/claude_code/own.h"

#include "dialect/record/field.h"

/* In the order in which events of one line stand. */
static const struct {
	struct str name;
	enum event_kind kind;
} own_kinds[] = {
	{ WORD("run_start"), EVENT_RUN_START }, { WORD("message"), EVENT_MESSAGE },
	{ WORD("model_step"), EVENT_STEP },     { WORD("cost"), EVENT_COST },
	{ WORD("tool_call"), EVENT_CALL },      { WORD("tool_result"), EVENT_RESULT },
	{ WORD("error"), EVENT_ERROR },         { WORD("note"), EVENT_NOTE },
	{ WORD("run_end"), EVENT_RUN_END },
};

struct str claude_code_own_name(enum event_kind kind)
{
	size_t i = 0;

	while (own_kinds[i].kind != kind)
		i++;
	return own_kinds[i].name;
}

/* The event of this kind that the line was read as; else one that has what any event of the line has. */
static struct event own_find(const struct event *read, size_t count, enum event_kind kind)
{
	bool told = kind == EVENT_MESSAGE || kind == EVENT_NOTE; /* both have a role and a content */
	struct event e = { .kind = kind, .index = -1 };

	for (size_t i = 0; i < count; i++)
		if (read[i].kind == kind)
			return read[i];
	if (count == 0)
		return e;
	e.ts = read[0].ts;
	e.branch = read[0].branch;
	e.line = read[0].line;
	e.extras = kind == EVENT_COST && read[0].kind == EVENT_STEP ? NULL : read[0].extras;
	if (told && (read[0].kind == EVENT_MESSAGE || read[0].kind == EVENT_NOTE)) {
		e.role = read[0].role;
		e.content = read[0].content;
		e.bignums = read[0].bignums;
	}
	return e;
}

/* Where the time comes from. One that was taken from the event before is taken from there again. */
static void own_set_time(struct event *e, struct val source)
{
	if (!val_is(source, JSON_STRING) || !e->ts.text.p)
		return;
	for (size_t i = 0; i < COUNT(otutl_moment_sources); i++)
		if (otutl_moment_sources[i] && val_text_is(source, str_from(otutl_moment_sources[i])))
			e->ts.source = (uint8_t)i;
	if (e->ts.source == MOMENT_INHERITED || e->ts.source == MOMENT_NONE)
		e->ts = (struct moment){ .source = MOMENT_NONE };
}

void claude_code_own_read(struct reading *r, size_t first, struct val own)
{
	size_t count = r->count - first;
	struct event *read = arena_array(r->arena, struct event, count + 1);

	memcpy(read, r->events + first, count * sizeof(*read));
	for (size_t i = 0; i < count; i++)
		if (read[i].kind == EVENT_STEP) /* what is said of every step by default */
			read[i].provider = read[i].response_id = str_of(NULL, 0);
	r->count = first;
	for (size_t i = 0; i < COUNT(own_kinds); i++) {
		struct val record = val_get(own, own_kinds[i].name);
		struct event *e;

		if (!val_is(record, JSON_OBJECT))
			continue;
		e = reading_add(r, own_kinds[i].kind);
		*e = own_find(read, count, own_kinds[i].kind);
		if (val_has(record, STR("ts")))
			e->ts = reading_time(r, record, STR("ts"));
		own_set_time(e, val_get(val_has(record, STR("ts")) ? record : own, STR(CLAUDE_CODE_OWN_TIME)));
		if (val_has(record, STR(CLAUDE_CODE_OWN_EMPTY)))
			e->content = str_of(NULL, 0);
		if (val_has(record, STR(CLAUDE_CODE_OWN_NAMELESS)))
			e->model = str_of(NULL, 0);
		otutl_read_over(r, e, record);
	}
}
