/* Lists the files of a run, opens each without following links, and maps those whose bytes go along. */
#include "trial/seal_dir.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/file.h"
#include "capture/run_files.h"
#include "trial/beneath.h"

#define META_MAX ((size_t)16 << 20)

struct dir_reading {
	struct arena *arena;
	struct seal_dir *dir;
	struct json_parser *parser;
	struct entry_file *files;
	size_t count, cap;
	struct seal_artifact *artifacts;
	size_t artifact_count;
	struct err *err;
};

/* ---- which files ---- */

/*
 * Names that a run or benchmark may have, and whether they hold content. A name that is not here holds some, as far as
 * anybody knows. A star stands for anything.
 */
static const struct dir_name {
	enum entry_kind kind;
	bool has_content;
	const char *begin, *end; /* the whole name when `end` is NULL */
} dir_names[] = {
	{ ENTRY_RUN, false, "meta.json", NULL },
	{ ENTRY_RUN, false, SEAL_DIR_RECORD, NULL },
	{ ENTRY_RUN, false, "agent-trace.jsonl", NULL },
	{ ENTRY_RUN, false, "agent-trace.dot", NULL },
	{ ENTRY_BENCH, false, SEAL_DIR_RECORD, NULL },
	{ ENTRY_BENCH, false, "agent-trace.jsonl", NULL },
	{ ENTRY_BENCH, false, "events.jsonl", NULL },
	{ ENTRY_BENCH, false, "inventory.json", NULL },
	{ ENTRY_BENCH, false, "tool_use_summary.csv", NULL },
	{ ENTRY_BENCH, false, "tool_use_summary.md", NULL },
	{ ENTRY_BENCH, false, "resources_", "_before.txt" },
	{ ENTRY_BENCH, false, "resources_", "_after.txt" },
	{ ENTRY_BENCH, true, "config.json", NULL },
	{ ENTRY_BENCH, true, "results.jsonl", NULL },
	{ ENTRY_BENCH, true, "summary.md", NULL },
	{ ENTRY_BENCH, true, "report.html", NULL },
};

static const struct dir_name *find_dir_name(enum entry_kind kind, struct str name)
{
	for (size_t i = 0; i < COUNT(dir_names); i++) {
		const struct dir_name *n = &dir_names[i];

		if (n->kind == kind && (n->end ? str_starts(name, str_from(n->begin)) &&
						 str_ends(name, str_from(n->end)) : str_eq(name, str_from(n->begin))))
			return n;
	}
	return NULL;
}

/* ---- one file ---- */

/* *is_large: its bytes do not go along, whatever they are; hashing takes no memory. */
static bool open_file(struct dir_reading *r, struct str name, int *fd, bool *is_large)
{
	enum beneath state = beneath_open(r->arena, r->dir->path, name, fd);

	*is_large = state == BENEATH_LARGE;
	if (state == BENEATH_FOUND || *is_large)
		return true;
	return err_set(r->err, state == BENEATH_UNREAD ? ERR_IO : ERR_DATA, "%.*s/%.*s %s", STR_ARG(r->dir->path),
		       STR_ARG(name), beneath_why(state));
}

/* The whole file as text, for what is read here. */
static bool read_text_file(struct dir_reading *r, struct str name, size_t most, struct str *out)
{
	struct str mapped;
	bool done, is_large;
	int fd;

	if (!open_file(r, name, &fd, &is_large))
		return false;
	done = file_map_fd(fd, name, &mapped, r->err);
	close(fd);
	if (!done)
		return false;
	if (mapped.n > most)
		done = err_set(r->err, ERR_LIMIT, "%.*s/%.*s is longer than %zu MiB", STR_ARG(r->dir->path),
			       STR_ARG(name), most >> 20);
	else
		*out = arena_copy(r->arena, mapped);
	file_unmap(mapped);
	return done;
}

static void keep_bytes(struct dir_reading *r, struct str name, struct str bytes)
{
	r->artifacts[r->artifact_count++] = (struct seal_artifact){ name, beneath_media(name), bytes };
}

