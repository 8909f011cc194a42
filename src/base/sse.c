#include "base/sse.h"

#include "base/ascii.h"

enum line_kind {
	LINE_UNKNOWN, /* its name is not complete yet */
	LINE_KEPT,    /* a field that is known: gathered */
	LINE_COMMENT,
	LINE_IGNORED,
};

enum field { FIELD_NONE, FIELD_DATA, FIELD_EVENT, FIELD_ID, FIELD_RETRY };

static const char *const names[] = {
	[FIELD_DATA] = "data",
	[FIELD_EVENT] = "event",
	[FIELD_ID] = "id",
	[FIELD_RETRY] = "retry",
};

#define NAME_MAX 5 /* of the names above */
#define NAME_COUNT COUNT(names)

/* Where the first line end is, or s.n. Windows grow, so that neither byte is looked for far beyond the other. */
static size_t line_length(struct str s)
{
	size_t window = 128;

	for (size_t at = 0; at < s.n; at += window, window *= 2) {
		size_t n = s.n - at < window ? s.n - at : window;
		const char *lf = memchr(s.p + at, '\n', n);
		const char *cr;

		if (lf)
			n = (size_t)(lf - (s.p + at));
		cr = memchr(s.p + at, '\r', n);
		if (cr)
			return (size_t)(cr - s.p);
		if (lf)
			return (size_t)(lf - s.p);
		if (window > s.n / 2)
			window = s.n / 2 + 1;
	}
	return s.n;
}

/* Which field a line is, and its value. */
static enum field line_field(struct str line, struct str *value)
{
	struct str name = str_cut(line, ':', value);

	if (value->n && value->p[0] == ' ')
		*value = str_skip(*value, 1);
	for (size_t i = FIELD_DATA; i < NAME_COUNT; i++)
		if (str_eq(name, str_from(names[i])))
			return (enum field)i;
	return FIELD_NONE;
}

bool sse_is_line(struct str line)
{
	struct str value;

	if (str_starts(line, STR("\xEF\xBB\xBF")))
		line = str_skip(line, 3);
	if (line.n == 0 || !memchr(line.p, ':', line.n < NAME_MAX + 1 ? line.n : NAME_MAX + 1))
		return false;
	return line.p[0] == ':' || line_field(line, &value) != FIELD_NONE;
}

size_t sse_line(struct str text, size_t *end)
{
	size_t n = line_length(text);

	*end = n < text.n ? n + 1 : n;
	if (n + 1 < text.n && text.p[n] == '\r' && text.p[n + 1] == '\n')
		*end += 1;
	return n;
}

/* What the beginning of a line (NAME_MAX + 1 bytes, if there are as many) says about the rest of it. */
static enum line_kind kind_of(struct str begin, bool ended)
{
	struct str rest;
	struct str name = str_cut(begin, ':', &rest);

	if (begin.n == 0)
		return LINE_UNKNOWN;
	if (begin.p[0] == ':')
		return LINE_COMMENT;
	ended = ended || name.n < begin.n;
	for (size_t i = FIELD_DATA; i < NAME_COUNT; i++) {
		struct str known = str_from(names[i]);

		if (ended ? str_eq(known, name) : str_starts(known, name))
			return ended ? LINE_KEPT : LINE_UNKNOWN;
	}
	return LINE_IGNORED;
}

/* ---- in pieces ---- */

void sse_init(struct sse_reader *s, size_t limit)
{
	*s = (struct sse_reader){ .limit = limit ? limit : SSE_LIMIT };
	buf_init(&s->line);
	buf_init(&s->data);
	buf_init(&s->event);
	buf_init(&s->id);
}

void sse_free(struct sse_reader *s)
{
	buf_free(&s->line);
	buf_free(&s->data);
	buf_free(&s->event);
	buf_free(&s->id);
}

static void forget_line(struct sse_reader *s)
{
	buf_clear(&s->line);
	s->line_kind = LINE_UNKNOWN;
}

static void forget_event(struct sse_reader *s)
{
	s->lent = str_of(NULL, 0);
	buf_clear(&s->data);
	buf_clear(&s->event);
	s->has_data = s->has_event = false;
}

void sse_restart(struct sse_reader *s)
{
	forget_line(s);
	forget_event(s);
	s->begun = s->after_cr = s->skipping = false;
	s->bom = 0;
}

