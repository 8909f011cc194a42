/* What others need of Ollama beside its row of exchange.h. */
#ifndef DIALECT_OLLAMA_OLLAMA_H
#define DIALECT_OLLAMA_OLLAMA_H

#include "base/arena.h"

/*
 * A URL of what OLLAMA_HOST may be: a host, host:port, :port or a URL, which stays as it is. What a server listens on
 * (0.0.0.0) becomes a place to call. Nothing is checked. The result is in the arena, or is `given`. Quotes around it
 * are taken off; an empty one is localhost.
 */
struct str ollama_complete_address(struct arena *a, struct str given);

#endif
