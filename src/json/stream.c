/*
 * A machine of states for the grammar outside values. Each step takes what it can of the piece, and says which event
 * that makes, if any.
 */
#include "json/stream_private.h"

#include <assert.h>

#include "base/ascii.h"
#include "json/text.h"

#define VALUE_MAX_MAX ((size_t)UINT32_MAX / 2) /* what a parser can surely take */
#define BOM STR("\xef\xbb\xbf")

/* No event yet: the next step decides. */
#define GO_ON ((enum json_event)(JSON_STREAM_FAIL + 1))

struct json_stream *json_stream_open(struct json_stream_options options)
{
	struct json_stream *s = mem_alloc(sizeof(*s));

	assert(options.split_depth <= JSON_STREAM_DEPTH);
	memset(s, 0, sizeof(*s));
	s->max_depth = options.json.max_depth ? options.json.max_depth : JSON_DEPTH;
	if (s->max_depth > JSON_DEPTH_MAX)
		s->max_depth = JSON_DEPTH_MAX;
	if (options.split_depth > s->max_depth)
		options.split_depth = s->max_depth;
	if (options.value_max == 0)
		options.value_max = JSON_STREAM_VALUE_MAX;
	if (options.value_max > VALUE_MAX_MAX)
		options.value_max = VALUE_MAX_MAX;
	if (options.names_max == 0)
		options.names_max = JSON_STREAM_NAMES_MAX;
	s->options = options;
	s->inner = options.json;
	s->inner.max_depth = s->max_depth - options.split_depth;
	s->inner.allow_bom = false;
	s->parser = json_parser_open(s->inner);
	s->place = (struct issue_mark){ .line = 1, .column = 1 };
	s->piece = STR("");
	for (size_t i = 0; i < JSON_STREAM_DEPTH; i++)
		arena_init(&s->frames[i].arena);
	buf_init(&s->hold);
	buf_init(&s->pointer);
	buf_init(&s->names);
	slow_tape_init(&s->name_tape);
	arena_init(&s->arena);
	return s;
}

void json_stream_close(struct json_stream *s)
{
	if (!s)
		return;
	json_parser_close(s->parser);
	for (size_t i = 0; i < JSON_STREAM_DEPTH; i++)
		arena_free(&s->frames[i].arena);
	buf_free(&s->hold);
	buf_free(&s->pointer);
	buf_free(&s->names);
	slow_tape_free(&s->name_tape);
	arena_free(&s->arena);
	mem_free(s);
}

void json_stream_feed(struct json_stream *s, struct str piece)
{
	assert(s->at == s->piece.n && !s->finished);
	s->piece = piece.n ? piece : STR("");
	s->at = 0;
}

void json_stream_finish(struct json_stream *s)
{
	assert(s->at == s->piece.n);
	s->finished = true;
}

/* ---- small steps ---- */

/* `over` must not end within a character. */
static void advance(struct json_stream *s, struct str over)
{
	struct issue_mark m = { .line = s->place.line, .column = s->place.column };

	issue_mark_move(&m, over, over.n);
	s->place = (struct issue_mark){ s->place.offset + over.n, m.line, m.column };
}

static void skip(struct json_stream *s, size_t n)
{
	assert(n <= s->piece.n - s->at);
	advance(s, str_of(s->piece.p + s->at, n));
	s->at += n;
}

/* White space has no multi-byte characters, so places can be counted over any part of it. */
static void stream_skip_space(struct json_stream *s)
{
	const char *p = s->piece.p + s->at;
	size_t n = 0, left = s->piece.n - s->at;

	while (n < left && ascii_is_space(p[n]))
		n++;
	skip(s, n);
}

static enum json_event fail_place(struct json_stream *s)
{
	buf_clear(&s->hold);
	stream_begin_failing(s, FAULT_PLACE, 0);
	return GO_ON;
}

static struct json_item make_item(struct json_stream *s, enum json_type type)
{
	struct json_item item = {
		.type = type,
		.depth = s->depth,
		.offset = s->place.offset,
		.line = s->place.line,
		.named = stream_is_in_object(s),
	};

	if (item.named)
		item.name = s->shown_name;
	item.pointer = stream_make_pointer(s, ABOUT_MEMBER);
	return item;
}

static void after_value(struct json_stream *s)
{
	s->state = s->depth ? AT_NEXT : AT_END;
}