static void set_retry(struct sse_reader *s, struct str value)
{
	uint64_t n = 0;

	for (size_t i = 0; i < value.n; i++) {
		if (!ascii_is_digit(value.p[i]))
			return;
		/* a time beyond any clock is kept as one beyond any patience */
		n = n > UINT64_MAX / 16 ? n : n * 10 + (uint64_t)(value.p[i] - '0');
	}
	if (value.n == 0)
		return;
	s->retry_ms = n;
	s->has_retry = true;
}

static void sse_set_text(struct buf *b, struct str value)
{
	buf_clear(b);
	buf_add_str(b, value);
}

/* The bytes will be gone, or there is more to come behind them. */
static void keep_lent(struct sse_reader *s)
{
	buf_add_str(&s->data, s->lent);
	s->lent = str_of(NULL, 0);
}

/* `here`: the line stands in the bytes at hand. */
static void take_field(struct sse_reader *s, struct str line, bool here)
{
	struct str value;

	switch (line_field(line, &value)) {
	case FIELD_DATA:
		if (s->has_data) {
			keep_lent(s);
			buf_add_byte(&s->data, '\n');
		}
		if (!s->has_data && here)
			s->lent = value;
		else
			buf_add_str(&s->data, value);
		s->has_data = true;
		break;
	case FIELD_EVENT:
		sse_set_text(&s->event, value);
		s->has_event = value.n > 0;
		break;
	case FIELD_ID:
		if (value.n && memchr(value.p, 0, value.n))
			break; /* the standard ignores an id with a NUL */
		sse_set_text(&s->id, value);
		s->has_id = true;
		break;
	case FIELD_RETRY:
		set_retry(s, value);
		break;
	case FIELD_NONE:
		break;
	}
}

/* A text of a buffer that is there even when it is empty. */
static struct str present(const struct buf *b)
{
	return b->n ? buf_str(b) : STR("");
}

static void fill_event(const struct sse_reader *s, struct sse_event *out)
{
	*out = (struct sse_event){ .data = s->lent.n ? s->lent : present(&s->data) };
	if (s->has_event)
		out->event = present(&s->event);
	if (s->has_id)
		out->id = present(&s->id);
}

static enum sse_next blank_line(struct sse_reader *s, struct sse_event *out)
{
	bool whole = s->has_data && !s->skipping;

	if (whole)
		fill_event(s, out);
	else
		forget_event(s);
	/* what was given stays in its buffers for the caller; only the marks go */
	s->lent = str_of(NULL, 0);
	s->has_data = s->has_event = s->skipping = false;
	return whole ? SSE_EVENT : SSE_MORE;
}

/* A line is whole: its last part is `part`, what came before was gathered. */
static enum sse_next end_line(struct sse_reader *s, struct str part, struct sse_event *out)
{
	enum line_kind kind = (enum line_kind)s->line_kind;
	enum sse_next next = SSE_MORE;

	if (kind == LINE_COMMENT)
		s->comments++;
	if (kind == LINE_UNKNOWN)
		next = blank_line(s, out);
	if (kind == LINE_KEPT && s->line.n) {
		buf_add_str(&s->line, part);
		take_field(s, buf_str(&s->line), false);
	} else if (kind == LINE_KEPT) {
		take_field(s, part, true);
	}
	forget_line(s);
	return next;
}

/* The kind of the line at hand, with one more part of it. */
static void learn_kind(struct sse_reader *s, struct str part, bool ended)
{
	char begin[NAME_MAX + 1];
	size_t n = s->line.n < sizeof(begin) ? s->line.n : sizeof(begin);
	size_t more = part.n < sizeof(begin) - n ? part.n : sizeof(begin) - n;

	if (s->line_kind != LINE_UNKNOWN)
		return;
	if (n)
		memcpy(begin, s->line.p, n);
	if (more)
		memcpy(begin + n, part.p, more);
	s->line_kind = (uint8_t)kind_of(str_of(begin, n + more), ended);
	if (s->skipping && n + more && s->line_kind != LINE_COMMENT)
		s->line_kind = LINE_IGNORED;
	if (s->line_kind == LINE_COMMENT || s->line_kind == LINE_IGNORED)
		buf_clear(&s->line);
}

/* A line, or a part of one, that the event at hand has no room for: all of the event is given up. */
static bool is_too_large(const struct sse_reader *s, size_t more)
{
	size_t held = s->line.n + s->lent.n + s->data.n + s->event.n;

	if (s->line_kind != LINE_KEPT)
		return false; /* of a line that may still be none of ours there are but a few bytes */
	return held > s->limit || more > s->limit - held;
}

