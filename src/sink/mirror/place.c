/* A journal begins with the id of the boot; what was written in another one may never have come to the disk. */
#include "sink/mirror/place.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "json/json.h"
#include "sink/mirror/name.h"

#define PLACE_JOURNAL "journal.jsonl"
#define PLACE_RUN "run-"
#define PLACE_TRIES 10
#define PLACE_DIR (O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
#define PLACE_READ_LIMIT ((size_t)2 << 30)

struct place_run_name {
	char text[32];
};

static struct place_run_name place_run_name(uint64_t number)
{
	struct place_run_name n;

	snprintf(n.text, sizeof(n.text), PLACE_RUN "%llu", (unsigned long long)number);
	return n;
}

/* ---- the journal ---- */

/* {"boot_id":"..."} and a line end; without an id nothing that it is compared with is equal to it. */
static struct str place_boot_line(struct arena *a)
{
	struct err ignored;
	struct str id;

	if (!file_read(a, STR("/proc/sys/kernel/random/boot_id"), 4096, &id, &ignored))
		return str_of(NULL, 0);
	id = str_trim(id);
	return arena_printf(a, "{\"boot_id\":\"%.*s\"}\n", STR_ARG(id));
}

static bool place_read_fd(struct place *p, int fd, struct str *out, struct err *err)
{
	struct stat st;
	size_t n = 0;
	char *text;

	if (fstat(fd, &st) != 0)
		return err_system(err, errno, "cannot look");
	if (!S_ISREG(st.st_mode) || (uint64_t)st.st_size > PLACE_READ_LIMIT)
		return err_set(err, ERR_LIMIT, "it is no file of an index, or larger than 2 GiB");
	text = arena_array(p->arena, char, (size_t)st.st_size + JSON_PAD);
	while (n < (size_t)st.st_size) {
		ssize_t got = pread(fd, text + n, (size_t)st.st_size - n, (off_t)n);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return err_system(err, errno, "cannot read");
		if (got == 0)
			break;
		n += (size_t)got;
	}
	*out = str_of(text, n);
	return true;
}

/* Takes what a killed job left, or begins anew. */
static bool place_begin_journal(struct place *p, struct err *err)
{
	struct str boot = place_boot_line(p->arena), text;

	if (!place_read_fd(p, p->journal, &text, err))
		return false;
	if (boot.p && text.n > boot.n && str_starts(text, boot)) {
		p->journal_text = str_skip(text, boot.n);
		p->has_lines = true;
		/* its last line may be half of one */
		return str_ends(text, STR("\n")) || file_write_all(p->journal, STR("\n"), err);
	}
	if (ftruncate(p->journal, 0) != 0)
		return err_system(err, errno, "cannot write");
	return file_write_all(p->journal, boot.p ? boot : STR("{}\n"), err);
}

/* What is not finished is of a killed job, for we have the lock. Names that are none of ours stay. */
static void place_clean(struct place *p)
{
	int fd = dup(p->unfinished);
	DIR *dir = fd >= 0 ? fdopendir(fd) : NULL;
	const struct dirent *entry;

	if (!dir && fd >= 0)
		close(fd);
	if (dir)
		rewinddir(dir); /* the place in it is shared with the other descriptor */
	while (dir && (entry = readdir(dir)))
		if (str_starts(str_from(entry->d_name), STR(PLACE_RUN)))
			(void)unlinkat(p->unfinished, entry->d_name, 0);
	if (dir)
		closedir(dir);
}

/* ---- opening ---- */

/* Whether the journal that we locked is the one that others would open; a job that ended may have removed it. */
static bool place_is_current(const struct place *p)
{
	struct stat ours, theirs;

	return fstat(p->journal, &ours) == 0 &&
	       fstatat(p->dir, MIRROR_UNFINISHED "/" PLACE_JOURNAL, &theirs, AT_SYMLINK_NOFOLLOW) == 0 &&
	       ours.st_ino == theirs.st_ino && ours.st_dev == theirs.st_dev;
}

static void place_let_go(struct place *p)
{
	if (p->journal >= 0)
		close(p->journal);
	if (p->unfinished >= 0)
		close(p->unfinished);
	p->journal = p->unfinished = -1;
}

