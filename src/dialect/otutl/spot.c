/* The part of a line that a report would show is cut out around the mark, and kept with its place. */
#include "dialect/otutl/spot.h"

#include "base/utf8.h"

#define BEFORE 120 /* bytes of the spot before the mark */

struct str otutl_pointer(enum otutl_place where)
{
	static const char *const pointers[OTUTL_PLACES] = {
		[OTUTL_AT_RECORD] = "",
		[OTUTL_AT_TYPE] = "/type",
		[OTUTL_AT_TS] = "/ts",
		[OTUTL_AT_RUN_ID] = "/run_id",
		[OTUTL_AT_SEQ] = "/seq",
		[OTUTL_AT_CALL_ID] = "/call_id",
		[OTUTL_AT_PARENT] = "/parent_call_id",
	};

	return str_from(pointers[where]);
}

/* How much of the line the value at `at` takes: up to the closing quote, or a word. */
static size_t value_length(struct str text, size_t at)
{
	bool quoted;
	size_t i = at;

	if (at >= text.n)
		return 0;
	quoted = at > 0 && text.p[at - 1] == '"';
	while (i < text.n && text.p[i] != '"' && (quoted || !strchr(",}] \t", text.p[i])))
		i += text.p[i] == '\\' ? 2 : 1;
	return i < text.n ? i - at : text.n - at;
}

void otutl_record_point(const struct otutl_record *r, enum otutl_place where, struct finding *f)
{
	size_t at = r->at[where];

	f->pointer = otutl_pointer(where);
	if (r->text.n) {
		finding_point(f, r->text, r->line, r->offset, at, value_length(r->text, at));
		return;
	}
	f->at = (struct place){ r->line, r->column[where] ? r->column[where] : 1, r->offset + at };
	f->excerpt = STR("");
	f->mark = f->mark_length = 0;
}

void otutl_spot_keep(struct otutl_spot *s, const struct otutl_record *r, enum otutl_place where)
{
	struct finding f = { .code = NULL };
	size_t from;

	otutl_record_point(r, where, &f);
	from = f.mark > BEFORE ? f.mark - BEFORE : 0;
	while (from > 0 && from < f.mark && utf8_is_tail(f.excerpt.p[from]))
		from++;
	s->at = f.at;
	s->n = f.excerpt.n - from < OTUTL_SPOT ? f.excerpt.n - from : OTUTL_SPOT;
	s->mark = f.mark - from;
	s->mark_length = f.mark_length < s->n - s->mark ? f.mark_length : s->n - s->mark;
	if (s->n)
		memcpy(s->text, f.excerpt.p + from, s->n);
}

void otutl_spot_point(const struct otutl_spot *s, struct finding *f)
{
	f->at = s->at;
	f->excerpt = str_of(s->text, s->n);
	f->mark = s->mark;
	f->mark_length = s->mark_length;
}
