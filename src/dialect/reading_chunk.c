#include "base/utf8.h"
#include "dialect/coverage.h"
#include "dialect/dialect.h"
#include "dialect/reading.h"
#include "json/lenient.h"
#include "json/repair.h"
#include "json/slow.h"

#define PREFIX_MAX 256 /* bytes before a value on its line */

static void read_value(struct reading *r, struct val v)
{
	reading_enter(r, 0, v);
	r->root = v;
	r->dialect->read->value(r, v);
	if (r->coverage)
		coverage_add(r->coverage, v, r->tapes[0].marks);
	r->tape_count = 0;
}

static struct str repaired(struct reading *r, struct str text)
{
	char *fixed;

	if (utf8_check(text) == text.n)
		return text;
	fixed = arena_array(r->arena, char, text.n * 3);
	return str_of(fixed, repair_utf8(fixed, text));
}

/* ---- server-sent events, lines with something before the value ---- */

struct str reading_cut_sse(struct str line, struct str *event, bool *done)
{
	line = str_trim(line);
	if (str_starts(line, STR("data:"))) {
		line = str_trim(str_of(line.p + 5, line.n - 5));
		if (str_eq(line, STR("[DONE]"))) {
			*done = true;
			return str_of(NULL, 0);
		}
		return line;
	}
	if (str_starts(line, STR("event:")))
		*event = str_trim(str_of(line.p + 6, line.n - 6));
	return str_of(NULL, 0);
}

bool reading_next_sse(struct reading *r, struct reading_sse *it, struct val *v)
{
	if (!val_is_none(it->value))
		reading_release(r, it->value);
	it->value = VAL_NONE;
	while (it->left.n > 0) {
		struct str line = str_cut(it->left, '\n', &it->left);
		struct str json = str_trim(line);

		if (json.n == 0) {
			it->event = str_of(NULL, 0);
			continue;
		}
		if (json.p[0] != '{' && json.p[0] != '[')
			json = reading_cut_sse(json, &it->event, &it->done);
		if (!json.p)
			continue;
		it->value = reading_parse(r, json);
		if (!val_is_none(it->value)) {
			*v = it->value;
			return true;
		}
	}
	return false;
}

static void add_unreadable(struct reading *r, const char *what)
{
	struct event *e = reading_add(r, EVENT_ERROR);

	e->class = STR("parse");
	e->code = STR("unreadable_line");
	e->text = arena_printf(r->arena, "line %llu %s", (unsigned long long)r->line, what);
}

static void add_text(struct reading *r, struct str line)
{
	struct event *e = reading_add(r, EVENT_NOTE);

	e->role = STR("text");
	e->content = reading_quote(r, repaired(r, line));
}

/* Every value of a text that is made of whole lines; how many. */
static size_t read_lenient(struct reading *r, struct str text)
{
	struct json_lenient it;
	uint64_t line;
	struct val v;
	size_t n = 0;

	json_lenient_begin(&it, r->odd, text, r->line, NULL, NULL);
	for (; json_lenient_next(&it, &v, &line); n++)
		read_value(r, v);
	return n;
}

static bool is_sse(struct str line)
{
	static const char *const fields[] = { "data:", "event:", "id:", "retry:", ":" };

	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
		if (str_starts(line, str_from(fields[i])))
			return true;
	return false;
}

/* Something, and then an object: "INFO:events:{...}", "[2025-09-24T01:18:42Z] >>> {...}". */
static bool read_behind_prefix(struct reading *r, struct str line)
{
	const char *brace = memchr(line.p, '{', line.n < PREFIX_MAX ? line.n : PREFIX_MAX);

	if (!brace || brace == line.p)
		return false;
	r->prefix = str_trim(str_of(line.p, (size_t)(brace - line.p)));
	return read_lenient(r, str_of(brace, (size_t)(line.p + line.n - brace))) > 0;
}

/* A line that is not one JSON value. */
static void read_odd_line(struct reading *r, struct str line, bool ended)
{
	struct str trimmed = str_trim(line), json = trimmed;
	bool sse = is_sse(trimmed), begins = trimmed.p[0] == '{' || trimmed.p[0] == '[', done = false;

	if (sse)
		json = reading_cut_sse(trimmed, &r->sse_event, &done);
	if (!json.p)
		return;
	if ((sse || begins) && read_lenient(r, json) > 0)
		return;
	if (!sse && read_behind_prefix(r, trimmed))
		return;
	if (sse || begins)
		add_unreadable(r, ended ? "is not JSON" : "breaks off");
	else
		add_text(r, trimmed);
}

static void read_lines(struct reading *r, struct str bytes, uint64_t first_line)
{
	struct json_lines it;
	struct json_record line;

	json_lines_begin(&it, r->tapes[0].parser, bytes, first_line);
	for (;;) {
		enum json_line kind = json_lines_next(&it, &line, NULL);

		if (kind == JSON_LINE_END)
			return;
		r->line = line.line;
		r->prefix = STR("");
		if (kind == JSON_LINE_BLANK)
			r->sse_event = str_of(NULL, 0);
		else if (kind == JSON_LINE_VALUE)
			read_value(r, line.value);
		else
			read_odd_line(r, line.text, line.ended);
	}
}

/* A document, or an array of what a line would hold. */
static void read_document(struct reading *r, struct val v)
{
	struct val_iter it = val_begin(v);
	struct val element;

	if (!val_is(v, JSON_ARRAY) || !r->dialect->read->elements) {
		read_value(r, v);
		return;
	}
	while (val_next(&it, &element))
		read_value(r, element);
}

void reading_chunk(struct reading *r, struct arena *batch, struct str bytes, uint64_t first_line, bool lines)
{
	struct slow s = { .text = bytes, .lenient = true, .single = true };
	struct val v;

	r->arena = batch;
	r->count = 0;
	r->line = first_line;
	r->prefix = STR("");
	r->sse_event = str_of(NULL, 0);
	if (lines)
		read_lines(r, bytes, first_line);
	else if (json_parse(r->tapes[0].parser, bytes, &v, NULL) || slow_parse_for(r->tapes[0].parser, &s, 0, &v))
		read_document(r, v);
	else
		read_lines(r, bytes, first_line);
}
