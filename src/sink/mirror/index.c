/* Lines are kept as they were read, so that what another version added to them stays. */
#include "sink/mirror/index.h"

#include <stdlib.h>

#include "dialect/target.h"
#include "json/json.h"
#include "json/put.h"

#define INDEX_PIECE ((size_t)64 << 10)

void mirror_index_init(struct mirror_index *x, struct arena *a)
{
	*x = (struct mirror_index){ .arena = a };
	map_init(&x->sources, a);
	map_init(&x->outputs, a);
}

/* ---- what is known ---- */

struct index_source *mirror_index_get(struct mirror_index *x, struct str name, struct str suffix)
{
	struct str key = ARENA_JOIN(x->arena, name, STR("\n"), suffix);
	struct index_source *s;
	uint64_t *slot;
	bool added;

	slot = map_add(&x->sources, key, &added);
	if (!added)
		return (struct index_source *)(uintptr_t)*slot;
	s = arena_new(x->arena, struct index_source);
	s->name = arena_copy(x->arena, name);
	s->suffix = str_of(key.p + name.n + 1, suffix.n);
	*slot = (uintptr_t)s;
	arena_grow(x->arena, x->all, x->count, x->cap, 64);
	x->all[x->count++] = s;
	return s;
}

struct index_source *mirror_index_owner(const struct mirror_index *x, struct str output)
{
	const uint64_t *slot = map_find(&x->outputs, output);

	return slot ? (struct index_source *)(uintptr_t)*slot : NULL;
}

void mirror_index_clear(struct mirror_index *x, struct index_source *s)
{
	for (const struct index_run *r = s->first; r; r = r->next)
		*map_find(&x->outputs, r->output) = 0;
	s->first = s->last = NULL;
	s->count = 0;
}

/* Behind the others of its source, whose output it is from now on. */
static void index_append(struct mirror_index *x, struct index_source *s, struct index_run *r)
{
	*map_add(&x->outputs, r->output, &(bool){ false }) = (uintptr_t)s;
	r->next = NULL;
	if (s->last)
		s->last->next = r;
	else
		s->first = r;
	s->last = r;
	s->count++;
}

/* ---- reading ---- */

/* The lines of one source, until the last of them came. */
struct index_pending {
	struct str source, suffix;
	struct index_run *first, *last;
};

static bool index_get_count(struct val line, struct str name, uint64_t *out)
{
	int64_t n;

	if (!val_i64(val_get(line, name), &n) || n < 0)
		return false;
	*out = (uint64_t)n;
	return true;
}

/* False when the line does not belong to an index. */
static bool index_parse(struct arena *a, const struct json_record *record, struct index_run *r, struct str *source,
			struct str *suffix)
{
	struct val line = record->value;
	const struct target *t;

	if (!val_is(line, JSON_OBJECT))
		return false;
	*source = val_text_copy(val_get(line, STR("source")), a);
	*r = (struct index_run){
		.line = record->text,
		.output = val_text_copy(val_get(line, STR("output")), a),
		.stamp = val_text_copy(val_get(line, STR("source_stamp")), a),
		.maker = val_text_copy(val_get(line, STR("maker")), a),
		.complete = val_is(val_get(line, STR("complete")), JSON_TRUE),
	};
	t = target_find(val_text_or_none(val_get(line, STR("format")), a));
	*suffix = t ? str_from(t->suffix) : val_text_copy(val_get(line, STR("format")), a);
	return source->p && r->output.p && suffix->p && index_get_count(line, STR("run"), &r->run) &&
	       index_get_count(line, STR("runs"), &r->runs) && index_get_count(line, STR("output_size"), &r->size);
}

/* The lines of a source count once its last is there: then they replace what was known. */
static void index_take(struct mirror_index *x, struct index_pending *p, struct str source, struct str suffix,
		       struct index_run *r)
{
	bool follows = p->last && p->last->run + 1 == r->run && p->last->runs == r->runs &&
		       str_eq(p->source, source) && str_eq(p->suffix, suffix);
	struct index_source *s;

