#include "flow/validate.h"

#include "dialect/formats.h"
#include "dialect/record.h"
#include "flow/flow.h"

#define FORMATS 16 /* at least as many as there are */
#define LINES 8    /* tried for a value, blank ones not counted */

/* The tools for each format, made when first needed: most files of a run are of one. */
struct worker {
	const struct validate_flow *flow;
	struct json_parser *detector;
	void *scanners[FORMATS];
	void *secrets; /* for formats that do not look for keys themselves, when asked */
};

struct result {
	const struct dialect *dialect; /* as which the chunk was scanned; NULL for none */
	const char *looks_like;
	enum validate_text_kind text;
	void *batches[FORMATS];
	void *keys; /* what `secrets` found */
};

/* The part being emitted. */
struct progress {
	struct validate_flow *flow;
	struct worker again; /* for chunks whose format was guessed wrong; made when needed */
	bool has_again;
	void *folds[FORMATS];
	struct arena arena; /* the part's */
	struct findings findings;
	struct str name; /* of the part begun; p is NULL between parts */
	const struct dialect *dialect;
	const char *looks_like;
	enum validate_text_kind text;
	uint64_t bytes;
	bool failed;
	struct err failure;
};

static size_t number_of(const struct dialect *d)
{
	size_t i = 0;

	while (dialects[i] != d)
		i++;
	return i;
}

static void worker_init(void *worker, void *context)
{
	const struct progress *p = context;
	struct worker *w = worker;

	w->flow = p->flow;
	w->detector = dialect_detect_open();
}

static void worker_free(void *worker)
{
	struct worker *w = worker;

	for (size_t i = 0; dialects[i]; i++)
		if (w->scanners[i])
			dialects[i]->ops->scanner_close(w->scanners[i]);
	if (w->secrets)
		record_ops.scanner_close(w->secrets);
	json_parser_close(w->detector);
}

static void result_init(void *result)
{
	(void)result;
}

static void result_free(void *result)
{
	struct result *r = result;

	for (size_t i = 0; dialects[i]; i++)
		if (r->batches[i])
			dialects[i]->ops->batch_close(r->batches[i]);
	if (r->keys)
		record_ops.batch_close(r->keys);
}

/* Table formats search their strings themselves. */
static bool looks_for_keys(const struct validate_flow *f, const struct dialect *d)
{
	return f->options.secrets && !d->record;
}

static void scan_as(struct worker *w, const struct dialect *d, const struct chunk *in, struct result *r)
{
	size_t i = number_of(d);
	struct check_chunk chunk = { in->bytes, in->first_line, in->origin, in->part->lines };

	if (!w->scanners[i])
		w->scanners[i] = d->ops->scanner_open(d, &w->flow->options);
	if (!r->batches[i])
		r->batches[i] = d->ops->batch_open(d);
	d->ops->scan(w->scanners[i], &chunk, r->batches[i]);
	if (!looks_for_keys(w->flow, d))
		return;
	if (!w->secrets)
		w->secrets = record_ops.scanner_open(&secrets_dialect, &w->flow->options);
	if (!r->keys)
		r->keys = record_ops.batch_open(&secrets_dialect);
	record_ops.scan(w->secrets, &chunk, r->keys);
}

static bool is_utf16(struct str text)
{
	size_t n = text.n < 64 ? text.n & ~(size_t)1 : 64, zeros[2] = { 0, 0 };

	if (str_starts(text, STR("\xff\xfe")) || str_starts(text, STR("\xfe\xff")))
		return true;
	for (size_t i = 0; i < n; i++)
		zeros[i & 1] += text.p[i] == 0;
	return n >= 4 && (zeros[0] == n / 2) != (zeros[1] == n / 2);
}

