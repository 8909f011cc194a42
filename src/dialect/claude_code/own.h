/*
 * The member `trackway` of lines that were written here: for each event of the line, by its name, what the line itself
 * cannot say, in the words of OTUTL. {"model_step":{"latency_ms":812},"cost":{...},"tool_call":{}}: such a line holds
 * these events and no others. Programs that do not know the member pass it over.
 */
#ifndef DIALECT_CLAUDE_CODE_OWN_H
#define DIALECT_CLAUDE_CODE_OWN_H

#include "dialect/otutl/emit.h"
#include "dialect/reading/reading.h"

#define CLAUDE_CODE_OWN "trackway"
#define CLAUDE_CODE_OWN_TIME "ts_source"    /* beside the events: where the line's timestamp comes from */
#define CLAUDE_CODE_OWN_EMPTY "no_content"  /* in a result: it has none; the line's "" stands for it */
#define CLAUDE_CODE_OWN_NAMELESS "no_model" /* in a step: no model is named; the line's "unknown" stands for it */

/* The name of an event of this kind in the member. Lives always. */
struct str claude_code_own_name(enum event_kind kind);

/*
 * Makes the events from `first` on, which were read from the line as Claude Code means it, those that the member
 * names. Those it does not name are gone.
 */
void claude_code_own_read(struct reading *r, size_t first, struct val own);

#endif
