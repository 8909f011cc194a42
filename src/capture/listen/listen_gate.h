/*
 * The token that clients of a recorder show, where it listens for more than this machine: in the header
 * X-Trackway-Token, or, for clients that can only be given an address, as the beginning of the path,
 * /t/TOKEN/openai/v1. It reaches neither the service nor a file.
 */
#ifndef CAPTURE_LISTEN_LISTEN_GATE_H
#define CAPTURE_LISTEN_LISTEN_GATE_H

#include "base/crypto/sha256.h"
#include "net/http/http.h"

#define LISTEN_GATE_LEAST 16 /* characters of a token */

struct listen_gate {
	bool asks; /* false: everybody is let in */
	char key[32];
	struct digest token;
};

/* p NULL: nobody is asked. Only a keyed digest of the token is kept. */
void listen_gate_init(struct listen_gate *g, struct str token);

/* Whether the token can be one: long enough, and of letters, digits and -._~ alone, so that it can stand in a path. */
bool listen_gate_is_token(struct str token);

/* Whether a request is let in; *target is its own without the token. Takes the same time for every wrong token. */
bool listen_gate_admits(const struct listen_gate *g, const struct http_head *h, struct str *target);

#endif
