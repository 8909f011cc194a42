/* Checks each entry: its form, its references, that it stands once, in the right log, in the order of time. */
#include "base/clock.h"
#include "ledger/check/private.h"

#define SEALED_APART_NS (UINT64_C(60) * 1000000000)

/* ---- earlier entries ---- */

void check_keep_leaves(struct check_run *r, uint64_t n, const struct digest *leaves, unsigned count)
{
	struct check_leaves *k = r->kept + n % CHECK_KEPT_TILES;

	k->n = n;
	k->count = count;
	memcpy(k->leaves, leaves, count * sizeof(*leaves));
}

/* The leaf of a published entry as its tile has it. */
static bool find_leaf(struct check_run *r, uint64_t index, struct digest *out)
{
	struct check_leaves *k = r->kept + index / TILE_WIDTH % CHECK_KEPT_TILES;
	struct err ignored = { .kind = ERR_NONE };
	struct tile t;
	bool full;

	if (index >= r->size) {
		if (index - r->size < r->tail_count)
			*out = r->tail_leaves[index - r->size];
		return index - r->size < r->tail_count;
	}
	t = tile_of(0, index, r->size);
	if (k->n != t.n) {
		if (check_read_tile(r, &t, &r->file, &full, &ignored) != CHECK_GOT ||
		    r->file.n < (size_t)t.width * SHA256_SIZE)
			return false;
		k->n = t.n;
		k->count = t.width;
		memcpy(k->leaves, r->file.p, (size_t)t.width * SHA256_SIZE);
	}
	*out = k->leaves[index % TILE_WIDTH];
	return index % TILE_WIDTH < k->count;
}

bool check_fetch(struct check_run *r, uint64_t index, struct str *bytes)
{
	struct err ignored = { .kind = ERR_NONE };
	struct str rest;
	struct tile t;
	bool broken, full;

	if (index >= r->size) {
		if (index - r->size < r->tail_count)
			*bytes = r->tail[index - r->size];
		return index - r->size < r->tail_count;
	}
	t = tile_of(TILE_ENTRIES, index, r->size);
	if (r->far_n != t.n) {
		r->far_n = CHECK_NONE;
		if (check_read_tile(r, &t, &r->far, &full, &ignored) != CHECK_GOT)
			return false;
		r->far_n = t.n;
	}
	rest = buf_str(&r->far);
	for (uint64_t i = 0; i <= index % TILE_WIDTH; i++)
		if (!bundle_next(&rest, bytes, &broken))
			return false;
	return true;
}

/* ---- references ---- */

static struct hash ident_of(struct check_run *r, struct str experiment, struct str trial)
{
	struct entry e = { .kind = ENTRY_TRIAL, .experiment = experiment, .id = trial };

	return str_hash_wide(entry_ident(&r->scratch, &e));
}

/* What entry `index` is: usually known without reading it again. NULL: it is the trial of this name. */
static const char *find_fault(struct check_run *r, const struct entry *e, const struct entry_ref *ref)
{
	uint64_t *known = check_set_find(&r->idents, ident_of(r, e->experiment, ref->trial_id));
	struct entry earlier;
	struct str bytes, why;

	if (known && *known == ref->index)
		return NULL;
	if (!check_fetch(r, ref->index, &bytes) || !entry_parse(r->parser, &r->scratch, bytes, &earlier, &why))
		return NULL; /* which is a finding of its own */
	if (!entry_may_refer(e->kind, earlier.kind))
		return "is not a trial";
	return str_eq(earlier.id, ref->trial_id) ? NULL : "is another trial";
}

/* The tile may be damaged; then the entry itself tells. */
static bool ref_has_leaf(struct check_run *r, const struct entry_ref *ref)
{
	struct digest leaf;
	struct str bytes;

	if (find_leaf(r, ref->index, &leaf) && digest_eq(leaf, ref->leaf))
		return true;
	if (!check_fetch(r, ref->index, &bytes))
		return true;
	leaf = merkle_leaf(&r->sha, bytes);
	return digest_eq(leaf, ref->leaf);
}

static void tell_ref(struct check_run *r, const char *file, uint64_t index, const struct entry *e,
		     const struct entry_ref *ref, const char *what)
{
	check_note(r, LG_REF, "%s: the %s in entry %llu refers to trial '%.*s' as entry %llu, which %s", file,
		   entry_kind_name(e->kind), N(index), STR_ARG(ref->trial_id), N(ref->index), what);
}

