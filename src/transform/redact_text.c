/* Texts: edits and what they make of one, strings of content, bodies, lines and events, pieces that are joined. */
#include "base/ascii.h"
#include "base/sse.h"
#include "json/write.h"
#include "transform/redact_private.h"

#define QUIET_MOST 64 /* lines without a piece before a stream is taken to be over */

/* ---- edits ---- */

void redact_edits_add(struct redact_edits *e, struct arena *a, size_t from, size_t to, struct str with)
{
	assert(from <= to && (e->count == 0 || e->list[e->count - 1].to <= from));
	arena_grow(a, e->list, e->count, e->cap, 16);
	e->list[e->count++] = (struct redact_edit){ from, to, with };
}

void redact_edits_apply(const struct redact_edits *e, struct str text, struct buf *out)
{
	size_t at = 0;

	for (size_t i = 0; i < e->count; i++) {
		buf_add_str(out, str_of(text.p + at, e->list[i].from - at));
		buf_add_str(out, e->list[i].with);
		at = e->list[i].to;
	}
	buf_add_str(out, str_skip(text, at));
}

size_t redact_edits_map(const struct redact_edits *e, size_t old)
{
	size_t at = 0, to = 0;

	for (size_t i = 0; i < e->count; i++) {
		const struct redact_edit *one = &e->list[i];

		if (old <= one->from)
			break;
		to += one->from - at;
		at = one->to;
		if (old < one->to)
			return to + one->with.n * (old - one->from) / (one->to - one->from);
		to += one->with.n;
	}
	return to + (old - at);
}

/* ---- one string ---- */

/* JSON in a string of arguments, with everything in it content. */
static bool text_plan_args(struct redact_plan *p)
{
	struct str text = str_trim(p->text);
	struct val v;

	if (text.n < 2 || (text.p[0] != '{' && text.p[0] != '[') ||
	    !json_parse_copy(p->r->parsers[p->level], p->text, &v, NULL))
		return false;
	redact_walk(p, v, 0, NAME_ARGS, REDACT_ARGS);
	return true;
}

static bool text_go_inside(struct redact_plan *p, struct str text, enum redact_kind kind, struct redact_edits *out)
{
	struct redact_plan inner;

	if (p->level + 1 >= REDACT_LEVELS || (kind != NAME_ARGS && kind != NAME_ITEMS && kind != NAME_BODY))
		return false;
	redact_plan_init(&inner, p->r, p->arena, p->level + 1, text);
	if (!(kind == NAME_BODY ? redact_plan_text(&inner) : text_plan_args(&inner)))
		return false;
	redact_resolve(&inner);
	*out = inner.edits;
	return true;
}

void redact_string(struct redact_plan *p, struct str text, enum redact_kind kind, enum redact_class class,
		   struct redact_edits *out)
{
	struct redact *r = p->r;
	bool is_media = redact_is_media(text);

	if (text.n == 0 || redact_is_token(r, text) || text_go_inside(p, text, kind, out))
		return;
	if (r->mode == REDACT_CONTENT)
		redact_edits_add(out, p->arena, 0, text.n,
				 redact_token(r, p->arena, text, is_media ? REDACT_IMAGES : class));
	else if (!is_media)
		redact_find_secrets(r, p->arena, text, out);
}

/* ---- pieces ---- */

/* The end of a character at or before `at`. */
static size_t text_align(struct str s, size_t at)
{
	while (at > 0 && at < s.n && ((unsigned char)s.p[at] & 0xc0) == 0x80)
		at--;
	return at;
}

/* One text that came in pieces: `members` are the places of its pieces in the list. */
static void text_lay(struct redact_plan *p, const size_t *members, size_t count, struct buf *joined, struct buf *out)
{
	const struct redact_piece *first = &p->pieces[members[0]];
	struct redact_edits edits = { .count = 0 };
	size_t old = 0, from = 0;

	buf_clear(joined);
	buf_clear(out);
	for (size_t i = 0; i < count; i++)
		buf_add_str(joined, p->pieces[members[i]].text);
	redact_string(p, arena_copy(p->arena, buf_str(joined)), first->kind, first->class, &edits);
	if (edits.count == 0)
		return;
	redact_edits_apply(&edits, buf_str(joined), out);
	for (size_t i = 0; i < count; i++) {
		const struct redact_piece *one = &p->pieces[members[i]];
		size_t to;
		struct buf quoted;

		old += one->text.n;
		to = i + 1 == count ? out->n : text_align(buf_str(out), redact_edits_map(&edits, old));
		buf_init(&quoted);
		json_write_quoted(&quoted, str_of(out->p + from, to - from));
		p->edits.list[one->edit].with = arena_take(p->arena, &quoted);
		from = to;
	}
}

