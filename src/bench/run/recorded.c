/*
 * Reads line by line into two growing buffers, items and blocks; pointers into them are set when all is read. The first
 * line decides which kind of file it is, and every other line must be of that kind.
 */
#include "bench/run/recorded.h"

#include <inttypes.h>
#include <stdlib.h>

#include "bench/run/block_sizes.h"
#include "dialect/agent_trace/trace_row.h"
#include "dialect/reading/torn.h"
#include "json/json.h"
#include "source/memory.h"
#include "source/source.h"

#define BLOCKS_ALL ((size_t)1 << 24) /* of all requests together */
#define MS_MOST 1e13                 /* three centuries: beyond it differences of times would not be exact */
#define US_MOST INT64_C(253402300800000000) /* the year 10000 */

struct reader {
	struct recorded *out;
	struct arena *arena; /* of a line */
	struct json_parser *parser;
	struct str name;
	uint64_t last_ns; /* Mooncake: of the line before */
	struct err *err;
};

/* Always false. */
__attribute__((format(printf, 3, 4))) static bool recorded_refuse(struct reader *r, uint64_t line,
								  const char *format, ...)
{
	va_list args;
	struct buf text;

	buf_init(&text);
	va_start(args, format);
	buf_vprintf(&text, format, args);
	va_end(args);
	err_set(r->err, ERR_DATA, "%.*s:%" PRIu64 ": %.*s", STR_ARG(r->name), line, STR_ARG(buf_str(&text)));
	buf_free(&text);
	return false;
}

static uint32_t capped(struct reader *r, uint64_t tokens, uint64_t line)
{
	if (tokens <= RECORDED_TOKENS_MOST)
		return (uint32_t)tokens;
	if (r->out->capped++ == 0)
		r->out->first_capped = line;
	return RECORDED_TOKENS_MOST;
}

static bool add_item(struct reader *r, const struct recorded_item *item)
{
	if (r->out->item_bytes.n / sizeof(*item) >= RECORDED_ITEMS_MOST)
		return err_set(r->err, ERR_LIMIT, "%.*s: more than %u requests" ERR_HELP "cut the file: head -n %u",
			       STR_ARG(r->name), RECORDED_ITEMS_MOST, RECORDED_ITEMS_MOST);
	buf_add(&r->out->item_bytes, item, sizeof(*item));
	return true;
}

/* ---- blocks ---- */

/* A text that stands for a block, by FNV-1a: the same in every process, so that the same test sends the same bytes. */
static uint64_t recorded_number_of(struct str text)
{
	uint64_t n = UINT64_C(0xcbf29ce484222325);

	for (size_t i = 0; i < text.n; i++)
		n = (n ^ (uint8_t)text.p[i]) * UINT64_C(0x100000001b3);
	return n;
}

/* Reads hash_ids, which say what a request shares with others. */
static bool read_blocks(struct reader *r, uint64_t line, struct val list, struct recorded_item *item)
{
	struct val_iter it = val_begin(list);
	struct val v;

	if (!val_is_unset(list) && !val_is(list, JSON_ARRAY))
		return recorded_refuse(r, line, "hash_ids is not a list");
	item->block_at = r->out->block_bytes.n / sizeof(uint64_t);
	while (val_is(list, JSON_ARRAY) && val_next(&it, &v)) {
		int64_t id = 0;
		uint64_t block;

		if (!val_is(v, JSON_STRING) && (!val_i64(v, &id) || id < 0))
			return recorded_refuse(r, line, "hash_ids: an id is not a whole number from 0");
		if (item->block_count == RECORDED_BLOCKS_MOST)
			return recorded_refuse(r, line, "hash_ids: more than %u", RECORDED_BLOCKS_MOST);
		if (r->out->block_bytes.n / sizeof(uint64_t) == BLOCKS_ALL)
			return recorded_refuse(r, line,
					       "hash_ids: more than %zu in all" ERR_HELP "cut the file before "
					       "this line",
					       BLOCKS_ALL);
		block = val_is(v, JSON_STRING) ? recorded_number_of(val_raw(v)) : (uint64_t)id;
		buf_add(&r->out->block_bytes, &block, sizeof(block));
		item->block_count++;
	}
	return true;
}

/* ---- an agent-trace ---- */

