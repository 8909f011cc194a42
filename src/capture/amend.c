/*
 * Lines are changed as text: they are our own, so each name stands where the writer puts it, and inside a string no
 * quote can stand before a colon without a backslash.
 */
#include "capture/amend.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/ascii.h"
#include "base/file.h"
#include "dialect/agent_trace/trace_line.h"
#include "json/write.h"

#define AMEND_PIECE ((size_t)256 << 10)

/* ---- one line ---- */

/* Where the value of a name begins and ends; false when the line has no such name behind `from`. */
static bool amend_find_value(struct str line, size_t from, const char *name, size_t *begin, size_t *end)
{
	char key[64];
	int n = snprintf(key, sizeof(key), "\"%s\":", name);
	const char *at = from < line.n ? memmem(line.p + from, line.n - from, key, (size_t)n) : NULL;
	bool quoted = false;
	int depth = 0;

	if (!at)
		return false;
	*begin = (size_t)(at - line.p) + (size_t)n;
	for (*end = *begin; *end < line.n; ++*end) {
		char c = line.p[*end];

		if (quoted) {
			if (c == '\\')
				++*end;
			quoted = c != '"';
		} else if (c == '"') {
			quoted = true;
		} else if (c == '[' || c == '{') {
			depth++;
		} else if (depth == 0 && (c == ',' || c == '}')) {
			break;
		} else if (c == ']' || c == '}') {
			depth--;
		}
	}
	return *end <= line.n;
}

/* Replaces a value; a name that is not there stays so. */
static void amend_set(struct buf *line, size_t from, const char *name, struct str value)
{
	size_t begin, end;
	struct buf out;

	if (!amend_find_value(buf_str(line), from, name, &begin, &end))
		return;
	buf_init(&out);
	buf_add_str(&out, str_of(line->p, begin));
	buf_add_str(&out, value);
	buf_add_str(&out, str_of(line->p + end, line->n - end));
	buf_free(line);
	*line = out;
}

/* Takes a member away, with the comma before it: none of those that may go is the first. */
static void amend_drop(struct buf *line, size_t from, const char *name)
{
	size_t begin, end, first;

	if (!amend_find_value(buf_str(line), from, name, &begin, &end) || begin < strlen(name) + 4)
		return;
	first = begin - strlen(name) - 4; /* the comma, two quotes, the colon */
	memmove(line->p + first, line->p + end, line->n - end);
	line->n -= end - first;
}

static void amend_set_number(struct buf *line, size_t from, const char *name, double value)
{
	struct json_writer w;
	struct buf text;

	buf_init(&text);
	json_write_init(&w, &text, JSON_COMPACT);
	if (value < 0)
		json_write_null(&w);
	else
		json_write_double(&w, value);
	amend_set(line, from, name, buf_str(&text));
	buf_free(&text);
}

static void amend_set_time(struct buf *line, const char *name, int64_t us)
{
	char text[40];
	int n = snprintf(text, sizeof(text), "%lld.%06lld", (long long)(us / 1000000), (long long)(us % 1000000));

	amend_set(line, 0, name, str_of(text, (size_t)n));
}

static void amend_set_parents(struct buf *line, const struct amendment *m)
{
	char uuid[ID_UUID_TEXT];
	struct buf list;

	buf_init(&list);
	buf_add_byte(&list, '[');
	for (size_t i = 0; i < m->parent_count; i++) {
		id_format_uuid(uuid, m->parents[i]);
		buf_add_str(&list, i ? STR(",\"") : STR("\""));
		buf_add_str(&list, str_of(uuid, sizeof(uuid)));
		buf_add_byte(&list, '"');
	}
	buf_add_byte(&list, ']');
	amend_set(line, 0, "parent_node_ids", buf_str(&list));
	buf_free(&list);
}