void redact_resolve(struct redact_plan *p)
{
	size_t groups = p->groups.count, *begin, *members;
	struct buf joined, out;

	if (p->piece_count == 0)
		return;
	begin = arena_array(p->arena, size_t, groups + 2);
	members = arena_array(p->arena, size_t, p->piece_count);
	for (size_t i = 0; i < p->piece_count; i++)
		begin[p->pieces[i].group + 2]++;
	for (size_t i = 1; i <= groups; i++)
		begin[i + 1] += begin[i];
	for (size_t i = 0; i < p->piece_count; i++)
		members[begin[p->pieces[i].group + 1]++] = i;
	buf_init(&joined);
	buf_init(&out);
	for (size_t i = 0; i < groups; i++)
		text_lay(p, members + begin[i], begin[i + 1] - begin[i], &joined, &out);
	buf_free(&joined);
	buf_free(&out);
	p->piece_count = 0;
}

/* ---- texts of several values ---- */

void redact_plan_init(struct redact_plan *p, struct redact *r, struct arena *a, unsigned level, struct str text)
{
	assert(level < REDACT_LEVELS);
	*p = (struct redact_plan){ .r = r, .arena = a, .level = level, .text = text };
	map_init(&p->groups, a);
}

static bool text_walk(struct redact_plan *p, size_t from, struct str json)
{
	struct val v;

	if (!json_parse_copy(p->r->parsers[p->level], json, &v, NULL))
		return false;
	redact_walk(p, v, from, NAME_BODY, REDACT_OTHER);
	return true;
}

/* Every line is an object, and there is one. */
static bool text_is_lines(struct redact_plan *p)
{
	struct str left = p->text, line;
	size_t count = 0;
	struct val v;

	while (left.n) {
		line = str_trim(str_cut(left, '\n', &left));
		if (line.n && (line.p[0] != '{' || !json_parse_copy(p->r->parsers[p->level], line, &v, NULL)))
			return false;
		count += line.n > 0;
	}
	return count > 0;
}

static void text_plan_lines(struct redact_plan *p)
{
	struct str left = p->text, line;

	while (left.n) {
		line = str_trim(str_cut(left, '\n', &left));
		if (line.n)
			text_walk(p, (size_t)(line.p - p->text.p), line);
	}
}

static bool text_is_events(struct str text)
{
	static const struct str starts[] = { { "data:", 5 }, { "event:", 6 }, { "id:", 3 }, { "retry:", 6 },
					     { ":", 1 } };
	struct str first = text;
	bool good = false;

	while (first.n && (first.p[0] == '\n' || first.p[0] == '\r')) /* a blank before a field makes it none */
		first = str_skip(first, 1);
	for (size_t i = 0; i < COUNT(starts) && !good; i++)
		good = str_starts(first, starts[i]);
	return good && (str_starts(first, starts[0]) || str_has(text, STR("\ndata:")) || str_has(text, STR("\rdata:")));
}

/* The value of a field becomes a token, unless it may stay as it is. */
static void text_plan_field(struct redact_plan *p, struct str value, enum redact_kind kind)
{
	size_t from = (size_t)(value.p - p->text.p);
	struct redact_edits own = { .count = 0 };

	if (value.n == 0 || (redact_looks_right(kind, value) && !redact_has_secret(p->r, value)))
		return;
	redact_string(p, value, NAME_CONTENT, REDACT_OTHER, &own);
	for (size_t i = 0; i < own.count; i++)
		redact_edits_add(&p->edits, p->arena, from + own.list[i].from, from + own.list[i].to, own.list[i].with);
}

