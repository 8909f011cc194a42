/*
 * Canonical form of a whole input: source, parser and canonicaliser joined, chunks in parallel, the
 * canonical bytes handed over in input order. A document gives its bytes and nothing else; each line
 * that is not blank gives its canonical line and LF. What is wrong becomes findings; once there is an
 * error no more bytes are handed over.
 */
#ifndef FLOW_CANON_H
#define FLOW_CANON_H

#include "base/finding.h"
#include "json/canon.h"
#include "source/source.h"

struct canon_flow {
	struct source *from;
	unsigned jobs;
	enum canon_profile profile;
	struct findings *findings; /* of all inputs together */
	bool (*put)(void *context, struct str bytes, struct err *err);
	void *context;
	uint64_t records; /* out: values that have a canonical form */
};

/*
 * False, with *err, when the input could not be read, `put` failed, or we are to stop. Findings are not a failure. An
 * input that cannot be read ends the flow: later ones are not looked at.
 */
bool canon_flow_run(struct canon_flow *f, struct err *err);

#endif
