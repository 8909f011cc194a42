/*
 * The table `chunks` says how each event is read, alone; below, anthropic_stream_cut and _follow keep what one message
 * needs from one chunk to the next: its id and its latest figures.
 */
#include "dialect/anthropic/stream.h"

#include "dialect/reading/billing.h"
#include "dialect/record/field.h"

/* ---- the chunks ---- */

static struct event *anthropic_stream_add_piece(struct reading *r, const struct blocks_origin *o)
{
	struct event *e = blocks_add(r, o, EVENT_STEP);

	e->flags |= EVENT_PIECE | EVENT_STREAM;
	return e;
}

/*
 * message_start: the STEP with its id, model and first figures. Later pieces name no step, so the fold joins them to
 * this one.
 */
static void read_start(struct reading *r, const struct blocks_origin *o, struct val v)
{
	struct val message = reading_get(r, v, STR("message"));
	struct blocks_origin inside = *o;
	size_t at = r->count;
	struct event *e = anthropic_stream_add_piece(r, o);

	e->step = reading_text(r, message, STR("id"));
	e->response_id = text_or_none(e->step);
	e->model = reading_text(r, message, STR("model"));
	e->provider = STR("anthropic");
	e->stop_reason = reading_text(r, message, STR("stop_reason"));
	blocks_read_usage(r, reading_get(r, message, STR("usage")), &e->usage);
	billing_read(r, e, message, reading_get(r, message, STR("usage")));
	if (!e->step.p)
		e->flags &= ~(unsigned)EVENT_PIECE; /* nothing else would say that another one begins */
	if (e->step.p && blocks_usage_is_zero(&e->usage))
		e->flags |= EVENT_MARKER;
	else
		inside.step = e->step; /* calls of a marker belong to the step before it */
	reading_take(r, reading_get(r, v, STR("type")));
	reading_take(r, reading_get(r, message, STR("type")));
	reading_take(r, reading_get(r, message, STR("role")));
	blocks_read_answer(r, &inside, at, reading_get(r, message, STR("content")));
	if (val_count(reading_get(r, message, STR("content"))) == 0)
		reading_take(r, reading_get(r, message, STR("content")));
	reading_rest(r, &r->events[at], v);
}

/* A call whose arguments are still to come: they are a text that grows. */
static void read_call_start(struct reading *r, const struct blocks_origin *o, struct val v, struct val block, int index)
{
	size_t at = r->count;
	struct event *e;

	blocks_read_call(r, o, block, index);
	e = &r->events[at];
	e->flags |= EVENT_PIECE;
	if (str_eq(e->args, STR("{}"))) { /* always so at the beginning: the pieces follow */
		e->args = str_of(NULL, 0);
		e->args_text = STR("");
	}
	reading_rest(r, e, v);
}

/* content_block_start: a call or a result is an event of its own, a text or a thought a piece of the step. */
static void read_block_start(struct reading *r, const struct blocks_origin *o, struct val v)
{
	struct val block = reading_get(r, v, STR("content_block")), number = reading_get(r, v, STR("index"));
	enum blocks_kind kind = blocks_kind_of(block);
	struct val text = reading_get(r, block, kind == BLOCKS_THINKING ? STR("thinking") : STR("text"));
	int64_t index = -1;
	struct event *e;

	if (!val_i64(number, &index) || index < 0 || index > INT32_MAX)
		index = -1;
	reading_take(r, reading_get(r, v, STR("type")));
	if (index == 0)
		reading_take(r, number);
	if (kind == BLOCKS_CALL) {
		read_call_start(r, o, v, block, (int)index);
		return;
	}
	if (kind == BLOCKS_RESULT) {
		size_t at = r->count;

		blocks_read_result(r, o, block);
		reading_rest(r, &r->events[at], v);
		return;
	}
	e = anthropic_stream_add_piece(r, o);
	if (kind == BLOCKS_TEXT)
		e->text = reading_text_of(r, text);
	else if (kind == BLOCKS_THINKING)
		e->reasoning = reading_text_of(r, text);
	if (index == 0 && kind != BLOCKS_OTHER)
		reading_take(r, reading_get(r, block, STR("type")));
	reading_rest(r, e, v);
}

