/* Keeps the first events of a run without an id until its id can be made of them. */
#include "flow/run_name.h"

#include <assert.h>

#include "base/buf.h"
#include "dialect/dialect.h"
#include "dialect/writing.h"

struct run_name {
	struct arena arena; /* of what is kept */
	struct event **kept;
	size_t count, cap;
	const struct write_ops *ops;
	struct writing writing;
	void *writer;
	struct buf log; /* empty until the id is known */
	struct json_parser *parser;
};

struct run_name *run_name_open(bool chunks)
{
	struct run_name *n = mem_alloc(sizeof(*n));

	*n = (struct run_name){ .ops = dialect_find(STR("otutl"))->write };
	arena_init(&n->arena);
	buf_init(&n->log);
	n->writing = (struct writing){ .out = &n->log, .chunks = chunks };
	n->writer = n->ops->open(&n->writing);
	n->parser = json_parser_open((struct json_options){ .allow_duplicates = true, .allow_lone = true });
	return n;
}

void run_name_close(struct run_name *n)
{
	if (!n)
		return;
	n->ops->close(n->writer);
	json_parser_close(n->parser);
	buf_free(&n->log);
	arena_free(&n->arena);
	mem_free(n->kept);
	mem_free(n);
}

bool run_name_add(struct run_name *n, const struct event *e, struct err *err)
{
	mem_grow(n->kept, n->count, n->cap, 64);
	n->kept[n->count++] = event_copy(&n->arena, e);
	return n->ops->event(n->writer, e, err);
}

bool run_name_is_known(const struct run_name *n)
{
	return n->log.n > 0;
}

bool run_name_give(struct run_name *n, bool (*put)(void *context, const struct event *e, struct err *err),
		   void *context, struct err *err)
{
	struct str rest, line = str_cut(buf_str(&n->log), '\n', &rest);
	struct val id = val_get(writing_parse(n->parser, line), STR("run_id"));
	struct event end = { .kind = EVENT_RUN_END, .index = -1 };
	bool good;

	assert(run_name_is_known(n) && n->count > 0 && n->kept[0]->kind == EVENT_RUN_START);
	if (val_is(id, JSON_STRING)) {
		struct str text = arena_copy(&n->arena, val_source(id));

		event_add_extra(n->kept[0], &n->arena, STR("run_id"), text)->member = true;
	}
	/* the log is not needed any further */
	good = n->kept[n->count - 1]->kind == EVENT_RUN_END || n->ops->event(n->writer, &end, err);
	for (size_t i = 0; i < n->count && good; i++)
		good = put(context, n->kept[i], err);
	n->count = 0;
	arena_reset(&n->arena);
	buf_clear(&n->log);
	return good;
}
