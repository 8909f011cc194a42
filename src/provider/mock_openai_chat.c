/* OpenAI's chat completions. Reasoning has the name that DeepSeek and vLLM gave it: reasoning_content. */
#include "json/put.h"
#include "provider/mock_talk.h"

static const char *finish_word(const struct mock_talk *t)
{
	static const char *const words[] = { "stop", "length", "tool_calls", "content_filter", "stop" };

	return words[mock_talk_finish(t)];
}

static void put_finish(struct json_writer *w, const struct mock_talk *t)
{
	if (mock_talk_finish(t) == MOCK_OTHER)
		json_put_text(w, "finish_reason", t->reply.finish);
	else
		json_put_word(w, "finish_reason", finish_word(t));
}

static void mock_openai_chat_put_usage(struct json_writer *w, const struct mock_usage *u)
{
	json_put_object(w, "usage");
	json_put_u64(w, "prompt_tokens", u->input);
	json_put_u64(w, "completion_tokens", u->output);
	json_put_u64(w, "total_tokens", u->input + u->output);
	json_put_object(w, "prompt_tokens_details");
	json_put_u64(w, "cached_tokens", u->cache_read);
	json_put_u64(w, "audio_tokens", 0);
	json_write_end_object(w);
	json_put_object(w, "completion_tokens_details");
	json_put_u64(w, "reasoning_tokens", u->reasoning);
	json_put_u64(w, "audio_tokens", 0);
	json_put_u64(w, "accepted_prediction_tokens", 0);
	json_put_u64(w, "rejected_prediction_tokens", 0);
	json_write_end_object(w);
	json_write_end_object(w);
}

static void mock_openai_chat_put_head(struct json_writer *w, const struct mock_talk *t, const char *object)
{
	json_write_begin_object(w);
	mock_put_id(w, "id", "chatcmpl-", t, 0);
	json_put_word(w, "object", object);
	json_put_u64(w, "created", MOCK_CREATED);
	json_put_text(w, "model", t->model);
	json_put_word(w, "system_fingerprint", "fp_mock");
}

/* ---- a stream ---- */

static void begin_chunk(struct json_writer *w, struct buf *out, const struct mock_talk *t)
{
	mock_event_begin(w, out, NULL);
	mock_openai_chat_put_head(w, t, "chat.completion.chunk");
	json_put_array(w, "choices");
}

static void begin_delta(struct json_writer *w, struct buf *out, const struct mock_talk *t)
{
	begin_chunk(w, out, t);
	json_write_begin_object(w);
	json_put_u64(w, "index", 0);
	json_put_object(w, "delta");
}

static void end_delta(struct json_writer *w, struct buf *out, struct mock_talk *t, bool finished)
{
	json_write_end_object(w);
	json_put_null(w, "logprobs");
	if (finished)
		put_finish(w, t);
	else
		json_put_null(w, "finish_reason");
	json_write_end_object(w);
	json_write_end_array(w);
	if (t->include_usage)
		json_put_null(w, "usage"); /* in all but the last chunk */
	json_write_end_object(w);
	mock_event_end(out, t);
}

static void mock_openai_chat_add_open(struct buf *out, struct mock_talk *t)
{
	struct json_writer w;

	begin_delta(&w, out, t);
	json_put_word(&w, "role", "assistant");
	if (t->reply.text.n || t->reply.call_count == 0)
		json_put_word(&w, "content", "");
	else
		json_put_null(&w, "content");
	json_put_null(&w, "refusal");
	end_delta(&w, out, t, false);
}

static void put_call_begin(struct json_writer *w, const struct mock_talk *t, const struct mock_item *i)
{
	mock_put_id(w, "id", "call_", t, i->index);
	json_put_word(w, "type", "function");
	json_put_object(w, "function");
	json_put_text(w, "name", i->call->name);
}

