/*
 * The one port of a sandbox whose network is its own: who connects to it inside is connected to the same port of
 * loopback outside, and bytes pass both ways as they come. Linux only.
 */
#ifndef PROC_SANDBOX_FERRY_H
#define PROC_SANDBOX_FERRY_H

#include <stdbool.h>
#include <stdint.h>

#define SANDBOX_FERRIES 256 /* connections at a time; more wait to be taken */

struct sandbox_ferry;

/*
 * Takes connections of this listening socket, which is its own from now on. Lives until sandbox_ferry_close. NULL when
 * the system has no room for it; the socket is closed then.
 */
struct sandbox_ferry *sandbox_ferry_open(int epoll, int listener, uint16_t port);

/* Something happened to a descriptor; false when it is none of this ferry's. */
bool sandbox_ferry_take(struct sandbox_ferry *f, int fd);

/* Ends all connections and closes the socket; nothing for NULL. */
void sandbox_ferry_close(struct sandbox_ferry *f);

#endif
