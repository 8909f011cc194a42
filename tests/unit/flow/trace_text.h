/* Runs in memory from a text, for tests. Everything lives as long as the test. */
#ifndef UNIT_FLOW_TRACE_TEXT_H
#define UNIT_FLOW_TRACE_TEXT_H

#include "flow/trace_load.h"
#include "harness/test.h"
#include "source/memory.h"

/* What is not set in `f` is as usual; false with *err as trace_load. */
static inline bool trace_text_try(struct str text, size_t chunk, struct log_flow f, struct trace_list *out,
				  struct err *err)
{
	struct memory_file file = { STR("t.jsonl"), text };
	struct memory memory = { .files = &file, .count = 1 };
	struct source_io io = memory_io(&memory);
	struct source_options how = { .shape = SOURCE_CONTENT, .io = &io, .chunk_size = chunk };
	struct arena *a = test_alloc(sizeof(*a));
	bool good;

	arena_init(a);
	trace_list_init(out, a);
	f.jobs = 1;
	f.from = source_open(a, &file.path, 1, how, err);
	CHECK(f.from);
	good = trace_load(&f, out, err);
	source_close(f.from);
	return good;
}

static inline struct trace_list trace_text(struct str text)
{
	struct err err = { .kind = ERR_NONE };
	struct trace_list list;

	if (!trace_text_try(text, 0, (struct log_flow){ .jobs = 1 }, &list, &err))
		FAIL("%s", err.text);
	return list;
}

#endif
