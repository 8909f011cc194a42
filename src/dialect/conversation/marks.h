/* What the reader of conversations notes with an event, for the writer: members of its extra that begin with '#'. */
#ifndef DIALECT_CONVERSATION_MARKS_H
#define DIALECT_CONVERSATION_MARKS_H

#include "json/val.h"

#define CONVERSATION_KEY "conversation/1"
#define MARK_DIALECT "#d"    /* of the line: canonical, openai, anthropic, parts, plain */
#define MARK_LINE "#line"    /* its number */
#define MARK_PLACE "#n"      /* of the event among those of the line, but for the first */
#define MARK_BLOCKS "#blocks" /* how many its content has, when that is a list */
#define MARK_CALLS "#calls"   /* how many tool_calls it has */
#define MARK_ARGS "#args"     /* how a call's arguments stand there, if not as usual: "object", "none", "content" */

/*
 * What our own writer says in a member `trackway` of a line or block, where the format has no word: {"is":"message"}
 * for what was told to the model although its role would make it a step or a result, {"is":"calls"} for calls that no
 * step asked for, {"is_error":null} for a result of which nobody knows whether it failed, whatever it sounds like. In
 * the last line of a run that did not end as a reader would think, {"status":"interrupted"}.
 */
#define OURS "trackway"
#define OURS_IS "is"
#define OURS_MESSAGE "message"
#define OURS_CALLS "calls"
#define OURS_ERROR "is_error"
#define OURS_STATUS "status" /* of the run, in its last line */
#define OURS_REASON "reason"

/*
 * Whether a result sounds as if it had failed, for lines that do not say: it has a shell's or an interpreter's usual
 * words, or "[exit code: N]" with N not 0. `json` is the payload as it stands; a guess, so the caller flags the event
 * EVENT_INFERRED.
 */
bool conversation_marks_failure(struct str json);

/*
 * Whether a type is this word, or one made like it: "tool_use" and "server_tool_use". Longer types count when an
 * underscore stands before the word.
 */
bool conversation_is_sort_of(struct str type, struct str word);

/* The same of a block's type as it stands there. False when the block is no object, or its type is no string. */
bool conversation_is_block(struct val block, struct str word);

#endif
