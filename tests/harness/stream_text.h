/*
 * Streams made from a text with marks, so that one answer can be tried with every line end and every way to part it:
 * '|' ends an event, '!' ends the one that has the first token, '@' is where its JSON may go on in another data line,
 * and "~name~" at its beginning is its type.
 */
#ifndef HARNESS_STREAM_TEXT_H
#define HARNESS_STREAM_TEXT_H

#include "base/buf.h"

enum stream_shape { STREAM_EVENTS, STREAM_LINES, STREAM_LIST };

struct stream_form {
	enum stream_shape shape;
	const char *end; /* of a line */
	bool split;      /* data stands on several lines */
	bool dense;      /* no blank lines between events, but behind the last */
};

struct stream_made {
	struct str text;  /* in the arena */
	size_t token_end; /* with so many bytes the first token is there; 0: no event has one */
};

static inline void stream_begin_event(struct buf *b, const char **c, const struct stream_form *f)
{
	if (f->shape == STREAM_LIST)
		buf_printf(b, "%s", b->n ? "," : "[");
	if (**c == '~') {
		const char *end = strchr(*c + 1, '~');

		buf_printf(b, "event: %.*s%s", (int)(end - *c - 1), *c + 1, f->end);
		*c = end + 1;
	}
	if (f->shape == STREAM_EVENTS)
		buf_add_str(b, STR("data: "));
}

static inline void stream_end_event(struct buf *b, struct stream_made *m, const struct stream_form *f, bool token)
{
	size_t end = b->n; /* a value is there with its last bracket */

	buf_printf(b, "%s", f->end);
	if (f->shape == STREAM_EVENTS && !f->dense) {
		end = b->n + 1; /* an event with the first byte that ends its blank line */
		buf_printf(b, "%s", f->end);
	}
	if (token)
		m->token_end = end;
}

static inline struct stream_made stream_make(struct arena *a, const char *marked, struct stream_form f)
{
	struct stream_made m = { .token_end = 0 };
	struct buf b;

	buf_init(&b);
	for (const char *c = marked; *c; c++) {
		if (c == marked || c[-1] == '|' || c[-1] == '!')
			stream_begin_event(&b, &c, &f);
		if (*c == '|' || *c == '!')
			stream_end_event(&b, &m, &f, *c == '!');
		else if (*c != '@')
			buf_add_byte(&b, *c);
		else if (f.split)
			buf_printf(&b, "%sdata: ", f.end);
	}
	if (f.shape == STREAM_LIST)
		buf_add_byte(&b, ']');
	if (f.dense) {
		m.token_end = m.token_end ? b.n + 1 : 0;
		buf_printf(&b, "%s", f.end);
	}
	m.text = arena_copy(a, buf_str(&b));
	buf_free(&b);
	return m;
}

#endif
