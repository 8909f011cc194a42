/* Lines that cursor-agent prints: what was asked, thought and said, calls as they begin and end, and the result. */
#include "dialect/anthropic/blocks.h"
#include "dialect/cursor/cursor.h"
#include "dialect/record/field.h"
#include "model/words.h"

/* A line while it is read. */
struct stream_line {
	struct reading *r;
	struct val v;
	struct moment ts;
	struct cursor_hint *hint;
};

static struct event *cursor_stream_add(const struct stream_line *l, enum event_kind kind)
{
	struct event *e = reading_add(l->r, kind);

	e->ts = l->ts;
	e->hint = l->hint;
	return e;
}

/* ---- what was said ---- */

static void cursor_stream_read_init(struct stream_line *l)
{
	struct event *e = cursor_stream_add(l, EVENT_RUN_START);

	e->run = l->hint->session;
	e->agent = STR("cursor-agent");
	e->framework = STR("cursor_sdk");
	e->model = reading_text(l->r, l->v, STR("model"));
}

static void cursor_stream_read_user(struct stream_line *l)
{
	struct val message = val_get(l->v, STR("message"));
	struct event *e = cursor_stream_add(l, EVENT_MESSAGE);

	e->role = reading_text(l->r, message, STR("role"));
	if (!e->role.n)
		e->role = STR("user");
	e->content = reading_json(l->r, e, "content", message, STR("content"));
	if (!e->content.p)
		e->content = STR("null");
}

static void cursor_stream_read_thought(struct stream_line *l)
{
	struct event *e;

	if (!val_is(val_get(l->v, STR("text")), JSON_STRING)) {
		reading_take(l->r, l->v); /* that it is over is seen by what follows */
		return;
	}
	e = cursor_stream_add(l, EVENT_STEP);
	l->hint->what = CURSOR_THOUGHT;
	e->flags = EVENT_PIECE;
	e->reasoning = reading_text(l->r, l->v, STR("text"));
}

/*
 * A line with a time and no answer's name is a piece, which a line of the whole text follows. The last answer has
 * neither time nor name.
 */
static void cursor_stream_read_said(struct stream_line *l)
{
	struct reading *r = l->r;
	struct val message = val_get(l->v, STR("message"));
	struct blocks_origin origin = { .ts = l->ts };
	size_t at = r->count;
	struct event *e = cursor_stream_add(l, EVENT_STEP);

	e->flags = EVENT_PIECE;
	e->step = origin.step = text_or_none(reading_text(r, l->v, STR("model_call_id")));
	if (l->ts.text.p && !e->step.p)
		l->hint->what = CURSOR_TOKEN;
	reading_take(r, val_get(message, STR("role")));
	blocks_read_answer(r, &origin, at, val_get(message, STR("content")));
	for (size_t i = at + 1; i < r->count; i++)
		r->events[i].hint = l->hint;
}

/* ---- calls ---- */

/* The member that is the call: "shellToolCall", or "function"; others may stand beside it. VAL_NONE without one. */
static struct val find_call(struct val calls, struct val *name)
{
	struct val_iter it = val_begin(calls);
	struct val v;

	*name = VAL_NONE;
	while (val_is(calls, JSON_OBJECT) && val_next_member(&it, name, &v))
		if (val_is(v, JSON_OBJECT) && (str_ends(val_raw(*name), STR("ToolCall")) ||
					       val_text_is(*name, STR("function"))))
			return v;
	return VAL_NONE;
}

/* What is the agent's own: the call's id once more, and what it made of a command line. */
static const struct str cursor_stream_noise[] = { WORD("toolCallId"), WORD("parsingResult") };

