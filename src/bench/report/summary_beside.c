/*
 * Reads config.json, inventory.json, resources_*.txt and events.jsonl beside the results. Errors are dropped here: a
 * summary is made of rows, and what is missing beside them is for run_check to tell. Files of more than 16 MiB count as
 * missing, except events, which are read in pieces.
 */
#include "bench/report/summary_beside.h"

#include <limits.h>
#include <stdlib.h>

#include "base/file.h"
#include "bench/run/run_dir.h"
#include "json/json.h"
#include "source/source.h"

#define FILE_LIMIT ((size_t)16 << 20)

struct str beside_name(struct arena *a, struct str path)
{
	char whole[PATH_MAX];
	struct str name;

	if (!realpath(results_dir(a, path).p, whole))
		return STR("unknown");
	name = str_basename(str_from(whole));
	return name.n && name.p[0] != '/' ? arena_copy(a, name) : STR("unknown");
}

/* False when there is no such file, or it is too large or unreadable: why does not matter here. */
static bool read_beside(struct arena *a, struct str dir, struct str name, struct str *text)
{
	struct err err;

	return file_read(a, ARENA_JOIN(a, dir, STR("/"), name), FILE_LIMIT, text, &err);
}

/* Ollama calls a model by a name and a tag, and "latest" may be left out. */
static bool is_model(struct arena *a, struct str listed, struct str model)
{
	return str_eq(listed, model) || str_eq(listed, ARENA_JOIN(a, model, STR(":latest")));
}

/* The size that `ollama list` gave for this model, in `a`; p NULL when the inventory is no JSON or does not list it. */
static struct str size_of(struct arena *a, struct arena *scratch, struct str inventory, struct str model)
{
	struct json_parser *parser = json_parser_open((struct json_options){ .allow_duplicates = true });
	struct str size = { NULL, 0 };
	struct val_iter it;
	struct val v;

	if (json_parse_copy(parser, inventory, &v, NULL)) {
		it = val_begin(val_get(v, STR("ollama_list")));
		while (!size.p && val_next(&it, &v)) {
			struct val name = val_get(v, STR("name")), text = val_get(v, STR("size"));

			if (val_is(name, JSON_STRING) && val_is(text, JSON_STRING) &&
			    is_model(scratch, val_text(name, scratch), model))
				size = arena_copy(a, val_text(text, scratch));
		}
	}
	json_parser_close(parser);
	return size;
}

void beside_group(struct arena *a, struct str path, struct summary_group *g)
{
	struct arena scratch;
	struct str dir, text;

	arena_init(&scratch);
	dir = results_dir(&scratch, path);
	if (!g->before.known &&
	    read_beside(&scratch, dir, ARENA_JOIN(&scratch, STR("resources_"), g->tag, STR("_before.txt")), &text))
		resources_read(&g->before, a, arena_copy(a, text));
	if (read_beside(&scratch, dir, ARENA_JOIN(&scratch, STR("resources_"), g->tag, STR("_after.txt")), &text))
		resources_read(&g->after, a, arena_copy(a, text));
	if (!g->size.p && read_beside(&scratch, dir, STR("inventory.json"), &text))
		g->size = size_of(a, &scratch, text, g->model);
	arena_free(&scratch);
}

void beside_prompts(struct map *places, struct map *noop, struct str path)
{
	struct json_parser *parser = json_parser_open((struct json_options){ .allow_duplicates = true });
	struct arena scratch;
	struct str text;
	struct val_iter it;
	struct val v;
	bool added;

	arena_init(&scratch);
	if (read_beside(&scratch, results_dir(&scratch, path), STR("config.json"), &text) &&
	    json_parse_copy(parser, text, &v, NULL)) {
		it = val_begin(val_get(v, STR("prompts")));
		while (val_next(&it, &v)) {
			struct val id = val_get(v, STR("id"));
			struct val type = val_get(val_get(v, STR("validator")), STR("type"));
			size_t place = places->count;
			uint64_t *at;

			if (!val_is(id, JSON_STRING))
				continue;
			at = map_add(places, val_text(id, &scratch), &added);
			*at = added ? place : *at;
			if (noop && val_text_is(type, STR("noop")))
				map_add(noop, val_text(id, &scratch), &added);
		}
	}
	json_parser_close(parser);
	arena_free(&scratch);
}

/* Lines that are no JSON are passed over: a run that was killed leaves half a line behind. */
static bool chunk_says_so(struct json_parser *parser, const struct chunk *c)
{
	struct json_issue issue;
	struct json_lines it;
	struct json_record line;
	enum json_line what;

	json_lines_begin(&it, parser, c->bytes, c->first_line);
	while ((what = json_lines_next(&it, &line, &issue)) != JSON_LINE_END)
		if (what == JSON_LINE_VALUE && val_is(val_get(line.value, STR("was_bottleneck")), JSON_TRUE))
			return true;
	return false;
}

bool beside_bottleneck(struct str path)
{
	struct source_options how = { .shape = SOURCE_LINES };
	struct json_parser *parser;
	struct source *source;
	bool found = false;
	struct arena a;
	struct str events;
	struct err err;

	arena_init(&a);
	events = ARENA_JOIN(&a, results_dir(&a, path), STR("/events.jsonl"));
	source = source_open(&a, &events, 1, how, &err);
	if (source) {
		struct chunk chunk;
		struct buf room;

		buf_init(&room);
		parser = json_parser_open((struct json_options){ .allow_duplicates = true, .allow_lone = true });
		while (!found && source_next(source, &room, &chunk, &err) == NEXT_MORE)
			found = chunk_says_so(parser, &chunk);
		json_parser_close(parser);
		buf_free(&room);
		source_close(source);
	}
	arena_free(&a);
	return found;
}
