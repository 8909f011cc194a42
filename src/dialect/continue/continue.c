/*
 * Sessions of Continue, in the editor and on the command line: a document with a history. An item holds a message, and
 * beside an answer the state of each of its calls, with the output. There are no times.
 */
#include "dialect/formats.h"
#include "dialect/record/field.h"
#include "dialect/session/told.h"
#include "model/assemble.h"

/* As OpenAI counts: what was cached is part of the prompt. */
static const struct told_names continue_tokens = {
	.input = WORD("prompt_tokens"), .output = WORD("completion_tokens"),
	.cache_read = WORD("/prompt_tokens_details/cached_tokens"),
	.cache_write = WORD("/prompt_tokens_details/cache_write_tokens"),
	.reasoning = WORD("/completion_tokens_details/reasoning_tokens"), .total = WORD("total_tokens"),
};

/* Its adapter for Anthropic's API fills in the same names as that API counts, and has names of its own beside them. */
static const struct told_names continue_anthropic = {
	.input = WORD("prompt_tokens"), .output = WORD("completion_tokens"),
	.cache_read = WORD("/prompt_tokens_details/cache_read_tokens"),
	.cache_write = WORD("/prompt_tokens_details/cache_write_tokens"), .total = WORD("total_tokens"),
	.cache_apart = true,
};

/* An item of the history while it is read. */
struct continue_item {
	struct reading *r;
	struct val v, message;
};

static struct usage continue_read_usage(struct reading *r, struct val usage)
{
	struct val details = val_get(usage, STR("prompt_tokens_details"));
	struct val read = val_get(details, STR("cached_tokens")), again = val_get(details, STR("cache_read_tokens"));
	struct val total = val_get(usage, STR("total_tokens"));
	struct figure in, out, all;

	if (val_is_none(again))
		return told_usage(r, usage, &continue_tokens);
	if (val_is(read, JSON_NUMBER) && val_is(again, JSON_NUMBER) && str_eq(val_raw(read), val_raw(again)))
		reading_drop(r, read);
	in = reading_count(r, usage, STR("prompt_tokens"));
	out = reading_count(r, usage, STR("completion_tokens"));
	all = reading_count(r, usage, STR("total_tokens"));
	if (figure_is_known(all) && all.n == in.n + out.n)
		reading_drop(r, total); /* without what was cached */
	return told_usage(r, usage, &continue_anthropic);
}

static void continue_read_call(const struct continue_item *x, struct val call, int index)
{
	struct val function = val_get(call, STR("function"));
	struct event *e = reading_add(x->r, EVENT_CALL);

	e->index = index;
	e->call = text_or_none(reading_text(x->r, call, STR("id")));
	e->tool = reading_text(x->r, function, STR("name"));
	told_args(x->r, e, val_get(function, STR("arguments")));
	if (val_text_is(val_get(call, STR("type")), STR("function")))
		reading_take(x->r, val_get(call, STR("type")));
	reading_rest(x->r, e, call);
}

/* A call that was made: its output is a list of items with a content each; one is the result. */
static void continue_read_state(const struct continue_item *x, struct val state)
{
	static const struct str again[] = { WORD("toolCall"), WORD("parsedArgs") };
	struct val status = val_get(state, STR("status")), output = val_get(state, STR("output"));
	struct val only = val_count(output) == 1 ? values_first(output) : VAL_NONE;
	bool done = val_text_is(status, STR("done")), failed = val_text_is(status, STR("errored"));
	struct event *e;

	told_again(x->r, state, again, COUNT(again)); /* the message has the call */
	if (!done && !failed && !val_text_is(status, STR("canceled"))) {
		reading_rest(x->r, told_note(x->r, STR("toolCallState"), (struct moment){ 0 }, VAL_NONE), state);
		return;
	}
	e = reading_add(x->r, EVENT_RESULT);
	e->call = text_or_none(reading_text(x->r, state, STR("toolCallId")));
	e->is_error = done ? TRUTH_FALSE : TRUTH_TRUE;
	e->content = val_is(val_get(only, STR("content")), JSON_STRING) ?
		     reading_json(x->r, e, "result", only, STR("content")) :
		     val_is_unset(output) ? STR("null") : reading_json_of(x->r, e, "result", output);
	if (done || failed)
		reading_take(x->r, status);
	reading_rest(x->r, e, state);
}

