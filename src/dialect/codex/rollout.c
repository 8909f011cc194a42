/* Rollout files: the sessions that Codex keeps, in the three forms they have had. */
#include "base/crypto/base64.h"
#include "dialect/codex/private.h"
#include "dialect/openai/responses_items.h"
#include "dialect/record/field.h"
#include "dialect/session/compaction.h"

struct line {
	struct reading *r;
	struct val v, payload;
	struct str type; /* of the payload, or of the line */
	struct moment ts;
};

static struct event *codex_rollout_add(const struct line *l, enum event_kind kind)
{
	struct event *e = reading_add(l->r, kind);

	e->ts = l->ts;
	return e;
}

/* ---- the session ---- */

/* The text at the end of a path of names, taken; absent when a name is missing or no text stands there. */
static struct str nested_text(struct reading *r, struct val v, const struct str *path, size_t count)
{
	for (size_t i = 0; i < count; i++)
		v = val_get(v, path[i]);
	return val_is(v, JSON_STRING) ? reading_text_of(r, v) : str_of(NULL, 0);
}

/* The beginning of a thread: whose it is, and which thread started it or was copied into it. */
static void read_session(const struct line *l)
{
	static const struct str spawn[] = { WORD("source"), WORD("subagent"), WORD("thread_spawn"),
					    WORD("parent_thread_id") };
	struct reading *r = l->r;
	struct val parent = val_get(l->payload, STR("parent_thread_id"));
	struct val from = val_get(l->payload, STR("forked_from_id"));
	struct event *e = codex_rollout_add(l, EVENT_RUN_START);

	codex_hint_add(r, e)->what = CODEX_SESSION;
	e->run = reading_text(r, l->payload, STR("id"));
	e->agent = STR("codex");
	e->agent_version = reading_text(r, l->payload, STR("cli_version"));
	e->provider = reading_text(r, l->payload, STR("model_provider"));
	e->parent_run = nested_text(r, l->payload, spawn, COUNT(spawn));
	if (!e->parent_run.p && val_is(parent, JSON_STRING))
		e->parent_run = reading_text_of(r, parent);
	if (val_is(from, JSON_STRING))
		codex_hint_add(r, e)->forked_from = val_text(from, r->arena); /* it stays in the rest */
	reading_rest(r, e, l->payload);
}

/* A line that the model has no event for: kept whole, with its turn for the fold. */
static void codex_rollout_read_note(const struct line *l)
{
	struct val turn = val_get(l->payload, STR("turn_id"));
	struct event *e = codex_rollout_add(l, EVENT_NOTE);

	e->role = l->type;
	if (val_is(turn, JSON_STRING))
		codex_hint_add(l->r, e)->turn = val_text(turn, l->r->arena);
	e->content = reading_json_of(l->r, e, "content", l->payload);
}

static void read_context(const struct line *l)
{
	struct val model = val_get(l->payload, STR("model"));

	codex_rollout_read_note(l);
	if (val_is(model, JSON_STRING))
		codex_hint_add(l->r, &l->r->events[l->r->count - 1])->model = val_text(model, l->r->arena);
}

/* The calls whose outputs are in the history that replaces the one before: those the model still sees. */
static struct compaction kept_outputs(struct reading *r, struct val history)
{
	size_t most = val_is(history, JSON_ARRAY) ? val_count(history) : 0;
	struct str *calls = arena_array(r->arena, struct str, most + 1);
	struct compaction c = { .calls = calls, .stay = true };

	VALUES_EACH(item, history) {
		struct val type = val_get(item, STR("type")), call = val_get(item, STR("call_id"));

		if (val_is(type, JSON_STRING) && str_ends(val_raw(type), STR("_output")) && val_is(call, JSON_STRING))
			calls[c.call_count++] = val_text(call, r->arena);
	}
	return c;
}

/* History that replaces the one before is kept as it is: its items have been told. */
static void read_compacted(const struct line *l)
{
	struct compaction c = kept_outputs(l->r, val_get(l->payload, STR("replacement_history")));
	struct event *e = codex_rollout_add(l, EVENT_NOTE);

	e->role = l->type;
	e->content = reading_json(l->r, e, "content", l->payload, STR("message"));
	reading_rest(l->r, e, l->payload);
	compaction_add(l->r, e, c);
}

