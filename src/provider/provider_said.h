/*
 * What a model said, put together from the events of its answer (dialect/exchange/answer_stream.h): the text, the calls
 * it asks for, what the service complains of. Pieces are joined; what a stream repeats counts once.
 */
#ifndef PROVIDER_PROVIDER_SAID_H
#define PROVIDER_PROVIDER_SAID_H

#include "dialect/exchange/answer_calls.h"
#include "provider/provider.h"

#define SAID_MOST ((size_t)16 << 20) /* bytes of text and arguments that are kept */

struct responses_stream;

struct provider_said {
	struct arena arena; /* of this answer */
	struct buf text;
	struct answer_calls marks;
	struct said_call {
		struct str name, whole; /* whole: arguments that came at once; p NULL */
		struct buf pieces;
	} *calls; /* beside the marks */
	size_t call_cap, kept;  /* kept: bytes of all arguments and the text */
	bool too_large;
	struct str error, error_code; /* of the first complaint; p NULL */
	struct responses_stream *stream; /* of the Responses API, which tells everything three times; NULL for others */
};

/* Empty. begin may be left out before the first answer, but for one of the Responses API. */
void provider_said_init(struct provider_said *s);

/*
 * Ready for another answer; what was gathered of the last one is gone, some of its memory stays. `responses`: it is of
 * the Responses API.
 */
void provider_said_begin(struct provider_said *s, bool responses);
void provider_said_free(struct provider_said *s);

/* One event; what it says is copied. Beyond SAID_MOST bytes too_large is set and nothing more is kept. */
void provider_said_take(struct provider_said *s, const struct event *e);

/* Nothing more will come, or nobody wants it. Fills in text and calls. They last until the next begin. */
void provider_said_end(struct provider_said *s, struct provider_answer *out);

/* A copy of at most `most` bytes that lasts until the next begin; p NULL for an empty text. */
struct str provider_said_keep(struct provider_said *s, struct str text, size_t most);

#endif
