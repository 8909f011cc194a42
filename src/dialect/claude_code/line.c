/*
 * Reads one line of a Claude Code log, of a session file or of stream-json, into events and the hints that its fold
 * needs.
 */
#include "dialect/anthropic/stream.h"
#include "dialect/claude_code/claude_code.h"
#include "dialect/claude_code/own.h"
#include "dialect/reading/billing.h"
#include "dialect/record/field.h"
#include "dialect/session/compaction.h"
#include "model/words.h"

/* A line while it is read. */
struct line {
	struct val v;      /* the line */
	struct val body;   /* where type and message are: the line, or the message inside a progress line */
	bool session;      /* of a session file; otherwise of a stream */
	bool own;          /* it was written here: see own.h */
	size_t first;      /* its first event */
	struct blocks_origin origin;
};

static bool claude_code_line_is_true(struct val object, struct str name)
{
	return val_is(val_get(object, name), JSON_TRUE);
}

/* The hint of an event, to be filled in. */
static struct claude_code_hint *line_add_hint(struct reading *r, struct event *e)
{
	struct claude_code_hint *h = arena_new(r->arena, struct claude_code_hint);

	if (e->hint)
		*h = *(const struct claude_code_hint *)e->hint;
	e->hint = h;
	return h;
}

/* ---- assistant ---- */

/* What was not said by a model: a message of the program about an error. */
static bool is_made_up(const struct line *l, struct val message)
{
	return val_text_is(val_get(message, STR("model")), STR("<synthetic>")) ||
	       claude_code_line_is_true(l->body, STR("isApiErrorMessage"));
}

/* Members that are the same in every message, and so say nothing. */
static void take_usual(struct reading *r, struct val message)
{
	if (val_text_is(reading_get(r, message, STR("type")), STR("message")))
		reading_take(r, reading_get(r, message, STR("type")));
	reading_take(r, reading_get(r, message, STR("role")));
}

/* The prompts of calls, by which the fold finds the sub-agents they start. */
static void note_prompts(struct reading *r, size_t first, struct val content)
{
	size_t at = first;

	VALUES_EACH(block, content) {
		struct val prompt = val_get(val_get(block, STR("input")), STR("prompt"));

		if (blocks_kind_of(block) != BLOCKS_CALL)
			continue;
		while (at < r->count && r->events[at].kind != EVENT_CALL)
			at++;
		if (at == r->count)
			return;
		if (val_is(prompt, JSON_STRING))
			line_add_hint(r, &r->events[at])->prompt = val_text(prompt, r->arena);
		at++;
	}
}

/* A message that the program made up to say that a request failed: an ERROR, and no step. */
static void read_error_message(struct reading *r, struct line *l, struct val message)
{
	struct event *e = blocks_add(r, &l->origin, EVENT_ERROR);

	e->class = STR("model");
	e->code = reading_text(r, l->body, STR("error"));
	take_usual(r, message);
	blocks_read_answer(r, &l->origin, l->first, reading_get(r, message, STR("content")));
	reading_rest(r, &r->events[l->first], l->v);
}

/* The first event of a kind from `first` on; r->count when there is none. */
static size_t claude_code_line_find_kind(const struct reading *r, size_t first, enum event_kind kind)
{
	while (first < r->count && r->events[first].kind != kind)
		first++;
	return first;
}

/*
 * A line of the model: a block, or all, of an answer, by the answer's id. Figures of the output are estimates, since
 * a line is written before the answer is complete.
 */
