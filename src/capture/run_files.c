#include "capture/run_files.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/build.h"
#include "base/clock.h"
#include "base/crypto/sha256.h"
#include "base/file.h"
#include "base/seed.h"
#include "capture/output.h"
#include "flow/run_facts.h"
#include "json/put.h"

#define READ_ROOM ((size_t)1 << 16) /* bytes of a file that are read at once */

/* Every file a run may have but meta.json, which holds their digests. */
static const char *const files[] = {
	"agent-trace.jsonl", "summary.json", "agent-trace.dot", "cassette.jsonl", "run.otutl.jsonl", "trajectory.jsonl",
	OUTPUT_FILE,
};

/* Content is for the user alone, so the last directory may have another mode than those above it. */
static bool run_files_make_path(struct run_files *r, struct err *err)
{
	bool has_parents = str_basename(r->path).n < r->path.n;

	if (has_parents && !file_make_dirs(str_dirname(r->path), 0777, &r->kept, err))
		return false;
	if (mkdir(r->path.p, r->content ? 0700 : 0777) == 0)
		return true;
	if (errno != EEXIST)
		return err_system(err, errno, "cannot make the directory %s", r->path.p);
	r->kept = r->path.n;
	return true;
}

void run_files_remove(struct arena *a, const struct run_files *r)
{
	char *path = arena_alloc(a, r->path.n + 1, 1);

	memcpy(path, r->path.p, r->path.n);
	path[r->path.n] = '\0';
	for (size_t n = r->path.n; n > r->kept; n--) {
		if (path[n] != '\0' && path[n] != '/')
			continue;
		path[n] = '\0';
		if (rmdir(path) != 0 && errno != ENOENT)
			return;
	}
}

struct str run_files_file(struct arena *a, const struct run_files *r, const char *name)
{
	return arena_copy(a, ARENA_JOIN(a, r->path, STR("/"), str_from(name)));
}

/* A file of ours, or of a name that we would write over. */
static bool holds_run(const struct run_files *r)
{
	struct stat st;
	bool any = fstatat(r->dir, "meta.json", &st, AT_SYMLINK_NOFOLLOW) == 0;

	for (size_t i = 0; i < COUNT(files) && !any; i++)
		any = fstatat(r->dir, files[i], &st, AT_SYMLINK_NOFOLLOW) == 0;
	return any;
}

void run_files_wrote(struct run_files *r, const char *name)
{
	for (size_t i = 0; i < COUNT(files); i++)
		if (strcmp(files[i], name) == 0)
			r->written |= 1U << i;
}

static bool run_files_is_written(const struct run_files *r, const char *name)
{
	for (size_t i = 0; i < COUNT(files); i++)
		if (strcmp(files[i], name) == 0)
			return r->written & 1U << i;
	return false;
}

void run_files_close(struct run_files *r)
{
	if (r->dir >= 0)
		close(r->dir);
	r->dir = -1;
}

