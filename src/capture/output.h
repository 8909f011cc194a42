/*
 * What a child wrote to its standard output: its digest, its size, and the bytes themselves in the file `stdout` of the
 * run, up to a limit. What cannot be kept is still counted; the child never notices.
 */
#ifndef CAPTURE_OUTPUT_H
#define CAPTURE_OUTPUT_H

#include "base/crypto/sha256.h"
#include "base/err.h"
#include "json/write.h"

#define OUTPUT_FILE "stdout"
#define OUTPUT_KEPT ((uint64_t)64 << 20) /* bytes */

struct output_tally {
	bool terminal; /* it was one, and ours to leave alone: nothing else is known */
	bool cut;      /* the file has only the beginning */
	uint64_t size;
	struct digest sha256;
};

struct output {
	int dir, fd;        /* of the run, and of the file; -1: closed */
	struct sha256 sha256;
	uint64_t size, kept, limit;
	bool cut;
	struct err failure; /* the first one; ERR_NONE while all is well */
};

/* Makes the file, mode 0600, in an open directory. False and *err (ERR_IO) when it cannot, or the name is taken. */
bool output_open(struct output *o, int dir, struct err *err);

/* Adds bytes. One that cannot be written is the failure, and nothing more is kept then. */
void output_add(struct output *o, struct str bytes);

/*
 * Closes the file; *t is what came. False when the file is no longer in its place, or something else is: the child may
 * have moved it. Not to be called twice.
 */
bool output_close(struct output *o, struct output_tally *t);

/* The member "stdout" of an object; NULL: it was not kept. */
void output_put(struct json_writer *w, const struct output_tally *t);

#endif