void amend_line(struct buf *out, struct str line, const struct amendment *m)
{
	size_t inside, end;
	struct buf text, known_by;

	buf_init(&text);
	buf_add_str(&text, line);
	if (m->layers) {
		buf_init(&known_by);
		trace_line_add_known_by(&known_by, m->is_tool ? AT_TOOL_CALL : AT_MODEL_CALL, m->layers);
		amend_set(&text, 0, "known_by", buf_str(&known_by));
		buf_free(&known_by);
	}
	if (m->parents)
		amend_set_parents(&text, m);
	if (m->exact) {
		amend_set_time(&text, "timestamp_start", m->from_us);
		amend_set_time(&text, "timestamp_end", m->to_us);
		amend_drop(&text, 0, "inferred");
		if (amend_find_value(buf_str(&text), 0, "tool_call", &inside, &end)) {
			amend_set_number(&text, inside, "wall_time_seconds", m->wall);
			amend_set_number(&text, inside, "stall_seconds", m->stall);
			amend_drop(&text, inside, "wall_time_source");
			amend_drop(&text, inside, "partial");
		}
	}
	buf_add_str(out, buf_str(&text));
	buf_free(&text);
}

/* ---- the file ---- */

/* Lines of a file, one after the other. */
struct amend_lines {
	int fd;
	struct buf held;
	size_t at;       /* of the next line in what is held */
	uint64_t offset; /* of that in the file */
	bool ended;
};

static void amend_lines_open(struct amend_lines *l, int fd)
{
	*l = (struct amend_lines){ .fd = fd };
	buf_init(&l->held);
}

/* Without its LF; *offset is where it begins. False at the end, or (errno not 0) when reading fails. */
static bool amend_lines_next(struct amend_lines *l, struct str *line, uint64_t *offset)
{
	for (;;) {
		struct str left = l->held.n ? str_of(l->held.p + l->at, l->held.n - l->at) : STR("");
		const char *end = left.n ? memchr(left.p, '\n', left.n) : NULL;
		ssize_t n;

		errno = 0;
		if (end) {
			*line = str_of(left.p, (size_t)(end - left.p));
			*offset = l->offset;
			l->at += line->n + 1;
			l->offset += line->n + 1;
			return true;
		}
		if (l->ended)
			return false;
		if (l->at) {
			memmove(l->held.p, left.p, left.n);
			l->held.n = left.n;
			l->at = 0;
		}
		buf_reserve(&l->held, AMEND_PIECE);
		n = pread(l->fd, l->held.p + l->held.n, AMEND_PIECE, (off_t)(l->offset + l->held.n));
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return false;
		l->ended = n == 0;
		l->held.n += (size_t)n;
	}
}

static bool amend_node_of(struct str line, struct id *node)
{
	size_t begin, end;

	return amend_find_value(line, 0, "node_id", &begin, &end) && end - begin == ID_UUID_TEXT + 2 &&
	       id_parse_uuid(str_of(line.p + begin + 1, ID_UUID_TEXT), node);
}

/* A line that changes its place. */
struct amend_moved {
	const struct amendment *m;
	uint64_t offset, number;
	size_t length;
};

static int amend_compare(const void *a, const void *b)
{
	const struct amend_moved *x = a, *y = b;

	if (x->m->to_us != y->m->to_us)
		return x->m->to_us < y->m->to_us ? -1 : 1;
	return x->number < y->number ? -1 : x->number > y->number;
}

