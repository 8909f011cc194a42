#include "capture/line_file.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"

bool line_file_open(struct line_file *t, int dir, const char *name, unsigned mode, struct err *err)
{
	*t = (struct line_file){ .fd = -1, .dir = dir, .name = name };
	buf_init(&t->waiting);
	t->fd = openat(dir, name, O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, mode);
	if (t->fd < 0)
		return err_system(err, errno, "cannot make %s", name);
	file_claim(t->fd);
	return true;
}

/* Without a room of others', one line may be as long as it likes: only what waits behind others is bounded. */
static bool line_file_take(struct line_file *t, struct str lines)
{
	if (t->room)
		return budget_add(t->room, &t->counted, &t->waiting, lines);
	if (t->waiting.n && t->waiting.n + lines.n > LINE_FILE_WAITING)
		return false;
	buf_add_str(&t->waiting, lines);
	return true;
}

void line_file_add(struct line_file *t, struct str lines)
{
	assert(lines.n && lines.p[lines.n - 1] == '\n'); /* half a line would tear the next one */
	if (line_file_take(t, lines) || (line_file_flush(t) && line_file_take(t, lines)))
		return;
	t->lost += str_count(lines, '\n');
	t->gap = true;
}

/* How much of a line that is not whole stands at the end, after these bytes. */
static uint64_t torn_after(uint64_t torn, struct str s)
{
	size_t n = 0;

	while (n < s.n && s.p[s.n - 1 - n] != '\n')
		n++;
	return n < s.n ? n : torn + n;
}

bool line_file_flush(struct line_file *t)
{
	while (t->waiting.n && t->fd >= 0) {
		ssize_t n = write(t->fd, t->waiting.p, t->waiting.n);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0) {
			if (t->failure.kind == ERR_NONE)
				err_system(&t->failure, n < 0 ? errno : ENOSPC, "writing stopped");
			return false;
		}
		t->bytes += (uint64_t)n;
		t->lines += str_count(str_of(t->waiting.p, (size_t)n), '\n');
		t->torn = torn_after(t->torn, str_of(t->waiting.p, (size_t)n));
		memmove(t->waiting.p, t->waiting.p + n, t->waiting.n - (size_t)n);
		t->waiting.n -= (size_t)n;
	}
	if (t->waiting.n == 0 && t->room)
		budget_free(t->room, &t->counted, &t->waiting);
	return t->waiting.n == 0;
}

bool line_file_park(struct line_file *t)
{
	struct stat st;

	if (t->fd < 0)
		return true;
	line_file_flush(t);
	if (fstat(t->fd, &st) != 0)
		return false;
	t->device = st.st_dev;
	t->inode = st.st_ino;
	t->is_parked = true;
	close(t->fd);
	t->fd = -1;
	return true;
}

bool line_file_unpark(struct line_file *t, int dir)
{
	struct stat st;
	int fd;

	if (!t->is_parked)
		return true;
	fd = openat(dir, t->name, O_WRONLY | O_APPEND | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	if (fd < 0)
		return false;
	if (fstat(fd, &st) != 0 || st.st_dev != t->device || st.st_ino != t->inode) {
		close(fd);
		return false;
	}
	file_claim(fd);
	t->fd = fd;
	t->dir = dir;
	t->is_parked = false;
	return true;
}

bool line_file_take_gap(struct line_file *t)
{
	bool gap = t->gap && t->waiting.n == 0;

	if (gap)
		t->gap = false;
	return gap;
}

/* Half a line at the end would be read as a run that was killed. */
static void cut_torn(struct line_file *t)
{
	if (t->torn == 0)
		return;
	if (ftruncate(t->fd, (off_t)(t->bytes - t->torn)) == 0)
		t->bytes -= t->torn;
	else
		t->is_torn = true;
	t->torn = 0;
}

bool line_file_is_in_place(const struct line_file *t)
{
	struct stat ours, there;

	return fstat(t->fd, &ours) == 0 && fstatat(t->dir, t->name, &there, AT_SYMLINK_NOFOLLOW) == 0 &&
	       ours.st_dev == there.st_dev && ours.st_ino == there.st_ino;
}

void line_file_replace(struct line_file *t, int fd, uint64_t lines, uint64_t bytes)
{
	assert(t->waiting.n == 0);
	close(t->fd);
	t->fd = fd;
	t->lines = lines;
	t->bytes = bytes;
	t->torn = 0;
}

static void free_waiting(struct line_file *t)
{
	if (t->room)
		budget_free(t->room, &t->counted, &t->waiting);
	buf_free(&t->waiting);
}

void line_file_close(struct line_file *t)
{
	if (t->fd < 0) {
		t->lost += t->is_parked ? str_count(buf_str(&t->waiting), '\n') : 0;
		t->moved = t->moved || t->is_parked;
		if (t->is_parked)
			free_waiting(t);
		t->is_parked = false;
		return;
	}
	if (!line_file_flush(t))
		t->lost += str_count(buf_str(&t->waiting), '\n');
	cut_torn(t);
	t->moved = !line_file_is_in_place(t);
	if (t->moved && t->failure.kind == ERR_NONE)
		err_set(&t->failure, ERR_IO, "it was removed or replaced during the run");
	if (!t->later && fdatasync(t->fd) != 0 && errno != EINVAL && t->failure.kind == ERR_NONE)
		err_system(&t->failure, errno, "the disk did not confirm");
	if (close(t->fd) != 0 && t->failure.kind == ERR_NONE)
		err_system(&t->failure, errno, "closing failed");
	t->fd = -1;
	free_waiting(t);
}
