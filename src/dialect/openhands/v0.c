/*
 * Events of V0: actions and observations, in order, as one list. A call of the model's repeats the whole answer it came
 * with, and so does what came of it; the answer is read once, by its id. Older logs have no answers at all: there each
 * action of the agent is one. Sums of tokens and dollars grow from event to event, and an event's own are what it adds.
 */
#include "base/map.h"
#include "dialect/openai/chat.h"
#include "dialect/openhands/private.h"
#include "dialect/record/field.h"
#include "model/assemble.h"

#define V0_NESTED 8 /* agents that were asked by agents */

/* What an answer cost: in lists of the whole run, by its id. */
struct v0_list {
	struct map places; /* ids to places in `vals`, plus one */
	struct val *vals;
};

struct v0_run {
	struct reading *r;
	struct map answers; /* ids of answers that were read */
	struct map calls;   /* numbers of actions that are calls, to events */
	struct v0_list latencies, usages;
	struct usage sum;   /* so far, by llm_metrics */
	double usd;
	bool summed;        /* sums are known from the start, or since an event */
	bool priced;        /* a step has tokens or dollars */
	bool asked;         /* a message was told */
	struct str inside[V0_NESTED]; /* calls by which agents were asked */
	size_t depth;
	struct str model;   /* of answers that do not tell theirs */
	struct str reason;  /* of the end, while it is the latest thing */
	enum run_status status;
	struct str output;
};

/* An event, with its own fields where they stand: older ones have them beside the word, not in `args` or `extras`. */
struct v0_event {
	struct v0_run *run;
	struct reading *r;
	struct val v;
	struct val in;   /* args or extras, or the event itself */
	struct str word; /* the action or observation */
	struct val meta; /* tool_call_metadata; VAL_NONE */
	struct moment ts;
};

bool openhands_is_v0(struct val event)
{
	static const struct str beside[] = {
		WORD("args"), WORD("extras"), WORD("source"), WORD("thought"), WORD("content"), WORD("is_confirmed"),
	};
	struct val action = val_get(event, STR("action")), seen = val_get(event, STR("observation"));

	return (val_is(action, JSON_STRING) || val_is(seen, JSON_STRING)) && !val_has(event, STR("response")) &&
	       values_count_names(event, beside, COUNT(beside)) > 0;
}

/* ---- sums ---- */

static void v0_list_init(struct reading *r, struct v0_list *l, struct val list)
{
	size_t n = 0;
	bool added;

	map_init(&l->places, r->arena);
	l->vals = arena_array(r->arena, struct val, val_count(list) + 1);
	VALUES_EACH(v, list) {
		struct str id = val_get_text(v, STR("response_id"), r->arena);

		if (!id.n)
			continue;
		l->vals[n++] = v;
		*map_add(&l->places, id, &added) = n;
	}
}

static struct val v0_list_find(const struct v0_list *l, struct str id)
{
	const uint64_t *place = id.n ? map_find(&l->places, id) : NULL;

	return place ? l->vals[*place - 1] : VAL_NONE;
}

/* How much a sum grew; absent when it did not, or nobody knows from where. */
static struct figure v0_grown(struct figure now, struct figure before)
{
	return figure_is_known(now) && now.n >= before.n ? FIGURE(now.n - before.n) : (struct figure){ 0, 0, 0 };
}

/* What this event added to the sums goes to its STEP, where the answer itself does not say. */
static void v0_read_growth(const struct v0_event *x, struct event *step)
{
	struct v0_run *run = x->run;
	struct val metrics = val_get(x->v, STR("llm_metrics"));
	struct val all = val_get(metrics, STR("accumulated_token_usage"));
	struct usage now = openhands_read_tokens(x->r, all);
	double usd = 0;

	if (!val_is(metrics, JSON_OBJECT))
		return;
	if (!val_double(val_get(metrics, STR("accumulated_cost")), &usd))
		usd = run->usd;
	reading_take(x->r, val_get(metrics, STR("accumulated_cost")));
	if (step && !usage_is_known(&step->usage) && run->summed) {
		step->usage.input = v0_grown(now.input, run->sum.input);
		step->usage.output = v0_grown(now.output, run->sum.output);
		step->usage.cache_read = v0_grown(now.cache_read, run->sum.cache_read);
		step->usage.cache_write = v0_grown(now.cache_write, run->sum.cache_write);
	}
	/* a log that begins in the middle: the first sum is not this event's */
	if (step && usd > run->usd && (run->summed || now.input.n == step->usage.input.n))
		step->usd = AMOUNT(usd - run->usd);
	run->sum = now;
	run->usd = usd;
	run->summed = true;
}

