/*
 * What an agent says to a hook, as sightings: shared by the readers of claude_code/hook.h and cursor/hook.h. A hook is
 * told prompts, arguments, results and paths; of these nothing passes but sizes, and ids and names only where they look
 * like some.
 */
#ifndef DIALECT_SIGHTING_HOOK_H
#define DIALECT_SIGHTING_HOOK_H

#include "json/json.h"
#include "model/sighting.h"

#define HOOK_SIGHTINGS 2 /* that one event gives, at most */

/*
 * A reader, as claude_hook_see is one: what the event that the hook was told of, at this time, gives; how many of
 * `out` it filled. 0 for an event that says nothing to us, is unknown, or is no object. Texts are in the arena or in
 * the input.
 */

/* A member that is an id; absent when it is no string, or does not look like one. */
struct str hook_id(struct arena *a, struct val told, struct str name);

/* A member that is a tool's or an agent's name, without anything that could be an argument. */
struct str hook_name(struct arena *a, struct val told, struct str name);

/* A member with milliseconds, as nanoseconds; -1 when it is no number, negative or beyond any run. */
int64_t hook_ms(struct val told, struct str name);

/* The size and kind of a result: a text, blocks of content, what a command printed, or any JSON. */
void hook_result(struct arena *a, struct val result, struct sighting *s);

#endif
