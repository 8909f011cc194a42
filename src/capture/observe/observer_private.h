/* What the parts of an observer share: observer.c, observer_request.c, observer_answer.c. */
#ifndef CAPTURE_OBSERVE_OBSERVER_PRIVATE_H
#define CAPTURE_OBSERVE_OBSERVER_PRIVATE_H

#include "capture/observe/observer.h"
#include "dialect/exchange/answer_calls.h"
#include "dialect/exchange/answer_stream.h"
#include "net/http/unpack.h"

#define OBSERVER_BODY ((size_t)64 << 20)  /* bytes of a body, unpacked, that are looked at */
#define OBSERVER_EVENT ((size_t)8 << 20)  /* of one event of a stream */
#define OBSERVER_SMALL ((size_t)8 << 10) /* held of an answer without being counted: most hold no more */
#define OBSERVER_INNER ((size_t)256 << 10) /* JSON values of a result that are looked at */
#define OBSERVER_TEXT 200                 /* of an id or a name */
#define OBSERVER_OPENING ((size_t)256 << 10) /* of the first message of the user's */
#define OBSERVER_ARGS ((size_t)256 << 10) /* of arguments, in one answer; of a call that has more nothing is known */
#define OBSERVER_NEAR 16                  /* messages before the end whose texts are looked into, where that costs */
#define OBSERVER_ARG_TEXTS 16             /* strings of one call's arguments */
#define OBSERVER_ARG_CHARS 12             /* shorter ones, and shorter messages, say nothing about whose they are */

/* The messages of a request that only warmed the service up, by the id of its answer. */
struct observer_warm {
	uint64_t id; /* digest; 0: none */
	struct observation_message *messages;
	size_t count;
	char previous[OBSERVER_TEXT]; /* the answer that it went on from itself */
	size_t previous_size;         /* 0: none */
};

#define OBSERVER_WARM 8         /* of them are remembered: the latest */
#define OBSERVER_WARM_MOST 4096 /* messages of one */

struct observers {
	struct answer_parser parser;
	struct json_parser *content; /* of a result's content */
	struct budget *room;
	struct text_marker marker;
	struct buf unpacked; /* a request's body */
	struct buf opening;  /* of the request that was read last */
	struct observer *opened; /* whose that is; NULL: nobody's any more */
	struct observer *unused;
	size_t unused_count;
	struct observer_warm warm[OBSERVER_WARM];
	size_t next_warm;
	struct observer_blocks *blocks; /* NULL: prompts are not hashed */
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
	size_t warmed; /* messages that an earlier request told */
	bool thin; /* not all of the request's messages are here */
	uint64_t prompt_bytes;
	struct str chain_held; /* where the chain of its blocks stood; p NULL: it has none */
	size_t chain_count;    /* of s.blocks, those that are full */
	struct text_run said[ANSWER_COPIES];
	uint64_t said_bytes[ANSWER_COPIES]; /* of each copy: all of them say the same */
	struct answer_calls call_marks; /* beside s.calls */
	struct observer_args *args;     /* likewise */
	size_t args_cap, args_held;
	size_t call_cap;
};

/* A copy of an id or a name, not longer than those are; p NULL for none. */
struct str observer_keep(struct observer *k, struct str text);

/* ---- observer_said.c ---- */

/* What a person may have said in the messages of the request: their texts, the opening, what is context. */
void observer_read_said(struct observer *k);

/* The opening is gone. */
void observer_forget_opening(struct observers *l);

/* ---- observer_args.c: arguments of calls, which are held only until the answer is over ---- */

struct observer_args {
	char *p;
	size_t n, cap;
	bool given;  /* as a value, and not in pieces */
	bool too_long;
};

/* An event of the call at this place: what it has of the arguments. */
void observer_add_args(struct observer *k, size_t at, const struct event *e);

/* The answer is over: marks of the strings in the arguments of each call. */
void observer_mark_args(struct observer *k);

/* ---- observer_agents.c ---- */

/*
 * Which agent inside the client asks, and in which trace, by the headers of the request. Ids are cleaned, since they
 * will stand in the trace. True when the headers are Claude Code's.
 */
bool observer_read_agents(struct observer *k, const struct http_head *h);

/* ---- observer_blocks.c ---- */

/* Numbers of the blocks of the prompt, where they are wanted and all of it is known; while its events are there. */
void observer_read_blocks(struct observer *k, struct val body);

/* The answer is over: a later request may go on from it. */
void observer_keep_blocks(struct observer *k);

void observer_blocks_close(struct observer_blocks *b);

/* ---- observer_request.c ---- */

/* Reads the unpacked body of a request into k->s: messages, results, model, digest. */
void observer_read_request(struct observer *k, struct str body);

/* It was a request that only warms up, and was answered: its messages are remembered. */
void observer_keep_warm(struct observer *k);

#endif