static void claude_code_line_read_assistant(struct reading *r, struct line *l)
{
	struct val message = reading_get(r, l->body, STR("message"));
	struct event *e;
	size_t call;
	double usd;

	if (is_made_up(l, message)) {
		read_error_message(r, l, message);
		return;
	}
	e = blocks_add(r, &l->origin, EVENT_STEP);
	e->step = text_or_none(reading_text(r, message, STR("id")));
	e->flags |= e->step.p ? EVENT_PIECE : 0;
	e->response_id = e->step;
	e->model = reading_text(r, message, STR("model"));
	e->provider = STR("anthropic");
	e->request_id = reading_text(r, l->body, STR("requestId"));
	e->stop_reason = reading_text(r, message, STR("stop_reason"));
	blocks_read_usage(r, reading_get(r, message, STR("usage")), &e->usage);
	billing_read(r, e, message, reading_get(r, message, STR("usage")));
	if (val_double(val_get(l->body, STR("costUSD")), &usd) && usd >= 0)
		e->usd = AMOUNT(usd); /* of sessions before 2026; it stays in the rest */
	e->usage.output.source = FIGURE_ESTIMATED; /* written down before the answer was complete */
	e->usage.reasoning.source = FIGURE_ESTIMATED;
	l->origin.step = e->step;
	take_usual(r, message);
	blocks_read_answer(r, &l->origin, l->first, reading_get(r, message, STR("content")));
	note_prompts(r, l->first, reading_get(r, message, STR("content")));
	e = &r->events[l->first];
	call = claude_code_line_find_kind(r, l->first, EVENT_CALL);
	if (call < r->count && !e->stop_reason.p && !l->own)
		e->stop_reason = STR("tool_use");
	reading_rest(r, call < r->count && !e->text.p && !e->reasoning.p ? &r->events[call] : e, l->v);
	blocks_read_compaction(r, &l->origin, message);
}

/* ---- user ---- */

/* What the program put there, not the user. */
static const struct {
	struct str name, role;
} not_prompts[] = {
	{ WORD("isCompactSummary"), WORD("compact_summary") },
	{ WORD("isMeta"), WORD("meta") },
	{ WORD("isVisibleInTranscriptOnly"), WORD("transcript_only") },
	{ WORD("isSynthetic"), WORD("synthetic") },
};

/* The same by how its text begins. */
static const struct {
	struct str text, role;
} not_typed[] = {
	{ WORD("<task-notification>"), WORD("task_notification") },
	{ WORD("<command-name>"), WORD("local_command") }, /* one that is a prompt begins with <command-message> */
	{ WORD("<local-command-stdout>"), WORD("local_command_output") },
	{ WORD("<local-command-stderr>"), WORD("local_command_output") },
	{ WORD("<bash-stdout>"), WORD("local_command_output") },
	{ WORD("[Request interrupted by user"), WORD(CLAUDE_CODE_STOPPED) },
};

/* The text of a message: all of it, or of its first block. */
static struct str prompt_of(struct reading *r, struct val content)
{
	if (val_is(content, JSON_ARRAY))
		content = val_get(values_first(content), STR("text"));
	return val_text_or_none(content, r->arena);
}

/*
 * The role of the note that it is, or p NULL for a prompt. What the line says of itself goes before what its text
 * looks like.
 */
static struct str find_not_prompt(struct reading *r, struct val v, struct val content)
{
	struct str text = val_is(content, JSON_STRING) || val_count(content) == 1 ? prompt_of(r, content) : STR("");

	for (size_t i = 0; i < COUNT(not_prompts); i++)
		if (claude_code_line_is_true(v, not_prompts[i].name))
			return not_prompts[i].role;
	for (size_t i = 0; i < COUNT(not_typed); i++)
		if (str_starts(text, not_typed[i].text))
			return not_typed[i].role;
	return str_of(NULL, 0);
}

/* What the program kept of a result, beside what the model was shown. */
static void read_tool_result(struct reading *r, struct line *l, struct event *e)
{
	struct val result = reading_get(r, l->body, l->session ? STR("toolUseResult") : STR("tool_use_result"));
	static const struct {
		struct str name;
		double scale;
	} times[] = { { WORD("durationMs"), 1 }, { WORD("totalDurationMs"), 1 }, { WORD("durationSeconds"), 1000 } };
	struct val agent = reading_get(r, result, STR("agentId"));

	if (val_is(agent, JSON_STRING))
		line_add_hint(r, e)->agent = val_text(agent, r->arena);
	for (size_t i = 0; i < COUNT(times) && !amount_is_known(e->duration_ms); i++)
		e->duration_ms = reading_amount(r, result, times[i].name, times[i].scale);
	if (e->is_error == TRUTH_ABSENT && val_is(result, JSON_STRING) && str_starts(val_raw(result), STR("Error:")))
		e->is_error = TRUTH_TRUE;
}

