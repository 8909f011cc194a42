/*
 * The files of a benchmark run: any bytes through both formats. Where lines are cut into chunks makes no
 * difference, every finding is of a rule with that severity and points into its line, and what fits
 * neither format does not matter.
 */
#include <string.h>

#include "dialect/bench_rules.h"
#include "dialect/formats.h"
#include "fuzz.h"

#define FINDINGS 24

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

/* With so many lines in a chunk, each a copy of its own; 0 is one document. */
static void check(struct outcome *o, const struct dialect *d, struct str text, size_t lines)
{
	struct check_options how = { .finding_limit = FINDINGS };
	void *scanner = d->ops->scanner_open(d, &how), *batch = d->ops->batch_open(d);
	void *fold = d->ops->fold_open(d, &how);
	struct check_chunk in = { .first_line = 1, .lines = lines > 0 };
	struct err err;

	arena_init(&o->arena);
	findings_init(&o->findings, &o->arena, FINDINGS);
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
	d->ops->fold_close(fold);
	d->ops->batch_close(batch);
	d->ops->scanner_close(scanner);
}

static const struct rule *find_rule(const char *code)
{
	for (const struct rule *r = bench_rules; r->code; r++)
		if (strcmp(r->code, code) == 0)
			return r;
	return NULL;
}

static void check_findings(const struct outcome *o, struct str text)
{
	for (size_t i = 0; i < o->findings.kept_count; i++) {
		const struct finding *f = &o->findings.kept[i];
		const struct rule *r = find_rule(f->code);

		FUZZ_CHECK(r && r->severity == f->severity);
		FUZZ_CHECK(f->message.n > 0 && f->mark + f->mark_length <= f->excerpt.n);
		FUZZ_CHECK(f->at.offset <= text.n);
	}
}

static void compare(const struct outcome *a, const struct outcome *b)
{
	FUZZ_CHECK(a->tally.records == b->tally.records);
	FUZZ_CHECK(a->findings.errors == b->findings.errors && a->findings.warnings == b->findings.warnings);
	FUZZ_CHECK(a->findings.counts_count == b->findings.counts_count);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct str text = str_of(data, size);
	struct outcome whole, parts, document;

	check(&whole, &results_dialect, text, size + 1);
	check(&parts, &results_dialect, text, 1 + size % 3);
	check(&document, &summary_dialect, text, 0);
	check_findings(&whole, text);
	check_findings(&document, text);
	compare(&whole, &parts);
	arena_free(&whole.arena);
	arena_free(&parts.arena);
	arena_free(&document.arena);
	return 0;
}
