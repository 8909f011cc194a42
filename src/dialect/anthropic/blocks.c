/*
 * Blocks in order: texts and thoughts are gathered and joined at the end, so that an answer of many blocks is copied
 * once; calls and results become events at once.
 */
#include "dialect/anthropic/blocks.h"

#include "dialect/session/compaction.h"
#include "model/assemble.h"
#include "model/history.h"

#define MEDIA_MAX 8 /* kinds named for one result */

enum blocks_kind blocks_kind_of(struct val block)
{
	struct val type = val_get(block, STR("type"));
	struct str word;

	if (!val_is(type, JSON_STRING))
		return BLOCKS_OTHER;
	word = val_raw(type);
	if (str_eq(word, STR("text")))
		return BLOCKS_TEXT;
	if (str_eq(word, STR("thinking")))
		return BLOCKS_THINKING;
	if (str_ends(word, STR("tool_use")))
		return BLOCKS_CALL;
	return str_ends(word, STR("tool_result")) ? BLOCKS_RESULT : BLOCKS_OTHER;
}

struct event *blocks_add(struct reading *r, const struct blocks_origin *o, enum event_kind kind)
{
	struct event *e = reading_add(r, kind);

	e->ts = o->ts;
	e->branch = o->branch;
	e->parent = o->parent;
	e->flags = o->flags;
	e->digest = o->digest;
	e->position = o->position;
	return e;
}

/* ---- usage ---- */

static void anthropic_blocks_add_figure(struct figure *sum, struct figure part)
{
	if (!figure_is_known(part) || __builtin_add_overflow(sum->n, part.n, &sum->n))
		return;
	sum->state = FIGURE_KNOWN;
}

/* The figures of one call of the model. This API counts what was cached apart from the input; ours counts it in. */
static void read_round(struct reading *r, struct val usage, struct usage *u)
{
	struct val tiers = reading_get(r, usage, STR("cache_creation"));
	struct val short_tier = reading_get(r, tiers, STR("ephemeral_5m_input_tokens"));
	int64_t minutes = 0;

	u->input = reading_count(r, usage, STR("input_tokens"));
	u->output = reading_count(r, usage, STR("output_tokens"));
	u->cache_read = reading_count(r, usage, STR("cache_read_input_tokens"));
	u->cache_write = reading_count(r, usage, STR("cache_creation_input_tokens"));
	u->cache_write_1h = reading_count(r, tiers, STR("ephemeral_1h_input_tokens"));
	u->reasoning = reading_count(r, reading_get(r, usage, STR("output_tokens_details")), STR("thinking_tokens"));
	if (val_i64(short_tier, &minutes) && minutes >= 0) {
		if (u->cache_write.state == FIGURE_ABSENT) {
			u->cache_write = reading_count(r, tiers, STR("ephemeral_5m_input_tokens"));
			anthropic_blocks_add_figure(&u->cache_write, u->cache_write_1h);
		} else if (u->cache_write.n == (uint64_t)minutes + u->cache_write_1h.n) {
			reading_take(r, short_tier); /* the two others say it already */
		}
	}
	if (figure_is_known(u->input)) {
		anthropic_blocks_add_figure(&u->input, u->cache_read);
		anthropic_blocks_add_figure(&u->input, u->cache_write);
	}
}

/* Whether the model was called more than once: a compaction in between has figures of its own. */
static bool has_compaction(struct val rounds)
{
	VALUES_EACH(one, rounds) {
		struct val type = val_get(one, STR("type"));

		if (val_text_is(type, STR("compaction")))
			return true;
	}
	return false;
}

void blocks_read_usage(struct reading *r, struct val usage, struct usage *u)
{
	struct val rounds = reading_get(r, usage, STR("iterations"));

	if (!val_is(usage, JSON_OBJECT))
		return;
	if (!has_compaction(rounds)) {
		read_round(r, usage, u);
		return;
	}
	VALUES_EACH(one, rounds) {
		struct usage part = { 0 };

		if (val_is(one, JSON_OBJECT))
			read_round(r, one, &part);
		usage_add(u, &part);
	}
}

