/* Reads all bundles and tiles, rebuilds the tree from them, and names the file that is wrong when two disagree. */
#include "base/ascii.h"
#include "base/stop.h"
#include "ledger/check/private.h"

#define GONE_MAX 1000 /* bundles in a row that are not there: a size that is a lie must not keep us busy for years */

/*
 * Two files tell the leaves of 256 entries: the bundle, whose entries can be hashed, and the tile. When they differ,
 * the hash above them knows which is right: that of the tile above, or at the right edge the signed root. So the
 * damaged one is named, the other one is believed, and nothing that only follows from the damage is told.
 */

/* ---- reading ---- */

static struct tile bundle_tile(const struct check_bundle *b, unsigned level)
{
	return (struct tile){ .level = level, .n = b->n, .width = b->width };
}

/*
 * As many entries as are wanted and whole, with their leaf hashes. More is a finding, unless the file is a full one.
 */
static void cut_bundle(struct check_run *r, struct check_bundle *b, const char *name, bool full)
{
	struct str rest = buf_str(&b->bytes);
	bool broken = false;

	while (b->count < b->width && bundle_next(&rest, b->entries + b->count, &broken))
		b->count++;
	if (broken || b->count < b->width)
		check_note(r, LG_BUNDLE, "%s: it is cut off in entry %llu", name,
			   N(b->n * TILE_WIDTH + b->count));
	else if (rest.n && !full)
		check_note(r, LG_BUNDLE, "%s: %zu bytes follow its last entry", name, rest.n);
	for (unsigned i = 0; i < b->count; i++) {
		b->own[i] = merkle_leaf(&r->sha, b->entries[i]);
		r->out->bytes += b->entries[i].n + 1;
	}
}

/* One that is missing is a finding, and has no entries. False only with *err. */
static bool read_bundle(struct check_run *r, struct check_bundle *b, struct err *err)
{
	struct tile t = bundle_tile(b, TILE_ENTRIES);
	char name[TILE_PATH_MAX];
	enum check_got got;
	bool full;

	b->count = 0;
	tile_path(name, &t);
	got = check_read_tile(r, &t, &b->bytes, &full, err);
	if (got == CHECK_ABSENT)
		check_note(r, LG_BUNDLE_GONE, "%s: it is missing", name);
	else if (got == CHECK_GOT)
		cut_bundle(r, b, name, full);
	return got != CHECK_FAILED;
}

/* The hashes of a tile as far as it has them; what is wrong about its length is told. */
static bool read_hashes(struct check_run *r, const struct tile *t, struct buf *out, unsigned *count, struct err *err)
{
	char name[TILE_PATH_MAX];
	enum check_got got;
	bool full;

	tile_path(name, t);
	*count = 0;
	got = check_read_tile(r, t, out, &full, err);
	if (got == CHECK_FAILED)
		return false;
	if (got == CHECK_ABSENT) {
		check_note(r, LG_TILE_GONE, "%s: it is missing", name);
		return true;
	}
	if (out->n != (size_t)SHA256_SIZE * t->width && !(full && out->n > (size_t)SHA256_SIZE * t->width))
		check_note(r, LG_TILE, "%s: it has %zu bytes instead of %u", name, out->n, SHA256_SIZE * t->width);
	*count = (unsigned)(out->n / SHA256_SIZE);
	if (*count > t->width)
		*count = t->width;
	return true;
}

/* ---- who is right ---- */

/* The hash that the tile above has of these 256. */
static bool find_above(struct check_run *r, uint64_t n, struct digest *out, struct err *err)
{
	struct tile t = tile_of(1, n, r->size);
	size_t at = (size_t)(n % TILE_WIDTH) * SHA256_SIZE;
	enum check_got got;
	bool full;

	got = check_read_tile(r, &t, &r->file, &full, err);
	if (got != CHECK_GOT || r->file.n < at + SHA256_SIZE)
		return false;
	memcpy(out->b, r->file.p + at, SHA256_SIZE);
	return true;
}

