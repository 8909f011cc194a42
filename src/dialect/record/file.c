/* The functions of struct check_ops for table formats: lines and documents to batches, batches to a file. */
#include "base/utf8.h"
#include "dialect/formats.h"
#include "dialect/reading/torn.h"
#include "dialect/record/record.h"
#include "dialect/record/scan.h"
#include "dialect/record/validate_rules.h"

/* ---- scanning ---- */

/* One thread's scanner; never NULL. The byte more keeps an empty `own` from being NULL. */
static void *record_file_scanner_open(const struct dialect *d, const struct check_options *o)
{
	struct record_scanner *t = mem_alloc(sizeof(*t));

	memset(t, 0, sizeof(*t));
	t->dialect = d;
	t->options = *o;
	/* half a surrogate pair is JSON, and it is for canonical forms to refuse it */
	t->parser = json_parser_open((struct json_options){
		.allow_lone = true,
		.allow_duplicates = d->record->is_log,
	});
	arena_init(&t->arena);
	t->own = mem_alloc(d->record->own_size + 1);
	memset(t->own, 0, d->record->own_size);
	return t;
}

static void record_file_scanner_close(void *scanner)
{
	struct record_scanner *t = scanner;

	json_parser_close(t->parser);
	json_parser_close(t->spare);
	arena_free(&t->arena);
	buf_free(&t->later);
	buf_free(&t->glued);
	record_secret_free(t);
	mem_free(t->own);
	mem_free(t);
}

static void *record_file_batch_open(const struct dialect *d)
{
	struct record_batch *b = mem_alloc(sizeof(*b));

	(void)d;
	memset(b, 0, sizeof(*b));
	arena_init(&b->arena);
	return b;
}

static void record_file_batch_close(void *batch)
{
	struct record_batch *b = batch;

	buf_free(&b->facts);
	buf_free(&b->places);
	arena_free(&b->arena);
	mem_free(b);
}

/*
 * Checks one value. A fact is there for every object, also for a wrong one, so that facts and places have the same
 * numbers.
 */
static void scan_value(struct record_scan *s, struct val root)
{
	size_t fact_size = s->format->fact_size;
	struct record_place place = { s->text, s->line, s->offset };
	void *fact = NULL;

	arena_reset(s->arena);
	s->root = root;
	s->near = (struct val_hint){ 0, 0, 0 };
	if (!val_is(root, JSON_OBJECT) && s->format->on_not_object != RECORD_NO_RULE) {
		record_note(s, s->format->on_not_object, root, "a record must be a JSON object");
		return;
	}
	if (fact_size) {
		fact = buf_reserve(&s->out->facts, fact_size);
		memset(fact, 0, fact_size);
		s->out->facts.n += fact_size;
		buf_add(&s->out->places, &place, sizeof(place));
	}
	if (s->format->check)
		s->format->check(s, root, fact);
	if (s->tools->options.secrets && s->format->on_secret == RECORD_NO_RULE)
		record_gather_all(s);
}

/* A last line without its end may be torn: the writer was stopped, and did nothing wrong. */
static void record_file_scan_bad(struct record_scan *s, bool ended, struct json_issue *issue)
{
	if (!ended && s->format->on_torn != RECORD_NO_RULE && torn_is(s->text))
		record_note_at(s, s->format->on_torn, s->text.n, 0, STR(""),
			       "the file ends inside this record; everything before it counts");
	else if (s->format->on_syntax != RECORD_NO_RULE)
		record_note_json(s, issue);
}

#define GLUED 16 /* values of one line that are looked at */

/* One of several values of a line. What is kept of it points at the line itself: the copy is used again. */
static void scan_part(struct record_scan *s, struct val v, struct str line)
{
	struct buf *places = &s->out->places;
	size_t before = places->n;

	s->out->records++;
	scan_value(s, v);
	record_search(s);
	if (places->n > before)
		((struct record_place *)(void *)(places->p + before))->text = line;
}

/*
 * A writer lost the end of a line, so that the next value stands behind it. Each value is read from a copy of the line
 * in which everything else is blank: its places are those of the line. False when the line does not begin with a value.
 */
