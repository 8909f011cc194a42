/*
 * Samples of Prime and of verifiers. The first byte says which, and how the document is cut; what follows is an
 * evaluation up to a NUL, then the samples. Whatever they are, a record that is made of one keeps every rule, and
 * however the document was cut, the same is made of it.
 */
#include <string.h>

#include "fuzz/fuzz.h"
#include "trial/import_prime.h"

struct seen {
	uint64_t hash;
	struct import_tally tally;
	bool done;
};

/* A log that has nothing in it; in a dry run nothing else is asked of it. */
static bool find_nothing(struct log *l, struct str ident, bool *found, uint64_t *index, struct err *err)
{
	(void)l;
	(void)err;
	FUZZ_CHECK(ident.n > 0);
	*found = false;
	*index = 0;
	return true;
}

static const struct log_ops nothing = { .find = find_nothing };

static bool each(void *context, const struct import_item *item, struct err *err)
{
	struct seen *s = context;

	(void)err;
	FUZZ_CHECK(item->name.n > 0);
	FUZZ_CHECK(item->outcome != IMPORT_REFUSED || item->why.n > 0);
	FUZZ_CHECK(item->outcome != IMPORT_NEW || item->part == LEDGER_DIAGNOSTIC);
	if (item->outcome == IMPORT_REFUSED && str_starts(item->why, STR("TR"))) {
		fprintf(stderr, "%.*s\n", STR_ARG(item->why));
		abort();
	}
	s->hash = s->hash * 31 + str_hash(item->name) + (uint64_t)item->outcome;
	return true;
}

struct cut {
	struct str left;
	size_t piece;
};

static bool read_piece(void *context, struct str *piece, struct err *err)
{
	struct cut *c = context;
	size_t n = c->left.n < c->piece ? c->left.n : c->piece;

	(void)err;
	*piece = str_of(c->left.p, n);
	c->left = str_of(c->left.p + n, c->left.n - n);
	return true;
}

static struct seen run(enum prime_source source, struct str evaluation, struct str samples, size_t piece)
{
	struct log log = { .ops = &nothing };
	struct ledger ledger = { .logs = { &log, &log } };
	struct seen seen = { .done = false };
	struct import_options o = { .ledger = &ledger, .dry_run = true, .each = each, .context = &seen };
	struct cut cut = { .left = samples, .piece = piece };
	struct err err = { .kind = ERR_NONE };
	struct prime *p = prime_open(source, STR("evaluation"), evaluation, (struct str){ NULL, 0 }, &err);
	struct import *im;
	uint64_t n = 0, pages = 0;

	if (!p) {
		FUZZ_CHECK(err.kind == ERR_DATA);
		return seen;
	}
	im = import_open(&o);
	seen.done = prime_import_samples(p, im, STR("s"), (struct prime_bytes){ read_piece, &cut }, &n, &pages, &err);
	FUZZ_CHECK(seen.done == (err.kind == ERR_NONE));
	FUZZ_CHECK(import_end(im, &seen.tally, &err));
	/* an episode of verifiers may have several traces */
	FUZZ_CHECK(!seen.done || seen.tally.imported + seen.tally.duplicates + seen.tally.refused >= n);
	FUZZ_CHECK(!seen.done || source == PRIME_VERIFIERS ||
		   seen.tally.imported + seen.tally.duplicates + seen.tally.refused == n);
	import_close(im);
	prime_close(p);
	return seen;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	enum prime_source source;
	struct str text, evaluation, samples;
	struct seen whole, pieces;

	if (size < 1)
		return 0;
	source = data[0] & 1 ? PRIME_VERIFIERS : PRIME_HOSTED;
	text = str_of(data + 1, size - 1);
	evaluation = str_cut(text, '\0', &samples);
	whole = run(source, evaluation, samples, samples.n + 1);
	pieces = run(source, evaluation, samples, 1 + (data[0] >> 1));
	/* white space at the front hides what a document is from its first piece: see prime_import_samples */
	if (samples.n && (samples.p[0] == '{' || samples.p[0] == '['))
		FUZZ_CHECK(whole.done == pieces.done && whole.hash == pieces.hash);
	return 0;
}
