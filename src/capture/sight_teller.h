/*
 * The other end of sight_socket.h: how a process that runs for a while tells the recorder what it sees. One connection,
 * never waited for: what cannot be sent now is held, up to SIGHT_TELLER_ROOM, and what does not fit is dropped and
 * counted. A recorder that is not there (or gone) is looked for again at most once a second.
 */
#ifndef CAPTURE_SIGHT_TELLER_H
#define CAPTURE_SIGHT_TELLER_H

#include "base/arena.h"
#include "base/buf.h"
#include "model/sighting.h"

#define SIGHT_TELLER_ROOM ((size_t)64 << 20)

struct sight_teller {
	struct str path; /* n 0: there is no recorder */
	int fd;          /* -1: not connected */
	struct buf queue;
	size_t at;       /* bytes of the queue that were sent */
	uint64_t retry_ns;
	uint64_t told, dropped; /* lines */
};

/*
 * Where the recorder is: `given` (the value of TRACKWAY_SOCKET), else the one that listens for all, with `runtime` as
 * XDG_RUNTIME_DIR has it. Both may be NULL. False: there is none. The path is in the arena or is the text given.
 */
bool sight_teller_find(struct arena *a, const char *given, const char *runtime, struct str *path);

/* Connects, if somebody listens there. The path must outlive it. */
void sight_teller_open(struct sight_teller *t, struct str path);

/* Sends the sighting, or holds it for sight_teller_send. One whose line is too long for a recorder is dropped. */
void sight_teller_add(struct sight_teller *t, const struct sighting *s);

/* Whether something is held: then the descriptor is to be watched until it can be written to. */
static inline bool sight_teller_waits(const struct sight_teller *t)
{
	return t->fd >= 0 && t->at < t->queue.n;
}

/* Sends what can be sent now. */
void sight_teller_send(struct sight_teller *t);

/* Sends what is left, within most_ms, and closes. What is left then counts as dropped. */
void sight_teller_close(struct sight_teller *t, unsigned most_ms);

#endif