/* ---- answers ---- */

static struct val v0_answer(const struct v0_event *x)
{
	return val_get(x->meta, STR("model_response"));
}

static struct val v0_answer_message(const struct v0_event *x)
{
	return val_get(values_first(val_get(v0_answer(x), STR("choices"))), STR("message"));
}

/* The call of the answer that this event is. */
static struct val v0_answer_call(const struct v0_event *x, struct str id)
{
	VALUES_EACH(call, val_get(v0_answer_message(x), STR("tool_calls")))
		if (val_text_is(val_get(call, STR("id")), id))
			return call;
	return VAL_NONE;
}

static void v0_place(const struct v0_event *x, struct event *e)
{
	e->ts = x->ts;
	if (x->run->depth > 0)
		e->parent = e->branch = x->run->inside[x->run->depth - 1];
}

/* The whole answer, the first time it is seen. */
static void v0_fill_step(const struct v0_event *x, struct event *e, struct str id)
{
	struct reading *r = x->r;
	struct val answer = v0_answer(x), choice = values_first(val_get(answer, STR("choices")));
	struct val late = v0_list_find(&x->run->latencies, id), used = v0_list_find(&x->run->usages, id);
	struct openai_chat_said said = { .text = { NULL, 0 } };
	struct usage listed;

	e->step = e->response_id = id;
	reading_take(r, val_get(answer, STR("id")));
	reading_take(r, val_get(answer, STR("object")));
	e->model = reading_text(r, answer, STR("model"));
	e->stop_reason = reading_text(r, choice, STR("finish_reason"));
	e->usage = openai_chat_read_usage(r, val_get(answer, STR("usage")), e->model);
	openai_chat_read_said(r, v0_answer_message(x), &said);
	reading_take(r, val_get(v0_answer_message(x), STR("role")));
	e->text = said.text;
	e->reasoning = said.reasoning;
	e->latency_ms = reading_amount(r, late, STR("latency"), 1000);
	listed = openhands_read_tokens(r, used);
	usage_merge(&e->usage, &listed); /* the list of the run also says what was not cached */
	reading_take(r, used);
	if (amount_is_known(e->latency_ms))
		reading_take(r, late);
}

/*
 * The STEP of an action of the agent: of its answer, unless that was read, or of the action itself. `text` is what the
 * agent kept of what was said. Gives the step's id.
 */
static struct str v0_read_step(const struct v0_event *x, struct str text_name)
{
	struct reading *r = x->r;
	struct val text = val_get(x->in, text_name);
	struct str id = text_or_none(val_get_text(v0_answer(x), STR("id"), r->arena));
	struct event *e;
	bool added = true;

	if (id.p)
		*map_add(&x->run->answers, id, &added) = 1;
	if (!added) {
		v0_read_growth(x, NULL);
		return id;
	}
	e = reading_add(r, EVENT_STEP);
	v0_place(x, e);
	if (id.p)
		v0_fill_step(x, e, id);
	if (!e->model.p)
		e->model = x->run->model;
	if (!e->text.p)
		e->text = reading_text_of(r, text);
	else if (val_text_is(text, e->text))
		reading_take(r, text);
	v0_read_growth(x, e);
	x->run->priced = x->run->priced || usage_is_known(&e->usage) || amount_is_known(e->usd);
	return id;
}

/* ---- actions ---- */

static struct str v0_number(struct reading *r, struct val id)
{
	int64_t n;

	return val_i64(id, &n) ? arena_printf(r->arena, "action_%lld", (long long)n) : str_of(NULL, 0);
}

