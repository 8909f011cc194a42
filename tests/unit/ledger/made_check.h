/* Publishing a ledger made by hand, checking it, and asking what was found. */
#ifndef UNIT_LEDGER_MADE_CHECK_H
#define UNIT_LEDGER_MADE_CHECK_H

#include "unit/ledger/made.h"
#include "unit/ledger/old_frame.h"

/* ---- publishing ---- */

static inline struct digest made_subtree(struct made *m, enum ledger_part p, uint64_t from, uint64_t count)
{
	struct merkle tree;

	merkle_init(&tree);
	for (uint64_t i = 0; i < count; i++)
		merkle_add(&tree, &m->sha, m->logs[p].leaves[from + i]);
	return merkle_root(&tree, &m->sha);
}

static inline void made_put_tile(struct made *m, enum ledger_part p, const struct tile *t)
{
	char path[TILE_PATH_MAX];
	struct buf bytes;

	buf_init(&bytes);
	for (unsigned i = 0; i < t->width; i++) {
		uint64_t at = t->n * TILE_WIDTH + i;

		if (t->level == TILE_ENTRIES) {
			bundle_add(&bytes, m->logs[p].entries[at]);
		} else {
			uint64_t wide = (uint64_t)1 << 8 * t->level;
			struct digest d = made_subtree(m, p, at * wide, wide);

			buf_add(&bytes, d.b, sizeof(d.b));
		}
	}
	tile_path(path, t);
	made_put(m, buf_str(&bytes), "%s/%s", m->logs[p].dir, path);
	buf_free(&bytes);
}

/* A signed checkpoint of the first `size` entries, in the arena. */
static inline struct str made_sign(struct made *m, enum ledger_part p, uint64_t size)
{
	struct checkpoint c = { .origin = m->logs[p].signer.key.name, .size = size,
				.root = made_subtree(m, p, 0, size) };
	struct err err = { .kind = ERR_NONE };
	struct buf note;
	struct str s;

	buf_init(&note);
	CHECK(checkpoint_sign(&note, &c, &m->logs[p].signer, &err));
	s = arena_copy(&m->arena, buf_str(&note));
	buf_free(&note);
	return s;
}

static inline void made_put_head(struct made *m, enum ledger_part p, struct str note)
{
	const uint8_t *id = m->logs[p].signer.key.id;

	made_put(m, note, "k/%02x%02x%02x%02x.head", id[0], id[1], id[2], id[3]);
}

/* Everything that a log of this size has. */
static inline void made_publish_at(struct made *m, enum ledger_part p, uint64_t size)
{
	static const unsigned levels[] = { TILE_ENTRIES, 0, 1 };
	struct str note = made_sign(m, p, size);
	const char *dir = m->logs[p].dir;

	for (size_t i = 0; i < 3; i++) {
		uint64_t full = tile_full_count(levels[i], size);
		struct tile t = { .level = levels[i], .n = full, .width = tile_partial_width(levels[i], size) };

		if (t.width)
			made_put_tile(m, p, &t);
		for (t.n = 0, t.width = TILE_WIDTH; t.n < full; t.n++)
			made_put_tile(m, p, &t);
	}
	made_put(m, note, "%s/checkpoint", dir);
	made_put(m, note, "%s/checkpoints/%llu", dir, (unsigned long long)size);
	made_put(m, made_vkey(m, &m->logs[p].signer.key), "%s/vkey", dir);
	made_put(m, STR("1\n"), "%s/.state/version", dir);
	made_put(m, STR(""), "%s/.state/lock", dir);
	made_put(m, STR(""), "%s/.state/wal", dir);
	made_put_head(m, p, note);
}

static inline void made_publish(struct made *m)
{
	for (int p = 0; p < LEDGER_PARTS; p++)
		made_publish_at(m, (enum ledger_part)p, m->logs[p].count);
}

/* A frame of entries [from, to) in the write-ahead file, by whoever has this key. */
static inline void made_put_frame_of(struct made *m, enum ledger_part p, uint64_t from, uint64_t to,
				     const struct signer *by)
{
	struct disk_file *wal = made_file(m, "%s/.state/wal", m->logs[p].dir);
	struct wal_key key;
	struct buf bundle;

	wal_key_init(&key, by->seed, by->key.name);
	buf_init(&bundle);
	for (uint64_t i = from; i < to; i++)
		bundle_add(&bundle, m->logs[p].entries[i]);
	wal_add_frame(&wal->bytes, &m->sha, &key, from, (uint32_t)(to - from), buf_str(&bundle));
	buf_free(&bundle);
}

static inline void made_put_frame(struct made *m, enum ledger_part p, uint64_t from, uint64_t to)
{
	made_put_frame_of(m, p, from, to, &m->logs[p].signer);
}

/* As version 0.1 wrote it. */
static inline void made_put_old_frame(struct made *m, enum ledger_part p, uint64_t from, uint64_t to)
{
	struct buf bundle;

	buf_init(&bundle);
	for (uint64_t i = from; i < to; i++)
		bundle_add(&bundle, m->logs[p].entries[i]);
	old_frame_add(&made_file(m, "%s/.state/wal", m->logs[p].dir)->bytes, &m->sha, from, (uint32_t)(to - from),
		      buf_str(&bundle));
	buf_free(&bundle);
}

/* ---- checking ---- */

static inline struct ledger_check made_check(struct made *m)
{
	return (struct ledger_check){
		.where = STR("l"), .arena = &m->arena, .io = &m->io, .vkey = made_vkey(m, &m->key), .keys = STR("k"),
		.signer = &m->logs[LEDGER_MAIN].signer, .objects = true, .local = true, .findings = &m->findings,
	};
}

static inline void made_run_with(struct made *m, struct ledger_check c)
{
	struct err err = { .kind = ERR_NONE };

	findings_init(&m->findings, &m->arena, 0);
	if (!ledger_check_run(&c, m->report, &err))
		FAIL("could not look: %s", err.text);
}

static inline void made_run(struct made *m)
{
	made_run_with(m, made_check(m));
}

static inline const char *made_code(enum ledger_rule r)
{
	return ledger_rules[r].code;
}

/* How many findings have this code and this text. */
static inline size_t made_count(const struct made *m, enum ledger_rule rule, const char *text)
{
	size_t count = 0;

	for (size_t i = 0; i < m->findings.kept_count; i++) {
		const struct finding *f = m->findings.kept + i;

		count += strcmp(f->code, made_code(rule)) == 0 && str_find(f->message, str_from(text)) != (size_t)-1;
	}
	return count;
}

static inline void made_show(const struct made *m)
{
	for (size_t i = 0; i < m->findings.kept_count; i++)
		printf("\t%s %.*s\n", m->findings.kept[i].code, STR_ARG(m->findings.kept[i].message));
}

/* There is this finding, and no other one but notes. */
#define CHECK_ONLY(m, rule, text)                                                                             \
	do {                                                                                                  \
		if ((m)->findings.errors + (m)->findings.warnings != 1 || made_count(m, rule, text) != 1) {       \
			made_show(m);                                                                         \
			FAIL("expected only %s '%s'", made_code(rule), text);                                 \
		}                                                                                             \
	} while (0)

#define CHECK_CLEAN(m)                                                  \
	do {                                                            \
		if ((m)->findings.errors + (m)->findings.warnings) {    \
			made_show(m);                                   \
			FAIL("expected nothing");                       \
		}                                                       \
	} while (0)

#endif