/* The same told once more, or by versions that tell nothing else of it. */
static void read_context_compacted(const struct line *l)
{
	codex_rollout_read_note(l);
	compaction_add(l->r, &l->r->events[l->r->count - 1], (struct compaction){ .calls = NULL });
}

/* ---- events beside the items ---- */

void codex_read_usage(struct reading *r, struct val v, struct usage *u)
{
	u->input = reading_count(r, v, STR("input_tokens"));
	u->output = reading_count(r, v, STR("output_tokens"));
	u->cache_read = reading_count(r, v, STR("cached_input_tokens"));
	u->cache_write = reading_count(r, v, STR("cache_write_input_tokens"));
	u->reasoning = reading_count(r, v, STR("reasoning_output_tokens"));
}

/*
 * Only the figures of the latest call are counted. The total goes to the hint, where the fold sees whether it changed.
 */
static void read_tokens(const struct line *l)
{
	struct val info = val_get(l->payload, STR("info")), last = val_get(info, STR("last_token_usage"));
	struct val total = val_get(info, STR("total_token_usage"));
	struct codex_hint *h;
	struct event *e;

	if (!val_is(last, JSON_OBJECT) || !val_is(total, JSON_OBJECT)) {
		codex_rollout_read_note(l); /* limits only */
		return;
	}
	e = codex_rollout_add(l, EVENT_COST);
	h = codex_hint_add(l->r, e);
	h->what = CODEX_TOKENS;
	h->text = reading_json_of(l->r, NULL, "", total);
	codex_read_usage(l->r, last, &e->usage);
	reading_take(l->r, val_get(l->payload, STR("type")));
	reading_rest_under(l->r, e, l->payload, STR("token_count"));
}

/* The same since 0.147, of one answer, which it names. A token_count with the same total comes later. */
static void read_usage_record(const struct line *l)
{
	struct val usage = val_get(l->payload, STR("usage")), total = val_get(l->payload, STR("thread_token_usage"));
	struct codex_hint *h;
	struct event *e;

	if (!val_is(usage, JSON_OBJECT) || !val_is(total, JSON_OBJECT)) {
		codex_rollout_read_note(l);
		return;
	}
	e = codex_rollout_add(l, EVENT_COST);
	h = codex_hint_add(l->r, e);
	h->what = CODEX_TOKENS;
	h->text = reading_json_of(l->r, NULL, "", total);
	h->response = reading_text(l->r, l->payload, STR("response_id"));
	codex_read_usage(l->r, usage, &e->usage);
	reading_rest_under(l->r, e, l->payload, l->type);
}

/* What an item says too, shown to the user. The members named here are empty or in the item. */
static void read_shown(const struct line *l)
{
	static const struct str again[] = { WORD("phase"),         WORD("kind"),  WORD("images"), WORD("local_images"),
					    WORD("text_elements"), WORD("audio"), WORD("local_audio"),
					    WORD("memory_citation"), WORD("client_id") };
	struct reading *r = l->r;
	struct val text = val_get(l->payload, STR("message"));
	struct event *e = codex_rollout_add(l, EVENT_NOTE);
	struct codex_hint *h = codex_hint_add(r, e);

	if (!val_is(text, JSON_STRING))
		text = val_get(l->payload, STR("text"));
	e->role = l->type;
	h->shown = true;
	reading_take(r, val_get(l->payload, STR("type")));
	if (val_is(text, JSON_STRING)) {
		h->digest = str_hash(val_text(text, r->arena));
		e->content = reading_json_of(r, e, "content", text);
	}
	for (size_t i = 0; i < COUNT(again); i++) {
		struct val v = val_get(l->payload, again[i]);

		if (val_is(v, JSON_STRING))
			reading_take(r, v);
		else if (val_is(v, JSON_NULL) || (!val_is_none(v) && val_count(v) == 0))
			reading_drop(r, v);
	}
	reading_rest(r, e, l->payload);
}

/* {secs, nanos} as milliseconds; absent when either is missing or beyond reason. */
static struct amount read_duration(struct reading *r, struct val payload)
{
	struct val d = val_get(payload, STR("duration"));
	double secs, nanos;

