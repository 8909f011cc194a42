/* Ollama's chat and generate: JSON lines, and a last one with the counts. A call comes in one piece, when it begins. */
#include "json/put.h"
#include "provider/mock_talk.h"

#define NS_PER_MS 1000000u

static void mock_ollama_put_head(struct json_writer *w, const struct mock_talk *t)
{
	json_write_begin_object(w);
	json_put_text(w, "model", t->model);
	json_put_word(w, "created_at", MOCK_CREATED_TEXT);
}

static void put_call(struct json_writer *w, const struct mock_talk *t, const struct mock_item *i)
{
	json_write_begin_object(w);
	mock_put_id(w, "id", "call_", t, i->index);
	json_put_object(w, "function");
	json_put_u64(w, "index", i->index);
	json_put_text(w, "name", i->call->name);
	json_put_raw(w, "arguments", i->call->object);
	json_write_end_object(w);
	json_write_end_object(w);
}

/* Text and reasoning stand in the message, or beside it in an answer of generate. */
static void put_said(struct json_writer *w, const struct mock_talk *t, struct str text, struct str thinking)
{
	if (!t->generate) {
		json_put_object(w, "message");
		json_put_word(w, "role", "assistant");
	}
	json_put_text(w, t->generate ? "response" : "content", text);
	if (thinking.n)
		json_put_text(w, "thinking", thinking);
}

static void end_said(struct json_writer *w, const struct mock_talk *t)
{
	if (!t->generate)
		json_write_end_object(w);
}

static void put_done(struct json_writer *w, const struct mock_talk *t)
{
	static const char *const words[] = { "stop", "length", "stop", "stop", "" };

	json_put_bool(w, "done", true);
	if (mock_talk_finish(t) == MOCK_OTHER)
		json_put_text(w, "done_reason", t->reply.finish);
	else
		json_put_word(w, "done_reason", words[mock_talk_finish(t)]);
	json_put_u64(w, "total_duration", t->total_ms * NS_PER_MS);
	json_put_u64(w, "load_duration", 0);
	json_put_u64(w, "prompt_eval_count", t->usage.input);
	json_put_u64(w, "prompt_eval_duration", t->prompt_ms * NS_PER_MS);
	json_put_u64(w, "eval_count", t->usage.output);
	json_put_u64(w, "eval_duration", (t->total_ms - t->prompt_ms) * NS_PER_MS);
}

static void mock_ollama_put_calls(struct json_writer *w, const struct mock_talk *t)
{
	if (t->generate || t->reply.call_count == 0)
		return; /* generate has no tools */
	json_put_array(w, "tool_calls");
	for (size_t i = 0; i < mock_talk_items(t); i++) {
		struct mock_item item = mock_talk_item(t, i);

		if (item.kind == MOCK_CALL)
			put_call(w, t, &item);
	}
	json_write_end_array(w);
}

static void end_line(struct json_writer *w, struct buf *out, struct mock_talk *t)
{
	json_write_end_object(w);
	buf_add_byte(out, '\n');
	t->events++;
}

static void mock_ollama_step(struct buf *out, struct mock_talk *t, const struct mock_step *s)
{
	bool call = s->kind == MOCK_BEGIN && s->item.kind == MOCK_CALL && !t->generate;
	bool piece = s->kind == MOCK_PIECE && s->item.kind != MOCK_CALL;
	struct json_writer w;

	if (!call && !piece && s->kind != MOCK_CLOSE)
		return;
	json_write_init(&w, out, JSON_COMPACT);
	mock_ollama_put_head(&w, t);
	put_said(&w, t, piece && s->item.kind == MOCK_TEXT ? s->piece : STR(""),
		 piece && s->item.kind == MOCK_REASONING ? s->piece : STR(""));
	if (call) {
		json_put_array(&w, "tool_calls");
		put_call(&w, t, &s->item);
		json_write_end_array(&w);
	}
	end_said(&w, t);
	if (s->kind == MOCK_CLOSE)
		put_done(&w, t);
	else
		json_put_bool(&w, "done", false);
	end_line(&w, out, t);
}

static void mock_ollama_whole(struct buf *out, struct mock_talk *t)
{
	struct json_writer w;

	json_write_init(&w, out, JSON_COMPACT);
	mock_ollama_put_head(&w, t);
	put_said(&w, t, t->reply.text, t->reply.reasoning);
	mock_ollama_put_calls(&w, t);
	end_said(&w, t);
	put_done(&w, t);
	json_write_end_object(&w);
}

const struct mock_shape mock_ollama = { .lines = true, .step = mock_ollama_step, .whole = mock_ollama_whole };
