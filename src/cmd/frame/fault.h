/* A fault of ours (a wild pointer, a failed assert) ends in one line that asks for a report. */
#ifndef CMD_FRAME_FAULT_H
#define CMD_FRAME_FAULT_H

#include "base/arena.h"

/*
 * From here on SIGSEGV, SIGBUS, SIGFPE, SIGILL and SIGABRT print the line and exit with 70. The arena
 * holds the stack for it and must outlive the process. Does nothing when TRACKWAY_DEBUG is 1, for core
 * dumps and debuggers, nor under AddressSanitizer.
 */
void fault_install(struct arena *a);

#endif
