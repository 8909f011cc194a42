/* Threads of this room: they leave signals to the thread that started them. */
#ifndef FLOW_THREAD_H
#define FLOW_THREAD_H

#include <pthread.h>
#include <stdbool.h>

/*
 * Starts a thread in which signals are blocked, but for faults and SIGPIPE. False, and *out is not to be used, when the
 * system has no thread left; never an error, since whoever asks can work without.
 */
bool thread_start(pthread_t *out, void *(*run)(void *argument), void *argument);

#endif