struct judge {
	bool knows;
	struct digest above;      /* of 256 */
	struct check_edge *edge;  /* at the right edge: what stands before them */
};

/* Whether these leaves give the hash above them, or at the right edge the signed root. */
static bool is_right(struct check_run *r, const struct judge *j, const struct digest *leaves, unsigned width)
{
	struct check_edge *e = mem_alloc(sizeof(*e));
	struct digest root;

	if (width == TILE_WIDTH)
		check_edge_init(e);
	else
		*e = *j->edge;
	for (unsigned i = 0; i < width; i++)
		check_edge_add(e, &r->sha, 0, leaves[i]);
	root = width == TILE_WIDTH ? e->levels[0].stack[0] : check_edge_root(e, &r->sha);
	mem_free(e);
	return j->knows && digest_eq(root, width == TILE_WIDTH ? j->above : r->root);
}

static unsigned first_difference(const struct check_bundle *b)
{
	unsigned i = 0;

	while (i < b->width && digest_eq(b->own[i], b->told[i]))
		i++;
	return i;
}

/* Names the first entry that differs, in the file that is wrong, when somebody knows which that is. */
static void tell_difference(struct check_run *r, const struct check_bundle *b, bool own_right, bool told_right)
{
	struct tile bundle = bundle_tile(b, TILE_ENTRIES), tile = bundle_tile(b, 0);
	char in_bundle[TILE_PATH_MAX], in_tile[TILE_PATH_MAX];
	unsigned at = first_difference(b);

	if (at == b->width)
		return;
	tile_path(in_bundle, &bundle);
	tile_path(in_tile, &tile);
	if (own_right)
		check_note(r, LG_TILE, "%s: hash %u is not that of entry %llu", in_tile, at, N(b->n * TILE_WIDTH + at));
	else if (told_right)
		check_note(r, LG_BUNDLE, "%s: entry %llu is not the one that was sealed", in_bundle,
			   N(b->n * TILE_WIDTH + at));
	else
		check_note(r, LG_BUNDLE, "%s: entry %llu and its hash in %s differ, and nothing tells which is right",
			   in_bundle, N(b->n * TILE_WIDTH + at), in_tile);
}

/* Decides b->leaves, when bundle and tile are not simply the same. */
static void judge(struct check_run *r, struct check_bundle *b)
{
	struct err none = { .kind = ERR_NONE };
	struct judge j = { .edge = r->edge, .knows = b->width < TILE_WIDTH && r->root_is_known && !r->lost };
	bool own_whole = b->count == b->width, told_whole = b->told_count == b->width;
	bool own_right, told_right;

	if (b->width == TILE_WIDTH)
		j.knows = find_above(r, b->n, &j.above, &none);
	own_right = own_whole && is_right(r, &j, b->own, b->width);
	told_right = told_whole && !own_right && is_right(r, &j, b->told, b->width);
	if (own_whole && told_whole)
		tell_difference(r, b, own_right, told_right);
	if (own_whole && told_whole && !own_right && !told_right)
		r->doubtful = true;
	b->leaves = told_right || (told_whole && !own_whole) ? b->told : own_whole ? b->own : NULL;
}

/* Decides b->leaves. In a sound log bundle and tile agree, and nothing above has to be read. */
static bool read_leaves(struct check_run *r, struct check_bundle *b, struct err *err)
{
	struct tile t = bundle_tile(b, 0);

	if (!read_hashes(r, &t, &b->tile, &b->told_count, err))
		return false;
	if (b->told_count)
		memcpy(b->told, b->tile.p, (size_t)b->told_count * SHA256_SIZE);
	if (b->count == b->width && b->told_count == b->width &&
	    memcmp(b->own, b->told, (size_t)b->width * SHA256_SIZE) == 0)
		b->leaves = b->own;
	else
		judge(r, b);
	return true;
}

/* ---- older partial tiles, which stay until the tile is full, and longer when the writer was told so ---- */

