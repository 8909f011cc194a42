/* Imports into a ledger of the test's own, and what became of each record. */
#ifndef UNIT_TRIAL_IMPORT_KIT_H
#define UNIT_TRIAL_IMPORT_KIT_H

#include "trial/import_prime.h"
#include "trial_kit.h"

#define TOLD_MAX 1000

struct told {
	struct kit *kit;
	struct import *import;
	struct import_item items[TOLD_MAX];
	size_t count;
	struct import_tally tally;
};

static inline bool told_add(void *context, const struct import_item *item, struct err *err)
{
	struct told *t = context;

	(void)err;
	CHECK(t->count < TOLD_MAX);
	t->items[t->count] = *item;
	t->items[t->count].name = arena_copy(&t->kit->arena, item->name);
	t->items[t->count].why = arena_copy(&t->kit->arena, item->why);
	t->items[t->count].trial_id = arena_copy(&t->kit->arena, item->trial_id);
	t->count++;
	return true;
}

static inline struct told *told_begin(struct kit *k, bool dry_run)
{
	struct told *t = test_alloc(sizeof(*t));
	struct import_options o = { .ledger = &k->ledger, .dry_run = dry_run, .each = told_add, .context = t };

	t->kit = k;
	t->import = import_open(&o);
	return t;
}

static inline void told_end(struct told *t)
{
	struct err err = { .kind = ERR_NONE };

	kit_must(import_end(t->import, &t->tally, &err), &err);
	import_close(t->import);
}

/* A text given in pieces of so many bytes. */
struct pieced {
	struct str left;
	size_t piece;
};

static inline bool pieced_read(void *context, struct str *piece, struct err *err)
{
	struct pieced *p = context;
	size_t n = p->left.n < p->piece ? p->left.n : p->piece;

	(void)err;
	*piece = str_of(p->left.p, n);
	p->left = str_of(p->left.p + n, p->left.n - n);
	return true;
}

/* The samples of a document, under an evaluation. False as prime_import_samples gives it. */
static inline bool told_samples(struct told *t, const char *evaluation, struct str samples, size_t piece, struct err *err)
{
	struct pieced from = { .left = samples, .piece = piece };
	struct prime *p = prime_open(PRIME_HOSTED, STR("evaluation"), str_from(evaluation), (struct str){ NULL, 0 }, err);
	uint64_t n = 0;
	bool done;

	kit_must(p != NULL, err);
	done = prime_import_samples(p, t->import, STR("samples"), (struct prime_bytes){ pieced_read, &from }, &n, NULL, err);
	prime_close(p);
	return done;
}

/* The bytes of what is in the diagnostic log under this id: a trial, or "trial/name" of an artifact. */
static inline struct str told_object(struct kit *k, const char *id)
{
	for (uint64_t i = 0; i < kit_size(k, LEDGER_DIAGNOSTIC); i++) {
		struct entry e = kit_entry(k, LEDGER_DIAGNOSTIC, i);

		if (str_eq(e.id, str_from(id)))
			return kit_object(k, LEDGER_DIAGNOSTIC, e.record.digest);
	}
	FAIL("the ledger has no %s", id);
}

/* What stands at a place of a record, as it is written there; "-" for nothing. */
static inline struct str told_at(struct kit *k, struct str record, const char *pointer)
{
	struct val v, at;

	CHECK(json_parse_copy(k->parser, record, &v, NULL));
	at = val_at(v, str_from(pointer));
	return val_is_none(at) ? STR("-") : arena_copy(&k->arena, val_source(at));
}

/* With what every sample must have, unless it has it: a reward, and something else of a sample. */
static inline struct str told_fill(struct kit *k, struct str sample)
{
	bool has_reward = str_find(sample, STR("reward\"")) != (size_t)-1;
	bool has_id = str_find(sample, STR("\"sample_id\":\"a\"")) != (size_t)-1, is_empty = str_eq(sample, STR("{}"));

	if (has_reward && has_id)
		return sample;
	return ARENA_JOIN(&k->arena, STR("{\"is_truncated\":false"), has_reward ? STR("") : STR(",\"reward\":0"),
			  is_empty ? STR("") : STR(","), str_of(sample.p + 1, sample.n - 1));
}

/* One sample alone, under this evaluation: its record. */
static inline struct str told_record(struct kit *k, const char *evaluation, const char *sample)
{
	struct err err = { .kind = ERR_NONE };
	struct told *t = told_begin(k, false);
	struct str all = ARENA_JOIN(&k->arena, STR("{\"samples\":["), told_fill(k, str_from(sample)), STR("]}"));

	kit_must(told_samples(t, evaluation, all, all.n, &err), &err);
	told_end(t);
	if (t->count != 1 || t->items[0].outcome != IMPORT_NEW)
		FAIL("%.*s", STR_ARG(t->items[0].why));
	return told_object(k, t->items[0].trial_id.p);
}

#endif
