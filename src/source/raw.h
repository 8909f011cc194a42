/*
 * The bytes of one open input as they are stored. Interrupted reads are repeated unless the
 * user wants to stop, the end is remembered once it was seen (what a writer appends later is not
 * ours), and a file that became shorter under our hands is an error. All messages begin with the input's name.
 */
#ifndef SOURCE_RAW_H
#define SOURCE_RAW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"
#include "source/io.h"
#include "source/source.h"

#define RAW_HEAD 4 /* bytes raw_peek can show */

struct raw {
	const struct source_io *io;
	struct str path;  /* terminated, or "-" */
	struct str title; /* the path, for messages */
	int handle;
	struct source_look look;
	unsigned char head[RAW_HEAD]; /* peeked and not yet given */
	size_t head_at, head_n;
	uint64_t given; /* bytes given by raw_read */
	uint64_t taken; /* bytes that came from the system */
	bool ended;
};

/* `path` is terminated, or "-", and outlives *r. False, with *err, when it cannot be opened: nothing to close then. */
bool raw_open(struct raw *r, const struct source_io *io, struct str path, struct err *err);

/* How messages name a path: "-" is "standard input". */
struct str raw_title(struct str path);

/*
 * The first bytes, RAW_HEAD or fewer when the input is shorter; raw_read gives them again. Once, before reading. False,
 * with *err, when it cannot be read.
 */
bool raw_peek(struct raw *r, struct str *head, struct err *err);

/*
 * NEXT_MORE: 1 to n bytes, *got says how many. Otherwise *got is 0. n is at least 1. NEXT_FAIL: ERR_IO when the system
 * refuses or we are to stop, ERR_DATA when the file became shorter.
 */
enum next raw_read(struct raw *r, void *into, size_t n, size_t *got, struct err *err);

/*
 * Just n bytes from `offset` on, wherever raw_read is; fewer are an error. Only when raw_can_seek says so.
 * These count as taken when `count` is set.
 */
bool raw_can_seek(const struct raw *r);
bool raw_read_at(struct raw *r, uint64_t offset, void *into, size_t n, bool count, struct err *err);

/* False when raw_read would wait for a writer. */
bool raw_is_ready(const struct raw *r);

/* Gives the handle back; standard input stays open. */
void raw_close(struct raw *r);

#endif
