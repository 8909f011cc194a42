/* Feeds a text to a format, whole or a few lines at a time, and lists what it finds. */
#ifndef UNIT_DIALECT_CHECK_FEED_H
#define UNIT_DIALECT_CHECK_FEED_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dialect/formats.h"
#include "harness/test.h"

#define CHECK_DOCUMENT ((size_t)-1) /* instead of a number of lines: one value in all */

struct check_feed {
	struct arena arena;
	struct findings findings;
	struct check_tally tally;
};

/* The first `lines` lines, or all of them for 0. */
static inline size_t check_feed_cut(struct str text, size_t lines)
{
	size_t at = 0;

	if (lines == 0 || lines == CHECK_DOCUMENT)
		return text.n;
	while (lines-- > 0 && at < text.n) {
		const char *end = memchr(text.p + at, '\n', text.n - at);

		at = end ? (size_t)(end - text.p) + 1 : text.n;
	}
	return at;
}

/* A chunk is a copy that is gone when the next one comes, so that nothing can go on pointing into it. */
static inline void check_feed_chunk(const struct check_ops *ops, void *scanner, void *batch, void *fold,
				    struct check_chunk in, char **held)
{
	char *copy = malloc(in.bytes.n + JSON_PAD);
	struct err err;

	CHECK(copy != NULL);
	memcpy(copy, in.bytes.p, in.bytes.n);
	memset(copy + in.bytes.n, 0, JSON_PAD);
	in.bytes.p = copy;
	ops->scan(scanner, &in, batch);
	free(*held);
	*held = copy;
	CHECK(ops->fold(fold, batch, &err));
}

static inline void check_feed_with(struct check_feed *f, const struct dialect *d, const struct check_options *options,
				   struct str text, size_t lines)
{
	void *scanner = d->ops->scanner_open(d, options), *batch = d->ops->batch_open(d);
	void *fold = d->ops->fold_open(d, options);
	struct check_chunk in = { .first_line = 1, .lines = lines != CHECK_DOCUMENT };
	char *held = NULL;

	arena_init(&f->arena);
	findings_init(&f->findings, &f->arena, options->finding_limit);
	d->ops->begin(fold, &f->findings);
	while (in.origin < text.n) {
		in.bytes = str_of(text.p + in.origin, text.n - in.origin);
		in.bytes.n = check_feed_cut(in.bytes, lines);
		check_feed_chunk(d->ops, scanner, batch, fold, in, &held);
		for (size_t i = 0; i < in.bytes.n; i++)
			in.first_line += in.bytes.p[i] == '\n';
		in.origin += in.bytes.n;
	}
	d->ops->finish(fold, &f->tally);
	free(held);
	d->ops->scanner_close(scanner);
	d->ops->batch_close(batch);
	d->ops->fold_close(fold);
}

static inline void check_feed(struct check_feed *f, const struct dialect *d, struct str text, size_t lines)
{
	struct check_options options = { .mode = MODE_DEFAULT };

	check_feed_with(f, d, &options, text, lines);
}

/* How many findings have this code, kept or only counted. */
static inline uint64_t check_feed_count(const struct check_feed *f, const char *code)
{
	for (size_t i = 0; i < f->findings.counts_count; i++)
		if (strcmp(f->findings.counts[i].code, code) == 0)
			return f->findings.counts[i].count;
	return 0;
}

static int check_feed_order(const void *a, const void *b)
{
	const struct finding *x = a, *y = b;

	return x->at.line != y->at.line ? (x->at.line < y->at.line ? -1 : 1) : strcmp(x->code, y->code);
}

/* "1:TJ001 4:TJ016", by line. */
static inline struct str check_feed_list(struct check_feed *f)
{
	struct finding *list = arena_array(&f->arena, struct finding, f->findings.kept_count + 1);
	struct str out = STR("");

	for (size_t i = 0; i < f->findings.kept_count; i++)
		list[i] = f->findings.kept[i];
	qsort(list, f->findings.kept_count, sizeof(*list), check_feed_order);
	for (size_t i = 0; i < f->findings.kept_count; i++)
		out = arena_printf(&f->arena, "%.*s%s%llu:%s", STR_ARG(out), out.n ? " " : "",
				   (unsigned long long)list[i].at.line, list[i].code);
	return out;
}

/* The findings in `text` are these, however it is cut. */
static inline void check_feed_expect(const struct dialect *d, struct str text, const char *expected)
{
	for (size_t lines = 0; lines < 3; lines++) {
		struct check_feed f;

		check_feed(&f, d, text, lines);
		CHECK_STR(check_feed_list(&f), str_from(expected));
		arena_free(&f.arena);
	}
}

/* Every rule has all that 'explain' prints, a code that is its place in the table, and its row in the document. */
static inline void check_feed_rules(const struct rule *rules, const char *prefix, const char *document)
{
	struct str text = test_read(document);

	for (size_t i = 0; rules[i].code; i++) {
		char code[32], row[256];

		test_case("%s", rules[i].code);
		snprintf(code, sizeof(code), "%s%03zu", prefix, i + 1);
		CHECK_STR(str_from(rules[i].code), str_from(code));
		CHECK(rules[i].sentence && rules[i].help && rules[i].section && rules[i].why && rules[i].example);
		snprintf(row, sizeof(row), "\n| %s | %s | %s | %s |\n", code, severity_name(rules[i].severity),
			 rules[i].sentence, rules[i].scope == RULE_FILE ? "file" : "record");
		if (str_find(text, str_from(row)) == (size_t)-1)
			FAIL("%s has no row %s", document, row);
	}
}

#endif
