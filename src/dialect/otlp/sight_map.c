/* A span becomes a sighting: the words of its attributes tell what it is, the slots what it says. */
#include "base/crypto/hex.h"
#include "dialect/agent_trace/clean.h"
#include "dialect/otlp/provider.h"
#include "dialect/otlp/sight_private.h"
#include "dialect/otlp/span.h"
#include "dialect/record/field.h"

/* ---- what all have ---- */

/* -1: not told. */
static int64_t map_time(uint64_t ns)
{
	return ns && ns <= INT64_MAX ? (int64_t)ns : -1;
}

static struct str map_hex(struct otlp_sighter *o, const uint8_t *id, size_t n, bool has)
{
	char *out;

	if (!has)
		return str_of(NULL, 0);
	out = arena_array(&o->scratch, char, 2 * n);
	hex_format(out, id, n);
	return str_of(out, 2 * n);
}

/* An id that many spans have: of a slot, or one that the resource has. */
static struct str map_id(struct otlp_sighter *o, const struct sight_slots *slots, unsigned slot, struct str otherwise)
{
	struct str id = sight_slot_text(slots, slot);

	return sight_clean(o, SIGHT_CLEAN_ID, id.n ? id : otherwise);
}

/* Only where it is sure: a program by its own name, a framework by the scope of its instrumentation. */
static void map_framework(struct otlp_sighter *o, const struct sight_scope *scope, struct sighting *s)
{
	static const struct str words[] = { WORD("crewai"), WORD("autogen"), WORD("langgraph") };

	if (str_eq(scope->resource->service, STR("claude-code"))) {
		s->framework = STR("claude_code");
		s->framework_version = sight_clean(o, SIGHT_CLEAN_ID, scope->resource->version);
		return;
	}
	for (size_t i = 0; i < COUNT(words) && scope->name.n; i++)
		if (str_has(scope->name, words[i]))
			s->framework = words[i];
}

void sight_map_context(struct otlp_sighter *o, const struct sight_item *item, const struct sight_slots *slots,
		       struct sighting *s)
{
	const struct sight_resource *r = item->scope->resource;
	struct str conversation = sight_slot_text(slots, OTLP_CONVERSATION), run = sight_slot_text(slots, SIGHT_RUN);

	s->run = run.n ? run : r->run; /* a name of the user's: compared as it is, told only where it is clean */
	s->session = map_id(o, slots, SIGHT_SESSION, conversation.n ? conversation : r->session);
	s->agent = map_id(o, slots, OTLP_AGENT_ID, sight_slot_text(slots, SIGHT_AGENT));
	s->parent_agent = map_id(o, slots, SIGHT_PARENT_AGENT, str_of(NULL, 0));
	s->trace = map_hex(o, item->trace, 16, item->has_trace);
	s->span = map_hex(o, item->span, 8, item->has_span);
	s->parent_span = map_hex(o, item->parent, 8, item->has_parent);
	map_framework(o, item->scope, s);
}

/* ---- what it is ---- */

static bool map_is_word(const struct sight_node *node, const char *word)
{
	return !word || (node->type == SIGHT_V_TEXT && str_eq(node->u.text, str_from(word)));
}

/*
 * Embeddings are calls of models, as the proxy has them; retrieval and ranking are only places. Of the AI SDK, the
 * spans of calls have operations with "do" in them; those around them tell the tokens of all again.
 */
static enum sight_kind map_kind_of(const struct otlp_role_word *row, const struct sight_slots *slots)
{
	struct str operation = sight_slot_text(slots, OTLP_AI_OPERATION);

	switch (row->role) {
	case OTLP_MODEL:
		return operation.n && !row->word && !str_has(operation, STR(".do")) ? SIGHT_SPAN : SIGHT_MODEL;
	case OTLP_TOOL:
		return SIGHT_TOOL_END;
	case OTLP_RETRIEVER:
		return row->word && str_has_nocase(str_from(row->word), STR("embed")) ? SIGHT_MODEL : SIGHT_SPAN;
	default:
		return SIGHT_SPAN;
	}
}