	if (!val_double(val_get(d, STR("secs")), &secs) || !val_double(val_get(d, STR("nanos")), &nanos) || secs < 0 ||
	    secs > 1e12 || nanos < 0 || nanos > 1e10)
		return (struct amount){ .state = FIGURE_ABSENT };
	reading_take(r, d);
	return AMOUNT(secs * 1000 + nanos / 1e6);
}

/* Outputs that are the same text under two names are kept once. */
static void drop_copies(struct reading *r, struct val payload)
{
	static const struct str names[] = { WORD("stdout"), WORD("formatted_output") };
	struct val all = val_get(payload, STR("aggregated_output"));

	for (size_t i = 0; i < COUNT(names); i++) {
		struct val v = val_get(payload, names[i]);

		if (val_is(all, JSON_STRING) && val_is(v, JSON_STRING) && str_eq(val_raw(v), val_raw(all)))
			reading_take(r, v);
	}
}

/* An MCP tool's server and name, which the call itself does not tell, and whether it failed. */
static void read_invocation(struct reading *r, struct codex_hint *h, struct val payload)
{
	struct val call = val_get(payload, STR("invocation")), result = val_get(payload, STR("result"));
	struct val ok = val_get(result, STR("Ok"));
	enum truth error;

	if (!val_is(call, JSON_OBJECT))
		return;
	h->server = reading_text(r, call, STR("server"));
	h->tool = reading_text(r, call, STR("tool"));
	if (val_has(result, STR("Err"))) {
		h->is_error = TRUTH_TRUE;
	} else if (!val_is_none(ok)) {
		error = reading_truth(r, ok, val_has(ok, STR("isError")) ? STR("isError") : STR("is_error"));
		h->is_error = error == TRUTH_TRUE ? TRUTH_TRUE : TRUTH_FALSE;
	}
}

/* How the call ended, as the event or the item of its end tells it. */
static void read_outcome(struct reading *r, struct codex_hint *h, struct val end)
{
	struct val code = val_get(end, STR("exit_code")), status = val_get(end, STR("status"));
	enum truth success;
	int64_t n;

	h->duration_ms = read_duration(r, end);
	read_invocation(r, h, end);
	if (val_i64(code, &n)) {
		reading_take(r, code);
		h->exit_code = FIGURE((uint64_t)n);
		h->is_error = n ? TRUTH_TRUE : TRUTH_FALSE;
	}
	success = reading_truth(r, end, STR("success"));
	if (success == TRUTH_FALSE || val_text_is(status, STR("failed")) || val_text_is(status, STR("declined")))
		h->is_error = TRUTH_TRUE;
	else if (success == TRUTH_TRUE && h->is_error == TRUTH_ABSENT)
		h->is_error = TRUTH_FALSE;
	drop_copies(r, end);
}

/* A call ended: how, and how long it took. */
static void codex_rollout_read_end(const struct line *l)
{
	struct event *e = codex_rollout_add(l, EVENT_NOTE);

	e->role = l->type;
	e->call = reading_text(l->r, l->payload, STR("call_id"));
	reading_take(l->r, val_get(l->payload, STR("type")));
	read_outcome(l->r, codex_hint_add(l->r, e), l->payload);
	reading_rest_under(l->r, e, l->payload, l->type);
}

/* ---- items of a turn, since 0.147 ---- */

/* Those that stand for a call that a response item made, under its id, or for one that such a call made in turn. */
static const struct str ended_items[] = {
	WORD("CommandExecution"), WORD("FileChange"),      WORD("McpToolCall"),         WORD("WebSearch"),
	WORD("ImageView"),        WORD("ImageGeneration"), WORD("DynamicToolCall"),     WORD("CollabAgentToolCall"),
	WORD("Sleep"),            WORD("ToolCall"),        WORD("SubAgentActivity"),
};

/* A text that a response item says too: the parts of a message together, of reasoning the first. */
static uint64_t shown_digest(struct reading *r, struct val item)
{
	struct val thoughts = val_get(item, STR("summary_text"));
	struct buf joined = { 0 };
	uint64_t digest;

	if (val_is(thoughts, JSON_ARRAY) && val_count(thoughts) == 0)
		thoughts = val_get(item, STR("raw_content"));
	VALUES_EACH(text, thoughts) {
		if (val_is(text, JSON_STRING) && joined.n == 0)
			buf_add_str(&joined, val_text(text, r->arena));
	}
	VALUES_EACH(part, val_get(item, STR("content"))) {
		struct val text = val_get(part, STR("text"));

		if (val_is(text, JSON_STRING))
			buf_add_str(&joined, val_text(text, r->arena));
	}
	digest = joined.n ? str_hash(buf_str(&joined)) : 0;
	buf_free(&joined);
	return digest;
}

