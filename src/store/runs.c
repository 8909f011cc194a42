/* The list is read whole each time it is asked: it grows by a line a run, and nothing is cached that could be stale. */
#include "store/runs.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/ascii.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/map.h"
#include "base/num.h"
#include "json/json.h"
#include "json/put.h"

#define LIST_NAME "/runs.jsonl"
#define LIST_LIMIT ((size_t)512 << 20)
#define PART_MIN 6 /* characters that may stand for an id */
#define SHOWN 5    /* runs named in a message */
#define LOCK_WAIT_NS (UINT64_C(5) * 1000000000)

/* ---- where it is ---- */

static struct str variable(const char *name)
{
	return str_from(getenv(name));
}

bool runs_home(struct arena *a, struct str *out, struct err *err)
{
	struct str own = variable("TRACKWAY_HOME"), data = variable("XDG_DATA_HOME"), home = variable("HOME");

	if (own.n)
		*out = arena_copy(a, own);
	else if (data.n && data.p[0] == '/') /* a relative one is to be ignored, says its specification */
		*out = ARENA_JOIN(a, data, STR("/trackway"));
	else if (home.n)
		*out = ARENA_JOIN(a, home, STR("/.local/share/trackway"));
	else
		return err_set(err, ERR_USAGE,
			       "there is no place for the list of runs: set TRACKWAY_HOME, XDG_DATA_HOME or HOME");
	return true;
}

/* ---- adding ---- */

static void add_line(struct buf *out, const struct run_entry *e)
{
	struct json_writer w;

	json_write_init(&w, out, JSON_COMPACT);
	json_write_begin_object(&w);
	json_put_text_or_null(&w, "run_id", e->run_id);
	json_put_text_or_null(&w, "dir", e->dir);
	json_put_text_or_null(&w, "started", e->started);
	json_put_text_or_null(&w, "kind", e->kind);
	json_put_text_or_null(&w, "program", e->program);
	json_put_object(&w, "tags");
	for (size_t i = 0; i < e->tag_count; i++) {
		json_write_key(&w, e->tags[i].key);
		json_write_string_or_null(&w, e->tags[i].value);
	}
	json_write_end_object(&w);
	json_write_end_object(&w);
	buf_add_byte(out, '\n');
}

/* Whoever holds it does so for one write; one that hangs must not hang us. */
static bool lock(int fd)
{
	const struct timespec pause = { .tv_nsec = 2000000 };
	uint64_t begun = clock_mono_ns();

	while (flock(fd, LOCK_EX | LOCK_NB) != 0) {
		if (errno != EWOULDBLOCK && errno != EINTR)
			return false;
		if (clock_mono_ns() - begun > LOCK_WAIT_NS) {
			errno = EWOULDBLOCK;
			return false;
		}
		nanosleep(&pause, NULL);
	}
	return true;
}

/* A line that somebody did not finish is ended, so that ours is one of its own. */
static bool is_torn(int fd, off_t size)
{
	char last;

	return size > 0 && pread(fd, &last, 1, size - 1) == 1 && last != '\n';
}

/* The line in one write, so that a reader sees all of it or none. The lock goes when the caller closes fd. */
static bool append(int fd, struct buf *line, bool later, struct err *err)
{
	struct stat st;
	ssize_t n;

	if (!lock(fd) || fstat(fd, &st) != 0)
		return err_system(err, errno, "it cannot be locked");
	if (is_torn(fd, st.st_size)) {
		buf_reserve(line, 1);
		memmove(line->p + 1, line->p, line->n++);
		line->p[0] = '\n';
	}
	do {
		n = write(fd, line->p, line->n);
	} while (n < 0 && errno == EINTR);
	if (n == (ssize_t)line->n)
		return later || fsync(fd) == 0 || err_system(err, errno, "it could not be brought to the disk");
	err_system(err, n < 0 ? errno : ENOSPC, "cannot write");
	if (n > 0 && ftruncate(fd, st.st_size) != 0)
		return err_context(err, "a piece of a line is left");
	return false;
}

bool runs_add(struct arena *a, const struct run_entry *e, struct err *err)
{
	struct str home, path;
	struct buf line;
	bool done;
	int fd;

	if (!runs_home(a, &home, err) || !file_make_dirs(home, 0700, NULL, err))
		return false;
	path = ARENA_JOIN(a, home, STR(LIST_NAME));
	fd = open(path.p, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, 0600);
	if (fd < 0)
		return err_system(err, errno, "cannot open %.*s", STR_ARG(path));
	buf_init(&line);
	add_line(&line, e);
	done = append(fd, &line, e->later, err) || err_context(err, path.p);
	buf_free(&line);
	close(fd); /* and the lock with it */
	return done;
}

/* ---- reading ---- */

static void read_tags(struct arena *a, struct val tags, struct run_entry *e)
{
	struct run_tag *list = arena_array(a, struct run_tag, val_count(tags) + 1);
	struct val_iter it = val_begin(tags);
	struct val key, value;

	e->tags = list;
	while (val_is(tags, JSON_OBJECT) && val_next_member(&it, &key, &value)) {
		if (!val_is(value, JSON_STRING))
			continue;
		list[e->tag_count++] = (struct run_tag){ arena_copy(a, val_text(key, a)),
							 arena_copy(a, val_text(value, a)) };
	}
}

