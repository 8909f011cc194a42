/*
 * What the decoders hand over becomes items and nodes. Fields come in any order: a value may stand before its key, and
 * a resource behind its spans. So a pair is judged when it is over, and a scope is filled in while spans point to it.
 */
#include "dialect/otlp/sight_private.h"
#include "dialect/record/field.h"

/* Ranks are of the names of one slot, as in attr.c. */
static const struct otlp_attr_name own_names[] = {
	{ WORD("session.id"), SIGHT_SESSION, 0 },
	{ WORD("conversation.id"), SIGHT_SESSION, 1 },
	{ WORD("agent_trace.run.id"), SIGHT_RUN, 0 },
	{ WORD("service.name"), SIGHT_SERVICE, 0 },
	{ WORD("service.version"), SIGHT_VERSION, 0 },
	{ WORD("agent_id"), SIGHT_AGENT, 0 },
	{ WORD("parent_agent_id"), SIGHT_PARENT_AGENT, 0 },
	/* JSON of the AI SDK and of Logfire */
	{ WORD("ai.response.toolCalls"), SIGHT_CALLS, 0 },
	{ WORD("response_data"), SIGHT_CALLS, 1 },
	{ WORD("ai.prompt.messages"), SIGHT_RESULTS, 0 },
	{ WORD("request_data"), SIGHT_RESULTS, 1 },
	{ WORD("llm.invocation_parameters"), SIGHT_PARAMETERS, 0 },
	{ WORD("logfire.span_type"), SIGHT_SPAN_TYPE, 0 },
	{ WORD("duration"), SIGHT_SECONDS, 0 },
	/* of Claude Code's and Codex's own */
	{ WORD("event.name"), SIGHT_EVENT, 0 },
	{ WORD("event.kind"), SIGHT_EVENT_KIND, 0 },
	{ WORD("duration_ms"), SIGHT_DURATION_MS, 0 },
	{ WORD("success"), SIGHT_SUCCESS, 0 },
	{ WORD("tool_name"), SIGHT_OWN_TOOL, 0 },
	{ WORD("tool_use_id"), SIGHT_OWN_CALL, 0 },
	{ WORD("call_id"), SIGHT_OWN_CALL, 1 },
	{ WORD("model"), SIGHT_OWN_MODEL, 0 },
	{ WORD("input_tokens"), SIGHT_OWN_INPUT, 0 },
	{ WORD("input_token_count"), SIGHT_OWN_INPUT, 1 },
	{ WORD("output_tokens"), SIGHT_OWN_OUTPUT, 0 },
	{ WORD("output_token_count"), SIGHT_OWN_OUTPUT, 1 },
	{ WORD("cache_read_tokens"), SIGHT_OWN_CACHE_READ, 0 },
	{ WORD("cached_token_count"), SIGHT_OWN_CACHE_READ, 1 },
	{ WORD("cache_creation_tokens"), SIGHT_OWN_CACHE_WRITE, 0 },
	{ WORD("cache_write_token_count"), SIGHT_OWN_CACHE_WRITE, 1 },
	{ WORD("reasoning_token_count"), SIGHT_OWN_REASONING, 0 },
	{ WORD("stop_reason"), SIGHT_OWN_STOP, 0 },
	{ WORD("tool_result_size_bytes"), SIGHT_OWN_SIZE, 0 },
	{ WORD("output"), SIGHT_OWN_RESULT, 0 },
	{ WORD("mcp_server"), SIGHT_OWN_SERVER, 0 },
	{ WORD("ttft_ms"), SIGHT_OWN_TTFT_MS, 0 },
	{ WORD("request_id"), SIGHT_OWN_REQUEST, 0 },
	{ WORD("cost_usd"), SIGHT_OWN_USD, 0 },
	{ WORD("source"), SIGHT_OWN_SOURCE, 0 },
	{ WORD("error.message"), SIGHT_OWN_ERROR, 0 },
};

/* Events that come with the first token of an answer end so. */
static const struct str token_events[] = {
	WORD(".content.completion.chunk"), WORD("First Token Stream Event"), WORD("ai.stream.firstChunk"),
};

/* ---- names ---- */