bool blocks_usage_is_zero(const struct usage *u)
{
	return usage_is_known(u) && u->input.n == 0 && u->output.n == 0 && u->cache_read.n == 0 &&
	       u->cache_write.n == 0 && u->reasoning.n == 0;
}

/* ---- compactions ---- */

void blocks_read_compaction(struct reading *r, const struct blocks_origin *o, struct val message)
{
	struct event at = { .ts = o->ts, .branch = o->branch, .parent = o->parent };
	struct val edits = val_get(val_get(message, STR("context_management")), STR("applied_edits"));
	int64_t n;

	if (o->flags & EVENT_HISTORY)
		return;
	VALUES_EACH(edit, edits)
		if (val_i64(val_get(edit, STR("cleared_tool_uses")), &n) && n > 0)
			compaction_add(r, &at, (struct compaction){
						       .trigger = reading_peek(r, edit, STR("type")),
						       .total = FIGURE((uint64_t)n),
					       });
	VALUES_EACH(block, val_get(message, STR("content"))) {
		struct val type = val_get(block, STR("type"));

		if (val_text_is(type, STR("compaction")))
			compaction_add(r, &at, (struct compaction){ .trigger = STR("auto") });
	}
}

/* ---- calls and results ---- */

/* The type is left where it says more than the event. */
static void take_type(struct reading *r, struct val block, struct str usual)
{
	struct val type = reading_get(r, block, STR("type"));

	if (val_text_is(type, usual))
		reading_take(r, type);
}

/* Arguments are an object; a client's text stays text. Of a call inside another ("caller") that is the parent. */
void blocks_read_call(struct reading *r, const struct blocks_origin *o, struct val block, int index)
{
	struct event *e = blocks_add(r, o, EVENT_CALL);
	struct val input = reading_get(r, block, STR("input"));
	struct str inside = reading_text(r, reading_get(r, block, STR("caller")), STR("tool_id"));

	e->step = o->step;
	e->index = index;
	e->call = reading_text(r, block, STR("id"));
	e->tool = reading_text(r, block, STR("name"));
	if (e->tool.n == 0)
		e->tool = STR("unknown");
	e->server = reading_text(r, block, STR("server_name"));
	if (inside.p)
		e->parent = inside;
	if (val_is(input, JSON_STRING))
		e->args_text = reading_text_of(r, input);
	else if (val_is_none(input))
		e->args_text = STR("");
	else
		e->args = reading_json_of(r, e, "args", input);
	take_type(r, block, STR("tool_use"));
	reading_rest_under(r, e, block, STR("block"));
}

/* Few kinds: a walk over all of them will do. */
static bool anthropic_blocks_was_seen(const struct str *seen, size_t count, struct str word)
{
	for (size_t i = 0; i < count; i++)
		if (str_eq(seen[i], word))
			return true;
	return false;
}

/* ["image/png"]: the kinds of what is not text. */
static struct str media_of(struct reading *r, struct val content)
{
	struct str seen[MEDIA_MAX], json = { NULL, 0 };
	struct val_iter it = val_begin(content);
	struct val part;
	struct buf list = { 0 };
	size_t count = 0;

	while (val_is(content, JSON_ARRAY) && count < MEDIA_MAX && val_next(&it, &part)) {
		struct val type = val_get(val_get(part, STR("source")), STR("media_type"));

		if (!val_is(type, JSON_STRING) || anthropic_blocks_was_seen(seen, count, val_raw(type)))
			continue;
		seen[count++] = val_raw(type);
		buf_add_byte(&list, list.n ? ',' : '[');
		buf_add_str(&list, reading_quote(r, val_text(type, r->arena)));
	}
	if (count) {
		buf_add_byte(&list, ']');
		json = arena_copy(r->arena, buf_str(&list));
	}
	buf_free(&list);
	return json;
}

/* {"type":"web_search_tool_result_error"} */
static bool says_error(struct val content)
{
	struct val type = val_get(content, STR("type"));

	return val_is(type, JSON_STRING) && str_ends(val_raw(type), STR("_error"));
}

