/*
 * Parts of the OpenAI chat dialect: messages as requests and transcripts tell them (chat_message.c), answers
 * whole and in pieces (chat_answer.c). chat.c decides which is which.
 */
#ifndef DIALECT_OPENAI_CHAT_H
#define DIALECT_OPENAI_CHAT_H

#include "dialect/exchange/exchange.h"
#include "dialect/reading/reading.h"

/* Of the chat completions and of the Responses. */
extern const struct service openai_service;

/* ---- messages ---- */

/*
 * One message: a MESSAGE, a RESULT, or a STEP with its CALLs. HISTORY events get the position, and a digest. A role
 * that nobody knows makes a NOTE. `message` must be an object; what is left of it goes to the first event.
 */
void openai_chat_read_message(struct reading *r, struct val message, uint32_t position, unsigned flags);

/*
 * The tools, if any, and every message of `list`, all told again (EVENT_HISTORY). What is no object in the list is
 * passed over, and stays in the body, which the caller still has to keep.
 */
void openai_chat_read_request(struct reading *r, struct val body, struct val list);

/*
 * Whether it is a list of messages: objects that begin with one that has a role. Only the first is looked at. False
 * for Gemini's contents, which have parts.
 */
bool openai_chat_is_messages(struct val list);

/* ---- content, for both ---- */

struct openai_chat_said {
	struct str text, reasoning;
};

/*
 * A content, string or parts: text parts joined, thinking parts joined. What is something else is left. *said stays as
 * it was for null and for anything that is neither. The texts live in the batch.
 */
void openai_chat_read_content(struct reading *r, struct val content, struct openai_chat_said *said);

/*
 * What an assistant message or a delta says, with reasoning_content, reasoning and refusal. A refusal is the text
 * where there is no other. *said stays as it was when the message is no object.
 */
void openai_chat_read_said(struct reading *r, struct val message, struct openai_chat_said *said);

/*
 * The calls of an assistant message or a delta; `step` of the answer, flags for each CALL. Adds nothing when there are
 * none. The older function_call is one too, of index 0 and without an id.
 */
void openai_chat_read_calls(struct reading *r, struct val message, struct str step, unsigned flags);

/* ---- answers ---- */

/*
 * A whole answer, or an error in its place: a STEP for each choice with its CALLs, or an ERROR. The rest is kept. One
 * event at least.
 */
void openai_chat_read_response(struct reading *r, struct val body);
/*
 * One piece of a stream: the same in pieces, flagged EVENT_PIECE, for the fold to join. `sse_event` says nothing here.
 */
void openai_chat_read_chunk(struct reading *r, struct val v, struct str sse_event);
/*
 * Tokens by the names of all who speak this API; absent figures where usage is no object. Where the total shows that
 * reasoning was left out, it is added to the output; for Gemini's models (`model`) both are estimates then.
 */
struct usage openai_chat_read_usage(struct reading *r, struct val usage, struct str model);

/*
 * {"error":{...}}, or the object inside. An ERROR, with `step` (p NULL: none) as the answer that broke off. What is
 * left of the body stays with it, unless choices stand beside it.
 */
void openai_chat_read_error(struct reading *r, struct val body, struct str step);

#endif
