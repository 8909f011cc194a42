#include "harness/convert.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "dialect/dialect.h"
#include "dialect/record/field.h"
#include "dialect/target.h"
#include "source/lines.h"
#include "source/memory.h"
#include "trackway.h"

struct collecting {
	struct buf out;
	struct converted *result;
	bool seen;
};

static bool put(void *context, struct str bytes, struct err *err)
{
	struct collecting *c = context;

	(void)err;
	buf_add_str(&c->out, bytes);
	return true;
}

static bool part(void *context, const struct convert_input *p, struct err *err)
{
	struct collecting *c = context;

	(void)err;
	if (!c->seen) {
		c->result->from = p->from;
		c->result->unreadable = p->unreadable;
		c->result->torn = p->torn;
		if (p->coverage)
			c->result->coverage = coverage_sum(p->coverage);
	}
	c->seen = true;
	if (p->failure)
		c->result->err = *p->failure;
	return true;
}

static void list_losses(struct arena *a, const struct losses *l, struct converted *out)
{
	struct buf b;

	buf_init(&b);
	for (size_t i = 0; i < losses_count(l); i++) {
		const char *what;
		uint64_t times;

		losses_get(l, i, &what, &times);
		buf_printf(&b, "%s (%llu)\n", what, (unsigned long long)times);
	}
	out->losses = arena_copy(a, buf_str(&b));
	buf_free(&b);
}

static struct converted convert(struct arena *a, struct str path, const struct source_io *io, enum source_shape shape,
				struct convert_how how)
{
	struct converted result = { .done = false };
	struct collecting c = { .result = &result };
	const struct target *target = target_find(str_from(how.to));
	struct convert_options o = {
		.from = how.from ? dialect_find(str_from(how.from)) : NULL,
		.to = target->dialect,
		.variant = target->variant,
		.chunks = how.chunks,
		.coverage = true,
		.permissive = how.permissive,
		.start_ns = how.no_start ? 0 : CONVERT_START,
		.prices = how.no_prices ? NULL : prices_new(a),
	};
	struct source_options s = { .shape = shape, .io = io, .chunk_size = how.chunk, .file_groups = true };
	struct convert_flow f = { .jobs = how.jobs ? how.jobs : 1, .options = &o, .input = part, .context = &c };

	buf_init(&c.out);
	f.to = pipeline_open(&o, (struct convert_sink){ .put = put, .context = &c });
	f.from = source_open(a, &path, 1, s, &result.err);
	result.done = f.from && convert_flow_run(&f, &result.err) && pipeline_finish(f.to, &result.err);
	if (f.from)
		source_close(f.from);
	result.tally = *pipeline_tally(f.to);
	result.out = arena_copy(a, buf_str(&c.out));
	list_losses(a, pipeline_losses(f.to), &result);
	pipeline_close(f.to);
	buf_free(&c.out);
	return result;
}

struct converted convert_with(struct arena *a, struct str text, struct convert_how how)
{
	struct memory_file file = { STR("x.jsonl"), text };
	struct memory memory = { .files = &file, .count = 1 };
	struct source_io io = memory_io(&memory);
	enum source_shape shape = lines_are(text, true) ? SOURCE_LINES : SOURCE_DOCUMENT;

	/* what a file is shows in its beginning, of which a small chunk would show too little */
	if (lines_are_events(text))
		shape = SOURCE_CONTENT; /* which cuts between events */
	return convert(a, file.path, &io, how.chunk ? shape : SOURCE_CONTENT, how);
}

struct converted convert_file(struct arena *a, const char *path, struct convert_how how)
{
	return convert(a, arena_copy(a, str_from(path)), NULL, SOURCE_CONTENT, how);
}

struct str convert_text(struct arena *a, const char *from, struct str text, const char *to)
{
	struct converted c = convert_with(a, text, (struct convert_how){ .from = from, .to = to });

	if (!c.done || c.err.kind != ERR_NONE || !c.from) {
		fprintf(stderr, "cannot convert: %s\n", c.err.kind != ERR_NONE ? c.err.text : "in no known format");
		abort();
	}
	return c.out;
}

uint64_t convert_errors(struct arena *a, const char *format, struct str text, struct str *first)
{
	struct tw_validate_options o = { .size = sizeof(o), .format = format, .finding_limit = 10 };
	struct tw_report *r = tw_validate_memory(text.p, text.n, "x.jsonl", &o);
	uint64_t errors = tw_report_errors(r) + (tw_report_error(r) ? 1 : 0);

	if (first) {
		char *json = tw_report_json(r);

		*first = arena_copy(a, str_from(json));
		tw_text_free(json);
	}
	tw_report_free(r);
	return errors;
}

/* Tables have few levels, so this may call itself. */
static struct str find_stray(struct arena *a, const struct record_type *type, struct val object)
{
	struct val_iter it = val_begin(object), inner;
	struct val key, value, one;
	struct str stray = STR("");