/* `content` may be a text, blocks, or an object of a tool that ran at the service, which has a return_code. */
void blocks_read_result(struct reading *r, const struct blocks_origin *o, struct val block)
{
	struct event *e = blocks_add(r, o, EVENT_RESULT);
	struct val content = reading_get(r, block, STR("content"));
	int64_t code;

	e->call = reading_text(r, block, STR("tool_use_id"));
	e->is_error = (uint8_t)reading_truth(r, block, STR("is_error"));
	if (e->is_error == TRUTH_ABSENT && says_error(content))
		e->is_error = TRUTH_TRUE;
	if (val_i64(val_get(content, STR("return_code")), &code))
		e->exit_code = FIGURE((uint64_t)code);
	e->media = media_of(r, content);
	e->content = reading_json_of(r, e, "result", content);
	take_type(r, block, STR("tool_result"));
	reading_rest_under(r, e, block, STR("block"));
}

/* ---- the answer ---- */

/* The texts of one kind of block, to be joined. */
struct texts {
	struct str *parts;
	size_t count;
};

static struct str anthropic_blocks_join(struct arena *a, const struct texts *t)
{
	if (t->count == 0)
		return str_of(NULL, 0);
	return t->count == 1 ? t->parts[0] : arena_join(a, t->parts, t->count);
}

/*
 * The order of the blocks, where it is not the usual one (a thought, a text, calls): [["text",12],["tool_use"]], with
 * the bytes of what was joined.
 */
struct order {
	struct buf list;
	enum blocks_kind last;
	bool odd;
};

/*
 * The order is odd when a kind comes after one that usually follows it, or when two texts stand side by side: joining
 * would lose where one ended.
 */
static void anthropic_blocks_note_order(struct reading *r, struct order *o, struct val block,
					enum blocks_kind kind, size_t bytes)
{
	static const uint8_t rank[] = {
		[BLOCKS_THINKING] = 1, [BLOCKS_TEXT] = 2, [BLOCKS_CALL] = 3, [BLOCKS_RESULT] = 4, [BLOCKS_OTHER] = 0,
	};
	struct val type = reading_get(r, block, STR("type"));
	struct str word = val_is(type, JSON_STRING) ? reading_quote(r, val_text(type, r->arena)) : STR("null");
	bool joined = kind == BLOCKS_TEXT || kind == BLOCKS_THINKING;

	o->odd = o->odd || rank[kind] < rank[o->last] || (joined && kind == o->last);
	o->last = kind;
	buf_add_byte(&o->list, o->list.n ? ',' : '[');
	buf_add_byte(&o->list, '[');
	buf_add_str(&o->list, word);
	if (joined)
		buf_printf(&o->list, ",%zu", bytes);
	buf_add_byte(&o->list, ']');
}

/* A text or thinking block: its text waits to be joined with others of its kind. */
static void read_spoken(struct reading *r, struct order *order, struct texts texts[2], struct val block,
			enum blocks_kind kind)
{
	bool thought = kind == BLOCKS_THINKING;
	struct str text = reading_text(r, block, thought ? STR("thinking") : STR("text"));

	take_type(r, block, thought ? STR("thinking") : STR("text"));
	if (text.p)
		texts[thought].parts[texts[thought].count++] = text;
	anthropic_blocks_note_order(r, order, block, kind, text.n);
}

