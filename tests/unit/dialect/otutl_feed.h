/* Feeds a log to scan and fold, cut into chunks at chosen lines, and keeps what comes out. */
#ifndef UNIT_DIALECT_OTUTL_FEED_H
#define UNIT_DIALECT_OTUTL_FEED_H

#include <stdlib.h>

#include "dialect/otutl/otutl.h"
#include "harness/test.h"

#define FEED_RUNS 8

struct feed {
	bool lossy;
	size_t lines_per_chunk; /* 0: all in one */
	size_t hold, group;

	struct arena arena;
	struct findings findings;
	struct otutl_run runs[FEED_RUNS];
	size_t run_count;
	struct buf canonical; /* lines */
	bool done;            /* no error */
	struct err err;
};

static void feed_run(void *context, const struct otutl_run *run)
{
	struct feed *f = context;

	CHECK(f->run_count < FEED_RUNS);
	f->runs[f->run_count] = *run;
	f->runs[f->run_count++].run_id = arena_copy(&f->arena, run->run_id);
}

static void feed_canonical(void *context, struct str bytes, const size_t *ends, size_t count)
{
	struct feed *f = context;
	size_t from = 0;

	for (size_t i = 0; i < count; i++) {
		buf_add(&f->canonical, bytes.p + from, ends[i] - from);
		buf_add_byte(&f->canonical, '\n');
		from = ends[i];
	}
	CHECK_INT(from, bytes.n);
}

/* The first `lines` lines (0: all), or less when there are no more. */
static inline size_t feed_cut(struct str text, size_t lines)
{
	size_t at = 0;

	if (lines == 0)
		return text.n;
	while (lines-- > 0 && at < text.n) {
		const char *end = memchr(text.p + at, '\n', text.n - at);

		at = end ? (size_t)(end - text.p) + 1 : text.n;
	}
	return at;
}

static inline uint64_t feed_count_lines(struct str text)
{
	uint64_t n = 0;

	for (size_t i = 0; i < text.n; i++)
		n += text.p[i] == '\n';
	return n;
}

/* Every chunk is a copy that is gone afterwards, so that nothing can go on pointing into it. */
static inline bool feed_chunk(struct feed *f, struct otutl_scanner *s, struct otutl_fold *fold, struct otutl_chunk in)
{
	struct otutl_batch batch;
	char *copy = malloc(in.bytes.n + JSON_PAD);
	bool done;

	CHECK(copy != NULL);
	if (in.bytes.n)
		memcpy(copy, in.bytes.p, in.bytes.n);
	memset(copy + in.bytes.n, 0, JSON_PAD);
	in.bytes.p = copy;
	otutl_batch_init(&batch);
	otutl_scan(s, in, &batch);
	done = otutl_fold(fold, &batch, &f->err);
	otutl_batch_free(&batch);
	memset(copy, 'x', in.bytes.n);
	free(copy);
	return done;
}

static inline void feed_log(struct feed *f, struct str text)
{
	struct otutl_scanner scanner;
	struct otutl_fold *fold;
	struct otutl_chunk in = { .first_line = 1 };

	arena_init(&f->arena);
	buf_init(&f->canonical);
	findings_init(&f->findings, &f->arena, 0);
	otutl_scanner_init(&scanner, f->lossy, 0);
	fold = otutl_fold_open(&f->arena, (struct otutl_fold_options){
						  .findings = &f->findings,
						  .run = feed_run,
						  .canonical = feed_canonical,
						  .context = f,
						  .hold = f->hold,
						  .group = f->group,
					  });
	f->done = true;
	while (f->done && in.origin < text.n) {
		in.bytes = str_of(text.p + in.origin, text.n - in.origin);
		in.bytes.n = feed_cut(in.bytes, f->lines_per_chunk);
		f->done = feed_chunk(f, &scanner, fold, in);
		in.first_line += feed_count_lines(in.bytes);
		in.origin += in.bytes.n;
	}
	otutl_finish(fold);
	otutl_fold_close(fold);
	otutl_scanner_free(&scanner);
}

static inline void feed_free(struct feed *f)
{
	buf_free(&f->canonical);
	arena_free(&f->arena);
}

/* How many findings have this code; at this line, unless it is 0. */
static inline size_t feed_count(const struct feed *f, const char *code, uint64_t line)
{
	size_t n = 0;

	for (size_t i = 0; i < f->findings.kept_count; i++)
		n += strcmp(f->findings.kept[i].code, code) == 0 && (line == 0 || f->findings.kept[i].at.line == line);
	return n;
}

static int feed_by_line(const void *a, const void *b)
{
	const struct finding *x = a, *y = b;

	return x->at.line != y->at.line ? (x->at.line < y->at.line ? -1 : 1) : strcmp(x->code, y->code);
}

/* "3:E_DUP_KEY 4:E_SEQ_GAP", by line, without the codes in `but`. */
static inline struct str feed_list(struct feed *f, const char *but)
{
	struct finding *list = arena_array(&f->arena, struct finding, f->findings.kept_count + 1);
	struct str out = STR("");

	for (size_t i = 0; i < f->findings.kept_count; i++)
		list[i] = f->findings.kept[i];
	qsort(list, f->findings.kept_count, sizeof(*list), feed_by_line);
	for (size_t i = 0; i < f->findings.kept_count; i++)
		if (!strstr(but, list[i].code))
			out = arena_printf(&f->arena, "%.*s%s%llu:%s", STR_ARG(out), out.n ? " " : "",
					   (unsigned long long)list[i].at.line, list[i].code);
	return out;
}

static inline struct str feed_hex(struct feed *f, struct digest d)
{
	char hex[SHA256_HEX];

	digest_hex(hex, d);
	return arena_copy(&f->arena, str_of(hex, sizeof(hex)));
}

#endif
