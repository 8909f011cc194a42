/* Files made of others when a run is over: tool-use log and trajectory from the cassette, a drawing of the DAG. */
#ifndef CAPTURE_DERIVE_H
#define CAPTURE_DERIVE_H

#include "base/arena.h"
#include "base/err.h"
#include "base/str.h"
#include "dialect/reading/coverage.h"

/*
 * Reads one file of ours and writes it in another format, mode 0600, with "local_only":true in its first line. `to` is
 * a name of `trackway formats`; `more` has further members for the first line, each with a comma behind it. What is
 * made has this name in the open directory `dir` (file_place). False and *err when the file cannot be read or the new
 * one not be written: then nothing has the new name.
 */
bool derive_convert(struct arena *a, struct str from, const char *to, struct str more, int dir, struct str name,
		    struct err *err);

/* The same, and *coverage tells how much of the file came through. */
bool derive_convert_covered(struct arena *a, struct str from, const char *to, int dir, struct str name,
			    struct coverage_summary *coverage, struct err *err);

/* A trace as a graph for Graphviz, as `trackway export` draws it. As above when it fails. */
bool derive_dot(struct str trace, int dir, struct str name, struct err *err);

#endif
