/* Brings a handle up to the disk: checkpoint, edge, frames of the WAL; then finishes what a killed writer began. */
#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>

#include "ledger/dir/private.h"

#define LEFTOVER_NS ((int64_t)60 * 1000000000)

/* ---- entries that wait ---- */

void dir_add_waiting(struct log_dir *d, struct str entry, struct digest leaf)
{
	size_t n = dir_waiting_count(d);

	assert(n == 0 || d->waiting[n - 1].at + d->waiting[n - 1].n == d->bytes.n); /* they lie side by side */
	mem_grow(d->waiting, n, d->waiting_cap, 64);
	d->waiting[n] = (struct dir_waiting){ .at = d->bytes.n, .n = entry.n + 2, .leaf = leaf };
	bundle_add(&d->bytes, entry);
	merkle_add(&d->committed, &d->sha, leaf);
}

/* Whether the bundle comes out even, with as many entries as the frame declares, and not none. */
static bool has_count(const struct wal_frame *f)
{
	struct str rest = f->bundle, entry;
	uint32_t count = 0;
	bool broken = false;

	while (bundle_next(&rest, &entry, &broken))
		count++;
	return !broken && count == f->count && count > 0;
}

bool dir_take_frame(struct log_dir *d, const struct wal_frame *f)
{
	uint64_t have = d->committed.count, at = f->first;
	struct str rest = f->bundle, entry;
	bool broken;

	if (f->first > have || f->first + f->count < f->first || !has_count(f))
		return false;
	for (; bundle_next(&rest, &entry, &broken); at++)
		if (at >= have)
			dir_add_waiting(d, entry, merkle_leaf(&d->sha, entry));
	return true;
}

/* ---- the checkpoint ---- */

static bool went_back(struct log_dir *d, uint64_t size, uint64_t known, struct err *err)
{
	return err_set(err, ERR_DATA, LOG_E_ROLLBACK "%.*s: the log has %" PRIu64 " entries, and had %" PRIu64
		       " already" ERR_HELP "an older copy was put in its place: supply what is missing, or begin a "
		       "log of another origin", STR_ARG(d->dir), size, known);
}

/* Whether the file still has the bytes we know to be good. */
static bool is_known(struct log_dir *d)
{
	struct err ignored = { .kind = ERR_NONE };
	struct arena a;
	struct str note;
	bool same;

	arena_init(&a);
	same = d->note.n && d->log.ops->checkpoint(&d->log, &a, &note, &ignored) && str_eq(note, buf_str(&d->note));
	arena_free(&a);
	return same;
}

/* Also syncs its name, unless whoever put it there claims to have done so. */
static bool recover_read_checkpoint(struct log_dir *d, struct checkpoint *c, struct err *err)
{
	struct arena a;
	struct note *note;
	bool done, is_claimed;

	arena_init(&a);
	done = log_read_checkpoint(&d->log, &a, c, &note, err);
	c->origin = d->log.origin;
	/* It can be seen, but whoever put it there may have been killed before its name was on the disk. */
	is_claimed = d->claimed.inode != 0 && c->size == d->claimed.published;
	done = done && (is_claimed || io_sync_dir(d->io, d->dir.p, err));
	buf_clear(&d->note);
	if (done)
		buf_add_str(&d->note, log_note_bytes(note));
	arena_free(&a);
	return done;
}

/* Forgets what waits: the handle is then that of a log of the checkpoint's size, and no frames. */
static bool begin_at(struct log_dir *d, const struct checkpoint *c, struct err *err)
{
	d->published_root = c->root;
	buf_clear(&d->bytes);
	merkle_init(&d->committed);
	merkle_init(&d->published);
	if (!dir_load_edge(d, c->size, err))
		return false;
	d->committed = d->published;
	return true;
}

bool dir_take_checkpoint(struct log_dir *d, struct err *err)
{
	struct checkpoint c;
	struct digest root;

	if (is_known(d))
		return true;
	if (!recover_read_checkpoint(d, &c, err))
		return false;
	if (c.size < d->published.count)
		return went_back(d, c.size, d->published.count, err);
	if (c.size > d->committed.count) /* frames we have not seen were published, and replaced */
		return dir_recover(d, err);
	if (!dir_root_at(d, c.size, &root, err))
		return false;
	if (!digest_eq(root, c.root))
		return err_set(err, ERR_DATA, LOG_E_FORK "%.*s: the checkpoint of %" PRIu64 " entries is not of those "
			       "that were added" ERR_HELP "'trackway ledger verify' tells what is wrong",
			       STR_ARG(d->dir), c.size);
	if (c.size > d->published.count)
		dir_move_edge(d, c.size);
	return true;
}

