/*
 * What verifiers leaves of an evaluation: results.jsonl, a rollout per line, and metadata.json beside it; or, since
 * version 0.4, traces.jsonl (import_verifiers_trace.c) with its configuration in a directory. A result is a sample
 * whose metrics and times stand among its members, and the metadata does for the evaluation.
 */
#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/file.h"
#include "json/put.h"
#include "source/walk.h"
#include "trial/import_private.h"

#define METADATA_MAX ((size_t)64 << 20)
#define RESULTS "results.jsonl"
#define TRACES "traces.jsonl"
#define METADATA "metadata.json"
#define CONFIGURATION "configs/resolved/eval.json"

struct verifiers {
	struct arena arena;
	struct str results, metadata; /* metadata p NULL: there is none */
	struct str unit;              /* a name for what the directory, or the file, holds */
};

static bool is_there(struct arena *a, struct str path)
{
	struct stat st;

	return stat(arena_copy(a, path).p, &st) == 0;
}

/* The directory of a path, with its last slash; nothing for a name alone. */
static struct str dir_of(struct str path)
{
	return str_of(path.p, path.n - str_basename(path).n);
}

/* Not "." or "..", but what the directory is called. */
static struct str dir_name(struct arena *a, struct str dir)
{
	char real[PATH_MAX];
	struct str name;

	if (!realpath(dir.n ? arena_copy(a, dir).p : ".", real))
		return STR("results");
	name = str_basename(str_from(real));
	return name.n ? arena_copy(a, name) : STR("results");
}

/* "math.results.jsonl" is "math"; p is NULL for plain "results.jsonl". */
static struct str stem_of(struct str name)
{
	static const char *const ends[] = { ".results.jsonl", ".traces.jsonl", ".jsonl", ".ndjson", ".json" };

	if (str_eq(name, STR(RESULTS)) || str_eq(name, STR(TRACES)))
		return (struct str){ NULL, 0 };
	for (size_t i = 0; i < COUNT(ends); i++)
		if (str_ends(name, str_from(ends[i])) && name.n > strlen(ends[i]))
			return str_of(name.p, name.n - strlen(ends[i]));
	return name;
}

/* ---- which files ---- */

static bool is_ours(struct str path)
{
	struct str name = str_basename(path);

	return str_eq(name, STR(RESULTS)) || str_eq(name, STR(TRACES));
}

/* The results in a directory, or in the one below it that has some: tools give each run a directory of its own. */
static bool find_results(struct verifiers *v, struct str dir, struct err *err)
{
	struct source_options how = { .shape = SOURCE_AUTO, .inside = true };
	struct walk_item *list = NULL;

	v->results = ARENA_JOIN(&v->arena, dir, STR("/" RESULTS));
	if (is_there(&v->arena, v->results))
		return true;
	v->results = ARENA_JOIN(&v->arena, dir, STR("/" TRACES));
	if (is_there(&v->arena, v->results))
		return true;
	v->results = (struct str){ NULL, 0 };
	if (!walk_paths(&v->arena, source_io_system(), &dir, 1, &how, &list, err) && err->kind != ERR_DATA)
		return false;
	for (; list; list = list->next) {
		if (!is_ours(list->input.name) || list->outside)
			continue;
		if (v->results.p)
			return err_set(err, ERR_DATA, "%.*s: there are several runs in it" ERR_HELP "name one of them, "
				       "such as %.*s or %.*s", STR_ARG(dir), STR_ARG(v->results),
				       STR_ARG(list->input.name));
		v->results = arena_copy(&v->arena, list->input.name);
	}
	return v->results.p || err_set(err, ERR_DATA, "%.*s: there is no " RESULTS " and no " TRACES " in it" ERR_HELP
				       "name the directory of a run of verifiers, or its file of results",
				       STR_ARG(dir));
}