/* Digest and size of an open file; its bytes, if they go along, are those that were hashed. */
static bool take_open_file(struct dir_reading *r, struct entry_file *f, int fd, bool keep)
{
	struct str bytes;
	struct sha256 sha;

	if (!keep) {
		r->dir->withheld++;
		return run_files_digest_fd(fd, &f->digest, &f->size) ||
		       err_system(r->err, errno, "%.*s/%.*s: cannot read", STR_ARG(r->dir->path), STR_ARG(f->name));
	}
	if (!file_map_fd(fd, f->name, &bytes, r->err))
		return false;
	sha256_init(&sha);
	f->digest = sha256_of(&sha, bytes);
	sha256_free(&sha);
	f->size = bytes.n;
	if (str_eq(f->name, STR(SEAL_DIR_RECORD)))
		file_unmap(bytes); /* it is the record itself */
	else
		keep_bytes(r, f->name, bytes);
	return true;
}

static bool take_file(struct dir_reading *r, struct entry_file *f)
{
	const struct dir_name *known = find_dir_name(r->dir->kind, f->name);
	bool keep = r->dir->with_content || (known && !known->has_content), done, is_large;
	int fd;

	if (!open_file(r, f->name, &fd, &is_large))
		return false;
	done = take_open_file(r, f, fd, keep && !is_large);
	close(fd);
	return done;
}

static void add_dir_file(struct dir_reading *r, struct str name, const struct digest *digest)
{
	arena_grow(r->arena, r->files, r->count, r->cap, 16);
	r->files[r->count] = (struct entry_file){ .name = name };
	if (digest)
		r->files[r->count].digest = *digest;
	r->count++;
}

static int compare_files(const void *a, const void *b)
{
	const struct entry_file *x = a, *y = b;

	return str_cmp(x->name, y->name);
}

/* Each file in the order of their names. Those of a run must be what its meta.json says. */
static bool take_files(struct dir_reading *r)
{
	qsort(r->files, r->count, sizeof(*r->files), compare_files);
	r->artifacts = arena_array(r->arena, struct seal_artifact, r->count);
	for (size_t i = 0; i < r->count; i++) {
		struct digest said = r->files[i].digest;
		bool is_said = r->dir->kind == ENTRY_RUN && !str_eq(r->files[i].name, STR("meta.json"));

		if (!take_file(r, &r->files[i]))
			return false;
		if (is_said && !digest_eq(said, r->files[i].digest))
			return err_set(r->err, ERR_DATA, "%.*s/%.*s has changed since the run ended",
				       STR_ARG(r->dir->path), STR_ARG(r->files[i].name));
		r->dir->has_log |= r->dir->kind == ENTRY_RUN && str_eq(r->files[i].name, STR(SEAL_DIR_LOG));
	}
	return true;
}

/* ---- the two kinds ---- */

static bool take_id(struct dir_reading *r, struct val v, const char *where)
{
	struct str id = val_get_text(v, STR("run_id"), r->arena);

	r->dir->source.id = arena_copy(r->arena, id);
	return id.n || err_set(r->err, ERR_DATA, "%.*s/%s has no run_id", STR_ARG(r->dir->path), where);
}

/* Which run it goes on from, as its meta.json says. */
static bool take_lineage(struct dir_reading *r, struct val meta)
{
	struct val from = val_get(meta, STR("forked_from"));
	struct str hash = val_text_copy(val_get(from, STR("run_hash")), r->arena);
	int64_t seq;

	if (val_is_none(from))
		return true;
	if (!hash.n || !val_i64(val_get(from, STR("seq")), &seq) || seq < 0)
		return err_set(r->err, ERR_DATA, "%.*s/meta.json: forked_from has no run_hash or no seq",
			       STR_ARG(r->dir->path));
	r->dir->source.forked_from = hash;
	r->dir->source.forked_seq = (uint64_t)seq;
	return true;
}