/* The interruption behind the results of what it interrupted, in one line with them. */
static void read_stop_behind(struct reading *r, const struct line *l, struct val content)
{
	struct val_iter it = val_begin(content);
	struct event *last = &r->events[r->count - 1]; /* there is one for every content */
	struct val block = VAL_NONE, text;

	while (val_is(content, JSON_ARRAY) && val_next(&it, &block))
		;
	text = val_get(block, STR("text"));
	if (r->count < l->first + 2 || last->kind != EVENT_MESSAGE || !val_is(text, JSON_STRING) ||
	    !str_starts(val_text(text, r->arena), STR("[Request interrupted by user")))
		return;
	last->kind = EVENT_NOTE;
	last->role = STR(CLAUDE_CODE_STOPPED);
}

/* A line of the user: results, a prompt, or what the program put there itself. */
static void read_user(struct reading *r, struct line *l)
{
	struct val message = reading_get(r, l->body, STR("message")), content = reading_get(r, message, STR("content"));
	struct str role = reading_text(r, message, STR("role")), other;
	size_t result;

	if (val_is(message, JSON_STRING))
		content = message;
	other = find_not_prompt(r, l->body, content);
	blocks_read_given(r, &l->origin, role.p ? role : STR("user"), content);
	read_stop_behind(r, l, content);
	result = claude_code_line_find_kind(r, l->first, EVENT_RESULT);
	if (result < r->count)
		read_tool_result(r, l, &r->events[result]);
	for (size_t i = l->first; i < r->count; i++) {
		struct event *e = &r->events[i];

		if (e->kind != EVENT_MESSAGE)
			continue;
		if (other.p) {
			e->kind = EVENT_NOTE;
			e->role = other;
		} else if (e->branch.p) {
			line_add_hint(r, e)->prompt = prompt_of(r, content);
		}
	}
	reading_rest(r, &r->events[result < r->count ? result : l->first], l->v);
	if (claude_code_line_is_true(l->body, STR("isCompactSummary"))) /* where no line before says so */
		compaction_add(r, &r->events[l->first], (struct compaction){ .calls = NULL });
}

/* ---- everything else ---- */

/* What a note is about: the member that says most. */
static const struct {
	struct str type, member;
} notes[] = {
	{ WORD("system"), WORD("content") },
	{ WORD("progress"), WORD("data") },
	{ WORD("attachment"), WORD("attachment") },
	{ WORD("summary"), WORD("summary") },
	{ WORD("file-history-snapshot"), WORD("snapshot") },
	{ WORD("queue-operation"), WORD("content") },
	{ WORD("ai-title"), WORD("aiTitle") },
	{ WORD("last-prompt"), WORD("lastPrompt") },
	{ WORD("pr-link"), WORD("prUrl") },
	{ WORD("control_request"), WORD("request") },
	{ WORD("control_response"), WORD("response") },
	{ WORD("rate_limit_event"), WORD("rate_limit_info") },
};

struct str claude_code_note_member(struct str type)
{
	for (size_t i = 0; i < COUNT(notes); i++)
		if (str_eq(notes[i].type, type))
			return notes[i].member;
	return str_of(NULL, 0);
}

bool claude_code_is_user_note(struct str role)
{
	for (size_t i = 0; i < COUNT(not_prompts); i++)
		if (str_eq(not_prompts[i].role, role))
			return true;
	for (size_t i = 0; i < COUNT(not_typed); i++)
		if (str_eq(not_typed[i].role, role))
			return true;
	return false;
}