/* The id of the call that an action is, or that an observation belongs to: the model's, else made of its number. */
static struct str v0_call_id(const struct v0_event *x, struct str number)
{
	struct str id = text_or_none(val_get_text(x->meta, STR("tool_call_id"), x->r->arena));

	return id.p ? id : v0_number(x->r, val_get(x->v, number));
}

/* STEP and CALL. The model's own arguments are whole; what the agent made of them is kept beside them. */
static void v0_read_call(const struct v0_event *x)
{
	struct reading *r = x->r;
	struct str id = v0_call_id(x, STR("id")), step, number = v0_number(r, val_get(x->v, STR("id")));
	struct val function = val_get(v0_answer_call(x, id), STR("function"));
	bool repeated = map_find(&x->run->answers, val_get_text(v0_answer(x), STR("id"), r->arena)) != NULL;
	size_t at = r->count;
	struct event *e;
	bool added;

	step = v0_read_step(x, STR("thought"));
	e = reading_add(r, EVENT_CALL);
	v0_place(x, e);
	e->step = step;
	e->call = id;
	e->tool = text_or_none(reading_text(r, x->meta, STR("function_name")));
	if (!e->tool.p)
		e->tool = x->word;
	if (val_is(val_get(function, STR("arguments")), JSON_STRING))
		e->args_text = reading_text(r, function, STR("arguments"));
	else if (x->in.at != x->v.at)
		e->args = reading_json_of(r, e, "args", x->in);
	reading_take(r, val_get(x->meta, STR("tool_call_id")));
	reading_take(r, val_get(v0_answer_message(x), STR("tool_calls"))); /* each has an action of its own */
	if (repeated)
		reading_take(r, v0_answer(x));
	if (number.p)
		*map_add(&x->run->calls, number, &added) = 1;
	if (!e->args.p && !e->args_text.p) { /* flat: what is left are the arguments */
		reading_take(r, val_get(x->v, STR("action")));
		e->args = reading_json_of(r, e, "args", x->v);
	}
	if (str_eq(x->word, STR("delegate")) && x->run->depth < V0_NESTED && id.p)
		x->run->inside[x->run->depth++] = id;
	reading_rest(r, &r->events[at], x->v);
}

/* The agent says that it is done: an answer of the model, and the end unless something follows. */
static void v0_read_finish(const struct v0_event *x)
{
	struct reading *r = x->r;
	size_t at = r->count;
	struct val thought = val_get(x->in, STR("final_thought"));

	v0_read_step(x, STR("thought"));
	x->run->status = str_eq(x->word, STR("finish")) ? STATUS_SUCCESS : STATUS_ERROR;
	x->run->reason = x->word;
	if (val_is(thought, JSON_STRING) && val_raw(thought).n)
		x->run->output = reading_json_of(r, NULL, "output", thought);
	if (r->count == at) { /* its answer was told before */
		openhands_add_note(r, x->v, x->word);
		return;
	}
	reading_rest(r, &r->events[at], x->v);
}

/* What was said: by the agent an answer, by anybody else a message. Flat logs do not say who: the first is the user. */
static void v0_read_said(const struct v0_event *x)
{
	struct reading *r = x->r;
	struct val source = val_get(x->v, STR("source"));
	bool agent = val_text_is(source, STR("agent")) || (val_is_none(source) && x->run->asked);
	size_t at = r->count;
	struct event *e;

	if (agent) {
		v0_read_step(x, STR("content"));
	} else {
		e = reading_add(r, EVENT_MESSAGE);
		v0_place(x, e);
		e->role = STR("user");
		e->content = reading_json(r, e, "content", x->in, STR("content"));
		x->run->asked = true;
	}
	if (r->count > at)
		reading_rest(r, &r->events[at], x->v);
}

static void v0_read_system(const struct v0_event *x)
{
	struct event *e = reading_add(x->r, EVENT_MESSAGE);

	v0_place(x, e);
	e->role = STR("system");
	e->content = reading_json(x->r, e, "content", x->in, STR("content"));
	reading_rest(x->r, e, x->v);
}

static void v0_read_note(const struct v0_event *x)
{
	bool compacts = str_has(x->word, STR("condens"));

	v0_place(x, openhands_add_note(x->r, x->v, compacts ? STR("compaction") : x->word));
}

