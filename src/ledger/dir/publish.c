/* Writes tiles for committed entries, signs the new head, replaces the checkpoint. */
#include <assert.h>
#include <errno.h>
#include <inttypes.h>

#include "base/num.h"
#include "ledger/dir/put.h"

/* ---- the right edge ---- */

/* What a step of the edge completes; `tiles` is NULL when nothing is to be written. */
struct step {
	struct log_dir *log;
	struct dir_edge *edge;
	uint64_t size; /* of the log that the edge belongs to */
	bool changed[TILE_LEVELS];
	struct dir_puts *files;
	struct err *err;
};

/*
 * Whether a file may be written under this name: nothing is there yet (*same false), or it has these bytes already
 * (*same true). False with *err when other bytes are there, or the file cannot be read.
 */
static bool publish_check_existing(struct log_dir *d, struct str path, struct str bytes, bool *same, struct err *err)
{
	struct arena a;
	struct str old;
	bool found, done;

	arena_init(&a);
	done = io_read_file(d->io, &a, path.p, LOG_DIR_BUNDLE_MAX, &old, &found, err);
	*same = done && found && str_eq(old, bytes);
	if (done && found && !*same)
		done = err_set(err, ERR_DATA, "%.*s is there already, with other bytes than this log has; it stays"
			       ERR_HELP "an older state was put back beside newer files: 'trackway ledger verify' "
			       "tells which are wrong", STR_ARG(path));
	arena_free(&a);
	return done;
}

/* Nothing of a log changes once it has its name: whatever has the name has these bytes, or something is wrong. */
static bool put_tile(struct step *s, unsigned level, uint64_t n, unsigned width, struct str bytes)
{
	struct tile t = { .level = level, .n = n, .width = width };
	char name[TILE_PATH_MAX];
	struct arena a;
	bool same, done;

	if (!s->files)
		return true;
	tile_path(name, &t);
	arena_init(&a);
	done = publish_check_existing(s->log, dir_path(s->log, &a, name), bytes, &same, s->err);
	arena_free(&a);
	if (!done)
		return false;
	if (same)
		return dir_puts_touch(s->files, str_from(name), s->err);
	return dir_puts_add(s->files, str_from(name), bytes, width == TILE_WIDTH ? 0444 : 0644, s->err);
}

static struct digest root_of_tile(struct log_dir *d, const struct digest hashes[TILE_WIDTH])
{
	struct merkle m;

	merkle_init(&m);
	for (size_t i = 0; i < TILE_WIDTH; i++)
		merkle_add(&m, &d->sha, hashes[i]);
	return merkle_root(&m, &d->sha);
}

/* One more entry: up the levels as long as it fills tiles. */
static bool step_entry(struct step *s, struct str in_bundle, struct digest leaf)
{
	struct dir_edge *e = s->edge;
	struct digest up = leaf;

	assert(e->width[0] == s->size % TILE_WIDTH); /* the edge is that of this size */
	buf_add_str(&e->bundle, in_bundle);
	s->size++;
	for (unsigned level = 0; level < TILE_LEVELS; level++) {
		uint64_t n = (s->size - 1) >> (8 * level) >> 8;

		e->hashes[level][e->width[level]++] = up;
		s->changed[level] = true;
		if (e->width[level] < TILE_WIDTH)
			return true;
		if (!put_tile(s, level, n, TILE_WIDTH, str_of(e->hashes[level], sizeof(e->hashes[level]))) ||
		    (level == 0 && !put_tile(s, TILE_ENTRIES, n, TILE_WIDTH, buf_str(&e->bundle))))
			return false;
		up = root_of_tile(s->log, e->hashes[level]);
		e->width[level] = 0;
		if (level == 0)
			buf_clear(&e->bundle);
	}
	return true;
}

