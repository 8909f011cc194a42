/* This program itself. */
#ifndef PROC_SELF_H
#define PROC_SELF_H

#include "base/arena.h"

/* The absolute path that this program was started from, in the arena; absent when the system does not say. */
struct str self_path(struct arena *a);

#endif