static const struct {
	struct str word;
	void (*read)(const struct v0_event *x);
} v0_actions[] = {
	{ WORD("message"), v0_read_said },
	{ WORD("system"), v0_read_system },
	{ WORD("finish"), v0_read_finish },
	{ WORD("reject"), v0_read_finish },
	{ WORD("null"), v0_read_note },
	{ WORD("change_agent_state"), v0_read_note },
	{ WORD("condensation"), v0_read_note },
	{ WORD("condensation_request"), v0_read_note },
	{ WORD("recall"), v0_read_note },
};

static void v0_read_action(const struct v0_event *x)
{
	struct val source = val_get(x->v, STR("source"));

	for (size_t i = 0; i < COUNT(v0_actions); i++) {
		if (!str_eq(x->word, v0_actions[i].word))
			continue;
		v0_actions[i].read(x);
		return;
	}
	if (val_is_none(source) || val_text_is(source, STR("agent")))
		v0_read_call(x);
	else
		v0_read_note(x); /* of a person, or of the environment itself */
}

/* ---- observations ---- */

static bool v0_is_of_call(const struct v0_event *x)
{
	struct str number = v0_number(x->r, val_get(x->v, STR("cause")));

	if (val_has(x->meta, STR("tool_call_id")))
		return true;
	if (!number.p)
		return val_is_none(val_get(x->v, STR("id"))) && val_is_none(val_get(x->v, STR("source")));
	return map_find(&x->run->calls, number) != NULL;
}

/* An exit code that is not 0 is an error here, and so is an observation of that name. */
static void v0_read_result(const struct v0_event *x)
{
	struct reading *r = x->r;
	struct val code = val_at(x->in, STR("/metadata/exit_code"));
	struct event *e = reading_add(r, EVENT_RESULT);
	bool wrong = str_eq(x->word, STR("error")) || str_eq(x->word, STR("user_rejected"));
	int64_t n = 0;

	if (val_is_none(code))
		code = val_get(x->in, STR("exit_code"));
	if (str_eq(x->word, STR("delegate")) && x->run->depth > 0)
		x->run->depth--;
	v0_place(x, e);
	e->call = v0_call_id(x, STR("cause"));
	e->content = reading_json(r, e, "result", x->v, STR("content"));
	if (val_i64(code, &n)) {
		e->exit_code = FIGURE((uint64_t)n);
		reading_take(r, code);
	}
	e->is_error = wrong || n != 0 ? TRUTH_TRUE : TRUTH_FALSE;
	reading_take(r, val_get(x->meta, STR("tool_call_id")));
	reading_take(r, v0_answer(x)); /* told with the action */
	reading_rest(r, e, x->v);
}

/* The agent's own trouble: an answer that it could not use, a state of error. */
static void v0_read_trouble(const struct v0_event *x)
{
	struct event *e = reading_add(x->r, EVENT_ERROR);

	v0_place(x, e);
	e->class = STR("harness");
	e->code = text_or_none(reading_text(x->r, x->in, STR("error_id")));
	e->text = reading_text(x->r, x->v, STR("content"));
	if (!e->text.n)
		e->text = reading_text(x->r, x->in, STR("reason"));
	reading_rest(x->r, e, x->v);
}

static void v0_read_observation(const struct v0_event *x)
{
	bool state = str_eq(x->word, STR("agent_state_changed"));

	if (str_eq(x->word, STR("null")))
		reading_drop(x->r, x->v); /* "No observation" */
	else if (state && val_text_is(val_get(x->in, STR("agent_state")), STR("error")))
		v0_read_trouble(x);
	else if (!state && v0_is_of_call(x))
		v0_read_result(x);
	else if (str_eq(x->word, STR("error")))
		v0_read_trouble(x);
	else
		v0_read_note(x);
}

