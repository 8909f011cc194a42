/* OpenAI's Responses. Every event has its number; reasoning is an item with a summary. */
#include "provider/mock_talk.h"

static bool is_cut_short(const struct mock_talk *t)
{
	enum mock_finish f = mock_talk_finish(t);

	return f == MOCK_LENGTH || f == MOCK_FILTER;
}

static void put_usage(struct json_writer *w, const struct mock_usage *u)
{
	mock_put_object(w, "usage");
	mock_put_count(w, "input_tokens", u->input);
	mock_put_object(w, "input_tokens_details");
	mock_put_count(w, "cached_tokens", u->cache_read);
	mock_put_count(w, "cache_write_tokens", u->cache_write);
	json_write_end_object(w);
	mock_put_count(w, "output_tokens", u->output);
	mock_put_object(w, "output_tokens_details");
	mock_put_count(w, "reasoning_tokens", u->reasoning);
	json_write_end_object(w);
	mock_put_count(w, "total_tokens", u->input + u->output);
	json_write_end_object(w);
}

static void put_part(struct json_writer *w, const char *name, const char *type, struct str text)
{
	mock_put_object(w, name);
	mock_put_word(w, "type", type);
	if (str_eq(str_from(type), STR("output_text"))) {
		mock_put_array(w, "annotations");
		json_write_end_array(w);
		mock_put_array(w, "logprobs");
		json_write_end_array(w);
	}
	mock_put_text(w, "text", text);
	json_write_end_object(w);
}

static void put_item_id(struct json_writer *w, const char *name, const struct mock_talk *t, const struct mock_item *i)
{
	static const char *const prefixes[] = { "rs_", "msg_", "fc_" };

	mock_put_id(w, name, prefixes[i->kind], t, i->place);
}

static void put_parts(struct json_writer *w, const char *name, const char *type, struct str text, bool full)
{
	mock_put_array(w, name);
	if (full)
		put_part(w, NULL, type, text);
	json_write_end_array(w);
}

/* An item, complete or as it begins. */
static void put_item(struct json_writer *w, const char *name, const struct mock_talk *t, const struct mock_item *i,
		     bool full)
{
	mock_put_object(w, name);
	put_item_id(w, "id", t, i);
	switch (i->kind) {
	case MOCK_REASONING:
		mock_put_word(w, "type", "reasoning");
		put_parts(w, "summary", "summary_text", i->whole, full);
		break;
	case MOCK_TEXT:
		mock_put_word(w, "type", "message");
		mock_put_word(w, "status", !full ? "in_progress" : is_cut_short(t) ? "incomplete" : "completed");
		mock_put_word(w, "role", "assistant");
		put_parts(w, "content", "output_text", i->whole, full);
		break;
	case MOCK_CALL:
		mock_put_word(w, "type", "function_call");
		mock_put_word(w, "status", full ? "completed" : "in_progress");
		mock_put_id(w, "call_id", "call_", t, i->index);
		mock_put_text(w, "name", i->call->name);
		mock_put_text(w, "arguments", full ? i->whole : STR(""));
		break;
	}
	json_write_end_object(w);
}

static void put_output(struct json_writer *w, const struct mock_talk *t, bool full)
{
	mock_put_array(w, "output");
	for (size_t i = 0; full && i < mock_talk_items(t); i++) {
		struct mock_item item = mock_talk_item(t, i);

		put_item(w, NULL, t, &item, true);
	}
	json_write_end_array(w);
}

static void put_incomplete(struct json_writer *w, const struct mock_talk *t, bool full)
{
	if (!full || !is_cut_short(t)) {
		mock_put_null(w, "incomplete_details");
		return;
	}
	mock_put_object(w, "incomplete_details");
	mock_put_word(w, "reason", mock_talk_finish(t) == MOCK_LENGTH ? "max_output_tokens" : "content_filter");
	json_write_end_object(w);
}

/* What a request asked for is not repeated: these are the defaults. */
static void put_settings(struct json_writer *w)
{
	mock_put_null(w, "instructions");
	mock_put_null(w, "max_output_tokens");
	mock_put_object(w, "metadata");
	json_write_end_object(w);
	mock_put_flag(w, "parallel_tool_calls", true);
	mock_put_null(w, "previous_response_id");
	mock_put_object(w, "reasoning");
	mock_put_null(w, "effort");
	mock_put_null(w, "summary");
	json_write_end_object(w);
	mock_put_flag(w, "store", false);
	mock_put_count(w, "temperature", 1);
	mock_put_object(w, "text");
	mock_put_object(w, "format");
	mock_put_word(w, "type", "text");
	json_write_end_object(w);
	json_write_end_object(w);
	mock_put_word(w, "tool_choice", "auto");
	mock_put_array(w, "tools");
	json_write_end_array(w);
	mock_put_count(w, "top_p", 1);
	mock_put_word(w, "truncation", "disabled");
	mock_put_null(w, "user");
}

