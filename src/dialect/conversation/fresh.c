/* Lines made of events that were none before, in each of the three dialects. */
#include "dialect/conversation/write_private.h"
#include "dialect/reading/original.h"
#include "dialect/reading/speech.h"
#include "dialect/reading/tool_name.h"
#include "dialect/record/field.h"
#include "json/put.h"
#include "model/words.h"

/* ---- what every line may have ---- */

static void conversation_fresh_put_count(struct json_writer *j, const char *name, struct figure f)
{
	if (f.state == FIGURE_ABSENT)
		return;
	json_put_u64_or_null(j, name, f.n, figure_is_known(f));
}

/* What is left when a part is taken off; never below 0, since counts of services need not agree. */
static struct figure without(struct figure whole, struct figure part)
{
	if (figure_is_known(whole) && figure_is_known(part))
		whole.n = whole.n > part.n ? whole.n - part.n : 0;
	return whole;
}

/* As the dialect's provider counts: for Anthropic what was cached is no part of the input. */
static void conversation_fresh_put_usage(const struct conversation_writer *t, struct json_writer *j,
					 const struct usage *u)
{
	if (!usage_is_known(u))
		return;
	json_put_object(j, "usage");
	if (t->variant == CONVERSATION_ANTHROPIC) {
		conversation_fresh_put_count(j, "input_tokens",
					     without(without(u->input, u->cache_read), u->cache_write));
		conversation_fresh_put_count(j, "output_tokens", u->output);
		conversation_fresh_put_count(j, "cache_read_input_tokens", u->cache_read);
		conversation_fresh_put_count(j, "cache_creation_input_tokens", u->cache_write);
		conversation_fresh_put_count(j, "reasoning_tokens", u->reasoning);
	} else if (t->variant == CONVERSATION_OPENAI) {
		conversation_fresh_put_count(j, "prompt_tokens", u->input);
		conversation_fresh_put_count(j, "completion_tokens", u->output);
		if (u->cache_read.state != FIGURE_ABSENT || u->cache_write.state != FIGURE_ABSENT) {
			json_put_object(j, "prompt_tokens_details");
			conversation_fresh_put_count(j, "cached_tokens", u->cache_read);
			conversation_fresh_put_count(j, "cache_write_tokens", u->cache_write);
			json_write_end_object(j);
		}
		if (u->reasoning.state != FIGURE_ABSENT) {
			json_put_object(j, "completion_tokens_details");
			conversation_fresh_put_count(j, "reasoning_tokens", u->reasoning);
			json_write_end_object(j);
		}
	} else {
		conversation_fresh_put_count(j, "input_tokens", u->input);
		conversation_fresh_put_count(j, "output_tokens", u->output);
		conversation_fresh_put_count(j, "cache_read_tokens", u->cache_read);
		conversation_fresh_put_count(j, "cache_write_tokens", u->cache_write);
		conversation_fresh_put_count(j, "reasoning_tokens", u->reasoning);
	}
	json_write_end_object(j);
}

/* What a line says in a member of ours. */
struct ours {
	const char *is;
	bool unknown; /* whether a result failed */
};

void conversation_put_end(struct json_writer *j, const struct event *end)
{
	json_put_text(j, OURS_STATUS, words_status(end->status));
	if (end->reason.n)
		json_put_text(j, OURS_REASON, end->reason);
}

/* Writes nothing when there is nothing to say: a line without the member is the usual one. */
static void conversation_fresh_put_ours(struct json_writer *j, struct ours ours, const struct event *end)
{
	if (!ours.is && !ours.unknown && !end)
		return;
	json_put_object(j, OURS);
	if (ours.is)
		json_put_word(j, OURS_IS, ours.is);
	if (ours.unknown)
		json_put_raw(j, OURS_ERROR, STR("null"));
	if (end)
		conversation_put_end(j, end);
	json_write_end_object(j);
}

static void conversation_fresh_begin_line(struct conversation_writer *t, struct json_writer *j, struct str role)
{
	json_write_init(j, t->w->out, JSON_COMPACT);
	json_write_begin_object(j);
	json_put_text(j, "role", role);
}

/* Only a time that the source has, or that follows from one, is written: none that the assembler made up. */
static void end_line(struct conversation_writer *t, struct json_writer *j, const struct event *e, struct ours ours)
{
	conversation_fresh_put_ours(j, ours, t->line.end);
	if ((e->ts.source == MOMENT_VENDOR || e->ts.source == MOMENT_DERIVED) && e->ts.text.p)
		json_put_text(j, "occurred_at", e->ts.text);
	json_write_end_object(j);
	buf_add_byte(t->w->out, '\n');
}

/* A payload as text; "" for none. `loss` is what to note when the text is not all of it. */
static struct str conversation_fresh_text_of(struct conversation_writer *t, struct str json, const char *loss)
{
	bool whole = true;
	struct str text = json.p ? speech_text(&t->hold, t->inner, json, &whole) : STR("");

	losses_note(t->w->losses, !whole, loss);
	return text.p ? text : STR("");
}

