/*
 * Reads through the engine's table alone. Hashes between the levels of tiles are worked out from the tile below;
 * entries are read a bundle at a time.
 */
#include "ledger/log.h"

#include <assert.h>
#include <inttypes.h>

#include "ledger/entry.h"
#include "ledger/proof.h"

#define BITS 8 /* levels of the tree in a tile: 2^8 is its width */

/* ---- the checkpoint ---- */

/* Always false, with ERR_DATA and advice on how to name another key. */
static bool is_bad(const struct log *l, const char *why, struct err *err)
{
	return err_set(err, ERR_DATA, "%.*s: the checkpoint cannot be trusted: %s", STR_ARG(l->where), why) ||
	       err_advise(err, ADVICE_LEDGER_KEY);
}

bool log_read_checkpoint(struct log *l, struct arena *a, struct checkpoint *out, struct note **note, struct err *err)
{
	struct note *n = arena_new(a, struct note);
	const char *why;
	struct str text;

	if (!l->ops->checkpoint(l, a, &text, err))
		return false;
	if (!note_parse(text, n, &why) || !checkpoint_parse(n->text, out, &why))
		return is_bad(l, why, err);
	if (l->origin.n && !str_eq(out->origin, l->origin))
		return is_bad(l, "it is of another log", err);
	switch (note_check(n, &l->key, NULL)) {
	case NOTE_ABSENT:
		return is_bad(l, "it is not signed by the key of this log", err);
	case NOTE_BAD:
		return is_bad(l, "its signature is wrong", err);
	case NOTE_GOOD:
		break;
	}
	if (note)
		*note = n;
	return true;
}

/* Its text, the empty line, the lines of signatures: one piece, since a note points into what it was parsed from. */
struct str log_note_bytes(const struct note *n)
{
	const struct str last = n->lines[n->count - 1].line;

	assert(n->count > 0 && last.p > n->text.p); /* as note_parse leaves it */
	return str_of(n->text.p, (size_t)(last.p - n->text.p) + last.n);
}

/* ---- hashes out of tiles ---- */

struct log_hashes {
	struct log *log;
	uint64_t size;
	struct sha256 sha;
	struct {
		struct arena arena;
		bool held;
		uint64_t n;
		unsigned width;
		struct str bytes;
	} levels[TILE_LEVELS]; /* the tile asked for last at each */
};

struct log_hashes *log_hashes_open(struct log *l, uint64_t size)
{
	struct log_hashes *h = mem_alloc(sizeof(*h));

	memset(h, 0, sizeof(*h));
	h->log = l;
	h->size = size;
	sha256_init(&h->sha);
	for (size_t i = 0; i < TILE_LEVELS; i++)
		arena_init(&h->levels[i].arena);
	return h;
}

void log_hashes_close(struct log_hashes *h)
{
	if (!h)
		return;
	sha256_free(&h->sha);
	for (size_t i = 0; i < TILE_LEVELS; i++)
		arena_free(&h->levels[i].arena);
	mem_free(h);
}

/* The tile stays held until another one of its level is asked for. */
static bool fetch(struct log_hashes *h, const struct tile *t, struct err *err)
{
	struct arena *a = &h->levels[t->level].arena;
	struct str bytes;

	if (h->levels[t->level].held && h->levels[t->level].n == t->n)
		return true;
	h->levels[t->level].held = false;
	arena_reset(a);
	if (!h->log->ops->tile(h->log, a, t, &bytes, err))
		return false;
	if (bytes.n != (size_t)t->width * SHA256_SIZE)
		return err_set(err, ERR_DATA, "%.*s: a tile of level %u has %zu bytes instead of %u",
			       STR_ARG(h->log->where), t->level, bytes.n, t->width * SHA256_SIZE);
	h->levels[t->level].held = true;
	h->levels[t->level].n = t->n;
	h->levels[t->level].width = t->width;
	h->levels[t->level].bytes = bytes;
	return true;
}

