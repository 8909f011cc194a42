/* Runs that we wrote, read back: their records are put together again and told as the log that they were. */
#include <stdlib.h>

#include "dialect/langsmith/private.h"
#include "json/write.h"

/* Which member of which record a run holds, and where. */
static const struct {
	const char *type, *member, *place, *before, *after;
} own_held[] = {
	{ "model_step", "request", "/inputs/messages", "{\"messages\":", "}" },
	{ "model_step", "text", "/outputs/generations/0/0/message/kwargs/content", "", "" },
	{ "model_step", "reasoning", "/outputs/generations/0/0/message/kwargs/additional_kwargs/reasoning_content",
	  "", "" },
	{ "tool_call", "args", "/inputs", "", "" },
	{ "tool_result", "result", "/outputs/output", "", "" },
};

static bool own_is_held(struct val held, const char *member)
{
	VALUES_EACH(v, held)
		if (val_text_is(v, str_from(member)))
			return true;
	return false;
}

/* The record with the members that its run holds. */
static struct str own_fill(struct arena *a, struct val run, struct val held, struct val record)
{
	struct str source = val_source(record);
	struct buf out = { 0 };

	buf_add_str(&out, str_of(source.p, source.n - 1));
	for (size_t i = 0; i < COUNT(own_held); i++) {
		struct val v = val_at(run, str_from(own_held[i].place));

		if (val_is_none(v) || !own_is_held(held, own_held[i].member) ||
		    !val_text_is(val_get(record, STR("type")), str_from(own_held[i].type)))
			continue;
		if (val_count(record) > 0)
			buf_add_byte(&out, ',');
		json_write_quoted(&out, str_from(own_held[i].member));
		buf_add_byte(&out, ':');
		buf_add_str(&out, str_from(own_held[i].before));
		buf_add_str(&out, val_source(v));
		buf_add_str(&out, str_from(own_held[i].after));
	}
	buf_add_byte(&out, '}');
	return arena_take(a, &out);
}

bool langsmith_own_gather(struct arena *a, struct val v, struct langsmith_records *to)
{
	struct val ours = val_at(v, STR("/extra/metadata/trackway")), list = val_get(ours, STR("records"));

	if (!val_is(list, JSON_ARRAY) || val_count(list) == 0)
		return false;
	VALUES_EACH(record, list) {
		int64_t seq;

		if (!val_is(record, JSON_OBJECT) || !val_i64(val_get(record, STR("seq")), &seq) ||
		    !val_is(val_get(record, STR("type")), JSON_STRING))
			return false;
		arena_grow(a, to->list, to->count, to->cap, 64);
		to->list[to->count].seq = seq;
		to->list[to->count++].text = own_fill(a, v, val_get(ours, STR("held")), record);
	}
	return true;
}

static int own_by_seq(const void *a, const void *b)
{
	const struct langsmith_record *x = a, *y = b;

	return (x->seq > y->seq) - (x->seq < y->seq);
}

bool langsmith_own_put(struct reading *r, struct arena *a, struct langsmith_records *records, uint64_t line,
		       struct assemble *as, struct err *err)
{
	if (!assemble_end(as, false, err))
		return false;
	assemble_use(as, (struct assemble_options){ .flags = ASSEMBLE_AS_IS });
	qsort(records->list, records->count, sizeof(*records->list), own_by_seq);
	for (size_t i = 0; i < records->count; i++) {
		struct str text = records->list[i].text;
		char *padded = arena_array(a, char, text.n + JSON_PAD);

		memcpy(padded, text.p, text.n);
		reading_chunk(r, a, str_of(padded, text.n), line, false);
		for (size_t e = 0; e < r->count; e++)
			if (!assemble_add(as, &r->events[e], err))
				return false;
	}
	return assemble_end(as, false, err);
}