/* Its role is the subtype, the kind of progress or the type, the first that is there. */
static void claude_code_line_read_note(struct reading *r, struct line *l)
{
	struct event *e = blocks_add(r, &l->origin, EVENT_NOTE);
	struct val type = reading_get(r, l->v, STR("type"));
	struct val kind = val_get(val_get(l->v, STR("data")), STR("type")); /* of progress */
	struct str subtype = reading_text(r, l->v, STR("subtype"));

	e->role = val_is(type, JSON_STRING) ? val_text(type, r->arena) : STR("unknown");
	e->content = val_is(l->v, JSON_OBJECT) ? STR("null") : reading_json_of(r, e, "content", l->v);
	for (size_t i = 0; i < COUNT(notes); i++) {
		struct val member = reading_get(r, l->v, notes[i].member);

		if (str_eq(e->role, notes[i].type) && !val_is_none(member))
			e->content = reading_json_of(r, e, "content", member);
	}
	if (subtype.n)
		e->role = subtype;
	else if (val_is(kind, JSON_STRING))
		e->role = val_text(kind, r->arena);
	reading_rest(r, e, l->v);
}

/* An attempt that failed and is made again. */
static void read_retry(struct reading *r, struct line *l)
{
	struct event *e = blocks_add(r, &l->origin, EVENT_ERROR);
	struct val error = reading_get(r, l->v, STR("error"));

	e->class = STR("model");
	e->code = reading_text(r, error, STR("status"));
	if (!e->code.p)
		e->code = STR("api_error");
	e->text = val_is(error, JSON_STRING) ? reading_text_of(r, error) : reading_text(r, error, STR("message"));
	e->retryable = TRUTH_TRUE;
	reading_rest(r, e, l->v);
}

/* The first line of a stream, which says what a session's lines each say. */
static void read_init(struct reading *r, struct line *l)
{
	struct event *e = blocks_add(r, &l->origin, EVENT_RUN_START);

	e->run = reading_text(r, l->v, STR("session_id"));
	e->agent = STR("claude-code");
	e->agent_version = reading_text(r, l->v, STR("claude_code_version"));
	e->framework = STR("claude_code");
	e->model = reading_text(r, l->v, STR("model"));
	e->tools = reading_json(r, e, "tools", l->v, STR("tools"));
	reading_take(r, reading_get(r, l->v, STR("subtype")));
	reading_rest(r, e, l->v);
}

static struct figure claude_code_line_count_of(struct val object, struct str name)
{
	int64_t n;

	if (!val_i64(val_get(object, name), &n) || n < 0)
		return (struct figure){ .state = FIGURE_ABSENT };
	return FIGURE((uint64_t)n);
}

static struct figure claude_code_line_either_count(struct val object, struct str one, struct str other)
{
	struct figure f = claude_code_line_count_of(object, one);

	return figure_is_known(f) ? f : claude_code_line_count_of(object, other);
}

/* The first of the two names that the object has: sessions and streams spell it in two ways. */
static struct val either(struct val object, struct str one, struct str other)
{
	struct val v = val_get(object, one);

	return val_is_none(v) ? val_get(object, other) : v;
}

/*
 * The context was made smaller: all of it (compact_boundary), or some results were taken out by their calls
 * (microcompact_boundary). The figures stay where they are, in the note of the line.
 */
static void note_compaction(struct reading *r, struct line *l, bool micro)
{
	struct val said = micro ? either(l->v, STR("microcompactMetadata"), STR("microcompact_metadata")) :
				  either(l->v, STR("compactMetadata"), STR("compact_metadata"));
	struct val ids = either(said, STR("compactedToolIds"), STR("compacted_tool_ids"));
	struct compaction c = {
		.trigger = reading_peek(r, said, STR("trigger")),
		.before = claude_code_line_either_count(said, STR("preTokens"), STR("pre_tokens")),
		.after = claude_code_line_either_count(said, STR("postTokens"), STR("post_tokens")),
		.messages = claude_code_line_either_count(said, STR("messagesSummarized"), STR("messages_summarized")),
	};
	struct figure saved = claude_code_line_either_count(said, STR("tokensSaved"), STR("tokens_saved"));

	if (micro)
		c.calls = compaction_calls(r, ids, &c.call_count);
	if (micro && !figure_is_known(c.after) && figure_is_known(c.before) && figure_is_known(saved) &&
	    saved.n <= c.before.n)
		c.after = FIGURE(c.before.n - saved.n);
	compaction_add(r, &r->events[l->first], c);
}

