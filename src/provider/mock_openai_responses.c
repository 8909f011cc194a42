/* OpenAI's Responses. Every event has its number; reasoning is an item with a summary. */
#include "json/put.h"
#include "provider/mock_talk.h"

static bool is_cut_short(const struct mock_talk *t)
{
	enum mock_finish f = mock_talk_finish(t);

	return f == MOCK_LENGTH || f == MOCK_FILTER;
}

static void mock_openai_responses_put_usage(struct json_writer *w, const struct mock_usage *u)
{
	json_put_object(w, "usage");
	json_put_u64(w, "input_tokens", u->input);
	json_put_object(w, "input_tokens_details");
	json_put_u64(w, "cached_tokens", u->cache_read);
	json_put_u64(w, "cache_write_tokens", u->cache_write);
	json_write_end_object(w);
	json_put_u64(w, "output_tokens", u->output);
	json_put_object(w, "output_tokens_details");
	json_put_u64(w, "reasoning_tokens", u->reasoning);
	json_write_end_object(w);
	json_put_u64(w, "total_tokens", u->input + u->output);
	json_write_end_object(w);
}

/* A document and an element of an array have no name: NULL. */
static void responses_begin_object(struct json_writer *w, const char *name)
{
	if (name)
		json_put_key(w, name);
	json_write_begin_object(w);
}

static void put_part(struct json_writer *w, const char *name, const char *type, struct str text)
{
	responses_begin_object(w, name);
	json_put_word(w, "type", type);
	if (str_eq(str_from(type), STR("output_text"))) {
		json_put_array(w, "annotations");
		json_write_end_array(w);
		json_put_array(w, "logprobs");
		json_write_end_array(w);
	}
	json_put_text(w, "text", text);
	json_write_end_object(w);
}

static void put_item_id(struct json_writer *w, const char *name, const struct mock_talk *t, const struct mock_item *i)
{
	static const char *const prefixes[] = { "rs_", "msg_", "fc_" };

	mock_put_id(w, name, prefixes[i->kind], t, i->place);
}

static void put_parts(struct json_writer *w, const char *name, const char *type, struct str text, bool full)
{
	json_put_array(w, name);
	if (full)
		put_part(w, NULL, type, text);
	json_write_end_array(w);
}

/* An item, complete or as it begins. */
static void put_item(struct json_writer *w, const char *name, const struct mock_talk *t, const struct mock_item *i,
		     bool full)
{
	responses_begin_object(w, name);
	put_item_id(w, "id", t, i);
	switch (i->kind) {
	case MOCK_REASONING:
		json_put_word(w, "type", "reasoning");
		put_parts(w, "summary", "summary_text", i->whole, full);
		break;
	case MOCK_TEXT:
		json_put_word(w, "type", "message");
		json_put_word(w, "status", !full ? "in_progress" : is_cut_short(t) ? "incomplete" : "completed");
		json_put_word(w, "role", "assistant");
		put_parts(w, "content", "output_text", i->whole, full);
		break;
	case MOCK_CALL:
		json_put_word(w, "type", "function_call");
		json_put_word(w, "status", full ? "completed" : "in_progress");
		mock_put_id(w, "call_id", "call_", t, i->index);
		json_put_text(w, "name", i->call->name);
		json_put_text(w, "arguments", full ? i->whole : STR(""));
		break;
	}
	json_write_end_object(w);
}

static void put_output(struct json_writer *w, const struct mock_talk *t, bool full)
{
	json_put_array(w, "output");
	for (size_t i = 0; full && i < mock_talk_items(t); i++) {
		struct mock_item item = mock_talk_item(t, i);

		put_item(w, NULL, t, &item, true);
	}
	json_write_end_array(w);
}

static void put_incomplete(struct json_writer *w, const struct mock_talk *t, bool full)
{
	if (!full || !is_cut_short(t)) {
		json_put_null(w, "incomplete_details");
		return;
	}
	json_put_object(w, "incomplete_details");
	json_put_word(w, "reason", mock_talk_finish(t) == MOCK_LENGTH ? "max_output_tokens" : "content_filter");
	json_write_end_object(w);
}

/* What a request asked for is not repeated: these are the defaults. */
static void put_settings(struct json_writer *w)
{
	json_put_null(w, "instructions");
	json_put_null(w, "max_output_tokens");
	json_put_object(w, "metadata");
	json_write_end_object(w);
	json_put_bool(w, "parallel_tool_calls", true);
	json_put_null(w, "previous_response_id");
	json_put_object(w, "reasoning");
	json_put_null(w, "effort");
	json_put_null(w, "summary");
	json_write_end_object(w);
	json_put_bool(w, "store", false);
	json_put_u64(w, "temperature", 1);
	json_put_object(w, "text");
	json_put_object(w, "format");
	json_put_word(w, "type", "text");
	json_write_end_object(w);
	json_write_end_object(w);
	json_put_word(w, "tool_choice", "auto");
	json_put_array(w, "tools");
	json_write_end_array(w);
	json_put_u64(w, "top_p", 1);
	json_put_word(w, "truncation", "disabled");
	json_put_null(w, "user");
}

