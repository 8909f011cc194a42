/*
 * Lines are appended by one write each to a file opened once, and the lock is on results.jsonl itself, so it goes with
 * the process however that ends. Reading a run needs no lock: a line that is still being written does not parse, and is
 * left out.
 */
#include "bench/run/run_dir.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/ascii.h"
#include "base/clock.h"
#include "base/crypto/sha256.h"
#include "base/file.h"
#include "json/put.h"
#include "source/source.h"

#define RESULTS "results.jsonl"
#define EVENTS "events.jsonl"
#define ID_MAX 200 /* characters: it is a part of a path */

/* A file of lines that grows at its end. */
struct grown {
	struct str path;
	int fd;
	off_t size; /* behind the last whole line */
};

struct run_dir {
	struct arena arena; /* what lasts: the path, the keys */
	struct str path, id;
	struct grown results, events;
	struct map rows;
	uint64_t torn;
	struct results_lost lost;
	struct buf line;
};

/* ---- files of lines ---- */

/* Opens it without waiting, so that a pipe in its place is refused and does not hold us up. */
static bool grown_open(struct run_dir *d, struct grown *g, const char *name, struct err *err)
{
	struct stat st;

	g->path = ARENA_JOIN(&d->arena, d->path, STR("/"), str_from(name));
	g->fd = open(g->path.p, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, 0666);
	if (g->fd < 0)
		return err_system(err, errno, "cannot open %.*s", STR_ARG(g->path));
	if (fstat(g->fd, &st) != 0)
		return err_system(err, errno, "cannot look at %.*s", STR_ARG(g->path));
	if (!S_ISREG(st.st_mode))
		return err_set(err, ERR_USAGE, "%.*s is not a regular file" ERR_HELP "give another directory",
			       STR_ARG(g->path));
	g->size = st.st_size;
	return true;
}

/*
 * One call for the line, so that a process that is killed leaves all of it or, on a full disk, a piece; of a piece
 * the file is freed at once, and if even that fails, when it is opened again.
 */
static bool grown_add(struct grown *g, struct str line, struct err *err)
{
	struct str rest = line;
	int saved;

	while (rest.n > 0) {
		ssize_t n = write(g->fd, rest.p, rest.n);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			break;
		rest = str_of(rest.p + n, rest.n - (size_t)n);
	}
	if (rest.n == 0) {
		assert(line.n == 0 || line.p[line.n - 1] == '\n');
		g->size += (off_t)line.n;
		return true;
	}
	saved = errno ? errno : ENOSPC;
	if (ftruncate(g->fd, g->size) != 0)
		return err_system(err, saved, "cannot write to %.*s, and a piece of a line is left in it",
				  STR_ARG(g->path));
	return err_system(err, saved, "cannot write to %.*s", STR_ARG(g->path));
}

/* Where the last whole line ends. */
static bool find_end(const struct grown *g, off_t *end, struct err *err)
{
	char room[4096];
	off_t at = g->size;

	while (at > 0) {
		size_t want = at < (off_t)sizeof(room) ? (size_t)at : sizeof(room);
		ssize_t n = pread(g->fd, room, want, at - (off_t)want);
		const char *lf;

		if (n < 0 && errno == EINTR)
			continue;
		if (n != (ssize_t)want)
			return err_system(err, n < 0 ? errno : EIO, "cannot read %.*s", STR_ARG(g->path));
		lf = memrchr(room, '\n', want);
		if (lf) {
			*end = at - (off_t)want + (lf - room) + 1;
			return true;
		}
		at -= (off_t)want;
	}
	*end = 0;
	return true;
}

/* Whether what stands behind the last line end is a whole value that lacks nothing but the end of its line. */
static bool run_dir_is_whole(const struct grown *g, off_t from)
{
	size_t n = (size_t)(g->size - from);
	struct json_parser *parser;
	struct val v;
	char *text;
	bool whole;

	if (n > SOURCE_RECORD_LIMIT)
		return false;
	text = mem_alloc(n + 1);
	parser = json_parser_open((struct json_options){ .allow_duplicates = true, .allow_lone = true });
	whole = pread(g->fd, text, n, from) == (ssize_t)n && json_parse_copy(parser, str_of(text, n), &v, NULL) &&
		val_is(v, JSON_OBJECT);
	json_parser_close(parser);
	mem_free(text);
	return whole;
}

