/*
 * Reads an exchange while it passes and keeps what is no content (observation.h). The bodies are read by the APIs of
 * dialect/exchange/exchange.h, the same that `convert` uses; streams piece by piece, so that what is held does not grow with an
 * answer. Runs on the recorder's thread, never on the proxy's.
 */
#ifndef CAPTURE_OBSERVER_H
#define CAPTURE_OBSERVER_H

#include "base/budget.h"
#include "capture/observation.h"

struct looks; /* parsers, shared by all */
struct observer;

/* What looks hold of open answers is taken from `room`, which others may share. */
struct looks *looks_open(struct budget *room);
void looks_close(struct looks *l);

struct observer_begin {
	uint64_t number;
	const char *provider;    /* the route's name */
	struct str endpoint;     /* without user, query, fragment */
	size_t endpoint_own;     /* bytes of it that are the route's own address */
	const struct http_head *head;
	int64_t ns;
};

struct observer *observer_open(struct looks *l, const struct observer_begin *b);
void observer_close(struct observer *k);

/* The whole body of the request, as it came (perhaps packed by gzip or zstd). `lost`: it was too large to be kept. */
void observer_request(struct observer *k, struct str body, bool lost, int64_t ns);

void observer_head(struct observer *k, const struct http_head *h, int64_t ns);

/* Where the pieces end, and when they came. */
struct observer_arrival {
	size_t end; /* in the bytes given with it */
	int64_t ns;
};

/* Bytes of the answer. `lost`: there were more before these, which are gone. */
void observer_answer(struct observer *k, struct str bytes, const struct observer_arrival *arrivals, size_t count,
		     bool lost);

/* Whether it was given up because there was no room left: what came behind that was not looked at. */
bool observer_gave_up(const struct observer *k);

/* It is over: everything of the observation is filled in. */
void observer_end(struct observer *k, enum proxy_end how, int64_t ns);

/* What is known so far: after observer_request all that concerns the request. Lives as long as the look. */
const struct observation *observer_seen(const struct observer *k);

#endif
