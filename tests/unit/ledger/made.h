/*
 * Ledgers made by hand in a disk of memory, without the engine, which would refuse to write most of what the tests of
 * the check are about: references that lie, trials twice, histories that part. They lie in "l", the keys in "k".
 */
#ifndef UNIT_LEDGER_MADE_H
#define UNIT_LEDGER_MADE_H

#include "ledger/check/check.h"
#include "ledger/check/rules.h"
#include "ledger/dir/wal.h"
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
	if (!e.sealed_at.p)
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

#endif