/* One try; *again when another job ended meanwhile. */
static bool place_lock(struct place *p, bool *again, struct err *err)
{
	*again = false;
	if (mkdirat(p->dir, MIRROR_UNFINISHED, 0777) != 0 && errno != EEXIST)
		return err_system(err, errno, "cannot make the directory " MIRROR_UNFINISHED);
	p->unfinished = openat(p->dir, MIRROR_UNFINISHED, PLACE_DIR);
	if (p->unfinished >= 0)
		p->journal = openat(p->unfinished, PLACE_JOURNAL,
				    O_RDWR | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, 0666);
	*again = p->journal < 0 && errno == ENOENT;
	if (p->journal < 0)
		return err_system(err, errno, "cannot open " MIRROR_UNFINISHED "/" PLACE_JOURNAL);
	if (flock(p->journal, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
		return err_set(err, ERR_DATA, "another conversion is writing there" ERR_HELP "wait until it has ended");
	*again = !place_is_current(p);
	return !*again || err_set(err, ERR_DATA, "other conversions begin and end there");
}

bool place_open(struct place *p, struct arena *a, struct str path, struct err *err)
{
	bool again = true, done = false;

	*p = (struct place){ .arena = a, .path = path, .dir = -1, .unfinished = -1, .journal = -1, .at = -1 };
	p->dir = open(path.p, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (p->dir < 0)
		return err_system(err, errno, "cannot open the directory %.*s", STR_ARG(path));
	for (int i = 0; i < PLACE_TRIES && again && !done; i++) {
		place_let_go(p);
		done = place_lock(p, &again, err);
	}
	if (!done)
		place_let_go(p);
	done = done && place_begin_journal(p, err);
	if (done)
		place_clean(p);
	return done || err_context(err, path.p);
}

void place_close(struct place *p, bool keep)
{
	if (p->journal >= 0) {
		place_clean(p);
		if (!keep || !p->has_lines)
			(void)unlinkat(p->unfinished, PLACE_JOURNAL, 0);
		(void)unlinkat(p->dir, MIRROR_UNFINISHED, AT_REMOVEDIR); /* unless the journal is in it */
	}
	place_let_go(p);
	if (p->at >= 0)
		close(p->at);
	if (p->dir >= 0)
		close(p->dir);
	p->dir = p->at = -1;
}

bool place_read(struct place *p, const char *name, struct str *out, struct err *err)
{
	int fd = openat(p->dir, name, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	bool done;

	*out = str_of(NULL, 0);
	if (fd < 0 && errno == ENOENT)
		return true;
	if (fd < 0)
		return err_system(err, errno, "cannot open %s/%s", p->path.p, name);
	done = place_read_fd(p, fd, out, err) || err_context(err, name);
	close(fd);
	return done;
}

/* ---- outputs ---- */

int place_begin(struct place *p, uint64_t number, struct err *err)
{
	int fd = openat(p->unfinished, place_run_name(number).text,
			O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);

	if (fd < 0)
		err_system(err, errno, "cannot write in %.*s", STR_ARG(p->path));
	return fd;
}

void place_drop(struct place *p, uint64_t number)
{
	(void)unlinkat(p->unfinished, place_run_name(number).text, 0);
}

/* The directory of that name in another one, made when it is absent. -1 with errno. */
static int place_enter(int from, struct str name)
{
	char text[256];

	if (name.n >= sizeof(text)) {
		errno = ENAMETOOLONG;
		return -1;
	}
	memcpy(text, name.p, name.n);
	text[name.n] = '\0';
	if (mkdirat(from, text, 0777) != 0 && errno != EEXIST)
		return -1;
	return openat(from, text, PLACE_DIR);
}

/* The directory of an output, open; mostly it is that of the output before. */
static bool place_go(struct place *p, struct str output, struct err *err)
{
	struct str dir = str_has(output, STR("/")) ? str_dirname(output) : STR(""), rest = dir;
	int at;

	if (p->at >= 0 && str_eq(dir, p->at_path))
		return true;
	at = dup(p->dir);
	while (at >= 0 && rest.n) {
		struct str part = str_cut(rest, '/', &rest);
		int next = place_enter(at, part), why = errno;

		close(at);
		errno = why;
		at = next;
	}
	if (at < 0)
		return err_system(err, errno, "cannot make the directory %.*s/%.*s", STR_ARG(p->path), STR_ARG(dir));
	if (p->at >= 0)
		close(p->at);
	p->at = at;
	p->at_path = arena_copy(p->arena, dir);
	return true;
}

bool place_move(struct place *p, uint64_t number, struct str output, struct err *err)
{
	struct str name = arena_copy(p->arena, str_basename(output));

	return place_go(p, output, err) &&
	       (renameat(p->unfinished, place_run_name(number).text, p->at, name.p) == 0 ||
		err_system(err, errno, "cannot write %.*s/%.*s", STR_ARG(p->path), STR_ARG(output)));
}

bool place_has(const struct place *p, struct str output, uint64_t size)
{
	struct stat st;

	return fstatat(p->dir, output.p, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(st.st_mode) &&
	       (uint64_t)st.st_size == size;
}

bool place_remove(struct place *p, struct str output)
{
	struct err ignored;

	return place_go(p, output, &ignored) &&
	       unlinkat(p->at, arena_copy(p->arena, str_basename(output)).p, 0) == 0;
}

bool place_note(struct place *p, struct str lines, struct err *err)
{
	p->has_lines = true;
	return file_write_all(p->journal, lines, err) || err_context(err, p->path.p);
}

bool place_replace(struct place *p, struct str name, bool (*write)(void *context, int fd, struct err *err),
		   void *context, struct err *err)
{
	int fd = place_begin(p, 0, err);
	bool done = fd >= 0 && write(context, fd, err);

	if (done && fsync(fd) != 0)
		done = err_system(err, errno, "cannot sync %.*s/%.*s", STR_ARG(p->path), STR_ARG(name));
	if (fd >= 0)
		close(fd);
	done = done && place_move(p, 0, name, err);
	if (!done)
		place_drop(p, 0);
	return done && file_sync_dir(p->path, err);
}

bool place_sync(struct place *p, struct err *err)
{
	return syncfs(p->dir) == 0 ||
	       err_system(err, errno, "cannot bring the files in %.*s to the disk", STR_ARG(p->path));
}
