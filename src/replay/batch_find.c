/* Directories are walked with a list instead of recursion; what is known of a run comes from its small files. */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/file.h"
#include "flow/run_facts.h"
#include "json/json.h"
#include "replay/batch.h"
#include "store/runs.h"

#define META_MOST ((size_t)4 << 20)
#define DIRS_MOST 1000000 /* directories that are looked into */

struct search {
	struct arena *arena;
	struct batch_row *rows;
	size_t count, cap;
	struct str *waiting;
	size_t wait_count, wait_cap;
	struct run_facts_reader *reader;
};

/* ---- one run ---- */

static void read_listed(struct arena *a, struct val meta, struct batch_row *r)
{
	struct val_iter it = val_begin(val_get(meta, STR("files")));
	struct val file;

	while (val_next(&it, &file))
		if (val_text_is(val_get(file, STR("name")), STR("cassette.jsonl")) &&
		    val_is(val_get(file, STR("sha256")), JSON_STRING))
			r->listed_sha256 = val_text_copy(val_get(file, STR("sha256")), a);
}

/* What is missing or damaged stays unknown. */
static void read_meta(struct arena *a, struct batch_row *r)
{
	struct json_parser *parser = json_parser_open((struct json_options){ .max_depth = 64 });
	struct str text;
	struct val meta;
	struct err err;

	if (file_read(a, ARENA_JOIN(a, r->dir, STR("/meta.json")), META_MOST, &text, &err) &&
	    json_parse_copy(parser, text, &meta, NULL))
		read_listed(a, meta, r);
	json_parser_close(parser);
}

static struct str join_names(struct arena *a, const struct run_facts_names *n)
{
	struct str all = { NULL, 0 };

	for (size_t i = 0; i < n->count; i++)
		all = i ? ARENA_JOIN(a, all, STR(", "), n->list[i]) : n->list[i];
	return all;
}

static void add_run(struct search *s, struct str dir)
{
	struct run_facts f;
	struct batch_row *r;

	arena_grow(s->arena, s->rows, s->count, s->cap, 64);
	r = &s->rows[s->count++];
	*r = (struct batch_row){ .dir = arena_copy(s->arena, dir) };
	r->name = str_basename(r->dir);
	run_facts_init(&f);
	if (file_is_dir(r->dir) && run_facts_is_run(r->dir)) {
		run_facts_read(s->reader, r->dir, &f);
		r->run_id = f.id.n ? f.id : str_of(NULL, 0);
		r->agent = f.agent.p ? f.agent : f.program;
		r->model = join_names(s->arena, &f.models);
		r->has_started = f.has_time;
		r->started_us = f.from_us;
		read_meta(s->arena, r);
	}
}

/* ---- directories ---- */

static bool is_run(struct arena *a, struct str dir)
{
	struct stat st;

	return run_facts_is_run(dir) ||
	       (stat(ARENA_JOIN(a, dir, STR("/cassette.jsonl")).p, &st) == 0 && S_ISREG(st.st_mode));
}

static void look_into(struct search *s, struct str dir)
{
	DIR *d = opendir(dir.p);
	struct dirent *e;

	while (d && (e = readdir(d))) {
		struct str path;
		struct stat st;

		if (e->d_name[0] == '.')
			continue;
		path = ARENA_JOIN(s->arena, dir, STR("/"), str_from(e->d_name));
		if (lstat(path.p, &st) != 0 || !S_ISDIR(st.st_mode))
			continue;
		arena_grow(s->arena, s->waiting, s->wait_count, s->wait_cap, 64);
		s->waiting[s->wait_count++] = path;
	}
	if (d)
		closedir(d);
}

static bool walk(struct search *s, struct str top, struct err *err)
{
	size_t looked = 0;

	while (top.n > 1 && top.p[top.n - 1] == '/')
		top.n--;
	arena_grow(s->arena, s->waiting, s->wait_count, s->wait_cap, 64);
	s->waiting[s->wait_count++] = arena_copy(s->arena, top);
	while (s->wait_count) {
		struct str dir = s->waiting[--s->wait_count];

		if (++looked > DIRS_MOST)
			return err_set(err, ERR_LIMIT, "%.*s: more than %d directories", STR_ARG(top), DIRS_MOST);
		if (is_run(s->arena, dir))
			add_run(s, dir);
		else
			look_into(s, dir);
	}
	return true;
}

/* ---- names ---- */

static bool has_tag(const struct run_entry *e, struct str key, struct str value, bool any)
{
	for (size_t i = 0; i < e->tag_count; i++)
		if (str_eq(e->tags[i].key, key) && (any || str_eq(e->tags[i].value, value)))
			return true;
	return false;
}

static bool add_tagged(struct search *s, struct str text, struct err *err)
{
	struct str value, key = str_cut(str_skip(text, 4), '=', &value);
	struct run_entry *list;
	size_t count;

	if (!runs_list_recent(s->arena, SIZE_MAX, &list, &count, err))
		return false;
	for (size_t i = 0; i < count; i++)
		if (has_tag(&list[i], key, value, key.n == text.n - 4))
			add_run(s, list[i].dir);
	return true;
}

static bool batch_add_place(struct search *s, struct str place, struct err *err)
{
	size_t before = s->count;
	struct str path;

	if (str_starts(place, STR("tag:"))) {
		if (!add_tagged(s, place, err))
			return false;
	} else {
		if (!runs_find(s->arena, arena_copy(s->arena, place), &path, err))
			return false;
		if (!file_is_dir(path))
			add_run(s, path);
		else if (!walk(s, path, err))
			return false;
	}
	return s->count > before || err_set(err, ERR_DATA, "%.*s: there is no run", STR_ARG(place));
}

static int by_dir(const void *a, const void *b)
{
	return str_cmp(((const struct batch_row *)a)->dir, ((const struct batch_row *)b)->dir);
}

bool batch_find(struct arena *a, const struct str *places, size_t count, struct batch_row **out, size_t *found,
		struct err *err)
{
	struct search s = { .arena = a, .reader = run_facts_open(a) };
	bool done = true;

	for (size_t i = 0; done && i < count; i++)
		done = batch_add_place(&s, places[i], err);
	run_facts_close(s.reader);
	if (!done)
		return false;
	qsort(s.rows, s.count, sizeof(*s.rows), by_dir);
	*found = 0;
	for (size_t i = 0; i < s.count; i++)
		if (i == 0 || !str_eq(s.rows[i].dir, s.rows[*found - 1].dir))
			s.rows[(*found)++] = s.rows[i];
	*out = s.rows;
	return true;
}