	for (size_t i = 0; i < type->count && stray.n == 0; i++) {
		const struct field *f = &type->fields[i];

		if (!val_next_member(&it, &key, &value) || !val_text_is(key, str_from(f->name)))
			return arena_printf(a, "%s of %s", f->name, type->name);
		if (f->object && val_is(value, JSON_OBJECT))
			stray = find_stray(a, f->object, value);
		inner = val_begin(value);
		while (stray.n == 0 && f->each && f->each->object && val_is(value, JSON_ARRAY) && val_next(&inner, &one))
			stray = find_stray(a, f->each->object, one);
	}
	if (stray.n == 0 && val_next_member(&it, &key, &value))
		stray = arena_printf(a, "%.*s of %s", STR_ARG(val_raw(key)), type->name);
	return stray;
}

struct str convert_strays(struct arena *a, const char *format, struct str text)
{
	struct json_parser *p = json_parser_open((struct json_options){ .max_depth = 0 });
	struct str stray = STR("no such format, or no JSON");
	struct val v;

	for (size_t i = 0; dialects[i]; i++)
		if (strcmp(dialects[i]->name, format) == 0 && json_parse_copy(p, text, &v, NULL))
			stray = find_stray(a, dialects[i]->roots[0], v);
	json_parser_close(p);
	return stray;
}

struct str convert_valid(struct arena *a, const char *from, struct str text, const char *to)
{
	struct str first, out = convert_text(a, from, text, to);

	if (convert_errors(a, to, out, &first)) {
		fprintf(stderr, "not valid: %.*s\n%.*s\n", STR_ARG(first), STR_ARG(out));
		abort();
	}
	return out;
}

/* ---- looking at OTUTL ---- */

static bool next_record(struct json_parser *p, struct str *left, struct str *line, struct val *v)
{
	while (left->n) {
		*line = str_cut(*left, '\n', left);
		if (line->n && json_parse_copy(p, *line, v, NULL))
			return true;
	}
	return false;
}

static bool is_type(struct val v, const char *type)
{
	struct val t = val_get(v, STR("type"));

	return val_is(t, JSON_STRING) && str_eq(val_raw(t), str_from(type));
}

static void add(int64_t *sum, struct val v, const char *name)
{
	int64_t n;

	if (val_i64(val_get(v, str_from(name)), &n))
		*sum = (*sum < 0 ? 0 : *sum) + n;
}

static void count_cost(struct convert_figures *f, struct val v)
{
	add(&f->input_total, v, "tokens_in");
	add(&f->output_total, v, "tokens_out");
	add(&f->cache_read, v, "cache_read_tokens");
	add(&f->cache_write, v, "cache_write_tokens");
	add(&f->reasoning, v, "reasoning_tokens");
}

struct convert_figures convert_count(struct str otutl)
{
	struct convert_figures f = { .input_total = -1, .output_total = -1, .cache_read = -1, .cache_write = -1, .reasoning = -1 };
	struct json_parser *p = json_parser_open((struct json_options){ .max_depth = 0 });
	struct str line;
	struct val v;

	while (next_record(p, &otutl, &line, &v)) {
		f.runs += is_type(v, "run_start");
		f.model_steps += is_type(v, "model_step");
		f.tool_calls += is_type(v, "tool_call");
		f.tool_results += is_type(v, "tool_result");
		f.tool_errors += is_type(v, "tool_result") && val_is(val_get(v, STR("is_error")), JSON_TRUE);
		f.orphan_calls += is_type(v, "error") && val_is(val_get(v, STR("code")), JSON_STRING) &&
				  val_text_is(val_get(v, STR("code")), STR("no_result"));
		if (is_type(v, "cost"))
			count_cost(&f, v);
	}
	json_parser_close(p);
	return f;
}

struct str convert_record(struct str otutl, const char *type, size_t n)
{
	struct json_parser *p = json_parser_open((struct json_options){ .max_depth = 0 });
	struct str line, found = STR("");
	struct val v;

	while (!found.n && next_record(p, &otutl, &line, &v))
		if (is_type(v, type) && n-- == 0)
			found = line;
	json_parser_close(p);
	return found;
}

struct str convert_get(struct arena *a, struct str record, const char *pointer)
{
	struct json_parser *p = json_parser_open((struct json_options){ .max_depth = 0 });
	struct str found = str_of(NULL, 0);
	struct val v;

	if (json_parse_copy(p, record, &v, NULL)) {
		v = val_at(v, str_from(pointer));
		if (val_is(v, JSON_STRING))
			found = arena_copy(a, val_text(v, a));
		else if (!val_is_none(v))
			found = arena_copy(a, val_source(v));
	}
	json_parser_close(p);
	return found;
}

void convert_compare(struct buf *out, const struct convert_figures *got, struct val expect)
{
	const struct { const char *name; int64_t got; } rows[] = {
		{ "runs", got->runs }, { "model_steps", got->model_steps }, { "tool_calls", got->tool_calls },
		{ "tool_results", got->tool_results }, { "tool_errors", got->tool_errors },
		{ "orphan_calls", got->orphan_calls }, { "input_total", got->input_total },
		{ "output_total", got->output_total }, { "cache_read", got->cache_read },
		{ "cache_write", got->cache_write }, { "reasoning", got->reasoning },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		int64_t want;

		if (val_i64(val_get(expect, str_from(rows[i].name)), &want) && want != rows[i].got)
			buf_printf(out, "%s: got %lld, expected %lld\n", rows[i].name, (long long)rows[i].got, (long long)want);
	}
}
