/* The process that started us, when we are of no use without it. Only Linux tells a process of its parent's end. */
#ifndef PROC_PARENT_H
#define PROC_PARENT_H

#include <stdbool.h>

/*
 * From here on SIGTERM comes when the process `pid`, which must be our parent, ends. False when it is not, or has ended
 * already.
 */
bool parent_bind(int pid);

#endif