/* A model call of an agent-trace becomes a request; other events are passed over. */
static bool take_node(struct reader *r, const struct json_record *record)
{
	struct recorded_item item = { .line = record->line };
	struct trace_row row;

	trace_row_read(&row, r->arena, record->value, false);
	if (row.type == TRACE_ROW_VERSION)
		return recorded_refuse(r, record->line, "an event of %.*s; only agent-trace/v1 is read",
				       STR_ARG(row.version.n ? row.version : STR("no version")));
	if (row.type == TRACE_ROW_OTHER)
		return recorded_refuse(r, record->line,
				       "not an event of an agent-trace" ERR_HELP "'trackway validate' says what is "
				       "wrong with it");
	if (row.type != TRACE_ROW_NODE || row.kind != AT_MODEL_CALL || row.total_only)
		return true;
	if (row.from_us < 0 || row.from_us > US_MOST)
		return recorded_refuse(r, record->line, "timestamp_start is no time between 1970 and 9999");
	item.due_ns = (uint64_t)row.from_us; /* microseconds since 1970 until all are known */
	if (r->out->item_bytes.n == 0 || row.from_us < r->out->first_us)
		r->out->first_us = row.from_us;
	if (figure_is_known(row.usage.input))
		item.input_tokens = capped(r, row.usage.input.n, record->line);
	else
		r->out->unsized++;
	if (figure_is_known(row.usage.output))
		item.output_tokens = capped(r, row.usage.output.n, record->line);
	return read_blocks(r, record->line, val_get(val_get(record->value, STR("model_call")), STR("hash_ids")),
			   &item) &&
	       add_item(r, &item);
}

static int by_time(const void *a, const void *b)
{
	const struct recorded_item *x = a, *y = b;

	if (x->due_ns != y->due_ns)
		return x->due_ns < y->due_ns ? -1 : 1;
	return (x->line > y->line) - (x->line < y->line);
}

/* Makes times count from the first call and sorts by them: a trace has its calls in the order of their ends. */
static bool settle_nodes(struct reader *r)
{
	struct recorded_item *items = (struct recorded_item *)(void *)r->out->item_bytes.p;
	size_t n = r->out->item_bytes.n / sizeof(*items);

	for (size_t i = 0; i < n; i++) {
		uint64_t since = items[i].due_ns - (uint64_t)r->out->first_us;

		if (since > (uint64_t)(MS_MOST * 1000))
			return recorded_refuse(r, items[i].line,
					       "more than three centuries after the first model call");
		items[i].due_ns = since * 1000;
	}
	if (n)
		qsort(items, n, sizeof(*items), by_time);
	block_sizes_find(&r->out->size_bytes, items, n, (const uint64_t *)(const void *)r->out->block_bytes.p,
			 r->out->block_bytes.n / sizeof(uint64_t));
	return true;
}

/* ---- Mooncake ---- */

/* A length beyond the most is cut and counted; one that is missing is 0 where it need not be there. */
static bool read_length(struct reader *r, const struct json_record *record, const char *name, bool needed,
			uint32_t *out)
{
	struct val v = val_get(record->value, str_from(name));
	int64_t n;

	*out = 0;
	if (val_is_none(v) && !needed)
		return true;
	if (!val_i64(v, &n) || n < 0)
		return recorded_refuse(r, record->line, "%s is %s, expected a number of tokens, 0 or more", name,
				       val_is_none(v) ? "missing" : "wrong");
	*out = capped(r, (uint64_t)n, record->line);
	return true;
}

/* A line of a Mooncake trace becomes a request; times must not go back. */
static bool take_mooncake(struct reader *r, const struct json_record *record)
{
	struct recorded_item item = { .line = record->line };
	struct val stamp = val_get(record->value, STR("timestamp"));
	double ms;
	uint64_t ns;

	if (!val_double(stamp, &ms) || !(ms >= 0) || ms > MS_MOST)
		return recorded_refuse(r, record->line, "timestamp is %s, expected milliseconds, 0 or more",
				       val_is_none(stamp) ? "missing" : "wrong");
	ns = (uint64_t)(ms * 1e3) * 1000;
	if (r->out->item_bytes.n == 0)
		r->out->first_us = (int64_t)(ns / 1000);
	if (ns < r->last_ns)
		return recorded_refuse(r, record->line,
				       "timestamp %g is before that of the request before (%g)" ERR_HELP
				       "sort the file: jq -s -c "
				       "'sort_by(.timestamp)[]'",
				       ms, (double)r->last_ns / 1e6);
	r->last_ns = ns;
	item.due_ns = ns - (uint64_t)r->out->first_us * 1000;
	return read_length(r, record, "input_length", true, &item.input_tokens) &&
	       read_length(r, record, "output_length", false, &item.output_tokens) &&
	       read_blocks(r, record->line, val_get(record->value, STR("hash_ids")), &item) && add_item(r, &item);
}

/* ---- both ---- */

static enum recorded_kind kind_of(struct val line)
{
	if (val_has(line, STR("schema_version")) || val_has(line, STR("event_type")))
		return RECORDED_AGENT_TRACE;
	if (val_has(line, STR("timestamp")) && val_has(line, STR("input_length")))
		return RECORDED_MOONCAKE;
	return RECORDED_UNKNOWN;
}

