/*
 * One TCP connection on a loop. Bytes that come are read into a buffer that all connections share, and are given away
 * at once; bytes that go are written at once, and only what the kernel does not take is queued. So a connection that
 * waits costs a few hundred bytes, and a thousand of them cost little.
 *
 * These are plain sockets under uv_poll, not uv_tcp: that lets several pieces go out in one system call, never raises
 * SIGPIPE, and still tells of a reset while nothing is being read.
 */
#ifndef NET_WIRE_H
#define NET_WIRE_H

#include <uv.h>

#include "base/buf.h"
#include "base/str.h"

/* Bytes. A queue above WIRE_HIGH makes its owner wait; below WIRE_LOW it may go on. */
enum { WIRE_HIGH = 256 << 10, WIRE_LOW = 64 << 10, WIRE_BUFFER = 64 << 10 };

struct wire;

struct wire_ops {
	void (*read)(struct wire *w, struct str bytes);
	void (*end)(struct wire *w);             /* the other side sends no more; it may still read */
	void (*lost)(struct wire *w, int error); /* it is gone; the owner closes */
	void (*sent)(struct wire *w);            /* the queue became shorter */
};

struct wire {
	uv_poll_t poll;
	int fd; /* -1: closed */
	unsigned events; /* asked of the poll */
	bool reading, ended, deaf;
	bool stamped; /* see wire_stamp */
	int broken; /* errno of a write that failed; `lost` will tell */
	char *buffer; /* WIRE_BUFFER bytes, shared */
	const struct wire_ops *ops;
	uint64_t last; /* loop time of the last byte either way */
	uint64_t came_ns; /* with stamps: when the last of the bytes at hand came, by clock_mono_ns; 0: not known */
	struct buf queue;
	size_t at; /* of the queue, what has been sent */
	uint64_t total; /* bytes the kernel has taken */
	void (*closed)(struct wire *w); /* not NULL: closing */
};

/*
 * Takes the socket, which must be non-blocking. Nothing is read before wire_read. `buffer` is lent until the wire is
 * closed. False, with the socket closed: the loop cannot watch it.
 */
bool wire_open(struct wire *w, uv_loop_t *loop, int fd, char *buffer, const struct wire_ops *ops);

/*
 * Closes the socket and drops what is queued; no function of ops is called after it. `closed` is called from the loop
 * when nothing of w is in use any more; its memory belongs to the owner again then. Does nothing when it is closed
 * already.
 */
void wire_close(struct wire *w, void (*closed)(struct wire *w));

/* Whether bytes are read when they come. Off, they wait in the kernel, and a slow reader slows the sender down. */
void wire_read(struct wire *w, bool on);

/*
 * From now on the kernel notes when bytes come in, so that times do not depend on when we get round to reading them:
 * the loop may be busy, or the machine. Where it cannot, came_ns stays 0.
 */
void wire_stamp(struct wire *w);

/* The other side said in its own words (TLS) that it sends no more: nothing is read any more, `end` is not called. */
void wire_end(struct wire *w);

/* After what is queued nothing more will be sent: only when the queue is empty. */
void wire_shutdown(struct wire *w);

/* Bytes given to the wire that the kernel has not taken yet. */
static inline size_t wire_queued(const struct wire *w)
{
	return w->queue.n - w->at;
}

/* ---- several pieces in one system call ---- */

enum { OUTGOING_PIECES = 32, OUTGOING_SMALL = 1024 };

struct outgoing {
	struct buf text; /* what is formatted for sending; small pieces too */
	size_t marked;   /* text that is in pieces already */
	struct {
		const char *p; /* NULL: of text, from `at` */
		size_t at, n;
	} piece[OUTGOING_PIECES];
	unsigned count;
};

/* One is enough for all connections of a thread: it is empty between two sendings. */
void outgoing_init(struct outgoing *o);
void outgoing_free(struct outgoing *o);

/* Forgets what was added and not sent. Keeps the memory. */
void outgoing_clear(struct outgoing *o);

/*
 * Pieces above OUTGOING_SMALL bytes are not copied, and must stay valid until the sending; smaller ones, and all beyond
 * the table's room, are. Text is added straight to o->text.
 */
void outgoing_add(struct outgoing *o, struct str bytes);

/* Adds everything to `out` in one piece instead of sending it; `o` is empty then. */
void outgoing_gather(struct outgoing *o, struct buf *out);

/* Sends everything, as it is in `o`, which is empty then. A failure is noted, and told by `lost` from the loop. */
void outgoing_send(struct outgoing *o, struct wire *w);

#endif