static void claude_code_line_read_system(struct reading *r, struct line *l)
{
	struct val subtype = reading_get(r, l->v, STR("subtype"));

	if (val_text_is(subtype, STR("init")) && !l->session)
		read_init(r, l);
	else if (val_text_is(subtype, STR("api_error")) || val_text_is(subtype, STR("api_retry")))
		read_retry(r, l);
	else
		claude_code_line_read_note(r, l);
	if (val_text_is(subtype, STR("compact_boundary")) || val_text_is(subtype, STR("microcompact_boundary")))
		note_compaction(r, l, val_text_is(subtype, STR("microcompact_boundary")));
}

/* ---- result ---- */

/* A COST for each model, sub-agents included. They stay in the rest, which has more of them. */
static void add_models(struct reading *r, struct line *l)
{
	struct val models = reading_get(r, l->v, STR("modelUsage")), name, figures;
	struct val_iter it = val_begin(models);

	while (val_is(models, JSON_OBJECT) && val_next_member(&it, &name, &figures)) {
		struct usage u = {
			.input = claude_code_line_count_of(figures, STR("inputTokens")),
			.output = claude_code_line_count_of(figures, STR("outputTokens")),
			.cache_read = claude_code_line_count_of(figures, STR("cacheReadInputTokens")),
			.cache_write = claude_code_line_count_of(figures, STR("cacheCreationInputTokens")),
			.cache_write_1h =
				claude_code_line_count_of(figures, STR("cacheCreationEphemeral1hInputTokens")),
			.reasoning = claude_code_line_count_of(figures, STR("thinkingTokens")),
		};
		struct event *e;
		double usd;

		if (figure_is_known(u.input))
			u.input.n += u.cache_read.n + u.cache_write.n;
		if (!usage_is_known(&u))
			continue;
		e = blocks_add(r, &l->origin, EVENT_COST);
		line_add_hint(r, e)->by_model = true;
		e->model = val_text(name, r->arena);
		e->usage = u;
		if (val_double(val_get(figures, STR("costUSD")), &usd) && usd >= 0)
			e->usd = AMOUNT(usd);
	}
}

/* An ERROR for each call that was not allowed, with the call's id. */
static void add_denials(struct reading *r, struct line *l)
{
	struct val list = reading_get(r, l->v, STR("permission_denials"));

	VALUES_EACH(denial, list) {
		struct event *e = blocks_add(r, &l->origin, EVENT_ERROR);

		e->class = STR("harness");
		e->code = STR("permission_denied");
		e->text = STR("a call was not allowed");
		e->call = reading_text(r, denial, STR("tool_use_id"));
		reading_rest(r, e, denial);
	}
}

/*
 * The COST of the main line, one for each model, what was denied, and RUN_END, in this order: the last has the rest of
 * the line.
 */