/* An item that an event of older versions told: the end of a call, or a text as it was shown. */
static void read_completed(const struct line *l)
{
	static const struct str texts[] = { WORD("content"), WORD("summary_text"), WORD("raw_content") };
	struct reading *r = l->r;
	struct val item = val_get(l->payload, STR("item")), kind = val_get(item, STR("type"));
	double begun, over;
	struct codex_hint *h;
	struct event *e;

	if (!val_is(kind, JSON_STRING)) {
		codex_rollout_read_note(l);
		return;
	}
	e = codex_rollout_add(l, EVENT_NOTE);
	h = codex_hint_add(r, e);
	e->role = l->type;
	reading_take(r, val_get(l->payload, STR("type")));
	if (values_is_word(kind, ended_items, COUNT(ended_items))) {
		e->call = reading_text(r, item, STR("id"));
		read_outcome(r, h, item);
		if (val_text_is(kind, STR("McpToolCall"))) {
			h->server = reading_text(r, item, STR("server"));
			h->tool = reading_text(r, item, STR("tool"));
			if (val_is(val_get(item, STR("error")), JSON_OBJECT))
				h->is_error = TRUTH_TRUE;
		}
		if (!amount_is_known(h->duration_ms) && val_double(val_get(l->payload, STR("started_at_ms")), &begun) &&
		    val_double(val_get(l->payload, STR("completed_at_ms")), &over) && over > begun)
			h->duration_ms = AMOUNT(over - begun);
	} else {
		h->digest = shown_digest(r, item);
		h->shown = h->digest != 0;
		for (size_t i = 0; h->shown && i < COUNT(texts); i++)
			if (!e->content.p && val_count(val_get(item, texts[i])))
				e->content = reading_json(r, e, "content", item, texts[i]);
	}
	reading_rest_under(r, e, l->payload, l->type);
}

/* The bytes of a piece of output: base64, or a list of them. */
static bool read_bytes(struct buf *out, struct val chunk, struct arena *a)
{
	int64_t n;

	if (val_is(chunk, JSON_STRING))
		return base64_parse(out, val_text(chunk, a));
	VALUES_EACH(v, chunk) {
		if (!val_i64(v, &n) || n < 0 || n > 255)
			return false;
		buf_add_byte(out, (char)n);
	}
	return val_is(chunk, JSON_ARRAY);
}

/* What a command has printed since the last one. */
static void codex_rollout_read_delta(const struct line *l)
{
	struct val call = val_get(l->payload, STR("call_id"));
	struct codex_hint *h;
	struct buf b = { 0 };

	codex_rollout_read_note(l);
	h = codex_hint_add(l->r, &l->r->events[l->r->count - 1]);
	if (val_is(call, JSON_STRING) && read_bytes(&b, val_get(l->payload, STR("chunk")), l->r->arena)) {
		h->what = CODEX_PIECE;
		h->call = val_text(call, l->r->arena);
		h->text = arena_copy(l->r->arena, buf_str(&b));
	}
	buf_free(&b);
}

/* An ERROR that ends its turn. A text alone is the message; of an object the rest stays with the event. */
static void codex_rollout_add_error(const struct line *l, struct val error, const char *class)
{
	struct reading *r = l->r;
	struct val info = val_get(error, STR("codex_error_info"));
	struct event *e = codex_rollout_add(l, EVENT_ERROR);

	e->class = str_from(class);
	codex_hint_add(r, e)->status = STATUS_ERROR;
	if (val_is(error, JSON_STRING)) {
		e->text = reading_text_of(r, error);
		return;
	}
	e->text = reading_text(r, error, STR("message"));
	if (val_is(info, JSON_STRING))
		e->code = reading_text_of(r, info);
	reading_rest_under(r, e, error, l->type);
}

