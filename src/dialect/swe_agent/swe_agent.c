/*
 * SWE-agent's trajectories. A run is one document and says most things twice: `trajectory` has a step for each answer
 * of the model, with the command and what came of it; `history` has the messages, and only there calls have ids. Steps
 * are read from the first and completed from the second. A demonstration is history alone. No times, and tokens of the
 * whole run only.
 */
#include "dialect/formats.h"
#include "dialect/openai/chat.h"
#include "dialect/record/field.h"
#include "dialect/swe_agent/private.h"
#include "model/assemble.h"

struct run {
	struct reading *r;
	struct val_iter told;    /* all messages */
	struct val_iter history; /* those that were not told yet */
	struct str model;        /* of all answers */
	bool open;               /* a call waits for its result: history alone */
	struct str call;         /* its id */
};

/* ---- what both formats do ---- */

void swe_agent_take_same(struct reading *r, struct val v, struct str text)
{
	if (val_text_is(v, text))
		reading_take(r, v);
}

struct event *swe_agent_add_command(struct reading *r, struct str tool, struct str command)
{
	struct event *e = reading_add(r, EVENT_CALL);

	e->tool = tool;
	e->args = ARENA_JOIN(r->arena, STR("{\"command\":"), reading_quote(r, command), STR("}"));
	return e;
}

enum run_status swe_agent_status(struct str exit_status)
{
	if (!exit_status.n)
		return STATUS_UNKNOWN;
	return str_eq(exit_status, STR("submitted")) || str_eq(exit_status, STR("Submitted")) ? STATUS_SUCCESS :
												STATUS_ERROR;
}

void swe_agent_read_stats(struct reading *r, struct val stats)
{
	static const struct str counted[] = { WORD("tokens_sent"), WORD("tokens_received"), WORD("instance_cost") };
	struct event *e;
	double n, sum = 0;

	for (size_t i = 0; i < COUNT(counted); i++)
		sum += val_double(val_get(stats, counted[i]), &n) && n > 0 ? n : 0;
	if (sum <= 0)
		return;
	e = reading_add(r, EVENT_COST);
	e->flags = EVENT_TOTAL;
	e->scope = STR("run");
	e->usage.input = reading_count(r, stats, STR("tokens_sent"));
	e->usage.output = reading_count(r, stats, STR("tokens_received"));
	if (val_double(val_get(stats, STR("instance_cost")), &n) && n > 0)
		e->usd = reading_amount(r, stats, STR("instance_cost"), 1);
	reading_rest_under(r, e, stats, STR("model_stats"));
}

/* ---- messages ---- */

static bool swe_agent_is_demo(struct val message)
{
	return val_is(val_get(message, STR("is_demo")), JSON_TRUE) ||
	       val_text_is(val_get(message, STR("message_type")), STR("demonstration"));
}

static bool swe_agent_is_answer(struct val message)
{
	return val_text_is(val_get(message, STR("role")), STR("assistant")) && !swe_agent_is_demo(message);
}

/* Shown to the model as an example: nothing in it happened in this run. */
static void swe_agent_read_demo(struct reading *r, struct val message)
{
	struct event *e = reading_add(r, EVENT_NOTE);

	e->role = STR("demonstration");
	e->content = reading_json_of(r, e, "content", message);
}

/* An answer as the history alone tells it: its calls, or the command in `action`. */
static void swe_agent_read_answer(struct run *run, struct val message)
{
	struct reading *r = run->r;
	struct str action = val_get_text(message, STR("action"), r->arena);
	bool has_calls = val_count(val_get(message, STR("tool_calls"))) > 0;
	size_t at = r->count;

	swe_agent_take_same(r, val_get(message, STR("thought")),
			    val_get_text(message, STR("content"), r->arena));
	if (!has_calls)
		reading_take(r, val_get(message, STR("action")));
	openai_chat_read_message(r, message, 0, 0);
	if (!has_calls && str_trim(action).n)
		swe_agent_add_command(r, STR("shell"), action);
	run->open = r->count > at + 1;
	run->call = run->open ? r->events[at + 1].call : str_of(NULL, 0);
}

