/*
 * Ledgers made by hand in a disk of memory, without the engine, which would refuse to write most of what the tests of
 * the check are about: references that lie, trials twice, histories that part. They lie in "l", the keys in "k".
 */
#ifndef UNIT_LEDGER_MADE_H
#define UNIT_LEDGER_MADE_H

#include "ledger/check.h"
#include "ledger/check_rules.h"
#include "ledger/wal.h"
#include "unit/ledger/disk.h"

#define MADE_MAX 1024

struct made_log {
	struct signer signer;
	const char *dir;
	struct str entries[MADE_MAX];
	struct digest leaves[MADE_MAX];
	size_t count;
};

struct made {
	struct disk *disk;
	struct io io;
	struct arena arena;
	struct sha256 sha;
	struct made_log logs[LEDGER_PARTS];
	struct findings findings;
	struct log_report report[LEDGER_PARTS];
	struct key key; /* what the check is given */
};

static inline struct str made_vkey(struct made *m, const struct key *k)
{
	struct buf b;
	struct str s;

	buf_init(&b);
	key_add_text(&b, k);
	s = arena_copy(&m->arena, buf_str(&b));
	buf_free(&b);
	return s;
}

static inline struct made *made_new(void)
{
	struct made *m = test_alloc(sizeof(*m));
	static const uint8_t seed[ED25519_SEED] = { 7, 1, 2 };
	struct err err;

	m->disk = disk_new();
	m->io = disk_io(m->disk);
	arena_init(&m->arena);
	sha256_init(&m->sha);
	m->logs[LEDGER_MAIN].dir = "l";
	m->logs[LEDGER_DIAGNOSTIC].dir = "l/diagnostic";
	CHECK(signer_init(&m->logs[LEDGER_MAIN].signer, STR("example.org/l"), KEY_LOG, seed, &err));
	CHECK(signer_init(&m->logs[LEDGER_DIAGNOSTIC].signer, STR("example.org/l/diagnostic"), KEY_LOG, seed, &err));
	m->key = m->logs[LEDGER_MAIN].signer.key;
	return m;
}

__attribute__((format(printf, 3, 4))) static inline struct disk_file *made_put(struct made *m, struct str bytes,
										const char *format, ...)
{
	char path[256];
	va_list args;

	va_start(args, format);
	vsnprintf(path, sizeof(path), format, args);
	va_end(args);
	return disk_put(m->disk, path, bytes);
}

__attribute__((format(printf, 2, 3))) static inline struct disk_file *made_file(struct made *m, const char *format, ...)
{
	char path[256];
	struct disk_file *f;
	va_list args;

	va_start(args, format);
	vsnprintf(path, sizeof(path), format, args);
	va_end(args);
	f = disk_find(m->disk, path);
	if (!f)
		FAIL("there is no %s", path);
	return f;
}

/* ---- entries ---- */

static inline uint64_t made_add_bytes(struct made *m, enum ledger_part p, struct str bytes)
{
	struct made_log *l = m->logs + p;

	CHECK(l->count < MADE_MAX);
	l->entries[l->count] = arena_copy(&m->arena, bytes);
	l->leaves[l->count] = merkle_leaf(&m->sha, bytes);
	return l->count++;
}

/* With the object and the link that belong to it. */
static inline uint64_t made_add(struct made *m, enum ledger_part p, struct entry e, struct str object)
{
	struct err err = { .kind = ERR_NONE };
	struct buf text;
	uint64_t index;

	if (object.p) {
		struct str link;
		char hex[SHA256_HEX];

		e.record.given = true;
		e.record.digest = sha256_of(&m->sha, object);
		e.record.size = object.n;
		e.record.media = e.kind == ENTRY_TRIAL ? STR(ENTRY_MEDIA_TRIAL) : STR("text/plain");
		digest_hex(hex, e.record.digest);
		made_put(m, object, "%s/objects/sha256/%.2s/%.62s", m->logs[p].dir, hex, hex + 2);
		link = entry_link_name(&m->arena, &e);
		if (link.p)
			made_put(m, object, "%s/%.*s", m->logs[p].dir, STR_ARG(link));
	}
	e.sealed_at = STR("2026-07-01T10:00:00.000Z");
	buf_init(&text);
	CHECK(entry_add_text(&text, &e, &err));
	index = made_add_bytes(m, p, buf_str(&text));
	buf_free(&text);
	return index;
}

static inline struct entry made_trial_entry(struct made *m, enum ledger_part p, const char *id)
{
	return (struct entry){ .kind = ENTRY_TRIAL, .experiment = STR("exp"), .id = arena_copy(&m->arena, str_from(id)),
			       .completeness = p == LEDGER_MAIN ? STR("complete") : STR("partial") };
}

static inline uint64_t made_trial(struct made *m, enum ledger_part p, const char *id)
{
	return made_add(m, p, made_trial_entry(m, p, id), arena_printf(&m->arena, "{\"trial_id\":\"%s\"}", id));
}

/* A reference to trial `index`, as it should be. */
static inline struct entry_ref made_ref(struct made *m, enum ledger_part p, uint64_t index, const char *id)
{
	return (struct entry_ref){ .given = true, .trial_id = arena_copy(&m->arena, str_from(id)), .index = index,
				   .leaf = m->logs[p].leaves[index] };
}

static inline uint64_t made_review(struct made *m, enum ledger_part p, const char *id, struct entry_ref ref)
{
	struct entry e = { .kind = ENTRY_REVIEW, .experiment = STR("exp"), .id = str_from(id), .ref = ref };

	return made_add(m, p, e, arena_printf(&m->arena, "{\"review\":\"%s\"}", id));
}

static inline uint64_t made_artifact(struct made *m, enum ledger_part p, const char *id, struct entry_ref ref,
				     struct str bytes)
{
	struct entry e = { .kind = ENTRY_ARTIFACT, .experiment = STR("exp"), .id = str_from(id), .ref = ref };

	return made_add(m, p, e, bytes);
}

static inline uint64_t made_erase(struct made *m, enum ledger_part p, struct entry_ref ref)
{
	struct entry e = { .kind = ENTRY_ERASE, .experiment = STR("exp"), .id = STR("erase-1"), .ref = ref,
			   .reason = STR("asked for") };

	return made_add(m, p, e, (struct str){ NULL, 0 });
}

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

/* A frame of entries [from, to) in the write-ahead file. */
static inline void made_put_frame(struct made *m, enum ledger_part p, uint64_t from, uint64_t to)
{
	struct disk_file *wal = made_file(m, "%s/.state/wal", m->logs[p].dir);
	struct buf bundle;

	buf_init(&bundle);
	for (uint64_t i = from; i < to; i++)
		bundle_add(&bundle, m->logs[p].entries[i]);
	wal_add_frame(&wal->bytes, &m->sha, from, (uint32_t)(to - from), buf_str(&bundle));
	buf_free(&bundle);
}

/* ---- checking ---- */

static inline struct ledger_check made_check(struct made *m)
{
	return (struct ledger_check){
		.where = STR("l"), .arena = &m->arena, .io = &m->io, .vkey = made_vkey(m, &m->key), .keys = STR("k"),
		.objects = true, .local = true, .findings = &m->findings,
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
