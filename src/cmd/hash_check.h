/* `trackway hash --check SUMS`: the lines of a file of checksums, held against the hashes of the files they name. */
#ifndef CMD_HASH_CHECK_H
#define CMD_HASH_CHECK_H

#include "base/map.h"
#include "cmd/hash_output.h"
#include "cmd/sums.h"

struct hash_expected {
	struct sum sum;
	struct str file; /* the name without the number of a run */
	uint64_t run;    /* 0: the only one */
	size_t next;     /* the next line about the same file + 1; 0 for none */
	size_t last;     /* in the first line about a file: the last one + 1 */
};

struct hash_check {
	struct arena *arena;
	struct hash_expected *lines;
	size_t line_count; /* those that are checksums */
	struct map files;        /* name: its first line + 1 */
	const struct str *paths; /* of the files, each once, in order */
	size_t path_count;
	uint64_t malformed; /* lines that are no checksums */
};

/*
 * Reads a file of checksums, of at most 1 GiB; "-" is standard input. Blank lines and those that begin with '#' are
 * passed over; other lines that are no checksums are counted in `malformed`. False when it cannot be read, or with
 * ERR_DATA when no line is a checksum. Everything lives in the arena.
 */
bool hash_check_load(struct hash_check *c, struct arena *a, struct str path, struct err *err);

/*
 * Prints whether the part has the hashes that the lines about it expect, and what differs. A part that could not be
 * read, that no line names or that differs changes the exit status in `o`.
 */
void hash_check_part(const struct hash_check *c, struct hash_output *o, const struct digest_input *part);

/* Says how many lines were no checksums. If there were any, the answer in `o` becomes no. */
void hash_check_end(const struct hash_check *c, struct hash_output *o);

#endif
