/*
 * Texts on their way into a trace, which must not hold content: what may stand there of an endpoint, a model, a tool's
 * name, an id. All are pure; what is returned is the text given, a part of it, or a constant.
 */
#ifndef DIALECT_AGENT_TRACE_CLEAN_H
#define DIALECT_AGENT_TRACE_CLEAN_H

#include "base/arena.h"
#include "base/str.h"

/*
 * Without user, password, query and fragment. When there is none (p NULL): the public address of the provider, or
 * "unknown".
 */
struct str clean_endpoint(struct arena *a, struct str endpoint, struct str provider);

/* A model that is a path is its last component; none is "unknown". */
struct str clean_model(struct str model);

/* The bare name; what follows it is left out when it looks like arguments. */
struct str clean_tool(struct str name);

/* An id that says nothing else: up to 128 bytes without spaces, slashes and their like; otherwise p is NULL. */
struct str clean_id(struct str id);

/* One of the frameworks a trace knows, or "unknown". */
struct str clean_framework(struct str word);

#endif