static void codex_rollout_read_error(const struct line *l)
{
	reading_take(l->r, val_get(l->payload, STR("type")));
	codex_rollout_add_error(l, l->payload, "model");
	if (str_eq(l->type, STR("stream_error"))) {
		struct event *e = &l->r->events[l->r->count - 1];

		e->class = STR("transport");
		e->retryable = TRUTH_TRUE;
		codex_hint_add(l->r, e)->status = STATUS_UNKNOWN; /* it is tried again */
	}
}

/* The turn is over: an ERROR when it failed, and a COST when it says what it used, else a NOTE. */
static void codex_rollout_read_turn_end(const struct line *l)
{
	struct val error = val_get(l->payload, STR("error")), usage = val_get(l->payload, STR("usage"));
	bool failed = val_is(error, JSON_OBJECT) || val_is(error, JSON_STRING);
	struct event *e;

	if (failed)
		codex_rollout_add_error(l, error, "harness");
	if (val_is(usage, JSON_OBJECT)) {
		e = codex_rollout_add(l, EVENT_COST);
		e->scope = STR("turn");
		codex_hint_add(l->r, e)->status = failed ? STATUS_ERROR : STATUS_SUCCESS;
		e->flags = EVENT_TOTAL;
		codex_read_usage(l->r, usage, &e->usage);
		reading_rest(l->r, e, l->payload);
		return;
	}
	codex_rollout_read_note(l);
	codex_hint_add(l->r, &l->r->events[l->r->count - 1])->status = failed ? STATUS_ERROR : STATUS_SUCCESS;
}

static void read_aborted(const struct line *l)
{
	struct reading *r = l->r;
	struct event *e = codex_rollout_add(l, EVENT_ERROR);

	e->class = STR("harness");
	e->code = reading_text(r, l->payload, STR("reason"));
	e->text = STR("the turn was aborted");
	codex_hint_add(r, e)->status = STATUS_INTERRUPTED;
	reading_take(r, val_get(l->payload, STR("type")));
	reading_rest_under(r, e, l->payload, l->type);
}

/* An item of the Responses API, read as such. Its hint is for another fold, so only the digest is taken over. */
static void codex_rollout_read_item(const struct line *l)
{
	struct responses_place place = { .ts = l->ts, .index = -1, .codex = true };
	size_t i = l->r->count;

	responses_read_item(l->r, l->payload, &place);
	for (; i < l->r->count; i++) { /* those who read items speak to another fold */
		struct event *e = &l->r->events[i];
		uint64_t digest = exchange_hint_of(e)->digest;

		e->hint = NULL;
		if (digest)
			codex_hint_add(l->r, e)->digest = digest;
	}
}

/* ---- by type ---- */

struct reader {
	struct str type;
	void (*read)(const struct line *l);
};

static const struct reader events[] = {
	{ WORD("token_count"), read_tokens },
	{ WORD("user_message"), read_shown },
	{ WORD("agent_message"), read_shown },
	{ WORD("agent_reasoning"), read_shown },
	{ WORD("agent_reasoning_raw_content"), read_shown },
	{ WORD("exec_command_output_delta"), codex_rollout_read_delta },
	{ WORD("exec_command_end"), codex_rollout_read_end },
	{ WORD("mcp_tool_call_end"), codex_rollout_read_end },
	{ WORD("patch_apply_end"), codex_rollout_read_end },
	{ WORD("web_search_end"), codex_rollout_read_end },
	{ WORD("image_generation_end"), codex_rollout_read_end },
	{ WORD("view_image_tool_call"), codex_rollout_read_end },
	{ WORD("dynamic_tool_call_response"), codex_rollout_read_end },
	{ WORD("collab_agent_spawn_end"), codex_rollout_read_end },
	{ WORD("collab_agent_interaction_end"), codex_rollout_read_end },
	{ WORD("collab_waiting_end"), codex_rollout_read_end },
	{ WORD("collab_close_end"), codex_rollout_read_end },
	{ WORD("item_completed"), read_completed },
	{ WORD("task_complete"), codex_rollout_read_turn_end },
	{ WORD("turn_complete"), codex_rollout_read_turn_end },
	{ WORD("turn.completed"), codex_rollout_read_turn_end },
	{ WORD("turn_aborted"), read_aborted },
	{ WORD("context_compacted"), read_context_compacted },
	{ WORD("error"), codex_rollout_read_error },
	{ WORD("stream_error"), codex_rollout_read_error },
};

