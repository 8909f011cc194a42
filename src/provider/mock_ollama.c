/* Ollama's chat and generate: JSON lines, and a last one with the counts. A call comes in one piece, when it begins. */
#include "provider/mock_talk.h"

#define NS_PER_MS 1000000u

/* Text and reasoning stand in the message, or beside it in an answer of generate. */
static void ollama_begin_line(struct buf *out, const struct mock_talk *t, struct str text, struct str thinking)
{
	mock_json_add(out, "{'model':%s,'created_at':'" MOCK_CREATED_TEXT "',", t->model);
	mock_json_add(out, t->generate ? "'response':%s" : "'message':{'role':'assistant','content':%s", text);
	if (thinking.n)
		mock_json_add(out, ",'thinking':%s", thinking);
}

static void ollama_add_call(struct buf *out, const struct mock_talk *t, uint64_t index)
{
	const struct mock_call *call = &t->reply.calls[index];

	mock_json_add(out, "{'id':%i,'function':{'index':%u,'name':%s,'arguments':%j}}", "call_", t->id, index, index,
		      call->name, call->object);
}

/* Ends the message and the line; the last line of a stream, and a whole answer, have the counts. */
static void ollama_end_line(struct buf *out, const struct mock_talk *t, bool done)
{
	static const char *const words[] = { "stop", "length", "stop", "stop" };

	mock_json_add(out, t->generate ? "" : "}");
	if (!done) {
		mock_json_add(out, ",'done':false}");
		return;
	}
	mock_json_add(out,
		      ",'done':true,'done_reason':%s,'total_duration':%u,'load_duration':0,'prompt_eval_count':%u,"
		      "'prompt_eval_duration':%u,'eval_count':%u,'eval_duration':%u}",
		      mock_talk_finish_word(t, words), t->total_ms * NS_PER_MS, t->usage.input,
		      t->prompt_ms * NS_PER_MS, t->usage.output, (t->total_ms - t->prompt_ms) * NS_PER_MS);
}

/* Each piece is a line. A call has no pieces: it comes whole where it begins. Generate has no calls at all. */
static void ollama_step(struct buf *out, struct mock_talk *t, const struct mock_step *s)
{
	bool call = s->kind == MOCK_BEGIN && s->item.kind == MOCK_CALL && !t->generate;
	bool piece = s->kind == MOCK_PIECE && s->item.kind != MOCK_CALL;

	if (!call && !piece && s->kind != MOCK_CLOSE)
		return;
	ollama_begin_line(out, t, piece && s->item.kind == MOCK_TEXT ? s->piece : STR(""),
			  piece && s->item.kind == MOCK_REASONING ? s->piece : STR(""));
	if (call) {
		mock_json_add(out, ",'tool_calls':[");
		ollama_add_call(out, t, s->item.index);
		buf_add_byte(out, ']');
	}
	ollama_end_line(out, t, s->kind == MOCK_CLOSE);
	buf_add_byte(out, '\n');
	t->events++;
}

static void ollama_whole(struct buf *out, struct mock_talk *t)
{
	size_t calls = t->generate ? 0 : t->reply.call_count; /* generate has no tools */

	ollama_begin_line(out, t, t->reply.text, t->reply.reasoning);
	for (uint64_t i = 0; i < calls; i++) {
		mock_json_add(out, i ? "," : ",'tool_calls':[");
		ollama_add_call(out, t, i);
	}
	mock_json_add(out, calls ? "]" : "");
	ollama_end_line(out, t, true);
}

const struct mock_shape mock_ollama = { MOCK_LINES, .whole_calls = true, .step = ollama_step, .whole = ollama_whole };
