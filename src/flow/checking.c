#include "flow/checking.h"

#include <assert.h>

#include "dialect/formats.h"
#include "dialect/record/record.h"
#include "dialect/record/validate_rules.h"

#define LINES 8 /* tried for a value, blank ones not counted */

/* Table formats search their strings themselves. */
static bool looks_for_keys(const struct check_options *o, const struct dialect *d)
{
	return o->secrets && !d->record;
}

/* ---- tools ---- */

void checking_tools_init(struct checking_tools *t, const struct dialect *as, const struct check_options *options)
{
	*t = (struct checking_tools){ .as = as, .options = options, .detector = dialect_detect_open() };
}

void checking_tools_free(struct checking_tools *t)
{
	for (size_t i = 0; dialects[i]; i++)
		if (t->scanners[i])
			dialects[i]->ops->scanner_close(t->scanners[i]);
	if (t->secrets)
		record_ops.scanner_close(t->secrets);
	json_parser_close(t->detector);
}

void checking_result_free(struct checking_result *r)
{
	for (size_t i = 0; dialects[i]; i++)
		if (r->batches[i])
			dialects[i]->ops->batch_close(r->batches[i]);
	if (r->keys)
		record_ops.batch_close(r->keys);
}

/* Scanner and batch of a format are made once, and kept for later chunks. */
static void scan_as(struct checking_tools *t, const struct dialect *d, const struct check_chunk *in,
		    struct checking_result *r)
{
	size_t i = dialect_number(d);

	assert(i < DIALECTS_MOST);
	if (!t->scanners[i])
		t->scanners[i] = d->ops->scanner_open(d, t->options);
	if (!r->batches[i])
		r->batches[i] = d->ops->batch_open(d);
	d->ops->scan(t->scanners[i], in, r->batches[i]);
	if (!looks_for_keys(t->options, d))
		return;
	if (!t->secrets)
		t->secrets = record_ops.scanner_open(&secrets_dialect, t->options);
	if (!r->keys)
		r->keys = record_ops.batch_open(&secrets_dialect);
	record_ops.scan(t->secrets, in, r->keys);
}

/* ---- text of no format ---- */

/* By its mark, or by zeros in every second byte: then the text is ASCII in UTF-16. */
static bool is_utf16(struct str text)
{
	size_t n = text.n < 64 ? text.n & ~(size_t)1 : 64, zeros[2] = { 0, 0 };

	if (str_starts(text, STR("\xff\xfe")) || str_starts(text, STR("\xfe\xff")))
		return true;
	for (size_t i = 0; i < n; i++)
		zeros[i & 1] += text.p[i] == 0;
	return n >= 4 && (zeros[0] == n / 2) != (zeros[1] == n / 2);
}

/* Whether a document, or one of its first lines, is JSON at all. */
static bool has_value(struct json_parser *p, const struct check_chunk *in)
{
	struct str text = in->bytes;
	size_t tried = 0;
	struct val v;

	if (!in->lines)
		return json_parse(p, text, &v, NULL);
	while (text.n && tried < LINES) {
		struct str line = str_cut(text, '\n', &text);

		if (str_trim(line).n == 0)
			continue;
		if (json_parse_copy(p, line, &v, NULL))
			return true;
		tried++;
	}
	return false;
}

static enum validate_text_kind look_at(struct json_parser *p, const struct check_chunk *in)
{
	if (str_trim(in->bytes).n == 0)
		return TEXT_BLANK;
	if (is_utf16(in->bytes))
		return TEXT_UTF16;
	return has_value(p, in) ? TEXT_JSON : TEXT_OTHER;
}

void checking_scan(struct checking_tools *t, const struct check_chunk *in, struct checking_result *r)
{
	r->looks = (struct dialect_looks){ .like = NULL };
	r->text = TEXT_JSON;
	r->dialect = t->as;
	if (!r->dialect)
		r->dialect = dialect_detect(t->detector, in->bytes, in->lines, DIALECT_TO_CHECK, &r->looks);
	if (r->dialect)
		scan_as(t, r->dialect, in, r);
	else if (in->origin == 0)
		r->text = look_at(t->detector, in);
}

