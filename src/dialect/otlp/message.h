/*
 * What was said to a model and what it answered, as spans tell it: gen_ai.input.messages and its like (a text of JSON
 * or a list), span events, OpenLLMetry's gen_ai.prompt.N.role, OpenInference's llm.input_messages.N.message.role.
 */
#ifndef DIALECT_OTLP_MESSAGE_H
#define DIALECT_OTLP_MESSAGE_H

#include "dialect/otlp/span.h"

/* Takes what span events tell in the place of attributes that are not there. */
void otlp_message_use_events(struct otlp_span *s);

/*
 * Adds an EVENT_MESSAGE for each message of the request, flagged EVENT_HISTORY, with place and mark. Those of the
 * assistant and of tools have no content: they only tell requests apart.
 */
void otlp_message_add_input(struct reading *r, struct otlp_span *s);

struct otlp_answer {
	struct str text, reasoning, finish; /* p NULL where there is none */
};

/* The answer. Adds an EVENT_CALL with EVENT_HISTORY and nothing but its id for each call it asks for. */
struct otlp_answer otlp_message_read_output(struct reading *r, struct otlp_span *s);

#endif