static bool record_file_scan_glued(struct record_scan *s, const struct json_issue *first)
{
	struct record_scanner *t = s->tools;
	struct str line = s->text;
	size_t from = 0, to = first->offset;

	if (!s->format->is_log || first->code != JSON_E_TRAILING)
		return false;
	if (!t->spare)
		t->spare = json_parser_open((struct json_options){ .allow_lone = true, .allow_duplicates = true });
	buf_clear(&t->glued);
	buf_reserve(&t->glued, line.n + JSON_PAD);
	for (size_t i = 0; i < GLUED && from < line.n; i++) {
		struct json_issue issue = { .code = JSON_E_TRAILING };
		struct val v;

		memset(t->glued.p, ' ', line.n);
		memset(t->glued.p + line.n, 0, JSON_PAD);
		memcpy(t->glued.p + from, line.p + from, to - from);
		s->text = str_of(t->glued.p, line.n);
		if (json_parse(t->spare, s->text, &v, &issue)) {
			scan_part(s, v, line);
			from = to;
			to = line.n;
		} else if (issue.code == JSON_E_TRAILING && issue.offset > from) {
			to = issue.offset; /* a third one; this one comes again, alone */
		} else {
			break;
		}
	}
	s->text = line;
	record_note_at(s, s->format->on_glued, first->offset, 1, STR(""),
		       "another value begins here; a line end is lost");
	return true;
}

/* Lines that are no JSON are findings; the next line is read all the same. */
static void record_file_scan_lines(struct record_scan *s, const struct check_chunk *in)
{
	struct json_lines lines;
	struct json_record line;
	struct json_issue issue;
	enum json_line kind;

	json_lines_begin(&lines, s->tools->parser, in->bytes, in->first_line);
	while ((kind = json_lines_next(&lines, &line, &issue)) != JSON_LINE_END) {
		s->text = line.text;
		s->line = line.line;
		s->offset = in->origin + line.offset;
		if (kind == JSON_LINE_VALUE) {
			s->out->records++;
			scan_value(s, line.value);
		} else if (kind == JSON_LINE_BAD) {
			issue.offset -= line.offset;
			if (!record_file_scan_glued(s, &issue))
				record_file_scan_bad(s, line.ended, &issue);
		} else if (s->format->on_blank != RECORD_NO_RULE) {
			record_note_at(s, s->format->on_blank, 0, 0, STR(""), "the line is empty");
		}
	}
}

/* One value for the whole chunk. White space alone is no record and no fault here: on_empty is the fold's. */
static void record_file_scan_document(struct record_scan *s, const struct check_chunk *in)
{
	struct json_issue issue;
	struct val root;

	s->text = in->bytes;
	s->line = in->first_line;
	s->offset = in->origin;
	if (str_trim(in->bytes).n == 0)
		return;
	if (json_parse(s->tools->parser, in->bytes, &root, &issue)) {
		s->out->records++;
		scan_value(s, root);
	} else {
		record_file_scan_bad(s, true, &issue);
	}
}

/* Scans a chunk, lines or one document, into a batch that was used before. */
static void record_file_scan(void *scanner, const struct check_chunk *in, void *batch)
{
	struct record_scanner *t = scanner;
	struct record_batch *b = batch;
	struct record_scan s = {
		.tools = t,
		.out = b,
		.format = t->dialect->record,
		.rules = t->dialect->rules,
		.mode = t->options.mode,
		.arena = &t->arena,
		.own = t->own,
	};

	buf_clear(&b->facts);
	buf_clear(&b->places);
	arena_reset(&b->arena);
	findings_init(&b->findings, &b->arena, t->options.finding_limit);
	b->records = 0;
	b->document = !in->lines;
	b->known = (struct record_line){ 0, 0, 0 };
	if (in->lines)
		record_file_scan_lines(&s, in);
	else
		record_file_scan_document(&s, in);
	record_search(&s);
	b->blind = t->no_secrets;
}

/* ---- folding ---- */

struct folding {
	struct record_fold fold;
	struct arena arena;
	struct check_tally tally;
	bool begun, said_blind;
};

static void end(struct folding *f)
{
	if (f->begun && f->fold.format->end)
		f->fold.format->end(&f->fold);
	f->begun = false;
	f->fold.batch = NULL;
}