/* The one finding of a file whose format is not known. A file without bytes has a rule of its own. */
static void note_unknown(struct checking *c)
{
	static const char *const sentences[] = {
		[TEXT_JSON] = NULL, /* the rule's */
		[TEXT_BLANK] = "the file holds nothing but white space",
		[TEXT_OTHER] = "this is not JSON text",
		[TEXT_UTF16] = "this is UTF-16 text, and JSON is read as UTF-8",
	};
	const struct validate_input *p = &c->input;
	const struct rule *r = &validate_rules[p->bytes && p->text != TEXT_BLANK ? V_FORMAT : V_EMPTY];
	struct finding f = { .code = r->code, .severity = r->severity, .message = str_from(r->sentence) };

	if (p->bytes && p->looks_like && p->reads)
		f.message = arena_printf(&c->arena, "this looks like %s; 'trackway convert' reads it", p->looks_like);
	else if (p->bytes && p->looks_like)
		f.message = arena_printf(&c->arena, "this looks like %s, which has no rules here", p->looks_like);
	else if (p->bytes && sentences[p->text])
		f.message = str_from(sentences[p->text]);
	findings_add(&c->findings, &f);
}

/* ---- files ---- */

void checking_init(struct checking *c, const struct check_options *options)
{
	*c = (struct checking){ .options = options };
	arena_init(&c->arena);
}

void checking_free(struct checking *c)
{
	for (size_t i = 0; dialects[i]; i++)
		if (c->folds[i])
			dialects[i]->ops->fold_close(c->folds[i]);
	if (c->has_again)
		checking_tools_free(&c->again);
	arena_free(&c->arena);
}

void checking_begin(struct checking *c, struct str name)
{
	arena_reset(&c->arena);
	findings_init(&c->findings, &c->arena, c->options->finding_limit);
	assert(c->options);
	c->input = (struct validate_input){ .name = name, .findings = &c->findings };
}

static void *checking_fold_of(struct checking *c)
{
	return c->folds[dialect_number(c->input.dialect)];
}

/* The format of the file is known from here on. */
static void choose_format(struct checking *c, const struct checking_result *r)
{
	size_t i;

	c->input.looks_like = r->looks.like;
	c->input.reads = r->looks.best && r->looks.best->read ? r->looks.best : NULL;
	c->input.text = r->text;
	c->input.dialect = r->dialect;
	if (!r->dialect)
		return;
	i = dialect_number(r->dialect);
	if (!c->folds[i])
		c->folds[i] = r->dialect->ops->fold_open(r->dialect, c->options);
	r->dialect->ops->begin(c->folds[i], &c->findings);
}

/* A chunk that looked like another format, or like none. */
static void scan_again(struct checking *c, const struct check_chunk *in, struct checking_result *r)
{
	if (!c->has_again)
		checking_tools_init(&c->again, c->input.dialect, c->options);
	c->has_again = true;
	scan_as(&c->again, c->input.dialect, in, r);
}

void checking_add(struct checking *c, const struct check_chunk *in, struct checking_result *r)
{
	struct validate_input *p = &c->input;

	p->bytes += in->bytes.n;
	if (p->failure)
		return;
	if (in->origin == 0)
		choose_format(c, r);
	if (!p->dialect) { /* what later chunks look like no longer matters */
		if (p->text == TEXT_BLANK && str_trim(in->bytes).n)
			p->text = TEXT_OTHER;
		return;
	}
	if (r->dialect != p->dialect)
		scan_again(c, in, r);
	if (looks_for_keys(c->options, p->dialect))
		findings_merge(&c->findings, &((const struct record_batch *)r->keys)->findings);
	if (!p->dialect->ops->fold(checking_fold_of(c), r->batches[dialect_number(p->dialect)], &c->failure)) {
		err_context(&c->failure, arena_copy(&c->arena, p->name).p);
		p->failure = &c->failure;
	}
}

void checking_lose(struct checking *c)
{
	if (c->input.dialect && c->input.dialect->ops->lose)
		c->input.dialect->ops->lose(checking_fold_of(c));
}

void checking_fail(struct checking *c, const struct err *why)
{
	checking_lose(c);
	c->failure = *why;
	c->input.failure = &c->failure;
}

const struct validate_input *checking_end(struct checking *c)
{
	struct validate_input *p = &c->input;

	if (p->dialect)
		p->dialect->ops->finish(checking_fold_of(c), &p->tally);
	else if (!p->failure)
		note_unknown(c);
	findings_sort(&c->findings);
	return p;
}