static void put_response(struct json_writer *w, const char *name, const struct mock_talk *t, bool full)
{
	mock_put_object(w, name);
	mock_put_id(w, "id", "resp_", t, 0);
	mock_put_word(w, "object", "response");
	mock_put_count(w, "created_at", MOCK_CREATED);
	mock_put_word(w, "status", !full ? "in_progress" : is_cut_short(t) ? "incomplete" : "completed");
	mock_put_null(w, "error");
	put_incomplete(w, t, full);
	mock_put_text(w, "model", t->model);
	put_output(w, t, full);
	put_settings(w);
	if (full)
		put_usage(w, &t->usage);
	else
		mock_put_null(w, "usage");
	json_write_end_object(w);
}

/* ---- a stream ---- */

static void begin(struct json_writer *w, struct buf *out, const struct mock_talk *t, const char *type)
{
	mock_event_begin(w, out, type);
	json_write_begin_object(w);
	mock_put_word(w, "type", type);
	mock_put_count(w, "sequence_number", t->events);
}

static void end(struct json_writer *w, struct buf *out, struct mock_talk *t)
{
	json_write_end_object(w);
	mock_event_end(out, t);
}

static void add_response(struct buf *out, struct mock_talk *t, const char *type, bool full)
{
	struct json_writer w;

	begin(&w, out, t, type);
	put_response(&w, "response", t, full);
	end(&w, out, t);
}

static void add_item(struct buf *out, struct mock_talk *t, const struct mock_item *i, const char *type, bool full)
{
	struct json_writer w;

	begin(&w, out, t, type);
	mock_put_count(&w, "output_index", i->place);
	put_item(&w, "item", t, i, full);
	end(&w, out, t);
}

/* What the events about the inside of an item are called. */
static const struct inside {
	const char *part_added, *part_done, *part_type; /* NULL: it has no parts */
	const char *index;                              /* of the part */
	const char *delta, *done, *text;
} insides[] = {
	[MOCK_REASONING] = { "response.reasoning_summary_part.added", "response.reasoning_summary_part.done",
			     "summary_text", "summary_index", "response.reasoning_summary_text.delta",
			     "response.reasoning_summary_text.done", "text" },
	[MOCK_TEXT] = { "response.content_part.added", "response.content_part.done", "output_text", "content_index",
			"response.output_text.delta", "response.output_text.done", "text" },
	[MOCK_CALL] = { NULL, NULL, NULL, NULL, "response.function_call_arguments.delta",
			"response.function_call_arguments.done", "arguments" },
};

static void begin_inside(struct json_writer *w, struct buf *out, const struct mock_talk *t, const struct mock_item *i,
			 const char *type)
{
	begin(w, out, t, type);
	put_item_id(w, "item_id", t, i);
	mock_put_count(w, "output_index", i->place);
	if (insides[i->kind].index)
		mock_put_count(w, insides[i->kind].index, 0);
}

static void put_no_logprobs(struct json_writer *w, const struct mock_item *i)
{
	if (i->kind != MOCK_TEXT)
		return;
	mock_put_array(w, "logprobs");
	json_write_end_array(w);
}

static void add_begin(struct buf *out, struct mock_talk *t, const struct mock_item *i)
{
	const struct inside *in = &insides[i->kind];
	struct json_writer w;

	add_item(out, t, i, "response.output_item.added", false);
	if (!in->part_added)
		return;
	begin_inside(&w, out, t, i, in->part_added);
	put_part(&w, "part", in->part_type, STR(""));
	end(&w, out, t);
}

static void add_piece(struct buf *out, struct mock_talk *t, const struct mock_step *s)
{
	struct json_writer w;

	begin_inside(&w, out, t, &s->item, insides[s->item.kind].delta);
	mock_put_text(&w, "delta", s->piece);
	put_no_logprobs(&w, &s->item);
	end(&w, out, t);
}

static void add_end(struct buf *out, struct mock_talk *t, const struct mock_item *i)
{
	const struct inside *in = &insides[i->kind];
	struct json_writer w;

	begin_inside(&w, out, t, i, in->done);
	mock_put_text(&w, in->text, i->whole);
	if (i->call)
		mock_put_text(&w, "name", i->call->name);
	put_no_logprobs(&w, i);
	end(&w, out, t);
	if (in->part_done) {
		begin_inside(&w, out, t, i, in->part_done);
		put_part(&w, "part", in->part_type, i->whole);
		end(&w, out, t);
	}
	add_item(out, t, i, "response.output_item.done", true);
}

static void step(struct buf *out, struct mock_talk *t, const struct mock_step *s)
{
	switch (s->kind) {
	case MOCK_OPEN:
		add_response(out, t, "response.created", false);
		add_response(out, t, "response.in_progress", false);
		break;
	case MOCK_BEGIN:
		add_begin(out, t, &s->item);
		break;
	case MOCK_PIECE:
		add_piece(out, t, s);
		break;
	case MOCK_END:
		add_end(out, t, &s->item);
		break;
	case MOCK_CLOSE:
		add_response(out, t, is_cut_short(t) ? "response.incomplete" : "response.completed", true);
		break;
	}
}

static void whole(struct buf *out, struct mock_talk *t)
{
	struct json_writer w;

	json_write_init(&w, out, JSON_COMPACT);
	put_response(&w, NULL, t, true);
}

const struct mock_shape mock_openai_responses = { .lines = false, .step = step, .whole = whole };
