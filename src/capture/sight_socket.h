/*
 * The socket on which other processes tell the recorder what they saw: hooks of agents, wrappers, shims. It is on the
 * recording's loop, takes lines of dialect/sighting/sighting_line.h from processes of the same user, and hands them to
 * the recorder's thread, which reads them. What it holds is bounded: a line by SIGHTING_LINE_MOST, all of them by the
 * room that the recording shares, and clients above the limit wait until others have left.
 */
#ifndef CAPTURE_SIGHT_SOCKET_H
#define CAPTURE_SIGHT_SOCKET_H

#include <uv.h>

#include "base/err.h"
#include "capture/recorder.h"

#define SIGHT_SOCKET_LISTEN "listen.sock" /* the name in listen mode, where hooks look without TRACKWAY_SOCKET */
#define SIGHT_SOCKET_CLIENTS 256          /* at once */

struct sight_socket;

/*
 * Listens at `name` in our directory of sockets, which is made (net/local.h; `runtime` is XDG_RUNTIME_DIR or NULL). Its
 * handles do not keep the loop running. NULL and *err when the system or another listener is in the way.
 */
struct sight_socket *sight_socket_open(uv_loop_t *loop, struct budget *room, const char *runtime, struct str name,
				       struct err *err);

/* Where it is; lives as long as the socket. */
struct str sight_socket_path(const struct sight_socket *s);

/* Where lines go; before the loop runs. */
void sight_socket_begin(struct sight_socket *s, struct feed *feed);

/*
 * Takes what was sent until now, without waiting. To be called when a request comes: who runs a tool tells of its end
 * before the agent can know of it, so what the request follows from is then told before the request.
 */
void sight_socket_look(struct sight_socket *s); /* NULL is allowed */

/*
 * The loop has ended for all others: takes what clients have sent, waits a short while for those who are connected, and
 * closes the handles; the file is gone. The loop must run once more. The feed must still be there, unless it never was.
 */
void sight_socket_stop(struct sight_socket *s);

struct sight_tally {
	uint64_t seen;     /* sightings */
	uint64_t bad;      /* lines that are none */
	uint64_t lost;     /* lines that were too long, or for which there was no room */
	uint64_t refused;  /* clients of other users */
};

/* The counts. When the feed is closed. */
struct sight_tally sight_socket_tally(const struct sight_socket *s);

/* Frees it; when the loop has let go and the feed is closed. NULL is allowed. */
void sight_socket_close(struct sight_socket *s);

#endif
