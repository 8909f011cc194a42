/* What the kernel knows of the other end of a TCP connection that the connection itself does not tell. */
#ifndef NET_PEER_H
#define NET_PEER_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Whether somebody can still read what we send to a side that sends no more. A client that closed and one that only
 * shut down its half send the same thing; when it is on this machine the kernel can be asked whether a process still
 * has the other end. True when nothing can be told: then the first write that fails tells it.
 */
bool peer_is_there(int fd);

/* How many bytes of ours the other kernel has taken; UINT64_MAX when that is not known. */
uint64_t peer_acked(int fd);

#endif