static void text_plan_event_line(struct redact_plan *p, struct str line)
{
	struct str value, name = str_cut(line, ':', &value);

	if (redact_is_token(p->r, line))
		return;
	if (name.n == line.n) {
		text_plan_field(p, line, NAME_CONTENT); /* a field without a value, or no event at all */
		return;
	}
	value = str_trim(value);
	if (str_eq(name, STR("data"))) {
		if (!str_eq(value, STR("[DONE]")) &&
		    !(value.n && ascii_is_one_of(value.p[0], "{[") &&
		      text_walk(p, (size_t)(value.p - p->text.p), value)))
			text_plan_field(p, value, NAME_CONTENT);
		return;
	}
	if (!redact_name_is_plain(name))
		text_plan_field(p, line, NAME_CONTENT);
	else
		text_plan_field(p, value, str_eq(name, STR("id")) ? NAME_ID : NAME_WORD);
}

static void text_plan_events(struct redact_plan *p)
{
	struct str left = p->text;

	while (left.n) {
		size_t end, n = sse_line(left, &end);

		if (n)
			text_plan_event_line(p, str_of(left.p, n));
		left = str_skip(left, end);
	}
}

bool redact_plan_text(struct redact_plan *p)
{
	struct str text = str_trim(p->text);

	if (text.n == 0)
		return false;
	if ((text.p[0] == '{' || text.p[0] == '[') && text_walk(p, 0, p->text))
		return true;
	if (text.p[0] == '{' && text_is_lines(p))
		text_plan_lines(p);
	else if (text_is_events(p->text))
		text_plan_events(p);
	else
		return false;
	return true;
}

/* ---- the doors ---- */

static void text_finish(struct redact_plan *p, struct buf *out)
{
	redact_resolve(p);
	redact_edits_apply(&p->edits, p->text, out);
	arena_reset(&p->r->arena);
}

void redact_body(struct redact *r, struct str body, struct buf *out)
{
	struct redact_plan p;

	redact_plan_init(&p, r, &r->arena, 0, body);
	p.level = 0;
	redact_string(&p, body, NAME_BODY, REDACT_OTHER, &p.edits);
	text_finish(&p, out);
}

bool redact_events(struct redact *r, struct str text, struct buf *out)
{
	struct redact_plan p;

	redact_plan_init(&p, r, &r->arena, 0, text);
	if (!text_is_events(text))
		return false;
	text_plan_events(&p);
	text_finish(&p, out);
	return true;
}

void redact_flush(struct redact *r, struct buf *out)
{
	struct redact_plan p;

	if (r->held.n == 0)
		return;
	redact_plan_init(&p, r, &r->arena, 0, buf_str(&r->held));
	text_plan_lines(&p);
	text_finish(&p, out);
	buf_clear(&r->held);
	r->quiet = 0;
}

bool redact_line(struct redact *r, struct str line, struct buf *out, struct json_issue *issue)
{
	bool is_whole = memchr(line.p, '\n', line.n) != NULL; /* a document: nothing of it waits for another line */
	struct redact_plan p;
	struct val v;
	bool has_pieces;

	if (is_whole)
		redact_flush(r, out);
	redact_plan_init(&p, r, &r->arena, 0, line);
	if (!json_parse_copy(r->parsers[0], line, &v, issue))
		return false;
	r->unsure = !is_whole; /* what waits is walked again, and counted then */
	redact_walk(&p, v, 0, NAME_BODY, REDACT_OTHER);
	redact_settle(r, is_whole || (p.piece_count == 0 && r->held.n == 0));
	has_pieces = p.piece_count > 0;
	if (is_whole || (!has_pieces && r->held.n == 0)) {
		text_finish(&p, out);
		buf_add_byte(out, '\n');
		return true;
	}
	buf_add_str(&r->held, line);
	buf_add_byte(&r->held, '\n');
	r->quiet = has_pieces ? 0 : r->quiet + 1;
	arena_reset(&r->arena);
	if (p.ends || r->held.n > REDACT_HELD || r->quiet > QUIET_MOST)
		redact_flush(r, out);
	return true;
}
