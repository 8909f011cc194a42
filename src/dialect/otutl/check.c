/* OTUTL among the other formats: its own scan and fold, as a row of the table. */
#include "dialect/formats.h"
#include "dialect/otutl/convert.h"
#include "dialect/otutl/otutl.h"
#include "dialect/otutl/schema.h"

static void *otutl_check_scanner_open(const struct dialect *d, const struct check_options *o)
{
	struct otutl_scanner *s = mem_alloc(sizeof(*s));

	(void)d;
	otutl_scanner_init(s, false, o->finding_limit);
	return s;
}

static void otutl_check_scanner_close(void *scanner)
{
	otutl_scanner_free(scanner);
	mem_free(scanner);
}

static void *otutl_check_batch_open(const struct dialect *d)
{
	struct otutl_batch *b = mem_alloc(sizeof(*b));

	(void)d;
	otutl_batch_init(b);
	return b;
}

static void otutl_check_batch_close(void *batch)
{
	otutl_batch_free(batch);
	mem_free(batch);
}

static void otutl_check_scan(void *scanner, const struct check_chunk *in, void *batch)
{
	otutl_scan(scanner, (struct otutl_chunk){ in->bytes, in->first_line, in->origin }, batch);
}

struct folding {
	struct arena arena;
	struct otutl_fold *fold;
	struct check_tally tally;
};

static void otutl_check_add_run(void *context, const struct otutl_run *run)
{
	struct folding *f = context;

	f->tally.records += run->records;
	f->tally.interrupted = f->tally.interrupted || !run->complete;
}

static void *otutl_check_fold_open(const struct dialect *d, const struct check_options *o)
{
	struct folding *f = mem_alloc(sizeof(*f));

	(void)d;
	(void)o;
	memset(f, 0, sizeof(*f));
	arena_init(&f->arena);
	return f;
}

static void close_fold(struct folding *f)
{
	if (f->fold)
		otutl_fold_close(f->fold);
	f->fold = NULL;
}

static void otutl_check_fold_close(void *fold)
{
	struct folding *f = fold;

	close_fold(f);
	arena_free(&f->arena);
	mem_free(f);
}

static void otutl_check_begin(void *fold, struct findings *findings)
{
	struct folding *f = fold;

	close_fold(f);
	arena_reset(&f->arena);
	f->tally = (struct check_tally){ 0 };
	f->fold = otutl_fold_open(&f->arena, (struct otutl_fold_options){
						     .findings = findings,
						     .run = otutl_check_add_run,
						     .context = f,
					     });
}

static bool otutl_check_fold_batch(void *fold, const void *batch, struct err *err)
{
	return otutl_fold(((struct folding *)fold)->fold, batch, err);
}

static void otutl_check_finish(void *fold, struct check_tally *tally)
{
	struct folding *f = fold;

	otutl_finish(f->fold);
	*tally = f->tally;
}

static const struct check_ops ops = {
	.scanner_open = otutl_check_scanner_open,
	.scanner_close = otutl_check_scanner_close,
	.batch_open = otutl_check_batch_open,
	.batch_close = otutl_check_batch_close,
	.scan = otutl_check_scan,
	.fold_open = otutl_check_fold_open,
	.fold_close = otutl_check_fold_close,
	.begin = otutl_check_begin,
	.fold = otutl_check_fold_batch,
	.finish = otutl_check_finish,
};

static int otutl_check_fits(struct val v)
{
	return otutl_is_record(v) ? 95 : 0;
}

const struct dialect otutl_dialect = {
	.name = "otutl",
	.title = "OTUTL, the open tool-use log",
	.file = "run.otutl.jsonl",
	.unit = "record",
	.forms = DIALECT_LINES,
	.rules = otutl_rules,
	.fits = otutl_check_fits,
	.mark = "\"run_start\"",
	.ops = &ops,
	.roots = otutl_roots,
	.read = &otutl_read_ops,
	.write = &otutl_write_ops,
};
