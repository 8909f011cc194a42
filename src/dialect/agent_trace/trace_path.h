/*
 * Paths of services as a trace may have them. Keys, tenants and people's names stand in paths too
 * (/v1/sk-.../chat/completions, /users/bob@example.com/), so a path is not searched for what is bad: what is known to
 * be harmless is kept, and everything else becomes "...".
 */
#ifndef DIALECT_AGENT_TRACE_TRACE_PATH_H
#define DIALECT_AGENT_TRACE_TRACE_PATH_H

#include "base/arena.h"
#include "base/str.h"

/*
 * "/a/b/c" with "..." for each row of parts that are not known. Kept are words of APIs (chat, completions), versions
 * (v1, v1beta), and behind "models", "deployments" and their like a name that a trace may have (clean_model), with a
 * verb as Google has them (:generateContent). Of the first `own` bytes, which are the service's own address as its user
 * gave it, every part is kept that cannot be a key, mail or a person's directory.
 */
struct str trace_path_clean(struct arena *a, struct str path, size_t own);

/* A word behind which ids or names stand: files, responses, threads, models. */
bool trace_path_is_collection(struct str word);

#endif
