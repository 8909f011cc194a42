/* Lines that were a conversation's before, with their own fields; the model's go back to where they were. */
#include "dialect/conversation/write_private.h"
#include "dialect/reading/original.h"
#include "dialect/reading/tool_name.h"
#include "dialect/record/field.h"
#include "json/put.h"

/* A kind of event of the line, in order: block by block they go back to their places. */
struct cursor {
	struct conversation_writer *t;
	struct val rest;
	size_t call, result, part; /* the next of each to look at */
	struct val_iter elements;  /* of the message at hand */
	bool in_part;
};

/* NULL when the line has no more of this kind. *at is where the search goes on. */
static const struct event *conversation_kept_next_of(struct cursor *c, enum event_kind kind, size_t *at)
{
	const struct conversation_line *l = &c->t->line;

	while (*at < l->count) {
		const struct event *e = l->events[(*at)++];

		if (e->kind == kind)
			return e;
	}
	return NULL;
}

static const struct event *conversation_kept_first_of(const struct conversation_line *l, enum event_kind kind)
{
	for (size_t i = 0; i < l->count; i++)
		if (l->events[i]->kind == kind)
			return l->events[i];
	return NULL;
}

/* How the arguments of a call stood in its line. */
static bool stood(struct cursor *c, const struct event *e, struct str how)
{
	return str_eq(original_note(writing_rest(c->t->inner, e, CONVERSATION_KEY), STR(MARK_ARGS)), how);
}

/* ---- blocks ---- */

/*
 * Puts back what the model took from a block: members that the block still has are left as they are. A text or thought
 * that stands alone in its line was taken by the step; joined ones stayed in their blocks.
 */
static void fill_block(struct cursor *c, struct json_writer *j, struct val block)
{
	const struct event *step = conversation_kept_first_of(&c->t->line, EVENT_STEP), *e;

	if (conversation_is_block(block, STR("tool_use")) &&
	    (e = conversation_kept_next_of(c, EVENT_CALL, &c->call))) {
		if (!val_has(block, STR("name")))
			json_put_text(j, "name", tool_name_full(&c->t->hold, e));
		if (!val_has(block, STR("input")) && !stood(c, e, STR("none")))
			json_put_raw(j, "input", original_payload(c->t->inner, e, "args", e->args, &c->t->hold));
	} else if (conversation_is_block(block, STR("tool_result")) &&
		   (e = conversation_kept_next_of(c, EVENT_RESULT, &c->result))) {
		if (!val_has(block, STR("content")) && e->content.p)
			json_put_raw(j, "content", original_payload(c->t->inner, e, "result", e->content, &c->t->hold));
	} else if (conversation_is_block(block, STR("text")) && !val_has(block, STR("text")) && step &&
		   step->text.p) {
		json_put_text(j, "text", step->text);
	} else if (conversation_is_block(block, STR("thinking")) && !val_has(block, STR("thinking")) &&
		   step && step->reasoning.p) {
		json_put_text(j, "thinking", step->reasoning);
	}
}

/* The next element of what the user said. */
static bool next_element(struct cursor *c, struct val *element)
{
	const struct event *e;

	while (!c->in_part || !val_next(&c->elements, element)) {
		e = conversation_kept_next_of(c, EVENT_MESSAGE, &c->part);
		if (!e)
			return false;
		c->elements = val_begin(writing_parse(
			c->t->inner, original_payload(c->t->inner, e, "content", e->content, &c->t->hold)));
		c->in_part = true;
	}
	return true;
}

/* Elements that have something left are kept by their places: {"#0":{...}}. */
static struct val element_at(struct val kept, size_t i)
{
	char name[24] = "#";

	return val_get(kept, str_of(name, 1 + num_format_u64(name + 1, i)));
}

/*
 * The list as it was, `count` long. A place of which nothing was kept was a block of the user's, all of which is in a
 * message.
 */
static void put_blocks(struct cursor *c, struct json_writer *j, struct val kept, size_t count)
{
	struct val element;

	json_put_array(j, "content");
	for (size_t i = 0; i < count; i++) {
		struct val block = element_at(kept, i);

		if (val_is_none(block)) {
			if (next_element(c, &element))
				json_write_raw(j, val_source(element));
		} else if (!val_is(block, JSON_OBJECT)) {
			json_write_raw(j, val_source(block));
		} else {
			json_write_begin_object(j);
			original_others(j, block, NULL, 0, &c->t->hold);
			fill_block(c, j, block);
			json_write_end_object(j);
		}
	}
	json_write_end_array(j);
}

