/*
 * Ids of tool calls in what a span says of its messages: in JSON of several makers, or in attributes with numbers in
 * their names. Only ids are taken. Of results only those count that stand behind the last answer: those before it were
 * told in requests before.
 */
#include "dialect/agent_trace/clean.h"
#include "dialect/otlp/sight_private.h"
#include "dialect/record/field.h"

#define IDS_MOST 1024 /* of one span */

struct ids {
	struct str *list;
	size_t count, cap;
};

struct both {
	struct arena *a;
	struct ids calls, results;
};

/* Copied: what it was parsed from may go. */
static void ids_add(struct both *b, struct ids *ids, struct str id)
{
	id = clean_id(id);
	if (!id.n || ids->count == IDS_MOST)
		return;
	arena_grow(b->a, ids->list, ids->count, ids->cap, 4);
	ids->list[ids->count++] = arena_copy(b->a, id);
}

/* ---- JSON ---- */

static struct str ids_of(struct both *b, struct val v)
{
	static const struct str names[] = {
		WORD("call_id"), WORD("tool_call_id"), WORD("toolCallId"), WORD("tool_use_id"), WORD("id"),
	};

	for (size_t i = 0; i < COUNT(names); i++)
		if (val_is(val_get(v, names[i]), JSON_STRING))
			return val_get_text(v, names[i], b->a);
	return str_of(NULL, 0);
}

static bool ids_is_type(struct val v, const struct str *words, size_t count)
{
	struct val type = val_get(v, STR("type"));

	for (size_t i = 0; i < count; i++)
		if (val_text_is(type, words[i]))
			return true;
	return false;
}

/* A part of a message: parts of the conventions, blocks of Anthropic, items of OpenAI, parts of the AI SDK. */
static void ids_read_part(struct both *b, struct val part)
{
	static const struct str calls[] = { WORD("tool_call"), WORD("tool_use"), WORD("tool-call"),
					    WORD("function_call"), WORD("custom_tool_call") };
	static const struct str results[] = { WORD("tool_call_response"), WORD("tool_result"), WORD("tool-result"),
					      WORD("function_call_output"), WORD("custom_tool_call_output") };

	if (ids_is_type(part, calls, COUNT(calls)) || !val_is_none(val_get(part, STR("toolName"))))
		ids_add(b, ids_is_type(part, results, COUNT(results)) ? &b->results : &b->calls, ids_of(b, part));
	else if (ids_is_type(part, results, COUNT(results)))
		ids_add(b, &b->results, ids_of(b, part));
}

static void ids_read_list(struct both *b, struct val list)
{
	struct val_iter it = val_begin(list);
	struct val part;

	while (val_next(&it, &part))
		ids_read_part(b, part);
}

static void ids_read_message(struct both *b, struct val message)
{
	struct val role = val_get(message, STR("role")), call;
	struct val_iter it = val_begin(val_get(message, STR("tool_calls")));

	if (val_text_is(role, STR("assistant")) || val_text_is(role, STR("model")) ||
	    val_text_is(val_get(message, STR("type")), STR("function_call")))
		b->results.count = 0;
	if (val_text_is(role, STR("tool")) && val_has(message, STR("tool_call_id")))
		ids_add(b, &b->results, ids_of(b, message));
	while (val_next(&it, &call))
		ids_add(b, &b->calls, ids_of(b, call));
	ids_read_part(b, message);
	ids_read_list(b, val_get(message, STR("parts")));
	ids_read_list(b, val_get(message, STR("content")));
}

/* A list of messages, one message, or an object around one of these. */
static void ids_read_json(struct both *b, struct val v)
{
	static const struct str around[] = { WORD("messages"), WORD("input"), WORD("message"), WORD("output") };
	struct val_iter it;
	struct val message;

	for (size_t i = 0; i < COUNT(around) && val_is(v, JSON_OBJECT) && !val_has(v, STR("role")); i++) {
		if (!val_is_none(val_get(v, around[i]))) {
			v = val_get(v, around[i]);
			break;
		}
	}
	if (val_is(v, JSON_OBJECT))
		ids_read_message(b, v);
	it = val_begin(v);
	while (val_next(&it, &message))
		ids_read_message(b, message);
}

