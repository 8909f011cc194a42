/* Each visit of a file that has changed opens it, makes sure that it is the one we know, reads on, and closes it. */
#include "watch/tail.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"

#define CHUNK ((size_t)1 << 20)        /* read at once, unless a line is longer */
#define LARGE ((uint64_t)8 << 20)      /* what is left of a file is looked through backwards if it is more */
#define STEP_BYTES ((size_t)8 << 20)   /* read in one step, about */
#define STEP_ENTRIES 4096              /* looked at in one step */
#define MARK 256                       /* bytes by whose hash a file is known again */

struct tail_file {
	struct hash key; /* first: for the table; of device and inode */
	uint64_t device, number;
	char *path;
	uint64_t size; /* as it was at the last look */
	int64_t changed_ns, status_ns;
	uint64_t offset;  /* of the first byte that was not read */
	struct hash mark; /* of the `mark_n` bytes before it */
	size_t mark_n;
	struct lines_file lines;
	uint64_t pass;    /* that saw it last */
	bool is_refused;
	bool is_again;    /* this visit has begun from the front already */
};

void tail_init(struct tail *t, const char *dir, struct window *w, size_t files)
{
	*t = (struct tail){ .passes = 0 };
	lines_init(&t->lines, w);
	scan_init(&t->scan, dir);
	table_init(&t->files, sizeof(struct tail_file), files);
	buf_init(&t->block);
}

void tail_free(struct tail *t)
{
	for (size_t i = 0; i < t->files.count; i++)
		mem_free(((struct tail_file *)table_at(&t->files, i))->path);
	table_free(&t->files);
	scan_free(&t->scan);
	lines_free(&t->lines);
	buf_free(&t->block);
}

/* ---- one file ---- */

static void tail_begin(struct tail_file *f)
{
	f->offset = 0;
	f->mark_n = 0;
	f->lines = (struct lines_file){ .kind = LINES_UNDECIDED };
}

/* Advances behind the first `n` bytes of `read`, which begins at the mark. */
static void tail_advance(struct tail_file *f, struct str read, uint64_t read_at, size_t n)
{
	f->mark_n = n < MARK ? n : MARK;
	f->mark = str_hash_wide(str_of(read.p + n - f->mark_n, f->mark_n));
	f->offset = read_at + n;
}

/* -1 and errno when it cannot be opened or is not the file we looked at: a pipe of that name would keep us waiting. */
static int tail_open(const struct tail_file *f, uint64_t *size)
{
	int fd = open(f->path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
	struct stat st;

	if (fd < 0)
		return -1;
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && (uint64_t)st.st_dev == f->device &&
	    (uint64_t)st.st_ino == f->number) {
		*size = (uint64_t)st.st_size;
		return fd;
	}
	close(fd);
	errno = ENOENT; /* the next pass sees what is there now */
	return -1;
}

/* At most n bytes from `at` on, with JSON_PAD behind them, in the tail's buffer. False and errno: it cannot be read. */
static bool tail_load(struct tail *t, int fd, uint64_t at, size_t n, struct str *out)
{
	char *into;
	ssize_t got;

	buf_clear(&t->block);
	into = buf_reserve(&t->block, n + JSON_PAD);
	do
		got = pread(fd, into, n, (off_t)at);
	while (got < 0 && errno == EINTR);
	if (got < 0)
		return false;
	memset(into + got, 0, JSON_PAD);
	*out = str_of(into, (size_t)got);
	return true;
}

/*
 * Jumps over events that cannot be in the window any more. What a probe reads counts, and comes again later: that is
 * harmless. Only lines that cannot be read would be counted twice.
 */
static void tail_skip_old(struct tail *t, struct tail_file *f, int fd, int64_t now_us)
{
	uint64_t before[LINES_SKIPS];

	memcpy(before, t->lines.skipped, sizeof(before));
	for (uint64_t back = CHUNK; back < f->size - f->offset; back *= 2) {
		struct lines_file probe = { .kind = LINES_TRACE };
		struct str read, rest;

		if (!tail_load(t, fd, f->size - back, CHUNK, &read))
			break;
		str_cut(read, '\n', &rest); /* a line whose begin is further back */
		if (rest.n == 0)
			continue;
		lines_take(&t->lines, &probe, rest, now_us);
		if (t->lines.events == 0 || t->lines.newest_us > now_us - WINDOW_US)
			continue;
		tail_advance(f, read, f->size - back, read.n - rest.n);
		break;
	}
	memcpy(t->lines.skipped, before, sizeof(before));
}

enum tail_next { TAIL_MORE, TAIL_DONE, TAIL_CHANGED, TAIL_REFUSED };

/* Reads the next lines. TAIL_CHANGED: what we have read of the file is no longer in it. */
static enum tail_next tail_read_lines(struct tail *t, struct tail_file *f, int fd, size_t *budget, int64_t now_us)
{
	uint64_t at = f->offset - f->mark_n;
	size_t want = f->lines.kind == LINES_FOREIGN ? 0 : CHUNK, used;
	struct str read;

