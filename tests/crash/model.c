#include "crash/model.h"

#include <stdarg.h>
#include <stdio.h>

#include "crash/signing.h"

__attribute__((format(printf, 2, 3))) static bool broken(char why[MODEL_WHY], const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(why, MODEL_WHY, format, args);
	va_end(args);
	return false;
}

/* ---- what can be appended ---- */

static void set_object_path(struct item *i)
{
	char hex[SHA256_HEX];

	digest_hex(hex, i->digest);
	snprintf(i->path, sizeof(i->path), PLACE_LEDGER "/objects/sha256/%.2s/%.62s", hex, hex + 2);
}

static void finish_item(struct items *t, struct item *i, const struct entry *e)
{
	struct buf text;
	struct err err;

	buf_init(&text);
	if (!entry_add_text(&text, e, &err))
		fprintf(stderr, "%s\n", err.text);
	i->entry = arena_copy(&t->arena, buf_str(&text));
	i->ident = entry_ident(&t->arena, e);
	i->digest = entry_digest(e);
	i->leaf = merkle_leaf(&t->sha, i->entry);
	set_object_path(i);
	buf_free(&text);
}

/* Objects of many sizes, so that torn ones are torn within and between sectors. */
static size_t object_size(size_t number)
{
	static const size_t sizes[] = { 40, 700, 513, 90, 2000, 512, 1, 5000 };

	return sizes[number % (sizeof(sizes) / sizeof(sizes[0]))];
}

static void make_trial(struct items *t, size_t number)
{
	struct item *i = &t->list[number];
	struct buf b;
	struct entry e = { .kind = ENTRY_TRIAL, .experiment = STR("e"), .completeness = STR("complete"),
			   .sealed_at = STR("2026-01-02T03:04:05.006Z") };

	buf_init(&b);
	buf_printf(&b, "object %zu ", number);
	while (b.n < object_size(number))
		buf_printf(&b, "%zu", b.n);
	i->object = arena_copy(&t->arena, buf_str(&b));
	i->erases = -1;
	e.id = arena_printf(&t->arena, "t%zu", number);
	e.record.given = true;
	e.record.digest = sha256_of(&t->sha, i->object);
	e.record.size = i->object.n;
	e.record.media = STR(ENTRY_MEDIA_TRIAL);
	finish_item(t, i, &e);
	buf_free(&b);
}

void items_init(struct items *t, const struct key *key)
{
	memset(t, 0, sizeof(*t));
	arena_init(&t->arena);
	sha256_init(&t->sha);
	t->key = *key;
	t->fixed = t->count = MODEL_BASE + 200;
	for (size_t i = 0; i < t->fixed; i++)
		make_trial(t, i);
	merkle_init(&t->base);
	for (size_t i = 0; i < MODEL_BASE; i++) {
		t->base_leaves[i] = t->list[i].leaf;
		merkle_add(&t->base, &t->sha, t->list[i].leaf);
	}
}

void items_free(struct items *t)
{
	sha256_free(&t->sha);
	arena_free(&t->arena);
}

int items_add_erase(struct items *t, int trial, uint64_t index)
{
	size_t number = t->count < MODEL_ITEMS ? t->count++ : MODEL_ITEMS - 1;
	struct item *i = &t->list[number];
	const struct item *of = &t->list[trial];
	struct entry e = { .kind = ENTRY_ERASE, .sealed_at = STR("2026-01-02T03:04:05.006Z"), .reason = STR("asked for"),
			   .experiment = STR("e") };

	e.ref = (struct entry_ref){ .given = true, .trial_id = arena_printf(&t->arena, "t%d", trial), .index = index,
				    .leaf = of->leaf };
	e.id = e.ref.trial_id;
	*i = (struct item){ .erases = trial };
	finish_item(t, i, &e);
	return (int)number;
}

/* ---- the published log, as strangers read it ---- */

