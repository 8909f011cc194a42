/*
 * Calls of the system that fail on demand, for the tests of base. The linker leads the room's calls of openat,
 * read, write, fsync and renameat through faults.c. The call that brings `until_fault` to zero fails with
 * `fault`; every write is cut to `most_per_write` bytes. Each test begins with none of that.
 */
#ifndef UNIT_BASE_FAULTS_H
#define UNIT_BASE_FAULTS_H

#include <stddef.h>

extern int until_fault, fault;
extern size_t most_per_write;
extern const char *fake_root; /* not NULL: where files with an absolute path are looked for */

#endif
