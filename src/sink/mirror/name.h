/*
 * The names of outputs in a mirror. A name depends on its source alone, never on other sources: "sub/a.jsonl" gives
 * "sub/a.jsonl.otutl.jsonl", or "sub/a.jsonl.1.otutl.jsonl", ".2" ... when it holds several runs. Whatever a source is
 * called, its names stay inside of the directory and fit into a file system.
 */
#ifndef SINK_MIRROR_NAME_H
#define SINK_MIRROR_NAME_H

#include "base/arena.h"

/* Where what is not finished waits; no output can lie in it. */
#define MIRROR_UNFINISHED ".unfinished"

/*
 * The part of the names that the runs of a source share. `below` is its path below the directory given. A component
 * that no file could have, or that leads upwards, is spelled differently; a last one that is too long is cut, with
 * eight digits of a digest of it. `tag` (p NULL for none) is a text of which eight digits are added, for a source
 * whose own name another one has. Lives as long as the arena.
 */
struct str mirror_stem(struct arena *a, struct str below, struct str tag);

/* The name of run 1 to `runs` of them. The suffix has at most 40 bytes. Lives as long as the arena. */
struct str mirror_output(struct arena *a, struct str stem, uint64_t run, uint64_t runs, struct str suffix);

/* A path as an index can hold it: bytes that are no UTF-8 are spelled \xff. The path itself when there are none. */
struct str mirror_spelling(struct arena *a, struct str path);

#endif
