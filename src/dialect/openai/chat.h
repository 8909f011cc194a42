/*
 * Parts of the OpenAI chat dialect: messages as requests and transcripts tell them (openai_chat_message.c), answers
 * whole and in pieces (openai_chat_answer.c). openai_chat.c decides which is which.
 */
#ifndef DIALECT_OPENAI_CHAT_H
#define DIALECT_OPENAI_CHAT_H

#include "dialect/exchange/exchange.h"
#include "dialect/reading/reading.h"

/* Of the chat completions and of the Responses. */
extern const struct service openai_service;

/* ---- messages ---- */

/* One message: a MESSAGE, a RESULT, or a STEP with its CALLs. HISTORY events get the position, and a digest. */
void openai_chat_read_message(struct reading *r, struct val message, uint32_t position, unsigned flags);

/* The tools, if any, and every message of `list`, all told again (EVENT_HISTORY). */
void openai_chat_read_request(struct reading *r, struct val body, struct val list);

/* Whether it is a list of messages: objects that begin with one that has a role. */
bool openai_chat_is_messages(struct val list);

/* ---- content, for both ---- */

struct openai_chat_said {
	struct str text, reasoning;
};

/* A content, string or parts: text parts joined, thinking parts joined. What is something else is left. */
void openai_chat_read_content(struct reading *r, struct val content, struct openai_chat_said *said);

/* What an assistant message or a delta says, with reasoning_content, reasoning and refusal. */
void openai_chat_read_said(struct reading *r, struct val message, struct openai_chat_said *said);

/* The calls of an assistant message or a delta; `step` of the answer, flags for each CALL. */
void openai_chat_read_calls(struct reading *r, struct val message, struct str step, unsigned flags);

/* ---- answers ---- */

/* A whole answer, or an error in its place: a STEP for each choice with its CALLs, or an ERROR. The rest is kept. */
void openai_chat_read_response(struct reading *r, struct val body);
void openai_chat_read_chunk(struct reading *r, struct val v, struct str sse_event);
struct usage openai_chat_read_usage(struct reading *r, struct val usage, struct str model);

/* {"error":{...}}, or the object inside. */
void openai_chat_read_error(struct reading *r, struct val body, struct str step);

#endif
