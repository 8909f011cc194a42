/* Findings about records: where they are, in what words, and whether anyone wants them. */
#include <stdarg.h>

#include "dialect/record/record.h"
#include "dialect/record/scan.h"

enum severity rule_severity(const struct rule *r, enum check_mode mode)
{
	enum rule_mode_severity other = mode == MODE_STRICT     ? r->in_strict :
					mode == MODE_PERMISSIVE ? r->in_permissive :
								  RULE_SAME;

	return other == RULE_SAME ? r->severity : (enum severity)(other - RULE_INFO);
}

/* The line of the text that holds the byte `at`: lines themselves hold one, documents many. */
static struct record_place record_note_line_of(const struct record_place *in, size_t *at,
					       struct record_line *known)
{
	struct str text = in->text;
	size_t where = *at < text.n ? *at : text.n, from, to;
	const char *before = where ? memrchr(text.p, '\n', where) : NULL;
	const char *after = memchr(text.p + where, '\n', text.n - where);
	uint64_t line = in->line;
	size_t counted = 0;

	from = before ? (size_t)(before - text.p) + 1 : 0;
	to = after ? (size_t)(after - text.p) : text.n;
	to -= after && to > where && text.p[to - 1] == '\r';
	if (known && known->record == in->line && known->at <= from) { /* counting on: findings mostly come in order */
		line = known->line;
		counted = known->at;
	}
	for (; counted < from; counted++)
		line += text.p[counted] == '\n';
	if (known)
		*known = (struct record_line){ in->line, from, line };
	*at = where - from;
	return (struct record_place){ str_of(text.p + from, to - from), line, in->offset + from };
}

/* What a finding is about. */
struct spot {
	const struct record_place *place; /* NULL for the whole file */
	size_t at, length;
	struct str pointer;
	bool hidden; /* not a byte of it may be shown */
	struct record_line *known; /* may be NULL */
};

/* Adds the finding, or only counts it when the list has enough of its code: then its words are never made. */
__attribute__((format(printf, 5, 0))) static void note(struct findings *list, const struct rule *rule,
						       enum check_mode mode, struct spot spot, const char *format,
						       va_list args)
{
	struct finding f = { .code = rule->code, .severity = rule_severity(rule, mode), .pointer = spot.pointer };
	struct buf text = { 0 };

	if (!findings_wants(list, f.code, f.severity)) {
		findings_count(list, f.code, f.severity);
		return;
	}
	buf_vprintf(&text, format, args);
	f.message = buf_str(&text);
	if (spot.place && !spot.place->text.p) {
		f.at = (struct place){ .line = spot.place->line, .column = spot.at, .offset = spot.place->offset };
	} else if (spot.place) {
		struct record_place line = record_note_line_of(spot.place, &spot.at, spot.known);

		finding_point(&f, line.text, line.line, line.offset, spot.at, spot.length);
	}
	if (spot.hidden) {
		f.excerpt = STR("");
		f.mark = f.mark_length = 0;
	}
	findings_add(list, &f);
	buf_free(&text);
}

/* The pointer is the dearest part of a finding, so it is worked out only for one that is wanted. */
__attribute__((format(printf, 5, 0))) static void record_note_value(struct record_scan *s, unsigned rule,
								    struct val v, bool hidden, const char *format,
								    va_list args)
{
	const struct rule *r = &s->rules[rule];
	struct record_place place = { s->text, s->line, s->offset };
	struct spot spot = { .place = &place, .length = 1, .pointer = STR(""), .hidden = hidden };

	spot.known = &s->out->known;
	if (!val_is_none(v) && findings_wants(&s->out->findings, r->code, rule_severity(r, s->mode))) {
		struct str source = val_source(v);
		bool container = val_is(v, JSON_OBJECT) || val_is(v, JSON_ARRAY);

		spot.at = (size_t)(source.p - s->text.p);
		spot.length = container ? 1 : source.n;
		spot.pointer = val_pointer_near(s->root, v, s->arena, &s->near);
	}
	note(&s->out->findings, r, s->mode, spot, format, args);
}

void record_note(struct record_scan *s, unsigned rule, struct val v, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	record_note_value(s, rule, v, false, format, args);
	va_end(args);
}

void record_note_secret(struct record_scan *s, unsigned rule, struct val v, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	record_note_value(s, rule, v, true, format, args);
	va_end(args);
}

void record_note_at(struct record_scan *s, unsigned rule, size_t at, size_t length, struct str pointer,
		    const char *format, ...)
{
	struct record_place place = { s->text, s->line, s->offset };
	struct spot spot = { &place, at, length, pointer, false, &s->out->known };
	va_list args;

	va_start(args, format);
	note(&s->out->findings, &s->rules[rule], s->mode, spot, format, args);
	va_end(args);
}

void record_note_json(struct record_scan *s, const struct json_issue *issue)
{
	const struct record_format *f = s->format;
	unsigned rule = issue->code == JSON_E_UTF8	? f->on_utf8 :
			issue->code == JSON_E_DUP_KEY ? f->on_duplicate :
							f->on_syntax;

	record_note_at(s, rule, issue->offset, issue->length, issue->pointer, "%s", issue->message);
}

void record_fold_note(struct record_fold *f, unsigned rule, const struct record_place *place, size_t at, size_t length,
		      struct str pointer, const char *format, ...)
{
	struct spot spot = { place, at, length, pointer, false, NULL };
	va_list args;

	va_start(args, format);
	note(f->findings, &f->rules[rule], f->mode, spot, format, args);
	va_end(args);
}
