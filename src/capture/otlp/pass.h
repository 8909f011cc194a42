/*
 * Passing telemetry on to the collector that the user had set before the recorder took its place: the same bytes with
 * the client's own headers, and those of OTEL_EXPORTER_OTLP_HEADERS that the client did not send. The recorder's answer
 * never waits for it. A queue bounds what is held; 429, 502, 503 and 504, and a collector that cannot be reached, are
 * tried again a few times; what cannot be passed on is counted. Everything happens on the loop's thread.
 */
#ifndef CAPTURE_OTLP_PASS_H
#define CAPTURE_OTLP_PASS_H

#include <uv.h>

#include "base/arena.h"
#include "dialect/otlp/sight.h"
#include "net/http/http.h"

#define OTLP_PASS_ROOM ((size_t)96 << 20) /* bytes that wait, in sum */
#define OTLP_PASS_MOST 1024               /* requests that wait */
#define OTLP_PASS_TRIES 3
#define OTLP_PASS_GRACE_MS 3000           /* for what is on its way when the run is over */

struct otlp_pass;

/*
 * Reads the variables by `get`, which is getenv. NULL when none of them names a collector that can be passed on to;
 * *note then, or for some of the signals, says why not: a sentence, or empty.
 */
struct otlp_pass *otlp_pass_open(struct arena *a, uv_loop_t *loop, const char *(*get)(const char *name),
				 struct str *note);

/* Copies head and body, and sends them when it is their turn. Nothing is done where the user had no address. */
void otlp_pass_send(struct otlp_pass *p, enum otlp_signal signal, const struct http_head *h, struct str body);

/* Nothing more will be sent: no further tries, and after OTLP_PASS_GRACE_MS what is left fails. The loop runs dry. */
void otlp_pass_end(struct otlp_pass *p);

/* Closes the handles; after otlp_pass_end, when the loop has run dry. The loop must run once more. */
void otlp_pass_stop(struct otlp_pass *p);

/* A collector, and what became of the requests for it. */
struct otlp_pass_host {
	const struct otlp_pass_host *next;
	struct str name;        /* host and port */
	uint64_t count, failed;
	char why[200];          /* the latest failure */
};

/* Those that there are; they live as long as p. */
const struct otlp_pass_host *otlp_pass_hosts(const struct otlp_pass *p);

/* Frees it. NULL is allowed. */
void otlp_pass_close(struct otlp_pass *p);

#endif
