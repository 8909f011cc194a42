/*
 * Second pass of a variant: from the index of places to the tape.
 * Included by scan_body.h, once per variant, after the primitives it names; hence static throughout.
 */
#ifndef JSON_SCAN_TAPE_H
#define JSON_SCAN_TAPE_H

/* A string from its quote at p. The value ends at e at most; escapes up to `next`, the next place, are its own. */
static bool string(struct walk *w, uint32_t p, uint32_t e, uint32_t next)
{
	uint8_t flags = 0;

	e = trim(w->b, e);
	if (w->b[e - 1] != '"' || e - 1 <= p)
		return false;
	if (*w->esc < next && !scan_escapes(w->b, &w->esc, next, &flags))
		return false;
	set(w->t++, p + 1, e - p - 2, JSON_STRING, flags);
	return true;
}

/* A scalar that begins at p and ends before e, where only white space may stand before e. */
static bool scalar(struct walk *w, uint32_t p, uint32_t e, uint32_t next)
{
	uint8_t c = w->b[p], flags;

	if (c == '"')
		return string(w, p, e, next);
	e = trim(w->b, e);
	if (e - p > 32) {
		if (!scan_long_number(w->b + p, e - p, &flags))
			return false;
		set(w->t++, p, e - p, JSON_NUMBER, flags);
		return true;
	}
	w->t++;
	return c >= 'a' ? literal(w->t - 1, w->b, p, e - p) : number(w->t - 1, w->b, p, e - p);
}

/* The name at the next place: guessed, or the slow way, which may move the table of shapes. False at the end too. */
static bool name(struct walk *w)
{
	const struct shape_guess *g = guess(&w->shapes[w->shape], w->b, w->ix[0], w->ix[1] - w->ix[0]);

	if (g) {
		*w->t = (struct json_tok){ .off = w->ix[0] + 1, .len = g->name_len, .link = g->key, .type = JSON_KEY };
		w->shape = g->to;
	} else {
		if (!scan_name(w->s, w->ix, &w->esc, &w->shape, w->t))
			return false;
		w->shapes = w->s->shapes->shapes;
	}
	w->t++;
	w->ix++;
	return *w->ix < w->s->to;
}

/* Opens a container; its length and link are set by pop. False beyond the depth that is allowed. */
static bool push(struct walk *w, uint32_t p, bool object)
{
	if (w->top == w->s->stack + w->s->max_depth)
		return false;
	w->top->shape = w->shape;
	w->top++;
	w->top->open = (uint32_t)(w->t - w->s->toks);
	w->top->object = object;
	w->shape = SHAPE_EMPTY;
	set(w->t++, p, 0, object ? JSON_OBJECT : JSON_ARRAY, 0);
	return true;
}

/* Closes the innermost container with the bracket at r. */
static bool pop(struct walk *w, uint32_t r)
{
	struct json_tok *open = w->s->toks + w->top->open;

	open->len = r + 1 - open->off;
	open->link = (uint32_t)(w->t - w->s->toks);
	if (w->top->object) {
		open->shape = w->shape;
		if (w->shape == SHAPE_NONE &&
		    scan_has_duplicate(w->s->shapes, w->s->toks, w->top->open + 1, open->link))
			return false;
	}
	w->top--;
	w->shape = w->top->shape;
	return r < w->s->to;
}

/* What comes next. */
enum state { WRONG, MEMBER, ELEMENT, CLOSE, DONE };

/* Enters the container whose bracket is at p. */
static enum state enter(struct walk *w, uint32_t p)
{
	bool object = w->b[p] == '{';
	uint32_t q;

	if (!push(w, p, object))
		return WRONG;
	q = *++w->ix;
	if (!blank(w->b, p + 1, q))
		return WRONG;
	if (!object)
		return w->b[q] == ']' ? CLOSE : ELEMENT;
	if (w->b[q] == '}')
		return CLOSE;
	return w->b[q] == '"' ? MEMBER : WRONG;
}