static void continue_read_answer(const struct continue_item *x)
{
	struct val usage = val_get(x->message, STR("usage")), content = val_get(x->message, STR("content"));
	struct val thought = val_get(x->v, STR("reasoning"));
	size_t at = x->r->count;
	struct event *e = reading_add(x->r, EVENT_STEP);
	int index = 0;

	e->text = reading_text_of(x->r, content);
	e->reasoning = reading_text(x->r, thought, STR("text"));
	e->model = reading_text(x->r, usage, STR("model"));
	e->usage = continue_read_usage(x->r, usage);
	e->ts = told_time(x->r, thought, STR("endAt"));
	reading_take(x->r, val_get(x->message, STR("role")));
	if (val_is(content, JSON_ARRAY))
		e->text = reading_json_of(x->r, e, "text", content);
	VALUES_EACH(call, val_get(x->message, STR("toolCalls")))
		continue_read_call(x, call, index++);
	VALUES_EACH(state, val_get(x->v, STR("toolCallStates")))
		continue_read_state(x, state);
	reading_rest(x->r, &x->r->events[at], x->v);
}

static void continue_read_item(struct reading *r, struct val v)
{
	struct continue_item x = { .r = r, .v = v, .message = val_get(v, STR("message")) };
	struct val role = val_get(x.message, STR("role"));
	struct event *e;

	if (val_text_is(role, STR("assistant"))) {
		continue_read_answer(&x);
		return;
	}
	if (val_text_is(role, STR("thinking"))) {
		e = reading_add(r, EVENT_NOTE); /* it stands before its answer, which need not come */
		e->role = STR("thinking");
	} else if (val_text_is(role, STR("tool"))) {
		e = reading_add(r, EVENT_RESULT);
		e->call = text_or_none(reading_text(r, x.message, STR("toolCallId")));
	} else {
		e = reading_add(r, EVENT_MESSAGE);
		e->role = val_get_text(x.message, STR("role"), r->arena);
		if (!e->role.n)
			e->role = STR("user");
	}
	e->content = reading_json(r, e, "content", x.message, STR("content"));
	reading_take(r, role);
	reading_rest(r, e, v);
}

/*
 * The session adds up the tokens of its answers, which are dropped where these have them, and a price by a list of its
 * own. That price stays in the rest: each answer is priced by itself.
 */
static void continue_read_total(struct reading *r, struct val usage, size_t from)
{
	bool has_usage = false;
	struct event *e;

	static const struct str names[] = { WORD("promptTokens"), WORD("completionTokens"),
					    WORD("promptTokensDetails") };

	for (size_t i = from; i < r->count; i++)
		has_usage = has_usage || (r->events[i].kind == EVENT_STEP && usage_is_known(&r->events[i].usage));
	if (!has_usage && val_is(val_get(usage, names[0]), JSON_NUMBER)) {
		e = reading_add(r, EVENT_COST);
		e->scope = STR("run");
		e->flags = EVENT_TOTAL;
		e->usage.input = reading_count(r, usage, names[0]);
		e->usage.output = reading_count(r, usage, names[1]);
		e->usage.cache_read = reading_count(r, val_get(usage, names[2]), STR("cachedTokens"));
		e->usage.cache_write = reading_count(r, val_get(usage, names[2]), STR("cacheWriteTokens"));
		return;
	}
	for (size_t i = 0; i < COUNT(names); i++)
		reading_drop(r, val_get(usage, names[i]));
}

static void continue_read_value(struct reading *r, struct val v)
{
	size_t at = r->count;
	struct event *e;

	if (!val_is(val_get(v, STR("history")), JSON_ARRAY)) {
		reading_add_unknown(r, v);
		return;
	}
	e = reading_add(r, EVENT_RUN_START);
	e->run = text_or_none(reading_text(r, v, STR("sessionId")));
	e->agent = STR("continue");
	VALUES_EACH(item, val_get(v, STR("history"))) {
		if (val_is(item, JSON_OBJECT))
			continue_read_item(r, item);
	}
	continue_read_total(r, val_get(v, STR("usage")), at);
	reading_rest(r, &r->events[at], v);
}

static int continue_fits(struct val v)
{
	struct val history = val_get(v, STR("history")), first = values_first(history);

	if (!val_is(history, JSON_ARRAY) || !val_is(val_get(v, STR("sessionId")), JSON_STRING))
		return 0;
	if (val_is(val_get(val_get(first, STR("message")), STR("role")), JSON_STRING))
		return 95;
	return val_is(val_get(v, STR("workspaceDirectory")), JSON_STRING) && val_is_none(first) ? 80 : 0;
}

static const struct read_ops continue_read = {
	.vendor = "continue",
	.key = "continue/1",
	.assemble = ASSEMBLE_STEP_COSTS,
	.value = continue_read_value,
};

const struct dialect continue_dialect = {
	.name = "continue",
	.title = "Continue sessions",
	.file = "session.json",
	.unit = "item",
	.forms = DIALECT_DOCUMENT,
	.rules = dialect_no_rules,
	.fits = continue_fits,
	.read = &continue_read,
};
