/* The answer of an exchange: what its events (dialect/answer_stream.h) say that is no content. */
#include "capture/look_run.h"

static void see_token(struct look *k, const struct event *e)
{
	bool text = e->kind == EVENT_STEP && e->text.n > 0;
	uint64_t bytes = answer_event_bytes(e);

	k->said_bytes[answer_event_telling(e)] += bytes;
	/* of an answer that comes as a whole nobody saw the first token */
	if (!answer_stream_is_stream(&k->stream, false))
		return;
	if (!k->s.token_ns && (bytes > 0 || (e->kind == EVENT_CALL && e->tool.n > 0)))
		k->s.token_ns = k->ns;
	if (!k->s.content_ns && text)
		k->s.content_ns = k->ns;
}

static void take_event(void *own, struct event *e)
{
	struct look *k = own;

	if (e->kind == EVENT_STEP) {
		if (e->model.n)
			k->s.model = str_eq(e->model, k->s.model) ? k->s.model : look_keep(k, e->model);
		if (!k->s.answer.p && e->step.n && !e->branch.p)
			k->s.answer = look_keep(k, e->step);
		see_token(k, e);
	} else if (e->kind == EVENT_CALL) {
		look_add_call(k, e);
		see_token(k, e);
	} else if (e->kind == EVENT_RESULT) {
		answer_calls_answer(&k->call_marks, e->call);
	}
}

static void read_piece(void *look, struct str piece)
{
	struct look *k = look;

	answer_stream_push(&k->stream, piece, (struct answer_sink){ take_event, k });
}

void look_read_answer(struct look *k, struct str bytes)
{
	struct answer_sink to = { take_event, k };

	if (k->answer_packing == UNPACK_UNKNOWN || !k->api)
		return;
	k->stream.api = k->api;
	if (k->answer_packing == UNPACK_PLAIN) {
		answer_stream_push(&k->stream, bytes, to);
		return;
	}
	if (k->unpack_over)
		return;
	if (!k->unpack)
		k->unpack = unpack_open(k->answer_packing, LOOK_BODY - k->unpacked);
	k->bad = !unpack_push(k->unpack, bytes, (struct unpack_sink){ read_piece, k }) || k->bad;
	if (!k->bad && !unpack_is_done(k->unpack))
		return;
	/* its memory is given back at once: an answer may stay open for long after this */
	k->unpack_over = k->bad || k->answer_packing != UNPACK_ZSTD;
	k->unpacked = LOOK_BODY - unpack_left(k->unpack);
	unpack_close(k->unpack);
	k->unpack = NULL;
}

void look_read_rest(struct look *k)
{
	k->stream.api = k->api;
	answer_stream_end(&k->stream, (struct answer_sink){ take_event, k });
}