/* What the request had names calls too, of answers before; what the answer has names no results. */
static void ids_read_slot(struct otlp_sighter *o, const struct sight_slots *slots, unsigned slot, struct ids *out,
			  bool results)
{
	struct both b = { .a = &o->scratch };

	ids_read_json(&b, sight_slot_json(o, slots, slot));
	*out = results ? b.results : b.calls;
}

/* ---- names with numbers ---- */

struct flat {
	struct str prefix;
	bool results;
	struct str role, id; /* what stands behind the number; of a call, it ends so */
};

static const struct flat flats[] = {
	{ WORD("llm.output_messages."), false, WORD("message.role"), WORD(".tool_call.id") },
	{ WORD("llm.input_messages."), true, WORD("message.role"), WORD("message.tool_call_id") },
	{ WORD("gen_ai.completion."), false, WORD("role"), WORD(".id") },
	{ WORD("gen_ai.prompt."), true, WORD("role"), WORD("tool_call_id") },
};

/* The number of the last answer in the request; -1: there is none. */
static int64_t ids_last_answer(const struct otlp_sighter *o, const struct sight_item *item, const struct flat *f)
{
	int64_t last = -1;
	uint32_t index;
	struct str rest;

	for (uint32_t i = item->first; i < item->last; i = o->nodes[i].next) {
		const struct sight_node *n = &o->nodes[i];

		if (n->slot == SIGHT_FLAT && n->type == SIGHT_V_TEXT && str_eq(n->u.text, STR("assistant")) &&
		    otlp_attr_indexed(n->key, f->prefix, &index, &rest) && str_eq(rest, f->role) && index > last)
			last = index;
	}
	return last;
}

static void ids_read_flat(struct otlp_sighter *o, const struct sight_item *item, const struct flat *f, struct both *b)
{
	int64_t last = f->results ? ids_last_answer(o, item, f) : -1;
	uint32_t index;
	struct str rest;

	for (uint32_t i = item->first; i < item->last; i = o->nodes[i].next) {
		const struct sight_node *n = &o->nodes[i];

		if (n->slot != SIGHT_FLAT || n->type != SIGHT_V_TEXT ||
		    !otlp_attr_indexed(n->key, f->prefix, &index, &rest))
			continue;
		if (f->results && str_eq(rest, f->id) && index > last)
			ids_add(b, &b->results, n->u.text);
		if (!f->results && str_has(rest, STR("tool_calls.")) && str_ends(rest, f->id))
			ids_add(b, &b->calls, n->u.text);
	}
}

/* Whether an item has names with numbers at all. */
static bool ids_has_flat(const struct otlp_sighter *o, const struct sight_item *item)
{
	for (uint32_t i = item->first; i < item->last; i = o->nodes[i].next)
		if (o->nodes[i].slot == SIGHT_FLAT)
			return true;
	return false;
}

void sight_ids_add(struct otlp_sighter *o, const struct sight_item *item, const struct sight_slots *slots,
		   struct sighting *s)
{
	static const struct {
		unsigned slot;
		bool results;
	} places[] = {
		{ OTLP_MESSAGES_OUT, false }, { SIGHT_CALLS, false },
		{ OTLP_MESSAGES_IN, true },   { SIGHT_RESULTS, true },
	};
	struct both b = { .a = &o->scratch };

	for (size_t i = 0; i < COUNT(places); i++) {
		struct ids *ids = places[i].results ? &b.results : &b.calls;

		if (!ids->count && slots->of[places[i].slot])
			ids_read_slot(o, slots, places[i].slot, ids, places[i].results);
	}
	if (ids_has_flat(o, item))
		for (size_t i = 0; i < COUNT(flats); i++)
			if (!(flats[i].results ? b.results : b.calls).count)
				ids_read_flat(o, item, &flats[i], &b);
	s->calls = b.calls.list;
	s->call_count = b.calls.count;
	s->results = b.results.list;
	s->result_count = b.results.count;
}
