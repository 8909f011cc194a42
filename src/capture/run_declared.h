/* What was declared for a recorded run: its budget and retrieval set, as meta.json has them. */
#ifndef CAPTURE_RUN_DECLARED_H
#define CAPTURE_RUN_DECLARED_H

#include "base/arena.h"
#include "base/err.h"

struct run_declared {
	bool content;              /* the content of the run was saved */
	struct str budget;         /* JSON; p NULL: none was declared */
	struct str retrieval_set;  /* JSON, digests of URIs; p NULL */
};

/*
 * Reads meta.json of the directory. False and *err when it cannot be read (ERR_IO) or is not JSON (ERR_DATA). What is
 * declared is not checked. Lives in the arena.
 */
bool run_declared_read(struct arena *a, struct str dir, struct run_declared *out, struct err *err);

#endif
