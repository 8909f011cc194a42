/* A compaction is a note for the assembler, and a finding for a check. */
#include "dialect/session/compaction.h"

#include "base/clock.h"

void compaction_add(struct reading *r, const struct event *at, struct compaction c)
{
	struct event like = *at, *e = reading_add(r, EVENT_NOTE);

	e->ts = like.ts;
	e->branch = like.branch;
	e->parent = like.parent;
	e->role = STR(COMPACTION_ROLE);
	e->content = STR("null");
	e->compaction = compaction_copy(r->arena, &c);
}

const struct str *compaction_calls(struct reading *r, struct val list, size_t *count)
{
	struct str *calls = arena_array(r->arena, struct str, (val_is(list, JSON_ARRAY) ? val_count(list) : 0) + 1);

	*count = 0;
	VALUES_EACH(one, list)
		if (val_is(one, JSON_STRING))
			calls[(*count)++] = val_text(one, r->arena);
	return calls;
}

void mark_sight_result(struct mark_sight *s, bool has_time, int64_t ms)
{
	if (s->results++ == 0) {
		s->has_first = has_time;
		s->first_ms = ms;
	}
	s->begun = true;
	s->settled = false;
}

void mark_sight_answer(struct mark_sight *s)
{
	s->begun = true;
	s->settled = false;
}

void mark_sight_compact(struct mark_sight *s, struct record_fold *f, const struct marks_walk *w, unsigned rule)
{
	bool all = w->mark->n < 0;
	struct figure hidden = { .state = FIGURE_NULL };
	struct buf text = { 0 };
	char from[36] = "";

	if (all && s->settled)
		return;
	if (!all || s->begun)
		hidden = FIGURE(all ? s->results : (uint64_t)w->mark->n);
	if (all && s->results && s->has_first)
		stamp_format_us(from, s->first_ms * 1000, 3);
	compaction_say(&text, hidden, str_from(from));
	marks_note(f, rule, w, "%.*s", STR_ARG(buf_str(&text)));
	buf_free(&text);
	if (!all)
		return;
	s->results = 0;
	s->settled = true;
}
