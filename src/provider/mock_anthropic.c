/* Anthropic's messages. Tokens read from the cache, or written to it, are not among input_tokens. */
#include "json/put.h"
#include "provider/mock_talk.h"

static void put_stop(struct json_writer *w, const struct mock_talk *t)
{
	static const char *const words[] = { "end_turn", "max_tokens", "tool_use", "refusal", "" };

	if (mock_talk_finish(t) == MOCK_OTHER)
		json_put_text(w, "stop_reason", t->reply.finish);
	else
		json_put_word(w, "stop_reason", words[mock_talk_finish(t)]);
	json_put_null(w, "stop_sequence");
}

static void mock_anthropic_put_usage(struct json_writer *w, const struct mock_usage *u, uint64_t output)
{
	json_put_object(w, "usage");
	json_put_u64(w, "input_tokens", u->input - u->cache_read - u->cache_write);
	json_put_u64(w, "cache_creation_input_tokens", u->cache_write);
	json_put_u64(w, "cache_read_input_tokens", u->cache_read);
	json_put_u64(w, "output_tokens", output);
	json_write_end_object(w);
}

static void mock_anthropic_put_head(struct json_writer *w, const struct mock_talk *t)
{
	mock_put_id(w, "id", "msg_", t, 0);
	json_put_word(w, "type", "message");
	json_put_word(w, "role", "assistant");
	json_put_text(w, "model", t->model);
}

/* A block, whole or as it begins. */
static void put_block(struct json_writer *w, const struct mock_talk *t, const struct mock_item *i, bool full)
{
	struct str text = full ? i->whole : STR("");

	switch (i->kind) {
	case MOCK_REASONING:
		json_put_word(w, "type", "thinking");
		json_put_text(w, "thinking", text);
		if (full)
			mock_put_id(w, "signature", "sig", t, i->place);
		else
			json_put_word(w, "signature", "");
		break;
	case MOCK_TEXT:
		json_put_word(w, "type", "text");
		json_put_text(w, "text", text);
		break;
	case MOCK_CALL:
		json_put_word(w, "type", "tool_use");
		mock_put_id(w, "id", "toolu_", t, i->index);
		json_put_text(w, "name", i->call->name);
		json_put_raw(w, "input", full ? i->call->object : STR("{}"));
		break;
	}
}

/* ---- a stream ---- */

static void mock_anthropic_begin(struct json_writer *w, struct buf *out, const char *type)
{
	mock_event_begin(w, out, type);
	json_write_begin_object(w);
	json_put_word(w, "type", type);
}

static void mock_anthropic_end(struct json_writer *w, struct buf *out, struct mock_talk *t)
{
	json_write_end_object(w);
	mock_event_end(out, t);
}

static void mock_anthropic_add_open(struct buf *out, struct mock_talk *t)
{
	struct json_writer w;

	mock_anthropic_begin(&w, out, "message_start");
	json_put_object(&w, "message");
	mock_anthropic_put_head(&w, t);
	json_put_array(&w, "content");
	json_write_end_array(&w);
	json_put_null(&w, "stop_reason");
	json_put_null(&w, "stop_sequence");
	mock_anthropic_put_usage(&w, &t->usage, t->usage.output ? 1 : 0);
	json_write_end_object(&w);
	mock_anthropic_end(&w, out, t);
	mock_anthropic_begin(&w, out, "ping");
	mock_anthropic_end(&w, out, t);
}

static void add_block_start(struct buf *out, struct mock_talk *t, const struct mock_item *i)
{
	struct json_writer w;

	mock_anthropic_begin(&w, out, "content_block_start");
	json_put_u64(&w, "index", i->place);
	json_put_object(&w, "content_block");
	put_block(&w, t, i, false);
	json_write_end_object(&w);
	mock_anthropic_end(&w, out, t);
}

static void add_delta(struct buf *out, struct mock_talk *t, const struct mock_step *s)
{
	static const char *const types[] = { "thinking_delta", "text_delta", "input_json_delta" };
	static const char *const names[] = { "thinking", "text", "partial_json" };
	struct json_writer w;

	mock_anthropic_begin(&w, out, "content_block_delta");
	json_put_u64(&w, "index", s->item.place);
	json_put_object(&w, "delta");
	json_put_word(&w, "type", types[s->item.kind]);
	json_put_text(&w, names[s->item.kind], s->piece);
	json_write_end_object(&w);
	mock_anthropic_end(&w, out, t);
}

static void add_block_stop(struct buf *out, struct mock_talk *t, const struct mock_item *i)
{
	struct json_writer w;

	if (i->kind == MOCK_REASONING) {
		mock_anthropic_begin(&w, out, "content_block_delta");
		json_put_u64(&w, "index", i->place);
		json_put_object(&w, "delta");
		json_put_word(&w, "type", "signature_delta");
		mock_put_id(&w, "signature", "sig", t, i->place);
		json_write_end_object(&w);
		mock_anthropic_end(&w, out, t);
	}
	mock_anthropic_begin(&w, out, "content_block_stop");
	json_put_u64(&w, "index", i->place);
	mock_anthropic_end(&w, out, t);
}

static void mock_anthropic_add_close(struct buf *out, struct mock_talk *t)
{
	struct json_writer w;

	mock_anthropic_begin(&w, out, "message_delta");
	json_put_object(&w, "delta");
	put_stop(&w, t);
	json_write_end_object(&w);
	mock_anthropic_put_usage(&w, &t->usage, t->usage.output);
	mock_anthropic_end(&w, out, t);
	mock_anthropic_begin(&w, out, "message_stop");
	mock_anthropic_end(&w, out, t);
}

static void mock_anthropic_step(struct buf *out, struct mock_talk *t, const struct mock_step *s)
{
	switch (s->kind) {
	case MOCK_OPEN:
		mock_anthropic_add_open(out, t);
		break;
	case MOCK_BEGIN:
		add_block_start(out, t, &s->item);
		break;
	case MOCK_PIECE:
		add_delta(out, t, s);
		break;
	case MOCK_END:
		add_block_stop(out, t, &s->item);
		break;
	case MOCK_CLOSE:
		mock_anthropic_add_close(out, t);
		break;
	}
}

static void mock_anthropic_whole(struct buf *out, struct mock_talk *t)
{
	struct json_writer w;

	json_write_init(&w, out, JSON_COMPACT);
	json_write_begin_object(&w);
	mock_anthropic_put_head(&w, t);
	json_put_array(&w, "content");
	for (size_t i = 0; i < mock_talk_items(t); i++) {
		struct mock_item item = mock_talk_item(t, i);

		json_write_begin_object(&w);
		put_block(&w, t, &item, true);
		json_write_end_object(&w);
	}
	json_write_end_array(&w);
	put_stop(&w, t);
	mock_anthropic_put_usage(&w, &t->usage, t->usage.output);
	json_write_end_object(&w);
}

const struct mock_shape mock_anthropic = { .lines = false,
					   .step = mock_anthropic_step,
					   .whole = mock_anthropic_whole };
