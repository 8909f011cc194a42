/* What a format of export makes of a text, for tests. Everything lives as long as the test. */
#ifndef UNIT_SINK_EXPORT_WRITTEN_H
#define UNIT_SINK_EXPORT_WRITTEN_H

#include "sink/export/export.h"
#include "unit/flow/trace_text.h"

struct written {
	struct buf bytes;
	size_t pieces, longest; /* handed over, and the longest of them */
};

static inline bool written_put(void *context, struct str bytes, struct err *err)
{
	struct written *w = context;

	(void)err;
	w->pieces++;
	w->longest = bytes.n > w->longest ? bytes.n : w->longest;
	buf_add_str(&w->bytes, bytes);
	return true;
}

static inline struct written *written_with(const char *format, struct str trace, struct export_options o)
{
	struct written *w = test_alloc(sizeof(*w));
	struct trace_list runs = trace_text(trace);
	const struct export_format *f = export_find(str_from(format));
	struct export x = { .options = &o, .arena = runs.arena, .put = written_put, .context = w };
	struct err err = { .kind = ERR_NONE };

	CHECK(f);
	o.version = "0.1.0";
	buf_init(&w->bytes);
	buf_init(&x.out);
	if (!f->write(&x, &runs, &err) || !export_flush(&x, &err))
		FAIL("%s", err.text);
	buf_free(&x.out);
	return w;
}

static inline struct str written(const char *format, struct str trace)
{
	return buf_str(&written_with(format, trace, (struct export_options){ .version = "0.1.0" })->bytes);
}

#endif