/* A tool of an MCP server: its name, server and arguments stand among the arguments. */
static void read_mcp(struct reading *r, struct event *e, struct val args)
{
	struct val inner = val_get_either(args, STR("args"), STR("arguments"));
	struct str name = reading_text(r, args, STR("toolName"));

	e->tool = name.n ? name : reading_text(r, args, STR("name"));
	e->server = text_or_none(reading_text(r, args, STR("providerIdentifier")));
	if (!e->server.p)
		e->server = text_or_none(reading_text(r, args, STR("server")));
	e->args = val_is_none(inner) ? STR("{}") : reading_json_of(r, e, "args", inner);
}

/* Of a call that somebody shortened all that is left are its arguments. */
static void read_tool(struct reading *r, struct event *e, struct val name, struct val call, struct val calls)
{
	struct val args = val_get(call, STR("args")), text = val_get(call, STR("arguments"));
	struct str key = val_is_none(call) ? STR("unknown") : val_text(name, r->arena);

	if (str_ends(key, STR("ToolCall")))
		key.n -= STR("ToolCall").n;
	e->tool = key.n ? key : STR("unknown");
	if (val_is(text, JSON_STRING))
		e->args_text = reading_text_of(r, text);
	else if (!val_is_none(text))
		e->args = reading_json_of(r, e, "args", text);
	else if (str_eq(key, STR("mcp")) && val_is(args, JSON_OBJECT))
		read_mcp(r, e, args);
	else if (!val_is_none(args))
		e->args = reading_json_without(r, e, "args", args, cursor_stream_noise, COUNT(cursor_stream_noise));
	else if (val_is_none(call) && val_is(calls, JSON_OBJECT))
		e->args = reading_json_of(r, e, "args", calls);
	else
		e->args = STR("{}");
	if (str_eq(key, STR("function")) && reading_text(r, call, STR("name")).n)
		e->tool = reading_text(r, call, STR("name"));
	if (!e->tool.n)
		e->tool = STR("unknown");
}

/* How a call ended, by the name of what it gave. Every other name is a way to fail. */
static const struct str cursor_stream_good[] = {
	WORD("success"),    WORD("complete"), WORD("completed"),
	WORD("registered"), WORD("approved"), WORD("backgrounded"),
};

/* The member of a result that tells how it ended: the first that is an object. */
static struct val find_outcome(struct val result, struct val *name)
{
	struct val_iter it = val_begin(result);
	struct val v;

	while (val_is(result, JSON_OBJECT) && val_next_member(&it, name, &v))
		if (val_is(v, JSON_OBJECT))
			return v;
	return VAL_NONE;
}

static void cursor_stream_read_result(struct stream_line *l, struct str id, struct val call, struct val calls)
{
	struct reading *r = l->r;
	struct event *e = cursor_stream_add(l, EVENT_RESULT);
	struct val result = val_get(call, STR("result")), name = VAL_NONE, outcome = find_outcome(result, &name);
	struct val code = val_get(outcome, STR("exitCode"));
	double ms;
	int64_t n;

	e->call = id;
	if (val_is_none(call))
		result = calls;
	if (val_is_none(outcome)) {
		e->content = val_is_none(result) ? STR("null") : reading_json_of(r, e, "result", result);
		return;
	}
	e->is_error = values_is_word(name, cursor_stream_good, COUNT(cursor_stream_good)) &&
				      !val_is(val_get(outcome, STR("isError")), JSON_TRUE)
			      ? TRUTH_FALSE
			      : TRUTH_TRUE;
	if (!val_text_is(name, STR("success")))
		reading_extra(r, e, STR("outcome"), reading_quote(r, val_text(name, r->arena)));
	if (val_i64(code, &n))
		e->exit_code = FIGURE((uint64_t)n);
	if (val_double(val_get(outcome, STR("executionTime")), &ms) && ms >= 0)
		e->duration_ms = AMOUNT(ms);
	e->content = reading_json_of(r, e, "result", outcome);
}

