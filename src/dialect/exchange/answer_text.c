/* Cuts the stored body of a stream into its JSON values. */
#include "dialect/exchange/answer_text.h"

#include "base/sse.h"
#include "dialect/exchange/answer_stream.h"

/* A value of its own, or the next line of several. */
static struct val answer_text_open(struct reading *r, struct answer_text *t, struct str data)
{
	struct val v = reading_parse(r, data);

	if (val_is_none(v) && memchr(data.p, '\n', data.n)) {
		t->lines = data; /* events without blank lines between them */
	} else if (val_is_none(v)) {
		if (t->unread++ == 0)
			t->odd = data;
	}
	return v;
}

static void answer_text_skip(struct answer_text *t, size_t n)
{
	t->left = str_of(t->left.p + n, t->left.n - n);
	t->used += n;
}

/* The next element of a list that breaks off: a whole one is a value. */
static struct str answer_text_cut_element(struct answer_text *t)
{
	size_t n = answer_value_end(t->left);
	struct str element = str_of(t->left.p, n ? n : t->left.n);

	t->end = t->used + element.n;
	answer_text_skip(t, element.n);
	return element;
}

/* The data of the next event, or the next line that is a value itself; an empty text for none of them. */
static struct str answer_text_cut(struct reading *r, struct answer_text *t)
{
	struct sse_event e = { .strange = 0 };
	size_t all = t->left.n, end;
	bool is;

	if (t->is_list && t->left.p[0] == '{')
		return answer_text_cut_element(t);
	if (t->left.p[0] == '{' || t->left.p[0] == '[') {
		t->event = str_of(NULL, 0);
		e.data = str_trim(str_of(t->left.p, sse_line(t->left, &end)));
		t->end = t->used + e.data.n;
		answer_text_skip(t, end);
		return e.data;
	}
	is = sse_next_in_text(&t->left, r->arena, &e);
	t->end = t->used + e.end;
	t->used += all - t->left.n;
	t->unread += e.strange;
	t->event = e.event;
	if (!is)
		return STR("");
	return str_trim(e.data);
}

/* What stands between values. A text that is no one value and begins as a list is a list that breaks off. */
static void answer_text_skip_gap(struct answer_text *t)
{
	bool first = t->used == 0;

	while (t->left.n && t->left.p[0] && strchr(t->is_list ? " \t\r\n,]" : " \t\r\n", t->left.p[0]))
		answer_text_skip(t, 1);
	if (!first || !str_starts(t->left, STR("[")) || str_starts(t->left, STR("[DONE]")))
		return;
	t->is_list = true;
	answer_text_skip(t, 1);
}

/* Data of several lines that is no one value is read line by line before the next event is cut. */
bool answer_text_next(struct reading *r, struct answer_text *t, struct val *v)
{
	if (!val_is_none(t->value))
		reading_release(r, t->value);
	t->value = VAL_NONE;
	for (;;) {
		struct str data;

		answer_text_skip_gap(t);
		if (t->lines.n == 0 && t->left.n == 0)
			return false;
		data = t->lines.n ? str_trim(str_cut(t->lines, '\n', &t->lines)) : answer_text_cut(r, t);
		t->done = t->done || answer_is_done(data);
		if (data.n == 0 || answer_is_done(data))
			continue;
		*v = t->value = answer_text_open(r, t, data);
		if (!val_is_none(t->value))
			return true;
	}
}
