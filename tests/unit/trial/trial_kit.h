/* What the tests of this room share: a ledger in a directory of the test's own, and records to put into it. */
#ifndef UNIT_TRIAL_TRIAL_KIT_H
#define UNIT_TRIAL_TRIAL_KIT_H

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "harness/test.h"
#include "trial/seal.h"

struct kit {
	struct arena arena;
	struct sha256 sha;
	struct str root, dir, keys;
	struct ledger_options options;
	struct ledger ledger;
	struct json_parser *parser;
};

static inline void kit_must(bool done, const struct err *err)
{
	if (!done)
		FAIL("%s", err->text);
}

static inline void kit_open(struct kit *k)
{
	struct err err = { .kind = ERR_NONE };

	kit_must(ledger_open(&k->ledger, &k->arena, &k->options, &err), &err);
}

static inline void kit_begin(struct kit *k)
{
	struct err err = { .kind = ERR_NONE };
	uint8_t seed[ED25519_SEED] = { 9 };
	struct signer signer;

	memset(k, 0, sizeof(*k));
	arena_init(&k->arena);
	sha256_init(&k->sha);
	k->parser = json_parser_open((struct json_options){ .max_depth = 0 });
	k->root = str_from(test_dir());
	k->dir = ARENA_JOIN(&k->arena, k->root, STR("/ledger"));
	k->keys = ARENA_JOIN(&k->arena, k->root, STR("/keys"));
	CHECK(mkdir(k->keys.p, 0700) == 0);
	kit_must(signer_init(&signer, STR("trial.example/test"), KEY_LOG, seed, &err), &err);
	kit_must(keys_add(&k->arena, k->keys, &signer, &err), &err);
	k->options = (struct ledger_options){ .where = k->dir, .keys = k->keys, .on_network = true };
	kit_must(ledger_make(&k->arena, &k->options, &signer, &err), &err);
	kit_open(k);
}

static inline int kit_remove_one(const char *path, const struct stat *st, int kind, struct FTW *ftw)
{
	(void)st;
	(void)kind;
	(void)ftw;
	return remove(path);
}

static inline void kit_end(struct kit *k)
{
	ledger_close(&k->ledger);
	json_parser_close(k->parser);
	sha256_free(&k->sha);
	CHECK(nftw(k->root.p, kit_remove_one, 16, FTW_DEPTH | FTW_PHYS) == 0);
	arena_free(&k->arena);
}

static inline const char *kit_path(struct kit *k, const char *name)
{
	return ARENA_JOIN(&k->arena, k->root, STR("/"), str_from(name)).p;
}

static inline bool kit_has(struct kit *k, const char *name)
{
	return access(kit_path(k, name), F_OK) == 0;
}

static inline void kit_put(struct kit *k, const char *name, struct str bytes)
{
	FILE *f = fopen(kit_path(k, name), "wb");

	CHECK(f && fwrite(bytes.p, 1, bytes.n, f) == bytes.n && fclose(f) == 0);
}

/* The first `from` in the text becomes `to`. */
static inline struct str kit_replace(struct kit *k, struct str text, const char *from, const char *to)
{
	size_t at = str_find(text, str_from(from)), n = strlen(from);

	if (at == (size_t)-1)
		FAIL("%s is not in it", from);
	return ARENA_JOIN(&k->arena, str_of(text.p, at), str_from(to), str_of(text.p + at + n, text.n - at - n));
}

/* A complete record, and a partial one, of this id. */
static inline struct str kit_record(struct kit *k, const char *id)
{
	return kit_replace(k, test_data("trial/full.json"), "\"t-001\"", id);
}

static inline uint64_t kit_size(struct kit *k, enum ledger_part part)
{
	struct err err = { .kind = ERR_NONE };
	struct log *l = k->ledger.logs[part];
	struct log_head head;

	kit_must(l->ops->head(l, &head, &err), &err);
	return head.size;
}

static inline struct entry kit_entry(struct kit *k, enum ledger_part part, uint64_t index)
{
	struct err err = { .kind = ERR_NONE };
	struct log *l = k->ledger.logs[part];
	struct str bytes, why;
	struct entry e;

	kit_must(l->ops->entry(l, &k->arena, index, &bytes, &err), &err);
	if (!entry_parse(k->parser, &k->arena, bytes, &e, &why))
		FAIL("%.*s", STR_ARG(why));
	return e;
}

/* The bytes of an object; p is NULL when it is not there. */
static inline struct str kit_object(struct kit *k, enum ledger_part part, struct digest d)
{
	struct err err = { .kind = ERR_NONE };
	struct log *l = k->ledger.logs[part];
	struct str bytes;
	bool found;

	kit_must(l->ops->object(l, &k->arena, d, &bytes, &found, &err), &err);
	return found ? bytes : (struct str){ NULL, 0 };
}

#define KIT_RESULTS 600

/* What a sealer told, in order. */
struct kit_told {
	struct kit *kit;
	struct seal_result results[KIT_RESULTS];
	struct str messages[KIT_RESULTS]; /* of the first finding, with its code */
	size_t count, stop_at;            /* stop_at 0: never */
};

static inline bool kit_tell(void *context, const struct seal_result *r, struct err *err)
{
	struct kit_told *t = context;

	CHECK(t->count < KIT_RESULTS);
	t->results[t->count] = *r;
	t->results[t->count].name = arena_copy(&t->kit->arena, r->name);
	t->results[t->count].trial_id = arena_copy(&t->kit->arena, r->trial_id);
	t->messages[t->count] = STR("");
	if (r->findings && r->findings->kept_count)
		t->messages[t->count] = arena_printf(&t->kit->arena, "%s %.*s", r->findings->kept[0].code,
						     STR_ARG(r->findings->kept[0].message));
	t->results[t->count].findings = NULL;
	t->count++;
	return t->count != t->stop_at || err_set(err, ERR_DATA, "enough");
}

#endif