static bool read_tile(const struct sim *s, struct tile t, struct str *out)
{
	char path[TILE_PATH_MAX + 16];
	char name[TILE_PATH_MAX];

	tile_path(name, &t);
	snprintf(path, sizeof(path), PLACE_LEDGER "/%s", name);
	if (sim_bytes(s, path, out))
		return true;
	t.width = TILE_WIDTH; /* a partial one goes when it has become full */
	tile_path(name, &t);
	snprintf(path, sizeof(path), PLACE_LEDGER "/%s", name);
	return sim_bytes(s, path, out);
}

static bool look_bundle(const struct model *m, const struct items *t, const struct sim *s, uint64_t n, uint64_t size,
			char why[MODEL_WHY])
{
	struct tile tile = tile_of(TILE_ENTRIES, n * TILE_WIDTH, size);
	struct str rest, entry;
	bool is_broken = false;

	if (!read_tile(s, tile, &rest))
		return broken(why, "bundle %llu of a published log of %llu is not there", (unsigned long long)n,
			      (unsigned long long)size);
	for (unsigned i = 0; i < tile.width; i++) {
		size_t index = (size_t)n * TILE_WIDTH + i;

		if (!bundle_next(&rest, &entry, &is_broken))
			return broken(why, "bundle %llu ends before entry %zu of %llu", (unsigned long long)n, index,
				      (unsigned long long)size);
		if (!str_eq(entry, t->list[m->log[index]].entry))
			return broken(why, "published entry %zu is not the one that was appended: %.*s", index,
				      entry.n < 100 ? (int)entry.n : 100, entry.p);
	}
	return true;
}

/* Hashes of a tile against those that the entries give. */
static bool look_tile(const struct sim *s, struct tile tile, const struct digest *want, char why[MODEL_WHY])
{
	struct str bytes;

	if (!read_tile(s, tile, &bytes))
		return broken(why, "tile %u/%llu.p/%u of a published log is not there", tile.level,
			      (unsigned long long)tile.n, tile.width);
	if (bytes.n < tile.width * (size_t)SHA256_SIZE || memcmp(bytes.p, want, tile.width * (size_t)SHA256_SIZE) != 0)
		return broken(why, "tile %u/%llu.p/%u of a published log is not what its entries give", tile.level,
			      (unsigned long long)tile.n, tile.width);
	return true;
}

/* The hash of every prefix is not needed, only of those that were signed: asked for at each size on the way. */
struct roots {
	struct merkle at;
	size_t next;
};

static void roots_begin(struct roots *r, const struct model *m, struct items *t, size_t size)
{
	bool from_base = size >= MODEL_BASE;

	for (size_t i = 0; from_base && i < MODEL_BASE; i++)
		from_base = m->log[i] == i;
	if (from_base) {
		r->at = t->base;
		r->next = MODEL_BASE;
	} else {
		merkle_init(&r->at);
		r->next = 0;
	}
}

static struct digest roots_at(struct roots *r, const struct model *m, struct items *t, size_t size)
{
	for (; r->next < size; r->next++)
		merkle_add(&r->at, &t->sha, t->list[m->log[r->next]].leaf);
	return merkle_root(&r->at, &t->sha);
}

/* Logs here have at most one full tile. */
static bool look_tiles(const struct model *m, struct items *t, const struct sim *s, size_t size, char why[MODEL_WHY])
{
	struct digest leaves[MODEL_ENTRIES], above;
	struct roots r;

	for (size_t i = 0; i < size; i++)
		leaves[i] = t->list[m->log[i]].leaf;
	for (size_t n = 0; n * TILE_WIDTH < size; n++)
		if (!look_tile(s, tile_of(0, n * TILE_WIDTH, size), leaves + n * TILE_WIDTH, why))
			return false;
	if (size < TILE_WIDTH)
		return true;
	roots_begin(&r, m, t, TILE_WIDTH);
	above = roots_at(&r, m, t, TILE_WIDTH);
	return look_tile(s, tile_of(1, 0, size), &above, why);
}