static void v0_read_event(struct v0_run *run, struct val v)
{
	struct reading *r = run->r;
	struct val action = val_get(v, STR("action")), seen = val_get(v, STR("observation"));
	struct val in = val_get(v, val_is(action, JSON_STRING) ? STR("args") : STR("extras"));
	struct v0_event x = { .run = run, .r = r, .v = v, .in = v, .meta = val_get(v, STR("tool_call_metadata")) };

	if (!val_is(v, JSON_OBJECT))
		return;
	if (val_is(in, JSON_OBJECT))
		x.in = in;
	x.ts = reading_time(r, v, STR("timestamp"));
	if (!val_is(x.meta, JSON_OBJECT))
		x.meta = VAL_NONE;
	if (val_is(action, JSON_STRING)) {
		x.word = val_text_copy(action, r->arena);
		run->reason = str_of(NULL, 0);
		v0_read_action(&x);
	} else if (val_is(seen, JSON_STRING)) {
		x.word = val_text_copy(seen, r->arena);
		v0_read_observation(&x);
	} else {
		reading_add_unknown(r, v);
	}
}

/* ---- runs ---- */

/* The first system message tells the tools; only a few events can stand before it. */
static void v0_read_tools(struct reading *r, struct val list, struct event *start)
{
	size_t looked = 0;

	VALUES_EACH(v, list) {
		struct val args = val_get(v, STR("args"));

		if (++looked > 16)
			return;
		if (!val_text_is(val_get(v, STR("action")), STR("system")))
			continue;
		if (val_is(val_get(args, STR("tools")), JSON_ARRAY))
			start->tools = reading_json(r, start, "tools", args, STR("tools"));
		start->agent_version = reading_text(r, args, STR("openhands_version"));
		return;
	}
}

static void v0_begin(struct reading *r, struct val root, struct val list)
{
	struct event *e = reading_add(r, EVENT_RUN_START);
	struct val model = val_at(root, STR("/metadata/llm_config/model"));

	openhands_hint_add(r, e)->begins = true;
	e->agent = STR("openhands");
	e->model = reading_text_of(r, val_is(model, JSON_STRING) ? model : val_at(root, STR("/metadata/model_name")));
	v0_read_tools(r, list, e);
}

/* What the results say of the whole run: its cost where no step has one, and why it failed. */
static void v0_end(struct v0_run *run, struct val root)
{
	struct reading *r = run->r;
	struct val metrics = val_get(root, STR("metrics")), error = val_get(root, STR("error"));
	struct event *e;
	double usd;

	if (!run->priced && val_double(val_get(metrics, STR("accumulated_cost")), &usd) && usd > 0) {
		e = reading_add(r, EVENT_COST);
		e->flags = EVENT_TOTAL;
		e->scope = STR("run");
		e->usage = openhands_read_tokens(r, val_get(metrics, STR("accumulated_token_usage")));
		e->usd = reading_amount(r, metrics, STR("accumulated_cost"), 1);
	}
	if (val_is(error, JSON_STRING) && val_raw(error).n) {
		e = reading_add(r, EVENT_ERROR);
		e->class = STR("harness");
		e->text = reading_text_of(r, error);
		run->status = STATUS_ERROR;
	}
	e = reading_add(r, EVENT_RUN_END);
	e->reason = run->reason;
	e->status = run->reason.p || run->status == STATUS_ERROR ? run->status : STATUS_UNKNOWN;
	e->output = run->output;
	reading_rest_under(r, e, metrics, STR("metrics"));
}

void openhands_read_v0(struct reading *r, struct val root, struct val list)
{
	struct v0_run run = { .r = r, .summed = false };
	struct val metrics = val_get(root, STR("metrics"));
	size_t start = r->count;

	map_init(&run.answers, r->arena);
	map_init(&run.calls, r->arena);
	v0_list_init(r, &run.latencies, val_get(metrics, STR("response_latencies")));
	v0_list_init(r, &run.usages, val_get(metrics, STR("token_usages")));
	v0_begin(r, root, list);
	run.model = r->events[start].model;
	VALUES_EACH(v, list) {
		if (!val_is(v, JSON_ARRAY)) {
			v0_read_event(&run, v);
			continue;
		}
		VALUES_EACH(half, v) /* an action and what came of it */
			v0_read_event(&run, half);
	}
	v0_end(&run, root);
	reading_rest(r, &r->events[start], root);
}
