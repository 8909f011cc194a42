/*
 * Parts of the Gemini dialect (generateContent and streamGenerateContent, of the Gemini API and of Vertex): contents as
 * requests tell them (content.c), answers whole and in pieces (answer.c). gemini.c decides which is
 * which.
 *
 * Names are in camelCase on the wire; SDKs and their logs spell them in snake_case too. Both are read everywhere.
 */
#ifndef DIALECT_GEMINI_GEMINI_H
#define DIALECT_GEMINI_GEMINI_H

#include "dialect/exchange/exchange.h"
#include "dialect/reading/reading.h"

/* The member of this name (camelCase), however it is spelled; VAL_NONE when there is none. Nothing is marked. */
struct val gemini_get(struct val object, struct str camel);

/*
 * The spelling of a name that the object has; camelCase when it has neither. The text is `camel`, or in `room`, which
 * must live as long as it is used.
 */
struct str gemini_name(struct val object, struct str camel, char room[64]);

/*
 * A request or an answer that stands in an envelope of its own: {"request":{...}}, {"response":{...}}. v itself when
 * it is none, or when nothing of this API stands inside.
 */
struct val gemini_unwrap(struct val v);

/* ---- contents ---- */

/*
 * Whether it is a list of contents: objects with parts that are this API's. Only the first of a list is looked at; a
 * content by itself counts too.
 */
bool gemini_is_contents(struct val list);

/*
 * The tools, if any, the prompt and every content of `list`, all told again (EVENT_HISTORY). `list` may be one content
 * instead of a list. What is no object in it is passed over.
 */
void gemini_read_request(struct reading *r, struct val body, struct val list);

/*
 * One content: a MESSAGE, RESULTs, or a STEP with its CALLs. HISTORY events get the position, and a digest. A role
 * that nobody knows is the user's. What is left of the content goes to its first event.
 */
void gemini_read_content(struct reading *r, struct val content, uint32_t position, unsigned flags);

/*
 * The parts of a content of the user: RESULTs, and a MESSAGE of this role with whatever else stands beside them. One
 * event at least. A text in place of the list is the message.
 */
void gemini_read_given(struct reading *r, struct val parts, struct str role, unsigned flags);

struct gemini_said {
	struct str text, reasoning;
};

/*
 * Texts and thoughts of a list of parts, each joined; p NULL where there are none. What is something else is left. The
 * texts live in the batch.
 */
void gemini_read_said(struct reading *r, struct val parts, struct gemini_said *said);

/*
 * The calls among them. One whose arguments come piece by piece (partialArgs, willContinue) has no args but a hint with
 * the list of its pieces (exchange/hint.h); pieces after the first have no tool. The fold of exchange.h puts them
 * together.
 */
void gemini_read_calls(struct reading *r, struct val parts, struct str step, unsigned flags);

/* ---- answers ---- */

/*
 * A whole answer, or an error in its place: a STEP for each candidate with its CALLs, or an ERROR. The rest is kept.
 * One event at least; a prompt that was blocked adds an ERROR.
 */
void gemini_read_response(struct reading *r, struct val body);
/* The same of one piece of a stream, flagged EVENT_PIECE. `sse_event` says nothing here. */
void gemini_read_chunk(struct reading *r, struct val v, struct str sse_event);
/*
 * Tokens, taken: thoughts count as output too, unless the total says that they are in it already, and what a tool of
 * the service read counts as input. All are absent when usage is no object.
 */
struct usage gemini_read_usage(struct reading *r, struct val usage);

#endif