/* ---- where names and values end ---- */

static bool is_delimiter(char c)
{
	switch (c) {
	case ' ':
	case '\t':
	case '\n':
	case '\r':
	case ',':
	case ':':
	case '"':
	case '[':
	case ']':
	case '{':
	case '}':
		return true;
	default:
		return false;
	}
}

static uint64_t has_byte(uint64_t word, unsigned char c)
{
	uint64_t ones = 0x0101010101010101, x = word ^ (ones * c);

	return (x - ones) & ~x & (ones * 0x80);
}

/* From `i` on to the next quote or backslash. */
static size_t skip_quoted(struct str text, size_t i)
{
	for (; text.n - i >= 8; i += 8) {
		uint64_t word;

		memcpy(&word, text.p + i, 8);
		if (has_byte(word, '"') | has_byte(word, '\\'))
			break;
	}
	while (i < text.n && text.p[i] != '"' && text.p[i] != '\\')
		i++;
	return i;
}

static size_t follow_scalar(struct str text, bool *ended)
{
	size_t i = 0;

	while (i < text.n && !is_delimiter(text.p[i]))
		i++;
	*ended = i < text.n;
	return i;
}

/* From `i` on to the next quote or bracket. */
static size_t skip_unquoted(struct str text, size_t i)
{
	static const bool stops[256] = { ['"'] = true, ['['] = true, [']'] = true, ['{'] = true, ['}'] = true };
	const uint64_t spaces = 0x2020202020202020;

	while (i < text.n && !stops[(unsigned char)text.p[i]]) {
		uint64_t word;

		i++;
		for (; text.n - i >= 8; i += 8) { /* indentation */
			memcpy(&word, text.p + i, 8);
			if (word != spaces)
				break;
		}
	}
	return i;
}

/* How much of `text` belongs to the token; whether it ends there. */
static size_t follow(struct stream_extent *e, struct str text, bool *ended)
{
	size_t i = 0;

	if (e->scalar)
		return follow_scalar(text, ended);
	*ended = false;
	while (i < text.n && !*ended) {
		char c;

		if (!e->escaped)
			i = e->quoted ? skip_quoted(text, i) : skip_unquoted(text, i);
		if (i == text.n)
			break;
		c = text.p[i++];
		if (e->escaped)
			e->escaped = false;
		else if (c == '"')
			e->quoted = !e->quoted;
		else if (e->quoted)
			e->escaped = true;
		else if (c == '[' || c == '{')
			e->nest++;
		else
			e->nest--;
		*ended = e->nest == 0 && !e->quoted;
	}
	return i;
}

/* ---- names and values ---- */

static void begin_token(struct json_stream *s, enum stream_state state)
{
	char c = s->piece.p[s->at];

	buf_clear(&s->hold);
	s->extent = (struct stream_extent){ .scalar = c != '"' && c != '[' && c != '{' };
	s->state = state;
}

/* The whole token with padding behind it, where it is or in s->hold. */
static struct str stream_gather(struct json_stream *s, size_t n)
{
	struct str rest = str_of(s->piece.p + s->at, n);

	s->at += n;
	if (s->hold.n == 0 && s->piece.n - s->at >= JSON_PAD)
		return rest;
	buf_add_str(&s->hold, rest);
	memset(buf_reserve(&s->hold, JSON_PAD), 0, JSON_PAD);
	return buf_str(&s->hold);
}

static enum json_event fail_token(struct json_stream *s, struct str text)
{
	if (text.p != s->hold.p) {
		buf_clear(&s->hold);
		buf_add_str(&s->hold, text);
	}
	stream_begin_failing(s, FAULT_TOKEN, 0);
	return GO_ON;
}

/*
 * Three forms in one buffer: as written, as compared for duplicates, as shown. Without escapes all are the same bytes.
 */
static void keep_name(struct json_stream *s, struct str raw)
{
	char *p;

	buf_clear(&s->names);
	p = buf_reserve(&s->names, 3 * raw.n + 1);
	memcpy(p, raw.p, raw.n);
	s->raw_name = s->name = s->shown_name = str_of(p, raw.n);
	if (!(s->name_tape.toks[0].flags & JSON_ESCAPED))
		return;
	p += raw.n;
	s->name = str_of(p, slow_unescape_name(p, raw));
	p += raw.n;
	s->shown_name = str_of(p, text_unescape(p, raw));
}