bool run_files_reopen(struct run_files *r)
{
	if (r->dir < 0)
		r->dir = open(r->path.p, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	return r->dir >= 0;
}

const char *run_files_each(size_t n)
{
	return n < COUNT(files) ? files[n] : n == COUNT(files) ? "meta.json" : NULL;
}

void run_files_name(struct arena *a, struct run_files *r, int64_t begun_ns, struct id *id)
{
	char text[ID_UUID_TEXT];
	uint8_t random[10];

	seed_random(random, sizeof(random));
	*id = id_uuid7((uint64_t)begun_ns / 1000000, random);
	id_format_uuid(text, *id);
	r->run_id = arena_copy(a, str_of(text, sizeof(text)));
	r->begun_ns = begun_ns;
}

bool run_files_list(struct arena *a, const struct run_files *r, struct err *err)
{
	char started[36];
	struct run_entry e = {
		.run_id = r->run_id,
		.dir = r->absolute,
		.kind = STR("record"),
		.program = r->program,
		.tags = r->tags,
		.tag_count = r->tag_count,
	};

	e.started = str_of(started, stamp_format_ns(started, r->begun_ns, 3));
	e.later = r->listened;
	return runs_add(a, &e, err);
}

bool run_files_is_in_place(const struct run_files *r)
{
	struct stat ours, there;

	return fstat(r->dir, &ours) == 0 && stat(r->path.p, &there) == 0 && ours.st_dev == there.st_dev &&
	       ours.st_ino == there.st_ino;
}

bool run_files_make(struct arena *a, struct run_files *r, struct err *err)
{
	struct str path = arena_copy(a, r->path);
	char *copy = arena_alloc(a, path.n + 1, 1), whole[PATH_MAX];
	struct stat st;

	memcpy(copy, path.p, path.n + 1);
	while (path.n > 1 && copy[path.n - 1] == '/')
		copy[--path.n] = '\0';
	r->path = str_of(copy, path.n);
	r->dir = -1;
	if (path.n == 0)
		return err_set(err, ERR_USAGE, "-o needs the name of a directory");
	if (!run_files_make_path(r, err))
		return false;
	if (stat(copy, &st) == 0 && !S_ISDIR(st.st_mode))
		return err_set(err, ERR_USAGE, "%s is a file, and a run needs a directory" ERR_HELP
			       "give another name to -o", copy);
	r->dir = open(copy, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (r->dir < 0)
		return err_system(err, errno, "cannot use %s", copy);
	if (holds_run(r))
		return err_set(err, ERR_USAGE, "%s holds a run already, or files of its names" ERR_HELP "give another "
			       "directory to -o, or none: then each run gets one of its own", copy);
	if (!realpath(copy, whole))
		return err_system(err, errno, "cannot use %s", copy);
	r->absolute = arena_copy(a, str_from(whole));
	return access(copy, W_OK | X_OK) == 0 || err_system(err, errno, "cannot write to %s", copy);
}

bool run_files_digest_fd(int fd, struct digest *out, uint64_t *size)
{
	char *room = mem_alloc(READ_ROOM);
	struct sha256 s;
	ssize_t n;

	sha256_init(&s);
	*size = 0;
	while ((n = read(fd, room, READ_ROOM)) > 0) {
		sha256_add(&s, str_of(room, (size_t)n));
		*size += (uint64_t)n;
	}
	*out = sha256_end(&s);
	sha256_free(&s);
	mem_free(room);
	return n == 0;
}

bool run_files_digest(struct arena *a, const struct run_files *r, const char *name, struct str *hex,
		      uint64_t *size)
{
	int fd = openat(r->dir, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	char text[SHA256_HEX];
	struct digest d;
	struct stat st;
	bool done;

	if (fd < 0)
		return false;
	done = fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && run_files_digest_fd(fd, &d, size);
	close(fd);
	if (!done)
		return false;
	digest_hex(text, d);
	*hex = arena_copy(a, str_of(text, sizeof(text)));
	return true;
}

/* ---- summary.json ---- */

/* Breaks an object's text into lines, one for each of its members: the values stay as they are. */
static void add_spread(struct buf *out, struct str object)
{
	unsigned depth = 0;
	bool quoted = false;

	for (size_t i = 0; i < object.n; i++) {
		char c = object.p[i];
		bool opens = !quoted && (c == '{' || c == '['), closes = !quoted && (c == '}' || c == ']');

		if (closes && --depth == 0)
			buf_add_byte(out, '\n');
		buf_add_byte(out, c);
		depth += opens;
		if (depth == 1 && !quoted && (opens || c == ','))
			buf_add_str(out, STR("\n  "));
		if (quoted && c == '\\' && i + 1 < object.n)
			buf_add_byte(out, object.p[++i]);
		else if (c == '"')
			quoted = !quoted;
	}
	buf_add_byte(out, '\n');
}

static bool run_files_place(const struct run_files *r, const char *name, struct str text, unsigned mode,
			    struct err *err)
{
	return r->listened ? file_place_later(r->dir, str_from(name), text, mode, err)
			   : file_place(r->dir, str_from(name), text, mode, err);
}

bool run_files_write_summary(const struct run_files *r, struct str event, struct err *err)
{
	struct buf out;
	bool done;

	buf_init(&out);
	add_spread(&out, event);
	done = run_files_place(r, "summary.json", buf_str(&out), 0666, err);
	buf_free(&out);
	return done;
}

/* ---- meta.json ---- */

static void put_time(struct json_writer *w, const char *name, int64_t ns)
{
	char text[36];

	json_put_text(w, name, str_of(text, stamp_format_ns(text, ns, 3)));
}

static void put_exit(struct json_writer *w, const struct run_files_end *end)
{
	json_put_object(w, "exit");
	if (end->signal)
		json_put_null(w, "code");
	else
		json_put_i64(w, "code", end->status);
	json_put_i64_or_null(w, "signal", end->signal ? end->signal : -1);
	json_write_end_object(w);
}

static void put_captured(struct json_writer *w, const struct run_files_end *end)
{
	json_put_object(w, "captured");
	for (size_t i = 0; i < AT_KINDS; i++) {
		json_write_key(w, agent_trace_kinds[i]);
		json_write_u64(w, end->tally.counts[i]);
	}
	json_put_u64(w, "other_requests", end->tally.other);
	json_put_u64(w, "failed", end->tally.failed);
	json_put_u64(w, "lost_pieces", end->lost_pieces);
	json_put_u64(w, "lost_lines", end->lost_lines);
	json_write_end_object(w);
}

/* A file that vanished since it was written is left out; `check` then has nothing to say of it. */
static void put_files(struct arena *a, struct json_writer *w, const struct run_files *r,
		      const struct run_files_end *end)
{
	json_put_array(w, "files");
	for (size_t i = 0; i < COUNT(files); i++) {
		bool known = end->trace_sha256.p && strcmp(files[i], "agent-trace.jsonl") == 0;
		struct str hex = end->trace_sha256;
		uint64_t size = end->trace_bytes;

		if (!(r->written & 1U << i) || (!known && !run_files_digest(a, r, files[i], &hex, &size)))
			continue;
		json_write_begin_object(w);
		json_put_word(w, "name", files[i]);
		json_put_text(w, "sha256", hex);
		json_put_u64(w, "size", size);
		json_write_end_object(w);
	}
	json_write_end_array(w);
}

static void put_names(struct json_writer *w, const char *member, const struct run_facts_names *n)
{
	json_put_array(w, member);
	for (size_t i = 0; i < n->count; i++)
		json_write_string(w, n->list[i]);
	json_write_end_array(w);
}

/* Who and which models, so that a list of runs needs no trace. As the trace has them: it is read once more. */
static void put_facts(struct arena *a, struct json_writer *w, const struct run_files *r)
{
	struct run_facts_reader *reader;
	struct run_facts facts;

	if (!run_files_is_in_place(r) || !run_files_is_written(r, "agent-trace.jsonl"))
		return;
	reader = run_facts_open(a);
	run_facts_read_trace(reader, run_files_file(a, r, "agent-trace.jsonl"), &facts);
	run_facts_close(reader);
	json_put_text_or_null(w, "framework", facts.agent);
	put_names(w, "models", &facts.models);
	put_names(w, "unpriced_models", &facts.unpriced);
}

static void put_run(struct json_writer *w, const struct run_files *r)
{
	json_put_text(w, "schema", STR("trackway.run/1"));
	json_put_text(w, "run_id", r->run_id);
	json_put_text(w, "kind", STR("record"));
	json_put_object(w, "versions");
	json_put_text(w, "trackway", STR(BUILD_VERSION));
	json_put_word(w, "commit", build_commit());
	json_write_end_object(w);
	json_put_text(w, "program", r->program);
	json_put_u64(w, "argument_count", r->argument_count);
	if (r->listened)
		json_put_bool(w, "listened", true);
	put_time(w, "started", r->begun_ns);
}

bool run_files_write_meta(struct arena *a, const struct run_files *r, const struct run_files_end *end,
			  struct err *err)
{
	struct json_writer w;
	struct buf out;
	bool done;

	buf_init(&out);
	json_write_init(&w, &out, JSON_PRETTY);
	json_write_begin_object(&w);
	put_run(&w, r);
	json_put_object(&w, "tags");
	for (size_t i = 0; i < r->tag_count; i++) {
		json_write_key(&w, r->tags[i].key);
		json_write_string(&w, r->tags[i].value);
	}
	json_write_end_object(&w);
	if (r->budget.p)
		json_put_raw(&w, "budget", r->budget);
	if (r->retrieval_set.p)
		json_put_raw(&w, "retrieval_set", r->retrieval_set);
	if (r->forked_from.p)
		json_put_raw(&w, "forked_from", r->forked_from);
	if (r->content) {
		json_put_bool(&w, "content_saved", true);
		json_put_bool(&w, "local_only", true);
	}
	if (end) {
		put_time(&w, "ended", end->ended_ns);
		put_exit(&w, end);
		put_captured(&w, end);
		put_facts(a, &w, r);
		if (end->engine_metrics.p)
			json_put_raw(&w, "engine_metrics", end->engine_metrics);
		put_files(a, &w, r, end);
	}
	json_write_end_object(&w);
	buf_add_byte(&out, '\n');
	done = run_files_place(r, "meta.json", buf_str(&out), r->content ? 0600 : 0666, err);
	buf_free(&out);
	return done;
}
