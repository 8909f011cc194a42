/* What `codex exec --json` prints: threads, turns, items. No times, no calls of the model, ids for each thread only. */
#include "dialect/codex/private.h"
#include "dialect/record/field.h"

enum phase { STARTED, UPDATED, COMPLETED };

struct exec {
	struct reading *r;
	struct val v;    /* the event */
	struct val item;
	struct str type; /* of the item */
	struct moment ts;
	enum phase phase;
};

static struct event *codex_exec_add(const struct exec *x, enum event_kind kind)
{
	struct event *e = reading_add(x->r, kind);

	e->ts = x->ts;
	return e;
}

static void codex_exec_read_note(const struct exec *x, struct val v, struct str role)
{
	struct event *e = codex_exec_add(x, EVENT_NOTE);

	e->role = role;
	e->content = reading_json_of(x->r, e, "content", v);
}

/* ---- what the model said ---- */

/* Only a whole item is read: what was said before it was completed is told again then. */
static void read_said(const struct exec *x)
{
	struct reading *r = x->r;
	struct event *e;

	if (x->phase != COMPLETED) {
		reading_take(r, x->item); /* it comes whole when it is completed */
		return;
	}
	e = codex_exec_add(x, EVENT_STEP);
	e->flags = EVENT_PIECE;
	reading_take(r, val_get(x->item, STR("type")));
	if (str_eq(x->type, STR("reasoning")))
		e->reasoning = reading_text(r, x->item, STR("text"));
	else
		e->text = reading_text(r, x->item, STR("text"));
	reading_rest(r, e, x->item);
}

/* ---- calls ---- */

struct tool {
	struct str type, name;   /* name: empty when the item has it */
	struct str args[3];      /* members of the item that are its arguments */
	bool whole;              /* the arguments are the value of the first, not an object of them */
	struct str result;       /* the member that is the result */
};

static const struct tool tools[] = {
	{ WORD("command_execution"), WORD("shell"), { WORD("command") }, false, WORD("aggregated_output") },
	{ WORD("file_change"), WORD("file_change"), { WORD("changes") }, false, WORD("status") },
	{ WORD("mcp_tool_call"), WORD(""), { WORD("arguments") }, true, WORD("result") },
	{ WORD("collab_tool_call"), WORD(""), { WORD("prompt"), WORD("receiver_thread_ids") }, false,
	  WORD("agents_states") },
	{ WORD("web_search"), WORD("web_search"), { WORD("action"), WORD("query") }, false, WORD("results") },
};

/* The arguments of a call: one member as it stands, or an object of those that the row names. */
static struct str codex_exec_read_args(const struct exec *x, struct event *e, const struct tool *t)
{
	struct reading *r = x->r;
	struct str json;
	struct buf b = { 0 };

	if (t->whole)
		return reading_json(r, e, "args", x->item, t->args[0]);
	for (size_t i = 0; i < COUNT(t->args) && t->args[i].n; i++) {
		json = reading_json(r, e, "args", x->item, t->args[i]);
		if (!json.p)
			continue;
		buf_printf(&b, "%c\"%.*s\":", b.n ? ',' : '{', STR_ARG(t->args[i]));
		buf_add_str(&b, json);
	}
	buf_add_str(&b, b.n ? STR("}") : STR("{}"));
	return arena_take(r->arena, &b);
}

/*
 * The result of an item that is over. Whether it failed is told by its exit code, its status or its error, whichever
 * says so.
 */
static void codex_exec_add_result(const struct exec *x, struct str call, const struct tool *t)
{
	struct reading *r = x->r;
	struct val error = val_get(x->item, STR("error")), code = val_get(x->item, STR("exit_code"));
	struct val status = val_get(x->item, STR("status"));
	struct event *e = codex_exec_add(x, EVENT_RESULT);
	int64_t n;

	codex_hint_add(r, e)->what = CODEX_ITEM;
	e->call = call;
	e->content = reading_json(r, e, "result", x->item, t->result);
	if (val_text_is(status, STR("completed")))
		e->is_error = TRUTH_FALSE;
	if (val_i64(code, &n)) {
		reading_take(r, code);
		e->exit_code = FIGURE((uint64_t)n);
		e->is_error = n ? TRUTH_TRUE : TRUTH_FALSE;
	}
	if (val_text_is(status, STR("failed")) || val_text_is(status, STR("declined")))
		e->is_error = TRUTH_TRUE;
	if (val_is_unset(error))
		return;
	e->is_error = TRUTH_TRUE;
	if (!e->content.p || str_eq(e->content, STR("null")))
		e->content = reading_json_of(r, e, "result", error);
}

