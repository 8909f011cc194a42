/*
 * Checks every input of a source against the rules of its format: given, or seen in its content. Chunks
 * are scanned in parallel and folded in order; memory does not grow with the input, but for what a
 * format's own rules must remember (ids).
 */
#ifndef FLOW_VALIDATE_H
#define FLOW_VALIDATE_H

#include "dialect/record/validate_rules.h"
#include "flow/checking.h"
#include "source/source.h"

struct validate_flow {
	struct source *from;
	unsigned jobs; /* as in struct flow */
	const struct dialect *as; /* NULL: by content */
	struct check_options options;
	/* An input is over; it lives during the call. False, with *err, stops. */
	bool (*input)(void *context, const struct validate_input *input, struct err *err);
	void (*tick)(void *context, const struct source *from); /* may be NULL */
	void *context;
};

/*
 * False, with *err, when `input` did not want to go on, or the process is asked to stop. An input that cannot be read
 * is told to `input` as its failure, and the flow goes on.
 */
bool validate_flow_run(struct validate_flow *f, struct err *err);

#endif
