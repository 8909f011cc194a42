/*
 * What the programs at both ends of a proxy under load share: sockets of this machine and an epoll loop. Everything
 * that goes wrong ends the program with a message.
 */
#ifndef BENCH_LOOP_H
#define BENCH_LOOP_H

#include <stdint.h>

uint64_t loop_now_ns(void); /* monotonic */

/* As many open files as the system lets us have. */
void loop_allow_many_files(void);

/* A socket that waits for connections on this port of 127.0.0.1, or one connected to it, without delays of its own. */
int loop_listen(unsigned port);
int loop_connect(unsigned port);

/* The next connection, which does not block and does not delay; -1: none is waiting. */
int loop_accept(int listener);

/* Tells of `fd` being readable, with `data`. */
void loop_watch(int loop, int fd, void *data);

#endif
