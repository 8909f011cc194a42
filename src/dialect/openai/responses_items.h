/*
 * The items of OpenAI's Responses: messages, reasoning, calls, outputs. They stand in requests, in responses, in
 * streams and, one by one, in Codex rollouts, and mean the same everywhere.
 */
#ifndef DIALECT_OPENAI_RESPONSES_ITEMS_H
#define DIALECT_OPENAI_RESPONSES_ITEMS_H

#include "dialect/exchange/hint.h"

/* Where an item stands: what its events get, and what is to be done with what is left of it. */
struct responses_place {
	struct str step;  /* of the response, p NULL when it is not known */
	struct moment ts;
	unsigned flags;   /* for each of its events */
	int index;        /* its place in the response, -1 when unknown */
	enum stream_part part; /* of a stream */
	uint64_t digest;   /* with EVENT_HISTORY, or in a stream: a digest of the item */
	uint32_t position; /* with EVENT_HISTORY */
	bool told;  /* in a request: what the model said is a message, what is unknown is a note */
	bool inner; /* what is left of what the model said is left to the caller, who has the whole response */
	bool codex; /* outputs hold exit codes, as JSON in a text or as a header; texts have digests in their hints */
};

/*
 * Adds the events of an item; of one that is unknown a STEP piece that holds it, or with `inner` nothing. Adds one
 * event at least without `inner`. What is no object counts as unknown.
 */
void responses_read_item(struct reading *r, struct val item, const struct responses_place *p);

/* Whether a value looks like an item: a type we know, or a role with content. False when v is no object. */
bool responses_is_item(struct val v);

/*
 * Text parts of a message, joined, and taken; refusals too. A content that is a string is the text itself. p NULL when
 * content is neither string nor list, or an empty list; the text lives in the batch.
 */
struct str responses_read_text(struct reading *r, struct val content);

/* Tokens of a response, taken. Figures that are not there stay absent, all of them when usage is no object. */
void responses_read_usage(struct reading *r, struct val usage, struct usage *u);

#endif