/* A block that the dialect has: text, or what only blocks can be (*more). */
static bool conversation_fresh_is_block(enum conversation_variant variant, struct val block, bool *more)
{
	static const struct str openai[] = {
		WORD("image_url"), WORD("input_audio"), WORD("video_url"), WORD("file"), WORD("refusal"),
	};
	static const struct str anthropic[] = { WORD("image"), WORD("document"), WORD("search_result") };
	struct val type = val_get(block, STR("type"));

	if (!val_is(type, JSON_STRING))
		return false;
	if (val_text_is(type, STR("text")))
		return val_is(val_get(block, STR("text")), JSON_STRING);
	*more = true;
	return variant == CONVERSATION_OPENAI ? values_is_word(type, openai, COUNT(openai))
					      : values_is_word(type, anthropic, COUNT(anthropic));
}

/* A list of blocks when there is more than text in it and the dialect has them; anything else as text. */
static void conversation_fresh_put_content(struct conversation_writer *t, struct json_writer *j,
					   const struct event *e, const char *member)
{
	struct str json = original_payload(t->inner, e, member, e->content, &t->hold);
	struct val list = json.n && json.p[0] == '[' ? writing_parse(t->inner, json) : VAL_NONE, block;
	struct val_iter it = val_begin(list);
	bool blocks = t->variant != CONVERSATION_CANONICAL && val_is(list, JSON_ARRAY), more = false;

	while (blocks && val_next(&it, &block))
		blocks = conversation_fresh_is_block(t->variant, block, &more);
	if (blocks && more)
		json_put_raw(j, "content", json);
	else
		json_put_text(j, "content", conversation_fresh_text_of(t, json, "content that is not text"));
}

/* Whoever reads it would judge by the words of the result where nothing is said. */
static struct ours conversation_fresh_put_error(struct json_writer *j, const struct event *e)
{
	if (e->is_error == TRUTH_TRUE || e->is_error == TRUTH_FALSE) {
		json_put_bool(j, "is_error", e->is_error == TRUTH_TRUE);
		return (struct ours){ NULL, false };
	}
	return (struct ours){ NULL, e->content.p && conversation_marks_failure(e->content) };
}

/* ---- messages ---- */

static void write_message(struct conversation_writer *t, const struct event *e)
{
	bool told = str_eq(e->role, STR("assistant")) || str_eq(e->role, STR("tool")) ||
		    str_eq(e->role, STR("function"));
	struct json_writer j;

	conversation_fresh_begin_line(t, &j, e->role.n ? e->role : STR("user"));
	conversation_fresh_put_content(t, &j, e, "content");
	if (t->variant == CONVERSATION_CANONICAL)
		json_put_text(&j, "event", STR("message"));
	end_line(t, &j, e, (struct ours){ told ? OURS_MESSAGE : NULL, false });
}

/* ---- steps ---- */

/* Arguments as an object: what is none is {"raw": ...}. */
static struct str conversation_fresh_object_of(struct conversation_writer *t, const struct event *e)
{
	struct str args = original_payload(t->inner, e, "args", e->args.n ? e->args : STR("{}"), &t->hold);

	return args.p[0] == '{' ? args : ARENA_JOIN(&t->hold, STR("{\"raw\":"), args, STR("}"));
}

/* The calls are the events behind the first. An empty list is not written, since some services refuse it. */
static void put_openai_calls(struct conversation_writer *t, struct json_writer *j)
{
	if (t->line.count < 2)
		return;
	json_put_array(j, "tool_calls");
	for (size_t i = 1; i < t->line.count; i++) {
		const struct event *e = t->line.events[i];

		json_write_begin_object(j);
		json_put_text(j, "id", e->call);
		json_put_text(j, "type", STR("function"));
		json_put_object(j, "function");
		json_put_text(j, "name", tool_name_full(&t->hold, e));
		json_put_text(j, "arguments", conversation_fresh_object_of(t, e));
		json_write_end_object(j);
		json_write_end_object(j);
	}
	json_write_end_array(j);
}

/* Content as Anthropic has it: a text, or a list when there are thoughts or calls. */
static void put_anthropic_content(struct conversation_writer *t, struct json_writer *j, const struct event *step)
{
	bool list = t->line.count > 1 || step->reasoning.n;

	if (!list) {
		json_put_text(j, "content", step->text.p ? step->text : STR(""));
		return;
	}
	json_put_array(j, "content");
	if (step->reasoning.n) {
		json_write_begin_object(j);
		json_put_text(j, "type", STR("thinking"));
		json_put_text(j, "thinking", step->reasoning);
		json_write_end_object(j);
	}
	if (step->text.n) {
		json_write_begin_object(j);
		json_put_text(j, "type", STR("text"));
		json_put_text(j, "text", step->text);
		json_write_end_object(j);
	}
	for (size_t i = 1; i < t->line.count; i++) {
		const struct event *e = t->line.events[i];

		json_write_begin_object(j);
		json_put_text(j, "type", STR("tool_use"));
		json_put_text(j, "id", e->call);
		json_put_text(j, "name", tool_name_full(&t->hold, e));
		json_put_raw(j, "input", conversation_fresh_object_of(t, e));
		json_write_end_object(j);
	}
	json_write_end_array(j);
}