/* What came of the call before: a tool's message, or in older logs a user's. */
static void swe_agent_read_result(struct run *run, struct val message)
{
	struct reading *r = run->r;
	struct val id = values_first(val_get(message, STR("tool_call_ids")));
	struct event *e = reading_add(r, EVENT_RESULT);

	e->call = val_is(id, JSON_STRING) ? reading_text_of(r, id) : run->call;
	e->content = reading_json(r, e, "result", message, STR("content"));
	reading_take(r, val_get(message, STR("role")));
	reading_rest(r, e, message);
	run->open = false;
}

/* A message of a log without `trajectory`. */
static void swe_agent_read_told(struct run *run, struct val message)
{
	bool tool = val_text_is(val_get(message, STR("role")), STR("tool"));

	if (swe_agent_is_demo(message))
		swe_agent_read_demo(run->r, message);
	else if (swe_agent_is_answer(message))
		swe_agent_read_answer(run, message);
	else if (tool || (run->open && val_text_is(val_get(message, STR("role")), STR("user"))))
		swe_agent_read_result(run, message);
	else
		openai_chat_read_message(run->r, message, 0, 0);
}

/* ---- steps ---- */

/* The agent gave up, and put its reason where an answer would stand. */
static bool swe_agent_is_exit(struct str action, struct str response)
{
	bool none = !action.n || (str_starts(action, STR("exit_")) && !str_has(action, STR(" ")));

	return none && (!response.n || str_starts(response, STR("Exit")));
}

/* Messages up to the next answer, which is returned, untold. VAL_NONE when there is none. */
static struct val swe_agent_next_answer(struct run *run, bool begun)
{
	struct val message;

	while (val_next(&run->history, &message)) {
		if (!val_is(message, JSON_OBJECT))
			continue;
		if (swe_agent_is_answer(message))
			return message;
		if (swe_agent_is_demo(message))
			swe_agent_read_demo(run->r, message);
		else if (!begun)
			openai_chat_read_message(run->r, message, 0, 0);
	}
	return VAL_NONE;
}

/*
 * The message in which the model saw what the step before came to, if that is the next one. It says the observation
 * again, and then the state.
 */
static struct val swe_agent_next_seen(struct run *run)
{
	struct val_iter ahead = run->history;
	struct val message;

	if (!val_next(&ahead, &message) || !val_is(message, JSON_OBJECT) || swe_agent_is_answer(message) ||
	    swe_agent_is_demo(message))
		return VAL_NONE;
	run->history = ahead;
	return message;
}

/* STEP, then the CALLs: of the message when it has ids, else the command. True when there is any. */
static bool swe_agent_read_said(struct run *run, struct val step, struct val answer, struct str action)
{
	struct reading *r = run->r;
	struct val calls = val_get(answer, STR("tool_calls")), thinking = val_get(answer, STR("thinking_blocks"));
	struct str text = reading_text(r, step, STR("response"));
	size_t at = r->count;
	struct event *e = reading_add(r, EVENT_STEP);

	if (!text.p)
		text = val_get_text(step, STR("thought"), r->arena);
	e->text = text;
	e->model = run->model;
	swe_agent_take_same(r, val_get(answer, STR("content")), text);
	swe_agent_take_same(r, val_get(answer, STR("action")), val_get_text(step, STR("action"), r->arena));
	swe_agent_take_same(r, val_get(answer, STR("thought")), val_get_text(step, STR("thought"), r->arena));
	swe_agent_take_same(r, val_get(step, STR("thought")), text);
	reading_take(r, val_get(answer, STR("role")));
	if (val_is(thinking, JSON_ARRAY)) {
		struct openai_chat_said said = { .text = { NULL, 0 } };

		openai_chat_read_content(r, thinking, &said);
		r->events[at].reasoning = said.reasoning;
	}
	if (val_count(calls) > 0) {
		openai_chat_read_calls(r, answer, str_of(NULL, 0), 0);
	} else if (action.n) {
		swe_agent_add_command(r, STR("shell"), val_get_text(step, STR("action"), r->arena));
		reading_take(r, val_get(step, STR("action")));
	}
	reading_rest_under(r, &r->events[at], answer, STR("history"));
	return r->count > at + 1;
}

