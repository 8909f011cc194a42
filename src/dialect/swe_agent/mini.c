/*
 * mini-swe-agent: a run is a list of messages as they were sent, each with an `extra` of the agent's own: the raw
 * answer of the service, the commands that were found in it, what they came to. Without calls of tools a command is a
 * fenced block in the text, and its result the user's message behind it. A last message of the role "exit" ends the
 * run; in the first version, where the list is the whole log, it has the role of the user.
 */
#include "base/num.h"
#include "dialect/exchange/exchange.h"
#include "dialect/openai/chat.h"
#include "dialect/openai/responses_items.h"
#include "dialect/record/field.h"
#include "dialect/swe_agent/private.h"

struct mini {
	struct reading *r;
	struct val info;
	struct str model; /* of answers that do not tell theirs */
	bool open;      /* a command without an id waits for its result */
	bool submitted; /* the latest command hands in the work */
	bool priced;    /* steps have costs of their own */
	bool ended;
};

/* ---- commands in texts ---- */

/* The command of a text that has one fenced block of a shell, as the agent demands; p NULL for none or several. */
static struct str mini_find_command(struct str text)
{
	static const struct str fences[] = { WORD("```bash"), WORD("```mswea_bash_command") };
	struct str found = { NULL, 0 };

	for (size_t i = 0; i < COUNT(fences); i++) {
		struct str left = text, head, body;
		size_t at;

		while ((at = str_find(left, fences[i])) != (size_t)-1) {
			left = str_skip(left, at + fences[i].n);
			head = str_cut(left, '\n', &body);
			at = str_find(body, STR("```"));
			if (str_trim(head).n || at == (size_t)-1)
				continue;
			if (found.p)
				return str_of(NULL, 0);
			found = str_trim(str_of(body.p, at));
			left = str_skip(body, at + 3);
		}
	}
	return found;
}

static bool mini_is_submission(struct str command)
{
	return str_has(command, STR("COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT")) ||
	       str_has(command, STR("MINI_SWE_AGENT_FINAL_OUTPUT"));
}

/* ---- answers ---- */

/* Whether a raw answer's message is the message itself: the agent puts the one into the other. */
static bool mini_is_same(struct val a, struct val b, struct arena *arena)
{
	struct val x = val_get(a, STR("tool_calls")), y = val_get(b, STR("tool_calls"));
	struct str text = val_get_text(a, STR("content"), arena);

	if (!val_is(b, JSON_OBJECT) || val_count(x) != val_count(y))
		return false;
	if (text.p ? !val_text_is(val_get(b, STR("content")), text) : val_is(val_get(b, STR("content")), JSON_STRING))
		return false;
	return val_text_is(val_get(values_first(y), STR("id")), val_get_text(values_first(x), STR("id"), arena)) ||
	       val_count(x) == 0;
}

/* What the raw answer and the agent say of a STEP, into it. `message` is the answer's message in the log. */
static void mini_read_response(struct mini *m, struct val extra, struct val message, struct event *into)
{
	struct reading *r = m->r;
	struct val response = val_get(extra, STR("response")), usage = val_get(response, STR("usage"));
	struct val choice = values_first(val_get(response, STR("choices"))), said = val_get(choice, STR("message"));
	double cost;

	into->ts = reading_time(r, extra, STR("timestamp"));
	into->step = into->response_id = text_or_none(reading_text(r, response, STR("id")));
	into->model = reading_text(r, response, STR("model"));
	into->stop_reason = reading_text(r, choice, STR("finish_reason"));
	into->usage = openai_chat_read_usage(r, usage, into->model);
	if (val_double(val_get(extra, STR("cost")), &cost) && cost > 0)
		into->usd = reading_amount(r, extra, STR("cost"), 1);
	else if (val_double(val_get(extra, STR("cost")), &cost))
		reading_drop(r, val_get(extra, STR("cost"))); /* the agent knew no price */
	m->priced = m->priced || amount_is_known(into->usd);
	if (mini_is_same(message, said, r->arena))
		reading_take(r, said);
	reading_take(r, val_get(response, STR("object")));
}

