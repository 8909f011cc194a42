/*
 * The vendors' APIs, one line each. NAME stands for the row NAME_api (exchange.h) and for NAME_dialect, the format that
 * logs of it are (formats.h); the vendor's own files define both. Of two that fit a value equally well the first is
 * taken: others have taken over the messages of OpenAI's chat.
 */
#ifndef DIALECT_EXCHANGE_VENDORS_H
#define DIALECT_EXCHANGE_VENDORS_H

#define VENDORS(EACH) \
	EACH(anthropic) \
	EACH(openai_chat) \
	EACH(openai_responses) \
	EACH(gemini) \
	EACH(ollama) \
	EACH(cohere)

#endif
