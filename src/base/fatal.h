/*
 * The end of the process when the machine itself has failed us: no memory, no random bytes, no
 * SHA-256. These have no error parameter anywhere, since no caller could do anything better. For
 * base/ only; everything else is a struct err.
 */
#ifndef BASE_FATAL_H
#define BASE_FATAL_H

/* "trackway: reason" on standard error, then exit status 3. Allocates nothing, runs no handlers. */
_Noreturn void fatal_exit(const char *reason);

#endif