/* A call is told when it begins and again, whole, with its result. */
static void cursor_stream_read_call(struct stream_line *l)
{
	struct reading *r = l->r;
	struct val name, calls = val_get(l->v, STR("tool_call")), call = find_call(calls, &name);
	bool over = val_text_is(val_get(l->v, STR("subtype")), STR("completed"));
	struct event *e = cursor_stream_add(l, EVENT_CALL);
	struct str id = text_or_none(reading_text(r, l->v, STR("call_id")));
	struct cursor_hint *again;

	e->call = id;
	e->step = text_or_none(reading_text(r, l->v, STR("model_call_id")));
	read_tool(r, e, name, call, calls);
	if (!over)
		return;
	again = arena_new(r->arena, struct cursor_hint);
	*again = *l->hint;
	again->what = CURSOR_AGAIN;
	e->hint = again;
	cursor_stream_read_result(l, id, call, calls);
}

/* ---- the end, and the rest ---- */

/* The cache is counted beside the input. */
static struct usage read_usage(struct reading *r, struct val usage)
{
	struct usage u = {
		.input = reading_count(r, usage, STR("inputTokens")),
		.output = reading_count(r, usage, STR("outputTokens")),
		.cache_read = reading_count(r, usage, STR("cacheReadTokens")),
		.cache_write = reading_count(r, usage, STR("cacheWriteTokens")),
	};

	if (figure_is_known(u.input))
		u.input.n += u.cache_read.n + u.cache_write.n;
	return u;
}

static void cursor_stream_read_end(struct stream_line *l)
{
	struct reading *r = l->r;
	struct usage usage = read_usage(r, val_get(l->v, STR("usage")));
	enum truth bad = reading_truth(r, l->v, STR("is_error"));
	struct event *e;

	if (usage_is_known(&usage)) { /* older builds tell none */
		e = cursor_stream_add(l, EVENT_COST);
		e->scope = STR("run");
		e->usage = usage;
		e->latency_ms = reading_amount(r, l->v, STR("duration_api_ms"), 1);
	}
	e = cursor_stream_add(l, EVENT_RUN_END);
	e->reason = reading_text(r, l->v, STR("subtype"));
	e->status = words_fold_status(e->reason);
	if (bad == TRUTH_TRUE)
		e->status = STATUS_ERROR;
	e->output = reading_json(r, e, "output", l->v, STR("result"));
}

static void cursor_stream_read_error(struct stream_line *l)
{
	struct val error = val_get(l->v, STR("error"));
	struct event *e = cursor_stream_add(l, EVENT_ERROR);

	e->class = STR("harness");
	e->text = reading_text(l->r, val_is(error, JSON_OBJECT) ? error : l->v,
			       val_is(error, JSON_STRING) ? STR("error") : STR("message"));
}

/* What the agent says of itself: a question to the user, a state. */
static void cursor_stream_read_note(struct stream_line *l)
{
	struct event *e = cursor_stream_add(l, EVENT_NOTE);

	e->role = val_get_text(l->v, STR("type"), l->r->arena);
	if (!e->role.n)
		e->role = STR("unknown");
	e->content = STR("null");
	if (!val_is(l->v, JSON_OBJECT))
		e->content = reading_json_of(l->r, e, "content", l->v);
}

static const struct {
	struct str type, subtype; /* subtype empty: any */
	void (*read)(struct stream_line *l);
} cursor_stream_lines[] = {
	{ WORD("system"), WORD("init"), cursor_stream_read_init },
	{ WORD("user"), WORD(""), cursor_stream_read_user },
	{ WORD("thinking"), WORD(""), cursor_stream_read_thought },
	{ WORD("assistant"), WORD(""), cursor_stream_read_said },
	{ WORD("tool_call"), WORD(""), cursor_stream_read_call },
	{ WORD("result"), WORD(""), cursor_stream_read_end },
	{ WORD("error"), WORD(""), cursor_stream_read_error },
};