static size_t names_size(const struct json_stream *s)
{
	size_t sum = 0;

	for (uint32_t i = 0; i < s->depth; i++)
		sum += s->frames[i].arena.used;
	return sum;
}

/*
 * Remembers the name in its object. False, with the stream failed, when the object has it, or the names take too much
 * room.
 */
static bool check_name(struct json_stream *s)
{
	bool added;

	if (s->options.json.allow_duplicates)
		return true;
	map_add(&stream_top(s)->names, s->name, &added);
	if (!added) {
		issue_duplicate(&s->issue, s->raw_name, 0);
		stream_fail(s, ABOUT_MEMBER);
		return false;
	}
	if (names_size(s) > s->options.names_max) {
		s->issue.code = JSON_E_LIMIT;
		s->issue.length = s->raw_name.n + 2;
		issue_say(&s->issue, "the names take more than %zu bytes, too many to find duplicates",
			  s->options.names_max);
		stream_fail(s, ABOUT_CONTAINER);
		return false;
	}
	return true;
}

static enum json_event stream_take_name(struct json_stream *s, struct str text)
{
	struct slow slow = { .text = text, .options = s->inner, .tape = &s->name_tape, .arena = &s->arena };

	s->name_tape.count = 0;
	if (!slow_parse_name(&slow))
		return fail_token(s, text);
	keep_name(s, str_of(text.p + 1, text.n - 2));
	if (!check_name(s))
		return GO_ON;
	advance(s, text);
	s->state = AT_COLON;
	return GO_ON;
}

static enum json_event take_value(struct json_stream *s, struct str text, struct json_item *out)
{
	struct val value;

	if (!json_parse(s->parser, text, &value, NULL))
		return fail_token(s, text);
	*out = make_item(s, (enum json_type)val_type(value));
	out->text = text;
	out->value = value;
	advance(s, text);
	after_value(s);
	return JSON_STREAM_VALUE;
}

/*
 * Follows the token to its end, over as many pieces as it takes. Past value_max it gives up, with the first bytes held.
 */
static enum json_event step_token(struct json_stream *s, struct json_item *out)
{
	size_t left = s->piece.n - s->at, room = s->options.value_max + 1 - s->hold.n, n;
	bool ended;

	n = follow(&s->extent, str_of(s->piece.p + s->at, left < room ? left : room), &ended);
	if (s->hold.n + n > s->options.value_max || !ended) {
		buf_add(&s->hold, s->piece.p + s->at, n);
		s->at += n;
		n = 0;
	}
	if (s->hold.n > s->options.value_max) {
		stream_begin_failing(s, FAULT_LONG, ISSUE_AHEAD);
		return GO_ON;
	}
	if (!ended && !s->finished)
		return JSON_STREAM_MORE;
	if (!ended && !s->extent.scalar)
		return fail_token(s, buf_str(&s->hold));
	return s->state == IN_NAME ? stream_take_name(s, stream_gather(s, n))
				   : take_value(s, stream_gather(s, n), out);
}

/* ---- the grammar outside values ---- */

/* The event is made before the depth changes: it is about the container as a member of the one around it. */
static enum json_event stream_enter(struct json_stream *s, struct json_item *out)
{
	bool object = s->piece.p[s->at] == '{';
	struct stream_frame *f = &s->frames[s->depth];

	assert(s->depth < s->options.split_depth);
	*out = make_item(s, object ? JSON_OBJECT : JSON_ARRAY);
	f->object = object;
	f->commas = 0;
	f->pointer_end = s->pointer.n;
	map_init(&f->names, &f->arena);
	s->depth++;
	skip(s, 1);
	s->state = AT_FIRST;
	return JSON_STREAM_ENTER;
}

static enum json_event stream_leave(struct json_stream *s, struct json_item *out)
{
	arena_reset(&stream_top(s)->arena);
	*out = (struct json_item){
		.type = stream_top(s)->object ? JSON_OBJECT : JSON_ARRAY,
		.depth = s->depth - 1,
		.offset = s->place.offset,
		.line = s->place.line,
		.pointer = stream_make_pointer(s, ABOUT_CONTAINER),
	};
	s->depth--;
	skip(s, 1);
	after_value(s);
	return JSON_STREAM_LEAVE;
}

