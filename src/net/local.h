/*
 * Sockets of this machine with a path: where ours are, listening on one, and sending a few bytes to one without ever
 * waiting long. They are in a directory that only the user can enter, since whoever can connect can say anything.
 */
#ifndef NET_LOCAL_H
#define NET_LOCAL_H

#include "base/arena.h"
#include "base/err.h"

/*
 * The directory of our sockets, in the arena: "trackway" in `runtime` (the value of XDG_RUNTIME_DIR; NULL when it is
 * not set) if that can be used, else /tmp/trackway-UID. With `make` it is made where it is absent. False and *err when
 * it is not there, or is not a directory that only we can enter (a link is none).
 */
bool local_dir(struct arena *a, const char *runtime, bool make, struct str *dir, struct err *err);

/*
 * Listens at the path; the descriptor does not block, and is closed on exec. A socket that nobody listens on any more
 * is replaced; one that somebody listens on is an error, and so is a path that is too long. -1 and *err (ERR_IO) then.
 */
int local_listen(struct str path, struct err *err);

/* Connects to the path, for many messages; the descriptor does not block. -1 when nobody listens, or too many wait. */
int local_connect(struct str path);

/*
 * Connects to the path and sends all the bytes, within most_ms. False when nobody listens, or it was not done by then:
 * the other side may have got a part.
 */
bool local_send(struct str path, struct str bytes, unsigned most_ms);

/* Who is connected: one of the same user, or of root? False also when the system does not say. */
bool local_is_ours(int fd);

#endif
