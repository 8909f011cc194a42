#include "dialect/openai/responses_stream.h"

#include "base/buf.h"
#include "dialect/exchange/hint.h"
#include "harness/test.h"

struct seen {
	struct responses_stream *stream;
	struct buf log; /* an event each: kind, step, text, call, arguments */
};

static bool put(void *context, const struct event *e, struct err *err)
{
	struct seen *s = context;

	(void)err;
	buf_printf(&s->log, "%s(%.*s%s%.*s%.*s%s%.*s)", e->kind == EVENT_CALL ? "call" : e->kind == EVENT_STEP ? "step" : "other",
		   STR_ARG(e->step), e->text.p || e->call.p ? ":" : "", STR_ARG(e->text), STR_ARG(e->call),
		   e->args_text.p ? "=" : "", STR_ARG(e->args_text));
	if (e->flags & EVENT_PARTIAL)
		buf_add_str(&s->log, STR("!"));
	CHECK(!e->hint);
	return true;
}

static void add(struct seen *s, enum event_kind kind, enum stream_part part, int index, struct str step, struct str text)
{
	struct exchange_hint hint = { .part = part, .index = index };
	struct event e = { .kind = kind, .index = index, .step = step, .flags = EVENT_STREAM, .hint = &hint };

	if (kind == EVENT_CALL)
		e.args_text = text;
	else
		e.text = text;
	CHECK(responses_stream_add(s->stream, &e, (struct exchange_sink){ put, s }, NULL));
}

static void end(struct seen *s, const char *want)
{
	CHECK(responses_stream_end(s->stream, (struct exchange_sink){ put, s }, NULL));
	CHECK_STR(buf_str(&s->log), str_from(want));
	responses_stream_close(s->stream);
	buf_free(&s->log);
}

static const struct str none = { NULL, 0 };

TEST(deltas_wait_for_the_item_and_go_when_it_is_done)
{
	struct seen s = { .stream = responses_stream_open() };

	add(&s, EVENT_STEP, STREAM_OPENED, -1, STR("r"), none);
	add(&s, EVENT_STEP, STREAM_DELTA, 0, none, STR("a"));
	add(&s, EVENT_STEP, STREAM_DONE, 0, none, STR("ab"));
	add(&s, EVENT_STEP, STREAM_DELTA, 0, none, STR("late"));
	add(&s, EVENT_STEP, STREAM_CLOSED, -1, STR("r"), none);
	add(&s, EVENT_STEP, STREAM_FINAL, 0, STR("r"), STR("ab"));
	add(&s, EVENT_STEP, STREAM_FINAL, 1, STR("r"), STR("c"));
	end(&s, "step(r:ab)step(r)step(r)step(r:c)");
}

TEST(deltas_of_items_that_never_end_come_in_the_order_of_the_output)
{
	struct seen s = { .stream = responses_stream_open() };

	add(&s, EVENT_STEP, STREAM_OPENED, -1, STR("r"), none);
	add(&s, EVENT_CALL, STREAM_DELTA, 2, none, STR("{"));
	add(&s, EVENT_STEP, STREAM_DELTA, 1, none, STR("b"));
	add(&s, EVENT_STEP, STREAM_DELTA, 0, none, STR("a"));
	add(&s, EVENT_CALL, STREAM_DELTA, 2, none, STR("}"));
	end(&s, "step(r)!step(r:a)step(r:b)call(r={})");
}

TEST(a_response_that_only_began_is_a_marker)
{
	struct seen s = { .stream = responses_stream_open() };

	add(&s, EVENT_STEP, STREAM_OPENED, -1, STR("r"), none);
	add(&s, EVENT_STEP, STREAM_GOING, -1, STR("r2"), none);
	end(&s, "step(r)!step(r)"); /* the other id is kept */
}

TEST(many_items_at_once_and_large_ones_are_not_lost)
{
	struct seen s = { .stream = responses_stream_open() };
	size_t calls = 0;

	add(&s, EVENT_STEP, STREAM_OPENED, -1, STR("r"), none);
	for (int i = 0; i < 200; i++)
		add(&s, EVENT_CALL, STREAM_DELTA, i, none, STR("{}"));
	CHECK(responses_stream_end(s.stream, (struct exchange_sink){ put, &s }, NULL));
	for (struct str left = buf_str(&s.log);; calls++) {
		size_t at = str_find(left, STR("call(r={})"));

		if (at == (size_t)-1)
			break;
		left = str_of(left.p + at + 1, left.n - at - 1);
	}
	CHECK_INT(calls, 200);
	responses_stream_close(s.stream);
	buf_free(&s.log);
}