/* False when it is no entry: it names nothing, or a place that depends on where we are. */
static bool read_entry(struct arena *a, struct val line, struct run_entry *e)
{
	if (!val_is(line, JSON_OBJECT))
		return false;
	*e = (struct run_entry){ .run_id = val_text_copy(val_get(line, STR("run_id")), a),
				 .dir = val_text_copy(val_get(line, STR("dir")), a) };
	if (e->run_id.n == 0 || e->dir.n == 0 || e->dir.p[0] != '/' || memchr(e->dir.p, 0, e->dir.n))
		return false;
	e->started = val_text_copy(val_get(line, STR("started")), a);
	e->kind = val_text_copy(val_get(line, STR("kind")), a);
	e->program = val_text_copy(val_get(line, STR("program")), a);
	read_tags(a, val_get(line, STR("tags")), e);
	return true;
}

/* `text` has JSON_PAD readable bytes behind it. */
static size_t read_list(struct arena *a, struct str text, struct run_entry *out)
{
	struct json_parser *parser = json_parser_open((struct json_options){ .max_depth = 16 });
	struct json_issue issue;
	struct json_record record;
	struct json_lines lines;
	enum json_line what;
	size_t count = 0;

	json_lines_begin(&lines, parser, text, 1);
	while ((what = json_lines_next(&lines, &record, &issue)) != JSON_LINE_END)
		if (what == JSON_LINE_VALUE && read_entry(a, record.value, &out[count]))
			count++;
	json_parser_close(parser);
	return count;
}

bool runs_list(struct arena *a, struct run_entry **out, size_t *count, struct err *err)
{
	struct err why = { .kind = ERR_NONE };
	struct str home, path, text;
	char *padded;

	*out = NULL;
	*count = 0;
	if (!runs_home(a, &home, err))
		return false;
	path = ARENA_JOIN(a, home, STR(LIST_NAME));
	if (!file_read(a, path, LIST_LIMIT, &text, &why)) {
		if (why.errnum == ENOENT || why.errnum == ENOTDIR)
			return true;
		*err = why;
		return false;
	}
	padded = arena_array(a, char, text.n + JSON_PAD);
	if (text.n)
		memcpy(padded, text.p, text.n);
	*out = arena_array(a, struct run_entry, str_count(text, '\n') + 2);
	*count = read_list(a, str_of(padded, text.n), *out);
	return true;
}

bool runs_list_recent(struct arena *a, size_t limit, struct run_entry **out, size_t *count, struct err *err)
{
	struct run_entry *all;
	size_t n, kept = 0;
	struct map dirs;

	if (!runs_list(a, &all, &n, err))
		return false;
	map_init(&dirs, a);
	*out = arena_array(a, struct run_entry, (n < limit ? n : limit) + 1);
	for (size_t i = n; i-- > 0 && kept < limit;) {
		bool is_new;

		map_add(&dirs, all[i].dir, &is_new);
		if (is_new && file_is_dir(all[i].dir)) /* otherwise a newer run took the directory over */
			(*out)[kept++] = all[i];
	}
	*count = kept;
	return true;
}

/* ---- names ---- */

static bool is_part_of(struct str part, struct str id)
{
	return part.n >= PART_MIN && part.n <= id.n &&
	       (str_eq_nocase(part, str_of(id.p, part.n)) || str_eq_nocase(part, str_of(id.p + id.n - part.n, part.n)));
}

static bool has_tag(const struct run_entry *e, struct str wanted)
{
	struct str value, key = str_cut(wanted, '=', &value);

	for (size_t i = 0; i < e->tag_count; i++)
		if (str_eq(e->tags[i].key, key) && (key.n == wanted.n || str_eq(e->tags[i].value, value)))
			return true;
	return false;
}

bool runs_is_name(struct str text)
{
	if (str_starts(text, STR("@")) || str_starts(text, STR("tag:")))
		return true;
	for (size_t i = 0; i < text.n; i++) {
		char c = ascii_lower(text.p[i]);

		if (!ascii_is_digit(c) && !(c >= 'a' && c <= 'f') && c != '-' && c != '_')
			return false;
	}
	return text.n >= PART_MIN && text.p[0] != '-';
}

/* "@last" is 1, "@-2" is 2; 0 for anything else. */
static uint64_t place_of(struct str name)
{
	uint64_t n;

	if (str_eq(name, STR("@last")))
		return 1;
	if (!str_starts(name, STR("@-")) || !num_parse_u64(str_skip(name, 2), &n))
		return 0;
	return n;
}

static void add_runs(struct buf *out, const struct run_entry *const *runs, size_t count)
{
	for (size_t i = 0; i < count && i < SHOWN; i++) {
		buf_printf(out, "%s%.*s", i ? ", " : "", STR_ARG(runs[i]->run_id));
		if (runs[i]->started.n || runs[i]->program.n)
			buf_printf(out, " (%.*s%s%.*s)", STR_ARG(runs[i]->started),
				   runs[i]->started.n && runs[i]->program.n ? ", " : "", STR_ARG(runs[i]->program));
	}
	if (count > SHOWN)
		buf_printf(out, " and %zu more", count - SHOWN);
}