/* Events may move when calls are added, so the step is known by its place. */
void blocks_read_answer(struct reading *r, const struct blocks_origin *o, size_t step, struct val content)
{
	struct texts texts[2] = { { NULL, 0 }, { NULL, 0 } };
	struct order order = { .last = BLOCKS_OTHER };
	size_t most;
	int calls = 0;

	if (val_is(content, JSON_STRING))
		r->events[step].text = reading_text_of(r, content);
	if (!val_is(content, JSON_ARRAY))
		return;
	most = val_count(content);
	for (int i = 0; i < 2; i++)
		texts[i].parts = arena_array(r->arena, struct str, most);
	VALUES_EACH(block, content) {
		enum blocks_kind kind = val_is(block, JSON_OBJECT) ? blocks_kind_of(block) : BLOCKS_OTHER;

		if (kind == BLOCKS_TEXT || kind == BLOCKS_THINKING) {
			read_spoken(r, &order, texts, block, kind);
			continue;
		}
		anthropic_blocks_note_order(r, &order, block, kind, 0);
		if (kind == BLOCKS_CALL)
			blocks_read_call(r, o, block, calls++);
		else if (kind == BLOCKS_RESULT)
			blocks_read_result(r, o, block);
	}
	r->events[step].text = anthropic_blocks_join(r->arena, &texts[0]);
	r->events[step].reasoning = anthropic_blocks_join(r->arena, &texts[1]);
	if (order.odd) {
		buf_add_byte(&order.list, ']');
		reading_extra(r, &r->events[step], STR("blocks"), arena_copy(r->arena, buf_str(&order.list)));
	}
	buf_free(&order.list);
}

/* ---- what was given ---- */

static bool has_result(struct val content)
{
	VALUES_EACH(block, content)
		if (val_is(block, JSON_OBJECT) && blocks_kind_of(block) == BLOCKS_RESULT)
			return true;
	return false;
}

/* Results keep their order among what else the user said; each other block is a message of its own then. */
void blocks_read_given(struct reading *r, const struct blocks_origin *o, struct str role, struct val content)
{
	struct event *e;

	if (!has_result(content)) {
		e = blocks_add(r, o, EVENT_MESSAGE);
		e->role = role;
		e->content = val_is_none(content) ? STR("null") : reading_json_of(r, e, "content", content);
		return;
	}
	VALUES_EACH(block, content) {
		if (val_is(block, JSON_OBJECT) && blocks_kind_of(block) == BLOCKS_RESULT) {
			blocks_read_result(r, o, block);
			continue;
		}
		e = blocks_add(r, o, EVENT_MESSAGE);
		e->role = role;
		e->content = ARENA_JOIN(r->arena, STR("["), reading_json_of(r, e, "content/0", block), STR("]"));
	}
}

/* ---- digests ---- */

/* Every token but those of cache_control, by its text as it stands: one client spells a message in one way. */
static void anthropic_blocks_add_tokens(struct buf *out, struct val v)
{
	uint32_t end = val_end(v);

	for (struct val at = v; at.at < end;) {
		const struct json_tok *t = val_tok(at);
		bool scalar = t->type != JSON_OBJECT && t->type != JSON_ARRAY;

		if (t->type == JSON_KEY && str_eq(val_raw(at), STR("cache_control"))) {
			at.at = val_end((struct val){ at.tape, at.at + 1 });
			continue;
		}
		buf_add_byte(out, (char)t->type);
		if (scalar)
			buf_add_str(out, val_raw(at));
		at.at++;
	}
}

/* A block as it counts for the digest: thoughts do not, since clients leave them out of later requests. */
static void add_block(struct buf *out, struct val block)
{
	enum blocks_kind kind = val_is(block, JSON_OBJECT) ? blocks_kind_of(block) : BLOCKS_OTHER;
	struct val text = kind == BLOCKS_TEXT ? val_get(block, STR("text")) : VAL_NONE;

	if (kind == BLOCKS_THINKING)
		return;
	if (val_is(text, JSON_STRING))
		anthropic_blocks_add_tokens(out, text);
	else
		anthropic_blocks_add_tokens(out, block);
}

/* Tokens are taken as they stand in the text: one client spells a message in one way, and nothing is unescaped. */
uint64_t blocks_digest(struct val message)
{
	struct val role = val_get(message, STR("role")), content = val_get(message, STR("content"));
	struct buf text = { 0 };
	uint64_t digest;

	if (!val_is_none(role))
		anthropic_blocks_add_tokens(&text, role);
	if (val_is(content, JSON_ARRAY))
		VALUES_EACH(block, content)
			add_block(&text, block);
	else if (!val_is_none(content))
		anthropic_blocks_add_tokens(&text, content);
	digest = history_digest(buf_str(&text));
	buf_free(&text);
	return digest;
}
