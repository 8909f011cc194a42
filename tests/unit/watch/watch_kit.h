/* Lines of traces, made to measure, and a window that reads them. */
#ifndef UNIT_WATCH_WATCH_KIT_H
#define UNIT_WATCH_WATCH_KIT_H

#include "base/arena.h"
#include "harness/test.h"
#include "watch/lines.h"

#define KIT_NOW INT64_C(1800000000000000) /* microseconds since 1970 */
#define KIT_S INT64_C(1000000)

/* A node of trace `trace` that took a second and ended `age` seconds before KIT_NOW; `more` are members, or "". */
static inline void kit_add_node(struct buf *out, const char *trace, unsigned id, double age, const char *kind, const char *more)
{
	double end = (double)KIT_NOW / 1e6 - age;

	buf_printf(out,
		   "{\"schema_version\":\"agent-trace/v1\",\"event_type\":\"node\",\"trace_id\":\"%s\",\"node_id\":\"n%u\","
		   "\"parent_node_ids\":[],\"timestamp_start\":%.6f,\"timestamp_end\":%.6f,\"kind\":\"%s\"%s}\n",
		   trace, id, end - 1, end, kind, more);
}

static inline void kit_add_call(struct buf *out, const char *trace, unsigned id, double age)
{
	kit_add_node(out, trace, id, age, "model_call", ",\"model_call\":{\"model\":\"m\",\"ttft_seconds\":0.25}");
}

/* `count` calls with ids from `first` on, that ended one after the other within the last second. */
static inline void kit_add_calls(struct buf *out, const char *trace, unsigned first, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		kit_add_call(out, trace, first + i, 0.5);
}

struct kit {
	struct window window;
	struct lines lines;
	struct lines_file file;
	struct figures f;
};

static inline void kit_open_with(struct kit *k, size_t limit)
{
	*k = (struct kit){ .file = { .kind = LINES_UNDECIDED } };
	window_init(&k->window, limit);
	lines_init(&k->lines, &k->window);
}

static inline void kit_open(struct kit *k)
{
	kit_open_with(k, WINDOW_EVENTS);
}

static inline void kit_close(struct kit *k)
{
	lines_free(&k->lines);
	window_free(&k->window);
}

/* Gives the text to lines_take, in a copy with what must stand behind it. */
static inline size_t kit_take_at(struct kit *k, struct str text, int64_t now_us)
{
	char *copy = mem_alloc(text.n + JSON_PAD);
	size_t used;

	if (text.n)
		memcpy(copy, text.p, text.n);
	memset(copy + text.n, 0, JSON_PAD);
	used = lines_take(&k->lines, &k->file, str_of(copy, text.n), now_us);
	mem_free(copy);
	return used;
}

static inline size_t kit_take(struct kit *k, struct buf *text)
{
	size_t used = kit_take_at(k, buf_str(text), KIT_NOW);

	buf_free(text);
	return used;
}

static inline const struct figures *kit_sum(struct kit *k, int64_t now_us)
{
	window_sum(&k->window, now_us, &k->f);
	return &k->f;
}

#endif