static const struct reader lines[] = {
	{ WORD("session_meta"), read_session },
	{ WORD("response_item"), codex_rollout_read_item },
	{ WORD("turn_context"), read_context },
	{ WORD("token_usage_record"), read_usage_record },
	{ WORD("compacted"), read_compacted },
	{ WORD("world_state"), codex_rollout_read_note },
	{ WORD("inter_agent_communication"), codex_rollout_read_note },
	{ WORD("inter_agent_communication_metadata"), codex_rollout_read_note },
	{ WORD("security_risk_score"), codex_rollout_read_note },
};

/* A type that nobody knows is a note. */
static void (*reader_of(const struct reader *table, size_t count, struct str type))(const struct line *l)
{
	for (size_t i = 0; i < count; i++)
		if (str_eq(table[i].type, type))
			return table[i].read;
	return codex_rollout_read_note;
}

static struct str type_of(struct reading *r, struct val v)
{
	return val_get_text(v, STR("type"), r->arena);
}

/* What the line says besides its payload. */
static void keep_line(const struct line *l, size_t from)
{
	if (l->r->count > from)
		reading_rest(l->r, &l->r->events[from], l->v);
}

static bool is_event_line(struct str type)
{
	return str_eq(type, STR("event_msg"));
}

/* The number of a line that is just its place says nothing more. */
static void take_ordinal(struct reading *r, struct val ordinal)
{
	int64_t n;

	if (val_i64(ordinal, &n) && n >= 0 && (uint64_t)n + 1 == r->line)
		reading_take(r, ordinal);
}

/* {timestamp, type, payload} */
static void read_enveloped(struct reading *r, struct val v)
{
	struct line l = { r, v, val_get(v, STR("payload")), type_of(r, v), reading_time(r, v, STR("timestamp")) };
	bool event = is_event_line(l.type);
	size_t from = r->count;

	reading_take(r, val_get(v, STR("type")));
	take_ordinal(r, val_get(v, STR("ordinal")));
	if (event)
		l.type = type_of(r, l.payload).p ? type_of(r, l.payload) : STR("event");
	if (!val_is(l.payload, JSON_OBJECT))
		codex_rollout_read_note(&l);
	else if (event)
		reader_of(events, COUNT(events), l.type)(&l);
	else
		reader_of(lines, COUNT(lines), l.type)(&l);
	keep_line(&l, from);
}

/* 2025-08: a first line of its own, then bare items and marks of state. */
static void read_bare(struct reading *r, struct val v)
{
	struct line l = { r, v, v, type_of(r, v), reading_time(r, v, STR("timestamp")) };
	struct val state = val_get(v, STR("record_type"));

	if (!l.type.p && val_has(v, STR("id")) && val_has(v, STR("timestamp"))) {
		read_session(&l);
		return;
	}
	if (!l.type.p)
		l.type = val_is(state, JSON_STRING) ? val_text(state, r->arena) : STR("line");
	if (responses_is_item(v))
		codex_rollout_read_item(&l);
	else
		codex_rollout_read_note(&l);
}

void codex_rollout_read(struct reading *r, struct val v)
{
	if (val_has(v, STR("payload")) && val_has(v, STR("type")))
		read_enveloped(r, v);
	else
		read_bare(r, v);
}

/* The envelope and a type that we know are sure. Bare lines of 2025-08 have less to tell. */
int codex_rollout_fits(struct val v)
{
	struct val type = val_get(v, STR("type")), state = val_get(v, STR("record_type"));

	if (val_is(type, JSON_STRING) && val_has(v, STR("timestamp")) &&
	    val_is(val_get(v, STR("payload")), JSON_OBJECT)) {
		if (val_text_is(type, STR("event_msg")))
			return 95;
		for (size_t i = 0; i < COUNT(lines); i++)
			if (val_text_is(type, lines[i].type))
				return 95;
		return 0;
	}
	if (val_is_none(type) && val_is(val_get(v, STR("id")), JSON_STRING) &&
	    val_is(val_get(v, STR("timestamp")), JSON_STRING) && val_has(v, STR("instructions")) &&
	    !val_has(v, STR("model")))
		return 80;
	return val_text_is(state, STR("state")) ? 70 : 0;
}