static void put_response(struct json_writer *w, const char *name, const struct mock_talk *t, bool full)
{
	responses_begin_object(w, name);
	mock_put_id(w, "id", "resp_", t, 0);
	json_put_word(w, "object", "response");
	json_put_u64(w, "created_at", MOCK_CREATED);
	json_put_word(w, "status", !full ? "in_progress" : is_cut_short(t) ? "incomplete" : "completed");
	json_put_null(w, "error");
	put_incomplete(w, t, full);
	json_put_text(w, "model", t->model);
	put_output(w, t, full);
	put_settings(w);
	if (full)
		mock_openai_responses_put_usage(w, &t->usage);
	else
		json_put_null(w, "usage");
	json_write_end_object(w);
}

/* ---- a stream ---- */

static void mock_openai_responses_begin(struct json_writer *w, struct buf *out, const struct mock_talk *t,
					const char *type)
{
	mock_event_begin(w, out, type);
	json_write_begin_object(w);
	json_put_word(w, "type", type);
	json_put_u64(w, "sequence_number", t->events);
}

static void mock_openai_responses_end(struct json_writer *w, struct buf *out, struct mock_talk *t)
{
	json_write_end_object(w);
	mock_event_end(out, t);
}

static void add_response(struct buf *out, struct mock_talk *t, const char *type, bool full)
{
	struct json_writer w;

	mock_openai_responses_begin(&w, out, t, type);
	put_response(&w, "response", t, full);
	mock_openai_responses_end(&w, out, t);
}

static void add_item(struct buf *out, struct mock_talk *t, const struct mock_item *i, const char *type, bool full)
{
	struct json_writer w;

	mock_openai_responses_begin(&w, out, t, type);
	json_put_u64(&w, "output_index", i->place);
	put_item(&w, "item", t, i, full);
	mock_openai_responses_end(&w, out, t);
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
	mock_openai_responses_begin(w, out, t, type);
	put_item_id(w, "item_id", t, i);
	json_put_u64(w, "output_index", i->place);
	if (insides[i->kind].index)
		json_put_u64(w, insides[i->kind].index, 0);
}

static void put_no_logprobs(struct json_writer *w, const struct mock_item *i)
{
	if (i->kind != MOCK_TEXT)
		return;
	json_put_array(w, "logprobs");
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
	mock_openai_responses_end(&w, out, t);
}

static void mock_openai_responses_add_piece(struct buf *out, struct mock_talk *t, const struct mock_step *s)
{
	struct json_writer w;

	begin_inside(&w, out, t, &s->item, insides[s->item.kind].delta);
	json_put_text(&w, "delta", s->piece);
	put_no_logprobs(&w, &s->item);
	mock_openai_responses_end(&w, out, t);
}

static void add_end(struct buf *out, struct mock_talk *t, const struct mock_item *i)
{
	const struct inside *in = &insides[i->kind];
	struct json_writer w;

	begin_inside(&w, out, t, i, in->done);
	json_put_text(&w, in->text, i->whole);
	if (i->call)
		json_put_text(&w, "name", i->call->name);
	put_no_logprobs(&w, i);
	mock_openai_responses_end(&w, out, t);
	if (in->part_done) {
		begin_inside(&w, out, t, i, in->part_done);
		put_part(&w, "part", in->part_type, i->whole);
		mock_openai_responses_end(&w, out, t);
	}
	add_item(out, t, i, "response.output_item.done", true);
}

static void mock_openai_responses_step(struct buf *out, struct mock_talk *t, const struct mock_step *s)
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
		mock_openai_responses_add_piece(out, t, s);
		break;
	case MOCK_END:
		add_end(out, t, &s->item);
		break;
	case MOCK_CLOSE:
		add_response(out, t, is_cut_short(t) ? "response.incomplete" : "response.completed", true);
		break;
	}
}

static void mock_openai_responses_whole(struct buf *out, struct mock_talk *t)
{
	struct json_writer w;

	json_write_init(&w, out, JSON_COMPACT);
	put_response(&w, NULL, t, true);
}

const struct mock_shape mock_openai_responses = { .lines = false,
						  .step = mock_openai_responses_step,
						  .whole = mock_openai_responses_whole };
