/* What the machine has to spare, before and after a target is asked: resources_<tag>_before.txt and _after.txt. */
#ifndef BENCH_RUN_RESOURCES_H
#define BENCH_RUN_RESOURCES_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/str.h"

struct resources {
	bool known;
	int64_t mem_total, mem_available, disk_free; /* bytes; -1 when not known */
	double load1;                                /* -1 */
	struct str gpus;                             /* a JSON array of {name, memory_total_bytes, memory_used_bytes} */
};

/* The text of a file of /proc or /etc, in the arena; empty when it cannot be read. */
struct str resources_read_file(struct arena *a, const char *path);

/*
 * Looks at the machine now; `path` is on the disk that is meant, the working directory when it is empty. Cannot fail:
 * what is not known is -1. A machine without nvidia-smi has no GPUs; one that hangs is given up after TOOL_MS
 * (bench/suite/tool.h), and blocks until then. Texts are in the arena.
 */
void resources_take(struct resources *r, struct arena *a, struct str path);

/*
 * Adds the file: a line "name: value" for each, as people read it and resources_read does; "unknown" for what is not
 * known.
 */
void resources_write(struct buf *out, const struct resources *r);

/* Reads such a file. What a line does not say, or says wrongly, is not known; `known` is false for an empty file. */
void resources_read(struct resources *r, struct arena *a, struct str text);

#endif