/* content_block_delta: arguments go to the call with that index, text and thoughts to the step. */
static void anthropic_stream_read_delta(struct reading *r, const struct blocks_origin *o, struct val v)
{
	struct val delta = reading_get(r, v, STR("delta")), type = reading_get(r, delta, STR("type"));
	struct val json = reading_get(r, delta, STR("partial_json"));
	struct val text = reading_get(r, delta, STR("text")), thought = reading_get(r, delta, STR("thinking"));
	struct event *e;
	int64_t index;

	reading_take(r, reading_get(r, v, STR("type")));
	if (val_is(json, JSON_STRING)) {
		e = blocks_add(r, o, EVENT_CALL);
		e->flags |= EVENT_PIECE;
		if (val_i64(reading_get(r, v, STR("index")), &index) && index >= 0 && index <= INT32_MAX)
			e->index = (int)index;
		e->args_text = reading_text_of(r, json);
	} else {
		e = anthropic_stream_add_piece(r, o);
		e->text = reading_text_of(r, text);
		e->reasoning = reading_text_of(r, thought);
	}
	if (e->args_text.p || e->text.p || e->reasoning.p) {
		reading_take(r, type);
		reading_take(r, reading_get(r, v, STR("index")));
	}
	reading_rest(r, e, v);
}

/* message_delta: why the model stopped, and the last figures. */
static void read_message_delta(struct reading *r, const struct blocks_origin *o, struct val v)
{
	struct event *e = anthropic_stream_add_piece(r, o);

	reading_take(r, reading_get(r, v, STR("type")));
	e->stop_reason = reading_text(r, reading_get(r, v, STR("delta")), STR("stop_reason"));
	blocks_read_usage(r, reading_get(r, v, STR("usage")), &e->usage);
	billing_read(r, e, v, reading_get(r, v, STR("usage")));
	reading_rest(r, e, v);
	blocks_read_compaction(r, o, v);
}

/* message_stop: nothing of the message follows. */
static void anthropic_stream_read_stop(struct reading *r, const struct blocks_origin *o, struct val v)
{
	struct event *e = anthropic_stream_add_piece(r, o);

	e->flags |= EVENT_LAST;
	reading_take(r, reading_get(r, v, STR("type")));
	reading_rest(r, e, v);
}

/* The end of a block says nothing that its pieces did not. */
static void read_block_stop(struct reading *r, const struct blocks_origin *o, struct val v)
{
	(void)o;
	reading_take(r, v);
}

static void read_ping(struct reading *r, const struct blocks_origin *o, struct val v)
{
	(void)o;
	reading_drop(r, v);
}

void anthropic_stream_read_error(struct reading *r, const struct blocks_origin *o, struct val v)
{
	struct event *e = blocks_add(r, o, EVENT_ERROR);
	struct val error = reading_get(r, v, STR("error"));

	e->class = STR("model");
	e->code = reading_text(r, error, STR("type"));
	e->text = reading_text(r, error, STR("message"));
	reading_take(r, reading_get(r, v, STR("type")));
	reading_rest(r, e, v);
}

static const struct {
	struct str type, needs; /* needs: a member it must have */
	int fit;
	void (*read)(struct reading *r, const struct blocks_origin *o, struct val v);
} chunks[] = {
	{ WORD("content_block_delta"), WORD("delta"), 95, anthropic_stream_read_delta },
	{ WORD("message_start"), WORD("message"), 95, read_start },
	{ WORD("content_block_start"), WORD("content_block"), 95, read_block_start },
	{ WORD("content_block_stop"), WORD("index"), 90, read_block_stop },
	{ WORD("message_delta"), WORD("delta"), 90, read_message_delta },
	{ WORD("message_stop"), WORD("type"), 80, anthropic_stream_read_stop },
	{ WORD("ping"), WORD("type"), 0, read_ping }, /* others send it too */
	{ WORD("error"), WORD("error"), 45, anthropic_stream_read_error },
};

/* The row of an event of a stream; COUNT(chunks) when it is none. */
static size_t find_chunk(struct val v)
{
	struct val type = val_get(v, STR("type"));
	size_t i = 0;

	while (i < COUNT(chunks) && !(val_text_is(type, chunks[i].type) && val_has(v, chunks[i].needs)))
		i++;
	return i;
}

/* Other programs announce their messages with the same word: theirs have neither a type nor these figures. */
static bool anthropic_stream_is_foreign(struct val v)
{
	struct val message = val_get(v, STR("message"));

	return !val_is_none(message) && !val_has(message, STR("type")) &&
	       !val_has(val_get(message, STR("usage")), STR("input_tokens")) &&
	       (!val_has(message, STR("id")) || val_has(message, STR("api")));
}

int anthropic_stream_fits(struct val v)
{
	size_t i = find_chunk(v);

	return i < COUNT(chunks) && !anthropic_stream_is_foreign(v) ? chunks[i].fit : 0;
}

