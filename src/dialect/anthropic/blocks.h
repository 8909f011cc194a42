/*
 * The content blocks of Anthropic's Messages API, as its own logs and those of Claude Code have them: text and
 * thinking go to the step, tool_use and its kin (server_tool_use, mcp_tool_use) become calls, tool_result and its kin
 * results, and what a user says messages. Of each block what is left goes to the event made from it, under "block";
 * of text and thinking it stays unmarked, for the rest of the message.
 */
#ifndef DIALECT_ANTHROPIC_BLOCKS_H
#define DIALECT_ANTHROPIC_BLOCKS_H

#include "dialect/reading/reading.h"

/* What all events of one message have in common. */
struct blocks_origin {
	struct moment ts;
	struct str branch, parent, step;
	unsigned flags; /* EVENT_HISTORY; in a stream EVENT_FALLBACK */
	uint64_t digest;   /* with EVENT_HISTORY: blocks_digest of the message */
	uint32_t position; /* with EVENT_HISTORY: of the message in its request, from 0 */
};

enum blocks_kind { BLOCKS_OTHER, BLOCKS_TEXT, BLOCKS_THINKING, BLOCKS_CALL, BLOCKS_RESULT };

/*
 * What a block is, by its type: one that ends in "tool_use" or "tool_result" is a call or result. BLOCKS_OTHER for
 * what has no type that is a string.
 */
enum blocks_kind blocks_kind_of(struct val block);

/* An event of this message. It is good until the next one is added, as from reading_add. */
struct event *blocks_add(struct reading *r, const struct blocks_origin *o, enum event_kind kind);

/*
 * The answer's blocks: text and thinking for the step r->events[step], calls and results behind it. A content that is
 * a string is the text. Where the blocks stood in an unusual order, that is kept as "blocks"; a content that is
 * neither string nor list changes nothing.
 */
void blocks_read_answer(struct reading *r, const struct blocks_origin *o, size_t step, struct val content);

/* What was given to the model: results, and messages of this role. Adds one event or more. */
void blocks_read_given(struct reading *r, const struct blocks_origin *o, struct str role, struct val content);

/*
 * One call, one result; index is its place among the calls, -1 when that is not known. A call without a name is
 * "unknown"; a result that does not say whether it failed is judged by its content's type.
 */
void blocks_read_call(struct reading *r, const struct blocks_origin *o, struct val block, int index);
void blocks_read_result(struct reading *r, const struct blocks_origin *o, struct val block);

/*
 * Input gets what the cache gave and took; with a compaction the rounds (iterations) are added up, since the figures
 * beside them leave it out. Figures that the usage does not have stay absent. *u stays as it was when usage is no
 * object.
 */
void blocks_read_usage(struct reading *r, struct val usage, struct usage *u);

/*
 * What the service took out of the context before this answer: results, as its context_management says, or all that
 * came before, as a block of the type "compaction" says. Adds a NOTE for each; nothing for what is told as history.
 */
void blocks_read_compaction(struct reading *r, const struct blocks_origin *o, struct val message);

/* Something is known, and all of it is 0: the message is a marker and no step. */
bool blocks_usage_is_zero(const struct usage *u);

/* A digest of a message for history.h: without cache_control and thinking, which come and go; a text is one block. */
uint64_t blocks_digest(struct val message);

#endif
