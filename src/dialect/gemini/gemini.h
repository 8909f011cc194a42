/*
 * Parts of the Gemini dialect (generateContent and streamGenerateContent, of the Gemini API and of Vertex): contents as
 * requests tell them (gemini_content.c), answers whole and in pieces (gemini_answer.c). gemini.c decides which is
 * which.
 *
 * Names are in camelCase on the wire; SDKs and their logs spell them in snake_case too. Both are read everywhere.
 */
#ifndef DIALECT_GEMINI_GEMINI_H
#define DIALECT_GEMINI_GEMINI_H

#include "dialect/exchange/exchange.h"
#include "dialect/reading/reading.h"

/* The member of this name (camelCase), however it is spelled. */
struct val gemini_get(struct val object, struct str camel);

/* The spelling of a name that the object has; camelCase when it has neither. */
struct str gemini_name(struct val object, struct str camel, char room[64]);

/* A request or an answer that stands in an envelope of its own: {"request":{...}}, {"response":{...}}. */
struct val gemini_unwrap(struct val v);

/* ---- contents ---- */

/* Whether it is a list of contents: objects with parts that are this API's. */
bool gemini_is_contents(struct val list);

/* The tools, if any, the prompt and every content of `list`, all told again (EVENT_HISTORY). */
void gemini_read_request(struct reading *r, struct val body, struct val list);

/* One content: a MESSAGE, RESULTs, or a STEP with its CALLs. HISTORY events get the position, and a digest. */
void gemini_read_content(struct reading *r, struct val content, uint32_t position, unsigned flags);

struct gemini_said {
	struct str text, reasoning;
};

/* Texts and thoughts of a list of parts, joined. What is something else is left. */
void gemini_read_said(struct reading *r, struct val parts, struct gemini_said *said);

/*
 * The calls among them. One whose arguments come piece by piece (partialArgs, willContinue) has no args but a hint with
 * the list of its pieces (exchange_hint.h); pieces after the first have no tool. The fold of exchange.h puts them
 * together.
 */
void gemini_read_calls(struct reading *r, struct val parts, struct str step, unsigned flags);

/* ---- answers ---- */

/*
 * A whole answer, or an error in its place: a STEP for each candidate with its CALLs, or an ERROR. The rest is kept.
 */
void gemini_read_response(struct reading *r, struct val body);
void gemini_read_chunk(struct reading *r, struct val v, struct str sse_event);
struct usage gemini_read_usage(struct reading *r, struct val usage);

#endif
