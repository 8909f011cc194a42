/* What the tests of a log in a directory share: a place, a signer, entries that are as ours. */
#ifndef UNIT_LEDGER_LOG_DIR_KIT_H
#define UNIT_LEDGER_LOG_DIR_KIT_H

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "harness/test.h"
#include "ledger/dir/log_dir.h"
#include "ledger/dir/wal.h"
#include "ledger/entry.h"

#define KIT_ORIGIN STR("ledger.example/test")

struct kit {
	struct arena arena;
	struct sha256 sha;
	struct str root, dir, keys;
	struct signer signer;
	struct log_dir_options options;
};

static inline void kit_must(bool done, const struct err *err)
{
	if (!done)
		FAIL("%s", err->text);
}

static inline void kit_begin(struct kit *k)
{
	struct err err = { .kind = ERR_NONE };
	uint8_t seed[ED25519_SEED] = { 7 };

	memset(k, 0, sizeof(*k));
	arena_init(&k->arena);
	sha256_init(&k->sha);
	k->root = str_from(test_dir());
	k->dir = ARENA_JOIN(&k->arena, k->root, STR("/ledger"));
	k->keys = ARENA_JOIN(&k->arena, k->root, STR("/keys"));
	CHECK(mkdir(k->keys.p, 0700) == 0);
	kit_must(signer_init(&k->signer, KIT_ORIGIN, KEY_LOG, seed, &err), &err);
	k->options = (struct log_dir_options){ .dir = k->dir, .keys = k->keys, .signer = &k->signer };
}

static inline struct log *kit_open(const struct kit *k)
{
	struct err err = { .kind = ERR_NONE };
	struct log *l = log_dir_open(&k->options, &err);

	kit_must(l != NULL, &err);
	return l;
}

static inline struct log *kit_make(const struct kit *k)
{
	struct err err = { .kind = ERR_NONE };

	kit_must(log_dir_make(&k->options, KIT_ORIGIN, &err), &err);
	return kit_open(k);
}

/* No test leaves anything behind; files are read-only, directories are not. */
static inline void kit_end(struct kit *k)
{
	struct str command = arena_printf(&k->arena, "rm -rf '%s'", k->root.p);

	CHECK_INT(system(command.p), 0);
	sha256_free(&k->sha);
	arena_free(&k->arena);
}

static inline const char *kit_path(struct kit *k, const char *name)
{
	return ARENA_JOIN(&k->arena, k->dir, STR("/"), str_from(name)).p;
}

/* Trial `id`, whose object has the bytes `body`. */
static inline struct log_item kit_item(struct kit *k, const char *id, const char *body)
{
	struct err err = { .kind = ERR_NONE };
	struct entry e = { .kind = ENTRY_TRIAL, .id = str_from(id), .experiment = STR("e1"),
			   .completeness = STR("complete"), .sealed_at = STR("2026-05-01T10:00:00.000Z") };
	struct log_item item = { .digest = sha256_of(&k->sha, str_from(body)) };
	struct buf text;

	e.record.given = true;
	e.record.digest = item.digest;
	e.record.size = strlen(body);
	e.record.media = STR(ENTRY_MEDIA_TRIAL);
	buf_init(&text);
	kit_must(entry_add_text(&text, &e, &err), &err);
	item.entry = arena_copy(&k->arena, buf_str(&text));
	item.ident = entry_ident(&k->arena, &e);
	buf_free(&text);
	return item;
}

static inline struct log_item kit_number(struct kit *k, unsigned n)
{
	return kit_item(k, arena_printf(&k->arena, "trial-%u", n).p, arena_printf(&k->arena, "body %u", n).p);
}

static inline void kit_append(struct kit *k, struct log *l, unsigned from, unsigned count)
{
	struct log_item *items = test_alloc(count * sizeof(*items));
	struct err err = { .kind = ERR_NONE };

	for (unsigned i = 0; i < count; i++)
		items[i] = kit_number(k, from + i);
	kit_must(log_append(l, items, count, &err), &err);
	for (unsigned i = 0; i < count; i++)
		CHECK_INT(items[i].outcome, LOG_ADDED);
}

static inline void kit_publish(struct log *l)
{
	struct err err = { .kind = ERR_NONE };

	kit_must(log_publish(l, &err), &err);
}

static inline uint64_t kit_size(struct log *l)
{
	struct err err = { .kind = ERR_NONE };
	struct log_head head;

	kit_must(l->ops->head(l, &head, &err), &err);
	return head.size;
}

/* Every entry there is, in order, is trial-<from>, trial-<from + 1>, ... and the root fits them. */
static inline void kit_check_numbers(struct kit *k, struct log *l, unsigned count)
{
	struct err err = { .kind = ERR_NONE };
	struct log_head head;
	struct merkle m;
	struct digest root;

	kit_must(l->ops->head(l, &head, &err), &err);
	CHECK_INT(head.size, count);
	merkle_init(&m);
	for (unsigned i = 0; i < count; i++) {
		struct str entry;

		kit_must(l->ops->entry(l, &k->arena, i, &entry, &err), &err);
		CHECK_STR(entry, kit_number(k, i).entry);
		merkle_add(&m, &k->sha, merkle_leaf(&k->sha, entry));
	}
	root = merkle_root(&m, &k->sha);
	CHECK(memcmp(root.b, head.root.b, SHA256_SIZE) == 0);
}

/* What a reader without our state sees is whole: every entry of the published size has its proof. */
static inline void kit_check_published(struct kit *k, uint64_t size)
{
	struct err err = { .kind = ERR_NONE };
	struct log_dir_options o = k->options;
	struct digest root;
	struct log_hashes *h;
	struct tree_reader r;
	struct checkpoint c;
	struct log_entries it;
	struct merkle m;
	struct str entry;
	struct log *l;
	uint64_t index;

	o.read_only = true;
	l = log_dir_open(&o, &err);
	kit_must(l != NULL, &err);
	kit_must(log_read_checkpoint(l, &k->arena, &c, NULL, &err), &err);
	CHECK_INT(c.size, size);
	merkle_init(&m);
	log_entries_begin(&it, l, 0, size, size);
	while (log_entries_next(&it, &entry, &index, &err))
		merkle_add(&m, &k->sha, merkle_leaf(&k->sha, entry));
	log_entries_end(&it);
	kit_must(err.kind == ERR_NONE, &err);
	root = merkle_root(&m, &k->sha);
	CHECK(memcmp(root.b, c.root.b, SHA256_SIZE) == 0);
	h = log_hashes_open(l, size);
	r = log_hashes_reader(h);
	kit_must(tree_root(&k->sha, &r, size, &root, &err), &err);
	CHECK(memcmp(root.b, c.root.b, SHA256_SIZE) == 0);
	log_hashes_close(h);
	log_close(l);
}

static inline bool kit_exists(struct kit *k, const char *name)
{
	struct stat st;

	return stat(kit_path(k, name), &st) == 0;
}

static inline struct str kit_read(struct kit *k, const char *name)
{
	struct err err = { .kind = ERR_NONE };
	struct str out;

	kit_must(file_read(&k->arena, str_from(kit_path(k, name)), (size_t)1 << 30, &out, &err), &err);
	return out;
}

static inline void kit_write(struct kit *k, const char *name, struct str bytes)
{
	const char *path = kit_path(k, name);
	FILE *f;

	unlink(path);
	f = fopen(path, "w");
	CHECK(f != NULL);
	CHECK(bytes.n == 0 || fwrite(bytes.p, bytes.n, 1, f) == 1);
	CHECK(fclose(f) == 0);
}

#endif
