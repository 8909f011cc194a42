/*
 * What the commands that serve until a signal share: a loop, SIGINT and SIGTERM, and the line with the address. The
 * server itself is the command's: it is opened on `loop` after serve_init and closed before serve_free.
 */
#ifndef CMD_SERVE_H
#define CMD_SERVE_H

#include <uv.h>

#include "base/arena.h"
#include "base/err.h"

struct serve {
	uv_loop_t loop;
	uv_signal_t signals[2];
	int stopped_by; /* the first signal; 0 while none came */
	bool twice;     /* `stop` is called at a second signal, too: the first lets the server finish what it does */
	unsigned times; /* signals that came */
	void (*stop)(void *own); /* stops the server, so that the loop can end */
	void *own;
};

/* Makes the loop. `s` must not move while it is used. */
void serve_init(struct serve *s, void (*stop)(void *own), void *own);

/* Frees the loop; every handle on it must be closed. */
void serve_free(struct serve *s);

/*
 * Prints the base URL as the first line of standard output, and `more`, lines of its own, behind it. It is flushed, so
 * that whoever waits for it gets it at once. False with ERR_IO when it cannot be written.
 */
bool serve_announce(struct arena *a, struct str host, uint16_t port, struct str more, struct err *err);

/*
 * Runs the loop until a signal, or until uv_stop; a signal that came before is obeyed at once. A signal that our caller
 * ignores stays ignored, as nohup and background jobs want.
 */
void serve_run(struct serve *s);

/*
 * With `twice`, after serve_run: the loop does not run while what was done is written. The second signal is passed
 * over, the one behind it ends the process at once. Until serve_forget.
 */
void serve_finish(struct serve *s);

/* Nothing is done about signals any more; the server is closed already. Runs what is left of the loop. */
void serve_forget(struct serve *s);

/*
 * Stops the server and runs what is left of the loop, for a server that ends without a signal. Only the first call does
 * anything to a signal handle; `stop` is called each time.
 */
void serve_stop(struct serve *s);

#endif