/* Any line before the kind is known must tell it, so a file of something else fails at its first line. */
static bool take_line(struct reader *r, const struct json_record *record)
{
	if (r->out->kind == RECORDED_UNKNOWN)
		r->out->kind = kind_of(record->value);
	switch (r->out->kind) {
	case RECORDED_AGENT_TRACE:
		return take_node(r, record);
	case RECORDED_MOONCAKE:
		return take_mooncake(r, record);
	case RECORDED_UNKNOWN:
		break;
	}
	return recorded_refuse(r, record->line,
			       "neither an event of an agent-trace nor a request of a Mooncake trace" ERR_HELP
			       "a line is {\"schema_version\":\"agent-trace/v1\",...} or "
			       "{\"timestamp\":0,\"input_length\":100,\"output_length\":10,\"hash_ids\":[0]}");
}

/* Reads the lines of a chunk; a torn last line is left out and told. */
static bool take_chunk(struct reader *r, const struct chunk *c)
{
	struct json_record record;
	struct json_issue issue;
	struct json_lines lines;
	enum json_line what;

	if (c->input->index > 0)
		return err_set(r->err, ERR_DATA, "%.*s holds more than one file" ERR_HELP "name the trace itself",
			       STR_ARG(r->name));
	json_lines_begin(&lines, r->parser, c->bytes, c->first_line);
	while ((what = json_lines_next(&lines, &record, &issue)) != JSON_LINE_END) {
		arena_reset(r->arena);
		if (what == JSON_LINE_BLANK)
			continue;
		if (what == JSON_LINE_BAD) {
			if (c->last && !record.ended && torn_is(record.text)) {
				r->out->torn = true;
				continue;
			}
			return recorded_refuse(r, record.line, "no JSON: %s (column %" PRIu64 ")", issue.message,
					       issue.column);
		}
		if (!take_line(r, &record))
			return false;
	}
	return true;
}

/* A recording without requests is refused: a test of nothing would seem to pass. */
static bool recorded_finish(struct reader *r)
{
	struct recorded *out = r->out;

	if (out->kind == RECORDED_AGENT_TRACE && !settle_nodes(r))
		return false;
	out->items = (const struct recorded_item *)(const void *)out->item_bytes.p;
	out->count = out->item_bytes.n / sizeof(*out->items);
	out->blocks = (const uint64_t *)(const void *)out->block_bytes.p;
	out->block_sizes = out->size_bytes.n ? (const uint32_t *)(const void *)out->size_bytes.p : NULL;
	if (out->count == 0)
		return err_set(r->err, ERR_DATA, "%.*s has no requests%s", STR_ARG(r->name),
			       out->kind == RECORDED_AGENT_TRACE ? ": the trace has no model_call" : "");
	return true;
}

/* Opens the source, reads every chunk, and makes times count from the first request. */
static bool recorded_read_all(struct recorded *out, struct arena *a, struct str name, const struct source_io *io,
			      struct err *err)
{
	struct source_options how = {
		.shape = SOURCE_LINES,
		.record_limit = RECORDED_LINE_MOST,
		.io = io,
	};
	const struct json_options parsing = { .max_depth = 64, .allow_duplicates = true, .allow_lone = true };
	struct arena line;
	struct reader r = { .out = out, .arena = &line, .name = name, .err = err };
	struct source *from;
	struct chunk chunk;
	struct buf bytes;
	enum next next = NEXT_FAIL;
	bool good = true;

	*out = (struct recorded){ .kind = RECORDED_UNKNOWN };
	buf_init(&out->item_bytes);
	buf_init(&out->block_bytes);
	buf_init(&out->size_bytes);
	from = source_open(a, &name, 1, how, err);
	if (!from)
		return false;
	arena_init(&line);
	buf_init(&bytes);
	r.parser = json_parser_open(parsing);
	while (good && (next = source_next(from, &bytes, &chunk, err)) == NEXT_MORE)
		good = take_chunk(&r, &chunk);
	good = good && next == NEXT_END && recorded_finish(&r);
	json_parser_close(r.parser);
	buf_free(&bytes);
	arena_free(&line);
	source_close(from);
	return good;
}

bool recorded_read(struct recorded *r, struct arena *a, struct str path, struct err *err)
{
	return recorded_read_all(r, a, path, NULL, err);
}

bool recorded_parse(struct recorded *r, struct arena *a, struct str name, struct str text, struct err *err)
{
	struct memory_file file = { .path = name, .bytes = text };
	struct memory memory = { .files = &file, .count = 1 };
	struct source_io io = memory_io(&memory);

	return recorded_read_all(r, a, name, &io, err);
}

void recorded_free(struct recorded *r)
{
	buf_free(&r->item_bytes);
	buf_free(&r->block_bytes);
	buf_free(&r->size_bytes);
}
