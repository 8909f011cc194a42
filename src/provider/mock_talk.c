#include "provider/mock_talk.h"

#include <assert.h>

#include "base/ascii.h"
#include "base/utf8.h"

uint64_t mock_tokens_of(uint64_t bytes)
{
	return bytes / 4 + (bytes % 4 != 0);
}

static uint64_t bytes_said(const struct mock_reply *r)
{
	uint64_t n = r->text.n + r->reasoning.n;

	for (size_t i = 0; i < r->call_count; i++)
		n += r->calls[i].name.n + r->calls[i].arguments.n;
	return n;
}

/* What the script says stays; what it leaves open is chosen so that no part is larger than its whole. */
static void settle_usage(struct mock_usage *u, const struct mock_reply *r, uint64_t input_bytes)
{
	uint64_t cached;

	*u = r->usage;
	if (u->cache_read == MOCK_UNSAID)
		u->cache_read = 0;
	if (u->cache_write == MOCK_UNSAID)
		u->cache_write = 0;
	cached = u->cache_read + u->cache_write;
	if (u->input == MOCK_UNSAID)
		u->input = mock_tokens_of(input_bytes) > cached ? mock_tokens_of(input_bytes) : cached;
	if (u->output == MOCK_UNSAID)
		u->output = mock_tokens_of(bytes_said(r));
	if (u->reasoning == MOCK_UNSAID)
		u->reasoning = mock_tokens_of(r->reasoning.n);
	if (u->reasoning > u->output)
		u->output = r->usage.output == MOCK_UNSAID ? u->reasoning : u->output;
	if (u->reasoning > u->output)
		u->reasoning = u->output;
}

void mock_talk_settle(struct mock_talk *t, uint64_t input_bytes, const struct mock_pace *pace)
{
	struct mock_steps steps;
	struct mock_step step;

	if (!t->reply.text.p)
		t->reply.text = STR("");
	settle_usage(&t->usage, &t->reply, input_bytes);
	t->prompt_ms = pace->ttft_ms;
	t->total_ms = 0;
	if (pace->ttft_ms == 0 && pace->itl_ms == 0)
		return; /* nothing to sum up */
	mock_steps_begin(&steps, t, pace);
	while (mock_steps_next(&steps, &step))
		t->total_ms += step.delay_ms;
}

enum mock_finish mock_talk_finish(const struct mock_talk *t)
{
	static const struct {
		const char *word;
		enum mock_finish finish;
	} words[] = {
		{ "stop", MOCK_STOP },         { "end_turn", MOCK_STOP },   { "completed", MOCK_STOP },
		{ "length", MOCK_LENGTH },     { "max_tokens", MOCK_LENGTH }, { "tool_calls", MOCK_TOOL },
		{ "tool_use", MOCK_TOOL },     { "content_filter", MOCK_FILTER }, { "refusal", MOCK_FILTER },
	};

	if (!t->reply.finish.p)
		return t->reply.call_count ? MOCK_TOOL : MOCK_STOP;
	for (size_t i = 0; i < COUNT(words); i++)
		if (str_eq(t->reply.finish, str_from(words[i].word)))
			return words[i].finish;
	return MOCK_OTHER;
}

struct str mock_talk_finish_word(const struct mock_talk *t, const char *const words[MOCK_OTHER])
{
	enum mock_finish f = mock_talk_finish(t);

	return f == MOCK_OTHER ? t->reply.finish : str_from(words[f]);
}

/* An answer of nothing is an empty text. */
static bool has_text(const struct mock_talk *t)
{
	return t->reply.text.n || t->reply.call_count == 0;
}

size_t mock_talk_items(const struct mock_talk *t)
{
	return (t->reply.reasoning.n != 0) + has_text(t) + t->reply.call_count;
}

struct mock_item mock_talk_item(const struct mock_talk *t, size_t place)
{
	struct mock_item item = { .kind = MOCK_REASONING, .place = place, .whole = t->reply.reasoning };
	size_t at = place;

