/*
 * A recorder that listens: one address for the proxy, a socket for hooks, and as many runs as clients make
 * (listen_runs.h), in one directory (listen_dir.h). It is on the caller's loop; what it writes is written on a thread
 * of its own, on which the events are told, too.
 */
#ifndef CAPTURE_LISTEN_LISTENING_H
#define CAPTURE_LISTEN_LISTENING_H

#include "capture/listen/listen_dir.h"
#include "capture/recording.h"

/* What may be told to a user, from the recorder's thread. */
struct listening_events {
	void (*closed)(void *context, const struct listen_closed *c);
	void (*trouble)(void *context, struct str text);
	void (*full)(void *context, const char *why, uint64_t unrecorded); /* as listen_runs_options has it */
	void (*removed)(void *context, uint64_t count, uint64_t bytes);
	void *context;
};

struct listening_options {
	const struct recording_options *record; /* what concerns no child; `dir` p NULL: runs */
	struct str host;
	uint16_t port;
	struct tls_context *tls; /* NULL: plain HTTP */
	struct str token;        /* p NULL: nobody is asked for one */
	int64_t idle_ns, keep_ns;
	uint64_t keep_bytes;
	struct listening_events events;
};

struct listening_tally {
	struct listen_runs_tally runs;
	uint64_t requests, refused;  /* refused: no service could be reached */
	uint64_t open;               /* requests and answers on their way */
	uint64_t strangers, unknown; /* not let in: for their Host or Origin; without the token */
	struct otlp_receiver_tally telemetry;
	uint64_t astray;             /* telemetry for the path of a service; neither taken nor passed on */
	uint64_t lost;               /* pieces that were passed on, but not read */
};

struct listening;

/*
 * Completes what an earlier recorder left (*found), and listens. NULL and *err when it cannot: the directory or the
 * address is another's. Options live longer than it; texts in events only for the call.
 */
struct listening *listening_open(uv_loop_t *loop, const struct listening_options *o, struct listen_dir_found *found,
				 struct err *err);

uint16_t listening_port(const struct listening *l);

/* False: hooks of agents cannot reach it, since another recorder has the socket. */
bool listening_has_socket(const struct listening *l);

/*
 * No more connections; the loop ends when what is on its way has ended, or, with `now`, at once: these runs are
 * interrupted then. May be called again.
 */
void listening_stop(struct listening *l, int signal, bool now);

/* What happened so far. On the loop's thread. */
struct listening_tally listening_tally(const struct listening *l);

/* When the loop has ended: closes all runs. *out, which may be NULL, gets the last tally. */
void listening_close(struct listening *l, struct listening_tally *out);

#endif
