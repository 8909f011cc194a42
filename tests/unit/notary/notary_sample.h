/* A log of made-up entries, its key, a witness with a directory of its own: for tests of asking and answering. */
#ifndef UNIT_NOTARY_NOTARY_SAMPLE_H
#define UNIT_NOTARY_NOTARY_SAMPLE_H

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/crypto/base64.h"
#include "harness/test.h"
#include "notary/witness.h"

#define SAMPLE_NOW 1777777777

struct sample {
	char dir[64];
	struct arena a;
	struct sha256 sha;
	struct err err;
	struct signer log, stranger, signer; /* the log's key, one of nobody, the witness's */
	struct witness *w;
	struct witness_answer x;
	uint64_t forked_at; /* entries from here on are others */
};

static inline int64_t sample_now(void)
{
	return (int64_t)SAMPLE_NOW * 1000000000;
}

static inline void sample_signer(struct sample *s, struct signer *out, const char *name, enum key_kind kind, uint8_t fill)
{
	uint8_t seed[ED25519_SEED];

	memset(seed, fill, sizeof(seed));
	if (!signer_init(out, str_from(name), kind, seed, &s->err))
		FAIL("%s", s->err.text);
}

static inline void sample_open_witness(struct sample *s, const struct io *io)
{
	struct witness_options o = {
		.io = io,
		.dir = arena_printf(&s->a, "%s/state/of/it", s->dir),
		.signer = &s->signer,
		.logs = &s->log.key,
		.log_count = 1,
		.now_ns = sample_now,
	};

	s->w = witness_open(&o, &s->err);
	if (!s->w)
		FAIL("%s", s->err.text);
}

static inline struct sample *sample_open(void)
{
	struct sample *s = test_alloc(sizeof(*s));
	const char *tmp = getenv("TMPDIR");

	CHECK(snprintf(s->dir, sizeof(s->dir), "%s/trackway-notary-XXXXXX", tmp ? tmp : "/tmp") < (int)sizeof(s->dir));
	CHECK(mkdtemp(s->dir));
	arena_init(&s->a);
	sha256_init(&s->sha);
	s->forked_at = UINT64_MAX;
	sample_signer(s, &s->log, "log.example/a", KEY_LOG, 1);
	sample_signer(s, &s->stranger, "log.example/a", KEY_LOG, 2);
	sample_signer(s, &s->signer, "witness.example/w", KEY_WITNESS, 3);
	sample_open_witness(s, NULL);
	return s;
}

static inline int sample_remove_one(const char *path, const struct stat *st, int type, struct FTW *where)
{
	(void)st;
	(void)type;
	(void)where;
	return remove(path);
}

static inline void sample_close(struct sample *s)
{
	witness_close(s->w);
	CHECK(nftw(s->dir, sample_remove_one, 20, FTW_DEPTH | FTW_PHYS) == 0);
	sha256_free(&s->sha);
	arena_free(&s->a);
}

/* Hash n of a level: computed from the leaves up each time, for logs are small here. */
static inline bool sample_hash(void *context, unsigned level, uint64_t n, struct digest *out, struct err *err)
{
	struct sample *s = context;
	struct merkle m;

	(void)err;
	merkle_init(&m);
	for (uint64_t i = n << level; i < (n + 1) << level; i++) {
		struct str entry = arena_printf(&s->a, "%s %llu", i >= s->forked_at ? "other" : "entry", (unsigned long long)i);

		merkle_add(&m, &s->sha, merkle_leaf(&s->sha, entry));
	}
	*out = merkle_root(&m, &s->sha);
	return true;
}

static inline struct checkpoint sample_checkpoint(struct sample *s, uint64_t size)
{
	struct tree_reader r = { .hash = sample_hash, .context = s };
	struct checkpoint c = { .origin = s->log.key.name, .size = size };

	CHECK(tree_root(&s->sha, &r, size, &c.root, &s->err));
	return c;
}

static inline struct str sample_note(struct sample *s, uint64_t size, const struct signer *by)
{
	struct checkpoint c = sample_checkpoint(s, size);
	struct str text;
	struct buf b;

	buf_init(&b);
	CHECK(checkpoint_sign(&b, &c, by, &s->err));
	text = arena_copy(&s->a, buf_str(&b));
	buf_free(&b);
	return text;
}

static inline struct str sample_body_of(struct sample *s, const struct witness_ask *ask)
{
	struct str text;
	struct buf b;

	buf_init(&b);
	witness_add_text(&b, ask);
	text = arena_copy(&s->a, buf_str(&b));
	buf_free(&b);
	return text;
}

/* A right question: from old to size. */
static inline struct str sample_body(struct sample *s, uint64_t old, uint64_t size)
{
	struct tree_reader r = { .hash = sample_hash, .context = s };
	struct witness_ask ask = { .old = old, .note = sample_note(s, size, &s->log) };

	CHECK(tree_prove_consistency(&s->sha, &r, old, size, &ask.proof, &s->err));
	return sample_body_of(s, &ask);
}

static inline int sample_ask(struct sample *s, struct str body)
{
	witness_add_checkpoint(s->w, &s->a, body, &s->x);
	return s->x.status;
}

/* Whether the answer is a good cosignature of the log at this size. */
static inline bool sample_is_cosigned(struct sample *s, uint64_t size)
{
	struct checkpoint c = sample_checkpoint(s, size);
	struct note *n = arena_new(&s->a, struct note);
	uint64_t time = 0;
	const char *why;
	struct buf b;
	bool is;

	buf_init(&b);
	checkpoint_add_text(&b, &c);
	buf_add_byte(&b, '\n');
	buf_add_str(&b, s->x.body);
	is = note_parse(arena_copy(&s->a, buf_str(&b)), n, &why) && note_check(n, &s->signer.key, &time) == NOTE_GOOD &&
	     time == SAMPLE_NOW;
	buf_free(&b);
	return is;
}

#endif
