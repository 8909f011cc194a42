/*
 * The door of a replay: a socket with a path, to which the shims of commands and `trackway mcp` connect. Its path is
 * in the environment of the replayed command as TRACKWAY_REPLAY; only processes of the same user are let in. It is on
 * the replay's loop and does not keep it running.
 *
 * The protocol. A client begins with one line of JSON, at most DOOR_LINE bytes as every line of it:
 *
 *   {"lane":"mcp","argv":["npx","-y","server"],"name":null}
 *   {"lane":"shell","command":"5dd1...","parent":null,"req":{"argv":[..],"cwd":..,"stdin_sha256":..,"env":{..}}}
 *   {"v":"sighting/1","kind":"tape",...}     what a tool that runs live said and did (doc/formats/sighting.md)
 *
 * An answer is made of lines of text, some of them followed by as many bytes as they say, so that a shim needs no JSON
 * to read it:
 *
 *   serve                 (mcp) from here on both sides send messages, one on each line
 *   run                   the tool is to run, and to tell this socket what it did as it tells a recorder
 *   o 12 / e 12           (shell) 12 bytes of standard output or standard error follow
 *   exit 0 / signal 9     (shell) the end
 *   miss 31               31 bytes follow: why there is no answer. The shim says them on standard error and exits 97
 *
 * Of a sighting there is no answer. A client whose line is too long, or whose first line is nothing of this, is cut
 * off. Clients above the limit wait until others have left.
 */
#ifndef REPLAY_DOOR_H
#define REPLAY_DOOR_H

#include <uv.h>

#include "base/err.h"
#include "json/json.h"

#define DOOR_LINE ((size_t)64 << 20)
#define DOOR_CLIENTS 256

struct door;
struct door_client;

/* A lane behind the door: who speaks its protocol. The table must live as long as the door. */
struct door_lane {
	const char *name; /* "mcp" */
	void *context;
	/* A client has come; `hello` lasts for the call. What is returned is given to the others. */
	void *(*begin)(void *context, struct door_client *c, struct val hello);
	void (*line)(void *talk, struct str line); /* without its LF */
	void (*wake)(void *talk);                  /* the time of door_wake has come */
	void (*over)(void *talk);                  /* the client sends no more; it may still read */
	void (*close)(void *talk);                 /* it is gone, or was sent away; once */
	void (*sight)(void *context, struct val tape); /* a line for a cassette, of a tool that runs live */
};

/*
 * Listens at `name` in our directory of sockets (net/local.h; `runtime` is XDG_RUNTIME_DIR or NULL). NULL and *err when
 * it cannot. The lanes are copied.
 */
struct door *door_open(uv_loop_t *loop, const char *runtime, struct str name, const struct door_lane *lanes,
		       size_t count, struct err *err);

/* Where it is; lives as long as the door. */
struct str door_path(const struct door *d);

/* Sends bytes, in order. */
void door_send(struct door_client *c, struct str bytes);

/* Lets `wake` be called when clock_mono_ns is there; UINT64_MAX: not at all. One time for each client. */
void door_wake(struct door_client *c, uint64_t at_ns);

/* Sends the client away when it has got what was sent. */
void door_end(struct door_client *c);

struct door_tally {
	uint64_t clients, refused; /* refused: of other users, or cut off */
};
struct door_tally door_tally(const struct door *d);

/* Takes what was sent until now, without waiting: before a request is judged that follows from it. */
void door_look(struct door *d);

/* Closes its handles and sends everybody away; the file is gone. The loop must run once more before door_close. */
void door_stop(struct door *d);
void door_close(struct door *d); /* NULL is allowed */

#endif
