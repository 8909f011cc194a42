/* Makes the names that a killed writer did not come to make. */
#include "ledger/dir/private.h"

/*
 * Names for people are made after the commit, so a writer that is killed in between leaves entries without one. Whoever
 * opens the log next finds them in the frames, which stay in the WAL long after they are published, and makes the names
 * again. Only frames that the log's key proves are asked.
 */

struct naming {
	struct log_dir *log;
	struct arena arena;  /* of one entry */
	struct buf erased;   /* indexes (uint64_t) of trials that a later entry erases: their names stay away */
	bool is_erasing;     /* the first time round: only erasures are looked for */
};

static bool is_erased_trial(const struct naming *n, uint64_t trial)
{
	for (size_t at = 0; at < n->erased.n; at += sizeof(trial))
		if (memcmp(n->erased.p + at, &trial, sizeof(trial)) == 0)
			return true;
	return false;
}

/* A name that is there is right or is somebody's finding; an object that is gone was erased, or is one. */
static void make_name(struct naming *n, const struct entry *e)
{
	struct log_dir *d = n->log;
	struct str name = entry_link_name(&n->arena, e);
	struct io_stat st;

	if (name.p && d->io->ops->stat(d->io->own, dir_path(d, &n->arena, name.p).p, &st) < 0 &&
	    dir_has_object(d, &n->arena, e->record.digest))
		log_dir_link(&d->log, e->record.digest, name.p);
}

static void look_at_entry(struct naming *n, uint64_t index, struct str bytes)
{
	struct entry e;
	uint64_t trial;

	arena_reset(&n->arena);
	if (!dir_parse(n->log, &n->arena, bytes, &e))
		return;
	trial = entry_may_refer(ENTRY_ERASE, e.kind) ? index : e.ref.index;
	if (n->is_erasing && e.kind == ENTRY_ERASE)
		buf_add(&n->erased, &trial, sizeof(trial));
	else if (!n->is_erasing && e.record.given && !is_erased_trial(n, trial))
		make_name(n, &e);
}

static void look_at_frames(struct naming *n, struct str frames)
{
	struct log_dir *d = n->log;
	struct wal_frame f;

	while (wal_next(&frames, &d->sha, &d->wal_key, &f)) {
		struct str rest = f.bundle, entry;
		uint64_t at = f.first;
		bool broken;

		for (; f.proof == WAL_PROVEN && at < d->committed.count && bundle_next(&rest, &entry, &broken); at++)
			look_at_entry(n, at, entry);
	}
}

void dir_restore_names(struct log_dir *d, struct str frames)
{
	struct naming n = { .log = d, .is_erasing = true };

	if (!d->log.signer)
		return;
	arena_init(&n.arena);
	buf_init(&n.erased);
	look_at_frames(&n, frames);
	n.is_erasing = false;
	look_at_frames(&n, frames);
	buf_free(&n.erased);
	arena_free(&n.arena);
}