/* ---- members ---- */

/*
 * `content` from whichever of three places has it: its blocks, the rest of the line, or the field of the first event
 * that took it.
 */
static void conversation_kept_put_content(struct cursor *c, struct json_writer *j)
{
	const struct event *head = c->t->line.events[0];
	struct val kept = val_get(c->rest, STR("content"));
	int64_t blocks;

	if (val_i64(val_get(c->rest, STR(MARK_BLOCKS)), &blocks) && val_is(kept, JSON_OBJECT)) {
		put_blocks(c, j, kept, blocks > 0 ? (size_t)blocks : 0);
		return;
	}
	if (original_copy(j, c->rest, STR("content")))
		return;
	if (head->kind == EVENT_STEP && head->text.p)
		json_put_text(j, "content", head->text);
	else if (head->kind == EVENT_MESSAGE && head->content.p)
		json_put_raw(j, "content", original_payload(c->t->inner, head, "content", head->content, &c->t->hold));
	else if (head->kind == EVENT_RESULT && head->content.p)
		json_put_raw(j, "content", original_payload(c->t->inner, head, "result", head->content, &c->t->hold));
	else if (head->kind == EVENT_CALL && stood(c, head, STR("content")))
		json_put_text(j, "content", head->args);
}

/* Arguments were a text, an object or nothing; the mark of the call says which, and a text is the usual. */
static void put_function(struct cursor *c, struct json_writer *j, struct val kept, const struct event *e)
{
	json_put_object(j, "function");
	if (!val_has(kept, STR("name")))
		json_put_text(j, "name", tool_name_full(&c->t->hold, e));
	if (!val_has(kept, STR("arguments")) && stood(c, e, STR("object")))
		json_put_raw(j, "arguments", original_payload(c->t->inner, e, "args", e->args, &c->t->hold));
	else if (!val_has(kept, STR("arguments")) && !stood(c, e, STR("none")))
		json_put_text(j, "arguments", original_payload(c->t->inner, e, "args", e->args, &c->t->hold));
	original_others(j, kept, NULL, 0, &c->t->hold);
	json_write_end_object(j);
}

/* A call that stood there as a text was only looked into: it is all in `kept`. */
static void conversation_kept_put_call(struct cursor *c, struct json_writer *j, struct val kept,
				       const struct event *e)
{
	static const struct str names[] = { WORD("function") };

	if (val_is(kept, JSON_STRING)) {
		json_write_raw(j, val_source(kept));
		return;
	}
	json_write_begin_object(j);
	original_others(j, kept, names, 1, &c->t->hold);
	put_function(c, j, val_get(kept, STR("function")), e);
	json_write_end_object(j);
}

/* Calls of which something is the model's now. */
static void put_calls(struct cursor *c, struct json_writer *j)
{
	struct val kept = val_get(c->rest, STR("tool_calls"));
	const struct event *e;

	if (!val_has(c->rest, STR(MARK_CALLS)) || val_is(kept, JSON_ARRAY)) {
		original_copy(j, c->rest, STR("tool_calls"));
		return;
	}
	json_put_array(j, "tool_calls");
	c->call = 0;
	for (size_t i = 0; (e = conversation_kept_next_of(c, EVENT_CALL, &c->call)); i++)
		conversation_kept_put_call(c, j, element_at(kept, i), e);
	json_write_end_array(j);
}

void conversation_write_kept(struct conversation_writer *t)
{
	static const struct str names[] = { WORD("content"), WORD("tool_calls"), WORD("occurred_at") };
	const struct event *head = t->line.events[0];
	struct cursor c = { .t = t, .rest = original_rest(t->parser, head, CONVERSATION_KEY, &t->hold) };
	bool dated = head->ts.source == MOMENT_VENDOR && head->ts.text.p;
	struct json_writer j;

	json_write_init(&j, &t->text, JSON_COMPACT);
	json_write_begin_object(&j);
	original_others(&j, c.rest, names, 3, &t->hold);
	conversation_kept_put_content(&c, &j);
	put_calls(&c, &j);
	if (t->line.end && !val_has(c.rest, STR(OURS))) {
		json_put_object(&j, OURS);
		conversation_put_end(&j, t->line.end);
		json_write_end_object(&j);
	}
	original_text(&j, c.rest, STR("occurred_at"), dated ? head->ts.text : str_of(NULL, 0));
	json_write_end_object(&j);
	buf_add_byte(&t->text, '\n');
	waiting_add(&t->waiting, t->w->out, &t->text, (int64_t)t->line.line);
}
