#include "flow/canon.h"

#include "flow/canonical.h"
#include "flow/flow.h"

#define OTUTL_PROFILE_DEPTH 512

struct worker {
	struct json_parser *parser;
	struct canon *canon;
	size_t limit;
};

static void canon_worker_init(void *worker, void *context)
{
	struct worker *w = worker;
	const struct canon_flow *f = context;
	struct json_options options = { .max_depth = f->profile == CANON_OTUTL ? OTUTL_PROFILE_DEPTH : JSON_DEPTH };

	w->parser = json_parser_open(options);
	w->canon = canon_open(f->profile);
	w->limit = f->findings->limit;
}

static void canon_worker_free(void *worker)
{
	struct worker *w = worker;

	json_parser_close(w->parser);
	canon_close(w->canon);
}

static void canon_result_init(void *result)
{
	canonical_init(result, 0);
}

static void canon_result_free(void *result)
{
	canonical_free(result);
}

static bool canon_work(void *worker, const struct chunk *in, void *result, struct err *err)
{
	struct worker *w = worker;
	struct canonical *c = result;

	(void)err;
	c->limit = w->limit; /* a chunk need not keep more than the whole input does */
	if (in->input->lines)
		canonical_lines(c, w->parser, w->canon, in);
	else
		canonical_document(c, w->parser, w->canon, in);
	return true;
}

/* After the first error the rest is still looked at, for its findings, but nothing is handed over. */
static bool canon_emit(void *context, const struct chunk *in, void *result, struct err *err)
{
	struct canon_flow *f = context;
	const struct canonical *c = result;

	(void)in;
	findings_merge(f->findings, &c->findings);
	f->records += c->records;
	return f->findings->errors > 0 || f->put(f->context, buf_str(&c->out), err);
}

bool canon_flow_run(struct canon_flow *f, struct err *err)
{
	struct flow flow = {
		.from = f->from,
		.jobs = f->jobs,
		.worker_size = sizeof(struct worker),
		.worker_init = canon_worker_init,
		.worker_free = canon_worker_free,
		.result_size = sizeof(struct canonical),
		.result_init = canon_result_init,
		.result_free = canon_result_free,
		.work = canon_work,
		.emit = canon_emit,
		.context = f,
	};

	return flow_run(&flow, err);
}