bool dir_check_head(struct log_dir *d, struct signer_head *h, struct err *err)
{
	struct digest root = { .b = { 0 } };

	if (!signer_head_read(d->io, d->keys, &d->log.key, d->log.origin, h, err))
		return false;
	if (h->found && h->size <= d->committed.count && !dir_root_at(d, h->size, &root, err))
		return false;
	return signer_head_check(h, d->committed.count, &root, d->dir, err);
}

/* ---- the WAL ---- */

/* The file that has the name now. What it holds is not known yet: the claim is empty but for the inode. */
static bool reopen_wal(struct log_dir *d, struct err *err)
{
	struct io_stat st;
	int fd = io_open(d->io, d->wal_path, IO_WRITE, 0), r;

	if (fd < 0)
		return err_system(err, -fd, "cannot open %s", d->wal_path);
	r = d->io->ops->stat_fd(d->io->own, fd, &st);
	if (r < 0) {
		io_close(d->io, fd);
		return err_system(err, -r, "cannot look at %s", d->wal_path);
	}
	if (d->wal_fd >= 0)
		io_close(d->io, d->wal_fd);
	d->wal_fd = fd;
	d->wal = (struct dir_claim){ .inode = st.inode };
	d->wal_size = st.size;
	return true;
}

bool dir_renew_wal(struct log_dir *d, struct str frames, struct digest last, struct err *err)
{
	struct str state;
	struct arena a;
	bool done;

	/* Should we be killed, nobody vouches for the new file, nor by chance, if it gets an older one's number. */
	dir_unclaim(d);
	arena_init(&a);
	state = dir_path(d, &a, ".state");
	done = io_put(d->io, d->wal_path, frames, 0644, false, err) && io_sync_dir(d->io, state.p, err) &&
	       reopen_wal(d, err);
	arena_free(&a);
	if (!done) {
		dir_die(d);
		return false;
	}
	d->wal.end = frames.n;
	d->wal.last = last;
	return true;
}

/* What is in the file: frames that are whole, those of them that are still needed, and what is behind them. */
struct frames {
	struct str bytes;
	size_t good;      /* bytes of whole frames */
	struct buf needed; /* as they go to a new file */
	struct digest last; /* of the file's, then of `needed` */
	bool torn, judged;
};

/* Proven and old ones as they are; one that the owner has accepted gets a code, so that nobody has to ask again. */
static void keep_frame(struct log_dir *d, struct frames *f, const struct wal_frame *frame, const char *at)
{
	if (frame->first + frame->count <= d->published.count)
		return;
	if (f->judged)
		wal_add_frame(&f->needed, &d->sha, &d->wal_key, frame->first, frame->count, frame->bundle);
	else
		buf_add(&f->needed, at, frame->size);
}

/*
 * Takes the frames of the file one after the other: those that somebody vouches for, and of the others what the owner
 * decided. Stops at the first that is torn or does not continue the log.
 */
static bool scan(struct log_dir *d, const struct signer_head *h, struct frames *f, struct err *err)
{
	uint64_t from = d->published.count, next = 0;
	struct str rest = f->bytes;
	struct wal_frame frame;
	bool first = true, take = true;

	while (wal_next(&rest, &d->sha, dir_wal_key(d), &frame)) {
		if (!dir_is_vouched(d, &frame, h)) {
			if (!dir_judge_frame(d, &frame, &take, err))
				return false;
			f->judged = true;
			if (!take) {
				f->good += frame.size;
				continue;
			}
		}
		if (first && frame.first > from)
			return went_back(d, from, frame.first, err);
		if ((!first && frame.first != next) || !dir_take_frame(d, &frame))
			break;
		first = false;
		next = frame.first + frame.count;
		keep_frame(d, f, &frame, rest.p - frame.size);
		f->good += frame.size;
		f->last = frame.last;
	}
	f->torn = !wal_is_zero(str_skip(f->bytes, f->good));
	return true;
}

