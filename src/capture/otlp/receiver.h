/*
 * The receiver of OTLP over HTTP: POST /v1/traces, /v1/logs and /v1/metrics, as protobuf or JSON, packed with gzip,
 * deflate or zstd or not, at most OTLP_RECEIVER_BODY bytes unpacked. It is an endpoint of the proxy's server
 * (net/proxy.h). Bodies are gathered on the loop's thread and read on the recorder's, to which sightings go;
 * the answer is given after that, so 200 means that all was taken. What is held of all requests in sum is bounded: who
 * comes when there is no room is told to come again.
 *
 *	200  taken; with partial_success where some of it was rejected
 *	400  cannot be read         405  not POST           413  too large
 *	415  another media type or packing                  503  no room now; Retry-After
 *
 * What is refused has google.rpc.Status as its body, in the encoding of the request.
 */
#ifndef CAPTURE_OTLP_RECEIVER_H
#define CAPTURE_OTLP_RECEIVER_H

#include "capture/otlp/pass.h"
#include "capture/recorder.h"
#include "net/proxy.h"

#define OTLP_RECEIVER_BODY ((size_t)64 << 20)
#define OTLP_RECEIVER_ROOM ((size_t)192 << 20) /* one body packed, the same unpacked, and some more */

struct otlp_receiver_options {
	size_t body, room;       /* other limits, for tests; 0: those above */
	struct otlp_pass *pass;  /* whom requests are passed on to as well; NULL: nobody. Ended by the receiver */
};

struct otlp_receiver;

/* Never NULL. Its handle keeps the loop running only while a body is being read. */
struct otlp_receiver *otlp_receiver_open(uv_loop_t *loop, const struct otlp_receiver_options *o);

/* Where bodies are read: the feed of a recorder; before the loop runs. */
void otlp_receiver_begin(struct otlp_receiver *r, struct feed *feed);

/* Whether a request for this target is the receiver's. */
bool otlp_receiver_takes(struct str target);

/* For the route of such a request; lives as long as the receiver. */
const struct proxy_local *otlp_receiver_local(const struct otlp_receiver *r);

/* No more requests will come: what is passed on ends with those that are here. */
void otlp_receiver_end(struct otlp_receiver *r);

/* Closes its handle, when the proxy is stopped and the loop has run dry. The loop must run once more. */
void otlp_receiver_stop(struct otlp_receiver *r);

struct otlp_receiver_tally {
	uint64_t requests;            /* that were taken */
	uint64_t refused;             /* that were not */
	uint64_t spans, logs, points; /* in those that were taken */
	uint64_t rejected;            /* of these, what could not be used */
};

/* The counts so far; on the loop's thread. */
struct otlp_receiver_tally otlp_receiver_tally(const struct otlp_receiver *r);

/* Frees it; when the loop has let go and the feed is closed. NULL is allowed. */
void otlp_receiver_close(struct otlp_receiver *r);

#endif
