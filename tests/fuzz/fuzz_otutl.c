/*
 * An OTUTL log, held against what its hashes promise: where it is cut into chunks makes no difference,
 * and what is canonical is its own canonical form, with the same hashes and without errors.
 */
#include <string.h>

#include "dialect/otutl/otutl.h"
#include "fuzz.h"

#define RUNS 64
#define FINDINGS 0 /* all: which of too many are kept depends on the chunks */
#define HOLD 20000 /* small, so that giving up is tried too */
#define GROUP 3000

struct outcome {
	struct arena arena;
	struct findings findings;
	struct otutl_run runs[RUNS];
	size_t run_count;
	struct buf canonical; /* lines */
	bool done;
};

static void add_run(void *context, const struct otutl_run *run)
{
	struct outcome *o = context;

	FUZZ_CHECK(run->records > 0 && run->index == o->run_count);
	FUZZ_CHECK(!run->has_behavior || run->hashed);
	if (o->run_count < RUNS)
		o->runs[o->run_count] = *run;
	o->run_count++;
}

static void add_canonical(void *context, struct str bytes, const size_t *ends, size_t count)
{
	struct outcome *o = context;
	size_t from = 0;

	FUZZ_CHECK(count > 0 && ends[count - 1] == bytes.n);
	for (size_t i = 0; i < count; i++) {
		buf_add(&o->canonical, bytes.p + from, ends[i] - from);
		buf_add_byte(&o->canonical, '\n');
		from = ends[i];
	}
}

static size_t line_length(struct str text, size_t lines)
{
	size_t n = 0;

	while (lines-- > 0 && n < text.n) {
		const char *end = memchr(text.p + n, '\n', text.n - n);

		n = end ? (size_t)(end - text.p) + 1 : text.n;
	}
	return n;
}

/* With so many lines in a chunk, each chunk a copy of its own. */
static void hash_log(struct outcome *o, struct str text, size_t lines, bool lossy)
{
	struct otutl_scanner scanner;
	struct otutl_batch batch;
	struct otutl_chunk in = { .first_line = 1 };
	struct otutl_fold *fold;
	struct err err;

	*o = (struct outcome){ .done = true };
	arena_init(&o->arena);
	buf_init(&o->canonical);
	findings_init(&o->findings, &o->arena, FINDINGS);
	otutl_scanner_init(&scanner, lossy, FINDINGS);
	otutl_batch_init(&batch);
	fold = otutl_fold_open(&o->arena, (struct otutl_fold_options){ .findings = &o->findings,
								       .run = add_run,
								       .canonical = add_canonical,
								       .context = o,
								       .hold = HOLD,
								       .group = GROUP });
	while (o->done && in.origin < text.n) {
		struct str rest = str_of(text.p + in.origin, text.n - in.origin);
		size_t n = line_length(rest, lines);
		char *copy = malloc(n + JSON_PAD);

		FUZZ_CHECK(copy != NULL);
		memcpy(copy, rest.p, n);
		memset(copy + n, 0, JSON_PAD);
		in.bytes = str_of(copy, n);
		otutl_scan(&scanner, in, &batch);
		o->done = otutl_fold(fold, &batch, &err);
		for (size_t i = 0; i < n; i++)
			in.first_line += copy[i] == '\n';
		in.origin += n;
		free(copy);
	}
	otutl_finish(fold);
	otutl_fold_close(fold);
	otutl_batch_free(&batch);
	otutl_scanner_free(&scanner);
}

static void outcome_free(struct outcome *o)
{
	buf_free(&o->canonical);
	arena_free(&o->arena);
}

static bool same_digests(const struct otutl_run *a, const struct otutl_run *b)
{
	return memcmp(&a->run_hash, &b->run_hash, sizeof(a->run_hash)) == 0 &&
	       memcmp(&a->run_root, &b->run_root, sizeof(a->run_root)) == 0 &&
	       memcmp(&a->behavior_hash, &b->behavior_hash, sizeof(a->behavior_hash)) == 0 &&
	       memcmp(&a->canonical_file, &b->canonical_file, sizeof(a->canonical_file)) == 0;
}

static void compare_runs(const struct outcome *a, const struct outcome *b)
{
	FUZZ_CHECK(a->run_count == b->run_count);
	for (size_t i = 0; i < a->run_count && i < RUNS; i++) {
		FUZZ_CHECK(a->runs[i].hashed == b->runs[i].hashed && a->runs[i].complete == b->runs[i].complete);
		FUZZ_CHECK(a->runs[i].records == b->runs[i].records && a->runs[i].has_behavior == b->runs[i].has_behavior);
		FUZZ_CHECK(!a->runs[i].hashed || same_digests(&a->runs[i], &b->runs[i]));
	}
}

static void compare_findings(const struct outcome *a, const struct outcome *b)
{
	FUZZ_CHECK(a->findings.errors == b->findings.errors && a->findings.warnings == b->findings.warnings);
	for (size_t i = 0; i < a->findings.kept_count; i++) {
		const struct finding *x = &a->findings.kept[i], *y = &b->findings.kept[i];

		FUZZ_CHECK(strcmp(x->code, y->code) == 0 && x->at.line == y->at.line && x->at.column == y->at.column);
		FUZZ_CHECK(x->at.offset == y->at.offset && str_eq(x->pointer, y->pointer) && str_eq(x->message, y->message));
		FUZZ_CHECK(otutl_find_rule(x->code) && otutl_find_rule(x->code)->severity == x->severity);
		FUZZ_CHECK(x->mark + x->mark_length <= x->excerpt.n);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	bool lossy = size > 0 && data[size - 1] == ' ';
	struct str text = str_of(data, size);
	struct outcome whole, parts, again;

	hash_log(&whole, text, size, lossy);
	hash_log(&parts, text, 1 + size % 3, lossy);
	FUZZ_CHECK(whole.done == parts.done);
	compare_runs(&whole, &parts);
	compare_findings(&whole, &parts);
	if (whole.done && whole.findings.errors == 0) {
		hash_log(&again, buf_str(&whole.canonical), size, lossy);
		FUZZ_CHECK(again.done && again.findings.errors == 0);
		FUZZ_CHECK(str_eq(buf_str(&again.canonical), buf_str(&whole.canonical)));
		compare_runs(&whole, &again);
		outcome_free(&again);
	}
	outcome_free(&whole);
	outcome_free(&parts);
	return 0;
}
