/* The issues of the plain parser: their places and pointers, made only when something is wrong. */
#include "json/slow_private.h"

#include "json/issue.h"

/*
 * Pointers are made when they are needed, and each open container's only once, so that a record with
 * very many faults deep inside takes no more than linear time.
 */
static void make_pointer(struct slow_run *r, enum slow_about about)
{
	uint32_t made = r->depth;

	while (made > 0 && r->frames[made - 1].pointer_end == 0)
		made--;
	r->pointer.n = made ? r->frames[made - 1].pointer_end - 1 : 0;
	for (uint32_t i = made; i < r->depth + (about == SLOW_MEMBER); i++) {
		const struct slow_frame *outer = i ? &r->frames[i - 1] : NULL;
		const struct json_tok *key = outer && outer->object ? &r->s->tape->toks[outer->key] : NULL;

		if (key)
			issue_pointer_add_name(&r->pointer, str_of(r->text.p + key->off, key->len));
		else if (outer)
			issue_pointer_add_index(&r->pointer, outer->count);
		if (i < r->depth)
			r->frames[i].pointer_end = r->pointer.n + 1;
	}
}

/* Lines are counted once; only a name's own place may be asked for after places inside it. */
static void locate(struct slow_run *r)
{
	struct slow *s = r->s;
	struct issue_mark m = s->mark.offset <= s->issue.offset ? s->mark : r->string_mark;

	issue_mark_move(&m, r->text, s->issue.offset);
	s->issue.line = m.line;
	s->issue.column = m.column;
	if (m.offset > s->mark.offset)
		s->mark = m;
}

void slow_mark_string(struct slow_run *r, size_t quote)
{
	if (r->s->mark.offset > quote)
		return;
	issue_mark_move(&r->s->mark, r->text, quote);
	r->string_mark = r->s->mark;
}

static void complete(struct slow_run *r, enum slow_about about)
{
	struct slow *s = r->s;

	locate(r);
	make_pointer(r, about);
	s->issue.pointer = buf_str(&r->pointer);
	if (s->lenient && s->report)
		s->report(s->context, &s->issue);
}

bool slow_fail(struct slow_run *r, enum slow_about about)
{
	complete(r, about);
	r->s->issue.pointer = arena_copy(r->s->arena, r->s->issue.pointer);
	return false;
}

bool slow_note(struct slow_run *r, enum slow_about about)
{
	if (!r->s->lenient)
		return slow_fail(r, about);
	complete(r, about);
	return true;
}

bool slow_unexpected(struct slow_run *r, enum slow_about about, const char *expected)
{
	issue_unexpected(&r->s->issue, r->text, r->at, JSON_E_SYNTAX, expected);
	return slow_fail(r, about);
}
