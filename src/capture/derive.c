/*
 * The conversions of `trackway convert`, run on one file in this process; the drawing is written chunk by chunk as it
 * is read.
 */
#include "capture/derive.h"

#include "base/file.h"
#include "dialect/dialect.h"
#include "flow/convert.h"
#include "json/json.h"
#include "json/write.h"

/* ---- other formats ---- */

struct job {
	struct arena *arena;
	struct str from;
	struct str more; /* members for the first line */
	const struct dialect *to;
	const struct prices *prices;
	int fd;
	bool marked;
	struct err failure;
};

#define MARK "\"local_only\":true,"

/* What holds content says so in its first line; a format that has a place for it has done so already. */
static bool derive_put(void *context, struct str bytes, struct err *err)
{
	struct job *j = context;
	struct str line, rest;

	if (!j->marked && bytes.n) {
		j->marked = true;
		line = str_cut(bytes, '\n', &rest);
		if (bytes.p[0] == '{') {
			struct str mark = str_has(line, STR("\"local_only\"")) ? STR("") : STR(MARK);

			if (!file_write_all(j->fd, ARENA_JOIN(j->arena, STR("{"), mark, j->more), err))
				return false;
			bytes = str_of(bytes.p + 1, bytes.n - 1);
		}
	}
	return file_write_all(j->fd, bytes, err);
}

static bool end_part(void *context, const struct convert_input *part, struct err *err)
{
	struct job *j = context;

	if (part->failure)
		j->failure = *part->failure;
	else if (!part->from)
		err_set(&j->failure, ERR_DATA, "%.*s is in no format that can be read", STR_ARG(part->name));
	if (j->failure.kind == ERR_NONE)
		return true;
	*err = j->failure;
	return false;
}

/* Called by file_place_by with the new file open; when it fails, nothing gets the new name. */
static bool convert(void *context, int fd, struct err *err)
{
	struct job *j = context;
	struct convert_options o = { .to = j->to, .prices = j->prices };
	struct convert_flow f = { .jobs = 1, .options = &o, .digest = true, .input = end_part, .context = j };
	bool done = false;

	j->fd = fd;
	f.from = source_open(j->arena, &j->from, 1, (struct source_options){ .shape = SOURCE_LINES }, err);
	if (!f.from)
		return false;
	f.to = pipeline_open(&o, (struct convert_sink){ .put = derive_put, .context = j });
	done = convert_flow_run(&f, err) && pipeline_finish(f.to, err);
	pipeline_close(f.to);
	source_close(f.from);
	return done;
}

bool derive_convert(struct arena *a, struct str from, const char *to, struct str more, int dir, struct str name,
		    struct err *err)
{
	struct job j = { .arena = a, .from = from, .more = more, .to = dialect_find(str_from(to)),
			 .prices = prices_new(a) };

	return file_place_by(dir, name, convert, &j, 0600, err);
}

/* ---- the drawing ---- */

struct drawing {
	struct str trace;
	struct json_parser *parser;
	struct arena arena;
	struct buf out;
	int fd;
};

/* The kind, and the model, tool or kind of branch where the node has one. */
static struct str label_of(struct drawing *d, struct val v)
{
	static const struct {
		const char *kind, *name;
	} named[] = {
		{ "model_call", "model" }, { "tool_call", "name" }, { "branch", "branch_kind" },
	};
	struct str kind = val_get_text(v, STR("kind"), &d->arena), name;

	for (size_t i = 0; i < COUNT(named); i++) {
		if (!str_eq(kind, str_from(named[i].kind)))
			continue;
		name = val_get_text(val_get(v, kind), str_from(named[i].name), &d->arena);
		return name.n ? ARENA_JOIN(&d->arena, kind, STR(": "), name) : kind;
	}
	return kind;
}

/* Parents may stand in later lines: Graphviz takes the names of boxes in any order. */
static void put_node(struct drawing *d, struct val v)
{
	struct val parent, parents = val_get(v, STR("parent_node_ids"));
	struct val_iter it = val_begin(parents);
	struct str id = val_get_text(v, STR("node_id"), &d->arena);

	buf_add_byte(&d->out, '\t');
	json_write_quoted(&d->out, id);
	buf_add_str(&d->out, STR(" [label="));
	json_write_quoted(&d->out, label_of(d, v));
	buf_add_str(&d->out, STR("];\n"));
	while (val_is(parents, JSON_ARRAY) && val_next(&it, &parent)) {
		if (!val_is(parent, JSON_STRING))
			continue;
		buf_add_byte(&d->out, '\t');
		json_write_quoted(&d->out, val_text(parent, &d->arena));
		buf_add_str(&d->out, STR(" -> "));
		json_write_quoted(&d->out, id);
		buf_add_str(&d->out, STR(";\n"));
	}
}

static bool draw_chunk(struct drawing *d, const struct chunk *c, struct err *err)
{
	struct json_lines lines;
	struct json_record record;
	enum json_line next;

	json_lines_begin(&lines, d->parser, c->bytes, c->first_line);
	while ((next = json_lines_next(&lines, &record, NULL)) != JSON_LINE_END) {
		arena_reset(&d->arena);
		if (next == JSON_LINE_VALUE && val_text_is(val_get(record.value, STR("event_type")), STR("node")))
			put_node(d, record.value);
	}
	if (!file_write_all(d->fd, buf_str(&d->out), err))
		return false;
	buf_clear(&d->out);
	return true;
}

/* Lines that are no nodes, or no JSON, are passed over: the trace's own rules are for those. */
static bool draw(void *context, int fd, struct err *err)
{
	struct drawing *d = context;
	struct arena a;
	struct source *from;
	struct chunk chunk;
	struct buf room;
	enum next next = NEXT_FAIL;

	d->fd = fd;
	arena_init(&a);
	buf_init(&room);
	buf_add_str(&d->out, STR("digraph trace {\n\tnode [shape=box];\n"));
	from = source_open(&a, &d->trace, 1, (struct source_options){ .shape = SOURCE_LINES }, err);
	while (from && (next = source_next(from, &room, &chunk, err)) == NEXT_MORE && draw_chunk(d, &chunk, err))
		continue;
	if (from)
		source_close(from);
	buf_free(&room);
	arena_free(&a);
	return next == NEXT_END && file_write_all(fd, STR("}\n"), err);
}

bool derive_dot(struct str trace, int dir, struct str name, struct err *err)
{
	struct drawing d = { .trace = trace, .parser = json_parser_open((struct json_options){ .max_depth = 0 }) };
	bool done;

	arena_init(&d.arena);
	buf_init(&d.out);
	done = file_place_by(dir, name, draw, &d, 0666, err);
	buf_free(&d.out);
	arena_free(&d.arena);
	json_parser_close(d.parser);
	return done;
}