	if (follows)
		p->last->next = r;
	else if (r->run == 1)
		*p = (struct index_pending){ source, suffix, r, NULL };
	else
		return;
	p->last = r;
	if (r->run != r->runs)
		return;
	s = mirror_index_get(x, source, suffix);
	mirror_index_clear(x, s);
	for (struct index_run *at = p->first, *next; at; at = next) {
		next = at->next;
		index_append(x, s, at);
	}
	p->last = NULL;
}

bool mirror_index_read(struct mirror_index *x, struct str text, bool is_journal, struct err *err)
{
	struct json_parser *parser = json_parser_open((struct json_options){ .max_depth = 16 });
	struct index_pending pending = { .last = NULL };
	struct json_record record;
	struct json_issue issue;
	struct json_lines lines;
	enum json_line what;
	bool good = true;

	json_lines_begin(&lines, parser, text, 1);
	while (good && (what = json_lines_next(&lines, &record, &issue)) != JSON_LINE_END) {
		struct index_run *r = arena_new(x->arena, struct index_run);
		struct str source, suffix;

		if (what == JSON_LINE_BLANK)
			continue;
		if (what == JSON_LINE_VALUE && index_parse(x->arena, &record, r, &source, &suffix))
			index_take(x, &pending, source, suffix, r);
		else if (!is_journal)
			good = err_set(err, ERR_DATA, "line %llu does not belong to an index of converted files",
				       (unsigned long long)record.line);
	}
	json_parser_close(parser);
	return good;
}

/* ---- writing ---- */

void mirror_index_add(struct mirror_index *x, struct index_source *s, const struct index_facts *f, struct buf *out)
{
	struct index_run *r = arena_new(x->arena, struct index_run);
	size_t begin = out->n;
	struct json_writer w;

	assert(f->run == s->count + 1 && f->run <= f->runs);
	json_write_init(&w, out, JSON_COMPACT);
	json_write_begin_object(&w);
	json_put_text(&w, "source", f->source);
	json_put_text(&w, "output", f->output);
	json_put_text_or_null(&w, "run_id", f->run_id);
	json_put_text(&w, "format", f->format);
	json_put_text(&w, "source_format", f->source_format);
	json_put_u64(&w, "run", f->run);
	json_put_u64(&w, "runs", f->runs);
	json_put_u64(&w, "output_size", f->size);
	json_put_u64(&w, "source_size", f->source_size);
	json_put_text(&w, "source_stamp", f->stamp);
	json_put_text(&w, "maker", f->maker);
	json_put_bool(&w, "complete", f->complete);
	json_write_end_object(&w);
	*r = (struct index_run){
		.line = arena_copy(x->arena, str_of(out->p + begin, out->n - begin)),
		.output = arena_copy(x->arena, f->output),
		.stamp = arena_copy(x->arena, f->stamp),
		.maker = arena_copy(x->arena, f->maker),
		.run = f->run, .runs = f->runs, .size = f->size, .complete = f->complete,
	};
	buf_add_byte(out, '\n');
	index_append(x, s, r);
}

static int index_cmp(const void *a, const void *b)
{
	const struct index_source *const *x = a, *const *y = b;
	int order = str_cmp((*x)->name, (*y)->name);

	return order ? order : str_cmp((*x)->suffix, (*y)->suffix);
}

bool mirror_index_write(struct mirror_index *x, bool (*put)(void *context, struct str bytes, struct err *err),
			void *context, struct err *err)
{
	struct buf out;
	bool good = true;

	buf_init(&out);
	if (x->count)
		qsort(x->all, x->count, sizeof(x->all[0]), index_cmp);
	for (size_t i = 0; i < x->count && good; i++) {
		for (const struct index_run *r = x->all[i]->first; r; r = r->next) {
			buf_add_str(&out, r->line);
			buf_add_byte(&out, '\n');
		}
		if (out.n < INDEX_PIECE)
			continue;
		good = put(context, buf_str(&out), err);
		buf_clear(&out);
	}
	good = good && put(context, buf_str(&out), err);
	buf_free(&out);
	return good;
}
