#include "flow/validate.h"

#include <assert.h>

#include "flow/flow.h"

/* The input being emitted. */
struct progress {
	struct validate_flow *flow;
	struct checking checking;
	bool begun; /* between inputs it is not */
};

static void validate_worker_init(void *worker, void *context)
{
	const struct progress *p = context;

	checking_tools_init(worker, p->flow->as, &p->flow->options);
}

static void validate_worker_free(void *worker)
{
	checking_tools_free(worker);
}

static void validate_result_free(void *result)
{
	checking_result_free(result);
}

static struct check_chunk chunk_of(const struct chunk *in)
{
	return (struct check_chunk){ in->bytes, in->first_line, in->origin, in->input->lines };
}

static bool validate_work(void *worker, const struct chunk *in, void *result, struct err *err)
{
	struct check_chunk chunk = chunk_of(in);

	(void)err;
	checking_scan(worker, &chunk, result);
	return true;
}

static void validate_begin(struct progress *p, const struct input *input)
{
	checking_begin(&p->checking, input->name);
	p->begun = true;
}

static bool validate_end(struct progress *p, struct err *err)
{
	p->begun = false;
	return p->flow->input(p->flow->context, checking_end(&p->checking), err);
}

static bool validate_emit(void *context, const struct chunk *in, void *result, struct err *err)
{
	struct progress *p = context;
	struct check_chunk chunk = chunk_of(in);

	assert(in->first == !p->begun); /* an input ends before the next begins */
	if (in->first)
		validate_begin(p, in->input);
	checking_add(&p->checking, &chunk, result);
	if (p->flow->tick)
		p->flow->tick(p->flow->context, p->flow->from);
	return !in->last || validate_end(p, err);
}

static bool validate_input_failed(void *context, const struct input *input, const struct err *why)
{
	struct progress *p = context;
	struct err ignored;

	if (!p->begun)
		validate_begin(p, input);
	checking_fail(&p->checking, why);
	return validate_end(p, &ignored);
}

bool validate_flow_run(struct validate_flow *f, struct err *err)
{
	struct progress p = { .flow = f };
	struct flow flow = {
		.from = f->from,
		.jobs = f->jobs,
		.worker_size = sizeof(struct checking_tools),
		.worker_init = validate_worker_init,
		.worker_free = validate_worker_free,
		.result_size = sizeof(struct checking_result),
		.result_free = validate_result_free,
		.work = validate_work,
		.emit = validate_emit,
		.input_failed = validate_input_failed,
		.context = &p,
	};
	bool done;

	checking_init(&p.checking, &f->options);
	source_be_patient(f->from); /* there is no answer before the end of an input */
	done = flow_run(&flow, err);
	checking_free(&p.checking);
	return done;
}
