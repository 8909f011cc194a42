/* What the parts of an observer share: observer.c, observer_request.c, observer_answer.c. */
#ifndef CAPTURE_OBSERVER_PRIVATE_H
#define CAPTURE_OBSERVER_PRIVATE_H

#include "capture/observe/observer.h"
#include "net/http/unpack.h"
#include "dialect/exchange/answer_calls.h"
#include "dialect/exchange/answer_stream.h"

#define OBSERVER_BODY ((size_t)64 << 20)  /* bytes of a body, unpacked, that are looked at */
#define OBSERVER_EVENT ((size_t)8 << 20)  /* of one event of a stream */
#define OBSERVER_SMALL ((size_t)8 << 10) /* held of an answer without being counted: most hold no more */
#define OBSERVER_INNER ((size_t)256 << 10) /* JSON values of a result that are looked at */
#define OBSERVER_TEXT 200                 /* of an id or a name */

struct observers {
	struct answer_parser parser;
	struct json_parser *content; /* of a result's content */
	struct budget *room;
	struct buf unpacked; /* a request's body */
	struct observer *unused;
	size_t unused_count;
};

struct observer {
	struct observers *all;
	struct observer *next; /* in the list of unused ones */
	struct arena arena, history; /* of the exchange; of the messages and results of its request */
	struct observation s;
	const struct exchange_api *api;
	struct str path; /* of the endpoint */
	uint64_t asked;  /* digest of method and endpoint */
	enum unpack_kind request_packing, answer_packing;
	bool post;
	/* the answer */
	struct unpack *unpack;
	size_t unpacked; /* bytes that came out of earlier ones: zstd may come in several frames */
	bool unpack_over; /* nothing more can come out */
	struct answer_stream stream;
	size_t counted; /* bytes of the room that the two hold */
	size_t history_counted;
	bool bad, lost, gave_up;
	bool thin; /* not all of the request's messages are here */
	uint64_t prompt_bytes;
	uint64_t said_bytes[ANSWER_COPIES]; /* of each copy: all of them say the same */
	struct answer_calls call_marks; /* beside s.calls */
	size_t call_cap;
};

/* A copy of an id or a name, not longer than those are; p NULL for none. */
struct str observer_keep(struct observer *k, struct str text);

/* ---- observer_request.c ---- */

/* Reads the unpacked body of a request into k->s: messages, results, model, digest. */
void observer_read_request(struct observer *k, struct str body);

#endif
