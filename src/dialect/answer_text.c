/* Cuts the stored body of a stream into its JSON values. */
#include "dialect/answer_text.h"

#include "base/sse.h"

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

/* The data of the next event, or the next line that is a value itself; an empty text for none of them. */
static struct str answer_text_cut(struct reading *r, struct answer_text *t)
{
	struct sse_event e = { .strange = 0 };
	size_t all = t->left.n, end;
	bool is;

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
	e.data = str_trim(e.data);
	t->done = t->done || str_eq(e.data, STR("[DONE]"));
	return str_eq(e.data, STR("[DONE]")) ? STR("") : e.data;
}

bool answer_text_next(struct reading *r, struct answer_text *t, struct val *v)
{
	if (!val_is_none(t->value))
		reading_release(r, t->value);
	t->value = VAL_NONE;
	while (t->lines.n || t->left.n) {
		struct str data;

		if (t->lines.n) {
			data = str_trim(str_cut(t->lines, '\n', &t->lines));
		} else if (strchr(" \t\r\n", t->left.p[0]) && t->left.p[0]) {
			answer_text_skip(t, 1);
			continue;
		} else {
			data = answer_text_cut(r, t);
		}
		if (data.n == 0 || str_eq(data, STR("[DONE]"))) {
			t->done = t->done || data.n;
			continue;
		}
		t->value = answer_text_open(r, t, data);
		if (!val_is_none(t->value)) {
			*v = t->value;
			return true;
		}
	}
	return false;
}