static bool list_run(struct dir_reading *r)
{
	struct val meta, one;
	struct val_iter it;
	struct str text;

	if (!read_text_file(r, STR("meta.json"), META_MAX, &text))
		return false;
	if (!json_parse_copy(r->parser, text, &meta, NULL) || !val_is(val_get(meta, STR("files")), JSON_ARRAY))
		return err_set(r->err, ERR_DATA, "%.*s/meta.json has no list of files", STR_ARG(r->dir->path));
	if (!take_id(r, meta, "meta.json") || !take_lineage(r, meta))
		return false;
	add_dir_file(r, STR("meta.json"), NULL);
	it = val_begin(val_get(meta, STR("files")));
	while (val_next(&it, &one)) {
		struct str name = val_get_text(one, STR("name"), r->arena);
		struct digest digest;

		if (!name.n || !digest_parse(val_get_text(one, STR("sha256"), r->arena), &digest))
			return err_set(r->err, ERR_DATA, "%.*s/meta.json: a file has no name or no sha256",
				       STR_ARG(r->dir->path));
		if (!str_eq(name, STR("meta.json")))
			add_dir_file(r, arena_copy(r->arena, name), &digest);
	}
	return true;
}

/* The suites of a configuration; that of another program need not say any. */
static bool take_suites(struct dir_reading *r)
{
	struct digest *suites;
	struct val config, list, one;
	struct val_iter it;
	struct str text;
	size_t count = 0;

	if (!read_text_file(r, STR("config.json"), SEAL_RECORD_MAX, &text))
		return false;
	if (!json_parse_copy(r->parser, text, &config, NULL) || !val_is(val_get(config, STR("suites")), JSON_ARRAY))
		return true;
	list = val_get(config, STR("suites"));
	suites = arena_array(r->arena, struct digest, val_count(list) + 1);
	it = val_begin(list);
	while (val_next(&it, &one))
		count += digest_parse(val_get_text(one, STR("sha256"), r->arena), &suites[count]);
	r->dir->source.suites = suites;
	r->dir->source.suite_count = count;
	return true;
}

static bool list_bench(struct dir_reading *r)
{
	DIR *dir = opendir(arena_copy(r->arena, r->dir->path).p);
	const struct dirent *e;
	struct val summary;

	if (!dir)
		return err_system(r->err, errno, "cannot read %.*s", STR_ARG(r->dir->path));
	while ((e = readdir(dir)))
		if (find_dir_name(ENTRY_BENCH, str_from(e->d_name)))
			add_dir_file(r, arena_copy(r->arena, str_from(e->d_name)), NULL);
	closedir(dir);
	if (!json_parse_copy(r->parser, r->dir->source.record, &summary, NULL))
		return err_set(r->err, ERR_DATA, "%.*s/" SEAL_DIR_RECORD " is not JSON", STR_ARG(r->dir->path));
	return take_id(r, summary, SEAL_DIR_RECORD) && take_suites(r);
}

bool seal_dir_read(struct arena *a, struct seal_dir *d, struct err *err)
{
	struct dir_reading r = { .arena = a, .dir = d, .err = err };
	bool done;

	d->source = (struct seal_source){ .kind = d->kind };
	d->source.media = d->kind == ENTRY_RUN ? STR(ENTRY_MEDIA_RUN) : STR(ENTRY_MEDIA_BENCH);
	d->has_log = false;
	d->withheld = 0;
	r.parser = json_parser_open((struct json_options){ .max_depth = 0 });
	done = read_text_file(&r, STR(SEAL_DIR_RECORD), SEAL_RECORD_MAX, &d->source.record) &&
	       (d->kind == ENTRY_RUN ? list_run(&r) : list_bench(&r)) && take_files(&r);
	json_parser_close(r.parser);
	d->source.files = r.files;
	d->source.file_count = r.count;
	d->source.artifacts = r.artifacts;
	d->source.artifact_count = r.artifact_count;
	if (!done)
		seal_dir_free(d);
	return done;
}

void seal_dir_free(struct seal_dir *d)
{
	for (size_t i = 0; i < d->source.artifact_count; i++)
		file_unmap(d->source.artifacts[i].bytes);
	d->source.artifact_count = 0;
}