	if (t->reply.reasoning.n && at-- == 0)
		return item;
	item.kind = MOCK_TEXT;
	item.whole = t->reply.text;
	if (has_text(t) && at-- == 0)
		return item;
	assert(at < t->reply.call_count);
	item.kind = MOCK_CALL;
	item.index = at;
	item.call = &t->reply.calls[at];
	item.whole = item.call->arguments;
	return item;
}

/* ---- steps ---- */

void mock_steps_begin(struct mock_steps *s, const struct mock_talk *t, const struct mock_pace *pace)
{
	*s = (struct mock_steps){ .talk = t, .pace = *pace, .stage = MOCK_OPEN };
}

static bool is_inside_character(struct str s, size_t at)
{
	return at < s.n && utf8_is_tail(s.p[at]);
}

struct str mock_piece_cut(struct str *left, uint64_t chunk, bool json)
{
	size_t n = 0;
	struct str piece;

	if (chunk) {
		for (uint64_t i = 0; i < chunk && n < left->n; i++)
			do
				n++;
			while (is_inside_character(*left, n));
	} else {
		while (n < left->n && ascii_is_space(left->p[n]))
			n++;
		while (n < left->n && !ascii_is_space(left->p[n]) &&
		       !(json && (left->p[n] == ',' || left->p[n] == ':')))
			n++;
		if (json && n < left->n && !ascii_is_space(left->p[n]))
			n++;
		while (n < left->n && ascii_is_space(left->p[n]))
			n++;
	}
	piece = str_of(left->p, n);
	*left = str_of(left->p + n, left->n - n);
	return piece;
}

/*
 * What opens a stream has no content and is due at once. An item comes with its first piece: the first item
 * when the first token is due, everything after it one gap later each.
 */
static uint64_t delay_of(struct mock_steps *s)
{
	uint64_t delay = s->begun ? s->pace.itl_ms : s->pace.ttft_ms;

	s->begun = true;
	return delay;
}

/* An item's first piece comes with its beginning, and so has no delay of its own. */
static void give_piece(struct mock_steps *s, struct mock_step *out)
{
	struct str left = str_of(out->item.whole.p + s->at, out->item.whole.n - s->at);

	if (s->at > 0)
		out->delay_ms = delay_of(s);
	out->piece = mock_piece_cut(&left, s->pace.chunk, out->item.call && !out->item.call->custom);
	s->at += out->piece.n;
	if (s->at == out->item.whole.n)
		s->stage = MOCK_END;
}

bool mock_steps_next(struct mock_steps *s, struct mock_step *out)
{
	size_t items = mock_talk_items(s->talk);

	if (s->stage > MOCK_CLOSE)
		return false;
	*out = (struct mock_step){ .kind = (enum mock_step_kind)s->stage, .piece = STR(""), .delay_ms = 0 };
	if (s->stage == MOCK_OPEN) {
		s->stage = MOCK_BEGIN;
		return true;
	}
	if (s->stage == MOCK_CLOSE) {
		s->stage = MOCK_CLOSE + 1;
		return true;
	}
	out->item = mock_talk_item(s->talk, s->place);
	if (s->stage == MOCK_BEGIN) {
		out->first = !s->begun;
		out->delay_ms = delay_of(s);
		s->at = 0;
		s->stage = out->item.whole.n ? MOCK_PIECE : MOCK_END;
	} else if (s->stage == MOCK_PIECE) {
		give_piece(s, out);
	} else {
		s->place++;
		s->stage = s->place < items ? MOCK_BEGIN : MOCK_CLOSE;
	}
	return true;
}

/* ---- what shapes share ---- */

void mock_event_begin(struct buf *out, const char *name)
{
	buf_add_str(out, STR("event: "));
	buf_add(out, name, strlen(name));
	buf_add_str(out, STR("\ndata: "));
}

void mock_event_end(struct buf *out, struct mock_talk *t)
{
	buf_add_str(out, STR("\n\n"));
	t->events++;
}
