#include "flow/canonical.h"

#include "json/issue.h"

void canonical_init(struct canonical *c, size_t limit)
{
	c->limit = limit;
	buf_init(&c->out);
	arena_init(&c->arena);
}

void canonical_free(struct canonical *c)
{
	buf_free(&c->out);
	arena_free(&c->arena);
}

static void clear(struct canonical *c)
{
	buf_clear(&c->out);
	arena_reset(&c->arena);
	findings_init(&c->findings, &c->arena, c->limit);
	c->records = 0;
}

void canonical_document(struct canonical *c, struct json_parser *parser, struct canon *canon, const struct chunk *in)
{
	struct json_issue issue;
	enum json_code code;
	uint32_t bad_at;
	struct val v;

	clear(c);
	if (!json_parse(parser, in->bytes, &v, &issue)) {
		issue_add_in_document(&c->findings, &issue, in->bytes);
	} else if (!canon_value(canon, v, &c->out, &bad_at, &code)) {
		canon_issue(v, bad_at, code, &c->arena, &issue);
		issue_add_in_document(&c->findings, &issue, in->bytes);
	} else {
		c->records++;
	}
}

/* The issue's offset counts from the tape's text, which may be the chunk or the line alone: hence the pointers. */
static void add_line(struct canonical *c, struct canon *canon, const struct json_record *line, uint64_t origin)
{
	struct json_issue issue;
	enum json_code code;
	uint32_t bad_at;

	if (canon_value(canon, line->value, &c->out, &bad_at, &code)) {
		buf_add_byte(&c->out, '\n');
		c->records++;
		return;
	}
	canon_issue(line->value, bad_at, code, &c->arena, &issue);
	issue_add_finding(&c->findings, &issue, line->text, line->line, origin,
			  (size_t)(line->value.tape->text + issue.offset - line->text.p));
}

void canonical_lines(struct canonical *c, struct json_parser *parser, struct canon *canon, const struct chunk *in)
{
	struct json_lines lines;
	struct json_record line;
	struct json_issue issue;
	enum json_line kind;

	clear(c);
	json_lines_begin(&lines, parser, in->bytes, in->first_line);
	while ((kind = json_lines_next(&lines, &line, &issue)) != JSON_LINE_END) {
		if (kind == JSON_LINE_VALUE)
			add_line(c, canon, &line, in->origin + line.offset);
		else if (kind == JSON_LINE_BAD)
			issue_add_in_line(&c->findings, &issue, &line, in->origin);
	}
}