/* Claude Code's spans are known by their names alone. */
static enum sight_kind map_claude_kind(struct str name)
{
	static const struct {
		struct str name;
		enum sight_kind kind;
	} rows[] = {
		{ WORD("claude_code.llm_request"), SIGHT_MODEL },
		{ WORD("claude_code.tool"), SIGHT_TOOL_END },
	};

	for (size_t i = 0; i < COUNT(rows); i++)
		if (str_eq(name, rows[i].name))
			return rows[i].kind;
	return SIGHT_SPAN;
}

static enum sight_kind map_kind(const struct sight_item *item, const struct sight_slots *slots)
{
	const struct otlp_role_word *rows;
	size_t count;

	if (item->is_claude)
		return map_claude_kind(item->name);
	if (str_starts(item->scope->resource->service, STR("codex")))
		return SIGHT_SPAN; /* its tokens stand in a span that handles one event; log records have all */
	rows = otlp_role_words(&count);
	for (size_t i = 0; i < count; i++) {
		const struct sight_node *node = slots->of[rows[i].slot];

		if (node && map_is_word(node, rows[i].word))
			return map_kind_of(&rows[i], slots);
	}
	/* older ones of pydantic-ai say no more of a call than these two */
	return slots->of[OTLP_TOOL_NAME] && slots->of[OTLP_TOOL_ID] ? SIGHT_TOOL_END : SIGHT_SPAN;
}

/* ---- models ---- */

static int64_t map_either(const struct sight_slots *slots, unsigned slot, unsigned own, bool claude)
{
	int64_t n = sight_slot_count(slots, slot);

	return n < 0 && claude ? sight_slot_count(slots, own) : n;
}

/*
 * Input holds what was cached. Claude Code tells the parts apart, as its service does; where the parts are larger than
 * the whole, they are apart too.
 */
static void map_tokens(const struct sight_slots *slots, bool claude, struct sighting *s)
{
	int64_t cached;

	s->input = map_either(slots, OTLP_INPUT, SIGHT_OWN_INPUT, claude);
	s->output = map_either(slots, OTLP_OUTPUT, SIGHT_OWN_OUTPUT, claude);
	s->cache_read = map_either(slots, OTLP_CACHE_READ, SIGHT_OWN_CACHE_READ, claude);
	s->cache_write = map_either(slots, OTLP_CACHE_WRITE, SIGHT_OWN_CACHE_WRITE, claude);
	s->reasoning = sight_slot_count(slots, OTLP_REASONING);
	cached = (s->cache_read > 0 ? s->cache_read : 0) + (s->cache_write > 0 ? s->cache_write : 0);
	if (s->input >= 0 && (claude || cached > s->input))
		s->input += cached;
}

/* The first of a list, of a list in JSON, or the text itself. */
static struct str map_first(struct otlp_sighter *o, const struct sight_slots *slots, unsigned slot)
{
	const struct sight_node *node = slots->of[slot];
	struct val_iter it;
	struct val first;

	if (!node)
		return str_of(NULL, 0);
	if (node->type == SIGHT_V_ARRAY && node->next > (uint32_t)(node - o->nodes) + 1 && node[1].type == SIGHT_V_TEXT)
		return node[1].u.text;
	if (node->type != SIGHT_V_TEXT || !str_starts(node->u.text, STR("[")))
		return sight_slot_text(slots, slot);
	it = val_begin(sight_slot_json(o, slots, slot));
	if (!val_next(&it, &first) || !val_is(first, JSON_STRING))
		return str_of(NULL, 0);
	return val_text_copy(first, &o->scratch);
}

/* A server by its address, or the address of an API. */
static struct str map_endpoint(struct otlp_sighter *o, const struct sight_slots *slots, struct str provider)
{
	struct str text = sight_slot_text(slots, OTLP_BASE);
	int64_t port = sight_slot_count(slots, OTLP_PORT);
	char digits[NUM_U64_MAX];

	if (!text.n) {
		text = sight_slot_text(slots, OTLP_ADDRESS);
		if (text.n && port > 0 && port <= UINT16_MAX)
			text = ARENA_JOIN(&o->scratch, text, STR(":"),
					  str_of(digits, num_format_u64(digits, (uint64_t)port)));
	}
	return sight_clean_endpoint(o, text, provider);
}

