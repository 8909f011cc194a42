/* Questions to a witness over HTTP and HTTPS: POST <url>/add-checkpoint. Waits for the answer. */
#ifndef NOTARY_COSIGN_HTTP_H
#define NOTARY_COSIGN_HTTP_H

#include "notary/cosign.h"

struct cosign_http;

/*
 * A way to the witness at this address. NULL and ERR_USAGE when it is not a URL of HTTP. `wait_ms` is for one answer;
 * 0 means 30 s.
 */
struct cosign_http *cosign_http_open(struct str url, unsigned wait_ms, struct err *err);
/* Frees it; NULL is fine. No question may be under way. */
void cosign_http_close(struct cosign_http *h);

/*
 * For cosign_ask; lives as long as `h`. No answer (refused, interrupted by a signal, too late) is ERR_IO; any status is
 * an answer. Answers are at most 128 KiB.
 */
struct cosign_way cosign_way_http(struct cosign_http *h);

#endif
