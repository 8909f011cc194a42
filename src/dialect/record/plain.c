/* Any JSON: the plain verdict of RFC 8259, for --as json (one value) and --as jsonl (one on each line). */
#include "dialect/formats.h"

#include "json/issue.h"


struct scanner {
	struct json_parser *parser;
	size_t limit;
};

struct batch {
	struct findings findings;
	struct arena arena;
	uint64_t records;
};

/* One thread's scanner; never NULL. */
static void *plain_scanner_open(const struct dialect *d, const struct check_options *o)
{
	struct scanner *s = mem_alloc(sizeof(*s));

	(void)d;
	s->limit = o->finding_limit;
	/* names may repeat and surrogates stand alone in RFC 8259; a byte order mark may not be there */
	s->parser = json_parser_open((struct json_options){
		.max_depth = JSON_DEPTH_MAX,
		.allow_duplicates = true,
		.allow_lone = true,
	});
	return s;
}

static void plain_scanner_close(void *scanner)
{
	json_parser_close(((struct scanner *)scanner)->parser);
	mem_free(scanner);
}

static void *plain_batch_open(const struct dialect *d)
{
	struct batch *b = mem_alloc(sizeof(*b));

	(void)d;
	memset(b, 0, sizeof(*b));
	arena_init(&b->arena);
	return b;
}

static void plain_batch_close(void *batch)
{
	arena_free(&((struct batch *)batch)->arena);
	mem_free(batch);
}

static void plain_scan_document(struct scanner *s, const struct check_chunk *in, struct batch *b)
{
	struct json_issue issue;
	struct val v;

	if (json_parse(s->parser, in->bytes, &v, &issue))
		b->records++;
	else
		issue_add_in_document(&b->findings, &issue, in->bytes);
}

/* Blank lines are neither values nor findings. */
static void plain_scan_lines(struct scanner *s, const struct check_chunk *in, struct batch *b)
{
	struct json_lines lines;
	struct json_record line;
	struct json_issue issue;
	enum json_line kind;

	json_lines_begin(&lines, s->parser, in->bytes, in->first_line);
	while ((kind = json_lines_next(&lines, &line, &issue)) != JSON_LINE_END) {
		if (kind == JSON_LINE_VALUE)
			b->records++;
		else if (kind == JSON_LINE_BAD)
			issue_add_in_line(&b->findings, &issue, &line, in->origin);
	}
}

static void plain_scan(void *scanner, const struct check_chunk *in, void *batch)
{
	struct scanner *s = scanner;
	struct batch *b = batch;

	arena_reset(&b->arena);
	findings_init(&b->findings, &b->arena, s->limit);
	b->records = 0;
	if (in->lines)
		plain_scan_lines(s, in, b);
	else
		plain_scan_document(s, in, b);
}

struct folding {
	struct findings *findings;
	uint64_t records;
};

static void *plain_fold_open(const struct dialect *d, const struct check_options *o)
{
	(void)d;
	(void)o;
	return memset(mem_alloc(sizeof(struct folding)), 0, sizeof(struct folding));
}

static void begin(void *fold, struct findings *findings)
{
	*(struct folding *)fold = (struct folding){ .findings = findings };
}

static bool plain_fold_batch(void *fold, const void *batch, struct err *err)
{
	struct folding *f = fold;
	const struct batch *b = batch;

	(void)err;
	findings_merge(f->findings, &b->findings);
	f->records += b->records;
	return true;
}

static void finish(void *fold, struct check_tally *tally)
{
	*tally = (struct check_tally){ .records = ((struct folding *)fold)->records };
}

static const struct check_ops ops = {
	.scanner_open = plain_scanner_open,
	.scanner_close = plain_scanner_close,
	.batch_open = plain_batch_open,
	.batch_close = plain_batch_close,
	.scan = plain_scan,
	.fold_open = plain_fold_open,
	.fold_close = mem_free,
	.begin = begin,
	.fold = plain_fold_batch,
	.finish = finish,
};

const struct dialect json_dialect = {
	.name = "json",
	.title = "any JSON document (RFC 8259)",
	.file = "*.json",
	.unit = "value",
	.forms = DIALECT_DOCUMENT,
	.rules = dialect_no_rules,
	.ops = &ops,
};

const struct dialect jsonl_dialect = {
	.name = "jsonl",
	.title = "any JSON, one value on each line",
	.file = "*.jsonl",
	.unit = "value",
	.forms = DIALECT_LINES,
	.rules = dialect_no_rules,
	.ops = &ops,
};
