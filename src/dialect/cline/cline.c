/*
 * Sessions of Cline. The command line keeps a document of messages and a record of the session beside it; the editor's
 * extension a list of messages (api_conversation_history.json) and what it showed (ui_messages.json). Content is in
 * Anthropic's blocks whatever the model.
 */
#include "dialect/anthropic/blocks.h"
#include "dialect/formats.h"
#include "dialect/record/field.h"
#include "dialect/session/told.h"
#include "model/assemble.h"
#include "model/words.h"

static const struct told_names cline_tokens = {
	.input = WORD("inputTokens"), .output = WORD("outputTokens"), .cache_read = WORD("cacheReadTokens"),
	.cache_write = WORD("cacheWriteTokens"), .reasoning = WORD("reasoningTokens"),
};

/* Of the editor's lists: all that was sent, and of it what was cached. */
static const struct told_names cline_prompt = {
	.input = WORD("prompt"), .output = WORD("completion"), .cache_read = WORD("cached"),
};

/* Of what it showed: what was cached is apart. */
static const struct told_names cline_request = {
	.input = WORD("tokensIn"), .output = WORD("tokensOut"), .cache_read = WORD("cacheReads"),
	.cache_write = WORD("cacheWrites"), .cache_apart = true,
};

/* Whichever of two names there is. */
static struct str cline_text(struct reading *r, struct val object, struct str name, struct str older)
{
	return reading_text(r, object, val_has(object, name) ? name : older);
}

/* Dollars; a 0 beside tokens says that nobody knows the price, and stays in the rest. */
static struct amount cline_usd(struct reading *r, struct val object, struct str name, const struct usage *u)
{
	double usd;

	if (val_double(val_get(object, name), &usd) && usd == 0 && (u->input.n || u->output.n))
		return (struct amount){ 0, 0, 0 };
	return reading_amount(r, object, name, 1);
}

/* ---- messages ---- */

/* What the program shows in place of an answer. */
static void cline_read_failure(struct reading *r, struct val message, const struct blocks_origin *o)
{
	size_t at = r->count;
	struct event *e = blocks_add(r, o, EVENT_ERROR);

	e->class = STR("model");
	blocks_read_answer(r, o, at, val_get(message, STR("content")));
	reading_rest(r, &r->events[at], message);
}

static void cline_read_answer(struct reading *r, struct val message, struct blocks_origin *o)
{
	struct val info = val_get(message, STR("modelInfo")), metrics = val_get(message, STR("metrics"));
	struct val tokens = val_get(metrics, STR("tokens"));
	size_t at = r->count;
	struct event *e = blocks_add(r, o, EVENT_STEP);

	e->step = o->step = text_or_none(reading_text(r, message, STR("id")));
	e->model = cline_text(r, info, STR("id"), STR("modelId"));
	e->provider = cline_text(r, info, STR("provider"), STR("providerId"));
	e->stop_reason = reading_text(r, message, STR("stopReason"));
	e->usage = val_is(tokens, JSON_OBJECT) ? told_usage(r, tokens, &cline_prompt)
					       : told_usage(r, metrics, &cline_tokens);
	e->usd = cline_usd(r, metrics, val_has(metrics, STR("cost")) ? STR("cost") : STR("totalCost"), &e->usage);
	blocks_read_answer(r, o, at, val_get(message, STR("content")));
	reading_rest(r, &r->events[at], message);
}

static void cline_read_message(struct reading *r, struct val message)
{
	struct blocks_origin o = { .ts = told_time(r, message, STR("ts")) };
	struct str role = reading_text(r, message, STR("role"));
	size_t at;

	if (str_eq(role, STR("assistant")) &&
	    val_text_is(val_get(val_get(message, STR("metadata")), STR("displayRole")), STR("error"))) {
		cline_read_failure(r, message, &o);
		return;
	}
	if (str_eq(role, STR("assistant"))) {
		cline_read_answer(r, message, &o);
		return;
	}
	at = r->count;
	blocks_read_given(r, &o, role, val_get(message, STR("content")));
	if (r->count > at)
		reading_rest(r, &r->events[at], message);
}

static struct event *cline_add_run(struct reading *r, struct str id, struct str version)
{
	struct event *e = reading_add(r, EVENT_RUN_START);

	e->run = text_or_none(id);
	e->agent = STR("cline");
	e->agent_version = version;
	return e;
}