/* The RESULT of a step. What the model saw of it is kept where it is not the same text with the state behind it. */
static void swe_agent_read_observation(struct run *run, struct val step, struct str call)
{
	struct reading *r = run->r;
	struct str text = val_get_text(step, STR("observation"), r->arena), shown;
	struct event *e = reading_add(r, EVENT_RESULT);
	struct val seen, content;

	e->call = call;
	e->content = reading_json(r, e, "result", step, STR("observation"));
	e->duration_ms = reading_amount(r, step, STR("execution_time"), 1000);
	seen = swe_agent_next_seen(run);
	content = val_get(seen, STR("content"));
	shown = val_text_or_none(content, r->arena);
	if (text.n && shown.p && str_has(shown, str_trim(text)))
		reading_take(r, content);
	swe_agent_take_same(r, values_first(val_get(seen, STR("tool_call_ids"))), call);
	reading_take(r, val_get(seen, STR("role")));
	reading_rest_under(r, e, seen, STR("history"));
}

/*
 * What the model was sent, whole, in every step: the history up to there. Messages that are the same have been told;
 * others are the same after a history processor shortened them, and are dropped.
 */
static void swe_agent_drop_sent(struct run *run, struct val sent)
{
	struct val_iter told = run->told;
	struct val same;

	VALUES_EACH(message, sent) {
		struct val a = val_get(message, STR("content")), b = VAL_NONE;

		if (val_next(&told, &same))
			b = val_get(same, STR("content"));
		if (val_is(a, JSON_STRING) && val_is(b, JSON_STRING) && str_eq(val_raw(a), val_raw(b)))
			reading_take(run->r, message);
		else
			reading_drop(run->r, message);
	}
}

/* One step of the trajectory. */
static void swe_agent_read_step(struct run *run, struct val step, bool begun)
{
	struct reading *r = run->r;
	struct val answer = swe_agent_next_answer(run, begun);
	struct str action = str_trim(val_get_text(step, STR("action"), r->arena));
	size_t at = r->count;
	bool asked;

	swe_agent_drop_sent(run, val_get(step, STR("messages")));
	swe_agent_drop_sent(run, val_get(step, STR("query")));
	if (swe_agent_is_exit(action, val_get_text(step, STR("response"), r->arena))) {
		struct event *e = reading_add(r, EVENT_NOTE);

		e->role = STR("exit");
		e->content = reading_json_of(r, e, "content", step);
		reading_rest_under(r, e, answer, STR("history"));
		swe_agent_next_seen(run);
		return;
	}
	asked = swe_agent_read_said(run, step, answer, action);
	if (asked && val_has(step, STR("observation")))
		swe_agent_read_observation(run, step, r->events[at + 1].call);
	reading_rest(r, &r->events[at], step);
}

/* ---- runs ---- */

/* The settings that a run can be repeated with are an object, or in newer logs the text of one. */
static struct str swe_agent_model(struct reading *r, struct val root)
{
	struct val config = val_get(root, STR("replay_config")), parsed = VAL_NONE, name;
	struct str model;

	if (val_is(config, JSON_STRING))
		config = parsed = reading_parse(r, val_text(config, r->arena));
	name = val_at(config, STR("/agent/model/name"));
	model = val_text_copy(name, r->arena);
	if (!val_is_none(parsed))
		reading_release(r, parsed);
	return model;
}

static void swe_agent_begin(struct reading *r, struct val root)
{
	struct event *e = reading_add(r, EVENT_RUN_START);

	e->agent = STR("swe-agent");
	e->agent_version = reading_text(r, val_get(root, STR("info")), STR("swe_agent_version"));
	e->model = swe_agent_model(r, root);
}