/* Gives how many bytes of a torn line were cut off. */
static bool grown_mend(struct grown *g, uint64_t *torn, struct err *err)
{
	off_t end;

	*torn = 0;
	if (!find_end(g, &end, err))
		return false;
	if (end == g->size)
		return true;
	if (run_dir_is_whole(g, end))
		return grown_add(g, STR("\n"), err);
	if (ftruncate(g->fd, end) != 0)
		return err_system(err, errno, "cannot cut a torn line off %.*s", STR_ARG(g->path));
	*torn = (uint64_t)(g->size - end);
	g->size = end;
	return true;
}

/* ---- the directory ---- */

bool run_dir_is_id(struct str id)
{
	if (id.n == 0 || id.n > ID_MAX || id.p[0] == '.' || str_has(id, STR("..")))
		return false;
	for (size_t i = 0; i < id.n; i++) {
		char c = id.p[i];

		if (!ascii_is_name(c))
			return false;
	}
	return true;
}

static bool run_dir_make_path(struct str path, struct err *err)
{
	size_t there;

	if (file_make_dirs(path, 0777, &there, err))
		return true;
	return err->errnum == ENOTDIR &&
	       err_set(err, ERR_USAGE, "%.*s is a file, and a run needs a directory" ERR_HELP "give another place",
		       STR_ARG(str_of(path.p, there)));
}

static struct run_dir *dir_new(void)
{
	struct run_dir *d = mem_alloc(sizeof(*d));

	*d = (struct run_dir){ .results.fd = -1, .events.fd = -1 };
	arena_init(&d->arena);
	map_init(&d->rows, &d->arena);
	buf_init(&d->line);
	return d;
}

void run_dir_close(struct run_dir *d)
{
	if (!d)
		return;
	/* rows survive us without this, but not a power cut */
	if (d->results.fd >= 0) {
		fdatasync(d->results.fd);
		close(d->results.fd); /* and the lock with it */
	}
	if (d->events.fd >= 0)
		close(d->events.fd);
	buf_free(&d->line);
	arena_free(&d->arena);
	mem_free(d);
}

/* The lock is on results.jsonl: whoever writes rows has it. */
static bool open_files(struct run_dir *d, struct err *err)
{
	if (!grown_open(d, &d->results, RESULTS, err))
		return false;
	if (flock(d->results.fd, LOCK_EX | LOCK_NB) != 0) {
		if (errno == EWOULDBLOCK)
			return err_set(err, ERR_IO, "another trackway has this run open: %.*s" ERR_HELP
				       "wait until it has ended, or give this one another name",
				       STR_ARG(d->path)) || err_advise(err, ADVICE_RUN_ID);
		return err_system(err, errno, "cannot lock %.*s", STR_ARG(d->results.path));
	}
	/* what was there before the lock may have grown since */
	d->results.size = lseek(d->results.fd, 0, SEEK_END);
	return grown_open(d, &d->events, EVENTS, err);
}

/* The lock comes before the look at its size: of two who make the same run one is refused. */
static bool fill_new(struct run_dir *d, struct str parent, struct str run_id, struct err *err)
{
	if (!run_dir_is_id(run_id))
		return err_set(err, ERR_USAGE, "'%.*s' cannot be the id of a run" ERR_HELP "use letters, digits, '_', "
			       "'-' and '.', at most %d of them, without a '.' in front and without '..'",
			       STR_ARG(run_id), ID_MAX);
	d->id = arena_copy(&d->arena, run_id);
	while (parent.n > 1 && parent.p[parent.n - 1] == '/')
		parent.n--;
	d->path = parent.n ? ARENA_JOIN(&d->arena, parent, parent.n == 1 && parent.p[0] == '/' ? STR("") : STR("/"),
					run_id) :
			     d->id;
	if (memchr(d->path.p, 0, d->path.n))
		return err_set(err, ERR_USAGE, "the path of a run cannot have a NUL byte in it");
	if (!run_dir_make_path(d->path, err) || !open_files(d, err))
		return false;
	if (d->results.size > 0)
		return err_set(err, ERR_USAGE, "%.*s has results already", STR_ARG(d->path)) ||
		       err_advise(err, ADVICE_RESUME);
	return true;
}

struct run_dir *run_dir_make(struct str parent, struct str run_id, struct err *err)
{
	struct run_dir *d = dir_new();