/* An answer is read into `from`, and the message made its STEP. */
static void mini_fill_step(const struct mini *m, struct event *step, const struct event *from)
{
	step->ts = from->ts.text.p ? from->ts : step->ts;
	step->step = from->step;
	step->response_id = from->response_id;
	if (!step->model.p || from->model.p)
		step->model = from->model.p ? from->model : m->model;
	step->stop_reason = from->stop_reason.p ? from->stop_reason : step->stop_reason;
	step->usage = usage_is_known(&from->usage) ? from->usage : step->usage;
	step->usd = from->usd;
}

/* The commands that the agent found are calls: taken before what is left of their message is kept with it. */
static void mini_take_commands(struct mini *m, struct val extra)
{
	VALUES_EACH(action, val_get(extra, STR("actions"))) {
		if (!val_is(val_get(action, STR("command")), JSON_STRING))
			continue;
		reading_take(m->r, val_get(action, STR("command")));
		reading_take(m->r, val_get(action, STR("tool_call_id")));
	}
}

/* CALLs of the commands that the agent found, else of the one in the text. */
static void mini_add_commands(struct mini *m, struct val extra, struct str text, struct str step)
{
	struct reading *r = m->r;
	struct val actions = val_get(extra, STR("actions"));
	struct str command = { NULL, 0 };
	int place = 0;

	VALUES_EACH(action, actions) {
		struct event *e;

		if (!val_is(val_get(action, STR("command")), JSON_STRING))
			continue;
		command = val_get_text(action, STR("command"), r->arena);
		e = swe_agent_add_command(r, STR("bash"), command);
		e->call = text_or_none(val_get_text(action, STR("tool_call_id"), r->arena));
		e->step = step;
		e->index = place++;
	}
	if (place == 0 && val_count(actions) == 0 && (command = mini_find_command(text)).p) {
		swe_agent_add_command(r, STR("bash"), command)->step = step;
		place++;
	}
	m->open = place > 0;
	m->submitted = place > 0 && mini_is_submission(command);
}

/* STEP and CALLs of a message of the assistant. */
static void mini_read_answer(struct mini *m, struct val message)
{
	struct reading *r = m->r;
	struct val extra = val_get(message, STR("extra"));
	bool has_calls = val_count(val_get(message, STR("tool_calls"))) > 0;
	struct str text = val_get_text(message, STR("content"), r->arena);
	struct event from = { .index = -1 };
	size_t at = r->count;

	mini_read_response(m, extra, message, &from);
	if (has_calls)
		reading_take(r, val_get(extra, STR("actions"))); /* the calls, told again */
	else
		mini_take_commands(m, extra);
	openai_chat_read_message(r, message, 0, 0);
	for (size_t i = at; i < r->count; i++) {
		if (r->events[i].kind == EVENT_STEP)
			mini_fill_step(m, &r->events[i], &from);
		else if (r->events[i].kind == EVENT_CALL)
			r->events[i].step = from.step;
	}
	m->open = m->submitted = false;
	if (!has_calls)
		mini_add_commands(m, extra, text, from.step);
}

/* An answer of the Responses: the message is all of it, with `extra` beside its members. */
static void mini_read_responses(struct mini *m, struct val message)
{
	struct reading *r = m->r;
	struct val extra = val_get(message, STR("extra"));
	struct event from = { .index = -1 };
	size_t at = r->count;

	mini_read_response(m, extra, VAL_NONE, &from);
	reading_take(r, val_get(extra, STR("actions")));
	openai_responses_api.response(r, message);
	if (r->count > at && r->events[at].kind == EVENT_STEP) {
		r->events[at].usd = from.usd;
		if (from.ts.text.p)
			r->events[at].ts = from.ts;
	}
	m->open = false;
}

/* ---- results ---- */