/* The length and eight bytes from either end tell nearly all names apart. */
static uint32_t take_hash(struct str key)
{
	uint64_t head = 0, tail = 0;

	if (key.n >= 8) {
		memcpy(&head, key.p, 8);
		memcpy(&tail, key.p + key.n - 8, 8);
	} else {
		for (size_t i = 0; i < key.n; i++)
			head = head << 8 | (uint8_t)key.p[i];
	}
	head = (head ^ key.n) * UINT64_C(0x9e3779b97f4a7c15);
	tail = (tail ^ head >> 32) * UINT64_C(0xc2b2ae3d27d4eb4f);
	return (uint32_t)((head ^ tail) >> 40);
}

static void take_add_names(struct otlp_sighter *o, const struct otlp_attr_name *names, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		uint32_t at = take_hash(names[i].key) % SIGHT_NAMES_SIZE;

		while (o->names[at])
			at = (at + 1) % SIGHT_NAMES_SIZE;
		o->names[at] = &names[i];
	}
}

void sight_take_init(struct otlp_sighter *o)
{
	const struct otlp_attr_name *shared;
	size_t count;

	shared = otlp_attr_names(&count);
	take_add_names(o, shared, count);
	take_add_names(o, own_names, COUNT(own_names));
}

/* Of the many names with numbers in them: ids and roles. */
static bool take_is_flat(struct str key)
{
	if (!otlp_attr_is_flat(key))
		return false;
	return str_ends(key, STR(".role")) || str_ends(key, STR(".tool_call_id")) || str_ends(key, STR(".id"));
}

static void take_name(const struct otlp_sighter *o, struct sight_node *node)
{
	uint32_t at = take_hash(node->key) % SIGHT_NAMES_SIZE;

	for (; o->names[at]; at = (at + 1) % SIGHT_NAMES_SIZE) {
		if (!str_eq(o->names[at]->key, node->key))
			continue;
		node->slot = o->names[at]->slot;
		node->rank = o->names[at]->rank;
		return;
	}
	node->slot = take_is_flat(node->key) ? SIGHT_FLAT : SIGHT_NO_SLOT;
}

/* ---- a request ---- */

#define KEPT_NODES ((uint32_t)1 << 16) /* room that is kept for the next request */

void sight_take_begin(struct otlp_sighter *o, struct str body)
{
	if (o->node_cap > KEPT_NODES || o->item_cap > KEPT_NODES) {
		mem_free(o->nodes);
		mem_free(o->items);
		o->nodes = NULL;
		o->items = NULL;
		o->node_cap = o->item_cap = 0;
	}
	arena_reset(&o->arena);
	o->node_count = o->item_count = 0;
	o->depth = 0;
	o->item = NULL;
	o->resource = NULL;
	o->scope = NULL;
	o->idle = false;
	o->body = body;
	o->taken = (struct otlp_taken){ .spans = 0 };
}

static uint32_t take_push(struct otlp_sighter *o)
{
	mem_grow(o->nodes, o->node_count, o->node_cap, 256);
	o->nodes[o->node_count] = (struct sight_node){ .next = o->node_count + 1, .slot = SIGHT_NO_SLOT };
	return o->node_count++;
}

static void take_push_item(struct otlp_sighter *o, bool is_log)
{
	mem_grow(o->items, o->item_count, o->item_cap, 64);
	o->item = &o->items[o->item_count];
	*o->item = (struct sight_item){
		.scope = o->scope, .first = o->node_count, .body = SIGHT_NONE, .is_log = is_log,
		.place = o->item_count,
	};
	o->item_count++;
}

/* ---- messages ---- */

/* Those that nothing points to are used again: many empty ones cost nothing. */
static void take_enter_group(struct otlp_sighter *o)
{
	if (!o->resource || o->resource->items != o->item_count)
		o->resource = arena_new(&o->arena, struct sight_resource);
	*o->resource = (struct sight_resource){ .items = o->item_count };
}

static void take_enter_scopes(struct otlp_sighter *o)
{
	if (!o->scope || o->scope->items != o->item_count)
		o->scope = arena_new(&o->arena, struct sight_scope);
	*o->scope = (struct sight_scope){ .resource = o->resource, .items = o->item_count };
}

/* A pair of what is kept; all others are only checked. */
static void take_enter_pair(struct otlp_sighter *o, const struct sight_frame *above, struct sight_frame *f)
{
	enum sight_part part = above->message->part;

	if (part != SIGHT_PART_LIST)
		o->idle = part != SIGHT_PART_SPAN && part != SIGHT_PART_LOG && part != SIGHT_PART_RESOURCE;
	if (!o->idle)
		f->node = take_push(o);
}