	if (fill_new(d, parent, run_id, err))
		return d;
	run_dir_close(d);
	return NULL;
}

/* ---- going on with one ---- */

/* Failed rows count as well: --resume does not ask them again. */
static bool know_row(void *own, const struct result *r, struct str line)
{
	struct run_dir *d = own;
	struct arena scratch;
	bool added;

	(void)line;
	if (!d->id.p)
		d->id = arena_copy(&d->arena, r->run_id);
	arena_init(&scratch);
	*map_add(&d->rows, result_key(&scratch, r->provider, r->model, r->thinking, r->prompt_id, r->repetition),
		 &added) = 1;
	arena_free(&scratch);
	return true;
}

static bool tell_torn(struct run_dir *d, const char *file, uint64_t bytes, struct err *err)
{
	char members[120];

	if (bytes == 0)
		return true;
	snprintf(members, sizeof(members), "\"file\":\"%s\",\"bytes\":%llu", file, (unsigned long long)bytes);
	return run_dir_add_event(d, "torn_line_removed", str_from(members), err);
}

static bool tell_lost(struct run_dir *d, struct err *err)
{
	char members[120];

	if (d->lost.skipped == 0 && d->lost.repeated == 0)
		return true;
	snprintf(members, sizeof(members), "\"lines_skipped\":%llu,\"rows_repeated\":%llu",
		 (unsigned long long)d->lost.skipped, (unsigned long long)d->lost.repeated);
	return run_dir_add_event(d, "lines_left_out", str_from(members), err);
}

/* Mends both files before anything is read or added, then says in events.jsonl what was cut off or left out. */
static bool fill_old(struct run_dir *d, struct str path, struct err *err)
{
	char whole[PATH_MAX];
	struct stat st;
	uint64_t torn;

	while (path.n > 1 && path.p[path.n - 1] == '/')
		path.n--;
	d->path = arena_copy(&d->arena, path);
	if (path.n == 0 || memchr(path.p, 0, path.n) || stat(d->path.p, &st) != 0)
		return err_system(err, path.n ? errno : ENOENT, "there is no run at %.*s", STR_ARG(path));
	if (!S_ISDIR(st.st_mode))
		return err_set(err, ERR_USAGE, "%.*s is a file, and a run is a directory", STR_ARG(path));
	if (access(ARENA_JOIN(&d->arena, d->path, STR("/" RESULTS)).p, F_OK) != 0)
		return err_set(err, ERR_USAGE, "%.*s is not a run: it has no " RESULTS, STR_ARG(path));
	if (!open_files(d, err) || !grown_mend(&d->results, &d->torn, err) || !grown_mend(&d->events, &torn, err))
		return false;
	if (!results_walk(d->results.path, know_row, d, &d->lost, err))
		return false;
	if (!d->id.p)
		d->id = arena_copy(&d->arena, str_basename(realpath(d->path.p, whole) ? str_from(whole) : d->path));
	return tell_torn(d, RESULTS, d->torn, err) && tell_torn(d, EVENTS, torn, err) && tell_lost(d, err);
}

struct run_dir *run_dir_resume(struct str path, struct err *err)
{
	struct run_dir *d = dir_new();

	if (fill_old(d, path, err))
		return d;
	run_dir_close(d);
	return NULL;
}

/* ---- what it knows, what is put into it ---- */

struct str run_dir_path(const struct run_dir *d)
{
	return d->path;
}

struct str run_dir_id(const struct run_dir *d)
{
	return d->id;
}

const struct map *run_dir_rows(const struct run_dir *d)
{
	return &d->rows;
}

uint64_t run_dir_torn(const struct run_dir *d)
{
	return d->torn;
}

struct results_lost run_dir_lost(const struct run_dir *d)
{
	return d->lost;
}

bool run_dir_add_result(struct run_dir *d, const struct result *r, struct err *err)
{
	buf_clear(&d->line);
	result_write(&d->line, r);
	return grown_add(&d->results, buf_str(&d->line), err);
}