/* The partial tiles that the steps left, each as wide as it is now. Levels that did not change have theirs. */
static bool step_end(struct step *s)
{
	struct dir_edge *e = s->edge;

	for (unsigned level = 0; level < TILE_LEVELS; level++) {
		uint64_t n = s->size >> (8 * level) >> 8;

		if (!s->changed[level] || e->width[level] == 0)
			continue;
		if (!put_tile(s, level, n, e->width[level], str_of(e->hashes[level], e->width[level] * SHA256_SIZE)) ||
		    (level == 0 && !put_tile(s, TILE_ENTRIES, n, e->width[0], buf_str(&e->bundle))))
			return false;
	}
	return true;
}

/* Entries come from those that wait; the edge of a failed step is worth nothing, so it is a copy. */
static bool step_to(struct step *s, uint64_t size)
{
	struct log_dir *d = s->log;

	while (s->size < size) {
		const struct dir_waiting *w = &d->waiting[s->size - d->published.count];

		if (!step_entry(s, str_of(d->bytes.p + w->at, w->n), w->leaf))
			return false;
	}
	return step_end(s);
}

static struct dir_edge *copy_edge(const struct dir_edge *e)
{
	struct dir_edge *copy = mem_alloc(sizeof(*copy));

	*copy = *e;
	buf_init(&copy->bundle);
	buf_add_str(&copy->bundle, buf_str(&e->bundle));
	return copy;
}

static void free_edge(struct dir_edge *e)
{
	buf_free(&e->bundle);
	mem_free(e);
}

/* The first entries that wait are published now, up to `size`, and the edge is the one given. */
static void publish_move_waiting(struct log_dir *d, struct dir_edge *edge, uint64_t size)
{
	size_t count = (size_t)(size - d->published.count), left = dir_waiting_count(d) - count, bytes;

	assert(size >= d->published.count && size <= d->committed.count);
	for (size_t i = 0; i < count; i++)
		merkle_add(&d->published, &d->sha, d->waiting[i].leaf);
	bytes = count ? d->waiting[count - 1].at + d->waiting[count - 1].n : 0;
	memmove(d->waiting, d->waiting + count, left * sizeof(d->waiting[0]));
	for (size_t i = 0; i < left; i++)
		d->waiting[i].at -= bytes;
	if (bytes) {
		memmove(d->bytes.p, d->bytes.p + bytes, d->bytes.n - bytes);
		d->bytes.n -= bytes;
	}
	if (d->edge != edge)
		free_edge(d->edge);
	d->edge = edge;
	assert(d->published.count == size && edge->width[0] == size % TILE_WIDTH);
	d->published_root = merkle_root(&d->published, &d->sha);
}

void dir_move_edge(struct log_dir *d, uint64_t size)
{
	struct step s = { .log = d, .edge = d->edge, .size = d->published.count };

	step_to(&s, size);
	publish_move_waiting(d, d->edge, size);
}

/* ---- reading it ---- */

/* Reads the unfinished tile of a level into the edge, and its subtrees into d->published. Levels come from the top. */
static bool load_level(struct log_dir *d, unsigned level, uint64_t size, struct err *err)
{
	unsigned width = tile_partial_width(level, size);
	struct tile t = { .level = level, .n = tile_full_count(level, size), .width = width };
	struct merkle m;
	struct str bytes;
	struct arena a;
	bool done;

	if (width == 0)
		return true;
	arena_init(&a);
	done = d->log.ops->tile(&d->log, &a, &t, &bytes, err);
	if (done && level == TILE_ENTRIES)
		buf_add_str(&d->edge->bundle, bytes);
	else if (done)
		memcpy(d->edge->hashes[level], bytes.p, bytes.n);
	arena_free(&a);
	if (!done || level == TILE_ENTRIES)
		return done;
	d->edge->width[level] = width;
	/* The subtrees that a tile completes are the next ones of the log's, whose larger ones came before. */
	merkle_init(&m);
	for (unsigned i = 0; i < width; i++)
		merkle_add(&m, &d->sha, d->edge->hashes[level][i]);
	memcpy(d->published.stack + d->published.depth, m.stack, m.depth * sizeof(m.stack[0]));
	d->published.depth += m.depth;
	dir_know_tile(d, &t);
	return true;
}