/* Milliseconds that are whole are the time itself, and nothing is lost with them. */
static struct moment read_ms(struct reading *r, struct val v)
{
	struct val ms = val_get(v, STR("timestamp_ms"));
	struct moment ts = reading_time_of(r, ms);
	int64_t n;

	if (ts.text.p && val_is(ms, JSON_NUMBER) && val_i64(ms, &n))
		reading_take(r, ms);
	return ts;
}

void cursor_stream_read(struct reading *r, struct val v)
{
	struct stream_line l = { .r = r, .v = v, .ts = read_ms(r, v), .hint = arena_new(r->arena, struct cursor_hint) };
	struct val type = val_get(v, STR("type")), subtype = val_get(v, STR("subtype"));
	size_t at = r->count, i = 0;

	l.hint->session = text_or_none(reading_text(r, v, STR("session_id")));
	l.hint->prints = true;
	while (i < COUNT(cursor_stream_lines) &&
	       (!val_text_is(type, cursor_stream_lines[i].type) ||
		(cursor_stream_lines[i].subtype.n && !val_text_is(subtype, cursor_stream_lines[i].subtype))))
		i++;
	if (i == COUNT(cursor_stream_lines)) {
		cursor_stream_read_note(&l);
	} else {
		cursor_stream_lines[i].read(&l);
		reading_take(r, type);
		if (values_is_word(subtype, (const struct str[]){ STR("init"), STR("delta"), STR("started"),
								  STR("completed") }, 4))
			reading_take(r, subtype);
	}
	if (r->count > at) /* the last: a call that was begun before is left out */
		reading_rest(r, &r->events[r->count - 1], v);
}

/* ---- what it is ---- */

/* Claude Code prints lines that look alike: those have ids of their own, tools, turns. */
static bool cursor_stream_is_claude(struct val v)
{
	static const struct str theirs[] = { WORD("uuid"), WORD("parent_tool_use_id"), WORD("tools"), WORD("num_turns"),
					     WORD("modelUsage"), WORD("parentUuid") };

	return values_count_names(v, theirs, COUNT(theirs)) > 0;
}

static const struct {
	struct str type, needs[3];
	int fit;
} cursor_stream_signs[] = {
	{ WORD("system"), { WORD("session_id"), WORD("apiKeySource"), WORD("permissionMode") }, 95 },
	{ WORD("system"), { WORD("session_id"), WORD("subtype"), WORD("model") }, 80 },
	{ WORD("tool_call"), { WORD("call_id"), WORD("tool_call"), WORD("subtype") }, 95 },
	{ WORD("thinking"), { WORD("subtype"), WORD("session_id"), WORD("timestamp_ms") }, 90 },
	{ WORD("assistant"), { WORD("message"), WORD("session_id"), WORD("model_call_id") }, 90 },
	{ WORD("assistant"), { WORD("message"), WORD("session_id"), WORD("timestamp_ms") }, 85 },
	{ WORD("result"), { WORD("session_id"), WORD("is_error"), WORD("request_id") }, 85 },
	{ WORD("result"), { WORD("session_id"), WORD("duration_api_ms"), WORD("is_error") }, 60 },
	{ WORD("user"), { WORD("message"), WORD("session_id") }, 55 },
	{ WORD("assistant"), { WORD("message"), WORD("session_id") }, 55 },
};

int cursor_stream_fits(struct val v)
{
	struct val type;

	if (val_is(v, JSON_ARRAY))
		v = values_first(v);
	type = val_get(v, STR("type"));
	if (!val_is(type, JSON_STRING) || cursor_stream_is_claude(v))
		return 0;
	for (size_t i = 0; i < COUNT(cursor_stream_signs); i++) {
		bool all = val_text_is(type, cursor_stream_signs[i].type);

		for (size_t k = 0; k < 3 && all && cursor_stream_signs[i].needs[k].n; k++)
			all = val_has(v, cursor_stream_signs[i].needs[k]);
		if (all)
			return cursor_stream_signs[i].fit;
	}
	return 0;
}