static bool read_width(struct str name, unsigned *out)
{
	*out = 0;
	for (size_t i = 0; i < name.n; i++) {
		if (!ascii_is_digit(name.p[i]) || name.n > 3)
			return false;
		*out = 10 * *out + (unsigned)(name.p[i] - '0');
	}
	return name.n > 0 && name.p[0] != '0';
}

/* Whether the bytes are the entries of these leaves, and nothing else. */
static bool are_entries_of(struct check_run *r, struct str bytes, const struct digest *leaves, unsigned width)
{
	bool broken = false;
	struct str entry;
	unsigned i = 0;

	while (i < width && bundle_next(&bytes, &entry, &broken) && digest_eq(merkle_leaf(&r->sha, entry), leaves[i]))
		i++;
	return i == width && !broken && bytes.n == 0;
}

static bool is_beginning(struct check_run *r, const struct tile *t, const struct digest *hashes)
{
	struct str bytes = buf_str(&r->file);

	if (t->level == TILE_ENTRIES)
		return are_entries_of(r, bytes, hashes, t->width);
	return str_eq(bytes, str_of(hashes, (size_t)t->width * SHA256_SIZE));
}

/* `hashes` is what the tile has, or for bundles the leaves of its entries. */
static bool check_partials(struct check_run *r, unsigned level, uint64_t n, unsigned width, const struct digest *hashes,
			   struct err *err)
{
	struct tile t = { .level = level, .n = n, .width = 1 };
	char name[TILE_PATH_MAX];
	struct str *names;
	size_t count, end;

	if (r->log)
		return true;
	end = tile_path(name, &t) - 2; /* without "/1" */
	if (!check_list(r, &r->scratch, check_path(r, str_of(name, end)), &names, &count, err))
		return false;
	for (size_t i = 0; i < count; i++) {
		enum check_got got;

		if (!read_width(names[i], &t.width) || t.width >= width)
			continue;
		tile_path(name, &t);
		got = check_read(r, str_from(name), (size_t)t.width * (2 + ENTRY_MAX) + 1, &r->file, err);
		if (got == CHECK_FAILED)
			return false;
		if (got == CHECK_GOT && !is_beginning(r, &t, hashes))
			check_note(r, level == TILE_ENTRIES ? LG_BUNDLE : LG_TILE,
				   "%s: it is not how the full one begins", name);
	}
	return true;
}

/* Those of the bundle at hand and of its tile, when it is known how these should be. */
static bool check_bundle_partials(struct check_run *r, const struct check_bundle *b, struct err *err)
{
	if (!b->leaves)
		return true;
	return check_partials(r, 0, b->n, b->width, b->leaves, err) &&
	       check_partials(r, TILE_ENTRIES, b->n, b->width, b->leaves, err);
}

/* ---- the levels above ---- */

/* The tile of a level against the hashes that follow from the one below. One finding for each tile. */
static bool check_level(struct check_run *r, unsigned level, struct err *err)
{
	const struct check_level *l = r->edge->levels + level;
	struct tile t = { .level = level, .n = l->tile, .width = l->count };
	char name[TILE_PATH_MAX], below[TILE_PATH_MAX];
	unsigned count;

	if (!read_hashes(r, &t, &r->bundle->tile, &count, err))
		return false;
	tile_path(name, &t);
	for (unsigned i = 0; i < count; i++) {
		struct tile child = { .level = level - 1, .n = l->tile * TILE_WIDTH + i, .width = TILE_WIDTH };

		if (memcmp(r->bundle->tile.p + (size_t)i * SHA256_SIZE, l->hashes[i].b, SHA256_SIZE) == 0)
			continue;
		tile_path(below, &child);
		check_note(r, LG_TILE, "%s: hash %u is not that of %s", name, i, below);
		break;
	}
	return check_partials(r, level, t.n, t.width, l->hashes, err);
}

/* A tile of level 0 is full, and perhaps others by it. */
static bool lift(struct check_run *r, unsigned level, bool full, struct err *err)
{
	while (full) {
		if (level > 0 && !check_level(r, level, err))
			return false;
		full = check_edge_lift(r->edge, &r->sha, level++);
	}
	return true;
}