/* What the tool came to, by `extra`, or by the tag in front of the text. An exit code is no error; an exception is. */
static void mini_read_outcome(struct mini *m, struct val extra, struct str text, struct event *e)
{
	struct reading *r = m->r;
	struct val code = val_get(extra, STR("returncode")), raw = val_get(extra, STR("raw_output"));
	struct str thrown = val_get_text(extra, STR("exception_info"), r->arena), tag = STR("<returncode>"), rest;
	struct str output = val_text_or_none(raw, r->arena);
	int64_t n;

	if (val_i64(code, &n)) {
		e->exit_code = FIGURE((uint64_t)n);
		reading_take(r, code);
	} else if (str_starts(text, tag) && num_parse_i64(str_cut(str_skip(text, tag.n), '<', &rest), &n)) {
		e->exit_code = FIGURE((uint64_t)n);
	}
	if (figure_is_known(e->exit_code) || thrown.n)
		e->is_error = thrown.n ? TRUTH_TRUE : TRUTH_FALSE;
	if (!thrown.n)
		reading_take(r, val_get(extra, STR("exception_info")));
	/* shown whole, as it is or quoted: longer ones are shown in part, and kept */
	if (output.p && (str_has(text, output) || str_has(text, reading_quote(r, output))))
		reading_take(r, raw);
	e->ts = reading_time(r, extra, STR("timestamp"));
}

/* A message of the user behind a command without an id is its result. */
static void mini_read_observation(struct mini *m, struct val message)
{
	struct reading *r = m->r;
	struct event *e = reading_add(r, EVENT_RESULT);

	mini_read_outcome(m, val_get(message, STR("extra")), val_get_text(message, STR("content"), r->arena), e);
	e->content = reading_json(r, e, "result", message, STR("content"));
	reading_take(r, val_get(message, STR("role")));
	reading_rest(r, e, message);
	m->open = false;
}

/* A tool's message, of either API; it names its call. */
static void mini_read_tool(struct mini *m, struct val message)
{
	struct reading *r = m->r;
	bool chat = val_has(message, STR("role"));
	struct str text = val_get_text(message, chat ? STR("content") : STR("output"), r->arena);
	struct responses_place place = { .index = -1 };
	struct event from = { .index = -1 };
	size_t at = r->count;

	mini_read_outcome(m, val_get(message, STR("extra")), text, &from);
	if (chat)
		openai_chat_read_message(r, message, 0, 0);
	else
		responses_read_item(r, message, &place);
	if (r->count == at || r->events[at].kind != EVENT_RESULT)
		return;
	r->events[at].ts = from.ts;
	r->events[at].exit_code = from.exit_code;
	r->events[at].is_error = from.is_error;
}

/* ---- the end ---- */

static void mini_end(struct mini *m, struct val message)
{
	struct reading *r = m->r;
	struct val extra = val_get(message, STR("extra"));
	struct event *e;

	if (!m->priced)
		swe_agent_read_stats(r, val_get(m->info, STR("model_stats")));
	e = reading_add(r, EVENT_RUN_END);
	e->reason = text_or_none(reading_text(r, extra, STR("exit_status")));
	if (!e->reason.p)
		e->reason = text_or_none(reading_text(r, m->info, STR("exit_status")));
	else
		swe_agent_take_same(r, val_get(m->info, STR("exit_status")), e->reason);
	e->status = swe_agent_status(e->reason);
	if (!e->reason.p && m->submitted) /* a bare list says nothing more */
		e->status = STATUS_SUCCESS;
	if (val_is(message, JSON_OBJECT)) {
		struct str text = val_get_text(message, STR("content"), r->arena);

		e->output = reading_json(r, e, "output", message, STR("content"));
		swe_agent_take_same(r, val_get(extra, STR("submission")), text);
		swe_agent_take_same(r, val_get(m->info, STR("submission")), text);
		reading_take(r, val_get(message, STR("role")));
		reading_rest(r, e, message);
	} else {
		e->output = reading_json(r, e, "output", m->info, STR("submission"));
	}
	reading_rest_under(r, e, val_get(m->info, STR("model_stats")), STR("model_stats"));
	m->ended = true;
}

/* ---- messages ---- */

/*
 * The last message of a list without the role "exit", when no result can be meant: what the agent was stopped with. It
 * follows a command, and neither its tag nor `extra` says that the command came to an end.
 */
static bool mini_is_last_word(const struct mini *m, struct val message, bool last)
{
	struct val content = val_get(message, STR("content"));

	return last && m->open && !val_has(val_get(message, STR("extra")), STR("returncode")) &&
	       !(val_is(content, JSON_STRING) && str_starts(val_raw(content), STR("<returncode>")));
}

