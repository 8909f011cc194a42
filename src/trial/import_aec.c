/*
 * Lets the source walk the directory and give chunks; each chunk is one record or some lines of them. Nothing of a
 * record is read here but its version.
 */
#include "trial/import_aec.h"

#include "source/source.h"

struct aec {
	struct import *import;
	struct arena arena; /* of the file at hand */
	struct json_parser *parser;
	struct str root;
};

/* Whether a part of the path below what was named begins with an underscore. */
static bool is_apart(struct str root, struct str path)
{
	struct str rest = str_starts(path, root) ? str_skip(path, root.n) : path;

	while (rest.n) {
		struct str part = str_cut(rest, '/', &rest);

		if (part.n && part.p[0] == '_')
			return true;
	}
	return false;
}

static bool import_aec_refuse(struct aec *x, struct str name, struct str why, struct err *err)
{
	const struct str none = { NULL, 0 };

	return import_refuse(x->import, name, none, none, why, err);
}

/* A sentence when the record is of a version that is not ours. Anything else that is wrong is for its rules to say. */
static struct str other_version(struct aec *x, struct str bytes)
{
	struct val root, version;
	int64_t n;

	if (!json_parse_copy(x->parser, bytes, &root, NULL))
		return (struct str){ NULL, 0 };
	version = val_get(root, STR("schema_version"));
	if (!val_i64(version, &n) || n == 1)
		return (struct str){ NULL, 0 };
	return arena_printf(&x->arena, "a record of AEC-Bench's schema version %lld, whose parts stand in a manifest "
			    "of the run; only version 1 can be imported", (long long)n);
}

static bool add_record(struct aec *x, struct str name, struct str bytes, struct err *err)
{
	struct str why = other_version(x, bytes);

	return why.p ? import_aec_refuse(x, name, why, err) : import_add(x->import, name, bytes, NULL, 0, err);
}

static bool add_lines(struct aec *x, const struct chunk *c, struct err *err)
{
	uint64_t line = c->first_line;
	struct str rest = c->bytes;

	for (; rest.n; line++) {
		struct str text = str_trim(str_cut(rest, '\n', &rest));
		struct str name = arena_printf(&x->arena, "%.*s:%llu", STR_ARG(c->input->name),
					       (unsigned long long)line);

		if (text.n && !add_record(x, name, text, err))
			return false;
	}
	return true;
}

static bool add_chunk(struct aec *x, const struct chunk *c, struct err *err)
{
	arena_reset(&x->arena);
	if (is_apart(x->root, c->input->name))
		return true;
	return c->input->lines ? add_lines(x, c, err) : add_record(x, c->input->name, c->bytes, err);
}

/* An input that cannot be read is refused like a bad record, and the next one follows. */
static bool add_all(struct aec *x, struct source *from, struct err *err)
{
	struct err why = { .kind = ERR_NONE };
	struct chunk chunk;
	struct buf bytes;
	enum next next;
	bool done = true;

	buf_init(&bytes);
	while (done && (next = source_next(from, &bytes, &chunk, &why)) != NEXT_END) {
		if (next == NEXT_MORE)
			done = add_chunk(x, &chunk, err);
		else if (!is_apart(x->root, chunk.input->name))
			done = import_aec_refuse(x, chunk.input->name, str_from(why.text), err);
	}
	buf_free(&bytes);
	return done;
}

bool aec_import(struct import *im, struct str path, struct err *err)
{
	struct source_options how = { .shape = SOURCE_AUTO, .record_limit = SEAL_RECORD_MAX };
	struct aec x = { .import = im, .root = path };
	struct source *from;
	struct arena arena;
	bool done = false;

	arena_init(&arena);
	from = source_open(&arena, &path, 1, how, err);
	if (from) {
		arena_init(&x.arena);
		x.parser = json_parser_open((struct json_options){ .allow_duplicates = true });
		done = add_all(&x, from, err);
		json_parser_close(x.parser);
		arena_free(&x.arena);
		source_close(from);
	}
	arena_free(&arena);
	return done;
}
