/*
 * AgentChat: messages of a team, one on each line, in a list, in the result of a task or in the saved state of a team
 * or an agent. A message that says what it cost is an answer of the model.
 */
#include "dialect/autogen/private.h"
#include "dialect/exchange/asked.h"
#include "dialect/openai/chat.h"
#include "dialect/record/field.h"

static const struct str autogen_texts[] = {
	WORD("TextMessage"), WORD("MultiModalMessage"), WORD("StructuredMessage"), WORD("CodeGenerationEvent"),
};

/* Others of AgentChat, that are no answers unless they say what they cost. */
static const struct str autogen_others[] = {
	WORD("StopMessage"), WORD("HandoffMessage"), WORD("ToolCallSummaryMessage"), WORD("ToolCallRequestEvent"),
	WORD("ToolCallExecutionEvent"), WORD("ThoughtEvent"), WORD("ModelClientStreamingChunkEvent"),
	WORD("MemoryQueryEvent"), WORD("UserInputRequestedEvent"), WORD("CodeExecutionEvent"),
	WORD("SelectSpeakerEvent"), WORD("SelectorEvent"),
};

static const struct str autogen_models[] = {
	WORD("SystemMessage"), WORD("UserMessage"), WORD("AssistantMessage"), WORD("FunctionExecutionResultMessage"),
};

/* A text, or the class of an output, "StructuredMessage[Plan]". */
static bool autogen_chat_is_text(struct val type)
{
	return values_is_word(type, autogen_texts, COUNT(autogen_texts)) ||
	       (val_is(type, JSON_STRING) && str_starts(val_raw(type), STR("StructuredMessage[")));
}

static bool autogen_chat_is_message(struct val v)
{
	struct val type = val_get(v, STR("type"));

	return val_has(v, STR("source")) && val_has(v, STR("content")) &&
	       (autogen_chat_is_text(type) || values_is_word(type, autogen_others, COUNT(autogen_others)));
}

/* An answer: its text, its calls, or whatever else it is as JSON. */
static void autogen_chat_read_answer(struct reading *r, struct val v, struct moment ts)
{
	struct event *e = autogen_add(r, EVENT_STEP, AUTOGEN_OTHER);
	struct val content = val_get(v, STR("content"));
	bool asks = val_text_is(val_get(v, STR("type")), STR("ToolCallRequestEvent"));
	size_t at = r->count - 1;
	int place = 0;

	e->ts = ts;
	e->step = text_or_none(reading_text(r, v, STR("id")));
	e->usage = openai_chat_read_usage(r, val_get(v, STR("models_usage")), str_of(NULL, 0));
	if (!asks)
		e->text = val_is(content, JSON_STRING) ? reading_text_of(r, content)
						       : reading_json_of(r, e, "text", content);
	if (!val_is(content, JSON_ARRAY) || !asks)
		return;
	VALUES_EACH(call, content) {
		e = reading_add(r, EVENT_CALL);
		e->ts = ts;
		e->step = r->events[at].step;
		e->index = place++;
		e->call = text_or_none(reading_text(r, call, STR("id")));
		e->tool = reading_text(r, call, STR("name"));
		e->args_text = reading_text(r, call, STR("arguments"));
		reading_rest(r, e, call);
	}
	autogen_mark_answer(r, at);
}

static void autogen_chat_read_results(struct reading *r, struct val content, struct moment ts)
{
	VALUES_EACH(result, content) {
		struct event *e = autogen_add(r, EVENT_RESULT, AUTOGEN_OTHER);

		e->ts = ts;
		e->call = text_or_none(reading_text(r, result, STR("call_id")));
		e->tool = reading_text(r, result, STR("name"));
		e->content = reading_json(r, e, "result", result, STR("content"));
		e->is_error = (uint8_t)reading_truth(r, result, STR("is_error"));
		reading_rest(r, e, result);
	}
}

