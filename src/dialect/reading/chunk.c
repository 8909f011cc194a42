/*
 * Cuts a chunk of a foreign log into JSON values and gives each to its dialect: whole lines, server-sent events,
 * values behind a prefix, and lines that are none of these.
 */
#include "base/ascii.h"
#include "base/sse.h"
#include "base/utf8.h"
#include "dialect/dialect.h"
#include "dialect/reading/coverage.h"
#include "dialect/reading/reading.h"
#include "dialect/reading/torn.h"
#include "json/lenient.h"
#include "json/repair.h"
#include "json/slow.h"

#define PREFIX_MAX 256 /* bytes before a value on its line */

/* One value to the dialect; after a refusal none. Coverage is counted when all of it was looked at. */
static void reading_chunk_read_value(struct reading *r, struct val v)
{
	if (r->refused.p)
		return;
	reading_enter(r, 0, v);
	r->root = v;
	r->dialect->read->value(r, v);
	if (r->coverage && !r->refused.p)
		coverage_add(r->coverage, v, r->tapes[0].marks);
	r->tape_count = 0;
}

/* A document, or an array of what a line would hold. */
static void read_document(struct reading *r, struct val v, bool has_elements)
{
	if (!val_is(v, JSON_ARRAY) || !has_elements) {
		reading_chunk_read_value(r, v);
		return;
	}
	VALUES_EACH(element, v)
		reading_chunk_read_value(r, element);
}

/* Bytes that are no UTF-8 become U+FFFD, three bytes each: hence the room. */
static struct str repaired(struct reading *r, struct str text)
{
	char *fixed;

	if (utf8_check(text) == text.n)
		return text;
	fixed = arena_array(r->arena, char, text.n * 3);
	return str_of(fixed, repair_utf8(fixed, text));
}

/* ---- lines with something before the value ---- */

/* An ERROR for a line that is no JSON. A last line that breaks off is no fault of the log. */
static void add_unreadable(struct reading *r, bool torn)
{
	struct event *e = reading_add(r, EVENT_ERROR);
	const char *what = torn ? "breaks off" : "is not JSON";

	r->unreadable += !torn;
	r->torn = torn;
	e->flags |= torn ? EVENT_PARTIAL : 0;
	e->class = STR("parse");
	e->code = STR("unreadable_line");
	e->text = arena_printf(r->arena, "line %llu %s", (unsigned long long)r->line, what);
}

static void reading_chunk_add_text(struct reading *r, struct str line)
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
		reading_chunk_read_value(r, v);
	return n;
}

/* Something, and then an object: "INFO:events:{...}", "[2025-09-24T01:18:42Z] >>> {...}". */
static bool read_behind_prefix(struct reading *r, struct str line)
{
	const char *brace = memchr(line.p, '{', line.n < PREFIX_MAX ? line.n : PREFIX_MAX);

	if (!brace || brace == line.p)
		return false;
	r->prefix = repaired(r, str_trim(str_of(line.p, (size_t)(brace - line.p))));
	return read_lenient(r, str_of(brace, (size_t)(line.p + line.n - brace))) > 0;
}

/* "[2025-09-24T01:18:42Z] START", "[INFO] ready": a time or a word in brackets, which is no list. */
static bool begins_with_label(struct str text)
{
	char c = text.n > 1 ? text.p[1] : ' ';

	if (str_starts(text, STR("[NaN")) || str_starts(text, STR("[Infinity")))
		return false;
	return text.p[0] == '[' && (ascii_is_upper(c) || (text.n > 5 && ascii_is_digit(c) && text.p[5] == '-'));
}

/* A line that is not one JSON value, and none of a stream. */
static void read_odd_line(struct reading *r, struct str line, bool ended)
{
	struct str json = str_trim(line);
	bool begins = (json.p[0] == '{' || json.p[0] == '[') && !begins_with_label(json);

	if (begins && read_lenient(r, json) > 0)
		return;
	if (read_behind_prefix(r, json))
		return;
	if (begins)
		add_unreadable(r, !ended && torn_is(json));
	else
		reading_chunk_add_text(r, json);
}

/* ---- server-sent events ---- */

/* Lines that follow each other and are of a stream. A blank line ends them, though CRs may end others inside. */
struct stream_lines {
	struct str text; /* n 0: there are none */
	uint64_t line;   /* of the first */
	bool ended;      /* so is the last of them */
};

/* One value, or one on each line when events have no blank lines between them. `ended`: the last line is. */
static void read_event_data(struct reading *r, struct str data, bool ended)
{
	struct slow s = { .lenient = true, .single = true };
	char *padded = arena_array(r->arena, char, data.n + JSON_PAD);
	struct val v;

	memcpy(padded, data.p, data.n);
	memset(padded + data.n, 0, JSON_PAD);
	s.text = str_of(padded, data.n);
	if (json_parse(r->odd, s.text, &v, NULL) || slow_parse_for(r->odd, &s, 0, &v)) {
		reading_chunk_read_value(r, v);
		return;
	}
	for (struct str left = s.text; left.n && !r->refused.p; r->line += left.n > 0) {
		struct str line = str_trim(str_cut(left, '\n', &left));

		if (line.n && !str_eq(line, STR("[DONE]")) && read_lenient(r, line) == 0)
			add_unreadable(r, !left.n && !ended && torn_is(line));
	}
}

