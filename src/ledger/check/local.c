/* Checks what only a log's writer has: the table of ids, the frames of the WAL, the version of .state. */
#include "ledger/check/private.h"
#include "ledger/dir/wal.h"

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
	size_t cap = r->tail_cap;

	mem_grow(r->tail, r->tail_count, cap, 64);
	mem_grow(r->tail_leaves, r->tail_count, r->tail_cap, 64);
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

/* A gap is a finding only when nobody published meanwhile and replaced the frames before it. */
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

/* What the key has signed needs no other proof: the entries are held against that root. */
static bool is_signed(const struct check_run *r, uint64_t end)
{
	for (size_t i = 0; i < r->head_count; i++)
		if (r->heads[i].by == CHECK_SIGNER && r->heads[i].size >= end)
			return true;
	return end <= r->size;
}

/* Each entry by its name, so that the owner can decide about it. */
static void tell_pending(struct check_run *r, enum ledger_rule rule, uint64_t index, struct str bytes)
{
	const char *what = rule == LG_FRAME_OLD ? "has no code of the log's key: a version before this one wrote it, "
						  "or anybody else" : "was not written with the log's key";
	struct entry e;
	struct str why;

	if (entry_parse(r->parser, &r->scratch, bytes, &e, &why))
		check_note(r, rule, WAL_FILE ": the frame of entry %llu (the %s '%.*s') %s", N(index),
			   entry_kind_name(e.kind), STR_ARG(e.id), what);
	else
		check_note(r, rule, WAL_FILE ": the frame of entry %llu %s", N(index), what);
	arena_reset(&r->scratch);
}

/* Whether somebody vouches for the frame. One that is not the owner's, or may not be, is named entry by entry. */
static bool is_vouched(struct check_run *r, const struct wal_frame *f)
{
	enum ledger_rule rule = f->proof == WAL_OLD ? LG_FRAME_OLD : LG_FRAME_FALSE;
	uint64_t end = f->first + f->count, at = f->first, before = r->out->unproven;
	struct str rest = f->bundle, entry;
	bool broken;

	if (f->proof == WAL_PROVEN || (end >= f->first && is_signed(r, end)))
		return true;
	if (f->proof == WAL_UNKNOWN) {
		r->out->unchecked += f->count;
		return true;
	}
	for (; bundle_next(&rest, &entry, &broken); at++) {
		if (at < r->size)
			continue;
		tell_pending(r, rule, at, entry);
		r->out->unproven++;
	}
	if (r->out->unproven == before) /* it stops every writer all the same */
		check_note(r, rule, WAL_FILE ": a frame at entry %llu does not hold the entries it declares, and was "
			   "not written with the log's key", N(f->first));
	return false;
}

/* False only with *err. Stops at the first frame that does not continue the log: a writer would, too. */
static bool take_frames(struct check_run *r, struct str bytes, struct err *err)
{
	struct str rest = bytes;
	struct wal_frame f;

	while (wal_next(&rest, &r->sha, r->has_wal_key ? &r->wal_key : NULL, &f)) {
		if (!is_vouched(r, &f))
			continue;
		if (f.first > r->size + r->tail_count)
			return tell_gap(r, &f, err);
		if (!take_frame(r, &f)) {
			check_note(r, LG_WAL, WAL_FILE ": the frame at entry %llu does not hold the %u entries it "
				   "declares", N(f.first), f.count);
			return true;
		}
	}
	if (!wal_is_zero(rest))
		check_note(r, LG_TORN, WAL_FILE ": %zu bytes from %zu on are not a whole frame", rest.n,
			   bytes.n - rest.n);
	return true;
}

/* Counts, once all frames are read: entries that wait, that do not verify, and that nobody can check. */
static void tell_waiting(struct check_run *r)
{
	struct log_report *out = r->out;

	if (out->unchecked > r->tail_count)
		out->unchecked = r->tail_count; /* some of a frame may be published */
	if (r->tail_count)
		check_note(r, LG_UNPUBLISHED, WAL_FILE ": %zu %s from %llu on %s not published yet", r->tail_count,
			   r->tail_count == 1 ? "entry" : "entries", N(r->size), r->tail_count == 1 ? "is" : "are");
	if (out->unproven)
		check_note(r, LG_UNPUBLISHED, WAL_FILE ": %llu %s in frames that do not verify: not published",
			   N(out->unproven), out->unproven == 1 ? "entry stands" : "entries stand");
	if (out->unchecked)
		check_note(r, LG_FRAME_UNCHECKED, WAL_FILE ": %llu %s from %llu on cannot be checked: the private key "
			   "is not here", N(out->unchecked), out->unchecked == 1 ? "entry" : "entries",
			   N(r->tail_count + r->size - out->unchecked));
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
	tell_waiting(r);
	return true;
}

/* The second log's frames are proven with the main log's secret too, under its own name. */
void check_find_secret(struct check_run *r, const struct key *main_key)
{
	const struct key *of = main_key ? main_key : &r->key;
	struct err ignored = { .kind = ERR_NONE };
	const struct signer *given = r->check->signer;
	struct signer s;
	bool found = false;

	if (!r->has_key || (!given && r->keys.n == 0))
		return;
	if (given)
		found = memcmp(given->key.public, of->public, ED25519_PUBLIC) == 0;
	else
		(void)keys_find(&r->arena, r->keys, of, &s, &found, &ignored);
	found = found && ignored.kind == ERR_NONE;
	if (found)
		wal_key_init(&r->wal_key, given ? given->seed : s.seed, r->key.name);
	r->has_wal_key = found;
	explicit_bzero(&s, sizeof(s));
}

static bool local_check_version(struct check_run *r, struct err *err)
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
	return done && check_tail(r, err) && local_check_version(r, err);
}