/* Whether the last bundle has the very entries whose hashes the tile has. */
static bool has_leaves(struct log_dir *d)
{
	struct str rest = buf_str(&d->edge->bundle), entry;
	bool broken = false;

	for (unsigned i = 0; i < d->edge->width[0]; i++) {
		struct digest leaf;

		if (!bundle_next(&rest, &entry, &broken))
			return false;
		leaf = merkle_leaf(&d->sha, entry);
		if (!digest_eq(leaf, d->edge->hashes[0][i]))
			return false;
	}
	return rest.n == 0;
}

static bool refuse_damaged_edge(struct log_dir *d, uint64_t size, const char *what, struct err *err)
{
	return err_set(err, ERR_DATA, "%.*s: %s of the checkpoint of %" PRIu64 " entries"
		       ERR_HELP "'trackway ledger verify' names the files that are wrong; put back good copies",
		       STR_ARG(d->dir), what, size);
}

bool dir_load_edge(struct log_dir *d, uint64_t size, struct err *err)
{
	struct digest root;

	if (!d->edge) {
		d->edge = mem_alloc(sizeof(*d->edge));
		buf_init(&d->edge->bundle);
	}
	memset(d->edge->width, 0, sizeof(d->edge->width));
	buf_clear(&d->edge->bundle);
	merkle_init(&d->published);
	for (unsigned level = TILE_LEVELS; level-- > 0;)
		if (!load_level(d, level, size, err))
			return false;
	d->published.count = size;
	root = merkle_root(&d->published, &d->sha);
	if (!digest_eq(root, d->published_root))
		return refuse_damaged_edge(d, size, "the tiles at the end do not give the root", err);
	if (!load_level(d, TILE_ENTRIES, size, err))
		return false;
	return has_leaves(d) || refuse_damaged_edge(d, size, "the last bundle does not have the entries", err);
}

bool dir_root_at(struct log_dir *d, uint64_t size, struct digest *out, struct err *err)
{
	struct merkle m = d->published;
	struct log_hashes *h;
	struct tree_reader r;
	bool done;

	if (size == d->published.count) {
		*out = d->published_root;
		return true;
	}
	if (size < d->published.count) {
		h = log_hashes_open(&d->log, d->published.count);
		r = log_hashes_reader(h);
		done = tree_root(&d->sha, &r, size, out, err);
		log_hashes_close(h);
		return done;
	}
	for (uint64_t i = d->published.count; i < size; i++)
		merkle_add(&m, &d->sha, d->waiting[i - d->published.count].leaf);
	*out = merkle_root(&m, &d->sha);
	return true;
}

/* ---- publishing ---- */

struct emptying {
	const struct io *io;
	struct arena *arena;
	struct str dir;
	struct str names[TILE_WIDTH];
	size_t count;
};

static bool note_name(void *context, const char *name)
{
	struct emptying *e = context;

	e->names[e->count++] = ARENA_JOIN(e->arena, e->dir, STR("/"), str_from(name));
	return e->count < TILE_WIDTH;
}

/*
 * The partial tiles or bundles of one that has become full: a reader who misses one takes the full one. Nothing depends
 * on it. Those that came behind it became full in one piece.
 */
static void drop_partials(struct log_dir *d, unsigned level, uint64_t from, uint64_t to)
{
	struct tile t = { .level = level, .n = tile_full_count(level, from), .width = 1 };
	struct emptying e = { .io = d->io };
	char name[TILE_PATH_MAX];
	struct arena a;

	if (tile_partial_width(level, from) == 0 || t.n >= tile_full_count(level, to))
		return;
	arena_init(&a);
	e.arena = &a;
	name[tile_path(name, &t) - strlen("/1")] = 0;
	e.dir = dir_path(d, &a, name);
	d->io->ops->list(d->io->own, e.dir.p, note_name, &e);
	for (size_t i = 0; i < e.count; i++)
		d->io->ops->unlink(d->io->own, e.names[i].p);
	d->io->ops->rmdir(d->io->own, e.dir.p);
	arena_free(&a);
}