/* Also names the run: after the file's stem, or else the directory it is in. */
static bool find_files(struct verifiers *v, struct str path, struct str metadata, struct err *err)
{
	struct arena *a = &v->arena;
	struct str stem, dir, beside[3];

	v->results = arena_copy(a, path);
	if (file_is_dir(path) && !find_results(v, path, err))
		return false;
	dir = dir_of(v->results);
	stem = stem_of(str_basename(v->results));
	v->unit = stem.p ? stem : dir_name(a, dir);
	beside[0] = ARENA_JOIN(a, dir, stem.p ? stem : STR(""), stem.p ? STR("." METADATA) : STR(METADATA));
	beside[1] = ARENA_JOIN(a, dir, STR(METADATA));
	beside[2] = ARENA_JOIN(a, dir, STR(CONFIGURATION));
	v->metadata = metadata;
	for (size_t i = 0; i < 3 && !v->metadata.p; i++)
		if (is_there(a, beside[i]))
			v->metadata = beside[i];
	return true;
}

/* ---- an evaluation made of metadata ---- */

/* The environment and the model name an evaluation, and the directory tells two of them apart. */
static struct str make_id(struct verifiers *v, struct val metadata)
{
	struct str id = import_text(&v->arena, val_get(metadata, STR("evaluation_id")));
	struct str env = import_text(&v->arena, val_get(metadata, STR("env_id")));
	struct str model = import_text(&v->arena, val_get(metadata, STR("model")));

	if (id.p)
		return id;
	if (!env.p)
		env = import_text(&v->arena, val_get(metadata, STR("env")));
	if (!env.p || !model.p)
		return v->unit;
	return ARENA_JOIN(&v->arena, env, STR("--"), model, STR("/"), v->unit);
}

/* As `prime eval get` would answer, so that the rest of the import is the same. */
static void verifiers_write_evaluation(struct verifiers *v, struct val metadata, struct buf *out)
{
	struct val name = val_get(metadata, STR("env_id"));
	struct json_writer w;

	json_write_init(&w, out, JSON_COMPACT);
	json_write_begin_object(&w);
	json_put_text_or_null(&w, "evaluation_id", make_id(v, metadata));
	if (val_is_none(name)) /* a name, or (version 0.4) an object that has one */
		name = val_get(metadata, STR("env"));
	if (val_is(name, JSON_OBJECT))
		name = val_at(name, STR("/taskset/id"));
	import_write_member(&w, "name", name);
	import_write_member(&w, "viewer_url", VAL_NONE);
	import_write_member(&w, "eval_config", metadata);
	import_write_member(&w, "metadata", metadata);
	json_write_end_object(&w);
}

/* Without metadata the evaluation is named after its files, and says nothing else. */
static bool verifiers_read_evaluation(struct verifiers *v, struct buf *out, struct err *err)
{
	struct json_parser *parser = json_parser_open((struct json_options){ .allow_bom = true });
	struct val metadata = VAL_NONE;
	struct json_issue issue;
	struct str text;
	bool done = true;

	if (v->metadata.p) {
		done = file_read(&v->arena, v->metadata, METADATA_MAX, &text, err);
		if (done && !json_parse_copy(parser, text, &metadata, &issue))
			done = err_set(err, ERR_DATA, "%.*s: line %llu, column %llu: %s", STR_ARG(v->metadata),
				       (unsigned long long)issue.line, (unsigned long long)issue.column, issue.message);
		if (done && !val_is(metadata, JSON_OBJECT))
			done = err_set(err, ERR_DATA, "%.*s: the metadata of an evaluation is a JSON object",
				       STR_ARG(v->metadata));
	}
	if (done)
		verifiers_write_evaluation(v, metadata, out);
	json_parser_close(parser);
	return done;
}

bool verifiers_import(struct import *im, struct str path, struct str metadata, struct str experiment,
		      struct prime **out, struct err *err)
{
	struct verifiers v = { .unit = STR("") };
	struct buf evaluation;
	bool done;

	*out = NULL;
	arena_init(&v.arena);
	buf_init(&evaluation);
	done = find_files(&v, path, metadata, err) && verifiers_read_evaluation(&v, &evaluation, err);
	if (done)
		*out = prime_open(PRIME_VERIFIERS, v.unit, buf_str(&evaluation), experiment, err);
	done = done && *out && prime_import_lines(*out, im, v.results, err);
	buf_free(&evaluation);
	arena_free(&v.arena);
	return done;
}
