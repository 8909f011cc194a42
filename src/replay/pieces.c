/* Walks each event with a stack, finds the text that a string belongs to, and adds the piece to it. */
#include "replay/pieces.h"

#include "base/buf.h"
#include "base/map.h"
#include "base/sse.h"
#include "json/json.h"

#define PIECES_DEPTH 32 /* of an event; what is deeper is no piece of a text */

struct pieces_group {
	struct piece *list;
	size_t count, cap, size;
};

struct pieces_frame {
	struct val_iter it;
	size_t path; /* bytes of it that belong to the container */
	bool object;
	uint64_t index;
};

struct pieces_job {
	struct arena *arena;
	struct str answer;
	struct map names; /* of texts: the number of the group + 1 */
	struct pieces_group *groups;
	size_t count, cap;
	struct buf path;
	struct pieces_frame frames[PIECES_DEPTH];
	size_t depth;
};

/* What tells one text of a stream from the next, where the path is the same. */
static void pieces_add_indexes(struct pieces_job *j, struct val v)
{
	static const char *const names[] = { "index", "output_index", "content_index", "summary_index", "item_id" };

	for (size_t i = 0; i < COUNT(names); i++) {
		struct val one = val_get(v, str_from(names[i]));

		if (val_is(one, JSON_NUMBER) || val_is(one, JSON_STRING)) {
			buf_printf(&j->path, "|%zu=", i);
			buf_add_str(&j->path, val_source(one));
		}
	}
}

static void pieces_push(struct pieces_job *j, struct val v)
{
	if (j->depth == PIECES_DEPTH)
		return;
	if (val_is(v, JSON_OBJECT))
		pieces_add_indexes(j, v);
	j->frames[j->depth++] = (struct pieces_frame){ .it = val_begin(v), .path = j->path.n,
						       .object = val_is(v, JSON_OBJECT) };
}

static bool pieces_is_text(struct val key)
{
	static const char *const names[] = { "delta", "text", "content", "arguments", "partial_json", "thinking",
					     "reasoning", "reasoning_content", "input", "response" };

	for (size_t i = 0; i < COUNT(names); i++)
		if (val_text_is(key, str_from(names[i])))
			return true;
	return false;
}

/* `base`: of the event's text in the answer. */
static void pieces_add(struct pieces_job *j, struct val v, size_t base)
{
	struct str raw = val_raw(v);
	struct pieces_group *g;
	uint64_t *number;
	bool added;

	number = map_add(&j->names, buf_str(&j->path), &added);
	if (added) {
		arena_grow(j->arena, j->groups, j->count, j->cap, 8);
		*number = ++j->count;
	}
	g = &j->groups[*number - 1];
	arena_grow(j->arena, g->list, g->count, g->cap, 16);
	g->list[g->count++] = (struct piece){ base + (size_t)(raw.p - v.tape->text), raw.n, g->size };
	g->size += raw.n;
}

static bool pieces_next(struct pieces_job *j, struct val *key, struct val *value)
{
	struct pieces_frame *f = &j->frames[j->depth - 1];

	j->path.n = f->path;
	*key = VAL_NONE;
	if (!f->object) {
		buf_printf(&j->path, "/%llu", (unsigned long long)f->index++);
		return val_next(&f->it, value);
	}
	if (!val_next_member(&f->it, key, value))
		return false;
	buf_add_byte(&j->path, '/');
	buf_add_str(&j->path, val_raw(*key));
	return true;
}

static void pieces_walk(struct pieces_job *j, struct val event, size_t base)
{
	struct val key, value;

	buf_clear(&j->path);
	j->depth = 0;
	if (!val_is(event, JSON_OBJECT) && !val_is(event, JSON_ARRAY))
		return;
	pieces_push(j, event);
	while (j->depth) {
		if (!pieces_next(j, &key, &value))
			j->depth--;
		else if (val_is(value, JSON_OBJECT) || val_is(value, JSON_ARRAY))
			pieces_push(j, value);
		else if (val_is(value, JSON_STRING) && pieces_is_text(key))
			pieces_add(j, value, base);
	}
}

static void pieces_walk_text(struct pieces_job *j, struct json_parser *p, struct str text)
{
	struct val v;

	/* data of several lines was put together elsewhere, and has no place in the answer */
	if (text.n == 0 || text.p < j->answer.p || text.p >= j->answer.p + j->answer.n)
		return;
	if (json_parse_copy(p, text, &v, NULL))
		pieces_walk(j, v, (size_t)(text.p - j->answer.p));
}

static void pieces_walk_answer(struct pieces_job *j, struct json_parser *p)
{
	struct str left = str_trim(j->answer);
	struct sse_event event;
	struct arena scratch;
	size_t end;

	if (left.n == 0 || left.p[0] == '[')
		return;
	if (left.p[0] == '{') {
		if (!memchr(left.p, '\n', left.n))
			return;
		while (left.n)
			pieces_walk_text(j, p, str_cut(left, '\n', &left));
		return;
	}
	if (!sse_is_line(str_of(left.p, sse_line(left, &end))))
		return;
	arena_init(&scratch);
	while (sse_next_in_text(&left, &scratch, &event))
		pieces_walk_text(j, p, event.data);
	arena_free(&scratch);
}

size_t pieces_join(struct arena *a, struct json_parser *p, struct str answer, struct pieces_text **out)
{
	struct pieces_job *j;
	struct pieces_text *texts;
	size_t count = 0;

	*out = NULL;
	if (answer.n == 0)
		return 0;
	j = arena_new(a, struct pieces_job);
	j->arena = a;
	j->answer = answer;
	map_init(&j->names, a);
	buf_init(&j->path);
	pieces_walk_answer(j, p);
	buf_free(&j->path);
	texts = arena_array(a, struct pieces_text, j->count + 1);
	for (size_t i = 0; i < j->count; i++) {
		struct pieces_group *g = &j->groups[i];
		char *joined;

		if (g->count < 2)
			continue;
		joined = arena_alloc(a, g->size + 1, 1);
		for (size_t k = 0; k < g->count; k++)
			memcpy(joined + g->list[k].at, answer.p + g->list[k].from, g->list[k].n);
		texts[count++] = (struct pieces_text){ str_of(joined, g->size), g->list, g->count };
	}
	*out = texts;
	return count;
}