static uint64_t count_line_ends(struct str text)
{
	uint64_t count = 0;
	size_t end;

	while (text.n) {
		sse_line(text, &end);
		text = str_of(text.p + end, text.n - end);
		count++;
	}
	return count;
}

/* Lines that the standard ignores say something all the same. */
static void add_strange_lines(struct reading *r, struct str text)
{
	size_t end;

	for (; text.n; text = str_of(text.p + end, text.n - end)) {
		struct str line = str_of(text.p, sse_line(text, &end));

		if (str_trim(line).n && !sse_is_line(line) && !str_eq(line, STR("data")))
			reading_chunk_add_text(r, str_trim(line));
	}
}

/* Lines of server-sent events, as many as follow each other. */
static void read_stream_lines(struct reading *r, struct stream_lines *lines)
{
	struct str left = lines->text, before = left;
	struct sse_event e;

	r->prefix = STR("");
	r->in_event = true;
	while (left.n && !r->refused.p) {
		bool is = sse_next_in_text(&left, r->arena, &e);
		struct str data = is ? str_trim(e.data) : STR(""), used = str_of(before.p, before.n - left.n);

		r->line = lines->line;
		r->sse_event = e.event;
		if (e.strange)
			add_strange_lines(r, used);
		if (data.n && !str_eq(data, STR("[DONE]")))
			read_event_data(r, data, left.n || lines->ended);
		lines->line += count_line_ends(used);
		before = left;
	}
	r->sse_event = str_of(NULL, 0);
	r->in_event = false;
	lines->text.n = 0;
}

/* Whether a line goes with those before it. One that the standard ignores does. */
static bool add_stream_line(struct stream_lines *lines, const struct json_record *line)
{
	struct str text = line->text;
	bool is = sse_is_line(text);

	if (!is && (!lines->text.n || memchr(text.p, '{', text.n < PREFIX_MAX ? text.n : PREFIX_MAX) ||
		    str_trim(text).p[0] == '['))
		return false;
	if (!lines->text.n)
		*lines = (struct stream_lines){ .text = { text.p, 0 }, .line = line->line };
	lines->text.n = (size_t)(text.p + text.n - lines->text.p);
	lines->ended = line->ended || (text.n && text.p[text.n - 1] == '\r') || text.p[text.n] == '\r';
	return true;
}

/* How many CRs of a text end a line alone. What follows the text is readable: chunks are padded. */
static uint64_t count_lone_crs(struct str text)
{
	uint64_t n = 0;

	for (size_t i = 0; i < text.n; i++)
		n += text.p[i] == '\r' && text.p[i + 1] != '\n';
	return n;
}

static struct str without_cr(struct str line)
{
	return line.n && line.p[line.n - 1] == '\r' ? str_of(line.p, line.n - 1) : line;
}

/*
 * All lines of the chunk; those of a stream are gathered first. The lines are told by their LFs; in a stream of events
 * the CRs before them are added to the number, as the source does when it counts whole chunks.
 */
static void read_lines(struct reading *r, struct str bytes, uint64_t first_line)
{
	struct stream_lines stream = { .line = 0 };
	struct json_lines it;
	struct json_record line;
	uint64_t lone_crs = 0;
	size_t counted = 0; /* bytes whose CRs are in lone_crs */

	json_lines_begin(&it, r->tapes[0].parser, bytes, first_line);
	for (;;) {
		enum json_line kind = json_lines_next(&it, &line, NULL);

		if (kind != JSON_LINE_END && r->cr_ends_lines) {
			lone_crs += count_lone_crs(str_of(bytes.p + counted, line.offset - counted));
			counted = line.offset;
			line.line += lone_crs;
		}
		if (kind == JSON_LINE_BAD && !r->dialect->read->line && add_stream_line(&stream, &line))
			continue;
		if (stream.text.n)
			read_stream_lines(r, &stream);
		if (kind == JSON_LINE_END || r->refused.p)
			return;
		r->line = line.line;
		r->prefix = STR("");
		if (r->dialect->read->line && r->dialect->read->line(r, repaired(r, without_cr(line.text))))
			continue;
		if (kind == JSON_LINE_VALUE)
			read_document(r, line.value, r->dialect->read->line_elements);
		else if (kind != JSON_LINE_BLANK)
			read_odd_line(r, line.text, line.ended);
	}
}

/* A document that is no JSON as a whole may be lines after all, and is read as such. */
void reading_chunk(struct reading *r, struct arena *batch, struct str bytes, uint64_t first_line, bool lines)
{
	struct slow s = { .text = bytes, .lenient = true, .single = true };
	struct val v;

	r->arena = batch;
	r->count = 0;
	r->unreadable = 0;
	r->torn = false;
	r->refused = str_of(NULL, 0);
	r->line = first_line;
	r->prefix = STR("");
	r->sse_event = str_of(NULL, 0);
	if (lines)
		read_lines(r, bytes, first_line);
	else if (json_parse(r->tapes[0].parser, bytes, &v, NULL) || slow_parse_for(r->tapes[0].parser, &s, 0, &v))
		read_document(r, v, r->dialect->read->elements);
	else
		read_lines(r, bytes, first_line);
}
