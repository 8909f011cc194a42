/*
 * A consumer on a thread of its own, fed with full buffers: the caller goes on filling the next one
 * while this one is hashed or written. A push costs one swap of buffers under a lock and copies
 * nothing; the queue is short, so a caller that is faster waits.
 *
 * Where the system has no thread left the consumer runs inside tail_push instead: slower, same result.
 */
#ifndef BENCH_TAIL_H
#define BENCH_TAIL_H

#include "base/arena.h"
#include "base/buf.h"

#define TAIL_QUEUE 4 /* buffers that wait or are being consumed */

struct tail;

/* `consume` gets every pushed buffer in order, one call at a time, off the caller's thread. Lives in `a`. */
struct tail *tail_open(struct arena *a, void (*consume)(void *context, struct str bytes), void *context);

/* Takes the bytes of *full over and leaves an empty buffer in it, to be filled next. Waits while the queue is full. */
void tail_push(struct tail *t, struct buf *full);

/* Returns when all that was pushed is consumed. Until the next push the context is the caller's to read and change. */
void tail_wait(struct tail *t);

/* Waits in the same way, then ends the thread and frees the queue's buffers. The caller's own stays the caller's. */
void tail_close(struct tail *t);

#endif