/* While it runs: all that it has printed so far. */
static void read_update(const struct exec *x, const struct tool *t)
{
	struct val id = val_get(x->item, STR("id")), all = val_get(x->item, t->result);
	struct codex_hint *h;

	codex_exec_read_note(x, x->item, STR("item.updated"));
	if (!val_is(id, JSON_STRING) || !val_is(all, JSON_STRING) || !str_eq(t->result, STR("aggregated_output")))
		return;
	h = codex_hint_add(x->r, &x->r->events[x->r->count - 1]);
	h->what = CODEX_WHOLE;
	h->call = val_text(id, x->r->arena);
	h->text = val_text(all, x->r->arena);
}

/* An item that begins and ends is told twice; some are told only when they have ended. */
static void codex_exec_read_call(const struct exec *x, const struct tool *t)
{
	struct reading *r = x->r;
	size_t at = r->count;
	struct event *e;
	struct str call;

	if (x->phase == UPDATED) {
		read_update(x, t);
		return;
	}
	e = codex_exec_add(x, EVENT_CALL);
	e->flags = x->phase == COMPLETED ? EVENT_FALLBACK : 0;
	codex_hint_add(r, e)->what = CODEX_ITEM;
	e->call = call = reading_text(r, x->item, STR("id"));
	e->tool = t->name.n ? t->name : reading_text(r, x->item, STR("tool"));
	if (!e->tool.n)
		e->tool = t->type;
	e->server = text_or_none(reading_text(r, x->item, STR("server")));
	e->args = codex_exec_read_args(x, e, t);
	reading_take(r, val_get(x->item, STR("type")));
	if (x->phase == COMPLETED)
		codex_exec_add_result(x, call, t);
	else
		reading_take(r, val_get(x->item, t->result)); /* nothing yet: told when it is completed */
	reading_rest(r, &r->events[x->phase == COMPLETED ? at + 1 : at], x->item);
}

/* ---- all of them ---- */

/* An ERROR of the program. `status` is how the turn ended by it, STATUS_UNKNOWN when it goes on. */
static void codex_exec_read_error(const struct exec *x, struct val error, enum run_status status)
{
	struct event *e = codex_exec_add(x, EVENT_ERROR);

	e->class = STR("harness");
	codex_hint_add(x->r, e)->status = status;
	e->text = val_is(error, JSON_STRING) ? reading_text_of(x->r, error) : reading_text(x->r, error, STR("message"));
	if (val_is(error, JSON_OBJECT)) {
		reading_take(x->r, val_get(error, STR("type")));
		reading_rest(x->r, e, error);
	}
}

/* An item of a thread, by its type. Items of older versions have it under another name. */
static void codex_exec_read_item(struct exec *x)
{
	x->item = val_get(x->v, STR("item"));
	x->type = val_get_text(x->item, STR("type"), x->r->arena);
	if (!x->type.p && val_is(val_get(x->item, STR("item_type")), JSON_STRING))
		x->type = val_text(val_get(x->item, STR("item_type")), x->r->arena);
	for (size_t i = 0; i < COUNT(tools); i++) {
		if (str_eq(x->type, tools[i].type)) {
			codex_exec_read_call(x, &tools[i]);
			return;
		}
	}
	if (str_eq(x->type, STR("agent_message")) || str_eq(x->type, STR("assistant_message")) ||
	    str_eq(x->type, STR("reasoning")))
		read_said(x);
	else if (str_eq(x->type, STR("error")))
		codex_exec_read_error(x, x->item, STATUS_UNKNOWN);
	else
		codex_exec_read_note(x, x->item, str_eq(x->type, STR("todo_list")) ? STR("system") : STR("item"));
}