static bool look_checkpoint(const struct model *m, struct items *t, const struct sim *s, struct checkpoint *c,
			    char why[MODEL_WHY])
{
	struct str bytes;
	const char *wrong;

	if (!sim_bytes(s, PLACE_LEDGER "/checkpoint", &bytes))
		return broken(why, "there is no checkpoint");
	if (!note_parse(bytes, &t->note, &wrong) || !checkpoint_parse(t->note.text, c, &wrong))
		return broken(why, "the checkpoint (%zu bytes) is none: %s", bytes.n, wrong);
	if (note_check(&t->note, &t->key, NULL) != NOTE_GOOD)
		return broken(why, "the checkpoint is not signed");
	if (c->size < m->published)
		return broken(why, "the checkpoint is of %llu entries; one of %llu was published", (unsigned long long)c->size,
			      (unsigned long long)m->published);
	if (c->size > m->acked + m->flying)
		return broken(why, "the checkpoint is of %llu entries, and only %zu were appended", (unsigned long long)c->size,
			      m->acked + m->flying);
	if (m->cosigned && m->cosigned == c->size && t->note.count < 2)
		return broken(why, "the checkpoint of %llu entries has lost its witness", (unsigned long long)c->size);
	return true;
}

bool model_look(const struct model *m, struct items *t, const struct sim *s, uint64_t *size, char why[MODEL_WHY])
{
	struct checkpoint c;
	struct roots r;
	struct digest root;

	if (!look_checkpoint(m, t, s, &c, why))
		return false;
	*size = c.size;
	for (uint64_t n = 0; n * TILE_WIDTH < c.size; n++)
		if (!look_bundle(m, t, s, n, c.size, why))
			return false;
	roots_begin(&r, m, t, (size_t)c.size);
	root = roots_at(&r, m, t, (size_t)c.size);
	if (memcmp(root.b, c.root.b, SHA256_SIZE) != 0)
		return broken(why, "the published entries have another root than the checkpoint of %llu",
			      (unsigned long long)c.size);
	return look_tiles(m, t, s, (size_t)c.size, why);
}

bool model_look_objects(const struct model *m, const struct items *t, const struct sim *s, char why[MODEL_WHY])
{
	for (size_t i = 0; i < t->count; i++) {
		enum object_state state = m->objects[i];
		struct str bytes;
		bool there;

		if (state == OBJECT_NONE)
			continue;
		there = sim_bytes(s, t->list[i].path, &bytes);
		if (there && !str_eq(bytes, t->list[i].object))
			return broken(why, "object %zu (%zu bytes) is there, and not whole: %zu bytes", i, t->list[i].object.n,
				      bytes.n);
		if (!there && state == OBJECT_THERE)
			return broken(why, "object %zu was acknowledged and is not there", i);
		if (there && state == OBJECT_GONE)
			return broken(why, "object %zu was erased and is there again", i);
	}
	return true;
}

bool model_check_signed(const struct model *m, struct items *t, char why[MODEL_WHY])
{
	struct roots r = { .next = SIZE_MAX };

	for (size_t i = 0; i < signing_count(); i++) {
		const struct signing_text *c = signing_get(i);
		struct digest root;

		if (c->size > m->acked + m->flying)
			return broken(why, "a checkpoint of %llu entries was signed, and the log has %zu", (unsigned long long)c->size,
				      m->acked + m->flying);
		if (c->size < r.next)
			roots_begin(&r, m, t, (size_t)c->size);
		root = roots_at(&r, m, t, (size_t)c->size);
		if (memcmp(root.b, c->root.b, SHA256_SIZE) != 0)
			return broken(why, "two logs of %llu entries were signed that contradict each other",
				      (unsigned long long)c->size);
	}
	return true;
}
