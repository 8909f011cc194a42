/* The system calls that are asked about, and the answers. Linux only. */
#ifndef PROC_SANDBOX_FILTER_H
#define PROC_SANDBOX_FILTER_H

#include <linux/seccomp.h>

#include "proc/sandbox/private.h"

#define SANDBOX_X32 0x40000000u        /* in the number of a call: the x32 interface of x86-64 */
#define SANDBOX_WAIT_KILLABLE (1u << 5) /* SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV */

struct sandbox_watch;

/* What the process outside says to one call. */
struct sandbox_answer {
	int error;  /* an errno; 0: the call has succeeded */
	bool go_on; /* the kernel does it */
	bool later; /* the answer comes when its socket is connected */
};

enum sandbox_test { SANDBOX_ALWAYS, SANDBOX_ANY_BIT, SANDBOX_EQUALS, SANDBOX_POINTER, SANDBOX_ABSENT };

struct sandbox_call {
	int nr;
	const char *call;
	enum sandbox_test test; /* on this argument; where it says no the call is allowed */
	unsigned arg;
	uint32_t value;
	bool strict, loose; /* only where the network is the system's, only where it is its own */
	/* Looks closer; NULL: the call is refused with EPERM, and noted. */
	void (*look)(struct sandbox_watch *w, const struct seccomp_notif *n, struct sandbox_answer *out);
};

/*
 * Loads the filter for the calling process and those that it starts, for good; it needs PR_SET_NO_NEW_PRIVS. A
 * descriptor on which they are asked about, or -1 with errno. `strict`: it has the network of the system.
 */
int sandbox_filter_load(bool strict);

/* What the table says of this call. */
const struct sandbox_call *sandbox_filter_find(const struct seccomp_data *d, bool strict);

/* ---- watch_linux.c: the answers ---- */

#define SANDBOX_PENDING 64 /* connections that are being made at the same time */

struct sandbox_pending {
	uint64_t id; /* of the question */
	int fd;      /* the socket, ours too until it is answered */
};

struct sandbox_watch {
	int fd;   /* where they are asked; -1: not yet, or over */
	bool strict;
	uint16_t port; /* the one that may be reached, where strict */
	bool becomes;  /* the command is another user than we */
	unsigned uid, gid;
	const struct sandbox_path *paths;
	size_t path_count;
	struct sandbox_tally *tally;
	int epoll;     /* for sockets that are being connected */
	struct sandbox_pending pending[SANDBOX_PENDING];
};

/* Answers one question. False when there is nobody left to ask. */
bool sandbox_watch_answer(struct sandbox_watch *w);

/* A socket of `pending` has an end; false when the descriptor is none of them. */
bool sandbox_watch_connected(struct sandbox_watch *w, int fd);

void sandbox_look_at_socket(struct sandbox_watch *w, const struct seccomp_notif *n, struct sandbox_answer *out);
void sandbox_look_at_connect(struct sandbox_watch *w, const struct seccomp_notif *n, struct sandbox_answer *out);
void sandbox_look_at_bind(struct sandbox_watch *w, const struct seccomp_notif *n, struct sandbox_answer *out);
void sandbox_look_at_listen(struct sandbox_watch *w, const struct seccomp_notif *n, struct sandbox_answer *out);
void sandbox_look_at_sendto(struct sandbox_watch *w, const struct seccomp_notif *n, struct sandbox_answer *out);

/* Notes a denied attempt, and refuses it. */
void sandbox_refuse(struct sandbox_watch *w, const char *call, struct str what, int error, struct sandbox_answer *out);

/* Whether the question is still open: if not, what was read of the process may be another's. */
bool sandbox_watch_is_open(const struct sandbox_watch *w, const struct seccomp_notif *n);

/* ---- perform_linux.c: calls that we do for the command, with the address that we have looked at ---- */

/* Whether this can be done at all for the process. False with errno. */
int sandbox_perform_take(const struct seccomp_notif *n, int fd);
void sandbox_perform_connect(struct sandbox_watch *w, const struct seccomp_notif *n, const void *address,
			     unsigned size, struct sandbox_answer *out);
void sandbox_perform_path(struct sandbox_watch *w, const struct seccomp_notif *n, struct str path,
			  struct sandbox_answer *out);
void sandbox_perform_bind(struct sandbox_watch *w, const struct seccomp_notif *n, const void *address,
			  unsigned size, struct sandbox_answer *out);

#endif