/* A complete subtree of less than 2^8 hashes of a tile's level lies in one tile, since both are aligned. */
static bool read_hash(void *context, unsigned level, uint64_t n, struct digest *out, struct err *err)
{
	struct log_hashes *h = context;
	unsigned up = level % BITS, tile_level = level / BITS;
	uint64_t first = n << up;
	struct merkle m;
	struct tile t;

	if (level > 63 || first >> up != n || n >= h->size >> level)
		return err_set(err, ERR_DATA, "%.*s: a log of %" PRIu64 " entries has no hash %" PRIu64 " of level %u",
			       STR_ARG(h->log->where), h->size, n, level);
	t = tile_of(tile_level, first, h->size);
	if (!fetch(h, &t, err))
		return false;
	merkle_init(&m);
	for (uint64_t i = 0; i < (uint64_t)1 << up; i++) {
		struct digest d;

		memcpy(d.b, h->levels[tile_level].bytes.p + (first % TILE_WIDTH + i) * SHA256_SIZE, SHA256_SIZE);
		merkle_add(&m, &h->sha, d);
	}
	*out = merkle_root(&m, &h->sha);
	return true;
}

struct tree_reader log_hashes_reader(struct log_hashes *h)
{
	return (struct tree_reader){ .hash = read_hash, .context = h };
}

/* ---- entries ---- */

void log_entries_begin(struct log_entries *it, struct log *l, uint64_t from, uint64_t to, uint64_t size)
{
	*it = (struct log_entries){ .log = l, .at = from, .to = to, .size = size };
	arena_init(&it->arena);
}

void log_entries_end(struct log_entries *it)
{
	arena_free(&it->arena);
}

static bool is_uneven(const struct log_entries *it, struct err *err)
{
	return err_set(err, ERR_DATA, "%.*s: the bundle that has entry %" PRIu64 " is damaged", STR_ARG(it->log->where),
		       it->at);
}

/* The bundle that has the next entry, up to that entry. */
static bool next_bundle(struct log_entries *it, struct err *err)
{
	struct tile t = tile_of(TILE_ENTRIES, it->at, it->size);
	struct str skipped;
	bool broken;

	arena_reset(&it->arena);
	if (!it->log->ops->tile(it->log, &it->arena, &t, &it->rest, err))
		return false;
	for (uint64_t i = it->at % TILE_WIDTH; i > 0; i--)
		if (!bundle_next(&it->rest, &skipped, &broken))
			return is_uneven(it, err);
	return true;
}

bool log_entries_next(struct log_entries *it, struct str *entry, uint64_t *index, struct err *err)
{
	bool broken, fresh = it->rest.n == 0;

	err->kind = ERR_NONE;
	if (it->at >= it->to)
		return false;
	if (it->at >= it->size)
		return err_set(err, ERR_DATA, "%.*s: a log of %" PRIu64 " entries has no entry %" PRIu64,
			       STR_ARG(it->log->where), it->size, it->at);
	if ((fresh || it->at % TILE_WIDTH == 0) && !next_bundle(it, err))
		return false;
	if (!bundle_next(&it->rest, entry, &broken))
		return is_uneven(it, err);
	*index = it->at++;
	return true;
}

bool log_read_entry(struct log *l, struct json_parser *p, struct arena *a, uint64_t index, struct entry *out,
		    struct str *bytes, struct err *err)
{
	struct str leaf, why;

	if (!l->ops->entry(l, a, index, &leaf, err))
		return false;
	if (bytes)
		*bytes = leaf;
	return entry_parse(p, a, leaf, out, &why) ||
	       err_set(err, ERR_DATA, "%.*s: entry %" PRIu64 " is damaged: %.*s"
		       ERR_HELP "'trackway ledger verify' tells more", STR_ARG(l->where), index, STR_ARG(why));
}

/* ---- proofs ---- */

bool log_prove(struct log *l, struct arena *a, uint64_t index, struct proof *out, struct err *err)
{
	struct log_hashes *h;
	struct tree_reader r;
	struct checkpoint c;
	struct note *n;
	bool done;

	if (!log_read_checkpoint(l, a, &c, &n, err))
		return false;
	if (index >= c.size)
		return err_set(err, ERR_DATA, "%.*s: entry %" PRIu64 " is not published yet; the checkpoint is of %"
			       PRIu64 " entries" ERR_HELP "'trackway ledger publish' publishes what is committed",
			       STR_ARG(l->where), index, c.size);
	*out = (struct proof){ .index = index, .checkpoint = log_note_bytes(n) };
	h = log_hashes_open(l, c.size);
	r = log_hashes_reader(h);
	done = tree_prove_inclusion(&h->sha, &r, index, c.size, &out->path, err);
	log_hashes_close(h);
	return done;
}
