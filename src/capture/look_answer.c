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

void look_read_answer(struct look *k, struct str bytes)
{
	struct answer_sink to = { take_event, k };
	struct buf *out = &k->all->unpacked;

	if (k->answer_packing == UNPACK_UNKNOWN || !k->api)
		return;
	k->stream.api = k->api;
	if (k->answer_packing == UNPACK_PLAIN) {
		answer_stream_push(&k->stream, bytes, to);
		return;
	}
	if (!k->unpack)
		k->unpack = unpack_open(k->answer_packing, LOOK_BODY);
	buf_clear(out);
	k->bad = !unpack_push(k->unpack, bytes, out) || k->bad;
	answer_stream_push(&k->stream, buf_str(out), to);
}

void look_read_rest(struct look *k)
{
	k->stream.api = k->api;
	answer_stream_end(&k->stream, (struct answer_sink){ take_event, k });
}