static bool has_value(struct json_parser *p, struct str text, bool lines)
{
	size_t tried = 0;
	struct val v;

	if (!lines)
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

enum validate_text_kind validate_look_at(struct json_parser *p, struct str text, bool lines)
{
	if (str_trim(text).n == 0)
		return TEXT_BLANK;
	if (is_utf16(text))
		return TEXT_UTF16;
	return has_value(p, text, lines) ? TEXT_JSON : TEXT_OTHER;
}

static bool work(void *worker, const struct chunk *in, void *result, struct err *err)
{
	struct worker *w = worker;
	struct result *r = result;

	(void)err;
	r->looks_like = NULL;
	r->dialect = w->flow->as;
	if (!r->dialect)
		r->dialect = dialect_detect(w->detector, in->bytes, in->part->lines, &r->looks_like);
	if (r->dialect)
		scan_as(w, r->dialect, in, r);
	else if (in->first)
		r->text = validate_look_at(w->detector, in->bytes, in->part->lines);
	return true;
}

static void begin_part(struct progress *p, struct str name)
{
	arena_reset(&p->arena);
	findings_init(&p->findings, &p->arena, p->flow->options.finding_limit);
	p->name = name;
	p->dialect = NULL;
	p->looks_like = NULL;
	p->text = TEXT_JSON;
	p->bytes = 0;
	p->failed = false;
}

/* The format of the part is known from here on. */
static void begin_fold(struct progress *p, const struct dialect *d)
{
	size_t i = number_of(d);

	p->dialect = d;
	if (!p->folds[i])
		p->folds[i] = d->ops->fold_open(d, &p->flow->options);
	d->ops->begin(p->folds[i], &p->findings);
}

void validate_note_unknown(struct findings *list, enum validate_text_kind text, const char *looks_like, uint64_t bytes)
{
	static const char *const sentences[] = {
		[TEXT_JSON] = NULL, /* the rule's */
		[TEXT_BLANK] = "the file holds nothing but white space",
		[TEXT_OTHER] = "this is not JSON text",
		[TEXT_UTF16] = "this is UTF-16 text, and JSON is read as UTF-8",
	};
	const struct rule *r = &validate_rules[bytes && text != TEXT_BLANK ? V_FORMAT : V_EMPTY];
	struct finding f = { .code = r->code, .severity = r->severity, .message = str_from(r->sentence) };

	if (bytes && looks_like)
		f.message = arena_printf(list->arena, "this looks like %s, which has no rules here", looks_like);
	else if (bytes && sentences[text])
		f.message = str_from(sentences[text]);
	findings_add(list, &f);
}

static bool end_part(struct progress *p, struct err *err)
{
	struct validate_part part = {
		.name = p->name,
		.dialect = p->dialect,
		.looks_like = p->looks_like,
		.text = p->text,
		.findings = &p->findings,
	};

	if (p->dialect)
		p->dialect->ops->finish(p->folds[number_of(p->dialect)], &part.tally);
	else if (!p->failed)
		validate_note_unknown(&p->findings, p->text, p->looks_like, p->bytes);
	findings_sort(&p->findings);
	part.bytes = p->bytes;
	part.failure = p->failed ? &p->failure : NULL;
	p->name = (struct str){ NULL, 0 };
	return p->flow->part(p->flow->context, &part, err);
}

static void add_result(struct progress *p, const struct chunk *in, struct result *r)
{
	size_t i;

	if (in->first) {
		p->looks_like = r->looks_like;
		p->text = r->dialect ? TEXT_JSON : r->text;
	}
	if (in->first && r->dialect)
		begin_fold(p, r->dialect);
	if (!p->dialect) { /* what later chunks look like no longer matters */
		if (p->text == TEXT_BLANK && str_trim(in->bytes).n)
			p->text = TEXT_OTHER;
		return;
	}
	if (r->dialect != p->dialect) {
		if (!p->has_again)
			worker_init(&p->again, p);
		p->has_again = true;
		scan_as(&p->again, p->dialect, in, r);
	}
	i = number_of(p->dialect);
	if (looks_for_keys(p->flow, p->dialect))
		findings_merge(&p->findings, &((const struct record_batch *)r->keys)->findings);
	p->failed = !p->dialect->ops->fold(p->folds[i], r->batches[i], &p->failure);
	if (p->failed)
		err_context(&p->failure, arena_copy(&p->arena, p->name).p);
}

static bool emit(void *context, const struct chunk *in, void *result, struct err *err)
{
	struct progress *p = context;

	if (in->first)
		begin_part(p, in->part->name);
	p->bytes += in->bytes.n;
	if (!p->failed)
		add_result(p, in, result);
	if (p->flow->tick)
		p->flow->tick(p->flow->context, p->flow->from);
	return !in->last || end_part(p, err);
}

static bool part_failed(void *context, const struct part *part, const struct err *why)
{
	struct progress *p = context;
	struct err ignored;

	if (!p->name.p)
		begin_part(p, part->name);
	if (p->dialect && p->dialect->ops->lose)
		p->dialect->ops->lose(p->folds[number_of(p->dialect)]);
	p->failed = true;
	p->failure = *why;
	return end_part(p, &ignored);
}

bool validate_flow_run(struct validate_flow *f, struct err *err)
{
	struct progress p = { .flow = f };
	struct flow flow = {
		.from = f->from,
		.jobs = f->jobs,
		.worker_size = sizeof(struct worker),
		.worker_init = worker_init,
		.worker_free = worker_free,
		.result_size = sizeof(struct result),
		.result_init = result_init,
		.result_free = result_free,
		.work = work,
		.emit = emit,
		.part_failed = part_failed,
		.context = &p,
	};
	bool done;

	arena_init(&p.arena);
	source_be_patient(f->from); /* there is no answer before the end of a part */
	done = flow_run(&flow, err);
	for (size_t i = 0; dialects[i]; i++)
		if (p.folds[i])
			dialects[i]->ops->fold_close(p.folds[i]);
	if (p.has_again)
		worker_free(&p.again);
	arena_free(&p.arena);
	return done;
}
