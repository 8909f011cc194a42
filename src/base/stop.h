/*
 * The wish to stop, SIGINT or SIGTERM: noted the first time, so that loops can finish the line they
 * are in and write what is known; the same signal a second time ends the process at once.
 *
 * System calls that wait are interrupted (EINTR), not restarted: whoever retries after EINTR asks
 * stop_signal first, or Ctrl-C would have to be pressed twice to leave a silent pipe.
 */
#ifndef BASE_STOP_H
#define BASE_STOP_H

/* Installs the handlers, except for a signal that is ignored, as nohup and background jobs want. */
void stop_install(void);

/* The first signal that asked to stop, or 0. Cheap enough for every chunk, from any thread. */
int stop_signal(void);

#endif
