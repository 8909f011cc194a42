#include "flow/digest.h"

#include <assert.h>

#include "flow/canonical.h"
#include "flow/flow.h"

struct worker {
	struct otutl_scanner scanner;
	struct json_parser *detector, *parser;
	struct canon *canon;
	const struct digest_flow *flow;
};

struct result {
	enum digest_format format; /* as which the chunk was worked on */
	struct otutl_batch log;
	struct canonical values;
};

/* The input being emitted. */
struct progress {
	struct digest_flow *flow;
	struct worker again; /* for chunks whose format was guessed wrong; made when needed */
	bool has_again;
	struct otutl_fold *fold;
	struct sha256 sha;
	struct arena command, arena; /* the second is the input's */
	struct findings findings;
	struct buf runs; /* struct otutl_run */
	struct str name; /* of the input begun; p is NULL between inputs */
	enum digest_format format;
	uint64_t records;
	bool failed;
	struct err failure;
};

static void digest_worker_init(void *worker, void *context)
{
	const struct progress *p = context;
	struct worker *w = worker;

	w->flow = p->flow;
	otutl_scanner_init(&w->scanner, p->flow->lossy, p->flow->finding_limit);
	w->detector = otutl_detect_open();
	w->parser = json_parser_open((struct json_options){ 0 });
	w->canon = canon_open(CANON_JCS);
}

static void digest_worker_free(void *worker)
{
	struct worker *w = worker;

	otutl_scanner_free(&w->scanner);
	json_parser_close(w->detector);
	json_parser_close(w->parser);
	canon_close(w->canon);
}

static void digest_result_init(void *result)
{
	struct result *r = result;

	otutl_batch_init(&r->log);
	canonical_init(&r->values, 0); /* the limit is set with the work */
}

static void digest_result_free(void *result)
{
	struct result *r = result;

	otutl_batch_free(&r->log);
	canonical_free(&r->values);
}

static enum digest_format format_of(struct worker *w, const struct chunk *in)
{
	if (str_starts(in->bytes, STR("PK\3\4")))
		return DIGEST_ZIP;
	if (!w->flow->values_only && otutl_detect(w->detector, in->bytes))
		return DIGEST_OTUTL;
	return in->input->lines ? DIGEST_JSONL : DIGEST_JSON;
}

static void work_as(struct worker *w, enum digest_format format, const struct chunk *in, struct result *r)
{
	r->format = format;
	r->values.limit = w->flow->finding_limit;
	if (format == DIGEST_OTUTL)
		otutl_scan(&w->scanner, (struct otutl_chunk){ in->bytes, in->first_line, in->origin }, &r->log);
	else if (format == DIGEST_JSONL)
		canonical_lines(&r->values, w->parser, w->canon, in);
	else if (format == DIGEST_JSON)
		canonical_document(&r->values, w->parser, w->canon, in);
}

static bool digest_work(void *worker, const struct chunk *in, void *result, struct err *err)
{
	(void)err;
	work_as(worker, format_of(worker, in), in, result);
	return true;
}

static void begin_input(struct progress *p, struct str name, enum digest_format format)
{
	arena_reset(&p->arena);
	findings_init(&p->findings, &p->arena, p->flow->finding_limit);
	buf_clear(&p->runs);
	sha256_restart(&p->sha);
	p->name = name;
	p->format = format;
	p->records = 0;
	p->failed = false;
}

static void add_run(void *context, const struct otutl_run *run)
{
	struct progress *p = context;
	struct otutl_run kept = *run;

	kept.run_id = arena_copy(&p->arena, run->run_id);
	buf_add(&p->runs, &kept, sizeof(kept));
	p->records += run->records;
}

