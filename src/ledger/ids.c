/*
 * The table is read a block at a time, and blocks stay in memory once they were found sound. Entries since then hang
 * in buckets by their hash. Saving builds the whole new table in memory and puts it in the place of the old one.
 */
#include "ledger/ids.h"

#include <assert.h>

#include "ledger/be.h"

#define MAGIC "LIDX"
#define VERSION "\0\0\0\1"
#define BLOCK 1024
#define SLOT 16
#define SLOTS 63u      /* of a block */
#define FILL 36u       /* slots of a new block that are taken, on average */
#define HEAD_USED 64   /* bytes of the head before zeros begin */
#define HELD 65536u    /* blocks in memory, at most */
#define TAIL_OPEN 16384u /* entries in memory for which a table is worth writing: while more come, */
#define TAIL_CLOSE 1024u /* and when no more come */
#define IN_TABLE ((uint64_t)1 << 63)
#define NONE UINT32_MAX

struct known {
	uint64_t hash;
	uint32_t next; /* the one before it in the same bucket */
	bool has_ident;
};

struct ids {
	const struct io *io;
	char *path;
	int fd; /* of the table, or -1 */
	bool broken;
	uint64_t covered, blocks;
	struct digest root;
	struct known *tail; /* entries covered, covered + 1, ... */
	size_t count, cap;
	uint32_t *buckets; /* as many as cap */
	struct sha256 sha;
	struct held {
		uint64_t n; /* UINT64_MAX: nothing yet */
		uint8_t *bytes;
	} *held; /* blocks that were read, and found sound; number n is at n % held_count */
	uint64_t held_count;
};

/* The last 8 of the n bytes become the beginning of a SHA-256 over those before them. */
static void seal(struct sha256 *s, uint8_t *bytes, size_t n)
{
	struct digest d = sha256_of(s, str_of(bytes, n - 8));

	memcpy(bytes + n - 8, d.b, 8);
}

static bool is_sealed(struct sha256 *s, const uint8_t *bytes, size_t n)
{
	struct digest d = sha256_of(s, str_of(bytes, n - 8));

	return memcmp(bytes + n - 8, d.b, 8) == 0;
}

static uint64_t hash_of(struct ids *t, struct str ident)
{
	struct digest d = sha256_of(&t->sha, ident);

	return be_get(d.b, 8);
}

/* Times the number of blocks, and the high half of that; without 128 bits, since a hash is as good as its upper half
 * while there are less than 2^32 blocks. */
static uint64_t block_of(uint64_t hash, uint64_t blocks)
{
	return ((hash >> 32) * blocks) >> 32;
}

/* ---- the table ---- */

static void drop_table(struct ids *t)
{
	if (t->fd >= 0)
		io_close(t->io, t->fd);
	for (uint64_t i = 0; i < t->held_count; i++)
		mem_free(t->held[i].bytes);
	mem_free(t->held);
	t->held = NULL;
	t->fd = -1;
	t->covered = t->blocks = t->held_count = 0;
}

/* Also holds the numbers in the head against the size of the file, so that no later read is beyond its end. */
static bool ids_read_head(struct ids *t)
{
	struct err ignored = { .kind = ERR_NONE };
	struct io_stat st;
	uint8_t head[HEAD_USED];

	if (t->io->ops->stat_fd(t->io->own, t->fd, &st) < 0 || st.is_dir ||
	    !io_read_all(t->io, t->fd, head, sizeof(head), 0, t->path, &ignored))
		return false;
	if (memcmp(head, MAGIC VERSION, 8) != 0 || !is_sealed(&t->sha, head, sizeof(head)))
		return false;
	t->covered = be_get(head + 8, 8);
	memcpy(t->root.b, head + 16, SHA256_SIZE);
	t->blocks = be_get(head + 48, 8);
	return t->blocks > 0 && t->blocks < UINT32_MAX && st.size == (t->blocks + 1) * BLOCK &&
	       t->covered <= t->blocks * SLOTS;
}

/* Leaves a table that covers nothing when the file is absent or its head is not good. */
static void open_table(struct ids *t)
{
	t->fd = io_open(t->io, t->path, IO_READ, 0);
	if (t->fd < 0 || !ids_read_head(t)) {
		drop_table(t);
		return;
	}
	t->held_count = t->blocks < HELD ? t->blocks : HELD;
	t->held = mem_alloc((size_t)t->held_count * sizeof(t->held[0]));
	for (uint64_t i = 0; i < t->held_count; i++)
		t->held[i] = (struct held){ .n = UINT64_MAX };
}

