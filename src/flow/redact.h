/*
 * One file through redaction: line by line in memory that does not grow with it, or as one document. The first part
 * that cannot be read ends everything, for what is not read cannot be redacted.
 */
#ifndef FLOW_REDACT_H
#define FLOW_REDACT_H

#include "source/source.h"
#include "transform/redact.h"

struct redact_flow {
	struct source *from; /* opened with SOURCE_CONTENT */
	size_t limit;        /* bytes of a stream of events, which is taken as a whole */
	struct redact *with;
	bool (*put)(void *context, struct str bytes, struct err *err);
	void (*tick)(void *context, const struct source *from); /* may be NULL */
	void *context;
	uint64_t records; /* out */
};

/*
 * False, with *err: a part that is no JSON (its place and the remedy are in the text, nothing of what it says), an
 * archive, a failed read or `put`, or a wish to stop.
 */
bool redact_flow_run(struct redact_flow *f, struct err *err);

#endif
