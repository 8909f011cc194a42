/* What the Linux files of this directory know of each other. */
#ifndef PROC_SANDBOX_LINUX_H
#define PROC_SANDBOX_LINUX_H

#include <sys/types.h>

#include "proc/sandbox/groups.h"

/* ---- channel_linux.c: between the process outside and those inside, until the command itself runs ---- */

enum sandbox_word_kind {
	SANDBOX_WORD_HANDED, /* a descriptor comes with it: that of the filter, or of a listening socket */
	SANDBOX_WORD_GO,     /* the answer: what was handed over is in use */
	SANDBOX_WORD_FAILED, /* the sandbox could not be set up: `text` and `number`, an errno */
	SANDBOX_WORD_ABSENT, /* the command could not be started: `number` is an errno */
	SANDBOX_WORD_ENDED,  /* `number` is its wait status, `left` processes were there besides */
};

enum sandbox_handed { SANDBOX_FILTER, SANDBOX_LISTENER };

struct sandbox_word {
	enum sandbox_word_kind kind;
	int number;
	uint64_t left;
	char text[120];
};

/* False when the other side is gone. `fd` goes with it unless it is -1. */
bool sandbox_word_send(int channel, const struct sandbox_word *w, int fd);

/* The next word; *fd gets what came with it, or -1. False when the other side is gone. */
bool sandbox_word_receive(int channel, struct sandbox_word *out, int *fd);

/* Says that a step failed, with errno; always false. */
bool sandbox_word_fail(int channel, const char *step);

/* ---- inside_linux.c ---- */

struct sandbox_inside {
	const struct sandbox_options *o;
	int channel;
	bool is_first;    /* of its PID namespace */
	bool own_mounts;  /* its mount namespace is its own, and is still as it was outside */
	bool own_shm;     /* /dev/shm is its own */
	bool becomes;     /* another user */
	uid_t uid;
	gid_t gid;
	bool by_rlimit;   /* no group of processes bears the limits */
	struct sandbox_groups groups; /* those to enter; of no meaning inside */
	uint16_t port;    /* the one port; 0: none */
};

/* The life of the first process: starts the command, waits, ends who is left, says so. Does not return. */
__attribute__((noreturn)) void sandbox_inside_run(struct sandbox_inside *in);

/* settings_linux.c: they as a descriptor, for the program that reads them (sandbox_inside). -1 and *err. */
int sandbox_inside_write(struct arena *a, const struct sandbox_inside *in, struct err *err);

/* small.c: the bytes of the small program. */
struct str sandbox_small_program(void);

/* ---- start_linux.c ---- */

/*
 * Starts the first process at its level; `in` gets what that process is told. Its number is of a child of ours. False
 * with *err.
 */
bool sandbox_start(struct arena *a, struct sandbox_inside *in, pid_t *first, struct err *err);

/* bwrap_linux.c: the same for that level. */
bool sandbox_start_bwrap(struct arena *a, struct sandbox_inside *in, pid_t *first, struct err *err);

/* Whether that level works: everything but the command is tried. False with *err. */
bool sandbox_try_bwrap(struct err *err);

/* give_linux.c: the writable paths become that user's, as far as they were ours. */
void sandbox_give(const struct sandbox_options *o, uid_t uid, gid_t gid);

/* ---- tree_linux.c ---- */

/*
 * Ends every process below this one and waits for it, at most that long. How many were there; *emptied says whether
 * nobody is left.
 */
uint64_t sandbox_tree_end(unsigned most_ms, bool *emptied);

#endif