bool run_dir_add_event(struct run_dir *d, const char *event, struct str members, struct err *err)
{
	struct json_writer w;

	buf_clear(&d->line);
	json_write_init(&w, &d->line, JSON_COMPACT);
	json_write_begin_object(&w);
	json_put_text(&w, "record_type", STR("event"));
	json_put_text(&w, "run_id", d->id);
	json_put_u64(&w, "at_ms", clock_wall_ns() / 1000000);
	json_put_word(&w, "event", event);
	json_write_end_object(&w);
	if (members.n) {
		d->line.n--; /* the brace */
		buf_add_byte(&d->line, ',');
		buf_add_str(&d->line, members);
		buf_add_byte(&d->line, '}');
	}
	buf_add_byte(&d->line, '\n');
	return grown_add(&d->events, buf_str(&d->line), err);
}

bool run_dir_write(struct run_dir *d, const char *name, struct str bytes, struct err *err)
{
	struct arena a;
	bool done;

	arena_init(&a);
	done = file_replace(ARENA_JOIN(&a, d->path, STR("/"), str_from(name)), bytes, 0666, err);
	arena_free(&a);
	return done;
}

/* ---- a run that is read ---- */

struct walk {
	bool (*take)(void *own, const struct result *r, struct str line);
	void *own;
	struct results_lost *lost;
	struct json_parser *parser;
	struct arena arena; /* of one row */
	struct arena keys;
	struct map seen;    /* the beginnings of the digests of keys */
	struct sha256 hash;
};

#define SEEN_BYTES 16

/* Rows of another harness may not say which repetition they are: of these only a line that is the same is repeated. */
static bool walk_is_new(struct walk *w, const struct result *r, const struct json_record *line)
{
	bool numbered = val_has(line->value, STR("repetition")), added;
	struct digest d = sha256_of(&w->hash, numbered ? result_key(&w->arena, r->provider, r->model, r->thinking,
								    r->prompt_id, r->repetition) :
							 line->text);

	map_add(&w->seen, str_of(d.b, SEEN_BYTES), &added);
	return added;
}

/* False to stop. */
static bool walk_chunk(struct walk *w, const struct chunk *c)
{
	struct json_issue issue;
	struct json_lines it;
	struct json_record line;
	enum json_line what;

	json_lines_begin(&it, w->parser, c->bytes, c->first_line);
	while ((what = json_lines_next(&it, &line, &issue)) != JSON_LINE_END) {
		struct result r;

		if (what == JSON_LINE_BLANK)
			continue;
		arena_reset(&w->arena);
		if (what == JSON_LINE_BAD || !result_read(&r, &w->arena, line.value))
			w->lost->skipped++;
		else if (!walk_is_new(w, &r, &line))
			w->lost->repeated++;
		else if (!w->take(w->own, &r, line.text))
			return false;
	}
	return true;
}

static bool walk_source(struct walk *w, struct source *s, struct err *err)
{
	struct chunk chunk;
	struct buf room;
	enum next next;

	buf_init(&room);
	while ((next = source_next(s, &room, &chunk, err)) == NEXT_MORE)
		if (!walk_chunk(w, &chunk))
			break;
	buf_free(&room);
	return next != NEXT_FAIL;
}

struct str results_dir(struct arena *a, struct str path)
{
	struct str dir = file_is_dir(path) ? path : str_dirname(path);

	while (dir.n > 1 && dir.p[dir.n - 1] == '/')
		dir.n--;
	return arena_copy(a, dir);
}

bool results_walk(struct str path, bool (*take)(void *own, const struct result *r, struct str line), void *own,
		  struct results_lost *lost, struct err *err)
{
	struct walk w = { .take = take, .own = own, .lost = lost };
	struct source_options how = { .shape = SOURCE_LINES };
	struct source *source;
	struct arena a;
	bool done;

	*lost = (struct results_lost){ .skipped = 0 };
	arena_init(&a);
	if (file_is_dir(path))
		path = ARENA_JOIN(&a, path, STR("/" RESULTS));
	source = source_open(&a, &path, 1, how, err);
	if (!source) {
		arena_free(&a);
		return false;
	}
	arena_init(&w.arena);
	arena_init(&w.keys);
	map_init(&w.seen, &w.keys);
	sha256_init(&w.hash);
	w.parser = json_parser_open((struct json_options){ .allow_duplicates = true, .allow_lone = true });
	done = walk_source(&w, source, err);
	json_parser_close(w.parser);
	sha256_free(&w.hash);
	arena_free(&w.keys);
	arena_free(&w.arena);
	source_close(source);
	arena_free(&a);
	return done;
}
