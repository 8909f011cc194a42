/* The memory of a run graph: digests and the nodes they stand for; the new takes the place of the old. */
#ifndef CAPTURE_GRAPH_RUN_GRAPH_KNOWN_H
#define CAPTURE_GRAPH_RUN_GRAPH_KNOWN_H

#include "base/id.h"

enum known_kind {
	KNOWN_REQUEST = 1, /* all messages of an answered request -> the call */
	KNOWN_TALK,        /* the same without prompts of the system */
	KNOWN_ANSWER,      /* the id of an answer -> the call */
	KNOWN_AGENT,       /* an agent -> its latest call */
	KNOWN_ASKED,       /* a request with its tools -> the call */
	KNOWN_INPUT,       /* messages up to one of the user's -> its node */
	KNOWN_SAID,        /* a message of the user's, wherever it stood */
	KNOWN_TEXT,        /* what a person said, in whatever message -> its node */
	KNOWN_TEXT_HERE,   /* the same under these prompts and with these tools */
	KNOWN_SUB,         /* a call of a sub-agent */
	KNOWN_ROOT,        /* a call -> the first of its conversation */
	KNOWN_REPLY_AT,    /* a request's messages and what was answered -> the call */
	KNOWN_REPLY_IN,    /* a conversation and what was answered in it -> the call */
	KNOWN_REPLY,       /* what was answered, wherever -> the call */
	KNOWN_CALL,        /* a call of a tool that got its result, by the call that asked and its id -> its node */
	KNOWN_TOOL,        /* the id of a call of a tool -> its node, written */
	KNOWN_ASKER,       /* the id of a call of a tool -> the model call that asks for it */
	KNOWN_SPAN_MODEL,  /* a span that is, or has inside it, a model call -> that */
	KNOWN_SPAN_FIRST,  /* a span -> the first model call inside it that was told of */
	KNOWN_SPAN_TOOL,   /* a span that is, or has right inside it, a call of a tool -> that */
	KNOWN_SPAN_UP,     /* a span -> the span around it, as eight bytes, and whether it is a tool's */
	KNOWN_LANE,        /* a span, or a trace -> the latest model call inside it */
};

struct known;

/* An empty table, which grows up to 16384 entries. Never NULL; lives until known_close. */
struct known *known_open(void);
void known_close(struct known *k);

/* Notes the node of a digest; an older one of that digest, or of another in the same slot, is forgotten. */
void known_set(struct known *k, enum known_kind kind, uint64_t digest, struct id node);

/* False, with *node untouched, when the digest was never noted or is forgotten. */
bool known_find(const struct known *k, enum known_kind kind, uint64_t digest, struct id *node);

#endif