static bool tell_several(struct str name, const struct run_entry *const *fits, size_t count, struct err *err)
{
	struct buf list;

	buf_init(&list);
	add_runs(&list, fits, count);
	err_set(err, ERR_USAGE, "'%.*s' matches %zu runs: %.*s" ERR_HELP
		"give more of the id of one of them", STR_ARG(name),
		count, STR_ARG(buf_str(&list)));
	buf_free(&list);
	return false;
}

/* All that are still there, newest first. */
struct recent {
	struct run_entry *runs;
	size_t count;
};

/* Always false. A name with a slash or a dot was meant as a file, so the file is what is missing. */
static bool tell_none(struct arena *a, struct str name, const struct recent *r, struct err *err)
{
	const struct run_entry **newest = arena_array(a, const struct run_entry *, r->count + 1);
	struct buf list;

	if (memchr(name.p, '/', name.n) || memchr(name.p, '.', name.n)) /* a file was meant */
		return err_system(err, ENOENT, "%.*s", STR_ARG(name));
	for (size_t i = 0; i < r->count; i++)
		newest[i] = &r->runs[i];
	buf_init(&list);
	add_runs(&list, newest, r->count);
	if (r->count == 0)
		err_set(err, ERR_USAGE, "'%.*s' is not a file, and the list of runs is empty" ERR_HELP
			"'trackway record' makes a run", STR_ARG(name));
	else
		err_set(err, ERR_USAGE, "'%.*s' is neither a file nor a run; the newest %s %.*s" ERR_HELP
			"'@last' is the newest, '@-2' the one before", STR_ARG(name),
			r->count == 1 ? "run is" : "runs are", STR_ARG(buf_str(&list)));
	err->errnum = ENOENT;
	buf_free(&list);
	return false;
}

/* A whole id is that run, whatever else begins or ends with it. */
static const struct run_entry *find_whole(const struct recent *r, struct str id)
{
	for (size_t i = 0; i < r->count; i++)
		if (str_eq_nocase(r->runs[i].run_id, id))
			return &r->runs[i];
	return NULL;
}

static bool find_by_place(struct str name, const struct recent *r, struct str *path, struct err *err)
{
	uint64_t place = place_of(name);

	if (place == 0)
		return err_set(err, ERR_USAGE, "'%.*s' is no run" ERR_HELP
			       "'@last' is the newest, '@-2' the one before",
			       STR_ARG(name));
	if (place > r->count)
		return err_set(err, ERR_USAGE, "'%.*s': there %s %zu run%s in the list" ERR_HELP
			       "'trackway record' makes one", STR_ARG(name), r->count == 1 ? "is" : "are",
			       r->count, r->count == 1 ? "" : "s");
	*path = r->runs[place - 1].dir;
	return true;
}

/* By tag, whole id, or a part of one. A whole id wins over parts; otherwise exactly one run must fit. */
static bool find_by_name(struct arena *a, struct str name, const struct recent *r, struct str *path, struct err *err)
{
	const struct run_entry **fits = arena_array(a, const struct run_entry *, r->count + 1);
	const struct run_entry *whole = find_whole(r, name);
	bool by_tag = str_starts(name, STR("tag:"));
	struct str tag = by_tag ? str_skip(name, 4) : name;
	size_t count = 0;

	for (size_t i = 0; i < r->count && !whole; i++)
		if (by_tag ? has_tag(&r->runs[i], tag) : is_part_of(name, r->runs[i].run_id))
			fits[count++] = &r->runs[i];
	if (!whole && count == 0)
		return tell_none(a, name, r, err);
	if (count > 1)
		return tell_several(name, fits, count, err);
	*path = whole ? whole->dir : fits[0]->dir;
	return true;
}

bool runs_find(struct arena *a, struct str name, struct str *path, struct err *err)
{
	struct str text = arena_copy(a, name);
	struct recent r;
	struct stat st;

	if (str_eq(name, STR("-")) || (name.n && stat(text.p, &st) == 0)) {
		*path = text;
		return true;
	}
	if (!runs_list_recent(a, SIZE_MAX, &r.runs, &r.count, err))
		return false;
	if (str_starts(name, STR("@")))
		return find_by_place(name, &r, path, err);
	return find_by_name(a, name, &r, path, err);
}

bool runs_find_trace(struct arena *a, struct str name, struct str *path, struct err *err)
{
	struct str found, trace;
	struct stat st;

	if (!runs_find(a, name, &found, err))
		return false;
	*path = found;
	if (str_eq(found, STR("-")) || !file_is_dir(found))
		return true;
	trace = ARENA_JOIN(a, found, str_ends(found, STR("/")) ? STR("") : STR("/"), STR("agent-trace.jsonl"));
	if (stat(trace.p, &st) != 0)
		return err_system(err, errno, "%.*s", STR_ARG(trace));
	*path = trace;
	return true;
}
