/*
 * What was said to a model and what it answered, as spans tell it: gen_ai.input.messages and its like (a text of JSON
 * or a list), span events, OpenLLMetry's gen_ai.prompt.N.role, OpenInference's llm.input_messages.N.message.role.
 */
#ifndef DIALECT_OTLP_MESSAGE_H
#define DIALECT_OTLP_MESSAGE_H

#include "dialect/otlp/span.h"

/* Takes what span events tell in the place of attributes that are not there. Attributes that are there stay. */
void otlp_message_use_events(struct otlp_span *s);

/*
 * Adds an EVENT_MESSAGE for each message of the request, flagged EVENT_HISTORY, with position and digest. Those of
 * the assistant and of tools have no content: they only tell requests apart. At most 100000; the record has the rest.
 * A span of ours gives each message as it was, whoever said it.
 */
void otlp_message_add_input(struct reading *r, struct otlp_span *s);

struct otlp_answer {
	struct str text, reasoning, finish; /* p NULL where there is none */
};

/*
 * The answer; texts live in the batch, those of several messages are joined. Adds an EVENT_CALL with EVENT_HISTORY
 * and nothing but its id for each call it asks for.
 */
struct otlp_answer otlp_message_read_output(struct reading *r, struct otlp_span *s);

#endif
