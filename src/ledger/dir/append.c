/* Appends entries to a directory log: looks up which are new, and commits them as one frame of the WAL. */
#include <assert.h>
#include <errno.h>
#include <inttypes.h>

#include "ledger/dir/private.h"
#include "ledger/entry.h"

#define AHEAD ((size_t)256 << 10)       /* zeros written behind a frame that needs new room */
#define AHEAD_OF ((size_t)32 << 10)     /* frames that are not longer than this */
#define WAITING_BYTES ((size_t)8 << 20) /* that may wait to be published */
#define WAITING_ENTRIES ((size_t)65536)

/* ---- entries ---- */

static bool append_read_published(struct log_dir *d, struct arena *a, uint64_t index, struct str *out,
					  struct err *err)
{
	struct log_entries it;
	struct str entry;
	uint64_t at;
	bool done;

	log_entries_begin(&it, &d->log, index, index + 1, d->published.count);
	done = log_entries_next(&it, &entry, &at, err);
	if (done)
		*out = arena_copy(a, entry);
	log_entries_end(&it);
	return done;
}

/* `index` is below the committed size: published ones are read, those that wait are in memory. */
static bool read_entry(struct log_dir *d, struct arena *a, uint64_t index, struct str *out, struct err *err)
{
	const struct dir_waiting *w;

	if (index < d->published.count)
		return append_read_published(d, a, index, out, err);
	assert(index < d->committed.count);
	w = &d->waiting[index - d->published.count];
	*out = arena_copy(a, str_of(d->bytes.p + w->at + 2, w->n - 2));
	return true;
}

bool dir_entry(struct log *l, struct arena *a, uint64_t index, struct str *out, struct err *err)
{
	struct log_dir *d = dir_of(l);
	struct log_head head;

	if (index >= d->committed.count && !l->ops->head(l, &head, err))
		return false;
	if (index >= d->committed.count)
		return err_set(err, ERR_DATA, "%.*s: there is no entry %" PRIu64 "; the log has %" PRIu64,
			       STR_ARG(d->dir), index, d->committed.count);
	return read_entry(d, a, index, out, err);
}

/* ---- idents ---- */

bool dir_parse(struct log_dir *d, struct arena *a, struct str bytes, struct entry *out)
{
	struct str why;

	if (!d->parser)
		d->parser = json_parser_open((struct json_options){ .max_depth = ENTRY_DEPTH + 1 });
	return entry_parse(d->parser, a, bytes, out, &why);
}

/* What cannot be read as an entry of ours has no ident, and can be no one's double. */
static void add_ident(struct log_dir *d, struct arena *a, struct str bytes, uint64_t index)
{
	struct str ident = { NULL, 0 };
	struct entry e;

	if (dir_parse(d, a, bytes, &e))
		ident = entry_ident(a, &e);
	ids_add(d->ids, ident, index);
	arena_reset(a);
}

/* Whether the table is of this log: it covers no more than what is published, and has its root there. */
static bool fits(struct log_dir *d, struct err *err)
{
	struct digest root, covered;
	uint64_t n = ids_covered(d->ids, &covered);

	if (n > d->published.count)
		return false;
	return n == 0 || (dir_root_at(d, n, &root, err) && digest_eq(root, covered));
}

static bool add_published(struct log_dir *d, struct arena *a, struct err *err)
{
	struct log_entries it;
	struct str entry;
	uint64_t index;

	log_entries_begin(&it, &d->log, ids_count(d->ids), d->published.count, d->published.count);
	while (log_entries_next(&it, &entry, &index, err))
		add_ident(d, a, entry, index);
	log_entries_end(&it);
	return err->kind == ERR_NONE;
}

/* Brings the table up to what is committed. */
static bool ready_ids(struct log_dir *d, struct err *err)
{
	struct err why = { .kind = ERR_NONE };
	struct arena a;
	bool done = true;

	if (!d->ids) {
		d->ids = ids_open(d->io, d->ids_path);
		if (!fits(d, &why))
			ids_forget(d->ids);
	}
	if (ids_count(d->ids) == d->committed.count)
		return true;
	why.kind = ERR_NONE;
	arena_init(&a);
	if (ids_count(d->ids) < d->published.count)
		done = add_published(d, &a, &why);
	for (uint64_t i = ids_count(d->ids); done && i < d->committed.count; i++) {
		const struct dir_waiting *w = &d->waiting[i - d->published.count];

		add_ident(d, &a, str_of(d->bytes.p + w->at + 2, w->n - 2), i);
	}
	arena_free(&a);
	if (!done)
		*err = why;
	return done;
}

