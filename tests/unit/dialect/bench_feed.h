/* Feeds a text to a format, in one piece or line by line, and keeps what it finds. */
#ifndef UNIT_DIALECT_BENCH_FEED_H
#define UNIT_DIALECT_BENCH_FEED_H

#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "dialect/record/record.h"
#include "harness/test.h"

struct outcome {
	struct arena arena;
	struct findings findings;
	struct check_tally tally;
};

static size_t first_lines(struct str text, size_t lines)
{
	size_t n = 0;

	while (lines-- > 0 && n < text.n) {
		const char *end = memchr(text.p + n, '\n', text.n - n);

		n = end ? (size_t)(end - text.p) + 1 : text.n;
	}
	return n;
}

/* Frees nothing: a test is a process. `lines` in a chunk; 0 takes the text as one document. */
static struct outcome *feed(const struct dialect *d, struct str text, enum check_mode mode, size_t lines)
{
	struct check_options how = { .mode = mode };
	struct outcome *o = test_alloc(sizeof(*o));
	void *scanner = d->ops->scanner_open(d, &how), *batch = d->ops->batch_open(d);
	void *fold = d->ops->fold_open(d, &how);
	struct check_chunk in = { .first_line = 1, .lines = lines > 0 };
	struct err err;

	arena_init(&o->arena);
	findings_init(&o->findings, &o->arena, 0);
	d->ops->begin(fold, &o->findings);
	while (in.origin < text.n) {
		struct str rest = str_of(text.p + in.origin, text.n - in.origin);
		size_t n = lines ? first_lines(rest, lines) : rest.n;
		char *copy = test_alloc(n + JSON_PAD);

		memcpy(copy, rest.p, n);
		in.bytes = str_of(copy, n);
		d->ops->scan(scanner, &in, batch);
		CHECK(d->ops->fold(fold, batch, &err));
		for (size_t i = 0; i < n; i++)
			in.first_line += copy[i] == '\n';
		in.origin += n;
	}
	d->ops->finish(fold, &o->tally);
	d->ops->fold_close(fold);
	d->ops->batch_close(batch);
	d->ops->scanner_close(scanner);
	return o;
}

/* The codes found, in the order of their first appearance: "BR005 BR013". */
static struct str codes_of(const struct outcome *o)
{
	static char text[1024];
	size_t n = 0;

	for (size_t i = 0; i < o->findings.counts_count; i++)
		n += (size_t)snprintf(text + n, sizeof(text) - n, "%s%s", i ? " " : "", o->findings.counts[i].code);
	return str_of(text, n);
}

/* A file of tests/data/bench/, without its ending, and the one code it must give. */
struct bench_case {
	const char *file, *code, *pointer; /* pointer NULL: wherever */
};

static inline struct str bench_text(const char *name, const char *ending)
{
	char path[200];

	snprintf(path, sizeof(path), "bench/%s.%s", name, ending);
	return test_data(path);
}

static inline void bench_check(const struct dialect *d, const char *ending, const struct bench_case *cases, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct outcome *o = feed(d, bench_text(cases[i].file, ending), MODE_DEFAULT, 0);

		test_case("%s", cases[i].file);
		CHECK_STR(codes_of(o), str_from(cases[i].code));
		CHECK_INT(o->findings.kept_count, 1);
		if (cases[i].pointer)
			CHECK_STR(o->findings.kept[0].pointer, str_from(cases[i].pointer));
		CHECK(o->findings.kept[0].message.n > 0 && o->findings.kept[0].at.line > 0);
	}
}

#endif