static bool is_opening(uint8_t c)
{
	return c == '{' || c == '[';
}

/* As many guessed members as there are, then one more in any form. */
static enum state member(struct walk *w)
{
	const uint8_t *b = w->b;
	uint32_t p, q, e;

	member_run(w);
	if (!name(w))
		return WRONG;
	p = *w->ix;
	if (is_opening(b[p]))
		return enter(w, p);
	q = *++w->ix;
	if (b[q] == '}')
		return scalar(w, p, q, q) ? CLOSE : WRONG;
	e = before_comma(b, q);
	return b[q] == '"' && e && scalar(w, p, e, q) ? MEMBER : WRONG;
}

/* As many plain numbers as there are, then one element in any form. */
static enum state element(struct walk *w)
{
	const uint8_t *b = w->b;
	uint32_t p, q, e;

	if (b[*w->ix] <= '9')
		number_run(w);
	p = *w->ix;
	if (p >= w->s->to)
		return WRONG;
	if (is_opening(b[p]))
		return enter(w, p);
	q = *++w->ix;
	if (b[q] == ']')
		return scalar(w, p, q, q) ? CLOSE : WRONG;
	e = before_comma(b, q);
	return e && scalar(w, p, e, q) ? ELEMENT : WRONG;
}

/* Leaves the innermost container by the bracket at the next place. */
static enum state leave(struct walk *w)
{
	const uint8_t *b = w->b;
	uint32_t r = *w->ix, q, e;
	bool closes;

	if (!pop(w, r))
		return WRONG;
	q = *++w->ix;
	w->end = r + 1;
	if (w->top == w->s->stack)
		return DONE;
	closes = b[q] == (w->top->object ? '}' : ']');
	e = closes ? q : before_comma(b, q);
	if (!e || !blank(b, r + 1, e))
		return WRONG;
	if (closes)
		return CLOSE;
	if (!w->top->object)
		return ELEMENT;
	return b[q] == '"' ? MEMBER : WRONG;
}

/* One value and everything in it, from the next place on; w->end is left after its last byte. */
static bool walk_value(struct walk *w)
{
	uint32_t p = *w->ix;
	enum state state;

	w->top = w->s->stack;
	if (!is_opening(w->b[p])) {
		w->ix++;
		w->end = trim(w->b, *w->ix);
		return scalar(w, p, *w->ix, *w->ix);
	}
	state = enter(w, p);
	for (;;) {
		switch (state) {
		case MEMBER:
			state = member(w);
			break;
		case ELEMENT:
			state = element(w);
			break;
		case CLOSE:
			state = leave(w);
			break;
		case DONE:
			return true;
		case WRONG:
			return false;
		}
	}
}

/* The tape of the whole index, row by row. False at the first fault: slow.c then finds out what and where. */
static bool scan_tape(struct scan *s)
{
	struct walk w = {
		.b = s->text, .ix = s->index, .esc = s->escapes, .t = s->toks, .shapes = s->shapes->shapes, .s = s
	};
	struct scan_line *row = s->rows;
	uint32_t from = s->from;

	while (*w.ix < s->to || from < s->to) {
		uint32_t p = *w.ix;

		row->off = from;
		row->root = SCAN_NO_ROOT;
		if (p < s->to && !(s->lines && s->text[p] == '\n')) {
			row->root = (uint32_t)(w.t - s->toks);
			if (!blank(s->text, from, p) || !walk_value(&w))
				return false;
			p = *w.ix;
			if ((p < s->to && s->text[p] != '\n') || !blank(s->text, w.end, p))
				return false;
		} else if (!blank(s->text, from, p)) {
			return false;
		}
		row->end = p;
		row++;
		from = p + 1;
		w.ix += p < s->to;
	}
	s->row_count = (uint32_t)(row - s->rows);
	s->tok_count = (uint32_t)(w.t - s->toks);
	return true;
}

#endif
