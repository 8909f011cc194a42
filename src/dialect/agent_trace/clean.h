/*
 * Texts on their way into a trace, which must not hold content: what may stand there of an endpoint, a model, a tool's
 * name, an id. All are pure; what is returned is the text given, a part of it, or a constant.
 */
#ifndef DIALECT_AGENT_TRACE_CLEAN_H
#define DIALECT_AGENT_TRACE_CLEAN_H

#include "base/arena.h"
#include "base/str.h"

/*
 * Without user, password, query and fragment, and of its path only what is known to be harmless (trace_path.h). The
 * first `own` bytes are the service's address as the user of the program gave it; 0 when nobody knows. When there is
 * none (p NULL): the public address of the provider, or "unknown".
 */
struct str clean_endpoint(struct arena *a, struct str endpoint, size_t own, struct str provider);

/*
 * A model that is a path, absolute or relative, is its last component; none is "unknown", and so is a key of any shape,
 * mail, a sentence. Kept are claude-x@20250101, @cf/meta/llama, accounts/x/models/y, Claude 3 Opus.
 */
struct str clean_model(struct str model);

/* The bare name; what follows is left out when it looks like arguments. Keys, mail, control characters: "unknown". */
struct str clean_tool(struct str name);

/*
 * An id that says nothing else: up to 96 bytes of letters, digits and -_.:+|#$, of which fewer than eight words and no
 * more than 64 letters and digits in a row; otherwise p is NULL.
 */
struct str clean_id(struct str id);

/* One of the frameworks a trace knows, or "unknown"; a constant either way. Case counts. */
struct str clean_framework(struct str word);

#endif