/* The hash means something only without errors and failures. Between inputs p->name is empty. */
static bool end_input(struct progress *p, struct err *err)
{
	struct digest_input input = { .name = p->name, .format = p->format, .findings = &p->findings };

	if (p->format == DIGEST_OTUTL) {
		otutl_finish(p->fold);
		input.runs = (const struct otutl_run *)(const void *)p->runs.p;
		input.run_count = p->runs.n / sizeof(struct otutl_run);
	} else if (p->format != DIGEST_ZIP && p->findings.errors == 0 && !p->failed) {
		input.has_sha256 = true;
		input.sha256 = sha256_end(&p->sha);
	}
	input.records = p->records;
	input.failure = p->failed ? &p->failure : NULL;
	p->name = (struct str){ NULL, 0 };
	return p->flow->input(p->flow->context, &input, err);
}

/* What came of a chunk goes to the digest of its input, worked on again if its format was guessed wrong. */
static void add_result(struct progress *p, const struct chunk *in, struct result *r)
{
	if (p->format == DIGEST_ZIP) {
		p->failed = str_eq(p->name, STR("-"));
		if (p->failed)
			err_set(&p->failure, ERR_DATA, "standard input is a zip archive, which has no canonical form; "
						       "name it as a file to have the digest of its bytes");
		return;
	}
	if (r->format != p->format) {
		if (!p->has_again)
			digest_worker_init(&p->again, p);
		p->has_again = true;
		work_as(&p->again, p->format, in, r);
	}
	if (p->format == DIGEST_OTUTL) {
		p->failed = !otutl_fold(p->fold, &r->log, &p->failure);
		if (p->failed)
			err_context(&p->failure, arena_copy(&p->arena, p->name).p);
		return;
	}
	findings_merge(&p->findings, &r->values.findings);
	p->records += r->values.records;
	if (p->findings.errors == 0)
		sha256_add(&p->sha, buf_str(&r->values.out));
}

/* In order. The first chunk decides what the input is; what comes after a failure is passed over. */
static bool digest_emit(void *context, const struct chunk *in, void *result, struct err *err)
{
	struct progress *p = context;
	struct result *r = result;

	assert(in->first == !p->name.p); /* an input ends before the next begins */
	if (in->first)
		begin_input(p, in->input->name, r->format);
	if (!p->failed)
		add_result(p, in, r);
	if (p->flow->tick)
		p->flow->tick(p->flow->context, p->flow->from);
	return !in->last || end_input(p, err);
}

static bool digest_input_failed(void *context, const struct input *input, const struct err *why)
{
	struct progress *p = context;
	struct err ignored;

	if (!p->name.p)
		begin_input(p, input->name, DIGEST_JSON);
	p->failed = true;
	p->failure = *why;
	return end_input(p, &ignored);
}

bool digest_flow_run(struct digest_flow *f, struct err *err)
{
	struct progress p = { .flow = f };
	struct flow flow = {
		.from = f->from,
		.jobs = f->jobs,
		.worker_size = sizeof(struct worker),
		.worker_init = digest_worker_init,
		.worker_free = digest_worker_free,
		.result_size = sizeof(struct result),
		.result_init = digest_result_init,
		.result_free = digest_result_free,
		.work = digest_work,
		.emit = digest_emit,
		.input_failed = digest_input_failed,
		.context = &p,
	};
	bool done;

	arena_init(&p.command);
	arena_init(&p.arena);
	sha256_init(&p.sha);
	buf_init(&p.runs);
	p.fold = otutl_fold_open(&p.command, (struct otutl_fold_options){
						     .findings = &p.findings,
						     .run = add_run,
						     .context = &p,
					     });
	done = flow_run(&flow, err);
	otutl_fold_close(p.fold);
	if (p.has_again)
		digest_worker_free(&p.again);
	sha256_free(&p.sha);
	buf_free(&p.runs);
	arena_free(&p.arena);
	arena_free(&p.command);
	return done;
}

const char *digest_format_name(enum digest_format f)
{
	static const char *const names[] = {
		[DIGEST_JSON] = "json",
		[DIGEST_JSONL] = "jsonl",
		[DIGEST_OTUTL] = "otutl",
		[DIGEST_ZIP] = "zip",
	};

	assert((unsigned)f < COUNT(names));
	return names[f];
}
