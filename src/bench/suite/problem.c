/* Finds line and column only for findings that are kept: that walks through the file from its start. */
#include "bench/suite/problem.h"

#include <inttypes.h>
#include <stdarg.h>

#include "base/buf.h"
#include "json/issue.h"

struct spot {
	size_t at, length; /* at SIZE_MAX: the whole file */
	struct str pointer;
};

/* Marks `length` bytes at `at`, on the line that they begin in. */
static void point(struct finding *f, struct str text, size_t at, size_t length)
{
	const char *before, *after;
	struct issue_mark mark = { .offset = 0, .line = 1, .column = 1 };
	size_t from;

	at = at < text.n ? at : text.n;
	before = at ? memrchr(text.p, '\n', at) : NULL;
	after = at < text.n ? memchr(text.p + at, '\n', text.n - at) : NULL;
	from = before ? (size_t)(before - text.p) + 1 : 0;
	issue_mark_move(&mark, text, from);
	finding_point(f, str_of(text.p + from, (after ? (size_t)(after - text.p) : text.n) - from), mark.line, from,
		      at - from, length);
}

/* Errors are counted for the caller whether or not the list has room for them; warnings never are. */
__attribute__((format(printf, 4, 0))) static void problem_note(struct problems *p, enum suite_rule rule,
							       struct spot spot, const char *format, va_list args)
{
	const struct rule *r = &suite_rules[rule];
	struct finding f = { .code = r->code, .severity = r->severity, .pointer = spot.pointer };
	struct buf text;

	p->count += r->severity == SEV_ERROR;
	if (!findings_wants(p->list, f.code, f.severity)) {
		findings_count(p->list, f.code, f.severity);
		return;
	}
	buf_init(&text);
	buf_vprintf(&text, format, args);
	if (p->row)
		buf_printf(&text, " (filled in from row %" PRIu64 ")", p->row);
	f.message = buf_str(&text);
	if (spot.at != SIZE_MAX)
		point(&f, p->text, spot.at, spot.length);
	findings_add(p->list, &f);
	buf_free(&text);
}

static size_t problem_offset_of(struct val v)
{
	return (size_t)(val_source(v).p - v.tape->text);
}

bool problem_at(struct problems *p, enum suite_rule rule, struct val v, const char *format, ...)
{
	struct val where = val_is_none(p->stands_for) ? v : p->stands_for;
	struct spot spot = { .at = problem_offset_of(where), .length = val_source(where).n };
	struct arena a;
	va_list args;

	arena_init(&a);
	if (val_is(where, JSON_KEY))
		where.at++; /* a name has no pointer, its value has */
	spot.pointer = val_pointer(p->root, where, &a);
	va_start(args, format);
	problem_note(p, rule, spot, format, args);
	va_end(args);
	arena_free(&a);
	return false;
}

void problem_in(struct problems *p, enum suite_rule rule, size_t at, size_t length, const char *format, ...)
{
	struct spot spot = { .at = at, .length = length, .pointer = STR("") };
	va_list args;

	va_start(args, format);
	problem_note(p, rule, spot, format, args);
	va_end(args);
}

const char *problem_type_name(struct val v)
{
	switch (val_type(v)) {
	case JSON_NULL:
		return "null";
	case JSON_FALSE:
	case JSON_TRUE:
		return "a boolean";
	case JSON_NUMBER:
		return "a number";
	case JSON_STRING:
		return "a string";
	case JSON_ARRAY:
		return "a list";
	case JSON_OBJECT:
		return "an object";
	default:
		return "nothing";
	}
}