/* Never NULL. A file begins with record_file_begin. */
static void *record_file_fold_open(const struct dialect *d, const struct check_options *o)
{
	struct folding *f = mem_alloc(sizeof(*f));

	memset(f, 0, sizeof(*f));
	arena_init(&f->arena);
	f->fold = (struct record_fold){
		.format = d->record,
		.rules = d->rules,
		.mode = o->mode,
		.arena = &f->arena,
		.tally = &f->tally,
	};
	return f;
}

static void record_file_fold_close(void *fold)
{
	struct folding *f = fold;

	end(f);
	arena_free(&f->arena);
	mem_free(f);
}

/* The state of the format is in the arena of the file, and is zeroed by it. */
static void record_file_begin(void *fold, struct findings *findings)
{
	struct folding *f = fold;

	end(f);
	arena_reset(&f->arena);
	f->begun = true;
	f->said_blind = false;
	f->fold.findings = findings;
	f->fold.records = 0;
	f->tally = (struct check_tally){ 0 };
	f->fold.state = f->fold.format->state_size ? arena_alloc(&f->arena, f->fold.format->state_size, 16) : NULL;
	if (f->fold.format->begin)
		f->fold.format->begin(&f->fold);
}

/* Said once for a file, however many chunks could not be searched. */
static void note_blind(struct folding *f)
{
	const struct rule *r = &validate_rules[V_BLIND];
	struct finding finding = { .code = r->code, .severity = r->severity, .message = str_from(r->sentence) };

	findings_add(f->fold.findings, &finding);
	f->said_blind = true;
}

/* Always true. Findings of the scan come before those the fold makes of the batch. */
static bool record_file_fold_batch(void *fold, const void *batch, struct err *err)
{
	struct folding *f = fold;
	const struct record_batch *b = batch;

	(void)err;
	findings_merge(f->fold.findings, &b->findings);
	f->fold.records += b->records;
	f->fold.batch = b;
	if (b->blind && !f->said_blind)
		note_blind(f);
	if (f->fold.format->add)
		f->fold.format->add(&f->fold, b);
	return true;
}

/* Findings that come later have no line to show. */
static void record_file_lose(void *fold)
{
	((struct folding *)fold)->fold.batch = NULL;
}

static void record_file_finish(void *fold, struct check_tally *tally)
{
	struct folding *f = fold;

	if (f->fold.records == 0 && f->fold.findings->errors == 0 && f->fold.format->on_empty != RECORD_NO_RULE)
		record_fold_note(&f->fold, f->fold.format->on_empty, NULL, 0, 0, STR(""),
				 "the file has no record in it");
	if (f->fold.format->finish)
		f->fold.format->finish(&f->fold);
	f->tally.records = f->fold.records;
	*tally = f->tally;
	end(f);
}

const struct record_place *record_fold_place(const struct record_fold *f, uint64_t line)
{
	size_t from = 0, to = f->batch ? record_batch_count(f->batch) : 0;

	while (from < to) {
		size_t middle = from + (to - from) / 2;
		const struct record_place *p = record_batch_place(f->batch, middle);

		if (p->line == line)
			return p;
		if (p->line < line)
			from = middle + 1;
		else
			to = middle;
	}
	return NULL;
}

/* ---- strings alone ---- */

static const struct record_format strings_only = {
	.on_utf8 = RECORD_NO_RULE,
	.on_syntax = RECORD_NO_RULE,
	.on_duplicate = RECORD_NO_RULE,
	.on_not_object = RECORD_NO_RULE,
	.on_blank = RECORD_NO_RULE,
	.on_torn = RECORD_NO_RULE,
	.on_empty = RECORD_NO_RULE,
	.on_secret = RECORD_NO_RULE,
};

const struct dialect secrets_dialect = {
	.name = "strings",
	.rules = dialect_no_rules,
	.ops = &record_ops,
	.record = &strings_only,
};

const struct check_ops record_ops = {
	.scanner_open = record_file_scanner_open,
	.scanner_close = record_file_scanner_close,
	.batch_open = record_file_batch_open,
	.batch_close = record_file_batch_close,
	.scan = record_file_scan,
	.fold_open = record_file_fold_open,
	.fold_close = record_file_fold_close,
	.begin = record_file_begin,
	.fold = record_file_fold_batch,
	.lose = record_file_lose,
	.finish = record_file_finish,
};