static void read_thread(struct exec *x)
{
	struct event *e = codex_exec_add(x, EVENT_RUN_START);

	e->run = reading_text(x->r, x->v, STR("thread_id"));
	e->agent = STR("codex");
}

static void read_turn(struct exec *x)
{
	struct event *e = codex_exec_add(x, EVENT_NOTE);

	e->role = STR("turn.started");
	e->content = STR("null");
}

/* Of all calls of the model in the turn together. */
static void codex_exec_read_turn_end(struct exec *x)
{
	struct event *e = codex_exec_add(x, EVENT_COST);

	e->scope = STR("turn");
	e->flags = EVENT_TOTAL;
	codex_hint_add(x->r, e)->status = STATUS_SUCCESS;
	codex_read_usage(x->r, val_get(x->v, STR("usage")), &e->usage);
}

static void read_turn_failed(struct exec *x)
{
	struct val error = val_get(x->v, STR("error"));

	codex_exec_read_error(x, val_is(error, JSON_OBJECT) || val_is(error, JSON_STRING) ? error : x->v,
			      STATUS_ERROR);
}

static void read_failed(struct exec *x)
{
	codex_exec_read_error(x, x->v, STATUS_ERROR);
}

static const struct {
	struct str type;
	void (*read)(struct exec *x);
	enum phase phase;
} readers[] = {
	{ WORD("thread.started"), read_thread, STARTED },
	{ WORD("turn.started"), read_turn, STARTED },
	{ WORD("item.started"), codex_exec_read_item, STARTED },
	{ WORD("item.updated"), codex_exec_read_item, UPDATED },
	{ WORD("item.completed"), codex_exec_read_item, COMPLETED },
	{ WORD("turn.completed"), codex_exec_read_turn_end, COMPLETED },
	{ WORD("turn.failed"), read_turn_failed, COMPLETED },
	{ WORD("error"), read_failed, COMPLETED },
};

/* A line of somebody's log around it. */
static bool codex_exec_is_wrapped(struct val v)
{
	return val_is(val_get(v, STR("log_type")), JSON_STRING) && val_is(val_get(v, STR("data")), JSON_OBJECT);
}

/* A line of the log, or with what a logger put around it. What nobody knows is kept whole in a NOTE "log". */
void codex_exec_read(struct reading *r, struct val v)
{
	struct exec x = { .r = r, .v = v };
	struct str type;
	size_t from = r->count;

	if (codex_exec_is_wrapped(v)) {
		/* the text is local time without a zone; the number is exact */
		x.ts = reading_time(r, v, STR("timestamp_unix"));
		if (!x.ts.text.p)
			x.ts = reading_time(r, v, STR("timestamp_iso"));
		x.v = val_get(v, STR("data"));
	} else {
		x.ts = reading_time(r, v, STR("timestamp"));
	}
	type = val_get_text(x.v, STR("type"), r->arena);
	for (size_t i = 0; i < COUNT(readers); i++) {
		if (str_eq(type, readers[i].type)) {
			reading_take(r, val_get(x.v, STR("type")));
			x.phase = readers[i].phase;
			readers[i].read(&x);
			if (r->count > from) /* the last: a call that was begun before is left out */
				reading_rest(r, &r->events[r->count - 1], v);
			else
				reading_take(r, v);
			return;
		}
	}
	codex_exec_read_note(&x, v, STR("log"));
}

/* An error says nothing of whose it is, so it counts for nothing here; codex_read_value still reads one. */
int codex_exec_fits(struct val v)
{
	struct val inner = codex_exec_is_wrapped(v) ? val_get(v, STR("data")) : v,
		   type = val_get(inner, STR("type"));

	if (!val_is(type, JSON_STRING) || val_text_is(type, STR("error")))
		return 0;
	if (val_text_is(type, STR("thread.started")))
		return val_has(inner, STR("thread_id")) ? 95 : 40;
	if (str_starts(val_raw(type), STR("item.")) && !val_is(val_get(inner, STR("item")), JSON_OBJECT))
		return 0;
	for (size_t i = 0; i < COUNT(readers); i++)
		if (val_text_is(type, readers[i].type))
			return 75;
	return 0;
}