/* In seconds, in milliseconds, or by the time of an event. */
static int64_t map_ttft(const struct sight_item *item, const struct sight_slots *slots)
{
	double seconds = sight_slot_double(slots, OTLP_TTFT);

	if (seconds >= 0 && seconds < 1e9)
		return (int64_t)(seconds * 1e9);
	if (slots->of[OTLP_TTFT_MS])
		return sight_slot_ms(slots, OTLP_TTFT_MS);
	if (item->is_claude && slots->of[SIGHT_OWN_TTFT_MS])
		return sight_slot_ms(slots, SIGHT_OWN_TTFT_MS);
	return item->begin && item->token >= item->begin && item->token - item->begin <= INT64_MAX ?
		(int64_t)(item->token - item->begin) : -1;
}

static void map_model(struct otlp_sighter *o, const struct sight_item *item, const struct sight_slots *slots,
		      struct sighting *s)
{
	struct str model = sight_slot_text(slots, OTLP_RESPONSE_MODEL), provider, rest;
	struct str operation = sight_slot_text(slots, OTLP_AI_OPERATION);

	if (!model.n)
		model = sight_slot_text(slots, OTLP_REQUEST_MODEL);
	if (!model.n && item->is_claude)
		model = sight_slot_text(slots, SIGHT_OWN_MODEL);
	s->model = sight_clean(o, SIGHT_CLEAN_MODEL, model);
	provider = sight_slot_text(slots, OTLP_PROVIDER);
	provider = operation.n ? str_cut(provider, '.', &rest) : provider; /* "openai.chat" */
	s->provider = sight_clean(o, SIGHT_CLEAN_ID, provider);
	s->response_id = clean_id(sight_slot_text(slots, OTLP_RESPONSE_ID));
	s->endpoint = map_endpoint(o, slots, s->provider);
	s->stop_reason = sight_clean(o, SIGHT_CLEAN_ID, map_first(o, slots, OTLP_FINISH));
	s->stream = sight_slot_is(slots, OTLP_STREAM, true) || str_ends(operation, STR(".doStream")) || item->token;
	s->usd = sight_slot_double(slots, OTLP_USD);
	s->ttft_ns = map_ttft(item, slots);
	s->failed |= item->is_claude && sight_slot_is(slots, SIGHT_SUCCESS, false);
	map_tokens(slots, item->is_claude, s);
	sight_ids_add(o, item, slots, s);
}

/* ---- tools ---- */

/* Only how long it is, and whether it looks like JSON. */
static void map_result(const struct sight_slots *slots, struct sighting *s)
{
	const struct sight_node *node = slots->of[OTLP_TOOL_RESULT];
	struct str text;

	if (!node || node->type != SIGHT_V_TEXT || str_eq(node->key, STR("traceloop.entity.output")))
		return; /* that one has more than the result in it */
	text = str_trim(node->u.text);
	s->size = (int64_t)node->u.text.n;
	s->result_kind = text.n > 1 && (text.p[0] == '{' || text.p[0] == '[') &&
			 (text.p[text.n - 1] == '}' || text.p[text.n - 1] == ']') ? STR("json") : STR("text");
}

/* By its attributes, else by the name of the span, of which the operation is no part. */
static struct str map_tool_name(const struct sight_item *item, const struct sight_slots *slots)
{
	static const struct str operations[] = { WORD("execute_tool "), WORD("tools/call ") };
	struct str name = sight_slot_text(slots, OTLP_TOOL_NAME);

	if (!name.n && item->is_claude)
		return sight_slot_text(slots, SIGHT_OWN_TOOL);
	for (size_t i = 0; i < COUNT(operations) && !name.n; i++)
		if (str_starts(item->name, operations[i]))
			name = str_skip(item->name, operations[i].n);
	return name;
}

static void map_tool(struct otlp_sighter *o, const struct sight_item *item, const struct sight_slots *slots,
		     struct sighting *s)
{
	struct str call = sight_slot_text(slots, OTLP_TOOL_ID);

	if (!call.n && item->is_claude)
		call = sight_slot_text(slots, SIGHT_OWN_CALL);
	s->name = sight_clean(o, SIGHT_CLEAN_TOOL, map_tool_name(item, slots));
	s->server = sight_clean(o, SIGHT_CLEAN_TOOL, sight_slot_text(slots, OTLP_SERVER));
	s->call = clean_id(call);
	map_result(slots, s);
}