static void give_up(struct sse_reader *s)
{
	forget_event(s);
	buf_clear(&s->line);
	s->line_kind = LINE_IGNORED; /* the line may go on */
	s->skipping = true;
}

/* A byte order mark at the very beginning is skipped, in whatever pieces it comes. False while it may still be one. */
static bool skip_mark(struct sse_reader *s, struct str *bytes)
{
	static const char mark[] = "\xEF\xBB\xBF";

	while (s->bom < 3) {
		if (bytes->n == 0)
			return false;
		if (bytes->p[0] != mark[s->bom])
			break;
		s->bom++;
		*bytes = str_skip(*bytes, 1);
	}
	if (s->bom > 0 && s->bom < 3)
		s->line_kind = LINE_IGNORED; /* it was none, and no name begins so */
	s->begun = true;
	return true;
}

/* One line, or what there is of it, from the front of *bytes. */
static enum sse_next push_line(struct sse_reader *s, struct str *bytes, struct sse_event *out)
{
	struct str part = str_of(bytes->p, line_length(*bytes));
	bool ended = part.n < bytes->n;
	enum sse_next next = SSE_MORE;

	if (ended)
		s->after_cr = bytes->p[part.n] == '\r';
	*bytes = str_skip(*bytes, part.n + ended);
	learn_kind(s, part, ended);
	if (is_too_large(s, part.n)) {
		give_up(s);
		next = SSE_TOO_LARGE;
	}
	if (ended && next == SSE_TOO_LARGE)
		forget_line(s);
	else if (ended)
		next = end_line(s, part, out);
	else if (s->line_kind == LINE_KEPT || s->line_kind == LINE_UNKNOWN)
		buf_add_str(&s->line, part);
	return next;
}

enum sse_next sse_push(struct sse_reader *s, struct str *bytes, struct sse_event *out)
{
	enum sse_next next = SSE_MORE;

	if (!s->has_data)
		buf_clear(&s->data);
	if (!s->has_event)
		buf_clear(&s->event);
	if (!s->begun && !skip_mark(s, bytes))
		return SSE_MORE;
	while (next == SSE_MORE && bytes->n) {
		bool second = s->after_cr && bytes->p[0] == '\n'; /* of CR LF */

		s->after_cr = false;
		if (second)
			*bytes = str_skip(*bytes, 1);
		else
			next = push_line(s, bytes, out);
	}
	if (next == SSE_MORE)
		keep_lent(s);
	return next;
}

bool sse_rest(struct sse_reader *s, struct sse_event *out)
{
	if (s->line.n && !s->skipping)
		take_field(s, buf_str(&s->line), false);
	forget_line(s);
	if (!s->has_data || s->skipping)
		return false;
	fill_event(s, out);
	s->has_data = s->has_event = false;
	return true;
}

/* ---- in one text ---- */

struct lines {
	struct str first;   /* the data while it is one line */
	struct buf joined;  /* from the second on */
	size_t count;
};

static void lines_add(struct lines *l, struct str value)
{
	if (l->count++ == 0) {
		l->first = value.n ? value : STR("");
		return;
	}
	if (l->count == 2)
		buf_add_str(&l->joined, l->first);
	buf_add_byte(&l->joined, '\n');
	buf_add_str(&l->joined, value);
}

bool sse_next_in_text(struct str *left, struct arena *scratch, struct sse_event *out)
{
	struct lines data = { .count = 0 };
	size_t all = left->n;

	*out = (struct sse_event){ .end = all };
	buf_init(&data.joined);
	if (str_starts(*left, STR("\xEF\xBB\xBF")))
		*left = str_skip(*left, 3);
	while (left->n) {
		size_t end, n = sse_line(*left, &end), begin = all - left->n;
		struct str value, line = str_of(left->p, n);

		*left = str_skip(*left, end);
		if (n == 0) {
			if (data.count) {
				out->end = begin + 1;
				break;
			}
			out->event = out->id = (struct str){ NULL, 0 };
			continue;
		}
		switch (line_field(line, &value)) {
		case FIELD_DATA:
			lines_add(&data, value);
			break;
		case FIELD_EVENT:
			out->event = value.n ? value : (struct str){ NULL, 0 };
			break;
		case FIELD_ID:
			out->id = value.n ? value : STR("");
			break;
		case FIELD_RETRY:
			break;
		case FIELD_NONE:
			out->strange += line.p[0] != ':';
			break;
		}
	}
	out->data = data.count > 1 ? arena_copy(scratch, buf_str(&data.joined)) : data.first;
	buf_free(&data.joined);
	return data.count > 0;
}