static void take_enter_any(struct otlp_sighter *o, const struct sight_frame *above, const struct sight_field *field,
			   struct sight_frame *f)
{
	if (field->take == SIGHT_TAKE_BODY) {
		o->idle = false;
		o->item->body = f->node = take_push(o);
	} else if (o->idle) {
		f->node = SIGHT_NONE;
	} else {
		f->node = field->take == SIGHT_TAKE_ELEMENT ? take_push(o) : above->node;
	}
}

/* A value is set again: the last one counts, and what an array before it had is gone. */
static struct sight_node *take_set(struct otlp_sighter *o, uint32_t at, enum sight_node_type type)
{
	struct sight_node *node;

	if (o->idle || at == SIGHT_NONE)
		return NULL;
	node = &o->nodes[at];
	node->type = (uint8_t)type;
	node->next = o->node_count = at + 1;
	return node;
}

const char *sight_enter(struct otlp_sighter *o, const struct sight_field *field, const struct sight_message *message)
{
	struct sight_frame *above = o->depth ? sight_top(o) : NULL, *f;

	if (o->depth == SIGHT_DEPTH)
		return "values are nested too deep";
	if (o->node_count >= SIGHT_NODES || o->item_count >= SIGHT_ITEMS)
		return "it has too much in it";
	f = &o->stack[o->depth++];
	f->message = message;
	f->node = SIGHT_NONE;
	f->field = NULL;
	switch (message->part) {
	case SIGHT_PART_GROUP:
		take_enter_group(o);
		break;
	case SIGHT_PART_SCOPES:
		take_enter_scopes(o);
		break;
	case SIGHT_PART_SPAN:
	case SIGHT_PART_LOG:
		take_push_item(o, message->part == SIGHT_PART_LOG);
		break;
	case SIGHT_PART_EVENT:
		o->event = str_of(NULL, 0);
		o->event_ns = 0;
		break;
	case SIGHT_PART_POINT:
		o->taken.points++;
		break;
	case SIGHT_PART_PAIR:
		take_enter_pair(o, above, f);
		break;
	case SIGHT_PART_ANY:
		take_enter_any(o, above, field, f);
		break;
	case SIGHT_PART_ARRAY:
	case SIGHT_PART_LIST:
		f->node = above->node;
		take_set(o, f->node, message->part == SIGHT_PART_ARRAY ? SIGHT_V_ARRAY : SIGHT_V_LIST);
		break;
	default:
		break;
	}
	return NULL;
}

/* What a resource says is of all that is in it. */
static void take_of_resource(struct sight_resource *r, const struct sight_node *node)
{
	struct str *texts[] = { &r->session, &r->run, &r->service, &r->version };

	if (node->type == SIGHT_V_TEXT && node->slot >= SIGHT_SESSION && node->slot <= SIGHT_VERSION)
		*texts[node->slot - SIGHT_SESSION] = node->u.text;
}

static void take_leave_pair(struct otlp_sighter *o, const struct sight_frame *above, const struct sight_frame *f)
{
	struct sight_node *node;

	if (f->node == SIGHT_NONE)
		return;
	node = &o->nodes[f->node];
	node->next = o->node_count;
	if (above->message->part == SIGHT_PART_LIST)
		return;
	if (above->message->part == SIGHT_PART_RESOURCE)
		take_of_resource(o->resource, node);
	if (above->message->part == SIGHT_PART_RESOURCE || node->slot == SIGHT_NO_SLOT)
		o->node_count = f->node;
}

/* A span without usable ids is no span: nothing could be joined with it. */
static void take_leave_span(struct otlp_sighter *o)
{
	struct sight_item *item = o->item;

	o->taken.spans++;
	item->last = o->node_count;
	item->is_claude = str_starts(item->name, STR("claude_code."));
	if (item->has_trace && item->has_span && !item->bad_id)
		return;
	o->taken.rejected++;
	o->node_count = item->first;
	o->item_count--;
}

/* Its time, else when it was observed; of one without a usable id it is not known where it stands. */
static void take_leave_log(struct sight_item *item)
{
	if (!item->end)
		item->end = item->begin;
	item->begin = 0;
	if (!item->has_trace || !item->has_span)
		item->has_trace = item->has_span = false;
}

static void take_leave_event(struct otlp_sighter *o)
{
	if (!o->event_ns || (o->item->token && o->event_ns >= o->item->token))
		return;
	for (size_t i = 0; i < COUNT(token_events); i++)
		if (str_ends(o->event, token_events[i]))
			o->item->token = o->event_ns;
}