	for (;;) {
		if (!tail_load(t, fd, at, f->mark_n + want, &read))
			return TAIL_REFUSED;
		*budget -= *budget < read.n ? *budget : read.n;
		if (read.n < f->mark_n)
			return TAIL_CHANGED;
		if (f->mark_n) {
			struct hash mark = str_hash_wide(str_of(read.p, f->mark_n));

			if (mark.a != f->mark.a || mark.b != f->mark.b)
				return TAIL_CHANGED;
		}
		used = lines_take(&t->lines, &f->lines, str_skip(read, f->mark_n), now_us);
		if (used || want != CHUNK || read.n < f->mark_n + want)
			break;
		want = LINES_MAX + 1; /* once more: the line is longer than a chunk */
	}
	if (used == 0)
		return TAIL_DONE;
	tail_advance(f, read, at, f->mark_n + used);
	return f->offset < f->size ? TAIL_MORE : TAIL_DONE;
}

/* Reads on until the budget is used up. A file that changes twice in one visit has to wait for the next pass. */
static enum tail_next tail_read_open(struct tail *t, struct tail_file *f, int fd, uint64_t size, size_t *budget,
				     int64_t now_us)
{
	enum tail_next next = TAIL_MORE;

	while (next == TAIL_MORE && *budget) {
		bool is_first = f->offset == 0;

		next = size < f->offset ? TAIL_CHANGED : tail_read_lines(t, f, fd, budget, now_us);
		if (next == TAIL_CHANGED && !f->is_again) {
			tail_begin(f);
			f->is_again = true;
			next = TAIL_MORE;
		} else if (next == TAIL_MORE && is_first && f->lines.kind == LINES_TRACE &&
			   f->size - f->offset > LARGE) {
			tail_skip_old(t, f, fd, now_us);
		}
	}
	return next;
}

/* True when the visit is over. */
static bool tail_read(struct tail *t, struct tail_file *f, size_t *budget, int64_t now_us)
{
	uint64_t size;
	int fd = tail_open(f, &size);
	enum tail_next next = TAIL_REFUSED;

	if (fd >= 0)
		next = tail_read_open(t, f, fd, size, budget, now_us);
	if (next == TAIL_CHANGED)
		f->changed_ns = 0; /* it changes while we read: the next pass looks again */
	f->is_refused = next == TAIL_REFUSED && errno != ENOENT;
	if (f->is_refused && t->why.kind == ERR_NONE)
		err_system(&t->why, errno, "%s: cannot read", f->path);
	if (fd >= 0)
		close(fd);
	return next != TAIL_MORE;
}

/* ---- a pass ---- */

static void tail_rename(struct tail_file *f, struct str path)
{
	if (f->path && str_eq(str_from(f->path), path))
		return;
	mem_free(f->path);
	f->path = mem_alloc(path.n + 1);
	memcpy(f->path, path.p, path.n + 1); /* the terminator too */
}

/* Whether it may hold events of the window: a line is written soon after its event ended, by some machine's clock. */
static bool tail_is_recent(const struct scan_file *s, int64_t now_us)
{
	return s->changed_ns / 1000 > now_us - 2 * WINDOW_US;
}

/* Notes what is new about a file; it is read next when it has changed. */
static void tail_visit(struct tail *t, const struct scan_file *s, int64_t now_us)
{
	uint64_t id[2] = { s->device, s->number };
	struct tail_file *f;
	bool added;

	if (!tail_is_recent(s, now_us))
		return;
	f = table_add(&t->files, str_hash_wide(str_of(id, sizeof(id))), &added);
	if (!f) {
		t->over++;
		return;
	}
	f->device = s->device;
	f->number = s->number;
	f->pass = t->passes;
	tail_rename(f, s->path);
	if (!added && f->size == s->size && f->changed_ns == s->changed_ns && f->status_ns == s->status_ns)
		return;
	f->size = s->size;
	f->changed_ns = s->changed_ns;
	f->status_ns = s->status_ns;
	f->is_again = false;
	t->reading = f->key;
	t->is_reading = true;
}

/* A file that was not seen is gone, or so old that it matters no more. Should it come back, it is read anew. */
static bool tail_keeps(void *context, void *item)
{
	struct tail *t = context;
	struct tail_file *f = item;

	if (f->pass == t->passes) {
		t->followed += f->lines.kind == LINES_TRACE;
		t->refused += f->is_refused;
		return true;
	}
	mem_free(f->path);
	return false;
}

static void tail_end_pass(struct tail *t)
{
	t->followed = t->refused = 0;
	table_keep(&t->files, tail_keeps, t);
	t->left_out = t->over + t->scan.left_out;
	if (t->scan.root_errno)
		err_system(&t->why, t->scan.root_errno, "%s: cannot list this directory", t->scan.root);
	t->failure = t->why;
	t->passes++;
	t->is_under_way = false;
}

bool tail_step(struct tail *t, int64_t now_us)
{
	size_t budget = STEP_BYTES, entries = STEP_ENTRIES;
	struct scan_file file;

	if (!t->is_under_way) {
		scan_begin(&t->scan);
		t->over = 0;
		t->why = (struct err){ .kind = ERR_NONE };
		t->is_under_way = true;
	}
	while (budget && entries--) {
		if (t->is_reading) {
			struct tail_file *f = table_find(&t->files, t->reading);

			assert(f); /* nothing is taken out before the pass ends */
			t->is_reading = !tail_read(t, f, &budget, now_us);
			continue;
		}
		switch (scan_next(&t->scan, &file)) {
		case SCAN_FILE:
			tail_visit(t, &file, now_us);
			break;
		case SCAN_OTHER:
			break;
		case SCAN_END:
			tail_end_pass(t);
			return true;
		}
	}
	return false;
}