/* One finding for each reference at most: the first thing that is wrong with it. */
static void check_ref(struct check_run *r, const char *file, uint64_t index, const struct entry *e,
		      const struct entry_ref *ref)
{
	const char *fault;

	if (!ref->given)
		return;
	if (ref->index >= index) {
		tell_ref(r, file, index, e, ref, "does not come before it");
		return;
	}
	if (!ref_has_leaf(r, ref)) {
		tell_ref(r, file, index, e, ref, "has another hash");
		return;
	}
	fault = find_fault(r, e, ref);
	if (fault)
		tell_ref(r, file, index, e, ref, fault);
}

static void check_artifact(struct check_run *r, const char *file, uint64_t index, const struct entry *e)
{
	struct str trial = e->ref.trial_id;

	if (e->kind == ENTRY_ARTIFACT && e->ref.given &&
	    !(e->id.n > trial.n + 1 && str_starts(e->id, trial) && e->id.p[trial.n] == '/'))
		check_note(r, LG_REF, "%s: the artifact '%.*s' in entry %llu is not named after its trial '%.*s'", file,
			   STR_ARG(e->id), N(index), STR_ARG(trial));
}

/* ---- an entry ---- */

/* The file it is in, for messages. */
static void name_file(const struct check_run *r, uint64_t index, char out[TILE_PATH_MAX])
{
	struct tile t;

	if (index >= r->size) {
		memcpy(out, ".state/wal", sizeof(".state/wal"));
		return;
	}
	t = tile_of(TILE_ENTRIES, index, r->size);
	tile_path(out, &t);
}

/* An ident is remembered with the first entry that has it, which the second is told of. */
static void check_unique(struct check_run *r, const char *file, uint64_t index, const struct entry *e)
{
	struct str ident = entry_ident(&r->scratch, e);
	bool added;
	uint64_t *first = check_set_add(&r->idents, str_hash_wide(ident), index, &added);

	if (!added)
		check_note(r, LG_TWICE, "%s: entry %llu is the %s '%.*s', and so is entry %llu", file, N(index),
			   entry_kind_name(e->kind), STR_ARG(e->id), N(*first));
	check_ids(r, index, ident);
}

static void check_log(struct check_run *r, const char *file, uint64_t index, const struct entry *e)
{
	struct str wanted = r->part == LEDGER_MAIN ? STR("complete") : STR("partial");

	if (e->kind == ENTRY_TRIAL && !str_eq(e->completeness, wanted))
		check_note(r, LG_WRONG_LOG, "%s: trial '%.*s' in entry %llu is %.*s, in the log of %.*s ones", file,
			   STR_ARG(e->id), N(index), STR_ARG(e->completeness), STR_ARG(wanted));
}

/*
 * Writers take the time before they wait for their turn, so that two of them may come out in the other order; what is
 * further apart than anybody waits is a clock that went back, or a time that is not true.
 */
static void check_time(struct check_run *r, const char *file, uint64_t index, const struct entry *e)
{
	bool follows = index > 0 && r->sealed_index == index - 1;
	struct stamp s;
	int64_t ns;

	if (!stamp_parse(e->sealed_at, &s) || !stamp_ns(&s, &ns))
		return;
	if (follows && ns < r->sealed_ns && (uint64_t)r->sealed_ns - (uint64_t)ns > SEALED_APART_NS)
		check_note(r, LG_BACKDATED, "%s: the %s '%.*s' in entry %llu says that it was sealed at %.*s, before "
			   "the entry in front of it", file, entry_kind_name(e->kind), STR_ARG(e->id), N(index),
			   STR_ARG(e->sealed_at));
	r->sealed_ns = ns;
	r->sealed_index = index;
}

bool check_entry(struct check_run *r, uint64_t index, struct str bytes, struct err *err)
{
	char file[TILE_PATH_MAX];
	struct entry e;
	struct str why;

	name_file(r, index, file);
	if (!entry_parse(r->parser, &r->scratch, bytes, &e, &why)) {
		check_note(r, LG_ENTRY, "%s: entry %llu: %.*s", file, N(index), STR_ARG(why));
		return true;
	}
	r->out->kinds[e.kind]++;
	check_unique(r, file, index, &e);
	check_ref(r, file, index, &e, &e.ref);
	check_ref(r, file, index, &e, &e.by);
	check_artifact(r, file, index, &e);
	check_log(r, file, index, &e);
	check_time(r, file, index, &e);
	if (e.kind == ENTRY_ERASE && e.ref.given)
		check_add_erased(r, e.ref.index);
	return !e.record.given || (check_object(r, index, &e, err) && check_review_signature(r, index, &e, err));
}