static void cline_read_session(struct reading *r, struct val v)
{
	struct val origin = val_get(v, STR("origin")), prompt = val_get(v, STR("system_prompt"));
	struct str id = reading_text(r, v, STR("sessionId"));
	size_t at = r->count;
	struct event *e = cline_add_run(r, id, reading_text(r, origin, STR("version")));

	reading_take(r, val_get(origin, STR("sessionId")));
	e->ts = told_time(r, values_first(val_get(v, STR("messages"))), STR("ts"));
	if (e->ts.text.p)
		e->ts.source = MOMENT_DERIVED;
	if (val_is(prompt, JSON_STRING)) {
		e = reading_add(r, EVENT_MESSAGE);
		e->role = STR("system");
		e->content = reading_json_of(r, e, "content", prompt);
	}
	VALUES_EACH(message, val_get(v, STR("messages"))) {
		if (val_is(message, JSON_OBJECT))
			cline_read_message(r, message);
	}
	reading_rest(r, &r->events[at], v);
}

/* ---- the record beside them ---- */

/* The hint of what the messages tell too: the prompt, and what was used in all. */
static const char cline_again[] = "again";

/* What it says of the whole session: no calls of the model, and what they used in all. */
static void cline_read_record(struct reading *r, struct val v)
{
	struct val metadata = val_get(v, STR("metadata")), usage = val_get(metadata, STR("usage"));
	struct val code = val_get(v, STR("exit_code"));
	size_t at = r->count;
	struct str status = reading_text(r, v, STR("status"));
	struct val origin = val_get(metadata, STR("sessionHistoryOrigin"));
	struct event *e = cline_add_run(r, reading_text(r, v, STR("session_id")),
					reading_text(r, origin, STR("version")));

	e->ts = reading_time(r, v, STR("started_at"));
	e->model = reading_text(r, v, STR("model"));
	if (val_is(val_get(v, STR("prompt")), JSON_STRING)) {
		e = reading_add(r, EVENT_MESSAGE);
		e->role = STR("user");
		e->content = reading_json(r, e, "content", v, STR("prompt"));
		e->hint = cline_again;
	}
	if (val_is(usage, JSON_OBJECT)) {
		e = reading_add(r, EVENT_COST);
		e->hint = cline_again;
		e->scope = STR("run");
		e->flags = EVENT_TOTAL;
		e->usage = told_usage(r, usage, &cline_tokens);
		e->usd = cline_usd(r, usage, STR("totalCost"), &e->usage);
	}
	e = reading_add(r, EVENT_RUN_END);
	e->ts = reading_time(r, v, STR("ended_at"));
	e->status = status.n ? words_fold_status(status) : STATUS_UNKNOWN;
	if (str_eq(status, STR("running")))
		e->status = STATUS_INTERRUPTED;
	e->reason = status;
	if (val_is(code, JSON_NULL))
		reading_drop(r, code);
	reading_rest(r, &r->events[at], v);
}

/* ---- what the editor showed ---- */

/* A request: its tokens stand in a text of JSON. */
static bool cline_read_request(struct reading *r, struct val v, struct moment ts)
{
	struct str text = val_get_text(v, STR("text"), r->arena);
	struct val told = text.n ? reading_parse(r, text) : VAL_NONE;
	struct event *e;

	if (!val_is(told, JSON_OBJECT)) {
		if (!val_is_none(told))
			reading_release(r, told);
		return false;
	}
	e = reading_add(r, EVENT_STEP);
	e->ts = ts;
	e->usage = told_usage(r, told, &cline_request);
	e->usd = cline_usd(r, told, STR("cost"), &e->usage);
	reading_rest(r, e, told);
	reading_release(r, told);
	reading_take(r, val_get(v, STR("text")));
	return true;
}

static void cline_read_shown(struct reading *r, struct val v)
{
	struct moment ts = told_time(r, v, STR("ts"));
	struct val say = val_get(v, STR("say"));
	bool thought = val_text_is(say, STR("reasoning")), told = val_text_is(say, STR("text"));
	struct event *e;

	if (val_text_is(say, STR("api_req_started")) && cline_read_request(r, v, ts)) {
		e = &r->events[r->count - 1];
	} else if (thought || told) {
		e = reading_add(r, EVENT_STEP);
		e->ts = ts;
		e->flags = EVENT_PIECE;
		if (thought)
			e->reasoning = reading_text(r, v, STR("text"));
		else
			e->text = reading_text(r, v, STR("text"));
	} else if (val_text_is(say, STR("task")) || val_text_is(say, STR("user_feedback"))) {
		e = reading_add(r, EVENT_MESSAGE);
		e->ts = ts;
		e->role = STR("user");
		e->content = reading_json(r, e, "content", v, STR("text"));
	} else { /* tools too: neither ids nor results are told */
		told_note(r, val_get_text(v, val_is(say, JSON_STRING) ? STR("say") : STR("ask"), r->arena), ts, v);
		return;
	}
	reading_take(r, say);
	reading_take(r, val_get(v, STR("type")));
	reading_rest(r, e, v);
}

/* ---- which is which ---- */

