/* Inside the routes: what choosing by path and choosing by host have in common. route.c has all of it. */
#ifndef CAPTURE_ROUTE_PRIVATE_H
#define CAPTURE_ROUTE_PRIVATE_H

#include "capture/route.h"

/* Whether a header or the path says that a request is for this service. */
bool route_is_told(const struct service *s, const struct http_head *h, struct str path);

/* Of an absolute target what follows the host; any other target as it is. */
struct str route_path_of(struct str target);

/* What to ask the route's address for, when a client asks for this path; in the arena, or the path itself. */
struct str route_join(struct arena *a, const struct route *t, struct str path);

#endif