/* Slots are taken from the front, and none of them points beyond what the table covers. */
static bool is_block_sane(const struct ids *t, const uint8_t *block)
{
	bool free = false;

	for (unsigned i = 0; i < SLOTS; i++) {
		uint64_t index = be_get(block + (size_t)i * SLOT + 8, 8);

		if (index > t->covered || (index && free))
			return false;
		free |= index == 0;
	}
	return true;
}

/* NULL, and the table is broken, when it is not what we wrote. */
static const uint8_t *read_block(struct ids *t, uint64_t n)
{
	struct held *h = &t->held[n % t->held_count];
	struct err ignored = { .kind = ERR_NONE };

	if (h->n == n)
		return h->bytes;
	h->n = UINT64_MAX;
	if (!h->bytes)
		h->bytes = mem_alloc(BLOCK);
	if (!io_read_all(t->io, t->fd, h->bytes, BLOCK, (n + 1) * BLOCK, t->path, &ignored) ||
	    !is_sealed(&t->sha, h->bytes, BLOCK) || !is_block_sane(t, h->bytes)) {
		t->broken = true;
		return NULL;
	}
	h->n = n;
	return h->bytes;
}

/* *place counts slots from the first one of the hash's own block. */
static bool next_in_table(struct ids *t, uint64_t hash, uint64_t *place, uint64_t *index)
{
	uint64_t first = t->blocks ? block_of(hash, t->blocks) : 0;

	while (*place < t->blocks * SLOTS) {
		const uint8_t *block = read_block(t, (first + *place / SLOTS) % t->blocks);
		unsigned i = (unsigned)(*place % SLOTS);

		if (!block)
			return false;
		*place += SLOTS - i;
		for (; i < SLOTS; i++) {
			const uint8_t *slot = block + (size_t)i * SLOT;

			if (be_get(slot + 8, 8) == 0)
				return false;
			if (be_get(slot, 8) != hash)
				continue;
			*place -= SLOTS - i - 1;
			*index = be_get(slot + 8, 8) - 1;
			return true;
		}
	}
	return false;
}

/* ---- what came since ---- */

/* One without an ident takes its place in the list, since places are indexes, but no bucket leads to it. */
static void link_known(struct ids *t, size_t i)
{
	struct known *k = &t->tail[i];
	uint32_t *bucket = &t->buckets[k->hash & (t->cap - 1)];

	assert((t->cap & (t->cap - 1)) == 0); /* there are as many buckets */
	k->next = NONE;
	if (!k->has_ident)
		return;
	k->next = *bucket;
	*bucket = (uint32_t)i;
}

static void ids_grow(struct ids *t)
{
	t->cap = t->cap ? t->cap * 2 : 256;
	t->tail = mem_resize(t->tail, t->cap * sizeof(t->tail[0]));
	t->buckets = mem_resize(t->buckets, t->cap * sizeof(t->buckets[0]));
	memset(t->buckets, 0xff, t->cap * sizeof(t->buckets[0]));
	for (size_t i = 0; i < t->count; i++)
		link_known(t, i);
}

void ids_add(struct ids *t, struct str ident, uint64_t index)
{
	if (index != ids_count(t) || t->count >= NONE - 1)
		return;
	if (t->count == t->cap)
		ids_grow(t);
	t->tail[t->count] = (struct known){ .hash = ident.p ? hash_of(t, ident) : 0, .has_ident = ident.p != NULL };
	link_known(t, t->count++);
}

/* The state is one more than the place in memory that is next, or a place in the table with its highest bit set. */
bool ids_next(struct ids *t, struct str ident, uint64_t *state, uint64_t *index)
{
	uint64_t hash = hash_of(t, ident), place;

	if (!(*state & IN_TABLE)) {
		uint32_t i = NONE;

		if (*state)
			i = (uint32_t)(*state - 1);
		else if (t->count)
			i = t->buckets[hash & (t->cap - 1)];
		for (; i < t->count; i = t->tail[i].next) {
			if (t->tail[i].hash != hash)
				continue;
			*state = t->tail[i].next == NONE ? IN_TABLE : (uint64_t)t->tail[i].next + 1;
			*index = t->covered + i;
			return true;
		}
		*state = IN_TABLE;
	}
	place = *state & ~IN_TABLE;
	if (t->fd < 0 || !next_in_table(t, hash, &place, index))
		return false;
	*state = place | IN_TABLE;
	return true;
}

/* ---- the whole ---- */

struct ids *ids_open(const struct io *io, const char *path)
{
	struct ids *t = mem_alloc(sizeof(*t));
	size_t n = strlen(path) + 1;

	*t = (struct ids){ .io = io, .fd = -1 };
	t->path = mem_alloc(n);
	memcpy(t->path, path, n);
	sha256_init(&t->sha);
	open_table(t);
	return t;
}