/* What was thought belongs to the answer that follows; a piece of an answer is told again by it. */
static void autogen_chat_read_message(struct reading *r, struct val v)
{
	struct val type = val_get(v, STR("type")), content = val_get(v, STR("content"));
	bool costs = val_is(val_get(v, STR("models_usage")), JSON_OBJECT);
	bool user = val_text_is(val_get(v, STR("source")), STR("user"));
	struct moment ts = reading_time(r, v, STR("created_at"));
	size_t at = r->count;
	struct event *e;

	if (val_text_is(type, STR("ModelClientStreamingChunkEvent"))) {
		reading_drop(r, v);
		return;
	}
	if (val_text_is(type, STR("ToolCallExecutionEvent"))) {
		autogen_chat_read_results(r, content, ts);
	} else if (val_text_is(type, STR("ThoughtEvent")) && val_is(content, JSON_STRING)) {
		e = reading_add(r, EVENT_NOTE);
		autogen_hint_add(r, e, AUTOGEN_THOUGHT)->thought = val_text(content, r->arena);
		e->ts = ts;
		e->role = STR("thought");
		e->content = reading_json_of(r, e, "content", content);
	} else if (costs || val_text_is(type, STR("ToolCallRequestEvent")) || (!user && autogen_chat_is_text(type))) {
		autogen_chat_read_answer(r, v, ts);
	} else if (autogen_chat_is_text(type)) {
		e = autogen_add(r, EVENT_MESSAGE, AUTOGEN_OTHER);
		e->ts = ts;
		e->role = STR("user");
		e->content = reading_json_of(r, e, "content", content);
	} else {
		autogen_add_note(r, v, reading_peek(r, v, STR("type")), ts);
		return;
	}
	if (r->count == at)
		autogen_add(r, EVENT_NOTE, AUTOGEN_OTHER)->role = STR("message");
	reading_rest(r, &r->events[at], v);
}

/* Messages of either kind; how many. */
static size_t autogen_chat_read_list(struct reading *r, struct val list)
{
	size_t n = 0;

	VALUES_EACH(v, list) {
		struct val type = val_get(v, STR("type"));

		if (values_is_word(type, autogen_models, COUNT(autogen_models))) {
			autogen_read_message(r, v, 0, 0);
		} else if (autogen_chat_is_message(v)) {
			autogen_chat_read_message(r, v);
		} else {
			continue; /* it stays with what is left */
		}
		n++;
	}
	return n;
}

/* The thread that a group of agents shares has all that was said; without one, what each agent knows. */
static size_t autogen_chat_read_states(struct reading *r, struct val states)
{
	struct val_iter it = val_begin(states);
	struct val key, state;
	size_t n = 0;

	while (val_is(states, JSON_OBJECT) && val_next_member(&it, &key, &state))
		n += autogen_chat_read_list(r, val_get(state, STR("message_thread")));
	it = val_begin(states);
	while (n == 0 && val_is(states, JSON_OBJECT) && val_next_member(&it, &key, &state))
		n += autogen_chat_read_list(r, val_at(state, STR("/agent_state/llm_context/messages")));
	return n;
}

static bool autogen_chat_is_state(struct val v)
{
	return val_is(val_get(v, STR("agent_states")), JSON_OBJECT) ||
	       val_is(val_at(v, STR("/llm_context/messages")), JSON_ARRAY) ||
	       val_is(val_get(v, STR("message_thread")), JSON_ARRAY);
}

static struct val autogen_chat_find_task(struct val v)
{
	struct val task = val_get(v, STR("task_result"));

	return val_is(task, JSON_OBJECT) ? task : v;
}

void autogen_chat_read(struct reading *r, struct val v)
{
	struct val task = autogen_chat_find_task(v);
	size_t from = r->count;
	struct event *e;

	if (autogen_chat_is_message(v)) {
		autogen_chat_read_message(r, v);
		return;
	}
	autogen_chat_read_list(r, val_get(task, STR("messages")));
	autogen_chat_read_list(r, val_get(v, STR("message_thread")));
	autogen_chat_read_list(r, val_at(v, STR("/llm_context/messages")));
	autogen_chat_read_states(r, val_get(v, STR("agent_states")));
	autogen_mark_answer(r, from);
	e = autogen_add(r, EVENT_NOTE, AUTOGEN_OTHER);
	e->role = STR("state");
	e->content = STR("null");
	reading_rest(r, e, v);
}

int autogen_chat_fits(struct val v)
{
	struct val first = values_first(val_get(autogen_chat_find_task(v), STR("messages"))), type;

	if (autogen_chat_is_message(v) || autogen_chat_is_message(first))
		return 85;
	type = val_get(v, STR("type"));
	if (!autogen_chat_is_state(v) || !val_is(type, JSON_STRING))
		return 0;
	return str_ends(val_raw(type), STR("State")) ? 90 : 0;
}
