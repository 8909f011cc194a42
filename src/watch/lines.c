/* Only whole lines are parsed, each batch of them at once. */
#include "watch/lines.h"

const char *const lines_skips[LINES_SKIPS] = {
	[SKIP_DAMAGED] = "damaged", [SKIP_LONG] = "long", [SKIP_VERSION] = "version",
	[SKIP_AHEAD] = "ahead",     [SKIP_FULL] = "full",
};

void lines_init(struct lines *l, struct window *w)
{
	*l = (struct lines){ .window = w };
	l->parser = json_parser_open((struct json_options){ .allow_duplicates = true, .allow_lone = true });
	arena_init(&l->arena);
}

void lines_free(struct lines *l)
{
	json_parser_close(l->parser);
	arena_free(&l->arena);
}

static void lines_take_event(struct lines *l, struct lines_file *f, const struct trace_row *row, int64_t now_us)
{
	static const int skips[] = {
		[WINDOW_NEW] = -1,
		[WINDOW_KNOWN] = -1,
		[WINDOW_OLD] = -1,
		[WINDOW_AHEAD] = SKIP_AHEAD,
		[WINDOW_NAMELESS] = SKIP_DAMAGED,
		[WINDOW_FULL] = SKIP_FULL,
	};
	int skip = skips[window_add(l->window, row, now_us)];

	f->kind = LINES_TRACE;
	l->events++;
	if (row->to_us > l->newest_us)
		l->newest_us = row->to_us;
	if (skip >= 0)
		l->skipped[skip]++;
}

/* A line that is no event is only counted in a trace: nobody misses it in another file. */
static void lines_take_other(struct lines *l, struct lines_file *f, enum lines_skip why)
{
	if (f->kind == LINES_TRACE)
		l->skipped[why]++;
	else if (++f->seen >= LINES_TRIAL || why == SKIP_LONG)
		f->kind = LINES_FOREIGN;
}

static void lines_take_value(struct lines *l, struct lines_file *f, struct val line, int64_t now_us)
{
	struct trace_row row;

	arena_reset(&l->arena);
	trace_row_read(&row, &l->arena, line, false);
	if (row.type == TRACE_ROW_NODE || row.type == TRACE_ROW_SUMMARY) {
		lines_take_event(l, f, &row, now_us);
		return;
	}
	if (str_starts(row.version, STR("agent-trace/")))
		f->kind = LINES_TRACE; /* of a version that is not known here, but no other format */
	lines_take_other(l, f, row.type == TRACE_ROW_VERSION ? SKIP_VERSION : SKIP_DAMAGED);
}

static void lines_take_whole(struct lines *l, struct lines_file *f, struct str bytes, int64_t now_us)
{
	struct json_record record;
	struct json_issue issue;
	struct json_lines it;
	enum json_line what;

	json_lines_begin(&it, l->parser, bytes, 1);
	while (f->kind != LINES_FOREIGN && (what = json_lines_next(&it, &record, &issue)) != JSON_LINE_END) {
		if (what == JSON_LINE_VALUE)
			lines_take_value(l, f, record.value, now_us);
		else if (what == JSON_LINE_BAD)
			lines_take_other(l, f, SKIP_DAMAGED);
	}
}

/* The bytes up to and with the end of a line that is too long; all when its end is not there yet. */
static size_t lines_skip_long(struct lines_file *f, struct str bytes)
{
	const char *end = bytes.n ? memchr(bytes.p, '\n', bytes.n) : NULL;

	f->is_skipping = !end;
	return end ? (size_t)(end - bytes.p) + 1 : bytes.n;
}

size_t lines_take(struct lines *l, struct lines_file *f, struct str bytes, int64_t now_us)
{
	size_t skipped = 0, n;
	const char *end;

	assert(bytes.n <= LINES_MAX + 1); /* else a line that is too long could be whole */
	l->events = 0;
	l->newest_us = INT64_MIN;
	if (f->kind == LINES_FOREIGN)
		return 0;
	if (f->is_skipping)
		skipped = lines_skip_long(f, bytes);
	bytes = str_skip(bytes, skipped);
	end = bytes.n ? memrchr(bytes.p, '\n', bytes.n) : NULL;
	n = end ? (size_t)(end - bytes.p) + 1 : 0;
	lines_take_whole(l, f, str_of(bytes.p, n), now_us);
	if (bytes.n - n <= LINES_MAX)
		return skipped + n;
	f->is_skipping = true;
	lines_take_other(l, f, SKIP_LONG);
	return skipped + bytes.n;
}