/* A file in its place may be anything: it is looked at before it is read, and opened without waiting. */
static int amend_open(const struct line_file *t, struct stat *old)
{
	int fd = openat(t->dir, t->name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	struct stat there;

	if (fd >= 0 && fstat(t->fd, old) == 0 && fstat(fd, &there) == 0 && there.st_dev == old->st_dev &&
	    there.st_ino == old->st_ino)
		return fd;
	if (fd >= 0)
		close(fd);
	return -1;
}

/* The job. */
struct amend_work {
	const struct amendments *a;
	int from, to;
	struct amend_moved *moved;
	size_t moved_count, moved_cap, next;
	struct buf out;
	uint64_t lines, bytes;
};

static bool amend_flush(struct amend_work *k)
{
	struct err err;

	if (!file_write_all(k->to, buf_str(&k->out), &err)) /* errno says why, as well */
		return false;
	k->bytes += k->out.n;
	buf_clear(&k->out);
	return true;
}

static bool amend_put(struct amend_work *k, struct str line, const struct amendment *m)
{
	if (m)
		amend_line(&k->out, line, m);
	else
		buf_add_str(&k->out, line);
	buf_add_byte(&k->out, '\n');
	k->lines++;
	return k->out.n < AMEND_PIECE || amend_flush(k);
}

/* The first time: where the lines are that move. */
static bool amend_find_moved(struct amend_work *k)
{
	struct amend_lines l;
	struct str line;
	uint64_t offset, number = 0;
	int failed;

	amend_lines_open(&l, k->from);
	while (amend_lines_next(&l, &line, &offset)) {
		struct id node;
		const struct amendment *m = amend_node_of(line, &node) ? amendments_find(k->a, node) : NULL;

		number++;
		if (!m || !(m->moved || m->exact))
			continue;
		mem_grow(k->moved, k->moved_count, k->moved_cap, 64);
		k->moved[k->moved_count++] = (struct amend_moved){ m, offset, number, line.n };
	}
	failed = errno;
	buf_free(&l.held);
	errno = failed;
	if (k->moved_count)
		qsort(k->moved, k->moved_count, sizeof(*k->moved), amend_compare);
	return failed == 0;
}

static int64_t amend_end_of(struct str line)
{
	int64_t us = 0;
	size_t at, end;

	if (!amend_find_value(line, 0, "timestamp_end", &at, &end))
		return 0;
	for (; at < end && us < INT64_MAX / 10 - 9; at++) /* always with six digits behind the point */
		if (ascii_is_digit(line.p[at]))
			us = us * 10 + (line.p[at] - '0');
	return us;
}

/* Those that ended before this, or at the same time and stood before it. */
static bool amend_put_moved(struct amend_work *k, int64_t end_us, uint64_t number)
{
	struct buf line;
	bool good = true;

	buf_init(&line);
	while (good && k->next < k->moved_count) {
		const struct amend_moved *v = &k->moved[k->next];

		if (v->m->to_us > end_us || (v->m->to_us == end_us && v->number > number))
			break;
		buf_clear(&line);
		buf_reserve(&line, v->length);
		good = pread(k->from, line.p, v->length, (off_t)v->offset) == (ssize_t)v->length;
		line.n = v->length;
		good = good && amend_put(k, buf_str(&line), v->m);
		k->next++;
	}
	buf_free(&line);
	return good;
}

static bool amend_copy(struct amend_work *k)
{
	struct amend_lines l;
	uint64_t offset, number = 0;
	struct str line;
	bool good = true;

	amend_lines_open(&l, k->from);
	while (good && amend_lines_next(&l, &line, &offset)) {
		struct id node;
		const struct amendment *m = amend_node_of(line, &node) ? amendments_find(k->a, node) : NULL;

		number++;
		if (m && (m->moved || m->exact))
			continue;
		good = amend_put_moved(k, amend_end_of(line), number) && amend_put(k, line, m);
	}
	good = good && errno == 0;
	buf_free(&l.held);
	return good && amend_put_moved(k, INT64_MAX, UINT64_MAX) && amend_flush(k);
}

bool amend_trace(struct line_file *t, const struct amendments *a, struct err *err)
{
	struct amend_work k = { .a = a, .from = -1, .to = -1 };
	struct stat old;
	bool good;

	if (a->count == 0 || t->fd < 0 || t->waiting.n)
		return true;
	k.from = amend_open(t, &old);
	if (k.from < 0)
		return err_set(err, ERR_IO, "what was learnt late could not be written into %s: it was removed or "
			       "replaced during the run", t->name);
	buf_init(&k.out);
	k.to = openat(t->dir, AMEND_BESIDE, O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, old.st_mode & 0777);
	if (k.to >= 0)
		file_claim(k.to);
	good = k.to >= 0 && amend_find_moved(&k) && amend_copy(&k) && line_file_is_in_place(t) &&
	       renameat(t->dir, AMEND_BESIDE, t->dir, t->name) == 0;
	if (!good) {
		err_system(err, errno, "what was learnt late could not be written into %s", t->name);
		if (k.to >= 0)
			unlinkat(t->dir, AMEND_BESIDE, 0);
	}
	if (good)
		line_file_replace(t, k.to, k.lines, k.bytes);
	if (!good && k.to >= 0)
		close(k.to);
	close(k.from);
	mem_free(k.moved);
	buf_free(&k.out);
	return good;
}