/* The first delta of a call has its id and name, all others pieces of its arguments. */
static void mock_openai_chat_add_call(struct buf *out, struct mock_talk *t, const struct mock_step *s)
{
	struct json_writer w;

	begin_delta(&w, out, t);
	json_put_array(&w, "tool_calls");
	json_write_begin_object(&w);
	json_put_u64(&w, "index", s->item.index);
	if (s->kind == MOCK_BEGIN)
		put_call_begin(&w, t, &s->item);
	else
		json_put_object(&w, "function");
	json_put_text(&w, "arguments", s->piece);
	json_write_end_object(&w);
	json_write_end_object(&w);
	json_write_end_array(&w);
	end_delta(&w, out, t, false);
}

static void mock_openai_chat_add_piece(struct buf *out, struct mock_talk *t, const struct mock_step *s)
{
	struct json_writer w;

	begin_delta(&w, out, t);
	json_put_text(&w, s->item.kind == MOCK_REASONING ? "reasoning_content" : "content", s->piece);
	end_delta(&w, out, t, false);
}

static void mock_openai_chat_add_close(struct buf *out, struct mock_talk *t)
{
	struct json_writer w;

	begin_delta(&w, out, t);
	end_delta(&w, out, t, true);
	if (t->include_usage) {
		begin_chunk(&w, out, t);
		json_write_end_array(&w);
		mock_openai_chat_put_usage(&w, &t->usage);
		json_write_end_object(&w);
		mock_event_end(out, t);
	}
	buf_add_str(out, STR("data: [DONE]"));
	mock_event_end(out, t);
}

static void mock_openai_chat_step(struct buf *out, struct mock_talk *t, const struct mock_step *s)
{
	if (s->kind == MOCK_OPEN)
		mock_openai_chat_add_open(out, t);
	else if (s->kind == MOCK_CLOSE)
		mock_openai_chat_add_close(out, t);
	else if (s->kind != MOCK_END && s->item.kind == MOCK_CALL)
		mock_openai_chat_add_call(out, t, s);
	else if (s->kind == MOCK_PIECE)
		mock_openai_chat_add_piece(out, t, s);
}

/* ---- whole ---- */

static void mock_openai_chat_put_calls(struct json_writer *w, const struct mock_talk *t)
{
	json_put_array(w, "tool_calls");
	for (size_t i = 0; i < mock_talk_items(t); i++) {
		struct mock_item item = mock_talk_item(t, i);

		if (item.kind != MOCK_CALL)
			continue;
		json_write_begin_object(w);
		put_call_begin(w, t, &item);
		json_put_text(w, "arguments", item.whole);
		json_write_end_object(w);
		json_write_end_object(w);
	}
	json_write_end_array(w);
}

static void mock_openai_chat_whole(struct buf *out, struct mock_talk *t)
{
	struct json_writer w;

	json_write_init(&w, out, JSON_COMPACT);
	mock_openai_chat_put_head(&w, t, "chat.completion");
	json_put_array(&w, "choices");
	json_write_begin_object(&w);
	json_put_u64(&w, "index", 0);
	json_put_object(&w, "message");
	json_put_word(&w, "role", "assistant");
	if (t->reply.text.n || t->reply.call_count == 0)
		json_put_text(&w, "content", t->reply.text);
	else
		json_put_null(&w, "content");
	if (t->reply.reasoning.n)
		json_put_text(&w, "reasoning_content", t->reply.reasoning);
	json_put_null(&w, "refusal");
	if (t->reply.call_count)
		mock_openai_chat_put_calls(&w, t);
	json_write_end_object(&w);
	json_put_null(&w, "logprobs");
	put_finish(&w, t);
	json_write_end_object(&w);
	json_write_end_array(&w);
	mock_openai_chat_put_usage(&w, &t->usage);
	json_write_end_object(&w);
}

const struct mock_shape mock_openai_chat = { .lines = false,
					     .step = mock_openai_chat_step,
					     .whole = mock_openai_chat_whole };