void ids_close(struct ids *t)
{
	if (!t)
		return;
	drop_table(t);
	sha256_free(&t->sha);
	mem_free(t->path);
	mem_free(t->tail);
	mem_free(t->buckets);
	mem_free(t);
}

uint64_t ids_covered(const struct ids *t, struct digest *root)
{
	*root = t->root;
	return t->covered;
}

void ids_forget(struct ids *t)
{
	drop_table(t);
	t->broken = false;
	t->count = t->cap = 0;
	mem_free(t->tail);
	mem_free(t->buckets);
	t->tail = NULL;
	t->buckets = NULL;
}

uint64_t ids_count(const struct ids *t)
{
	return t->covered + t->count;
}

bool ids_is_sound(const struct ids *t)
{
	return !t->broken;
}

/* Writing costs as much as everything there is; so it is done when there is in proportion more. */
bool ids_is_due(const struct ids *t, bool closing)
{
	uint64_t limit = closing ? t->covered / 256 : t->covered / 8, least = closing ? TAIL_CLOSE : TAIL_OPEN;

	return t->count > (limit > least ? limit : least);
}

/* ---- writing ---- */

struct making {
	uint8_t *bytes; /* head and blocks */
	uint64_t blocks;
};

/* Always finds room: there are more slots than entries, by FILL. The count of taken slots is a scratch value. */
static void place(struct making *m, uint64_t hash, uint64_t index)
{
	uint64_t n = block_of(hash, m->blocks);

	assert(n < m->blocks);
	for (;; n = (n + 1) % m->blocks) {
		uint8_t *block = m->bytes + (n + 1) * BLOCK;
		uint8_t *used = block + SLOTS * SLOT; /* where zeros go later: how many slots are taken */
		uint64_t taken = be_get(used, 8);

		if (taken == SLOTS)
			continue;
		be_put(block + taken * SLOT, hash, 8);
		be_put(block + taken * SLOT + 8, index + 1, 8);
		be_put(used, taken + 1, 8);
		return;
	}
}

/* ERR_DATA when a block of the old table is damaged: then nobody knows what it held, and nothing may be saved. */
static bool place_all(struct ids *t, struct making *m, struct err *err)
{
	for (size_t i = 0; i < t->count; i++)
		if (t->tail[i].has_ident)
			place(m, t->tail[i].hash, t->covered + i);
	for (uint64_t n = 0; n < t->blocks; n++) {
		const uint8_t *block = read_block(t, n);

		if (!block)
			return err_set(err, ERR_DATA, "%s is damaged", t->path);
		for (unsigned i = 0; i < SLOTS; i++) {
			const uint8_t *slot = block + (size_t)i * SLOT;

			if (be_get(slot + 8, 8))
				place(m, be_get(slot, 8), be_get(slot + 8, 8) - 1);
		}
	}
	return true;
}

static void ids_finish(struct ids *t, struct making *m, struct digest root)
{
	uint8_t *head = m->bytes;

	memcpy(head, MAGIC VERSION, 8);
	be_put(head + 8, ids_count(t), 8);
	memcpy(head + 16, root.b, SHA256_SIZE);
	be_put(head + 48, m->blocks, 8);
	seal(&t->sha, head, HEAD_USED);
	for (uint64_t n = 1; n <= m->blocks; n++) {
		memset(m->bytes + n * BLOCK + SLOTS * SLOT, 0, 8);
		seal(&t->sha, m->bytes + n * BLOCK, BLOCK);
	}
}

/* What was just written need not be read. */
static void hold_all(struct ids *t, const struct making *m)
{
	for (uint64_t n = 0; t->blocks == m->blocks && n < t->held_count; n++) {
		t->held[n] = (struct held){ .n = n, .bytes = mem_alloc(BLOCK) };
		memcpy(t->held[n].bytes, m->bytes + (n + 1) * BLOCK, BLOCK);
	}
}

bool ids_save(struct ids *t, struct digest root, struct err *err)
{
	struct making m = { .blocks = ids_count(t) / FILL + 1 };
	size_t size = (size_t)(m.blocks + 1) * BLOCK;
	bool done;

	m.bytes = mem_alloc(size);
	memset(m.bytes, 0, size);
	done = place_all(t, &m, err);
	if (done) {
		ids_finish(t, &m, root);
		done = io_put(t->io, t->path, str_of(m.bytes, size), 0644, false, err);
	}
	if (done) {
		ids_forget(t);
		open_table(t);
		hold_all(t, &m);
	}
	mem_free(m.bytes);
	return done;
}
