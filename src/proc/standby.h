/*
 * A process that waits for our death: then it passes on what a child writes, so that the child goes on as if nothing
 * had happened. While we live it touches nothing.
 */
#ifndef PROC_STANDBY_H
#define PROC_STANDBY_H

#include <stdbool.h>
#include <sys/types.h>

struct standby {
	int control; /* our end; -1: there is none */
	pid_t pid;
};

/* Starts it, for a pipe and the descriptor where its bytes go. False when the system has no process for it. */
bool standby_open(struct standby *s, int from, int to);

/* Ends it and waits for that: it lets go of the pipe. May be called again. */
void standby_close(struct standby *s);

#endif