/* Kept for audits, best effort: another name for the same file, which is replaced but never changed. */
static void keep_checkpoint(struct log_dir *d, uint64_t size)
{
	char number[24];
	struct arena a;
	struct str path;

	arena_init(&a);
	number[num_format_u64(number, size)] = 0;
	path = ARENA_JOIN(&a, d->dir, STR("/checkpoints/"), str_from(number));
	if (d->io->ops->link(d->io->own, d->checkpoint_path, path.p) == -EEXIST) {
		d->io->ops->unlink(d->io->own, path.p);
		d->io->ops->link(d->io->own, d->checkpoint_path, path.p);
	}
	arena_free(&a);
}

bool dir_put_checkpoint(struct log_dir *d, struct str note, uint64_t size, struct err *err)
{
	if (!io_put(d->io, d->checkpoint_path, note, 0644, false, err) || !io_sync_dir(d->io, d->dir.p, err))
		return false;
	keep_checkpoint(d, size);
	buf_clear(&d->note);
	buf_add_str(&d->note, note);
	return true;
}

/* The signer's head is written before anybody can see the note: a crash in between is found by it. */
static bool publish_sign_head(struct log_dir *d, struct buf *note, struct err *err)
{
	struct checkpoint c = { .origin = d->log.origin, .size = d->committed.count };
	struct signer_head h;

	c.root = merkle_root(&d->committed, &d->sha);
	return dir_check_head(d, &h, err) && checkpoint_sign(note, &c, d->log.signer, err) &&
	       signer_head_write(d->io, d->keys, &d->log.key, &h, buf_str(note), err);
}

static bool write_tiles(struct log_dir *d, struct dir_edge *edge, struct err *err)
{
	struct dir_puts files;
	struct step s = { .log = d, .edge = edge, .size = d->published.count, .files = &files, .err = err };

	if (!dir_puts_begin(&files, d, "tile", 2 * dir_waiting_count(d) / TILE_WIDTH, err))
		return false;
	if (!step_to(&s, d->committed.count)) {
		dir_puts_abort(&files);
		return false;
	}
	return dir_puts_end(&files, err);
}

/* What only saves room or time. Nothing of it may fail a publication, which is done. */
static void clean_up(struct log_dir *d, uint64_t from)
{
	struct err ignored = { .kind = ERR_NONE };
	const struct digest none = { .b = { 0 } };

	if (!d->keep_partials) {
		for (unsigned level = 0; level < TILE_LEVELS && d->published.count >> (8 * level) != 0; level++)
			drop_partials(d, level, from, d->published.count);
		drop_partials(d, TILE_ENTRIES, from, d->published.count);
	}
	if (d->wal.end > d->wal_limit)
		dir_renew_wal(d, str_of(NULL, 0), none, &ignored);
	dir_save_ids(d, false);
}

bool dir_publish(struct log_dir *d, struct err *err)
{
	uint64_t from = d->published.count;
	struct dir_edge *edge;
	struct buf note;
	bool done;

	if (dir_waiting_count(d) == 0)
		return true;
	if (!d->log.signer)
		return err_set(err, ERR_USAGE, LOG_E_NO_KEY "%.*s: there is no private key of %.*s to sign with"
			       ERR_HELP "set TRACKWAY_KEYS to the directory that has it", STR_ARG(d->dir),
			       STR_ARG(d->log.origin));
	edge = copy_edge(d->edge);
	buf_init(&note);
	done = write_tiles(d, edge, err) && publish_sign_head(d, &note, err) &&
	       dir_put_checkpoint(d, buf_str(&note), d->committed.count, err);
	buf_free(&note);
	if (!done) {
		free_edge(edge);
		if (err->kind == ERR_IO)
			dir_die(d);
		return false;
	}
	publish_move_waiting(d, edge, d->committed.count);
	clean_up(d, from);
	return true;
}
