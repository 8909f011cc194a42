/*
 * Reads an exchange while it passes and keeps what is no content (observation.h). The bodies are read by the APIs of
 * dialect/exchange/exchange.h, the same that `convert` uses; streams piece by piece, so that what is held does not grow
 * with an answer. Runs on the recorder's thread, never on the proxy's.
 */
#ifndef CAPTURE_OBSERVE_OBSERVER_H
#define CAPTURE_OBSERVE_OBSERVER_H

#include "base/budget.h"
#include "capture/observe/observation.h"

struct block_options; /* block_chain.h */
struct observers; /* what observers share: parsers, memory kept for later */
struct observer;

/*
 * What observers hold of open answers is taken from `room`, which others may share and which must live longer. Never
 * NULL. Close it after its observers.
 */
struct observers *observers_open(struct budget *room);
void observers_close(struct observers *l);

/* From now on prompts are hashed by blocks, unless their size is 0. Before the first observer. */
void observers_hash_blocks(struct observers *l, const struct block_options *o);

struct observer_begin {
	uint64_t number;
	const char *provider;    /* the route's name */
	struct str endpoint;     /* without user, query, fragment */
	size_t endpoint_own;     /* bytes of it that are the route's own address */
	const struct http_head *head;
	int64_t ns;
};

/* Begins to watch one exchange; copies what it needs of *b. Never NULL. */
struct observer *observer_open(struct observers *l, const struct observer_begin *b);

/* Frees the observer and its observation, at whatever point it is; room that it held is given back. */
void observer_close(struct observer *k);

/* The whole body of the request, as it came (perhaps packed by gzip or zstd). `lost`: it was too large to be kept. */
void observer_request(struct observer *k, struct str body, bool lost, int64_t ns);

/* The head of the answer, once, before its first bytes; it may go away after the call. */
void observer_head(struct observer *k, const struct http_head *h, int64_t ns);

/* Where the pieces end, and when they came. */
struct observer_arrival {
	size_t end; /* in the bytes given with it */
	int64_t ns;
};

/* Bytes of the answer. `lost`: there were more before these, which are gone. */
void observer_answer(struct observer *k, struct str bytes, const struct observer_arrival *arrivals, size_t count,
		     bool lost);

/* Whether the answer says that it is complete: for those that end before their connection does. */
bool observer_is_over(const struct observer *k);

/* Whether the answer was given up because there was no room left: what came after that was not read. */
bool observer_gave_up(const struct observer *k);

/* The exchange is over: everything of the observation is filled in. Nothing may be given after it. */
void observer_end(struct observer *k, enum proxy_end how, int64_t ns);

/* What is known so far: after observer_request all that concerns the request. Lives as long as the observer. */
const struct observation *observer_seen(const struct observer *k);

#endif