static bool cline_is_shown(struct val v)
{
	struct val type = val_get(v, STR("type"));

	return val_is(val_get(v, STR("ts")), JSON_NUMBER) &&
	       ((val_text_is(type, STR("say")) && val_is(val_get(v, STR("say")), JSON_STRING)) ||
		(val_text_is(type, STR("ask")) && val_is(val_get(v, STR("ask")), JSON_STRING)));
}

static bool cline_is_record(struct val v)
{
	static const struct str names[] = { WORD("workspace_root"), WORD("enable_tools"), WORD("messages_path"),
					    WORD("enable_spawn") };

	return val_is(val_get(v, STR("session_id")), JSON_STRING) && values_count_names(v, names, COUNT(names)) >= 2;
}

/* A message that says when it was, or by which model: Anthropic's own say neither. */
static bool cline_is_message(struct val v)
{
	return val_is(val_get(v, STR("role")), JSON_STRING) && val_has(v, STR("content")) &&
	       (val_is(val_get(v, STR("ts")), JSON_NUMBER) || val_is(val_get(v, STR("modelInfo")), JSON_OBJECT));
}

static void cline_read_one(struct reading *r, struct val v)
{
	if (r->line <= 1 && (cline_is_shown(v) || val_has(v, STR("role"))))
		cline_add_run(r, str_of(NULL, 0), str_of(NULL, 0)); /* lists have no head; told twice it is one */
	if (val_is(v, JSON_OBJECT) && val_is(val_get(v, STR("messages")), JSON_ARRAY))
		cline_read_session(r, v);
	else if (cline_is_record(v))
		cline_read_record(r, v);
	else if (cline_is_shown(v))
		cline_read_shown(r, v);
	else if (val_is(v, JSON_OBJECT) && val_is(val_get(v, STR("role")), JSON_STRING))
		cline_read_message(r, v);
	else
		reading_add_unknown(r, v);
}

/* A list on one line is a value as a whole. */
static void cline_read_value(struct reading *r, struct val v)
{
	if (!val_is(v, JSON_ARRAY))
		cline_read_one(r, v);
	VALUES_EACH(one, v)
		cline_read_one(r, one);
}

static int cline_fits(struct val v)
{
	struct val messages = val_get(v, STR("messages")), source = val_get(val_get(v, STR("origin")), STR("source"));

	if (val_is(v, JSON_ARRAY)) {
		size_t i = 0;

		VALUES_EACH(one, v) {
			if (cline_is_shown(one) || cline_is_message(one))
				return 90;
			if (++i == 3)
				break;
		}
		return 0;
	}
	if (val_is(messages, JSON_ARRAY)) {
		if (val_is(val_get(v, STR("sessionId")), JSON_STRING) && val_is(source, JSON_STRING))
			return 97;
		return cline_is_message(values_first(messages)) ? 93 : 0;
	}
	return cline_is_record(v) ? 92 : 0;
}

/* ---- in order: a record stands behind the messages of its session ---- */

struct cline_fold {
	bool has_messages, has_usage; /* the messages were told, and tokens of an answer */
};

static void *cline_fold_open(void)
{
	struct cline_fold *f = mem_alloc(sizeof(*f));

	*f = (struct cline_fold){ .has_messages = false };
	return f;
}

static void cline_fold_close(void *fold)
{
	mem_free(fold);
}

/* What the record says again goes. */
static bool cline_fold_add(void *fold, const struct event *e, struct assemble *as, struct err *err)
{
	struct cline_fold *f = fold;
	struct event out = *e;

	if (e->hint && (e->kind == EVENT_COST ? f->has_usage : f->has_messages))
		return true;
	if (!e->hint) {
		f->has_messages = f->has_messages || e->kind == EVENT_MESSAGE;
		f->has_usage = f->has_usage || (e->kind == EVENT_STEP && usage_is_known(&e->usage));
	}
	out.hint = NULL;
	return assemble_add(as, &out, err);
}

static bool cline_fold_end(void *fold, struct assemble *as, struct err *err)
{
	(void)as;
	(void)err;
	*(struct cline_fold *)fold = (struct cline_fold){ .has_messages = false };
	return true;
}

static const struct read_ops cline_read = {
	.vendor = "cline",
	.key = "cline/1",
	.assemble = ASSEMBLE_STEP_COSTS,
	.elements = true,
	.value = cline_read_value,
	.fold_open = cline_fold_open,
	.fold_close = cline_fold_close,
	.fold = cline_fold_add,
	.fold_end = cline_fold_end,
};

const struct dialect cline_dialect = {
	.name = "cline",
	.title = "Cline sessions: messages, records, what the editor showed",
	.file = "session.messages.json",
	.unit = "message",
	.forms = DIALECT_DOCUMENT,
	.rules = dialect_no_rules,
	.fits = cline_fits,
	.read = &cline_read,
};