/* Nothing gives the leaves of these 256: the hash above goes on in their place, when there is one. */
static bool step_over(struct check_run *r, const struct check_bundle *b, struct err *err)
{
	struct err none = { .kind = ERR_NONE };
	struct digest above;
	bool full;

	if (b->width < TILE_WIDTH || r->lost || !find_above(r, b->n, &above, &none)) {
		r->lost = true;
		return true;
	}
	r->edge->levels[0].tile++;
	full = check_edge_add(r->edge, &r->sha, 1, above);
	return lift(r, 1, full, err);
}

/* Also gives up after GONE_MAX bundles in a row of which neither file is there. */
static bool add_leaves(struct check_run *r, const struct check_bundle *b, struct err *err)
{
	bool full = false;

	r->gone = b->count || b->told_count ? 0 : r->gone + 1;
	r->lost = r->lost || r->gone == GONE_MAX;
	if (!b->leaves || r->lost)
		return step_over(r, b, err);
	check_keep_leaves(r, b->n, b->leaves, b->width);
	for (unsigned i = 0; i < b->width; i++) {
		full = check_edge_add(r->edge, &r->sha, 0, b->leaves[i]);
		if (!full)
			check_hold_heads(r);
	}
	if (!lift(r, 0, full, err))
		return false;
	check_hold_heads(r);
	return true;
}

/* ---- all of it ---- */

/* Entries that are not those of the tree are told of already, and say nothing. */
static bool check_bundle_entries(struct check_run *r, const struct check_bundle *b, struct err *err)
{
	for (unsigned i = 0; i < b->width; i++) {
		if (i >= b->count || (b->leaves && !digest_eq(b->own[i], b->leaves[i])))
			r->unread = true;
		else if (!check_entry(r, b->n * TILE_WIDTH + i, b->entries[i], err))
			return false;
	}
	return true;
}

/* The steps build on each other: the bundle, its leaves, what depends on them, the tree, the entries. */
static bool check_bundle(struct check_run *r, uint64_t n, struct err *err)
{
	struct check_bundle *b = r->bundle;

	arena_reset(&r->scratch);
	b->n = n;
	b->width = tile_of(TILE_ENTRIES, n * TILE_WIDTH, r->size).width;
	b->leaves = NULL;
	return read_bundle(r, b, err) && read_leaves(r, b, err) && check_bundle_partials(r, b, err) &&
	       add_leaves(r, b, err) && check_bundle_entries(r, b, err);
}

/* The partial tiles at the right edge, once all entries are in. */
static bool check_edge_tiles(struct check_run *r, struct err *err)
{
	for (unsigned level = 1; level < TILE_LEVELS && !r->lost; level++)
		if (r->edge->levels[level].count && !check_level(r, level, err))
			return false;
	return true;
}

bool check_tree(struct check_run *r, struct err *err)
{
	uint64_t bundles = r->size / TILE_WIDTH + (r->size % TILE_WIDTH > 0);
	struct digest root;

	check_hold_heads(r);
	for (uint64_t n = 0; n < bundles && r->gone < GONE_MAX; n++) {
		if (stop_signal())
			return err_set(err, ERR_IO, "stopped");
		if (!check_bundle(r, n, err))
			return false;
		if (r->check->tick)
			r->check->tick(r->check->context, n * TILE_WIDTH, r->size);
	}
	if (r->gone == GONE_MAX)
		check_note(r, LG_BUNDLE_GONE, "tile/entries: too many are missing: the rest was not checked");
	if (!check_edge_tiles(r, err))
		return false;
	root = check_edge_root(r->edge, &r->sha);
	if (r->root_is_known && !r->lost && !digest_eq(root, r->root)) {
		check_note(r, LG_ROOT, "checkpoint: its root is not that of the %llu entries", N(r->size));
		r->doubtful = true;
	}
	return true;
}