void dir_save_ids(struct log_dir *d, bool closing)
{
	struct err ignored = { .kind = ERR_NONE };

	if (!d->read_only && !d->dead && d->ids && ids_count(d->ids) == d->published.count &&
	    ids_is_due(d->ids, closing))
		ids_save(d->ids, d->published_root, &ignored);
}

static void drop_ids(struct log_dir *d)
{
	ids_close(d->ids);
	d->ids = NULL;
}

/* ---- is it there? ---- */

struct batch {
	struct log_item *items;
	size_t *added; /* numbers of those that become entries, in order */
	size_t count;
};

struct match {
	bool found;
	uint64_t index;
	struct digest digest, leaf;
};

/* Whether the candidate is what its hash says. */
static bool look_at(struct log_dir *d, struct str ident, uint64_t index, struct match *m, struct err *err)
{
	struct arena a;
	struct entry e;
	struct str bytes;
	bool done;

	arena_init(&a);
	done = read_entry(d, &a, index, &bytes, err);
	m->found = done && dir_parse(d, &a, bytes, &e) && str_eq(entry_ident(&a, &e), ident);
	if (m->found) {
		m->index = index;
		m->digest = entry_digest(&e);
		m->leaf = merkle_leaf(&d->sha, bytes);
	}
	arena_free(&a);
	return done;
}

/* The batch (or NULL) is asked too: its entries have indexes behind those that are committed. */
static bool look_up(struct log_dir *d, struct str ident, const struct batch *b, struct match *m, struct err *err)
{
	uint64_t state = 0, index;

	m->found = false;
	while (!m->found && ids_next(d->ids, ident, &state, &index)) {
		if (index < d->committed.count) {
			if (!look_at(d, ident, index, m, err))
				return false;
		} else if (b && index - d->committed.count < b->count) {
			const struct log_item *i = &b->items[b->added[index - d->committed.count]];

			*m = (struct match){ .found = str_eq(i->ident, ident), .index = index, .digest = i->digest,
					     .leaf = i->leaf };
		}
	}
	return true;
}

/* A damaged table is made anew, once: then it is in memory. */
static bool find_ident(struct log_dir *d, struct str ident, const struct batch *b, struct match *m, struct err *err)
{
	if (!look_up(d, ident, b, m, err))
		return false;
	if (m->found || ids_is_sound(d->ids))
		return true;
	ids_forget(d->ids);
	if (!ready_ids(d, err))
		return false;
	for (size_t i = 0; b && i < b->count; i++)
		ids_add(d->ids, b->items[b->added[i]].ident, d->committed.count + i);
	return look_up(d, ident, b, m, err);
}

bool dir_find(struct log *l, struct str ident, bool *found, uint64_t *index, struct err *err)
{
	struct log_dir *d = dir_of(l);
	struct log_head head;
	struct match m;

	if (!l->ops->head(l, &head, err) || !ready_ids(d, err) || !find_ident(d, ident, NULL, &m, err))
		return false;
	*found = m.found;
	*index = m.found ? m.index : 0;
	return true;
}

/* ---- appending ---- */

/* Decides each item's outcome, and gathers those to be added in d->bundle. Nothing is written yet. */
static bool choose(struct log_dir *d, struct batch *b, size_t count, struct err *err)
{
	for (size_t i = 0; i < count; i++) {
		struct log_item *item = &b->items[i];
		struct match m;

		if (!find_ident(d, item->ident, b, &m, err))
			return false;
		if (m.found) {
			bool same = digest_eq(m.digest, item->digest);

			item->outcome = same ? LOG_SAME : LOG_CONFLICT;
			item->index = m.index;
			item->leaf = m.leaf;
			continue;
		}
		item->outcome = LOG_ADDED;
		item->index = d->committed.count + b->count;
		item->leaf = merkle_leaf(&d->sha, item->entry);
		ids_add(d->ids, item->ident, item->index);
		b->added[b->count++] = i;
		bundle_add(&d->bundle, item->entry);
	}
	return true;
}