/* What a step has and no dialect of conversations has a place for. */
static void lose_step(const struct conversation_writer *t, const struct event *e)
{
	losses_note(t->w->losses, e->model.n > 0, "step.model");
	losses_note(t->w->losses, e->stop_reason.n > 0, "step.stop_reason");
	losses_note(t->w->losses, amount_is_known(e->latency_ms), "step.latency_ms");
	losses_note(t->w->losses, e->flags & EVENT_PARTIAL, "step.partial");
}

/* The line of a step with its calls, as the dialect wants it. */
static void write_step(struct conversation_writer *t, const struct event *e)
{
	struct json_writer j;

	lose_step(t, e);
	conversation_fresh_begin_line(t, &j, STR("assistant"));
	if (t->variant == CONVERSATION_ANTHROPIC) {
		put_anthropic_content(t, &j, e);
	} else if (t->variant == CONVERSATION_OPENAI) {
		json_write_key(&j, STR("content"));
		if (e->text.p || t->line.count < 2)
			json_write_string(&j, e->text.p ? e->text : STR(""));
		else
			json_write_null(&j);
		if (e->reasoning.n)
			json_put_text(&j, "reasoning_content", e->reasoning);
		put_openai_calls(t, &j);
	} else {
		json_put_text(&j, "content", e->text.p ? e->text : STR(""));
		json_put_text(&j, "event", STR("message"));
		if (e->reasoning.n)
			json_put_text(&j, "reasoning_content", e->reasoning);
	}
	conversation_fresh_put_usage(t, &j, &e->usage);
	end_line(t, &j, e, (struct ours){ e->kind != EVENT_STEP ? OURS_CALLS : NULL, false });
}

/* ---- calls and results ---- */

/* A call by itself: in the canonical dialect always, in the others when no step asked for it. */
static void conversation_fresh_write_call(struct conversation_writer *t, const struct event *e)
{
	const struct event none = { .kind = EVENT_NOTE, .ts = e->ts }; /* no step asked for it */
	const struct event *two[2] = { &none, e };
	struct conversation_line whole = t->line;
	struct json_writer j;

	if (t->variant != CONVERSATION_CANONICAL) {
		t->line = (struct conversation_line){ .events = two, .count = 2, .end = whole.end };
		write_step(t, &none);
		t->line = whole;
		return;
	}
	conversation_fresh_begin_line(t, &j, STR("assistant"));
	json_put_text(&j, "content", conversation_fresh_object_of(t, e));
	json_put_text(&j, "event", STR("tool_call"));
	json_put_text(&j, "tool_name", tool_name_full(&t->hold, e));
	json_put_text(&j, "tool_call_id", e->call);
	end_line(t, &j, e, (struct ours){ NULL, false });
}

/* Results that stand together, in one line of the user. */
static void write_results(struct conversation_writer *t)
{
	struct json_writer j;

	conversation_fresh_begin_line(t, &j, STR("user"));
	json_put_array(&j, "content");
	for (size_t i = 0; i < t->line.count; i++) {
		const struct event *e = t->line.events[i];

		json_write_begin_object(&j);
		json_put_text(&j, "type", STR("tool_result"));
		json_put_text(&j, "tool_use_id", e->call);
		if (e->content.p)
			conversation_fresh_put_content(t, &j, e, "result");
		conversation_fresh_put_ours(&j, conversation_fresh_put_error(&j, e), NULL);
		json_write_end_object(&j);
	}
	json_write_end_array(&j);
	end_line(t, &j, t->line.events[0], (struct ours){ NULL, false });
}

/* A line of role "tool", as the canonical and the openai dialect have it. */
static void conversation_fresh_write_result(struct conversation_writer *t, const struct event *e)
{
	struct json_writer j;

	conversation_fresh_begin_line(t, &j, STR("tool"));
	conversation_fresh_put_content(t, &j, e, "result");
	if (t->variant == CONVERSATION_CANONICAL)
		json_put_text(&j, "event", STR("tool_result"));
	json_put_text(&j, "tool_call_id", e->call);
	end_line(t, &j, e, conversation_fresh_put_error(&j, e));
}

void conversation_write_fresh(struct conversation_writer *t)
{
	const struct event *head = t->line.events[0];

	for (size_t i = 0; i < t->line.count; i++) {
		const struct event *e = t->line.events[i];

		losses_note(t->w->losses, e->branch.p != NULL, "branch");
		if (e->kind != EVENT_RESULT)
			continue;
		losses_note(t->w->losses, figure_is_known(e->exit_code), "result.exit_code");
		losses_note(t->w->losses, amount_is_known(e->duration_ms), "result.duration_ms");
		losses_note(t->w->losses, e->chunks.n > 0, "result.chunks");
	}
	if (head->kind == EVENT_MESSAGE)
		write_message(t, head);
	else if (head->kind == EVENT_STEP)
		write_step(t, head);
	else if (head->kind == EVENT_CALL)
		conversation_fresh_write_call(t, head);
	else if (t->variant == CONVERSATION_ANTHROPIC)
		write_results(t);
	else
		conversation_fresh_write_result(t, head);
}