/* What the user said; behind an answer that the agent could not use, that answer, which no message holds. */
static void mini_read_user(struct mini *m, struct val message)
{
	struct reading *r = m->r;
	struct val extra = val_get(message, STR("extra")), response = val_get(extra, STR("response"));
	struct str text = val_get_text(message, STR("content"), r->arena);
	struct moment ts = reading_time(r, extra, STR("timestamp"));
	size_t at = r->count;

	if (val_is(response, JSON_OBJECT)) {
		if (val_text_is(val_get(response, STR("object")), STR("response")))
			openai_responses_api.response(r, response);
		else
			openai_chat_read_response(r, response);
	}
	mini_take_commands(m, extra);
	openai_chat_read_message(r, message, 0, 0);
	for (; ts.text.p && at < r->count; at++)
		r->events[at].ts = ts;
	if (val_count(val_get(extra, STR("actions"))) > 0) /* a person gave the command */
		mini_add_commands(m, extra, text, str_of(NULL, 0));
}

static void mini_read_message(struct mini *m, struct val message, bool last)
{
	struct val role = val_get(message, STR("role"));

	if (val_text_is(role, STR("exit")))
		mini_end(m, message);
	else if (val_text_is(val_get(message, STR("object")), STR("response")))
		mini_read_responses(m, message);
	else if (val_text_is(role, STR("assistant")))
		mini_read_answer(m, message);
	else if (val_text_is(role, STR("tool")) ||
		 val_text_is(val_get(message, STR("type")), STR("function_call_output")))
		mini_read_tool(m, message);
	else if (val_text_is(role, STR("user")) && mini_is_last_word(m, message, last))
		mini_end(m, message);
	else if (val_text_is(role, STR("user")) && m->open)
		mini_read_observation(m, message);
	else
		mini_read_user(m, message);
}

void swe_agent_read_mini(struct reading *r, struct val root)
{
	struct val list = val_is(root, JSON_ARRAY) ? root : val_get(root, STR("messages"));
	struct mini m = { .r = r, .info = val_get(root, STR("info")) };
	size_t start = r->count, left = val_count(list);
	struct event *e = reading_add(r, EVENT_RUN_START);

	e->agent = STR("mini-swe-agent");
	e->agent_version = reading_text(r, m.info, STR("mini_version"));
	e->model = m.model = reading_text_of(r, val_at(m.info, STR("/config/model/model_name")));
	reading_take(r, val_get(root, STR("trajectory_format")));
	VALUES_EACH(message, list) {
		left--;
		if (val_is(message, JSON_OBJECT) && !m.ended)
			mini_read_message(&m, message, left == 0);
	}
	if (!m.ended && val_is(m.info, JSON_OBJECT))
		mini_end(&m, VAL_NONE);
	reading_rest(r, &r->events[start], root);
}

/* ---- detection ---- */

/* A bare list of messages is many things; this one's second answer or first begins with prose and has one fence. */
static bool mini_is_list(struct val list)
{
	size_t looked = 0;

	if (!val_is(list, JSON_ARRAY) || !openai_chat_is_messages(list))
		return false;
	VALUES_EACH(message, list) {
		struct val content = val_get(message, STR("content"));

		if (++looked > 4 || !val_is(content, JSON_STRING))
			return false;
		if (val_text_is(val_get(message, STR("role")), STR("system")) &&
		    (str_has(val_raw(content), STR("```mswea_bash_command")) ||
		     (str_has(val_raw(content), STR("```bash")) && str_has(val_raw(content), STR("bash code block")))))
			return true;
		if (val_text_is(val_get(message, STR("role")), STR("assistant")))
			return str_has(val_raw(content), STR("```mswea_bash_command"));
	}
	return false;
}

int swe_agent_fits_mini(struct val root)
{
	struct val format = val_get(root, STR("trajectory_format")), info = val_get(root, STR("info"));

	if (val_is(root, JSON_ARRAY))
		return mini_is_list(root) ? 90 : 0;
	if (!val_is(val_get(root, STR("messages")), JSON_ARRAY))
		return 0;
	if (val_is(format, JSON_STRING) && str_starts(val_raw(format), STR("mini-swe-agent")))
		return 100;
	return val_has(info, STR("mini_version")) ||
	       (val_has(info, STR("exit_status")) && val_has(info, STR("model_stats"))) ? 90 : 0;
}
