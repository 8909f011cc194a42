/* Runs in memory from lines of JSON, and what a format makes of them. Lines name what matters; the rest is filled in. */
#ifndef UNIT_SINK_EXPORT_KIT_H
#define UNIT_SINK_EXPORT_KIT_H

#include <stdio.h>

#include "harness/test.h"
#include "json/json.h"
#include "sink/export/private.h"

struct kit {
	struct arena arena;
	struct trace_list runs;
	struct losses *losses;
	struct buf out, notes;
	size_t pieces;
	struct export_options options;
	const struct export_parts *parts;
	struct err err;
};

/* A node of trace t1: kit_node("a", "model_call", "\"p\"", 1, 2, ",\"model_call\":{...}"). */
#define NODE(id, kind, parents, from, to, more) \
	"{\"schema_version\":\"agent-trace/v1\",\"event_type\":\"node\",\"trace_id\":\"trace-one\",\"node_id\":" id \
	",\"parent_node_ids\":[" parents "],\"timestamp_start\":" #from ",\"timestamp_end\":" #to ",\"kind\":\"" kind \
	"\",\"framework\":\"f\"" more "}\n"
#define MODEL(name, in, out, more) \
	",\"model_call\":{\"model\":" name ",\"input_tokens\":" #in ",\"output_tokens\":" #out \
	",\"input_tokens_source\":\"api\",\"output_tokens_source\":\"api\"" more "}"
#define TOOL(name) ",\"tool_call\":{\"name\":" name "}"

static inline bool kit_put(void *context, struct str bytes, struct err *err)
{
	struct kit *k = context;

	(void)err;
	k->pieces++;
	buf_add_str(&k->out, bytes);
	return true;
}

static inline void kit_add(struct kit *k, struct str text, const char *source)
{
	struct json_parser *parser = json_parser_open((struct json_options){ .allow_duplicates = true, .allow_lone = true });
	struct str rest = text;

	trace_list_open(&k->runs, str_from(source), "agent-trace");
	while (rest.n) {
		struct str line = str_cut(rest, '\n', &rest);
		struct trace_entry e;
		struct val v;

		CHECK(json_parse_copy(parser, line, &v, NULL));
		trace_entry_read(&e, &k->arena, v, false);
		CHECK(e.row.type == TRACE_ROW_NODE || e.row.type == TRACE_ROW_SUMMARY);
		trace_list_add(&k->runs, trace_list_of(&k->runs, e.row.trace), &e);
	}
	trace_list_finish(&k->runs);
	json_parser_close(parser);
}

static inline void kit_open(struct kit *k)
{
	*k = (struct kit){ .options = { .version = "1.2.3" }, .losses = losses_open() };
	arena_init(&k->arena);
	buf_init(&k->out);
	buf_init(&k->notes);
	trace_list_init(&k->runs, &k->arena);
}

/* False, with k->err, when the format does not take the runs. */
static inline bool kit_try(struct kit *k, const char *format)
{
	struct export x = {
		.options = &k->options, .arena = &k->arena, .losses = k->losses, .notes = &k->notes, .parts = k->parts, .put = kit_put,
		.context = k,
	};
	bool done;

	buf_init(&x.out);
	buf_clear(&k->out);
	done = export_find(str_from(format))->write(&x, &k->runs, &k->err);
	buf_free(&x.out);
	return done;
}

static inline struct str kit_write(struct kit *k, const char *format)
{
	if (!kit_try(k, format))
		FAIL("%s: %s", format, k->err.text);
	return buf_str(&k->out);
}

static inline void kit_free(struct kit *k)
{
	losses_close(k->losses);
	trace_list_free(&k->runs);
	buf_free(&k->out);
	buf_free(&k->notes);
	arena_free(&k->arena);
}

/* The whole of it for one trace; lives as long as the test. */
static inline struct str kit_export(const char *format, const char *lines)
{
	struct kit k;
	char *kept;
	size_t n;

	kit_open(&k);
	kit_add(&k, str_from(lines), "run.jsonl");
	n = kit_write(&k, format).n;
	kept = test_alloc(n + 1);
	memcpy(kept, k.out.p, n);
	kit_free(&k);
	return str_of(kept, n);
}

#endif