/* A container above split_depth is entered, everything else becomes a token. Bytes that begin no value fail here. */
static enum json_event step_value(struct json_stream *s, char c, struct json_item *out)
{
	bool bracket = c == '[' || c == '{';

	if (bracket && s->depth == s->max_depth) {
		buf_clear(&s->hold);
		issue_depth(&s->issue, 0, s->max_depth);
		stream_fail(s, ABOUT_MEMBER);
		return GO_ON;
	}
	if (bracket && s->depth < s->options.split_depth)
		return stream_enter(s, out);
	if (!bracket && c != '"' && c != '-' && (unsigned)c - '0' > 9 && ((unsigned)c | 0x20) - 'a' > 25)
		return fail_place(s);
	begin_token(s, IN_VALUE);
	return GO_ON;
}

/* Behind a value, or behind an opening bracket (AT_FIRST), where no comma may stand. */
static enum json_event step_next(struct json_stream *s, char c, struct json_item *out)
{
	bool object = stream_top(s)->object;

	if (c == (object ? '}' : ']'))
		return stream_leave(s, out);
	if (s->state == AT_NEXT) {
		if (c != ',')
			return fail_place(s);
		stream_top(s)->commas++;
		skip(s, 1);
		s->state = object ? AT_NAME : AT_VALUE;
		return GO_ON;
	}
	s->state = object ? AT_NAME : AT_VALUE; /* which fails as AT_FIRST would: no comma has come */
	return GO_ON;
}

/* One step outside names and values: white space, then the one byte that the state asks for. */
static enum json_event step_grammar(struct json_stream *s, struct json_item *out)
{
	char c;

	stream_skip_space(s);
	if (s->at == s->piece.n) {
		if (!s->finished)
			return JSON_STREAM_MORE;
		return s->state == AT_END ? JSON_STREAM_END : fail_place(s);
	}
	c = s->piece.p[s->at];
	switch (s->state) {
	case AT_VALUE:
		return step_value(s, c, out);
	case AT_FIRST:
	case AT_NEXT:
		return step_next(s, c, out);
	case AT_NAME:
		if (c != '"')
			return fail_place(s);
		begin_token(s, IN_NAME);
		return GO_ON;
	case AT_COLON:
		if (c != ':')
			return fail_place(s);
		skip(s, 1);
		s->state = AT_VALUE;
		return GO_ON;
	default:
		return fail_place(s);
	}
}

/* A byte order mark is held until it is complete. */
static enum json_event step_start(struct json_stream *s)
{
	while (s->at < s->piece.n && s->hold.n < 3 && s->piece.p[s->at] == BOM.p[s->hold.n])
		buf_add_byte(&s->hold, s->piece.p[s->at++]);
	if (s->at == s->piece.n && s->hold.n < 3 && !s->finished)
		return JSON_STREAM_MORE;
	s->state = AT_VALUE;
	if (s->hold.n == 3 && s->options.json.allow_bom) {
		advance(s, buf_str(&s->hold));
	} else if (s->hold.n == 3) {
		issue_bom(&s->issue);
		stream_fail(s, ABOUT_MEMBER);
	} else if (s->hold.n > 0) {
		stream_begin_failing(s, FAULT_PLACE, s->hold.n);
	}
	return GO_ON;
}

/* Waits for ISSUE_AHEAD bytes, so that the message is the same wherever the pieces were cut. */
static enum json_event step_failing(struct json_stream *s)
{
	size_t left = s->piece.n - s->at, want = s->ahead < ISSUE_AHEAD ? ISSUE_AHEAD - s->ahead : 0;
	size_t n = left < want ? left : want;

	buf_add(&s->hold, s->piece.p + s->at, n);
	s->at += n;
	s->ahead += n;
	if (n < want && !s->finished)
		return JSON_STREAM_MORE;
	stream_diagnose(s);
	return GO_ON;
}

enum json_event json_stream_next(struct json_stream *s, struct json_item *out, struct json_issue *issue)
{
	enum json_event event = GO_ON;

	while (event == GO_ON) {
		switch (s->state) {
		case AT_START:
			event = step_start(s);
			break;
		case IN_NAME:
		case IN_VALUE:
			event = step_token(s, out);
			break;
		case FAILING:
			event = step_failing(s);
			break;
		case FAILED:
			*issue = s->issue;
			event = JSON_STREAM_FAIL;
			break;
		default:
			event = step_grammar(s, out);
			break;
		}
	}
	return event;
}