bool anthropic_stream_read(struct reading *r, const struct blocks_origin *o, struct val v)
{
	size_t i = find_chunk(v);

	if (i == COUNT(chunks))
		return false;
	chunks[i].read(r, o, v);
	return true;
}

/* ---- in order ---- */

void anthropic_stream_init(struct anthropic_stream *s)
{
	*s = (struct anthropic_stream){ .open = false };
}

void anthropic_stream_free(struct anthropic_stream *s)
{
	buf_free(&s->step);
}

/* Input that was neither read from a cache nor written to one; 0 when the figures contradict each other. */
static uint64_t without_cache(const struct usage *u)
{
	uint64_t cached = (figure_is_known(u->cache_read) ? u->cache_read.n : 0) +
			  (figure_is_known(u->cache_write) ? u->cache_write.n : 0);

	return u->input.n > cached ? u->input.n - cached : 0;
}

/* A figure that the newer one does not have, or has as null, is that of the older. */
static void keep_older(struct figure *newer, struct figure older)
{
	if (!figure_is_known(*newer) && figure_is_known(older))
		*newer = older;
}

/*
 * Input as this API counts it leaves out what was cached, so the cached parts are taken off, filled in one by one, and
 * added again.
 */
void anthropic_stream_fill_usage(struct usage *newer, const struct usage *older)
{
	bool has_input = figure_is_known(newer->input);
	uint64_t plain = without_cache(has_input ? newer : older);

	keep_older(&newer->input, older->input);
	keep_older(&newer->output, older->output);
	keep_older(&newer->cache_read, older->cache_read);
	keep_older(&newer->cache_write, older->cache_write);
	keep_older(&newer->cache_write_1h, older->cache_write_1h);
	keep_older(&newer->reasoning, older->reasoning);
	if (figure_is_known(newer->input))
		newer->input.n = plain + (figure_is_known(newer->cache_read) ? newer->cache_read.n : 0) +
				 (figure_is_known(newer->cache_write) ? newer->cache_write.n : 0);
}

static bool is_streamed(const struct event *e)
{
	return e->kind == EVENT_STEP && (e->flags & EVENT_STREAM) != 0;
}

/* A message that begins; one that is told as a whole has an id and is no piece. */
static bool begins(const struct event *e)
{
	return is_streamed(e) && (e->step.p != NULL) == ((e->flags & EVENT_PIECE) != 0);
}

/* A step that is told in one event, in a stream or not: no chunks of it will come. */
static bool anthropic_stream_is_whole(const struct event *e)
{
	return e->kind == EVENT_STEP && (!is_streamed(e) || (e->step.p && !begins(e)));
}

/*
 * A message is over when another begins, when a request or run does, or at the end; one with message_stop was closed
 * by then.
 */
bool anthropic_stream_cut(struct anthropic_stream *s, const struct event *e, struct event *cut)
{
	bool ends = !e || e->kind == EVENT_RUN_START || (e->flags & EVENT_HISTORY) ||
		    anthropic_stream_is_whole(e) ||
		    (begins(e) && (!e->step.p || !str_eq(e->step, buf_str(&s->step))));

	if (!s->open || !ends)
		return false;
	s->open = false;
	*cut = (struct event){
		.kind = EVENT_STEP,
		.flags = EVENT_PIECE | EVENT_STREAM | EVENT_PARTIAL | EVENT_LAST,
		.step = s->step.n ? buf_str(&s->step) : str_of(NULL, 0),
		.index = -1,
	};
	return true;
}

/* A beginning opens the message; its later pieces get the figures that they leave out; EVENT_LAST closes it. */
void anthropic_stream_follow(struct anthropic_stream *s, struct event *e)
{
	if (!is_streamed(e) || anthropic_stream_is_whole(e))
		return;
	if (begins(e)) {
		buf_clear(&s->step);
		buf_add_str(&s->step, e->step);
		s->open = true;
		s->usage = e->usage;
		s->marker = e->flags & EVENT_MARKER;
	} else if (s->open && usage_is_known(&e->usage)) {
		anthropic_stream_fill_usage(&e->usage, &s->usage);
		s->usage = e->usage;
	}
	s->marker = s->marker && !e->text.n && !e->reasoning.n && !e->stop_reason.p &&
		    (!usage_is_known(&e->usage) || blocks_usage_is_zero(&e->usage));
	if (s->marker)
		e->flags |= EVENT_MARKER; /* its end is no more a step than its beginning */
	if (e->flags & EVENT_LAST)
		s->open = false;
}
