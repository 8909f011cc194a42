/* What meta.json says of a recorded run besides what came of it: budget, retrieval set, where it goes on from. */
#ifndef CAPTURE_RUN_DECLARED_H
#define CAPTURE_RUN_DECLARED_H

#include "base/arena.h"
#include "base/err.h"

struct run_declared {
	bool content;              /* the content of the run was saved */
	struct str budget;         /* JSON; p NULL: none was declared */
	struct str retrieval_set;  /* JSON, digests of URIs; p NULL */
	struct str forked_run;     /* the hash of the run that it goes on from; p NULL: none */
	struct str cassette_sha256; /* as its list of files has it; p NULL: it has none */
	uint64_t forked_seq;       /* and where */
};

/*
 * Reads meta.json of the directory. False and *err when it cannot be read (ERR_IO) or is not JSON (ERR_DATA). What is
 * declared is not checked. Lives in the arena.
 */
bool run_declared_read(struct arena *a, struct str dir, struct run_declared *out, struct err *err);

#endif
