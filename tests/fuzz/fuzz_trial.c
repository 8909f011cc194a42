/*
 * The formats of trials: records, trajectories and conversations. The first byte chooses the format, the
 * mode and whether the rest is one document; where lines are cut into chunks must make no difference, and
 * every finding must be one of the format's rules, at a place inside the input.
 */
#include <string.h>

#include "dialect/formats.h"
#include "fuzz.h"

struct outcome {
	struct arena arena;
	struct findings findings;
	struct check_tally tally;
};

static size_t line_length(struct str text, size_t lines)
{
	size_t n = 0;

	while (lines-- > 0 && n < text.n) {
		const char *end = memchr(text.p + n, '\n', text.n - n);

		n = end ? (size_t)(end - text.p) + 1 : text.n;
	}
	return n;
}

/* With so many lines in a chunk, each chunk a copy of its own that is gone afterwards. */
static void check(struct outcome *o, const struct dialect *d, struct check_options options, struct str text,
		  size_t lines)
{
	void *scanner = d->ops->scanner_open(d, &options), *batch = d->ops->batch_open(d);
	void *fold = d->ops->fold_open(d, &options);
	struct check_chunk in = { .first_line = 1, .lines = lines > 0 };
	struct err err;

	*o = (struct outcome){ 0 };
	arena_init(&o->arena);
	findings_init(&o->findings, &o->arena, 0);
	d->ops->begin(fold, &o->findings);
	while (in.origin < text.n) {
		struct str rest = str_of(text.p + in.origin, text.n - in.origin);
		size_t n = lines ? line_length(rest, lines) : rest.n;
		char *copy = malloc(n + JSON_PAD);

		FUZZ_CHECK(copy != NULL);
		memcpy(copy, rest.p, n);
		memset(copy + n, 0, JSON_PAD);
		in.bytes = str_of(copy, n);
		d->ops->scan(scanner, &in, batch);
		FUZZ_CHECK(d->ops->fold(fold, batch, &err));
		for (size_t i = 0; i < n; i++)
			in.first_line += copy[i] == '\n';
		in.origin += n;
		free(copy);
	}
	d->ops->finish(fold, &o->tally);
	d->ops->scanner_close(scanner);
	d->ops->batch_close(batch);
	d->ops->fold_close(fold);
}

static const struct rule *rule_of(const struct dialect *d, const char *code)
{
	for (const struct rule *r = d->rules; r->code; r++)
		if (strcmp(r->code, code) == 0)
			return r;
	return NULL;
}

static void check_findings(const struct dialect *d, const struct outcome *o, struct str text)
{
	for (size_t i = 0; i < o->findings.kept_count; i++) {
		const struct finding *f = &o->findings.kept[i];

		FUZZ_CHECK(rule_of(d, f->code) != NULL);
		FUZZ_CHECK(f->message.n > 0);
		FUZZ_CHECK(f->at.offset <= text.n);
		FUZZ_CHECK(f->mark + f->mark_length <= f->excerpt.n);
	}
	FUZZ_CHECK(o->tally.records > 0 || o->findings.errors > 0); /* no file is right without a record */
}

static int by_place(const void *a, const void *b)
{
	const struct finding *x = a, *y = b;

	if (x->at.offset != y->at.offset)
		return x->at.offset < y->at.offset ? -1 : 1;
	return strcmp(x->code, y->code);
}

static void compare(struct outcome *a, struct outcome *b)
{
	FUZZ_CHECK(a->findings.kept_count == b->findings.kept_count);
	FUZZ_CHECK(a->tally.records == b->tally.records && a->tally.interrupted == b->tally.interrupted);
	FUZZ_CHECK(a->tally.variant == b->tally.variant);
	if (a->findings.kept_count == 0)
		return;
	qsort(a->findings.kept, a->findings.kept_count, sizeof(struct finding), by_place);
	qsort(b->findings.kept, b->findings.kept_count, sizeof(struct finding), by_place);
	for (size_t i = 0; i < a->findings.kept_count; i++) {
		const struct finding *x = &a->findings.kept[i], *y = &b->findings.kept[i];

		FUZZ_CHECK(strcmp(x->code, y->code) == 0 && x->at.line == y->at.line && x->at.column == y->at.column);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct dialect *const formats[] = { &trial_dialect, &trajectory_dialect, &conversation_dialect };
	const struct dialect *d = formats[size ? data[0] % 3 : 0];
	struct check_options options = { .mode = size ? data[0] / 3 % 3 : 0 };
	bool document = size && data[0] / 9 % 2 && (d->forms & DIALECT_DOCUMENT);
	struct str text = size ? str_of(data + 1, size - 1) : STR("");
	struct outcome whole, parts;

	check(&whole, d, options, text, document ? 0 : size + 1);
	check_findings(d, &whole, text);
	if (!document) {
		check(&parts, d, options, text, 1 + size % 3);
		compare(&whole, &parts);
		arena_free(&parts.arena);
	}
	arena_free(&whole.arena);
	return 0;
}