static bool are_claimed(const struct log_dir *d, const struct frames *f)
{
	return d->claimed.inode == d->wal.inode && d->claimed.end == f->good && digest_eq(d->claimed.last, f->last);
}

/* Frames that are still needed go to a new file even when they look well: they may be in the cache only. */
static bool recover_write_wal(struct log_dir *d, struct frames *f, bool found, struct err *err)
{
	struct digest last = { .b = { 0 } };

	if (found && !reopen_wal(d, err))
		return false;
	if (found && !f->torn && !f->judged && f->needed.n == 0 && are_claimed(d, f)) {
		d->wal.end = f->good;
		d->wal.last = f->last;
		return true;
	}
	if (f->needed.n)
		memcpy(last.b, f->needed.p + f->needed.n - SHA256_SIZE, SHA256_SIZE);
	return dir_renew_wal(d, buf_str(&f->needed), last, err);
}

/* Frames are judged before the new file is written, and that before any name is made again. */
static bool recover_wal(struct log_dir *d, struct err *err)
{
	struct frames f = { .good = 0 };
	struct signer_head h;
	struct arena a;
	bool found, done;

	arena_init(&a);
	buf_init(&f.needed);
	done = signer_head_read(d->io, d->keys, &d->log.key, d->log.origin, &h, err) &&
	       io_read_file(d->io, &a, d->wal_path, LOG_DIR_WAL_MAX, &f.bytes, &found, err);
	if (done && !found)
		f.bytes = str_of("", 0);
	done = done && scan(d, &h, &f, err);
	if (done && d->committed.count < d->acknowledged)
		done = went_back(d, d->committed.count, d->acknowledged, err);
	done = done && dir_check_head(d, &h, err) && recover_write_wal(d, &f, found, err);
	if (done)
		dir_restore_names(d, f.judged ? buf_str(&f.needed) : str_of(f.bytes.p, f.good));
	buf_free(&f.needed);
	arena_free(&a);
	return done;
}

/* ---- leftovers ---- */

struct sweep {
	struct log_dir *log;
	struct str dir;
	struct arena *arena;
};

/* Whether the process that the file is named after still runs, or nobody can tell. */
static bool is_alive(const char *name)
{
	char *end;
	long pid = strtol(name + strlen(IO_TMP), &end, 10);

	return *end != '.' || pid <= 0 || kill((pid_t)pid, 0) == 0 || errno != ESRCH;
}

static bool sweep_name(void *context, const char *name)
{
	struct sweep *s = context;
	const struct io *io = s->log->io;
	struct io_stat st;
	struct str path;

	if (strncmp(name, IO_TMP, strlen(IO_TMP)) != 0)
		return true;
	path = ARENA_JOIN(s->arena, s->dir, STR("/"), str_from(name));
	if (io->ops->stat(io->own, path.p, &st) == 0 && !st.is_dir &&
	    io->ops->now_ns(io->own) - st.mtime_ns > LEFTOVER_NS && !is_alive(name))
		io->ops->unlink(io->own, path.p);
	return true;
}

/* Temporary files are made in these directories only, so that they can be found again. */
static void sweep_leftovers(struct log_dir *d)
{
	static const char *const dirs[] = { "", ".state", "tile", "objects" };
	struct arena a;

	arena_init(&a);
	for (size_t i = 0; i < COUNT(dirs); i++) {
		struct str dir = dirs[i][0] ? dir_path(d, &a, dirs[i]) : d->dir;
		struct sweep s = { .log = d, .dir = dir, .arena = &a };

		d->io->ops->list(d->io->own, dir.p, sweep_name, &s);
	}
	if (d->keys.n) { /* of heads */
		struct sweep s = { .log = d, .dir = arena_copy(&a, d->keys), .arena = &a };

		d->io->ops->list(d->io->own, s.dir.p, sweep_name, &s);
	}
	arena_free(&a);
}

bool dir_recover(struct log_dir *d, struct err *err)
{
	struct checkpoint c;

	d->wal = (struct dir_claim){ .inode = 0 };
	if (!recover_read_checkpoint(d, &c, err) || !begin_at(d, &c, err) || !recover_wal(d, err))
		return false;
	d->acknowledged = d->committed.count;
	if (dir_waiting_count(d) && d->log.signer && !dir_publish(d, err))
		return false;
	sweep_leftovers(d);
	return true;
}
