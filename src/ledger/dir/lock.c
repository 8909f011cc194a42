/* The lock of a directory log, and the claim in it by which the next writer learns what others did. */
#include <errno.h>

#include "base/stop.h"
#include "ledger/be.h"
#include "ledger/dir/private.h"

#define CLAIM_SIZE (4 + 8 + 8 + 8 + SHA256_SIZE)
#define MAGIC "LCL1"

/* ---- claims ---- */

static bool claim_eq(const struct dir_claim *a, const struct dir_claim *b)
{
	return a->inode == b->inode && a->end == b->end && a->published == b->published && digest_eq(a->last, b->last);
}

/* Anything that is none gives one that fits no file. */
static struct dir_claim read_claim(struct log_dir *d)
{
	struct err ignored = { .kind = ERR_NONE };
	uint8_t bytes[CLAIM_SIZE];
	struct dir_claim c = { .inode = 0 };

	if (!io_read_all(d->io, d->lock_fd, bytes, sizeof(bytes), 0, d->lock_path, &ignored) ||
	    memcmp(bytes, MAGIC, 4) != 0)
		return c;
	c.inode = be_get(bytes + 4, 8);
	c.end = be_get(bytes + 12, 8);
	c.published = be_get(bytes + 20, 8);
	memcpy(c.last.b, bytes + 28, SHA256_SIZE);
	return c;
}

/* One that could not be written is an old one, or none: then the next writer recovers. */
static void write_claim(struct log_dir *d, const struct dir_claim *c)
{
	struct err ignored = { .kind = ERR_NONE };
	uint8_t bytes[CLAIM_SIZE];

	memcpy(bytes, MAGIC, 4);
	be_put(bytes + 4, c->inode, 8);
	be_put(bytes + 12, c->end, 8);
	be_put(bytes + 20, c->published, 8);
	memcpy(bytes + 28, c->last.b, SHA256_SIZE);
	if (io_write_all(d->io, d->lock_fd, str_of(bytes, sizeof(bytes)), 0, d->lock_path, &ignored))
		d->claimed = *c;
}

void dir_unclaim(struct log_dir *d)
{
	const struct dir_claim none = { .inode = 0 };

	write_claim(d, &none);
}

void dir_die(struct log_dir *d)
{
	if (!d->dead)
		dir_unclaim(d);
	d->dead = true;
}

/* ---- the lock ---- */

/* A signal ends the wait only when we are asked to stop. */
static bool wait_for_lock(struct log_dir *d, struct err *err)
{
	int r;

	while ((r = d->io->ops->lock(d->io->own, d->lock_fd, true)) == -EINTR)
		if (stop_signal())
			break;
	return r == 0 || err_system(err, -r, "cannot lock %s", d->lock_path);
}

/* A file that somebody removed keeps out none of those who come now: theirs is the one that has the name. */
bool dir_lock(struct log_dir *d, struct err *err)
{
	struct io_stat st;

	while (wait_for_lock(d, err)) {
		if (d->io->ops->stat_fd(d->io->own, d->lock_fd, &st) < 0 || st.links > 0)
			return true;
		io_close(d->io, d->lock_fd);
		if (!dir_open_lock(d, err))
			break;
	}
	return false;
}

void dir_unlock(struct log_dir *d)
{
	struct dir_claim now = d->wal;

	now.published = d->published.count;
	if (!d->dead && d->wal_fd >= 0 && !claim_eq(&now, &d->claimed))
		write_claim(d, &now);
	d->io->ops->unlock(d->io->own, d->lock_fd);
}

/* ---- what others did ---- */

/* Whether nothing was written behind the end: zeros written ahead, or the end of the file. */
static bool is_end_clean(struct log_dir *d, uint64_t end)
{
	uint8_t next[8] = { 0 };
	int64_t n;

	do {
		n = d->io->ops->read(d->io->own, d->wal_fd, next, sizeof(next), end);
	} while (n == -EINTR);
	for (int64_t i = 0; i < n; i++)
		if (next[i])
			return false;
	return n >= 0;
}

/* Frames that somebody added and vouches for. */
static bool take_new_frames(struct log_dir *d, const struct dir_claim *c)
{
	struct err ignored = { .kind = ERR_NONE };
	size_t n = (size_t)(c->end - d->wal.end);
	const struct signer_head none = { .found = false };
	struct digest last = d->wal.last;
	struct wal_frame f;
	struct str rest;
	bool good;
	char *p;

	if (n > 2 * WAL_FRAME_MAX)
		return false;
	p = mem_alloc(n);
	rest = str_of(p, n);
	good = io_read_all(d->io, d->wal_fd, p, n, d->wal.end, d->wal_path, &ignored);
	while (good && rest.n) {
		good = wal_next(&rest, &d->sha, dir_wal_key(d), &f) && dir_is_vouched(d, &f, &none) &&
		       dir_take_frame(d, &f);
		last = f.last;
	}
	good = good && digest_eq(last, c->last);
	mem_free(p);
	return good;
}

/* False: it takes a recovery to know. */
static bool claim_catch_up(struct log_dir *d)
{
	struct dir_claim c = read_claim(d);
	struct io_stat st;

	d->claimed = c;
	/* A file without a name was replaced, even if whoever did it had no time to say so. */
	if (d->wal_fd < 0 || d->io->ops->stat_fd(d->io->own, d->wal_fd, &st) < 0 || st.links == 0 ||
	    c.inode != d->wal.inode || c.end < d->wal.end || st.size < c.end || !is_end_clean(d, c.end))
		return false;
	if (c.end == d->wal.end)
		return digest_eq(c.last, d->wal.last);
	if (!take_new_frames(d, &c))
		return false;
	d->wal = c;
	d->wal_size = st.size;
	return true;
}

bool dir_enter(struct log_dir *d, struct err *err)
{
	if (d->dead)
		return err_set(err, ERR_IO, "%.*s: nothing more is written after a write that failed"
			       ERR_HELP "see that the disk works and has room, then begin again: what was "
			       "acknowledged is there", STR_ARG(d->dir));
	if (!dir_lock(d, err))
		return false;
	if (claim_catch_up(d) || dir_recover(d, err))
		return true;
	dir_unlock(d);
	return false;
}