static void claude_code_line_read_result(struct reading *r, struct line *l)
{
	struct event *e = blocks_add(r, &l->origin, EVENT_COST);
	enum truth bad;
	double ms;

	e->scope = STR("run");
	blocks_read_usage(r, reading_get(r, l->v, STR("usage")), &e->usage);
	e->usd = reading_amount(r, l->v, STR("total_cost_usd"), 1);
	if (val_double(val_get(l->v, STR("duration_api_ms")), &ms) && ms >= 0)
		e->latency_ms = AMOUNT(ms); /* it stays in the rest */
	add_models(r, l);
	add_denials(r, l);
	e = blocks_add(r, &l->origin, EVENT_RUN_END);
	bad = reading_truth(r, l->v, STR("is_error"));
	e->reason = reading_text(r, l->v, STR("subtype"));
	e->status = words_fold_status(e->reason);
	if (bad == TRUTH_TRUE)
		e->status = STATUS_ERROR;
	else if (bad == TRUTH_FALSE && e->status != STATUS_INTERRUPTED && !str_starts(e->reason, STR("error")))
		e->status = STATUS_SUCCESS;
	e->output = reading_json(r, e, "output", l->v, STR("result"));
	reading_rest(r, e, l->v);
}

/* ---- lines inside lines ---- */

/* An event of the service's stream, told again by the lines that follow: used when those do not come. */
static void read_stream_event(struct reading *r, struct line *l)
{
	struct blocks_origin pieces = l->origin;

	pieces.flags |= EVENT_FALLBACK;
	if (!anthropic_stream_read(r, &pieces, reading_get(r, l->v, STR("event")))) {
		claude_code_line_read_note(r, l);
		return;
	}
	for (size_t i = l->first; i < r->count; i++)
		r->events[i].flags &= ~(unsigned)EVENT_LAST; /* the line with the whole may still come */
	if (r->count > l->first)
		reading_rest_under(r, &r->events[l->first], l->v, STR("stream_event"));
	else
		reading_drop(r, l->v); /* a sign of life */
}

/* What a command has printed while it runs. */
static void note_output(struct reading *r, const struct line *l, struct val data)
{
	struct val call = val_get(l->v, STR("parentToolUseID")), all = val_get(data, STR("fullOutput"));
	struct claude_code_hint *h;

	if (!val_is(call, JSON_STRING) || !val_is(all, JSON_STRING))
		return;
	h = line_add_hint(r, &r->events[l->first]);
	h->printing = val_text(call, r->arena);
	h->printed = val_text(all, r->arena);
}

/* A line of a sub-agent inside another line, or what a command prints. */
static void read_progress(struct reading *r, struct line *l)
{
	struct val data = reading_get(r, l->v, STR("data")), inner = reading_get(r, data, STR("message"));
	struct val inside = reading_get(r, inner, STR("message"));
	struct moment ts;

	if (!val_text_is(reading_get(r, data, STR("type")), STR("agent_progress")) || !val_is(inside, JSON_OBJECT)) {
		claude_code_line_read_note(r, l);
		note_output(r, l, data);
		return;
	}
	l->body = inner;
	l->origin.parent = reading_text(r, l->v, STR("parentToolUseID"));
	l->origin.branch = reading_text(r, data, STR("agentId"));
	if (!l->origin.branch.p)
		l->origin.branch = l->origin.parent;
	ts = reading_time(r, inner, STR("timestamp"));
	if (ts.text.p)
		l->origin.ts = ts;
	if (val_text_is(reading_get(r, inner, STR("type")), STR("assistant")))
		claude_code_line_read_assistant(r, l);
	else
		read_user(r, l);
}

/* ---- a line ---- */

static const struct {
	struct str type;
	void (*read)(struct reading *r, struct line *l);
} kinds[] = {
	{ WORD("assistant"), claude_code_line_read_assistant },
	{ WORD("user"), read_user },
	{ WORD("progress"), read_progress },
	{ WORD("system"), claude_code_line_read_system },
	{ WORD("result"), claude_code_line_read_result },
	{ WORD("stream_event"), read_stream_event },
};

/* Whether it is of a session file. */
static bool is_session(struct val v)
{
	static const struct str session[] = { WORD("sessionId"), WORD("leafUuid"), WORD("isSidechain"),
					      WORD("snapshot") };

	return values_count_names(v, session, COUNT(session)) > 0;
}