/*
 * The commit. Zeros are written behind a small frame for which the file has to grow: then the next ones change no size,
 * and syncing them need not touch the journal. When it fails, the file is cut back, and this handle has done its last:
 * a second sync would find nothing to do and say so, and whoever opens the log next writes the frames to a new file.
 */
static bool commit(struct log_dir *d, size_t frame, struct err *err)
{
	uint64_t end = d->wal.end + frame, size = d->wal_size;

	if (end > size) {
		size = frame > AHEAD_OF ? end : (end + AHEAD - 1) / AHEAD * AHEAD;
		memset(buf_reserve(&d->frame, (size_t)(size - end)), 0, (size_t)(size - end));
		d->frame.n += (size_t)(size - end);
	}
	if (!io_write_all(d->io, d->wal_fd, buf_str(&d->frame), d->wal.end, d->wal_path, err) ||
	    !io_sync(d->io, d->wal_fd, d->wal_path, err)) {
		d->io->ops->truncate(d->io->own, d->wal_fd, d->wal.end);
		dir_die(d);
		return false;
	}
	assert(d->wal.end + d->frame.n >= end && size >= end);
	memcpy(d->wal.last.b, d->frame.p + frame - SHA256_SIZE, SHA256_SIZE);
	d->wal.end = end;
	d->wal_size = size;
	return true;
}

/* One frame for all: they are committed together, or none is. */
static bool write_batch(struct log_dir *d, const struct batch *b, struct err *err)
{
	size_t frame;

	if (b->count == 0)
		return true;
	if (d->bundle.n > WAL_FRAME_MAX - WAL_OVERHEAD)
		return err_set(err, ERR_LIMIT, "%.*s: more than %zu MiB of entries at once"
			       ERR_HELP "add them in parts", STR_ARG(d->dir), WAL_FRAME_MAX >> 20);
	buf_clear(&d->frame);
	wal_add_frame(&d->frame, &d->sha, &d->wal_key, d->committed.count, (uint32_t)b->count, buf_str(&d->bundle));
	frame = d->frame.n;
	if (!commit(d, frame, err))
		return false;
	for (size_t i = 0; i < b->count; i++)
		dir_add_waiting(d, b->items[b->added[i]].entry, b->items[b->added[i]].leaf);
	d->acknowledged = d->committed.count;
	return true;
}

static bool append_check_items(const struct log_dir *d, const struct log_item *items, size_t count,
				       struct err *err)
{
	if (!dir_may_write(d, err))
		return false;
	if (!d->log.signer)
		return err_set(err, ERR_USAGE, LOG_E_NO_KEY "%.*s: there is no private key of %.*s, so nobody could "
			       "vouch for what is added" ERR_HELP "set TRACKWAY_KEYS to the directory that has it",
			       STR_ARG(d->dir), STR_ARG(d->log.origin));
	for (size_t i = 0; i < count; i++)
		if (items[i].entry.n == 0 || items[i].entry.n > ENTRY_MAX)
			return err_set(err, ERR_LIMIT, "an entry has %zu bytes; it must have 1 to %d", items[i].entry.n,
				       ENTRY_MAX);
	return count <= UINT32_MAX || err_set(err, ERR_LIMIT, "%zu entries at once are too many", count);
}

/* What waits is in memory, so there is an end to it. */
static bool make_room(struct log_dir *d, struct err *err)
{
	if (dir_waiting_count(d) < WAITING_ENTRIES && d->bytes.n < WAITING_BYTES)
		return true;
	return dir_take_checkpoint(d, err) && dir_publish(d, err);
}

bool dir_append(struct log *l, struct log_item *items, size_t count, struct err *err)
{
	struct log_dir *d = dir_of(l);
	struct batch b = { .items = items };
	bool done;

	if (!append_check_items(d, items, count, err))
		return false;
	if (count == 0)
		return true;
	if (!dir_enter(d, err))
		return false;
	b.added = mem_alloc(count * sizeof(b.added[0]));
	buf_clear(&d->bundle);
	done = make_room(d, err) && ready_ids(d, err) && choose(d, &b, count, err) && write_batch(d, &b, err);
	if (!done)
		drop_ids(d);
	mem_free(b.added);
	dir_unlock(d);
	return done;
}
