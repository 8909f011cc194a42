/* What Cursor tells its hooks (hooks.json, JSON on standard input), as sightings. */
#ifndef DIALECT_CURSOR_HOOK_H
#define DIALECT_CURSOR_HOOK_H

#include "dialect/sighting/hook.h"

/* A reader, as dialect/sighting/hook.h has it. */
size_t cursor_hook_see(struct arena *a, struct val told, int64_t ns, struct sighting out[HOOK_SIGHTINGS]);

#endif