/* ---- spans of Claude Code's tools ---- */

/* As the tool's runner measured it, else as long as the span is. */
static int64_t map_ran(const struct sight_slots *slots, const struct sight_inside *x)
{
	if (slots->of[SIGHT_DURATION_MS])
		return sight_slot_ms(slots, SIGHT_DURATION_MS);
	return x->begun_ns >= 0 && x->ended_ns >= x->begun_ns ? x->ended_ns - x->begun_ns : -1;
}

static bool map_is_inside(const struct sight_inside *x, const uint8_t *tool, const struct sight_item *item)
{
	return memcmp(x->tool, tool, sizeof(x->tool)) == 0 && memcmp(x->trace, item->trace, sizeof(x->trace)) == 0;
}

/*
 * The span about a tool holds one of the time that a person was asked (who decided tells whether it was a person), and
 * one of the time that the tool ran. They are over before it, and a person takes long: it may come in a later request.
 */
void sight_map_inside(struct otlp_sighter *o, const struct sight_item *item)
{
	bool waits = str_eq(item->name, STR("claude_code.tool.blocked_on_user"));
	struct sight_inside x = {
		.waits = waits, .begun_ns = map_time(item->begin), .ended_ns = map_time(item->end), .ran_ns = -1,
	};
	struct sight_slots slots;

	if (!item->has_parent || (!waits && !str_eq(item->name, STR("claude_code.tool.execution"))))
		return;
	sight_slots_fill(o, item, &slots);
	if (waits && !str_starts(sight_slot_text(&slots, SIGHT_OWN_SOURCE), STR("user")))
		return;
	for (size_t i = 0; i < COUNT(o->kept.inside); i++)
		if (map_is_inside(&o->kept.inside[i], item->parent, item) && o->kept.inside[i].waits == waits &&
		    o->kept.inside[i].begun_ns == x.begun_ns)
			return; /* it was sent again */
	if (!waits)
		x.ran_ns = map_ran(&slots, &x);
	memcpy(x.trace, item->trace, sizeof(x.trace));
	memcpy(x.tool, item->parent, sizeof(x.tool));
	o->kept.inside[o->kept.inside_next++ % COUNT(o->kept.inside)] = x;
}

/* Waits are told as the tool's, and it has the time that it ran. */
static void map_take_inside(const struct otlp_sighter *o, const struct sight_item *item, struct sighting *s,
			    const struct otlp_sights *to)
{
	struct sighting wait = *s;

	wait.kind = SIGHT_WAIT_END;
	wait.size = -1;
	wait.failed = false;
	for (size_t i = 0; i < COUNT(o->kept.inside) && item->has_span; i++) {
		const struct sight_inside *x = &o->kept.inside[(o->kept.inside_next + i) % COUNT(o->kept.inside)];

		if (!map_is_inside(x, item->span, item))
			continue;
		if (!x->waits) {
			s->wall_ns = x->ran_ns;
			continue;
		}
		wait.begun_ns = x->begun_ns;
		wait.ended_ns = x->ended_ns;
		to->see(to->context, &wait);
	}
}

/* ---- all ---- */

void sight_map_span(struct otlp_sighter *o, const struct sight_item *item, const struct otlp_sights *to)
{
	struct sight_slots slots;
	struct sighting s;

	arena_reset(&o->scratch);
	sight_slots_fill(o, item, &slots);
	s = sighting_of(map_kind(item, &slots), SIGHT_OTLP);
	s.begun_ns = map_time(item->begin);
	s.ended_ns = map_time(item->end);
	s.failed = item->failed || sight_slot_text(&slots, OTLP_ERROR).n;
	sight_map_context(o, item, &slots, &s);
	if (s.kind == SIGHT_MODEL)
		map_model(o, item, &slots, &s);
	else if (s.kind == SIGHT_TOOL_END)
		map_tool(o, item, &slots, &s);
	sight_habits(o, item, &slots, &s);
	if (item->is_claude && s.kind == SIGHT_TOOL_END)
		map_take_inside(o, item, &s, to);
	to->see(to->context, &s);
}