void sight_leave(struct otlp_sighter *o)
{
	const struct sight_frame *f = &o->stack[--o->depth], *above = o->depth ? sight_top(o) : NULL;

	switch (f->message->part) {
	case SIGHT_PART_SPAN:
		take_leave_span(o);
		break;
	case SIGHT_PART_LOG:
		take_leave_log(o->item);
		o->taken.logs++;
		o->item->last = o->node_count;
		break;
	case SIGHT_PART_EVENT:
		take_leave_event(o);
		break;
	case SIGHT_PART_PAIR:
		take_leave_pair(o, above, f);
		break;
	case SIGHT_PART_ANY:
		if (f->node != SIGHT_NONE)
			o->nodes[f->node].next = o->node_count;
		break;
	default:
		break;
	}
}

/* ---- fields ---- */

/*
 * False: it has the wrong length. Zeros are none, and so is an empty one: *has tells.
 */
static bool take_read_id(uint8_t *id, size_t n, bool *has, struct str bytes)
{
	uint8_t any = 0;

	*has = false;
	if (bytes.n != n)
		return bytes.n == 0;
	memcpy(id, bytes.p, n);
	for (size_t i = 0; i < n; i++)
		any |= id[i];
	*has = any != 0;
	return true;
}

static void take_key(struct otlp_sighter *o, struct str key)
{
	struct sight_frame *f = sight_top(o);
	struct sight_node *node;

	if (f->node == SIGHT_NONE)
		return;
	node = &o->nodes[f->node];
	node->key = key;
	if (o->stack[o->depth - 2].message->part == SIGHT_PART_LIST)
		return;
	take_name(o, node);
	o->idle = node->slot == SIGHT_NO_SLOT;
}

static void take_text_value(struct otlp_sighter *o, const struct sight_field *field, struct str text)
{
	struct sight_node *node;

	node = take_set(o, sight_top(o)->node, field->type == SIGHT_T_TEXT ? SIGHT_V_TEXT : SIGHT_V_BYTES);
	if (node)
		node->u.text = text;
}

void sight_text(struct otlp_sighter *o, const struct sight_field *field, struct str text)
{
	struct sight_item *item = o->item;

	switch (field->take) {
	case SIGHT_TAKE_TRACE:
		item->bad_id |= !take_read_id(item->trace, 16, &item->has_trace, text);
		break;
	case SIGHT_TAKE_SPAN:
		item->bad_id |= !take_read_id(item->span, 8, &item->has_span, text);
		break;
	case SIGHT_TAKE_PARENT:
		item->bad_id |= !take_read_id(item->parent, 8, &item->has_parent, text);
		break;
	case SIGHT_TAKE_NAME:
		item->name = text;
		break;
	case SIGHT_TAKE_KEY:
		take_key(o, text);
		break;
	case SIGHT_TAKE_SCALAR:
		take_text_value(o, field, text);
		break;
	case SIGHT_TAKE_SCOPE_NAME:
		o->scope->name = text;
		break;
	case SIGHT_TAKE_EVENT_NAME:
		o->event = text;
		break;
	default:
		break;
	}
}

static void take_number_value(struct otlp_sighter *o, const struct sight_field *field, uint64_t bits)
{
	bool is_double = field->type == SIGHT_T_DOUBLE;
	struct sight_node *node = take_set(o, sight_top(o)->node, is_double ? SIGHT_V_DOUBLE :
					     field->type == SIGHT_T_BOOL ? SIGHT_V_BOOL : SIGHT_V_INT);

	if (node && is_double)
		memcpy(&node->u.d, &bits, sizeof(bits));
	else if (node)
		node->u.n = (int64_t)bits;
}

void sight_number(struct otlp_sighter *o, const struct sight_field *field, uint64_t bits)
{
	switch (field->take) {
	case SIGHT_TAKE_BEGIN:
		o->item->begin = bits;
		break;
	case SIGHT_TAKE_END:
		o->item->end = bits;
		break;
	case SIGHT_TAKE_STATUS:
		o->item->failed = bits == 2;
		break;
	case SIGHT_TAKE_EVENT_TIME:
		o->event_ns = bits;
		break;
	case SIGHT_TAKE_SCALAR:
		take_number_value(o, field, bits);
		break;
	default:
		break;
	}
}
