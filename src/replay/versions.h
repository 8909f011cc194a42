/*
 * The headers of a request that choose a version of an API, or parts of one that are still tried out. They change what
 * is answered, so they are compared, apart from the body as parameters are; all other headers are not.
 */
#ifndef REPLAY_VERSIONS_H
#define REPLAY_VERSIONS_H

#include "base/arena.h"
#include "json/json.h"
#include "net/http/http.h"

/*
 * "name: value" for each that is there, in the order of cassette_rules.h, with "; " between them; of a live request, or
 * of the member "headers" of a recorded one. Never NULL, in the arena.
 */
struct str versions_of_head(struct arena *a, const struct http_head *h);
struct str versions_of_recorded(struct arena *a, struct val headers);

#endif
