#include "ledger/check_run.h"
#include "ledger/wal.h"

#define N(number) (unsigned long long)(number)
#define WAL_FILE ".state/wal"
#define IDS_FILE ".state/ids.idx"
#define WAL_LIMIT ((size_t)1 << 30)

/* ---- the table of ids ---- */

void check_open_ids(struct check_run *r)
{
	struct digest root;
	struct io_stat st;

	if (r->io->ops->stat(r->io->own, check_path(r, STR(IDS_FILE)), &st) < 0)
		return; /* it is made when somebody needs it */
	r->ids = ids_open(r->io, check_path(r, STR(IDS_FILE)));
	r->ids_covered = ids_covered(r->ids, &root);
	if (r->ids_covered)
		check_add_head(r, r->ids_covered, root, CHECK_IDS, STR(IDS_FILE));
	else
		check_note(r, LG_IDS, IDS_FILE ": it is not a table of ids");
}

void check_ids(struct check_run *r, uint64_t index, struct str ident)
{
	uint64_t state = 0, found;

	if (!r->ids || index >= r->ids_covered)
		return;
	while (ids_next(r->ids, ident, &state, &found))
		if (found == index)
			return;
	if (r->ids_wrong++ == 0)
		r->first_wrong = index;
}

void check_finish_ids(struct check_run *r)
{
	if (r->ids_wrong && !r->doubtful)
		check_note(r, LG_IDS, IDS_FILE ": it does not lead to entry %llu (%llu in all)", N(r->first_wrong),
			   N(r->ids_wrong));
	else if (r->ids && !ids_is_sound(r->ids))
		check_note(r, LG_IDS, IDS_FILE ": a block of it is damaged");
	if (r->ids)
		ids_close(r->ids);
	r->ids = NULL;
}

/* ---- the write-ahead file ---- */

static void add_tail(struct check_run *r, struct str entry)
{
	if (r->tail_count == r->tail_cap) {
		r->tail_cap = r->tail_cap ? 2 * r->tail_cap : 64;
		r->tail = mem_resize(r->tail, r->tail_cap * sizeof(*r->tail));
		r->tail_leaves = mem_resize(r->tail_leaves, r->tail_cap * sizeof(*r->tail_leaves));
	}
	r->tail[r->tail_count] = arena_copy(&r->arena, entry);
	r->tail_leaves[r->tail_count++] = merkle_leaf(&r->sha, entry);
}

/* The entries of a frame that are not published yet. False when it does not hold what it says. */
static bool take_frame(struct check_run *r, const struct wal_frame *f)
{
	struct str rest = f->bundle, entry;
	bool broken = false;
	uint64_t at = f->first;

	while (bundle_next(&rest, &entry, &broken)) {
		if (at >= r->size + r->tail_count)
			add_tail(r, entry);
		at++;
	}
	return !broken && at == f->first + f->count;
}

static bool is_zero(struct str s)
{
	for (size_t i = 0; i < s.n; i++)
		if (s.p[i])
			return false;
	return true;
}

static bool tell_gap(struct check_run *r, const struct wal_frame *f, struct err *err)
{
	bool moved;

	if (!check_log_moved(r, &moved, err))
		return false;
	if (!moved)
		check_note(r, LG_WAL, WAL_FILE ": a frame begins at entry %llu, and the log ends at %llu", N(f->first),
			   N(r->size + r->tail_count));
	return true;
}

static bool take_frames(struct check_run *r, struct str bytes, struct err *err)
{
	struct str rest = bytes;
	struct wal_frame f;

	while (wal_next(&rest, &r->sha, &f)) {
		if (f.first > r->size + r->tail_count)
			return tell_gap(r, &f, err);
		if (!take_frame(r, &f)) {
			check_note(r, LG_WAL, WAL_FILE ": the frame at entry %llu has not the %u entries that it says",
				   N(f.first), f.count);
			return true;
		}
	}
	if (!is_zero(rest))
		check_note(r, LG_TORN, WAL_FILE ": %zu bytes from %zu on are no whole frame", rest.n, bytes.n - rest.n);
	return true;
}

/* They are under no signature yet, but will be: the same rules are theirs. */
static bool check_tail(struct check_run *r, struct err *err)
{
	for (size_t i = 0; i < r->tail_count; i++) {
		if (!r->lost) {
			check_edge_add_leaf(r->edge, &r->sha, r->tail_leaves[i]);
			check_hold_heads(r);
		}
		if (!check_entry(r, r->size + i, r->tail[i], err))
			return false;
	}
	r->committed = r->size + r->tail_count;
	r->out->unpublished = r->tail_count;
	if (r->tail_count)
		check_note(r, LG_UNPUBLISHED, WAL_FILE ": %zu entries from %llu on are not published yet",
			   r->tail_count, N(r->size));
	return true;
}

static bool check_version(struct check_run *r, struct err *err)
{
	enum check_got got = check_read(r, STR(".state/version"), 64, &r->file, err);

	if (got == CHECK_FAILED)
		return false;
	if (got == CHECK_ABSENT)
		check_note(r, LG_VERSION, ".state/version: it is missing");
	else if (!str_eq(buf_str(&r->file), STR("1\n")))
		check_note(r, LG_VERSION, ".state/version: it does not say 1");
	return true;
}

bool check_wal(struct check_run *r, struct err *err)
{
	struct io_stat st;
	enum check_got got;
	struct buf bytes;
	bool done;

	if (r->io->ops->stat(r->io->own, check_path(r, STR(".state")), &st) < 0)
		return true; /* a copy, as one serves it */
	buf_init(&bytes);
	got = check_read(r, STR(WAL_FILE), WAL_LIMIT, &bytes, err);
	if (got == CHECK_ABSENT)
		check_note(r, LG_WAL, WAL_FILE ": it is missing");
	done = got == CHECK_ABSENT || (got == CHECK_GOT && take_frames(r, buf_str(&bytes), err));
	buf_free(&bytes);
	return done && check_tail(r, err) && check_version(r, err);
}