static void swe_agent_end(struct reading *r, struct val info)
{
	struct event *e;

	if (!val_is(info, JSON_OBJECT))
		return;
	swe_agent_read_stats(r, val_get(info, STR("model_stats")));
	e = reading_add(r, EVENT_RUN_END);
	e->reason = reading_text(r, info, STR("exit_status"));
	e->status = swe_agent_status(e->reason);
	e->output = reading_json(r, e, "output", info, STR("submission"));
	reading_rest_under(r, e, info, STR("info"));
}

static void swe_agent_read_run(struct reading *r, struct val root)
{
	struct val steps = val_get(root, STR("trajectory")), history = val_get(root, STR("history"));
	struct run run = { .r = r, .told = val_begin(history), .history = val_begin(history) };
	size_t start = r->count;
	bool begun = false;

	swe_agent_begin(r, root);
	run.model = r->events[start].model;
	VALUES_EACH(step, steps) {
		if (!val_is(step, JSON_OBJECT))
			continue;
		swe_agent_read_step(&run, step, begun);
		begun = true;
	}
	VALUES_EACH(message, begun ? VAL_NONE : history)
		if (val_is(message, JSON_OBJECT))
			swe_agent_read_told(&run, message);
	swe_agent_end(r, val_get(root, STR("info")));
	reading_rest(r, &r->events[start], root);
}

/* ---- detection ---- */

/* `trajectory` and `history` are ordinary words: their first elements must be what ours are. */
static int swe_agent_fits(struct val v)
{
	static const struct str step[] = { WORD("action"), WORD("observation"), WORD("response") };
	static const struct str message[] = { WORD("role"), WORD("content"), WORD("agent") };
	struct val trajectory = val_get(v, STR("trajectory")), history = val_get(v, STR("history"));
	int mini = swe_agent_fits_mini(v);

	if (mini || !val_is(v, JSON_OBJECT))
		return mini;
	if (values_count_names(values_first(trajectory), step, COUNT(step)) == COUNT(step))
		return 95;
	if (values_count_names(values_first(history), message, COUNT(message)) < COUNT(message))
		return 0;
	return val_is(trajectory, JSON_ARRAY) || val_count(v) == 1 || val_has(v, STR("info")) ? 90 : 0;
}

static void swe_agent_read_value(struct reading *r, struct val v)
{
	if (swe_agent_fits_mini(v))
		swe_agent_read_mini(r, v);
	else if (val_is(val_get(v, STR("trajectory")), JSON_ARRAY) || val_is(val_get(v, STR("history")), JSON_ARRAY))
		swe_agent_read_run(r, v);
	else
		reading_add_unknown(r, v);
}

/* ---- the fold: runs have no ids, and several on lines are several all the same ---- */

static void *swe_agent_fold_open(void)
{
	return mem_alloc(1); /* it remembers nothing */
}

static void swe_agent_fold_close(void *fold)
{
	mem_free(fold);
}

static bool swe_agent_fold_event(void *fold, const struct event *e, struct assemble *as, struct err *err)
{
	(void)fold;
	if (e->kind == EVENT_RUN_START && !assemble_end(as, false, err))
		return false;
	return assemble_add(as, e, err);
}

static bool swe_agent_fold_end(void *fold, struct assemble *as, struct err *err)
{
	(void)fold, (void)as, (void)err;
	return true;
}

static const struct read_ops read_swe_agent = {
	.vendor = "swe-agent",
	.key = "swe-agent/1",
	.assemble = ASSEMBLE_STEP_COSTS,
	.value = swe_agent_read_value,
	.fold_open = swe_agent_fold_open,
	.fold_close = swe_agent_fold_close,
	.fold = swe_agent_fold_event,
	.fold_end = swe_agent_fold_end,
};

const struct dialect swe_agent_dialect = {
	.name = "swe-agent",
	.title = "SWE-agent and mini-swe-agent trajectories",
	.file = "run.traj",
	.unit = "run",
	.forms = DIALECT_LINES | DIALECT_DOCUMENT,
	.rules = dialect_no_rules,
	.fits = swe_agent_fits,
	.read = &read_swe_agent,
};
