/* Anthropic's messages. Tokens read from the cache, or written to it, are not among input_tokens. */
#include "provider/mock_talk.h"

#define ANTHROPIC_HEAD "'id':%i,'type':'message','role':'assistant','model':%s,'content':["

static void anthropic_add_usage(struct buf *out, const struct mock_usage *u, uint64_t output)
{
	mock_json_add(out,
		      ",'usage':{'input_tokens':%u,'cache_creation_input_tokens':%u,'cache_read_input_tokens':%u,"
		      "'output_tokens':%u}}",
		      u->input - u->cache_read - u->cache_write, u->cache_write, u->cache_read, output);
}

static struct str anthropic_stop(const struct mock_talk *t)
{
	static const char *const words[] = { "end_turn", "max_tokens", "tool_use", "refusal" };

	return mock_talk_finish_word(t, words);
}

/* A block, whole or as it begins. */
static void anthropic_add_block(struct buf *out, const struct mock_talk *t, const struct mock_item *i, bool full)
{
	struct str text = full ? i->whole : STR("");

	switch (i->kind) {
	case MOCK_REASONING:
		mock_json_add(out, full ? "{'type':'thinking','thinking':%s,'signature':%i}"
					: "{'type':'thinking','thinking':%s,'signature':''}",
			      text, "sig", t->id, i->place);
		break;
	case MOCK_TEXT:
		mock_json_add(out, "{'type':'text','text':%s}", text);
		break;
	case MOCK_CALL:
		mock_json_add(out, "{'type':'tool_use','id':%i,'name':%s,'input':%j}", "toolu_", t->id, i->index,
			      i->call->name, full ? i->call->object : STR("{}"));
		break;
	}
}

/* ---- a stream ---- */

static void anthropic_add_open(struct buf *out, struct mock_talk *t)
{
	mock_event_begin(out, "message_start");
	mock_json_add(out, "{'type':'message_start','message':{" ANTHROPIC_HEAD "],'stop_reason':null,"
			   "'stop_sequence':null",
		      "msg_", t->id, (uint64_t)0, t->model);
	anthropic_add_usage(out, &t->usage, t->usage.output ? 1 : 0);
	buf_add_byte(out, '}');
	mock_event_end(out, t);
	mock_event_begin(out, "ping");
	mock_json_add(out, "{'type':'ping'}");
	mock_event_end(out, t);
}

static void anthropic_add_block_start(struct buf *out, struct mock_talk *t, const struct mock_item *i)
{
	mock_event_begin(out, "content_block_start");
	mock_json_add(out, "{'type':'content_block_start','index':%u,'content_block':", i->place);
	anthropic_add_block(out, t, i, false);
	buf_add_byte(out, '}');
	mock_event_end(out, t);
}

static void anthropic_add_delta(struct buf *out, struct mock_talk *t, const struct mock_step *s)
{
	static const char *const deltas[] = {
		[MOCK_REASONING] = "{'type':'content_block_delta','index':%u,"
				   "'delta':{'type':'thinking_delta','thinking':%s}}",
		[MOCK_TEXT] = "{'type':'content_block_delta','index':%u,'delta':{'type':'text_delta','text':%s}}",
		[MOCK_CALL] = "{'type':'content_block_delta','index':%u,"
			      "'delta':{'type':'input_json_delta','partial_json':%s}}",
	};

	mock_event_begin(out, "content_block_delta");
	mock_json_add(out, deltas[s->item.kind], s->item.place, s->piece);
	mock_event_end(out, t);
}

static void anthropic_add_block_stop(struct buf *out, struct mock_talk *t, const struct mock_item *i)
{
	if (i->kind == MOCK_REASONING) {
		mock_event_begin(out, "content_block_delta");
		mock_json_add(out,
			      "{'type':'content_block_delta','index':%u,"
			      "'delta':{'type':'signature_delta','signature':%i}}",
			      i->place, "sig", t->id, i->place);
		mock_event_end(out, t);
	}
	mock_event_begin(out, "content_block_stop");
	mock_json_add(out, "{'type':'content_block_stop','index':%u}", i->place);
	mock_event_end(out, t);
}

static void anthropic_add_close(struct buf *out, struct mock_talk *t)
{
	mock_event_begin(out, "message_delta");
	mock_json_add(out, "{'type':'message_delta','delta':{'stop_reason':%s,'stop_sequence':null}",
		      anthropic_stop(t));
	anthropic_add_usage(out, &t->usage, t->usage.output);
	mock_event_end(out, t);
	mock_event_begin(out, "message_stop");
	mock_json_add(out, "{'type':'message_stop'}");
	mock_event_end(out, t);
}

static void anthropic_step(struct buf *out, struct mock_talk *t, const struct mock_step *s)
{
	switch (s->kind) {
	case MOCK_OPEN:
		anthropic_add_open(out, t);
		break;
	case MOCK_BEGIN:
		anthropic_add_block_start(out, t, &s->item);
		break;
	case MOCK_PIECE:
		anthropic_add_delta(out, t, s);
		break;
	case MOCK_END:
		anthropic_add_block_stop(out, t, &s->item);
		break;
	case MOCK_CLOSE:
		anthropic_add_close(out, t);
		break;
	}
}

static void anthropic_whole(struct buf *out, struct mock_talk *t)
{
	mock_json_add(out, "{" ANTHROPIC_HEAD, "msg_", t->id, (uint64_t)0, t->model);
	for (size_t i = 0; i < mock_talk_items(t); i++) {
		struct mock_item item = mock_talk_item(t, i);

		mock_json_add(out, i ? "," : "");
		anthropic_add_block(out, t, &item, true);
	}
	mock_json_add(out, "],'stop_reason':%s,'stop_sequence':null", anthropic_stop(t));
	anthropic_add_usage(out, &t->usage, t->usage.output);
}

const struct mock_shape mock_anthropic = { MOCK_EVENTS, .step = anthropic_step, .whole = anthropic_whole };