/* Which agent a line is of: the main one has no branch. */
static void find_branch(struct reading *r, struct line *l)
{
	struct blocks_origin *o = &l->origin;

	if (!l->session) {
		o->branch = o->parent = reading_text(r, l->v, STR("parent_tool_use_id"));
		return;
	}
	o->branch = reading_text(r, l->v, STR("agentId"));
	if (!o->branch.p && claude_code_line_is_true(l->v, STR("isSidechain")))
		o->branch = STR(CLAUDE_CODE_SIDECHAIN);
}

/* What the fold needs to know of a line, in each of its events. */
static void finish_line(struct reading *r, const struct line *l)
{
	struct val uuid = val_get(l->body, STR("uuid")), version = val_get(l->v, STR("version"));
	struct val before = val_get(l->v, STR("parentUuid")), message = val_get(l->body, STR("message"));
	uint64_t digest = val_is_none(message) ? 0 : str_hash(val_source(message));
	struct str run = l->session ? reading_text(r, l->v, STR("sessionId")) : str_of(NULL, 0);

	if (!l->session && val_is(val_get(l->v, STR("session_id")), JSON_STRING))
		run = val_text(val_get(l->v, STR("session_id")), r->arena);
	for (size_t i = l->first; i < r->count; i++) {
		struct event *e = &r->events[i];
		struct claude_code_hint *h = line_add_hint(r, e);

		h->session = l->session;
		h->own = l->own;
		h->run = run;
		if (e->kind == EVENT_RUN_START)
			e->run = run;
		if (val_is(version, JSON_STRING))
			h->version = val_text(version, r->arena);
		if (val_is(before, JSON_STRING) && str_eq(e->branch, STR(CLAUDE_CODE_SIDECHAIN)))
			h->before = val_text(before, r->arena);
		h->line = val_is(uuid, JSON_STRING) ? str_hash(val_raw(uuid)) | 1 : 0;
		h->message = digest;
		h->place = (uint32_t)(i - l->first);
	}
}

/* One line by its type; what nobody knows is a NOTE. Each of its events gets the hints of the line. */
static void claude_code_line_read_line(struct reading *r, struct val v)
{
	struct line l = { .v = v, .body = v, .session = is_session(v), .first = r->count };
	struct val type = reading_take(r, reading_get(r, v, STR("type")));
	struct val own = reading_get(r, v, STR(CLAUDE_CODE_OWN));
	size_t i = 0;

	l.own = l.session && val_is(own, JSON_OBJECT);
	if (l.own)
		reading_take(r, own);
	l.origin.ts = reading_time(r, v, STR("timestamp"));
	find_branch(r, &l);
	while (i < COUNT(kinds) && !val_text_is(type, kinds[i].type))
		i++;
	if (i < COUNT(kinds))
		kinds[i].read(r, &l);
	else
		claude_code_line_read_note(r, &l);
	if (l.own)
		claude_code_own_read(r, l.first, own);
	finish_line(r, &l);
}

/* A line as it is, or with what a capture put around it. */
static void read_captured(struct reading *r, struct val v)
{
	struct val inside = reading_get(r, v, STR("message"));
	size_t at = r->count;

	if (val_has(v, STR("type")) || !val_has(inside, STR("type"))) {
		claude_code_line_read_line(r, v);
		return;
	}
	claude_code_line_read_line(r, inside);
	if (r->count > at)
		reading_rest_under(r, &r->events[at], v, STR("envelope"));
}

/* A capture of both directions is an object with a list of lines; what stands beside the list is a NOTE behind them. */
void claude_code_read(struct reading *r, struct val v)
{
	struct val list = val_is(v, JSON_ARRAY) ? v : reading_get(r, v, STR("messages"));
	struct event *e;

	if (val_has(v, STR("type")) || !val_is(list, JSON_ARRAY)) {
		read_captured(r, v);
		return;
	}
	VALUES_EACH(one, list)
		read_captured(r, one);
	if (val_is(v, JSON_ARRAY))
		return;
	e = reading_add(r, EVENT_NOTE);
	e->role = STR("capture");
	e->content = STR("null");
	reading_rest(r, e, v);
}
